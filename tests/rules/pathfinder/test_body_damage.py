"""Damage and what it meets, healing, hit points, and when a duelist is defeated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duel_env.rules.pathfinder.bodies import check_end, damage_ability, deal_damage, gain_temp_hp, heal, is_defeated
from duel_env.rules.pathfinder.codes import (
    ABILITY_DAMAGE,
    ABSORB,
    ACID,
    ALL_ENERGIES,
    BLUDGEONING,
    COLD,
    CON,
    CONDITION,
    CONDITIONS,
    DIVINE,
    ELECTRICITY,
    ENDS_ON_DAMAGE,
    ENERGY_WARD,
    FIRE,
    FORCE,
    HALVE,
    HALVE_AREA,
    IMMUNE_NEGATIVE_DAMAGE,
    IMMUNITY,
    NEGATIVE,
    RESIST,
    SONIC,
    STR,
    UNTYPED,
)
from duel_env.rules.pathfinder.state import BY_DEFEAT, LASTING, NOBODY, NONE, RUNNING

from .bodies import Bout


def hurt(bout: Bout, points: int, damage_type: int = UNTYPED, *, nonlethal: int = 0, area: int = 0, player: int = 0) -> int:
    return int(bout.run(deal_damage, player, points, damage_type, nonlethal, area))


def ward(bout: Bout, mode: int, value: int, energy: int, player: int = 0) -> int:
    return bout.put(player, bout.effect(ENERGY_WARD, mode=mode), value=value, choice=energy)


# ---- wards ------------------------------------------------------------------------------------------------------------------------


def test_halving_comes_before_the_pool_and_the_pool_before_resistance():
    bout = Bout()
    ward(bout, RESIST, 10, FIRE)
    ward(bout, ABSORB, 12, FIRE)
    ward(bout, HALVE, 0, FIRE)
    assert hurt(bout, 17, FIRE) == 0
    assert [int(row["value"]) for row in bout.rows(0)] == [10, 4, 0], "half of 17 is 8, all from the pool"
    assert hurt(bout, 40, FIRE) == 6, "20, of which the pool takes 4 and the resistance 10"
    assert [int(row["value"]) for row in bout.rows(0)] == [10, 0], "the empty pool is gone"
    assert hurt(bout, 40, FIRE) == 10
    assert bout.core["hit_points"][0] == 14


@given(
    st.integers(0, 60), st.integers(0, 30), st.integers(1, 40), st.booleans(), st.booleans(), st.integers(0, 12), st.booleans()
)
def test_wards_in_plain_python(points, resist, pool, halved, blinks, temp, area):
    bout = Bout()
    bout.core["hit_points"][0] = 200
    gain_temp_hp(bout.core, 0, temp, 50)
    ward(bout, RESIST, resist, COLD)
    ward(bout, ABSORB, pool, COLD)
    if halved:
        ward(bout, HALVE, 0, COLD)
    if blinks:
        ward(bout, HALVE_AREA, 0, ALL_ENERGIES)
    expected = points // 2 if halved else points
    expected = expected // 2 if blinks and area else expected
    expected = max(expected - pool, 0)
    expected = max(expected - resist, 0)
    assert hurt(bout, points, COLD, area=int(area)) == expected
    assert bout.core["temp_hp"][0] == max(temp - expected, 0)
    assert bout.core["hit_points"][0] == 200 - max(expected - temp, 0)


@pytest.mark.parametrize("damage_type", [ACID, COLD, ELECTRICITY, FIRE, SONIC, FORCE, NEGATIVE, BLUDGEONING, UNTYPED, DIVINE])
def test_wards_know_their_energy(damage_type):
    bout = Bout()
    ward(bout, RESIST, 5, FIRE)
    assert hurt(bout, 8, damage_type) == (3 if damage_type == FIRE else 8)
    bout = Bout()
    ward(bout, RESIST, 5, ALL_ENERGIES)
    assert hurt(bout, 8, damage_type) == (3 if damage_type <= SONIC else 8)
    bout = Bout()
    ward(bout, HALVE_AREA, 0, ALL_ENERGIES)
    assert hurt(bout, 8, damage_type, area=1) == 4
    assert hurt(bout, 8, damage_type, area=0) == 8


def test_of_two_resistances_the_better_counts_and_a_suppressed_one_does_not():
    bout = Bout()
    ward(bout, RESIST, 5, FIRE)
    ward(bout, RESIST, 20, FIRE)
    assert hurt(bout, 24, FIRE) == 4
    bout.rows(0)[1]["suppressed"] = 1
    assert hurt(bout, 24, FIRE) == 19


def test_a_death_ward_keeps_negative_energy_away():
    bout = Bout()
    bout.put(0, bout.effect(IMMUNITY, immune=IMMUNE_NEGATIVE_DAMAGE))
    assert (hurt(bout, 9, NEGATIVE), hurt(bout, 9, UNTYPED)) == (0, 9)


# ---- temporary, lethal, nonlethal ---------------------------------------------------------------------------------------------------


def test_temporary_hit_points_go_first_and_the_damage_counts_as_dealt():
    bout = Bout()
    gain_temp_hp(bout.core, 0, 5, 9)
    assert hurt(bout, 3) == 3
    assert (bout.core["temp_hp"][0], bout.core["temp_hp_rounds"][0], bout.core["hit_points"][0]) == (2, 9, 30)
    assert hurt(bout, 6) == 6
    assert (bout.core["temp_hp"][0], bout.core["temp_hp_rounds"][0], bout.core["hit_points"][0]) == (0, 0, 26)


def test_damage_that_gets_through_wakes_who_sleeps():
    bout = Bout()
    ward(bout, RESIST, 5, FIRE)
    bout.condition(0, "asleep", ends_on=ENDS_ON_DAMAGE)
    hurt(bout, 5, FIRE)
    assert bout.has(0, "asleep")
    gain_temp_hp(bout.core, 0, 5, 9)
    hurt(bout, 6, FIRE)
    assert not bout.has(0, "asleep")


@pytest.mark.parametrize(
    ("lethal", "nonlethal", "conditions"),
    [
        (0, 0, set()),
        (29, 0, set()),
        (30, 0, {"disabled"}),
        (31, 0, {"dying", "unconscious"}),
        (39, 0, {"dying", "unconscious"}),
        (40, 0, {"dying", "unconscious", "dead"}),
        (0, 29, set()),
        (0, 30, {"staggered"}),
        (10, 19, set()),
        (10, 20, {"staggered"}),
        (10, 21, {"unconscious"}),
        (30, 1, {"unconscious"}),
    ],
)
def test_hit_points_and_nonlethal_damage_decide_the_state(lethal, nonlethal, conditions):
    bout = Bout()
    hurt(bout, nonlethal, nonlethal=1)
    hurt(bout, lethal)
    assert bout.conditions(0) == conditions
    assert bout.conditions(1) == set()


def test_nonlethal_damage_beyond_the_most_hit_points_is_lethal():
    bout = Bout()
    assert hurt(bout, 34, nonlethal=1) == 34
    assert (bout.core["nonlethal"][0], bout.core["hit_points"][0]) == (30, 26)
    assert hurt(bout, 3, nonlethal=1) == 3
    assert (bout.core["nonlethal"][0], bout.core["hit_points"][0]) == (30, 23)


def test_healing_takes_as_much_of_both_and_stops_at_the_most():
    bout = Bout()
    hurt(bout, 12)
    hurt(bout, 9, nonlethal=1)
    heal(*bout.world, 0, 5)
    assert (bout.core["hit_points"][0], bout.core["nonlethal"][0]) == (23, 4)
    heal(*bout.world, 0, 50)
    assert (bout.core["hit_points"][0], bout.core["nonlethal"][0]) == (30, 0)
    damage_ability(*bout.world, 0, CON, 4, ABILITY_DAMAGE, 0, NONE)
    heal(*bout.world, 0, 50)
    assert bout.core["hit_points"][0] == 20


def test_healing_wakes_who_lay_down_by_his_wounds():
    bout = Bout()
    hurt(bout, 33)
    assert bout.conditions(0) == {"dying", "unconscious"}
    heal(*bout.world, 0, 3)
    assert bout.conditions(0) == {"disabled"}
    heal(*bout.world, 0, 1)
    assert bout.conditions(0) == set()


# ---- the end ------------------------------------------------------------------------------------------------------------------------


def end_of(bout: Bout, *players: int) -> tuple[int, int]:
    for player in players:
        check_end(*bout.world, player)
    return int(bout.core["end"]), int(bout.core["winner"])


def test_conditions_end_the_duel_as_their_rows_say():
    for number, name in enumerate(CONDITIONS):
        ends = int(Bout().rules["conditions"][number]["ends_duel"])
        for rounds in (5, LASTING):
            for to_the_death in range(2):
                bout = Bout(to_the_death=to_the_death)
                bout.condition(0, name, rounds=rounds)
                lasts = rounds == LASTING and name not in ("unconscious", "dying")
                expected = name == "dead" or (ends > 0 and lasts) or (ends == 1 and not to_the_death)
                assert bool(is_defeated(*bout.world, 0)) == expected, (name, rounds, to_the_death)
                assert not is_defeated(*bout.world, 1)


def test_who_is_defeated_loses_and_both_at_once_draw():
    bout = Bout()
    assert end_of(bout, 0, 1)[0] == RUNNING
    hurt(bout, 35)
    assert end_of(bout, 0, 1) == (BY_DEFEAT, 1)
    bout = Bout()
    for player in range(2):
        hurt(bout, 35, player=player)
    assert end_of(bout, 0) == (BY_DEFEAT, 1)
    assert end_of(bout, 1, 0) == (BY_DEFEAT, NOBODY)


def test_disabled_staggered_and_asleep_go_on():
    for lethal, nonlethal in ((30, 0), (10, 20)):
        bout = Bout()
        bout.condition(0, "asleep")
        hurt(bout, lethal)
        hurt(bout, nonlethal, nonlethal=1)
        assert end_of(bout, 0, 1)[0] == RUNNING


def test_to_the_death_only_the_dead_have_lost_or_who_lies_down_for_good():
    bout = Bout(to_the_death=1)
    hurt(bout, 35)
    assert end_of(bout, 0, 1)[0] == RUNNING
    hurt(bout, 5)
    assert end_of(bout, 0, 1) == (BY_DEFEAT, 1)
    bout = Bout(to_the_death=1)
    damage_ability(*bout.world, 0, STR, 10, ABILITY_DAMAGE, 0, NONE)
    assert end_of(bout, 0, 1) == (BY_DEFEAT, 1)


def test_nobody_dies_in_a_safe_arena():
    bout = Bout(safe_arena=1)
    assert hurt(bout, 29) == 29
    assert (bout.core["hit_points"][0], bout.core["nonlethal"][0], bout.conditions(0)) == (30, 29, set())
    hurt(bout, 1)
    assert bout.conditions(0) == {"staggered"}
    hurt(bout, 500)
    assert (bout.core["hit_points"][0], bout.core["nonlethal"][0], bout.conditions(0)) == (30, 530, {"unconscious"})
    bout = Bout(safe_arena=1, to_the_death=1)
    bout.condition(0, "dead", rounds=LASTING)
    assert bout.conditions(0) == {"unconscious"}
    assert end_of(bout, 0, 1) == (BY_DEFEAT, 1), "there is no death, so that being unconscious decides"
    bout = Bout(safe_arena=1)
    bout.core["hit_points"][0] = -50
    bout.recompute()
    assert bout.conditions(0) == {"unconscious"}


def test_banishment_ends_the_duel_only_for_good():
    for rounds, ended in ((100, False), (LASTING, True)):
        bout = Bout()
        bout.put(1, bout.effect(CONDITION, condition=CONDITIONS.index("banished")), rounds=rounds, caster=0)
        assert (end_of(bout, 0, 1)[0] == BY_DEFEAT) == ended
