"""Visits, ends and lengths of play between two given policies: laws, the solver's values, and duels that are really played."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.base import Agent
from agents.registry import make_agent
from duel_env.errors import ConfigError, ConvergenceError
from duel_env.game import Game, make_game
from evaluation.exact.model import exact_model
from evaluation.exact.occupancy import REST, Chain, occupancy, solution_policies
from evaluation.exact.policies import policy_table
from evaluation.exact.solution import FIRST, SECOND, solve
from evaluation.match import play_match
from tests.helpers import random_options, random_skills


def sheets_of(game: Game, skills: tuple[int, int]) -> np.ndarray:
    sheets = np.zeros(2, game.ruleset.sheet_dtype)
    sheets["skill"] = skills
    return sheets


def random_policy(game: Game, rng: np.random.Generator) -> np.ndarray:
    """Any probabilities of the legal actions, one action in some states and several in others."""
    legal = exact_model(game).legal
    weights = legal * (rng.exponential(size=legal.shape) ** rng.choice([1, 3], size=(len(legal), 1)))
    return weights / weights.sum(axis=1, keepdims=True)


def chances(game: Game, skills: tuple[int, int]) -> np.ndarray:
    """Probability of success at each node where a die is due, (N,), written down anew: skill less penalty, in percent."""
    states, spells = game.graph.states, len(game.options.spells)  # type: ignore[attr-defined]
    penalty = np.array([spell.penalty for spell in game.options.spells])  # type: ignore[attr-defined]
    spell = np.where(states["die"] == 2, states["action"][:, 0], states["action"][:, 1])
    threshold = np.array(skills)[states["current_player"]] - penalty[np.clip(spell, 0, spells - 1)]
    return np.where(states["die"] == 1, 0.5, np.clip(threshold, 0, 100) / 100)


def inflow(chain: Chain, skills: tuple[int, int], visits: np.ndarray) -> np.ndarray:
    """How often each node is entered, (N,), for visits (N,): edge by edge over the state graph."""
    graph, game = chain.game.graph, chain.game
    entered, success = np.zeros(len(graph.states)), chances(game, skills)
    first_die = graph.num_player + graph.num_terminal
    for choice in range(graph.edges.shape[1]):
        edges = graph.edges[:, choice]
        share = np.zeros(len(edges))
        if choice < game.num_actions:
            share[: graph.num_player] = chain.policy[:, choice]
        if choice < 2:
            share[first_die:] = (success if choice else 1.0 - success)[first_die:]
        there = (edges >= 0) & (share > 0.0)
        np.add.at(entered, edges[there] >> 1, visits[there] * share[there])
    return entered


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_laws_of_visits_hold_under_any_rules_and_policies(seed: int) -> None:
    rng = np.random.default_rng(seed)
    game = make_game("hogwarts", random_options(rng) | {"hit_points": int(rng.integers(1, 4))})
    skills = random_skills(rng)
    sheets = sheets_of(game, skills)
    policies = [random_policy(game, rng), random_policy(game, rng)]
    chain = Chain(game, sheets, policies)
    solution = solve(game, sheets, policies)
    for start in (FIRST, SECOND):
        found = chain.occupancy(solution.start(start))
        assert found.win + found.draw + found.loss + found.endless == pytest.approx(1.0, abs=1e-9)
        assert min(found.win, found.draw, found.loss, found.endless) >= 0.0
        assert found.value == pytest.approx(solution.value(start), abs=1e-9)
        assert np.isinf(found.visits).any() == (found.endless > 0.0)
        if found.endless == 0.0:
            entered = inflow(chain, skills, found.visits)
            entered[found.start] += 1.0
            np.testing.assert_allclose(found.visits, entered, atol=1e-9, rtol=1e-9)
            decisions = [found.visits[: game.graph.num_player][chain.chooser == player].sum() for player in range(2)]
            np.testing.assert_allclose(found.action_uses().sum(axis=1), decisions, rtol=1e-9)


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1))
def test_rounds_followed_one_by_one_agree_with_the_equations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    game = make_game("hogwarts", random_options(rng) | {"hit_points": int(rng.integers(1, 3))})
    sheets = sheets_of(game, random_skills(rng))
    found = occupancy(game, sheets, [random_policy(game, rng)] * 2)[0]
    rounds = found.rounds
    assert rounds.ended.sum() == pytest.approx(1.0 - found.endless, abs=1e-6)
    reached = np.cumsum(rounds.ended)
    for share, number in zip((0.05, 0.5, 0.95), (rounds.p5, rounds.median, rounds.p95), strict=True):
        if number is None:
            assert reached[-1] < share
        else:
            assert reached[number - 1] >= share
            assert number == 1 or reached[number - 2] < share
    if found.endless == 0.0 and len(rounds.ended) < 2_000:
        assert rounds.mean == pytest.approx(rounds.mean_if_ended, rel=1e-6)
        assert 1.0 - rounds.ended.sum() <= 2.0 * REST
        np.testing.assert_allclose(found.visits_within(len(rounds.ended)), found.visits, atol=1e-8)
    few, more = found.visits_within(1), found.visits_within(3)
    assert np.all(few <= more + 1e-12)
    assert few[found.start] == 1.0


class Counting(Agent):
    """An agent that adds up how it was likely to act."""

    def __init__(self, agent: Agent, num_actions: int) -> None:
        self.agent, self.name = agent, agent.name
        self.uses = np.zeros(num_actions)

    def policy(self, observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        policy = self.agent.policy(observation, action_mask)
        self.uses += policy.sum(axis=0)
        return policy


@pytest.mark.parametrize("skills", [(60, 60), (75, 50)])
def test_duels_that_are_played_agree(game: Game, skills: tuple[int, int]) -> None:
    names, duels, sheets = ("controller", "random"), 20_000, sheets_of(game, skills)
    agents = [Counting(make_agent(name, game), game.num_actions) for name in names]
    setup = game.ruleset.setup_model(skills=skills, first_caster=0)
    result = play_match(game, setup, agents, duels, seed=3)
    tables = [policy_table(make_agent(name, game), game, sheets) for name in names]
    first = occupancy(game, sheets, tables, [FIRST])[0]  # the first agent as player 0, who begins
    swapped = occupancy(game, sheets, tables[::-1], [FIRST])[0]  # and as player 1, with that skill
    assert result.mean_rounds == pytest.approx((first.expected_rounds + swapped.expected_rounds) / 2, abs=0.15)
    score = (first.score + 1.0 - swapped.score) / 2
    assert result.total.score == pytest.approx(score, abs=0.012)
    for agent in range(2):
        expected = (first.action_uses()[agent] + swapped.action_uses()[1 - agent]) / 2
        np.testing.assert_allclose(agents[agent].uses / result.total.duels, expected, atol=0.08)


def test_perfect_play_at_60() -> None:
    """Protego until it misses, then Expelliarmus: closed forms of the game that remains.

    In a round Protego misses with .4, and the answer disarms with .3; so .12 of the rounds decide, for the second caster of the
    round. Whoever disarmed begins the next round, and seizes the wand in it.
    """
    game = make_game("hogwarts")
    sheets = sheets_of(game, (60, 60))
    solution = solve(game, sheets)
    found = occupancy(game, sheets, solution_policies(solution))[0]
    decides = 0.4 * 0.3
    assert found.loss == pytest.approx(1.0 / (2.0 - decides), abs=1e-12)
    assert found.expected_rounds == pytest.approx(1.0 / decides + 1.0, abs=1e-12)
    np.testing.assert_allclose(found.rounds.ended[1:60], decides * (1.0 - decides) ** np.arange(59), atol=1e-15)
    assert found.action_uses()[:, game.action_number("expelliarmus")].sum() == pytest.approx(1.0 / 0.3, abs=1e-12)
    assert found.action_uses()[:, game.action_number("seize_wand")].sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("skills", [(100, 100), (0, 0)])
def test_endless_play_has_a_name(game: Game, skills: tuple[int, int]) -> None:
    sheets = sheets_of(game, skills)
    for found in occupancy(game, sheets, solution_policies(solve(game, sheets))):
        assert (found.win, found.draw, found.loss, found.endless) == (0.0, 0.0, 0.0, 1.0)
        assert found.expected_rounds == float("inf")
        assert np.isnan(found.rounds.mean_if_ended)
        assert (found.rounds.p5, found.rounds.median, found.rounds.p95) == (None, None, None)
        assert np.isinf(found.action_uses()).any()
        assert not np.isnan(found.action_uses()).any()
        within = found.visits_within(7)[: game.graph.num_player]
        assert within.sum() == pytest.approx(14.0), "two decisions in each of seven rounds"


def test_play_that_may_or_may_not_end() -> None:
    """At full skill player 0 opens with Stupefy, after which nobody ever hits again, or with the strong one, which goes on to the end.

    The strong one hits with .9 and can be tried again two rounds later; after it three hits, one a round, end the duel.
    """
    spells = [
        {"id": "stupefy", "en": "S", "fr": "S", "penalty": 0, "damage": 1},
        {"id": "strong", "en": "T", "fr": "T", "penalty": 10, "damage": 2},
        {"id": "protego", "en": "P", "fr": "P", "penalty": 0, "block": True},
        {"id": "dud", "en": "D", "fr": "D", "penalty": 100},
    ]
    game = make_game("hogwarts", {"spells": spells})
    stupefy, strong, protego, dud = range(4)
    states, model = game.graph.states[: game.graph.num_player], exact_model(game)
    policy = np.zeros(model.legal.shape)
    for node, state in enumerate(states):
        player, left = state["current_player"], state["hit_points"][1]
        if not model.legal[node, 0]:
            policy[node, model.legal[node].argmax()] = 1.0
        elif player == 1 or (left == 5 and state["first_caster"] == 1):
            policy[node, protego if left == 4 else dud] = 1.0
        elif left == 5:
            policy[node, [stupefy, strong]] = 0.5
        else:
            policy[node, protego if left == 4 else stupefy] = 1.0
    found = occupancy(game, sheets_of(game, (100, 100)), [policy, policy], [FIRST])[0]
    assert (found.win, found.endless) == pytest.approx((0.45 / 0.95, 0.5 / 0.95))
    assert found.rounds.mean == float("inf")
    assert found.rounds.mean_if_ended == pytest.approx(4.0 + 2.0 * 0.05 / 0.95)
    assert (found.rounds.p5, found.rounds.median, found.rounds.p95) == (4, None, None)
    assert np.isinf(found.visits.max())
    assert found.visits_within(50).max() < 50.0


def test_what_does_not_fit_is_refused(game: Game) -> None:
    sheets = sheets_of(game, (60, 60))
    policy = solution_policies(solve(game, sheets))[0]
    with pytest.raises(ConfigError, match="expected one of each player"):
        occupancy(game, sheets, [policy])
    with pytest.raises(ConfigError, match="policy of player 1"):
        occupancy(game, sheets, [policy, policy[:5]])
    with pytest.raises(ConfigError, match="start = 99999999"):
        Chain(game, sheets, [policy, policy]).occupancy(99_999_999)


def test_play_too_close_to_endless_is_refused_by_name() -> None:
    spells = [spell.model_dump() for spell in make_game("hogwarts").options.spells if spell.id in ("stupefy", "protego")]  # type: ignore[attr-defined]
    game = make_game("hogwarts", {"spells": spells, "hit_points": 1})
    legal = exact_model(game).legal
    protego = legal[:, game.action_number("protego")]
    policy = legal / legal.sum(axis=1, keepdims=True)
    policy[protego] = 0.0
    policy[protego, game.action_number("protego")] = 1.0
    policy[protego, game.action_number("stupefy")] = 1e-30
    with pytest.raises(ConvergenceError, match="so seldom"):
        occupancy(game, sheets_of(game, (100, 100)), [policy, policy])


def test_a_policy_given_takes_the_place_of_the_solutions_actions(game: Game) -> None:
    sheets = sheets_of(game, (60, 60))
    table = policy_table(make_agent("random", game), game, sheets)
    response = solve(game, sheets, (None, table))
    found = occupancy(game, sheets, solution_policies(response, (None, table)))
    assert [each.value for each in found] == pytest.approx([response.value(FIRST), response.value(SECOND)], abs=1e-10)
