"""The first screen: fair or not in one sentence, and the key numbers."""

from typing import Final

from markupsafe import Markup

from evaluation.report.figures import Level, VerdictCode
from evaluation.report.page.blocks import Number
from evaluation.report.page.names import agent_name
from evaluation.report.page.shown import Reader

_NOTABLE_DRAWS: Final = 0.0005
"""Share of duels without a winner from which on a sentence about winning says how they count."""
_FEW: Final = 2
"""Fewer have a text of their own."""


def headline_text(reader: Reader) -> Markup:
    """Fair or not, in one sentence for people who know nothing of game theory."""
    text, report = reader.wording, reader.report
    head = report.headline
    if head.decided < 0.5:
        return _undecided(reader)
    level = next(verdict.level for verdict in report.verdicts if verdict.code == VerdictCode.FAIRNESS)
    side = "first" if head.first_caster_score > 0.5 else "second"
    how = "pass" if level == Level.PASS else f"{level.value}_{side}"
    count = "wins" if 1.0 - head.decided < _NOTABLE_DRAWS else "scores"
    if report.about.equal_players:
        return text.rich(f"headline.{how}", result=_of_hundred(reader, count, "headline.first_caster_score"))
    result = _of_hundred(reader, count, "headline.player_0_score")
    skills = report.about.skills
    return text.rich(f"headline.unequal_{how}", result=result, first=skills[0], second=skills[1])


def _of_hundred(reader: Reader, key: str, path: str) -> Markup:
    """So many of a hundred duels; fewer than two have a text of their own, for the sake of grammar."""
    amount = "few" if round(100.0 * reader.value(path)) < _FEW else "many"
    return reader.wording.rich(f"headline.{key}.{amount}", share=reader.hundred(path))


def _undecided(reader: Reader) -> Markup:
    if reader.report.headline.decided < _NOTABLE_DRAWS:
        return reader.wording.rich("headline.nobody")
    return reader.wording.rich("headline.undecided", result=_of_hundred(reader, "decided", "headline.decided"))


def key_numbers(reader: Reader) -> list[Number]:
    """The numbers of the first screen."""
    text, head = reader.wording, reader.report.headline
    second = text.rich("number.first.remark", second=reader.percent("headline.second_caster_score"))
    numbers = [
        Number(name=text("number.first.name"), value=reader.percent("headline.first_caster_score"), remark=second),
        _length_number(reader),
        Number(
            name=text("number.draws.name"),
            value=reader.percent("headline.drawn"),
            remark=text.rich("number.draws.remark", endless=reader.percent("headline.endless")),
        ),
    ]
    if head.skill:
        others = [
            text.rich(
                "number.skill.other",
                name=agent_name(reader, skill.opponent),
                score=reader.percent(f"headline.skill.{i}.perfect_score"),
            )
            for i, skill in enumerate(head.skill)
            if i > 0
        ]
        numbers.append(
            Number(
                name=text("number.skill.name", name=agent_name(reader, head.skill[0].opponent)),
                value=reader.percent("headline.skill.0.perfect_score"),
                remark=Markup(", ").join(others),
            )
        )
    numbers += [
        Number(
            name=text("number.spells.name"),
            value=reader.decimal("spells.effective_spells"),
            remark=text("number.spells.remark", count=len(reader.report.spells.spells)),
        ),
        Number(name=text("number.error.name"), value=reader.tiny("headline.max_error"), remark=text("number.error.remark")),
    ]
    return numbers


def _length_number(reader: Reader) -> Number:
    text, length, name = reader.wording, reader.report.headline.length, reader.wording("number.length.name")
    percentiles = {"median": reader.count("headline.length.median"), "p95": reader.count("headline.length.p95")}
    if length.mean is not None:
        value = text.rich("rounds", count=reader.decimal("headline.length.mean"))
        return Number(name=name, value=value, remark=text.rich("number.length.remark", **percentiles))
    if length.mean_if_ended is not None:
        value = text.rich("rounds", count=reader.decimal("headline.length.mean_if_ended"))
        return Number(name=name, value=value, remark=text("number.length.if_ended"))
    return Number(name=name, value=text("number.length.never"), remark=text("number.length.no_end"))
