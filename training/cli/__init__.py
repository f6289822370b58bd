"""The command `duel`. Each command is a module of its own, imported only when it is the one that was asked for."""

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any, Final, NamedTuple, NoReturn

import typer

EXIT_ERROR: Final = 2
EXIT_INTERRUPTED: Final = 130
"""128 + SIGINT, as shells have it."""

_OWN_PACKAGES = ("duel_env", "agents", "evaluation", "training")
_EXTRAS: Final = {"jinja2": "design", "markupsafe": "design", "matplotlib": "design", "optuna": "design", "pyspiel": "openspiel"}
"""Which extra brings a module; all others that can be missing are in `train`."""


class Command(NamedTuple):
    """A command: its name, the function that it is (`module:function`), and the line about it in the list of commands."""

    name: str
    function: str
    summary: str


COMMANDS: Final = (
    Command("envs", "training.cli.envs:envs_command", "List the environments: options, actions, agents."),
    Command("match", "training.cli.match:match_command", "Let two agents duel many times, and say who wins how often."),
    Command("train", "training.cli.train:train_command", "Train a policy by self-play."),
    Command("evaluate", "training.cli.evaluate:evaluate_command", "Measure a trained policy against the baselines."),
    Command("solve", "training.cli.solve:solve_command", "Solve a duel exactly: perfect play of both."),
    Command("exploit", "training.cli.exploit:exploit_command", "Measure exactly what a perfect opponent makes of an agent."),
    Command("atlas", "training.cli.atlas:atlas_command", "Solve the duels of all pairs of skills, and draw them."),
    Command("report", "training.cli.report:report_command", "Describe a game for its designer, as a page and as data."),
    Command("tune", "training.cli.tune:tune_command", "Search for rules that do what a designer wants."),
    Command("replay", "training.cli.replay:replay_command", "Play a recorded duel again, event by event."),
    Command("bench", "training.cli.bench:bench_command", "Measure how fast the environments are here."),
)

_HELP = """Wizard duels for reinforcement learning.

Examples:
    duel envs
    duel match expectimax random -n 20000
    duel match expectimax stupefy --skills 80 60 --record duel.jsonl
    duel replay duel.jsonl --lang fr
    duel train configs/train/quick.toml --output runs/quick
    duel evaluate runs/quick
    duel solve hogwarts --skills 60 60
    duel exploit runs/quick --skills 60 60
    duel atlas --step 5 -o atlas
    duel report hogwarts --skills 60 60 -o report
    duel tune configs/tune/hogwarts_balanced.toml -o tuned
"""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0, 2 for a wrong command or an error that names what is wrong, 130 after Ctrl-C.

    Args:
        arguments: of the command; those of the process if left out.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    wanted = next((argument for argument in given if not argument.startswith("-")), None)
    build_app(wanted)(args=given, prog_name="duel")
    raise SystemExit(0)


def build_app(wanted: str | None) -> typer.Typer:
    """The Typer application.

    Args:
        wanted: the only command whose module is imported. The others are in the list of commands, and do nothing.
    """
    app = typer.Typer(
        name="duel",
        help=_as_help(_HELP),
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_common_options)
    for command in COMMANDS:
        function = _load(command) if command.name == wanted else _not_loaded
        text = inspect.getdoc(function) if command.name == wanted else None
        app.command(command.name, help=_as_help(text) if text else command.summary, short_help=command.summary)(function)
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"duel {version('duel-env')}")
        raise typer.Exit


def _common_options(
    show_version: bool = typer.Option(
        False, "--version", help="Print the version and exit.", callback=_show_version, is_eager=True
    ),
) -> None:
    pass


def _not_loaded() -> None:
    pass


def _load(command: Command) -> Callable[..., Any]:
    module, _, name = command.function.partition(":")
    try:
        return _with_plain_errors(getattr(importlib.import_module(module), name), command.name)
    except ModuleNotFoundError as error:
        _fail_for_missing(command.name, error)


def _fail_for_missing(command: str, error: ModuleNotFoundError) -> NoReturn:
    """Say which extra brings the module that a command lacks; one of our own that is missing is a fault, and stays one."""
    package = (error.name or "").partition(".")[0]
    if not package or package in _OWN_PACKAGES:
        raise error
    _fail(f"duel {command} needs {error.name} ({error}): pip install 'duel-env[{_EXTRAS.get(package, 'train')}]'")


def _with_plain_errors(function: Callable[..., Any], command: str) -> Callable[..., Any]:
    """The same command, with one line instead of a traceback for the errors that are meant for people."""

    @functools.wraps(function)
    def run(*arguments: Any, **options: Any) -> Any:
        from duel_env.errors import DuelError

        try:
            return function(*arguments, **options)
        except DuelError as error:
            _fail(str(error))
        except ModuleNotFoundError as error:
            _fail_for_missing(command, error)
        except KeyboardInterrupt:
            raise typer.Exit(EXIT_INTERRUPTED) from None
        except BrokenPipeError:
            raise  # whoever read the output has enough: Typer ends in silence
        except OSError as error:
            _fail(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))
        except MemoryError as error:
            _fail(f"not enough memory{f': {error}' if str(error) else ''}")

    return run


def _fail(message: str) -> NoReturn:
    from training.printable import printable

    typer.echo(f"error: {printable(message)}", err=True)
    raise SystemExit(EXIT_ERROR)


def _as_help(text: str) -> str:
    r"""A docstring as help: prose flows; paragraphs with indented lines keep their lines, which Typer wants marked by a \b."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(
        f"\b\n{paragraph}" if "\n    " in paragraph else " ".join(paragraph.splitlines()) for paragraph in paragraphs
    )
