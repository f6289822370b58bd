import numpy as np
import pytest
import torch

from duel_env.batch import DuelBatch
from training.networks import ActorCritic, masked_log_softmax
from training.rollout import Collector, evaluate_critic


@pytest.fixture
def model(game):
    return ActorCritic(game.observation_size, game.num_actions, (16,), "tanh", 0)


def new_collector(game, *, random_opening, num_envs=32, num_steps=40, seed=9):
    batch = DuelBatch(game, num_envs)
    batch.reset(seed)
    return Collector(batch, num_steps, random_opening)


@pytest.mark.parametrize("random_opening", [0, 5])
def test_a_rollout_is_what_another_batch_plays_with_the_same_actions(game, model, random_opening):
    collector = new_collector(game, random_opening=random_opening)
    collector.collect(model.actor)
    twin = DuelBatch(game, 32)
    twin.reset(0)
    twin.restore(collector.batch.snapshot())
    rollout = collector.collect(model.actor)
    for t in range(40):
        np.testing.assert_array_equal(rollout.observations[t], twin.observation)
        np.testing.assert_array_equal(rollout.masks[t], twin.action_mask == 1)
        players = twin.current_player.copy()
        np.testing.assert_array_equal(rollout.players[t], players)
        twin.step(rollout.actions[t].numpy())
        np.testing.assert_array_equal(rollout.rewards[t], twin.rewards[np.arange(32), players])
        np.testing.assert_array_equal(rollout.ends[t], twin.terminated | twin.truncated)
    np.testing.assert_array_equal(rollout.observations[40], twin.observation)
    np.testing.assert_array_equal(rollout.players[40], twin.current_player)


def test_actions_are_legal_and_their_log_probabilities_the_policys(game, model):
    rollout = new_collector(game, random_opening=4).collect(model.actor)
    rows = rollout.observations[:-1].flatten(0, 1)
    logits = model.actor.forward(rows, model.actor.workspace(len(rows), backward=False))
    log_probs = masked_log_softmax(logits, rollout.masks.flatten(0, 1))
    chosen = log_probs.gather(1, rollout.actions.flatten()[:, None])[:, 0].reshape(rollout.actions.shape)
    learnable = torch.from_numpy(rollout.learnable)
    torch.testing.assert_close(chosen[learnable], rollout.log_probs[learnable], rtol=1e-5, atol=1e-5)
    uniform = -rollout.masks.sum(2).float().log()
    torch.testing.assert_close(uniform[~learnable], rollout.log_probs[~learnable], rtol=1e-5, atol=1e-5)
    assert rollout.masks.gather(2, rollout.actions[:, :, None]).all()


def test_duels_are_measured_from_their_first_decision(game, model):
    collector = new_collector(game, random_opening=0)
    parts = [collector.collect(model.actor) for _ in range(1)]
    lengths, starters = np.zeros(32, np.int64), np.zeros(32, np.int64)
    for part in parts:
        for t in range(40):
            starters[lengths == 0] = part.players[t][lengths == 0]
            lengths += 1
            np.testing.assert_array_equal(part.lengths[t], lengths)
            np.testing.assert_array_equal(part.starters[t], starters)
            lengths[part.ends[t]] = 0
    rollout = parts[0]
    results = [
        rollout.rewards[t, b] * (1 if rollout.players[t, b] == rollout.starters[t, b] else -1)
        for t, b in np.argwhere(rollout.ends)
    ]
    assert rollout.starter_win_share == pytest.approx((np.mean(results) + 1) / 2)
    assert rollout.mean_duel_length == pytest.approx(rollout.lengths[rollout.ends].mean())


def test_a_rollout_in_which_no_duel_ends_has_no_shares(game, model):
    rollout = new_collector(game, random_opening=0, num_steps=1).collect(model.actor)
    assert np.isnan(rollout.mean_duel_length)
    assert np.isnan(rollout.starter_win_share)


def test_random_openings_are_at_the_beginning_of_every_other_duel_and_not_to_learn_from(game, model):
    rollout = new_collector(game, random_opening=5, num_steps=200).collect(model.actor)
    opening = ~rollout.learnable
    assert not opening[:, 0::2].any()
    assert set(np.unique(rollout.lengths[opening])) == {1, 2, 3, 4, 5}
    # Uniform over the legal actions, whatever the policy: with this one, whose logits are set apart, the same numbers.
    model.actor.layers[-1][1][0] = 50.0
    rollout = new_collector(game, random_opening=5, num_steps=200).collect(model.actor)
    opening = ~rollout.learnable
    first_action_legal = rollout.masks[:, :, 0].numpy()
    taken = rollout.actions.numpy() == 0
    assert taken[first_action_legal & ~opening].mean() > 0.999
    expected = (1.0 / rollout.masks.sum(2).numpy())[first_action_legal & opening]
    assert taken[first_action_legal & opening].mean() == pytest.approx(expected.mean(), abs=4 * np.sqrt(0.25 / len(expected)))


def test_the_critic_is_asked_about_each_position(game, model):
    rollout = new_collector(game, random_opening=0, num_envs=64, num_steps=70).collect(model.actor)
    values = evaluate_critic(model.critic, rollout.observations)  # more rows than are computed at once
    assert values.shape == (71, 64)
    workspace = model.critic.workspace(64, backward=False)
    for t in (0, 35, 70):
        np.testing.assert_allclose(values[t], model.critic.forward(rollout.observations[t], workspace)[:, 0], atol=1e-6)
