"""What an agent is, and the checks that every agent makes of what it is asked."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duel_env.errors import SchemaError
from duel_env.game import Game

FALLBACK_ACTION = 0
"""What an agent answers where nothing is legal (a duel that is over): some action, so that a batch with such rows is no error."""


class Agent(ABC):
    """A decision maker: a probability for each legal action, given what the player to choose sees.

    An agent has no state and no seat: everything it may know is in the observation, which is always its own point of view. It
    can therefore be asked about many duels at once, and plays both seats of the same duel.

    Attributes:
        name: for tables and files; what `registry.make_agent` makes the same agent from, where there is such a text.
    """

    name: str

    @abstractmethod
    def policy(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """Probabilities of the actions in each of B positions.

        Args:
            observation: (B, D), what the player to choose sees.
            action_mask: (B, A), 1 = legal. A row of zeros is answered as if `FALLBACK_ACTION` alone were legal.

        Returns:
            float64 (B, A): 0 for illegal actions; each row sums to 1.

        Raises:
            SchemaError: arrays of other shapes than the game's, a mask of other values than 0 and 1, or an observation that
                is not finite.
        """

    def act(self, observation: ArrayLike, action_mask: ArrayLike, rng: np.random.Generator) -> Any:
        """Sample actions from `policy`.

        Args:
            observation: (D,) for one position, (B, D) for many.
            action_mask: (A,) or (B, A), as for `policy`.
            rng: one number is drawn from it per position, whatever the policy.

        Returns:
            int for one position, int64 (B,) for many.

        Raises:
            SchemaError: as for `policy`.
        """
        seen, mask = np.asarray(observation), np.asarray(action_mask)
        if seen.ndim == 1 and mask.ndim == 1:
            return int(sample(self.policy(seen[None], mask[None]), rng)[0])
        return sample(self.policy(seen, mask), rng)


def check_positions(game: Game, observation: ArrayLike, action_mask: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Positions as an agent needs them.

    Args:
        game: whose positions they are.
        observation: (B, D).
        action_mask: (B, A), 0 and 1, or booleans.

    Returns:
        observation float32 (B, D), and legal bool (B, A), which has at least one True in each row: `FALLBACK_ACTION` in those
        where nothing is legal.

    Raises:
        SchemaError: says which array does not fit, and what was expected.
    """
    seen, mask = np.asarray(observation), np.asarray(action_mask)
    whose = f"the {game.ruleset.name} game {game.digest}"
    for what, array, letter, size in (
        ("observation", seen, "D", game.observation_size),
        ("action_mask", mask, "A", game.num_actions),
    ):
        if array.ndim != 2 or array.shape[1] != size:
            raise SchemaError(f"{what} of shape {array.shape}: {whose} has (B, {letter}) with {letter} = {size}")
        if array.dtype.kind not in "biuf":
            raise SchemaError(f"{what} of {array.dtype}: expected numbers")
    if len(seen) != len(mask):
        raise SchemaError(f"{len(seen)} observations but {len(mask)} action masks: expected one mask for each observation")
    if not np.isfinite(seen).all():
        raise SchemaError("observation: expected finite numbers, but there are nan or infinite ones")
    legal = mask.astype(np.bool_)
    if not np.array_equal(legal, mask):
        raise SchemaError("action_mask: expected nothing but 0 and 1")
    legal[~legal.any(axis=1), FALLBACK_ACTION] = True
    return np.ascontiguousarray(seen, np.float32), legal


def one_hot(actions: NDArray[np.int64], num_actions: int) -> NDArray[np.float64]:
    """Certainty of an action in each row: int64 (B,) -> float64 (B, A)."""
    probabilities = np.zeros((len(actions), num_actions))
    probabilities[np.arange(len(actions)), actions] = 1.0
    return probabilities


def best_legal(scores: NDArray[np.float64], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The legal action of the highest score in each row, the lowest number among equals: (B, A), (B, A) -> int64 (B,)."""
    best: NDArray[np.int64] = np.argmax(np.where(legal, scores, -np.inf), axis=1)
    return best


def sample(probabilities: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """An action per row of (B, A) probabilities, int64 (B,); one number is drawn per row, and 0 is never chosen."""
    cumulative = np.cumsum(probabilities, axis=1)
    drawn = rng.random(len(cumulative))[:, None] * cumulative[:, -1:]
    actions: NDArray[np.int64] = np.sum(cumulative <= drawn, axis=1)
    # Rounding may carry a number just below 1 up to the whole sum; the last possible action is meant then.
    last_possible: NDArray[np.int64] = cumulative.shape[1] - 1 - np.argmax(probabilities[:, ::-1] > 0.0, axis=1)
    np.minimum(actions, last_possible, out=actions)
    return actions
