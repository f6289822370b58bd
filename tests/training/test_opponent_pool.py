import numpy as np
import pytest

from agents.network import NetworkAgent
from duel_env.errors import SchemaError
from duel_env.game import make_game
from training.networks import ActorCritic, to_policy_network
from training.opponent_pool import LATEST, OpponentPool, PoolBatch


def network(seed, hidden=(16,), activation="tanh"):
    game = make_game("hogwarts")
    model = ActorCritic(game.observation_size, game.num_actions, hidden, activation, seed)
    model.actor.parameters.mul_(3.0)  # far from uniform
    return to_policy_network(model)


def full_pool(size=4, activation="tanh"):
    pool = OpponentPool(network(0, activation=activation), size, 0.6)
    for number in range(1, size + 1):
        pool.add(network(number, activation=activation), 10 * number)
    return pool


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_each_row_is_answered_by_the_policy_in_its_slot(game, rng, activation):
    pool = full_pool(activation=activation)
    rows = 100
    observation = rng.random((rows, game.observation_size), np.float32)
    mask = (rng.random((rows, game.num_actions)) < 0.5).astype(np.int8)
    mask[:, 0] = 1
    slots = rng.integers(0, 4, rows)  # one slot is nobody's
    found = pool.policy(slots, observation, mask)
    for slot in range(4):
        agent = NetworkAgent(network(slot, activation=activation), game, greedy=False)
        expected = agent.policy(observation[slots == slot], mask[slots == slot])
        np.testing.assert_allclose(found[slots == slot], expected, atol=1e-5)
    assert (found[mask == 0] == 0.0).all()


def test_shares_are_the_latests_and_equal_among_the_past():
    pool = OpponentPool(network(0), 3, 0.7)
    np.testing.assert_allclose(pool.shares(), [1, 0, 0, 0])
    pool.add(network(1), 5)
    np.testing.assert_allclose(pool.shares(), [0.7, 0.3, 0, 0])
    pool.add(network(2), 6)
    pool.add(network(3), 7)
    np.testing.assert_allclose(pool.shares(), [0.7, 0.1, 0.1, 0.1])


@pytest.mark.parametrize("size", [1, 2, 5, 8])
def test_a_full_pool_keeps_the_oldest_and_stays_spread_over_the_run(size):
    pool = OpponentPool(network(0), size, 0.6)
    for update in range(200):
        pool.add(network(0), update)
        ages = np.sort(pool.ages[pool.ages >= 0])
        assert len(ages) == min(size, update + 1)
        assert update in ages
        assert size == 1 or ages[0] == 0
    if size > 2:
        gaps = np.diff(np.sort(pool.ages))
        assert gaps[:-1].max() <= 3 * 200 / size


def test_the_latest_policy_can_be_replaced_and_others_stay(game, rng):
    pool = full_pool()
    observation = rng.random((5, game.observation_size), np.float32)
    mask = np.ones((5, game.num_actions), np.int8)
    before = [pool.policy(np.full(5, slot), observation, mask) for slot in range(5)]
    pool.refresh(network(77))
    after = [pool.policy(np.full(5, slot), observation, mask) for slot in range(5)]
    assert not np.allclose(before[LATEST], after[LATEST])
    np.testing.assert_array_equal(before[1:], after[1:])


@pytest.mark.parametrize("other", [network(1, (8,)), network(1, (16, 16)), network(1, (16,), "relu")])
def test_a_policy_of_another_shape_is_refused(other):
    with pytest.raises(SchemaError, match="does not fit this pool"):
        full_pool().add(other, 99)


def new_batch(game, pool, num_envs=400):
    batch = PoolBatch(game, num_envs, opponent=pool, autoreset="same_step")
    batch.reset(5)
    return batch


def test_opponents_are_drawn_for_each_duel_and_stay_for_all_of_it(game):
    pool = full_pool()
    batch = new_batch(game, pool)
    drawn = [batch.slots.copy()]
    for _ in range(60):
        slots = batch.slots.copy()
        batch.step(np.argmax(batch.action_mask, axis=1))
        ended = batch.terminated | batch.truncated
        np.testing.assert_array_equal(batch.slots[~ended], slots[~ended])
        drawn.append(batch.slots[ended].copy())
    counts = np.bincount(np.concatenate(drawn), minlength=5)
    total = counts.sum()
    assert total > 2000
    np.testing.assert_allclose(counts / total, pool.shares(), atol=4 * np.sqrt(0.25 / total))


def test_the_same_seed_gives_the_same_duels(game):
    first, second = (new_batch(game, full_pool(), 50) for _ in range(2))
    for _ in range(30):
        actions = np.argmax(first.action_mask, axis=1)
        for batch in (first, second):
            batch.step(actions)
        np.testing.assert_array_equal(first.observation, second.observation)
        np.testing.assert_array_equal(first.slots, second.slots)


def test_the_learner_is_always_the_one_to_choose(game):
    batch = new_batch(game, full_pool(), 50)
    for _ in range(50):
        np.testing.assert_array_equal(batch.batch.current_player, batch.seat)
        batch.step(np.argmax(batch.action_mask, axis=1))
