import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from agents.network import PolicyNetwork
from duel_env.errors import SchemaError
from training.adam import Adam
from training.mlp import Mlp
from training.networks import ActorCritic, from_policy_network, masked_entropy, masked_log_softmax, to_policy_network


def some_masks(seed, rows=40, actions=9):
    rng = np.random.default_rng(seed)
    mask = rng.random((rows, actions)) < rng.uniform(0.1, 1.0)
    mask[np.arange(rows), rng.integers(0, actions, rows)] = True
    return torch.from_numpy(mask)


@given(seed=st.integers(0, 1000))
def test_legal_probabilities_sum_to_one_and_illegal_ones_are_zero(seed):
    mask = some_masks(seed)
    logits = 30 * torch.randn(mask.shape, generator=torch.Generator().manual_seed(seed))
    probabilities = masked_log_softmax(logits, mask).exp()
    torch.testing.assert_close(probabilities.sum(1), torch.ones(len(mask)))
    assert (probabilities[~mask] == 0.0).all()
    reference = torch.softmax(logits.masked_fill(~mask, -torch.inf), 1)
    torch.testing.assert_close(probabilities, reference)


@given(seed=st.integers(0, 1000))
def test_with_equal_logits_the_exponential_of_the_entropy_counts_the_legal_actions(seed):
    mask = some_masks(seed)
    entropy = masked_entropy(masked_log_softmax(torch.full(mask.shape, 3.0), mask), mask)
    torch.testing.assert_close(entropy.exp(), mask.sum(1).float())


@given(seed=st.integers(0, 1000))
def test_illegal_logits_change_nothing_and_get_no_gradient(seed):
    mask = some_masks(seed)
    logits = torch.randn(mask.shape, generator=torch.Generator().manual_seed(seed), requires_grad=True)
    log_probs = masked_log_softmax(logits, mask)
    entropy = masked_entropy(log_probs, mask)
    other = masked_log_softmax(torch.where(mask, logits, 77.0), mask)
    torch.testing.assert_close(log_probs[mask], other[mask], rtol=0.0, atol=0.0)
    (gradient,) = torch.autograd.grad(entropy.sum() + log_probs[mask].sum(), logits)
    assert (gradient[~mask] == 0.0).all()
    assert torch.isfinite(gradient).all()


def test_a_mask_without_any_legal_action_stays_finite():
    logits = torch.randn(3, 5, generator=torch.Generator().manual_seed(0), requires_grad=True)
    mask = torch.zeros(3, 5, dtype=torch.bool)
    log_probs = masked_log_softmax(logits, mask)
    entropy = masked_entropy(log_probs, mask)
    (gradient,) = torch.autograd.grad(log_probs.sum() + entropy.sum(), logits)
    for values in (log_probs, entropy, gradient):
        assert torch.isfinite(values).all()


def as_module(network: Mlp) -> nn.Sequential:
    """The same network as autograd knows it."""
    modules: list[nn.Module] = []
    for weight, bias in network.layers:
        linear = nn.Linear(*weight.shape)
        with torch.no_grad():
            linear.weight.copy_(weight.t())
            linear.bias.copy_(bias)
        modules += [linear, nn.Tanh() if network.activation == "tanh" else nn.ReLU()]
    return nn.Sequential(*modules[:-1])


@pytest.mark.parametrize("activation", ["tanh", "relu"])
@pytest.mark.parametrize("hidden", [(), (16,), (16, 24, 8)])
def test_outputs_and_gradients_are_those_of_autograd(activation, hidden):
    generator = torch.Generator().manual_seed(4)
    network = Mlp((7, *hidden, 3), activation, 1.0, generator)
    network.parameters.add_(0.1 * torch.randn(network.parameters.shape, generator=generator))  # biases that are not 0
    workspace = network.workspace(50, backward=True)
    module = as_module(network)
    for rows in (50, 13, 1):  # fewer rows than there is room for, and what a larger pass left behind does not matter
        inputs = torch.randn(rows, 7, generator=generator)
        output_gradient = torch.randn(rows, 3, generator=generator)
        outputs = network.forward(inputs, workspace)
        torch.testing.assert_close(outputs, module(inputs).detach(), rtol=1e-5, atol=1e-6)
        network.backward(inputs, output_gradient, workspace)
        module.zero_grad()
        module(inputs).backward(output_gradient)
        linear = [part for part in module if isinstance(part, nn.Linear)]
        expected = torch.cat([torch.cat([part.weight.grad.t().flatten(), part.bias.grad]) for part in linear])
        torch.testing.assert_close(network.gradient, expected, rtol=1e-4, atol=1e-5)


def test_first_weights_are_orthogonal_and_follow_the_seed():
    first, again, other = (ActorCritic(38, 9, (64, 64), "tanh", seed) for seed in (5, 5, 6))
    assert torch.equal(first.actor.parameters, again.actor.parameters)
    assert not torch.equal(first.actor.parameters, other.actor.parameters)
    for network, last_gain in ((first.actor, 0.01), (first.critic, 1.0)):
        for layer, (weight, bias) in enumerate(network.layers):
            gain = last_gain if layer == 2 else 2**0.5
            short = weight if weight.shape[0] <= weight.shape[1] else weight.t()
            torch.testing.assert_close(short @ short.t(), gain**2 * torch.eye(len(short)), atol=1e-5, rtol=1e-5)
            assert (bias == 0.0).all()


def test_adam_is_torchs():
    generator = torch.Generator().manual_seed(0)
    start = torch.randn(50, generator=generator)
    parameters, theirs = start.clone(), start.clone().requires_grad_()
    adam, reference = Adam(parameters), torch.optim.Adam([theirs], eps=1e-5)
    for step in range(30):
        gradient = torch.randn(50, generator=generator)
        reference.param_groups[0]["lr"] = 0.1 / (1 + step)
        theirs.grad = gradient.clone()
        reference.step()
        adam.step(gradient, 0.1 / (1 + step))
    torch.testing.assert_close(parameters, theirs.detach(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_the_numpy_network_gives_the_same_logits_and_values(activation):
    model = ActorCritic(38, 9, (32, 16), activation, 1)
    inputs = torch.rand(70, 38, generator=torch.Generator().manual_seed(2))
    network = to_policy_network(model)
    actor, critic = (part.forward(inputs, part.workspace(70, backward=False)).numpy() for part in (model.actor, model.critic))
    np.testing.assert_allclose(network.logits(inputs.numpy()), actor, atol=1e-6)
    np.testing.assert_allclose(network.values(inputs.numpy()), critic[:, 0], atol=1e-6)


def test_networks_go_to_numpy_and_back_unchanged():
    model = ActorCritic(38, 9, (32, 16), "relu", 1)
    network = to_policy_network(model)
    model.actor.parameters.zero_()  # the NumPy network is a copy
    again = to_policy_network(from_policy_network(network))
    for name, array in network.tensors().items():
        np.testing.assert_array_equal(again.tensors()[name], array)
    assert again.activation == "relu"


def test_networks_with_different_hidden_layers_are_refused():
    first, second = (to_policy_network(ActorCritic(38, 9, (size,), "tanh", 1)) for size in (8, 16))
    with pytest.raises(SchemaError, match="different hidden layers"):
        from_policy_network(PolicyNetwork(first.actor, second.critic, "tanh"))
