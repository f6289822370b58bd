"""What several commands share: how games, set-ups and agents are written on the command line, and how results are shown."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from duel_env.config import shown
from duel_env.errors import ConfigError
from evaluation.limits import MAX_DUELS
from training.toml_text import parse_value, shortened

if TYPE_CHECKING:
    from rich.console import Console

    from agents.base import Agent
    from duel_env.config import Settings
    from duel_env.game import Game
    from evaluation.intervals import Interval

_WIDTH_WITHOUT_TERMINAL = 140
MAX_JSON_BYTES = 2**22
_ROUND_LIMIT = "max_rounds"


class Language(StrEnum):
    """Language of names and labels."""

    EN = "en"
    FR = "fr"


RulesetOption = Annotated[
    str | None,
    typer.Option("--ruleset", help="Which game; `duel envs` lists them. Default: that of the policies named, else hogwarts."),
]
SkillsOption = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--skills",
        metavar="SKILL SKILL",
        help="Skill of player 0 and of player 1: a number, or a range such as 20..95 from which it is drawn for each duel.",
    ),
]
FixedSkillsOption = Annotated[
    tuple[str, str] | None,
    typer.Option("--skills", metavar="SKILL SKILL", help="Skill of player 0 and of player 1: two numbers."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="OPTION=VALUE", help="An option of the rules or of the set-up, as a TOML value; may be repeated."
    ),
]
RulesOption = Annotated[
    Path | None,
    typer.Option("--rules", help="File of rules, such as `duel tune` finds; --set changes single options of it."),
]
DuelsOption = Annotated[
    int, typer.Option("-n", "--duels", min=1, max=MAX_DUELS, help="Duels in each match; rounded up to whole blocks.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same duels.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on the standard output.")]
LanguageOption = Annotated[Language, typer.Option("--lang", help="Language of names and labels.")]


# ---- games and agents ---------------------------------------------------------------------------------------------------------


class Arena(NamedTuple):
    """Where duels take place: the rules, and who duels and who begins."""

    game: "Game"
    setup: "Settings"


def find_arena(
    agents: Sequence[str],
    ruleset: str | None,
    skills: tuple[str, str] | None,
    overrides: Sequence[str] | None,
    rules: Path | None = None,
) -> Arena:
    """The arena that the options of a command mean.

    A policy brings its own: the rules that it was trained for, and the set-up of the run whose folder it is in. Options change
    that.

    Args:
        agents: as `make_agent` takes them; the first one that is a policy counts.
        ruleset: `--ruleset`.
        skills: `--skills`.
        overrides: `--set`.
        rules: `--rules`; its options replace those of a policy.

    Raises:
        ConfigError: an option that is not accepted.
        SchemaError: a policy that cannot be read.
    """
    from duel_env.config import load
    from duel_env.game import find_ruleset, make_game_and_setup

    name, settings = _policy_settings(agents)
    if ruleset is not None and ruleset != name:
        name, settings = ruleset, {}
    if rules is not None:
        from duel_env.rules_file import read_rules

        setup_keys = find_ruleset(name).setup_model.model_fields
        settings = {key: value for key, value in settings.items() if key in setup_keys} | read_rules(rules)
    settings = {**settings, **parse_overrides(overrides or ())}
    if skills is not None:
        settings["skills"] = parse_skills(skills)
    game, _ = make_game_and_setup(name, settings, "options")
    model = find_ruleset(name).setup_model
    return Arena(game, load(model, {key: settings[key] for key in settings if key in model.model_fields}, "options"))


def _policy_settings(agents: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Ruleset and settings of the first policy among some agents; the school duel with its defaults if there is none."""
    from agents.network import read_policy_game
    from agents.registry import policy_path, split_mode
    from duel_env.game import find_ruleset

    for spec in agents:
        path = policy_path(split_mode(spec)[0])
        if path is not None:
            name, options = read_policy_game(path)
            return name, {**options, **_run_setup(path.parent, set(find_ruleset(name).setup_model.model_fields))}
    return "hogwarts", {}


def _run_setup(folder: Path, keys: set[str]) -> dict[str, Any]:
    """Settings of the set-up in the configuration of a run; none where there is no such file."""
    from duel_env.config import read_toml

    config = folder / "config.toml"
    if not config.is_file():
        return {}
    table = read_toml(config).get("game", {})
    if not isinstance(table, dict):
        raise ConfigError(f"{config}: game: expected a table")
    return {key: value for key, value in table.items() if key in keys}


def parse_skills(texts: Sequence[str]) -> list[int | list[int]]:
    """Skills as the set-up takes them: "60" -> 60, "20..95" -> [20, 95].

    Raises:
        ConfigError: a text that is neither.
    """
    skills: list[int | list[int]] = []
    for text in texts:
        parts = text.split("..")
        if len(parts) > 2 or not all(part.isascii() and part.isdigit() and len(part) <= 9 for part in parts):
            raise ConfigError(f"--skills {shortened(text)}: expected a number from 0 to 100, or a range such as 20..95")
        skills.append(int(parts[0]) if len(parts) == 1 else [int(part) for part in parts])
    return skills


def parse_overrides(texts: Sequence[str]) -> dict[str, Any]:
    """Settings from texts like `hit_points=3`; later ones win. What is no TOML value is text, so that it needs no quotes.

    Raises:
        ConfigError: a text without a key or a value.
    """
    settings = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals and value):
            raise ConfigError(f"--set {shortened(text)}: expected OPTION=VALUE, such as hit_points=3")
        try:
            settings[key] = parse_value(value)
        except ConfigError as error:
            raise ConfigError(f"--set {shortened(key)} = {error}") from error
    return settings


def refuse_round_limit(overrides: Sequence[str] | None, command: str) -> None:
    """Refuse a round limit that is asked for by name where it would not count.

    A file of rules always holds one, and a policy brings one: those are no wish, and are left out in silence.

    Args:
        overrides: `--set`.
        command: what refuses, such as "duel atlas".

    Raises:
        ConfigError: `--set max_rounds=...`.
    """
    settings = parse_overrides(overrides or ())
    if _ROUND_LIMIT in settings:
        raise ConfigError(
            f"--set {_ROUND_LIMIT}={shown(settings[_ROUND_LIMIT])}: {command} leaves the round limit out, endless play is a draw;"
            f" duel solve --set {_ROUND_LIMIT}=N values a duel that is cut short after N rounds"
        )


def resolve_agent(spec: str, game: "Game") -> "Agent":
    """The agent that a text on the command line means: as `make_agent`, and models of Stable-Baselines3 besides.

    Raises:
        ConfigError: there is no such agent.
        SchemaError: a policy that is not accepted.
    """
    from agents.registry import make_agent, register_loader

    register_loader(".zip", _load_zip_agent)
    return make_agent(spec, game)


def _load_zip_agent(path: Path, game: "Game") -> "Agent":
    try:
        from training.sb3_zip import load_zip_agent
    except ModuleNotFoundError as error:
        needed = f"{path}: reading models of Stable-Baselines3 needs {error.name}"
        raise ConfigError(f"{needed}: pip install 'duel-env[train]'") from error
    return load_zip_agent(path, game)


def read_json_file(path: Path) -> Any:
    """JSON from a file, or from the standard input for `-`.

    Raises:
        SchemaError: it cannot be read, is larger than `MAX_JSON_BYTES`, or is no JSON.
    """
    from duel_env.errors import SchemaError
    from duel_env.files import read_limited

    content = sys.stdin.buffer.read(MAX_JSON_BYTES) if str(path) == "-" else read_limited(path, MAX_JSON_BYTES)
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{input_name(path)} is no JSON: {error}") from error


def input_name(path: Path) -> str:
    """What to call a file that is read, where `-` is the standard input."""
    return "the standard input" if str(path) == "-" else str(path)


# ---- output -------------------------------------------------------------------------------------------------------------------


def console() -> "Console":
    """The standard output for tables: as wide as the terminal, and wide enough for any table elsewhere."""
    from training.cli.console import PlainConsole

    return PlainConsole(width=None if sys.stdout.isatty() else _WIDTH_WITHOUT_TERMINAL)


def json_text(value: Any) -> str:
    """JSON, indented; names of files that are no UTF-8 as escapes."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()


def print_json(value: Any) -> None:
    """Print JSON on the standard output."""
    typer.echo(json_text(value))


def write_file(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all.

    Raises:
        ConfigError: it cannot be written, also as `write_atomically`.
    """
    from duel_env.files import write_atomically

    try:
        write_atomically(path, content)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror or error}") from error


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[str, int], None]]:
    """A bar on the standard error, if that is a terminal; yields a function to be told a label and how much is done."""
    if not sys.stderr.isatty():
        yield lambda label, done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda label, done: progress.update(task, description=label, completed=done)


def action_names(game: "Game", language: Language) -> dict[str, str]:
    """Names of the actions by their ids."""
    return {action.id: action.fr if language == Language.FR else action.en for action in game.actions}


def decimal(value: float, language: Language, digits: int) -> str:
    """A number with the decimal sign of the language."""
    text = f"{value:.{digits}f}"
    return text if language == Language.EN else text.replace(".", ",")


def percent(value: float, language: Language, digits: int = 2) -> str:
    """A share as a percentage: 0.9155 -> "91.55 %", in French "91,55 %"."""
    return f"{decimal(100 * value, language, digits)} %"


def percent_interval(interval: "Interval", language: Language) -> str:
    """An interval of shares: "91.17 to 91.93 %"."""
    low, high = (decimal(100 * value, language, 2) for value in interval)
    return f"{low} {'to' if language == Language.EN else 'à'} {high} %"


def count(value: int, language: Language) -> str:
    """A whole number with its thousands apart: 20,000, in French 20 000 (with a narrow no-break space)."""
    return f"{value:,}" if language == Language.EN else f"{value:,}".replace(",", "\u202f")


def describe_setup(setup: dict[str, Any], language: Language) -> str:
    """Settings of a set-up in a few words: "skills 60 and 20..95", and what else is not left to the rules."""
    parts = []
    for key, value in setup.items():
        if key == "skills":
            shown = ("..".join(map(str, skill)) if isinstance(skill, list | tuple) else str(skill) for skill in value)
            parts.append(("skills {} and {}" if language == Language.EN else "Sortilèges {} et {}").format(*shown))
        elif value is not None:
            parts.append(f"{key} = {value}")
    return ", ".join(parts)
