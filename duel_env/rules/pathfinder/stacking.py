"""What the modifiers in force on a duelist come to: bonuses of one type do not add up (rules page, section 3)."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.codes import (
    ANY_ONE_ROLL,
    ARMOR,
    DODGE,
    MODIFIER,
    PENALTY,
    PRESCIENCE,
    SAVE_ALL,
    SAVE_FORT,
    SAVE_WILL,
    SHIELD,
    UNTYPED_BONUS,
    VS_ALL,
    VS_EVIL,
)
from duel_env.rules.pathfinder.state import CORE, RULES
from duel_env.rules.units import NUMBER, unit

NOT_FOR_TOUCH = 1 << ARMOR | 1 << SHIELD
"""Bonus types, as bits, that do not count against touches."""

FOR_NO_ROLL, FOR_SKILL_ROLL, FOR_OTHER_ROLL = range(3)
"""Whether bonuses to any one roll count: to none; of a skill (guidance); of an attack or save (guidance, moment of prescience)."""


@kernel
def _concerns(effect, stat, versus, skipped, one_roll):
    """Whether a modifier counts for a statistic against what `versus` says."""
    if effect["kind"] != MODIFIER or (skipped >> np.int64(effect["bonus_type"])) & 1 == 1:
        return False
    if effect["versus"] != VS_ALL and (versus >> np.int64(effect["versus"])) & 1 == 0:
        return False
    theirs = np.int64(effect["stat"])
    if theirs == stat or (theirs == SAVE_ALL and SAVE_FORT <= stat <= SAVE_WILL):
        return True
    return (theirs == ANY_ONE_ROLL and one_roll != FOR_NO_ROLL) or (theirs == PRESCIENCE and one_roll == FOR_OTHER_ROLL)


@kernel
def _compete(first, second):
    """Whether of two modifiers of one statistic only the greater counts.

    Those of one type do, but for untyped, dodge and penalties; those also do if they are of the same spell.
    """
    kind = first["bonus_type"]
    if kind != second["bonus_type"]:
        return False
    adds_up = kind == UNTYPED_BONUS or kind == PENALTY or kind == DODGE
    return not adds_up or first["spell"] == second["spell"]


@unit(CORE, RULES, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)
def stacked(core, rules, player, stat, versus, skipped, one_roll):
    """What the modifiers in force add to a statistic.

    Args:
        core: CORE record.
        rules: RULES record.
        player: 0 or 1.
        stat: of codes.STATS; a save takes what is for all saves as well.
        versus: bit v set: modifiers that count only against codes.VERSUS v do count.
        skipped: bit t set: bonuses of codes.BONUS_TYPES t do not count.
        one_roll: FOR_NO_ROLL, FOR_SKILL_ROLL or FOR_OTHER_ROLL.

    Returns:
        the sum of those that no other one outdoes. Of values of the types `set` and `percent` that is the highest.
    """
    total = 0
    count = core["num_ongoing"][player]
    for i in range(count):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if row["suppressed"] == 1 or not _concerns(effect, stat, versus, skipped, one_roll):
            continue
        value = np.int64(row["value"])
        outdone = False
        for j in range(count):
            other = core["ongoing"][player, j]
            theirs = rules["effects"][other["effect"]]
            if j == i or other["suppressed"] == 1 or not _concerns(theirs, stat, versus, skipped, one_roll):
                continue
            if _compete(effect, theirs):
                more = np.int64(other["value"]) - value
                if effect["bonus_type"] == PENALTY:
                    more = -more
                if more > 0 or (more == 0 and j < i):
                    outdone = True
                    break
        if not outdone:
            total += value
    return total


@kernel
def versus_opponent(sheets, player):
    """The bits of `versus` that the other duelist brings with him: whether he is evil."""
    return 1 << VS_EVIL if sheets[1 - player]["evil"] == 1 else 0
