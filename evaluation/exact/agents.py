"""The solution as an opponent: `optimal` plays it, `quantal:T` plays it with mistakes, the rarer the more they cost.

`quantal:T` weighs an action by exp(q / T), where q is the chance to win after it (draws counting half) if both play perfectly from
then on. The temperature T is in units of that chance: with T = 0.05 an action that costs 5 points is chosen e = 2.7 times less often
than the best. McKelvey and Palfrey's logit response (1995), to perfect play instead of to itself.
"""

from collections import OrderedDict
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import FALLBACK_ACTION, Agent, check_positions, one_hot
from agents.lookahead import read_observation
from agents.registry import AgentName, UnknownAgentError
from duel_env.config import shown
from duel_env.errors import ConfigError, SchemaError
from duel_env.game import NUM_PLAYERS, Game
from duel_env.rules.jit import kernel
from evaluation.exact.model import exact_model
from evaluation.exact.solution import Solution, solve

OPTIMAL: Final = "optimal"
QUANTAL_PREFIX: Final = "quantal:"

_MAX_SOLUTIONS: Final = 512
"""Pairs of duelists whose solution is kept; a quarter of a megabyte each."""


@kernel
def _read_positions(rules, observations, states, sheets):
    for i in range(observations.shape[0]):
        read_observation(rules[0], observations[i], states[i], sheets[i])


class ExactAgent(Agent):
    """Knows the value of every action in every position."""

    def __init__(self, game: Game, temperature: float = 0.0, name: str = OPTIMAL) -> None:
        """Make the agent.

        Args:
            game: the rules.
            temperature: 0: perfect play, one action in each position; else T, see above.
            name: of the agent.

        Raises:
            ConfigError: rules with too many states or with hidden skills, or a temperature that is not accepted.
        """
        if not game.ruleset.perfect_information(game.options):
            raise ConfigError(f"{name} needs to know both duelists, but these rules hide one from the other")
        if not (0.0 <= temperature < np.inf):
            raise ConfigError(f"{name}: expected a temperature from 0 on")
        model = exact_model(game)
        self.game = game
        self.name = name
        self._temperature = temperature
        self._words = f"S{game.ruleset.state_dtype.itemsize}"
        names = game.graph.states[: model.num_player].view(self._words)
        self._order = np.argsort(names)
        self._names = names[self._order]
        self._chooser = model.chooser
        self._solutions: OrderedDict[bytes, Solution] = OrderedDict()

    def policy(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """As `Agent.policy`.

        Raises:
            SchemaError: also for an observation that no play leads to.
        """
        seen, legal = check_positions(self.game, observation, action_mask)
        states = np.zeros(len(seen), self.game.ruleset.state_dtype)
        sheets = np.zeros((len(seen), NUM_PLAYERS), self.game.ruleset.sheet_dtype)
        _read_positions(self.game.rules, seen, states, sheets)
        is_over: NDArray[np.bool_] = np.asarray(action_mask).max(axis=1, initial=0) == 0
        nodes = self._find(states, is_over)
        probabilities = np.zeros(legal.shape)
        pairs, pair_of = np.unique(sheets.view(f"S{NUM_PLAYERS * sheets.itemsize}")[:, 0], return_inverse=True)
        for number in range(len(pairs)):
            rows = np.flatnonzero(pair_of == number)
            solution = self._solution(sheets[rows[0]])
            probabilities[rows] = self._play(solution, nodes[rows])
        probabilities[is_over] = one_hot(np.full(1, FALLBACK_ACTION), legal.shape[1])
        if np.any((probabilities > 0.0) & ~legal):
            raise SchemaError(f"{self.name}: the action mask does not fit the observation")
        return probabilities

    def _find(self, states: NDArray[np.void], is_over: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Numbers of some states in the graph; any number where the duel is over."""
        words = states.view(self._words)
        places = np.minimum(np.searchsorted(self._names, words), len(self._names) - 1)
        if np.any((self._names[places] != words) & ~is_over):
            raise SchemaError(f"{self.name}: an observation that no play of these rules leads to")
        found: NDArray[np.int64] = self._order[places]
        return found

    def _solution(self, sheets: NDArray[np.void]) -> Solution:
        key = sheets.tobytes()
        if key not in self._solutions:
            self._solutions[key] = solve(self.game, sheets)
            if len(self._solutions) > _MAX_SOLUTIONS:
                self._solutions.popitem(last=False)
        self._solutions.move_to_end(key)
        return self._solutions[key]

    def _play(self, solution: Solution, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        if self._temperature == 0.0:
            return one_hot(solution.actions[nodes].astype(np.int64), self.game.num_actions)
        sign = np.where(self._chooser[nodes] == 0, 1.0, -1.0)[:, None]
        chances = np.where(np.isnan(solution.action_values[nodes]), -np.inf, sign * solution.action_values[nodes] / 2.0)
        with np.errstate(over="ignore"):  # near temperature 0 any loss is infinitely many of them
            weights = np.exp((chances - chances.max(axis=1, keepdims=True)) / self._temperature)
        probabilities: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
        return probabilities


class ExactAgents(NamedTuple):
    """The agents of this module for the entry points of the group `duel_env.agents`."""

    def names(self, game: Game) -> tuple[AgentName, ...]:
        """Those that can play a game."""
        if not game.ruleset.perfect_information(game.options) or game.table is None:
            return ()
        return (AgentName(OPTIMAL, "perfect play, from the exact solution", "jeu parfait, tiré de la solution exacte"),)

    def __call__(self, name: str, game: Game) -> Agent:
        """The agent of that name.

        Raises:
            UnknownAgentError: none of these.
            ConfigError: a temperature that is none, or rules that cannot be solved.
        """
        if name == OPTIMAL:
            return ExactAgent(game)
        if not name.startswith(QUANTAL_PREFIX):
            raise UnknownAgentError(f"unknown agent {shown(name)}; expected {OPTIMAL} or {QUANTAL_PREFIX}T")
        text = name.removeprefix(QUANTAL_PREFIX)
        try:
            temperature = float(text)
        except ValueError:
            temperature = np.nan
        if not 0.0 < temperature < np.inf:
            raise ConfigError(
                f"{shown(name)}: expected a temperature above 0 after {QUANTAL_PREFIX!r}, such as {QUANTAL_PREFIX}0.05"
            )
        return ExactAgent(game, temperature, name)


EXACT_AGENTS: Final = ExactAgents()
