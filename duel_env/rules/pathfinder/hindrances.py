"""Conditions of a duelist: which he has, and what they keep him from doing. One kernel for each flag that is asked for."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.codes import CONDITION, CONDITIONS, GRAPPLED
from duel_env.rules.pathfinder.state import NONE

NUM_CONDITIONS = len(CONDITIONS)
BY_GRAPPLE = -2
"""`concentration` of a condition whose DC is 10 + the CMB of what holds."""


@kernel
def has(core, player, condition):
    """Whether a duelist is in a condition at present; see `totals.recompute`."""
    return (core["conditions"][player] >> np.uint64(condition)) & np.uint64(1) != np.uint64(0)


@kernel
def condition_of(rules, row):
    """The condition that a row of kind CONDITION stands for."""
    effect = rules["effects"][row["effect"]]
    if row["escalated"] == 1:
        return np.int64(effect["escalates_to"])
    return np.int64(effect["condition"])


@kernel
def any_no_actions(core, rules, player):
    """Whether a duelist can do nothing at all."""
    return core["conditions"][player] & rules["condition_sets"]["no_actions"] != np.uint64(0)


@kernel
def can_act(core, rules, player):
    """Whether a duelist can take actions."""
    return not any_no_actions(core, rules, player)


@kernel
def any_one_action(core, rules, player):
    """Whether a duelist has a standard or a move action, not both."""
    return core["conditions"][player] & rules["condition_sets"]["one_action"] != np.uint64(0)


@kernel
def any_only_moves(core, rules, player):
    """Whether a duelist has no standard action."""
    return core["conditions"][player] & rules["condition_sets"]["only_moves"] != np.uint64(0)


@kernel
def any_no_moves(core, rules, player):
    """Whether a duelist cannot leave his place."""
    return core["conditions"][player] & rules["condition_sets"]["no_moves"] != np.uint64(0)


@kernel
def any_no_casting(core, rules, player):
    """Whether a duelist cannot cast."""
    return core["conditions"][player] & rules["condition_sets"]["no_casting"] != np.uint64(0)


@kernel
def any_no_hostile(core, rules, player):
    """Whether a duelist does nothing against the other."""
    return core["conditions"][player] & rules["condition_sets"]["no_hostile"] != np.uint64(0)


@kernel
def any_no_verbal(core, rules, player):
    """Whether a duelist cannot speak."""
    return core["conditions"][player] & rules["condition_sets"]["no_verbal"] != np.uint64(0)


@kernel
def any_no_targeting(core, rules, player):
    """Whether a duelist cannot aim at what has to be seen."""
    return core["conditions"][player] & rules["condition_sets"]["no_targeting"] != np.uint64(0)


@kernel
def any_no_counter(core, rules, player):
    """Whether a duelist cannot make a dueling counter."""
    return core["conditions"][player] & rules["condition_sets"]["no_counter"] != np.uint64(0)


@kernel
def any_no_identifying(core, rules, player):
    """Whether a duelist cannot identify a spell that is being cast."""
    return core["conditions"][player] & rules["condition_sets"]["no_identifying"] != np.uint64(0)


@kernel
def any_helpless(core, rules, player):
    """Whether a duelist is helpless."""
    return core["conditions"][player] & rules["condition_sets"]["helpless"] != np.uint64(0)


@kernel
def any_untargetable(core, rules, player):
    """Whether nothing reaches a duelist. Who is invisible can still be in an area: see `sight`."""
    return core["conditions"][player] & rules["condition_sets"]["untargetable"] != np.uint64(0)


@kernel
def any_loses_dex(core, rules, player):
    """Whether a duelist has no Dexterity bonus to AC, whoever attacks."""
    return core["conditions"][player] & rules["condition_sets"]["loses_dex"] != np.uint64(0)


@kernel
def any_sets_strength(core, rules, player):
    """Whether Strength is 0 by a condition (paralyzed)."""
    return core["conditions"][player] & rules["condition_sets"]["sets_strength"] != np.uint64(0)


@kernel
def any_sets_mind(core, rules, player):
    """Whether Intelligence and Charisma are 1 by a condition (feebleminded)."""
    return core["conditions"][player] & rules["condition_sets"]["sets_mind"] != np.uint64(0)


@kernel
def verbal_failure(core, rules, player):
    """Percent of failure of a spell with a verbal component; the largest counts."""
    percent = 0
    for condition in range(NUM_CONDITIONS):
        if has(core, player, condition):
            percent = max(percent, np.int64(rules["conditions"][condition]["verbal_failure"]))
    return percent


@kernel
def own_miss_chance(core, rules, player):
    """Percent by which a duelist's own attacks miss (blinded)."""
    percent = 0
    for condition in range(NUM_CONDITIONS):
        if has(core, player, condition):
            percent = max(percent, np.int64(rules["conditions"][condition]["own_miss_chance"]))
    return percent


@kernel
def _grip(core, rules, player):
    """CMB of the strongest that holds a duelist."""
    strongest = 0
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        if rules["effects"][row["effect"]]["kind"] == CONDITION and row["suppressed"] == 0:
            if condition_of(rules, row) == GRAPPLED:
                strongest = max(strongest, np.int64(row["value"]))
    return strongest


@kernel
def concentration_dc(core, rules, player):
    """DC of casting without the spell's level; NONE where nothing hinders. Of several hindrances the worst counts, in one check.

    Continuous damage: 10 + half of the last damage (rules page, section 3).
    """
    worst = NONE
    for condition in range(NUM_CONDITIONS if core["conditions"][player] != np.uint64(0) else 0):
        if has(core, player, condition):
            dc = np.int64(rules["conditions"][condition]["concentration"])
            if dc == BY_GRAPPLE:
                dc = 10 + _grip(core, rules, player)
            worst = max(worst, dc)
    damage = np.int64(core["last_continuous_damage"][player])
    if damage > 0:
        worst = max(worst, 10 + damage // 2)
    return worst
