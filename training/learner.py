"""One PPO update: the actor's gradient steps and the critic's, side by side."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from duel_env.game import Game
from training import ppo
from training.adam import Adam
from training.config import NetworkConfig, PPOConfig
from training.mlp import Mlp, Workspace
from training.networks import ActorCritic, masked_entropy, masked_log_softmax
from training.rollout import Rollout, evaluate_critic


class UpdateStatistics(NamedTuple):
    """What an update did, each a mean over its minibatches; the actor's are over the decisions that it learned from.

    Attributes:
        policy_loss: the clipped surrogate, without the entropy bonus.
        value_loss: half the mean squared error of the critic.
        entropy: of the policy, in nats.
        approx_kl: divergence of the new policy from the old one, in nats.
        clip_fraction: share of the probability ratios that were outside the clip range.
        explained_variance: how much of the returns' variance the critic explained before the update.
        learned_share: share of the decisions that the actor learned from; the others were forced.
    """

    policy_loss: float
    value_loss: float
    entropy: float
    approx_kl: float
    clip_fraction: float
    explained_variance: float
    learned_share: float


class _Half:
    """A network with what it takes to improve it."""

    def __init__(self, network: Mlp, config: PPOConfig) -> None:
        self.network = network
        self.adam = Adam(network.parameters)
        self.workspace: Workspace = network.workspace(-(-config.batch_size // config.minibatches), backward=True)
        self._max_grad_norm = config.max_grad_norm

    def outputs(self, inputs: Tensor) -> Tensor:
        """Outputs for inputs (N, D), as the leaf of a graph: a loss of them can be differentiated."""
        return self.network.forward(inputs, self.workspace).detach().requires_grad_()

    def improve(self, inputs: Tensor, outputs: Tensor, loss: Tensor, learning_rate: float) -> None:
        """One step of Adam down a loss of `outputs`, which this object gave for `inputs` last."""
        (output_gradient,) = torch.autograd.grad(loss, outputs)
        self.network.backward(inputs, output_gradient, self.workspace)
        gradient = self.network.gradient
        length = float(torch.linalg.vector_norm(gradient))
        if length > self._max_grad_norm:
            gradient.mul_(self._max_grad_norm / length)
        self.adam.step(gradient, learning_rate)


class Learner:
    """Actor, critic and their optimizers.

    The two networks share nothing and each clips its own gradient, so that neither waits for the other: with two threads the
    critic learns beside the actor, with the same results as one after the other.

    Attributes:
        model: the networks.
    """

    def __init__(self, game: Game, config: PPOConfig, network: NetworkConfig, seed: int, threads: int) -> None:
        """Make fresh networks.

        Args:
            game: gives the sizes of observations and actions.
            config: how to learn.
            network: the hidden layers.
            seed: of the first weights and of the order of minibatches.
            threads: 1 or 2.
        """
        self._config = config
        self._seed = seed
        self.model = ActorCritic(game.observation_size, game.num_actions, network.hidden, network.activation, seed)
        self._actor = _Half(self.model.actor, config)
        self._critic = _Half(self.model.critic, config)
        self._critic_thread = ThreadPoolExecutor(1, "critic") if threads > 1 else None

    def close(self) -> None:
        """End the critic's thread."""
        if self._critic_thread is not None:
            self._critic_thread.shutdown()

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """All that an update changes, but for the counters of Adam: float32 (P,) each, by name; views, not copies."""
        found = {}
        for name, half in (("actor", self._actor), ("critic", self._critic)):
            found[f"{name}.parameters"] = half.network.parameters.numpy()
            found[f"{name}.first_moment"] = half.adam.first_moment.numpy()
            found[f"{name}.second_moment"] = half.adam.second_moment.numpy()
        return found

    @property
    def adam_steps(self) -> dict[str, int]:
        """Steps that each optimizer has taken."""
        return {"actor": self._actor.adam.steps, "critic": self._critic.adam.steps}

    def restore(self, arrays: dict[str, NDArray[np.float32]], adam_steps: dict[str, int]) -> None:
        """Go back to what `arrays` and `adam_steps` gave."""
        for name, current in self.arrays().items():
            current[...] = arrays[name]
        self._actor.adam.steps, self._critic.adam.steps = adam_steps["actor"], adam_steps["critic"]

    def update(self, rollout: Rollout, number: int, learning_rate: float, entropy_coef: float) -> UpdateStatistics:
        """Learn from a batch.

        Args:
            rollout: the decisions.
            number: which update of the run this is, from 0. With the seed it decides the order of minibatches, so that there
                is no generator whose state would have to be kept.
            learning_rate: of both optimizers.
            entropy_coef: weight of the entropy bonus.
        """
        config = self._config
        values = evaluate_critic(self.model.critic, rollout.observations)
        advantages = ppo.gae(rollout.rewards, values, rollout.players, rollout.ends, config.gamma, config.gae_lambda)
        targets = advantages + values[:-1]
        actor_order, critic_order = (np.random.default_rng((self._seed, number, stream)) for stream in range(2))
        critic_loss = self._start_critic(rollout, targets, critic_order, learning_rate)
        actor = self._improve_actor(rollout, advantages, actor_order, learning_rate, entropy_coef)
        return UpdateStatistics(
            policy_loss=actor[0],
            value_loss=critic_loss.result(),
            entropy=actor[1],
            approx_kl=actor[2],
            clip_fraction=actor[3],
            explained_variance=ppo.explained_variance(values[:-1], targets),
            learned_share=actor[4],
        )

    def _start_critic(
        self, rollout: Rollout, targets: NDArray[np.float32], order: np.random.Generator, learning_rate: float
    ) -> "Future[float]":
        observations = rollout.observations[:-1].flatten(0, 1)
        chosen = np.flatnonzero(rollout.learnable)
        arguments = (observations, torch.from_numpy(targets).flatten(), chosen, order, learning_rate)
        if self._critic_thread is not None:
            return self._critic_thread.submit(self._improve_critic, *arguments)
        done: Future[float] = Future()
        done.set_result(self._improve_critic(*arguments))
        return done

    def _improve_critic(
        self,
        observations: Tensor,
        targets: Tensor,
        chosen: NDArray[np.int64],
        order: np.random.Generator,
        learning_rate: float,
    ) -> float:
        losses = []
        for rows in self._minibatches(chosen, order):
            inputs = observations.index_select(0, rows)
            outputs = self._critic.outputs(inputs)
            loss = ppo.value_loss(outputs[:, 0], targets.index_select(0, rows))
            self._critic.improve(inputs, outputs, self._config.value_coef * loss, learning_rate)
            losses.append(loss.detach())
        return float(torch.stack(losses).mean()) if losses else 0.0

    def _improve_actor(
        self,
        rollout: Rollout,
        advantages: NDArray[np.float32],
        order: np.random.Generator,
        learning_rate: float,
        entropy_coef: float,
    ) -> list[float]:
        """Means of policy loss, entropy, KL and clip fraction, and the share of decisions that were learned from."""
        config = self._config
        observations, masks = rollout.observations[:-1].flatten(0, 1), rollout.masks.flatten(0, 1)
        columns = (rollout.actions.flatten(), rollout.log_probs.flatten(), torch.from_numpy(advantages).flatten())
        wished = rollout.learnable.ravel()
        if config.skip_forced_moves:
            wished = wished & (masks.sum(1).numpy() > 1)
        chosen = np.flatnonzero(wished)
        statistics = [torch.zeros(4)]
        for rows in self._minibatches(chosen, order):
            inputs, mask = observations.index_select(0, rows), masks.index_select(0, rows)
            actions, old_log_probs, wanted = (column.index_select(0, rows) for column in columns)
            outputs = self._actor.outputs(inputs)
            log_probs = masked_log_softmax(outputs, mask)
            taken = log_probs.gather(1, actions[:, None])[:, 0]
            wanted = ppo.normalized(wanted) if config.normalize_advantages else wanted
            surrogate = ppo.clipped_surrogate(taken, old_log_probs, wanted, config.clip_coef)
            entropy = masked_entropy(log_probs, mask).mean()
            self._actor.improve(inputs, outputs, surrogate.loss - entropy_coef * entropy, learning_rate)
            parts = (surrogate.loss.detach(), entropy.detach(), surrogate.approx_kl, surrogate.clip_fraction)
            statistics.append(torch.stack(parts))
        means: list[float] = (torch.stack(statistics).sum(0) / max(len(statistics) - 1, 1)).tolist()
        return [*means, len(chosen) / len(masks)]

    def _minibatches(self, rows: NDArray[np.int64], order: np.random.Generator) -> Iterator[Tensor]:
        """Row numbers of each minibatch: a new order in each epoch, in parts of equal size but for rounding; none is empty."""
        for _ in range(self._config.epochs):
            for part in np.array_split(order.permutation(rows), self._config.minibatches):
                if len(part):
                    yield torch.from_numpy(part)
