"""A duel as a model for PRISM-games and other model checkers that read its language: perfect play by programs that we did not write.

The model is a turn-based stochastic game (`smg`), made from the state graph and the chances of the kernel. Its states are those in
which a player chooses; dice and what they lead to are in the commands, with exact fractions. The head of the file says what is what
and which properties to check.
"""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from duel_env.config import shown
from duel_env.errors import ConfigError
from duel_env.files import write_atomically
from duel_env.game import NUM_PLAYERS, Game
from duel_env.records import record_to_json
from duel_env.rules import single
from duel_env.rules.graph import NO_EDGE

_TOLERANCE: Final = 1e-9
_WIN, _LOSS, _DRAW = range(3)
"""Ends, in the order of the states that stand for them: player 0 won, player 1 won, neither."""
_NUM_ENDS: Final = 3

_HEAD: Final = """\
A duel, as a turn-based stochastic game in the language of PRISM-games (https://www.prismmodelchecker.org/games/).
Rules: {ruleset}, digest {digest}, {options}
{sheets}

To be checked with PRISM-games: prism FILE -const start=0 -pf PROPERTY -epsilon 1e-9
{starts}

s: 0 to {last} are the states of play in which a player chooses, numbered as in the state graph of the rules.
   In {win} player 0 has won, in {loss} player 1 has, and {draw} is a draw, which a coin decides: so a draw is worth half a win.
   !"draw" U "win0" instead of F "win0" is the chance of winning proper.
"""
_ENDLESS: Final = """\
There is no round limit. Where play can be endless, its value depends on what that is worth:
  a: <<p0>> Pmax=? [ F "win0" ]   chance that player 0 wins in perfect play, if endless play counts as lost by player 0
  b: <<p0>> Pmin=? [ F "win1" ]   1 - b is the same, if endless play counts as won by player 0
If a = 1 - b, this is the value whatever endless play is worth. Else it is between them if endless play is a draw.
"""
_LIMITED: Final = """\
r: the round; after the last one the duel is a draw. Chance that player 0 wins in perfect play, a draw counting half:
  <<p0>> Pmax=? [ F "win0" ]
"""


class _Place(NamedTuple):
    """Where a move leads: a state of the model, and how many rounds begin on the way."""

    state: int
    rounds: int


_Places = dict[_Place, Fraction]
"""Probabilities of places."""


def write_prism(game: Game, sheets: NDArray[np.void], target: Path | TextIO, round_limit: int | None = None) -> None:
    """Write the duel between two sheets as a model of a turn-based stochastic game.

    Args:
        game: the rules; their own round limit plays no part here.
        sheets: SHEET (2,).
        target: a file, which is written whole or not at all, or a text stream.
        round_limit: the duel is a draw after this many rounds, and the round is part of the state: for short duels, since it
            multiplies their number. None: the duel is never cut short, and may be endless.

    Raises:
        ConfigError: rules with too many states, sheets that do not fit them, several dice that are thrown together, or no such limit.
        OSError: the file cannot be written.
    """
    if round_limit is not None and (type(round_limit) is not int or round_limit < 1):
        raise ConfigError(f"round_limit = {shown(round_limit)}: expected an integer from 1")
    if not isinstance(sheets, np.ndarray) or sheets.shape != (NUM_PLAYERS,) or sheets.dtype != game.ruleset.sheet_dtype:
        raise ConfigError(f"sheets: expected two records of {game.ruleset.sheet_dtype}, one for each player")
    lines = _PrismModel(game, sheets, round_limit).lines()
    if isinstance(target, Path):
        write_atomically(target, "".join(f"{line}\n" for line in lines).encode())
    else:
        target.writelines(f"{line}\n" for line in lines)


class _PrismModel:
    """The parts of the file. States: the P nodes where a player chooses, the three ends, and starts at which a die is due."""

    def __init__(self, game: Game, sheets: NDArray[np.void], round_limit: int | None) -> None:
        self._game, self._sheets, self._limit = game, sheets, round_limit
        self._graph = game.graph
        self._num_visible = self._graph.num_player + self._graph.num_terminal
        self._first_end = self._graph.num_player
        self._starts: list[int] = self._graph.starts.tolist()
        self._dice_starts = [node for node in self._starts if node >= self._num_visible]
        self._num_states = self._first_end + _NUM_ENDS + len(self._dice_starts)
        self._chooser: list[int] = self._graph.states["current_player"][: self._graph.num_player].tolist()
        self._edges: list[list[int]] = self._graph.edges.tolist()
        self._after_die: dict[int, _Places] = {}

    def lines(self) -> Iterator[str]:
        commands = list(self._commands())
        yield from self._head()
        yield "smg"
        yield ""
        for player in range(NUM_PLAYERS):
            names = sorted({name for owner, name, _ in commands if owner == player})
            yield f"player p{player} {', '.join(f'[{name}]' for name in names)} endplayer"
        yield ""
        yield "const int start;"
        if self._limit is not None:
            yield f"const int limit = {self._limit};"
        yield ""
        yield "module duel"
        *others, last = [self._state_of_start(number) for number in range(len(self._starts))]
        begin = "".join(f"start={number} ? {state} : " for number, state in enumerate(others))
        yield f"  s : [0..{self._num_states - 1}] init {begin}{last};"
        if self._limit is not None:
            yield "  r : [1..limit] init 1;"
        yield from (f"  [{name}] {command}" for _, name, command in commands)
        yield "endmodule"
        yield ""
        for name, end in (("win0", _WIN), ("win1", _LOSS), ("draw", _DRAW)):
            yield f'label "{name}" = s={self._first_end + end};'

    def _head(self) -> Iterator[str]:
        game, end = self._game, self._first_end
        starts = (
            f"  start={number}: {f'player {self._chooser[node]} acts first' if node < self._num_visible else 'a die decides who does'}"
            for number, node in enumerate(self._starts)
        )
        text = _HEAD.format(
            ruleset=game.ruleset.name,
            digest=game.digest,
            options=_json(game.options_json()),
            sheets="\n".join(f"Player {player}: {_json(record_to_json(sheet))}" for player, sheet in enumerate(self._sheets)),
            starts="\n".join(starts),
            last=end - 1,
            win=end + _WIN,
            loss=end + _LOSS,
            draw=end + _DRAW,
        )
        text += _ENDLESS if self._limit is None else _LIMITED
        yield from (f"// {line}".rstrip() for line in text.splitlines())
        yield ""

    def _commands(self) -> Iterator[tuple[int, str, str]]:
        """Owner, action and rest of each command."""
        for node in range(self._graph.num_player):
            player = self._chooser[node]
            for action, edge in enumerate(self._edges[node]):
                if edge != NO_EDGE:
                    yield player, self._action_name(player, action), f"s={node} -> {self._update(self._after(edge))};"
        for number, node in enumerate(self._dice_starts):
            state = self._first_end + _NUM_ENDS + number
            yield 0, "die", f"s={state} -> {self._update(self._settled(node))};"
        win, draw = self._first_end + _WIN, self._first_end + _DRAW
        yield 0, "coin", f"s={draw} -> 1/2:(s'={win}) + 1/2:(s'={self._first_end + _LOSS});"
        yield 0, "over", f"s>={win} & s<{draw} -> true;"

    def _action_name(self, player: int, action: int) -> str:
        name = f"p{player}_{self._game.actions[action].id}"
        return name if name.isascii() and name.isidentifier() else f"p{player}_action{action}"

    def _state_of_start(self, number: int) -> int:
        node = self._starts[number]
        return node if node < self._num_visible else self._first_end + _NUM_ENDS + self._dice_starts.index(node)

    def _after(self, edge: int) -> _Places:
        """Probabilities of where an edge leads, through all dice up to the next choice or the end."""
        node, rounds = edge >> 1, edge & 1
        if node < self._graph.num_player:
            return {_Place(node, rounds): Fraction(1)}
        if node < self._num_visible:
            worth = single.return_of(self._graph.states[node : node + 1], 0)
            end = _WIN if worth > 0 else _LOSS if worth < 0 else _DRAW
            return {_Place(self._first_end + end, rounds): Fraction(1)}
        if node not in self._after_die:
            self._after_die[node] = self._settled(node)
        return {_Place(place.state, place.rounds + rounds): chance for place, chance in self._after_die[node].items()}

    def _settled(self, node: int) -> _Places:
        """Probabilities of where the die that is due leads."""
        places: _Places = {}
        for edge, chance in zip(self._edges[node], self._chances(node), strict=False):
            if chance:
                for place, probability in self._after(edge).items():
                    places[place] = places.get(place, Fraction(0)) + chance * probability
        return places

    def _chances(self, node: int) -> list[Fraction]:
        """Exact probabilities of the outcomes of the due die: each stands for a whole number of faces."""
        state = self._graph.states[node : node + 1]
        die, probability = np.zeros(4, np.int64), np.zeros(self._graph.edges.shape[1])
        single.describe_die(state, die)
        if die[3] > 1:
            raise ConfigError(
                f"{die[3]} dice with {die[0]} faces are thrown together: only single dice can be written with exact fractions"
            )
        count = single.write_outcomes(state, self._game.rules, self._sheets, probability)
        sides = int(die[0])
        faces = [round(chance * sides) for chance in probability[:count].tolist()]
        if sum(faces) != sides or np.abs(probability[:count] * sides - faces).max() > _TOLERANCE * sides:
            raise ConfigError("a die whose outcomes are not whole numbers of its faces cannot be written with exact fractions")
        return [Fraction(number, sides) for number in faces]

    def _update(self, places: _Places) -> str:
        terms = [f"{_fraction(chance)}{self._assignment(place)}" for place, chance in sorted(places.items())]
        return " + ".join(terms)

    def _assignment(self, place: _Place) -> str:
        if self._limit is None or place.rounds == 0:
            return f"(s'={place.state})"
        later = f"r+{place.rounds}"
        return f"(s'={later}<=limit ? {place.state} : {self._first_end + _DRAW}) & (r'=min({later},limit))"


def _fraction(chance: Fraction) -> str:
    """A probability before an update: in hundredths, or hundredths of hundredths, where it can be; nothing for 1."""
    if chance == 1:
        return ""
    whole = next((power for power in (100, 10_000) if power % chance.denominator == 0), chance.denominator)
    return f"{chance.numerator * whole // chance.denominator}/{whole}:"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
