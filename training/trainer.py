"""What every training algorithm is to the loop of `train`, and this package's own: PPO on the decisions of both seats."""

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from agents.network import PolicyNetwork
from duel_env.batch import DuelBatch
from duel_env.game import NUM_PLAYERS, Game
from training.checkpoint import Arrays, Checkpoint, check_values
from training.config import TrainConfig
from training.learner import Learner
from training.networks import to_policy_network
from training.ppo import annealed
from training.rollout import Collector


class Trainer(Protocol):
    """An algorithm in the middle of a run: all that changes, and how it goes on.

    Attributes:
        metrics: names of what `improve` measures, with their meaning.
        counters: names of the integers in its checkpoints; `update` is one of them.
        update: updates done so far.
    """

    metrics: ClassVar[Mapping[str, str]]
    counters: ClassVar[tuple[str, ...]]
    update: int

    def improve(self) -> dict[str, float]:
        """Do one update and say what it came to."""
        ...

    def network(self) -> PolicyNetwork:
        """The policy and the critic as they are now, copied."""
        ...

    def arrays(self) -> Arrays:
        """All arrays that change, by name; with `counter_values`, what a checkpoint has to hold."""
        ...

    def counter_values(self) -> Mapping[str, int]:
        """The counters."""
        ...

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from a checkpoint whose arrays have the shapes and dtypes of `arrays`.

        Raises:
            SchemaError: it has values that no run has. Some of it may have been restored then.
        """
        ...

    def close(self) -> None:
        """End what runs beside."""
        ...


class SelfPlayTrainer:
    """PPO on the decisions of both seats, which the same policy takes. See `Trainer`."""

    metrics: ClassVar[Mapping[str, str]] = {
        "learning_rate": "step size of Adam in this update",
        "entropy_coef": "weight of the entropy bonus in this update",
        "policy_loss": "the actor's clipped surrogate loss, without the entropy bonus",
        "value_loss": "half the mean squared error of the critic",
        "entropy": "entropy of the policy in nats, over the decisions that it learned from",
        "approx_kl": "KL divergence of the new policy from the old one, in nats",
        "clip_fraction": "share of the probability ratios outside the clip range",
        "explained_variance": "share of the returns' variance that the critic explained before the update; 1 is perfect",
        "learned_share": "share of the decisions that the actor learned from; not from forced ones, nor from random openings",
        "mean_duel_length": "decisions of both players, in the duels that ended in this batch and had no random opening",
        "starter_win_share": "share of the same duels won by who made the first decision, draws counting half",
    }
    counters: ClassVar[tuple[str, ...]] = ("update", "actor_steps", "critic_steps")

    def __init__(self, config: TrainConfig, game: Game, setup: NDArray[np.void]) -> None:
        torch.set_num_threads(1)  # for matrices as small as these, more threads of torch cost more than they give
        self.update = 0
        self._config = config
        self._batch = DuelBatch(game, config.ppo.num_envs, setup)
        self._batch.seed(row_seeds(config))
        self._batch.reset()
        self._collector = Collector(self._batch, config.ppo.num_steps, config.ppo.random_opening)
        self._learner = Learner(game, config.ppo, config.network, config.seed, config.run.threads)

    def improve(self) -> dict[str, float]:
        """Play a batch of decisions and learn from it."""
        ppo, done = self._config.ppo, self.update / self._config.num_updates
        learning_rate = annealed(ppo.learning_rate, 0.0, done)
        entropy_coef = annealed(ppo.entropy_start, ppo.entropy_end, min(done / ppo.entropy_end_at, 1.0))
        rollout = self._collector.collect(self._learner.model.actor)
        statistics = self._learner.update(rollout, self.update, learning_rate, entropy_coef)
        self.update += 1
        return {
            "learning_rate": learning_rate,
            "entropy_coef": entropy_coef,
            **statistics._asdict(),
            "mean_duel_length": rollout.mean_duel_length,
            "starter_win_share": rollout.starter_win_share,
        }

    def network(self) -> PolicyNetwork:
        """See `Trainer`."""
        return to_policy_network(self._learner.model)

    def arrays(self) -> Arrays:
        """See `Trainer`."""
        return {
            **self._learner.arrays(),
            **with_prefix("batch.", self._batch.snapshot()),
            "collector.starters": self._collector.starters,
        }

    def counter_values(self) -> Mapping[str, int]:
        """See `Trainer`."""
        steps = self._learner.adam_steps
        return {"update": self.update, "actor_steps": steps["actor"], "critic_steps": steps["critic"]}

    def restore(self, checkpoint: Checkpoint) -> None:
        """See `Trainer`."""
        arrays, counters = checkpoint
        self._check(arrays, counters)
        self._learner.restore(arrays, {"actor": counters["actor_steps"], "critic": counters["critic_steps"]})
        self._batch.restore(without_prefix("batch.", arrays))
        self._collector.starters[...] = arrays["collector.starters"]
        self.update = counters["update"]

    def _check(self, arrays: Arrays, counters: Mapping[str, int]) -> None:
        """Refuse values that have the right shapes, and that no run has. The batch looks at its own."""
        check_values("collector.starters", arrays["collector.starters"], 0, NUM_PLAYERS - 1)
        ppo = self._config.ppo
        most = counters["update"] * ppo.epochs * ppo.minibatches
        for name in ("actor", "critic"):
            check_values(f"{name}.second_moment", arrays[f"{name}.second_moment"], 0.0, np.inf)
            check_values(f"{name}_steps", np.array(counters[f"{name}_steps"]), 0, most)

    def close(self) -> None:
        """See `Trainer`."""
        self._learner.close()


def row_seeds(config: TrainConfig) -> NDArray[np.uint64]:
    """A seed for each duel played side by side, uint64 (num_envs,).

    They are spread: with seed, seed + 1, ... runs with neighbouring seeds would play almost the same duels.
    """
    return np.asarray(np.random.SeedSequence(config.seed).generate_state(config.ppo.num_envs, np.uint64), np.uint64)


def with_prefix(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The same arrays under longer names."""
    return {prefix + name: array for name, array in arrays.items()}


def without_prefix(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays whose names begin with `prefix`, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
