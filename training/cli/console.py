"""The standard output for tables and sentences, with names from outside in them."""

from typing import Any

from rich.console import Console
from rich.text import Text

from training.printable import printable


class PlainConsole(Console):
    """Shows every text as it is: no markup, no emoji for `:bug:`, and control characters as escapes, which a terminal does not obey."""

    def __init__(self, **options: Any) -> None:
        """As `Console`."""
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """As `Console.render_str`, which all texts pass on their way out."""
        return super().render_str("\n".join(map(printable, text.split("\n"))), **options)
