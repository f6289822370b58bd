"""One duel with its dice in the open: for search, tests, replays, and anyone who wants to look inside."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from duel_env.config import shown
from duel_env.errors import (
    ConfigError,
    DuelError,
    IllegalActionError,
    InvalidActionError,
    InvalidRollError,
    SchemaError,
    UsageError,
)
from duel_env.game import NUM_PLAYERS, Game, make_recorded_game
from duel_env.records import record_from_json, record_to_json
from duel_env.rules import single
from duel_env.rules.graph import CHANCE, PLAYER, TERMINAL
from duel_env.rules.rng import SETUP, keys_from_seeds, stream_position
from duel_env.seeds import check_seed

STATE_FORMAT = "duel_env/state"
STATE_FORMAT_VERSION = 1


class Die(NamedTuple):
    """A die that is due, or several that are thrown together.

    Attributes:
        sides: faces of each are 1..sides.
        roller: the player who throws it; -1 for the coin of initiative.
        action: the action it is thrown for; -1 for the coin.
        dice: how many; what is rolled is their sum.
    """

    sides: int
    roller: int
    action: int
    dice: int = 1


class Duel:
    """A state, the two sheets and the game they belong to. Nothing in here is random: whoever holds the duel gives the dice.

    At any moment one of three things holds: `current_player` is to choose (`apply_action`), a die is due (`die`, `roll` or
    `apply_chance`), or the duel `is_over`. Duels can be copied, compared, hashed, and written to JSON and back.

    Attributes:
        game: the rules.
        state: STATE (1,).
        sheets: SHEET (2,).
    """

    def __init__(self, game: Game, setup: NDArray[np.void] | None = None, seed: int = 0) -> None:
        """Begin a duel.

        Args:
            game: the rules.
            setup: SETUP (1,), from `game.setup`; the ruleset's defaults if left out.
            seed: decides what the set-up leaves to chance (skills that are drawn from a range), as in an environment with this seed.

        Raises:
            ConfigError: an argument that is not accepted.
        """
        if not isinstance(game, Game):
            raise ConfigError(f"game: expected what make_game gives, not {type(game).__name__}")
        game.ruleset.load_kernels()
        self.game = game
        self.state = np.zeros(1, game.ruleset.state_dtype)
        self.sheets = np.zeros(NUM_PLAYERS, game.ruleset.sheet_dtype)
        setup = game.check_setup(setup)
        key = keys_from_seeds(np.array([check_seed(seed)], np.uint64))[0]
        single.draw(self.sheets, setup, np.uint64(stream_position(key, 0, SETUP)))
        single.start(self.state, self.sheets, game.rules, setup)

    @classmethod
    def begin(cls, game: Game, setup: NDArray[np.void], sheets: NDArray[np.void]) -> Self:
        """A duel between two given sheets, SHEET (2,), that begins as the set-up says."""
        duel = cls.of(game, np.zeros(1, game.ruleset.state_dtype), sheets)
        single.start(duel.state, duel.sheets, game.rules, setup)
        return duel

    @classmethod
    def of(cls, game: Game, state: NDArray[np.void], sheets: NDArray[np.void]) -> Self:
        """A duel in a given state: STATE record or (1,), SHEET (2,); both are copied."""
        game.ruleset.load_kernels()
        duel = cls.__new__(cls)
        duel.game = game
        duel.state = np.array(state, game.ruleset.state_dtype).reshape(1)
        duel.sheets = np.array(sheets, game.ruleset.sheet_dtype).reshape(NUM_PLAYERS)
        return duel

    def copy(self) -> Self:
        """An independent duel in the same state."""
        return self.of(self.game, self.state, self.sheets)

    __copy__ = copy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Duel) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[str, bytes, bytes]:
        return self.game.digest, self.state.tobytes(), self.sheets.tobytes()

    @property
    def is_over(self) -> bool:
        """Whether the duel is over."""
        return bool(self.state["node"][0] == TERMINAL)

    @property
    def current_player(self) -> int:
        """Who is to choose, 0 or 1; -1 when a die is due or the duel is over."""
        return int(self.state["current_player"][0]) if self.state["node"][0] == PLAYER else -1

    @property
    def is_truncated(self) -> bool:
        """Whether the duel was cut short by the round limit."""
        return bool(single.end_flags(self.state)[0])

    @property
    def is_disqualified(self) -> bool:
        """Whether the loser was disqualified."""
        return bool(single.end_flags(self.state)[1])

    def action_mask(self) -> NDArray[np.int8]:
        """int8 (A,), 1 = legal for `current_player`; all 0 when nobody is to choose."""
        mask = np.zeros(self.game.num_actions, np.int8)
        single.write_mask(self.state, self.game.rules, self.sheets, mask)
        return mask

    def legal_actions(self) -> NDArray[np.int64]:
        """The legal actions in ascending order, int64."""
        return np.flatnonzero(self.action_mask())

    def apply_action(self, action: int) -> None:
        """Play an action of `current_player`, up to the next choice, die or end.

        Raises:
            UsageError: nobody is to choose.
            InvalidActionError: not an integer.
            IllegalActionError: not legal here; nothing is played.
        """
        if not isinstance(action, int | np.integer) or isinstance(action, bool):
            raise InvalidActionError(f"action {action!r} is not an integer")
        if self.current_player < 0:
            raise UsageError("nobody is to choose: the duel is over" if self.is_over else "nobody is to choose: a die is due")
        mask = self.action_mask()
        if not 0 <= action < len(mask) or mask[action] == 0:
            raise IllegalActionError(illegal_action_message(self.game, int(action), self.current_player, mask))
        single.act(self.state, self.game.rules, self.sheets, int(action))

    def forfeit(self) -> None:
        """Disqualify `current_player`, as an action that is not on the list does.

        Raises:
            UsageError: nobody is to choose.
        """
        if self.current_player < 0:
            raise UsageError("nobody is to choose, so that nobody can be disqualified")
        single.forfeit(self.state)

    def cut_short(self) -> None:
        """End the duel as a draw because of the round limit."""
        single.cut_short(self.state)

    @property
    def die(self) -> Die | None:
        """The die that is due, None when there is none."""
        if self.state["node"][0] != CHANCE:
            return None
        found = np.zeros(4, np.int64)
        single.describe_die(self.state, found)
        return Die(*found.tolist())

    def chance_outcomes(self) -> NDArray[np.float64]:
        """Probabilities of the outcomes 0..K-1 of the due die, float64 (K,); many faces may share an outcome.

        Raises:
            UsageError: no die is due.
        """
        self._require_die()
        probability = np.zeros(single.count_outcomes(self.state))
        return probability[: single.write_outcomes(self.state, self.game.rules, self.sheets, probability)]

    def apply_chance(self, outcome: int) -> None:
        """Settle the due die by an outcome.

        Raises:
            UsageError: no die is due.
            InvalidRollError: the die has no such outcome.
        """
        count = len(self.chance_outcomes())
        if not isinstance(outcome, int | np.integer) or isinstance(outcome, bool) or not 0 <= outcome < count:
            raise InvalidRollError(f"outcome {shown(outcome)}: the due die has outcomes 0..{count - 1}")
        single.settle(self.state, self.game.rules, self.sheets, int(outcome))

    def roll(self, face: int) -> None:
        """Settle the due die by the face it shows, or several dice by their sum.

        Raises:
            UsageError: no die is due.
            InvalidRollError: the die has no such face.
        """
        die = self._require_die()
        if not isinstance(face, int | np.integer) or isinstance(face, bool) or not die.dice <= face <= die.dice * die.sides:
            what = f"the due die has faces 1..{die.sides}"
            if die.dice > 1:
                what = f"{die.dice} dice with {die.sides} faces are due: their sum is {die.dice}..{die.dice * die.sides}"
            raise InvalidRollError(f"face {shown(face)}: {what}")
        outcome = single.face_outcome(self.state, self.game.rules, self.sheets, int(face))
        single.settle(self.state, self.game.rules, self.sheets, outcome)

    def _require_die(self) -> Die:
        die = self.die
        if die is None:
            raise UsageError("no die is due: the duel is over" if self.is_over else "no die is due: a player is to choose")
        return die

    def returns(self) -> tuple[float, float]:
        """Return of each player: +1.0, -1.0, or 0.0 for a draw and for a duel that is not over; they sum to 0."""
        return float(single.return_of(self.state, 0)), float(single.return_of(self.state, 1))

    def observation(self, player: int) -> NDArray[np.float32]:
        """What a player may know, float32 (D,).

        Raises:
            ConfigError: no such player.
        """
        if player not in range(NUM_PLAYERS):
            raise ConfigError(f"player = {player!r}: expected 0 or 1")
        out = np.zeros(self.game.observation_size, np.float32)
        single.observe(self.state, self.game.rules, self.sheets, player, out)
        return out

    def to_json(self) -> dict[str, Any]:
        """The duel as JSON values: the ruleset, its options and their digest, the sheets and the state."""
        return {
            "format": STATE_FORMAT,
            "version": STATE_FORMAT_VERSION,
            "ruleset": self.game.ruleset.name,
            "options": self.game.options_json(),
            "digest": self.game.digest,
            "sheets": [record_to_json(sheet) for sheet in self.sheets],
            "state": record_to_json(self.state[0]),
        }

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """The duel that `to_json` wrote.

        Raises:
            SchemaError: a part that is missing, of another version or rules, out of range, or a state that no play reaches.
        """
        if not isinstance(value, dict) or value.get("format") != STATE_FORMAT:
            raise SchemaError(f"not a state of a duel: expected a JSON object with format {STATE_FORMAT!r}")
        if value.get("version") != STATE_FORMAT_VERSION:
            raise SchemaError(f"state version {shown(value.get('version'))}: this program reads version {STATE_FORMAT_VERSION}")
        missing = [key for key in ("ruleset", "options", "sheets", "state") if key not in value]
        if missing:
            raise SchemaError(f"the state lacks {', '.join(missing)}")
        if not isinstance(value["options"], dict) or not isinstance(value["ruleset"], str):
            raise SchemaError("the state's ruleset is a string and its options are an object")
        try:
            game = make_recorded_game(value["ruleset"], value["options"], "options of the state")
        except DuelError as error:
            raise SchemaError(str(error)) from error
        if value.get("digest", game.digest) != game.digest:
            raise SchemaError(f"the state is of rules {shown(value['digest'])}, but its options now give {game.digest!r}")
        if not isinstance(value["sheets"], list) or len(value["sheets"]) != NUM_PLAYERS:
            raise SchemaError(f"the state's sheets are a list of {NUM_PLAYERS}")
        ruleset = game.ruleset
        sheets = np.array(
            [record_from_json(ruleset.sheet_dtype, sheet, f"sheets[{i}]") for i, sheet in enumerate(value["sheets"])],
            ruleset.sheet_dtype,
        )
        duel = cls.of(game, record_from_json(ruleset.state_dtype, value["state"], "state"), sheets)
        ruleset.check_records(game, duel.state, duel.sheets)
        return duel


def illegal_action_message(game: Game, action: int, player: int, mask: NDArray[np.int8]) -> str:
    """What is wrong with an action, and what would be legal."""
    name = f" ({game.actions[action].id})" if 0 <= action < game.num_actions else f" (outside 0..{game.num_actions - 1})"
    legal = ", ".join(f"{number} {game.actions[number].id}" for number in np.flatnonzero(mask))
    return f"action {action}{name} is illegal for player {player}; legal: {legal}"
