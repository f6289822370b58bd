"""Duels as text files that can be played again: JSON Lines, first the rules and the duelists, then each action with its dice.

    {"format": "duel_env/playthrough", "version": 1, "ruleset": "hogwarts", "options": {}, "skills": [60, 60], "first_caster": 0}
    {"player": 0, "action": "stupefy", "dice": [34]}

Only `ruleset` is required in the first line; the set-up's keys (`skills`, `first_caster`) stand beside it, and `dice` holds what is thrown
before the first action. `player` may be left out. An action that disqualifies its player says so: `"disqualified": true`.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from duel_env.config import load, shown
from duel_env.duel import Duel
from duel_env.errors import DuelError, InvalidRollError, SchemaError
from duel_env.files import read_limited, write_atomically
from duel_env.game import Game, make_recorded_game
from duel_env.rules.stores import CHOICE, NOBODY, ROLL

FORMAT = "duel_env/playthrough"
FORMAT_VERSION = 1
MAX_BYTES = 64 * 1024 * 1024
"""Largest file that is read."""

_MAX_ACTION = 2**31 - 1
_HEADER_KEYS = ("format", "version", "ruleset", "ruleset_version", "digest", "options", "dice")
_MOVE_KEYS = ("player", "action", "dice", "disqualified")


@dataclass(frozen=True, slots=True)
class Move:
    """One action with the dice thrown for it.

    Attributes:
        action: action number; any integer if it disqualified its player.
        dice: faces, in the order in which they were thrown.
        player: who acted; None if the file does not say.
        disqualified: whether the action was illegal and ended the duel.
        line: where it stood in the file that it was read from, for messages.
    """

    action: int
    dice: tuple[int, ...] = ()
    player: int | None = None
    disqualified: bool = False
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Playthrough:
    """A recorded duel.

    Attributes:
        game: the rules.
        setup: the set-up's settings, such as `{"skills": (60, 60), "first_caster": 0}`; skills are single numbers here.
        opening_dice: faces thrown before the first action (the coin of initiative).
        moves: the actions.
    """

    game: Game
    setup: dict[str, Any]
    opening_dice: tuple[int, ...] = ()
    moves: tuple[Move, ...] = field(default=())

    def to_lines(self) -> Iterator[str]:
        """The lines of the file."""
        ruleset = self.game.ruleset
        header = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "ruleset": ruleset.name,
            "ruleset_version": ruleset.version,
            "digest": self.game.digest,
            "options": self.game.options_json(),
            **self.setup,
            "dice": self.opening_dice,
        }
        yield json.dumps(header, ensure_ascii=False)
        for move in self.moves:
            known = 0 <= move.action < self.game.num_actions
            line: dict[str, Any] = {} if move.player is None else {"player": move.player}
            line["action"] = self.game.actions[move.action].id if known else move.action
            line["dice"] = move.dice
            if move.disqualified:
                line["disqualified"] = True
            yield json.dumps(line, ensure_ascii=False)

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        write_atomically(path, ("\n".join(self.to_lines()) + "\n").encode())


class Step(NamedTuple):
    """One event of a replay: the duel before and after it, the event, and the line of the file that it comes from."""

    before: Duel
    after: Duel
    event: tuple[int, int, int]
    line: int


def read_playthrough(path: Path) -> Playthrough:
    """Read a file.

    Raises:
        SchemaError: names the file, the line and what is wrong with it.
    """
    try:
        text = read_limited(path, MAX_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise SchemaError(f"{path} is not UTF-8 text") from error
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise SchemaError(f"{path} is empty: expected a playthrough")
    header_number, header = lines[0]
    with _naming(path, header_number):
        game, setup, dice = _read_header(_parse(header))
    moves = []
    for number, line in lines[1:]:
        with _naming(path, number):
            moves.append(_read_move(game, _parse(line), number))
    return Playthrough(game, setup, dice, tuple(moves))


def replay(playthrough: Playthrough) -> Iterator[Step]:
    """Play a playthrough again, event by event.

    Raises:
        SchemaError: naming the line where an action is illegal, a player is not the one to act, dice are left over or missing, or
            actions follow the end. Of one that was not read from a file, line 1 is the header and line n + 1 the n-th action.
    """
    duel = Duel(playthrough.game, _setup_record(playthrough.game, playthrough.setup))
    with _naming("line", 1):
        yield from _throw(duel, playthrough.opening_dice, 1)
    for number, move in enumerate(playthrough.moves, start=2):
        line = move.line or number
        with _naming("line", line):
            if duel.is_over:
                raise SchemaError("the duel is over, but another action follows")
            if move.player not in (None, duel.current_player):
                raise SchemaError(f"player {move.player} acts, but it is the turn of player {duel.current_player}")
            before = duel.copy()
            event = (CHOICE, duel.current_player, move.action)
            if move.disqualified:
                if 0 <= move.action < playthrough.game.num_actions and duel.action_mask()[move.action]:
                    raise SchemaError(f"{playthrough.game.actions[move.action].id} is legal, but the file calls it disqualified")
                duel.forfeit()
            else:
                duel.apply_action(move.action)
            yield Step(before, duel.copy(), event, line)
            yield from _throw(duel, move.dice, line)


def final_duel(playthrough: Playthrough) -> Duel:
    """The duel after the last line; errors as in `replay`."""
    duel = Duel(playthrough.game, _setup_record(playthrough.game, playthrough.setup))
    for step in replay(playthrough):
        duel = step.after
    return duel


def _throw(duel: Duel, dice: tuple[int, ...], line: int) -> Iterator[Step]:
    left = list(dice)
    while duel.die is not None:
        if not left:
            raise InvalidRollError(f"a die is missing: {_name_die(duel)} is due")
        before = duel.copy()
        face = left.pop(0)
        roller = before.die.roller if before.die else NOBODY
        duel.roll(face)
        yield Step(before, duel.copy(), (ROLL, roller, face), line)
    if left:
        raise InvalidRollError(f"dice are left over: {left}")


def _name_die(duel: Duel) -> str:
    die = duel.die
    assert die is not None
    if die.roller == NOBODY:
        return "the coin (1 or 2)"
    return f"the d{die.sides} of player {die.roller} for {duel.game.actions[die.action].id}"


@contextmanager
def _naming(place: Path | str, line: int) -> Iterator[None]:
    """Put the file and the line in front of any error's message."""
    try:
        yield
    except DuelError as error:
        where = f"line {line}" if place == "line" else f"{place}, line {line}"
        raise SchemaError(f"{where}: {error}") from error


def _parse(line: str) -> dict[str, Any]:
    def refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise SchemaError("a key stands twice in one object")
        return found

    try:
        value = json.loads(line, object_pairs_hook=refuse_twice)
    except SchemaError:
        raise
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        raise SchemaError(f"not JSON: {error}") from error
    if not isinstance(value, dict):
        raise SchemaError("expected a JSON object")
    return value


def _read_header(header: dict[str, Any]) -> tuple[Game, dict[str, Any], tuple[int, ...]]:
    if header.get("format", FORMAT) != FORMAT or header.get("version", FORMAT_VERSION) != FORMAT_VERSION:
        raise SchemaError(f"expected format {FORMAT!r}, version {FORMAT_VERSION}")
    if not isinstance(header.get("ruleset"), str):
        raise SchemaError('the first line names the ruleset, such as {"ruleset": "hogwarts"}')
    game = make_recorded_game(header["ruleset"], header.get("options", {}), "options")
    if header.get("ruleset_version", game.ruleset.version) != game.ruleset.version:
        raise SchemaError(
            f"recorded with version {shown(header['ruleset_version'])} of {game.ruleset.name}; this is version {game.ruleset.version}"
        )
    if header.get("digest", game.digest) != game.digest:
        raise SchemaError(f"recorded under rules {shown(header['digest'])}; these options now give {game.digest!r}")
    setup = {key: value for key, value in header.items() if key not in _HEADER_KEYS}
    if not game.ruleset.is_fixed(_setup_record(game, setup)):
        raise SchemaError("a recorded duel has single numbers where a set-up may have ranges, such as skills [60, 60]")
    return game, setup, _read_dice(header.get("dice", []))


def _setup_record(game: Game, setup: dict[str, Any]) -> Any:
    return game.setup(load(game.ruleset.setup_model, setup, "set-up"))


def _read_move(game: Game, line: dict[str, Any], number: int) -> Move:
    unknown = sorted(set(line) - set(_MOVE_KEYS))
    if unknown:
        raise SchemaError(f"unknown key {', '.join(map(shown, unknown))}; allowed: {', '.join(_MOVE_KEYS)}")
    action, player, disqualified = line.get("action"), line.get("player"), line.get("disqualified", False)
    if isinstance(action, str):
        action = game.action_number(action)
    if type(action) is not int or abs(action) > _MAX_ACTION:
        raise SchemaError(f"action = {shown(action)}: expected the id of an action, or its number")
    if player is not None and (type(player) is not int or player not in (0, 1)):
        raise SchemaError(f"player = {shown(player)}: expected 0 or 1")
    if not isinstance(disqualified, bool):
        raise SchemaError(f"disqualified = {shown(disqualified)}: expected true or false")
    return Move(action, _read_dice(line.get("dice", [])), player, disqualified, number)


def _read_dice(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(isinstance(face, int) and not isinstance(face, bool) for face in value):
        raise SchemaError(f"dice = {shown(value)}: expected a list of faces")
    return tuple(value)
