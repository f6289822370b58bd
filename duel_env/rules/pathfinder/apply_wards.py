"""Effects that only have to be put in force: what they change is read where it matters (`totals`, `bodies`, `rolls`, gates)."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.apply_source import lay, rounds_of, sourced
from duel_env.rules.pathfinder.codes import (
    ACTION,
    ANTIMAGIC,
    AUTO_ATTACK,
    CHOSEN_ENERGY,
    ENERGY_WARD,
    IMAGES,
    MISS_CHANCE,
    MODIFIER,
    NAMED,
    NAMED_CHOICE,
    NEXT_TURN,
    REROLL,
    SPELL_WARD,
    STAGES,
    TOUCH_DELIVERY,
)
from duel_env.rules.pathfinder.dice import FOR_COUNT, FOR_POINTS
from duel_env.rules.pathfinder.state import CORE, CUP, NONE, RULES, SHEETS
from duel_env.rules.pathfinder.totals import recompute
from duel_env.rules.units import NUMBER, unit


@kernel
def _has_limited_uses(kind):
    return kind == REROLL or kind == STAGES or kind == ACTION


@unit(CORE, RULES, SHEETS, CUP, NUMBER, NUMBER)
def apply_lasting(core, rules, sheets, cup, target, number):
    """Put an effect in force with its points, uses and choice; returns its row, NONE if there is none.

    Of modifiers, miss chances, images, wards, immunities, senses, areas, granted actions, weapons that attack, retaliation, rerolls,
    hands that deliver touches, stages.
    """
    effect = rules["effects"][number]
    source = core["source"]
    kind = np.int64(effect["kind"])
    value, uses, choice = 0, 0, np.int64(source["option"])
    if effect["uses"] >= 0:
        uses = sourced(core, rules, sheets, cup, np.int64(effect["uses"]), FOR_COUNT)
        if uses <= 0 and _has_limited_uses(kind):
            return NONE
    if kind == MODIFIER or kind == IMAGES or kind == ENERGY_WARD:
        value = sourced(core, rules, sheets, cup, np.int64(effect["amount"]), FOR_POINTS)
        if kind == IMAGES and value <= 0:
            return NONE
        if kind == ENERGY_WARD:
            choice = np.int64(source["energy"]) if effect["energy"] == CHOSEN_ENERGY else np.int64(effect["energy"])
    elif kind == TOUCH_DELIVERY:
        value = np.int64(effect["attack_bonus"])
    elif kind == MISS_CHANCE:
        value = np.int64(effect["percent"])
    elif kind == AUTO_ATTACK:
        choice = 0  # whether it overcame spell resistance already
    elif kind == SPELL_WARD:
        mode = effect["mode"]
        if mode == NAMED:
            value = np.int64(effect["named_spell"])
        elif mode == NAMED_CHOICE:
            index = np.int64(effect["named_index"])
            if index >= sourced(core, rules, sheets, cup, np.int64(effect["amount"]), FOR_COUNT) or source["named"][index] < 0:
                return NONE
            value = np.int64(source["named"][index])
        elif mode != ANTIMAGIC:
            value = sourced(core, rules, sheets, cup, np.int64(effect["amount"]), FOR_POINTS)
    rounds = rounds_of(core, rules, sheets, cup, effect)
    row = lay(core, rules, sheets, target, number, rounds, value, uses, choice)
    if row != NONE:
        if kind == ACTION and effect["first_use"] != NEXT_TURN:
            core["ongoing"][target, row]["stage"] = 1  # can be used now
        recompute(core, rules, sheets, target)
    return row
