"""Where the duelists of a spell duel stand, in words."""

import math
import textwrap
from typing import Any

from duel_env.rules.graph import PLAYER
from duel_env.rules.pathfinder.codes import KNOWN, PREPARED, ZONE
from duel_env.rules.pathfinder.state import CHOICE_IN_SPELL, LASTING, NOBODY, NONE, NUM_SLOT_LEVELS, RUNNING
from duel_env.rules.pathfinder.story_changes import describe_end, lost_points, num_images, percent
from duel_env.rules.pathfinder.story_view import View, castings_on
from duel_env.rules.pathfinder.story_words import (
    ABOUT,
    PHASES,
    PURPOSES,
    TEXT,
    Language,
    ability_name,
    class_name,
    condition_names,
    player_name,
    spell_name,
)

_BAR_WIDTH = 20
_WIDTH = 100


def describe_state(duel: Any, language: Language, viewer: int | None = None) -> str:
    """Where the duelists stand, in at most about 25 lines, for `viewer` as in `story.describe_event`."""
    view, text = View(duel, viewer), TEXT[language]
    lines = [_headline(view, language)]
    if not view.is_opening:
        for player in range(2):
            lines.append(_bar_line(view, player, language))
            conditions = condition_names(int(view.now["conditions"][player]), language)
            lines += _wrapped([conditions] if conditions else [], 2, text)
            lines += _wrapped(_effects(view, player, language), 2, text)
            notes = _notes(view, player, language)
            lines += _wrapped([", ".join(notes)] if notes else [], 2, text)
            if view.owns(player) and view.now["end"] == RUNNING:
                lines += _wrapped(_means(view, player, language), 4, text)
    for line in _waiting(view, language):
        lines += textwrap.wrap(line, _WIDTH, subsequent_indent="  ")
    return "\n".join(lines)


def _wrapped(parts: list[str], most: int, text: dict[str, str]) -> list[str]:
    lines: list[str] = []
    for part in parts:
        lines += textwrap.wrap(
            part,
            _WIDTH,
            initial_indent="    ",
            subsequent_indent="      ",
            max_lines=most,
            placeholder=f" {text['and']}",
            break_on_hyphens=False,
        )
    return lines


def _headline(view: View, language: Language) -> str:
    text, now = TEXT[language], view.now
    if view.is_opening or now["active"] == NOBODY:
        return text["opening"]
    left = [text[name] for name in ("standard", "move", "swift") if not now[f"{name}_used"]]
    actions = text["lost"] if now["turn_lost"] else text["left"].format(", ".join(left)) if left else ""
    line = text["turn"].format(int(now["round"]), player_name(int(now["active"]), language), actions)
    return line + (text["near"] if now["near"] else "")


def _bar_line(view: View, player: int, language: Language) -> str:
    text, now, sheet = TEXT[language], view.now, view.duel.sheets[player]
    most, points, bruises = (int(value) for value in (sheet["hit_points"], now["hit_points"][player], now["nonlethal"][player]))
    who = player_name(player, language)
    if view.owns(player) or view.rules["show_opponent_class"]:
        who += f" ({class_name(int(sheet['class_id']), language)} {int(sheet['level'])})"
    notes = []
    if view.exact or view.owns(player):
        share = points / most
        notes.append(text["hp"].format(points, most + int(now["con_hp"][player])))
        if bruises:
            notes.append(text["nonlethal"].format(bruises))
    else:
        share = percent(points, most) / 100
        notes.append(text["hp_share"].format(percent(points, most)))
        if bruises:
            notes.append(text["nonlethal_share"].format(percent(bruises, most)))
    filled = math.ceil(_BAR_WIDTH * min(max(share, 0.0), 1.0))
    return f"  {who:<28} [{'#' * filled}{'.' * (_BAR_WIDTH - filled)}] {', '.join(notes)}"


def _effects(view: View, holder: int, language: Language) -> list[str]:
    """Spells in force on a duelist. How long the opponent's on himself last is hidden."""
    text, found = TEXT[language], []
    for rows in castings_on(view, holder).values():
        first = rows[0]
        notes = []
        if view.owns(holder) or view.owns(int(first["caster"])):
            rounds = max(int(row["rounds"]) for row in rows)
            notes.append(text["lasting"] if rounds >= LASTING else text["rounds"].format(rounds))
        if all(row["suppressed"] for row in rows):
            notes.append(text["suppressed"])
        images = num_images(view, rows)
        if images is not None:
            notes.append(text["num_images"].format(images))
        for row in rows:
            effect = view.rules["effects"][row["effect"]]
            if effect["kind"] == ZONE and effect["exit_moves"] > row["stage"]:
                notes.append(text["moves"].format(int(effect["exit_moves"]) - int(row["stage"])))
        found.append(spell_name(int(first["spell"]), language) + (f" ({', '.join(notes)})" if notes else ""))
    return [text["effects"].format(", ".join(found))] if found else []


def _spell_of_casting(view: View, casting: int, language: Language) -> str:
    for holder in range(2):
        rows = castings_on(view, holder).get(casting)
        if rows:
            return spell_name(int(rows[0]["spell"]), language)
    return TEXT[language]["a_spell"]


def _notes(view: View, player: int, language: Language) -> list[str]:
    text, now, own = TEXT[language], view.now, view.owns(player)
    notes = []
    if now["negative_levels"][player]:
        notes.append(text["negative_levels"].format(int(now["negative_levels"][player])))
    if own:
        if now["temp_hp"][player]:
            notes.append(text["temporary"].format(int(now["temp_hp"][player])))
        for ability in range(6):
            lost = lost_points(now, player, ability)
            if lost:
                notes.append(text["lost_ability"].format(lost, ability_name(ability, language)))
    if now["touch_charges"][player] > 0:
        charges = spell_name(int(now["touch_spell"][player]), language), int(now["touch_charges"][player])
        notes.append(text["charges"].format(*charges) if own else text["charge"])
    pending = now["one_round_spell"][player]
    if pending["spell"] != NONE:
        known = own or pending["shown"]
        notes.append(text["one_round"].format(spell_name(int(pending["spell"]), language) if known else text["a_spell"]))
    if now["concentrates_on"][player] != NONE:
        notes.append(text["concentrates"].format(_spell_of_casting(view, int(now["concentrates_on"][player]), language)))
    notes += [text[field] for field in ("counter_used", "immediate_spent") if now[field][player]]
    if own:
        sheet = view.duel.sheets[player]
        notes += [text["readied"]] if now["readied"][player] else []
        notes += [text["staff"].format(int(now["staff_charges"][player]))] if sheet["staff_charges"] else []
        notes += [text["bonded"]] if sheet["has_bonded_object"] and not now["bonded_used"][player] else []
    if now["in_time_stop"][player]:
        notes.append(text["stopped"])
    if now["extra_turns"][player]:
        notes.append(text["extra_turns"].format(int(now["extra_turns"][player])))
    return notes


def _means(view: View, player: int, language: Language) -> list[str]:
    """What is left to cast with: slots, prepared copies."""
    text, now, sheet = TEXT[language], view.now, view.duel.sheets[player]
    entries = range(int(sheet["num_entries"]))
    found = []
    if any(sheet["entry_kind"][entry] == KNOWN for entry in entries):
        levels = [f"{level}: {int(now['slots'][player, level])}" for level in range(1, NUM_SLOT_LEVELS) if sheet["slots"][level]]
        found.append(text["slots"].format(", ".join(levels)))
    by_level: dict[int, list[str]] = {}
    for entry in entries:
        copies = int(now["copies"][player, entry])
        if sheet["entry_kind"][entry] == PREPARED and copies > 0:
            name = spell_name(int(sheet["entry_spell"][entry]), language)
            name = text["quickened_entry"].format(name) if sheet["entry_quickened"][entry] else name
            by_level.setdefault(int(sheet["entry_slot"][entry]), []).append(f"{name} x{copies}" if copies > 1 else name)
    if by_level:
        levels = [f"{level}: {', '.join(names)}" for level, names in sorted(by_level.items(), reverse=True)]
        found.append(text["prepared"].format("; ".join(levels)))
    return found


def _waiting(view: View, language: Language) -> list[str]:
    """The spell that is being cast, and what the duel waits for."""
    text, now = TEXT[language], view.now
    lines = []
    caster, spell = view.casting
    # While the caster still decides inside his spell, the other side knows nothing of it.
    announced = view.is_chance or not (view.is_choosing and now["current_player"] == caster)
    if spell != NONE and now["end"] == RUNNING and (view.owns(caster) or announced):
        known = view.owns(caster) or view.recognised
        quickened = text["quickened"] if now["casting"]["spell"] != NONE and now["casting"]["quickened"] else ""
        name = spell_name(spell, language) if known else text["a_spell"]
        lines.append(text["being_cast"].format(player_name(caster, language), name, quickened))
    if view.is_chance:
        lines.append(_due(view, language))
    elif now["node"] == PLAYER:
        player = int(now["current_player"])
        who = player_name(player, language)
        if view.owns(player):
            lines.append(text["decides"].format(who, _about(now, language)))
        else:
            lines.append(text["decides_unknown"].format(who))
    else:
        lines.append(describe_end(now, language))
    return lines


def _about(now: Any, language: Language) -> str:
    phase = int(now["phase"])
    if phase == CHOICE_IN_SPELL:
        return ABOUT[language][int(now["choosing"])]
    return PHASES[language][phase]


def _due(view: View, language: Language) -> str:
    text, throw = TEXT[language], view.due
    if view.viewer is not None or throw.roller == NOBODY:
        return text["dice_due"]
    spell = text["of_spell"].format(spell_name(throw.spell, language)) if throw.spell != NONE else ""
    what = PURPOSES[language][throw.purpose]
    return text["due"].format(player_name(throw.roller, language), throw.dice, throw.sides, what, spell)
