"""Reports for the tests of their page, made once, and a reader of pages that trusts nothing."""

import json
import re
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from typing import Any

from duel_env.game import make_game_and_setup
from evaluation.report import Report, ReportSettings, build_report, sheets_of

QUICK = ReportSettings(
    opponents=("random",), grid_step=50, readings_grid_step=50, blind_solves=1, max_sequences=42, temperatures=(0.005, 0.05)
)
"""Everything that a report has, of everything a little."""

HOSTILE = '<script>alert("x")</script>&\'{{7*7}}{0}%s$\\frac'
MORE_HOSTILE = "</title></style>]]>--><svg onload=alert(1)>" + "W" * 16
HOSTILE_SPELLS = [
    {"id": "a", "en": HOSTILE, "fr": HOSTILE, "penalty": 0, "damage": 1},
    {"id": "b", "en": MORE_HOSTILE, "fr": MORE_HOSTILE, "penalty": 10, "disarm": True},
]

VOID = {"meta", "br", "hr", "img", "input", "link"}


@cache
def _report(settings: str) -> Report:
    game, setup = make_game_and_setup("hogwarts", json.loads(settings))
    return build_report(game, sheets_of(game, setup), QUICK)


def report_of(**settings: Any) -> Report:
    """The report of some rules and skills."""
    return _report(json.dumps(settings))


@dataclass
class Element:
    """An element of a page."""

    tag: str
    attributes: dict[str, str | None]
    text: str = ""
    ancestors: tuple[str, ...] = ()


@dataclass
class Page(HTMLParser):
    """A page, read strictly: what is opened is closed, in order.

    Attributes:
        elements: all of them, as they are closed, with all the text in them.
        declared: the document type.
    """

    elements: list[Element] = field(default_factory=list)
    declared: str = ""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[Element] = []

    @classmethod
    def read(cls, html: str) -> "Page":
        page = cls()
        page.feed(html)
        page.close()
        assert not page._open, f"never closed: {[element.tag for element in page._open]}"
        return page

    def handle_decl(self, decl: str) -> None:
        self.declared = decl

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice"
        element = Element(tag, dict(attrs), ancestors=tuple(parent.tag for parent in self._open))
        if tag in VOID:
            self.elements.append(element)
        else:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert any(parent.tag == "svg" for parent in self._open), f"<{tag}/> outside SVG"
        self.elements.append(Element(tag, dict(attrs), ancestors=tuple(parent.tag for parent in self._open)))

    def handle_endtag(self, tag: str) -> None:
        element = self._open.pop()
        assert element.tag == tag, f"</{tag}> closes <{element.tag}>"
        self.elements.append(element)

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def all(self, tag: str) -> list[Element]:
        return [element for element in self.elements if element.tag == tag]

    @property
    def text(self) -> str:
        """What people can read, without the style sheet."""
        return next(element for element in self.elements if element.tag == "body").text

    @property
    def figures(self) -> list[Element]:
        return [element for element in self.elements if "data-figure" in element.attributes]


def at_path(report: Any, path: str) -> Any:
    """What stands at a path of a report's JSON."""
    for part in path.split("."):
        report = report[int(part)] if isinstance(report, list) else report[part]
    return report


def number_in(text: str, language: str) -> tuple[float, int]:
    """The number at the beginning of a text, and its decimals."""
    plain = text.replace("\u2212", "-").replace("\u202f", "").replace("+", "")
    plain = plain.replace(",", "." if language == "fr" else "")
    found = re.match(r"-?\d+(?:\.(\d+))?", plain)
    assert found, f"no number in {text!r}"
    return float(found[0]), len(found[1] or "")
