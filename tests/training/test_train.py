"""Whole runs: what is in their folder, what they learn, and that interruptions of any kind change nothing."""

import csv
import os
import pickletools
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from agents.network import NetworkAgent, load_policy
from agents.registry import make_agent
from duel_env.config import read_toml
from duel_env.errors import ConfigError, SchemaError
from duel_env.game import make_game
from evaluation.match import play_match
from tests.training.settings import tiny_config, tiny_settings
from training.interrupt import stop_on_request
from training.run_folder import RunFolder
from training.toml_text import to_toml
from training.train import train


def run(config, path, *, resume=False):
    return train(config, path, resume=resume, quiet=True)


def rows_of(path: Path) -> list[dict[str, str]]:
    with (path / "metrics.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def results_of(path: Path) -> tuple[bytes, bytes]:
    return (path / "metrics.csv").read_bytes(), (path / "policy.safetensors").read_bytes()


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "finished"
    assert run(tiny_config(), path) == 0
    return path


def test_a_run_folder_has_everything_to_tell_what_happened(finished):
    names = {path.name for path in finished.iterdir()}
    assert names == {"config.toml", "run.json", "metrics.csv", "timing.csv", "tensorboard", "checkpoints", "policy.safetensors"}
    assert read_toml(finished / "config.toml") == tiny_config().to_dict()
    rows = rows_of(finished)
    assert [int(row["update"]) for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [int(row["steps"]) for row in rows] == [128 * n for n in range(1, 7)]
    assert [row["win_rate_random"] != "" for row in rows] == [False, False, True, False, False, True]
    assert [path.name for path in sorted((finished / "checkpoints").iterdir())] == [
        f"update-00000{n}.safetensors" for n in (2, 4, 6)
    ]
    notes = (finished / "run.json").read_text(encoding="utf-8")
    for key in ("python", "numpy", "torch", "duel_env", "game_digest", "config_digest", "seed", "machine", "started", "ended"):
        assert f'"{key}"' in notes, key


def test_the_schedules_go_down_to_almost_nothing(finished):
    rates = [float(row["learning_rate"]) for row in rows_of(finished)]
    np.testing.assert_allclose(rates, 1e-2 * (1 - np.arange(6) / 6))


def test_the_policy_plays(finished, game):
    network = load_policy(finished / "policy.safetensors", make_game("hogwarts"))
    assert NetworkAgent(network, game, greedy=True).name
    assert make_agent(str(finished), game)


def test_no_file_of_a_run_is_a_pickle(finished):
    for path in (path for path in finished.rglob("*") if path.is_file()):
        content = path.read_bytes()
        assert not content.startswith((b"\x80", b"PK")), f"{path}: a pickle, or an archive that may hold one"
        with pytest.raises((ValueError, IndexError)):
            list(pickletools.genops(content))


def test_a_folder_that_exists_is_not_written_over(finished, tmp_path):
    before = results_of(finished)
    with pytest.raises(ConfigError, match="exists already: --resume goes on with the run in it, --output names another"):
        run(tiny_config(), finished)
    assert results_of(finished) == before
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="holds no run that could be resumed"):
        run(tiny_config(), tmp_path, resume=True)


def test_resuming_a_finished_run_says_so_and_does_nothing(finished, capsys):
    before = {path: path.stat().st_mtime_ns for path in finished.rglob("*")}
    assert train(tiny_config(), finished, resume=True, quiet=False) == 0
    assert "is finished; its policy is" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in finished.rglob("*")} == before


def test_resuming_with_other_settings_is_refused_by_name(finished):
    with pytest.raises(ConfigError, match=r"other settings: ppo\.clip_coef, seed differ"):
        run(tiny_config(seed=9, ppo__clip_coef=0.3), finished, resume=True)


def test_an_unknown_opponent_is_named_before_anything_is_written(tmp_path):
    with pytest.raises(ConfigError, match="unknown agent 'nobody'"):
        run(tiny_config(run__opponents=["nobody"]), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_another_seed_is_another_run(finished, tmp_path):
    run(tiny_config(seed=4), tmp_path / "run")
    assert results_of(tmp_path / "run")[1] != results_of(finished)[1]


def test_two_threads_and_a_resumed_folder_without_a_run_change_nothing(finished, tmp_path):
    run(tiny_config(run__threads=2), tmp_path / "run", resume=True)  # there is nothing to resume: it begins
    assert rows_of(tmp_path / "run") == rows_of(finished)


def copied_back_to(finished: Path, path: Path, update: int) -> None:
    """The folder as a process left it that was killed some time after the checkpoint of an update."""
    for name in ("config.toml", "metrics.csv", "timing.csv"):
        path.mkdir(exist_ok=True)
        (path / name).write_bytes((finished / name).read_bytes())
    (path / "run.json").write_text("{}")
    (path / "checkpoints").mkdir()
    for number in range(2, update + 1, 2):
        name = f"update-00000{number}.safetensors"
        (path / "checkpoints" / name).write_bytes((finished / "checkpoints" / name).read_bytes())


@pytest.mark.parametrize("update", [0, 2, 4, 6])
def test_rows_after_the_checkpoint_are_dropped_and_come_again(finished, tmp_path, update):
    path = tmp_path / "run"
    copied_back_to(finished, path, update)
    with (path / "metrics.csv").open("a") as file:
        file.write("7,89")  # and half a row
    unfinished = path / "checkpoints" / ".update-000008.safetensors.x.tmp"
    unfinished.write_bytes(b"half")
    assert run(tiny_config(), path, resume=True) == 0
    assert results_of(path) == results_of(finished)
    assert not unfinished.exists()


def test_a_damaged_checkpoint_is_passed_over_with_a_warning(finished, tmp_path, capsys):
    path = tmp_path / "run"
    copied_back_to(finished, path, 4)
    newest = path / "checkpoints" / "update-000004.safetensors"
    newest.write_bytes(newest.read_bytes()[:1000])
    assert run(tiny_config(), path, resume=True) == 0
    assert "warning: skipped a checkpoint: " in capsys.readouterr().err
    assert results_of(path) == results_of(finished)
    path = tmp_path / "all"
    copied_back_to(finished, path, 4)
    for damaged in (path / "checkpoints").iterdir():
        damaged.write_bytes(b"")
    with pytest.raises(SchemaError, match="none of the 2 checkpoints"):
        run(tiny_config(), path, resume=True)


@pytest.mark.parametrize("content", [None, b"", b"update,steps\n1,128\n3,384\n4,512\n", b"\xff\xfe\n\xff\n"])
def test_rows_that_are_missing_are_noticed(finished, tmp_path, content):
    path = tmp_path / "run"
    copied_back_to(finished, path, 4)
    (path / "metrics.csv").unlink()
    if content is not None:
        (path / "metrics.csv").write_bytes(content)
    with pytest.raises(SchemaError, match=r"metrics\.csv does not have the rows of updates 1 to 4"):
        run(tiny_config(), path, resume=True)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot write"):
        run(tiny_config(), tmp_path / "file" / "run")


def test_signals_that_were_ignored_stay_ignored():
    previous = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with stop_on_request() as stop:
            os.kill(os.getpid(), signal.SIGTERM)
            assert not stop
            os.kill(os.getpid(), signal.SIGINT)
            assert stop
            assert stop.exit_code == 130
    finally:
        signal.signal(signal.SIGTERM, previous)


def test_ctrl_c_writes_a_checkpoint_and_says_how_to_go_on(finished, tmp_path, capsys, monkeypatch):
    path = tmp_path / "run"
    record = RunFolder.record

    def interrupt_in_update_3(self, update, *arguments):
        record(self, update, *arguments)
        if update == 3:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(RunFolder, "record", interrupt_in_update_3)
    handler = signal.getsignal(signal.SIGINT)
    assert run(tiny_config(), path) == 130
    assert signal.getsignal(signal.SIGINT) is handler
    assert "stopped after update 3 of 6; the same command with --resume goes on" in capsys.readouterr().err
    assert (path / "checkpoints" / "update-000003.safetensors").exists()
    monkeypatch.undo()
    assert run(tiny_config(), path, resume=True) == 0
    assert results_of(path) == results_of(finished)


LONG = {"total_steps": 300 * 16 * 8, "run__checkpoint_every": 7, "run__evaluate_every": 50}


def start(settings: Path, output: Path) -> "subprocess.Popen[bytes]":
    code = (
        f"from training.cli import main; main(['train', {str(settings)!r}, '--output', {str(output)!r}, '--resume', '--quiet'])"
    )
    return subprocess.Popen([sys.executable, "-c", code])


def rows_written(path: Path) -> int:
    file = path / "metrics.csv"
    return file.read_bytes().count(b"\n") if file.exists() else 0


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_ends_like_one_that_was_not(tmp_path):
    undisturbed, path = tmp_path / "undisturbed", tmp_path / "killed"
    assert run(tiny_config(**LONG), undisturbed) == 0
    settings = tmp_path / "settings.toml"
    settings.write_text(to_toml(tiny_settings(**LONG)), encoding="utf-8")
    rng = np.random.default_rng()  # any moment is right
    at = []
    for first, last in ((0, 3), (20, 120), (150, 250)):
        process = start(settings, path)
        target = int(rng.integers(first, last))
        deadline = time.monotonic() + 60
        while rows_written(path) <= target and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(rng.uniform(0.0, 0.02))
        process.kill()
        assert process.wait() == -signal.SIGKILL, f"it ended by itself, {rows_written(path)} rows into the run"
        at.append(rows_written(path))
    assert start(settings, path).wait() == 0
    assert results_of(path) == results_of(undisturbed), f"killed after {at} rows"


def test_a_few_seconds_of_training_beat_random_clearly(tmp_path):
    config = tiny_config(
        total_steps=25 * 8192,
        game__skills=[60, 60],
        ppo__num_envs=256,
        ppo__num_steps=32,
        ppo__minibatches=4,
        network__hidden=[64, 64],
        run__checkpoint_every=100,
        run__evaluate_every=100,
    )
    assert run(config, tmp_path / "run") == 0
    game = make_game("hogwarts")
    agents = (make_agent(f"{tmp_path / 'run'}:greedy", game), make_agent("random", game))
    result = play_match(game, config.setup_settings(), agents, 4000, seed=1)
    assert result.total.duels == 4000
    # Perfect play wins 0.924 to 0.938 of its duels against random; 200,000 decisions come close.
    assert result.score_interval.low > 0.85, result.score_interval
