"""Spaces of a game, and the settings that environments share."""

from typing import Any

import numpy as np
from gymnasium import spaces

from duel_env.config import shown
from duel_env.errors import InvalidActionError
from duel_env.game import Game

_LARGEST = 2**31 - 1


def observation_space(game: Game) -> spaces.Box:
    """Box (D,) float32 with the range of each feature."""
    low = np.array([feature.low for feature in game.layout], np.float32)
    high = np.array([feature.high for feature in game.layout], np.float32)
    return spaces.Box(low, high, dtype=np.float32)


def action_space(game: Game) -> spaces.Discrete:
    """Discrete(A)."""
    return spaces.Discrete(game.num_actions)


def check_action(action: Any, game: Game) -> int:
    """An action as it comes from policies and spaces, as an int: an integer, or an integer array of one item.

    It may lie outside 0..A-1: that is an action which the rules do not allow, and what follows is the rules' affair. Integers
    that no machine word holds become the largest one that does.

    Raises:
        InvalidActionError: it is something else.
    """
    kind = type(action)
    if kind is not int and kind is not np.int64:
        if isinstance(action, np.ndarray) and action.size == 1 and action.dtype.kind in "iu":
            action = action.reshape(-1)[0]
        elif not isinstance(action, int | np.integer) or isinstance(action, bool):
            raise InvalidActionError(f"action {shown(action)} is not an integer from 0 to {game.num_actions - 1}")
    return min(max(int(action), -1), _LARGEST)
