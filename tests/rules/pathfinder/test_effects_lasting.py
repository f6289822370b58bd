"""Effects that last, die by die: conditions, what removes them, wards, areas, granted actions, weapons, omens."""

import pytest

from duel_env.rules.pathfinder.codes import DEX, FIRE, STR
from duel_env.rules.pathfinder.state import LASTING, RUNNING
from tests.rules.pathfinder.arena import Arena

# ---- conditions ---------------------------------------------------------------------------------------------------------------


def test_a_held_duelist_saves_each_turn_and_success_takes_it():
    arena = Arena()
    arena.cast("hold_person", [14])
    assert arena.rounds(1, "paralyzed") == 9
    arena.start_turn(1, [14])
    assert arena.has(1, "paralyzed")
    arena.start_turn(1, [15])
    assert not arena.has(1, "paralyzed")
    assert arena.core["turn_lost"] == 1


def test_saves_after_a_failed_counter_stay_worse():
    arena = Arena()
    arena.cast("hold_person", [16], save_penalty=2)
    arena.start_turn(1, [16])
    assert arena.has(1, "paralyzed")
    arena.start_turn(1, [17])
    assert not arena.has(1, "paralyzed")


def test_laughter_allows_one_further_save():
    arena = Arena()
    arena.cast("hideous_laughter", [14])
    assert arena.conditions(1) == {"dazed", "prone"}
    arena.start_turn(1, [14])
    arena.start_turn(1)
    assert arena.has(1, "dazed")


def test_a_dominated_duelist_saves_with_2_more():
    arena = Arena()
    arena.cast("dominate_person", [14])
    arena.start_turn(1, [12])
    assert arena.has(1, "dominated")
    arena.start_turn(1, [13])
    assert not arena.has(1, "dominated")
    assert arena.core["turn_lost"] == 0


def test_glitter_blinds_until_a_save_at_the_end_of_a_turn_and_always_outlines():
    arena = Arena()
    arena.cast("glitterdust", [14])
    assert arena.conditions(1) == {"blinded", "outlined"}
    arena.start_turn(1)
    arena.end_turn(1, [15])
    assert arena.conditions(1) == {"outlined"}
    arena = Arena()
    arena.cast("glitterdust", [15])
    assert arena.conditions(1) == {"outlined"}


def test_early_recovery_has_its_price():
    arena = Arena()
    arena.cast("overwhelming_presence", [14])
    arena.start_turn(1, [15, 4, 3])
    assert arena.conditions(1) == {"staggered"}
    assert arena.core["ability_drain"][1, 4] == 4
    assert arena.rounds(1, "staggered") == 3


def test_a_save_can_leave_something_less():
    arena = Arena()
    arena.cast("overwhelming_presence", [15])
    assert arena.conditions(1) == {"staggered"}
    arena.cast("fear", [15])
    assert arena.conditions(1) == {"staggered", "shaken"}


def test_half_of_the_rounds():
    arena = Arena()
    arena.cast("greater_shout", [15, 30, 13])
    assert arena.lost(1) == 15
    assert arena.rounds(1, "deafened") == 6
    assert not arena.has(1, "stunned")


def test_a_critical_frigid_touch_staggers_longer():
    for faces, rounds in (([10, 12], 1), ([20, 10, 12, 4], 10)):
        arena = Arena()
        arena.cast("frigid_touch", faces)
        assert arena.rounds(1, "staggered") == rounds


def test_true_strike_outlives_the_start_of_the_next_turn():
    arena = Arena()
    arena.cast("true_strike")
    assert {int(row["rounds"]) for row in arena.rows(0)} == {2}


def test_fire_goes_on_until_it_is_put_out():
    arena = Arena()
    arena.cast("fire_storm", [14, 10])
    arena.start_turn(1, [14])
    assert arena.core["last_continuous_damage"][1] == 14
    assert arena.lost(1) == 24
    assert not arena.escape(1, "burning", [19])
    assert arena.escape(1, "burning", [20])
    arena.start_turn(1)
    assert arena.core["last_continuous_damage"][1] == 0


def test_a_maze_is_left_by_thinking():
    arena = Arena()
    arena.cast("maze")
    assert arena.core["end"] == RUNNING
    assert not arena.cast("fireball")
    assert arena.escape(1, "banished", [20])
    assert arena.cast("fireball", [14, 20])


def test_hostile_acts_end_invisibility_and_charm():
    arena = Arena()
    arena.cast("invisibility")
    arena.cast("charm_person", [9])  # +5 in a duel: 9 + 5 fails
    assert arena.has(1, "charmed")
    arena.hostile(0)
    assert arena.conditions(0) == arena.conditions(1) == set()


def test_sleepers_wake_when_they_are_hurt():
    arena = Arena()
    arena.sheets["level"][1] = 4
    arena.cast("sleep", [14])
    assert arena.has(1, "asleep")
    arena.cast("magic_missile", [1, 1, 1, 1, 1])
    assert not arena.has(1, "asleep")


def test_nobody_is_dazed_again_at_once():
    for spell in ("daze", "daze_monster"):
        arena = Arena()
        arena.sheets["level"][1] = 4
        arena.cast(spell, [14])
        assert arena.has(1, "dazed")
        assert [int(row["rounds"]) for row in arena.rows(1)] == [1, 11]
        assert not arena.cast(spell)


def test_who_is_tired_already_is_exhausted_even_by_a_save():
    arena = Arena()
    arena.cast("ray_of_exhaustion", [10, 15])
    assert arena.conditions(1) == {"fatigued"}
    arena.cast("ray_of_exhaustion", [10, 15])
    assert arena.conditions(1) == {"exhausted"}
    arena = Arena()
    arena.cast("ray_of_exhaustion", [10, 14])
    assert arena.conditions(1) == {"exhausted"}


# ---- removal ------------------------------------------------------------------------------------------------------------------


def test_blindness_and_deafness_are_removed():
    arena = Arena()
    arena.cast("blindness_deafness", [14], option=0)
    arena.cast("remove_blindness_deafness", by=1)
    assert arena.conditions(1) == set()


def test_heal_cures_nearly_everything():
    arena = Arena()
    arena.core["hit_points"][1] = 10
    arena.cast("sound_burst", [14, 3])
    arena.cast("ray_of_sickening", [10, 14])
    arena.cast("confusion", [14])
    arena.cast("heal", by=1)
    assert arena.conditions(1) == set()
    assert arena.lost(1) == 0


def test_the_evil_eye_yields_to_what_removes_curses_only():
    arena = Arena()
    arena.sheets["level"][1] = 12
    arena.cast("eyebite", [14])
    arena.cast("heal", by=1)
    assert arena.conditions(1) == {"sickened"}
    arena.cast("remove_curse", [6], by=1)
    assert arena.conditions(1) == set()


def test_fear_is_only_away():
    arena = Arena()
    arena.cast("doom", [14])
    arena.cast("remove_fear", by=1)
    assert arena.conditions(1) == set()
    assert arena.rows(1)[0]["suppressed"] == 1


def test_protection_from_evil_gives_a_new_save_against_an_evil_charmer():
    for evil, faces, free in ((1, [11], True), (1, [10], False), (0, [], False)):  # 2 of the spell, 2 of the new save
        arena = Arena(opponent_is_evil_known=1)
        arena.sheets["evil"][0] = evil
        arena.cast("dominate_monster", [14])
        arena.cast("protection_from_evil", faces, by=1)
        assert arena.has(1, "dominated") != free


def test_a_door_leads_out_of_webs():
    arena = Arena()
    arena.cast("web", [14])
    arena.cast("dimension_door", by=1)
    assert arena.rows(1) == []
    assert arena.core["turn_lost"] == 1


# ---- what only has to be there ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spell", "faces", "values"),
    [
        ("shield_of_faith", [], [3]),
        ("divine_favor", [], [3]),
        ("mirror_image", [3], [6]),
        ("blur", [], [20]),
        ("resist_energy", [], [20]),
        ("protection_from_energy", [], [108]),
        ("spell_turning", [2], [8]),
        ("spell_resistance", [], [21]),
        ("haste", [], [0, 1, 1, 1]),
        ("heroism", [], [2, 2, 2]),
        ("see_invisibility", [], [0]),
        ("true_strike", [], [20, 0]),
        ("freedom_of_movement", [], [0]),
    ],
)
def test_values_that_wards_and_bonuses_get(spell, faces, values):
    arena = Arena()
    assert arena.cast(spell, faces)
    assert [int(row["value"]) for row in arena.rows(0)] == values
    assert arena.rows(1) == []


def test_prayer_reaches_both_and_resistance_stops_one_part_only():
    arena = Arena()
    arena.cast("prayer")
    assert ([int(row["value"]) for row in arena.rows(0)], [int(row["value"]) for row in arena.rows(1)]) == (
        [1, 1, 1],
        [-1, -1, -1],
    )
    arena = Arena()
    arena.cast("spell_resistance", by=1)
    arena.cast("prayer", [11])
    assert (len(arena.rows(0)), len(arena.rows(1))) == (3, 1)


def test_an_energy_ward_absorbs_until_it_is_used_up():
    arena = Arena(level=1)
    arena.cast("protection_from_energy", by=1, caster_level=2, energy=FIRE)
    arena.cast("fireball", [14, 20])
    assert arena.lost(1) == 0
    arena.cast("fireball", [14, 20])
    assert arena.lost(1) == 16
    assert arena.rows(1) == []


def test_images_are_hit_first():
    arena = Arena()
    arena.cast("mirror_image", [1], by=1)  # 4 images
    arena.cast("acid_splash", [10, 2])
    assert arena.lost(1) == 0
    assert arena.rows(1)[0]["value"] == 3
    arena.cast("acid_splash", [10, 1, 3])
    assert arena.lost(1) == 3


def test_blur_makes_attacks_miss():
    arena = Arena()
    arena.cast("blur", by=1)
    arena.cast("acid_splash", [10, 20])
    assert arena.lost(1) == 0
    arena.cast("acid_splash", [10, 21, 3])
    assert arena.lost(1) == 3
    arena.cast("faerie_fire")
    arena.cast("acid_splash", [10, 3])
    assert arena.lost(1) == 6


def test_free_movement_is_not_bound():
    arena = Arena()
    arena.cast("freedom_of_movement", by=1)
    arena.cast("hold_person", [14])
    arena.cast("slow", [14])
    arena.cast("black_tentacles")
    assert not arena.conditions(1) & {"paralyzed", "slowed", "grappled"}


def test_an_ill_omen_spoils_the_next_rolls():
    arena = Arena()
    arena.cast("ill_omen")
    assert arena.rows(1)[0]["uses"] == 2
    arena.cast("hold_person", [20, 14])
    assert arena.has(1, "paralyzed")
    assert arena.rows(1)[0]["uses"] == 1


def test_time_stands_still():
    arena = Arena()
    arena.cast("time_stop", [3])
    assert arena.core["extra_turns"][0] == 4


# ---- areas --------------------------------------------------------------------------------------------------------------------


def test_acid_fog_burns_at_once_and_on_its_casters_turns():
    arena = Arena()
    arena.cast("acid_fog", [7])
    assert arena.core["last_continuous_damage"][1] == 7
    arena.start_turn(1)
    arena.start_turn(0, [5])
    assert arena.lost(1) == 12
    assert not arena.leave(1)
    assert arena.leave(1)
    assert arena.core["last_continuous_damage"][1] == 0
    arena.start_turn(0)
    assert arena.rows(1) == []


def test_a_stinking_cloud_asks_until_it_has_its_victim():
    arena = Arena()
    arena.cast("stinking_cloud", [15])
    arena.start_turn(0, [15])
    arena.start_turn(0, [14, 2])
    assert arena.has(1, "nauseated")
    arena.start_turn(0)


def test_a_killing_cloud_strikes_twice():
    arena = Arena()
    arena.cast("cloudkill", [14, 4])
    assert arena.core["ability_damage"][1, 2] == 4
    assert arena.rows(1)[0]["rounds"] == 2


def test_grease_holds_who_slips():
    arena = Arena()
    arena.cast("grease", [14])
    assert arena.has(1, "prone")
    assert not arena.leave(1, [9])
    assert arena.leave(1, [10])
    assert arena.has(1, "prone")


def test_sleet_and_acid_are_left_together():
    arena = Arena()
    arena.cast("sleet_storm")
    arena.cast("acid_fog", [2])
    assert not arena.leave(1, [10])
    assert arena.leave(1, [10])
    assert arena.leave(1, [10])
    assert arena.rows(1) == []


def test_webs_hold_until_one_breaks_free():
    arena = Arena()
    arena.cast("web", [14])
    assert arena.rounds(1, "grappled") == 900
    assert not arena.escape(1, "grappled", [14])
    arena.sheets["scores"][1, DEX] = 20
    arena.recompute()
    assert arena.escape(1, "grappled", [15])
    assert not arena.has(1, "grappled")
    assert len(arena.rows(1)) == 1, "the web is still there"


def test_tentacles_grip_on_each_of_their_casters_turns():
    arena = Arena()
    arena.cast("black_tentacles", [1])  # CMB 14 against CMD 10; 1 misses
    arena.start_turn(0, [2, 3])
    assert arena.lost(1) == 7
    assert arena.has(1, "grappled")
    assert arena.rows(1)[1]["value"] == 14
    arena.start_turn(0, [2, 4])
    assert arena.lost(1) == 15


def test_fire_walls_need_concentration_on_something():
    arena = Arena()
    arena.core["concentrates_on"][0] = 1
    arena.cast("wall_of_fire", [7])
    assert arena.lost(1) == 16
    assert arena.core["concentrates_on"][0] == 1
    arena.start_turn(0, [5])
    assert arena.lost(1) == 21
    assert arena.leave(1)
    assert arena.core["concentrates_on"][0] == -1


def test_sirocco_exhausts_who_stays():
    arena = Arena()
    arena.cast("sirocco", [14, 10])
    assert arena.conditions(1) == {"prone", "fatigued"}
    arena.start_turn(0, [15, 10])
    assert arena.has(1, "exhausted")
    assert arena.lost(1) == 19 + 9


def test_sirocco_tires_only_who_it_burns():
    arena = Arena()
    arena.cast("resist_energy", by=1, energy=FIRE, caster_level=11)
    arena.cast("sirocco", [14, 10])
    assert arena.conditions(1) == {"prone"}


def test_mind_fog_lasts_beyond_the_fog():
    arena = Arena()
    arena.cast("mind_fog", [14, 7])
    assert {int(row["rounds"]) for row in arena.rows(1)} == {7, 300}
    arena.leave(1)
    assert [int(row["value"]) for row in arena.rows(1)] == [-10]


# ---- granted actions, weapons -------------------------------------------------------------------------------------------------


def test_flames_are_hurled_from_the_next_turn_on():
    arena = Arena(level=2)
    arena.cast("produce_flame")
    assert arena.rows(0)[0]["stage"] == 0
    arena.start_turn(0)
    assert arena.rows(0)[0]["stage"] == 1
    arena.use(0, 0, [10, 4])
    assert arena.lost(1) == 6
    assert arena.rows(0)[0]["stage"] == 0, "once a turn"
    arena.start_turn(0)
    arena.use(0, 0, [20, 10, 4, 3])
    assert arena.lost(1) == 6 + 11
    assert arena.rows(0) == []


def test_a_sphere_rolls_at_once():
    arena = Arena()
    arena.cast("flaming_sphere")
    assert arena.rows(0)[0]["stage"] == 1
    arena.use(0, 0, [14, 9])
    assert arena.lost(1) == 9
    arena.use(0, 0, [15])
    assert arena.lost(1) == 9


def test_each_globe_of_lightning_has_its_own_save():
    arena = Arena(level=11)
    arena.cast("ball_lightning")
    arena.use(0, 0, [14, 9, 15, 14, 8])
    assert arena.lost(1) == 17


def test_the_first_bolt_comes_with_the_casting():
    arena = Arena()
    arena.cast("call_lightning", [14, 11])
    assert arena.lost(1) == 11
    assert arena.rows(0)[0]["uses"] == 8
    arena.use(0, 0, [15, 11])
    assert arena.lost(1) == 16


def test_eyes_bite_again():
    arena = Arena()
    arena.cast("eyebite", [14, 2])
    assert {"panicked", "sickened"} <= arena.conditions(1)
    arena.start_turn(0)
    arena.use(0, 0, [19])  # -4 by sickness and panic
    assert arena.rows(0)[0]["uses"] == 7


def test_sunbeams_blind():
    arena = Arena()
    arena.cast("sunbeam")
    arena.start_turn(0)
    arena.use(0, 0, [14, 14])
    assert arena.lost(1) == 14
    assert arena.rounds(1, "blinded") == LASTING


def test_a_spiritual_weapon_strikes_at_once_and_on_its_casters_turns():
    arena = Arena()
    arena.sheets["base_attack"][0] = 6
    arena.recompute()
    arena.cast("spiritual_weapon", [4, 5])  # 4 + 6 hits AC 10
    assert arena.lost(1) == 5 + 3
    arena.start_turn(0, [3, 9, 5])  # two attacks from the second round on, the second at -5
    assert arena.lost(1) == 16


def test_a_weapon_that_resistance_stops_is_gone():
    arena = Arena()
    arena.cast("spell_resistance", by=1)
    arena.cast("mages_sword", [1])  # nothing to resist yet
    assert len(arena.rows(0)) == 1
    arena.start_turn(0, [9, 11])
    assert arena.rows(0) == []
    assert arena.lost(1) == 0


def test_a_sword_is_critical_from_19():
    arena = Arena()
    arena.cast("mages_sword", [19, 10, 10, 12])
    assert arena.lost(1) == 10 + 12 + 6


def test_a_hand_carries_touches_and_gives_its_hit_points_back():
    arena = Arena()
    arena.cast("spectral_hand", [3])
    assert arena.lost(0) == 3
    arena.cast("vampiric_touch", [8, 5])
    assert arena.lost(1) == 5
    arena.cast("dispel_magic", [20], by=1)
    assert arena.rows(0) == []
    assert arena.lost(0) == 0


def test_strength_does_not_help_against_mazes():
    arena = Arena()
    arena.sheets["scores"][1, STR] = 30
    arena.recompute()
    arena.cast("maze")
    assert not arena.escape(1, "banished", [19])
