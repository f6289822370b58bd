"""One test for each sentence of the rules, with dice that are given; `play` fails if a die is missing or left over.

Skill 60: stupefy and protego succeed on 1..60, stupefy_strong on 1..50, petrificus_totalus and levicorpus on 1..40, expelliarmus on 1..30.
"""

import numpy as np
import pytest

from duel_env.duel import Die
from duel_env.errors import IllegalActionError, InvalidRollError, UsageError
from tests.helpers import begin, legal, play

SPELLS = {"stupefy", "stupefy_strong", "expelliarmus", "petrificus_totalus", "levicorpus", "protego"}
HIT, MISS = 1, 100


def hit_points(duel):
    return duel.state["hit_points"][0].tolist()


# ---- initiative -----------------------------------------------------------------------------------------------------------------


def test_higher_skill_has_the_initiative():
    assert begin((60, 50), None).current_player == 0
    assert begin((50, 60), None).current_player == 1


@pytest.mark.parametrize("face", [1, 2])
def test_tie_is_a_fair_coin(face):
    duel = begin((60, 60), None)
    assert duel.die == Die(sides=2, roller=-1, action=-1)
    assert duel.chance_outcomes().tolist() == [0.5, 0.5]
    duel.roll(face)
    assert duel.current_player == face - 1


# ---- dice -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spell", "threshold"),
    [
        ("stupefy", 60),
        ("protego", 60),
        ("stupefy_strong", 50),
        ("petrificus_totalus", 40),
        ("levicorpus", 40),
        ("expelliarmus", 30),
    ],
)
def test_worked_example_of_the_source_at_skill_60(spell, threshold):
    duel = begin()
    duel.apply_action(duel.game.action_number(spell))
    assert duel.chance_outcomes()[1] == pytest.approx(threshold / 100)
    lucky, unlucky = duel.copy(), duel.copy()
    lucky.roll(threshold)
    unlucky.roll(threshold + 1)
    assert lucky.state["first_roll"][0] == 2
    assert unlucky.state["first_roll"][0] == 1


@pytest.mark.parametrize(("skill", "spell", "chance"), [(0, "stupefy", 0.0), (20, "expelliarmus", 0.0), (100, "stupefy", 1.0)])
def test_thresholds_outside_the_die_never_or_always_succeed(skill, spell, chance):
    duel = begin((skill, 60))
    duel.apply_action(duel.game.action_number(spell))
    assert duel.chance_outcomes()[1] == chance
    for face in (1, 100):
        after = duel.copy()
        after.roll(face)
        assert (after.state["first_roll"][0] == 2) == (chance == 1.0)


# ---- a round --------------------------------------------------------------------------------------------------------------------


def test_each_loses_what_the_other_spell_deals_and_roles_swap():
    duel = play(begin(), "stupefy", HIT, "stupefy_strong", HIT)
    assert hit_points(duel) == [3, 4]
    assert duel.current_player == 1
    assert duel.state["round"][0] == 2


def test_second_caster_sees_the_roll_before_answering():
    duel = play(begin(), "stupefy", HIT)
    assert duel.current_player == 1
    assert duel.state["first_roll"][0] == 2


def test_without_riposte_sees_roll_both_dice_come_after_the_answer():
    duel = begin(riposte_sees_roll=False)
    duel.apply_action(0)
    assert duel.die is None
    assert duel.state["first_roll"][0] == 0
    play(duel, "stupefy", HIT, MISS)
    assert hit_points(duel) == [5, 4]


def test_first_caster_wins_before_the_answer_happens_and_no_die_is_thrown_for_it():
    duel = play(begin(hit_points=1), "stupefy", HIT, "stupefy")
    assert duel.is_over
    assert duel.returns() == (1.0, -1.0)
    assert hit_points(duel) == [1, 0]


def test_second_caster_wins_when_the_answer_brings_the_first_to_zero():
    assert play(begin(hit_points=1), "stupefy", MISS, "stupefy", HIT).returns() == (-1.0, 1.0)


def test_simultaneous_resolution_lets_both_fall():
    duel = play(begin(hit_points=1, resolution="simultaneous"), "stupefy", HIT, "stupefy", HIT)
    assert duel.is_over
    assert not duel.is_truncated
    assert duel.returns() == (0.0, 0.0)


def test_simultaneous_resolution_lets_a_falling_duelist_answer_in_vain():
    duel = play(begin(hit_points=1, resolution="simultaneous"), "stupefy", HIT, "stupefy", MISS)
    assert duel.returns() == (1.0, -1.0)


# ---- protego --------------------------------------------------------------------------------------------------------------------


def test_answering_protego_blocks_the_first_spell():
    assert hit_points(play(begin(), "stupefy_strong", HIT, "protego", HIT)) == [5, 5]


def test_failed_protego_blocks_nothing():
    assert hit_points(play(begin(), "stupefy_strong", HIT, "protego", MISS)) == [5, 3]


def test_first_protego_blocks_the_answer():
    assert hit_points(play(begin(), "protego", HIT, "stupefy", HIT)) == [5, 5]
    assert hit_points(play(begin(), "protego", MISS, "stupefy", HIT)) == [4, 5]


def test_protego_stops_no_action_without_a_die():
    duel = play(begin(), "expelliarmus", HIT, "stupefy", "retrieve_wand", "protego", HIT)
    assert duel.state["wand"][0].tolist() == [0, 0]


# ---- expelliarmus ---------------------------------------------------------------------------------------------------------------


def test_expelliarmus_voids_the_riposte_and_takes_the_wand():
    duel = play(begin(), "expelliarmus", HIT, "stupefy")
    assert hit_points(duel) == [5, 5]
    assert duel.current_player == 1
    assert legal(duel) == {"retrieve_wand"}


def test_failed_protego_against_expelliarmus_is_void_and_leaves_the_hex():
    hexed = play(begin(), "levicorpus", HIT, "levicorpus", HIT)  # the answer's hit ended the hex on player 1; player 0 is hexed
    assert hexed.state["hexed"][0].tolist() == [1, 0]
    play(hexed, "expelliarmus", HIT, "protego", MISS)
    assert hexed.state["hexed"][0].tolist() == [1, 0]
    assert hexed.state["wand"][0].tolist() == [1, 0]


def test_disarmed_duelist_may_only_retrieve_and_that_is_the_whole_turn():
    duel = play(begin(), "expelliarmus", HIT, "stupefy", "retrieve_wand")
    assert duel.current_player == 0
    assert legal(duel) == SPELLS


def test_caster_of_expelliarmus_may_seize_the_wand_and_wins():
    duel = play(begin(), "stupefy", MISS, "expelliarmus", HIT)  # player 1 answers, then acts first
    assert legal(duel) == SPELLS | {"seize_wand"}
    assert play(duel, "seize_wand").returns() == (-1.0, 1.0)


def test_wand_retrieved_first_cannot_be_seized_in_that_round():
    duel = play(begin(), "expelliarmus", HIT, "stupefy", "retrieve_wand")
    assert "seize_wand" not in legal(duel)


def test_retrieved_wand_can_be_lost_again_to_the_answer():
    duel = play(begin(), "expelliarmus", HIT, "stupefy", "retrieve_wand", "expelliarmus", HIT)
    assert duel.state["wand"][0].tolist() == [0, 1]


def test_expelliarmus_voids_even_a_retrieval():
    duel = play(begin(), "stupefy", MISS, "expelliarmus", HIT)  # player 0 is disarmed, player 1 acts first
    play(duel, "expelliarmus", HIT)
    assert legal(duel) == {"retrieve_wand"}
    play(duel, "retrieve_wand")
    assert duel.state["wand"][0].tolist() == [1, 0]


def test_answering_seizure_wins():
    duel = play(begin(levicorpus_hits_riposte=False, seize_after="any_disarm"), "levicorpus", HIT, "stupefy", HIT)
    assert play(duel, "stupefy", MISS, "seize_wand").returns() == (1.0, -1.0)


# ---- petrificus totalus ---------------------------------------------------------------------------------------------------------


def test_petrificus_binds_in_the_next_round_only():
    duel = play(begin(), "petrificus_totalus", HIT, "stupefy", HIT)
    assert hit_points(duel) == [4, 5]  # the riposte of the same round still happened
    assert legal(duel) == {"pass"}
    play(duel, "pass", "stupefy", MISS)
    assert legal(duel) == SPELLS
    assert duel.current_player == 0
    play(duel, "stupefy", MISS)
    assert legal(duel) == SPELLS


def test_petrificus_of_the_answer_binds_the_first_caster_in_the_next_round():
    duel = play(begin(), "stupefy", MISS, "petrificus_totalus", HIT, "stupefy", MISS)
    assert duel.current_player == 0
    assert legal(duel) == {"pass"}


def test_petrificus_as_riposte_timing_voids_the_answer_and_nothing_later():
    duel = play(begin(petrificus_timing="riposte"), "petrificus_totalus", HIT, "stupefy")
    assert hit_points(duel) == [5, 5]
    assert legal(duel) == SPELLS
    assert legal(play(duel, "stupefy", MISS, "petrificus_totalus", HIT, "stupefy", MISS)) == {"pass"}


@pytest.mark.parametrize(("allowed", "action"), [(True, "retrieve_wand"), (False, "pass")])
def test_petrified_and_disarmed_may_retrieve_unless_the_option_forbids_it(allowed, action):
    duel = begin(first_caster=1, levicorpus_hits_riposte=False, petrified_may_retrieve=allowed)
    play(duel, "levicorpus", HIT, "stupefy", MISS)  # player 0 is hexed
    play(duel, "stupefy", MISS, "petrificus_totalus", HIT)  # misses, drops the wand, and is petrified
    play(duel, "stupefy", MISS)
    assert duel.current_player == 0
    assert legal(duel) == {action}
    assert play(duel, action).state["wand"][0].tolist() == [0 if allowed else 2, 0]


@pytest.mark.parametrize(("allowed", "action"), [(True, "seize_wand"), (False, "pass")])
def test_petrified_duelist_with_a_wand_may_seize_unless_the_option_forbids_it(allowed, action):
    duel = play(begin(petrified_may_retrieve=allowed), "petrificus_totalus", HIT, "expelliarmus", HIT)
    assert duel.current_player == 1
    assert legal(duel) == {action}


# ---- levicorpus -----------------------------------------------------------------------------------------------------------------


def test_levicorpus_takes_the_wand_on_the_next_miss_the_riposte_included():
    duel = play(begin(), "levicorpus", HIT, "stupefy", MISS)
    assert duel.state["wand"][0].tolist() == [0, 2]
    assert duel.state["hexed"][0].tolist() == [0, 0]
    assert legal(duel) == {"retrieve_wand"}


def test_levicorpus_ends_on_a_success():
    duel = play(begin(), "levicorpus", HIT, "stupefy", HIT)
    assert duel.state["hexed"][0].tolist() == [0, 0]
    assert duel.state["wand"][0].tolist() == [0, 0]


def test_failed_protego_is_a_missed_spell():
    assert play(begin(), "levicorpus", HIT, "protego", MISS).state["wand"][0].tolist() == [0, 2]


@pytest.mark.parametrize(("option", "seizable"), [("expelliarmus", False), ("any_disarm", True)])
def test_wand_lost_to_levicorpus_can_be_seized_only_with_the_option(option, seizable):
    duel = begin(first_caster=1, levicorpus_hits_riposte=False, seize_after=option)
    play(duel, "levicorpus", HIT, "stupefy", MISS)  # player 0 is hexed
    play(duel, "stupefy", MISS, "stupefy", MISS)  # misses and drops the wand; player 1 acts first in the next round
    assert ("seize_wand" in legal(duel)) == seizable


@pytest.mark.parametrize(("option", "seizable"), [("expelliarmus", False), ("any_disarm", True)])
def test_first_caster_who_misses_under_the_hex_can_be_seized_in_the_same_round_after_any_disarm(option, seizable):
    duel = play(begin(levicorpus_hits_riposte=False, seize_after=option), "levicorpus", HIT, "stupefy", HIT, "stupefy", MISS)
    assert duel.current_player == 0
    assert ("seize_wand" in legal(duel)) == seizable


def test_levicorpus_that_spares_the_riposte_waits_for_the_next_spell():
    duel = play(begin(levicorpus_hits_riposte=False), "levicorpus", HIT, "stupefy", MISS)
    assert duel.state["wand"][0].tolist() == [0, 0]
    assert duel.state["hexed"][0].tolist() == [0, 1]


def test_wand_that_is_lost_keeps_its_first_cause():
    duel = play(begin(), "stupefy", MISS, "levicorpus", HIT, "stupefy", MISS, "stupefy", MISS)
    assert duel.state["wand"][0].tolist() == [2, 0]
    play(duel, "retrieve_wand", "expelliarmus", HIT)
    assert duel.state["wand"][0].tolist() == [1, 0]


# ---- the end --------------------------------------------------------------------------------------------------------------------


def test_two_protego_walls_are_cut_short_as_a_draw():
    duel = begin(max_rounds=3)
    for _ in range(3):
        assert not duel.is_over
        play(duel, "protego", HIT, "protego", HIT)
    assert duel.is_over
    assert duel.is_truncated
    assert duel.returns() == (0.0, 0.0)


def test_win_in_the_last_round_is_a_win():
    duel = play(begin(max_rounds=1, hit_points=1), "stupefy", MISS, "stupefy", HIT)
    assert not duel.is_truncated
    assert duel.returns() == (-1.0, 1.0)


def test_what_is_not_on_the_list_disqualifies():
    duel = begin()
    duel.forfeit()
    assert duel.is_disqualified
    assert duel.returns() == (-1.0, 1.0)


# ---- bad input ------------------------------------------------------------------------------------------------------------------


def test_illegal_moves_name_what_is_legal_and_change_nothing():
    duel = play(begin(), "expelliarmus", HIT, "stupefy")
    before = duel.copy()
    with pytest.raises(IllegalActionError, match=r"action 0 \(stupefy\) is illegal for player 1; legal: 6 retrieve_wand"):
        duel.apply_action(0)
    with pytest.raises(IllegalActionError, match=r"outside 0\.\.8"):
        duel.apply_action(9)
    assert duel == before


def test_dice_out_of_range_or_out_of_turn_are_refused():
    duel = begin()
    with pytest.raises(UsageError, match="no die is due"):
        duel.roll(1)
    duel.apply_action(0)
    for face in (0, 101, -1, True, 1.5):
        with pytest.raises(InvalidRollError, match=r"faces 1\.\.100"):
            duel.roll(face)
    with pytest.raises(UsageError, match="a die is due"):
        duel.apply_action(0)
    with pytest.raises(InvalidRollError):
        duel.apply_chance(2)


def test_custom_spell_may_have_several_effects():
    spells = [
        {"id": "crush", "en": "Crush", "fr": "Broyer", "penalty": 0, "damage": 2, "disarm": True},
        {"id": "mirror", "en": "Mirror", "fr": "Miroir", "penalty": 0, "damage": 1, "block": True},
    ]
    duel = play(begin(spells=spells), "crush", HIT, "mirror", HIT)
    assert hit_points(duel) == [4, 5]
    assert duel.state["wand"][0].tolist() == [0, 0]
    duel = play(begin(spells=spells), "mirror", HIT, "mirror", HIT)
    assert hit_points(duel) == [5, 5], "two successful blocks stop each other"
    assert np.all(duel.action_mask() == np.array([1, 1, 0, 0, 0], np.int8))
