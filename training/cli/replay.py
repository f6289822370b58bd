"""`duel replay`: a recorded duel, event by event."""

from pathlib import Path
from typing import Annotated

import typer

from duel_env.errors import SchemaError
from training.cli.options import JsonOption, Language, LanguageOption, print_json


def replay_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A playthrough, as `duel match --record` writes it.")],
    as_json: JsonOption = False,
    language: LanguageOption = Language.EN,
) -> None:
    """Play a recorded duel again, event by event, and check every line of the file.

    Prints each action, each die and where the duelists then stand. Fails, naming the line, where an action is illegal, a die
    is missing or left over, or somebody acts out of turn. With --json, prints the final state instead.

    Examples:
        duel match expectimax greedy --record duel.jsonl
        duel replay duel.jsonl --lang fr
        duel replay duel.jsonl --json
    """
    from duel_env.playthrough import final_duel, read_playthrough, replay

    playthrough = read_playthrough(file)
    try:
        if as_json:
            print_json(final_duel(playthrough).to_json())
            return
        describe = playthrough.game.ruleset
        was_deciding = True
        for step in replay(playthrough):
            if was_deciding:
                typer.echo(describe.describe_state(step.before, language.value))
            typer.echo(describe.describe_event(step.before, step.after, step.event, language.value))
            was_deciding = step.after.die is None
        typer.echo(describe.describe_state(final_duel(playthrough), language.value))
    except SchemaError as error:
        raise SchemaError(f"{file}, {error}") from error
