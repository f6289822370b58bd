"""`duel evaluate`: what a policy is worth against the baselines."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from training.cli.options import (
    DuelsOption,
    JsonOption,
    Language,
    LanguageOption,
    RulesetOption,
    SeedOption,
    SetOption,
    SkillsOption,
    console,
    count,
    describe_setup,
    find_arena,
    percent,
    percent_interval,
    print_json,
    progress_bar,
    resolve_agent,
    write_file,
)
from training.printable import without_folders

if TYPE_CHECKING:
    from rich.table import Table

    from evaluation.baselines import BaselineResult

FORMAT: Final = "duel_env/evaluation"
FORMAT_VERSION: Final = 1
FILE_NAME: Final = "evaluation.json"

_TEXT: Final = {
    Language.EN: {
        "title": "{0}: {1}, {2}, {3} duels against each, seed {4}",
        "opponent": "against",
        "score": "score",
        "interval": "95 % interval",
        "win": "won",
        "draw": "drawn",
        "loss": "lost",
        "best_response": "best response (ceiling)",
        "equilibrium": "equilibrium play",
        "reference": "Ceiling: exact score of the best play against this very opponent. Equilibrium play: exact score of a "
        "policy that is best against the best opponent. Scores are samples: a few of their intervals miss the truth by chance, "
        "and since all rows are played with the same dice, they tend to miss it together.",
        "written": "Written to {0}.",
    },
    Language.FR: {
        "title": "{0} : {1}, {2}, {3} duels contre chacun, graine {4}",
        "opponent": "contre",
        "score": "score",
        "interval": "intervalle à 95 %",
        "win": "gagnés",
        "draw": "nuls",
        "loss": "perdus",
        "best_response": "meilleure réponse (plafond)",
        "equilibrium": "jeu d'équilibre",
        "reference": "Plafond : score exact du meilleur jeu contre cet adversaire-là. Jeu d'équilibre : score exact d'une "
        "stratégie qui est la meilleure contre le meilleur adversaire. Les scores sont des échantillons : quelques intervalles "
        "manquent la vérité par hasard, et comme toutes les lignes sont jouées avec les mêmes dés, ils la manquent souvent ensemble.",
        "written": "Écrit dans {0}.",
    },
}


def evaluate_command(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="A run folder or a policy file; or any other agent, as for `duel match`.")
    ],
    num_duels: DuelsOption = 20_000,
    against: Annotated[
        str, typer.Option("--against", metavar="NAMES", help="Opponents, with commas between; default: all named agents.")
    ] = "",
    ruleset: RulesetOption = None,
    skills: SkillsOption = None,
    overrides: SetOption = None,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
    language: LanguageOption = Language.EN,
) -> None:
    """Measure a trained policy against the baselines.

    Rules and skills are those of the run, unless options change them. The result goes to evaluation.json in the run folder.
    Where exact values are known, the table shows them: the score of the best possible play against each opponent, and that of
    equilibrium play.

    Examples:
        duel evaluate runs/quick
        duel evaluate runs/quick:sample -n 100000 --against random,expectimax
        duel evaluate runs/quick --skills 80 60 --json
    """
    from evaluation.baselines import baseline_names, play_baselines

    game, setup = find_arena((run,), ruleset, skills, overrides)
    agent = resolve_agent(run, game)
    names = tuple(name.strip() for name in against.split(",") if name.strip()) or baseline_names(game)
    with progress_bar(num_duels) as progress:
        results = play_baselines(game, setup, agent, names, num_duels, seed, progress)
    report = _report(run, results)
    written = _run_folder(run)
    if written is not None:
        write_file(written / FILE_NAME, (json.dumps(report, indent=2, ensure_ascii=False) + "\n").encode())
    if as_json:
        print_json(report)
        return
    output, text = console(), _TEXT[language]
    output.print(baselines_table(results, language))
    if any(result.reference for result in results):
        output.print(text["reference"])
    if written is not None:
        output.print(text["written"].format(written / FILE_NAME))


def _run_folder(spec: str) -> Path | None:
    from agents.registry import split_mode

    folder = Path(split_mode(spec)[0])
    return folder if folder.is_dir() else None


def _report(spec: str, results: Sequence["BaselineResult"]) -> dict[str, Any]:
    """The content of evaluation.json: `format`, `version`, `agent`, and `results`, each as `BaselineResult.to_json` has it.

    Agents that are files are there without their folders.
    """
    found = [result.to_json() for result in results]
    for result in found:
        result["baseline"] = without_folders(result["baseline"])
        result["match"]["agents"] = [without_folders(name) for name in result["match"]["agents"]]
    return {"format": FORMAT, "version": FORMAT_VERSION, "agent": without_folders(spec), "results": found}


def baselines_table(results: Sequence["BaselineResult"], language: Language) -> "Table":
    """Matches of one agent as a table, a row for each opponent; the two columns of exact values only where some are known."""
    from rich.table import Table

    text, match = _TEXT[language], results[0].match
    title = text["title"].format(
        match.agents[0],
        match.ruleset,
        describe_setup(match.setup, language),
        count(match.total.duels, language),
        match.seed,
    )
    columns = ["score", "interval", "win", "draw", "loss"]
    if any(result.reference for result in results):
        columns += ["best_response", "equilibrium"]
    table = Table(title=title, title_justify="left")
    table.add_column(text["opponent"])
    for column in columns:
        table.add_column(text[column], justify="right")
    for result in results:
        total = result.match.total
        references = result.reference or ()
        table.add_row(
            result.name,
            percent(total.score, language),
            percent_interval(result.match.score_interval, language),
            *(percent(rate, language) for rate, _ in total.rates().values()),
            *(percent(value, language) for value in references),
        )
    return table
