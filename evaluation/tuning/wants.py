"""How far figures are outside of what is wanted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from evaluation.tuning.figures import Figures
from evaluation.tuning.settings import Want

UNIT: Final = {"first_caster": 0.01, "spell_share": 0.05, "mean_rounds": 1.0, "draws": 0.01, "one_spell": 0.05}
"""Being outside by so much is a violation of 1, times the weight."""
CAP: Final = 10.0
"""No single figure has a greater violation than this, times the weight."""
ONE_SPELL_CAP: Final = 3.0
"""As CAP, for `one_spell`; it also stands for strategies that were not measured, so that measuring them never looks worse."""
LOSS_UNIT: Final = 0.05
"""A spell that is never cast has a violation of 1 more for each such loss of probability of winning (`Figures.spell_loss`) ..."""
LOSS_CAP: Final = 2.0
"""... up to this: what tells rules under which it nearly pays from those under which it is worthless."""
MEASURE_BELOW: Final = 1.0
"""Strategies of one spell are measured for candidates whose other wants are violated by no more than this."""

_ROUNDING: Final = 1e-12


class Check(NamedTuple):
    """One figure beside its bounds.

    Attributes:
        figure, skills, spell, low, high: what is wanted; `spell` only where the figure is about one.
        value: the figure, infinite for the rounds of endless play; None if it was not measured.
        violation: how far it is outside, 0 within; weighted.
    """

    figure: str
    skills: tuple[int, int]
    spell: str | None
    low: float | None
    high: float | None
    value: float | None
    violation: float

    @property
    def is_met(self) -> bool:
        """Whether the figure is within its bounds."""
        return self.violation == 0.0

    def to_json(self) -> dict[str, Any]:
        """As JSON values; null for endless play."""
        value = self.value if self.value is None or np.isfinite(self.value) else None
        return {**self._asdict(), "skills": list(self.skills), "value": value, "is_met": self.is_met}


@dataclass(frozen=True, slots=True)
class Verdict:
    """All wants beside what came of them.

    Attributes:
        checks: each figure.
        violation: the sum of theirs; 0: all is as wanted.
    """

    checks: tuple[Check, ...]
    violation: float

    @property
    def is_met(self) -> bool:
        """Whether all is as wanted."""
        return self.violation == 0.0


def judge(wants: tuple[Want, ...], figures: Mapping[tuple[int, int], Figures]) -> Verdict:
    """Hold figures against what is wanted.

    Args:
        wants: what is wanted.
        figures: by pair of skills; all that the wants are about.
    """
    checks = tuple(check for want in wants for pair in want.skills for check in _checks(want, figures[pair]))
    return Verdict(checks, float(sum(check.violation for check in checks)))


def needs_one_spell(wants: tuple[Want, ...], pair: tuple[int, int]) -> bool:
    """Whether the strategies of one spell matter between two skills."""
    return any(want.figure == "one_spell" and pair in want.skills for want in wants)


def violation_of_the_rest(verdict: Verdict) -> float:
    """The violation without that of strategies of one spell."""
    return float(sum(check.violation for check in verdict.checks if check.figure != "one_spell"))


def _checks(want: Want, figures: Figures) -> Iterator[Check]:
    def check(value: float | None, violation: float, spell: str | None = None) -> Check:
        cap = ONE_SPELL_CAP if want.figure == "one_spell" else CAP
        return Check(want.figure, figures.skills, spell, want.low, want.high, value, want.weight * min(violation, cap))

    if want.figure == "spell_share":
        for spell in want.spells or tuple(figures.spell_share):
            share = figures.spell_share[spell]
            yield check(share, _outside(want, share) + _distance_to_use(want, figures, spell), spell)
    elif want.figure == "one_spell":
        if figures.one_spell is None:
            yield check(None, ONE_SPELL_CAP)
        else:
            best = max(figures.one_spell, key=figures.one_spell.__getitem__)
            yield check(figures.one_spell[best], _outside(want, figures.one_spell[best]), best)
    else:
        found: float | None = getattr(figures, want.figure)
        value = np.inf if found is None else found
        yield check(value, _outside(want, value))


def _outside(want: Want, value: float) -> float:
    """How far a value is outside of the bounds, in the figure's unit."""
    below = want.low - value if want.low is not None else 0.0
    above = value - want.high if want.high is not None else 0.0
    distance = max(below, above, 0.0)
    return distance / UNIT[want.figure] if distance > _ROUNDING else 0.0


def _distance_to_use(want: Want, figures: Figures, spell: str) -> float:
    if not want.low or figures.spell_share[spell] > 0.0:
        return 0.0
    loss = figures.spell_loss[spell]
    return LOSS_CAP if loss is None else min(loss / LOSS_UNIT, LOSS_CAP)
