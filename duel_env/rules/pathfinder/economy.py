"""The actions of a turn: what is left of them, and what using one takes (rules page, section 2)."""

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.codes import (
    COST_FREE,
    COST_FULL_ROUND,
    COST_MOVE,
    COST_NONE,
    COST_STANDARD,
    COST_SWIFT,
    FULL_ROUND,
    ONE_ROUND,
    STANDARD,
)
from duel_env.rules.pathfinder.hindrances import any_no_actions, any_no_moves, any_one_action, any_only_moves


@kernel
def standards_left(core, rules, player):
    """Whether the active player still has the standard action."""
    if (
        core["turn_lost"] == 1
        or core["standard_used"] == 1
        or any_no_actions(core, rules, player)
        or any_only_moves(core, rules, player)
    ):
        return False
    return core["move_used"] == 0 or not any_one_action(core, rules, player)


@kernel
def moves_left(core, rules, player):
    """How many move actions the active player still has; the standard action can be used as one."""
    if core["turn_lost"] == 1 or any_no_actions(core, rules, player):
        return 0
    left = 1 - core["move_used"]
    if any_one_action(core, rules, player):
        return left if core["standard_used"] == 0 else 0
    if any_only_moves(core, rules, player):
        return left
    return left + 1 - core["standard_used"]


@kernel
def full_rounds_left(core, rules, player):
    """Whether the active player still has a full-round action."""
    return core["move_used"] == 0 and standards_left(core, rules, player) and not any_one_action(core, rules, player)


@kernel
def swifts_left(core, rules, player):
    """Whether the active player still has the swift action."""
    return core["turn_lost"] == 0 and core["swift_used"] == 0 and not any_no_actions(core, rules, player)


@kernel
def can_pay(core, rules, player, cost):
    """Whether an action of a cost (COST_...) is left."""
    if cost == COST_STANDARD:
        return standards_left(core, rules, player)
    if cost == COST_MOVE:
        return moves_left(core, rules, player) > 0
    if cost == COST_SWIFT:
        return swifts_left(core, rules, player)
    if cost == COST_FULL_ROUND:
        return full_rounds_left(core, rules, player)
    return core["turn_lost"] == 0 and not any_no_actions(core, rules, player)


@kernel
def pay(core, cost):
    """Use up an action of a cost that can be paid."""
    if cost == COST_STANDARD:
        core["standard_used"] = 1
    elif cost == COST_MOVE:
        if core["move_used"] == 0:
            core["move_used"] = 1
        else:
            core["standard_used"] = 1
    elif cost == COST_SWIFT:
        core["swift_used"] = 1
    elif cost == COST_FULL_ROUND:
        core["standard_used"] = 1
        core["move_used"] = 1
    elif cost != COST_NONE and cost != COST_FREE:
        core["turn_lost"] = 1


@kernel
def cost_of_casting(rules, spell, quickened):
    """COST_... of casting a spell in the own turn."""
    time = rules["spells"][spell]["casting_time"]
    if quickened == 1:
        return COST_SWIFT
    if time == STANDARD:
        return COST_STANDARD
    if time == ONE_ROUND or time == FULL_ROUND:
        return COST_FULL_ROUND
    return COST_SWIFT  # swift, and immediate in the own turn


@kernel
def must_approach(core, rules, spell, hostile):
    """Whether a spell does not reach the opponent from where its caster stands."""
    return hostile and rules["abstract_range"] == 0 and core["near"] == 0 and rules["spells"][spell]["needs_approach"] == 1


@kernel
def can_approach(core, rules, player, cost):
    """Whether the player can pay a move action besides an action of `cost`, and move."""
    if any_no_moves(core, rules, player):
        return False
    if cost == COST_STANDARD:
        return core["move_used"] == 0 and not any_one_action(core, rules, player) and standards_left(core, rules, player)
    if cost == COST_FULL_ROUND:
        return False
    return moves_left(core, rules, player) > 0
