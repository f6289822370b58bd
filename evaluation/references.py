"""Exact scores beside sampled ones: what a match would show after infinitely many duels."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from duel_env.config import Settings
from duel_env.duel import Duel
from duel_env.game import NUM_PLAYERS, Game
from evaluation.exact import Exploitability, Solution, exploitability, policy_table, solve
from evaluation.start_values import find_node


class Reference(NamedTuple):
    """Exact scores against one opponent, over both seats alike; a draw counts one half. There is no round limit: endless play is a draw.

    Attributes:
        score: of the agent itself.
        best_response: of the policy that is best against this very opponent. Nothing scores more in the long run: the ceiling.
        equilibrium: of a policy that is best against the best opponent.
    """

    score: float
    best_response: float
    equilibrium: float


def is_solvable(game: Game, setup: Settings) -> bool:
    """Whether exact scores are known: two given duelists who know each other, and rules that are small enough."""
    is_fixed = game.ruleset.is_fixed(game.setup(setup))
    return is_fixed and game.ruleset.perfect_information(game.options) and game.table is not None


class References:
    """Exact scores of one agent in one set-up."""

    def __init__(self, game: Game, setup: Settings, agent: Agent) -> None:
        """Solve the duel.

        Raises:
            ConfigError: it cannot be solved, see `is_solvable`; or an agent whose answer is no policy.
        """
        begun = Duel(game, game.setup(setup))
        self._game = game
        self._sheets = begun.sheets
        self._node = find_node(begun)
        self._policy = policy_table(agent, game, begun.sheets)
        solution = solve(game, begun.sheets)
        self._equilibrium = np.eye(game.num_actions)[solution.actions]

    def against(self, opponent: Agent) -> Reference:
        """Exact scores against an opponent.

        Raises:
            ConfigError: its answer is no policy.
        """
        theirs = policy_table(opponent, self._game, self._sheets)
        return Reference(*(self._score(ours, theirs) for ours in (self._policy, None, self._equilibrium)))

    def exploitability(self) -> Exploitability:
        """What a perfect opponent gains against the agent, averaged over who acts first."""
        return exploitability(self._game, self._sheets, self._policy)

    def _score(self, ours: NDArray[np.float64] | None, theirs: NDArray[np.float64]) -> float:
        """Score of a policy, or of the best response, against another, averaged over the seats."""
        total = 0.0
        for seat in range(NUM_PLAYERS):
            policies: list[Any] = [theirs, theirs]
            policies[seat] = ours
            total += self._win(solve(self._game, self._sheets, policies), seat)
        return total / NUM_PLAYERS

    def _win(self, solution: Solution, seat: int) -> float:
        win = (1.0 + float(solution.values[self._node])) / 2.0
        return win if seat == 0 else 1.0 - win
