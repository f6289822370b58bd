"""Whole runs: what is in their folder, what they learn, and that interruptions of any kind change nothing."""

import csv
import errno
import json
import os
import pickletools
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.network import NetworkAgent, load_policy
from agents.registry import make_agent
from duel_env.config import read_toml
from duel_env.errors import ConfigError, SchemaError
from duel_env.game import make_game
from evaluation.match import play_match
from tests.training.settings import tiny_config, tiny_settings
from training.checkpoint import read_checkpoint, write_checkpoint
from training.cli import main
from training.folder_lock import FolderLock
from training.interrupt import stop_on_request
from training.printable import without_folders
from training.run_folder import RunFolder
from training.toml_text import to_toml
from training.train import train
from training.trainer import SelfPlayTrainer


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
    assert names == {
        ".lock",
        "config.toml",
        "run.json",
        "metrics.csv",
        "timing.csv",
        "tensorboard",
        "checkpoints",
        "policy.safetensors",
    }
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


@pytest.mark.parametrize("algorithm", ["ppo", "maskable_ppo"])
def test_the_entropy_bonus_can_reach_its_end_before_the_run_does(tmp_path, algorithm):
    settings = {"ppo__entropy_start": 0.05, "ppo__entropy_end": 0.01, "ppo__entropy_end_at": 0.5, "total_steps": 4 * 16 * 8}
    assert run(tiny_config(algorithm=algorithm, **settings), tmp_path / "run") == 0
    found = [float(row["entropy_coef"]) for row in rows_of(tmp_path / "run")]
    np.testing.assert_allclose(found, [0.05, 0.03, 0.01, 0.01])


def test_the_policy_plays(finished, game):
    network = load_policy(finished / "policy.safetensors", make_game("hogwarts"))
    assert NetworkAgent(network, game, greedy=True).name
    assert make_agent(str(finished), game)


def test_no_file_of_a_run_is_a_pickle(finished):
    for path in (path for path in finished.rglob("*") if path.is_file()):
        content = path.read_bytes()
        is_safetensors = content[8:9] == b"{"  # after the length of this header, whose first byte can be any
        assert is_safetensors or not content.startswith((b"\x80", b"PK")), f"{path}: a pickle, or an archive that may hold one"
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
    notes = json.loads((finished / "run.json").read_text(encoding="utf-8"))
    del notes["ended"]
    (path / "run.json").write_text(json.dumps(notes))
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


def spoil(path: Path, name: str, change) -> bytes | None:
    """Change a file of a run folder; what is in it then, None if it is gone."""
    content = change((path / name).read_bytes())
    (path / name).unlink()
    if content is not None:
        (path / name).write_bytes(content)
    return content


ROWS_THAT_ARE_NOT_ALL_THERE = {
    "no file": (lambda content: None, r"cannot read .*; bring it back from a copy, or begin another run"),
    "nothing": (lambda content: b"", r", line 1: the rows of updates 1 to 4 are missing"),
    "other columns": (lambda content: b"a,b\n" + content.partition(b"\n")[2], r", line 1: expected the names of the columns"),
    "a row less": (
        lambda content: b"\n".join(content.split(b"\n")[:2] + content.split(b"\n")[3:]),
        r", line 3: expected the row of update 2, found b'3,384,",
    ),
    "a row twice": (lambda content: content.replace(b"\n3,", b"\n2,"), r", line 4: expected the row of update 3, found b'2,384,"),
    "cut off": (lambda content: content[: content.index(b"\n4,") + 5], r", line 5: the rows of updates 4 to 4 are missing"),
    "text": (lambda content: content.replace(b"\n2,", b"\nabc,"), r", line 3: expected the row of update 2, found b'abc,"),
    "text within": (lambda content: content.replace(b"\n2,256,", b"\n2,abc,"), r", line 3: expected numbers, found b'abc'"),
    "no UTF-8": (lambda content: content.replace(b"\n2,256,", b"\n2,\xff,"), r", line 3: expected numbers, found b'\\xff'"),
    "control characters": (lambda content: content.replace(b"\n2,", b"\n\x1b[2J,"), r", line 3: expected .* found b'\\x1b\[2J"),
    "a column more": (lambda content: content.replace(b"\n2,256,", b"\n2,256,0,"), r", line 3: expected \d+ columns, found \d+"),
    "a long number": (
        lambda content: content.replace(b"\n2,", b"\n" + b"2" * 5000 + b","),
        r", line 3: expected the row of update 2",
    ),
}


@pytest.mark.parametrize("name", ["metrics.csv", "timing.csv"])
@pytest.mark.parametrize("case", ROWS_THAT_ARE_NOT_ALL_THERE)
def test_rows_that_are_not_all_there_are_named_and_nothing_is_lost(finished, tmp_path, name, case):
    change, message = ROWS_THAT_ARE_NOT_ALL_THERE[case]
    path = tmp_path / "run"
    copied_back_to(finished, path, 4)
    spoil(path, name, change)
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    with pytest.raises(SchemaError, match=message) as caught:
        run(tiny_config(), path, resume=True)
    assert name in str(caught.value)
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file() and file.name != ".lock"} == before


def test_damage_after_the_checkpoint_is_no_matter(finished, tmp_path):
    path = tmp_path / "run"
    copied_back_to(finished, path, 4)
    spoil(path, "metrics.csv", lambda content: content.replace(b"\n5,", b"\n\xff\x1b,"))
    assert run(tiny_config(), path, resume=True) == 0
    assert results_of(path) == results_of(finished)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("run.json", lambda content: None, r"cannot read .*run\.json.*; bring it back"),
        ("run.json", lambda content: b"", r"run\.json is not JSON, or is damaged: .*; bring it back"),
        ("run.json", lambda content: content[:100], r"run\.json is not JSON, or is damaged: .*; bring it back"),
        ("run.json", lambda content: b"\xff" + content, r"run\.json is not JSON, or is damaged: .*; bring it back"),
        ("run.json", lambda content: b"[" * 100_000, r"run\.json is not JSON, or is damaged: .*; bring it back"),
        ("run.json", lambda content: b"{}", r"run\.json is not what a run writes.*; bring it back"),
        ("run.json", lambda content: b"[]", r"run\.json is not what a run writes.*; bring it back"),
        ("config.toml", lambda content: None, r"holds no run that could be resumed: it has no config\.toml; bring it back"),
        (
            "config.toml",
            lambda content: content[: content.index(b"gamma") + 6],
            r"config\.toml is not valid TOML: .*; bring it back",
        ),
        ("config.toml", lambda content: b"\xff", r"config\.toml is not valid TOML: .*; bring it back"),
        ("config.toml", lambda content: b"", r"of a run with other settings: .*seed"),
    ],
)
def test_notes_and_settings_that_are_damaged_or_missing_are_named(finished, tmp_path, name, change, message):
    path = tmp_path / "run"
    copied_back_to(finished, path, 4)
    spoil(path, name, change)
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    with pytest.raises((SchemaError, ConfigError), match=message):
        run(tiny_config(), path, resume=True)
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before


def test_a_run_whose_checkpoints_are_gone_does_not_begin_anew(finished, tmp_path):
    path = tmp_path / "run"
    copied_back_to(finished, path, 0)
    (path / "policy.safetensors").write_bytes((finished / "policy.safetensors").read_bytes())
    with pytest.raises(SchemaError, match="has a policy, but no checkpoint in"):
        run(tiny_config(), path, resume=True)
    assert results_of(path) == results_of(finished)


def test_checkpoints_that_are_cut_off_empty_or_of_another_run_are_passed_over(finished, tmp_path, capsys):
    other = tmp_path / "other"
    assert run(tiny_config(seed=4), other) == 0
    path = tmp_path / "run"
    copied_back_to(finished, path, 2)
    folder = path / "checkpoints"
    good = (folder / "update-000002.safetensors").read_bytes()
    (folder / "update-000003.safetensors").write_bytes(good)  # not what its name says
    (folder / "update-000004.safetensors").write_bytes((other / "checkpoints" / "update-000004.safetensors").read_bytes())
    (folder / "update-000005.safetensors").write_bytes(b"")
    (folder / "update-000006.safetensors").write_bytes(good[: len(good) // 2])
    for number in (999_997, 999_998, 1_000_000):
        (folder / f"update-{number}.safetensors").write_bytes((finished / "policy.safetensors").read_bytes())
    (folder / "update-x.safetensors").write_bytes(b"mine")
    assert run(tiny_config(), path, resume=True) == 0
    assert capsys.readouterr().err.count("warning: skipped a checkpoint: ") == 7
    assert results_of(path) == results_of(finished)
    assert (folder / "update-000006.safetensors").read_bytes() == (
        finished / "checkpoints" / "update-000006.safetensors"
    ).read_bytes()
    assert (folder / "update-000004.safetensors").exists(), "damaged ones with high numbers do not push out good ones"


Rewrite = Callable[[dict[str, np.ndarray], dict[str, int]], Any]

HOSTILE_CHECKPOINTS: dict[str, tuple[Rewrite, str]] = {
    "node": (lambda a, c: a["batch.rows"]["node"].__setitem__(0, 2_000_000_000), "node"),
    "negative node": (lambda a, c: a["batch.rows"]["node"].__setitem__(0, -1), "node"),
    "player": (lambda a, c: a["batch.rows"]["current_player"].__setitem__(0, 7), "current_player"),
    "seat": (lambda a, c: a["batch.rows"]["seat"].__setitem__(0, -9), "seat"),
    "starter": (lambda a, c: a["collector.starters"].__setitem__(0, 2), "starters has .*2.*: expected numbers from 0 to 1"),
    "weight": (lambda a, c: a["actor.parameters"].__setitem__(0, np.nan), "not finite"),
    "moment": (lambda a, c: a["critic.second_moment"].__setitem__(0, -1.0), r"critic\.second_moment has .*-1"),
    "steps of Adam": (lambda a, c: c.update(actor_steps=10**6), r"actor_steps has .*1000000.*: expected numbers from 0 to 8"),
    "huge counter": (lambda a, c: c.update(actor_steps=10**400), "counter actor_steps = '1000"),
    "update": (lambda a, c: c.update(update=6), "counter update = 6: expected that of the file's name"),
    "update 0": (lambda a, c: c.update(update=0), "counter update = 0"),
}


def rewrite(path: Path, config, change: Rewrite) -> None:
    """Change what is in a checkpoint, and make everything in it fit again, its hash included."""
    game, setup = config.make_game_and_setup()
    trainer = SelfPlayTrainer(config, game, setup)
    found = read_checkpoint(path, trainer.arrays(), trainer.counters, config, game.digest)
    change(found.arrays, found.counters)
    write_checkpoint(path, found.arrays, found.counters, config, game.digest)


@pytest.mark.parametrize("case", HOSTILE_CHECKPOINTS)
def test_a_checkpoint_with_impossible_values_is_passed_over(finished, tmp_path, capsys, case):
    change, message = HOSTILE_CHECKPOINTS[case]
    path = tmp_path / "run"
    copied_back_to(finished, path, 4)
    rewrite(path / "checkpoints" / "update-000004.safetensors", tiny_config(), change)
    assert run(tiny_config(), path, resume=True) == 0
    warning = capsys.readouterr().err
    assert re.search(f"warning: skipped a checkpoint: .*update-000004.*{message}", warning), warning
    assert results_of(path) == results_of(finished)


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


def test_a_folder_in_use_is_refused_by_name_and_free_as_soon_as_its_process_is_killed(finished, tmp_path):
    path, holder = tmp_path / "run", "import sys, time; from pathlib import Path; from training.folder_lock import FolderLock; "
    copied_back_to(finished, path, 4)
    process = subprocess.Popen(
        [sys.executable, "-c", f"{holder} lock = FolderLock(Path({str(path)!r})); print('held', flush=True); time.sleep(60)"],
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    with process, process.stdout:
        assert process.stdout.readline() == b"held\n"
        before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
        with pytest.raises(ConfigError, match=f"{re.escape(str(path))} is in use: another process works in it"):
            run(tiny_config(), path, resume=True)
        assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before
        process.kill()
        process.wait()
    assert run(tiny_config(), path, resume=True) == 0
    assert results_of(path) == results_of(finished)


def test_a_run_holds_the_lock_of_its_folder_and_lets_go_of_it(tmp_path, monkeypatch):
    path, record, refused = tmp_path / "run", RunFolder.record, []

    def try_another(self, update, *arguments):
        record(self, update, *arguments)
        with pytest.raises(ConfigError, match="is in use"):
            FolderLock(path)
        refused.append(update)

    monkeypatch.setattr(RunFolder, "record", try_another)
    assert run(tiny_config(), path) == 0
    assert refused == [1, 2, 3, 4, 5, 6]
    FolderLock(path).release()
    with pytest.raises(ConfigError, match="other settings"):
        run(tiny_config(seed=9), path, resume=True)
    FolderLock(path).release()  # after an error too


@pytest.mark.parametrize("after", [0, 3, 9, 14])
def test_a_full_disk_ends_a_run_with_a_named_error_and_it_can_go_on(finished, tmp_path, monkeypatch, after):
    path, fsync, calls = tmp_path / "run", os.fsync, []

    def full(descriptor):
        calls.append(descriptor)
        if len(calls) > after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ConfigError, match=re.escape(str(path)) + ".*No space left on device"):
        run(tiny_config(), path)
    monkeypatch.undo()
    assert run(tiny_config(), path, resume=True) == 0
    assert results_of(path) == results_of(finished)


def test_places_that_cannot_hold_a_run_are_named(tmp_path):
    (tmp_path / "file").write_text("mine")
    for output in ("file", "file/sub", "file/sub/sub", "/proc/none", "x" * 300):
        for resume in (False, True):
            with pytest.raises(ConfigError, match=r"cannot write|exists already|is no folder"):
                run(tiny_config(), tmp_path / output, resume=resume)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(
    ("argument", "recorded"),
    [
        ("train", "train"),
        ("--resume", "--resume"),
        ("configs/train/quick.toml", "quick.toml"),
        ("/home/a name/quick.toml", "quick.toml"),
        ("/home/a=b/quick.toml", "quick.toml"),
        ("runs/quick/", "quick"),
        ("--output=/home/somebody/runs/x", "--output=x"),
        ("C:\\Users\\somebody\\quick.toml", "quick.toml"),
        ("ppo.learning_rate=1e-4", "ppo.learning_rate=1e-4"),
        ("game.spells=/home/somebody/spells.toml", "game.spells=spells.toml"),
        ('run.opponents=["/home/o\'hara/a.safetensors", "random"]', 'run.opponents=["a.safetensors", "random"]'),
    ],
)
def test_the_command_is_noted_without_folders(argument, recorded):
    assert without_folders(argument) == recorded


def test_no_path_of_this_machine_is_in_the_notes(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "sys.argv", ["/opt/somebody/bin/duel", "train", str(tmp_path / "a.toml"), "--output", str(tmp_path / "run")]
    )
    assert run(tiny_config(), tmp_path / "run") == 0
    notes = (tmp_path / "run" / "run.json").read_text(encoding="utf-8")
    assert json.loads(notes)["command"] == ["duel", "train", "a.toml", "--output", "run"]
    for private in (str(tmp_path), "/opt/somebody", sys.executable, str(Path(__file__).parent)):
        assert private not in notes


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
    for first, last in ((0, 3), (10, 70), (80, 140), (160, 250)):
        process = start(settings, path)
        target = int(rng.integers(first, last))
        deadline = time.monotonic() + 60
        while rows_written(path) <= target and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(rng.uniform(0.0, 0.02))
        process.kill()
        assert process.wait() == -signal.SIGKILL, f"it ended by itself, {rows_written(path)} rows into the run"
        at.append(rows_written(path))
        assert first == 0 or list(path.glob("checkpoints/update-*.safetensors")), "killed after at least one checkpoint"
    assert start(settings, path).wait() == 0
    assert results_of(path) == results_of(undisturbed), f"killed after {at} rows"


SLOW_WRITE = """
import os, sys, time
from pathlib import Path
import training.train as module
from training.cli import main

write, fsync, target = module.write_checkpoint, os.fsync, None

def write_checkpoint(path, *arguments):
    global target
    target = path if path.name == "update-000004.safetensors" else None
    write(path, *arguments)

def slow(descriptor):
    if target is not None:
        print("writing", flush=True)
        time.sleep(60)
    fsync(descriptor)

module.write_checkpoint, os.fsync = write_checkpoint, slow
main(["train", sys.argv[1], "--output", sys.argv[2], "--quiet"])
"""


def test_a_kill_while_a_checkpoint_is_written_leaves_the_one_before(finished, tmp_path):
    path, settings = tmp_path / "run", tmp_path / "settings.toml"
    settings.write_text(to_toml(tiny_settings()), encoding="utf-8")
    process = subprocess.Popen([sys.executable, "-c", SLOW_WRITE, str(settings), str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process, process.stdout:
        assert process.stdout.readline() == b"writing\n"
        process.kill()
        assert process.wait() == -signal.SIGKILL
    names = sorted(file.name for file in (path / "checkpoints").iterdir())
    assert names[1:] == ["update-000002.safetensors"]
    assert names[0].startswith(".update-000004.safetensors.")
    assert rows_written(path) == 5, "a header and four rows"
    whole = (path / "checkpoints" / names[1]).read_bytes()
    assert whole == (finished / "checkpoints" / names[1]).read_bytes()
    assert run(tiny_config(), path, resume=True) == 0
    assert results_of(path) == results_of(finished)
    assert not list(path.rglob("*.tmp"))


def test_a_second_command_on_a_running_folder_is_one_line_and_changes_nothing(tmp_path, capsys):
    path, settings = tmp_path / "run", tmp_path / "settings.toml"
    settings.write_text(to_toml(tiny_settings()), encoding="utf-8")
    process = subprocess.Popen([sys.executable, "-c", SLOW_WRITE, str(settings), str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process, process.stdout:
        assert process.stdout.readline() == b"writing\n"
        before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
        with pytest.raises(SystemExit) as stop:
            main(["train", str(settings), "--output", str(path), "--resume"])
        assert stop.value.code == 2
        err = capsys.readouterr().err
        assert err.startswith(f"error: {path} is in use: another process works in it")
        assert err.count("\n") == 1
        assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before
        process.kill()


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
