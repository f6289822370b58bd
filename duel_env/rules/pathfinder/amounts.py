"""Amounts of effects: numbers and dice that depend on the caster."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.abilities import casting_modifier
from duel_env.rules.pathfinder.dice import pool
from duel_env.rules.pathfinder.state import CORE, CUP, MAX_LEVEL, NONE, RULES, SHEETS
from duel_env.rules.units import NUMBER, unit


@kernel
def _settled(core, rules, sheets, record, thrown):
    """An amount with the faces that were thrown for it."""
    caster = np.int64(core["source"]["caster"])
    inner = thrown + np.int64(record["constant"])
    if record["mod"] != 0:
        inner += np.int64(record["mod"]) * casting_modifier(core, rules, sheets, caster)
    if record["bab"] != 0:
        inner += np.int64(record["bab"]) * np.int64(sheets[caster]["base_attack"])
    return min(np.int64(record["cap"]), inner * np.int64(record["mul"]) // max(np.int64(record["div"]), 1))


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER, NUMBER)
def amount(core, rules, sheets, cup, number, level, purpose):
    """An amount, its dice thrown by the source's caster.

    Args:
        core: CORE record; `source` says who casts and for which spell dice are thrown.
        rules: RULES record.
        sheets: SHEET (2,).
        cup: CUP record.
        number: row of RULES["amounts"]; negative: none, which is 0.
        level: caster level; outside of 0 .. MAX_LEVEL the nearest one counts.
        purpose: dice.FOR_...

    Mutates:
        cup.
    """
    if number < 0:
        return 0
    record = rules["amounts"][number, min(max(level, 0), MAX_LEVEL)]
    caster, spell = np.int64(core["source"]["caster"]), np.int64(core["source"]["spell"])
    thrown = pool(cup, purpose, caster, np.int64(record["n1"]), np.int64(record["f1"]), 0, NONE, spell)
    thrown += pool(cup, purpose, caster, np.int64(record["n2"]), np.int64(record["f2"]), 0, NONE, spell)
    return _settled(core, rules, sheets, record, thrown)


@kernel
def fixed_amount(core, rules, sheets, number, level):
    """As `amount`, for amounts without dice."""
    if number < 0:
        return 0
    return _settled(core, rules, sheets, rules["amounts"][number, min(max(level, 0), MAX_LEVEL)], 0)
