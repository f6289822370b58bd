"""Laws that hold whatever happens to two bodies: one situation has one record, and nothing is left over."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from duel_env.rules.pathfinder.abilities import max_hit_points
from duel_env.rules.pathfinder.bodies import add_negative_levels, check_end, damage_ability, deal_damage, gain_temp_hp, heal
from duel_env.rules.pathfinder.codes import (
    ABILITY,
    ABILITY_CON,
    ABSORB,
    ANTIMAGIC,
    ATTACK,
    CONDITION,
    CONDITIONS,
    DAMAGE,
    ENDS_ON_DAMAGE,
    ENERGY_WARD,
    FIRE,
    IMMUNE_FEAR,
    IMMUNITY,
    INSTANTANEOUS,
    MODIFIER,
    NEGATIVE_LEVELS,
    REROLL,
    RESIST,
    SAVE_ALL,
    SPELL_WARD,
    STR,
    WILL,
    ZONE,
)
from duel_env.rules.pathfinder.ongoing import add_ongoing, remove_casting, remove_ongoing, tick
from duel_env.rules.pathfinder.rolls import roll_attack, roll_save
from duel_env.rules.pathfinder.state import CUP, LASTING, MAX_ONGOING, NONE
from duel_env.rules.pathfinder.totals import recompute

from .bodies import Bout


def library(bout: Bout) -> list[int]:
    """Some effect of each sort that bodies care about."""
    condition = {"kind": CONDITION}
    fields: list[dict[str, Any]] = [
        {"kind": MODIFIER, "stat": SAVE_ALL, "bonus_type": 6},
        {"kind": MODIFIER, "stat": ATTACK, "bonus_type": 8, "uses": 1},
        {"kind": MODIFIER, "stat": ABILITY_CON, "bonus_type": 10},
        {"kind": NEGATIVE_LEVELS},
        {"kind": ABILITY, "mode": 2, "abilities": 1 << STR},
        {"kind": ENERGY_WARD, "mode": ABSORB},
        {"kind": ENERGY_WARD, "mode": RESIST},
        {"kind": REROLL},
        {"kind": IMMUNITY, "immune": IMMUNE_FEAR, "conditions": 1 << CONDITIONS.index("grappled")},
        {"kind": SPELL_WARD, "mode": ANTIMAGIC},
        {"kind": ZONE, "concealment": 50},
        {"kind": DAMAGE, "returns_at_end": 1},
        {**condition, "condition": CONDITIONS.index("fatigued"), "escalates_to": CONDITIONS.index("exhausted")},
        {**condition, "condition": CONDITIONS.index("asleep"), "ends_on": ENDS_ON_DAMAGE},
        *(
            {**condition, "condition": CONDITIONS.index(name)}
            for name in ("shaken", "frightened", "grappled", "paralyzed", "blinded")
        ),
    ]
    spells = [bout.spell(), bout.spell(), bout.spell(duration=INSTANTANEOUS)]
    return [bout.effect(spell=spells[k % 3], **one) for k, one in enumerate(fields)]


steps = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 1), st.integers(0, 1), st.integers(0, 18), st.integers(1, 9)), max_size=40
)


def step(bout: Bout, cup: Any, effects: list[int], one: tuple[int, int, int, int, int]) -> None:
    """Do something to a player."""
    what, player, caster, which, size = one
    count = int(bout.core["num_ongoing"][player])
    if what <= 3:
        bout.source(effects[which], caster, casting=size)
        if effects[which] == effects[3]:
            add_negative_levels(*bout.world, player, effects[3], size % 2, 20)
        else:
            rounds = LASTING if size == 9 else size
            add_ongoing(*bout.world, player, effects[which], rounds, 0, size, size % 4 + 1, which % 5)
    elif what == 4:
        tick(*bout.world, player)
    elif what == 5 and count:
        remove_ongoing(*bout.world, player, which % count)
    elif what == 6:
        remove_casting(*bout.world, size)
    elif what == 7:
        deal_damage(*bout.world, cup, player, size, which % 9, caster, which % 2)
        gain_temp_hp(bout.core, player, which, size)
    elif what == 8:
        heal(*bout.world, player, size)
        damage_ability(*bout.world, player, which % 6, size % 3, caster, 0, NONE)
    else:
        roll_attack(*bout.world, cup, player, 1 - player, caster, size)
        roll_save(*bout.world, cup, player, WILL, 10 + size, NONE, 0)


@given(steps, st.integers(0, 1), st.integers(0, 2**32))
def test_after_anything_nothing_is_left_over_and_recomputing_changes_nothing(all_steps, safe, seed):
    bout = Bout(safe_arena=safe)
    effects = library(bout)
    cup = np.zeros(1, CUP)
    cup["sampling"], cup["position"] = 1, seed
    for one in all_steps:
        step(bout, cup[0], effects, one)
        core = bout.core
        for player in range(2):
            rows = bout.rows(player)
            assert not core["ongoing"][player][len(rows) :].tobytes().strip(b"\0")
            assert len(rows) <= MAX_ONGOING
            assert all(row["rounds"] > 0 for row in rows)
            assert core["hit_points"][player] <= max_hit_points(core, bout.sheets, player)
            assert (core["temp_hp"][player] == 0) == (core["temp_hp_rounds"][player] == 0)
            assert core["nonlethal"][player] >= 0
            assert not safe or not bout.conditions(player) & {"dead", "dying"}
            assert len(bout.conditions(player) & {"shaken", "frightened", "panicked"}) <= 1
            stilled = [bool(row["stilled"]) for row in rows]
            assert not any(stilled) or any(row["effect"] == effects[9] for row in rows)
        before = core.tobytes()
        for player in range(2):
            recompute(*bout.world, player)
        assert core.tobytes() == before


@given(steps)
def test_when_everything_has_ended_only_wounds_are_left(all_steps):
    bout = Bout()
    effects = library(bout)
    cup = np.zeros(1, CUP)
    for one in all_steps:
        if one[0] <= 4:
            step(bout, cup[0], effects, one)
    for casting in range(10):
        remove_casting(*bout.world, casting)
    for player in range(2):
        check_end(*bout.world, player)
    bout.core["source"] = np.zeros((), bout.core["source"].dtype)
    assert bout.core.tobytes() == Bout().core.tobytes()


def test_a_fire_that_is_absorbed_leaves_no_trace_on_the_body():
    bout = Bout()
    bout.put(0, bout.effect(ENERGY_WARD, mode=ABSORB), value=20, choice=FIRE)
    before = bout.core["hit_points"].copy()
    assert bout.run(deal_damage, 0, 12, FIRE, 0, 1) == 0
    assert (bout.core["hit_points"] == before).all()
