"""Self-play with SB3-Contrib's MaskablePPO: the learner in one seat, the current policy or a past one in the other.

What is different from this package's own PPO: a step is a decision of the learner, and half of the decisions played are nobody's
to learn from; one gradient norm is clipped for actor and critic together; and a duel that the round limit cuts short is continued
in thought with the critic's value, as SB3 does with all truncated episodes, not counted as a draw.

A run is resumed as exactly as one of the own PPO. SB3 has no public way for that: its `_last_obs` and `_last_episode_starts` are
set here. What is random in SB3 (sampled actions, the order of minibatches) comes from global generators, which are seeded anew for
each update, so that they need no place in a checkpoint.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from torch import Tensor, nn

from agents.network import PolicyNetwork
from duel_env.errors import SchemaError
from duel_env.game import Game
from training.checkpoint import Arrays, Checkpoint, check_values
from training.config import TrainConfig
from training.opponent_pool import OpponentPool, PoolBatch
from training.ppo import annealed
from training.sb3_policy import MaskedMlpPolicy, NumpyTanh
from training.sb3_vec_env import DuelSB3VecEnv
from training.sb3_zip import policy_network_of
from training.trainer import row_seeds, with_prefix, without_prefix


class _Learner(MaskablePPO):  # type: ignore[misc, unused-ignore]  # untyped where SB3 is not installed
    """MaskablePPO without a search of every info of every step for what only SB3's `Monitor` puts there."""

    def _update_info_buffer(self, infos: list[dict[str, Any]], dones: NDArray[np.bool_] | None = None) -> None:
        pass


class MaskablePPOTrainer:
    """See `training.trainer.Trainer`.

    Attributes:
        model: SB3's model.
    """

    metrics: ClassVar[Mapping[str, str]] = {
        "learning_rate": "step size of Adam in this update",
        "entropy_coef": "weight of the entropy bonus in this update",
        "policy_loss": "the actor's clipped surrogate loss, without the entropy bonus",
        "value_loss": "mean squared error of the critic",
        "entropy": "entropy of the policy in nats, over all decisions of the learner",
        "approx_kl": "KL divergence of the new policy from the old one in the last epoch, in nats",
        "clip_fraction": "share of the probability ratios outside the clip range",
        "explained_variance": "share of the returns' variance that the critic explained before the update; 1 is perfect",
        "pool_size": "past policies in the pool",
        "duels": "duels that ended in this batch",
        "score": "share of them that the learner won against its past and present selves, draws counting half",
    }
    counters: ClassVar[tuple[str, ...]] = ("update",)

    def __init__(self, config: TrainConfig, game: Game, setup: NDArray[np.void]) -> None:
        assert config.self_play is not None, "TrainConfig sees to it"
        torch.set_num_threads(1)
        self.update = 0
        self._config, self._self_play = config, config.self_play
        self._learning_rate = config.ppo.learning_rate
        self._pool = OpponentPool(_fresh_network(config, game), self._self_play.pool_size, self._self_play.latest_share)
        self._env = DuelSB3VecEnv(game, setup, config.ppo.num_envs, opponent=self._pool)
        self._env.learner.batch.seed(row_seeds(config))
        self._tally = _Tally()
        self.model = self._make_model()
        self._parameters: list[Tensor] = list(self.model.policy.parameters())
        _prepare_moments(self.model.policy.optimizer, self._parameters)
        self._pool.refresh(self.network())
        self._pool.add(self.network(), 0)  # plays about at random, and stays: the oldest is never dropped
        self.model._last_obs = self._begin_duels()
        self.model._last_episode_starts = np.ones(config.ppo.num_envs, np.bool_)

    def _begin_duels(self) -> NDArray[np.float32]:
        self._env.learner.reset()
        return self._env.learner.observation.copy()

    def _make_model(self) -> Any:
        ppo, network = self._config.ppo, self._config.network
        model = _Learner(
            MaskedMlpPolicy,
            self._env,
            learning_rate=lambda _remaining: self._learning_rate,
            n_steps=ppo.num_steps,
            batch_size=-(-ppo.batch_size // ppo.minibatches),
            n_epochs=ppo.epochs,
            gamma=ppo.gamma,
            gae_lambda=ppo.gae_lambda,
            clip_range=ppo.clip_coef,
            normalize_advantage=ppo.normalize_advantages,
            ent_coef=ppo.entropy_start,
            vf_coef=ppo.value_coef / 2.0,  # SB3's loss lacks the factor one half
            max_grad_norm=ppo.max_grad_norm,
            policy_kwargs={
                "net_arch": list(network.hidden),
                "activation_fn": NumpyTanh if network.activation == "tanh" else nn.ReLU,
                "optimizer_kwargs": {"eps": 1e-5, "fused": True},
            },
            seed=self._config.seed,
            device="cpu",
        )
        model.set_logger(Logger(None, []))  # keeps what `train` measures, and writes nothing
        return model

    def improve(self) -> dict[str, float]:
        """Play a batch of the learner's decisions and learn from it."""
        ppo, done = self._config.ppo, self.update / self._config.num_updates
        self._learning_rate = annealed(ppo.learning_rate, 0.0, done)
        self.model.ent_coef = annealed(ppo.entropy_start, ppo.entropy_end, min(done / ppo.entropy_end_at, 1.0))
        self._seed_globals()
        self._tally.clear()
        self.model.learn(ppo.batch_size, self._tally, log_interval=None, reset_num_timesteps=False)
        self.update += 1
        if self.update % self._self_play.snapshot_every == 0:
            self._pool.add(self.network(), self.update)
        if self.update % self._self_play.refresh_every == 0:
            self._pool.refresh(self.network())
        return self._measured()

    def _seed_globals(self) -> None:
        state = np.random.SeedSequence((self._config.seed, self.update)).generate_state(2)
        torch.manual_seed(int(state[0]))
        np.random.seed(int(state[1]))

    def _measured(self) -> dict[str, float]:
        found = self.model.logger.name_to_value
        return {
            "learning_rate": self._learning_rate,
            "entropy_coef": self.model.ent_coef,
            "policy_loss": float(found["train/policy_gradient_loss"]),
            "value_loss": float(found["train/value_loss"]),
            "entropy": -float(found["train/entropy_loss"]),
            "approx_kl": float(found["train/approx_kl"]),
            "clip_fraction": float(found["train/clip_fraction"]),
            "explained_variance": float(found["train/explained_variance"]),
            "pool_size": self._pool.count,
            "duels": self._tally.duels,
            "score": self._tally.score,
        }

    def network(self) -> PolicyNetwork:
        """See `Trainer`."""
        return policy_network_of(self.model.policy.state_dict(), self._config.network.activation)

    def arrays(self) -> Arrays:
        """See `Trainer`."""
        learner = self._env.learner
        assert isinstance(learner, PoolBatch)
        return {
            **self._model_arrays(),
            **with_prefix("batch.", learner.batch.snapshot()),
            **with_prefix("pool.", self._pool.arrays()),
            "slots": learner.slots,
        }

    def _model_arrays(self) -> dict[str, NDArray[Any]]:
        """Parameters and Adam's state as views."""
        arrays: dict[str, NDArray[Any]] = {}
        for number, parameter in enumerate(self._parameters):
            arrays[f"parameter.{number}"] = parameter.detach().numpy()
            state = self.model.policy.optimizer.state[parameter]
            arrays |= {f"adam.{number}.{name}": tensor.numpy() for name, tensor in state.items()}
        return arrays

    def counter_values(self) -> Mapping[str, int]:
        """See `Trainer`."""
        return {"update": self.update}

    def restore(self, checkpoint: Checkpoint) -> None:
        """See `Trainer`."""
        arrays, counters = checkpoint
        self._check(arrays, counters["update"])
        learner = self._env.learner
        assert isinstance(learner, PoolBatch)
        learner.batch.restore(without_prefix("batch.", arrays))
        for current, restored in (
            (self._model_arrays(), arrays),
            (self._pool.arrays(), without_prefix("pool.", arrays)),
            ({"slots": learner.slots}, arrays),
        ):
            for name, array in current.items():
                array[...] = restored[name]
        self.update = counters["update"]
        self.model.num_timesteps = self.update * self._config.ppo.batch_size
        self.model._last_obs = learner.observation.copy()
        self.model._last_episode_starts = learner.terminated | learner.truncated

    def _check(self, arrays: Arrays, update: int) -> None:
        """Refuse values that have the right shapes, and that no run has. The batch looks at its own."""
        for name, array in arrays.items():
            if name.startswith("adam.") and not name.endswith(".exp_avg"):  # `step`, and the mean of squares
                check_values(name, array, 0.0, np.inf)
        check_values("pool.ages", arrays["pool.ages"], -1, update)
        known = arrays["pool.ages"] >= 0
        if not known[0] or (known[1:] > known[:-1]).any():
            raise SchemaError("pool.ages has an empty slot before one that is taken")
        check_values("slots", arrays["slots"], 0, int(np.count_nonzero(known)))

    def close(self) -> None:
        """See `Trainer`."""
        self._env.close()


class _Tally(BaseCallback):  # type: ignore[misc, unused-ignore]  # untyped where SB3 is not installed
    """Counts the duels of a batch and what the learner made of them."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self.duels, self._points = 0, 0.0

    @property
    def score(self) -> float:
        return self._points / self.duels if self.duels else float("nan")

    def _on_step(self) -> bool:
        dones = self.locals["dones"]
        self.duels += int(np.count_nonzero(dones))
        self._points += float((self.locals["rewards"][dones] + 1.0).sum()) / 2.0
        return True


def _fresh_network(config: TrainConfig, game: Game) -> PolicyNetwork:
    """Any network of the right shape, for a pool that gets its first policy later."""
    sizes = (game.observation_size, *config.network.hidden)
    hidden = [(np.zeros((after, before), np.float32), np.zeros(after, np.float32)) for before, after in pairwise(sizes)]
    last = (np.zeros((game.num_actions, sizes[-1]), np.float32), np.zeros(game.num_actions, np.float32))
    value = (np.zeros((1, sizes[-1]), np.float32), np.zeros(1, np.float32))
    return PolicyNetwork([*hidden, last], [*hidden, value], config.network.activation)


def _prepare_moments(optimizer: torch.optim.Optimizer, parameters: list[Tensor]) -> None:
    """Give Adam its state before its first step, so that fresh and used models have the same arrays."""
    for parameter in parameters:
        optimizer.state[parameter] = {
            "step": torch.zeros(()),
            "exp_avg": torch.zeros_like(parameter),
            "exp_avg_sq": torch.zeros_like(parameter),
        }
