"""What changed between two decisions, in words, as far as the reader may know."""

import math
from typing import Any

from duel_env.rules.pathfinder.codes import IMAGES
from duel_env.rules.pathfinder.state import (
    BY_DEFEAT,
    BY_DISQUALIFICATION,
    BY_JUDGEMENT,
    BY_ROUND_LIMIT,
    BY_WITHDRAWAL,
    NOBODY,
    RUNNING,
)
from duel_env.rules.pathfinder.story_view import View, castings_on
from duel_env.rules.pathfinder.story_words import TEXT, Language, ability_name, condition_names, player_name, spell_name


def describe_changes(before: View, after: View, language: Language) -> list[str]:
    """One line for each change of bodies, conditions and spells in force, for a new round and for the end."""
    text = TEXT[language]
    lines = []
    for player in range(2):
        lines += _body(before, after, player, language)
        lines += _conditions(before, after, player, language)
        lines += _effects(before, after, player, language)
    if after.now["end"] == RUNNING and after.now["round"] > before.now["round"]:
        lines.append(text["round"].format(int(after.now["round"])))
    if after.now["end"] != RUNNING and before.now["end"] == RUNNING:
        lines.append(describe_end(after.now, language))
    return lines


def percent(points: int, most: int) -> int:
    """A share as an onlooker judges it: the quarter that it lies in, in percent."""
    return 25 * math.ceil(4 * min(max(points / most, 0.0), 1.0))


def _body(before: View, after: View, player: int, language: Language) -> list[str]:
    text, who = TEXT[language], player_name(player, language)
    old, new = before.now, after.now
    most = int(after.duel.sheets["hit_points"][player])
    lines = []
    for field, worse, better, share in (
        ("hit_points", "loses_hp", "gains_hp", "share_hp"),
        ("nonlethal", "recovers", "bruised", "share_bruised"),
    ):
        was, now = int(old[field][player]), int(new[field][player])
        if after.exact or after.owns(player):
            if was != now:
                lines.append(text[worse if now < was else better].format(who, abs(now - was)))
        elif percent(was, most) != percent(now, most):
            lines.append(text[share].format(who, percent(now, most)))
    if after.owns(player):
        if old["temp_hp"][player] != new["temp_hp"][player]:
            lines.append(text["temp_hp"].format(who, int(new["temp_hp"][player])))
        for ability in range(6):
            lost = lost_points(new, player, ability) - lost_points(old, player, ability)
            if lost:
                key = "ability" if lost > 0 else "ability_back"
                lines.append(text[key].format(who, abs(lost), ability_name(ability, language)))
    if old["negative_levels"][player] != new["negative_levels"][player]:
        lines.append(text["levels"].format(who, int(new["negative_levels"][player])))
    return lines


def lost_points(core: Any, player: int, ability: int) -> int:
    """Damage and drain of an ability."""
    return int(core["ability_damage"][player, ability]) + int(core["ability_drain"][player, ability])


def _conditions(before: View, after: View, player: int, language: Language) -> list[str]:
    text, who = TEXT[language], player_name(player, language)
    was, now = int(before.now["conditions"][player]), int(after.now["conditions"][player])
    lines = []
    if now & ~was:
        lines.append(text["gains"].format(who, condition_names(now & ~was, language)))
    if was & ~now:
        lines.append(text["no_longer"].format(who, condition_names(was & ~now, language)))
    return lines


def _effects(before: View, after: View, player: int, language: Language) -> list[str]:
    text, who = TEXT[language], player_name(player, language)
    was, now = castings_on(before, player), castings_on(after, player)
    lines = []
    for key, more, less in (("in_force", now, was), ("ended", was, now)):
        names = [spell_name(int(rows[0]["spell"]), language) for casting, rows in more.items() if casting not in less]
        if names:
            lines.append(text[key].format(who, ", ".join(names)))
    for casting, rows in now.items():
        left = num_images(after, rows)
        if left is not None and casting in was and num_images(before, was[casting]) != left:
            lines.append(text["images"].format(who, left))
    return lines


def num_images(view: View, rows: list[Any]) -> int | None:
    """Images that a casting has left; None if it is about something else."""
    return next((int(row["value"]) for row in rows if view.rules["effects"][row["effect"]]["kind"] == IMAGES), None)


def describe_end(core: Any, language: Language) -> str:
    """Who has won, and why."""
    text, winner, end = TEXT[language], int(core["winner"]), int(core["end"])
    if winner == NOBODY:
        return text[{BY_ROUND_LIMIT: "limit", BY_JUDGEMENT: "judged_draw"}.get(end, "draw")]
    key = {
        BY_DEFEAT: "defeat",
        BY_WITHDRAWAL: "withdrawal",
        BY_DISQUALIFICATION: "disqualification",
        BY_JUDGEMENT: "judged",
    }[end]
    return text[key].format(player_name(winner, language), player_name(1 - winner, language))
