"""Who plays the other seat. An environment takes an opponent by name, as an object, or as a plain function.

This package knows one opponent by itself, `random`. Other names are looked up through the entry points of the group
`duel_env.agents`: functions `(name, game) -> opponent`. So the agents of this distribution, or of another one, can be named in
`gymnasium.make` without an import from here.
"""

from importlib.metadata import entry_points
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from duel_env.errors import ConfigError, DuelError
from duel_env.game import Game

RANDOM: Final = "random"
ENTRY_POINT_GROUP: Final = "duel_env.agents"


@runtime_checkable
class Opponent(Protocol):
    """Anything that gives probabilities for a batch of decisions.

    The environment samples from them with the random stream of each row, so that the duels do not depend on the batch.
    """

    def policy(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """Probabilities (K, A) for observations (K, D) under masks (K, A)."""
        ...


def resolve_opponent(opponent: Any, game: Game) -> Opponent | None:
    """The opponent meant; None for the built-in `random`, which the compiled loops play themselves.

    Args:
        opponent: a name, or an object with a `policy` method.
        game: the rules.

    Raises:
        ConfigError: no such opponent.
    """
    if isinstance(opponent, str):
        return None if opponent == RANDOM else _named_opponent(opponent, game)
    if isinstance(opponent, Opponent):
        return opponent
    raise ConfigError(
        f"opponent = {opponent!r}: expected a name, or an object with policy(observation, action_mask) -> probabilities"
    )


def _named_opponent(name: str, game: Game) -> Opponent:
    problems = []
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        try:
            found: Opponent = entry.load()(name, game)
            return found
        except DuelError as error:
            problems.append(str(error))
    reasons = (
        "; ".join(dict.fromkeys(problems))
        or f"no package is installed that offers opponents (entry points {ENTRY_POINT_GROUP!r})"
    )
    raise ConfigError(f"opponent = {name!r}: {reasons}")
