from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duel_env.errors import ConfigError
from duel_env.rules.pathfinder.classes import default_classes
from duel_env.rules.pathfinder.codes import CLASSES, SCHOOLS
from duel_env.rules.pathfinder.derive import derive
from duel_env.rules.pathfinder.duelist import find_duelist
from duel_env.rules.pathfinder.generator import duelist_spec, random_duelist
from duel_env.rules.pathfinder.sheet_rules import problems
from duel_env.rules.pathfinder.spells import default_spell_book
from duel_env.rules.pathfinder.state import MAX_ENTRIES

random_sheets = st.builds(
    random_duelist,
    st.sampled_from(CLASSES),
    st.integers(1, 20),
    st.integers(0, 2**63),
)
some = settings(max_examples=60, deadline=None)


@some
@given(random_sheets)
def test_every_random_duelist_is_legal(duelist):
    assert problems(duelist) == []
    sheet = derive(duelist)
    assert len(sheet.entries) + len(sheet.conversions) <= MAX_ENTRIES


@some
@given(random_sheets)
def test_numbers_follow_the_formulas(duelist):
    """The formulas of the rules page, written a second time."""
    sheet, rules = derive(duelist), default_classes().class_of(duelist.class_id)
    mods = [score // 2 - 5 for score in sheet.scores]
    strength, dexterity, constitution = mods[:3]
    level = duelist.level
    die = {"wizard": 6, "sorcerer": 6, "witch": 6, "cleric": 8, "druid": 8, "bard": 8}[duelist.class_id]
    familiar = default_classes().familiar(duelist.familiar) if duelist.familiar else None
    gains = {familiar.bonus_to: familiar.bonus} if familiar else {}

    points = sum(max(1, (die if n == 0 else die // 2 + 1) + constitution) for n in range(level))
    points += max(3, level) * ("toughness" in duelist.feats) + gains.get("hit_points", 0)
    assert sheet.hit_points == points
    good = {"cleric": "fw", "druid": "fw", "bard": "rw"}.get(duelist.class_id, "w")
    feats = {"f": "great_fortitude", "r": "lightning_reflexes", "w": "iron_will"}
    names = {"f": "fort", "r": "ref", "w": "will"}
    for got, letter, mod in zip(sheet.saves, "frw", (constitution, dexterity, mods[4]), strict=True):
        base = 2 + level // 2 if letter in good else level // 3
        assert got == base + mod + 2 * (feats[letter] in duelist.feats) + gains.get(names[letter], 0)
    attack = level // 2 if die == 6 else level * 3 // 4
    small = duelist.size == "small"
    assert sheet.base_attack == attack
    assert sheet.initiative == dexterity + 4 * ("improved_initiative" in duelist.feats) + gains.get("initiative", 0)
    assert sheet.touch_armor_class == 10 + dexterity + small
    assert sheet.combat_maneuver_defense == 10 + attack + strength + dexterity - small

    ability = {"wizard": 3, "witch": 3, "cleric": 4, "druid": 4, "sorcerer": 5, "bard": 5}[duelist.class_id]
    assert sheet.concentration == level + mods[ability]
    extra = 1 if duelist.school or duelist.domains else 0
    for spell_level, row in enumerate(rules.slots[level - 1], start=1):
        bonus = sum(mods[ability] >= spell_level + 4 * n for n in range(10))
        assert sheet.slots[spell_level] == row + bonus + extra
    assert sum(sheet.slots[len(rules.slots[level - 1]) + 1 :]) == 0

    trained = [duelist.ranks.spellcraft, duelist.ranks.bluff, duelist.ranks.intimidate, duelist.ranks.sense_motive]
    class_skills = {
        "wizard": (1, 0, 0, 0),
        "witch": (1, 0, 1, 0),
        "sorcerer": (1, 1, 1, 0),
        "cleric": (1, 0, 0, 1),
        "druid": (1, 0, 0, 0),
        "bard": (1, 1, 1, 1),
    }[duelist.class_id]
    alertness = (4 if trained[3] >= 10 else 2) if familiar else 0
    others = (0, gains.get("bluff", 0), 0, alertness)
    for got, ranks, is_class, other, mod in zip(
        sheet.skills, trained, class_skills, others, (mods[3], mods[5], mods[5], mods[4]), strict=True
    ):
        assert got == ranks + 3 * (is_class and ranks > 0) + other + mod


@some
@given(random_sheets)
def test_castings_follow_the_rules(duelist):
    sheet, book = derive(duelist), default_spell_book()
    score = {"int": duelist.scores.intelligence, "wis": duelist.scores.wisdom, "cha": duelist.scores.charisma}[
        sheet.casting_ability
    ]
    used = Counter()
    for entry in sheet.entries:
        spell = book.by_id[entry.spell]
        if not entry.is_domain:
            assert spell.levels[duelist.class_id] == entry.level
        if entry.source != "staff":
            assert score >= 10 + entry.level
            assert entry.caster_level == duelist.level
        focus = sum(f"{name}({spell.school})" in duelist.feats for name in ("spell_focus", "greater_spell_focus"))
        assert entry.save_dc == 10 + entry.level + score // 2 - 5 + focus
        assert sheet.focus[SCHOOLS.index(spell.school)] == focus
        assert entry.slot_level >= entry.level + 4 * entry.quickened
        if entry.source == "prepared":
            used[entry.slot_level] += entry.count
    assert all(count <= sheet.slots[level] for level, count in used.items())
    if sheet.spontaneous:
        assert not used
        assert all(entry.source in ("at_will", "known", "staff") for entry in sheet.entries)


@pytest.mark.parametrize("class_id", CLASSES)
def test_random_duelists_can_harm_and_protect_themselves(class_id):
    book = default_spell_book()
    for seed in range(20):
        entries = [book.by_id[entry.spell] for entry in derive(random_duelist(class_id, 7, seed)).entries if entry.level]
        assert sum(spell.beneficial for spell in entries) >= 2
        assert sum(not spell.beneficial for spell in entries) >= 3


def test_random_duelists_differ():
    sheets = [random_duelist("wizard", 12, seed) for seed in range(40)]
    assert len({sheet.scores.all() for sheet in sheets}) > 20
    assert len({sheet.feats for sheet in sheets}) > 30
    assert len({sheet.plan for sheet in sheets}) == 5
    assert len({line.spell for sheet in sheets for line in sheet.prepared}) > 80
    assert {bool(sheet.familiar) for sheet in sheets} == {True, False}
    assert any(sheet.staff for sheet in sheets)


def test_the_same_seed_gives_the_same_duelist_on_every_machine():
    sheet = random_duelist("wizard", 7, 1)
    assert sheet == random_duelist("wizard", 7, 1)
    assert sheet != random_duelist("wizard", 7, 2)
    assert (sheet.plan, sheet.scores.all(), sheet.feats, sheet.familiar) == GOLDEN


GOLDEN = (
    "controller",
    (7, 17, 11, 20, 13, 10),
    ("spell_focus(transmutation)", "lightning_reflexes", "spell_focus(conjuration)", "greater_spell_focus(conjuration)"),
    "weasel",
)


def test_specs_name_fixed_and_random_duelists(tmp_path):
    assert duelist_spec("evoker_7").make(5) == find_duelist("evoker_7")
    assert not duelist_spec("evoker_7").is_random
    assert duelist_spec("random:wizard:7").make(1) == random_duelist("wizard", 7, 1)
    some_class = duelist_spec("random:any:7")
    assert some_class.is_random
    assert {some_class.make(seed).class_id for seed in range(40)} == set(CLASSES)
    levels = {duelist_spec("random:druid:3-6").make(seed).level for seed in range(40)}
    assert levels == {3, 4, 5, 6}
    with pytest.raises(ConfigError, match="cannot read"):
        duelist_spec(str(tmp_path / "none.toml")).make(0)


@pytest.mark.parametrize(
    "text",
    ["random:", "random:wizard", "random:fighter:7", "random:wizard:0", "random:wizard:21", "random:any:9-3", "random:any:x"],
)
def test_a_spec_of_no_form_is_refused(text):
    with pytest.raises(ConfigError, match="random"):
        duelist_spec(text)


def test_what_cannot_be_drawn_is_refused():
    for arguments, message in ((("fighter", 7, 0), "no class"), (("wizard", 0, 0), "level"), (("wizard", 7, -1), "negative")):
        with pytest.raises(ConfigError, match=message):
            random_duelist(*arguments)
    with pytest.raises(ConfigError, match="negative"):
        duelist_spec("random:any:3-6").make(-1)
