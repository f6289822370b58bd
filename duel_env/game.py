"""A game: one ruleset with its options fixed, and what is derived from them once."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from duel_env.config import Settings, load, shown
from duel_env.errors import ConfigError, SchemaError
from duel_env.observation import Feature
from duel_env.rules.graph import StateGraph, build_graph
from duel_env.rules.stores import NOBODY, ROW, CupStore, KernelStore, TableStore
from duel_env.rules.table import build_table, num_state_features, start_states

NUM_PLAYERS = 2
TABLE_LIMIT = 400_000
"""Largest state graph, in nodes, that is put into a table unasked; about 100 bytes a node."""

Engine = Literal["auto", "table", "kernel"]

_RULESETS = {
    "hogwarts": "duel_env.rules.hogwarts.ruleset:HOGWARTS",
    "pathfinder": "duel_env.rules.pathfinder.ruleset:PATHFINDER",
}


class Action(NamedTuple):
    """One action: its id for programs and its names for people."""

    id: str
    en: str
    fr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """What a ruleset gives besides its registered kernels.

    Attributes:
        name, version: as in the environment id; the version counts changes of behaviour.
        observation_version: counts changes of the observation's layout.
        options_model, setup_model: the settings that people write.
        state_dtype, sheet_dtype, rules_dtype, setup_dtype: the records of the kernels.
        num_starts: how many ways to begin there are (see `protocol.initial_state`).
        rules_record: options -> RULES (1,); with `unlimited=True` without a round limit.
        setup_record: set-up -> SETUP (1,).
        actions, layout: options -> what the action ids and the observation's indices mean.
        read_observation: kernel that rebuilds state and sheets from an observation, for agents that look ahead; None: it hides too much.
        is_fixed: SETUP (1,) -> whether it leaves nothing to chance but dice.
        check_records: (game, STATE (1,), SHEET (2,)) -> None, or a SchemaError for records that no play reaches.
        describe_event, describe_state: text for people; see `story`.
        perfect_information: options -> whether both players see everything.
        is_enumerable: whether the state graph is the same for all sheets, so that it can be put into a table.
        load_kernels: registers the kernels, before the first is called; what takes long to compile should wait until then.
        core_dtype, cup_dtype: of a ruleset whose kernel takes its dice out of a cup, the state without dice, and the cup; else None.
        at_decision: of such a ruleset, record of `core_dtype` -> STATE (1,) of a duel without dice that are due; else None.
    """

    name: str
    version: int
    observation_version: int
    options_model: type[Settings]
    setup_model: type[Settings]
    state_dtype: np.dtype[Any]
    sheet_dtype: np.dtype[Any]
    rules_dtype: np.dtype[Any]
    setup_dtype: np.dtype[Any]
    num_starts: int
    rules_record: Callable[..., NDArray[np.void]]
    setup_record: Callable[[Any], NDArray[np.void]]
    actions: Callable[[Any], Sequence[Action]]
    layout: Callable[[Any], tuple[Feature, ...]]
    read_observation: Callable[..., None] | None
    is_fixed: Callable[[NDArray[np.void]], bool]
    check_records: Callable[..., None]
    describe_event: Callable[..., str]
    describe_state: Callable[..., str]
    perfect_information: Callable[[Any], bool]
    is_enumerable: bool = True
    load_kernels: Callable[[], None] = lambda: None
    core_dtype: np.dtype[Any] | None = None
    cup_dtype: np.dtype[Any] | None = None
    at_decision: Callable[[Any], NDArray[np.void]] | None = None


def find_ruleset(name: str) -> Ruleset:
    """The ruleset of that name.

    Raises:
        ConfigError: there is none; the message lists those there are.
    """
    if not isinstance(name, str) or name not in _RULESETS:
        raise ConfigError(f"unknown ruleset {shown(name)!r}; available: {', '.join(sorted(_RULESETS))}")
    module, _, attribute = _RULESETS[name].partition(":")
    found: Ruleset = getattr(import_module(module), attribute)
    return found


def ruleset_names() -> tuple[str, ...]:
    """Names of all rulesets."""
    return tuple(sorted(_RULESETS))


class Game:
    """A ruleset with its options fixed.

    Attributes:
        ruleset: the ruleset.
        options: its options, checked.
        rules: RULES (1,) of these options.
        actions: Action per action id; A of them.
        layout: Feature per index of the observation; D of them.
    """

    def __init__(self, ruleset: Ruleset, options: Settings) -> None:
        self.ruleset = ruleset
        self.options = options
        self.rules = ruleset.rules_record(options)
        self.rules.flags.writeable = False
        self.actions: tuple[Action, ...] = tuple(ruleset.actions(options))
        self.layout = ruleset.layout(options)
        self._action_numbers = {action.id: number for number, action in enumerate(self.actions)}

    @property
    def num_actions(self) -> int:
        """A."""
        return len(self.actions)

    @property
    def observation_size(self) -> int:
        """D."""
        return len(self.layout)

    @cached_property
    def digest(self) -> str:
        """Names these rules: a hash of ruleset, version, layout version and all options, the spells included."""
        content = [self.ruleset.name, self.ruleset.version, self.ruleset.observation_version, self.options_json()]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    def options_json(self) -> dict[str, Any]:
        """The options as JSON values; `make_game(name, this)` gives the same game."""
        return self.options.model_dump(mode="json")

    def action_number(self, action: str) -> int:
        """The number of an action id.

        Raises:
            ConfigError: there is no such action; the message lists those there are.
        """
        if action not in self._action_numbers:
            raise ConfigError(f"unknown action {shown(action)!r}; these rules have {', '.join(self._action_numbers)}")
        return self._action_numbers[action]

    def setup(self, settings: Settings | None = None) -> NDArray[np.void]:
        """SETUP (1,) of some set-up settings, the defaults without any.

        Raises:
            ConfigError: not the settings of this ruleset's set-up.
        """
        model = self.ruleset.setup_model
        if settings is not None and not isinstance(settings, model):
            raise ConfigError(
                f"setup: expected {model.__name__} settings, not {type(settings).__name__}; see make_game_and_setup"
            )
        return self.ruleset.setup_record(settings or self.ruleset.setup_model())

    @cached_property
    def graph(self) -> StateGraph:
        """All nodes that play can reach, without a round limit.

        Raises:
            ConfigError: there are too many.
        """
        if not self.ruleset.is_enumerable:
            raise ConfigError(
                f"duels of {self.ruleset.name} depend on the duelists: their states cannot be enumerated for all of them"
            )
        rules = self.ruleset.rules_record(self.options, unlimited=True)
        starts = start_states(self.ruleset.state_dtype, self.ruleset.num_starts, rules, self._any_sheets)
        return build_graph(starts, rules, self._any_sheets, self.num_actions, TABLE_LIMIT)

    def open_state(self, core: Any) -> NDArray[np.void]:
        """STATE (1,) of a duel at a decision or over, from its record in a `CupStore`."""
        at_decision = self.ruleset.at_decision
        if at_decision is None:
            raise ConfigError(f"duels of {self.ruleset.name} are not kept without their dice")
        return at_decision(core)

    @property
    def _any_sheets(self) -> NDArray[np.void]:
        """SHEET (2,) for a graph that is the same for all duelists."""
        return np.zeros(NUM_PLAYERS, self.ruleset.sheet_dtype)

    @cached_property
    def table(self) -> tuple[NDArray[Any], ...] | None:
        """The last seven fields of a `TableStore`; None when the graph is too large for one."""
        try:
            return build_table(self.graph, self.rules, self._any_sheets, self.num_actions)
        except ConfigError:
            return None

    def check_setup(self, setup: Any) -> NDArray[np.void]:
        """A set-up record as it came, or the default one for None.

        Raises:
            ConfigError: it is something else.
        """
        if setup is None:
            return self.setup()
        if not isinstance(setup, np.ndarray) or setup.dtype != self.ruleset.setup_dtype or setup.shape != (1,):
            raise ConfigError("setup: expected what Game.setup or make_game_and_setup gives")
        return setup

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Itself: a game never changes."""
        return self

    def __copy__(self) -> Self:
        """Itself: a game never changes."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """A game is its ruleset's name and its options."""
        return make_game, (self.ruleset.name, self.options_json())

    def new_store(
        self, num_envs: int, setup: NDArray[np.void], engine: Engine = "auto", num_events: int = 0
    ) -> KernelStore | TableStore | CupStore:
        """Rows for `num_envs` duels, none of them begun.

        Args:
            num_envs: B.
            setup: SETUP (1,).
            engine: `table` or `kernel`; `auto` takes the table if the rules are small enough for one. Both behave alike.
            num_events: E, room for the trace of one step.

        Raises:
            ConfigError: a table is asked for, and the rules are too large.
        """
        if engine not in ("auto", "table", "kernel"):
            raise ConfigError(f"engine = {engine!r}: expected auto, table or kernel")
        rows = np.zeros(num_envs, ROW)
        rows["episode"] = -1
        rows["current_player"] = NOBODY
        rows["winner"] = NOBODY
        rows["over"] = 1  # there is no duel yet that could be played
        self.ruleset.load_kernels()
        num_sheet_features = self.observation_size - num_state_features(self.rules)
        common = (
            rows,
            np.zeros((num_envs, NUM_PLAYERS), self.ruleset.sheet_dtype),
            np.zeros((num_envs, NUM_PLAYERS, num_sheet_features), np.float32),
            np.zeros((num_envs, self.observation_size), np.float32),
            np.zeros((num_envs, self.num_actions), np.int8),
            np.zeros((num_envs, num_events, 3), np.int32),
            self.rules,
            setup,
        )
        if engine != "kernel" and self.table is not None:
            return TableStore(*common, *self.table)
        if engine == "table":
            raise ConfigError(f"engine = 'table': these rules have more than {TABLE_LIMIT:,} states; use 'kernel'")
        if self.ruleset.core_dtype is not None:
            states, cups = np.zeros(num_envs, self.ruleset.core_dtype), np.zeros(num_envs, self.ruleset.cup_dtype)
            return CupStore(*common, states, cups, np.zeros(1, self.ruleset.core_dtype))
        return KernelStore(*common, np.zeros(num_envs, self.ruleset.state_dtype))


@lru_cache(maxsize=64)
def _make_game(ruleset: Ruleset, options: Settings) -> Game:
    return Game(ruleset, options)


def make_game(ruleset: str, options: dict[str, Any] | None = None, where: str = "options") -> Game:
    """The game of a ruleset and options; equal ones share one object and its tables.

    Args:
        ruleset: name of the ruleset.
        options: as in the ruleset's option table; what is left out has its default.
        where: what the options are called in an error message.

    Raises:
        ConfigError: an unknown ruleset, option or value.
    """
    found = find_ruleset(ruleset)
    return _make_game(found, load(found.options_model, _table(options, where), where))


def make_recorded_game(ruleset: str, options: Any, where: str) -> Game:
    """As `make_game`, for options that a data file holds: none of them may name another file, which would then be opened.

    Raises:
        SchemaError: options that are not a table, or that name a file.
        ConfigError: as in `make_game`.
    """
    if not isinstance(options, dict):
        raise SchemaError(f"{where}: expected a table of options")
    if isinstance(options.get("spells"), str):
        raise SchemaError(f"{where}: spells: a data file holds the list of spells itself, not the path of one")
    return make_game(ruleset, options, where)


def _table(values: Any, where: str) -> dict[str, Any]:
    """Settings as a table with text keys.

    Raises:
        ConfigError: they are something else.
    """
    if values is None:
        return {}
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise ConfigError(f"{where}: expected a table of settings by name, not {shown(values)}")
    return values


def make_game_and_setup(ruleset: str, settings: dict[str, Any], where: str = "settings") -> tuple[Game, NDArray[np.void]]:
    """Game and SETUP (1,) from one flat table of settings: options of the rules and of the set-up together.

    Raises:
        ConfigError: an unknown ruleset, key or value; the message lists the keys of both kinds.
    """
    found = find_ruleset(ruleset)
    setup_keys, option_keys = found.setup_model.model_fields, found.options_model.model_fields
    settings = _table(settings, where)
    unknown = sorted(set(settings) - set(setup_keys) - set(option_keys))
    if unknown:
        allowed = ", ".join([*setup_keys, *option_keys])
        raise ConfigError(f"{where}: unknown key {', '.join(map(shown, unknown))}; allowed: {allowed}")
    game = make_game(ruleset, {key: settings[key] for key in settings if key in option_keys}, where)
    setup = load(found.setup_model, {key: settings[key] for key in settings if key in setup_keys}, where)
    return game, game.setup(setup)
