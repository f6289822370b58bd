"""Many duels at once, both seats: the core under every interface, and the environment of self-play."""

from collections.abc import Sequence
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duel_env.duel import Duel, illegal_action_message
from duel_env.errors import ConfigError, IllegalActionError, InvalidActionError, SchemaError, UsageError
from duel_env.game import NUM_PLAYERS, Engine, Game
from duel_env.rules import loops
from duel_env.rules.rng import keys_from_seeds
from duel_env.rules.stores import NOBODY, RANDOM_SEAT, CupStore, KernelStore
from duel_env.seeds import check_seeds
from duel_env.snapshots import changing_fields, check_snapshot

Autoreset = Literal["next_step", "same_step", "disabled"]
IllegalAction = Literal["forfeit", "raise"]

AUTORESET_CODES: Final = {
    "next_step": loops.NEXT_STEP,
    "same_step": loops.SAME_STEP,
    "disabled": loops.DISABLED,
}
PARALLEL_FROM: Final = 8_192
"""Rows from which threads pay: starting them costs about 0.1 ms."""


def check_choice(name: str, value: Any, choices: Any) -> None:
    """Refuse a value outside a Literal type.

    Raises:
        ConfigError: naming the setting, the value and what is accepted.
    """
    if not isinstance(value, str) or value not in get_args(choices):
        raise ConfigError(f"{name} = {value!r}: expected {' or '.join(map(repr, get_args(choices)))}")


def check_count(name: str, value: Any, least: int) -> int:
    """A number of things as an int of at least `least`.

    Raises:
        ConfigError: it is something else.
    """
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise ConfigError(f"{name} = {value!r}: expected an integer of at least {least}")
    return int(value)


class DuelBatch:
    """B duels, stepped together: each step is one decision in each of them, by whoever is to choose there.

    All arrays are views of buffers that the next call overwrites; copy what must last. A copy of a batch (`copy.deepcopy`, pickle) goes on
    by itself, with the same dice to come: plan on `duel`, which knows none. Row i seeded with s plays the same duels,
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
        if not isinstance(game, Game):
            raise ConfigError(f"game: expected what make_game gives, not {type(game).__name__}")
        check_choice("autoreset", autoreset, Autoreset)
        check_choice("illegal_action", illegal_action, IllegalAction)
        self.game = game
        self.num_envs = check_count("num_envs", num_envs, 1)
        self.autoreset = autoreset
        self.illegal_action = illegal_action
        self.autoreset_code = AUTORESET_CODES[autoreset]
        self.uses_threads = check_count("num_threads", num_threads, 1) > 1 and self.num_envs >= PARALLEL_FROM
        num_events = check_count("num_events", num_events, 0)
        self.store = game.new_store(self.num_envs, game.check_setup(setup), engine, num_events)
        self._seeded = np.zeros(self.num_envs, np.bool_)
        self._all_began = False
        self._all_rows = np.arange(self.num_envs)
        self._settings = {
            "autoreset": autoreset,
            "illegal_action": illegal_action,
            "engine": engine,
            "num_threads": num_threads,
            "num_events": num_events,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """What a copy or a pickle is made of: never the buffers themselves, since views of them would come apart."""
        made_of = (type(self), self.game, self.num_envs, self.store.setup, self._settings)
        return _remake, (*made_of, self.snapshot(), self._seeded.copy())

    # Properties rather than attributes: a view that is kept would stay with the old buffers when the batch is copied.

    @property
    def observation(self) -> NDArray[np.float32]:
        """What the player to choose sees, (B, D); where the duel is over, what player 0 sees."""
        return self.store.observation

    @property
    def action_mask(self) -> NDArray[np.int8]:
        """1 = legal for the player to choose, (B, A); all 0 where the duel is over."""
        return self.store.action_mask

    @property
    def current_player(self) -> NDArray[np.int8]:
        """Who is to choose, (B,): 0 or 1; -1 where the duel is over."""
        found: NDArray[np.int8] = self.store.rows["current_player"]
        return found

    @property
    def rewards(self) -> NDArray[np.float32]:
        """Of each player for the last step, (B, 2): +1 / -1 at its end, else 0."""
        found: NDArray[np.float32] = self.store.rows["rewards"]
        return found

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether the last step ended the duel by the rules, (B,)."""
        return self._flag("terminated")

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Whether the last step ended the duel by the round limit, (B,)."""
        return self._flag("truncated")

    @property
    def disqualified(self) -> NDArray[np.bool_]:
        """Whether the last step ended the duel because of an illegal action, (B,)."""
        return self._flag("disqualified")

    def _flag(self, name: str) -> NDArray[np.bool_]:
        flags: NDArray[np.bool_] = self.store.rows[name].view(np.bool_)
        return flags

    @property
    def is_over(self) -> NDArray[np.bool_]:
        """Rows that have no running duel: it is over, or none has begun yet; (B,)."""
        return self._flag("over")

    def set_seats(self, seat: int | None) -> None:
        """Which player the `reward` of a row is for: 0, 1, or None: drawn anew for each duel. From the next duels on.

        Raises:
            ConfigError: another number.
        """
        if seat is not None and (type(seat) is not int or seat not in range(NUM_PLAYERS)):
            raise ConfigError(f"seat = {seat!r}: expected 0, 1 or None")
        self.store.rows["seat_choice"] = RANDOM_SEAT if seat is None else seat

    def seed(self, seed: int | Sequence[int] | NDArray[np.integer[Any]], rows: NDArray[np.bool_] | None = None) -> None:
        """Give rows their seeds; their next duel is the first one of its seed.

        Args:
            seed: as in `reset`.
            rows: as in `reset`.

        Raises:
            ConfigError: a seed that is not accepted.
        """
        keys = keys_from_seeds(np.array(check_seeds(seed, self.num_envs), np.uint64))
        index = self._index(rows)
        self.store.rows["key"][index] = keys[index]
        self.store.rows["episode"][index] = -1
        self.store.rows["over"][index] = 1
        self.store.rows["current_player"][index] = NOBODY
        self._seeded[index] = True
        self._all_began = False

    def reset(
        self, seed: int | Sequence[int] | NDArray[np.integer[Any]] | None = None, rows: NDArray[np.bool_] | None = None
    ) -> None:
        """Begin new duels.

        Args:
            seed: an integer s seeds row i with s + i; a sequence gives each row its own; None goes on from where the rows are.
            rows: bool (B,), which rows are seeded and begun; all of them if left out. The others stay as they are.

        Raises:
            ConfigError: a seed, or rows, that are not accepted.
            UsageError: rows that were never seeded.
        """
        index = self._index(rows)
        if seed is not None:
            self.seed(seed, rows)
        elif not self._seeded[index].all():
            raise UsageError("the first reset needs a seed")
        self.begin(index)
        self.view(index)

    def _index(self, rows: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Numbers of the rows marked in bool (B,); of all rows for None."""
        if rows is None:
            return self._all_rows
        marks = np.asarray(rows)
        if marks.dtype != np.bool_ or marks.shape != (self.num_envs,):
            raise ConfigError(f"rows: expected bool ({self.num_envs},), not {marks.dtype} {marks.shape}")
        return np.flatnonzero(marks)

    def _check_index(self, index: NDArray[np.int64]) -> NDArray[np.int64]:
        """Row numbers as int64 (K,) within the batch: compiled loops do not look."""
        checked = np.asarray(index, np.int64)
        if checked.ndim != 1 or (len(checked) and not 0 <= checked.min() <= checked.max() < self.num_envs):
            raise ConfigError(f"index: expected row numbers from 0 to {self.num_envs - 1}")
        return checked

    def require_duels(self) -> None:
        """Refuse to go on while a row has never begun a duel.

        Raises:
            UsageError: naming such rows.
        """
        if not self._all_began:
            missing = np.flatnonzero(self.store.rows["episode"] < 0)[:5].tolist()
            raise UsageError(f"rows {missing} have no duel yet: call reset first")

    def begin(self, index: NDArray[np.int64], *, keep_reports: bool = False) -> None:
        """Begin the next duels of rows `index`, without a view; `keep_reports` leaves rewards and end flags of the last step."""
        checked = self._check_index(index)
        if not self._seeded[checked].all():
            raise UsageError("rows that were never seeded: call reset first")
        (loops.begin_rows_keeping_reports if keep_reports else loops.begin_rows)(self.store, checked)
        if not self._all_began:
            self._all_began = bool(self.store.rows["episode"].min() >= 0)

    def view(self, index: NDArray[np.int64], players: NDArray[np.int8] | None = None) -> None:
        """Write `observation` and `action_mask` of rows `index` for some players; for those who are to choose if left out."""
        checked = self._check_index(index)
        if players is None:
            seen_by = np.maximum(self.current_player[checked], 0)
        else:
            seen_by = np.asarray(players, np.int8)
            if seen_by.shape != checked.shape or not np.all((seen_by == 0) | (seen_by == 1)):
                raise ConfigError("players: expected 0 or 1 for each row")
        loops.view_rows(self.store, checked, seen_by)

    def step(self, actions: ArrayLike) -> int:
        """One decision in every row.

        Args:
            actions: integers (B,); ignored in rows whose duel is over.

        Returns:
            how many duels the step ended.

        Raises:
            InvalidActionError: not an array of B integers.
            IllegalActionError: with `illegal_action="raise"`; nothing is played then.
            UsageError: a row that has no duel yet.
        """
        self.require_duels()
        checked = self.check_actions(actions)
        if self.illegal_action == "raise":
            self.refuse_illegal(checked)
        fused_step = loops.duel_step_parallel if self.uses_threads else loops.duel_step
        ended: int = fused_step(self.store, checked, self.autoreset_code)
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
        checked = self._check_index(index)
        if np.shape(actions) != checked.shape:
            raise InvalidActionError(
                f"expected {len(checked)} actions, one for each row of the index, not shape {np.shape(actions)}"
            )
        loops.play_rows(self.store, checked, np.asarray(actions, np.int64))

    def report(self, index: NDArray[np.int64]) -> None:
        """Write rewards and end flags of rows `index`."""
        loops.report_rows(self.store, self._check_index(index))

    def sample(self, index: NDArray[np.int64], probabilities: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
        """Sample an action (int64 (K,)) for rows index[k] from probabilities (K, A), with each row's own random stream."""
        checked = self._check_index(index)
        if np.shape(probabilities) != (len(checked), self.game.num_actions):
            raise SchemaError(f"expected probabilities {(len(checked), self.game.num_actions)}, not {np.shape(probabilities)}")
        actions = np.empty(len(checked), np.int64)
        loops.sample_rows(self.store, checked, np.ascontiguousarray(probabilities, np.float64), actions)
        return actions

    def duel(self, row: int) -> Duel:
        """The duel of a row as it stands, as a copy; it knows nothing of the dice to come.

        Raises:
            UsageError: no duel was begun in that row.
        """
        self._check_row(row)
        found = self.store.rows[row]
        if found["episode"] < 0:
            raise UsageError(f"row {row} has no duel yet: call reset first")
        if isinstance(self.store, KernelStore):
            return Duel.of(self.game, self.store.states[row], self.store.sheets[row])
        if isinstance(self.store, CupStore):
            return Duel.of(self.game, self.game.open_state(self.store.states[row]), self.store.sheets[row])
        state = self.game.graph.states[found["node"]].copy()
        duel = Duel.of(self.game, state, self.store.sheets[row])
        duel.state["round"] = found["round"]
        if found["forfeited"]:
            duel.forfeit()
        elif found["cut_short"]:
            duel.cut_short()
        return duel

    def _check_row(self, row: int) -> None:
        if not isinstance(row, int | np.integer) or not 0 <= row < self.num_envs:
            raise ConfigError(f"row = {row!r}: expected 0 to {self.num_envs - 1}")

    def events(self, row: int) -> NDArray[np.int32]:
        """Events of the last step in a row, int32 (n, 3): see `stores.CHOICE` and `stores.ROLL`."""
        self._check_row(row)
        count = int(self.store.rows["num_events"][row])
        if count > self.store.trace.shape[1]:
            raise UsageError(f"{count} events in one step, but room for {self.store.trace.shape[1]}: raise num_events")
        return self.store.trace[row, :count]

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Everything that changes, as copies; `restore` goes back to it, and the duels go on with the same dice."""
        return {name: np.copy(getattr(self.store, name)) for name in changing_fields(self.store)}

    def restore(self, snapshot: dict[str, NDArray[Any]]) -> None:
        """Go back to a snapshot of a batch of the same game, size and engine.

        Raises:
            SchemaError: it is of another kind of batch, or holds what no play leads to; the batch stays as it is.
        """
        names = changing_fields(self.store)
        if not isinstance(snapshot, dict):
            raise SchemaError(f"a snapshot is a dict of arrays, not {type(snapshot).__name__}")
        for name in names:
            current = getattr(self.store, name)
            given = snapshot.get(name)
            if not isinstance(given, np.ndarray) or given.shape != current.shape or given.dtype != current.dtype:
                raise SchemaError(f"the snapshot does not fit this batch: {name} differs")
        check_snapshot(self.game, self.store, snapshot)
        for name in names:
            getattr(self.store, name)[...] = snapshot[name]
        self._seeded[:] = True
        self._all_began = bool(self.store.rows["episode"].min() >= 0)


def _remake(
    kind: type[DuelBatch],
    game: Game,
    num_envs: int,
    setup: NDArray[np.void],
    settings: dict[str, Any],
    snapshot: dict[str, NDArray[Any]],
    seeded: NDArray[np.bool_],
) -> DuelBatch:
    batch = kind(game, num_envs, setup, **settings)
    batch.restore(snapshot)
    batch._seeded[:] = seeded
    return batch
