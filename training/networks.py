"""Actor and critic, the masked policy on top, and the way to and from the NumPy networks that agents play with."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from agents.network import PolicyNetwork
from duel_env.errors import SchemaError
from training.config import Activation
from training.mlp import Mlp

_ILLEGAL_LOGIT = -1e9
"""Finite, so that a row without any legal action gives numbers; far enough down that `exp` is exactly 0 beside a legal one."""

_ACTOR_GAIN = 0.01  # a first policy that is close to uniform
_CRITIC_GAIN = 1.0


class ActorCritic:
    """Two networks without a common part.

    Attributes:
        actor: (N, D) -> (N, A), logits before masking.
        critic: (N, D) -> (N, 1), expected return of the player to act.
    """

    def __init__(self, observation_size: int, num_actions: int, hidden: Sequence[int], activation: Activation, seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.actor = Mlp((observation_size, *hidden, num_actions), activation, _ACTOR_GAIN, generator)
        self.critic = Mlp((observation_size, *hidden, 1), activation, _CRITIC_GAIN, generator)


def masked_log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities over the legal actions; illegal ones have probability exactly 0 and get no gradient.

    The softmax runs over the first axis of a transposed copy: for a handful of actions, 20 times as fast as over the last.

    Args:
        logits: float32 (N, A).
        mask: bool (N, A), True = legal. A row without any is treated as if all were legal and alike.

    Returns:
        float32 (N, A); about -1e9 at illegal actions.
    """
    masked = torch.where(mask, logits, _ILLEGAL_LOGIT)
    return torch.log_softmax(masked.t().contiguous(), 0).t()


def masked_entropy(log_probs: Tensor, mask: Tensor) -> Tensor:
    """Entropy in nats of each row, over the legal actions only.

    Args:
        log_probs: float32 (N, A), from `masked_log_softmax`.
        mask: bool (N, A).

    Returns:
        float32 (N,), from 0 to log of the number of legal actions.
    """
    legal = torch.where(mask, log_probs, 0.0)
    return -(legal.exp() * legal).sum(1)


def to_policy_network(model: ActorCritic) -> PolicyNetwork:
    """The networks as NumPy arrays, copied: what agents play with and policy files hold."""
    actor, critic = (
        [(weight.numpy().T.copy(), bias.numpy().copy()) for weight, bias in network.layers]
        for network in (model.actor, model.critic)
    )
    return PolicyNetwork(actor, critic, model.actor.activation)


def from_policy_network(network: PolicyNetwork) -> ActorCritic:
    """The trainable form of a NumPy network; `to_policy_network` of it gives the same arrays.

    Raises:
        SchemaError: the hidden layers of actor and critic differ.
    """
    actor_shapes, critic_shapes = ([weight.shape for weight, _ in part] for part in (network.actor, network.critic))
    if actor_shapes[:-1] != critic_shapes[:-1]:
        raise SchemaError(f"actor and critic have different hidden layers: {actor_shapes} and {critic_shapes}")
    hidden = [int(shape[0]) for shape in actor_shapes[:-1]]
    model = ActorCritic(int(actor_shapes[0][1]), int(actor_shapes[-1][0]), hidden, network.activation, seed=0)
    for target, part in ((model.actor, network.actor), (model.critic, network.critic)):
        for (weight, bias), (new_weight, new_bias) in zip(target.layers, part, strict=True):
            weight.copy_(torch.from_numpy(np.array(new_weight, np.float32)).t())
            bias.copy_(torch.from_numpy(np.array(new_bias, np.float32)))
    return model
