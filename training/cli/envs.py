"""`duel envs`: what there is to play."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from duel_env.errors import ConfigError
from training.cli.options import JsonOption, Language, LanguageOption, console, print_json

if TYPE_CHECKING:
    from duel_env.config import Settings
    from duel_env.game import Game
    from duel_env.registry import EnvId

_TEXT: Final = {
    Language.EN: {
        "header": "{0}  (ruleset {1}, version {2})",
        "sizes": "Observation: {0} numbers. Actions: {1}. Default rules: {2}.",
        "options": "Options of the rules",
        "setup": "Set-up of the duels",
        "option": "option",
        "default": "default",
        "accepted": "accepted",
        "meaning": "meaning",
        "actions": "Actions with the default options",
        "number": "number",
        "id": "id",
        "name": "name",
        "agents": "Agents, besides spam:SPELL and trained policies",
        "agent": "agent",
        "idea": "idea",
    },
    Language.FR: {
        "header": "{0}  (règles {1}, version {2})",
        "sizes": "Observation : {0} nombres. Actions : {1}. Règles par défaut : {2}.",
        "options": "Options des règles (en anglais)",
        "setup": "Mise en place des duels (en anglais)",
        "option": "option",
        "default": "par défaut",
        "accepted": "accepté",
        "meaning": "sens",
        "actions": "Actions avec les options par défaut",
        "number": "numéro",
        "id": "identifiant",
        "name": "nom",
        "agents": "Agents, outre spam:SORT et les stratégies apprises",
        "agent": "agent",
        "idea": "idée",
    },
}


_MOST_ACTIONS: Final = 70
_FIRST_ACTIONS: Final = 10


def envs_command(
    name: Annotated[str | None, typer.Argument(metavar="[ENV]", help="Only this one: an id or the name of a ruleset.")] = None,
    as_json: JsonOption = False,
    language: LanguageOption = Language.EN,
) -> None:
    """List the environments with their options, actions and agents.

    The ids are for gymnasium.make and pettingzoo; the options are its keyword arguments, and what --set takes in other
    commands.

    Examples:
        duel envs
        duel envs hogwarts --lang fr
        duel envs --json
    """
    from duel_env.registry import ENV_IDS

    chosen = [row for row in ENV_IDS if name in (None, row.id, row.ruleset)]
    if not chosen:
        known = ", ".join(f"{row.id} ({row.ruleset})" for row in ENV_IDS)
        raise ConfigError(f"unknown environment {name!r}; available: {known}")
    if as_json:
        print_json([describe_environment(row) for row in chosen])
        return
    for row in chosen:
        _print_environment(describe_environment(row), language)


def describe_environment(row: "EnvId") -> dict[str, Any]:
    """An environment as JSON values.

    | key | value |
    | --- | --- |
    | `id`, `ruleset`, `version` | of the environment, its ruleset, and the ruleset's version |
    | `summary` | one line, `en` and `fr` |
    | `digest` | names the rules with the default options |
    | `observation_size` | D |
    | `options`, `setup` | `name`, `default`, `accepted` and `meaning` of each option of the rules, and of the set-up |
    | `actions` | `number`, `id`, `en`, `fr` of each action under the default options |
    | `agents` | `name`, `en`, `fr` of each agent that has a name |
    """
    from agents.registry import agent_names
    from duel_env.game import make_game

    game = make_game(row.ruleset)
    return {
        "id": row.id,
        "ruleset": row.ruleset,
        "version": game.ruleset.version,
        "summary": {"en": row.en, "fr": row.fr},
        "digest": game.digest,
        "observation_size": game.observation_size,
        "options": describe_settings(game.options),
        "setup": describe_settings(game.ruleset.setup_model()),
        "actions": _actions(game),
        "agents": [known._asdict() for known in agent_names(game)],
    }


def _actions(game: "Game") -> list[dict[str, Any]]:
    return [{"number": number, **action._asdict()} for number, action in enumerate(game.actions)]


def describe_settings(defaults: "Settings") -> list[dict[str, Any]]:
    """`name`, `default`, `accepted` and `meaning` of each key of some settings, from the model that checks them."""
    schema = type(defaults).model_json_schema()
    return [
        {
            "name": name,
            "default": _short(defaults.model_dump(mode="json")[name]),
            "accepted": accepted(entry),
            "meaning": entry.get("description", ""),
        }
        for name, entry in schema["properties"].items()
    ]


def _short(value: Any) -> Any:
    """A default value; of a list of tables with ids, such as the spells, the ids."""
    if isinstance(value, list) and value and all(isinstance(item, dict) and "id" in item for item in value):
        return [item["id"] for item in value]
    return value


def accepted(schema: dict[str, Any]) -> str:
    """What a JSON schema of a setting accepts, in words."""
    if "anyOf" in schema:
        return " or ".join(accepted(choice) for choice in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    kind = str(schema.get("type"))
    words = {"boolean": "true, false", "null": "nothing", "string": "text"}.get(kind, kind)
    if "minimum" in schema and "maximum" in schema:
        words = f"{schema['minimum']} to {schema['maximum']}"
    elif "prefixItems" in schema:
        words = f"[{', '.join(dict.fromkeys(accepted(item) for item in schema['prefixItems']))}]"
        words = f"{len(schema['prefixItems'])} x {words}"
    elif kind == "array":
        words = f"{schema.get('minItems', 0)} to {schema.get('maxItems', 'any number of')} entries"
    return words


def _print_environment(found: dict[str, Any], language: Language) -> None:
    output, text = console(), _TEXT[language]
    output.print(text["header"].format(found["id"], found["ruleset"], found["version"]))
    output.print(found["summary"][language.value])
    output.print(text["sizes"].format(found["observation_size"], len(found["actions"]), found["digest"]))
    for key in ("options", "setup"):
        _print_table(
            text[key],
            [text[column] for column in ("option", "default", "accepted", "meaning")],
            [[row["name"], _as_text(row["default"]), row["accepted"], row["meaning"]] for row in found[key]],
        )
    actions = [[str(row["number"]), row["id"], row[language.value]] for row in found["actions"]]
    if len(actions) > _MOST_ACTIONS:  # a long list of spells; --json has them all
        actions = [*actions[:_FIRST_ACTIONS], ["...", "...", "..."], *actions[_FIRST_ACTIONS - _MOST_ACTIONS :]]
    _print_table(text["actions"], [text[column] for column in ("number", "id", "name")], actions)
    _print_table(
        text["agents"],
        [text[column] for column in ("agent", "idea")],
        [[row["name"], row[language.value]] for row in found["agents"]],
    )


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table

    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*row)
    console().print(table)
