"""What is written on the command line, and what it means."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.network import save_policy
from duel_env.errors import ConfigError
from duel_env.game import make_game
from evaluation.intervals import Interval
from tests.agents.positions import random_network
from training.cli.envs import accepted, describe_settings
from training.cli.options import (
    Language,
    count,
    describe_setup,
    find_arena,
    parse_overrides,
    parse_skills,
    percent,
    percent_interval,
)


@given(st.tuples(st.integers(0, 100), st.integers(0, 100)), st.integers(0, 100))
def test_skills_are_numbers_or_ranges(ends: tuple[int, int], single: int) -> None:
    low, high = sorted(ends)
    assert parse_skills([str(single), f"{low}..{high}"]) == [single, [low, high]]


@pytest.mark.parametrize(
    "text", ["9" * 5000, "9" * 10, "0.." + "9" * 5000, "", "a", "-5", "5.", "5..", "..5", "1..2..3", "1.5", "٣", "60,60"]
)
def test_other_skills_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="expected a number from 0 to 100, or a range"):
        parse_skills([text, "60"])


def test_settings_are_toml_values_or_text() -> None:
    texts = ["hit_points=3", "riposte_sees_roll = false", "resolution=simultaneous", 'seize_after="any_disarm"', "hit_points=4"]
    expected = {"hit_points": 4, "riposte_sees_roll": False, "resolution": "simultaneous", "seize_after": "any_disarm"}
    assert parse_overrides(texts) == expected
    assert parse_overrides(["skills=[60, [20, 95]]"]) == {"skills": [60, [20, 95]]}
    assert parse_overrides(["spells=a=b\nx=1"]) == {"spells": "a=b\nx=1"}, "one setting at a time"


@pytest.mark.parametrize("value", ["9" * 5000, "0x" + "f" * 5000, "[" * 3000 + "]" * 3000, "[" * 40 + "]" * 40, str(2**70)])
def test_settings_beyond_all_limits_are_refused(value: str) -> None:
    with pytest.raises(
        ConfigError, match=r"--set hit_points = .*expected integers of at most 64 bits, nested at most 32 deep"
    ) as caught:
        parse_overrides([f"hit_points={value}"])
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("text", ["hit_points", "=3", "hit_points=", ""])
def test_settings_without_key_or_value_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="expected OPTION=VALUE"):
        parse_overrides([text])


def test_without_policies_the_arena_is_made_of_the_options() -> None:
    arena = find_arena(("random", "greedy"), None, ("80", "20..95"), ["hit_points=3", "first_caster=1"])
    assert arena.game is make_game("hogwarts", {"hit_points": 3})
    assert arena.setup.model_dump() == {"skills": (80, (20, 95)), "first_caster": 1}


def test_a_policy_brings_its_rules_and_its_run_the_set_up(tmp_path: Path) -> None:
    game = make_game("hogwarts", {"hit_points": 4})
    save_policy(tmp_path / "policy.safetensors", random_network(game), game, {})
    (tmp_path / "config.toml").write_text("[game]\nhit_points = 9\nskills = [70, [20, 95]]\n")
    arena = find_arena(("random", f"{tmp_path}:sample"), None, None, None)
    assert arena.game is game, "the rules are the policy's own"
    assert arena.setup.model_dump()["skills"] == (70, (20, 95))
    arena = find_arena((str(tmp_path / "policy.safetensors"),), None, ("60", "60"), ["hit_points=5"])
    assert arena.game is make_game("hogwarts")
    assert arena.setup.model_dump()["skills"] == (60, 60)


def test_a_run_whose_game_is_no_table_is_refused(tmp_path: Path) -> None:
    game = make_game("hogwarts")
    save_policy(tmp_path / "policy.safetensors", random_network(game), game, {})
    (tmp_path / "config.toml").write_text("game = 3\n")
    with pytest.raises(ConfigError, match=r"config\.toml: game: expected a table"):
        find_arena((str(tmp_path),), None, None, None)


def test_numbers_are_written_as_each_language_has_them() -> None:
    assert percent(0.91554, Language.EN) == "91.55 %"
    assert percent(0.91554, Language.FR) == "91,55 %"
    assert percent_interval(Interval(0.5, 0.75), Language.EN) == "50.00 to 75.00 %"
    assert percent_interval(Interval(0.5, 0.75), Language.FR) == "50,00 à 75,00 %"
    assert count(20_000, Language.EN) == "20,000"
    assert count(20_000, Language.FR) == "20\u202f000"


def test_set_ups_are_described_in_each_language() -> None:
    setup = {"skills": [60, [20, 95]], "first_caster": None}
    assert describe_setup(setup, Language.EN) == "skills 60 and 20..95"
    assert describe_setup({**setup, "first_caster": 1}, Language.FR) == "Sortilèges 60 et 20..95, first_caster = 1"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "boolean"}, "true, false"),
        ({"type": "integer", "minimum": 1, "maximum": 5}, "1 to 5"),
        ({"type": "integer"}, "integer"),
        ({"type": "string"}, "text"),
        ({"enum": ["a", "b"]}, "a, b"),
        ({"anyOf": [{"enum": [0, 1]}, {"type": "null"}]}, "0, 1 or nothing"),
        ({"type": "array", "items": {}, "minItems": 1, "maxItems": 32}, "1 to 32 entries"),
        ({"type": "array", "prefixItems": [{"type": "boolean"}] * 2}, "2 x [true, false]"),
    ],
)
def test_schemas_are_put_into_words(schema: dict[str, object], words: str) -> None:
    assert accepted(schema) == words


def test_every_option_is_described() -> None:
    game = make_game("hogwarts")
    for settings in (game.options, game.ruleset.setup_model()):
        rows = describe_settings(settings)
        assert [row["name"] for row in rows] == list(type(settings).model_fields)
        assert all(row["meaning"] and row["accepted"] for row in rows)
