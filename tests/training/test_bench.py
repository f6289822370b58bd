"""The benchmark: not how fast, which no test can say, but that it refuses a kernel that plays something else."""

import json
import sys

import pytest

from duel_env.errors import ConfigError, DuelError
from training import bench
from training.cli import main


def test_checksum_of_the_duels_is_the_known_one_in_both_engines():
    played = {bench._random_play(engine, 1).checksum for engine in ("table", "kernel")}
    assert played == {bench.CHECKSUMS["random_play"]}


def test_other_duels_are_refused(monkeypatch):
    monkeypatch.setitem(bench.CHECKSUMS, "single", "0" * 16)
    with pytest.raises(DuelError, match="not what they were"):
        list(bench.measurements(("single",)))


def test_unknown_rows_are_refused():
    with pytest.raises(ConfigError, match="unknown row warp; rows: random_play"):
        list(bench.measurements(("warp",)))


def test_command_prints_json(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["duel", "bench", "--rows", "single,taxi", "--json"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert not stop.value.code
    rows = json.loads(capsys.readouterr().out)
    assert [row["is_peer"] for row in rows] == [False, True]
    assert all(row["per_second"] > 0 for row in rows)
