import csv
import os
import signal

import numpy as np
import pytest
import torch

from agents.network import load_policy
from duel_env.game import make_game
from tests.training.settings import tiny_config
from training.run_folder import RunFolder
from training.sb3_train import MaskablePPOTrainer, NumpyTanh
from training.train import train


@pytest.fixture(autouse=True)
def _torch_as_it_was():
    yield
    torch.distributions.Distribution.set_default_validate_args(True)


def results_of(path):
    return (path / "metrics.csv").read_bytes(), (path / "policy.safetensors").read_bytes()


def test_numpys_tanh_is_torchs_with_its_gradient():
    values = torch.linspace(-4, 4, 101).reshape(1, 101).requires_grad_()
    ours, theirs = NumpyTanh()(values), torch.tanh(values)
    torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=1e-6)
    weights = torch.randn(1, 101, generator=torch.Generator().manual_seed(0))
    found, expected = (torch.autograd.grad((results * weights).sum(), values) for results in (ours, theirs))
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


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
