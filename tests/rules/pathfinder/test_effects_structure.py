"""Effects that decide between effects, die by die: choices, bands, second saves, stages, tables, dispelling; and what stops spells."""

import numpy as np
import pytest

from duel_env.rules.pathfinder.codes import FIRE, INT
from duel_env.rules.pathfinder.state import RUNNING
from tests.rules.pathfinder.arena import Arena, book


def test_a_choice_does_what_was_chosen():
    for option, condition in ((0, "blinded"), (1, "deafened")):
        arena = Arena()
        arena.cast("blindness_deafness", [14], option=option)
        assert arena.conditions(1) == {condition}


def test_bands_by_hit_dice():
    arena = Arena()
    arena.cast("color_spray", [14])
    assert arena.rounds(1, "stunned") == 1
    arena = Arena()
    arena.sheets["level"][1] = 4
    arena.cast("color_spray", [14, 3])
    assert (arena.rounds(1, "blinded"), arena.rounds(1, "stunned")) == (3, 4)


def test_color_spray_throws_shared_dice_once():
    arena = Arena(to_the_death=1)
    arena.sheets["level"][1] = 2
    arena.cast("color_spray", [14, 5, 3])
    assert [arena.rounds(1, name) for name in ("unconscious", "blinded", "stunned")] == [5, 8, 9]


def test_bands_by_hit_points():
    for points, faces, rounds in ((50, [9], 9), (100, [5], 5), (150, [2], 2)):
        arena = Arena()
        arena.sheets["hit_points"][1] = 200
        arena.core["hit_points"][1] = points
        arena.cast("power_word_stun", faces)
        assert arena.rounds(1, "stunned") == rounds
    arena.core["hit_points"][1] = 151
    assert not arena.cast("power_word_stun")


def test_a_second_save_decides():
    arena = Arena()
    arena.cast("phantasmal_killer", [14, 15, 9])
    assert arena.lost(1) == 9
    assert arena.core["end"] == RUNNING
    arena.cast("phantasmal_killer", [14, 14])
    assert arena.has(1, "dead")
    assert arena.core["winner"] == 0


def test_both_saves_are_worse_after_a_failed_counter():
    arena = Arena()
    arena.cast("phantasmal_killer", [16, 16], save_penalty=2)
    assert arena.has(1, "dead")


def test_suffocation_goes_step_by_step_and_a_save_puts_it_off():
    arena = Arena(to_the_death=1)
    arena.cast("suffocation", [14])
    arena.start_turn(1, [15])
    assert arena.conditions(1) == set()
    arena.start_turn(1, [14])
    assert arena.has(1, "unconscious")
    assert arena.core["hit_points"][1] == 0
    arena.start_turn(1, [14])
    assert arena.core["hit_points"][1] == -1
    assert all(book().spells[row["spell"]].id == "suffocation" for row in arena.rows(1))
    assert not any(row["stage"] for row in arena.rows(1)), "three checks in all"


def test_suffocation_saved_against_staggers():
    arena = Arena()
    arena.cast("suffocation", [15])
    assert arena.conditions(1) == {"staggered"}


@pytest.mark.parametrize(
    ("faces", "condition", "lost"),
    [
        ([1, 14], None, 20),
        ([2, 15], None, 20),
        ([5, 14], "petrified", 0),
        ([6, 14], "insane", 0),
        ([7, 14], "banished", 0),
        ([7, 15], None, 0),
        ([8, 1, 2, 15, 14], None, 10 + 40),
    ],
)
def test_prismatic_spray(faces, condition, lost):
    arena = Arena()
    arena.cast("prismatic_spray", faces)
    assert arena.lost(1) == lost
    assert arena.conditions(1) == ({condition} if condition else set())


# ---- dispelling ---------------------------------------------------------------------------------------------------------------


def spells_on(arena, player):
    return sorted({book().spells[row["spell"]].id for row in arena.rows(player)})


def test_one_roll_goes_down_from_the_highest_caster_level():
    arena = Arena()
    arena.cast("mage_armor", by=1, caster_level=9)
    arena.cast("shield_of_faith", by=1, caster_level=8)
    arena.cast("bless", by=1, caster_level=3)
    arena.cast("dispel_magic", [10])  # 19: not 20, but 19
    assert spells_on(arena, 1) == ["bless", "mage_armor"]


def test_the_spell_that_was_pointed_at():
    arena = Arena()
    arena.cast("mage_armor", by=1)
    arena.cast("bless", by=1)
    arena.cast("dispel_magic", [11], pick=1)
    assert spells_on(arena, 1) == ["mage_armor"]
    arena.cast("dispel_magic", [10], pick=0)
    assert spells_on(arena, 1) == ["mage_armor"]


def test_greater_dispelling_takes_the_highest_spell_levels_first():
    arena = Arena(level=11)
    for name in ("mage_armor", "blur", "displacement", "bless"):
        arena.cast(name, by=1)
    arena.cast("greater_dispel_magic", [9])
    assert spells_on(arena, 1) == ["bless", "mage_armor"]


def test_disjunction_needs_no_roll_and_spares_what_cannot_be_dispelled():
    arena = Arena()
    arena.cast("mage_armor", by=1)
    arena.cast("bless", by=1)
    arena.cast("waves_of_fatigue")
    arena.cast("mages_disjunction")
    assert spells_on(arena, 1) == ["waves_of_fatigue"]


def test_curses_yield_to_remove_curse_and_greater_dispelling_only():
    arena = Arena()
    arena.cast("bestow_curse", [10, 14], option=2)
    arena.cast("dispel_magic", by=1, at_self=True)
    assert arena.has(1, "cursed_inaction")
    arena.cast("remove_curse", [5], by=1)  # 14 against the curse's 15
    assert arena.has(1, "cursed_inaction")
    arena.cast("remove_curse", [6], by=1)
    assert not arena.has(1, "cursed_inaction")
    arena.cast("bestow_curse", [10, 14], option=2)
    arena.cast("greater_dispel_magic", [6], by=1, at_self=True)
    assert not arena.has(1, "cursed_inaction")


def test_haste_and_slow_end_each_other():
    arena = Arena()
    arena.cast("slow", [14])
    arena.cast("haste", by=1)
    assert arena.rows(1) == []
    arena.cast("haste", by=1)
    arena.cast("slow", [14])
    assert arena.rows(1) == []


# ---- what stops a spell -------------------------------------------------------------------------------------------------------


def test_limits_of_hit_dice_and_intelligence():
    arena = Arena()
    assert not arena.cast("sleep")
    arena.sheets["scores"][1, INT] = 2
    arena.recompute()
    assert not arena.cast("hideous_laughter")


def test_a_globe_stops_low_spells_and_areas_but_no_dispelling():
    arena = Arena()
    arena.cast("lesser_globe_of_invulnerability", by=1)
    assert not arena.cast("fireball")
    arena.cast("cone_of_cold", [14, 20])
    assert arena.lost(1) == 20
    arena.cast("dispel_magic", [11])
    assert arena.rows(1) == []


def test_a_shield_stops_missiles():
    arena = Arena()
    arena.cast("shield", by=1)
    assert not arena.cast("magic_missile")


def test_named_spells_do_nothing():
    arena = Arena()
    named = np.array([book().number("fireball"), book().number("web"), -1, -1, -1])
    arena.cast("spell_immunity", by=1, named=named)
    assert len(arena.rows(1)) == 2
    assert not arena.cast("fireball")
    arena.cast("burning_hands", [14, 8])
    assert arena.lost(1) == 8


def test_turning_sends_spells_back_while_it_lasts():
    arena = Arena()
    arena.cast("spell_turning", [1], by=1)  # 7 levels
    assert arena.cast("hold_person", [14], slot_level=3)
    assert arena.has(0, "paralyzed")
    assert not arena.has(1, "paralyzed")
    assert arena.rows(1)[0]["value"] == 4
    arena.cast("fireball", [14, 20])  # no target
    assert arena.lost(1) == 20
    arena.cast("flesh_to_stone", [66, 15], slot_level=6)  # 4 of 6 levels: 66 percent
    assert arena.rows(1) == []


def test_a_partial_turning_can_fail():
    arena = Arena()
    arena.cast("spell_turning", [1], by=1)
    arena.cast("power_word_kill", [78], slot_level=9)
    assert arena.has(1, "dead")


def test_two_turnings_resound():
    for face, rows in ((70, 1), (71, 1), (97, 0), (98, 1)):
        arena = Arena()
        arena.cast("spell_turning", [1], by=1)
        arena.cast("spell_turning", [1])
        arena.cast("hold_monster", [face, 15, 15] if face == 71 else [face])
        assert len(arena.rows(1)) == rows
        assert (arena.core["end"] != RUNNING) == (face == 98)


def test_nothing_magic_leaves_or_enters_an_antimagic_field():
    arena = Arena()
    arena.cast("antimagic_field", by=1)
    assert not arena.cast("fireball")
    assert not arena.cast("fireball", by=1)
    assert not arena.cast("bless", by=1)


def test_sanctuary_is_tried_once():
    arena = Arena()
    arena.cast("sanctuary", by=1)
    assert not arena.cast("hold_person", [14])
    assert not arena.cast("hold_person")
    assert arena.cast("fireball", [14, 10])
    arena = Arena()
    arena.cast("sanctuary", by=1)
    assert arena.cast("hold_person", [15, 14])
    assert arena.cast("hold_person", [14])


def test_a_blinking_duelist_escapes_half_of_what_targets_him():
    arena = Arena()
    arena.cast("blink", by=1)
    assert not arena.cast("hold_person", [50])
    assert arena.cast("hold_person", [51, 14])


def test_the_silenced_do_not_hear():
    arena = Arena()
    arena.cast("silence", [14])
    assert not arena.cast("command")
    assert not arena.cast("shout")


def test_spell_resistance_is_rolled_against():
    arena = Arena()
    arena.cast("spell_resistance", by=1)
    assert not arena.cast("fireball", [11])
    assert arena.cast("fireball", [12, 14, 20])
    assert arena.cast("web", [14])


def test_death_ward_gives_a_save_where_there_is_none():
    arena = Arena()
    arena.cast("death_ward", by=1)
    assert not arena.cast("power_word_kill", [11])
    arena.cast("power_word_kill", [10])
    assert arena.has(1, "dead")


def test_a_fire_shield_burns_who_touches():
    arena = Arena()
    arena.cast("fire_shield", by=1, option=1)
    arena.cast("corrosive_touch", [10, 9, 4])
    assert (arena.lost(1), arena.lost(0)) == (9, 13)
    arena.cast("spectral_hand", [2])
    arena.cast("corrosive_touch", [8, 9])
    assert (arena.lost(1), arena.lost(0)) == (18, 15)


def test_a_fire_shield_halves_and_evades():
    arena = Arena()
    arena.cast("fire_shield", by=1, option=0)
    arena.cast("fireball", [14, 21])
    assert arena.lost(1) == 10
    arena.cast("fireball", [15, 21])
    assert arena.lost(1) == 10


def test_fire_burns_webs_and_disperses_mists():
    arena = Arena()
    arena.cast("web", [14])
    arena.cast("fireball", [14, 20, 5])
    assert arena.lost(1) == 25
    assert arena.rows(1) == []
    arena.cast("obscuring_mist", by=1)
    arena.cast("fireball", [14, 10])
    assert arena.rows(1) == []
    arena.cast("web", [14])
    arena.cast("dragons_breath", [14, 10, 5], energy=FIRE)
    assert arena.rows(1) == []
