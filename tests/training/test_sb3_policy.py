import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn

from duel_env.envs.spaces import action_space, observation_space
from training.sb3_policy import MaskedMlpPolicy, NumpyTanh


def test_numpys_tanh_is_torchs_with_its_gradient():
    values = torch.linspace(-4, 4, 101).reshape(1, 101).requires_grad_()
    ours, theirs = NumpyTanh()(values), torch.tanh(values)
    torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=1e-6)
    weights = torch.randn(1, 101, generator=torch.Generator().manual_seed(0))
    found, expected = (torch.autograd.grad((results * weights).sum(), values) for results in (ours, theirs))
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


@pytest.fixture
def policies(game):
    """Ours and SB3-Contrib's, with the same weights, which are far from uniform."""
    torch.manual_seed(0)
    made = [
        kind(observation_space(game), action_space(game), lambda _: 1e-3, net_arch=[16, 16], activation_fn=activation)
        for kind, activation in ((MaskedMlpPolicy, NumpyTanh), (MaskableActorCriticPolicy, nn.Tanh))
    ]
    made[0].action_net.weight.data.mul_(100.0)
    made[1].load_state_dict(made[0].state_dict())
    return made


def some_decisions(game, rng, rows=60):
    mask = rng.random((rows, game.num_actions)) < 0.5
    mask[np.arange(rows), rng.integers(0, game.num_actions, rows)] = True
    observations = torch.from_numpy(rng.random((rows, game.observation_size), np.float32))
    actions = torch.from_numpy(np.argmax(rng.random(mask.shape) * mask, axis=1))
    return observations, mask, actions


def test_values_probabilities_entropies_and_gradients_are_those_of_sb3s_policy(game, rng, policies):
    observations, mask, actions = some_decisions(game, rng)
    gradients = []
    for results in zip(*(policy.evaluate_actions(observations, actions, mask) for policy in policies), strict=True):
        torch.testing.assert_close(*results, rtol=1e-4, atol=1e-5)
    for policy in policies:
        values, log_probs, entropy = policy.evaluate_actions(observations, actions, torch.from_numpy(mask))
        policy.zero_grad()
        (values.sum() + (log_probs * torch.linspace(-1, 1, 60)).sum() + entropy.sum()).backward()
        gradients.append(torch.cat([parameter.grad.flatten() for parameter in policy.parameters()]))
    torch.testing.assert_close(*gradients, rtol=1e-3, atol=1e-3)


def test_sampled_actions_are_legal_and_as_likely_as_they_say(game, rng, policies):
    observations, mask, _ = some_decisions(game, rng, 1)
    many = observations.expand(20_000, -1)
    with torch.no_grad():
        actions, values, log_probs = policies[0](many, action_masks=np.repeat(mask, 20_000, axis=0))
        expected = policies[1].get_distribution(observations, action_masks=mask).distribution.probs[0]
        stock_values = policies[1].predict_values(observations)
    assert values.shape == (20_000, 1)
    torch.testing.assert_close(values[0], stock_values[0])
    shares = torch.bincount(actions, minlength=game.num_actions) / 20_000
    np.testing.assert_allclose(shares, expected, atol=4 * np.sqrt(0.25 / 20_000))
    torch.testing.assert_close(log_probs.exp(), expected[actions], rtol=1e-4, atol=1e-6)


def test_the_most_likely_action_is_sb3s(game, rng, policies):
    observations, mask, _ = some_decisions(game, rng)
    found, expected = (policy(observations, deterministic=True, action_masks=mask)[0] for policy in policies)
    assert torch.equal(found, expected)
    found, expected = (policy(observations, deterministic=True)[0] for policy in policies)  # without a mask, all are legal
    assert torch.equal(found, expected)
