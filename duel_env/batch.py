"""Many duels at once, both seats: the core under every interface, and the environment of self-play."""

from collections.abc import Sequence
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duel_env.duel import Duel, illegal_action_message
from duel_env.errors import ConfigError, IllegalActionError, InvalidActionError, SchemaError, UsageError
from duel_env.game import Engine, Game
from duel_env.rules import loops
from duel_env.rules.rng import keys_from_seeds
from duel_env.rules.stores import NOBODY, RANDOM_SEAT, KernelStore

Autoreset = Literal["next_step", "same_step", "disabled"]
IllegalAction = Literal["forfeit", "raise"]

AUTORESET_CODES: Final = {
    "next_step": loops.NEXT_STEP,
    "same_step": loops.SAME_STEP,
    "disabled": loops.DISABLED,
}
PARALLEL_FROM: Final = 8_192
"""Rows from which threads pay: starting them costs about 0.1 ms."""

_MAX_SEED: Final = 2**64 - 1


def check_choice(name: str, value: Any, choices: Any) -> None:
    """Refuse a value outside a Literal type.

    Raises:
        ConfigError: naming the setting, the value and what is accepted.
    """
    if value not in get_args(choices):
        raise ConfigError(f"{name} = {value!r}: expected {' or '.join(map(repr, get_args(choices)))}")


def check_seed(seed: Any) -> int:
    """A seed as an int from 0 to 2**64 - 1.

    Raises:
        ConfigError: it is something else.
    """
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or not 0 <= seed <= _MAX_SEED:
        raise ConfigError(f"seed = {seed!r}: expected an integer from 0 to 2**64 - 1")
    return int(seed)


class DuelBatch:
    """B duels, stepped together: each step is one decision in each of them, by whoever is to choose there.

    All arrays are views of buffers that the next call overwrites; copy what must last. Row i seeded with s plays the same duels,
    bit for bit, as a batch of one seeded with s, whatever B, the engine and the number of threads.

    Attributes:
        game: the rules.
        num_envs: B.
        observation: float32 (B, D), what the player to choose sees; after an end with `disabled` or `next_step`, what player 0 sees.
        action_mask: int8 (B, A), 1 = legal for the player to choose; all 0 in rows whose duel is over.
        current_player: int8 (B,), 0 or 1; -1 where the duel is over.
        rewards: float32 (B, 2), of each player for the last step: +1 / -1 at its end, else 0.
        terminated, truncated: bool (B,), whether the last step ended the duel by the rules, or by the round limit.
        disqualified: bool (B,), whether it ended because of an illegal action.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        setup: NDArray[np.void] | None = None,
        *,
        autoreset: Autoreset = "same_step",
        illegal_action: IllegalAction = "forfeit",
        engine: Engine = "auto",
        num_threads: int = 1,
        num_events: int = 0,
    ) -> None:
        """Make the rows; `reset` begins their duels.

        Args:
            game: the rules.
            num_envs: B, at least 1.
            setup: SETUP (1,), from `game.setup`; the defaults of the ruleset if left out.
            autoreset: when a row whose duel is over begins the next one: at once (`same_step`: the observation is then already
                the next duel's), at the next step, whose action is ignored (`next_step`), or when the caller says so (`disabled`).
            illegal_action: `forfeit`: the player loses at once, as the source has it; `raise`: an error, and nothing is played.
            engine: see `Game.new_store`.
            num_threads: more than 1 spreads batches of 8,192 rows and more over Numba's threads.
            num_events: room for the events of one step in each row (see `events`); 0 switches them off.

        Raises:
            ConfigError: a setting that is not accepted.
        """
        if not isinstance(num_envs, int | np.integer) or num_envs < 1:
            raise ConfigError(f"num_envs = {num_envs!r}: expected an integer of at least 1")
        check_choice("autoreset", autoreset, Autoreset)
        check_choice("illegal_action", illegal_action, IllegalAction)
        self.game = game
        self.num_envs = int(num_envs)
        self.autoreset = autoreset
        self.illegal_action = illegal_action
        self.store = game.new_store(self.num_envs, game.setup() if setup is None else setup, engine, num_events)
        self.autoreset_code = AUTORESET_CODES[autoreset]
        self.uses_threads = num_threads > 1 and self.num_envs >= PARALLEL_FROM
        self._fused_step = loops.duel_step_parallel if self.uses_threads else loops.duel_step
        self._all_rows = np.arange(self.num_envs)
        rows = self.store.rows
        rows["seat_choice"] = 0
        self.observation = self.store.observation
        self.action_mask = self.store.action_mask
        self.current_player: NDArray[np.int8] = rows["current_player"]
        self.rewards: NDArray[np.float32] = rows["rewards"]
        self.terminated: NDArray[np.bool_] = rows["terminated"].view(np.bool_)
        self.truncated: NDArray[np.bool_] = rows["truncated"].view(np.bool_)
        self.disqualified: NDArray[np.bool_] = rows["disqualified"].view(np.bool_)

    @property
    def is_over(self) -> NDArray[np.bool_]:
        """Rows whose duel is over and whose next one has not begun: bool (B,)."""
        return self.store.rows["over"].view(np.bool_)

    def set_seats(self, seat: int | None) -> None:
        """Which player the `reward` of a row is for: 0, 1, or None: drawn anew for each duel. From the next duels on."""
        self.store.rows["seat_choice"] = RANDOM_SEAT if seat is None else seat

    def seed(self, seeds: Sequence[int] | NDArray[np.integer[Any]]) -> None:
        """Give each row its seed: B integers from 0 to 2**64 - 1. The next duel of row i is the first one of its seed."""
        if len(seeds) != self.num_envs:
            raise ConfigError(f"expected {self.num_envs} seeds, one for each row, not {len(seeds)}")
        checked = np.array([check_seed(seed) for seed in seeds], np.uint64)
        self.store.rows["key"] = keys_from_seeds(checked)
        self.store.rows["episode"] = -1

    def reset(self, seed: int | Sequence[int] | None = None, rows: NDArray[np.bool_] | None = None) -> None:
        """Begin new duels.

        Args:
            seed: an integer s seeds row i with s + i; a sequence gives each row its own; None goes on from where the rows are.
            rows: bool (B,), which rows; all of them if left out.

        Raises:
            ConfigError: a seed that is not accepted.
            UsageError: rows that were never seeded.
        """
        if seed is not None:
            if isinstance(seed, int | np.integer):
                first = check_seed(seed)
                seed = [(first + i) % (_MAX_SEED + 1) for i in range(self.num_envs)]
            self.seed(seed)
        elif np.any((self.store.rows["key"] == 0) & (self.store.rows["episode"] == -1)):
            raise UsageError("the first reset needs a seed")
        index = self._all_rows if rows is None else np.flatnonzero(rows)
        loops.begin_rows(self.store, index)
        self.view(index)

    def begin(self, index: NDArray[np.int64], *, keep_reports: bool = False) -> None:
        """Begin the next duels of rows `index`, without a view; `keep_reports` leaves rewards and end flags of the last step."""
        (loops.begin_rows_keeping_reports if keep_reports else loops.begin_rows)(self.store, index)

    def view(self, index: NDArray[np.int64], players: NDArray[np.int8] | None = None) -> None:
        """Write `observation` and `action_mask` of rows `index` for some players; for those who are to choose if left out."""
        if players is None:
            players = np.maximum(self.current_player[index], 0)
        loops.view_rows(self.store, index, np.asarray(players, np.int8))

    def step(self, actions: ArrayLike) -> int:
        """One decision in every row.

        Args:
            actions: integers (B,); ignored in rows whose duel is over.

        Returns:
            how many duels the step ended.

        Raises:
            InvalidActionError: not an array of B integers.
            IllegalActionError: with `illegal_action="raise"`; nothing is played then.
        """
        checked = self.check_actions(actions)
        if self.illegal_action == "raise":
            self.refuse_illegal(checked)
        ended: int = self._fused_step(self.store, checked, self.autoreset_code)
        return ended

    def check_actions(self, actions: ArrayLike) -> NDArray[np.int64]:
        """Actions as int64 (B,).

        Raises:
            InvalidActionError: they are something else.
        """
        values = np.asarray(actions)
        if values.shape != (self.num_envs,) or values.dtype.kind not in "iu":
            raise InvalidActionError(
                f"expected {self.num_envs} integer actions, one for each row, not shape {values.shape} of {values.dtype}"
            )
        return values.astype(np.int64, copy=False)

    def refuse_illegal(self, actions: NDArray[np.int64]) -> None:
        """Raise an IllegalActionError if a running row's action is illegal by the current `action_mask`."""
        inside = (actions >= 0) & (actions < self.game.num_actions)
        legal = inside & (self.action_mask[self._all_rows, np.where(inside, actions, 0)] == 1)
        wrong = np.flatnonzero(~legal & (self.current_player != NOBODY))
        if len(wrong):
            row = int(wrong[0])
            raise IllegalActionError(self._illegal_message(row, int(actions[row])))

    def _illegal_message(self, row: int, action: int) -> str:
        where = f" in row {row}" if self.num_envs > 1 else ""
        return illegal_action_message(self.game, action, int(self.current_player[row]), self.action_mask[row]) + where

    def play(self, index: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Play actions[k] in row index[k], without any report or view; rows that are over stay as they are."""
        loops.play_rows(self.store, index, actions)

    def report(self, index: NDArray[np.int64]) -> None:
        """Write rewards and end flags of rows `index`."""
        loops.report_rows(self.store, index)

    def sample(self, index: NDArray[np.int64], probabilities: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
        """Sample an action (int64 (K,)) for rows index[k] from probabilities (K, A), with each row's own random stream."""
        actions = np.empty(len(index), np.int64)
        loops.sample_rows(self.store, index, np.ascontiguousarray(probabilities, np.float64), actions)
        return actions

    def duel(self, row: int) -> Duel:
        """The duel of a row as it stands, as a copy; it knows nothing of the dice to come.

        Raises:
            UsageError: no duel was begun in that row.
        """
        found = self.store.rows[row]
        if found["episode"] < 0:
            raise UsageError(f"row {row} has no duel yet: call reset first")
        if isinstance(self.store, KernelStore):
            return Duel.of(self.game, self.store.states[row], self.store.sheets[row])
        state = self.game.graph.states[found["node"]].copy()
        duel = Duel.of(self.game, state, self.store.sheets[row])
        duel.state["round"] = found["round"]
        if found["forfeited"]:
            duel.forfeit()
        elif found["cut_short"]:
            duel.cut_short()
        return duel

    def events(self, row: int) -> NDArray[np.int32]:
        """Events of the last step in a row, int32 (n, 3): see `stores.CHOICE` and `stores.ROLL`."""
        count = int(self.store.rows["num_events"][row])
        if count > self.store.trace.shape[1]:
            raise UsageError(f"{count} events in one step, but room for {self.store.trace.shape[1]}: raise num_events")
        return self.store.trace[row, :count]

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Everything that changes, as copies; `restore` goes back to it, and the duels go on with the same dice."""
        return {name: np.copy(getattr(self.store, name)) for name in _changing_fields(self.store)}

    def restore(self, snapshot: dict[str, NDArray[Any]]) -> None:
        """Go back to a snapshot of a batch of the same game, size and engine.

        Raises:
            SchemaError: it is of another kind of batch.
        """
        names = _changing_fields(self.store)
        for name in names:
            current = getattr(self.store, name)
            given = snapshot.get(name)
            if given is None or given.shape != current.shape or given.dtype != current.dtype:
                raise SchemaError(f"the snapshot does not fit this batch: {name} differs")
        for name in names:
            getattr(self.store, name)[...] = snapshot[name]


def _changing_fields(store: Any) -> tuple[str, ...]:
    shared = ("rows", "sheets", "sheet_features", "observation", "action_mask", "trace")
    return (*shared, "states") if isinstance(store, KernelStore) else shared
