"""Duels from JSON: what is written comes back, and what is hostile is refused by name."""

import copy
import os

import numpy as np
import pytest

from duel_env.duel import Duel
from duel_env.errors import InvalidActionError, SchemaError, UsageError
from duel_env.game import make_game
from tests.helpers import begin, play


def change(value: dict, path: str, new: object) -> dict:
    changed = copy.deepcopy(value)
    *parents, last = path.split(".")
    target = changed
    for key in parents:
        target = target[int(key) if isinstance(target, list) else key]
    if new is KeyError:
        del target[last]
    else:
        target[int(last) if isinstance(target, list) else last] = new
    return changed


HOSTILE = [
    ("format", "other", "not a state of a duel"),
    ("version", 2, "state version 2"),
    ("version", None, "state version None"),
    ("sheets", KeyError, "lacks sheets"),
    ("ruleset", "chess", "unknown ruleset"),
    ("ruleset", ["hogwarts"], "ruleset is a string"),
    ("options", [], "options are an object"),
    ("options.spells", "/etc/hostname", "a data file holds the list of spells itself"),
    ("options.hit_points", -1, "hit_points = -1"),
    ("options.hit_points", 6, "options now give"),
    ("digest", "0" * 16, "is of rules"),
    ("sheets", [{"skill": 60}], "list of 2"),
    ("sheets.0", {"skill": 101}, "from 0 to 100"),
    ("sheets.1", {"skil": 60}, "exactly the fields skill"),
    ("sheets.1", {"skill": 1e9}, "expected an integer"),
    ("sheets.1", {"skill": 10**30}, "expected an integer"),
    ("state", [], "expected an object"),
    ("state.node", 7, "state.node = 7: expected 0 to 2"),
    ("state.hit_points", [5], "a list of 2 integers"),
    ("state.hit_points", [5, 6], "expected 0 to 5"),
    ("state.hit_points", [0, 0], "no play of these rules"),
    ("state.round", 0, "state.round"),
    ("state.round", 2**40, "expected an integer from"),
    ("state.action", [8, 8], "no play of these rules"),
    ("state.die", 3, "no play of these rules"),
    ("state.current_player", True, "expected an integer"),
]


@pytest.mark.parametrize(("path", "new", "message"), HOSTILE)
def test_hostile_states_are_refused_by_name(path, new, message):
    value = play(begin(), "stupefy", 1, "protego", 100).to_json()
    assert Duel.from_json(value)
    with pytest.raises(SchemaError) as caught:
        Duel.from_json(change(value, path, new))
    assert message in str(caught.value)


@pytest.mark.parametrize("value", [None, [], "x", 3, {}])
def test_what_is_no_state_is_refused(value):
    with pytest.raises(SchemaError, match="not a state of a duel"):
        Duel.from_json(value)


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("state.die", 3),
        ("state.first_roll", 2),
        ("state.current_player", -1),
        ("state.first_caster", -1),
        ("state.node", 1),
        ("state.end", 1),
    ],
)
def test_states_of_rules_too_large_to_enumerate_are_checked_field_by_field(path, new):
    value = play(begin(hit_points=500), "stupefy", 1, "protego", 100).to_json()
    assert Duel.from_json(value)
    with pytest.raises(SchemaError, match=r"contradict|belongs to a spell|first caster"):
        Duel.from_json(change(value, path, new))


def test_duels_of_different_rules_or_skills_differ():
    assert begin() == begin()
    assert begin() != begin(hit_points=4)
    assert begin() != begin((60, 61))
    assert begin() != "duel"
    assert len({begin(), begin(), begin(hit_points=4)}) == 2


def test_what_is_no_action_is_refused():
    for action in (None, 1.0, "stupefy", True):
        with pytest.raises(InvalidActionError):
            begin().apply_action(action)
    with pytest.raises(UsageError, match="nobody can be disqualified"):
        begin(first_caster=None).forfeit()
    with pytest.raises(UsageError, match="duel is over"):
        play(begin(hit_points=1), "stupefy", 1, "stupefy").apply_action(0)


def test_games_are_shared_and_named_by_their_content():
    assert make_game("hogwarts") is make_game("hogwarts", {"hit_points": 5})
    assert make_game("hogwarts").digest != make_game("hogwarts", {"hit_points": 4}).digest
    again = make_game("hogwarts", make_game("hogwarts", {"hit_points": 4}).options_json())
    assert again.digest == make_game("hogwarts", {"hit_points": 4}).digest
    with pytest.raises(ValueError, match="read-only"):
        make_game("hogwarts").rules["hit_points"] = 1


def test_custom_spell_list_from_a_file(tmp_path):
    path = tmp_path / "spells.toml"
    path.write_text('[[spells]]\nid = "zap"\nen = "Zap"\nfr = "Zap"\npenalty = 5\ndamage = 1\n', encoding="utf-8")
    game = make_game("hogwarts", {"spells": str(path)})
    assert [action.id for action in game.actions] == ["zap", "retrieve_wand", "seize_wand", "pass"]
    assert game.observation_size == len(Duel(game).observation(0)) == 23


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spells = [", "not valid TOML"),
        ("x = " + "[" * 3_000, "not valid TOML"),
        ("x = " + "9" * 5_000, "not valid TOML"),
        ('[[spells]]\nid = "a"\nen = "x"\nfr = "x"\npenalty = 0x' + "f" * 5_000, "too large to show"),
        ('"\\u001b[31mEVIL" = 1', r"unknown key '\x1b[31mEVIL'"),
        ("", "missing key spells"),
        ("spells = []", "at least 1 item"),
        ('[[spells]]\nid = "a b"\nen = "x"\nfr = "x"\npenalty = 0', "spells.0.id = 'a b': a spell's id is"),
        ('[[spells]]\nid = "pass"\nen = "x"\nfr = "x"\npenalty = 0', "none of retrieve_wand"),
        ('[[spells]]\nid = "a"\nen = "x"\nfr = "x"', "missing key spells.0.penalty"),
        ('[[spells]]\nid = "a"\nen = "x"\nfr = "x"\npenalty = 0\ndamge = 1', "unknown key spells.0.damge (did you mean damage?)"),
        ('[[spells]]\nid = "a"\nen = "x\\u001b[31m"\nfr = "x"\npenalty = 0', "control characters"),
        ('[[spells]]\nid = "a"\nen = "x"\nfr = "x"\npenalty = 101', "spells.0.penalty = 101"),
        ('[[spells]]\nid = "a"\nen = "x"\nfr = "x"\npenalty = 0\n' * 2, "more than once: a"),
        ('[[spells]]\nid = "a"\nen = "x"\nfr = "x"\npenalty = 0\nblock = 1', "spells.0.block = 1"),
    ],
)
def test_wrong_spell_files_name_file_entry_and_key(tmp_path, text, message):
    path = tmp_path / "spells.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"spells\.toml") as caught:
        make_game("hogwarts", {"spells": str(path)})
    assert message in str(caught.value)


def test_a_wrong_spell_is_the_only_complaint():
    with pytest.raises(ValueError, match="penalty") as caught:
        make_game("hogwarts", {"spells": [{"id": "a", "en": "x", "fr": "x"}]})
    assert "at least" not in str(caught.value)
    with pytest.raises(ValueError, match="expected the path of a TOML file"):
        make_game("hogwarts", {"spells": ""})


def test_pipes_are_not_read_as_spells(tmp_path):
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    with pytest.raises(ValueError, match="not a regular file"):
        make_game("hogwarts", {"spells": str(pipe)})


def test_observation_does_not_depend_on_whose_turn_it_is():
    """Both players may look at any time; what they see is a function of the state's content alone."""
    duel = play(begin(), "stupefy", 1)
    for player in range(2):
        assert np.all(np.isfinite(duel.observation(player)))
    assert not np.array_equal(duel.observation(0), duel.observation(1))
