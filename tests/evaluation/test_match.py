"""Matches: what swapping, batching and pairing must not change, and what the counts mean."""

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.base import Agent
from agents.network import NetworkAgent
from agents.registry import make_agent
from duel_env.config import Settings
from duel_env.duel import Duel
from duel_env.errors import ConfigError, SchemaError
from duel_env.game import Game, make_game
from duel_env.playthrough import final_duel
from evaluation.match import MatchResult, Plan, play_match
from evaluation.record import record_duel
from tests.agents.positions import random_network
from tests.helpers import random_options

NAMES = ["random", "stupefy", "stupefy_strong", "expelliarmus", "greedy", "defender", "controller", "expectimax", "network"]
SETUPS: list[dict[str, Any]] = [
    {"skills": (60, 60)},
    {"skills": (80, 60)},
    {"skills": (40, 70), "first_caster": 0},
    {"skills": (60, 60), "first_caster": 1},
    {"skills": ((20, 95), (20, 95))},
    {"skills": ((55, 60), 60)},
]


def setup_of(game: Game, **settings_: Any) -> Settings:
    return game.ruleset.setup_model(**settings_)


def agent(name: str, game: Game) -> Agent:
    if name == "network":
        return NetworkAgent(random_network(game), game, greedy=False, name="network")
    return make_agent(name, game)


class Fixed(Agent):
    """Gives the same policy everywhere, whether it is one or not."""

    def __init__(self, policy: Any, name: str = "fixed") -> None:
        self._policy = policy
        self.name = name

    def policy(self, observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        return np.tile(np.asarray(self._policy), (len(observation), 1))


@pytest.mark.parametrize("setup", SETUPS, ids=str)
@pytest.mark.parametrize("names", [("expectimax", "random"), ("network", "defender"), ("random", "network")], ids=str)
def test_swapping_the_agents_mirrors_the_result(game: Game, setup: dict[str, Any], names: tuple[str, str]) -> None:
    settings_ = setup_of(game, **setup)
    agents = agent(names[0], game), agent(names[1], game)
    result = play_match(game, settings_, agents, 200, seed=3)
    mirrored = play_match(game, settings_, agents[::-1], 200, seed=3)
    assert mirrored.agents == result.agents[::-1]
    for found, other in (
        (mirrored.total, result.total),
        (mirrored.by_seat[0], result.by_seat[1]),
        (mirrored.by_seat[1], result.by_seat[0]),
        (mirrored.by_order[0], result.by_order[1]),
        (mirrored.by_order[1], result.by_order[0]),
    ):
        assert (found.wins, found.draws, found.losses) == (other.losses, other.draws, other.wins)
    assert mirrored.score_interval == pytest.approx([1 - result.score_interval.high, 1 - result.score_interval.low])
    assert mirrored.mean_decisions == result.mean_decisions


@pytest.mark.parametrize("setup", SETUPS, ids=str)
@pytest.mark.parametrize("name", ["random", "network", "expectimax"])
def test_an_agent_against_itself_scores_exactly_one_half(game: Game, setup: dict[str, Any], name: str) -> None:
    itself = agent(name, game)
    result = play_match(game, setup_of(game, **setup), (itself, itself), 120, seed=9)
    assert result.total.score == 0.5
    assert result.score_interval.low < 0.5 < result.score_interval.high
    first, second = result.by_order
    assert first.duels == second.duels == 60, "in each pair each acts first once"
    assert (first.wins, first.losses) == (second.losses, second.wins)


@pytest.mark.parametrize("names", [("random", "network"), ("expectimax", "controller")], ids=str)
@pytest.mark.parametrize("setup", SETUPS[::2], ids=str)
def test_results_do_not_depend_on_the_batch_size(game: Game, setup: dict[str, Any], names: tuple[str, str]) -> None:
    agents = agent(names[0], game), agent(names[1], game)
    results = [play_match(game, setup_of(game, **setup), agents, 300, seed=5, batch_size=size) for size in (1, 7, 64, 4096)]
    assert all(result == results[0] for result in results)


@settings(max_examples=12)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_laws_hold_under_any_rules(seed: int) -> None:
    rng = np.random.default_rng(seed)
    game = make_game("hogwarts", random_options(rng) | {"hit_points": int(rng.integers(1, 4))})
    setup = setup_of(game, **SETUPS[int(rng.integers(len(SETUPS)))])
    agents = agent("greedy", game), agent("random", game)
    result = play_match(game, setup, agents, 30, seed)
    assert result == play_match(game, setup, agents, 30, seed, batch_size=9)
    mirrored = play_match(game, setup, agents[::-1], 30, seed)
    assert (mirrored.total.wins, mirrored.total.losses) == (result.total.losses, result.total.wins)
    assert result.total.duels == sum(tally.duels for tally in result.by_seat) == sum(tally.duels for tally in result.by_order)
    assert result.truncated <= result.total.draws


def test_a_seed_fixes_the_result_and_another_changes_it(game: Game) -> None:
    agents = agent("random", game), agent("network", game)
    setup = setup_of(game)
    first = play_match(game, setup, agents, 400, seed=2**64 - 1)
    assert first == play_match(game, setup, agents, 400, seed=2**64 - 1)
    assert first.total != play_match(game, setup, agents, 400, seed=0).total


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_recorded_duels_are_those_of_the_match(game: Game, setup: dict[str, Any]) -> None:
    settings_ = setup_of(game, **setup)
    agents = agent("network", game), agent("random", game)
    result = play_match(game, settings_, agents, 12, seed=4)
    wins, decisions, first_moves = 0, 0, 0
    for number in range(result.total.duels):
        playthrough = record_duel(game, settings_, agents, 12, 4, number)
        duel, seat = final_duel(playthrough), number % 2
        wins += duel.returns()[seat] > 0
        decisions += len(playthrough.moves)
        first_moves += playthrough.moves[0].player == seat
    assert wins == result.total.wins
    assert decisions == result.mean_decisions * result.total.duels
    assert first_moves == result.by_order[0].duels


def test_the_score_is_the_exact_one_within_its_error(game: Game) -> None:
    # 0.6048: best response to always expelliarmus at (60, 60), rules page; expectimax is one.
    result = play_match(game, setup_of(game), (agent("expectimax", game), agent("expelliarmus", game)), 20_000, seed=6)
    low, high = result.score_interval
    assert 0.01 < high - low < 0.03
    assert abs(result.total.score - 0.6048) < 2.5 * (high - low) / 2


def test_pairing_makes_the_interval_shorter(game: Game) -> None:
    result = play_match(game, setup_of(game), (agent("greedy", game), agent("stupefy_strong", game)), 4_000, seed=6)
    pooled = np.sqrt(result.total.score * (1 - result.total.score) / result.total.duels) * 2 * 1.96
    assert result.score_interval.high - result.score_interval.low < pooled


# ---- plans --------------------------------------------------------------------------------------------------------------------


def test_a_coin_is_replaced_by_playing_both_ways(game: Game) -> None:
    plan = Plan(setup_of(game, skills=(60, 60)), 6, seed=1)
    assert plan.block_size == 4
    assert plan.num_duels == 8
    duels = [plan.duel(number) for number in range(8)]
    assert {(duel.seat, duel.setup.first_caster) for duel in duels[:4]} == {(0, 0), (1, 0), (0, 1), (1, 1)}  # type: ignore[attr-defined]
    assert [duel.seed for duel in duels[0::2]] == [duel.seed for duel in duels[1::2]]
    assert len({duel.seed for duel in duels}) == 4


@pytest.mark.parametrize("setup", [SETUPS[1], SETUPS[3], SETUPS[4]], ids=str)
def test_where_the_rules_decide_who_begins_only_the_seats_are_swapped(game: Game, setup: dict[str, Any]) -> None:
    plan = Plan(setup_of(game, **setup), 3, seed=1)
    assert plan.block_size == 2
    assert plan.num_duels == 4
    assert all(plan.duel(number).setup == setup_of(game, **setup) for number in range(4))


def test_a_longer_match_begins_with_the_shorter_one(game: Game) -> None:
    short, long = (Plan(setup_of(game), duels, seed=77) for duels in (40, 4000))
    assert [short.duel(number) for number in range(40)] == [long.duel(number) for number in range(40)]


def test_neighbouring_seeds_share_no_duels(game: Game) -> None:
    seeds = [set(Plan(setup_of(game), 2000, seed).seeds.tolist()) for seed in (1, 2, 3)]
    assert not seeds[0] & seeds[1]
    assert not seeds[1] & seeds[2]


def test_with_equal_skills_the_seats_are_alike(game: Game) -> None:
    # Why the two pairs of a block have different dice: with the same ones, the second pair would be the first one over again.
    agents = agent("network", game), agent("random", game)
    as_player_0 = record_duel(game, setup_of(game, first_caster=0), agents, 2, 5, 0)
    as_player_1 = record_duel(game, setup_of(game, first_caster=1), agents, 2, 5, 1)
    assert [(move.action, move.dice) for move in as_player_0.moves] == [(move.action, move.dice) for move in as_player_1.moves]


@pytest.mark.parametrize("duels", [0, -1, True, 2.5])
def test_impossible_numbers_of_duels_are_refused(game: Game, duels: Any) -> None:
    with pytest.raises(ConfigError, match="num_duels"):
        play_match(game, setup_of(game), (agent("random", game),) * 2, duels, seed=1)


def test_other_impossible_arguments_are_refused(game: Game) -> None:
    one = agent("random", game)
    with pytest.raises(ConfigError, match="seed"):
        play_match(game, setup_of(game), (one, one), 2, seed=-1)
    with pytest.raises(ConfigError, match="batch_size"):
        play_match(game, setup_of(game), (one, one), 2, seed=1, batch_size=0)
    with pytest.raises(ConfigError, match="a match is between 2"):
        play_match(game, setup_of(game), (one,), 2, seed=1)
    with pytest.raises(ConfigError, match="duel 4: the match has duels 0 to 3"):
        record_duel(game, setup_of(game), (one, one), 2, 1, 4)


# ---- what is counted ----------------------------------------------------------------------------------------------------------


def test_duels_at_the_round_limit_are_draws() -> None:
    game = make_game("hogwarts", {"max_rounds": 3})
    result = play_match(game, setup_of(game), (agent("spam:protego", game), agent("spam:levicorpus", game)), 8, seed=1)
    assert result.total.draws == result.truncated == 8
    assert result.total.score == 0.5
    assert result.mean_rounds == 3.0
    assert result.disqualified == (0, 0)


def test_rounds_are_those_that_the_rules_count(game: Game) -> None:
    agents = agent("controller", game), agent("random", game)
    result = play_match(game, setup_of(game), agents, 40, seed=8)
    rounds = [final_duel(record_duel(game, setup_of(game), agents, 40, 8, k)).state["round"][0] for k in range(40)]
    assert result.mean_rounds == np.mean(rounds)


def test_illegal_actions_are_counted_against_who_takes_them(game: Game) -> None:
    seizes_at_once = Fixed(np.eye(game.num_actions)[game.action_number("seize_wand")])
    result = play_match(game, setup_of(game), (seizes_at_once, agent("spam:protego", game)), 8, seed=1)
    assert result.disqualified == (8, 0)
    assert result.total.losses == 8
    mirrored = play_match(game, setup_of(game), (agent("spam:protego", game), seizes_at_once), 8, seed=1)
    assert mirrored.disqualified == (0, 8)
    recorded = record_duel(game, setup_of(game), (seizes_at_once, agent("random", game)), 8, 1, 0)
    assert recorded.moves[-1].disqualified
    assert final_duel(recorded).is_disqualified


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ([1.0] * 9, "sum to 1"),
        ([2.0, -1.0, 0, 0, 0, 0, 0, 0, 0], "sum to 1"),
        ([np.nan] * 9, "sum to 1"),
        ([0.0] * 9, "sum to 1"),
        ([1.0], "expected"),
    ],
)
def test_what_is_no_policy_is_refused_by_the_agents_name(game: Game, policy: list[float], message: str) -> None:
    with pytest.raises(SchemaError, match=f"the policy of fixed .*{message}"):
        play_match(game, setup_of(game), (Fixed(policy), agent("random", game)), 2, seed=1)


def test_skills_go_with_the_seats(game: Game) -> None:
    result = play_match(game, setup_of(game, skills=(100, 0)), (agent("stupefy_strong", game),) * 2, 10, seed=1)
    assert result.by_seat[0].wins == 5, "player 0 has the skill"
    assert result.by_seat[1].losses == 5


def test_progress_is_told_how_many_duels_are_over(game: Game) -> None:
    told: list[int] = []
    play_match(game, setup_of(game), (agent("random", game),) * 2, 40, seed=1, batch_size=8, progress=told.append)
    assert told[-1] == 40
    assert told == sorted(told)


# ---- JSON ---------------------------------------------------------------------------------------------------------------------


def test_the_json_form_has_the_documented_keys(game: Game) -> None:
    result = play_match(game, setup_of(game, skills=((20, 95), 60)), (agent("random", game), agent("greedy", game)), 10, seed=1)
    value = json.loads(json.dumps(result.to_json()))
    table = [line for line in (MatchResult.to_json.__doc__ or "").splitlines() if line.strip().startswith("| `")]
    documented = {key for line in table for key in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert set(value) == documented
    assert value["agents"] == ["random", "greedy"]
    assert value["setup"] == {"skills": [[20, 95], 60], "first_caster": None}
    assert value["wins"] + value["draws"] + value["losses"] == value["duels"] == 10
    assert value["score_interval"][0] <= value["score"] <= value["score_interval"][1]


def test_recorded_skills_are_those_that_were_drawn(game: Game) -> None:
    setup = setup_of(game, skills=((20, 95), (20, 95)))
    agents = agent("random", game), agent("random", game)
    first, second = (record_duel(game, setup, agents, 2, 3, number) for number in (0, 1))
    assert first.setup == second.setup
    assert all(isinstance(skill, int) and 20 <= skill <= 95 for skill in first.setup["skills"])
    assert isinstance(final_duel(first), Duel)
