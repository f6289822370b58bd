"""Decisions of both seats, collected from a batch of duels with the current policy."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from duel_env.batch import DuelBatch
from duel_env.game import NUM_PLAYERS
from training.mlp import Mlp
from training.networks import masked_log_softmax

_ROWS_AT_ONCE = 2048
"""Rows of a forward pass: the activations of more do not stay in a core's cache."""


class Rollout(NamedTuple):
    """T decisions in each of B duels. The next `Collector.collect` overwrites all of it.

    Attributes:
        observations: float32 (T + 1, B, D), what the player to decide saw; the last row is of the decision to come.
        masks: bool (T, B, A), True = legal.
        actions: int64 (T, B).
        log_probs: float32 (T, B), of the actions, by whatever chose them.
        players: int8 (T + 1, B), who decided.
        rewards: float32 (T, B), to the player who decided.
        ends: bool (T, B), whether the duel ended with the decision, by the rules or by the round limit.
        learnable: bool (T, B), whether the policy took the decision; False in random openings, which are no one's to learn from.
        lengths: int32 (T, B), decisions of the duel so far, this one included.
        starters: int8 (T, B), who made the first decision of the duel.
        counted: bool (T, B), where a duel ended that had no random opening.
    """

    observations: Tensor
    masks: Tensor
    actions: Tensor
    log_probs: Tensor
    players: NDArray[np.int8]
    rewards: NDArray[np.float32]
    ends: NDArray[np.bool_]
    learnable: NDArray[np.bool_]
    lengths: NDArray[np.int32]
    starters: NDArray[np.int8]
    counted: NDArray[np.bool_]

    @property
    def mean_duel_length(self) -> float:
        """Decisions of the duels that ended and had no random opening; nan if none did."""
        return float(self.lengths[self.counted].mean()) if self.counted.any() else float("nan")

    @property
    def starter_win_share(self) -> float:
        """Share of the same duels won by who made the first decision, draws counting half; nan if none ended."""
        if not self.counted.any():
            return float("nan")
        decided_by_starter = self.players[:-1][self.counted] == self.starters[self.counted]
        rewards = self.rewards[self.counted]
        return float(np.where(decided_by_starter, 1.0 + rewards, 1.0 - rewards).mean() / 2.0)


class Collector:
    """Plays a batch of duels with one policy in both seats. What is random comes from the batch's own streams.

    In every other row, duels begin with 0 to `random_opening` moves that are uniform over the legal ones, in turn. Two good
    players avoid many positions that a weak one gets into; without such openings the policy would forget what to do there.

    Attributes:
        batch: the duels; they must have begun, and reset themselves (`autoreset="same_step"`).
        starters: int8 (B,), who made the first decision of each running duel. Belongs to a checkpoint, as the batch does.
    """

    def __init__(self, batch: DuelBatch, num_steps: int, random_opening: int) -> None:
        """Make room for `num_steps` (T) decisions in each duel; each call of `collect` fills it again."""
        self.batch = batch
        self._random_opening = random_opening
        self._opens_on_policy = np.arange(batch.num_envs) % 2 == 0 if random_opening else np.ones(batch.num_envs, np.bool_)
        self._offsets = np.arange(batch.num_envs) // 2
        self.starters = np.zeros(batch.num_envs, np.int8)
        shape = (num_steps, batch.num_envs)
        game = batch.game
        # Torch aligns its memory, so that the same numbers take the same path through vectorised code in every process.
        self._observations = torch.zeros(num_steps + 1, batch.num_envs, game.observation_size)
        self._masks = torch.zeros(*shape, game.num_actions, dtype=torch.bool)
        self._actions = torch.zeros(shape, dtype=torch.int64)
        self._log_probs = torch.zeros(*shape, game.num_actions)
        self._players = np.zeros((num_steps + 1, batch.num_envs), np.int8)
        self._rewards = np.zeros((*shape, NUM_PLAYERS), np.float32)
        self._ends = np.zeros(shape, np.bool_)
        self._learnable = np.zeros(shape, np.bool_)
        self._lengths = np.zeros(shape, np.int32)
        self._starters = np.zeros(shape, np.int8)

    def collect(self, actor: Mlp) -> Rollout:
        """Play T decisions in each duel with the policy of `actor`."""
        batch = self.batch
        workspace = actor.workspace(batch.num_envs, backward=False)
        every_row = np.arange(batch.num_envs)
        observations, masks, actions = self._observations.numpy(), self._masks.numpy(), self._actions.numpy()
        with torch.inference_mode():
            for t in range(len(actions)):
                observations[t] = batch.observation
                masks[t] = batch.action_mask
                self._players[t] = batch.current_player
                self._note_beginnings(t)
                logits = actor.forward(self._observations[t], workspace)
                logits.mul_(torch.from_numpy(self._learnable[t])[:, None])  # equal logits: a random move
                log_probs = masked_log_softmax(logits, self._masks[t])
                self._log_probs[t] = log_probs
                actions[t] = batch.sample(every_row, log_probs.exp().numpy())
                batch.step(actions[t])
                self._rewards[t] = batch.rewards
                np.logical_or(batch.terminated, batch.truncated, out=self._ends[t])
            observations[-1] = batch.observation
            self._players[-1] = batch.current_player
        return self._finish()

    def _note_beginnings(self, t: int) -> None:
        """Which decisions are of a random opening, whose lengths go round with the episodes, and who began the duels."""
        rows, lengths = self.batch.store.rows, self._lengths[t]
        steps_before = rows["num_steps"].copy()
        openings = (rows["episode"] + self._offsets) % (self._random_opening + 1)
        np.logical_or(steps_before >= openings, self._opens_on_policy, out=self._learnable[t])
        np.copyto(self.starters, self._players[t], where=steps_before == 0)
        self._starters[t] = self.starters
        np.add(steps_before, 1, out=lengths)

    def _finish(self) -> Rollout:
        taken = self._log_probs.gather(2, self._actions.unsqueeze(2)).squeeze(2)
        deciders = self._players[:-1, :, None].astype(np.int64)
        rewards = np.take_along_axis(self._rewards, deciders, 2)[:, :, 0]
        return Rollout(
            self._observations,
            self._masks,
            self._actions,
            taken,
            self._players,
            rewards,
            self._ends,
            self._learnable,
            self._lengths,
            self._starters,
            self._ends & self._opens_on_policy,
        )


def evaluate_critic(critic: Mlp, observations: Tensor) -> NDArray[np.float32]:
    """Values of positions: float32 (T, B, D) -> (T, B)."""
    rows = observations.flatten(0, 1)
    workspace = critic.workspace(min(_ROWS_AT_ONCE, len(rows)), backward=False)
    values = torch.empty(len(rows))
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        values[part] = critic.forward(rows[part], workspace)[:, 0]
    found: NDArray[np.float32] = values.view(observations.shape[:2]).numpy()
    return found
