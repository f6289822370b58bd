"""The school duel in words, English and French: what just happened, and where the duelists stand."""

from typing import Any, Final, Literal

import numpy as np

from duel_env.rules.hogwarts.state import (
    BY_DISQUALIFICATION,
    BY_ROUND_LIMIT,
    BY_SEIZED_WAND,
    HIT,
    LOST_TO_DISARM,
    LOST_TO_HEX,
    MISSED,
    NOBODY,
    NOT_ROLLED,
    SECOND_ROLL,
    WAND_HELD,
)
from duel_env.rules.stores import CHOICE

Language = Literal["en", "fr"]

_TEXT: Final[dict[str, dict[str, str]]] = {
    "en": {
        "player": "Duelist {0}",
        "coin": "Coin toss for the initiative: {0} acts first.",
        "chooses": "{0}: {1}.",
        "illegal": "{0} does what the list does not allow ({1}) and is disqualified.",
        "success": "{0} rolls {1}{2}: success.",
        "miss": "{0} rolls {1}{2}: a miss.",
        "needs": " (needs {0} or less)",
        "loses_hp": "{0} loses {1} HP.",
        "loses_wand": "{0} loses the wand.",
        "has_wand": "{0} has the wand again.",
        "petrified": "{0} will be petrified next round.",
        "hexed": "{0} is hexed: a miss of the next spell loses the wand.",
        "unhexed": "The hex on {0} is over.",
        "void": "The answer does not happen.",
        "blocked": "{0} blocks the opponent's spell.",
        "outcome": "The round's outcome: {0}",
        "wins_hp": "{0} wins: {1} is out of hit points.",
        "wins_wand": "{0} wins: the wand of {1} is seized.",
        "draw": "A draw: both are out of hit points.",
        "limit": "Cut short at the round limit: a draw.",
        "round": "Round {0}",
        "skill": "skill {0}",
        "hp": "{0}/{1} HP",
        "wand_held": "wand in hand",
        "wand_disarm": "disarmed",
        "wand_hex": "dropped the wand",
        "is_petrified": "petrified",
        "is_petrified_next": "petrified next round",
        "is_hexed": "hexed",
        "to_act": "to act",
        "to_answer": "to answer",
        "pending": "{0} has chosen {1}{2}.",
        "was_hit": " and succeeded",
        "was_miss": " and missed",
        "not_rolled": " (not rolled yet)",
    },
    "fr": {
        "player": "Duelliste {0}",
        "coin": "Pile ou face pour l'initiative : {0} agit en premier.",
        "chooses": "{0} : {1}.",
        "illegal": "{0} fait ce que la liste ne permet pas ({1}) et est disqualifié.",
        "success": "{0} lance {1}{2} : réussi.",
        "miss": "{0} lance {1}{2} : raté.",
        "needs": " (il faut {0} ou moins)",
        "loses_hp": "{0} perd {1} PV.",
        "loses_wand": "{0} perd sa baguette.",
        "has_wand": "{0} a de nouveau sa baguette.",
        "petrified": "{0} sera pétrifié à la manche suivante.",
        "hexed": "{0} est sous maléfice : s'il rate son prochain sort, il perd sa baguette.",
        "unhexed": "{0} n'est plus sous maléfice.",
        "void": "La riposte n'a pas lieu.",
        "blocked": "{0} bloque le sort adverse.",
        "outcome": "Bilan de la manche : {0}",
        "wins_hp": "{0} gagne : {1} n'a plus de points de vie.",
        "wins_wand": "{0} gagne : il a pris la baguette adverse.",
        "draw": "Match nul : plus de points de vie des deux côtés.",
        "limit": "Arrêté à la limite de manches : match nul.",
        "round": "Manche {0}",
        "skill": "Sortilèges {0}",
        "hp": "{0}/{1} PV",
        "wand_held": "baguette en main",
        "wand_disarm": "désarmé",
        "wand_hex": "baguette lâchée",
        "is_petrified": "pétrifié",
        "is_petrified_next": "pétrifié à la manche suivante",
        "is_hexed": "sous maléfice",
        "to_act": "à lui d'agir",
        "to_answer": "à lui de répondre",
        "pending": "{0} a choisi {1}{2}.",
        "was_hit": ", réussi",
        "was_miss": ", raté",
        "not_rolled": " (dé pas encore lancé)",
    },
}

_WAND_TEXT = {WAND_HELD: "wand_held", LOST_TO_DISARM: "wand_disarm", LOST_TO_HEX: "wand_hex"}
_ROLL_TEXT = {NOT_ROLLED: "not_rolled", MISSED: "was_miss", HIT: "was_hit"}
_BAR_WIDTH = 20


def describe_event(before: Any, after: Any, event: tuple[int, int, int], language: Language, viewer: int | None = None) -> str:
    """What an event did, in one line.

    Args:
        before, after: the Duel around the event.
        event: (CHOICE, player, action) or (ROLL, player, face); see `stores`.
        language: `en` or `fr`.
        viewer: the player who reads it, and does not learn a hidden skill from it; None for someone who may know everything.
    """
    text = _TEXT[language]
    kind, player, value = event
    who = _name(player, text)
    if kind == CHOICE:
        parts = [_describe_choice(before, after, who, value, language)]
    elif player == NOBODY:
        parts = [text["coin"].format(_name(int(after.state["first_caster"][0]), text))]
    else:
        die = before.die
        threshold = int(before.sheets["skill"][die.roller]) - before.game.options.spells[die.action].penalty
        succeeded = value <= threshold
        needs = text["needs"].format(threshold) if _knows_skill(before, viewer, die.roller) else ""
        parts = [text["success" if succeeded else "miss"].format(who, value, needs)]
        parts += _blocks(before, succeeded, text)
    changes = " ".join(_changes(before.state[0], after.state[0], text))
    if changes and _is_resolved(before, after):
        changes = text["outcome"].format(changes)
    return " ".join([*parts, changes]) if changes else " ".join(parts)


def _is_resolved(before: Any, after: Any) -> bool:
    """Whether the event let the round's spells take effect, those of an earlier die included."""
    of_an_answer = before.state["action"][0, 0] >= 0
    return bool(of_an_answer and (after.state["round"] > before.state["round"] or after.is_over))


def _describe_choice(before: Any, after: Any, who: str, action: int, language: Language) -> str:
    text = _TEXT[language]
    name = getattr(before.game.actions[action], language) if 0 <= action < before.game.num_actions else str(action)
    if after.is_disqualified:
        return text["illegal"].format(who, name)
    line = text["chooses"].format(who, name)
    is_spell = action < len(before.game.options.spells)
    if is_spell and _is_answer(before) and after.die is None:
        line += " " + text["void"]
    return line


def _is_answer(duel: Any) -> bool:
    """Whether the player to choose is the second caster of the round."""
    return bool(duel.current_player == 1 - duel.state["first_caster"][0])


def _blocks(before: Any, succeeded: bool, text: dict[str, str]) -> list[str]:
    """Who keeps whose spell from taking effect, when the answer's die has been thrown."""
    state, spells = before.state[0], before.game.options.spells
    if state["die"] != SECOND_ROLL or not succeeded:
        return []
    first, (first_action, answer) = int(state["first_caster"]), state["action"].tolist()
    parts = []
    if spells[answer].block and state["first_roll"] == HIT:
        parts.append(text["blocked"].format(_name(1 - first, text)))
    elif state["first_roll"] == HIT and spells[first_action].block:
        parts.append(text["blocked"].format(_name(first, text)))
    return parts


def _changes(before: Any, after: Any, text: dict[str, str]) -> list[str]:
    parts = []
    for player in range(2):
        who = _name(player, text)
        lost = int(before["hit_points"][player]) - int(after["hit_points"][player])
        if lost > 0:
            parts.append(text["loses_hp"].format(who, lost))
        if before["wand"][player] == WAND_HELD != after["wand"][player]:
            parts.append(text["loses_wand"].format(who))
        if before["wand"][player] != WAND_HELD == after["wand"][player]:
            parts.append(text["has_wand"].format(who))
        newly_bound = after["petrified_next"][player] > before["petrified_next"][player]
        if newly_bound or (after["round"] > before["round"] and after["petrified"][player]):
            parts.append(text["petrified"].format(who))
        if after["hexed"][player] != before["hexed"][player]:
            parts.append(text["hexed" if after["hexed"][player] else "unhexed"].format(who))
    if after["winner"] != NOBODY and after["end"] != BY_DISQUALIFICATION:
        key = "wins_wand" if after["end"] == BY_SEIZED_WAND else "wins_hp"
        winner = int(after["winner"])
        parts.append(text[key].format(_name(winner, text), _name(1 - winner, text)))
    elif after["end"] == BY_ROUND_LIMIT:
        parts.append(text["limit"])
    elif after["end"] and after["winner"] == NOBODY:
        parts.append(text["draw"])
    return parts


def _knows_skill(duel: Any, viewer: int | None, player: int) -> bool:
    """Whether the reader may know a player's skill."""
    return viewer in (None, player) or duel.game.options.observe_opponent_skill


def describe_state(duel: Any, language: Language, viewer: int | None = None) -> str:
    """Where the duelists stand: a few lines of plain text, for `viewer` as in `describe_event`."""
    text = _TEXT[language]
    state = duel.state[0]
    lines = [text["round"].format(int(state["round"]))]
    lines += [_describe_duelist(duel, player, text, viewer) for player in range(2)]
    first, action = int(state["first_caster"]), int(state["action"][0])
    if first != NOBODY and action >= 0 and not duel.is_over:
        roll = text[_ROLL_TEXT[int(state["first_roll"])]] if action < len(duel.game.options.spells) else ""
        name = getattr(duel.game.actions[action], language)
        lines.append(text["pending"].format(_name(first, text), name, roll))
    return "\n".join(lines)


def _describe_duelist(duel: Any, player: int, text: dict[str, str], viewer: int | None) -> str:
    state = duel.state[0]
    hit_points, most = int(state["hit_points"][player]), duel.game.options.hit_points
    filled = int(np.ceil(_BAR_WIDTH * hit_points / most))
    notes = [text["hp"].format(hit_points, most), text[_WAND_TEXT[int(state["wand"][player])]]]
    notes += [text[f"is_{flag}"] for flag in ("petrified", "petrified_next", "hexed") if state[flag][player]]
    if duel.current_player == player:
        notes.append(text["to_act" if player == state["first_caster"] else "to_answer"])
    skill = text["skill"].format(int(duel.sheets["skill"][player]) if _knows_skill(duel, viewer, player) else "?")
    return f"  {_name(player, text):<12} {skill:<15} [{'#' * filled}{'.' * (_BAR_WIDTH - filled)}] {', '.join(notes)}"


def _name(player: int, text: dict[str, str]) -> str:
    return text["player"].format(player)
