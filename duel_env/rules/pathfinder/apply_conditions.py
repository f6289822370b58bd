"""Effects that give and take conditions."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.apply_source import (
    HALF,
    end_casting_on,
    find_row,
    lay,
    next_due,
    rounds_of,
    sourced,
)
from duel_env.rules.pathfinder.codes import (
    ABILITY,
    CHARMED,
    COMMANDED,
    CONDITION,
    CURSE_CHECK,
    DOMINATED,
    GRAPPLED,
    IMMUNE_CONTROL,
    NEW_SAVE,
    ZONE,
)
from duel_env.rules.pathfinder.dice import FOR_COUNT, FOR_DISPEL, FOR_ROUNDS
from duel_env.rules.pathfinder.ongoing import remove_ongoing
from duel_env.rules.pathfinder.rolls import roll_save, throw_d20
from duel_env.rules.pathfinder.state import CORE, CUP, NONE, RULES, SHEETS
from duel_env.rules.pathfinder.totals import condition_of, recompute
from duel_env.rules.units import NUMBER, unit

WEB_GRIP = 5
"""CMB of webs, which have none: concentration DC 15 + spell level."""


@kernel
def is_control(condition):
    """Whether a condition is ongoing control of the mind (protection from evil, official FAQ)."""
    return condition == CHARMED or condition == DOMINATED or condition == COMMANDED


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER)
def apply_condition(core, rules, sheets, cup, target, number, share):
    """A `condition` effect; returns whether the duelist has it now."""
    effect = rules["effects"][number]
    source = core["source"]
    condition = np.int64(effect["condition"])
    if effect["needs_damage"] == 1 and source["dealt"] == 0:
        return False
    if is_control(condition) and np.int64(core["immune"][target]) & IMMUNE_CONTROL != 0:
        return False
    if source["critical"] == 1 and effect["rounds_on_critical"] >= 0:
        rounds = np.int64(effect["rounds_on_critical"])
    elif effect["outlasts"] == 1:
        rounds = np.int64(source["rolled"]) + sourced(core, rules, sheets, cup, np.int64(effect["rounds"]), FOR_ROUNDS)
    else:
        rounds = rounds_of(core, rules, sheets, cup, effect)
    source["rolled"] = rounds
    if share == HALF:
        rounds //= 2
    value = 0
    if condition == GRAPPLED:  # the CMB of what holds: concentration is 10 + CMB + spell level
        held = effect["escape_dc"] >= 0
        value = sourced(core, rules, sheets, cup, np.int64(effect["escape_dc"]), FOR_COUNT) - 10 if held else WEB_GRIP
    row = lay(core, rules, sheets, target, number, rounds, value, 0, np.int64(source["option"]))
    if row == NONE:
        return False
    if effect["sets_hp"] == 1 and core["hit_points"][target] > effect["hp_set"]:
        core["hit_points"][target] = effect["hp_set"]
        recompute(core, rules, sheets, target)
    return True


@kernel
def _frees(core, rules, sheets, cup, player, row, bonus):
    """Protection from evil: a new save against control by an evil caster."""
    if sheets[np.int64(row["caster"])]["evil"] == 0:
        return False
    spell = np.int64(row["spell"])
    save = np.int64(rules["spells"][spell]["save"])
    return roll_save(core, rules, sheets, cup, player, save, np.int64(row["dc"]), spell, bonus - np.int64(row["save_penalty"]))


@kernel
def _remove_curses(core, rules, sheets, cup, target, by_check):
    """A caster level check against the DC of each curse."""
    source = core["source"]
    for i in range(core["num_ongoing"][target]):
        row = core["ongoing"][target, i]
        row["due"] = rules["spells"][row["spell"]]["curse"]
    last = NONE
    for _ in range(core["ongoing"].shape[1]):
        i = next_due(core, target)
        if i == NONE:
            break
        row = core["ongoing"][target, i]
        casting = np.int64(row["casting"])
        if casting == last:  # one check for all that one casting did; it failed
            continue
        last = casting
        bonus, dc = np.int64(source["caster_level"]), np.int64(row["dc"])
        caster, spell = np.int64(source["caster"]), np.int64(source["spell"])
        if not by_check or throw_d20(core, rules, sheets, cup, FOR_DISPEL, caster, bonus, dc, spell) + bonus >= dc:
            end_casting_on(core, rules, sheets, target, casting)


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER)
def apply_remove(core, rules, sheets, cup, target, number):
    """A `remove` effect: conditions, areas around the target, ability damage, poison, curses."""
    effect = rules["effects"][number]
    bits = np.uint64(effect["conditions"])
    for i in range(core["num_ongoing"][target]):
        row = core["ongoing"][target, i]
        theirs = rules["effects"][row["effect"]]
        row["due"] = 0
        if theirs["kind"] == CONDITION and (bits >> np.uint64(condition_of(rules, row))) & np.uint64(1) != np.uint64(0):
            # Curses yield to what removes curses only: heal does not end eyebite's sickness.
            row["due"] = rules["spells"][row["spell"]]["curse"] == 0 and not (
                effect["suppresses"] == 1 and row["suppressed"] == 1
            )
        elif theirs["kind"] == ZONE:
            row["due"] = effect["removes_zones"]
        elif theirs["kind"] == ABILITY and theirs["repeat_rounds"] >= 0:
            row["due"] = effect["removes_poison"]
    for _ in range(core["ongoing"].shape[1]):
        i = next_due(core, target)
        if i == NONE:
            break
        row = core["ongoing"][target, i]
        their_number, casting = np.int64(row["effect"]), np.int64(row["casting"])
        if effect["check"] == NEW_SAVE and not _frees(core, rules, sheets, cup, target, row, np.int64(effect["save_bonus"])):
            continue
        i = find_row(core, target, their_number, casting)
        if i == NONE:
            continue
        if effect["suppresses"] == 1:
            core["ongoing"][target, i]["suppressed"] = 1
        else:
            remove_ongoing(core, rules, sheets, target, i)
    if effect["removes_zones"] == 1:
        core["near"] = 0
    if effect["removes_curses"] == 1:
        _remove_curses(core, rules, sheets, cup, target, effect["check"] == CURSE_CHECK)
    if effect["removes_ability_damage"] == 1:
        for ability in range(6):
            core["ability_damage"][target, ability] = 0
    if effect["ends_turn"] == 1:  # dimension door
        core["turn_lost"] = 1
    recompute(core, rules, sheets, target)
