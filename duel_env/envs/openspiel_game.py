"""Duels as games of OpenSpiel (https://github.com/google-deepmind/open_spiel), for its solvers and learners: dice are chance nodes.

Importing this module registers `python_duel_env_hogwarts` (and so on, one game for each ruleset) with OpenSpiel.
"""

from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from duel_env.config import load, shown
from duel_env.duel import Duel
from duel_env.envs.openspiel_bounds import PlayBounds, longest_play
from duel_env.envs.openspiel_parameters import (
    Parameter,
    parameter_specification,
    parameters_from_settings,
    settings_from_parameters,
)
from duel_env.errors import ConfigError
from duel_env.game import NUM_PLAYERS, Game, Ruleset, find_ruleset, make_game_and_setup, ruleset_names
from duel_env.rules import single

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "the games of OpenSpiel need the extra 'openspiel': pip install 'duel-env[openspiel]'", name=error.name
    ) from error

PREFIX: Final = "python_duel_env_"
_BOUNDS: Final = "play_bounds"
_MAX_HISTORY: Final = 2**31 - 1
"""OpenSpiel counts the entries of a tensor in 32 bits."""
_MAX_DIGITS: Final = 10


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel ships no types
    """A duel between two given sheets.

    * Players choose among the actions of the ruleset; each die is a chance node with the outcomes of `Duel.chance_outcomes`, those
      that cannot happen left out. What is illegal cannot be played: nobody is disqualified here.
    * Returns are +1 / -1, or 0 for a draw and for a duel that the round limit cuts short. The limit is a part of this game: the
      round is in the state, and perfect play depends on it.
    * `observation_tensor` is the observation of the environments, float32 (D,). `information_state_tensor` adds the history, one row
      for each choice or die that there can be, (choices + dice, A + K): nothing is forgotten. Both are given for both players.
    * Skills are given. A set-up that draws them is refused: its chance node would have as many branches as there are pairs of sheets.
      So with a hidden skill the game is declared to be one of imperfect information, and neither tensors nor texts for a player tell
      the opponent's skill, but solvers that walk the tree solve the duel between these two sheets, whoever knows them.
    * All choices and dice are public.

    OpenSpiel writes the states of games in Python as pickles (`State.serialize`): read none that comes from somebody else.
    """

    def __init__(self, ruleset: str = "hogwarts", *, play_bounds: tuple[int, int, int] | None = None, **settings: Any) -> None:
        """Make a game.

        Args:
            ruleset, **settings: as in `DuelEnv`.
            play_bounds: most choices of both players in a duel, dice in a duel, outcomes of a die (see `PlayBounds`); for rules with
                too many states to find that out.

        Raises:
            ConfigError: a setting that is not accepted; skills that are drawn; rules that need `play_bounds`; bounds beyond 32 bits.
        """
        game, setup = make_game_and_setup(ruleset, settings)
        if not game.ruleset.is_fixed(setup):
            raise ConfigError("an OpenSpiel game is a duel between two given sheets: skills are numbers here, not ranges")
        duel = Duel(game, setup)
        bounds = _bounds(game, duel, play_bounds)
        chosen = {key: value for key, value in settings.items() if key in game.ruleset.setup_model.model_fields}
        parameters = parameters_from_settings(game.ruleset, load(game.ruleset.setup_model, chosen, "settings"), game.options)
        if play_bounds is not None:
            parameters[_BOUNDS] = ";".join(map(str, bounds))
        super().__init__(_game_type(game.ruleset, game.options), _game_info(game, bounds), parameters)
        self.bounds = bounds
        self.start = _Position(duel)

    def new_initial_state(self) -> "OpenSpielState":
        """The start of the duel."""
        return OpenSpielState(self, self.start)

    def max_chance_nodes_in_history(self) -> int:
        """Most dice of one duel."""
        return self.bounds.dice

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "OpenSpielObserver":
        """What writes a player's view of a state.

        Raises:
            ConfigError: a kind of view that there is none of.
        """
        if params:
            raise ConfigError(f"observers of duels have no parameters, but got {shown(params)}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ConfigError("observers of duels show what is public and what a single player knows, nothing less or more")
        return OpenSpielObserver(self.start.duel.game, self.bounds, kind.perfect_recall)


class OpenSpielState(pyspiel.State):  # type: ignore[misc]
    """A state of a duel. It keeps no reference to its game in Python, which OpenSpiel's copies would lose."""

    def __init__(self, game: OpenSpielGame, position: "_Position") -> None:
        """Made by `OpenSpielGame.new_initial_state`."""
        super().__init__(game)
        self._position = position

    @property
    def duel(self) -> Duel:
        """A copy of the duel as it stands."""
        return self._position.duel.copy()

    def current_player(self) -> int:
        """Who is to choose, `PlayerId.CHANCE` where a die is due, `PlayerId.TERMINAL` at the end."""
        return self._position.player

    def is_terminal(self) -> bool:
        """Whether the duel is over."""
        return self._position.duel.is_over

    def _legal_actions(self, player: int) -> list[int]:
        return self._position.legal_actions

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes of the due die that can happen, and their probabilities."""
        return list(self._position.chance_outcomes)

    def _apply_action(self, action: int) -> None:
        duel = self._position.duel.copy()
        if duel.die is None:
            duel.apply_action(action)
        else:
            duel.apply_chance(action)
        self._position = _Position(duel)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return self._position.outcome_names[action]
        return self._position.duel.game.actions[action].id

    def returns(self) -> list[float]:
        """Return of each player so far: 0 before the end."""
        return list(self._position.duel.returns())

    def __str__(self) -> str:
        return self._position.text

    def write_observation(self, player: int) -> NDArray[np.float32]:
        """What a player sees, float32 (D,)."""
        return self._position.duel.observation(player)


class OpenSpielObserver:
    """Writes a player's view of a state, as OpenSpiel's `PyObserver` interface has it.

    Attributes:
        tensor: float32, everything in `dict` one after the other.
        dict: views of the tensor: `observation` (D,), and with perfect recall `history` (choices + dice, A + K): one row for each
            choice or die so far, with a 1 for the action, or after the actions for the outcome.
    """

    def __init__(self, game: Game, bounds: PlayBounds, perfect_recall: bool) -> None:
        """Made by `OpenSpielGame.make_py_observer`."""
        self._game = game
        self._perfect_recall = perfect_recall
        shapes: dict[str, tuple[int, ...]] = {"observation": (game.observation_size,)}
        if perfect_recall:
            shapes["history"] = (bounds.choices + bounds.dice, game.num_actions + bounds.outcomes)
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in shapes.values()), np.float32)
        self.dict: dict[str, NDArray[np.float32]] = {}
        at = 0
        for name, shape in shapes.items():
            size = int(np.prod(shape))
            self.dict[name] = self.tensor[at : at + size].reshape(shape)
            at += size

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write what a player sees, and with perfect recall everything that led there, into `tensor`."""
        self.dict["observation"][:] = state.write_observation(player)
        if self._perfect_recall:
            history, events = self.dict["history"], state.full_history()
            if len(events) > len(history):
                raise ConfigError(f"{_BOUNDS}: a duel has more choices and dice than that, {len(events)}")
            history[:] = 0.0
            for row, event in enumerate(events):
                shift = self._game.num_actions if event.player == pyspiel.PlayerId.CHANCE else 0
                history[row, shift + event.action] = 1.0

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """The features that a player sees and that are not 0; with perfect recall the history instead: actions, and outcomes by number."""
        if self._perfect_recall:
            events = (
                str(event.action) if event.player == pyspiel.PlayerId.CHANCE else self._game.actions[event.action].id
                for event in state.full_history()
            )
            return " ".join([f"player_{player}", *events])
        values = state.write_observation(player).tolist()
        features = zip(self._game.layout, values, strict=True)
        return " ".join(f"{feature.name}={value:g}" for feature, value in features if value)


class _Position:
    """A duel that is never changed, and what is asked of it again and again: states share it instead of copying it."""

    def __init__(self, duel: Duel) -> None:
        self.duel = duel
        self.player: int = duel.current_player
        if duel.is_over:
            self.player = int(pyspiel.PlayerId.TERMINAL)
        elif duel.die is not None:
            self.player = int(pyspiel.PlayerId.CHANCE)

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Position":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _Position, (self.duel,)

    @cached_property
    def legal_actions(self) -> list[int]:
        actions: list[int] = self.duel.legal_actions().tolist()
        return actions

    @cached_property
    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(outcome, chance) for outcome, chance in enumerate(self.duel.chance_outcomes().tolist()) if chance > 0.0]

    @cached_property
    def outcome_names(self) -> list[str]:
        """What the die shows for each outcome, such as `d100 61-100`."""
        die, duel = self.duel.die, self.duel
        assert die is not None
        faces: list[list[int]] = [[] for _ in duel.chance_outcomes()]
        for face in range(1, die.sides + 1):
            faces[single.face_outcome(duel.state, duel.game.rules, duel.sheets, face)].append(face)
        return [f"d{die.sides} {_ranges(shown_faces)}" for shown_faces in faces]

    @cached_property
    def text(self) -> str:
        """Where the duelists stand, and all fields of the record: no two states have the same text."""
        state = self.duel.state[0]
        fields = " ".join(f"{name}={_plain(state[name])}" for name in state.dtype.names if name != "reserved")
        return f"{self.duel.game.ruleset.describe_state(self.duel, 'en')}\n{fields}"


def _plain(value: Any) -> str:
    return ",".join(map(str, np.atleast_1d(value).tolist()))


def _ranges(numbers: list[int]) -> str:
    """Ascending numbers in short: 1-60, or never when there are none."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ",".join("-".join(map(str, part)) for part in parts) or "never"


def _bounds(game: Game, duel: Duel, given: Any) -> PlayBounds:
    if given is None:
        try:
            return longest_play(game, duel.state, game.options_json()["max_rounds"])
        except ConfigError as error:
            raise ConfigError(f"{error}; say how long a duel can be: {_BOUNDS}") from error
    if not isinstance(given, tuple | list) or len(given) != 3 or not all(type(number) is int and number >= 1 for number in given):
        raise ConfigError(f"{_BOUNDS} = {shown(given)}: expected most choices, dice, outcomes of a die: positive integers")
    rows, columns = given[0] + given[1], game.num_actions + given[2]
    if rows * columns > _MAX_HISTORY:
        raise ConfigError(
            f"{_BOUNDS} = {shown(given)}: a history would have {shown(rows * columns)} entries, (choices + dice) times (actions"
            f" + outcomes); expected at most {_MAX_HISTORY:,}"
        )
    return PlayBounds(*given)


def _game_type(ruleset: Ruleset, options: Any) -> Any:
    perfect = ruleset.perfect_information(options)
    kinds = pyspiel.GameType.Information
    return pyspiel.GameType(
        short_name=PREFIX + ruleset.name,
        long_name=f"Wizard duel ({ruleset.name})",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.PERFECT_INFORMATION if perfect else kinds.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=NUM_PLAYERS,
        min_num_players=NUM_PLAYERS,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=False,
        parameter_specification={**parameter_specification(ruleset), _BOUNDS: ""},
    )


def _game_info(game: Game, bounds: PlayBounds) -> Any:
    return pyspiel.GameInfo(
        num_distinct_actions=game.num_actions,
        max_chance_outcomes=bounds.outcomes,
        num_players=NUM_PLAYERS,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=bounds.choices,
    )


class _RegisteredGame(OpenSpielGame):
    """What `pyspiel.load_game` makes: the settings are parameters of the game."""

    ruleset_name: ClassVar[str]

    def __init__(self, params: dict[str, Parameter] | None = None) -> None:
        given = dict(params or {})
        text = given.pop(_BOUNDS, "")
        bounds: Any = (
            tuple(int(part) if part.isdecimal() and len(part) <= _MAX_DIGITS else part for part in str(text).split(";"))
            if text
            else None
        )
        settings = settings_from_parameters(find_ruleset(self.ruleset_name), given)
        super().__init__(self.ruleset_name, play_bounds=bounds, **settings)


def _register() -> None:
    """One game for each ruleset. OpenSpiel is given classes: a function that it is the last to hold makes it abort at exit."""
    for name in ruleset_names():
        ruleset = find_ruleset(name)
        pyspiel.register_game(
            _game_type(ruleset, ruleset.options_model()), type(f"{name.title()}Game", (_RegisteredGame,), {"ruleset_name": name})
        )


_register()
