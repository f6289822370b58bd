"""Figures of a report as they are shown: each knows where in the report it stands, and the page says so."""

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from evaluation.report.figures import Report
from evaluation.report.page.wording import Wording


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure in words and digits.

    Attributes:
        text: as people read it.
        path: where it stands in the report's JSON, such as `headline.length.mean`.
        value: what stands there.
    """

    text: str
    path: str
    value: float | int | str | None

    def __str__(self) -> str:
        return self.text

    def __html__(self) -> str:
        """As a part of the page: the element `data` has the exact value beside the text."""
        exact = "" if self.value is None else self.value
        return Markup('<data value="{}" data-figure="{}">{}</data>').format(exact, self.path, self.text)


Text = str | Markup | Shown
"""Anything that can stand in the page."""


def plain(text: Text) -> str:
    """A text without marks, as it reads."""
    return Markup(text).striptags() if isinstance(text, Markup) else str(text)


class Reader:
    """Reads figures of a report by their paths, and shows them in a language.

    Attributes:
        report: the report.
        wording: the language.
    """

    def __init__(self, report: Report, wording: Wording) -> None:
        self.report = report
        self.wording = wording
        self._json = report.to_json()
        self._names = {action.id: action.fr if wording.language == "fr" else action.en for action in report.about.actions}

    def value(self, path: str) -> Any:
        """What stands at a path; numbers in it count the entries of lists.

        Raises:
            LookupError: nothing does.
        """
        found: Any = self._json
        for part in path.split("."):
            found = found[int(part)] if isinstance(found, list) else found[part]
        return found

    def percent(self, path: str, digits: int = 1) -> Shown:
        """A share, as a percentage."""
        return self._shown(path, lambda value: self.wording.percent(value, digits))

    def hundred(self, path: str) -> Shown:
        """A share, as a whole number of a hundred."""
        return self._shown(path, lambda value: self.wording.decimal(100.0 * value, 0))

    def points(self, path: str, *, signed: bool = True) -> Shown:
        """A difference of shares, in points."""
        return self._shown(path, lambda value: self.wording.points(value, signed=signed))

    def decimal(self, path: str, digits: int = 1) -> Shown:
        """A number."""
        return self._shown(path, lambda value: self.wording.decimal(value, digits))

    def rate(self, path: str, digits: int = 1) -> Shown:
        """How often something happens, rare as it may be; `digits` at least."""
        return self._shown(path, lambda value: self.wording.rate(value, digits))

    def count(self, path: str) -> Shown:
        """A whole number."""
        return self._shown(path, lambda value: self.wording.decimal(value, 0))

    def tiny(self, path: str) -> Shown:
        """A very small number."""
        return self._shown(path, self.wording.tiny)

    def action(self, path: str) -> Shown:
        """An action by its name for people."""
        return self._shown(path, self.name)

    def name(self, action: str) -> str:
        """The name for people of an action; an id that the game does not have stays as it is."""
        return self._names.get(action, action)

    def _shown(self, path: str, show: Any) -> Shown:
        value = self.value(path)
        return Shown(self.wording("none") if value is None else show(value), path, value)
