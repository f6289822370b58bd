"""The form in which kernels compute amounts, and the arithmetic that brings expressions into it."""

from collections.abc import Callable
from math import gcd
from typing import Final, NamedTuple

from duel_env.errors import ConfigError

NO_CAP: Final = 2**31 - 1
"""`cap` of an amount without one."""
LARGEST: Final = 2**15 - 1
"""Of every other number of an amount: kernels keep them in 16 bits."""
MAX_DICE: Final = 40
"""Dice of one kind in an amount."""
MAX_FACES: Final = 100
"""Faces of a die."""

FORMS: Final = (
    "accepted: ((dice + dice + k + k*MOD + k*BAB) * k) // k and min(k, that), "
    f"with numbers k that follow from CL and SL, and two kinds of dice at most, each up to {MAX_DICE} dice of {MAX_FACES} faces"
)


class Amount(NamedTuple):
    """`min(cap, ((n1 d f1 + n2 d f2 + constant + mod * MOD + bab * BAB) * mul) // div)`, the division rounded down.

    `mul` and `div` are 1 or more and have no common factor. Without dice of a kind its n and f are 0; only the second kind may be missing.
    Every number but `cap` fits 16 bits with a sign.
    """

    n1: int = 0
    f1: int = 0
    n2: int = 0
    f2: int = 0
    constant: int = 0
    mod: int = 0
    bab: int = 0
    mul: int = 1
    div: int = 1
    cap: int = NO_CAP

    def value(self, mod: int = 0, bab: int = 0, dice: Callable[[int, int], int] | None = None) -> int:
        """The amount for a casting modifier and base attack bonus; `dice` as in `Expression.value`."""
        thrown = 0
        for count, faces in ((self.n1, self.f1), (self.n2, self.f2)):
            if count:
                if dice is None:
                    raise ConfigError(f"no dice here, but d({count},{faces}) is due")
                thrown += dice(count, faces)
        inner = thrown + self.constant + self.mod * mod + self.bab * bab
        return min(self.cap, inner * self.mul // self.div)

    @property
    def is_number(self) -> bool:
        """Whether it depends on nothing."""
        return not (self.n1 or self.n2 or self.mod or self.bab)


def fitted(amount: Amount) -> Amount:
    """The same amount with every number small enough: a large constant becomes a constant and a factor.

    Raises:
        ConfigError: it cannot be done.
    """
    if amount.is_number and abs(amount.constant) > LARGEST:
        value = amount.constant
        factors = (factor for factor in range(2, LARGEST + 1) if value % factor == 0 and abs(value) // factor <= LARGEST)
        factor = next(factors, 0)
        if not factor:
            raise ConfigError(
                f"{value} is too large: numbers over {LARGEST} must be a product of two smaller ones, such as 600*CL"
            )
        amount = amount._replace(constant=value // factor, mul=factor)
    if any(abs(number) > LARGEST for number in amount[:-1]):
        raise ConfigError(f"a number over {LARGEST}; {FORMS}")
    if not -LARGEST <= amount.cap <= NO_CAP:
        raise ConfigError(f"the cap {amount.cap} is too large; {FORMS}")
    return amount


class Forms:
    """Arithmetic of amounts, with CL and SL as numbers. What leaves the form is refused, unless it makes no difference."""

    def __init__(self, caster_level: int, spell_level: int) -> None:
        self._numbers = {"CL": caster_level, "SL": spell_level}

    def number(self, value: int) -> Amount:
        """A whole number."""
        return Amount(constant=value)

    def variable(self, name: str) -> Amount:
        """CL and SL as numbers, MOD and BAB as they are."""
        if name in self._numbers:
            return Amount(constant=self._numbers[name])
        if name == "MOD":
            return Amount(mod=1)
        if name == "BAB":
            return Amount(bab=1)
        raise ConfigError(f"the variable {name} has no value where amounts are computed; {FORMS}")

    def add(self, left: Amount, right: Amount) -> Amount:
        """The sum; see `FORMS` for what can be added."""
        shaped, plain = (left, right) if _is_sum(right) else (right, left)
        if not _is_sum(plain):
            raise ConfigError(f"a sum of two products, quotients or capped values; {FORMS}")
        if _is_sum(shaped):
            groups = _merged(shaped, plain)
            return _settled(
                Amount(
                    *groups,
                    constant=shaped.constant + plain.constant,
                    mod=shaped.mod + plain.mod,
                    bab=shaped.bab + plain.bab,
                )
            )
        if plain.n1 or (shaped.cap != NO_CAP and not plain.is_number):
            raise ConfigError(f"dice or a variable are added after a product, quotient or cap; {FORMS}")
        # (X*m)//d + k is ((X + k*d/m)*m)//d, exact where k*d is a multiple of m.
        changes = {}
        for name in ("constant", "mod", "bab"):
            change = getattr(plain, name) * shaped.div
            if change % shaped.mul:
                raise ConfigError(f"{getattr(plain, name)} is added after a multiplication by {shaped.mul}; {FORMS}")
            changes[name] = getattr(shaped, name) + change // shaped.mul
        cap = shaped.cap if shaped.cap == NO_CAP else shaped.cap + plain.constant
        return _settled(shaped._replace(**changes, cap=cap))

    def negate(self, value: Amount) -> Amount:
        """The other sign, of what has no dice."""
        return self.multiply(value, Amount(constant=-1))

    def multiply(self, left: Amount, right: Amount) -> Amount:
        """The product with a number."""
        value, factor = (left, right.constant) if right.is_number else (right, left.constant)
        if not (left.is_number or right.is_number):
            raise ConfigError(f"a product of two values that are not numbers; {FORMS}")
        if factor == 0:
            return Amount()
        if _is_sum(value) and not value.n1:
            return _settled(
                Amount(constant=value.constant * factor, mod=value.mod * factor, bab=value.bab * factor),
            )
        if factor < 0:
            raise ConfigError(f"dice, quotients and capped values are not subtracted or multiplied by less than 0; {FORMS}")
        if value.div != 1 and factor != 1:
            raise ConfigError(f"a quotient that is not a number is multiplied; {FORMS}")
        cap = value.cap if value.cap == NO_CAP else value.cap * factor
        return _settled(value._replace(mul=value.mul * factor, cap=cap))

    def divide(self, left: Amount, right: Amount) -> Amount:
        """The quotient by a number of 1 or more, rounded down."""
        if not right.is_number or right.constant <= 0:
            raise ConfigError(f"division by something that is not a number of 1 or more; {FORMS}")
        divisor = right.constant
        # Rounding down twice is rounding down once: (X//d)//e is X//(d*e). It keeps order, so it may go inside a cap.
        cap = left.cap if left.cap == NO_CAP else left.cap // divisor
        return _settled(left._replace(div=left.div * divisor, cap=cap))

    def compare(self, holds: Callable[[int, int], bool], left: Amount, right: Amount) -> Amount:
        """1 or 0, for two numbers."""
        if not (left.is_number and right.is_number):
            raise ConfigError(f"a comparison of values that are not numbers; {FORMS}")
        return Amount(constant=int(holds(left.constant, right.constant)))

    def least(self, left: Amount, right: Amount) -> Amount:
        """The smaller one; a number becomes a cap."""
        if not (left.is_number or right.is_number):
            raise ConfigError(f"min of two values that are not numbers; {FORMS}")
        value, cap = (left, right.constant) if right.is_number else (right, left.constant)
        return _settled(value._replace(cap=min(value.cap, cap)))

    def greatest(self, left: Amount, right: Amount) -> Amount:
        """The larger one, where it is always the same one."""
        value, floor = (left, right.constant) if right.is_number else (right, left.constant)
        if left.is_number and right.is_number:
            return Amount(constant=max(left.constant, right.constant))
        low_high = _range(value) if left.is_number or right.is_number else None
        if low_high and low_high[0] >= floor:
            return value
        if low_high and low_high[1] <= floor:
            return Amount(constant=floor)
        raise ConfigError(f"max of a value that is not a number; {FORMS}")

    def dice(self, count: Amount, faces: Amount) -> Amount:
        """A number of dice."""
        if not (count.is_number and faces.is_number):
            raise ConfigError(f"dice whose number or faces are not numbers; {FORMS}")
        n, f = count.constant, faces.constant
        if not (0 <= n <= MAX_DICE and 1 <= f <= MAX_FACES):
            raise ConfigError(f"d({n},{f}) is out of range; {FORMS}")
        if n == 0 or f == 1:
            return Amount(constant=n)
        return Amount(n1=n, f1=f)


def _is_sum(amount: Amount) -> bool:
    return amount.mul == amount.div == 1 and amount.cap == NO_CAP


def _merged(left: Amount, right: Amount) -> tuple[int, int, int, int]:
    """The dice of two sums together: of equal faces as one kind, where they are not too many."""
    groups: list[list[int]] = []
    for count, faces in ((left.n1, left.f1), (left.n2, left.f2), (right.n1, right.f1), (right.n2, right.f2)):
        same = [group for group in groups if group[1] == faces and group[0] + count <= MAX_DICE]
        if same:
            same[0][0] += count
        elif count:
            groups.append([count, faces])
    if len(groups) > 2:
        raise ConfigError(f"more than two kinds of dice; {FORMS}")
    (n1, f1), (n2, f2) = [*groups, [0, 0], [0, 0]][:2]
    return n1, f1, n2, f2


def _range(amount: Amount) -> tuple[int, int] | None:
    """Least and greatest value over the dice; none where a variable of the caster enters."""
    if amount.mod or amount.bab:
        return None
    low = amount.n1 + amount.n2 + amount.constant
    high = amount.n1 * amount.f1 + amount.n2 * amount.f2 + amount.constant
    return min(amount.cap, low * amount.mul // amount.div), min(amount.cap, high * amount.mul // amount.div)


def _settled(amount: Amount) -> Amount:
    """One way to write each amount: numbers as constants, no common factor, no cap that is never reached."""
    if amount.is_number:
        return Amount(constant=min(amount.cap, amount.constant * amount.mul // amount.div))
    factor = gcd(amount.mul, amount.div)
    amount = amount._replace(mul=amount.mul // factor, div=amount.div // factor)
    ends = _range(amount._replace(cap=NO_CAP))
    if ends is not None and ends[1] <= amount.cap:
        amount = amount._replace(cap=NO_CAP)
    return Amount(constant=amount.cap) if ends is not None and ends[0] >= amount.cap else amount
