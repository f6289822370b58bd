"""The commands, run in this process; a few in one of their own, for what they import."""

import json
import os
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from safetensors.numpy import save

from agents.network import read_policy_metadata, save_policy
from agents.random_agent import RandomAgent
from duel_env.duel import Duel
from duel_env.game import Game, make_game
from tests.agents.positions import random_network
from training.cli import COMMANDS, main


class Outcome(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def duel(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `duel` with some arguments, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Outcome:
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        captured = capsys.readouterr()
        code = caught.value.code
        return Outcome(code if isinstance(code, int) else int(code is not None), captured.out, captured.err)

    return run


def policy_run(folder: Path, game: Game, config: str = "") -> Path:
    """A run folder with a random policy."""
    save_policy(folder / "policy.safetensors", random_network(game), game, {})
    if config:
        (folder / "config.toml").write_text(config)
    return folder


# ---- help and errors ----------------------------------------------------------------------------------------------------------


def test_help_lists_every_command(duel: Run) -> None:
    found = duel("--help")
    assert found.code == 0
    for command in COMMANDS:
        assert command.name in found.out
        assert command.summary in found.out


def test_help_has_an_example_of_what_each_command_that_computes_is_for(duel: Run) -> None:
    examples = duel("--help").out.split("Examples")[1].split("Options")[0]
    for command in COMMANDS:
        assert command.name == "bench" or f"duel {command.name}" in examples


@pytest.mark.parametrize("command", ["solve", "exploit", "report"])
def test_ranges_are_not_offered_where_they_are_refused(duel: Run, command: str) -> None:
    assert "20..95" not in duel(command, "--help").out
    assert "20..95" in duel("match", "--help").out


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_help_of_a_command_has_an_example(duel: Run, command: str) -> None:
    found = duel(command, "--help")
    assert found.code == 0
    assert f"duel {command}" in found.out.split("Example")[1]


def test_the_version_is_printed(duel: Run) -> None:
    found = duel("--version")
    assert found.code == 0
    assert found.out.startswith("duel 0.")


ERRORS = {
    ("match", "expectimx", "random"): "unknown agent 'expectimx' (did you mean expectimax?)",
    ("match", "random", "runs/none.safetensors"): "there is no file runs/none.safetensors",
    ("match", "random", "random", "--skills", "60", "101"): "skills",
    ("match", "random", "random", "--skills", "60", "x"): "--skills x: expected a number",
    ("match", "random", "random", "--set", "hit_point=3"): "unknown key hit_point",
    ("match", "random", "random", "--set", "hit_points=0"): "hit_points = 0",
    ("match", "random", "random", "--set", "spells=nowhere.toml"): "cannot read nowhere.toml",
    ("match", "random", "random", "--ruleset", "chess"): "unknown ruleset 'chess'; available: hogwarts",
    ("match", "random", "random", "--seed", str(2**64)): "seed",
    ("match", "random", "random", "--set", "hit_points=" + "9" * 5000): "at most 64 bits",
    ("match", "random", "random", "--set", "spells=" + "[" * 3000 + "]" * 3000): "nested at most 32 deep",
    ("match", "random", "random", "--set", "\x1b[2J=1"): "unknown key",
    ("match", "random", "random", "--skills", "60", "9" * 5000): "expected a number",
    ("match", "\x1b[2J\n", "random"): "unknown agent",
    ("match", "random", "random", "-n", "4", "--record", "."): "--record .: expected a file",
    ("match", "random", "random", "-n", "4", "--record", "duel.jsonl", "--record-duel", "4"): "the match has duels 0 to 3",
    ("evaluate", "."): "holds no policy.safetensors",
    ("evaluate", "random", "--against", "random,nobody"): "unknown agent 'nobody'",
    ("replay", "nowhere.jsonl"): "cannot read nowhere.jsonl",
    ("envs", "chess"): "unknown environment 'chess'; available: duel_env/Hogwarts-v0 (hogwarts)",
}


@pytest.mark.parametrize("arguments", ERRORS, ids=lambda arguments: repr(" ".join(arguments)[:80]))
def test_errors_are_one_line_and_exit_2(duel: Run, arguments: tuple[str, ...]) -> None:
    found = duel(*arguments)
    assert found.code == 2
    assert found.out == ""
    assert found.err.startswith("error: ")
    assert found.err.count("\n") == 1
    assert found.err.removesuffix("\n").isprintable()
    assert ERRORS[arguments] in found.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("mtch",),
        ("match", "random"),
        ("match", "random", "random", "-n", "0"),
        ("match", "random", "random", "-n", "9" * 20),
        ("match", "random", "random", "-n", "9" * 5000),
        ("match", "--nonsense"),
    ],
)
def test_wrong_usage_exits_2_and_says_what_is_right(duel: Run, arguments: tuple[str, ...]) -> None:
    found = duel(*arguments)
    assert found.code == 2
    assert "Usage" in found.err
    assert "Traceback" not in found.err


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(28, "No space left on device", "some/file"), "error: some/file: No space left on device\n"),
        (OSError("odd \x1b[2J\nreason"), "error: odd \\x1b[2J\\nreason\n"),
        (MemoryError(), "error: not enough memory\n"),
        (MemoryError("Unable to allocate 8 TiB"), "error: not enough memory: Unable to allocate 8 TiB\n"),
    ],
)
def test_what_the_machine_refuses_is_one_line_too(
    duel: Run, monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("evaluation.match.play_match", refuse)
    found = duel("match", "random", "random", "-n", "4")
    assert (found.code, found.err) == (2, message)


def test_control_c_exits_130(duel: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("evaluation.match.play_match", interrupt)
    found = duel("match", "random", "random")
    assert found.code == 130
    assert "Traceback" not in found.err


def test_a_missing_extra_is_named(duel: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr("training.cli.importlib.import_module", fail)
    found = duel("train", "config.toml")
    assert found.code == 2
    assert "duel train needs torch" in found.err
    assert "pip install 'duel-env[train]'" in found.err


def test_models_of_stable_baselines3_are_read_where_it_is_installed(duel: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = types.ModuleType("training.sb3_zip")
    reader.load_zip_agent = lambda path, game: RandomAgent(game, f"read from {path}")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "training.sb3_zip", reader)
    found = duel("match", "model.zip", "random", "-n", "4", "--json")
    assert json.loads(found.out)["agents"] == ["read from model.zip", "random"]
    monkeypatch.setitem(sys.modules, "training.sb3_zip", None)  # as if it could not be imported
    found = duel("match", "model.zip", "random")
    assert found.code == 2
    assert "pip install 'duel-env[train]'" in found.err


def test_only_the_commands_that_need_them_import_large_packages() -> None:
    script = """
import sys
from training.cli import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    assert end.code == 0, end.code
print("modules", *(name for name in ("torch", "numba", "scipy", "pydantic", "gymnasium") if name in sys.modules))
"""

    def imported(*arguments: str) -> set[str]:
        done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
        return set(done.stdout.splitlines()[-1].split()[1:])

    assert imported("--help") == set()
    assert imported("--version") == set()
    assert "torch" not in imported("match", "random", "greedy", "-n", "4", "--json")
    assert "torch" not in imported("envs", "--json")


# ---- match --------------------------------------------------------------------------------------------------------------------


def test_match_prints_nothing_but_json(duel: Run) -> None:
    found = duel("match", "expectimax", "random", "-n", "30", "--seed", "5", "--skills", "80", "20..95", "--json")
    assert found.code == 0
    value = json.loads(found.out)
    assert value["agents"] == ["expectimax", "random"]
    assert value["duels"] == 30
    assert value["setup"]["skills"] == [80, [20, 95]]
    assert duel("match", "expectimax", "random", "-n", "30", "--seed", "5", "--skills", "80", "20..95", "--json").out == found.out


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["expectimax against random", "acting first", "95 % interval", "Mean length"]),
        ("fr", ["contre", "en premier", "manches"]),
    ],
)
def test_match_prints_a_table(duel: Run, language: str, words: list[str]) -> None:
    found = duel("match", "expectimax", "random", "-n", "40", "--lang", language)
    assert found.code == 0
    assert found.err == ""
    for word in words:
        assert word in found.out


def test_match_tells_of_limits_and_disqualifications(duel: Run) -> None:
    found = duel("match", "spam:protego", "spam:protego", "-n", "8", "--set", "max_rounds=2")
    assert "8 cut short at the round limit, counted as draws." in found.out


def test_a_recorded_duel_can_be_replayed(duel: Run) -> None:
    found = duel("match", "greedy", "random", "-n", "4", "--record", "out/duel.jsonl", "--record-duel", "3", "--lang", "fr")
    assert "Le duel 3 est enregistré" in found.out
    told = duel("replay", "out/duel.jsonl")
    assert told.code == 0
    assert told.out.count("Round 1") >= 2
    assert "wins" in told.out
    assert "Manche 1" in duel("replay", "out/duel.jsonl", "--lang", "fr").out
    final = Duel.from_json(json.loads(duel("replay", "out/duel.jsonl", "--json").out))
    assert final.is_over


def test_a_match_with_a_policy_is_played_by_its_rules(duel: Run, tmp_path: Path) -> None:
    game = make_game("hogwarts", {"hit_points": 2})
    policy_run(tmp_path / "run", game, "[game]\nskills = [55, 55]\n")
    value = json.loads(duel("match", "random", "run:sample", "-n", "8", "--json").out)
    assert value["digest"] == game.digest
    assert value["setup"]["skills"] == [55, 55]
    assert value["agents"] == ["random", "run:sample"]
    refused = duel("match", "random", "run", "--set", "hit_points=3")
    assert refused.code == 2
    assert "differ in hit_points" in refused.err


# ---- evaluate -----------------------------------------------------------------------------------------------------------------


def test_evaluate_writes_into_the_run_folder(duel: Run, tmp_path: Path) -> None:
    policy_run(tmp_path / "run", make_game("hogwarts"), "[game]\nskills = [60, 60]\n")
    found = duel("evaluate", "run", "-n", "40")
    assert found.code == 0
    assert "best response" in found.out
    assert "Exploitability" in found.out
    assert "93.82 %" in found.out, "the ceiling against random"
    assert "92.44 %" in found.out, "equilibrium play against random"
    report = json.loads((tmp_path / "run" / "evaluation.json").read_text())
    assert report["format"] == "duel_env/evaluation"
    assert 0.0 <= report["exploitability"]["mean"] <= 1.0
    assert [result["baseline"] for result in report["results"]][:2] == ["random", "stupefy"]
    printed = duel("evaluate", "run", "-n", "40", "--json").out
    assert json.loads(printed) == report, "the same duels give the same report"


def test_evaluate_writes_no_folders_of_this_machine(duel: Run, tmp_path: Path) -> None:
    run = policy_run(tmp_path / "run", make_game("hogwarts"))
    found = duel("evaluate", f"{run}:sample", "-n", "8", "--against", f"random,{run / 'policy.safetensors'}", "--json")
    written = (run / "evaluation.json").read_text()
    for text in (found.out, written):
        assert str(tmp_path) not in text
        assert json.loads(text)["agent"] == "run:sample"
    assert [result["baseline"] for result in json.loads(written)["results"]] == ["random", "policy.safetensors"]


def test_a_policy_that_names_a_file_of_spells_is_refused(duel: Run, tmp_path: Path) -> None:
    run = policy_run(tmp_path / "run", make_game("hogwarts"))
    metadata = read_policy_metadata(run / "policy.safetensors")
    tensors = random_network(make_game("hogwarts")).tensors()
    secret = tmp_path / "secret.toml"
    secret.write_text("password = 1\n")
    metadata["options"] = json.dumps({"spells": str(secret)})
    (run / "policy.safetensors").write_bytes(save(tensors, metadata))
    for command in (("evaluate", "run"), ("match", "run", "random")):
        found = duel(*command)
        assert found.code == 2
        assert "expected the list of spells itself" in found.err
        assert "secret" not in found.err
        assert "password" not in found.err


def test_evaluate_without_references_shows_none(duel: Run, tmp_path: Path) -> None:
    policy_run(tmp_path / "run", make_game("hogwarts"), "[game]\nskills = [70, [50, 60]]\n")
    found = duel("evaluate", "run", "-n", "8", "--against", "random, spam:protego", "--lang", "fr")
    assert found.code == 0
    assert "Équilibre" not in found.out
    assert "Sortilèges 70 et 50..60" in found.out
    report = json.loads((tmp_path / "run" / "evaluation.json").read_text())
    assert [result["reference"] for result in report["results"]] == [None, None]
    assert report["exploitability"] is None


def test_evaluate_takes_other_agents_and_writes_nothing_then(duel: Run, tmp_path: Path) -> None:
    policy_run(tmp_path / "run", make_game("hogwarts"))
    for spec in ("greedy", "run/policy.safetensors"):
        assert duel("evaluate", spec, "-n", "8", "--against", "random").code == 0
    assert not list(tmp_path.rglob("evaluation.json"))


def test_a_damaged_policy_is_one_line(duel: Run, tmp_path: Path) -> None:
    run = policy_run(tmp_path / "run", make_game("hogwarts"))
    content = (run / "policy.safetensors").read_bytes()
    (run / "policy.safetensors").write_bytes(content[:-100])
    found = duel("evaluate", "run")
    assert found.code == 2
    assert found.err.startswith("error: run/policy.safetensors: ")
    assert found.err.count("\n") == 1


# ---- replay -------------------------------------------------------------------------------------------------------------------

HEADER = '{"format": "duel_env/playthrough", "version": 1, "ruleset": "hogwarts", "skills": [60, 60], "first_caster": 0}'


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"action": "seize_wand", "dice": []}'], "line 2: "),
        (['{"action": "stupefy", "dice": [34]}', '{"action": "protego", "dice": []}'], "line 3: "),
        (['{"action": "stupefy", "dice": [34, 35]}'], "line 2: "),
        (['{"action": "stupefy", "dice": [34]}', '{"player": 0, "action": "stupefy", "dice": [1]}'], "line 3: "),
        (['{"action": "stupefy", "dice": [101]}'], "line 2: "),
        (["nonsense"], "line 2: "),
    ],
)
@pytest.mark.parametrize("as_json", [True, False])
def test_a_playthrough_that_breaks_the_rules_is_refused_by_its_line(
    duel: Run, tmp_path: Path, lines: list[str], message: str, as_json: bool
) -> None:
    (tmp_path / "duel.jsonl").write_text("\n".join([HEADER, *lines]) + "\n")
    found = duel("replay", "duel.jsonl", *(["--json"] if as_json else []))
    assert found.code == 2
    assert f"error: duel.jsonl, {message}" in found.err
    assert found.err.count("\n") == 1


def test_a_playthrough_without_moves_shows_the_start(duel: Run, tmp_path: Path) -> None:
    (tmp_path / "duel.jsonl").write_text(HEADER + "\n")
    found = duel("replay", "duel.jsonl")
    assert found.code == 0
    assert "Round 1" in found.out


# ---- envs ---------------------------------------------------------------------------------------------------------------------


def test_envs_lists_options_actions_and_agents(duel: Run) -> None:
    found = duel("envs", "hogwarts")
    for word in ("duel_env/Hogwarts-v0", "petrified_may_retrieve", "ordered, simultaneous", "seize_wand", "expectimax"):
        assert word in found.out
    assert "Prendre la baguette adverse" in duel("envs", "--lang", "fr").out


def test_envs_as_json_has_what_make_game_has(duel: Run, game: Game) -> None:
    (found,) = json.loads(duel("envs", "duel_env/Hogwarts-v0", "--json").out)
    assert found["digest"] == game.digest
    assert [action["id"] for action in found["actions"]] == [action.id for action in game.actions]
    assert {option["name"]: option["default"] for option in found["options"]}["hit_points"] == 5


# ---- names that a terminal must not obey --------------------------------------------------------------------------------------

HOSTILE = "run\x1b[31m\x9b2J\u202e\udcff"


@pytest.mark.parametrize(
    "arguments",
    [
        ("exploit", HOSTILE),
        ("exploit", HOSTILE, "--grid", "50,60"),
        ("match", HOSTILE, "random", "-n", "64"),
        ("evaluate", HOSTILE, "-n", "64"),
        ("solve", "--prism", f"{HOSTILE}/model.prism", "--set", "hit_points=1"),
        ("atlas", "--step", "100", "--set", "hit_points=1", "-o", f"{HOSTILE}/atlas"),
    ],
    ids=lambda arguments: " ".join((arguments[0], *arguments[2:])).replace(HOSTILE, "RUN"),
)
def test_a_terminal_obeys_no_name(duel: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    policy_run(tmp_path / HOSTILE, make_game("hogwarts", {"hit_points": 1}))
    found = duel(*arguments)
    assert found.code == 0
    assert "run\\x1b[31m\\x9b2J\\u202e\\udcff" in found.out.replace("\n", "")
    assert not set("\x1b\x9b\u202e\udcff") & set(found.out)


def test_json_is_utf_8_whatever_the_name(duel: Run, tmp_path: Path) -> None:
    policy_run(tmp_path / "run\udcff", make_game("hogwarts", {"hit_points": 1}))
    printed = duel("exploit", "run\udcff", "--json").out
    printed.encode("utf-8")
    assert json.loads(printed)["agent"] == "run\udcff"


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "--set", "hit_points=1", "--prism", "pipe"),
        ("match", "random", "random", "-n", "64", "--record", "pipe"),
    ],
    ids=" ".join,
)
def test_what_is_no_file_is_not_replaced_by_one(duel: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """A pipe here; for the administrator of a machine it could be /dev/null."""
    os.mkfifo(tmp_path / "pipe")
    found = duel(*arguments)
    assert (found.code, found.err) == (2, "error: cannot write pipe: it is there, and is not a regular file\n")
    assert (tmp_path / "pipe").is_fifo()
