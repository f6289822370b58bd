"""`duel tune`: from what a designer wants to rules that do it."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from duel_env.errors import ConfigError
from training.cli.options import JsonOption, Language, LanguageOption, console, print_json, progress_bar, write_file
from training.printable import printable

if TYPE_CHECKING:
    from rich.table import Table

    from evaluation.tuning.outputs import Comparison, Results
    from evaluation.tuning.search import Progress, Search
    from evaluation.tuning.settings import TuneConfig
    from training.folder_lock import FolderLock

JOURNAL_FILE: Final = "journal.jsonl"
CONFIG_FILE: Final = "tune.toml"
REPORT_FOLDER: Final = "report"

_TEXT: Final = {
    Language.EN: {
        "best": "best: all wants met, distance {0:g}",
        "missed": "best: {0} missed",
        "none": "solving",
        "title": "Perfect play of both under today's rules and under the best found",
        "written": "Rules: {0}. All figures: {1}.",
        "report": "Report on the best rules: {0}",
        "stopped": "Stopped after {0} of {1} candidates: --resume goes on.",
    },
    Language.FR: {
        "best": "meilleur : tout est tenu, distance {0:g}",
        "missed": "meilleur : {0} manqués",
        "none": "résolution",
        "title": "Jeu parfait des deux sous les règles actuelles et sous les meilleures trouvées",
        "written": "Règles : {0}. Tous les chiffres : {1}.",
        "report": "Rapport sur les meilleures règles : {0}",
        "stopped": "Arrêté après {0} candidats sur {1} : --resume continue.",
    },
}


def tune_command(
    config: Annotated[
        Path, typer.Argument(help="What may change and what is wanted, such as configs/tune/hogwarts_balanced.toml.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the rules found and their figures.")] = Path("tuned"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the search in the folder.")] = False,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Replace tune.seed of the file.", show_default=False)] = None,
    candidates: Annotated[
        int | None, typer.Option("--candidates", min=1, help="Replace tune.candidates of the file.", show_default=False)
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", min=0, help="Replace tune.time_limit_s of the file.", show_default=False)
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Replace tune.workers of the file.", show_default=False)
    ] = None,
    with_report: Annotated[
        bool, typer.Option("--report/--no-report", help="Whether to describe the best rules as `duel report` does.")
    ] = True,
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
    language: LanguageOption = Language.EN,
) -> None:
    """Search for rules that do what a designer wants.

    The file names what may change, within which bounds, and what is wanted of perfect play. Every rule set tried is solved exactly.
    The best one meets all that is wanted with the fewest steps away from today's rules. The folder gets it as rules.toml, the best
    ones with their figures beside today's as candidates.json, candidates.csv and summary.md, and a report on the best. Ctrl-C ends
    the search after the candidates in work, and a search that is resumed, after Ctrl-C or a kill, ends with the same results as if
    nothing had happened.

    Examples:
        duel tune configs/tune/hogwarts_balanced.toml -o tuned
        duel tune configs/tune/hogwarts_balanced.toml -o tuned --resume --candidates 10000
        duel solve --rules tuned/rules.toml
    """
    from evaluation.tuning.outputs import compare, output_files, results_json, results_of, summary_lines

    replaced = {"seed": seed, "candidates": candidates, "time_limit_s": time_limit, "workers": workers}
    settings = _read_settings(config, {name: value for name, value in replaced.items() if value is not None})
    search, folder_lock = _begin(settings, output, resume=resume)
    try:
        is_done, exit_code = _run(search, language, quiet=quiet)
        text, total = _TEXT[language], settings.tune.candidates
        if search.candidates:
            results = results_of(search)
            for name, content in output_files(results, language.value).items():
                write_file(output / name, content.encode())
            if as_json:
                print_json(results_json(results))
            elif not quiet:
                printed = console()
                printed.print(comparison_table(compare(results, language.value), text["title"]))
                for line in summary_lines(results, language.value):
                    printed.print(line)
                printed.print(text["written"].format(output / "rules.toml", output / "candidates.json"))
            if with_report and not exit_code and results.winner.verdict is not None:
                page = _write_report(results, output / REPORT_FOLDER, language)
                if not (quiet or as_json):
                    typer.echo(text["report"].format(printable(str(page))))
        if not is_done and not quiet:
            typer.echo(text["stopped"].format(len(search.candidates), total), err=True)
    finally:
        folder_lock.release()
    if exit_code:
        raise typer.Exit(exit_code)


def _read_settings(path: Path, replaced: dict[str, object]) -> "TuneConfig":
    from duel_env.config import load
    from evaluation.tuning.settings import TuneConfig, load_tune_config
    from training.toml_text import check_limits

    config = load_tune_config(path)
    values = config.model_dump(mode="json", exclude_none=True)
    check_limits(values, str(path))
    return load(TuneConfig, {**values, "tune": {**values["tune"], **replaced}}, str(path)) if replaced else config


def _begin(config: "TuneConfig", folder: Path, *, resume: bool) -> "tuple[Search, FolderLock]":
    """The search, from the beginning or from the journal in the folder, which nobody else can use until the lock is released.

    Raises:
        ConfigError: the folder exists, without `resume`; it holds something else, or another search; it cannot be written.
        SchemaError: the journal is damaged.
    """
    from evaluation.tuning.journal import Journal
    from evaluation.tuning.search import Search
    from evaluation.tuning.space import Space
    from training.folder_lock import FolderLock
    from training.toml_text import to_toml

    space = Space(config)
    journal = Journal(folder / JOURNAL_FILE, config.digest, space.today.digest)
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"--output {folder}: expected a folder, this is a file")
    if folder.exists() and not resume:
        raise ConfigError(f"{folder} exists already: --resume goes on with the search in it, --output names another folder")
    has_begun = journal.path.is_file()
    if folder.exists() and not has_begun and {path.name for path in folder.iterdir() if path.name[0] != "."} - {CONFIG_FILE}:
        raise ConfigError(f"{folder} holds no search that could be resumed: it has no {JOURNAL_FILE}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FolderLock(folder)
    except OSError as error:
        raise ConfigError(f"cannot write {folder}: {error.strerror or error}") from error
    try:
        if has_begun:
            entries = journal.read(config.tune.batch)
        else:
            write_file(folder / CONFIG_FILE, to_toml(config.model_dump(mode="json", exclude_none=True)).encode())
            journal.begin()
            entries = []
        return Search(space, journal, entries), lock
    except BaseException:
        lock.release()
        raise


def _run(search: "Search", language: Language, *, quiet: bool) -> tuple[bool, int]:
    """Search; returns whether it went to its end, and the exit code, which is not 0 after Ctrl-C."""
    from training.interrupt import stop_on_request

    with stop_on_request() as request, _bar(search.config.tune.candidates, quiet) as show:

        def report(progress: "Progress") -> None:
            show(_label(progress, language), min(progress.done, progress.total))

        show(_TEXT[language]["none"], len(search.candidates))
        is_done = search.run(report, lambda: bool(request))
        return is_done, request.exit_code if request else 0


def _bar(total: int, quiet: bool) -> AbstractContextManager[Callable[[str, int], None]]:
    return nullcontext(lambda label, done: None) if quiet else progress_bar(total)


def _label(progress: "Progress", language: Language) -> str:
    best, text = progress.best, _TEXT[language]
    if best.is_met:
        return text["best"].format(best.distance)
    missed = sum(not check.is_met for check in best.verdict.checks) if best.verdict is not None else "?"
    return text["missed"].format(missed)


def comparison_table(comparison: "Comparison", title: str) -> "Table":
    """Today's rules beside the best found, as a table for the terminal."""
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for place, column in enumerate(comparison.columns):
        table.add_column(column, justify="left" if place < 2 else "right", overflow="fold")
    for row in comparison.rows:
        table.add_row(*row)
    return table


def _write_report(results: "Results", folder: Path, language: Language) -> Path:
    """Describe the winner between the first pair of skills that a want is about; returns the page."""
    from evaluation.report.build import build_report
    from evaluation.report.page import render_page
    from evaluation.report.settings import ReportSettings
    from evaluation.tuning.figures import pair_sheets
    from training.cli.report import PAGE_FILE, write_report

    game = results.space.game(results.winner.parameters)
    report = build_report(game, pair_sheets(game, results.space.config.skills[0]), ReportSettings())
    write_report(report, render_page(report, language.value), folder)
    return folder / PAGE_FILE
