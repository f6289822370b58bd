import csv
import os
import signal

import numpy as np
import pytest
import torch

from agents.network import load_policy
from duel_env.errors import SchemaError
from duel_env.game import make_game
from tests.training.settings import tiny_config
from training.checkpoint import Checkpoint
from training.run_folder import RunFolder
from training.sb3_train import MaskablePPOTrainer
from training.train import train


def results_of(path):
    return (path / "metrics.csv").read_bytes(), (path / "policy.safetensors").read_bytes()


def test_an_interrupted_run_ends_like_one_that_was_not(tmp_path, monkeypatch):
    config = tiny_config(algorithm="maskable_ppo")
    assert train(config, tmp_path / "undisturbed", resume=False, quiet=True) == 0
    record = RunFolder.record

    def interrupt(self, update, *arguments):
        record(self, update, *arguments)
        if update in (1, 5):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(RunFolder, "record", interrupt)
    assert train(config, tmp_path / "run", resume=False, quiet=True) == 130
    np.random.seed(1)
    torch.manual_seed(1)  # what the process did in between does not matter
    assert train(config, tmp_path / "run", resume=True, quiet=True) == 130
    assert train(config, tmp_path / "run", resume=True, quiet=True) == 0
    assert results_of(tmp_path / "run") == results_of(tmp_path / "undisturbed")
    with (tmp_path / "run" / "metrics.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["pool_size"]) for row in rows] == [1, 2, 2, 2, 2, 2]
    assert all(0.0 <= float(row["score"]) <= 1.0 for row in rows if row["score"])
    load_policy(tmp_path / "run" / "policy.safetensors", make_game("hogwarts"))


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("slots", 0, 2**40),
        ("slots", 0, -1),
        ("slots", 0, 2),  # an empty slot
        ("pool.ages", 0, -1),
        ("pool.ages", 1, 99),
        ("pool.ages", 1, -2),
        ("adam.0.step", (), -1.0),
        ("adam.0.exp_avg_sq", (0, 0), -1.0),
    ],
)
def test_a_checkpoint_with_impossible_values_is_refused_by_name(name, place, value):
    config = tiny_config(algorithm="maskable_ppo")
    trainer = MaskablePPOTrainer(config, *config.make_game_and_setup())
    arrays = {key: array.copy() for key, array in trainer.arrays().items()}
    trainer.restore(Checkpoint(arrays, {"update": 1}))
    arrays[name][place] = value
    with pytest.raises(SchemaError, match=name):
        trainer.restore(Checkpoint(arrays, {"update": 1}))


def test_opponents_are_the_policy_as_it_was_refreshed_last():
    config = tiny_config(algorithm="maskable_ppo")
    trainer = MaskablePPOTrainer(config, *config.make_game_and_setup())
    before = trainer.network()
    trainer.improve()
    now = trainer.network()
    assert not np.array_equal(before.actor[0][0], now.actor[0][0])
    np.testing.assert_array_equal(trainer.arrays()["pool.weight.0"][0], now.actor[0][0].T)
    np.testing.assert_array_equal(trainer.arrays()["pool.weight.0"][1], before.actor[0][0].T)


def test_schedules_reach_the_model():
    config = tiny_config(algorithm="maskable_ppo")
    trainer = MaskablePPOTrainer(config, *config.make_game_and_setup())
    rates = []
    for _ in range(config.num_updates):
        metrics = trainer.improve()
        rates.append(trainer.model.policy.optimizer.param_groups[0]["lr"])
        assert metrics["learning_rate"] == rates[-1]
    np.testing.assert_allclose(rates, 1e-2 * (1 - np.arange(6) / 6))
    assert trainer.model.num_timesteps == config.total_steps
