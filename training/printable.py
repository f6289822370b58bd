"""Text that goes out: to a terminal, which must not obey it, and into files, which tell nobody where things lie on this machine."""

import re
import unicodedata
from pathlib import PureWindowsPath

_TEXT = re.compile(r"""(["'])(.*?)\1""")


def printable(text: str) -> str:
    r"""The same text with control characters and the like as escapes: a terminal shows them and does not obey them.

    A line end becomes `\n`, so that a message stays one line.
    """
    return "".join(character if _is_harmless(character) else ascii(character)[1:-1] for character in text)


def _is_harmless(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs"  # no-break spaces, as numbers have them in French


def without_folders(argument: str) -> str:
    """An argument of a command with files by their names only: where they lie is nobody else's business.

    The settings that it stands for are in `config.toml`.
    """
    if "/" not in argument and "\\" not in argument:
        return argument
    key, equals, value = argument.partition("=")
    if not equals or "/" in key or "\\" in key:
        return PureWindowsPath(argument).name
    if value[:1] in {"[", "{", '"', "'"}:  # TOML, with texts in it
        return f"{key}={re.sub(_TEXT, lambda text: text[1] + PureWindowsPath(text[2]).name + text[1], value)}"
    return f"{key}={PureWindowsPath(value).name}"
