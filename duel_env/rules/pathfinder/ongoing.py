"""Effects in force: how they begin, meet each other, run out and end."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.codes import (
    ABILITY,
    ABILITY_PENALTY,
    ACTION,
    AUTO_ATTACK,
    CONDITION,
    DAMAGE,
    ENDS_ON_CASTERS_HOSTILITY,
    ENERGY_WARD,
    IN_ZONE_PLUS,
    NAMED,
    NAMED_CHOICE,
    NEGATIVE_LEVELS,
    REMOVE,
    REROLL,
    RETALIATE,
    SPELL_WARD,
    STAGES,
    ZONE,
)
from duel_env.rules.pathfinder.state import CORE, LASTING, MAX_ONGOING, NONE, ONGOING, RULES, SHEETS
from duel_env.rules.pathfinder.totals import condition_of, has, max_hit_points, recompute
from duel_env.rules.units import NUMBER, unit

NO_ROW = np.zeros(1, ONGOING)
"""A row in which nothing is in force."""


# ---- ends ---------------------------------------------------------------------------------------------------------------------


@kernel
def is_in_force(core, casting):
    """Whether anything of a casting is in force on either duelist."""
    for player in range(2):
        for i in range(core["num_ongoing"][player]):
            if core["ongoing"][player, i]["casting"] == casting:
                return True
    return False


@kernel
def _lift_suppression(core, rules, player, spell, casting):
    """What a spell suppressed comes back when the last of the spell ends (remove fear, protection from evil)."""
    for i in range(core["num_ongoing"][player]):
        if core["ongoing"][player, i]["casting"] == casting:
            return
    record = rules["spells"][spell]
    first = np.int64(record["first_effect"])
    for number in range(first, first + np.int64(record["num_effects"])):
        effect = rules["effects"][number]
        if effect["kind"] != REMOVE or effect["suppresses"] == 0:
            continue
        bits = np.uint64(effect["conditions"])
        for i in range(core["num_ongoing"][player]):
            row = core["ongoing"][player, i]
            if row["suppressed"] == 1 and row["stilled"] == 0 and rules["effects"][row["effect"]]["kind"] == CONDITION:
                if (bits >> np.uint64(condition_of(rules, row))) & np.uint64(1) != np.uint64(0):
                    row["suppressed"] = 0


@kernel
def _give_back(core, rules, sheets, player, points):
    """Hit points that a spell had borrowed come back: as nonlethal damage less, where all damage was nonlethal."""
    if rules["safe_arena"] == 1:
        core["nonlethal"][player] = max(np.int64(core["nonlethal"][player]) - points, 0)
        return
    most, now = max_hit_points(core, sheets, player), np.int64(core["hit_points"][player])
    core["hit_points"][player] = max(min(now + points, most), now)


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER)
def remove_ongoing(core, rules, sheets, player, index):
    """End one effect.

    Args:
        core, rules, sheets: as everywhere.
        player: on whom it is in force.
        index: its row; the rows after it move up.

    Mutates:
        core: the effects of `player` and what follows from them; nobody concentrates any more on a casting of which this was the last.
    """
    row = core["ongoing"][player, index]
    effect = rules["effects"][row["effect"]]
    spell, casting = np.int64(row["spell"]), np.int64(row["casting"])
    borrowed = np.int64(row["value"]) if effect["kind"] == DAMAGE and effect["returns_at_end"] == 1 else 0
    last = np.int64(core["num_ongoing"][player]) - 1
    for i in range(index, last):
        core["ongoing"][player, i] = core["ongoing"][player, i + 1]
    core["ongoing"][player, last] = NO_ROW[0]
    core["num_ongoing"][player] = last
    _lift_suppression(core, rules, player, spell, casting)
    recompute(core, rules, sheets, player)
    if borrowed > 0:
        _give_back(core, rules, sheets, player, borrowed)
        recompute(core, rules, sheets, player)
    if (core["concentrates_on"][0] == casting or core["concentrates_on"][1] == casting) and not is_in_force(core, casting):
        for who in range(2):
            if core["concentrates_on"][who] == casting:
                core["concentrates_on"][who] = NONE


@unit(CORE, RULES, SHEETS, NUMBER)
def remove_casting(core, rules, sheets, casting):
    """End everything that one casting brought, on both duelists."""
    for player in range(2):
        i = 0
        while i < core["num_ongoing"][player]:
            if core["ongoing"][player, i]["casting"] == casting:
                remove_ongoing(core, rules, sheets, player, i)
            else:
                i += 1
    for player in range(2):
        if core["concentrates_on"][player] == casting:
            core["concentrates_on"][player] = NONE


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER, NUMBER)
def remove_condition(core, rules, sheets, player, condition, suppress):
    """End a condition, whatever brought it; with `suppress` 1 its effects go on but do nothing."""
    i = 0
    while i < core["num_ongoing"][player]:
        row = core["ongoing"][player, i]
        found = rules["effects"][row["effect"]]["kind"] == CONDITION and condition_of(rules, row) == condition
        if found and suppress == 0:
            remove_ongoing(core, rules, sheets, player, i)
            continue
        if found:
            row["suppressed"] = 1
        i += 1
    recompute(core, rules, sheets, player)


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER)
def end_by_event(core, rules, sheets, player, event_bit):
    """End the effects on a duelist that an event ends.

    Args:
        core, rules, sheets: as everywhere.
        player: on whom they are in force.
        event_bit: ENDS_ON_DAMAGE: he was hurt; ENDS_ON_OWN_HOSTILITY: he did something hostile; ENDS_ON_CASTERS_HOSTILITY: the other
            did, which ends only what the other cast.
    """
    i = 0
    while i < core["num_ongoing"][player]:
        row = core["ongoing"][player, i]
        ends = np.int64(rules["effects"][row["effect"]]["ends_on"]) & event_bit != 0
        if event_bit == ENDS_ON_CASTERS_HOSTILITY and row["caster"] == player:
            ends = False
        if ends:
            remove_ongoing(core, rules, sheets, player, i)
        else:
            i += 1


# ---- time ---------------------------------------------------------------------------------------------------------------------


@kernel
def _stays_in_zone(core, rules, player, row):
    """Whether a row lasts because its duelist is still in the area of the same casting."""
    if row["until"] != IN_ZONE_PLUS:
        return False
    for i in range(core["num_ongoing"][player]):
        other = core["ongoing"][player, i]
        if other["casting"] == row["casting"] and rules["effects"][other["effect"]]["kind"] == ZONE:
            return True
    return False


@unit(CORE, RULES, SHEETS, NUMBER)
def tick(core, rules, sheets, caster):
    """A round has passed for what `caster` cast: called at the start of his turn. What has no rounds left ends.

    What lasts "while in the zone and some rounds more" counts its rounds from when the zone was left. In a time stop no time passes for
    the other duelist. Temporary hit points count their owner's turns: all spells that give them are cast on oneself.
    """
    for side in range(2):
        player = caster if side == 0 else 1 - caster
        if player != caster and core["in_time_stop"][caster] == 1:
            continue
        i = 0
        while i < core["num_ongoing"][player]:
            row = core["ongoing"][player, i]
            if row["caster"] != caster or row["rounds"] >= LASTING or _stays_in_zone(core, rules, player, row):
                i += 1
                continue
            row["rounds"] -= 1
            if row["rounds"] <= 0:
                remove_ongoing(core, rules, sheets, player, i)
            else:
                i += 1
    if 0 < core["temp_hp_rounds"][caster] < LASTING:
        core["temp_hp_rounds"][caster] -= 1
        if core["temp_hp_rounds"][caster] == 0:
            core["temp_hp"][caster] = 0


# ---- beginnings ---------------------------------------------------------------------------------------------------------------


@kernel
def _is_each_its_own(effect):
    """Whether an effect is there once more if it is cast once more: damage to come, poison, lost levels, weapons that strike."""
    kind = effect["kind"]
    if kind == ABILITY:
        return effect["mode"] != ABILITY_PENALTY
    return kind == DAMAGE or kind == NEGATIVE_LEVELS or kind == AUTO_ATTACK


@kernel
def _twin(core, rules, player, number, choice):
    """The row of the same effect by the same caster that a new one meets; NONE if there is none.

    Wards against different energies and penalties to different chosen abilities are different effects.
    """
    effect = rules["effects"][number]
    if _is_each_its_own(effect):
        return NONE
    by_choice = effect["kind"] == ENERGY_WARD or effect["kind"] == ABILITY
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        if row["effect"] == number and row["caster"] == core["source"]["caster"]:
            if not by_choice or row["choice"] == choice:
                return i
    return NONE


@kernel
def _strength(effect, value, uses):
    """What makes one of two equal effects the greater one, besides rounds."""
    kind = effect["kind"]
    if kind == REROLL:
        return uses
    if kind == SPELL_WARD and (effect["mode"] == NAMED or effect["mode"] == NAMED_CHOICE):
        return 0  # its value is the number of a spell
    return abs(value)


@kernel
def _replaces(effect, row, rounds, value, uses):
    """Whether a new effect takes the place of the same one in force: the greater, then the longer stays.

    Areas and granted actions begin anew; a body that suffers in stages goes on where it is (suffocation).
    """
    kind = effect["kind"]
    if kind == ZONE or kind == ACTION or kind == RETALIATE:
        return True
    if kind == STAGES:
        return False
    new, old = _strength(effect, value, uses), _strength(effect, np.int64(row["value"]), np.int64(row["uses"]))
    return new > old or (new == old and rounds >= row["rounds"])


@kernel
def _make_room(core, rules, sheets, player):
    """Push out the effect that is nearest to its end, the oldest of them; only if all rows are taken."""
    while core["num_ongoing"][player] >= MAX_ONGOING:
        nearest = 0
        for i in range(core["num_ongoing"][player]):
            if core["ongoing"][player, i]["rounds"] < core["ongoing"][player, nearest]["rounds"]:
                nearest = i
        remove_ongoing(core, rules, sheets, player, nearest)


@unit(CORE, RULES, SHEETS, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)
def add_ongoing(core, rules, sheets, player, effect, rounds, until, value, uses, choice):
    """Put an effect of the source in force on a duelist.

    Args:
        core: CORE record; `source` says whose casting of which spell it is.
        rules: RULES record.
        sheets: SHEET (2,).
        player: 0 or 1.
        effect: its number.
        rounds: 1 or more; LASTING and more for what does not end by itself.
        until: codes.ROUNDS, what ends it besides.
        value: points, bonus, images, levels.
        uses: how often it can be used, where that is limited.
        choice: option, energy or ability.

    Returns:
        its row; NONE if the duelist is immune to the condition. Where the same effect by the same caster is in force and is greater or
        longer, the row of that one.

    Mutates:
        core: the effects of `player`, and what follows from them.
    """
    record = rules["effects"][effect]
    escalates = False
    if record["kind"] == CONDITION:
        condition = np.int64(record["condition"])
        if (core["immune_conditions"][player] >> np.uint64(condition)) & np.uint64(1) != np.uint64(0):
            return NONE
        further = np.int64(record["escalates_to"])
        escalates = further >= 0 and (has(core, player, condition) or has(core, player, further))
    index = _twin(core, rules, player, effect, choice)
    if index == NONE:
        _make_room(core, rules, sheets, player)
        index = np.int64(core["num_ongoing"][player])
        core["num_ongoing"][player] = index + 1
    elif not _replaces(record, core["ongoing"][player, index], rounds, value, uses):
        if escalates:
            core["ongoing"][player, index]["escalated"] = 1
            recompute(core, rules, sheets, player)
        return index
    source = core["source"]
    row = core["ongoing"][player, index]
    due = np.int64(row["due"])
    core["ongoing"][player, index] = NO_ROW[0]
    row["effect"] = effect
    row["spell"] = source["spell"]
    row["casting"] = source["casting"]
    row["caster"] = source["caster"]
    row["caster_level"] = source["caster_level"]
    row["slot_level"] = source["slot_level"]
    row["dc"] = source["dc"]
    row["until"] = until
    row["choice"] = choice
    row["value"] = min(max(value, -30_000), 30_000)
    row["uses"] = min(max(uses, 0), 30_000)
    row["rounds"] = min(rounds, LASTING)
    row["save_penalty"] = source["save_penalty"]
    row["escalated"] = 1 if escalates else 0
    row["due"] = due  # a pass that was to see to the old one sees to the new one
    recompute(core, rules, sheets, player)
    return index
