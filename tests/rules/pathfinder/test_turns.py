"""Turns of hand-made duels with scripted dice: what a turn allows."""

import pytest

from duel_env.rules.pathfinder.state import BY_DEFEAT, BY_ROUND_LIMIT
from tests.rules.pathfinder.fights import Fight, fight, make_sheet, quiet

# ---- the actions of a turn ----------------------------------------------------------------------------------------------------


def test_one_standard_spell_a_turn_and_a_quickened_one_besides():
    duel = quiet()
    duel.act("shield")
    assert not duel.can("mage_armor")
    assert not duel.can("fireball")
    assert duel.can("quickened_mage_armor")
    duel.act("quickened_mage_armor")
    assert duel.spells_on(0) == {"shield", "mage_armor"}
    assert not duel.can("quickened_true_strike")


def test_a_quickened_spell_first_leaves_the_standard_action():
    duel = quiet()
    duel.act("quickened_mage_armor")
    assert not duel.can("quickened_true_strike")
    duel.act("fireball", damage=20, ref=1)
    assert duel.lost(1) == 20


def test_all_actions_are_back_in_the_next_turn():
    duel = quiet()
    duel.act("shield").act("quickened_mage_armor")
    while duel.turn_of == 0:
        duel.end_turn()
    duel.end_turn()
    assert duel.turn_of == 0
    assert duel.can("fireball")
    assert duel.can("quickened_true_strike")


def test_a_turn_without_anything_left_ends_by_itself():
    duel = fight(("shield",), ("shield",))
    duel.act("shield")
    assert duel.turn_of == 1
    asked = fight(("shield",), ("shield",), ask_forced=True)
    asked.act("shield")
    assert asked.turn_of == 0
    assert asked.legal() == ["end_turn"]


def test_every_turn_is_asked_for_once_even_with_nothing_to_do():
    duel = fight((), ())
    assert duel.turn_of == 0
    assert duel.legal() == ["end_turn", "withdraw"]
    duel.end_turn()
    assert duel.turn_of == 1


@pytest.mark.parametrize("condition", ["staggered", "slowed", "disabled"])
def test_one_action_a_turn(condition):
    duel = quiet(("shield", "quickened mage_armor", "burning_hands"))
    duel.afflict(0, condition)
    assert duel.can("shield")
    assert not duel.can("burning_hands"), "it needs a move besides"
    duel.act("shield")
    assert duel.can("quickened_mage_armor")


def test_a_move_is_all_that_a_staggered_duelist_does():
    duel = quiet(("shield",), ask_forced=True)
    duel.core["near"] = 1
    duel.afflict(0, "staggered")
    duel.act("back_off")
    assert duel.legal() == ["end_turn"]


def test_who_is_nauseated_only_moves():
    duel = quiet(("shield", "quickened mage_armor"), ask_forced=True)
    duel.core["near"] = 1
    duel.afflict(0, "nauseated")
    assert duel.legal() == ["end_turn", "withdraw", "back_off"]
    duel.act("back_off")
    assert duel.legal() == ["end_turn"]


@pytest.mark.parametrize("condition", ["stunned", "dazed", "paralyzed", "asleep"])
def test_who_can_do_nothing_may_only_end_the_turn_or_withdraw(condition):
    duel = quiet()
    duel.afflict(0, condition)
    assert duel.legal() == ["end_turn", "withdraw"]


def test_a_strenuous_action_at_0_hit_points_costs_one():
    duel = quiet(("shield", "cure_light_wounds", "quickened mage_armor")).put(hit_points=(0, 60))
    assert duel.has(0, "disabled")
    duel.act("shield")
    assert duel.core["hit_points"][0] == -1
    assert duel.core["end"] == BY_DEFEAT
    assert duel.core["winner"] == 1
    duel = quiet(("shield", "quickened mage_armor")).put(hit_points=(0, 60))
    duel.act("quickened_mage_armor")
    assert duel.core["end"] == BY_DEFEAT, "a quickened spell as well"
    duel = quiet(("shield", "cure_light_wounds")).put(hit_points=(0, 60))
    duel.act("cure_light_wounds", healing=8)
    assert duel.core["hit_points"][0] == 13, "not if it gives some back"
    duel = quiet(("shield",)).put(hit_points=(0, 60))
    duel.end_turn()
    assert duel.core["hit_points"][0] == 0


# ---- approach and distance ----------------------------------------------------------------------------------------------------


def test_a_spell_that_does_not_reach_takes_the_move_action_once():
    duel = quiet(("burning_hands", "shield"), ask_forced=True)
    duel.act("burning_hands", damage=5, ref=1)
    assert duel.core["near"] == 1
    assert duel.core["move_used"] == 1
    duel.pass_turns(2)
    assert duel.core["near"] == 1
    duel.act("burning_hands").act("pass", damage=5, ref=1)
    assert duel.core["move_used"] == 0


def test_moving_away_takes_a_move_and_brings_the_distance_back():
    duel = quiet(("burning_hands",))
    assert not duel.can("back_off")
    duel.core["near"] = 1
    duel.act("back_off")
    assert duel.core["near"] == 0
    assert not duel.can("burning_hands"), "the move action is used"


def test_no_approach_is_asked_for_where_every_spell_reaches():
    duel = quiet(("burning_hands",), abstract_range=True)
    duel.core["near"] = 0
    duel.act("burning_hands", damage=5, ref=1)
    assert duel.core["move_used"] == 0
    assert not duel.can("back_off")


def test_who_cannot_move_does_not_reach():
    duel = quiet(("burning_hands", "fireball"))
    duel.afflict(0, "grappled")
    assert not duel.can("burning_hands")
    assert duel.can("fireball")


# ---- concentration, time stop, withdrawals ------------------------------------------------------------------------------------


def test_a_spell_by_concentration_lasts_as_long_as_it_is_kept_up():
    duel = quiet(("wall_of_fire", "shield"))
    duel.act("wall_of_fire", damage=10)
    assert duel.sees(1, "opponent_concentrates") == 1
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    assert duel.spells_on(1) == {"wall_of_fire"}
    duel.act("concentrate")
    assert not duel.can("shield"), "it takes the standard action"
    if duel.turn_of == 0:
        duel.end_turn()
    duel.end_turn()
    assert duel.spells_on(1) == {"wall_of_fire"}
    duel.act("shield")
    if duel.turn_of == 0:
        duel.end_turn()
    assert duel.spells_on(1) == set()
    assert duel.sees(1, "opponent_concentrates") == 0


def test_turns_in_stopped_time_belong_to_the_caster_alone():
    duel = Fight(make_sheet(("time_stop", "shield", "mage_armor", "fireball"), 17), make_sheet(("dispel_magic",), 17))
    duel.sheets[0]["scores"][3] = 30
    duel.act("time_stop", spellcraft=1, count=3)
    extra = int(duel.core["extra_turns"][0])
    assert extra >= 2
    if duel.turn_of == 0 and duel.core["in_time_stop"][0] == 0:
        duel.end_turn()
    rounds = int(duel.core["round"])
    for _ in range(extra):
        assert duel.core["in_time_stop"][0] == 1
        assert duel.turn_of == 0
        assert not duel.can("fireball"), "nothing reaches the opponent"
        assert duel.core["round"] == rounds
        if duel.can("shield") and not duel.spells_on(0) & {"shield"}:
            duel.act("shield")
            assert duel.answers == -1
        if duel.turn_of == 0 and duel.core["in_time_stop"][0] == 1:
            duel.end_turn()
    assert duel.core["in_time_stop"][0] == 0
    assert duel.turn_of == 1


def test_the_round_limit_ends_the_duel_as_a_draw():
    duel = quiet((), max_rounds=2)
    duel.pass_turns(4)
    assert duel.core["end"] == BY_ROUND_LIMIT
    assert duel.core["winner"] == -1


def test_who_is_confused_loses_the_turn_or_hurts_himself():
    duel = Fight(make_sheet(()), make_sheet(("shield",)))
    duel.afflict(1, "confused")
    # the condition is only set in the bits, which nothing brings up to date before the next turn but the end of being flat-footed
    duel.core["acted"][1] = 1
    duel.end_turn(confusion=60, damage=5)
    assert duel.lost(1) == 5
    assert duel.legal() == ["end_turn", "withdraw"]


def test_who_hurts_himself_out_of_the_duel_has_lost():
    duel = Fight(make_sheet(()), make_sheet(("shield",)))
    duel.put(hit_points=(60, 3))
    duel.core["acted"][1] = 1
    duel.afflict(1, "confused")
    duel.end_turn(confusion=60, damage=8)
    assert duel.core["end"] == BY_DEFEAT
    assert duel.core["winner"] == 0


# ---- choices within spells ----------------------------------------------------------------------------------------------------


def test_the_opponent_is_a_target_only_where_the_spell_reaches_and_sees():
    duel = fight(first=("dispel_magic", "shield"), second=("invisibility", "shield"))
    duel.end_turn().act("invisibility", spellcraft=1).act("pass")
    if duel.turn_of == 1:
        duel.end_turn()
    assert duel.has(1, "invisible")
    duel.act("dispel_magic")
    assert duel.core["choosing"] == 0, "oneself is the only target: nothing is asked"
    assert duel.has(1, "invisible")


def test_a_spell_in_effect_is_listed_once():
    duel = fight(first=("dispel_magic",), second=("haste", "mage_armor", "shield"))
    duel.end_turn().act("haste", spellcraft=1).act("pass")
    duel.pass_turns(2 if duel.turn_of == 1 else 1)
    duel.act("shield", spellcraft=1).act("pass")
    if duel.turn_of == 1:
        duel.end_turn()
    duel.act("dispel_magic").act("target_opponent")
    assert duel.legal() == ["pick_strongest", "pick_1", "pick_2"]
    duel.act("pick_2", spellcraft=1, dispel=11)
    assert duel.spells_on(1) == {"haste"}


def test_dismissing_asks_which_and_takes_a_standard_action():
    duel = quiet(("mage_armor", "shield", "haste"))
    duel.act("mage_armor")
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    duel.act("shield")
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    duel.act("dismiss")
    assert duel.legal() == ["pick_1", "pick_2"]
    duel.act("pick_1")
    assert duel.spells_on(0) == {"shield"}
    if duel.turn_of == 0:
        assert not duel.can("haste")


def test_the_bonded_object_is_the_last_means():
    sheet = make_sheet(("shield", "shield 2"), has_bonded_object=1)
    sheet["entry_copies"][:2] = (1, 1)
    duel = Fight(sheet, make_sheet(()))
    for copies, used in (((0, 1), 0), ((0, 0), 0), ((0, 0), 1)):
        duel.act("shield")
        assert duel.core["copies"][0, :2].tolist() == list(copies)
        assert duel.core["bonded_used"][0] == used
        duel.pass_turns(2 if duel.turn_of == 0 else 1)
    assert not duel.can("shield")
