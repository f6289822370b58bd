"""The table of chances of the rules page, section 4, from the kernel, by trying all faces of the d20."""

from fractions import Fraction

import numpy as np
import pytest

from duel_env.rules.pathfinder.counters import (
    counter_bonus,
    counter_dc,
    entry_to_spend,
    identify,
    is_dispel,
    least_slot_to_spend,
    level_to_spend,
    may_counter,
    may_spend,
    may_spend_readied,
    try_counter,
)
from duel_env.rules.pathfinder.state import CORE, CUP, NONE
from tests.rules.pathfinder.fights import Fight, book, make_sheet

LEVELS = ((5, 3), (9, 5), (13, 7), (17, 9))
"""Caster level of both, level of the spell."""
SPENT = ("haste", "lightning_bolt", "fireball", "dispel_magic", "greater_dispel_magic")
"""Against a fireball: of another school, of the same, the same, dispel magic and its greater form."""
FR = {5: (30, 50, 90), 9: (40, 60, 100), 13: (50, 70, 100), 17: (60, 80, 100)}
UM = dict.fromkeys((5, 9, 13, 17), (20, 40, 80))
DISPELS = (50, 70)


def casting(level, spell_level, identified=1, slot=None, **terms):
    """Player 0 casts a fireball as if it were of `spell_level`; player 1 has each of SPENT in a slot of that level, or of `slot`."""
    entries = [f"{name} {spell_level if slot is None else slot}" for name in SPENT]
    defender = make_sheet(entries, level)
    defender["entry_level"][:3] = spell_level
    fight = Fight(make_sheet(["fireball"], level), defender, flat_footed_start=False, **terms)
    record = fight.core["casting"]
    record["spell"], record["level"], record["slot_level"] = book().number("fireball"), spell_level, spell_level
    record["caster_level"], record["identified"] = level, identified
    return fight


def chance(fight, entry, slot, readied=0):
    """Chance of success, as a fraction of the faces of the d20, and whether it took a die at all."""
    won = 0
    for face in range(1, 21):
        core, cup = np.array([fight.core], CORE), np.zeros(1, CUP)
        cup["given"], cup["faces"][0, 0] = 1, face
        won += bool(try_counter(core[0], fight.rules, fight.sheets, cup[0], 1, entry, slot, readied))
        assert cup["dry"][0] == 0
    return Fraction(won, 20), int(cup["used"][0])


@pytest.mark.parametrize(("level", "spell_level"), LEVELS)
@pytest.mark.parametrize(("reading", "table"), [("spell_level", FR), ("caster_level", UM)])
def test_the_table_of_chances(level, spell_level, reading, table):
    fight = casting(level, spell_level, counter_dc=reading)
    for entry, percent in enumerate((*table[level], *DISPELS)):
        assert chance(fight, entry, spell_level)[0] == Fraction(percent, 100), SPENT[entry]


def test_the_parts_of_the_check():
    fight = casting(9, 5)
    bonus = [int(counter_bonus(fight.core, fight.rules, fight.sheets, 1, entry, 5)) for entry in range(3)]
    assert bonus == [9 - 2, 9 + 2, 9 + 10]
    assert counter_dc(fight.core, fight.rules) == 15 + 5
    assert counter_dc(fight.core, casting(9, 5, counter_dc="caster_level").rules) == 15 + 9


@pytest.mark.parametrize("extra", range(4))
def test_each_level_above_the_spell_adds_one(extra):
    fight = casting(9, 5, slot=5 + extra)
    assert counter_bonus(fight.core, fight.rules, fight.sheets, 1, 1, 5 + extra) == 9 + 2 + extra
    spell = casting(9, 5, slot=5 + extra, level_bonus="spell")
    assert counter_bonus(spell.core, spell.rules, spell.sheets, 1, 1, 5 + extra) == 9 + 2, "the spell in the slot is of level 5"


def test_dispelling_has_no_modifiers_but_its_own():
    fight = casting(9, 5)
    assert chance(fight, 3, 9)[0] == Fraction(50, 100), "the level of the slot does not matter"
    plain = casting(9, 5, greater_dispel_bonus=False)
    assert chance(plain, 4, 6)[0] == Fraction(50, 100)
    assert chance(plain, 4, 6, readied=1)[0] == Fraction(70, 100), (
        "the spell's own +4 holds for a readied counterspell all the same"
    )


def test_a_copy_of_the_spell_can_be_sure():
    fight = casting(5, 3, exact_copy="sure")
    assert chance(fight, 2, 3) == (1, 0)
    assert chance(fight, 1, 3) == (Fraction(50, 100), 1)


def test_a_readied_counterspell_needs_no_check_but_dispelling_does():
    fight = casting(5, 3)
    assert chance(fight, 2, 3, readied=1) == (1, 0)
    assert chance(fight, 3, 3, readied=1) == (Fraction(50, 100), 1)


def test_what_can_be_spent():
    known, unknown = casting(9, 5), casting(9, 5, identified=0)
    low = casting(9, 5, slot=4)
    core = known.core
    assert [bool(may_spend(core, known.rules, known.sheets, 1, entry)) for entry in range(5)] == [True] * 5
    assert [bool(may_spend(unknown.core, known.rules, known.sheets, 1, entry)) for entry in range(5)] == [False] * 3 + [True] * 2
    assert [bool(may_spend(low.core, low.rules, low.sheets, 1, entry)) for entry in range(5)] == [False] * 3 + [True] * 2
    closed = casting(9, 5, identified=0, dispel_unidentified=False)
    assert not any(may_spend(closed.core, closed.rules, closed.sheets, 1, entry) for entry in range(5))
    readied = [bool(may_spend_readied(core, known.rules, known.sheets, 1, entry)) for entry in range(5)]
    assert readied == [False, False, True, True, True], "only the very spell, and what dispels"


def test_readied_opposites_and_improved_counterspell():
    fight = casting(9, 3)
    fight.core["casting"]["spell"] = book().number("slow")
    assert may_spend_readied(fight.core, fight.rules, fight.sheets, 1, 0), "haste counters slow"
    fight = casting(9, 3)
    fight.sheets[1]["improved_counterspell"] = 1
    assert not may_spend_readied(fight.core, fight.rules, fight.sheets, 1, 1), "of the same level"
    fight.sheets[1]["entry_level"][1] = 4
    assert may_spend_readied(fight.core, fight.rules, fight.sheets, 1, 1), "of the same school and a higher level"


def test_cantrips_counter_cantrips_only():
    fight = Fight(make_sheet(["fireball"]), make_sheet(["jolt", "fireball"]), flat_footed_start=False)
    record = fight.core["casting"]
    record["spell"], record["level"], record["identified"] = book().number("acid_splash"), 0, 1
    assert level_to_spend(fight.core, fight.sheets, 1, 0, 0) == 0
    assert may_spend(fight.core, fight.rules, fight.sheets, 1, 0)
    record["level"] = 1
    assert not may_spend(fight.core, fight.rules, fight.sheets, 1, 0)


def test_known_spells_take_a_slot_of_the_level_of_the_spell_or_more():
    fight = Fight(make_sheet(["fireball"]), make_sheet(["shield"], slots=(2, 2, 2, 2)), flat_footed_start=False)
    record = fight.core["casting"]
    record["spell"], record["level"], record["identified"] = book().number("fireball"), 3, 1
    assert least_slot_to_spend(fight.core, fight.rules, fight.sheets, 1, 0, 0) == 3
    assert level_to_spend(fight.core, fight.sheets, 1, 0, 3) == 3
    fight.core["slots"][1, 3:] = 0
    assert level_to_spend(fight.core, fight.sheets, 1, 0, 3) == NONE


def test_the_copy_in_the_lowest_slot_is_spent_first():
    fight = Fight(make_sheet(["fireball"]), make_sheet(["fireball 5", "fireball 3", "fireball 4"]), flat_footed_start=False)
    record = fight.core["casting"]
    record["spell"], record["level"], record["identified"] = book().number("fireball"), 3, 1
    assert entry_to_spend(fight.core, fight.rules, fight.sheets, 1, book().number("fireball"), 0) == 1


@pytest.mark.parametrize("face", range(1, 21))
def test_identifying(face):
    fight = casting(9, 5, identified=0)
    cup = np.zeros(1, CUP)
    cup["given"], cup["faces"][0, 0] = 1, face
    identify(fight.core, fight.rules, fight.sheets, cup[0], 1)
    assert fight.core["casting"]["identified"] == (face + 10 >= 15 + 5)
    assert fight.core["casting"]["shown"] == fight.core["casting"]["identified"]


@pytest.mark.parametrize(
    "condition",
    [
        "nauseated",
        "panicked",
        "blinded",
        "silenced",
        "dominated",
        "asleep",
        "paralyzed",
        "stunned",
        "dazed",
        "stasis",
        "flat_footed",
    ],
)
def test_who_cannot_counter(condition):
    fight = casting(9, 5)
    assert may_counter(fight.core, fight.rules, 1)
    fight.afflict(1, condition)
    possible = may_counter(fight.core, fight.rules, 1)
    if condition == "silenced":  # it keeps from spells that are spoken, which is seen to for each of them
        assert not any(may_spend(fight.core, fight.rules, fight.sheets, 1, entry) for entry in range(5))
    else:
        assert not possible


@pytest.mark.parametrize(
    "condition", ["staggered", "slowed", "shaken", "frightened", "entangled", "grappled", "prone", "charmed"]
)
def test_who_can_counter_all_the_same(condition):
    fight = casting(9, 5)
    fight.afflict(1, condition)
    assert may_counter(fight.core, fight.rules, 1)
    assert may_spend(fight.core, fight.rules, fight.sheets, 1, 1)


def test_there_is_one_try_a_spell_and_one_dueling_counter_a_round():
    fight = casting(9, 5)
    for field in ("counter_used", "immediate_spent"):
        fight.core[field][1] = 1
        assert not may_counter(fight.core, fight.rules, 1)
        fight.core[field][1] = 0
    fight.core["casting"]["tried"] = 1
    assert not may_counter(fight.core, fight.rules, 1)


def test_only_dispel_magic_and_its_greater_form_dispel():
    rules = casting(9, 5).rules
    assert {spell.id for number, spell in enumerate(book().spells) if is_dispel(rules, number)} == {SPENT[3], SPENT[4]}
