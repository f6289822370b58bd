"""What the page is made of. Sections build these; `templates/page.html.j2` writes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from evaluation.report.figures import Level, VerdictCode
from evaluation.report.page.pictures import Picture
from evaluation.report.page.shown import Text


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    kind: ClassVar = "paragraph"
    text: Text


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a part of a section."""

    kind: ClassVar = "heading"
    text: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table; the first column names the rows."""

    kind: ClassVar = "table"
    caption: str
    header: Sequence[Text]
    rows: Sequence[Sequence[Text]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture, what its colours mean, a remark, and its content as a table."""

    kind: ClassVar = "figure"
    picture: Picture
    table: Table
    key: Sequence[tuple[str, str]] = ()
    """Classes of the style sheet, with their meaning."""
    note: Text = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with values."""

    kind: ClassVar = "facts"
    items: Sequence[tuple[Text, Text]]


@dataclass(frozen=True, slots=True)
class Pair:
    """Blocks side by side where there is room."""

    kind: ClassVar = "pair"
    blocks: Sequence["Block"]


@dataclass(frozen=True, slots=True)
class Stack:
    """Blocks one below the other, as one column of a pair."""

    kind: ClassVar = "stack"
    blocks: Sequence["Block"]


@dataclass(frozen=True, slots=True)
class Card:
    """A box with a title."""

    kind: ClassVar = "card"
    title: Text
    blocks: Sequence["Block"]


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of sentences."""

    kind: ClassVar = "listing"
    items: Sequence[Text]


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A key number of the first screen."""

    name: str
    value: Text
    remark: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A verdict in words."""

    code: VerdictCode
    level: Level
    word: str
    says: Text
    limits: Text


@dataclass(frozen=True, slots=True)
class Findings:
    """Verdicts."""

    kind: ClassVar = "findings"
    items: Sequence[Finding]


Block = Paragraph | Heading | Table | Figure | Facts | Pair | Stack | Card | Listing | Findings


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A numbered part of the page."""

    anchor: str
    title: str
    blocks: Sequence[Block]
