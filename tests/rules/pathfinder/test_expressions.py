"""The language of amounts: what it accepts, and that every way to compute an expression gives the same."""

import string
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duel_env.errors import ConfigError
from duel_env.rules.pathfinder.amount_form import LARGEST, NO_CAP, Amount
from duel_env.rules.pathfinder.expressions import MAX_DEPTH, MAX_LENGTH, parse

Dice = Callable[[int, int], int]


def distribution(compute: Callable[[Dice], int]) -> dict[int, Fraction]:
    """Probability of each value, over all faces of all dice that are thrown."""

    class _MoreDiceError(Exception):
        pass

    result: Counter[int] = Counter()
    open_paths: list[tuple[list[int], Fraction]] = [([], Fraction(1))]
    while open_paths:
        totals, weight = open_paths.pop()
        thrown = iter(totals)

        def dice(count: int, faces: int, thrown=thrown, totals=totals, weight=weight) -> int:
            total = next(thrown, None)
            if total is not None:
                return total
            ways = Counter(sum(roll) for roll in product(range(1, faces + 1), repeat=count))
            open_paths.extend(([*totals, total], weight * number / faces**count) for total, number in ways.items())
            raise _MoreDiceError

        try:
            result[compute(dice)] += weight
        except _MoreDiceError:
            continue
    return dict(result)


NUMBERS = st.integers(0, 12)
LEAVES = st.one_of(
    NUMBERS.map(str),
    st.sampled_from(["CL", "SL", "MOD", "BAB"]),
    st.builds("d({},{})".format, st.integers(1, 2), st.integers(2, 3)),
    st.builds("d({},{})".format, st.integers(0, 2), st.integers(1, 3)),
    st.builds("d(min(CL,{}),{})".format, st.integers(0, 2), st.integers(1, 3)),
)


def _combined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({}{}{})".format, parts, st.sampled_from(["+", "-", "*", "//", ">=", "<", "=="]), parts),
        st.builds("{}({},{})".format, st.sampled_from(["min", "max"]), parts, parts),
        st.builds("({}//{})".format, parts, st.integers(1, 4)),
        st.builds("({}*{})".format, parts, st.integers(0, 4)),
        st.builds("min({},{})".format, st.integers(-3, 12), parts),
        st.builds("-{}".format, parts),
    )


EXPRESSIONS = st.recursive(LEAVES, _combined, max_leaves=5)
LEVELS = st.integers(1, 20)
SETTINGS = st.fixed_dictionaries(
    {"CL": LEVELS, "SL": st.integers(0, 9), "MOD": st.integers(-2, 9), "BAB": st.integers(0, 20)},
)


def same_in_both_forms(text: str, amount: Amount, setting: dict[str, int]) -> None:
    direct = distribution(lambda dice: parse(text).value(setting, dice))
    assert distribution(lambda dice: amount.value(setting["MOD"], setting["BAB"], dice)) == direct
    assert sum(direct.values()) == 1


@settings(max_examples=400)
@given(EXPRESSIONS, SETTINGS)
def test_normal_form_has_the_distribution_of_the_expression_or_is_refused(text, setting):
    try:
        amount = parse(text).normal_form(setting["CL"], setting["SL"])
    except ConfigError:
        return
    same_in_both_forms(text, amount, setting)


@given(
    st.lists(LEAVES, min_size=1, max_size=3).map("+".join),
    st.integers(1, 5),
    st.integers(1, 5),
    st.none() | st.integers(-5, 40),
    SETTINGS,
)
def test_everything_of_the_form_is_accepted(inner, mul, div, cap, setting):
    text = f"(({inner})*{mul})//{div}" if cap is None else f"min({cap},(({inner})*{mul})//{div})"
    kinds = {faces for faces in range(2, 4) if f",{faces})" in inner}
    assert len(kinds) <= 2
    same_in_both_forms(text, parse(text).normal_form(setting["CL"], setting["SL"]), setting)


@given(EXPRESSIONS, SETTINGS)
def test_bounds_hold_for_every_outcome(text, setting):
    try:
        low, high = parse(text).bounds(setting)
    except ConfigError:
        return
    values = distribution(lambda dice: parse(text).value(setting, dice))
    assert low <= min(values) <= max(values) <= high


@given(EXPRESSIONS, SETTINGS)
def test_normal_forms_are_written_in_one_way(text, setting):
    try:
        amount = parse(text).normal_form(setting["CL"], setting["SL"])
    except ConfigError:
        return
    assert amount.mul >= 1
    assert amount.div >= 1
    assert bool(amount.n1) == bool(amount.f1)
    assert bool(amount.n2) == bool(amount.f2)
    assert amount.n1 or not amount.n2
    if amount.is_number:
        assert amount == Amount(constant=amount.value())


@pytest.mark.parametrize(
    ("text", "level", "expected"),
    [
        ("d(min(CL,10),6)", 4, Amount(n1=4, f1=6)),
        ("d(min(CL,10),6)", 20, Amount(n1=10, f1=6)),
        ("d(min(10,CL//2),6)", 1, Amount()),
        ("d(1,8)+min(CL,5)", 20, Amount(n1=1, f1=8, constant=5)),
        ("(d(4,6)+CL)//2", 11, Amount(n1=4, f1=6, constant=11, div=2)),
        ("10*(d(1,4)+1)", 7, Amount(n1=1, f1=4, constant=1, mul=10)),
        ("min(8,d(1,4)+CL//3)", 20, Amount(n1=1, f1=4, constant=6, cap=8)),
        ("min(8,d(1,4)+CL//3)", 12, Amount(n1=1, f1=4, constant=4)),
        ("10+10*(CL>=7)+10*(CL>=11)", 7, Amount(constant=20)),
        ("CL+MOD+3", 13, Amount(constant=16, mod=1)),
        ("BAB+MOD", 5, Amount(mod=1, bab=1)),
        ("d(2,4)+d(1,4)+1", 5, Amount(n1=3, f1=4, constant=1)),
        ("d(2,4)+d(1,6)", 5, Amount(n1=2, f1=4, n2=1, f2=6)),
        ("d(3,1)", 5, Amount(constant=3)),
        ("-4", 5, Amount(constant=-4)),
    ],
)
def test_normal_forms_of_known_expressions(text, level, expected):
    assert parse(text).normal_form(level) == expected


def test_large_numbers_are_split_so_that_kernels_can_keep_them():
    days = parse("14400*CL").normal_form(20)
    assert days.value() == 288_000
    assert max(abs(number) for number in days[:-1]) <= LARGEST
    assert days.cap == NO_CAP
    with pytest.raises(ConfigError, match="32771 is too large"):  # a prime
        parse("32771").normal_form(1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d(CL;6)", "';' at character 5"),
        ("CLL", "unknown name CLL; accepted: CL, TCL"),
        ("lambda: 1", "unknown name lambda"),
        ("__import__('os')", "unknown name __import__"),
        ("CL.real", "'.' at character 3"),
        ("CL if CL else 1", "unknown name if"),
        ("1.5", "'.' at character 2"),
        ("0x1F", "unknown name x1F"),
        ("True", "unknown name True"),
        ("²", "at character 1"),
        ("2**3", "is not accepted"),
        ("1<2<3", "is not accepted"),
        ("d(1)", "is not accepted"),
        ("d(1,2,3)", "is not accepted"),
        ("min(CL)", "is not accepted"),
        ("min(*CL,1)", "is not accepted"),
        ("min", "is not accepted"),
        ("CL(1)", "is not accepted"),
        ("(1,2)", "is not accepted"),
        ("CL CL", "is not an expression"),
        ("d(1,6", "is not an expression"),
        ("", "is not an expression"),
        ("007", "is not an expression"),
        ("1000001", "too large"),
        ("1+" * MAX_LENGTH + "1", "at most 200 characters"),
        ("-" * (MAX_DEPTH + 1) + "CL", "operations inside each other"),
    ],
)
def test_what_is_not_of_the_language_is_refused(text, message):
    with pytest.raises(ConfigError) as error:
        parse(text)
    assert message in str(error.value)


@given(st.text(st.sampled_from(string.printable), max_size=30))
def test_any_text_is_read_or_refused(text):
    try:
        expression = parse(text)
    except ConfigError:
        return
    assert expression.variables <= {"CL", "TCL", "MOD", "BAB", "SL"}


@pytest.mark.parametrize(
    "text",
    [
        "d(1,6)-d(1,4)",
        "d(1,6)*d(1,6)",
        "max(3,d(1,6))",
        "min(d(1,6),d(1,4))",
        "d(1,4)+d(1,6)+d(1,8)",
        "d(d(1,4),6)",
        "d(41,6)",
        "d(1,101)",
        "d(CL-2,6)",
        "CL//0",
        "d(1,6)//(0-1)",
        "(d(1,6)>3)*2",
        "(d(1,6)//2)*3",
        "2*d(1,6)+1",
        "MOD*BAB",
        "11+TCL",
    ],
)
def test_what_kernels_cannot_compute_is_refused_with_the_forms_that_are_accepted(text):
    with pytest.raises(ConfigError, match=r"accepted: \(\(dice \+ dice"):
        parse(text).normal_form(1)


def test_values_need_what_they_are_made_of():
    with pytest.raises(ConfigError, match="TCL has no value here"):
        parse("11+TCL").value({"CL": 3})
    with pytest.raises(ConfigError, match="no dice here"):
        parse("d(1,6)").value({})
    with pytest.raises(ConfigError, match="division by 0"):
        parse("1//CL").value({"CL": 0})
    with pytest.raises(ConfigError, match="cannot be thrown"):
        parse("d(CL,6)").value({"CL": -1}, lambda count, faces: count)
    with pytest.raises(ConfigError, match="no dice here"):
        Amount(n1=1, f1=6).value()
    assert parse("11+TCL").value({"TCL": 7}) == 18
    assert parse("10+CMB", ("CMB",)).value({"CMB": 5}) == 15


def test_bounds_over_ranges_of_variables():
    assert parse("d(min(CL,10),6)+MOD").bounds({"CL": (1, 20), "MOD": (-1, 4)}) == (0, 64)
    assert parse("CL//3-2*(CL>=5)").bounds({"CL": (3, 9)}) == (-1, 3)
    with pytest.raises(ConfigError, match="division by 0"):
        parse("1//CL").bounds({"CL": (-1, 1)})
