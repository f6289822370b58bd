"""Texts and numbers of the page in a language. Texts are data: `texts/<language>.toml`, the same keys in each."""

import math
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

from markupsafe import Markup, escape

Language = Literal["en", "fr"]
LANGUAGES: Final[tuple[Language, ...]] = ("en", "fr")

_SPACE = "\u00a0"
_MINUS = "\u2212"
_FRENCH_SPACES = {
    " :": "\u00a0:",
    " ;": "\u202f;",
    " ?": "\u202f?",
    " !": "\u202f!",
    " %": "\u00a0%",
    "« ": "«\u00a0",
    " »": "\u00a0»",
}


def _typeset(text: str, language: Language) -> str:
    """A text with the spaces that must not break a line."""
    for plain, fixed in _FRENCH_SPACES.items() if language == "fr" else [(" %", "\u00a0%")]:
        text = text.replace(plain, fixed)
    return text


@cache
def catalogue(language: Language) -> dict[str, str]:
    """All texts of a language by key; keys of tables are joined by dots, such as `headline.fair`."""
    content = (files("evaluation.report.page") / "texts" / f"{language}.toml").read_text(encoding="utf-8")
    found: dict[str, str] = {}

    def collect(table: dict[str, Any], prefix: str) -> None:
        for key, value in table.items():
            if isinstance(value, dict):
                collect(value, f"{prefix}{key}.")
            else:
                found[prefix + key] = _typeset(value, language)

    collect(tomllib.loads(content), "")
    return found


class Wording:
    """How things are said in a language: texts of the catalogue, and numbers with the language's decimal sign and units.

    Attributes:
        language: `en` or `fr`.
    """

    def __init__(self, language: Language) -> None:
        self.language: Language = language
        self._texts = catalogue(language)

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key, with values put into its {places}: plain text.

        Raises:
            KeyError: there is no such text, or a value is missing.
        """
        return self._texts[key].format(**values)

    def rich(self, key: str, **values: object) -> Markup:
        """As a call, for the page: everything is escaped, and figures among the values keep their marks."""
        return Markup(escape(self._texts[key])).format(**values)

    def has(self, key: str) -> bool:
        """Whether there is such a text."""
        return key in self._texts

    def join(self, parts: list[str]) -> str:
        """An enumeration: "a, b and c"."""
        if len(parts) < 2:
            return "".join(parts)
        return self("and", first=", ".join(parts[:-1]), second=parts[-1])

    def decimal(self, value: float, digits: int = 1) -> str:
        """A number: 1234.5 -> "1,234.5", in French "1 234,5" with a narrow no-break space."""
        text = f"{value:,.{digits}f}"
        if float(text.replace(",", "")) == 0.0:
            text = text.removeprefix("-")  # no minus zero
        if self.language == "fr":
            text = text.replace(",", "\u202f").replace(".", ",")
        return text.replace("-", _MINUS)

    def rate(self, value: float, digits: int = 1) -> str:
        """How often something happens: a decimal in which two digits say something: 2.31 -> "2.3", 0.0291 -> "0.029"."""
        if value >= 1.0 or value == 0.0:
            return self.decimal(value, digits)
        return self.tiny(value) if value < 1e-4 else self.decimal(value, max(digits, 1 - math.floor(math.log10(value))))

    def short(self, value: float) -> str:
        """A number with no more digits than it needs: 20.0 -> "20", 0.1 -> "0.1", in French "0,1"."""
        text = f"{value:.6g}"
        return text.replace(".", ",") if self.language == "fr" else text

    def signed(self, value: int) -> str:
        """A whole number with its sign."""
        return f"+{value}" if value > 0 else self.decimal(value, 0)

    def percent(self, value: float, digits: int = 1) -> str:
        """A share as a percentage: 0.4681 -> "46.8 %", in French "46,8 %"; the space does not break."""
        return f"{self.decimal(100.0 * value, digits)}{_SPACE}%"

    def points(self, value: float, *, signed: bool = True) -> str:
        """A difference of shares, one point being a hundredth: -0.012 -> "−1.2 points", in French "−1,2 point"."""
        number = self.decimal(100.0 * value)
        if signed and not number.startswith(_MINUS) and any(digit in number for digit in "123456789"):
            number = f"+{number}"
        # French has the plural from 2 on, English everywhere but for 1.
        few = abs(round(100.0 * value, 1)) < 2.0 if self.language == "fr" else abs(round(100.0 * value, 1)) == 1.0
        return f"{number}{_SPACE}{self('unit.point' if few else 'unit.points')}"

    def tiny(self, value: float) -> str:
        """A very small number as a power of ten: 2.1e-13 -> "2 × 10⁻¹³"; 0 -> "0"."""
        if value == 0.0:
            return "0"
        mantissa, _, exponent = f"{value:.0e}".partition("e")
        raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"{mantissa}{_SPACE}×{_SPACE}10{raised}"
