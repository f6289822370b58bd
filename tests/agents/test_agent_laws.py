"""What holds for every agent, in every position of every game."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.base import FALLBACK_ACTION, sample
from agents.registry import make_agent
from duel_env.errors import DuelError, SchemaError
from duel_env.game import Game, make_game
from tests.agents.positions import all_agents, play_randomly, random_positions

SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=40)
@given(seed=SEEDS)
def test_policies_are_probabilities_of_legal_actions(seed: int) -> None:
    game, observation, action_mask = random_positions(seed)
    for agent in all_agents(game):
        policy = agent.policy(observation, action_mask)
        assert policy.shape == action_mask.shape, agent.name
        assert policy.dtype == np.float64, agent.name
        assert np.all(policy >= 0.0), agent.name
        assert np.all(policy[action_mask == 0] == 0.0), agent.name
        np.testing.assert_allclose(policy.sum(axis=1), 1.0, atol=1e-12, err_msg=agent.name)


@settings(max_examples=15)
@given(seed=SEEDS)
def test_a_policy_does_not_depend_on_the_other_positions_of_the_batch(seed: int) -> None:
    game, observation, action_mask = random_positions(seed, num_rows=6)
    order = np.random.default_rng(seed).permutation(len(observation))
    for agent in all_agents(game):
        together = agent.policy(observation, action_mask)
        alone = np.concatenate([agent.policy(o[None], m[None]) for o, m in zip(observation, action_mask, strict=True)])
        np.testing.assert_array_equal(alone, together, agent.name)
        np.testing.assert_array_equal(agent.policy(observation[order], action_mask[order]), together[order], agent.name)


@settings(max_examples=15)
@given(seed=SEEDS)
def test_agents_that_are_certain_act_the_same_one_by_one_and_together(seed: int) -> None:
    game, observation, action_mask = random_positions(seed, num_rows=4)
    rng = np.random.default_rng(seed)
    for agent in all_agents(game):
        policy = agent.policy(observation, action_mask)
        certain = policy.max(axis=1) == 1.0
        together = agent.act(observation, action_mask, rng)
        assert together.dtype == np.int64
        assert np.all(action_mask[np.arange(len(together)), together] == 1), agent.name
        np.testing.assert_array_equal(together[certain], np.argmax(policy, axis=1)[certain])
        for row in np.flatnonzero(certain):
            single = agent.act(observation[row], action_mask[row], rng)
            assert isinstance(single, int)
            assert single == together[row], agent.name


def test_actions_are_sampled_in_proportion_and_reproducibly(game: Game) -> None:
    _, observation, action_mask = play_randomly(game, (60, 60), seed=5, num_rows=1, num_steps=1)
    agent = make_agent("random", game)
    many = np.repeat(observation, 60_000, axis=0), np.repeat(action_mask, 60_000, axis=0)
    actions = agent.act(*many, np.random.default_rng(3))
    counts = np.bincount(actions, minlength=game.num_actions)
    legal = action_mask[0] == 1
    assert np.all(counts[~legal] == 0)
    # Six legal actions, expected 10,000 each with a standard deviation of 91.
    assert np.all(np.abs(counts[legal] - 10_000) < 5 * 91)
    np.testing.assert_array_equal(actions, agent.act(*many, np.random.default_rng(3)))


def test_impossible_actions_are_never_sampled_even_at_the_ends_of_the_random_numbers() -> None:
    class Extreme(np.random.Generator):
        def __init__(self, value: float) -> None:
            super().__init__(np.random.PCG64(0))
            self.value = value

        def random(self, size: int) -> np.ndarray:  # type: ignore[override]
            return np.full(size, self.value)

    probabilities = np.array([[0.0, 0.3, 0.7 - 1e-9, 0.0], [0.0, 0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(sample(probabilities, Extreme(0.0)), [1, 2])
    np.testing.assert_array_equal(sample(probabilities, Extreme(1.0)), [2, 2])


@pytest.mark.filterwarnings("error")
def test_positions_without_a_legal_action_get_the_fallback_action(game: Game) -> None:
    _, observation, action_mask = play_randomly(game, (60, 60), seed=1, num_rows=3, num_steps=2)
    action_mask[1] = 0
    for agent in all_agents(game):
        policy = agent.policy(observation, action_mask)
        assert policy[1, FALLBACK_ACTION] == 1.0, agent.name
        assert agent.act(observation[1], action_mask[1], np.random.default_rng(0)) == FALLBACK_ACTION


def test_an_empty_batch_is_a_batch(game: Game) -> None:
    nothing = np.zeros((0, game.observation_size), np.float32), np.zeros((0, game.num_actions), np.int8)
    for agent in all_agents(game):
        assert agent.policy(*nothing).shape == (0, game.num_actions), agent.name
        assert agent.act(*nothing, np.random.default_rng(0)).shape == (0,), agent.name


def test_boolean_masks_are_masks(game: Game) -> None:
    _, observation, action_mask = play_randomly(game, (60, 60), seed=1, num_rows=3, num_steps=2)
    for agent in all_agents(game):
        expected = agent.policy(observation, action_mask)
        np.testing.assert_array_equal(agent.policy(observation, action_mask.astype(bool)), expected)


@pytest.mark.parametrize("name", ["random", "greedy", "expectimax"])
def test_arrays_that_do_not_fit_the_game_are_refused(game: Game, name: str) -> None:
    agent = make_agent(name, game)
    observation = np.zeros((2, game.observation_size), np.float32)
    mask = np.ones((2, game.num_actions), np.int8)
    cases = {
        "observation of shape": (observation[:, 1:], mask),
        "action_mask of shape": (observation, mask[:, 1:]),
        "2 observations but 1 action masks": (observation, mask[:1]),
        "nothing but 0 and 1": (observation, 2 * mask),
        "finite": (np.full_like(observation, np.nan), mask),
        "expected numbers": (observation.astype(str), mask),
    }
    for message, (bad_observation, bad_mask) in cases.items():
        with pytest.raises(SchemaError, match=message):
            agent.policy(bad_observation, bad_mask)
    with pytest.raises(DuelError):
        agent.act(observation[0], mask, np.random.default_rng(0))


@pytest.mark.parametrize("spell", ["block", "damage", "disarm", "petrify", "hex"])
@pytest.mark.parametrize("observe", [True, False])
def test_every_agent_plays_with_a_single_spell_of_any_kind(spell: str, observe: bool) -> None:
    effect = {"damage": 2} if spell == "damage" else {spell: True}
    only = {"id": "only", "en": "Only", "fr": "Seul", "penalty": 0, **effect}
    game = make_game("hogwarts", {"spells": [only], "max_rounds": 20, "observe_opponent_skill": observe})
    _, observation, action_mask = play_randomly(game, (60, 40), seed=2)
    for agent in all_agents(game):
        policy = agent.policy(observation, action_mask)
        assert np.all(policy[action_mask == 0] == 0.0), agent.name
