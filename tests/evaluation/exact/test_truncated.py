"""Duels that are cut short, against a search through all lines of play."""

from functools import cache

import numpy as np
import pytest

from duel_env.duel import Duel
from duel_env.errors import ConfigError
from duel_env.game import make_game
from evaluation.exact import FIRST, SECOND, exploitability, solve, solve_truncated, truncated
from tests.evaluation.exact.duelists import sheets_of
from tests.helpers import make_setup, random_options

SPELLS = [
    {"id": "hit", "en": "Hit", "fr": "Coup", "penalty": 10, "damage": 1},
    {"id": "disarm", "en": "Disarm", "fr": "Désarme", "penalty": 30, "disarm": True},
    {"id": "block", "en": "Block", "fr": "Bloque", "penalty": 0, "block": True},
]


def expectiminimax(duel: Duel, policy=None, responder: int | None = None) -> float:
    """Return of player 0 by trying everything on copies of a duel; `policy(duel)` plays for all but the responder."""

    @cache
    def value(duel: Duel) -> float:
        if duel.is_over:
            return duel.returns()[0]
        if duel.die is not None:
            return sum(chance * value(after(duel, "chance", k)) for k, chance in enumerate(duel.chance_outcomes()) if chance > 0)
        player = duel.current_player
        children = {int(action): value(after(duel, "action", int(action))) for action in duel.legal_actions()}
        if policy is not None and player != responder:
            return sum(policy(duel)[action] * child for action, child in children.items())
        return max(children.values()) if player == 0 else min(children.values())

    def after(duel: Duel, what: str, number: int) -> Duel:
        child = duel.copy()
        (child.apply_action if what == "action" else child.apply_chance)(number)
        return child

    return value(duel)


def begin(options, skills, first_caster):
    game = make_game("hogwarts", options)
    return Duel(game, make_setup(game, skills=skills, first_caster=first_caster))


CASES = [
    ({"hit_points": 1, "max_rounds": 3}, (60, 60)),
    ({"hit_points": 2, "max_rounds": 2}, (70, 40)),
    ({"hit_points": 2, "max_rounds": 4, "spells": SPELLS}, (55, 65)),
    ({"hit_points": 3, "max_rounds": 3, "spells": SPELLS, "resolution": "simultaneous", "riposte_sees_roll": False}, (60, 50)),
    ({"hit_points": 5, "max_rounds": 1}, (60, 60)),
]


@pytest.mark.parametrize(("options", "skills"), CASES)
@pytest.mark.parametrize("first_caster", [FIRST, SECOND])
def test_values_are_those_of_a_full_search(options, skills, first_caster):
    duel = begin(options, skills, first_caster)
    solution = solve_truncated(duel.game, duel.sheets, options["max_rounds"])
    expected = expectiminimax(duel)
    assert solution.value(first_caster) == pytest.approx(expected, abs=1e-12)
    node = solution.start(first_caster)
    assert solution.lower[node] <= expected <= solution.upper[node]


@pytest.mark.parametrize(("options", "skills"), CASES[1:3])
def test_best_responses_are_those_of_a_full_search(options, skills):
    duel = begin(options, skills, FIRST)

    def uniform(position: Duel):
        mask = position.action_mask()
        return mask / mask.sum()

    legal = duel.game.graph.edges[: duel.game.graph.num_player, : duel.game.num_actions] >= 0
    table = legal / legal.sum(axis=1, keepdims=True)
    found = exploitability(duel.game, duel.sheets, table, options["max_rounds"])
    best = [expectiminimax(duel, uniform, responder) for responder in (0, 1)]
    assert found.by_start[FIRST] == pytest.approx((best[0] - best[1]) / 2, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_many_rounds_come_to_the_value_without_a_limit(seed):
    rng = np.random.default_rng(seed)
    game = make_game("hogwarts", random_options(rng))
    sheets = sheets_of(game, *(int(skill) for skill in rng.integers(40, 96, 2)))
    endless, cut = solve(game, sheets), solve_truncated(game, sheets, 2_000)
    assert cut.values == pytest.approx(endless.values, abs=1e-6)


@pytest.mark.parametrize("options", [{}, {"hit_points": 2, "resolution": "simultaneous"}])
def test_rounds_that_change_nothing_are_not_computed(options, monkeypatch):
    """Rounding leaves changes of 1e-16 that never end."""
    game = make_game("hogwarts", options)
    sheets, steps, told, induct = sheets_of(game, 60, 60), [], [], truncated._induct
    monkeypatch.setattr(truncated, "_induct", lambda *arguments: steps.append(1) or induct(*arguments))
    short = solve_truncated(game, sheets, 1_000)
    assert len(steps) < 1_000
    steps.clear()
    found = solve_truncated(game, sheets, 1_000_000, progress=told.append)
    assert len(steps) < 1_000
    assert told == sorted(told)
    assert told[-1] == 1_000_000
    monkeypatch.setattr(truncated, "_SETTLED", -1.0)
    steps.clear()
    full = solve_truncated(game, sheets, 1_000)
    assert len(steps) == 1_000
    assert np.all((short.lower <= full.values) & (full.values <= short.upper))
    assert short.values == pytest.approx(full.values, abs=1e-12)
    assert found.values == pytest.approx(solve(game, sheets).values, abs=1e-9)


def test_rounds_must_be_a_number():
    game = make_game("hogwarts")
    for rounds in (0, -1, 1.5, True, "3"):
        with pytest.raises(ConfigError, match="rounds"):
            solve_truncated(game, sheets_of(game, 60, 60), rounds)
