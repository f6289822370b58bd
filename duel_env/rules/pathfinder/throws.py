"""Dice that lie in the open: which are due, and which were thrown since the last decision, with what they were thrown for."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duel_env.rules import single
from duel_env.rules.graph import CHANCE
from duel_env.rules.pathfinder.state import NOBODY, NONE, SETUP, STATE
from duel_env.rules.pathfinder.transition import BEGINNING


class Throw(NamedTuple):
    """One die, or several that are thrown together.

    Attributes:
        purpose: dice.FOR_...
        roller: player, -1 for nobody.
        dice, sides: how many, and the faces of each.
        modifier: what is added to the total.
        target: the total with the modifier that succeeds, -1 if there is none.
        spell: number of the spell that it is for, -1 for none.
        total: what they show; 0 while they are due.
    """

    purpose: int
    roller: int
    dice: int
    sides: int
    modifier: int
    target: int
    spell: int
    total: int = 0


def due_throw(state: NDArray[np.void]) -> Throw:
    """What is due in STATE (1,) at a CHANCE node."""
    cup = state["cup"][0]
    fields = ("due_purpose", "due_roller", "due_count", "due_sides", "due_modifier", "due_target", "due_spell")
    return Throw(*(int(cup[field]) for field in fields))


def at_decision(now: Any) -> NDArray[np.void]:
    """STATE (1,) of a duel that waits for a decision, or is over, in CORE record `now`: no action, no dice."""
    state = np.zeros(1, STATE)
    state["now"] = state["next"] = now
    for field in ("node", "current_player", "winner", "end", "round"):
        state[field] = now[field]
    state["action"] = NONE
    return state


def play_again(game: Any, state: NDArray[np.void], sheets: NDArray[np.void]) -> tuple[NDArray[np.void], list[Throw]]:
    """Play the action of a state again from the decision on, with its dice one by one.

    Args:
        game: the rules.
        state: STATE (1,) at a CHANCE node.
        sheets: SHEET (2,).

    Returns:
        STATE (1,) after the dice, and the dice.

    Raises:
        ValueError: a total that the dice cannot show, or dice that nobody throws.
    """
    record = state[0]
    if record["action"] == BEGINNING:
        setup = np.zeros(1, SETUP)
        setup["first_caster"] = record["start"] if record["start"] < 2 else NOBODY
        again = np.zeros(1, STATE)
        single.start(again, sheets, game.rules, setup)
    else:
        again = at_decision(record["now"])
        single.act(again, game.rules, sheets, int(record["action"]))
    throws = []
    for total in record["cup"]["faces"][: record["cup"]["given"]].tolist():
        if again["node"][0] != CHANCE:
            raise ValueError(f"no dice are due, but {total} was thrown")
        throw = due_throw(again)._replace(total=total)
        if not throw.dice <= total <= throw.dice * throw.sides:
            raise ValueError(f"{throw.dice}d{throw.sides} cannot show {total}")
        throws.append(throw)
        single.settle(again, game.rules, sheets, total - throw.dice)
    return again, throws
