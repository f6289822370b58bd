"""Baselines: the reference values are recomputed from the rules, and shown where they hold and nowhere else."""

import json
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from agents.network import NetworkAgent
from agents.registry import agent_names, make_agent
from duel_env.duel import Duel
from duel_env.errors import ConfigError
from duel_env.game import Game, make_game
from evaluation.baselines import baseline_names, play_baselines
from evaluation.match import play_match
from evaluation.references import References, is_solvable
from tests.agents.positions import random_network
from tests.helpers import make_setup

PUBLISHED = {
    "random": (0.9382, 0.9244),
    "stupefy": (0.8723, 0.8318),
    "stupefy_strong": (0.7106, 0.7080),
    "expelliarmus": (0.6048, 0.6048),
    "greedy": (0.6867, 0.6780),
    "defender": (0.6939, 0.6780),
    "controller": (0.6364, 0.6297),
    "expectimax": (0.5, 0.5),
    "optimal": (0.5, 0.5),
}
"""Best response to each agent and equilibrium play against it at skills (60, 60), as docs/agents.md has them. The first four best responses
are on the rules page, too."""


class ExactScores:
    """Expected scores by value iteration on the state graph, for two duelists of equal skill."""

    def __init__(self, game: Game, skill: int) -> None:
        graph = game.graph
        sheets = Duel(game, make_setup(game, skills=(skill, skill))).sheets
        self.num_players, num_visible = graph.num_player, graph.num_player + graph.num_terminal
        self.starts = graph.starts[:2]
        self.next_nodes = graph.edges >> 1
        self.legal = graph.edges[: self.num_players] >= 0
        deciding = [Duel.of(game, state, sheets) for state in graph.states[: self.num_players]]
        self.player = np.array([duel.current_player for duel in deciding])
        self.observation = np.array([duel.observation(duel.current_player) for duel in deciding])
        self.action_mask = self.legal.astype(np.int8)
        over = [Duel.of(game, state, sheets).returns()[0] for state in graph.states[self.num_players : num_visible]]
        self.first_values = np.full(len(graph.states), 0.5)
        self.first_values[self.num_players : num_visible] = (np.array(over) + 1) / 2
        self.dice = np.arange(num_visible, len(graph.states))
        self.probability = np.array([Duel.of(game, graph.states[node], sheets).chance_outcomes() for node in self.dice])

    def scores(self, opponent: np.ndarray | None, seat: int) -> np.ndarray:
        """Score of player `seat` from each node, (N,), with the best response to a policy, or to the best opponent."""
        values = self.first_values if seat == 0 else 1 - self.first_values
        own = self.player == seat
        while True:
            after = values[self.next_nodes[: self.num_players]]
            best = np.where(self.legal, after, -1.0).max(axis=1)
            worst = np.where(self.legal, after, 2.0).min(axis=1)
            against = worst if opponent is None else (opponent * np.where(self.legal, after, 0.0)).sum(axis=1)
            new = values.copy()
            new[: self.num_players] = np.where(own, best, against)
            new[self.dice] = (self.probability * values[self.next_nodes[self.dice, :2]]).sum(axis=1)
            if np.abs(new - values).max() < 1e-6:
                return new
            values = new

    def best_response(self, opponent: np.ndarray | None) -> float:
        """Over both seats and both ways to begin, which all count the same."""
        return float(np.mean([self.scores(opponent, seat)[self.starts] for seat in (0, 1)]))

    @cached_property
    def equilibrium_policy(self) -> np.ndarray:
        """A policy that is best against the best opponent, the first action among equals."""
        values = self.scores(None, 0)[self.next_nodes[: self.num_players]]
        gain = np.where(self.player[:, None] == 0, values, 1 - values)
        best = np.where(self.legal, gain, -1.0)
        policy: np.ndarray = np.eye(self.legal.shape[1])[np.argmax(best >= best.max(axis=1, keepdims=True) - 1e-5, axis=1)]
        return policy

    def score(self, policy: np.ndarray, opponent: np.ndarray) -> float:
        """What a policy scores against an opponent."""
        legal = self.legal
        try:
            self.legal = legal & (np.where((self.player == 0)[:, None], policy, 1.0) > 0)
            as_player_0 = self.scores(opponent, 0)[self.starts]
            self.legal = legal & (np.where((self.player == 1)[:, None], policy, 1.0) > 0)
            as_player_1 = self.scores(opponent, 1)[self.starts]
        finally:
            self.legal = legal
        return float(np.mean([as_player_0, as_player_1]))


@pytest.fixture(scope="module")
def exact() -> ExactScores:
    return ExactScores(make_game("hogwarts"), 60)


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_scores_are_exact(exact: ExactScores, name: str) -> None:
    """By value iteration in NumPy, and by the solver of the package."""
    game = make_game("hogwarts")
    agent = make_agent(name, game)
    opponent = agent.policy(exact.observation, exact.action_mask)
    best_response, equilibrium = PUBLISHED[name]
    assert exact.best_response(opponent) == pytest.approx(best_response, abs=6e-5)
    assert exact.score(exact.equilibrium_policy, opponent) == pytest.approx(equilibrium, abs=6e-5)
    found = References(game, game.ruleset.setup_model(), make_agent("optimal", game)).against(agent)
    assert found == pytest.approx((equilibrium, best_response, equilibrium), abs=6e-5)


@pytest.mark.parametrize("setup", [{"skills": (70, 50)}, {"first_caster": 1}, {}])
def test_exact_scores_are_what_matches_come_to(setup: dict[str, Any]) -> None:
    game = make_game("hogwarts", {"hit_points": 3})
    settings = game.ruleset.setup_model(**setup)
    agents = make_agent("greedy", game), make_agent("expelliarmus", game)
    found = References(game, settings, agents[0]).against(agents[1])
    match = play_match(game, settings, agents, 20_000, 5)
    assert match.total.score == pytest.approx(found.score, abs=0.014)  # four standard errors
    assert found.score <= found.best_response + 1e-9


def test_the_value_of_the_game_is_that_of_the_rules_page(exact: ExactScores) -> None:
    np.testing.assert_allclose(exact.scores(None, 0)[exact.starts], [0.4681, 0.5319], atol=6e-5)


def test_every_named_agent_is_published() -> None:
    assert set(PUBLISHED) == {known.name for known in agent_names(make_game("hogwarts"))}


@pytest.mark.parametrize(
    ("options", "setup"),
    [({"hit_points": 100}, {}), ({"observe_opponent_skill": False}, {}), ({}, {"skills": (60, (50, 60))})],
)
def test_no_exact_scores_where_duels_cannot_be_solved(options: dict[str, Any], setup: dict[str, Any]) -> None:
    game = make_game("hogwarts", options)
    settings = game.ruleset.setup_model(**setup)
    assert not is_solvable(game, settings)
    results = play_baselines(game, settings, make_agent("random", game), ("stupefy",), 4, 1)
    assert results[0].reference is None
    assert results[0].to_json()["reference"] is None


def test_an_agent_is_played_against_each_baseline(game: Game) -> None:
    told: list[tuple[str, int]] = []
    setup = game.ruleset.setup_model()
    names = ("stupefy", "spam:protego")
    results = play_baselines(
        game, setup, make_agent("greedy", game), names, 40, 1, lambda name, played: told.append((name, played))
    )
    assert [result.name for result in results] == list(names)
    assert [result.match.agents for result in results] == [("greedy", name) for name in names]
    assert all(result.reference is not None and result.reference.score > 0.5 for result in results)
    assert told[-1] == ("spam:protego", 40)
    value = json.loads(json.dumps([result.to_json() for result in results]))
    assert set(value[0]["reference"]) == {"score", "best_response", "equilibrium"}
    assert value[0]["match"]["duels"] == 40


def test_nothing_is_played_against_an_unknown_baseline(game: Game) -> None:
    class Untouchable(NetworkAgent):
        def policy(self, *_: Any) -> Any:
            raise AssertionError("a duel was played")

    agent = Untouchable(random_network(game), game, greedy=True)
    with pytest.raises(ConfigError, match="unknown agent 'nobody'"):
        play_baselines(game, game.ruleset.setup_model(), agent, ("random", "nobody"), 4, 1)


def test_baselines_follow_the_list_of_spells() -> None:
    bolt = {"id": "bolt", "en": "Bolt", "fr": "Éclair", "penalty": 0, "damage": 1}
    assert "stupefy" not in baseline_names(make_game("hogwarts", {"spells": [bolt]}))
