"""Effects on the body: damage, healing, temporary hit points, abilities, levels."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.apply_source import HALF, doubled, lay, makes_save, rounds_of, sourced
from duel_env.rules.pathfinder.bodies import add_negative_levels, damage_ability, deal_damage, gain_temp_hp, heal
from duel_env.rules.pathfinder.codes import (
    ABILITY_PENALTY,
    ALL_ENERGIES,
    AT_AREA,
    CHOSEN,
    CHOSEN_ENERGY,
    COLD,
    CON,
    DEAD,
    ENERGY_WARD,
    FIRE,
    FIRE_OR_COLD,
    HALVED,
    REF,
    UNTIL_HEALED,
)
from duel_env.rules.pathfinder.dice import FOR_COUNT, FOR_DAMAGE, FOR_HEALING, FOR_POINTS
from duel_env.rules.pathfinder.ongoing import remove_ongoing
from duel_env.rules.pathfinder.state import CORE, CUP, LASTING, RULES, SHEETS
from duel_env.rules.pathfinder.totals import ability_score, recompute
from duel_env.rules.units import NUMBER, unit

LASTING_USES = 30_000
"""Uses of what comes back until it is ended."""


@kernel
def damage_type_of(core, effect):
    """The type of an effect's damage, choices settled."""
    kind = np.int64(effect["damage_type"])
    if kind == CHOSEN:
        return np.int64(core["source"]["energy"])
    if kind == FIRE_OR_COLD:  # fire shield: the chill shield is the first option and deals cold
        return COLD if core["source"]["option"] == 0 else FIRE
    return kind


@kernel
def _evades(core, rules, target, damage_type):
    """Whether a fire shield turns half damage after a Reflex save into none."""
    if core["source"]["save"] != REF:
        return False
    for i in range(core["num_ongoing"][target]):
        row = core["ongoing"][target, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] == ENERGY_WARD and effect["evasion"] == 1 and row["suppressed"] == 0:
            energy = np.int64(row["choice"]) if effect["energy"] == CHOSEN_ENERGY else np.int64(effect["energy"])
            if energy == ALL_ENERGIES or energy == damage_type:
                return True
    return False


@kernel
def after_save(core, rules, target, effect, points):
    """What a saving throw for half leaves of damage."""
    return 0 if _evades(core, rules, target, damage_type_of(core, effect)) else points // 2


@kernel
def strike(core, rules, sheets, cup, target, effect, points):
    """Deal an effect's damage, once rolled; returns what got through.

    Mutates:
        core: the target's body; `source.dealt`; the caster's temporary hit points (vampiric touch).
    """
    if points <= 0:
        return 0
    source = core["source"]
    area = 1 if rules["spells"][source["spell"]]["target"] == AT_AREA else 0
    nonlethal = np.int64(effect["nonlethal"])
    alive = max(np.int64(core["hit_points"][target]), 0)
    if effect["min_hp_left"] > 0:  # harm
        most = np.int64(core["temp_hp"][target]) + alive - np.int64(effect["min_hp_left"])
        if nonlethal == 1 or rules["safe_arena"] == 1:
            most -= np.int64(core["nonlethal"][target])
        points = min(points, max(most, 0))
        if points == 0:
            return 0
    kind = damage_type_of(core, effect)
    if effect["split_type"] >= 0:  # "half fire, half divine": the first half is rounded down
        dealt = np.int64(deal_damage(core, rules, sheets, cup, target, points // 2, kind, nonlethal, area))
        other = np.int64(effect["split_type"])
        dealt += np.int64(deal_damage(core, rules, sheets, cup, target, points - points // 2, other, nonlethal, area))
    else:
        dealt = np.int64(deal_damage(core, rules, sheets, cup, target, points, kind, nonlethal, area))
    source["dealt"] += dealt
    if effect["kill_at_zero"] == 1 and core["hit_points"][target] <= 0 and dealt > 0:  # disintegrate leaves dust
        core["fate"][target] = DEAD + 1
        recompute(core, rules, sheets, target)
    if effect["gains_temp_hp"] == 1 and dealt > 0:
        # "cap: target_hp + target_con": no more than what it took to kill.
        gained = min(dealt, alive + ability_score(core, rules, sheets, target, CON))
        gain_temp_hp(core, np.int64(source["caster"]), gained, np.int64(600))
    return dealt


@kernel
def repeat(core, rules, sheets, cup, target, number):
    """Let damage, also of abilities, come back on later turns: for a number of turns, or until the target is free."""
    effect = rules["effects"][number]
    energy = np.int64(core["source"]["energy"])
    if effect["repeat_until_free"] == 1:
        lay(core, rules, sheets, target, number, rounds_of(core, rules, sheets, cup, effect), 0, LASTING_USES, energy)
    elif effect["repeat_rounds"] >= 0:
        times = sourced(core, rules, sheets, cup, np.int64(effect["repeat_rounds"]), FOR_COUNT)
        if times > 0:
            lay(core, rules, sheets, target, number, LASTING, 0, times, energy)


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER)
def apply_damage(core, rules, sheets, cup, target, number, share):
    """A `damage` effect: every hit, and what it will do on later turns."""
    effect = rules["effects"][number]
    source = core["source"]
    if effect["delayed"] == 1:  # acidic spray: on the target's next turn
        lay(core, rules, sheets, target, number, 2, 0, 1, np.int64(source["energy"]))
        return
    hits = 1
    if effect["hits"] >= 0:
        hits = min(sourced(core, rules, sheets, cup, np.int64(effect["hits"]), FOR_COUNT), 40)
    total = 0
    for _ in range(hits):
        halve = share == HALF
        if effect["separate_saves"] == 1 and makes_save(core, rules, sheets, cup, target, np.int64(source["save"]), 0):
            if effect["on_save"] != HALVED:
                continue
            halve = True
        points = doubled(core, rules, sheets, cup, np.int64(effect["amount"]), FOR_DAMAGE)
        if halve:
            points = after_save(core, rules, target, effect, points)
        total += strike(core, rules, sheets, cup, target, effect, points)
    if effect["returns_at_end"] == 1:  # spectral hand
        lay(core, rules, sheets, target, number, rounds_of(core, rules, sheets, cup, effect), total, 0, 0)
    repeat(core, rules, sheets, cup, target, number)
    if total > 0 and (effect["repeat_until_free"] == 1 or effect["repeat_rounds"] >= 0):
        core["last_continuous_damage"][target] = min(total, 30_000)


@kernel
def apply_heal(core, rules, sheets, cup, target, number):
    """A `heal` effect; what lasts until nonlethal damage is healed ends with it (frostbite)."""
    effect = rules["effects"][number]
    heal(core, rules, sheets, target, sourced(core, rules, sheets, cup, np.int64(effect["amount"]), FOR_HEALING))
    if core["nonlethal"][target] > 0:
        return
    i = 0
    while i < core["num_ongoing"][target]:
        if core["ongoing"][target, i]["until"] == UNTIL_HEALED:
            remove_ongoing(core, rules, sheets, target, i)
        else:
            i += 1


@kernel
def apply_temp_hp(core, rules, sheets, cup, target, number):
    """A `temp_hp` effect."""
    effect = rules["effects"][number]
    points = sourced(core, rules, sheets, cup, np.int64(effect["amount"]), FOR_POINTS)
    gain_temp_hp(core, target, points, rounds_of(core, rules, sheets, cup, effect))


@kernel
def ability_points(core, rules, sheets, cup, target, number, amount_number, share):
    """Roll amount `amount_number` of an `ability` effect once, for every ability that it is for (touch of idiocy: one roll for three).

    A critical hit doubles damage and drain, not penalties (rules page, section 3).
    """
    effect = rules["effects"][number]
    source = core["source"]
    if effect["mode"] == ABILITY_PENALTY:
        points = sourced(core, rules, sheets, cup, amount_number, FOR_POINTS)
    else:
        points = doubled(core, rules, sheets, cup, amount_number, FOR_POINTS)
    if share == HALF:
        points //= 2
    if points <= 0:
        return
    abilities = np.int64(effect["abilities"])
    chosen = np.int64(source["ability"])
    if effect["mode"] == ABILITY_PENALTY:
        lay(core, rules, sheets, target, number, rounds_of(core, rules, sheets, cup, effect), points, 0, chosen)
        return
    for ability in range(6):
        if (abilities >> ability) & 1 == 1 or (abilities == 0 and ability == chosen):
            damage_ability(
                core,
                rules,
                sheets,
                target,
                ability,
                points,
                np.int64(effect["mode"]),
                np.int64(effect["min_score"]),
                np.int64(effect["at_zero"]),
            )


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER)
def apply_ability(core, rules, sheets, cup, target, number, share):
    """An `ability` effect, and its return on later turns (poison)."""
    ability_points(core, rules, sheets, cup, target, number, np.int64(rules["effects"][number]["amount"]), share)
    repeat(core, rules, sheets, cup, target, number)


@kernel
def apply_negative_levels(core, rules, sheets, cup, target, number):
    """A `negative_levels` effect; a critical hit doubles the levels (energy drain, enervation)."""
    effect = rules["effects"][number]
    levels = doubled(core, rules, sheets, cup, np.int64(effect["amount"]), FOR_POINTS)
    add_negative_levels(core, rules, sheets, target, number, levels, rounds_of(core, rules, sheets, cup, effect))
