"""`duel report`: a game described for its designer, as a page, as JSON and as tables."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from duel_env.errors import ConfigError
from training.cli.options import (
    FixedSkillsOption,
    Language,
    LanguageOption,
    RulesOption,
    SetOption,
    find_arena,
    progress_bar,
    refuse_round_limit,
    write_file,
)
from training.printable import printable

if TYPE_CHECKING:
    from evaluation.report.figures import Report
    from evaluation.report.settings import ReportSettings

PAGE_FILE: Final = "report.html"
JSON_FILE: Final = "report.json"

EXIT_FAILED: Final = 1
"""With `--check`: a verdict failed."""

_STEPS: Final = 1000
_PARTS: Final = {
    "headline": (0.0, 0.1),
    "spells": (0.1, 0.2),
    "strategies": (0.2, 0.4),
    "blind": (0.4, 0.5),
    "comebacks": (0.5, 0.55),
    "sensitivity": (0.55, 0.65),
    "openings": (0.65, 0.8),
    "readings": (0.8, 1.0),
}
"""Parts of the report in the order in which they are made, and where they begin and end on the progress bar, roughly by their time."""

_TEXT: Final = {
    Language.EN: {"page": "Page: {0}", "json": "Figures: {0}", "csv": "{0} tables: {1}", "failed": "These verdicts failed:"},
    Language.FR: {
        "page": "Page : {0}",
        "json": "Chiffres : {0}",
        "csv": "{0} tableaux : {1}",
        "failed": "Ces verdicts ont échoué :",
    },
}


def report_command(
    ruleset: Annotated[str | None, typer.Argument(metavar="[RULESET]", help="Which game; `duel envs` lists them.")] = None,
    skills: FixedSkillsOption = None,
    overrides: SetOption = None,
    rules: RulesOption = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the page and the files beside it.")] = Path("report"),
    settings: Annotated[
        Path | None,
        typer.Option("--settings", help="TOML file: limits of the verdicts, and what is counted; see docs/report.md."),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a verdict is a problem: for the CI of a game.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors, and with --check what failed.")] = False,
    language: LanguageOption = Language.EN,
) -> None:
    """Describe a game for its designer: fair or not, what each spell is worth, what plays itself, which numbers matter.

    The folder gets report.html, a page that opens from disk and needs neither scripts nor a network, report.json with all its figures,
    and tables of them as CSV files. All figures are exact, for perfect players with two fixed skills; nothing is sampled. There is no round
    limit, that of a file of rules does not count: endless play is a draw.

    Examples:
        duel report hogwarts --skills 60 60 -o report
        duel report --skills 80 60 --set hit_points=3 --lang fr
        duel report --rules my_rules.toml --settings limits.toml --check --quiet
    """
    from evaluation.report.build import build_report, sheets_of
    from evaluation.report.page import render_page, verdict_lines
    from evaluation.report.settings import ReportSettings

    refuse_round_limit(overrides, "duel report")
    game, setup = find_arena((), ruleset or "hogwarts", skills, overrides, rules)
    wanted = ReportSettings() if settings is None else _read_settings(settings)
    sheets = sheets_of(game, game.setup(setup))
    _make_folder(output)
    with progress_bar(_STEPS) as progress:
        report = build_report(game, sheets, wanted, progress=_overall(progress))
    page = render_page(report, language.value)
    written = write_report(report, page, output)
    headline, problems = verdict_lines(report, language.value)
    if not quiet:
        text = _TEXT[language]
        typer.echo(headline)
        typer.echo(text["page"].format(printable(str(output / PAGE_FILE))))
        typer.echo(text["json"].format(printable(str(output / JSON_FILE))))
        typer.echo(text["csv"].format(written, printable(str(output / "*.csv"))))
    if check and problems:
        typer.echo("\n".join((_TEXT[language]["failed"], *(f"- {problem}" for problem in problems))), err=True)
        raise typer.Exit(EXIT_FAILED)


def _make_folder(path: Path) -> None:
    """Before anything is computed, so that nobody waits in vain."""
    if path.exists() and not path.is_dir():
        raise ConfigError(f"--output {path}: expected a folder, this is a file")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror or error}") from error


def write_report(report: "Report", page: str, folder: Path) -> int:
    """Write a report into a folder; files of an earlier report are replaced, each whole or not at all.

    Args:
        report: the figures.
        page: what `render_page` made of them.
        folder: made if it is not there.

    Returns:
        how many tables were written.

    Raises:
        ConfigError: a file cannot be written.
    """
    from evaluation.report.tables import tables

    found = tables(report)
    for table in found:
        write_file(folder / f"{table.name}.csv", table.to_csv().encode())
    write_file(folder / JSON_FILE, (json.dumps(report.to_json(), indent=1, ensure_ascii=False) + "\n").encode())
    write_file(folder / PAGE_FILE, page.encode())
    return len(found)


def _read_settings(path: Path) -> "ReportSettings":
    from duel_env.config import load, read_toml
    from evaluation.report.settings import ReportSettings

    return load(ReportSettings, read_toml(path), str(path))


def _overall(progress: Callable[[str, int], None]) -> Callable[[str, int, int], None]:
    """From how much of a part is done to how much of the whole is."""

    def tell(part: str, done: int, total: int) -> None:
        begin, end = _PARTS.get(part, (0.0, 0.0))
        progress(part, round(_STEPS * (begin + (end - begin) * done / max(total, 1))))

    return tell
