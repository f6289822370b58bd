"""Verdicts in words."""

from typing import Final

from markupsafe import Markup

from evaluation.report.figures import Level, Verdict, VerdictCode
from evaluation.report.page.blocks import Finding
from evaluation.report.page.names import subject_name
from evaluation.report.page.shown import Reader, Shown, Text

_NOTHING: Final = 5e-4
"""Points below which nothing is given away, as far as people can see."""

_AS_POINTS: Final = frozenset(
    {
        VerdictCode.FAIRNESS,
        VerdictCode.DOMINATED_SPELL,
        VerdictCode.MUST_HAVE_SPELL,
        VerdictCode.ONE_SPELL,
        VerdictCode.ONE_SPELL_PER_ROLE,
        VerdictCode.FIXED_SEQUENCE,
        VerdictCode.BLIND_TO_HIT_POINTS,
        VerdictCode.SENSITIVITY,
        VerdictCode.READING,
    }
)
"""Verdicts about differences of scores."""

_GRAVEST: Final = (
    VerdictCode.DRAWS,
    VerdictCode.ONE_SPELL,
    VerdictCode.ONE_SPELL_PER_ROLE,
    VerdictCode.FIXED_SEQUENCE,
    VerdictCode.SKILL,
    VerdictCode.REAL_DECISIONS,
    VerdictCode.MUST_HAVE_SPELL,
    VerdictCode.BLIND_TO_HIT_POINTS,
    VerdictCode.SNOWBALL,
    VerdictCode.FIRST_HIT,
    VerdictCode.DOMINATED_SPELL,
    VerdictCode.DEAD_SPELL,
    VerdictCode.LENGTH,
    VerdictCode.CLOSE_DECISIONS,
)
"""Which problem the first screen names first: what spoils the game as a whole comes before what spoils a part of it."""


def worst_text(reader: Reader) -> Markup | str:
    """The gravest finding besides fairness, or nothing if there is no problem."""
    problems = {finding.code: finding for finding in reversed(found_verdicts(reader)) if finding.level == Level.FAIL}
    gravest = next((problems[code] for code in _GRAVEST if code in problems), None)
    return "" if gravest is None else reader.wording.rich("lead.worst", finding=gravest.says)


def level_counts(reader: Reader) -> list[tuple[str, str]]:
    """How many findings are of which level, in words, the worst first; levels without any are left out."""
    levels = [finding.level for finding in found_verdicts(reader)]
    counted = [(level.value, levels.count(level)) for level in (Level.FAIL, Level.WARN, Level.PASS)]
    return [
        (level, reader.wording(f"lead.{level}.{'one' if number == 1 else 'many'}", number=number))
        for level, number in counted
        if number
    ]


def found_verdicts(reader: Reader) -> list[Finding]:
    """The findings of all codes, the worst first."""
    severity = [Level.FAIL, Level.WARN, Level.PASS]
    found = [finding for code in VerdictCode for finding in found_verdicts_of(reader, code)]
    return sorted(found, key=lambda finding: severity.index(finding.level))


def found_verdicts_of(reader: Reader, code: VerdictCode) -> list[Finding]:
    """Findings about a code: those that did not pass; if all did, the one that comes closest to its lines.

    Verdicts without a number are left out, unless there are words for that.
    """
    says_nothing = reader.wording.has(f"verdict.{code.value}.none")
    numbered = [
        (i, verdict)
        for i, verdict in enumerate(reader.report.verdicts)
        if verdict.code == code and (verdict.value is not None or says_nothing)
    ]
    if not numbered:
        return []
    if all(verdict.level == Level.PASS for _, verdict in numbered):
        return [_finding(reader, [_closest(numbered)], "good")]
    found = []
    for level in (Level.FAIL, Level.WARN):
        bad = [(i, verdict) for i, verdict in numbered if verdict.level == level]
        if reader.wording.has(f"verdict.{code.value}.many") and len(bad) > 1:
            found.append(_finding(reader, bad, "many"))
        else:
            found += [_finding(reader, [entry], "bad") for entry in bad]
    return found


def _closest(numbered: list[tuple[int, Verdict]]) -> tuple[int, Verdict]:
    """The verdict that comes closest to its lines."""

    def badness(entry: tuple[int, Verdict]) -> float:
        value = entry[1].value
        if value is None:
            return float("-inf")
        return value if entry[1].more_is_worse else -value

    return max(numbered, key=badness)


def _finding(reader: Reader, numbered: list[tuple[int, Verdict]], tone: str) -> Finding:
    """A verdict in words, or several of one kind and level."""
    text, (number, verdict) = reader.wording, numbered[0]
    key = f"verdict.{verdict.code.value}"
    if verdict.value is None:
        tone = "none"
    elif abs(verdict.value) < _NOTHING and text.has(f"{key}.{tone}_zero"):
        tone = f"{tone}_zero"
    says = text.rich(
        f"{key}.{tone}",
        value=verdict_number(reader, verdict, f"verdicts.{number}.value"),
        subject=text.join([subject_name(reader, one) for _, one in numbered]),
    )
    word = text(f"level.{verdict.level.value}")
    return Finding(code=verdict.code, level=verdict.level, word=word, says=says, limits=_limits(reader, number, verdict))


def _limits(reader: Reader, number: int, verdict: Verdict) -> Markup | str:
    if verdict.warn is None or verdict.fail is None:
        return ""
    key = "limits.above" if verdict.more_is_worse else "limits.below"
    lines: dict[str, Text] = {}
    for line in ("warn", "fail"):
        shown: Text = verdict_number(reader, verdict, f"verdicts.{number}.{line}")
        lines[line] = reader.wording.rich("rounds", count=shown) if verdict.code == VerdictCode.LENGTH else shown
    return reader.wording.rich(key, **lines)


def verdict_number(reader: Reader, verdict: Verdict, path: str) -> Shown:
    """A number of a verdict with its unit."""
    if verdict.code in _AS_POINTS:
        return reader.points(path, signed=False)
    if verdict.code == VerdictCode.LENGTH:
        return reader.count(path)
    return reader.percent(path)
