import numpy as np
import pytest
import torch

from duel_env.batch import DuelBatch
from tests.training.settings import tiny_config
from training.learner import Learner
from training.rollout import Collector


def learner_and_rollout(game, threads=1, **changes):
    config = tiny_config(total_steps=10_000, ppo__num_envs=64, ppo__num_steps=24, **changes)
    learner = Learner(game, config.ppo, config.network, 1, threads)
    batch = DuelBatch(game, 64)
    batch.reset(4)
    return learner, Collector(batch, 24, config.ppo.random_opening)


def trained(game, threads, updates=4, **changes):
    learner, collector = learner_and_rollout(game, threads, **changes)
    statistics = [learner.update(collector.collect(learner.model.actor), number, 1e-2, 0.05) for number in range(updates)]
    learner.close()
    return {name: array.copy() for name, array in learner.arrays().items()}, statistics


def test_a_thread_for_the_critic_changes_no_bit(game):
    alone, beside = trained(game, 1), trained(game, 2)
    assert alone[1] == beside[1]
    for name, array in alone[0].items():
        np.testing.assert_array_equal(array, beside[0][name], err_msg=name)


def test_a_restored_learner_goes_on_as_the_first_would_have(game):
    learner, collector = learner_and_rollout(game)
    rollout = collector.collect(learner.model.actor)
    learner.update(rollout, 0, 1e-2, 0.05)
    kept, steps = {name: array.copy() for name, array in learner.arrays().items()}, learner.adam_steps
    learner.update(rollout, 1, 1e-2, 0.05)
    again, _ = learner_and_rollout(game)
    again.restore(kept, steps)
    again.update(rollout, 1, 1e-2, 0.05)
    for name, array in learner.arrays().items():
        np.testing.assert_array_equal(array, again.arrays()[name], err_msg=name)


def only_forced(rollout):
    """The same rollout, with one legal action everywhere: the one that was taken."""
    masks = torch.zeros_like(rollout.masks).scatter_(2, rollout.actions[:, :, None], True)
    return rollout._replace(masks=masks, log_probs=torch.zeros_like(rollout.log_probs))


@pytest.mark.parametrize("skip", [True, False])
def test_forced_moves_teach_the_critic_only(game, skip):
    learner, collector = learner_and_rollout(game, ppo__skip_forced_moves=skip)
    before = {name: array.copy() for name, array in learner.arrays().items()}
    statistics = learner.update(only_forced(collector.collect(learner.model.actor)), 0, 1e-2, 0.05)
    after = learner.arrays()
    np.testing.assert_array_equal(before["actor.parameters"], after["actor.parameters"])
    assert not np.array_equal(before["critic.parameters"], after["critic.parameters"])
    assert statistics.entropy == 0.0
    assert (statistics.learned_share == 0.0) == skip
    assert (learner.adam_steps["actor"] == 0) == skip


def test_skipped_moves_do_not_dilute_the_actors_minibatches(game):
    learner, collector = learner_and_rollout(game, ppo__random_opening=0)
    rollout = collector.collect(learner.model.actor)
    choices = rollout.masks.sum(2) > 1
    statistics = learner.update(rollout, 0, 1e-2, 0.0)
    assert statistics.learned_share == pytest.approx(choices.float().mean().item())
    assert statistics.entropy > 1.0  # a mean over real choices: log 6 at first


def test_nobody_learns_from_a_random_opening(game):
    learner, collector = learner_and_rollout(game)
    rollout = collector.collect(learner.model.actor)
    openings = rollout._replace(learnable=np.zeros_like(rollout.learnable))
    before = {name: array.copy() for name, array in learner.arrays().items()}
    statistics = learner.update(openings, 0, 1e-2, 0.05)
    for name, array in learner.arrays().items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)
    assert statistics.value_loss == statistics.policy_loss == 0.0


def test_gradients_are_shortened_to_the_limit(game):
    learner, collector = learner_and_rollout(game, ppo__max_grad_norm=1e-3)
    learner.update(collector.collect(learner.model.actor), 0, 1e-2, 0.05)
    for network in (learner.model.actor, learner.model.critic):
        assert torch.linalg.vector_norm(network.gradient).item() == pytest.approx(1e-3, rel=1e-4)


def test_each_update_has_its_own_order_of_minibatches(game):
    learner, collector = learner_and_rollout(game)
    rollout = collector.collect(learner.model.actor)
    results = []
    for number in (0, 1, 0):
        fresh, _ = learner_and_rollout(game)
        fresh.update(rollout, number, 1e-2, 0.05)
        results.append(fresh.arrays()["actor.parameters"].copy())
    np.testing.assert_array_equal(results[0], results[2])
    assert not np.array_equal(results[0], results[1])
