"""Bodies: damage and what it meets, healing, abilities, levels, and when a duelist is defeated (rules page, sections 5 and 7)."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.codes import (
    ABILITY_DRAIN,
    ABSORB,
    ALL_ENERGIES,
    CON,
    CONDITION,
    DEAD,
    DYING,
    ENDS_ON_DAMAGE,
    ENERGY_WARD,
    HALVE,
    HALVE_AREA,
    IMMUNE_NEGATIVE_DAMAGE,
    IMMUNE_NEGATIVE_LEVELS,
    NEGATIVE,
    RESIST,
    SONIC,
    UNCONSCIOUS,
)
from duel_env.rules.pathfinder.ongoing import add_ongoing, end_by_event, remove_ongoing
from duel_env.rules.pathfinder.state import BY_DEFEAT, CORE, CUP, LASTING, MAX_ONGOING, NOBODY, NONE, RULES, RUNNING, SHEETS
from duel_env.rules.pathfinder.totals import condition_of, enduring_score, has, max_hit_points, recompute
from duel_env.rules.units import NUMBER, unit

MOST_POINTS = 30_000
"""Points of damage that are kept in 16 bits."""


# ---- damage -------------------------------------------------------------------------------------------------------------------


@kernel
def _wards_off(core, rules, player, i, mode, damage_type):
    """Whether a row is a ward of a mode against a type of damage."""
    row = core["ongoing"][player, i]
    effect = rules["effects"][row["effect"]]
    if effect["kind"] != ENERGY_WARD or effect["mode"] != mode or row["suppressed"] == 1:
        return False
    if row["choice"] == damage_type:
        return True
    # What halves areas (blink) does so for all damage; the others are against the five energies.
    return row["choice"] == ALL_ENERGIES and (damage_type <= SONIC or mode == HALVE_AREA)


@kernel
def _halved(core, rules, player, points, damage_type, mode):
    for i in range(core["num_ongoing"][player]):
        if _wards_off(core, rules, player, i, mode, damage_type):
            return points // 2
    return points


@kernel
def _absorbed(core, rules, sheets, player, points, damage_type):
    """What the pools of protections from energy leave. An empty one ends."""
    for _ in range(MAX_ONGOING):
        found = NONE
        for i in range(core["num_ongoing"][player]):
            if _wards_off(core, rules, player, i, ABSORB, damage_type):
                found = i
                break
        if found == NONE or points == 0:
            break
        row = core["ongoing"][player, found]
        taken = min(np.int64(row["value"]), points)
        points -= taken
        row["value"] = np.int64(row["value"]) - taken
        if row["value"] <= 0:
            remove_ongoing(core, rules, sheets, player, found)
    return points


@kernel
def _resisted(core, rules, player, points, damage_type):
    """What the best resistance leaves of one instance."""
    best = 0
    for i in range(core["num_ongoing"][player]):
        if _wards_off(core, rules, player, i, RESIST, damage_type):
            best = max(best, np.int64(core["ongoing"][player, i]["value"]))
    return max(points - best, 0)


@kernel
def _wound(core, rules, sheets, player, points, nonlethal):
    """Damage that passed all wards: temporary hit points go first, then nonlethal damage or hit points."""
    taken = min(np.int64(core["temp_hp"][player]), points)
    core["temp_hp"][player] -= taken
    if core["temp_hp"][player] == 0:
        core["temp_hp_rounds"][player] = 0
    points -= taken
    bruises = np.int64(core["nonlethal"][player])
    if rules["safe_arena"] == 1:
        core["nonlethal"][player] = min(bruises + points, MOST_POINTS)
        return
    if nonlethal == 1:
        # Up to the most hit points; what goes beyond is lethal.
        kept = min(points, max(max_hit_points(core, sheets, player) - bruises, 0))
        core["nonlethal"][player] = bruises + kept
        points -= kept
    core["hit_points"][player] = max(np.int64(core["hit_points"][player]) - points, -MOST_POINTS)


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)
def deal_damage(core, rules, sheets, cup, target, points, damage_type, nonlethal, area):
    """Deal one instance of damage.

    First wards halve it, then a protection from energy absorbs what its pool can, then the best resistance takes its share (the notes of
    resist energy: "protection absorbs first"); temporary hit points go before the others. In a safe arena all damage is nonlethal.

    Args:
        core, rules, sheets, cup: as everywhere.
        target: who is hurt.
        points: rolled, after a saving throw.
        damage_type: of codes.DAMAGE_TYPES.
        nonlethal: 1 for nonlethal damage.
        area: 1 if it comes from an area, which blinking halves.

    Returns:
        the points that got through the wards, those that temporary hit points took included.

    Mutates:
        core: the target's body and wards; damage that got through wakes who sleeps.
    """
    points = min(points, MOST_POINTS)
    if damage_type == NEGATIVE and np.int64(core["immune"][target]) & IMMUNE_NEGATIVE_DAMAGE != 0:
        return 0
    points = _halved(core, rules, target, points, damage_type, HALVE)
    if area == 1:
        points = _halved(core, rules, target, points, damage_type, HALVE_AREA)
    if damage_type <= SONIC:
        points = _absorbed(core, rules, sheets, target, points, damage_type)
        points = _resisted(core, rules, target, points, damage_type)
    if points <= 0:
        return 0
    _wound(core, rules, sheets, target, points, nonlethal)
    end_by_event(core, rules, sheets, target, ENDS_ON_DAMAGE)
    recompute(core, rules, sheets, target)
    return points


# ---- healing ------------------------------------------------------------------------------------------------------------------


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER)
def heal(core, rules, sheets, target, points):
    """Give hit points back, up to the most; as many points of nonlethal damage go as well."""
    points = max(min(points, MOST_POINTS), 0)
    now = np.int64(core["hit_points"][target])
    core["hit_points"][target] = max(min(now + points, max_hit_points(core, sheets, target)), now)
    core["nonlethal"][target] = max(np.int64(core["nonlethal"][target]) - points, 0)
    recompute(core, rules, sheets, target)


@kernel
def gain_temp_hp(core, player, points, rounds):
    """Give temporary hit points. They do not add up with those that are there: the more stay; of equally many, the longer ones."""
    now = np.int64(core["temp_hp"][player])
    if points <= 0 or points < now:
        return
    rounds = min(rounds, LASTING)
    if points == now:
        rounds = max(rounds, np.int64(core["temp_hp_rounds"][player]))
    core["temp_hp"][player] = min(points, MOST_POINTS)
    core["temp_hp_rounds"][player] = rounds


# ---- abilities and levels -----------------------------------------------------------------------------------------------------


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)
def damage_ability(core, rules, sheets, target, ability, points, mode, min_score, at_zero):
    """Damage or drain an ability score. At 0 its owner is unconscious, without Constitution dead.

    Args:
        core, rules, sheets: as everywhere.
        target: whose.
        ability: of codes.ABILITIES.
        points: 0 or more.
        mode: ABILITY_DAMAGE or ABILITY_DRAIN. Penalties are effects in force instead.
        min_score: the score does not fall lower by this.
        at_zero: the condition that a score of 0 brings besides, NONE: none.
    """
    most = max(enduring_score(core, sheets, target, ability) - max(min_score, 0), 0)
    points = min(max(points, 0), most)
    if mode == ABILITY_DRAIN:
        core["ability_drain"][target, ability] = min(np.int64(core["ability_drain"][target, ability]) + points, 100)
    else:
        core["ability_damage"][target, ability] = min(np.int64(core["ability_damage"][target, ability]) + points, 100)
    if at_zero >= 0 and enduring_score(core, sheets, target, ability) == 0:
        core["fate"][target] = at_zero + 1
    recompute(core, rules, sheets, target)


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER, NUMBER, NUMBER)
def add_negative_levels(core, rules, sheets, target, number, levels, rounds):
    """Give negative levels by effect `number` of the source. As many as hit dice kill (see `totals`); a death ward keeps them away."""
    if levels <= 0 or rounds <= 0 or np.int64(core["immune"][target]) & IMMUNE_NEGATIVE_LEVELS != 0:
        return
    until = np.int64(rules["effects"][number]["rounds_kind"])
    add_ongoing(core, rules, sheets, target, number, rounds, until, levels, 0, 0)


# ---- the end ------------------------------------------------------------------------------------------------------------------


@kernel
def _lasts(core, rules, player, condition):
    """Whether a condition never ends by itself."""
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        if rules["effects"][row["effect"]]["kind"] == CONDITION and row["suppressed"] == 0:
            if condition_of(rules, row) == condition and row["rounds"] >= LASTING:
                return True
    return core["fate"][player] == condition + 1


@kernel
def _lies_down_for_good(core, sheets, player):
    """Whether a score of 0 keeps a duelist unconscious."""
    for ability in range(6):
        if ability != CON and enduring_score(core, sheets, player, ability) == 0:
            return True
    return False


@kernel
def is_defeated(core, rules, sheets, player):
    """Whether a duelist cannot go on, by the terms of the duel.

    By default every condition that ends duels does it; banishment only for good (line 18 of the table of ambiguities). In a duel to the
    death: being dead, and what would last for ever. A safe arena knows no death, so there the default holds.
    """
    to_the_death = rules["to_the_death"] == 1 and rules["safe_arena"] == 0
    if has(core, player, DEAD):
        return True
    for condition in range(rules["conditions"].shape[0]):
        ends = rules["conditions"][condition]["ends_duel"]
        if ends == 0 or not has(core, player, condition):
            continue
        if ends == 1 and not to_the_death:
            return True
        # Who is unconscious or dying by his wounds, or suffocates, can still be helped or die.
        if condition != UNCONSCIOUS and condition != DYING and _lasts(core, rules, player, condition):
            return True
    return to_the_death and has(core, player, UNCONSCIOUS) and _lies_down_for_good(core, sheets, player)


@unit(CORE, RULES, SHEETS, NUMBER)
def check_end(core, rules, sheets, player):
    """End the duel if a duelist is defeated; called for both after every change. Both at once: a draw (line 20).

    Mutates:
        core: end and winner.
    """
    if not is_defeated(core, rules, sheets, player):
        return
    if core["end"] == RUNNING:
        core["end"] = BY_DEFEAT
        core["winner"] = 1 - player
    elif core["end"] == BY_DEFEAT and core["winner"] == player:
        core["winner"] = NOBODY
