"""Numbers of the spell data that depend on the caster: a small language of whole numbers, read safely, never run as code.

`d(min(CL,10),6)` is a six-sided die for each caster level, at most ten. The language has whole numbers, the variables of `VARIABLES`,
`+ - * //` (rounded down, as in Python), comparisons (1 if true, else 0), `min`, `max` and `d(n,faces)`, the sum of n dice.

One walk over the parsed text, `_walk`, serves three purposes, each with arithmetic of its own: numbers (`Expression.value`), ranges
(`Expression.bounds`), and the form that kernels compute with (`Expression.normal_form`, in `amounts_form`).
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any, Final, Protocol, TypeVar

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from duel_env.config import shown
from duel_env.errors import ConfigError
from duel_env.rules.pathfinder.amount_form import Amount, Forms, fitted

VARIABLES: Final = ("CL", "TCL", "MOD", "BAB", "SL")
"""Caster level of the spell; caster level of the other spell; modifier of the caster's casting ability; base attack bonus of the caster;
level of the spell."""

MAX_LENGTH: Final = 200
"""Characters of an expression."""
MAX_DEPTH: Final = 16
"""Operations inside each other."""
MAX_NUMBER: Final = 1_000_000
"""Largest number that may be written."""

ACCEPTED: Final = (
    f"whole numbers to {MAX_NUMBER}, {', '.join(VARIABLES)}, + - * //, comparisons, min(...), max(...) and d(dice,faces), "
    "such as d(min(CL,10),6)"
)

_TOKEN = re.compile(r"\s*(?:(?P<number>[0-9]+)|(?P<name>[A-Za-z_]\w*)|//|[<>=!]=|[-+*(),<>])", re.ASCII)
_FUNCTIONS: Final = ("min", "max", "d")

_Compare = Callable[[int, int], bool]
_COMPARISONS: Final[dict[type[ast.cmpop], _Compare]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}

T = TypeVar("T")


class Arithmetic(Protocol[T]):
    """What `Expression.compute` needs of the values it computes with. Every operation may raise `ConfigError`."""

    def number(self, value: int) -> T:
        """A whole number."""

    def variable(self, name: str) -> T:
        """The value of a variable."""

    def add(self, left: T, right: T) -> T:
        """The sum."""

    def negate(self, value: T) -> T:
        """The value with the other sign."""

    def multiply(self, left: T, right: T) -> T:
        """The product."""

    def divide(self, left: T, right: T) -> T:
        """The quotient, rounded down."""

    def compare(self, holds: Callable[[int, int], bool], left: T, right: T) -> T:
        """1 where `holds(left, right)`, else 0."""

    def least(self, left: T, right: T) -> T:
        """The smaller one."""

    def greatest(self, left: T, right: T) -> T:
        """The larger one."""

    def dice(self, count: T, faces: T) -> T:
        """The sum of `count` dice."""


@dataclass(frozen=True)
class Expression:
    """A number that depends on the caster. Made by `parse`; as a field of a model it is given as text or as a whole number."""

    text: str
    """As written."""
    variables: frozenset[str]
    """Variables that occur."""

    def __str__(self) -> str:
        return self.text

    @classmethod
    def of(cls, value: Any) -> "Expression":
        """An expression from what a file may hold in its place: text, or a whole number.

        Raises:
            ConfigError: says what is not accepted.
        """
        if isinstance(value, Expression):
            return value
        if type(value) is int and abs(value) <= MAX_NUMBER:
            return parse(str(value))
        if isinstance(value, str):
            return parse(value)
        raise ConfigError(f"expected {ACCEPTED}")

    def compute(self, arithmetic: Arithmetic[T]) -> T:
        """The value in some arithmetic.

        Raises:
            ConfigError: an operation that the arithmetic does not have.
        """
        return _walk(_tree(self.text), arithmetic)

    def value(self, variables: Mapping[str, int], dice: Callable[[int, int], int] | None = None) -> int:
        """The number, computed directly: slow, and what the other forms are compared with.

        Args:
            variables: value of each variable that occurs.
            dice: from count (0 or more) and faces (1 or more) to the sum of the dice thrown; none: dice are refused.

        Raises:
            ConfigError: a variable without value, a division by 0, or dice that cannot be thrown.
        """
        return self.compute(_Numbers(variables, dice))

    def bounds(self, variables: Mapping[str, int | tuple[int, int]]) -> tuple[int, int]:
        """Least and greatest value over all dice and over ranges of variables.

        No value lies outside. Where a variable or a die enters twice, the ends may be wider than what is reached.

        Args:
            variables: value, or least and greatest value, of each variable that occurs.

        Raises:
            ConfigError: as in `value`; also if only some values of the variables lead to it.
        """
        return self.compute(_Ranges(variables))

    def normal_form(self, CL: int, SL: int = 0) -> Amount:  # noqa: N803 (the names of the language)
        """The expression as kernels compute it, for a caster level and a spell level.

        Raises:
            ConfigError: it does not fit the form; says why, and what does.
        """
        return fitted(self.compute(Forms(CL, SL)))

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """A field of this type takes text, a whole number, or an expression; it is written back as text."""
        return core_schema.no_info_plain_validator_function(
            cls.of,
            json_schema_input_schema=core_schema.union_schema([core_schema.str_schema(), core_schema.int_schema()]),
            serialization=core_schema.to_string_ser_schema(),
        )


def parse(text: str, extra: tuple[str, ...] = ()) -> Expression:
    """Read an expression.

    Args:
        text: at most `MAX_LENGTH` characters.
        extra: names of further variables.

    Raises:
        ConfigError: says what is not accepted, where, and what is.
    """
    if len(text) > MAX_LENGTH:
        raise ConfigError(f"an expression has at most {MAX_LENGTH} characters, not {len(text)}")
    _check_tokens(text, (*VARIABLES, *extra))
    tree = _tree(text)
    names = _check_node(tree, MAX_DEPTH)
    return Expression(text, frozenset(names))


def _check_tokens(text: str, variables: tuple[str, ...]) -> None:
    """Only known words and signs reach Python's parser, so that nothing else of its grammar is at hand."""
    at = 0
    end = len(text.rstrip())
    while at < end:
        token = _TOKEN.match(text, at)
        if token is None:
            place = at + len(text[at:]) - len(text[at:].lstrip())
            raise ConfigError(f"{text[place]!r} at character {place + 1} is not accepted; accepted: {ACCEPTED}")
        name, number = token["name"], token["number"]
        if name and name not in variables and name not in _FUNCTIONS:
            raise ConfigError(f"unknown name {shown(name)}; accepted: {', '.join((*variables, *_FUNCTIONS))}")
        if number and int(number) > MAX_NUMBER:
            raise ConfigError(f"{shown(number)} is too large; numbers go to {MAX_NUMBER}")
        at = token.end()


@lru_cache(maxsize=4096)
def _tree(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConfigError(f"is not an expression; accepted: {ACCEPTED}") from error


def _check_node(node: ast.expr, depth: int) -> set[str]:
    """Refuse what the language does not have; give the variables."""
    if depth <= 0:
        raise ConfigError(f"more than {MAX_DEPTH} operations inside each other")
    match node:
        case ast.Constant(value=value) if type(value) is int:
            return set()
        case ast.Name(id=name) if name not in _FUNCTIONS:
            return {name}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _check_node(operand, depth - 1)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv(), right=right):
            return _check_node(left, depth - 1) | _check_node(right, depth - 1)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            return _check_node(left, depth - 1) | _check_node(right, depth - 1)
        case ast.Call(func=ast.Name(id="d"), args=[count, faces], keywords=[]):
            return _check_node(count, depth - 1) | _check_node(faces, depth - 1)
        case ast.Call(func=ast.Name(id="min" | "max"), args=[_, _, *_] as values, keywords=[]):
            return set().union(*(_check_node(value, depth - 1) for value in values))
    raise ConfigError(f"{shown(ast.unparse(node))} is not accepted; accepted: {ACCEPTED}")


def _walk(node: ast.expr, arithmetic: Arithmetic[T]) -> T:
    """The value of a checked tree."""
    match node:
        case ast.Constant(value=int(value)):
            return arithmetic.number(value)
        case ast.Name(id=name):
            return arithmetic.variable(name)
        case ast.UnaryOp(operand=operand):
            return arithmetic.negate(_walk(operand, arithmetic))
        case ast.BinOp(left=left, op=op, right=right):
            one, other = _walk(left, arithmetic), _walk(right, arithmetic)
            match op:
                case ast.Add():
                    return arithmetic.add(one, other)
                case ast.Sub():
                    return arithmetic.add(one, arithmetic.negate(other))
                case ast.Mult():
                    return arithmetic.multiply(one, other)
                case _:
                    return arithmetic.divide(one, other)
        case ast.Compare(left=left, ops=[comparison], comparators=[right]):
            return arithmetic.compare(_COMPARISONS[type(comparison)], _walk(left, arithmetic), _walk(right, arithmetic))
        case ast.Call(func=ast.Name(id=function), args=arguments):
            values = [_walk(argument, arithmetic) for argument in arguments]
            operation = {"d": arithmetic.dice, "min": arithmetic.least, "max": arithmetic.greatest}[function]
            return reduce(operation, values)
    raise ConfigError(f"{shown(ast.unparse(node))} is not accepted; accepted: {ACCEPTED}")


class _Numbers:
    """Plain whole numbers."""

    def __init__(self, variables: Mapping[str, int], dice: Callable[[int, int], int] | None) -> None:
        self._variables = variables
        self._dice = dice

    def number(self, value: int) -> int:
        return value

    def variable(self, name: str) -> int:
        if name not in self._variables:
            raise ConfigError(f"{name} has no value here")
        return self._variables[name]

    def add(self, left: int, right: int) -> int:
        return left + right

    def negate(self, value: int) -> int:
        return -value

    def multiply(self, left: int, right: int) -> int:
        return left * right

    def divide(self, left: int, right: int) -> int:
        if right == 0:
            raise ConfigError("division by 0")
        return left // right

    def compare(self, holds: _Compare, left: int, right: int) -> int:
        return int(holds(left, right))

    def least(self, left: int, right: int) -> int:
        return min(left, right)

    def greatest(self, left: int, right: int) -> int:
        return max(left, right)

    def dice(self, count: int, faces: int) -> int:
        if count < 0 or faces < 1:
            raise ConfigError(f"d({count},{faces}) cannot be thrown: 0 dice or more, of one face or more")
        if self._dice is None:
            raise ConfigError(f"no dice here, but d({count},{faces}) is due")
        return self._dice(count, faces)


_Range = tuple[int, int]


class _Ranges:
    """Pairs of the least and the greatest value."""

    def __init__(self, variables: Mapping[str, int | _Range]) -> None:
        self._variables = variables

    def number(self, value: int) -> _Range:
        return value, value

    def variable(self, name: str) -> _Range:
        if name not in self._variables:
            raise ConfigError(f"{name} has no value here")
        value = self._variables[name]
        return value if isinstance(value, tuple) else (value, value)

    def add(self, left: _Range, right: _Range) -> _Range:
        return left[0] + right[0], left[1] + right[1]

    def negate(self, value: _Range) -> _Range:
        return -value[1], -value[0]

    def multiply(self, left: _Range, right: _Range) -> _Range:
        corners = [one * other for one in left for other in right]
        return min(corners), max(corners)

    def divide(self, left: _Range, right: _Range) -> _Range:
        if right[0] <= 0 <= right[1]:
            raise ConfigError("division by 0")
        corners = [one // other for one in left for other in right]
        return min(corners), max(corners)

    def compare(self, holds: _Compare, left: _Range, right: _Range) -> _Range:
        if left[0] == left[1] and right[0] == right[1]:
            return (int(holds(left[0], right[0])),) * 2
        return 0, 1

    def least(self, left: _Range, right: _Range) -> _Range:
        return min(left[0], right[0]), min(left[1], right[1])

    def greatest(self, left: _Range, right: _Range) -> _Range:
        return max(left[0], right[0]), max(left[1], right[1])

    def dice(self, count: _Range, faces: _Range) -> _Range:
        if count[0] < 0 or faces[0] < 1:
            raise ConfigError("dice cannot be thrown: 0 dice or more, of one face or more")
        return count[0], count[1] * faces[1]
