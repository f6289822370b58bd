"""Dispelling: which spells in effect on a duelist end."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.apply_source import end_casting_on, no_longer_due, sourced
from duel_env.rules.pathfinder.choices import nth_dispellable
from duel_env.rules.pathfinder.codes import DISPEL_ALL, DISPEL_MANY
from duel_env.rules.pathfinder.dice import FOR_COUNT, FOR_DISPEL
from duel_env.rules.pathfinder.rolls import throw_d20
from duel_env.rules.pathfinder.state import CORE, CUP, NONE, RULES, SHEETS
from duel_env.rules.units import NUMBER, unit


@kernel
def _mark(core, rules, target, with_curses):
    """Mark what can be dispelled; returns whether there is anything. Greater dispel magic also ends curses."""
    found = False
    for i in range(core["num_ongoing"][target]):
        row = core["ongoing"][target, i]
        record = rules["spells"][row["spell"]]
        row["due"] = record["dispellable"] == 1 or (with_curses and record["curse"] == 1)
        found = found or row["due"] == 1
    return found


@kernel
def _strongest(core, target, caster, by_spell_level):
    """The marked row that is dispelled next."""
    best, best_rank = NONE, NONE
    for i in range(core["num_ongoing"][target]):
        row = core["ongoing"][target, i]
        if row["due"] == 0:
            continue
        rank = np.int64(row["slot_level"]) * 256 if by_spell_level else 0
        rank = rank + np.int64(row["caster_level"]) * 2 + (row["caster"] != caster)
        if rank > best_rank:
            best, best_rank = i, rank
    return best


@kernel
def _try(core, rules, sheets, target, casting, total):
    """Compare the roll with one casting: against its caster level, or a curse's own DC; returns 1 if it ended, else 0."""
    dc = NONE
    for i in range(core["num_ongoing"][target]):
        row = core["ongoing"][target, i]
        if row["casting"] == casting:
            row["due"] = 0
            dispellable = rules["spells"][row["spell"]]["dispellable"] == 1
            dc = 11 + np.int64(row["caster_level"]) if dispellable else np.int64(row["dc"])
    if dc == NONE or total < dc:
        return 0
    end_casting_on(core, rules, sheets, target, casting)
    return 1


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER)
def apply_dispel(core, rules, sheets, cup, target, number):
    """A `dispel` effect on everything of the target, or on the casting that was pointed at.

    One d20 for all (dispel magic: "with the same roll"). Dispel magic goes from the highest caster level down, greater dispel magic
    from the highest spell level; where these are equal the other player's spells come before the dispeller's own, then the oldest.
    """
    effect = rules["effects"][number]
    source = core["source"]
    caster, spell = np.int64(source["caster"]), np.int64(source["spell"])
    many = effect["mode"] == DISPEL_MANY
    if not _mark(core, rules, target, many):
        return
    if effect["mode"] == DISPEL_ALL or effect["sure"] == 1:
        total = 1_000
        left = core["ongoing"].shape[1]
    else:
        bonus = np.int64(source["caster_level"])
        total = bonus + np.int64(throw_d20(core, rules, sheets, cup, FOR_DISPEL, caster, bonus, NONE, spell))
        left = sourced(core, rules, sheets, cup, np.int64(effect["max_dispelled"]), FOR_COUNT)
        if source["pick"] >= 0:
            casting = nth_dispellable(core, rules, target, np.int64(source["pick"]))
            if casting != NONE:
                if not many:
                    no_longer_due(core, target)
                left -= _try(core, rules, sheets, target, casting, total)
                if not many:
                    return
    for _ in range(core["ongoing"].shape[1]):
        i = _strongest(core, target, caster, many)
        if i == NONE or left <= 0:
            break
        left -= _try(core, rules, sheets, target, np.int64(core["ongoing"][target, i]["casting"]), total)
    no_longer_due(core, target)
