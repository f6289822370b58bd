"""Speed of exact play: solutions and exploitability, and OpenSpiel's exploitability of the same policy in the same duel."""

from typing import Any, Final

import numpy as np

from agents.registry import make_agent
from duel_env.errors import DuelError
from duel_env.game import Game, make_game
from evaluation.exact import FIRST, exact_model, exploitability, policy_table, solve
from evaluation.exact.strategy_iteration import solve_by_strategy_iteration
from training.bench import Measurement, measure

_VALUE: Final = 22 / 47
"""Chance to win of who acts first at skills (60, 60)."""
_SMALL: Final[dict[str, Any]] = {"hit_points": 1, "max_rounds": 2}
"""Short enough for a library that walks through all histories."""


def _sheets(game: Game) -> Any:
    sheets = np.zeros(2, game.ruleset.sheet_dtype)
    sheets["skill"] = (60, 60)
    return sheets


def _check(found: float, expected: float) -> None:
    if abs(found - expected) > 1e-9:
        raise DuelError(f"solved to {found}, expected {expected}: it is not the same duel")


def solve_row() -> Measurement:
    """Value iteration with certified bounds."""
    game = make_game("hogwarts")
    sheets = _sheets(game)
    _check(solve(game, sheets).win_probability(FIRST), _VALUE)

    def run() -> int:
        for _ in range(10):
            solve(game, sheets)
        return 10

    return measure("perfect play, certified, all 20,989 states", "solutions", run)


def strategy_iteration_row() -> Measurement:
    """The second method."""
    game = make_game("hogwarts")
    sheets = _sheets(game)

    def run() -> int:
        value = solve_by_strategy_iteration(game, sheets)[game.graph.starts[FIRST]]
        _check((1 + value) / 2, _VALUE)
        return 1

    return measure("the same by strategy iteration", "solutions", run, repeats=3)


def model_row() -> Measurement:
    """State graph, merging and layout of rules that were not seen before."""
    from evaluation.exact.model import ExactModel

    known = make_game("hogwarts")

    def run() -> int:
        return len([ExactModel(Game(known.ruleset, known.options)).merged for _ in range(5)])

    return measure("new rules: all states found, merged and put in order", "rules", run)


def exploit_row() -> Measurement:
    """Best responses in both seats, after the policy's own evaluation."""
    game = make_game("hogwarts")
    sheets = _sheets(game)
    policy = policy_table(make_agent("greedy", game), game, sheets)

    def run() -> int:
        for _ in range(5):
            exploitability(game, sheets, policy)
        return 5

    return measure("exploitability of a policy, certified, all 20,989 states", "policies", run)


def exploit_small_row() -> Measurement:
    """The duel of `exploit_openspiel_row`."""
    game = make_game("hogwarts", _SMALL)
    sheets = _sheets(game)
    legal = exact_model(game).legal
    policy = legal / legal.sum(axis=1, keepdims=True)

    def run() -> int:
        for _ in range(50):
            exploitability(game, sheets, policy, _SMALL["max_rounds"])
        return 50

    return measure("exploitability in a duel of 1 hit point and 2 rounds", "policies", run)


def exploit_openspiel_row() -> Measurement:
    """OpenSpiel's exploitability, through our adapter."""
    from open_spiel.python.algorithms.exploitability import exploitability as openspiel_exploitability
    from open_spiel.python.policy import UniformRandomPolicy

    from duel_env.envs.openspiel_game import OpenSpielGame

    game = make_game("hogwarts", _SMALL)
    theirs = OpenSpielGame("hogwarts", skills=(60, 60), first_caster=FIRST, **_SMALL)
    sheets, legal = _sheets(game), exact_model(game).legal
    ours = exploitability(game, sheets, legal / legal.sum(axis=1, keepdims=True), _SMALL["max_rounds"]).by_start[FIRST]

    def run() -> int:
        _check(openspiel_exploitability(theirs, UniformRandomPolicy(theirs)), ours)
        return 1

    return measure("peer: OpenSpiel's exploitability, the same policy and duel", "policies", run, repeats=2, is_peer=True)
