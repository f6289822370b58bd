"""`duel solve`, `duel exploit`, `duel atlas`."""

import io
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from duel_env.duel import Duel
from duel_env.game import make_game
from tests.cli.test_commands import Run, duel  # noqa: F401  (a fixture)
from tests.helpers import begin, play
from training.folder_lock import LOCK_FILE, FolderLock


def valid(name: str, text: str) -> Any:
    """JSON that was printed, after a look at its schema."""
    schema = json.loads((files("evaluation") / "schemas" / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    value = json.loads(text)
    Draft202012Validator(schema).validate(value)
    return value


@pytest.fixture
def run(duel: Run) -> Run:  # noqa: F811
    return duel


@pytest.mark.parametrize(
    ("arguments", "first", "second", "best"),
    [
        (("--skills", "60", "60"), 0.4681, 0.5319, "protego"),
        (("--skills", "30", "30"), 0.4979, 0.5021, "stupefy"),
        (("--skills", "80", "60"), 0.7581, 0.8065, "protego"),
        (("--skills", "75", "75", "--set", "riposte_sees_roll=false"), 0.4787, 0.5213, "expelliarmus"),
        (("--skills", "60", "60", "--set", "max_rounds=2"), 0.44, 0.56, "protego"),
    ],
)
def test_solve_prints_the_published_values(run: Run, arguments: tuple[str, ...], first: float, second: float, best: str) -> None:
    printed = valid("solve", run("solve", "hogwarts", *arguments, "--json").out)
    assert (printed["value"]["first"], printed["value"]["second"]) == pytest.approx((first, second), abs=5e-5)
    assert printed["actions"]["first"]["best"] == best
    for start in ("first", "second"):
        low, high = printed["bounds"][start]
        assert low <= printed["value"][start] <= high < low + 1e-9
        actions = printed["actions"][start]
        better = max if actions["player"] == 0 else min
        assert better(actions["values"].values()) == pytest.approx(printed["value"][start], abs=1e-9)
    text = run("solve", "hogwarts", *arguments, "--lang", "fr").out
    assert f"{first:.4f}".replace(".", ",") in text
    assert "Protego" in text


def test_solve_checks_by_a_second_method(run: Run) -> None:
    found = run("solve", "--skills", "60", "60", "--set", "hit_points=2", "--check")
    assert found.code == 0
    assert "Strategy iteration" in found.out


@pytest.mark.parametrize(
    ("script", "player"),
    [((), 0), (("stupefy", 30), 1), (("stupefy",), None), (("stupefy", 1, "stupefy"), None)],
)
def test_solve_takes_any_state(run: Run, tmp_path: Path, script: tuple[Any, ...], player: int | None) -> None:
    position = begin((70, 50), 0, hit_points=1)
    for entry in script:
        if isinstance(entry, str):
            position.apply_action(position.game.action_number(entry))
        else:
            position.roll(entry)
    (tmp_path / "state.json").write_text(json.dumps(position.to_json()))
    printed = valid("solve", run("solve", "--state", "state.json", "--json").out)
    assert printed["actions"]["state"]["player"] == player
    assert printed["sheets"] == [{"skill": 70}, {"skill": 50}]
    if position.is_over:
        assert printed["value"]["state"] == (1 + position.returns()[0]) / 2
    assert run("solve", "--state", "state.json").code == 0


def test_a_later_round_is_the_same_position(run: Run, tmp_path: Path) -> None:
    position = play(begin((60, 60), 0), "stupefy", 100, "stupefy", 100, "stupefy", 100, "stupefy", 100)
    assert position.state["round"][0] == 3
    (tmp_path / "state.json").write_text(json.dumps(position.to_json()))
    printed = valid("solve", run("solve", "--state", "state.json", "--json").out)
    start = valid("solve", run("solve", "--skills", "60", "60", "--json").out)
    assert printed["value"]["state"] == pytest.approx(start["value"]["first"], abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--skills", "60", "50..60"), "two given duelists"),
        (("--skills", "60", "101"), "skills"),
        (("--set", "hit_points=0"), "hit_points"),
        (("--set", "hit_points=500"), "too many"),
        (("--set", "max_round=3"), "unknown key"),
        (("--set", "max_rounds=0"), "max_rounds"),
        (("--set", "max_rounds=3", "--check"), "backward induction"),
        (("--state", "nowhere.json"), "nowhere.json"),
        (("--state", "bad.json"), "JSON"),
        (("--state", "list.json"), "not a state"),
        (("--state", "list.json", "--skills", "60", "60"), "nothing else"),
        (("pathfindr",), "unknown ruleset"),
    ],
)
def test_solve_says_what_is_wrong(run: Run, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    found = run("solve", *arguments)
    assert found.code == 2
    assert message in found.err
    assert found.err.count("\n") == 1


def test_a_file_that_is_no_state_is_named_once(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    for name, file in (("bad.json", "bad.json"), ("list.json", "list.json"), ("nowhere.json", "nowhere.json")):
        found = run("solve", "--state", file)
        assert found.code == 2
        assert found.err.count(name) == 1
    for content, said in (("{", "error: the standard input is no JSON: "), ("[]", "error: the standard input: ")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        assert run("solve", "--state", "-").err.startswith(said)


def test_exploit_prints_what_is_known(run: Run) -> None:
    printed = valid("exploit", run("exploit", "stupefy_strong", "--skills", "60", "60", "--json").out)
    assert printed["mean"] == printed["worst"] == pytest.approx(2 * 0.7106 - 1, abs=1e-4)
    best = printed["pairs"][0]["best_response"]
    assert np.mean([best[0]["acting_first"], best[0]["acting_second"]]) == pytest.approx(0.7106, abs=5e-5)
    assert "0,4213" in run("exploit", "stupefy_strong", "--skills", "60", "60", "--lang", "fr").out  # 0.42125


def test_exploit_over_a_grid_is_exploit_of_each_pair(run: Run) -> None:
    grid = valid("exploit", run("exploit", "greedy", "--grid", "30..90:60", "--json").out)
    assert [[sheet["skill"] for sheet in pair["sheets"]] for pair in grid["pairs"]] == [[30, 30], [30, 90], [90, 30], [90, 90]]
    for pair in grid["pairs"]:
        skills = [str(sheet["skill"]) for sheet in pair["sheets"]]
        alone = valid("exploit", run("exploit", "greedy", "--skills", *skills, "--json").out)
        assert alone["mean"] == pair["exploitability"]
    assert grid["worst"] == max(pair["exploitability"] for pair in grid["pairs"])
    assert "Mean" in run("exploit", "greedy", "--grid", "30..90:60").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nobody",), "unknown agent"),
        (("stupefy", "--grid", "90..30"), "ascending"),
        (("stupefy", "--grid", "30,30"), "once"),
        (("stupefy", "--grid", ""), "--grid"),
        (("stupefy", "--grid", "1..2..3"), "--grid"),
        (("stupefy", "--grid", "0..100:0"), "steps"),
        (("stupefy", "--grid", "30", "--skills", "60", "60"), "one of them"),
        (("stupefy", "--skills", "60", "0..60"), "two given duelists"),
    ],
)
def test_exploit_says_what_is_wrong(run: Run, arguments: tuple[str, ...], message: str) -> None:
    found = run("exploit", *arguments)
    assert found.code == 2
    assert message in found.err


@pytest.mark.parametrize("arguments", [("exploit", "stupefy"), ("atlas", "--step", "100")])
def test_a_round_limit_asked_for_where_none_counts_is_refused(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    found = run(*arguments, "--set", "hit_points=1", "--set", "max_rounds = 3")
    assert (found.code, found.out) == (2, "")
    assert f"error: --set max_rounds=3: duel {arguments[0]} leaves the round limit out, endless play is a draw" in found.err
    assert "duel solve --set max_rounds=N" in found.err
    assert not (tmp_path / "atlas").exists()
    (tmp_path / "rules.toml").write_text("hit_points = 1\nmax_rounds = 3\n")
    assert run(*arguments, "--rules", "rules.toml").code == 0, "a file always holds a limit; it does not count"


def test_atlas_goes_on_and_draws(run: Run, tmp_path: Path) -> None:
    arguments = ("atlas", "--step", "50", "--set", "hit_points=1", "-o", "out")
    found = run(*arguments)
    assert found.code == 0
    before = (tmp_path / "out" / "atlas.npz").read_bytes()
    files = {path.name for path in (tmp_path / "out").iterdir()} - {LOCK_FILE}
    assert files == {"atlas.npz", "value.svg", "first_move.svg", "opening.svg"}
    assert run(*arguments).code == 0
    assert (tmp_path / "out" / "atlas.npz").read_bytes() == before
    other_rules, other_skills = run(*arguments[:4], "hit_points=2", "-o", "out"), run("atlas", "--step", "25", *arguments[3:])
    assert (other_rules.code, other_skills.code) == (2, 2)
    assert "rules" in other_rules.err
    assert "other skills" in other_skills.err
    (tmp_path / "file").write_text("")
    assert "expected a folder" in run("atlas", "-o", "file").err


def test_an_atlas_has_one_writer(run: Run, tmp_path: Path) -> None:
    """Another one, killed before its end, would leave less than there was."""
    (tmp_path / "out").mkdir()
    lock = FolderLock(tmp_path / "out")
    found = run("atlas", "--step", "100", "--set", "hit_points=1", "-o", "out")
    lock.release()
    assert (found.code, found.err) == (
        2,
        "error: out is in use: another process works in it; wait until it has ended, or name another folder\n",
    )
    assert run("atlas", "--step", "100", "--set", "hit_points=1", "-o", "out").code == 0


def test_a_state_solves_as_the_library_does(run: Run, tmp_path: Path) -> None:
    """A state in the middle of a duel under other rules."""
    game = make_game("hogwarts", {"resolution": "simultaneous", "hit_points": 2})
    position = Duel(game, game.setup(game.ruleset.setup_model(skills=(55, 65), first_caster=1)))
    position.apply_action(game.action_number("stupefy_strong"))
    position.roll(1)
    (tmp_path / "state.json").write_text(json.dumps(position.to_json()))
    printed = valid("solve", run("solve", "--state", "state.json", "--json").out)
    chances = []
    for action in position.legal_actions():
        child = position.copy()
        child.apply_action(int(action))
        (tmp_path / "child.json").write_text(json.dumps(child.to_json()))
        chances.append(valid("solve", run("solve", "--state", "child.json", "--json").out)["value"]["state"])
    assert printed["value"]["state"] == pytest.approx(max(chances), abs=1e-9)
