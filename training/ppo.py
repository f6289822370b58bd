"""The mathematics of PPO for two players who take turns, as pure functions.

Everything is in the perspective of the player who acts: a reward or value changes its sign where the next decision is the
opponent's, and keeps it where the same player acts again (a duelist whose riposte was void, say). A sign that merely
alternates, or none at all, is the error that keeps self-play from learning.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

_TINY = 1e-8


def gae(
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    players: NDArray[np.int8],
    ends: NDArray[np.bool_],
    gamma: float,
    gae_lambda: float,
) -> NDArray[np.float32]:
    """Generalised advantage estimates over the decisions of both players.

    With s = +1 if the same player makes the decision after t, -1 if the opponent does, and 0 if the duel ends at t:
    delta_t = r_t + gamma s V_{t+1} - V_t and A_t = delta_t + gamma lambda s A_{t+1}.

    Ends by the rules and by the round limit are alike: the limit is a rule of the game that is played here, in which such a duel
    is a draw, of value 0. To look beyond it with the critic's value would be to learn for a game that nobody can go on playing.

    Args:
        rewards: (T, B), to the player who decided at t.
        values: (T + 1, B), expected return of the player who is to decide; the last row is of the decision after the batch.
        players: (T + 1, B), who decides, 0 or 1.
        ends: (T, B), whether the decision ended its duel; row t + 1 then belongs to another duel.
        gamma: discount per decision.
        gae_lambda: lambda.

    Returns:
        Advantages (T, B). Plus the first T rows of `values` they are the targets of the critic.

    Source: Schulman et al. 2016, "High-dimensional continuous control using generalized advantage estimation", equation 16.
    """
    signs = np.where(players[1:] == players[:-1], np.float32(gamma), np.float32(-gamma))
    signs[ends] = 0.0
    deltas = rewards + signs * values[1:] - values[:-1]
    advantages = np.empty(deltas.shape, np.float32)
    following = np.zeros(deltas.shape[1], np.float32)
    signs *= np.float32(gae_lambda)
    for t in reversed(range(len(deltas))):
        following = deltas[t] + signs[t] * following
        advantages[t] = following
    return advantages


class Surrogate(NamedTuple):
    """The actor's loss and what it tells of the step.

    Attributes:
        loss: scalar, with a gradient.
        approx_kl: scalar, KL divergence of the new policy from the old one in nats, at the actions that were taken.
        clip_fraction: scalar, share of the decisions whose ratio is outside the clip range.
    """

    loss: Tensor
    approx_kl: Tensor
    clip_fraction: Tensor


def clipped_surrogate(log_probs: Tensor, old_log_probs: Tensor, advantages: Tensor, clip_coef: float) -> Surrogate:
    """PPO's pessimistic policy loss, to be minimised.

    Args:
        log_probs: float32 (N,), of the actions that were taken, by the policy that learns.
        old_log_probs: float32 (N,), by the policy that took them.
        advantages: float32 (N,).
        clip_coef: epsilon.

    Source: Schulman et al. 2017, "Proximal policy optimization algorithms", equation 7; the KL estimate is Schulman 2020,
    "Approximating KL divergence", k3.
    """
    log_ratio = log_probs - old_log_probs
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1.0 - clip_coef, 1.0 + clip_coef)
    loss = -torch.minimum(advantages * ratio, advantages * clipped).mean()
    with torch.no_grad():
        approx_kl = (ratio - 1.0 - log_ratio).mean()
        clip_fraction = ((ratio - 1.0).abs() > clip_coef).float().mean()
    return Surrogate(loss, approx_kl, clip_fraction)


def value_loss(values: Tensor, targets: Tensor) -> Tensor:
    """Half the mean squared error, a scalar; values and targets are (N,)."""
    return 0.5 * (values - targets).square().mean()


def normalized(advantages: Tensor) -> Tensor:
    """Advantages (N,) with mean 0 and standard deviation 1; a single one becomes 0."""
    centred = advantages - advantages.mean()
    return centred / (centred.square().mean().sqrt() + _TINY)


def explained_variance(values: NDArray[np.float32], targets: NDArray[np.float32]) -> float:
    """1 - var(targets - values) / var(targets): 1 for a perfect critic, 0 for a constant one; 0 where the targets do not vary."""
    variance = float(np.var(targets, dtype=np.float64))
    return 1.0 - float(np.var(targets - values, dtype=np.float64)) / variance if variance > _TINY else 0.0


def annealed(start: float, end: float, done: float) -> float:
    """Linear from `start` to `end` while `done` goes from 0 to 1."""
    return start + (end - start) * done
