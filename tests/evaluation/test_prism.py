"""The model for PRISM-games, read by a small reader of that language here, which knows nothing of how it was written.

The files were also checked with PRISM-games 3.2.5-dev itself: it finds the values below, and those of the rules page.
"""

import io
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from duel_env.duel import Duel
from duel_env.errors import ConfigError
from duel_env.game import make_game, make_game_and_setup
from duel_env.rules import single
from evaluation.exact import solve, solve_truncated
from evaluation.prism import write_prism

STUPEFY = {"id": "stupefy", "en": "Stupefy", "fr": "Stupéfix", "penalty": 0, "damage": 1}

# ---- a reader of the language ---------------------------------------------------------------------------------------------------

Expression = Callable[[dict[str, int]], Any]
RESERVED = {"min", "max", "true", "false", "init", "label", "module", "player", "rate", "prob", *"ACEFGIPRSUWX"}
"""Those of the language's reserved words that one could take for a name."""
TOKEN = re.compile(r"\s*(\d+|\w+|<=|>=|[-+?:=<>&(),])")
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "=": lambda a, b: a == b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
}


class Reader:
    """Recursive descent over one expression: whole numbers, names, min, +, comparisons, & and ?:."""

    def __init__(self, text: str):
        assert TOKEN.sub("", text).strip() == "", text
        self.tokens = TOKEN.findall(text)

    def take(self, token: str) -> bool:
        found = bool(self.tokens) and self.tokens[0] == token
        if found:
            self.tokens.pop(0)
        return found

    def expression(self) -> Expression:
        condition = self.conjunction()
        if not self.take("?"):
            return condition
        yes = self.expression()
        assert self.take(":")
        no = self.expression()
        return lambda env: yes(env) if condition(env) else no(env)

    def conjunction(self) -> Expression:
        terms = [self.comparison()]
        while self.take("&"):
            terms.append(self.comparison())
        return terms[0] if len(terms) == 1 else lambda env: all(term(env) for term in terms)

    def comparison(self) -> Expression:
        left = self.sum()
        for sign, compare in COMPARISONS.items():
            if self.take(sign):
                right = self.sum()
                return lambda env: compare(left(env), right(env))
        return left

    def sum(self) -> Expression:
        terms = [self.atom()]
        while self.take("+"):
            terms.append(self.atom())
        return terms[0] if len(terms) == 1 else lambda env: sum(term(env) for term in terms)

    def atom(self) -> Expression:
        token = self.tokens.pop(0)
        if token.isdecimal():
            return lambda env: int(token)
        if token == "min":
            assert self.take("(")
            left = self.expression()
            assert self.take(",")
            right = self.expression()
            assert self.take(")")
            return lambda env: min(left(env), right(env))
        if token == "(":
            inner = self.expression()
            assert self.take(")")
            return inner
        assert token not in RESERVED
        return lambda env: env[token]


def evaluate(text: str, env: dict[str, int]) -> Any:
    reader = Reader(text)
    found = reader.expression()(env)
    assert not reader.tokens, text
    return found


def value_of(text: str, env: dict[str, int]) -> int:
    """As `evaluate`, quicker for what most updates are."""
    return int(text) if text.isdecimal() else env[text] if text in env else evaluate(text, env)


class Command(NamedTuple):
    action: str
    guard: str
    updates: list[tuple[Fraction, dict[str, str]]]


def read_update(text: str) -> tuple[Fraction, dict[str, str]]:
    chance, _, assignments = text.rpartition(":(") if re.match(r"\d+/\d+:", text) else ("1", "", text.removeprefix("("))
    if text == "true":
        return Fraction(1), {}
    parts = assignments.removesuffix(")").split(") & (")
    return Fraction(chance), dict(part.split("'=", 1) for part in parts)


class Model:
    """A file, and the states that can be reached in it."""

    def __init__(self, text: str, start: int):
        lines = [line.partition("//")[0].rstrip() for line in text.splitlines()]
        text = "\n".join(line for line in lines if line)
        assert text.startswith("smg\n")
        self.owner = {
            action: player
            for player, names in re.findall(r"^player (\w+) (.*) endplayer$", text, re.MULTILINE)
            for action in re.findall(r"\[(\w+)\]", names)
        }
        self.env = {"start": start}
        for name, value in re.findall(r"^const int (\w+)(?: = (\d+))?;$", text, re.MULTILINE):
            assert name not in RESERVED
            self.env.setdefault(name, int(value) if value else 0)
        self.ranges = {}
        first = []
        for name, low, high, begin in re.findall(r"^  (\w+) : \[(\w+)\.\.(\w+)\] init (.*);$", text, re.MULTILINE):
            assert name not in RESERVED
            self.ranges[name] = evaluate(low, self.env), evaluate(high, self.env)
            first.append(evaluate(begin, self.env))
        commands = [
            Command(action, guard, [read_update(part) for part in updates.split(" + ")])
            for action, guard, updates in re.findall(r"^  \[(\w+)\] (.*) -> (.*);$", text, re.MULTILINE)
        ]
        assert len(commands) == text.count("->")
        self.labels = dict(re.findall(r'^label "(\w+)" = (.*);$', text, re.MULTILINE))
        self.of_state: dict[int, list[Command]] = {}  # commands whose guard is s=number, which spares trying them elsewhere
        self.others = []
        for command in commands:
            if found := re.fullmatch(r"s=(\d+)", command.guard):
                self.of_state.setdefault(int(found[1]), []).append(command)
            else:
                self.others.append(command)
        self.explore(tuple(first))

    def explore(self, first: tuple[int, ...]) -> None:
        """Follow all commands, and check what a turn-based game has to fulfil."""
        numbers, queue = {first: 0}, [first]
        self.players: list[str] = []
        self.choices: list[list[list[tuple[float, int]]]] = []
        for state in queue:
            env = self.env | dict(zip(self.ranges, state, strict=True))
            enabled = [*self.of_state.get(state[0], []), *(c for c in self.others if evaluate(c.guard, env))]
            assert len({self.owner[command.action] for command in enabled}) == 1, f"{env}: not one player"
            assert len({command.action for command in enabled}) == len(enabled), f"{env}: an action twice"
            self.players.append(self.owner[enabled[0].action])
            self.choices.append([])
            for command in enabled:
                assert sum(chance for chance, _ in command.updates) == 1
                branches = []
                for chance, update in command.updates:
                    assert chance > 0
                    after = tuple(value_of(update.get(name, name), env) for name in self.ranges)
                    assert all(low <= value <= high for value, (low, high) in zip(after, self.ranges.values(), strict=True))
                    if after not in numbers:
                        numbers[after] = len(queue)
                        queue.append(after)
                    branches.append((float(chance), numbers[after]))
                self.choices[-1].append(branches)
        self.states = [self.env | dict(zip(self.ranges, state, strict=True)) for state in queue]

    def label(self, name: str) -> np.ndarray:
        return np.array([bool(evaluate(self.labels[name], env)) for env in self.states])

    def probability(self, optimum: str, goal: str, avoid: str | None = None) -> float:
        """`<<p0>> Pmax=? [ F goal ]`, or with Pmin; with `avoid` `[ !avoid U goal ]`: value iteration from below, in the first state."""
        reached = self.label(goal)
        stays = reached | (self.label(avoid) if avoid else False)
        edges = [(chance, target) for choices in self.choices for branches in choices for chance, target in branches]
        chances, targets = np.array([edge[0] for edge in edges]), np.array([edge[1] for edge in edges])
        lengths = [len(branches) for choices in self.choices for branches in choices]
        branch_starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        choice_starts = np.concatenate([[0], np.cumsum([len(choices) for choices in self.choices])[:-1]])
        maximizes = (np.array(self.players) == "p0") == (optimum == "max")
        value = reached.astype(float)
        while True:
            after = np.add.reduceat(chances * value[targets], branch_starts)
            best, worst = np.maximum.reduceat(after, choice_starts), np.minimum.reduceat(after, choice_starts)
            new = np.where(stays, reached, np.where(maximizes, best, worst))
            if np.abs(new - value).max() < 1e-12:
                return float(value[0])
            value = new


def export(settings: dict, round_limit: int | None = None) -> str:
    game, setup = make_game_and_setup("hogwarts", settings)
    stream = io.StringIO()
    write_prism(game, Duel(game, setup).sheets, stream, round_limit)
    return stream.getvalue()


# ---- what the files say ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "published"),
    [
        ({"skills": (60, 60)}, (0.4681, 0.5319)),
        ({"skills": (80, 60), "riposte_sees_roll": False}, (0.7137, 0.7592)),
    ],
)
def test_published_values(settings, published):
    text = export(settings)
    game, setup = make_game_and_setup("hogwarts", settings)
    solution = solve(game, Duel(game, setup).sheets)
    for start in range(2):
        model = Model(text, start)
        low, high = model.probability("max", "win0"), 1.0 - model.probability("min", "win1")
        assert low == pytest.approx(published[start], abs=5e-5)
        assert low == pytest.approx(solution.win_probability(start), abs=1e-8)
        assert high == pytest.approx(low, abs=1e-8)


def test_a_coin_decides_who_begins_and_endless_play_is_told_from_a_loss():
    """At full skill both can cast Protego for ever."""
    protego = {**STUPEFY, "id": "protego", "damage": 0, "block": True}
    settings = {"spells": [STUPEFY, protego], "hit_points": 1}
    model = Model(export({**settings, "skills": (100, 100)}), start=2)
    assert (model.probability("max", "win0"), model.probability("min", "win1")) == (0.0, 0.0)
    model = Model(export({**settings, "skills": (60, 60)}), start=2)
    assert model.probability("max", "win0") == pytest.approx(0.5)
    assert model.choices[0] == [[(0.5, 1), (0.5, 2)]]


@pytest.mark.parametrize(
    ("settings", "rounds"),
    [
        ({"skills": (60, 50), "hit_points": 1}, 1),
        ({"skills": (60, 60), "hit_points": 2}, 3),
        ({"skills": (80, 60), "hit_points": 2, "resolution": "simultaneous"}, 4),
        ({"skills": (45, 75), "hit_points": 1, "riposte_sees_roll": False, "resolution": "simultaneous"}, 2),
    ],
)
def test_with_a_round_limit_a_draw_is_worth_half_a_win(settings, rounds):
    text = export(settings, rounds)
    game, setup = make_game_and_setup("hogwarts", settings)
    solution = solve_truncated(game, Duel(game, setup).sheets, rounds)
    for start in range(2):
        model = Model(text, start)
        assert model.probability("max", "win0") == pytest.approx(solution.win_probability(start), abs=1e-11)
        assert model.probability("min", "win1") == pytest.approx(1.0 - solution.win_probability(start), abs=1e-11)
        assert model.probability("max", "win0", avoid="draw") < model.probability("max", "win0")
        assert model.label("draw").any()


def test_a_small_file_as_a_whole(tmp_path):
    settings = {"skills": (60, 50), "hit_points": 1, "resolution": "simultaneous", "spells": [STUPEFY]}
    game, setup = make_game_and_setup("hogwarts", settings)
    path = tmp_path / "duel.prism"
    write_prism(game, Duel(game, setup).sheets, path, 2)
    text = path.read_text(encoding="utf-8")
    assert text == export(settings, 2)
    head, rest = text.split("\n\n", 1)
    assert all(line.startswith("//") for line in head.splitlines())
    assert game.digest in head
    assert rest == SMALL_FILE


SMALL_FILE = """\
smg

player p0 [coin], [die], [over], [p0_stupefy] endplayer
player p1 [p1_stupefy] endplayer

const int start;
const int limit = 2;

module duel
  s : [0..9] init start=0 ? 0 : start=1 ? 1 : 9;
  r : [1..limit] init 1;
  [p0_stupefy] s=0 -> 40/100:(s'=2) + 60/100:(s'=3);
  [p1_stupefy] s=1 -> 50/100:(s'=4) + 50/100:(s'=5);
  [p1_stupefy] s=2 -> 50/100:(s'=r+1<=limit ? 1 : 8) & (r'=min(r+1,limit)) + 50/100:(s'=7);
  [p1_stupefy] s=3 -> 50/100:(s'=6) + 50/100:(s'=8);
  [p0_stupefy] s=4 -> 40/100:(s'=r+1<=limit ? 0 : 8) & (r'=min(r+1,limit)) + 60/100:(s'=6);
  [p0_stupefy] s=5 -> 40/100:(s'=7) + 60/100:(s'=8);
  [die] s=9 -> 50/100:(s'=0) + 50/100:(s'=1);
  [coin] s=8 -> 1/2:(s'=6) + 1/2:(s'=7);
  [over] s>=6 & s<8 -> true;
endmodule

label "win0" = s=6;
label "win1" = s=7;
label "draw" = s=8;
"""


@pytest.mark.parametrize("limit", [0, -1, 2.0, True, "3"])
def test_limits_that_are_refused(limit):
    with pytest.raises(ConfigError, match="round_limit"):
        export({}, limit)


def test_sheets_that_are_refused():
    game = make_game("hogwarts")
    for sheets in (np.zeros(3, game.ruleset.sheet_dtype), np.zeros(2), [60, 60]):
        with pytest.raises(ConfigError, match="sheets"):
            write_prism(game, sheets, io.StringIO())


def test_dice_that_are_thrown_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The chances of a sum are no whole numbers of faces."""

    def two_dice(states: Any, die: Any) -> None:
        die[:] = (10, 0, 0, 2)

    monkeypatch.setattr("evaluation.prism.single.describe_die", two_dice)
    game = make_game("hogwarts", {"hit_points": 1})
    with pytest.raises(ConfigError, match="2 dice with 10 faces are thrown together: only single dice"):
        write_prism(game, np.zeros(2, game.ruleset.sheet_dtype), io.StringIO())


def test_there_is_room_for_as_many_outcomes_as_any_die_has(monkeypatch: pytest.MonkeyPatch) -> None:
    game, sizes, write_outcomes = make_game("hogwarts", {"hit_points": 1}), set(), single.write_outcomes

    def measured(states: Any, rules: Any, sheets: Any, probability: Any) -> int:
        sizes.add(len(probability))
        return int(write_outcomes(states, rules, sheets, probability))

    monkeypatch.setattr("evaluation.prism.single.write_outcomes", measured)
    write_prism(game, np.zeros(2, game.ruleset.sheet_dtype), io.StringIO())
    assert sizes == {game.graph.edges.shape[1]}
