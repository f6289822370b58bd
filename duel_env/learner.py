"""One learner a row against an opponent that plays inside the step: the core of the Gymnasium and Stable-Baselines3 environments."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duel_env.batch import Autoreset, DuelBatch, IllegalAction, check_choice
from duel_env.errors import DuelError, SchemaError, UsageError
from duel_env.game import Engine, Game
from duel_env.opponents import RANDOM, resolve_opponent
from duel_env.rules import loops

Seat = Literal["first", "second", "random"]

SEATS: dict[str, int | None] = {"first": 0, "second": 1, "random": None}


class LearnerBatch:
    """B duels in which one seat is the learner's.

    All arrays are views of buffers that the next call overwrites.

    Attributes:
        batch: the duels of both seats.
        observation: float32 (B, D), what the learner sees.
        action_mask: int8 (B, A), 1 = legal for the learner; all 1 where the duel is over, since any action is then ignored.
        reward: float32 (B,), the learner's for the last step: +1 won, -1 lost, else 0.
        terminated, truncated, disqualified: bool (B,), as in `DuelBatch`.
        final_observation: float32 (B, D), with `same_step`: the last observation of the duels that the last step ended.
        seat: int8 (B,), the player whom the learner is.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        setup: NDArray[np.void] | None = None,
        *,
        opponent: Any = RANDOM,
        seat: Seat = "random",
        autoreset: Autoreset = "next_step",
        illegal_action: IllegalAction = "forfeit",
        engine: Engine = "auto",
        num_threads: int = 1,
        num_events: int = 0,
    ) -> None:
        """Make the rows; `reset` begins their duels.

        Args:
            game: the rules.
            num_envs: B.
            setup: SETUP (1,).
            opponent: see `resolve_opponent`.
            seat: the learner is player 0 (`first`), player 1 (`second`), or either, drawn for each duel (`random`).
            autoreset, illegal_action, engine, num_threads, num_events: see `DuelBatch`.

        Raises:
            ConfigError: a setting that is not accepted.
        """
        check_choice("seat", seat, Seat)
        self.batch = DuelBatch(
            game,
            num_envs,
            setup,
            autoreset=autoreset,
            illegal_action=illegal_action,
            engine=engine,
            num_threads=num_threads,
            num_events=num_events,
        )
        self.opponent = resolve_opponent(opponent, game)
        self.batch.set_seats(SEATS[seat])
        self.final_observation = np.zeros_like(self.batch.observation)
        self._all_rows = np.arange(self.batch.num_envs)
        self._opponent_failed = False

    # Properties rather than attributes, as in DuelBatch: copies of this object have buffers of their own.

    @property
    def observation(self) -> NDArray[np.float32]:
        """What the learner sees, (B, D)."""
        return self.batch.store.observation

    @property
    def action_mask(self) -> NDArray[np.int8]:
        """1 = legal for the learner, (B, A); all 1 where the duel is over, since any action is then ignored."""
        return self.batch.store.action_mask

    @property
    def reward(self) -> NDArray[np.float32]:
        """The learner's for the last step, (B,): +1 won, -1 lost, else 0."""
        found: NDArray[np.float32] = self.batch.store.rows["reward"]
        return found

    @property
    def seat(self) -> NDArray[np.int8]:
        """The player whom the learner is, (B,)."""
        found: NDArray[np.int8] = self.batch.store.rows["seat"]
        return found

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """As in `DuelBatch`, (B,)."""
        return self.batch.terminated

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """As in `DuelBatch`, (B,)."""
        return self.batch.truncated

    @property
    def disqualified(self) -> NDArray[np.bool_]:
        """As in `DuelBatch`, (B,)."""
        return self.batch.disqualified

    def reset(self, seed: Any = None, rows: NDArray[np.bool_] | None = None) -> None:
        """Begin new duels, up to the learner's first decision; arguments as in `DuelBatch.reset`."""
        failed_before, self._opponent_failed = self._opponent_failed, True  # until its moves below are made
        try:
            self.batch.reset(seed, rows)
        except DuelError:
            self._opponent_failed = failed_before
            raise
        index = self._all_rows if rows is None else np.flatnonzero(rows)
        self._let_opponent_play(index)
        self._view(index)
        self._opponent_failed = failed_before and rows is not None

    def step(self, actions: ArrayLike) -> int:
        """One decision of the learner in every row, and all of the opponent's until the learner is to choose again.

        Returns:
            how many duels the step ended.

        Raises:
            InvalidActionError, IllegalActionError: as in `DuelBatch.step`.
            UsageError: the opponent's policy raised an error in an earlier step, which left duels half-way.
        """
        return self.step_checked(self.batch.check_actions(actions))

    def step_checked(self, actions: NDArray[np.int64]) -> int:
        """As `step`, for actions that are known to be int64 (B,)."""
        if self._opponent_failed:
            raise UsageError("the opponent's policy failed in an earlier step: reset before going on")
        batch = self.batch
        batch.require_duels()
        if batch.illegal_action == "raise":
            batch.refuse_illegal(actions)
        if self.opponent is None:
            fused_step = loops.learner_step_parallel if batch.uses_threads else loops.learner_step
            ended: int = fused_step(batch.store, actions, batch.autoreset_code, self.final_observation)
            return ended
        self._opponent_failed = True
        self._step_against_policy(actions)
        self._opponent_failed = False
        return int(np.count_nonzero(self.terminated | self.truncated))

    def _step_against_policy(self, actions: NDArray[np.int64]) -> None:
        batch, rows = self.batch, self.batch.store.rows
        rows["num_events"] = 0
        if batch.autoreset == "next_step":
            fresh = rows["reported"] == 1
            running = np.flatnonzero(~fresh)
        else:
            running = self._all_rows
        batch.play(running, actions[running])
        self._let_opponent_play(running)
        batch.report(running)
        if batch.autoreset == "next_step":
            self._begin(np.flatnonzero(fresh))
        elif batch.autoreset == "same_step":
            over = np.flatnonzero(rows["over"])
            if len(over):
                self._view(over)
                self.final_observation[over] = self.observation[over]
                batch.begin(over, keep_reports=True)
                self._let_opponent_play(over)
        self._view(self._all_rows)

    def _begin(self, index: NDArray[np.int64]) -> None:
        if len(index):
            self.batch.begin(index)
            self._let_opponent_play(index)

    def _let_opponent_play(self, index: NDArray[np.int64]) -> None:
        batch, rows = self.batch, self.batch.store.rows
        if self.opponent is None:
            loops.play_random_opponents(batch.store, index)
            return
        while len(index):
            index = index[(rows["over"][index] == 0) & (rows["current_player"][index] != rows["seat"][index])]
            if len(index) == 0:
                break
            batch.view(index)
            probabilities = self.opponent.policy(self.observation[index], self.action_mask[index])
            batch.play(index, batch.sample(index, _check_policy(probabilities, (len(index), batch.game.num_actions))))

    def _view(self, index: NDArray[np.int64]) -> None:
        loops.view_learner_rows(self.batch.store, index)


def _check_policy(probabilities: Any, shape: tuple[int, int]) -> NDArray[np.float64]:
    checked = np.asarray(probabilities, np.float64)
    if checked.shape != shape:
        raise SchemaError(f"the opponent's policy gave an array of shape {checked.shape}; expected {shape}, a row per decision")
    if not (np.all(checked >= 0.0) and np.allclose(checked.sum(axis=1), 1.0, atol=1e-4)):
        raise SchemaError("the opponent's policy gave a row that is not made of probabilities summing to 1")
    return checked
