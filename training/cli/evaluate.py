"""`duel evaluate`: what a policy is worth against the baselines."""

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
    RulesOption,
    SeedOption,
    SetOption,
    SkillsOption,
    console,
    count,
    decimal,
    describe_setup,
    find_arena,
    json_text,
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
    from evaluation.exact import Exploitability

FORMAT: Final = "duel_env/evaluation"
FORMAT_VERSION: Final = 2
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
        "exact": "exact",
        "best_response": "best response",
        "equilibrium": "equilibrium",
        "reference": "Exact: what the score comes to in the long run. Best response: the most that anyone scores against this very "
        "opponent. Equilibrium: a policy that is best against the best opponent. Scores are samples: a few of their intervals "
        "miss the truth by chance, and since all rows are played with the same dice, they tend to miss it together.",
        "exploitability": "Exploitability {0} (exact; half of NashConv, returns +1 and -1): a perfect opponent wins {1} points more than"
        " against perfect play.",
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
        "exact": "exact",
        "best_response": "meilleure réponse",
        "equilibrium": "équilibre",
        "reference": "Exact : ce que devient le score à la longue. Meilleure réponse : le plus que l'on marque contre cet "
        "adversaire-là. Équilibre : une stratégie qui est la meilleure contre le meilleur adversaire. Les scores sont des "
        "échantillons : quelques intervalles manquent la vérité par hasard, et comme toutes les lignes sont jouées avec les mêmes "
        "dés, ils la manquent souvent ensemble.",
        "exploitability": "Exploitabilité {0} (exacte ; moitié de NashConv, gains +1 et -1) : un adversaire parfait gagne {1} points de"
        " plus que contre un jeu parfait.",
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
    rules: RulesOption = None,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
    language: LanguageOption = Language.EN,
) -> None:
    """Measure a trained policy against the baselines.

    Rules and skills are those of the run, unless options change them. The result goes to evaluation.json in the run folder.
    Where duels can be solved, the table shows exact scores beside: the policy's own, that of the best possible play against
    each opponent, and that of equilibrium play; and below it what a perfect opponent makes of the policy.

    Examples:
        duel evaluate runs/quick
        duel evaluate runs/quick:sample -n 100000 --against random,expectimax
        duel evaluate runs/quick --skills 80 60 --json
    """
    from evaluation.baselines import baseline_names, play_baselines
    from evaluation.references import References, is_solvable

    game, setup = find_arena((run,), ruleset, skills, overrides, rules)
    agent = resolve_agent(run, game)
    names = tuple(name.strip() for name in against.split(",") if name.strip()) or baseline_names(game)
    with progress_bar(num_duels) as progress:
        results = play_baselines(game, setup, agent, names, num_duels, seed, progress)
    found = References(game, setup, agent).exploitability() if is_solvable(game, setup) else None
    report = _report(run, results, found)
    written = _run_folder(run)
    if written is not None:
        write_file(written / FILE_NAME, f"{json_text(report)}\n".encode())
    if as_json:
        print_json(report)
        return
    output, text = console(), _TEXT[language]
    output.print(baselines_table(results, language))
    if any(result.reference for result in results):
        output.print(text["reference"])
    if found is not None:
        gap = max(found.mean, 0.0)
        output.print(text["exploitability"].format(decimal(gap, language, 4), decimal(50 * gap, language, 2)))
    if written is not None:
        output.print(text["written"].format(written / FILE_NAME))


def _run_folder(spec: str) -> Path | None:
    from agents.registry import split_mode

    folder = Path(split_mode(spec)[0])
    return folder if folder.is_dir() else None


def _report(spec: str, results: Sequence["BaselineResult"], exploitability: "Exploitability | None") -> dict[str, Any]:
    """The content of evaluation.json: `format`, `version`, `agent`, `exploitability` and `results`.

    The exploitability has `mean`, `by_start` and certified `bounds`, or is null where it is not known; each of the results is as
    `BaselineResult.to_json` has it.

    Agents that are files are there without their folders.
    """
    found = [result.to_json() for result in results]
    for result in found:
        result["baseline"] = without_folders(result["baseline"])
        result["match"]["agents"] = [without_folders(name) for name in result["match"]["agents"]]
    exact = None
    if exploitability is not None:
        exact = {
            "mean": exploitability.mean,
            "by_start": list(exploitability.by_start),
            "bounds": list(exploitability.bounds),
        }
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "agent": without_folders(spec),
        "exploitability": exact,
        "results": found,
    }


def baselines_table(results: Sequence["BaselineResult"], language: Language) -> "Table":
    """Matches of one agent as a table, a row for each opponent; the columns of exact values only where some are known."""
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
        columns += ["exact", "best_response", "equilibrium"]
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
