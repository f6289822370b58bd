import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from training.ppo import annealed, clipped_surrogate, explained_variance, gae, normalized, value_loss


def slow_gae(rewards, values, players, ends, gamma, gae_lambda):
    """Every advantage by itself, as the weighted sum of all n-step errors that follow it, seen from the one who acts."""
    steps, rows = rewards.shape
    advantages = np.zeros((steps, rows))
    for row in range(rows):
        for t in range(steps):
            mover = players[t, row]
            weight = 1.0
            for k in range(t, steps):
                same = 1.0 if players[k, row] == mover else -1.0
                following = 0.0
                if not ends[k, row]:
                    following = (1.0 if players[k + 1, row] == mover else -1.0) * values[k + 1, row]
                advantages[t, row] += weight * (same * rewards[k, row] + gamma * following - same * values[k, row])
                if ends[k, row]:
                    break
                weight *= gamma * gae_lambda
    return advantages


def random_batch(seed, steps=23, rows=7):
    rng = np.random.default_rng(seed)
    ends = rng.random((steps, rows)) < 0.15
    rewards = np.where(ends, rng.choice([-1.0, 0.0, 1.0], (steps, rows)), 0.0).astype(np.float32)
    # Players who act twice running are common here.
    return (
        rewards,
        rng.uniform(-1, 1, (steps + 1, rows)).astype(np.float32),
        rng.integers(0, 2, (steps + 1, rows)).astype(np.int8),
        ends,
    )


@given(seed=st.integers(0, 10_000), gamma=st.sampled_from([1.0, 0.9]), gae_lambda=st.sampled_from([0.0, 0.5, 0.8, 1.0]))
def test_gae_is_the_sum_of_all_errors_that_follow_seen_by_the_one_who_acts(seed, gamma, gae_lambda):
    rewards, values, players, ends = random_batch(seed)
    found = gae(rewards, values, players, ends, gamma, gae_lambda)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, slow_gae(rewards, values, players, ends, gamma, gae_lambda), atol=1e-5)


@given(seed=st.integers(0, 10_000))
def test_swapping_the_players_changes_nothing(seed):
    rewards, values, players, ends = random_batch(seed)
    np.testing.assert_array_equal(
        gae(rewards, values, players, ends, 1.0, 0.8), gae(rewards, values, 1 - players, ends, 1.0, 0.8)
    )


@given(seed=st.integers(0, 10_000))
def test_with_lambda_one_the_targets_are_the_results_of_the_duels(seed):
    rewards, values, players, ends = random_batch(seed)
    targets = gae(rewards, values, players, ends, 1.0, 1.0) + values[:-1]
    for row in range(rewards.shape[1]):
        last = np.flatnonzero(ends[:, row])
        for t in range(last[-1] + 1 if len(last) else 0):
            end = last[last >= t][0]
            result = rewards[end, row] * (1 if players[end, row] == players[t, row] else -1)
            assert targets[t, row] == pytest.approx(result, abs=1e-5)


def column(*numbers, dtype=np.float32):
    return np.array(numbers, dtype)[:, None]


def test_a_value_changes_its_sign_with_the_player_and_not_with_the_step():
    arguments = {"rewards": column(0.0), "values": column(0.25, 0.5), "ends": column(False, dtype=np.bool_)}
    same = gae(**arguments, players=column(1, 1, dtype=np.int8), gamma=1.0, gae_lambda=1.0)
    other = gae(**arguments, players=column(1, 0, dtype=np.int8), gamma=1.0, gae_lambda=1.0)
    assert same.item() == 0.5 - 0.25
    assert other.item() == -0.5 - 0.25


def test_nothing_is_expected_after_an_end():
    # A duel cut short by the round limit comes as reward 0 and an end: a draw, whatever the critic thinks of the position.
    for reward in (1.0, -1.0, 0.0):
        found = gae(column(reward), column(0.25, 0.9), column(0, 0, dtype=np.int8), column(True, dtype=np.bool_), 1.0, 0.8)
        assert found.item() == reward - 0.25


def test_the_surrogate_of_an_unchanged_policy_is_minus_the_mean_advantage():
    log_probs = torch.log(torch.tensor([0.2, 0.5, 0.9]))
    advantages = torch.tensor([1.0, -2.0, 4.0])
    loss, approx_kl, clip_fraction = clipped_surrogate(log_probs, log_probs, advantages, 0.2)
    assert loss.item() == pytest.approx(-1.0)
    assert approx_kl.item() == 0.0
    assert clip_fraction.item() == 0.0


def test_the_surrogate_has_no_gradient_beyond_the_clip_range_in_the_direction_of_the_advantage():
    old = torch.zeros(4)
    log_probs = torch.tensor([0.5, 0.5, -0.5, -0.5], requires_grad=True)  # ratios 1.65 and 0.61
    advantages = torch.tensor([1.0, -1.0, 1.0, -1.0])
    result = clipped_surrogate(log_probs, old, advantages, 0.2)
    (gradient,) = torch.autograd.grad(result.loss, log_probs)
    assert (gradient != 0).tolist() == [False, True, True, False]
    assert result.clip_fraction.item() == 1.0
    assert result.approx_kl.item() > 0.0


def test_small_closed_forms():
    assert value_loss(torch.tensor([1.0, 3.0]), torch.tensor([0.0, 0.0])).item() == 2.5
    scaled = normalized(torch.tensor([1.0, 2.0, 3.0, 10.0]))
    assert scaled.mean().item() == pytest.approx(0.0, abs=1e-6)
    assert scaled.square().mean().item() == pytest.approx(1.0, abs=1e-5)
    assert normalized(torch.tensor([5.0])).tolist() == [0.0]
    targets = np.array([0.0, 1.0, 2.0], np.float32)
    assert explained_variance(targets, targets) == 1.0
    assert explained_variance(np.full(3, 7.0, np.float32), targets) == pytest.approx(0.0)
    assert explained_variance(targets, np.ones(3, np.float32)) == 0.0
    assert [annealed(2.0, 0.0, done) for done in (0.0, 0.5, 1.0)] == [2.0, 1.0, 0.0]
