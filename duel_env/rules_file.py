"""Rules as a file: the options of a ruleset in TOML, with its lists of things as tables, such as [[spells]].

A list of spells alone (the format of the ruleset's own data file) is a file of rules, too: what it leaves out has its default.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from duel_env.config import Settings, read_toml, shown
from duel_env.errors import ConfigError
from duel_env.files import write_atomically
from duel_env.game import Game, make_recorded_game

RULESET_KEY: Final = "ruleset"
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def read_rules(path: Path, ruleset: str = "hogwarts") -> dict[str, Any]:
    """The options in a file of rules, as `make_game` takes them.

    Args:
        path: the file. It may say `ruleset = "..."` at its top.
        ruleset: the one that they are wanted for.

    Returns:
        what the file says, checked.

    Raises:
        ConfigError: the file cannot be read, is of another ruleset, or has an option that is not accepted; the message names it.
        SchemaError: it names another file instead of holding the list itself.
    """
    options = read_toml(path)
    named = options.pop(RULESET_KEY, ruleset)
    if named != ruleset:
        raise ConfigError(f"{path}: rules of {shown(named)!r}, but rules of {ruleset!r} are wanted")
    if not options:
        raise ConfigError(f"{path}: expected options of {ruleset}, but there are none")
    make_recorded_game(ruleset, options, str(path))
    return options


def rules_text(game: Game, notes: Sequence[str] = ()) -> str:
    """A file of rules: all options, spelled out; of the entries of a list only what differs from the default of each key.

    Args:
        game: the rules.
        notes: lines for the comment at the top.

    Raises:
        ConfigError: a note of more than one line, or with control characters.
    """
    for note in notes:
        if not note.isprintable():
            raise ConfigError(f"a note in a file of rules is one line of printable text, not {shown(note)}")
    lines = [f"# {note}".rstrip() for note in notes]
    lines += ["", f"{RULESET_KEY} = {_value(game.ruleset.name)}"]
    tables: list[str] = []
    for key, value in game.options_json().items():
        entries = getattr(game.options, key)
        if isinstance(entries, tuple) and entries and all(isinstance(entry, Settings) for entry in entries):
            for entry in entries:
                tables += ["", f"[[{_key(key)}]]"]
                content = entry.model_dump(mode="json", exclude_defaults=True)
                tables += [f"{_key(name)} = {_value(item)}" for name, item in content.items()]
        elif value is not None:
            lines.append(f"{_key(key)} = {_value(value)}")
    return "\n".join([*lines, *tables]).lstrip("\n") + "\n"


def write_rules(path: Path, game: Game, notes: Sequence[str] = ()) -> None:
    """Write a file of rules that `read_rules` reads to the same game.

    Args:
        path: the file.
        game, notes: as in `rules_text`.

    Raises:
        ConfigError: as `rules_text`; or the file cannot be written.
    """
    content = rules_text(game, notes).encode()
    try:
        write_atomically(path, content)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror or error}") from error


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        # JSON's escapes are TOML's too, but for the one control character that JSON leaves as it is.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    raise TypeError(f"no option of a ruleset: {value!r}")
