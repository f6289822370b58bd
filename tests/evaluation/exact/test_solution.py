"""Perfect play of the school duel: published values, two methods, and laws that hold for all rules."""

import numpy as np
import pytest

from agents.registry import make_agent
from duel_env.errors import ConfigError
from duel_env.game import make_game
from evaluation.exact import FIRST, SECOND, exact_model, policy_table, solve
from evaluation.exact.strategy_iteration import solve_by_strategy_iteration
from tests.evaluation.exact.duelists import sheets_of
from tests.helpers import random_options, random_skills
from tests.rules.test_values import Solver

PUBLISHED = [
    ({}, (30, 30), 0.4979, 0.5021, "stupefy"),
    ({}, (45, 45), 0.4840, 0.5160, "stupefy_strong"),
    ({}, (60, 60), 0.4681, 0.5319, "protego"),
    ({}, (75, 75), 0.4702, 0.5298, "protego"),
    ({}, (60, 50), 0.6330, 0.6881, "protego"),
    ({}, (80, 60), 0.7581, 0.8065, "protego"),
    ({}, (100, 100), 0.5, 0.5, "protego"),
    ({"riposte_sees_roll": False}, (75, 75), 0.4787, 0.5213, "expelliarmus"),
    ({"riposte_sees_roll": False}, (80, 60), 0.7137, 0.7592, None),
    ({"riposte_sees_roll": False}, (60, 60), 0.4681, 0.5319, None),
]
"""The rules page of this project, "Known exact values", which come from another solver."""


@pytest.mark.parametrize(("options", "skills", "first", "second", "action"), PUBLISHED)
def test_published_values(options, skills, first, second, action):
    game = make_game("hogwarts", options)
    solution = solve(game, sheets_of(game, *skills))
    assert (solution.win_probability(FIRST), solution.win_probability(SECOND)) == pytest.approx((first, second), abs=5e-5)
    for start in (FIRST, SECOND):
        low, high = solution.win_bounds(start)
        assert low <= solution.win_probability(start) <= high < low + 1e-9
    if action is not None:
        assert game.actions[solution.actions[solution.start(FIRST)]].id == action


@pytest.mark.parametrize("seed", range(24))
def test_two_methods_agree_in_every_state_of_random_rules(seed):
    rng = np.random.default_rng(seed)
    game = make_game("hogwarts", random_options(rng))
    sheets = sheets_of(game, *random_skills(rng))
    solution = solve(game, sheets)
    assert np.abs(solve_by_strategy_iteration(game, sheets) - solution.values).max() < 1e-9
    assert np.all(solution.lower <= solution.values + 1e-12)
    assert np.all(solution.upper >= solution.values - 1e-12)
    assert solution.max_error < 1e-8


@pytest.mark.parametrize("seed", range(6))
def test_a_third_program_agrees(seed):
    """Value iteration in NumPy, which reads penalties and skills by itself."""
    rng = np.random.default_rng(100 + seed)
    options, skills = random_options(rng), tuple(int(skill) for skill in rng.integers(25, 96, 2))
    solver = Solver(skills, **options)
    solution = solve(solver.game, sheets_of(solver.game, *skills))
    assert solver.values() == pytest.approx(solution.values, abs=1e-7)


@pytest.mark.parametrize("hit_points", range(1, 21))
def test_all_numbers_of_hit_points(hit_points):
    game = make_game("hogwarts", {"hit_points": hit_points})
    sheets = sheets_of(game, 60, 60)
    solution = solve(game, sheets)
    assert solution.max_error < 1e-9
    assert solution.win_probability(FIRST) + solution.win_probability(SECOND) == pytest.approx(1.0, abs=1e-12)
    if hit_points <= 6:
        assert solve_by_strategy_iteration(game, sheets) == pytest.approx(solution.values, abs=1e-9)
    if hit_points >= 10:  # wands alone decide then: 22/47, as at 5
        assert solution.win_probability(FIRST) == pytest.approx(22 / 47, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_swapping_seats_swaps_the_result(seed):
    rng = np.random.default_rng(seed)
    game = make_game("hogwarts", random_options(rng))
    a, b = random_skills(rng)
    ours, theirs = solve(game, sheets_of(game, a, b)), solve(game, sheets_of(game, b, a))
    assert ours.value(FIRST) == pytest.approx(-theirs.value(SECOND), abs=1e-10)
    assert ours.value(SECOND) == pytest.approx(-theirs.value(FIRST), abs=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_merging_states_changes_no_value(seed):
    """Allowing everything solves the unmerged graph."""
    rng = np.random.default_rng(seed)
    game = make_game("hogwarts", random_options(rng))
    sheets = sheets_of(game, *random_skills(rng))
    everything = np.ones_like(exact_model(game).legal)
    merged, full = solve(game, sheets), solve(game, sheets, allowed=everything)
    assert merged.values == pytest.approx(full.values, abs=1e-9)
    assert np.array_equal(np.isnan(merged.action_values), np.isnan(full.action_values))


@pytest.mark.parametrize("seed", range(6))
def test_values_are_those_of_the_strategies_found(seed):
    rng = np.random.default_rng(seed)
    game = make_game("hogwarts", random_options(rng))
    sheets = sheets_of(game, *random_skills(rng))
    solution = solve(game, sheets)
    strategy = np.eye(game.num_actions)[solution.actions]
    for policies in ((strategy, None), (None, strategy), (strategy, strategy)):
        assert solve(game, sheets, policies).values == pytest.approx(solution.values, abs=1e-8)


def test_action_values_are_one_step_of_look_ahead():
    game = make_game("hogwarts")
    solution = solve(game, sheets_of(game, 70, 55))
    model = exact_model(game)
    sign = np.where(model.chooser == 0, 1.0, -1.0)
    best = np.nanmax(sign[:, None] * solution.action_values, axis=1)
    assert best == pytest.approx(sign * solution.values[: model.num_player], abs=1e-12)
    assert np.array_equal(~np.isnan(solution.action_values), model.legal)
    chosen = solution.action_values[np.arange(model.num_player), solution.actions]
    assert sign * chosen == pytest.approx(best, abs=1e-10)


def test_a_forbidden_action_never_helps_who_may_not_take_it():
    game = make_game("hogwarts")
    model, sheets = exact_model(game), sheets_of(game, 60, 60)
    free = solve(game, sheets)
    for spell in range(6):
        for player in (0, 1):
            allowed = model.legal.copy()
            allowed[model.chooser == player, spell] = False
            bound = solve(game, sheets, allowed=allowed)
            sign = 1.0 if player == 0 else -1.0
            assert np.all(sign * bound.values <= sign * free.values + 1e-10)
            assert np.all(np.isnan(bound.action_values[model.chooser == player, spell]))
            assert not np.any(bound.actions[model.chooser == player] == spell)


def test_a_pair_of_policies_is_worth_what_a_match_shows():
    from evaluation.match import play_match

    game = make_game("hogwarts")
    agents = make_agent("greedy", game), make_agent("random", game)
    sheets = sheets_of(game, 60, 60)
    tables = [policy_table(agent, game, sheets) for agent in agents]
    exact = [solve(game, sheets, tables).win_probability(start) for start in (FIRST, SECOND)]
    setup = game.ruleset.setup_model(skills=(60, 60))
    match = play_match(game, setup, agents, 20_000, 3)
    assert match.by_seat[0].score == pytest.approx(np.mean(exact), abs=0.012)  # four standard errors


def test_what_does_not_fit_is_refused():
    game, other = make_game("hogwarts"), make_game("hogwarts", {"hit_points": 3})
    sheets = sheets_of(game, 60, 60)
    model = exact_model(game)
    table = policy_table(make_agent("random", game), game, sheets)
    with pytest.raises(ConfigError, match="sheets"):
        solve(game, np.zeros(3, game.ruleset.sheet_dtype))
    with pytest.raises(ConfigError, match="policy of player 1"):
        solve(other, sheets, (None, table))
    with pytest.raises(ConfigError, match="sum to 1"):
        solve(game, sheets, (table * 0.5, None))
    with pytest.raises(ConfigError, match="sum to 1"):
        solve(game, sheets, (np.where(model.legal, np.nan, 0.0), None))
    with pytest.raises(ConfigError, match="illegal"):
        solve(game, sheets, (np.full_like(table, 1.0 / table.shape[1]), None))
    with pytest.raises(ConfigError, match="no action left"):
        solve(game, sheets, allowed=np.zeros_like(model.legal))
    with pytest.raises(ConfigError, match="too many"):
        solve(make_game("hogwarts", {"hit_points": 100}), sheets)
