"""Turns of hand-made duels with scripted dice: what a turn allows, and what the rules page says of special actions."""

import numpy as np
import pytest

from duel_env.rules.pathfinder.state import BY_DEFEAT, BY_ROUND_LIMIT, REACTION, READIED
from tests.rules.pathfinder.fights import Fight, make_sheet

SPELLS = ("shield", "mage_armor", "fireball", "haste", "dispel_magic", "quickened mage_armor", "quickened true_strike", "jolt")


def fight(first=SPELLS, second=SPELLS, **settings):
    sheets = [one if not isinstance(one, tuple) else make_sheet(one) for one in (first, second)]
    return Fight(*sheets, **settings)


def quiet(first=SPELLS, **settings):
    """The other can do nothing about castings."""
    return fight(first, (), **settings)


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
    duel.core["conditions"][0] |= np.uint64(1 << _number(condition))
    assert duel.can("shield")
    assert not duel.can("burning_hands"), "it needs a move besides"
    duel.act("shield")
    assert duel.can("quickened_mage_armor")


def _number(condition):
    from duel_env.rules.pathfinder.codes import CONDITIONS

    return CONDITIONS.index(condition)


def test_a_move_is_all_that_a_staggered_duelist_does():
    duel = quiet(("shield",), ask_forced=True)
    duel.core["near"] = 1
    duel.core["conditions"][0] |= np.uint64(1 << _number("staggered"))
    duel.act("back_off")
    assert duel.legal() == ["end_turn"]


def test_who_is_nauseated_only_moves():
    duel = quiet(("shield", "quickened mage_armor"), ask_forced=True)
    duel.core["near"] = 1
    duel.core["conditions"][0] |= np.uint64(1 << _number("nauseated"))
    assert duel.legal() == ["end_turn", "withdraw", "back_off"]
    duel.act("back_off")
    assert duel.legal() == ["end_turn"]


@pytest.mark.parametrize("condition", ["stunned", "dazed", "paralyzed", "asleep"])
def test_who_can_do_nothing_may_only_end_the_turn_or_withdraw(condition):
    duel = quiet()
    duel.core["conditions"][0] |= np.uint64(1 << _number(condition))
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
    duel.core["conditions"][0] |= np.uint64(1 << _number("grappled"))
    assert not duel.can("burning_hands")
    assert duel.can("fireball")


# ---- the dueling counter ------------------------------------------------------------------------------------------------------


def test_who_has_not_acted_is_flat_footed_and_cannot_counter():
    duel = fight()
    assert duel.has(1, "flat_footed")
    assert not duel.has(0, "flat_footed")
    duel.act("fireball", spellcraft=20, damage=20, ref=1)
    assert duel.lost(1) == 20
    while duel.turn_of == 0:
        duel.end_turn()
    assert not duel.has(1, "flat_footed")
    duel.act("fireball", spellcraft=20)
    assert duel.answers == 0


def test_a_counter_with_a_copy_of_the_spell():
    duel = fight(flat_footed_start=False)
    duel.act("fireball", spellcraft=20)
    assert duel.answers == 1
    assert duel.core["phase"] == REACTION
    assert {name for name in duel.legal() if name.startswith("spend")} == {
        "spend_fireball",
        "spend_haste",
        "spend_dispel_magic",
    } | {
        "spend_true_strike",
        "spend_mage_armor",
    }, "quickened ones stand in slots four levels higher"
    duel.act("spend_fireball", counter=20)
    assert duel.lost(1) == 0
    assert duel.core["copies"][0, 2] == 2
    assert duel.core["copies"][1, 2] == 2


def test_a_failed_counter_makes_saves_harder():
    duel = fight(flat_footed_start=False)
    duel.act("fireball", spellcraft=20)
    # DC 10 + 3 + 10, saves without bonus: only a 20 succeeds, which it does always. Give the target some.
    duel.sheets[1]["saves"] = 10
    duel.act("spend_haste", counter=1, damage=20, ref=14)
    assert duel.lost(1) == 20, "14 + 10 - 2 is less than 23"
    other = fight(flat_footed_start=False)
    other.sheets[1]["saves"] = 10
    other.act("fireball", spellcraft=20).act("pass", damage=20, ref=14)
    assert other.lost(1) == 10


def test_who_fails_to_identify_can_only_dispel():
    duel = fight(flat_footed_start=False)
    duel.act("fireball", spellcraft=1)
    assert duel.legal() == ["spend_dispel_magic", "pass"]
    duel.act("spend_dispel_magic", dispel=11)
    assert duel.lost(1) == 0
    bare = fight(second=("shield", "fireball"), flat_footed_start=False)
    bare.act("fireball", spellcraft=1, damage=20, ref=1)
    assert bare.lost(1) == 20, "who has nothing to spend is not asked"


def test_a_counter_takes_the_swift_action_of_the_coming_turn():
    duel = fight(flat_footed_start=False)
    duel.act("fireball", spellcraft=20).act("spend_fireball", counter=20)
    assert duel.core["immediate_spent"][1] == 1
    duel.end_turn()
    assert duel.turn_of == 1
    assert not duel.can("quickened_mage_armor")
    assert duel.can("shield")
    duel.end_turn().end_turn()
    assert duel.can("quickened_mage_armor"), "only of that one"


def test_one_dueling_counter_a_round():
    duel = fight(flat_footed_start=False)
    duel.act("quickened_mage_armor", spellcraft=20)
    assert duel.answers == 1
    duel.act("spend_mage_armor", counter=20)
    duel.act("fireball", spellcraft=20, damage=20, ref=1)
    assert duel.lost(1) == 20


def test_a_swift_action_of_the_own_turn_does_not_prevent_a_counter_after_it():
    duel = fight(flat_footed_start=False)
    duel.end_turn()
    duel.act("quickened_mage_armor", spellcraft=1).act("pass").end_turn()
    duel.act("fireball", spellcraft=20)
    assert duel.answers == 1


def test_a_counter_asks_for_the_slot_where_there_are_several():
    duel = fight(second=make_sheet(("fireball",), slots=(1, 1, 1, 1)), flat_footed_start=False)
    duel.act("fireball", spellcraft=20).act("spend_fireball")
    assert duel.legal() == ["slot_3", "slot_4"]
    duel.act("slot_4", counter=20)
    assert duel.core["slots"][1, :5].tolist() == [0, 1, 1, 1, 0]
    assert duel.lost(1) == 0


def test_a_caster_who_is_not_seen_is_not_countered():
    duel = fight(first=("invisibility", "fireball"), flat_footed_start=False)
    duel.act("invisibility", spellcraft=20).act("pass")
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    duel.act("fireball", damage=20, ref=1)
    assert duel.lost(1) == 20
    assert not duel.has(0, "invisible"), "the attack ends it"


# ---- the readied counterspell -------------------------------------------------------------------------------------------------


def test_a_readied_counterspell_negates_surely_and_changes_who_opens_the_round():
    duel = fight()
    duel.end_turn()
    duel.act("ready_counterspell")
    assert not duel.can("shield"), "it takes the standard action"
    if duel.turn_of == 1:
        duel.end_turn()
    assert duel.core["readied"][1] == 1
    assert duel.core["opener"] == 0
    assert duel.core["round"] == 2
    duel.act("fireball", spellcraft=20)
    assert duel.core["phase"] == READIED
    assert set(duel.legal()) == {"spend_fireball", "spend_dispel_magic", "pass"}
    duel.act("spend_fireball")
    assert duel.lost(1) == 0
    assert duel.core["readied"][1] == 0
    assert duel.core["opener"] == 1
    assert duel.core["counter_used"][1] == 0, "it is no dueling counter"
    if duel.turn_of == 0:
        duel.end_turn()
    assert duel.turn_of == 1
    assert duel.core["round"] == 3


def test_a_readied_counterspell_is_lost_in_the_own_next_turn():
    duel = quiet()
    duel.act("ready_counterspell")
    while duel.turn_of == 0:
        duel.end_turn()
    assert duel.core["readied"][0] == 1
    duel.end_turn()
    assert duel.core["readied"][0] == 0


def test_a_readied_counterspell_that_is_passed_leaves_the_dueling_counter():
    duel = fight()
    duel.end_turn().act("ready_counterspell")
    if duel.turn_of == 1:
        duel.end_turn()
    duel.act("fireball", spellcraft=20).act("pass")
    assert duel.core["phase"] == REACTION
    assert duel.answers == 1


def test_an_unidentified_spell_is_dispelled_by_who_is_ready():
    duel = fight()
    duel.end_turn().act("ready_counterspell")
    if duel.turn_of == 1:
        duel.end_turn()
    duel.act("fireball", spellcraft=1)
    assert set(duel.legal()) == {"spend_dispel_magic", "pass"}
    duel.act("spend_dispel_magic", dispel=1, damage=20, ref=1)
    assert duel.lost(1) == 20
    assert duel.answers == -1, "one try a spell"


def test_who_is_not_seen_is_not_answered_by_who_is_ready_either():
    duel = fight(first=("invisibility", "fireball"))
    duel.act("invisibility")
    duel.pass_turns(1 if duel.turn_of == 1 else 2)
    duel.end_turn().act("ready_counterspell")
    if duel.turn_of == 1:
        duel.end_turn()
    duel.act("fireball", damage=20, ref=1)
    assert duel.lost(1) == 20


def test_a_roll_of_the_confused_counts_only_while_he_is_confused():
    duel = fight(flat_footed_start=False)
    duel.core["confused_roll"][1] = 60
    duel.act("fireball", spellcraft=20)
    assert duel.answers == 1
    duel = fight(flat_footed_start=False)
    duel.core["confused_roll"][1] = 60
    duel.core["conditions"][1] |= np.uint64(1 << _number("confused"))
    duel.act("fireball", spellcraft=20, damage=20, ref=1)
    assert duel.lost(1) == 20


# ---- what loses a spell ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("face", "lost"), [(13, True), (14, False)])
def test_who_is_hindered_has_to_concentrate(face, lost):
    duel = Fight(make_sheet(("fireball",), concentration=-15), make_sheet(()))
    duel.core["conditions"][0] |= np.uint64(1 << _number("entangled"))
    duel.act("fireball", concentration=face, **({} if lost else {"damage": 20, "ref": 1}))  # 14 + 9 + 10 - 15 against 15 + 3
    assert duel.lost(1) == (0 if lost else 20)
    assert duel.core["copies"][0, 0] == 2, "it is spent in any case"
    assert duel.core["unknown_castings"][0] == lost


@pytest.mark.parametrize(("face", "lost"), [(20, True), (21, False)])
def test_who_is_deaf_may_fail_to_speak(face, lost):
    duel = quiet(("fireball",))
    duel.core["conditions"][0] |= np.uint64(1 << _number("deafened"))
    duel.act("fireball", failure=face, **({} if lost else {"damage": 20, "ref": 1}))
    assert duel.lost(1) == (0 if lost else 20)


# ---- castings of one round ----------------------------------------------------------------------------------------------------


def deep_slumber(**settings):
    duel = Fight(make_sheet(("deep_slumber", "shield")), make_sheet(("magic_missile", "frostbite")), **settings)
    return duel.act("deep_slumber", spellcraft=1)


def test_a_casting_of_one_round_takes_effect_before_the_next_turn():
    duel = deep_slumber()
    assert duel.turn_of == 1
    assert duel.sees(1, "opponent_casts_a_round") == 1
    assert not duel.has(1, "asleep")
    duel.end_turn(will=1)
    assert duel.has(1, "asleep")
    assert duel.turn_of == 0
    assert duel.can("shield"), "the turn after it is whole"


def test_damage_breaks_a_casting_of_one_round_unless_a_check_saves_it():
    duel = deep_slumber()
    duel.act("magic_missile", spellcraft=1, damage=[4, 4, 4, 4, 4])
    assert duel.lost(0) == 25
    if duel.turn_of == 1:
        duel.end_turn(concentration=18)  # 18 + 9 + 10 against 10 + 25 + 3
    assert not duel.has(1, "asleep")
    assert duel.core["one_round_spell"][0]["spell"] == -1
    duel = deep_slumber()
    duel.act("magic_missile", spellcraft=1, damage=[4, 4, 4, 4, 4], concentration=19, will=1)
    assert duel.has(1, "asleep")


def test_nonlethal_damage_breaks_it_as_well():
    duel = deep_slumber(arena="safe")
    duel.act("magic_missile", spellcraft=1, damage=[4, 4, 4, 4, 4], concentration=18)
    assert not duel.has(1, "asleep")


def test_a_casting_of_one_round_is_noted_once():
    duel = deep_slumber()
    assert duel.sees(1, "opponent_unknown_castings") == pytest.approx(0.1)
    duel.end_turn(will=1)
    assert duel.sees(1, "opponent_unknown_castings") == 0, "now it is known"
    assert duel.sees(1, "opponent_seen_deep_slumber") == pytest.approx(0.25)
    duel = Fight(make_sheet(("deep_slumber",)), make_sheet(("shield",)))
    duel.act("deep_slumber", spellcraft=20)
    assert duel.sees(1, "opponent_seen_deep_slumber") == pytest.approx(0.25)
    duel.end_turn(will=20)
    assert duel.sees(1, "opponent_seen_deep_slumber") == pytest.approx(0.25)
    assert duel.sees(1, "opponent_unknown_castings") == 0


# ---- touch spells -------------------------------------------------------------------------------------------------------------


def test_held_charges_are_used_one_touch_at_a_time():
    duel = quiet(("chill_touch", "shield"))
    duel.act("chill_touch", attack=15, damage=4, fort=20)
    assert duel.core["touch_charges"][0] == 8, "one for each caster level, the first is used"
    assert duel.sees(1, "opponent_held_charges") == 1
    assert not duel.can("touch"), "a touch is a standard action"
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    castings = duel.core["unknown_castings"][0] + duel.core["seen"][0].sum()
    duel.act("touch", attack=15, damage=4, fort=20)
    assert duel.lost(1) == 8
    assert duel.core["touch_charges"][0] == 7
    assert duel.core["unknown_castings"][0] + duel.core["seen"][0].sum() == castings, "a touch is no casting"


def test_casting_another_spell_lets_the_charges_go():
    duel = quiet(("chill_touch", "shield"))
    duel.act("chill_touch", attack=15, damage=4, fort=20)
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    duel.act("shield")
    assert duel.core["touch_charges"][0] == 0
    assert duel.sees(1, "opponent_held_charges") == 0


def test_the_last_charge_ends_the_touch():
    duel = quiet(("chill_touch",)).put()
    duel.act("chill_touch", attack=15, damage=1, fort=20)
    duel.core["touch_charges"][0] = 1
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    duel.act("touch", attack=15, damage=1, fort=20)
    assert duel.core["touch_spell"][0] == -1
    assert not duel.can("touch")


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
    duel.core["conditions"][1] |= np.uint64(1 << _number("confused"))
    # the condition is only set in the bits, which nothing brings up to date before the next turn but the end of being flat-footed
    duel.core["acted"][1] = 1
    duel.end_turn(confusion=60, damage=5)
    assert duel.lost(1) == 5
    assert duel.legal() == ["end_turn", "withdraw"]


def test_who_hurts_himself_out_of_the_duel_has_lost():
    duel = Fight(make_sheet(()), make_sheet(("shield",)))
    duel.put(hit_points=(60, 3))
    duel.core["acted"][1] = 1
    duel.core["conditions"][1] |= np.uint64(1 << _number("confused"))
    duel.end_turn(confusion=60, damage=8)
    assert duel.core["end"] == BY_DEFEAT
    assert duel.core["winner"] == 0


# ---- hostile acts --------------------------------------------------------------------------------------------------------------


def test_a_charm_lasts_until_its_caster_does_something_hostile():
    duel = quiet(("charm_person", "shield", "fireball"))
    duel.act("charm_person", will=1)
    assert duel.has(1, "charmed"), "the charm itself does not end it"
    assert "fireball" not in duel.legal()
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    duel.act("shield")
    assert duel.has(1, "charmed")
    duel.pass_turns(2 if duel.turn_of == 0 else 1)
    duel.act("fireball", damage=9, ref=1)
    assert not duel.has(1, "charmed")


def test_an_attack_has_what_invisibility_gives_and_then_ends_it():
    for spell in ("scorching_ray", "chill_touch"):
        duel = quiet(("invisibility", spell))
        duel.act("invisibility")
        duel.pass_turns(2 if duel.turn_of == 0 else 1)
        if spell == "scorching_ray":  # 9 and the +2 of the invisible hit touch AC 10, without Dexterity
            duel.act(spell, attack=[8, 1], damage=10)
        else:
            duel.act(spell, attack=8, damage=3, fort=20)
        assert duel.lost(1) > 0
        assert not duel.has(0, "invisible")


def test_a_held_touch_has_it_as_well():
    duel = quiet(("chill_touch", "quickened invisibility"))
    duel.act("chill_touch", attack=15, damage=3, fort=20)
    if duel.turn_of == 0:
        duel.end_turn()
    duel.end_turn()
    duel.core["touch_charges"][0] = 5
    _invisible(duel)
    duel.act("touch", attack=8, damage=3, fort=20)
    assert duel.lost(1) == 6
    assert not duel.has(0, "invisible")


def _invisible(duel):
    """Player 0 becomes invisible, without casting, which would let the charges go."""
    other = quiet(("invisibility",)).act("invisibility")
    duel.core["ongoing"][0, 0] = other.core["ongoing"][0, 0]
    duel.core["num_ongoing"][0] = 1
    duel.put()


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
