"""`duel match`: two agents, many duels."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from duel_env.errors import ConfigError
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
    percent,
    percent_interval,
    print_json,
    progress_bar,
    resolve_agent,
    write_file,
)

if TYPE_CHECKING:
    from rich.table import Table

    from evaluation.match import MatchResult

_TEXT: Final = {
    Language.EN: {
        "title": "{0} against {1}: {2}, {3}, {4} duels, seed {5}",
        "duels": "duels",
        "score": "score",
        "interval": "95 % interval",
        "win": "won",
        "draw": "drawn",
        "loss": "lost",
        "all": "all",
        "player_0": "as player 0",
        "player_1": "as player 1",
        "first": "acting first",
        "second": "acting second",
        "note": "Score and rates are those of {0}; a draw counts one half of a win in the score.",
        "length": "Mean length: {0} rounds, {1} decisions of both.",
        "truncated": "{0} cut short at the round limit, counted as draws.",
        "disqualified": "Disqualified: {0} {1} times, {2} {3} times.",
        "recorded": "Duel {0} is recorded in {1}.",
    },
    Language.FR: {
        "title": "{0} contre {1} : {2}, {3}, {4} duels, graine {5}",
        "duels": "duels",
        "score": "score",
        "interval": "intervalle à 95 %",
        "win": "gagnés",
        "draw": "nuls",
        "loss": "perdus",
        "all": "tous",
        "player_0": "en duelliste 0",
        "player_1": "en duelliste 1",
        "first": "en premier",
        "second": "en second",
        "note": "Score et taux sont ceux de {0} ; un nul compte pour une demi-victoire dans le score.",
        "length": "Durée moyenne : {0} manches, {1} décisions des deux.",
        "truncated": "{0} arrêtés à la limite de manches, comptés nuls.",
        "disqualified": "Disqualifiés : {0} {1} fois, {2} {3} fois.",
        "recorded": "Le duel {0} est enregistré dans {1}.",
    },
}


def match_command(
    first: Annotated[str, typer.Argument(metavar="A", help="An agent: a name, spam:SPELL, a run folder or a policy file.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The other agent.")],
    num_duels: DuelsOption = 20_000,
    ruleset: RulesetOption = None,
    skills: SkillsOption = None,
    overrides: SetOption = None,
    rules: RulesOption = None,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
    record: Annotated[
        Path | None, typer.Option("--record", help="File for the playthrough of one duel; see `duel replay`.")
    ] = None,
    record_duel_number: Annotated[int, typer.Option("--record-duel", min=0, help="Which duel of the match to record.")] = 0,
    language: LanguageOption = Language.EN,
) -> None:
    """Let two agents duel many times, and say who wins how often.

    The duels come in pairs with the same dice, once with each agent in each seat, and where a coin would decide who begins,
    both ways are played. `duel envs` lists the agents. A policy is played by its most likely action where both players see
    everything, and else sampled; `:greedy` or `:sample` behind its path says which.

    Examples:
        duel match expectimax random -n 20000
        duel match runs/long runs/quick:sample --seed 7
        duel match greedy spam:petrificus_totalus --skills 80 20..95 --set hit_points=3
        duel match expectimax stupefy --record duel.jsonl
    """
    from evaluation.match import play_match

    game, setup = find_arena((first, second), ruleset, skills, overrides, rules)
    agents = (resolve_agent(first, game), resolve_agent(second, game))
    if record is not None and record.is_dir():
        raise ConfigError(f"--record {record}: expected a file, this is a folder")
    if record is not None:
        from evaluation.record import record_duel

        playthrough = record_duel(game, setup, agents, num_duels, seed, record_duel_number)
        write_file(record, ("\n".join(playthrough.to_lines()) + "\n").encode())
    with progress_bar(num_duels) as progress:
        result = play_match(game, setup, agents, num_duels, seed, progress=lambda played: progress("duels", played))
    if as_json:
        print_json(result.to_json())
        return
    output, text = console(), _TEXT[language]
    output.print(match_table(result, language))
    output.print(text["note"].format(result.agents[0]))
    output.print(text["length"].format(decimal(result.mean_rounds, language, 1), decimal(result.mean_decisions, language, 1)))
    if result.truncated:
        output.print(text["truncated"].format(count(result.truncated, language)))
    if any(result.disqualified):
        output.print(
            text["disqualified"].format(result.agents[0], result.disqualified[0], result.agents[1], result.disqualified[1])
        )
    if record is not None:
        output.print(text["recorded"].format(record_duel_number, record))


def match_table(result: "MatchResult", language: Language) -> "Table":
    """A match as a table: a row for all duels, and one for each seat and each order of play."""
    from rich.table import Table

    text = _TEXT[language]
    title = text["title"].format(
        *result.agents,
        result.ruleset,
        describe_setup(result.setup, language),
        count(result.total.duels, language),
        result.seed,
    )
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for column in ("duels", "score", "interval", "win", "draw", "loss"):
        table.add_column(text[column], justify="right")
    parts = {
        "all": result.total,
        "player_0": result.by_seat[0],
        "player_1": result.by_seat[1],
        "first": result.by_order[0],
        "second": result.by_order[1],
    }
    for name, tally in parts.items():
        if tally.duels == 0:
            continue
        interval = result.score_interval if name == "all" else tally.score_interval
        table.add_row(
            text[name],
            count(tally.duels, language),
            percent(tally.score, language),
            percent_interval(interval, language),
            *(percent(rate, language) for rate, _ in tally.rates().values()),
        )
    return table
