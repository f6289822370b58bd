import re
from itertools import pairwise

import pytest

from duel_env.config import read_toml
from duel_env.errors import ConfigError
from duel_env.rules.pathfinder.classes import ability_modifier, bonus_spells, default_classes, load_classes
from duel_env.rules.pathfinder.codes import CLASSES
from duel_env.rules.pathfinder.spells import default_spell_book

ROW = """
cantrips = [3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]
slots = [[1], [2], [2], [2], [2], [2], [2], [2], [2], [2], [2], [2], [2], [2], [2], [2], [2], [2], [2], [2]]
"""
WIZARD = f"""
[[classes]]
id = "wizard"
en = "Wizard"
fr = "Magicien"
hit_die = 6
base_attack = "half"
good_saves = ["will"]
casting = "prepared"
tradition = "arcane"
casting_ability = "int"
skill_ranks = 2
class_skills = ["spellcraft"]
{ROW}
"""


def test_the_six_classes_are_there_with_both_names():
    table = default_classes()
    assert tuple(entry.id for entry in table.classes) == CLASSES
    assert table.class_of("witch").fr == "Sorcière"


@pytest.mark.parametrize(
    ("name", "level", "slots"),
    [
        ("wizard", 1, (0, 1, 0, 0, 0, 0, 0, 0, 0, 0)),
        ("wizard", 7, (0, 4, 3, 2, 1, 0, 0, 0, 0, 0)),
        ("wizard", 20, (0, 4, 4, 4, 4, 4, 4, 4, 4, 4)),
        ("sorcerer", 3, (0, 5, 0, 0, 0, 0, 0, 0, 0, 0)),
        ("sorcerer", 12, (0, 6, 6, 6, 6, 5, 3, 0, 0, 0)),
        ("cleric", 17, (0, 4, 4, 4, 4, 4, 4, 3, 2, 1)),
        ("druid", 12, (0, 4, 4, 4, 3, 3, 2, 0, 0, 0)),
        ("bard", 17, (0, 5, 5, 5, 4, 4, 2, 0, 0, 0)),
        ("witch", 3, (0, 2, 1, 0, 0, 0, 0, 0, 0, 0)),
    ],
)
def test_slots_are_those_of_the_published_tables(name, level, slots):
    assert default_classes().class_of(name).slots_at(level, 10) == slots


def test_spells_known_are_those_of_the_published_tables():
    assert default_classes().class_of("sorcerer").known_at(12) == (9, 5, 5, 4, 3, 2, 1, 0, 0, 0)
    assert default_classes().class_of("bard").known_at(7) == (6, 5, 4, 2, 0, 0, 0, 0, 0, 0)
    assert default_classes().class_of("wizard").known_at(7)[1:] == (0,) * 9


@pytest.mark.parametrize(
    ("name", "level", "attack", "fort", "ref", "will"),
    [("wizard", 7, 3, 2, 2, 5), ("cleric", 17, 12, 10, 5, 10), ("bard", 12, 9, 4, 8, 8), ("druid", 3, 2, 3, 1, 3)],
)
def test_attack_and_saves_are_those_of_the_published_tables(name, level, attack, fort, ref, will):
    rules = default_classes().class_of(name)
    assert rules.base_attack_bonus(level) == attack
    assert [rules.base_save(save, level) for save in ("fort", "ref", "will")] == [fort, ref, will]


def test_bonus_spells_follow_the_published_table():
    assert [ability_modifier(score) for score in (7, 10, 11, 18, 30)] == [-2, 0, 0, 4, 10]
    assert [bonus_spells(0, level) for level in range(10)] == [0] * 10
    assert [bonus_spells(5, level) for level in range(10)] == [0, 2, 1, 1, 1, 1, 0, 0, 0, 0]
    assert [bonus_spells(10, level) for level in range(10)] == [0, 3, 3, 2, 2, 2, 2, 1, 1, 1]


def test_a_class_level_never_takes_away():
    for rules in default_classes().classes:
        rows = [rules.slots_at(level, 18) for level in range(1, 21)]
        assert all(after >= before for low, high in pairwise(rows) for before, after in zip(low, high, strict=True))


def test_domain_spells_are_spells_of_the_game():
    spells = {spell for domain in default_classes().domains for spell in domain.spells if spell}
    assert spells <= set(default_spell_book().by_id)
    assert len(spells) > 30


def test_a_good_file_is_read(tmp_path):
    path = tmp_path / "classes.toml"
    path.write_text(WIZARD, encoding="utf-8")
    assert load_classes(path).class_of("wizard").slots_at(1, 12)[1] == 2
    with pytest.raises(ConfigError, match="no class"):
        load_classes(path).class_of("cleric")
    with pytest.raises(ConfigError, match="no familiar"):
        load_classes(path).familiar("dragon")


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("hit_die = 6", "hit_die = 7", "hit_die"),
        ('base_attack = "half"', 'base_attack = "quarter"', "base_attack"),
        ('good_saves = ["will"]', 'good_saves = ["luck"]', "good_saves"),
        ('casting_ability = "int"', 'casting_ability = "str"', "casting_ability"),
        ("skill_ranks = 2", "ranks = 2", "ranks"),
        ("slots = [[1], [2], [2]", "slots = [[1], [2], [1]", "slots"),
        ("slots = [[1], [2], [2]", "slots = [[1], [2]", "slots"),
        ("cantrips = [3, 4, 4", "cantrips = [5, 4, 4", "cantrips"),
        ('casting = "prepared"', 'casting = "spontaneous"', "known"),
        ('class_skills = ["spellcraft"]', 'class_skills = ["spellcraft"]\ndomain_choices = ["cheese"]', "domain_choices"),
    ],
)
def test_a_bad_file_is_refused_with_file_class_and_field(tmp_path, old, new, field):
    assert old in WIZARD
    path = tmp_path / "classes.toml"
    path.write_text(WIZARD.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(str(path)) + ".*class wizard.*" + field):
        load_classes(path)


def test_a_class_twice_is_refused(tmp_path):
    path = tmp_path / "classes.toml"
    path.write_text(WIZARD + WIZARD, encoding="utf-8")
    with pytest.raises(ConfigError, match="class wizard: id: given more than once"):
        load_classes(path)
    assert len(read_toml(path)["classes"]) == 2
