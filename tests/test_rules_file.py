"""Rules that are written to a file come back as the same game; what is no file of rules is refused by name."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duel_env.errors import ConfigError, DuelError
from duel_env.game import make_game
from duel_env.rules_file import read_rules, rules_text, write_rules
from tests.helpers import random_options


@given(st.integers(0, 10_000))
def test_written_rules_are_the_same_rules(tmp_path_factory, seed):
    options = random_options(np.random.default_rng(seed))
    game = make_game("hogwarts", options)
    path = tmp_path_factory.mktemp("rules") / "rules.toml"
    write_rules(path, game, ["A note.", "", "Protego: 0 -> 5"])
    assert make_game("hogwarts", read_rules(path)).digest == game.digest
    assert make_game("hogwarts", read_rules(path)) is game  # equal options share one game


def test_the_file_reads_like_the_data_file_of_the_ruleset(game):
    text = rules_text(game, ["Today's rules"])
    assert text.startswith('# Today\'s rules\n\nruleset = "hogwarts"\nriposte_sees_roll = true\n')
    assert '[[spells]]\nid = "stupefy"\nen = "Stupefy"\nfr = "Stupéfix"\npenalty = 0\ndamage = 1\nsource = ' in text
    assert "block = false" not in text  # defaults of a spell are left out, as in the data file


def test_a_spell_with_awkward_names_comes_back(tmp_path):
    spell = {"id": "quote", "en": 'A "quoted" \\ name # no comment', "fr": "Éclair […]", "penalty": -5}
    game = make_game("hogwarts", {"spells": [spell]})
    write_rules(tmp_path / "rules.toml", game)
    assert make_game("hogwarts", read_rules(tmp_path / "rules.toml")).digest == game.digest


def test_the_list_of_spells_alone_is_a_file_of_rules(tmp_path):
    path = tmp_path / "spells.toml"
    path.write_text('[[spells]]\nid = "zap"\nen = "Zap"\nfr = "Zap"\npenalty = 0\ndamage = 1\n', encoding="utf-8")
    game = make_game("hogwarts", read_rules(path))
    assert [action.id for action in game.actions][:1] == ["zap"]
    assert game.options_json()["hit_points"] == 5


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "there are none"),
        ('ruleset = "hogwarts"\n', "there are none"),
        ('ruleset = "chess"\nhit_points = 5\n', "rules of 'chess', but rules of 'hogwarts' are wanted"),
        ("ruleset = 1\nhit_points = 5\n", "are wanted"),
        ("hit_point = 5\n", "unknown key hit_point (did you mean hit_points?)"),
        ("hit_points = 0\n", "hit_points = 0"),
        ('hit_points = "5"\n', "hit_points = '5'"),
        ("hit_points = \n", "is not valid TOML"),
        ('spells = "/etc/passwd"\n', "not the path of one"),
        ("spells = []\n", "spells"),
        ('[[spells]]\nid = "zap"\nen = "Zap"\nfr = "Zap"\n', "missing key spells.0.penalty"),
        ("[options]\nhit_points = 5\n", "unknown key options"),
    ],
)
def test_what_is_no_file_of_rules_is_refused(tmp_path, content, message):
    path = tmp_path / "rules.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DuelError) as caught:
        read_rules(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_file_and_a_folder_are_named(tmp_path, game):
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(ConfigError, match=str(path)):
            read_rules(path)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot write"):
        write_rules(tmp_path / "file" / "rules.toml", game)


@pytest.mark.parametrize("note", ["two\nlines", "bell\x07", "\x1b]0;title"])
def test_notes_cannot_break_out_of_the_comment(game, note):
    with pytest.raises(ConfigError, match="one line of printable text"):
        rules_text(game, [note])
