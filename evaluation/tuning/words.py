"""Names, bounds and changes in words, in English and French."""

from typing import Final, Literal

from duel_env.game import Game
from evaluation.tuning.settings import SHARES, Change
from evaluation.tuning.space import Edit, Value
from evaluation.tuning.wants import Check

Language = Literal["en", "fr"]

TEXT: Final = {
    "en": {
        "first_caster": "whoever acts first wins",
        "spell_share": "{0}, of all casts",
        "mean_rounds": "rounds, mean",
        "draws": "nobody wins",
        "one_spell": "best of the one-spell strategies",
        "at": "at {0} and {1}",
        "low": "at least {0}",
        "high": "at most {0}",
        "both": "{0} to {1}",
        "met": "met",
        "missed": "missed",
        "unknown": "not measured",
        "endless": "endless",
        "penalty": "penalty",
        "damage": "damage",
        "none": "nothing",
        "changed": "changed",
        "wanted": "wanted",
        "figure": "figure",
        "today": "today's rules",
        "found": "found {0}",
        "distance": "distance from today's rules, in steps",
        "missed_wants": "figures missed",
        "unsolved": "could not be solved: {0}",
    },
    "fr": {
        "first_caster": "celui qui commence gagne",
        "spell_share": "{0}, part des sorts lancés",
        "mean_rounds": "manches, moyenne",
        "draws": "personne ne gagne",
        "one_spell": "meilleure stratégie d'un seul sort",
        "at": "à {0} et {1}",
        "low": "au moins {0}",
        "high": "au plus {0}",
        "both": "{0} à {1}",
        "met": "tenu",
        "missed": "manqué",
        "unknown": "non mesuré",
        "endless": "sans fin",
        "penalty": "malus",
        "damage": "dégâts",
        "none": "rien",
        "changed": "changé",
        "wanted": "voulu",
        "figure": "chiffre",
        "today": "règles actuelles",
        "found": "trouvé {0}",
        "distance": "distance des règles actuelles, en pas",
        "missed_wants": "chiffres manqués",
        "unsolved": "sans solution : {0}",
    },
}


def number(value: float, language: Language, digits: int) -> str:
    """A number with the decimal sign of the language; digits that are all 0 are left out."""
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text if language == "en" else text.replace(".", ",")


def figure_text(figure: str, value: float, language: Language, digits: int = 2) -> str:
    """A figure with its unit: "49.2 %", or a number of rounds."""
    if value == float("inf"):
        return TEXT[language]["endless"]
    return f"{number(100 * value, language, digits)} %" if figure in SHARES else number(value, language, digits)


def wanted_text(check: Check, language: Language) -> str:
    """The bounds of a figure: "49 to 51 %", "at least 5 %"."""
    text = TEXT[language]
    low, high = (None if bound is None else figure_text(check.figure, bound, language) for bound in (check.low, check.high))
    if low is None or high is None:
        return text["low"].format(low) if high is None else text["high"].format(high)
    return text["both"].format(low.removesuffix(" %"), high)


def check_name(check: Check, game: Game, language: Language) -> str:
    """What a check is about: "Protego, of all casts, at 60 and 60"."""
    text = TEXT[language]
    name = text[check.figure]
    if check.figure == "spell_share":
        name = name.format(spell_name(str(check.spell), game, language))
    return f"{name}, {text['at'].format(*check.skills)}"


def check_text(check: Check, game: Game, language: Language) -> str:
    """What came of a check: "46.81 %: missed"."""
    text = TEXT[language]
    if check.value is None:
        return text["unknown"]
    shown = figure_text(check.figure, check.value, language)
    if check.figure == "one_spell":
        shown += f" ({spell_name(str(check.spell), game, language)})"
    colon = ": " if language == "en" else " : "
    return f"{shown}{colon}{text['met' if check.is_met else 'missed']}"


def change_name(name: str, game: Game, language: Language) -> str:
    """What may change: "Protego, penalty", or the name of an option."""
    parts = name.split(".")
    if len(parts) != 3:
        return name
    return f"{spell_name(parts[1], game, language)}, {TEXT[language].get(parts[2], parts[2])}"


def edit_text(edit: Edit, game: Game, language: Language) -> str:
    """A change: "Protego, penalty: 0 -> 5"."""
    colon = ": " if language == "en" else " : "
    return f"{change_name(edit.name, game, language)}{colon}{value_text(edit.before)} -> {value_text(edit.after)}"


def value_text(value: Value) -> str:
    """A value as the file of rules has it, without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def bounds_text(change: Change, language: Language) -> str:
    """What something may become: "0 to 30", or the choices."""
    values = [value_text(value) for value in change.values]
    return ", ".join(values) if change.choices is not None else TEXT[language]["both"].format(values[0], values[-1])


def spell_name(spell: str, game: Game, language: Language) -> str:
    """What people call a spell."""
    name: str = getattr(game.actions[game.action_number(spell)], language)
    return name
