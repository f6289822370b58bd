"""Tables of the documentation that are generated from the code, and the check that they are current.

`python -m duel_env.docs` rewrites them; `--check` fails if a page would change. A table stands between two comments in the page,
`<!-- begin NAME -->` and `<!-- end NAME -->`.
"""

import re
import sys
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Final

from duel_env.game import Game, make_game
from duel_env.registry import ENV_IDS

_BLOCK = re.compile(r"(<!-- begin (?P<name>[\w-]+) -->\n)(?P<body>.*?)(<!-- end (?P=name) -->)", re.DOTALL)


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in [header, tuple("---" for _ in header), *rows]]
    return "\n".join(lines) + "\n"


def _environments() -> str:
    rows = []
    for row in ENV_IDS:
        game = make_game(row.ruleset)
        rows.append((f"`{row.id}`", str(game.ruleset.version), row.en, str(game.num_actions), str(game.observation_size)))
    return _table(("id", "version", "what it is", "actions", "observation"), rows)


_MOST_ROWS: Final = 100
_LONGEST_RUN: Final = 12
_GAP: Final = ("...", "...", "...", "...")
_GROUP_PREFIXES: Final = ("quickened_", "spend_")


def _groups(game: Game) -> list[list[tuple[str, str, str, str]]]:
    """The actions of a long list: castings, quickened castings, spells to spend, all others."""
    rows = [(str(number), f"`{action.id}`", action.en, action.fr) for number, action in enumerate(game.actions)]
    starts = [next(at for at, action in enumerate(game.actions) if action.id.startswith(prefix)) for prefix in _GROUP_PREFIXES]
    num_spells = starts[1] - starts[0]
    cuts = [0, *starts, starts[1] + num_spells, len(rows)]
    return [rows[first:last] for first, last in pairwise(cuts)]


def _actions(game: Game) -> str:
    rows = [(str(number), f"`{action.id}`", action.en, action.fr) for number, action in enumerate(game.actions)]
    if len(rows) > _MOST_ROWS:  # a long list of spells: the first and the last action of each group tell enough
        rows = [row for group in _groups(game) for row in (group if len(group) <= _MOST_ROWS else [group[0], _GAP, group[-1]])]
    return _table(("number", "id", "English", "French"), rows)


def _observation(game: Game) -> str:
    rows = []
    for (low, high, meaning), run in groupby(enumerate(game.layout), key=lambda item: item[1][1:]):
        features = list(run)
        names = [f"`{feature.name}`" for _, feature in features]
        if len(features) > _LONGEST_RUN:
            first, last = features[0][0], features[-1][0]
            rows.append((f"{first} to {last}", f"{names[0]} to {names[-1]}", f"{low:g}", f"{high:g}", meaning))
        else:
            rows += [(str(at), name, f"{low:g}", f"{high:g}", meaning) for (at, _), name in zip(features, names, strict=True)]
    return _table(("index", "feature", "min", "max", "meaning"), rows)


def _settings(game: Game) -> str:
    rows = []
    for model in (game.ruleset.setup_model, game.ruleset.options_model):
        for name, field in model.model_fields.items():
            default = "the six of the source" if name == "spells" else f"`{field.get_default(call_default_factory=True)}`"
            rows.append((f"`{name}`", default, (field.description or "").replace("\n", " ")))
    return _table(("setting", "default", "meaning"), rows)


def generators() -> dict[str, Callable[[], str]]:
    """What may stand between the comments, by name."""
    found: dict[str, Callable[[], str]] = {"environments": _environments}
    for row in ENV_IDS:
        for name, make in (("actions", _actions), ("observation", _observation), ("settings", _settings)):
            found[f"{row.ruleset}-{name}"] = lambda make=make, row=row: make(make_game(row.ruleset))  # type: ignore[misc]
    return found


def render(page: str) -> str:
    """A page with its generated tables made anew.

    Raises:
        KeyError: a table that no generator makes.
    """
    known = generators()
    return _BLOCK.sub(lambda match: match[1] + known[match["name"]]() + match[4], page)


def main(arguments: list[str]) -> int:
    """Rewrite the pages below the current folder, or check them."""
    stale = []
    for path in [Path("README.md"), *sorted(Path("docs").rglob("*.md")), *sorted(Path("duel_env").rglob("*.md"))]:
        page = path.read_text(encoding="utf-8")
        rendered = render(page)
        if rendered != page:
            stale.append(str(path))
            if "--check" not in arguments:
                path.write_text(rendered, encoding="utf-8")
    if stale:
        print(("stale tables, run python -m duel_env.docs: " if "--check" in arguments else "rewritten: ") + ", ".join(stale))
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
