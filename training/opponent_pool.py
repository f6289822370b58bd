"""Past selves as opponents: which ones are kept, who meets whom, and all of them asked at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.network import PolicyNetwork
from duel_env.errors import SchemaError
from duel_env.learner import LearnerBatch
from duel_env.rules import loops
from training.config import Activation

_BLOCK_ROWS = 8
"""Decisions that share a network are computed in blocks of this many rows, all blocks in one batched product."""
_ILLEGAL_LOGIT = np.float32(-1e9)

LATEST = 0
"""The slot of the current policy."""


class OpponentPool:
    """The current policy and up to `size` past ones, all of the same shape, in NumPy.

    Attributes:
        size: how many past policies are kept at most.
        latest_share: share of duels against the current one.
        weights: float32 (size + 1, in, out) for each layer; slot LATEST is the current policy, the past ones follow.
        biases: float32 (size + 1, 1, out) for each layer.
        ages: int64 (size,), for each past policy the update that it was taken after; -1 for slots that are empty.
    """

    def __init__(self, network: PolicyNetwork, size: int, latest_share: float) -> None:
        """A pool with nothing but the current policy."""
        self.size = size
        self.latest_share = latest_share
        self.activation: Activation = network.activation
        self.weights = [np.repeat(weight.T[None], size + 1, axis=0) for weight, _ in network.actor]
        self.biases = [np.repeat(bias[None, None], size + 1, axis=0) for _, bias in network.actor]
        self.ages = np.full(size, -1, np.int64)

    @property
    def count(self) -> int:
        """How many past policies there are."""
        return int(np.count_nonzero(self.ages >= 0))

    def refresh(self, network: PolicyNetwork) -> None:
        """Make `network` the current policy."""
        self._put(LATEST, network)

    def add(self, network: PolicyNetwork, update: int) -> None:
        """Keep a policy; when there are too many, in the place of the one without which the others are best spread over the run.

        Args:
            network: the policy.
            update: after how many updates it was taken; more than those before.
        """
        place = self.count if self.count < self.size else self._most_crowded(update)
        self._put(1 + place, network)
        self.ages[place] = update

    def _most_crowded(self, update: int) -> int:
        """The past policy, the oldest aside, whose neighbours in age are closest to each other."""
        if self.size == 1:
            return 0
        order = np.argsort(self.ages)
        known = np.append(self.ages[order], update)
        return int(order[1 + np.argmin(known[2:] - known[:-2])])

    def _put(self, slot: int, network: PolicyNetwork) -> None:
        shapes = [weight.shape[::-1] for weight, _ in network.actor]
        if shapes != [weight.shape[1:] for weight in self.weights] or network.activation != self.activation:
            raise SchemaError(f"a policy with layers {shapes} does not fit this pool's {[w.shape[1:] for w in self.weights]}")
        for weights, biases, (weight, bias) in zip(self.weights, self.biases, network.actor, strict=True):
            weights[slot], biases[slot, 0] = weight.T, bias

    def shares(self) -> NDArray[np.float64]:
        """Probability of each slot to be drawn for a duel, float64 (size + 1,); the past policies have equal ones."""
        shares = np.zeros(self.size + 1)
        count = self.count
        shares[LATEST] = self.latest_share if count else 1.0
        shares[1 : 1 + count] = (1.0 - self.latest_share) / max(count, 1)
        return shares

    def policy(
        self, slots: NDArray[np.int64], observation: NDArray[np.float32], action_mask: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Probabilities (K, A) of each decision by the policy in its own slot: slots (K,), observation (K, D), mask (K, A)."""
        order = np.argsort(slots, kind="stable")
        counts = np.bincount(slots, minlength=self.size + 1)
        blocks = -(-counts // _BLOCK_ROWS)
        # Where each sorted row goes, when each slot's rows begin a new block.
        begins = np.cumsum(blocks) - blocks
        places = np.arange(len(slots)) + np.repeat(begins * _BLOCK_ROWS - (np.cumsum(counts) - counts), counts)
        padded = np.zeros((int(blocks.sum()) * _BLOCK_ROWS, observation.shape[1]), np.float32)
        padded[places] = observation[order]
        flow = padded.reshape(-1, _BLOCK_ROWS, observation.shape[1])
        slot_of_block = np.repeat(np.arange(self.size + 1), blocks)
        for layer, (weights, biases) in enumerate(zip(self.weights, self.biases, strict=True)):
            flow = flow @ weights[slot_of_block]
            flow += biases[slot_of_block]
            if layer < len(self.weights) - 1:
                np.tanh(flow, out=flow) if self.activation == "tanh" else np.maximum(flow, 0.0, out=flow)
        logits = np.empty((len(slots), flow.shape[2]), np.float32)
        logits[order] = flow.reshape(-1, flow.shape[2])[places]
        return _masked_softmax(logits, action_mask)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that changes, by name; views, for checkpoints."""
        layers = {f"weight.{i}": array for i, array in enumerate(self.weights)}
        return {**layers, **{f"bias.{i}": array for i, array in enumerate(self.biases)}, "ages": self.ages}


def _masked_softmax(logits: NDArray[np.float32], mask: NDArray[np.int8]) -> NDArray[np.float64]:
    masked = np.where(mask == 1, logits, _ILLEGAL_LOGIT).astype(np.float64).T.copy()  # short axis first: several times as fast
    masked -= masked.max(axis=0)
    np.exp(masked, out=masked)
    masked /= masked.sum(axis=0)
    probabilities: NDArray[np.float64] = masked.T
    return probabilities


class PoolBatch(LearnerBatch):
    """A `LearnerBatch` whose opponents come from a pool, drawn anew for each duel with the random stream of its row.

    A duel that is under way when the policy in its opponent's slot is replaced goes on against the new one.

    Attributes:
        pool: the opponents.
        slots: int64 (B,), who plays against the learner of each row.
    """

    def __init__(self, *arguments: Any, opponent: OpponentPool, **settings: Any) -> None:
        """As `LearnerBatch`, with a pool as the opponent."""
        super().__init__(*arguments, **settings)
        self.pool = opponent
        self.slots = np.zeros(self.batch.num_envs, np.int64)
        self.opponent = self  # type: ignore[assignment]  # anything but None: not the built-in random one

    def _let_opponent_play(self, index: NDArray[np.int64]) -> None:
        batch, rows = self.batch, self.batch.store.rows
        fresh = index[rows["num_steps"][index] == 0]
        if len(fresh):
            shares, slots = self.pool.shares(), np.empty(len(fresh), np.int64)
            # As `batch.sample`, but of slots, of which there are other numbers than of actions.
            loops.sample_rows(batch.store, fresh, np.tile(shares, (len(fresh), 1)), slots)
            self.slots[fresh] = slots
        while True:
            index = index[(rows["over"][index] == 0) & (rows["current_player"][index] != rows["seat"][index])]
            if len(index) == 0:
                return
            batch.view(index)
            probabilities = self.pool.policy(self.slots[index], self.observation[index], self.action_mask[index])
            batch.play(index, batch.sample(index, probabilities))
