"""A report becomes a page."""

from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from evaluation.report.figures import Level, Report
from evaluation.report.page.decisions import decisions_section
from evaluation.report.page.fairness import verdict_section
from evaluation.report.page.headline import headline_text, key_numbers
from evaluation.report.page.method import method_section
from evaluation.report.page.names import subtitle_text, title_text
from evaluation.report.page.readings import readings_section
from evaluation.report.page.sensitivity import sensitivity_section
from evaluation.report.page.shown import Reader, plain
from evaluation.report.page.spells import spells_section
from evaluation.report.page.strategies import strategies_section
from evaluation.report.page.verdicts import found_verdicts, level_counts, worst_text
from evaluation.report.page.wording import Language, Wording

_SECTIONS: Final = (
    verdict_section,
    spells_section,
    strategies_section,
    decisions_section,
    sensitivity_section,
    readings_section,
    method_section,
)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("evaluation.report.page"), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    environment.filters["unit"] = lambda value: f"{value:.2f}".rstrip("0").rstrip(".")
    return environment


def render_page(report: Report, language: Language) -> str:
    """The page of a report: HTML that needs no script, no network and no other file. The same report gives the same text.

    Names from files, of spells for example, are escaped wherever they stand, in the pictures too.

    Args:
        report: what to show.
        language: of all texts and numbers.
    """
    wording = Wording(language)
    reader = Reader(report, wording)
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            language=language,
            text=wording,
            title=title_text(reader),
            subtitle=subtitle_text(reader),
            headline=headline_text(reader),
            worst=worst_text(reader),
            counts=level_counts(reader),
            numbers=key_numbers(reader),
            sections=[section(reader) for section in _SECTIONS],
        )
    )


def verdict_lines(report: Report, language: Language) -> tuple[str, list[str]]:
    """The headline, and each problem, as plain text."""
    reader = Reader(report, Wording(language))
    problems = [finding for finding in found_verdicts(reader) if finding.level == Level.FAIL]
    return plain(headline_text(reader)), [plain(finding.says) for finding in problems]
