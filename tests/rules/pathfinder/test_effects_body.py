"""What spells do to bodies, die by die: damage, healing, temporary hit points, abilities, levels."""

import pytest

from duel_env.rules.pathfinder.codes import COLD, CON, FIRE, STR
from duel_env.rules.pathfinder.state import RUNNING
from duel_env.rules.pathfinder.totals import ability_score
from tests.rules.pathfinder.arena import Arena


def score(arena, player, ability):
    return ability_score(arena.core, arena.rules[0], arena.sheets, player, ability)


# ---- damage -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("save", "lost"), [(14, 31), (15, 15), (20, 15), (1, 31)])
def test_a_save_halves_and_rounds_down(save, lost):
    arena = Arena()
    assert arena.cast("fireball", [save, 31])
    assert arena.lost(1) == lost


def test_a_missed_ray_does_nothing_and_a_critical_ray_throws_twice():
    arena = Arena()
    arena.cast("scorching_ray", [9, 20, 10, 14, 15])
    assert arena.lost(1) == 29


def test_each_ray_is_an_attack_of_its_own():
    arena = Arena(level=11)
    arena.cast("scorching_ray", [10, 12, 10, 13, 5])
    assert arena.lost(1) == 25


def test_missiles_are_instances_of_their_own():
    arena = Arena()
    arena.cast("magic_missile", [1, 2, 3, 4, 4])
    assert arena.lost(1) == 14 + 5


def test_each_instance_meets_resistance_alone():
    arena = Arena()
    arena.cast("resist_energy", by=1, energy=FIRE)
    arena.cast("scorching_ray", [10, 14, 10, 24])
    assert arena.lost(1) == 4


def test_half_of_a_flame_strike_is_no_fire():
    arena = Arena()
    arena.cast("resist_energy", by=1, energy=FIRE)
    arena.cast("flame_strike", [14, 41])
    assert arena.lost(1) == 21


def test_the_breath_has_the_chosen_energy():
    arena = Arena()
    arena.cast("resist_energy", by=1, energy=FIRE)
    arena.cast("dragons_breath", [14, 20], energy=FIRE)
    assert arena.lost(1) == 0
    arena.cast("dragons_breath", [14, 20], energy=COLD)
    assert arena.lost(1) == 20


def test_disintegration_leaves_no_wounded():
    arena = Arena(to_the_death=1)
    arena.core["hit_points"][1] = 20
    arena.cast("disintegrate", [10, 14, 20])
    assert arena.core["end"] != RUNNING
    assert arena.core["winner"] == 0


def test_a_save_against_disintegration_leaves_5d6():
    arena = Arena()
    arena.cast("disintegrate", [10, 15, 17])
    assert arena.lost(1) == 17


def test_harm_leaves_one_hit_point():
    arena = Arena()
    arena.cast("harm", [10, 14])
    assert arena.core["hit_points"][1] == 1
    assert arena.core["end"] == RUNNING


def test_vampiric_touch_gives_what_it_takes():
    arena = Arena()
    arena.cast("vampiric_touch", [10, 13])
    assert arena.lost(1) == 13
    assert arena.core["temp_hp"][0] == 13


def test_vampiric_touch_gives_no_more_than_it_takes_to_kill():
    arena = Arena()
    arena.core["hit_points"][1] = 4
    arena.cast("vampiric_touch", [10, 24])
    assert arena.core["temp_hp"][0] == 14


def test_acid_spray_burns_on_unless_a_further_save_helps():
    for save, lost in ((14, 30 + 12), (15, 30)):
        arena = Arena()
        arena.cast("acidic_spray", [14, 30])
        assert arena.lost(1) == 30
        arena.start_turn(1, [save, 12] if save < 15 else [save])
        assert arena.lost(1) == lost
        assert arena.rows(1) == []


def test_acid_spray_that_was_saved_against_is_over():
    arena = Arena()
    arena.cast("acidic_spray", [15, 30])
    assert arena.lost(1) == 15
    assert arena.rows(1) == []


def test_an_acid_arrow_goes_on_and_distracts_until_its_last_damage():
    arena = Arena()
    arena.cast("acid_arrow", [10, 5])
    assert arena.core["last_continuous_damage"][1] == 5
    for face, pain in ((4, 4), (6, 6), (3, 0)):
        arena.start_turn(1, [face])
        assert arena.core["last_continuous_damage"][1] == pain
    assert arena.lost(1) == 5 + 4 + 6 + 3
    assert arena.rows(1) == []
    arena.start_turn(1)


def test_pain_strike_hurts_without_killing():
    arena = Arena()
    arena.cast("pain_strike", [14, 3])
    arena.start_turn(1, [6])
    assert arena.lost(1) == 0
    assert arena.core["nonlethal"][1] == 9
    assert arena.has(1, "sickened")


def test_caustic_eruption_comes_back_on_its_casters_turns():
    arena = Arena()
    arena.cast("caustic_eruption", [14, 30])
    arena.start_turn(1)
    arena.start_turn(0, [8])
    arena.start_turn(0, [9])
    arena.start_turn(0)
    assert arena.lost(1) == 47


def test_the_icy_prison_hurts_until_its_victim_is_free():
    arena = Arena()
    arena.sheets["scores"][1, STR] = 20
    arena.recompute()
    arena.cast("icy_prison", [14])
    assert arena.has(1, "ice_bound")
    arena.start_turn(1)
    assert arena.lost(1) == 18
    assert not arena.escape(1, "ice_bound", [18])
    assert arena.escape(1, "ice_bound", [19])
    assert arena.rows(1) == []
    assert arena.core["last_continuous_damage"][1] == 0


def test_meteors_burn_also_where_they_miss_and_harder_where_they_hit():
    arena = Arena()
    spheres = [18, 6, 15, 6, 14, 6, 15, 6]  # save and fire of each; the first hit, so that 18 - 4 fails
    arena.cast("meteor_swarm", [10, 7, 9, 9, 9, *spheres])
    assert arena.lost(1) == 7 + 6 + 3 + 6 + 3


def test_meteors_meet_resistance_once():
    arena = Arena()
    arena.cast("resist_energy", by=1, energy=FIRE)
    arena.cast("meteor_swarm", [9, 9, 9, 9, 14, 12, 14, 12, 14, 12, 14, 12])
    assert arena.lost(1) == 48 - 20


def test_death_by_magic_ends_the_duel():
    arena = Arena()
    arena.cast("finger_of_death", [14])
    assert arena.core["winner"] == 0


# ---- healing and temporary hit points -----------------------------------------------------------------------------------------


def test_cures_heal_up_to_the_maximum():
    arena = Arena()
    arena.core["hit_points"][0] = 40
    arena.cast("cure_light_wounds", [5])
    assert arena.core["hit_points"][0] == 50
    arena.cast("cure_critical_wounds", [32])
    assert arena.core["hit_points"][0] == 60


def test_frostbite_tires_until_it_is_healed():
    arena = Arena()
    arena.cast("frostbite", [10, 4])
    assert arena.core["nonlethal"][1] == 13
    assert arena.has(1, "fatigued")
    arena.cast("cure_light_wounds", [7], by=1)
    assert arena.has(1, "fatigued")
    arena.cast("cure_light_wounds", [8], by=1)
    assert not arena.has(1, "fatigued")


def test_frostbite_that_does_not_get_through_does_not_tire():
    arena = Arena()
    arena.cast("resist_energy", by=1, energy=COLD)
    arena.cast("frostbite", [10, 6])
    assert not arena.has(1, "fatigued")


def test_false_life_and_aid_give_temporary_hit_points():
    arena = Arena()
    arena.cast("false_life", [7])
    assert arena.core["temp_hp"][0] == 16
    arena.cast("aid", [8], by=1)
    assert arena.core["temp_hp"][1] == 17


# ---- abilities and levels -----------------------------------------------------------------------------------------------------


def test_touch_of_idiocy_takes_one_roll_from_three_abilities():
    arena = Arena()
    arena.cast("touch_of_idiocy", [10, 4])
    assert [score(arena, 1, ability) for ability in range(6)] == [10, 10, 10, 6, 6, 6]


def test_enfeeblement_is_halved_by_a_save_and_not_doubled_by_a_critical_hit():
    for faces, left in (([10, 14, 3], 3), ([10, 15, 3], 7), ([20, 10, 14, 3], 3)):
        arena = Arena()
        arena.cast("ray_of_enfeeblement", faces)
        assert score(arena, 1, STR) == left


def test_chill_touch_takes_strength_unless_the_save_is_made():
    arena = Arena()
    arena.cast("chill_touch", [10, 14, 5])
    assert arena.core["ability_damage"][1, STR] == 1
    arena.cast("chill_touch", [10, 15, 5])
    assert arena.core["ability_damage"][1, STR] == 1
    assert arena.lost(1) == 10


def test_poison_comes_back_until_a_save_ends_it():
    arena = Arena()
    arena.cast("poison", [10, 14, 2])
    arena.start_turn(1, [14, 3])
    assert arena.core["ability_damage"][1, CON] == 5
    arena.start_turn(1, [18])  # Constitution is 5 now: -3
    arena.start_turn(1)
    assert arena.core["ability_damage"][1, CON] == 5


def test_heal_ends_poison_and_ability_damage():
    arena = Arena()
    arena.cast("poison", [10, 14, 2])
    arena.cast("heal", by=1)
    assert arena.rows(1) == []
    assert not arena.core["ability_damage"][1].any()


def test_calcific_touch_petrifies_at_dexterity_0():
    arena = Arena()
    arena.sheets["scores"][1, 1] = 3
    arena.recompute()
    arena.cast("calcific_touch", [10, 14, 3])
    assert arena.has(1, "petrified")
    assert arena.core["winner"] == 0


def test_a_curse_takes_from_the_chosen_ability():
    arena = Arena()
    arena.cast("bestow_curse", [10, 14], option=0, ability=CON)
    assert score(arena, 1, CON) == 4
    assert score(arena, 1, STR) == 10


def test_negative_levels_and_death_by_as_many_as_hit_dice():
    arena = Arena()
    arena.cast("enervation", [10, 3])
    assert arena.core["negative_levels"][1] == 3
    arena.cast("energy_drain", [20, 10, 4, 2])
    assert arena.core["end"] != RUNNING
    assert arena.core["winner"] == 0
