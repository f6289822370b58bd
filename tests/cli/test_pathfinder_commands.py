"""Commands on a ruleset that is not solved exactly, with hidden information and long lists of actions."""

import json
from pathlib import Path

import pytest

from training.cli import main


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    return int(caught.value.code or 0)


TUNE = """
ruleset = "pathfinder"
game = {}
tune = { seed = 1, candidates = 1, batch = 1, workers = 1, time_limit_s = 1 }
change.max_rounds = { low = 50, high = 60, step = 10, cost = 1 }
want = [{ figure = "draws", skills = [[60, 60]], high = 0.1, weight = 1 }]
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "pathfinder"),
        ("exploit", "random", "--ruleset", "pathfinder"),
        ("report", "pathfinder"),
        ("tune", "tune.toml"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_exact_commands_say_that_it_is_not_solved(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tune.toml").write_text(TUNE)
    assert run(*arguments) == 2
    found = capsys.readouterr()
    assert "duels of pathfinder are not solved exactly" in found.err
    assert found.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["tune.toml"]


def test_there_is_no_atlas_of_more_than_skills(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("atlas", "pathfinder", "--output", str(tmp_path / "atlas")) == 2
    assert "no atlas" in capsys.readouterr().err


def test_random_players_meet_and_neither_is_better(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("match", "random", "random", "--ruleset", "pathfinder", "-n", "400", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert 0.35 < found["score"] < 0.65  # 400 duels: ten standard errors


def test_long_lists_of_actions_are_cut_for_people_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("envs", "pathfinder") == 0
    shown = capsys.readouterr().out
    assert "withdraw" in shown
    assert "quickened_fireball" not in shown
    assert run("envs", "pathfinder", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert "quickened_fireball" in json.dumps(listed)
