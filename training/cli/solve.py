"""`duel solve`: perfect play, exactly."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import typer

from duel_env.errors import ConfigError, SchemaError
from training.cli.options import (
    FixedSkillsOption,
    JsonOption,
    Language,
    LanguageOption,
    RulesOption,
    SetOption,
    action_names,
    console,
    count,
    decimal,
    describe_setup,
    find_arena,
    input_name,
    percent,
    print_json,
    progress_bar,
    read_json_file,
    write_file,
)

if TYPE_CHECKING:
    from rich.table import Table

    from duel_env.duel import Duel
    from evaluation.exact import Solution
    from evaluation.start_values import PositionValue

_TEXT: Final = {
    Language.EN: {
        "title": "{0}, {1}: perfect play of both",
        "start": "start",
        "first": "player 0 acts first",
        "second": "player 1 acts first",
        "state": "the given state",
        "win": "player 0 wins",
        "bounds": "certified to",
        "best": "best action",
        "actions": "{0}: actions of player {1}",
        "action": "action",
        "chance": "player {0} wins",
        "cost": "costs",
        "points": "{0} points",
        "limit": "Cut short after {0} rounds, counted as a draw.",
        "endless": "No round limit: endless play is a draw. A draw counts one half.",
        "die": "A die is due: nobody is to choose.",
        "over": "The duel is over.",
        "check": "Strategy iteration, the second method, differs by at most {0:.1e} in {1} states.",
        "prism": "Model for PRISM-games: {0}",
    },
    Language.FR: {
        "title": "{0}, {1} : jeu parfait des deux",
        "start": "début",
        "first": "le duelliste 0 commence",
        "second": "le duelliste 1 commence",
        "state": "l'état donné",
        "win": "le duelliste 0 gagne",
        "bounds": "certifié à",
        "best": "meilleure action",
        "actions": "{0} : actions du duelliste {1}",
        "action": "action",
        "chance": "le duelliste {0} gagne",
        "cost": "coûte",
        "points": "{0} points",
        "limit": "Arrêté après {0} manches, compté nul.",
        "endless": "Sans limite de manches : un duel sans fin est nul. Un nul compte pour une demi-victoire.",
        "die": "Un dé est attendu : personne n'a à choisir.",
        "over": "Le duel est terminé.",
        "check": "L'itération des stratégies, seconde méthode, s'écarte d'au plus {0:.1e} sur {1} états.",
        "prism": "Modèle pour PRISM-games : {0}",
    },
}


def solve_command(
    ruleset: Annotated[str | None, typer.Argument(metavar="[RULESET]", help="Which game; `duel envs` lists them.")] = None,
    skills: FixedSkillsOption = None,
    overrides: SetOption = None,
    rules: RulesOption = None,
    state: Annotated[
        Path | None,
        typer.Option("--state", help="Solve the state in this file, the JSON of Duel.to_json; - reads it from stdin."),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Solve again by strategy iteration, and compare.")] = False,
    prism: Annotated[
        Path | None,
        typer.Option("--prism", help="File for the game as a model of PRISM-games, for those who verify by model checking."),
    ] = None,
    as_json: JsonOption = False,
    language: LanguageOption = Language.EN,
) -> None:
    """Solve a duel exactly: who wins how often if both play perfectly, and what each action at the start is worth.

    Values are certified: the true ones lie within the bounds shown, whatever the way in which they were found. There is no
    round limit, and endless play is a draw, unless `--set max_rounds=N` cuts the duel short after N rounds.

    Examples:
        duel solve hogwarts --skills 60 60
        duel solve hogwarts --skills 75 75 --set riposte_sees_roll=false
        duel solve hogwarts --skills 80 60 --set max_rounds=3 --json
        duel solve --state state.json
    """
    from evaluation.exact import require_enumerable
    from evaluation.start_values import find_node, solution_to_json, start_positions

    rounds = _round_limit(overrides)
    if state is None:
        game, setup = find_arena((), ruleset or "hogwarts", skills, overrides, rules)
        require_enumerable(game)
        sheets, description = _sheets(game, setup), describe_setup(setup.model_dump(mode="json"), language)
        positions = start_positions(game)
        note = None
    else:
        if ruleset or skills or overrides or rules:
            raise ConfigError("--state: the file holds the rules and the skills; give nothing else")
        duel = _read_duel(state)
        game, sheets = duel.game, duel.sheets
        description = _TEXT[language]["state"]
        positions = {"state": find_node(duel)}
        note = "over" if duel.is_over else "die" if duel.die is not None else None
    solution = _solve(game, sheets, rounds)
    if prism is not None:
        _write_prism(prism, game, sheets, rounds)
    difference = _difference(solution) if check else None
    if as_json:
        print_json(solution_to_json(solution, positions))
        return
    output, text = console(), _TEXT[language]
    found = _positions(solution, positions)
    output.print(_values_table(solution, found, text["title"].format(game.ruleset.name, description), language))
    for name, position in found.items():
        if position.actions:
            output.print(_actions_table(solution, name, position, language))
    if note is not None:
        output.print(text[note])
    output.print(text["endless"] if rounds is None else text["limit"].format(count(rounds, language)))
    if difference is not None:
        output.print(text["check"].format(difference, count(len(solution.values), language)))
    if prism is not None:
        output.print(text["prism"].format(prism))


def _round_limit(overrides: list[str] | None) -> int | None:
    """The limit that was asked for; the default of the environments does not count."""
    from training.cli.options import parse_overrides

    limit = parse_overrides(overrides or ()).get("max_rounds")
    return limit if isinstance(limit, int) and not isinstance(limit, bool) else None


def _sheets(game: Any, setup: Any) -> Any:
    from evaluation.start_values import fixed_sheets

    return fixed_sheets(game, game.setup(setup), "duel solve")


def _read_duel(path: Path) -> "Duel":
    from duel_env.duel import Duel

    content = read_json_file(path)
    try:
        return Duel.from_json(content)
    except SchemaError as error:
        raise SchemaError(f"{input_name(path)}: {error}") from error


def _solve(game: Any, sheets: Any, rounds: int | None) -> "Solution":
    from evaluation.exact import solve, solve_truncated

    if rounds is None:
        return solve(game, sheets)
    with progress_bar(rounds) as progress:
        return solve_truncated(game, sheets, rounds, progress=lambda done: progress("rounds", done))


def _write_prism(path: Path, game: Any, sheets: Any, rounds: int | None) -> None:
    from evaluation.prism import write_prism

    model = io.StringIO()
    write_prism(game, sheets, model, rounds)
    write_file(path, model.getvalue().encode())


def _difference(solution: "Solution") -> float:
    from evaluation.exact.strategy_iteration import solve_by_strategy_iteration

    if solution.rounds is not None:
        raise ConfigError("--check: a duel cut short is solved by backward induction, there is no second method for it")
    return float(np.max(np.abs(solve_by_strategy_iteration(solution.game, solution.sheets) - solution.values)))


def _positions(solution: "Solution", nodes: dict[str, int]) -> dict[str, "PositionValue"]:
    from evaluation.start_values import position_value

    return {name: position_value(solution, node) for name, node in nodes.items()}


def _values_table(solution: "Solution", found: dict[str, "PositionValue"], title: str, language: Language) -> "Table":
    from rich.table import Table

    text, names = _TEXT[language], action_names(solution.game, language)
    table = Table(title=title, title_justify="left")
    table.add_column(text["start"])
    for column in ("win", "bounds"):
        table.add_column(text[column], justify="right")
    table.add_column(text["best"])
    for name, position in found.items():
        error = max(position.bounds.high - position.win, position.win - position.bounds.low)
        best = "-" if position.best is None else names[position.best]
        table.add_row(text[name], decimal(position.win, language, 4), f"± {error:.0e}", best)
    return table


def _actions_table(solution: "Solution", name: str, position: "PositionValue", language: Language) -> "Table":
    from rich.table import Table

    text, names = _TEXT[language], action_names(solution.game, language)
    table = Table(title=text["actions"].format(text[name], position.player), title_justify="left")
    table.add_column(text["action"])
    table.add_column(text["chance"].format(position.player), justify="right")
    table.add_column(text["cost"], justify="right")
    for action in position.actions:
        win = action.win if position.player == 0 else 1.0 - action.win
        cost = "=" if action.cost < 5e-7 else text["points"].format(decimal(100 * action.cost, language, 2))
        table.add_row(names[action.id], percent(win, language), cost)
    return table
