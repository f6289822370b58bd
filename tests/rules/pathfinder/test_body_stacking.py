"""Bonuses of one type do not add up; dodge, untyped and penalties do, but not those of one spell."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duel_env.rules.pathfinder.bonuses import full_ac, save_bonus, touch_ac
from duel_env.rules.pathfinder.codes import (
    AC,
    ANY_ONE_ROLL,
    ARMOR,
    ATTACK,
    BONUS_TYPES,
    COMPETENCE,
    DEATH,
    DEFLECTION,
    DEX,
    DODGE,
    FEAR,
    FORT,
    LUCK,
    MIND_AFFECTING,
    MODIFIER,
    MORALE,
    PENALTY,
    PERCENT,
    REF,
    RESISTANCE,
    SAVE_ALL,
    SAVE_FORT,
    SAVE_REF,
    SAVE_WILL,
    SET_VALUE,
    SHIELD,
    SKILLS,
    SPELL_FAILURE,
    SPELL_RESISTANCE,
    UNTYPED_BONUS,
    VS_ALL,
    VS_EVIL,
    VS_FEAR,
    VS_MIND,
    VS_SPELLS,
    WILL,
)
from duel_env.rules.pathfinder.stacking import FOR_NO_ROLL, FOR_OTHER_ROLL, FOR_SKILL_ROLL, NOT_FOR_TOUCH, stacked
from duel_env.rules.pathfinder.totals import recompute

from .bodies import Bout


class Given(NamedTuple):
    spell: int
    stat: int
    bonus_type: int
    value: int
    versus: int
    suppressed: bool


modifiers = st.lists(
    st.builds(
        Given,
        spell=st.integers(0, 5),
        stat=st.sampled_from([SAVE_REF, SAVE_ALL, ATTACK, AC, SKILLS, ANY_ONE_ROLL]),
        bonus_type=st.integers(0, len(BONUS_TYPES) - 1),
        value=st.integers(-10, 10),
        versus=st.sampled_from([VS_ALL, VS_FEAR, VS_EVIL]),
        suppressed=st.booleans(),
    ),
    max_size=14,
)


def expected(given_ones: list[Given], stat: int, versus: set[int], skipped: set[int], one_roll: bool) -> int:
    """The rule in plain Python: group what cannot add up, take the best of each group, add the groups."""
    stats = {stat} | ({SAVE_ALL} if SAVE_FORT <= stat <= SAVE_WILL else set()) | ({ANY_ONE_ROLL} if one_roll else set())
    groups: dict[tuple[int, int | None], list[int]] = {}
    for one in given_ones:
        if one.suppressed or one.stat not in stats or one.bonus_type in skipped or one.versus not in {VS_ALL, *versus}:
            continue
        adds_up = one.bonus_type in (UNTYPED_BONUS, PENALTY, DODGE)
        groups.setdefault((one.bonus_type, one.spell if adds_up else None), []).append(one.value)
    return sum(min(values) if kind == PENALTY else max(values) for (kind, _), values in groups.items())


@given(modifiers, st.sampled_from([SAVE_REF, ATTACK, AC, SKILLS]), st.sets(st.sampled_from([VS_FEAR, VS_EVIL])), st.booleans())
def test_stacking_is_the_best_of_each_group(given_ones, stat, versus, one_roll):
    bout = Bout()
    spells = [bout.spell() for _ in range(6)]
    for number, one in enumerate(given_ones):
        effect = bout.effect(MODIFIER, spell=spells[one.spell], stat=one.stat, bonus_type=one.bonus_type, versus=one.versus)
        row = bout.core["ongoing"][0, number]
        row["effect"], row["spell"], row["value"], row["suppressed"] = effect, spells[one.spell], one.value, one.suppressed
    bout.core["num_ongoing"][0] = len(given_ones)
    bits = sum(1 << v for v in versus)
    which = FOR_NO_ROLL if not one_roll else (FOR_SKILL_ROLL if stat == SKILLS else FOR_OTHER_ROLL)
    assert stacked(bout.core, bout.rules, 0, stat, bits, 0, which) == expected(given_ones, stat, versus, set(), one_roll)
    touch = stacked(bout.core, bout.rules, 0, stat, bits, NOT_FOR_TOUCH, which)
    assert touch == expected(given_ones, stat, versus, {ARMOR, SHIELD}, one_roll)
    recompute(*bout.world, 0)
    base = expected(given_ones, stat, set(), set(), one_roll=False)
    assert bout.core["totals"][0, stat] == base
    if stat == SAVE_REF:
        for v in (VS_FEAR, VS_EVIL):
            alone = expected(given_ones, stat, {v}, set(), one_roll=False)
            assert bout.core["saves_versus"][0, 1, v - VS_FEAR] == alone - base
    if stat == ATTACK:
        assert bout.core["attack_versus"][0, VS_EVIL] == expected(given_ones, ATTACK, {VS_EVIL}, set(), one_roll=False) - base


def test_order_of_the_rows_makes_no_difference():
    rng = np.random.default_rng(3)
    for _ in range(5):
        bonuses = [(int(rng.integers(len(BONUS_TYPES))), int(rng.integers(-5, 6))) for _ in range(8)]
        totals = []
        for order in (range(8), reversed(range(8))):
            bout = Bout()
            for k in order:
                bout.modifier(0, ATTACK, bonuses[k][1], bonuses[k][0])
            totals.append(int(bout.core["totals"][0, ATTACK]))
        assert totals[0] == totals[1]


def test_a_bonus_to_all_saves_competes_with_one_to_a_single_save():
    bout = Bout()
    bout.modifier(0, SAVE_ALL, 2, RESISTANCE)
    bout.modifier(0, SAVE_FORT, 3, RESISTANCE)
    assert [int(bout.core["totals"][0, stat]) for stat in (SAVE_FORT, SAVE_REF, SAVE_WILL)] == [3, 2, 2]


def test_of_set_values_and_percents_the_highest_counts():
    bout = Bout()
    for value in (17, 21, 19):
        bout.modifier(0, SPELL_RESISTANCE, value, SET_VALUE)
        bout.modifier(0, SPELL_FAILURE, value, PERCENT)
    assert bout.core["totals"][0, SPELL_RESISTANCE] == 21
    assert bout.core["totals"][0, SPELL_FAILURE] == 21


def test_penalties_of_both_duelists_by_one_spell_count_once():
    bout = Bout()
    effect = bout.effect(MODIFIER, stat=ATTACK, bonus_type=PENALTY)
    bout.put(0, effect, value=-2, caster=0, casting=1)
    bout.put(0, effect, value=-1, caster=1, casting=2)
    assert len(bout.rows(0)) == 2
    assert bout.core["totals"][0, ATTACK] == -2


@pytest.mark.parametrize(
    ("bonus_type", "touch", "without_dexterity"),
    [
        (ARMOR, 10, 14),
        (SHIELD, 10, 14),
        (DEFLECTION, 14, 14),
        (DODGE, 14, 10),
        (LUCK, 14, 14),
    ],
)
def test_what_counts_for_which_armour_class(bonus_type, touch, without_dexterity):
    bout = Bout()
    bout.modifier(0, AC, 4, bonus_type)
    assert full_ac(*bout.world, 0, 1, 1) == 14
    assert touch_ac(*bout.world, 0, 1, 1) == touch
    bout.condition(0, "flat_footed")
    assert full_ac(*bout.world, 0, 1, 1) == without_dexterity


def test_who_loses_the_dexterity_bonus_keeps_the_penalty():
    bout = Bout()
    bout.sheets["scores"][0, DEX], bout.sheets["scores"][1, DEX] = 16, 6
    for player, before, after in ((0, 13, 10), (1, 8, 8)):
        assert touch_ac(*bout.world, player, 1 - player, 1) == before
        bout.condition(player, "flat_footed")
        assert touch_ac(*bout.world, player, 1 - player, 1) == after


def test_armour_class_against_an_evil_opponent_only():
    bout = Bout()
    bout.modifier(0, AC, 2, DEFLECTION, versus=VS_EVIL)
    assert touch_ac(*bout.world, 0, 1, 1) == 10
    bout.sheets["evil"][1] = 1
    assert touch_ac(*bout.world, 0, 1, 1) == 12


def test_prone_and_helpless_in_melee_and_at_range():
    bout = Bout()
    bout.rules["conditions"]["ac_ranged"], bout.rules["conditions"]["ac_melee"] = 0, 0
    prone = bout.condition(0, "prone")
    record = bout.rules["conditions"][bout.rules["effects"][bout.rows(0)[prone]["effect"]]["condition"]]
    record["ac_ranged"], record["ac_melee"] = 4, -4
    assert (touch_ac(*bout.world, 0, 1, 1), touch_ac(*bout.world, 0, 1, 0)) == (14, 6)
    bout = Bout()
    bout.condition(0, "asleep")
    # Dexterity 0 is -5, and -4 more in melee.
    assert (touch_ac(*bout.world, 0, 1, 1), touch_ac(*bout.world, 0, 1, 0)) == (5, 1)


def test_saves_count_what_the_spell_is():
    bout = Bout()
    bout.sheets["saves"][0] = 1, 2, 3
    bout.modifier(0, SAVE_ALL, 1, RESISTANCE)
    bout.modifier(0, SAVE_ALL, 2, RESISTANCE, versus=VS_EVIL)
    bout.modifier(0, SAVE_ALL, 8, RESISTANCE, versus=VS_MIND)
    bout.modifier(0, SAVE_ALL, 4, MORALE, versus=VS_FEAR)
    bout.modifier(0, SAVE_ALL, 3, COMPETENCE, versus=VS_SPELLS)
    fright, fire = bout.spell(descriptors=FEAR | MIND_AFFECTING), bout.spell(descriptors=1 << 3)
    assert save_bonus(*bout.world, 0, FORT, -1) == 1 + 1
    assert save_bonus(*bout.world, 0, REF, fire) == 2 + 1 + 3
    assert save_bonus(*bout.world, 0, WILL, fright) == 3 + 8 + 4 + 3
    bout.sheets["evil"][1] = 1
    assert save_bonus(*bout.world, 0, WILL, fright) == 3 + 8 + 4 + 3, "the better of two resistance bonuses"
    assert save_bonus(*bout.world, 0, REF, fire) == 2 + 2 + 3


def test_saves_count_the_situation_of_the_spell():
    bout = Bout()
    charm, feeblemind = bout.spell(save_bonus=5), bout.spell(arcane_save_penalty=4)
    death = bout.spell(descriptors=DEATH)
    assert save_bonus(*bout.world, 0, WILL, charm) == 5
    assert save_bonus(*bout.world, 0, WILL, feeblemind) == 0
    bout.sheets["arcane"][0] = 1
    assert save_bonus(*bout.world, 0, WILL, feeblemind) == -4
    assert save_bonus(*bout.world, 0, FORT, death) == 0
