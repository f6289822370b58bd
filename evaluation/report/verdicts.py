"""Judgements: numbers of the report against the lines of the settings. Codes and numbers only; the words are for whoever shows them."""

from collections.abc import Iterator
from typing import NamedTuple

from evaluation.report.figures import (
    ComebacksFigures,
    DecisionsFigures,
    Dominance,
    EventCode,
    HeadlineFigures,
    Level,
    ReadingsFigures,
    SensitivityFigures,
    SpellFigures,
    SpellsFigures,
    StrategiesFigures,
    Verdict,
    VerdictCode,
)
from evaluation.report.settings import Limits, Thresholds

_LEVELS = (Level.PASS, Level.WARN, Level.FAIL)


def worst(verdicts: tuple[Verdict, ...]) -> Level:
    """The worst level of some verdicts."""
    return max((verdict.level for verdict in verdicts), key=_LEVELS.index, default=Level.PASS)


def judge(
    code: VerdictCode, value: float | None, limits: Limits, *, more_is_worse: bool = True, subject: str | None = None
) -> Verdict:
    """Compare a number with two lines; no number passes."""
    level = Level.PASS
    if value is not None:
        sign = 1.0 if more_is_worse else -1.0
        if sign * (value - limits.fail) >= 0.0:
            level = Level.FAIL
        elif sign * (value - limits.warn) >= 0.0:
            level = Level.WARN
    return Verdict(
        code=code, level=level, subject=subject, value=value, warn=limits.warn, fail=limits.fail, more_is_worse=more_is_worse
    )


class Parts(NamedTuple):
    """The parts of a report that are judged."""

    headline: HeadlineFigures
    spells: SpellsFigures
    strategies: StrategiesFigures
    decisions: DecisionsFigures
    comebacks: tuple[ComebacksFigures, ...]
    sensitivity: SensitivityFigures
    readings: ReadingsFigures


def verdicts(thresholds: Thresholds, parts: Parts) -> tuple[Verdict, ...]:
    """All verdicts, in the order of `VerdictCode`."""
    found = [
        *_of_headline(thresholds, parts.headline),
        *_of_spells(thresholds, parts.spells),
        *_of_strategies(thresholds, parts.strategies),
        *_of_decisions(thresholds, parts.decisions),
        *_of_comebacks(thresholds, parts.comebacks),
        *_of_changes(thresholds, parts.sensitivity, parts.readings),
    ]
    order = list(VerdictCode)
    return tuple(sorted(found, key=lambda verdict: order.index(verdict.code)))


def _of_headline(thresholds: Thresholds, headline: HeadlineFigures) -> Iterator[Verdict]:
    yield judge(VerdictCode.FAIRNESS, abs(headline.first_caster_score - 0.5), thresholds.fairness)
    yield judge(VerdictCode.DRAWS, headline.drawn + headline.endless, thresholds.draws)
    # A 95th percentile that is never reached is a matter of endless duels, which the verdict on draws is about.
    yield judge(VerdictCode.LENGTH, headline.length.p95, thresholds.length)
    for skill in headline.skill:
        if skill.opponent == "random":
            yield judge(VerdictCode.SKILL, skill.skill_share, thresholds.skill, more_is_worse=False, subject=skill.opponent)


def ban_cost(spell: SpellFigures) -> float | None:
    """What it costs to do without a spell: the greater of the two players' losses; None if it cannot be banned."""
    return max((-each.change for each in spell.ban), default=None)


def _of_spells(thresholds: Thresholds, spells: SpellsFigures) -> Iterator[Verdict]:
    for spell in spells.spells:
        cost = ban_cost(spell)
        is_missed = cost is None or cost >= thresholds.dead_spell_ban
        share = None if is_missed else (spell.real_share or 0.0)
        yield judge(VerdictCode.DEAD_SPELL, share, thresholds.dead_spell, more_is_worse=False, subject=spell.spell)
        is_dominated = bool(spell.dominated_by) or spell.dominance is Dominance.NEVER_OPTIMAL
        yield Verdict(
            code=VerdictCode.DOMINATED_SPELL,
            level=Level.FAIL if is_dominated and spell.states else Level.PASS,
            subject=spell.spell,
            value=spell.least_loss,
            warn=None,
            fail=None,
            more_is_worse=True,
        )
        yield judge(VerdictCode.MUST_HAVE_SPELL, cost, thresholds.must_have, subject=spell.spell)


def _of_strategies(thresholds: Thresholds, strategies: StrategiesFigures) -> Iterator[Verdict]:
    def verdict(code: VerdictCode, loss: float, subject: str | None) -> Verdict:
        return judge(code, loss, thresholds.degenerate, more_is_worse=False, subject=subject)

    for code, tried in (
        (VerdictCode.ONE_SPELL, strategies.one_spell),
        (VerdictCode.ONE_SPELL_PER_ROLE, strategies.one_spell_per_role),
        (VerdictCode.FIXED_SEQUENCE, strategies.sequences),
    ):
        if tried:
            best = min(tried, key=lambda each: each.loss)
            yield verdict(code, best.loss, " ".join(best.spells))
    if strategies.blind is not None:
        yield verdict(VerdictCode.BLIND_TO_HIT_POINTS, strategies.blind.strategy.loss, None)


def _of_decisions(thresholds: Thresholds, decisions: DecisionsFigures) -> Iterator[Verdict]:
    yield judge(VerdictCode.REAL_DECISIONS, decisions.all.real_share, thresholds.real_decisions, more_is_worse=False)
    yield judge(VerdictCode.CLOSE_DECISIONS, decisions.all.two_close_share, thresholds.close_decisions, more_is_worse=False)


def _of_comebacks(thresholds: Thresholds, comebacks: tuple[ComebacksFigures, ...]) -> Iterator[Verdict]:
    perfect = comebacks[0]
    yield judge(VerdictCode.FIRST_HIT, perfect.first_hit_score, thresholds.first_hit)
    for event in perfect.events:
        if event.event in (EventCode.DISARM, EventCode.PETRIFY):
            yield judge(VerdictCode.SNOWBALL, event.after, thresholds.snowball, subject=event.event.value)


def _of_changes(thresholds: Thresholds, sensitivity: SensitivityFigures, readings: ReadingsFigures) -> Iterator[Verdict]:
    for parameter in sensitivity.parameters:
        if parameter.kind != "skill":  # it belongs to the players, not to the rules
            steps = [abs(each.first_caster_change) for each in (parameter.down, parameter.up) if each is not None]
            yield judge(VerdictCode.SENSITIVITY, max(steps, default=None), thresholds.sensitivity, subject=parameter.parameter)
    for reading in readings.readings:
        subject = f"{reading.option}={reading.other}"
        yield judge(VerdictCode.READING, abs(reading.first_caster_change), thresholds.readings, subject=subject)
