"""Conditions, abilities, levels and hit points: what follows from what."""

import pytest

from duel_env.rules.pathfinder.abilities import ability_modifier, ability_score, casting_modifier, max_hit_points
from duel_env.rules.pathfinder.bodies import add_negative_levels, damage_ability
from duel_env.rules.pathfinder.codes import (
    ABILITY,
    ABILITY_CHECKS,
    ABILITY_CON,
    ABILITY_DAMAGE,
    ABILITY_DRAIN,
    ABILITY_INT,
    ABILITY_PENALTY,
    AC,
    ANTIMAGIC,
    ATTACK,
    CHA,
    CON,
    CONDITION,
    CONDITIONS,
    DEX,
    ENHANCEMENT,
    IMMUNE_CONTROL,
    IMMUNE_FEAR,
    IMMUNE_FLAT_FOOTED,
    IMMUNE_NEGATIVE_LEVELS,
    IMMUNITY,
    INSTANTANEOUS,
    INT,
    LUCK,
    NEGATIVE_LEVELS,
    SAVE_FORT,
    SAVE_REF,
    SEE_INVISIBLE,
    SENSE,
    SKILLS,
    SPELL_WARD,
    STR,
    TRUE_SEEING,
    VS_EVIL,
    WIS,
    ZONE,
)
from duel_env.rules.pathfinder.ongoing import remove_ongoing
from duel_env.rules.pathfinder.state import NONE
from duel_env.rules.pathfinder.totals import (
    any_helpless,
    any_loses_dex,
    any_no_actions,
    any_no_casting,
    any_no_counter,
    any_no_hostile,
    any_no_identifying,
    any_no_moves,
    any_no_targeting,
    any_no_verbal,
    any_one_action,
    any_only_moves,
    any_untargetable,
    can_act,
    can_see,
    caster_level,
    concentration_bonus,
    concentration_dc,
    spell_dc,
    spellcraft_bonus,
    verbal_failure,
)

from .bodies import Bout

FLAGS = {
    "no_actions": any_no_actions,
    "one_action": any_one_action,
    "only_moves": any_only_moves,
    "no_moves": any_no_moves,
    "no_casting": any_no_casting,
    "no_hostile": any_no_hostile,
    "no_verbal": any_no_verbal,
    "no_targeting": any_no_targeting,
    "no_counter": any_no_counter,
    "no_identifying": any_no_identifying,
    "helpless": any_helpless,
    "untargetable": any_untargetable,
    "loses_dex": any_loses_dex,
}


def test_each_condition_hinders_as_its_row_says_and_only_who_has_it():
    for number, name in enumerate(CONDITIONS):
        bout = Bout()
        bout.condition(0, name)
        assert bout.conditions(0) == {name}
        for flag, kernel in FLAGS.items():
            assert kernel(bout.core, bout.rules, 0) == bool(bout.rules["conditions"][number][flag]), (name, flag)
            assert not kernel(bout.core, bout.rules, 1)
        assert can_act(bout.core, bout.rules, 0) != any_no_actions(bout.core, bout.rules, 0)
        assert verbal_failure(bout.core, bout.rules, 0) == bout.rules["conditions"][number]["verbal_failure"]


# ---- fear ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fears", "result"),
    [
        (["shaken"], "shaken"),
        (["shaken", "shaken"], "frightened"),
        (["shaken", "frightened"], "panicked"),
        (["shaken", "shaken", "shaken"], "panicked"),
        (["frightened", "frightened"], "panicked"),
        (["panicked", "shaken", "frightened"], "panicked"),
    ],
)
def test_fears_of_different_spells_add_up(fears, result):
    bout = Bout()
    for fear in fears:
        bout.condition(0, fear)
    assert bout.conditions(0) == {result}


def test_fears_of_one_spell_do_not_add_up_and_each_ends_by_itself():
    bout = Bout()
    spell = bout.spell()
    for name in ("shaken", "frightened"):
        bout.put(0, bout.effect(CONDITION, spell=spell, condition=CONDITIONS.index(name)), caster=1)
    assert bout.conditions(0) == {"frightened"}
    other = bout.condition(0, "shaken")
    assert bout.conditions(0) == {"panicked"}
    remove_ongoing(*bout.world, 0, other)
    assert bout.conditions(0) == {"frightened"}
    remove_ongoing(*bout.world, 0, 1)
    assert bout.conditions(0) == {"shaken"}


def test_the_same_fear_twice_is_no_worse():
    bout = Bout()
    effect = bout.effect(CONDITION, condition=CONDITIONS.index("shaken"))
    for caster in range(2):
        bout.put(0, effect, caster=caster, casting=caster)
    assert len(bout.rows(0)) == 2
    assert bout.conditions(0) == {"shaken"}


def test_shaken_is_not_counted_besides_frightened():
    bout = Bout()
    bout.condition(0, "shaken")
    assert bout.core["totals"][0, SAVE_FORT] == -2
    bout.condition(0, "shaken")
    assert bout.core["totals"][0, SAVE_FORT] == -2


def test_immunity_to_fear_keeps_it_away_and_frees_of_it_while_it_lasts():
    bout = Bout()
    bout.condition(0, "panicked")
    row = bout.put(0, bout.effect(IMMUNITY, immune=IMMUNE_FEAR))
    assert bout.conditions(0) == set()
    assert bout.condition(0, "shaken") == NONE
    remove_ongoing(*bout.world, 0, row)
    assert bout.conditions(0) == {"panicked"}


# ---- other conditions -----------------------------------------------------------------------------------------------------------


def test_fatigue_becomes_exhaustion_only_where_the_effect_says_so():
    bout = Bout()
    bout.condition(0, "fatigued")
    bout.condition(0, "fatigued")
    assert bout.conditions(0) == {"fatigued"}
    assert ability_score(*bout.world, 0, STR) == 8
    bout.condition(0, "fatigued", escalates_to=CONDITIONS.index("exhausted"))
    assert bout.conditions(0) == {"exhausted"}
    assert (ability_score(*bout.world, 0, STR), ability_score(*bout.world, 0, DEX)) == (4, 4)


def test_an_effect_that_escalates_does_so_when_it_comes_again():
    bout = Bout()
    effect = bout.effect(CONDITION, condition=CONDITIONS.index("fatigued"), escalates_to=CONDITIONS.index("exhausted"))
    bout.put(0, effect, caster=1)
    assert bout.conditions(0) == {"fatigued"}
    bout.put(0, effect, caster=1)
    assert bout.conditions(0) == {"exhausted"}
    bout.put(0, effect, rounds=3, caster=1)
    assert bout.conditions(0) == {"exhausted"}
    assert len(bout.rows(0)) == 1
    assert bout.rows(0)[0]["rounds"] == 10


def test_conditions_and_negative_levels_change_rolls():
    bout = Bout()
    bout.condition(0, "sickened")
    bout.condition(0, "slowed")
    bout.condition(0, "stunned")
    totals = bout.core["totals"][0]
    assert [int(totals[stat]) for stat in (ATTACK, AC, SAVE_FORT, SAVE_REF, SKILLS, ABILITY_CHECKS)] == [-3, -3, -2, -3, -2, -2]
    bout.put(0, bout.effect(NEGATIVE_LEVELS), value=2, caster=1)
    assert [int(totals[stat]) for stat in (ATTACK, AC, SAVE_FORT, SAVE_REF, SKILLS, ABILITY_CHECKS)] == [-5, -3, -4, -5, -4, -4]


def test_freedom_of_movement_frees_and_keeps_free():
    bout = Bout()
    bout.condition(0, "grappled")
    bits = sum(1 << CONDITIONS.index(name) for name in ("grappled", "paralyzed"))
    row = bout.put(0, bout.effect(IMMUNITY, conditions=bits))
    assert bout.conditions(0) == set()
    assert bout.condition(0, "paralyzed") == NONE
    assert bout.condition(0, "dazed") != NONE
    remove_ongoing(*bout.world, 0, row)
    assert bout.conditions(0) == {"grappled", "dazed"}


def test_immunity_against_evil_needs_an_evil_opponent():
    bout = Bout()
    bout.put(0, bout.effect(IMMUNITY, immune=IMMUNE_CONTROL, versus=VS_EVIL))
    assert bout.core["immune"][0] == 0
    bout.sheets["evil"][1] = 1
    bout.recompute()
    assert bout.core["immune"][0] == IMMUNE_CONTROL


def test_flat_footed_until_the_first_turn():
    bout = Bout(flat_footed_start=1)
    bout.core["acted"] = 0
    bout.recompute()
    assert bout.conditions(0) == bout.conditions(1) == {"flat_footed"}
    bout.put(0, bout.effect(IMMUNITY, immune=IMMUNE_FLAT_FOOTED))
    assert bout.conditions(0) == set()
    bout.core["acted"][1] = 1
    bout.recompute()
    assert bout.conditions(1) == set()


def test_antimagic_stills_spells_but_not_what_is_done():
    bout = Bout()
    bout.modifier(0, AC, 3, LUCK)
    bout.condition(0, "dazed")
    done = bout.effect(CONDITION, spell=bout.spell(duration=INSTANTANEOUS), condition=CONDITIONS.index("blinded"))
    bout.put(0, done, caster=1)
    before = bout.core["ongoing"].copy()
    field = bout.put(0, bout.effect(SPELL_WARD, mode=ANTIMAGIC))
    assert bout.conditions(0) == {"blinded"}
    assert bout.core["totals"][0, AC] == -2
    bout.modifier(0, AC, 9, LUCK)
    assert bout.core["totals"][0, AC] == -2
    remove_ongoing(*bout.world, 0, len(bout.rows(0)) - 1)
    remove_ongoing(*bout.world, 0, field)
    assert bout.conditions(0) == {"blinded", "dazed"}
    assert bout.core["totals"][0, AC] == 1
    assert bout.core["ongoing"].tobytes() == before.tobytes()


# ---- sight and concentration ----------------------------------------------------------------------------------------------------


def test_who_sees_whom():
    bout = Bout()
    assert can_see(bout.core, bout.rules, 0, 1)
    bout.condition(1, "invisible")
    assert not can_see(bout.core, bout.rules, 0, 1)
    assert can_see(bout.core, bout.rules, 1, 0)
    row = bout.put(0, bout.effect(SENSE, sense=SEE_INVISIBLE))
    assert can_see(bout.core, bout.rules, 0, 1)
    remove_ongoing(*bout.world, 0, row)
    bout.condition(1, "outlined")
    assert can_see(bout.core, bout.rules, 0, 1)
    bout.condition(0, "blinded")
    assert not can_see(bout.core, bout.rules, 0, 1)


@pytest.mark.parametrize("holder", [0, 1])
def test_fog_blocks_sight_both_ways_even_true_seeing(holder):
    bout = Bout()
    for player in range(2):
        bout.put(player, bout.effect(SENSE, sense=TRUE_SEEING))
    bout.put(holder, bout.effect(ZONE, blocks_sight=1))
    assert not can_see(bout.core, bout.rules, 0, 1)
    assert not can_see(bout.core, bout.rules, 1, 0)


def test_concentration_takes_the_worst_hindrance():
    bout = Bout()
    assert concentration_dc(bout.core, bout.rules, 0) == NONE
    bout.core["last_continuous_damage"][0] = 7
    assert concentration_dc(bout.core, bout.rules, 0) == 13
    bout.condition(0, "entangled")
    assert concentration_dc(bout.core, bout.rules, 0) == 15
    grip = bout.condition(0, "grappled")
    bout.rows(0)[grip]["value"] = 12
    assert concentration_dc(bout.core, bout.rules, 0) == 22


# ---- abilities ------------------------------------------------------------------------------------------------------------------


def test_scores_fall_and_rise():
    bout = Bout()
    bout.modifier(0, ABILITY_INT, 4, ENHANCEMENT)
    bout.modifier(0, ABILITY_INT, 2, ENHANCEMENT)
    assert (ability_score(*bout.world, 0, INT), casting_modifier(*bout.world, 0)) == (14, 2)
    damage_ability(*bout.world, 0, INT, 3, ABILITY_DAMAGE, 0, NONE)
    damage_ability(*bout.world, 0, INT, 2, ABILITY_DRAIN, 0, NONE)
    assert (ability_score(*bout.world, 0, INT), ability_modifier(*bout.world, 0, INT)) == (9, -1)
    assert (bout.core["ability_damage"][0, INT], bout.core["ability_drain"][0, INT]) == (3, 2)


def test_penalties_leave_one_and_the_same_spell_counts_once():
    bout = Bout()
    effect = bout.effect(ABILITY, mode=ABILITY_PENALTY, abilities=1 << STR | 1 << WIS)
    bout.put(0, effect, value=4, caster=1, casting=1)
    bout.put(0, effect, value=3, caster=0, casting=2)
    assert (ability_score(*bout.world, 0, STR), ability_score(*bout.world, 0, WIS), ability_score(*bout.world, 0, INT)) == (
        6,
        6,
        10,
    )
    chosen = bout.effect(ABILITY, mode=ABILITY_PENALTY)
    bout.put(0, chosen, value=6, choice=STR, caster=1, casting=3)
    assert ability_score(*bout.world, 0, STR) == 1
    assert bout.conditions(0) == set(), "a penalty makes nobody helpless"


def test_damage_stops_at_the_least_score():
    bout = Bout()
    damage_ability(*bout.world, 0, STR, 40, ABILITY_DAMAGE, 1, NONE)
    assert ability_score(*bout.world, 0, STR) == 1
    damage_ability(*bout.world, 0, STR, 40, ABILITY_DAMAGE, 0, NONE)
    assert ability_score(*bout.world, 0, STR) == 0
    assert bout.core["ability_damage"][0, STR] == 10
    assert bout.conditions(0) == {"unconscious"}


def test_at_zero_the_effect_says_what_happens():
    bout = Bout()
    damage_ability(*bout.world, 0, DEX, 10, ABILITY_DAMAGE, 0, CONDITIONS.index("petrified"))
    assert bout.conditions(0) == {"petrified", "unconscious"}


def test_conditions_set_scores():
    bout = Bout()
    bout.condition(0, "paralyzed")
    assert [int(ability_score(*bout.world, 0, a)) for a in (STR, DEX, CON)] == [0, 0, 10]
    bout.condition(1, "feebleminded")
    assert [int(ability_score(*bout.world, 1, a)) for a in (INT, WIS, CHA)] == [1, 10, 1]


def test_constitution_changes_hit_points():
    bout = Bout()
    bout.core["hit_points"][0] = 20
    row = bout.modifier(0, ABILITY_CON, 4, ENHANCEMENT)
    assert (bout.core["hit_points"][0], max_hit_points(bout.core, bout.sheets, 0)) == (30, 40)
    damage_ability(*bout.world, 0, CON, 6, ABILITY_DAMAGE, 0, NONE)
    assert (bout.core["hit_points"][0], max_hit_points(bout.core, bout.sheets, 0)) == (15, 25)
    remove_ongoing(*bout.world, 0, row)
    assert (bout.core["hit_points"][0], max_hit_points(bout.core, bout.sheets, 0)) == (5, 15)
    damage_ability(*bout.world, 0, CON, 4, ABILITY_DAMAGE, 0, NONE)
    assert bout.has(0, "dead")


def test_negative_levels_take_hit_points_caster_level_and_life():
    bout = Bout()
    effect = bout.effect(NEGATIVE_LEVELS)
    bout.source(effect, 1)
    add_negative_levels(*bout.world, 0, effect, 2, 600)
    assert (bout.core["negative_levels"][0], bout.core["hit_points"][0], caster_level(bout.core, bout.sheets, 0)) == (2, 20, 3)
    bout.source(effect, 1, casting=2)
    add_negative_levels(*bout.world, 0, effect, 2, 600)
    assert (bout.core["negative_levels"][0], bout.core["hit_points"][0]) == (4, 10)
    assert bout.conditions(0) == set()
    ward = bout.put(0, bout.effect(IMMUNITY, immune=IMMUNE_NEGATIVE_LEVELS))
    assert (bout.core["negative_levels"][0], bout.core["hit_points"][0]) == (0, 30)
    bout.source(effect, 1, casting=3)
    add_negative_levels(*bout.world, 0, effect, 3, 600)
    remove_ongoing(*bout.world, 0, ward)
    assert (bout.core["negative_levels"][0], bout.core["hit_points"][0]) == (4, 10)
    bout.source(effect, 1, casting=4)
    add_negative_levels(*bout.world, 0, effect, 1, 600)
    assert bout.has(0, "dead")


def test_bonuses_of_casters():
    bout = Bout()
    bout.sheets["scores"][0, INT] = 18
    bout.sheets["focus"][0, 3], bout.sheets["identify"][0, 3], bout.sheets["spellcraft"][0], bout.sheets["concentration"][0] = (
        2,
        -5,
        8,
        1,
    )
    spell, other = bout.spell(school=3), bout.spell(school=2)
    assert (spell_dc(*bout.world, 0, spell, 3), spell_dc(*bout.world, 0, other, 3)) == (19, 17)
    assert (spellcraft_bonus(*bout.world, 0, spell), spellcraft_bonus(*bout.world, 0, other)) == (7, 12)
    assert concentration_bonus(*bout.world, 0) == 5 + 4 + 1
    bout.condition(0, "sickened")
    assert spellcraft_bonus(*bout.world, 0, other) == 10
