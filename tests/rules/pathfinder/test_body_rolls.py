"""Amounts, d20 rolls, saves, checks and attacks with scripted dice."""

import numpy as np
import pytest

from duel_env.rules.pathfinder.amounts import amount, fixed_amount
from duel_env.rules.pathfinder.bonuses import attack_bonus
from duel_env.rules.pathfinder.codes import (
    ABILITY_CHECKS,
    ANY_ONE_ROLL,
    ATTACK,
    ATTACKS_ANY,
    ATTACKS_RANGED,
    COMPETENCE,
    DEX,
    FORT,
    IGNORE_CONCEALMENT,
    IMAGES,
    INSIGHT,
    INT,
    MISS_CHANCE,
    MORALE,
    NO_SAVE,
    PRESCIENCE,
    REF,
    REROLL,
    SAVE_ALL,
    SEE_INVISIBLE,
    SENSE,
    SET_VALUE,
    SPELL_RESISTANCE,
    SPELLS_TARGETED,
    STR,
    TRUE_SEEING,
    VS_UNSEEING,
    WILL,
    ZONE,
)
from duel_env.rules.pathfinder.dice import FOR_ATTACK, FOR_DAMAGE, FOR_SPELLCRAFT
from duel_env.rules.pathfinder.ongoing import remove_ongoing
from duel_env.rules.pathfinder.rolls import (
    CRITICAL_HIT,
    HIT,
    MISSED,
    ability_check,
    miss_chance,
    one_roll_bonus,
    roll_attack,
    roll_concentration,
    roll_save,
    roll_spell_resistance,
    throw_d20,
)
from duel_env.rules.pathfinder.state import CUP, NONE

from .bodies import Bout

FORCE_DESCRIPTOR = 1 << 5


# ---- amounts ----------------------------------------------------------------------------------------------------------------------


def test_amounts_throw_their_dice_and_do_their_sum():
    bout = Bout()
    bout.sheets["scores"][1, INT], bout.sheets["base_attack"][1] = 16, 4
    bout.core["source"]["caster"] = 1
    number = bout.amount(n1=3, f1=6, n2=1, f2=4, constant=2, mod=1, bab=2, mul=3, div=2)
    # (11 + 3 + 2 + 3 + 2 * 4) * 3 // 2
    assert bout.run(amount, number, 5, FOR_DAMAGE, dice=(11, 3)) == 40
    bout.rules["amounts"][number]["cap"] = 25
    assert bout.run(amount, number, 5, FOR_DAMAGE, dice=(11, 3)) == 25


def test_amounts_of_a_level_beyond_the_table_and_of_nothing():
    bout = Bout()
    number = bout.amount(constant=1)
    bout.rules["amounts"][number]["constant"] = range(21)
    for level, value in ((-3, 0), (0, 0), (7, 7), (20, 20), (25, 20)):
        assert bout.run(amount, number, level, FOR_DAMAGE) == value
        assert fixed_amount(*bout.world, number, level) == value
    assert bout.run(amount, NONE, 5, FOR_DAMAGE) == 0
    assert fixed_amount(*bout.world, NONE, 5) == 0


def test_quotients_of_negative_amounts_are_rounded_down():
    bout = Bout()
    assert fixed_amount(*bout.world, bout.amount(constant=-3, div=2), 5) == -2


# ---- single dice --------------------------------------------------------------------------------------------------------------------


def test_an_omen_makes_the_worse_of_two_count_until_it_is_used_up():
    bout = Bout()
    bout.put(0, bout.effect(REROLL), uses=2, caster=1)
    for dice, face in (((4, 17), 4), ((19, 2), 2), ((20,), 20)):
        assert bout.run(throw_d20, FOR_SPELLCRAFT, 0, 0, NONE, NONE, dice=dice) == face
    assert len(bout.rows(0)) == 0
    assert bout.run(throw_d20, FOR_SPELLCRAFT, 1, 0, NONE, NONE, dice=(13,)) == 13


def test_an_omen_on_one_does_not_concern_the_other():
    bout = Bout()
    bout.put(0, bout.effect(REROLL), uses=1, caster=1)
    bout.run(throw_d20, FOR_SPELLCRAFT, 1, 0, NONE, NONE, dice=(13,))
    assert bout.rows(0)[0]["uses"] == 1


# ---- saves and checks ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("face", "bonus", "dc", "made"),
    [
        (1, 100, 10, False),
        (20, -100, 10, True),
        (10, 0, 10, True),
        (9, 0, 10, False),
        (8, 2, 10, True),
        (2, 0, 2, True),
    ],
)
def test_a_save_reaches_its_dc_but_for_natural_1_and_20(face, bonus, dc, made):
    bout = Bout()
    assert bout.run(roll_save, 0, WILL, dc, NONE, bonus, dice=(face,)) == made


def test_without_a_save_no_die_is_thrown():
    assert not Bout().run(roll_save, 0, NO_SAVE, 1, NONE, 50)


def test_each_save_has_its_ability():
    bout = Bout()
    bout.sheets["scores"][0] = 3, 14, 16, 4, 18, 5
    for save, modifier in ((FORT, 3), (REF, 2), (WILL, 4)):
        assert bout.run(roll_save, 0, save, 10 + modifier, NONE, 0, dice=(10,))
        assert not bout.run(roll_save, 0, save, 11 + modifier, NONE, 0, dice=(10,))


def test_guidance_and_prescience_go_to_the_first_roll_they_can_help():
    bout = Bout()
    bout.modifier(0, ANY_ONE_ROLL, 1, COMPETENCE, uses=1)
    bout.modifier(0, PRESCIENCE, 15, INSIGHT, uses=1)
    assert not bout.run(roll_concentration, 0, 8, NONE, dice=(2,))
    assert len(bout.rows(0)) == 2, "caster level checks are not helped"
    assert one_roll_bonus(*bout.world, 0, FOR_SPELLCRAFT, 0) == 1
    assert [int(bout.rules["effects"][row["effect"]]["stat"]) for row in bout.rows(0)] == [PRESCIENCE]
    assert bout.run(roll_save, 0, WILL, 17, NONE, 0, dice=(2,))
    assert len(bout.rows(0)) == 0
    assert not bout.run(roll_save, 0, WILL, 17, NONE, 0, dice=(2,))


def test_a_bonus_to_one_roll_competes_with_those_of_its_type():
    bout = Bout()
    bout.modifier(0, SAVE_ALL, 4, INSIGHT)
    bout.modifier(0, PRESCIENCE, 6, INSIGHT, uses=1)
    assert not bout.run(roll_save, 0, WILL, 17, NONE, 0, dice=(10,))
    bout.modifier(0, PRESCIENCE, 6, INSIGHT, uses=1)
    assert bout.run(roll_save, 0, WILL, 16, NONE, 0, dice=(10,))
    bout.modifier(0, PRESCIENCE, 4, INSIGHT, uses=1)
    assert not bout.run(roll_save, 0, WILL, 15, NONE, 0, dice=(10,))
    assert len(bout.rows(0)) == 2, "what adds nothing is kept"


def test_spell_resistance_hinders_the_spells_of_others():
    bout = Bout()
    assert bout.run(roll_spell_resistance, 0, 1, 5)
    bout.modifier(1, SPELL_RESISTANCE, 17, SET_VALUE)
    bout.sheets["penetration"][0] = 2
    for face, passes in ((9, False), (10, True), (1, False), (20, True)):
        assert bout.run(roll_spell_resistance, 0, 1, 5, dice=(face,)) == passes
    assert bout.run(roll_spell_resistance, 1, 1, 5)


def test_checks_know_no_natural_1_or_20():
    bout = Bout()
    bout.sheets["scores"][0, STR] = 14
    bout.modifier(0, ABILITY_CHECKS, 3, MORALE)
    for face, dc, passed in ((1, 6, True), (1, 7, False), (20, 25, True), (20, 26, False)):
        assert bout.run(ability_check, 0, STR, dc, NONE, dice=(face,)) == passed
    bout.sheets["concentration"][0] = 1
    for face, dc, passed in ((1, 7, True), (1, 8, False), (20, 26, True), (20, 27, False)):
        assert bout.run(roll_concentration, 0, dc, NONE, dice=(face,)) == passed


# ---- attacks ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dice", "bonus", "result"),
    [
        ((9,), 0, MISSED),
        ((10,), 0, HIT),
        ((1,), 50, MISSED),
        ((20, 9), 0, HIT),
        ((20, 10), 0, CRITICAL_HIT),
        ((20, 1), 50, HIT),
        ((20, 20), -50, CRITICAL_HIT),
        ((20, 19), -50, HIT),
        ((7,), 3, HIT),
    ],
)
def test_attack_rolls(dice, bonus, result):
    assert Bout().run(roll_attack, 0, 1, 1, bonus, dice=dice) == result


def test_what_is_added_to_attacks():
    bout = Bout()
    bout.sheets["scores"][0, STR], bout.sheets["scores"][0, DEX] = 8, 18
    bout.sheets["base_attack"][0], bout.sheets["size"][0] = 3, 1
    bout.modifier(0, ATTACK, 2, MORALE)
    assert (attack_bonus(*bout.world, 0, 1, 1), attack_bonus(*bout.world, 0, 1, 0)) == (3 + 1 + 2 + 4, 3 + 1 + 2 - 1)
    bout.modifier(0, ATTACK, 2, versus=VS_UNSEEING)
    assert attack_bonus(*bout.world, 0, 1, 1) == 12
    bout.condition(0, "invisible")
    assert attack_bonus(*bout.world, 0, 1, 1) == 14
    bout.put(1, bout.effect(SENSE, sense=SEE_INVISIBLE))
    assert attack_bonus(*bout.world, 0, 1, 1) == 10


def blur(bout: Bout, percent: int = 20, against: int = ATTACKS_ANY, **fields: int) -> int:
    return bout.put(1, bout.effect(MISS_CHANCE, percent=percent, against=against, **fields))


def test_a_hit_can_miss_by_the_best_chance_alone():
    bout = Bout()
    blur(bout, 20)
    blur(bout, 50)
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(15, 50)) == MISSED
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(15, 51)) == HIT
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(20, 51, 15)) == CRITICAL_HIT
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(3,)) == MISSED


def test_what_pierces_a_miss_chance():
    bout = Bout()

    def chance(ranged: int = 1) -> int:
        return int(miss_chance(bout.core, bout.rules, 0, 1, ranged))

    row = blur(bout, 20, ATTACKS_RANGED)
    assert (chance(1), chance(0)) == (20, 0)
    remove_ongoing(*bout.world, 1, row)
    row = blur(bout, 50, SPELLS_TARGETED)
    assert chance() == 0
    remove_ongoing(*bout.world, 1, row)
    blur(bout, 50, pierced_by=0b011)
    assert chance() == 50
    sense = bout.put(0, bout.effect(SENSE, sense=TRUE_SEEING))
    assert chance() == 0
    remove_ongoing(*bout.world, 0, sense)
    sense = bout.put(0, bout.effect(SENSE, sense=SEE_INVISIBLE))
    assert chance() == 50
    remove_ongoing(*bout.world, 0, sense)
    bout.condition(1, "outlined")
    assert chance() == 0


def test_blinking_is_half_seen_through_by_sense_or_force():
    bout = Bout()
    force, other = bout.spell(descriptors=FORCE_DESCRIPTOR), bout.spell()
    blur(bout, 50, reduced_percent=20)
    for spell, before, after in ((other, 50, 20), (force, 20, 0)):
        bout.core["source"]["spell"] = spell
        assert miss_chance(bout.core, bout.rules, 0, 1, 1) == before
        sense = bout.put(0, bout.effect(SENSE, sense=SEE_INVISIBLE))
        bout.core["source"]["spell"] = spell
        assert miss_chance(bout.core, bout.rules, 0, 1, 1) == after
        remove_ongoing(*bout.world, 0, sense)


def test_who_sees_nothing_misses_half():
    for arrange in (
        lambda bout: bout.condition(1, "invisible"),
        lambda bout: bout.condition(0, "blinded"),
        lambda bout: bout.put(0, bout.effect(ZONE, concealment=50)),
        lambda bout: bout.put(1, bout.effect(ZONE, concealment=50)),
    ):
        bout = Bout()
        arrange(bout)
        assert miss_chance(bout.core, bout.rules, 0, 1, 1) == 50
        bout.put(0, bout.effect(SENSE, sense=IGNORE_CONCEALMENT))
        assert miss_chance(bout.core, bout.rules, 0, 1, 1) == 0
    bout = Bout()
    bout.condition(1, "blinded")
    bout.condition(0, "invisible")
    assert miss_chance(bout.core, bout.rules, 0, 1, 1) == 0


def test_true_strike_is_for_one_attack():
    bout = Bout()
    blur(bout, 50, pierced_by=0b011)
    bout.modifier(0, ATTACK, 20, INSIGHT, uses=1)
    bout.put(0, bout.effect(SENSE, sense=IGNORE_CONCEALMENT, uses=1), uses=1)
    bout.sheets["scores"][1, DEX] = 40
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(5,)) == HIT
    assert len(bout.rows(0)) == 0
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(5,)) == MISSED


def images(bout: Bout, count: int) -> None:
    bout.put(1, bout.effect(IMAGES), value=count)


def test_images_are_hit_instead_and_near_misses_destroy_one():
    bout = Bout()
    images(bout, 3)
    # One in four is the real one.
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(15, 1)) == HIT
    assert bout.rows(1)[0]["value"] == 3
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(20, 4)) == MISSED
    assert bout.rows(1)[0]["value"] == 2
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(4,)) == MISSED
    assert bout.rows(1)[0]["value"] == 2, "missed by 6"
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(5,)) == MISSED
    assert bout.rows(1)[0]["value"] == 1, "missed by 5"
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(15, 2)) == MISSED
    assert len(bout.rows(1)) == 0
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(15,)) == HIT


def test_an_attack_goes_through_miss_chance_then_images_then_confirmation():
    bout = Bout()
    images(bout, 2)
    blur(bout, 20)
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(20, 20)) == MISSED
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(20, 21, 2)) == MISSED
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(20, 21, 1, 12)) == CRITICAL_HIT


def test_images_do_not_fool_who_sees_truly_or_nothing():
    for arrange, dice in (
        (lambda bout: bout.put(0, bout.effect(SENSE, sense=TRUE_SEEING)), (15,)),
        (lambda bout: bout.condition(0, "blinded"), (15, 51)),
    ):
        bout = Bout()
        images(bout, 3)
        arrange(bout)
        assert bout.run(roll_attack, 0, 1, 1, 0, dice=dice) == HIT


def test_an_omen_spoils_attack_and_confirmation_separately():
    bout = Bout()
    bout.put(0, bout.effect(REROLL), uses=2, caster=1)
    assert bout.run(roll_attack, 0, 1, 1, 0, dice=(20, 20, 19, 3)) == HIT
    assert len(bout.rows(0)) == 0


def test_a_cup_that_runs_dry_names_the_first_die_and_the_attack_still_ends():
    bout = Bout()
    images(bout, 3)
    blur(bout, 50)
    bout.put(0, bout.effect(REROLL), uses=3, caster=1)
    cup = np.zeros(1, CUP)
    assert roll_attack(*bout.world, cup[0], 0, 1, 1, 7) == MISSED
    due = {
        name: int(cup[name][0])
        for name in ("dry", "due_count", "due_sides", "due_roller", "due_purpose", "due_modifier", "due_target")
    }
    assert list(due.values()) == [1, 1, 20, 0, FOR_ATTACK, 7, 10]
