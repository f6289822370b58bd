"""Effects in force: which of two stays, how they run out, what ends them."""

import numpy as np
import pytest

from duel_env.rules.pathfinder.bodies import gain_temp_hp
from duel_env.rules.pathfinder.codes import (
    ABILITY,
    ABILITY_PENALTY,
    AC,
    ACID,
    ATTACK,
    AUTO_ATTACK,
    COLD,
    CONDITION,
    CONDITIONS,
    DAMAGE,
    ENDS_ON_CASTERS_HOSTILITY,
    ENDS_ON_DAMAGE,
    ENDS_ON_OWN_HOSTILITY,
    ENERGY_WARD,
    FEAR,
    IMAGES,
    IN_ZONE_PLUS,
    INT,
    MODIFIER,
    MORALE,
    REMOVE,
    REROLL,
    RESIST,
    SAVE_ALL,
    STAGES,
    STR,
    VS_FEAR,
    ZONE,
)
from duel_env.rules.pathfinder.ongoing import (
    add_ongoing,
    end_by_event,
    is_in_force,
    remove_casting,
    remove_condition,
    remove_ongoing,
    tick,
)
from duel_env.rules.pathfinder.state import LASTING, MAX_ONGOING, NONE

from .bodies import Bout


def zeroed_beyond(bout: Bout, player: int) -> bool:
    return not bout.core["ongoing"][player][bout.core["num_ongoing"][player] :].tobytes().strip(b"\0")


# ---- one meets another ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "stays"),
    [
        ((3, 10), (4, 2), (4, 2)),
        ((4, 2), (3, 10), (4, 2)),
        ((3, 10), (3, 12), (3, 12)),
        ((3, 10), (3, 4), (3, 10)),
        ((-4, 5), (-2, 9), (-4, 5)),
    ],
)
def test_of_the_same_effect_by_the_same_caster_the_greater_then_the_longer_stays(old, new, stays):
    bout = Bout()
    effect = bout.effect(MODIFIER, stat=ATTACK, bonus_type=MORALE)
    for casting, (value, rounds) in enumerate((old, new)):
        assert bout.put(0, effect, value=value, rounds=rounds, casting=casting) == 0
    (row,) = bout.rows(0)
    assert (row["value"], row["rounds"]) == stays
    assert row["casting"] == (1 if stays == new else 0)


def test_another_caster_effect_or_energy_is_another_row():
    bout = Bout()
    ward = bout.effect(ENERGY_WARD, mode=RESIST)
    bout.put(0, ward, value=10, choice=COLD)
    bout.put(0, ward, value=10, choice=ACID)
    bout.put(0, ward, value=20, choice=ACID)
    assert [(int(row["choice"]), int(row["value"])) for row in bout.rows(0)] == [(COLD, 10), (ACID, 20)]
    curse = bout.effect(ABILITY, mode=ABILITY_PENALTY)
    for ability in (STR, INT, STR):
        bout.put(0, curse, value=6, choice=ability, caster=1)
    assert len(bout.rows(0)) == 4
    blessing = bout.effect(MODIFIER, stat=ATTACK)
    for caster in (0, 1, 0):
        bout.put(0, blessing, value=1, caster=caster)
    assert len(bout.rows(0)) == 6


@pytest.mark.parametrize("kind", [DAMAGE, AUTO_ATTACK])
def test_damage_and_weapons_come_once_more(kind):
    bout = Bout()
    effect = bout.effect(kind)
    bout.put(0, effect, casting=1)
    bout.put(0, effect, casting=2)
    assert len(bout.rows(0)) == 2


def test_an_area_begins_anew_and_a_suffering_in_stages_goes_on():
    bout = Bout()
    for kind, stage, rounds in ((ZONE, 0, 3), (STAGES, 1, 10)):
        effect = bout.effect(kind)
        row = bout.put(0, effect, rounds=10)
        bout.rows(0)[row]["stage"] = 1
        assert bout.put(0, effect, rounds=3) == row
        assert (bout.rows(0)[row]["stage"], bout.rows(0)[row]["rounds"]) == (stage, rounds)


def test_of_omens_the_one_with_more_rolls_stays():
    bout = Bout()
    effect = bout.effect(REROLL)
    bout.put(0, effect, uses=2, rounds=9, caster=1)
    bout.put(0, effect, uses=1, rounds=20, caster=1)
    assert (bout.rows(0)[0]["uses"], bout.rows(0)[0]["rounds"]) == (2, 9)
    bout.put(0, effect, uses=3, rounds=5, caster=1)
    assert (bout.rows(0)[0]["uses"], bout.rows(0)[0]["rounds"]) == (3, 5)


def test_without_room_the_one_nearest_to_its_end_goes():
    bout = Bout()
    for k in range(MAX_ONGOING):
        bout.put(0, bout.effect(DAMAGE), rounds=5 if k == 7 else 20, value=k)
    row = bout.put(0, bout.effect(DAMAGE), rounds=1, value=99)
    assert row == MAX_ONGOING - 1
    assert bout.core["num_ongoing"][0] == MAX_ONGOING
    assert [int(one["value"]) for one in bout.rows(0)] == [k for k in range(MAX_ONGOING) if k != 7] + [99]


def test_the_row_says_where_it_comes_from():
    bout = Bout()
    effect = bout.effect(IMAGES)
    bout.source(effect, 1, casting=9, caster_level=7, slot_level=4, dc=19, save_penalty=2)
    add_ongoing(*bout.world, 0, effect, 8, IN_ZONE_PLUS, 3, 2, 1)
    (row,) = bout.rows(0)
    named = (
        "effect",
        "casting",
        "caster",
        "caster_level",
        "slot_level",
        "dc",
        "save_penalty",
        "until",
        "value",
        "uses",
        "choice",
        "rounds",
    )
    assert [int(row[name]) for name in named] == [effect, 9, 1, 7, 4, 19, 2, IN_ZONE_PLUS, 3, 2, 1, 8]


# ---- ends -------------------------------------------------------------------------------------------------------------------------


def test_rows_move_up_and_leave_nothing_behind():
    bout = Bout()
    empty = bout.core.tobytes()
    for value in (1, 2, 3):
        bout.modifier(0, AC, value)
    remove_ongoing(*bout.world, 0, 1)
    assert [int(row["value"]) for row in bout.rows(0)] == [1, 3]
    assert bout.core["totals"][0, AC] == 4
    assert zeroed_beyond(bout, 0)
    remove_ongoing(*bout.world, 0, 1)
    remove_ongoing(*bout.world, 0, 0)
    bout.core["source"] = np.zeros((), bout.core["source"].dtype)
    assert bout.core.tobytes() == empty


def test_a_casting_ends_on_both_and_with_it_the_concentration():
    bout = Bout()
    for player in range(2):
        for casting in (4, 5, 4):
            bout.put(player, bout.effect(MODIFIER, stat=AC), value=1, caster=0, casting=casting)
    bout.core["concentrates_on"][0] = 4
    remove_casting(*bout.world, 4)
    assert [[int(row["casting"]) for row in bout.rows(player)] for player in range(2)] == [[5], [5]]
    assert not is_in_force(bout.core, 4)
    assert bout.core["concentrates_on"][0] == NONE
    assert zeroed_beyond(bout, 0)
    assert zeroed_beyond(bout, 1)


def test_concentration_ends_with_the_last_effect_of_the_casting():
    bout = Bout()
    for player in range(2):
        bout.put(player, bout.effect(ZONE), caster=0, casting=4)
    bout.core["concentrates_on"][0] = 4
    remove_ongoing(*bout.world, 1, 0)
    assert bout.core["concentrates_on"][0] == 4
    remove_ongoing(*bout.world, 0, 0)
    assert bout.core["concentrates_on"][0] == NONE


def test_conditions_end_or_are_suppressed_whatever_brought_them():
    bout = Bout()
    for name in ("prone", "dazed", "prone"):
        bout.condition(0, name)
    remove_condition(*bout.world, 0, CONDITIONS.index("dazed"), 1)
    assert bout.conditions(0) == {"prone"}
    assert len(bout.rows(0)) == 3
    remove_condition(*bout.world, 0, CONDITIONS.index("prone"), 0)
    assert bout.conditions(0) == set()
    assert len(bout.rows(0)) == 1


def test_what_a_spell_suppressed_comes_back_with_its_end():
    bout = Bout()
    spell = bout.spell()
    first = bout.effect(MODIFIER, spell=spell, stat=SAVE_ALL, bonus_type=MORALE, versus=VS_FEAR)
    bits = 1 << CONDITIONS.index("shaken") | 1 << CONDITIONS.index("frightened")
    bout.effect(REMOVE, spell=spell, conditions=bits, suppresses=1)
    bout.rules["spells"][spell]["first_effect"], bout.rules["spells"][spell]["num_effects"] = first, 2
    bout.condition(0, "shaken", spell=bout.spell(descriptors=FEAR))
    bout.condition(0, "dazed")
    bout.rows(0)["suppressed"] = 1
    row = bout.put(0, first, value=4, casting=7)
    assert bout.conditions(0) == set()
    remove_ongoing(*bout.world, 0, row)
    assert bout.conditions(0) == {"shaken"}, "dazed is suppressed by something else"


@pytest.mark.parametrize("event", [ENDS_ON_DAMAGE, ENDS_ON_OWN_HOSTILITY, ENDS_ON_CASTERS_HOSTILITY])
def test_events_end_what_says_so(event):
    bout = Bout()
    for name, ends_on in (
        ("asleep", ENDS_ON_DAMAGE),
        ("invisible", ENDS_ON_OWN_HOSTILITY),
        ("charmed", ENDS_ON_CASTERS_HOSTILITY),
    ):
        bout.condition(0, name, ends_on=ends_on)
    end_by_event(*bout.world, 0, event)
    gone = {ENDS_ON_DAMAGE: "asleep", ENDS_ON_OWN_HOSTILITY: "invisible", ENDS_ON_CASTERS_HOSTILITY: "charmed"}[event]
    assert bout.conditions(0) == {"asleep", "invisible", "charmed"} - {gone}


def test_the_hostility_of_the_other_does_not_end_what_he_did_not_cast():
    bout = Bout()
    bout.put(0, bout.effect(CONDITION, condition=CONDITIONS.index("charmed"), ends_on=ENDS_ON_CASTERS_HOSTILITY), caster=0)
    end_by_event(*bout.world, 0, ENDS_ON_CASTERS_HOSTILITY)
    assert bout.has(0, "charmed")


def test_borrowed_hit_points_come_back_up_to_the_most():
    for wounded, safe, result in ((5, 0, (28, 0)), (0, 0, (30, 0)), (0, 1, (30, 1))):
        bout = Bout(safe_arena=safe)
        bout.put(0, bout.effect(DAMAGE, returns_at_end=1), value=3)
        bout.core["hit_points"][0] = 30 - wounded
        bout.core["nonlethal"][0] = 4 if safe else 0
        bout.recompute()
        remove_ongoing(*bout.world, 0, 0)
        assert (bout.core["hit_points"][0], bout.core["nonlethal"][0]) == result


# ---- time -------------------------------------------------------------------------------------------------------------------------


def test_rounds_pass_in_the_turns_of_the_caster():
    bout = Bout()
    for player in range(2):
        for caster in range(2):
            for rounds in (1, 2, LASTING):
                bout.put(player, bout.effect(MODIFIER, stat=AC), rounds=rounds, caster=caster)
    tick(*bout.world, 0)
    for player in range(2):
        left = [(int(row["caster"]), int(row["rounds"])) for row in bout.rows(player)]
        assert left == [(0, 1), (0, LASTING), (1, 1), (1, 2), (1, LASTING)]
    tick(*bout.world, 1)
    tick(*bout.world, 0)
    for player in range(2):
        left = [(int(row["caster"]), int(row["rounds"])) for row in bout.rows(player)]
        assert left == [(0, LASTING), (1, 1), (1, LASTING)]
        assert zeroed_beyond(bout, player)


def test_no_time_passes_for_the_other_in_a_time_stop():
    bout = Bout()
    for player in range(2):
        bout.put(player, bout.effect(MODIFIER, stat=AC), rounds=5, caster=0)
    bout.core["in_time_stop"][0] = 1
    tick(*bout.world, 0)
    assert [int(bout.rows(player)[0]["rounds"]) for player in range(2)] == [4, 5]


def test_what_lasts_in_a_zone_counts_from_when_it_is_left():
    bout = Bout()
    zone = bout.put(1, bout.effect(ZONE), rounds=9, caster=0, casting=3)
    effect = bout.effect(CONDITION, condition=CONDITIONS.index("nauseated"))
    bout.put(1, effect, rounds=2, caster=0, casting=3, until=IN_ZONE_PLUS)
    for _ in range(4):
        tick(*bout.world, 0)
    assert [int(row["rounds"]) for row in bout.rows(1)] == [5, 2]
    remove_ongoing(*bout.world, 1, zone)
    tick(*bout.world, 0)
    assert bout.has(1, "nauseated")
    tick(*bout.world, 0)
    assert not bout.has(1, "nauseated")


def test_temporary_hit_points_run_out_in_the_turns_of_their_owner():
    bout = Bout()
    for player in range(2):
        gain_temp_hp(bout.core, player, 6, 2)
    tick(*bout.world, 0)
    tick(*bout.world, 0)
    assert (bout.core["temp_hp"].tolist(), bout.core["temp_hp_rounds"].tolist()) == ([0, 6], [0, 2])


def test_temporary_hit_points_do_not_add_up():
    bout = Bout()
    for points, rounds, left in ((6, 5, (6, 5)), (4, 99, (6, 5)), (6, 9, (6, 9)), (6, 3, (6, 9)), (8, 2, (8, 2)), (0, 4, (8, 2))):
        gain_temp_hp(bout.core, 0, points, rounds)
        assert (bout.core["temp_hp"][0], bout.core["temp_hp_rounds"][0]) == left
    gain_temp_hp(bout.core, 1, 3, LASTING)
    tick(*bout.world, 1)
    assert (bout.core["temp_hp"][1], bout.core["temp_hp_rounds"][1]) == (3, LASTING)
