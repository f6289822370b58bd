"""The spell duel in words, English and French: what just happened, and where the duelists stand (`story_state`)."""

from typing import Any

from duel_env.rules.pathfinder.actions import (
    BLUFF,
    CAST,
    CHOOSE,
    GENERAL_GROUP,
    PASS,
    QUICKEN,
    READY_COUNTERSPELL,
    SENSE_MOTIVE,
    SPEND,
    pick_choice,
)
from duel_env.rules.pathfinder.choices import nth_dismissible, nth_dispellable
from duel_env.rules.pathfinder.codes import ON_OPPONENT
from duel_env.rules.pathfinder.dice import FOR_COUNTER, FOR_DISPEL
from duel_env.rules.pathfinder.state import (
    CHOICE_IN_SPELL,
    CHOOSE_DISMISSED,
    CHOOSE_EFFECT,
    CHOOSE_SPELLS,
    NONE,
    READIED,
    TURN,
)
from duel_env.rules.pathfinder.story_changes import describe_changes
from duel_env.rules.pathfinder.story_state import describe_state
from duel_env.rules.pathfinder.story_throws import describe_throw
from duel_env.rules.pathfinder.story_view import View, split_action
from duel_env.rules.pathfinder.story_words import TEXT, Language, player_name, spell_name
from duel_env.rules.stores import CHOICE

__all__ = ["describe_event", "describe_state"]


def describe_event(before: Any, after: Any, event: tuple[int, int, int], language: Language, viewer: int | None = None) -> str:
    """What an event did, in a few lines.

    Args:
        before, after: the Duel around the event.
        event: (CHOICE, player, action) or (ROLL, player, total); see `stores`.
        language: `en` or `fr`.
        viewer: the player who reads it, and who learns nothing from it that the terms hide from him; None for someone who may know
            everything.

    Returns:
        the lines; "" for an event all of which is hidden from `viewer`.
    """
    old, new = View(before, viewer), View(after, viewer)
    kind, player, value = event
    named = False
    if kind == CHOICE:
        lines, named = _choice(old, new, player, value, language)
    else:
        lines = [describe_throw(old, new, value, language)]
        named = old.recognised
    if old.is_opening and not new.is_opening and new.now["opener"] >= 0:
        lines.append(TEXT[language]["first"].format(player_name(int(new.now["opener"]), language)))
    elif not old.is_opening and not new.is_chance:
        if not named and viewer is not None:
            lines += _reveal(old, new, 1 - viewer, language)
        lines += describe_changes(old, new, language)
    return "\n".join(line for line in lines if line)


def _reveal(before: View, after: View, caster: int, language: Language) -> list[str]:
    """Which spell the opponent's was that showed itself only by its effect."""
    gained = (after.now["seen"][caster] != before.now["seen"][caster]).nonzero()[0]
    who = player_name(caster, language)
    return [TEXT[language]["was"].format(who, spell_name(int(spell), language)) for spell in gained]


def _choice(before: View, after: View, player: int, action: int, language: Language) -> tuple[list[str], bool]:
    """What a player chose, and whether it names the spell that is cast."""
    text, who, game = TEXT[language], player_name(player, language), before.game
    known = 0 <= action < game.num_actions
    name = getattr(game.actions[action], language) if known else str(action)
    if after.duel.is_disqualified:
        return [text["illegal"].format(who, name)], True
    phase = int(before.now["phase"])
    group, number = split_action(game, action)
    own = before.owns(player)
    if before.is_counter:
        return _counter(before, after, player, group, number, name, language), True
    is_inner = phase == CHOICE_IN_SPELL and before.now["choosing"] != CHOOSE_DISMISSED
    casts = phase == TURN and group in (CAST, QUICKEN)
    if not own and (is_inner or casts):
        return _announce(before, after, player, group, language)
    if casts:
        return [_casts(before, player, number, group == QUICKEN, language)], True
    if is_inner or group == CHOOSE:  # or which own spell to dismiss: what ends is seen
        return ([_inner_choice(before, player, group, number, action, name, language)] if own else []), is_inner
    return _general(player, number, name, own, language), False


def _general(player: int, number: int, name: str, own: bool, language: Language) -> list[str]:
    """A general action. That the opponent readies a counterspell, and how he stares, is hidden."""
    text, who = TEXT[language], player_name(player, language)
    if own or not (number == READY_COUNTERSPELL or BLUFF <= number <= SENSE_MOTIVE):
        return [text["chooses"].format(who, name)]
    return [] if number == READY_COUNTERSPELL else [text["stares"].format(who)]


def _casts(view: View, player: int, spell: int, quickened: bool, language: Language) -> str:
    text, record = TEXT[language], view.rules["spells"][spell]
    at = text["at_opponent"] if record["duel_target"] == ON_OPPONENT and not record["may_target_self"] else ""
    fast = text["quickened"] if quickened else ""
    return text["casts"].format(player_name(player, language), spell_name(spell, language), at, fast)


def _announce(before: View, after: View, player: int, group: int, language: Language) -> tuple[list[str], bool]:
    """The opponent casts a spell, once he has made all choices in it; which one, if that is seen at once."""
    if not after.is_chance and after.is_choosing and after.now["current_player"] == player:
        return [], True
    now, was = after.now, before.now
    pending = now["casting"]
    inner = was["casting"]["spell"] != NONE  # the last choice inside it
    quickened = bool(was["casting"]["quickened"]) if inner else group == QUICKEN
    if not after.is_chance:
        if pending["spell"] != NONE and pending["caster"] == player and (pending["identified"] or pending["shown"]):
            return [_casts(before, player, int(pending["spell"]), quickened, language)], True
        gained = (now["seen"][player] != was["seen"][player]).nonzero()[0]
        if len(gained):
            return [_casts(before, player, int(gained[0]), quickened, language)], True
    text = TEXT[language]
    return [text["casts_unknown"].format(player_name(player, language), text["quickened"] if quickened else "")], False


def _counter(before: View, after: View, player: int, group: int, number: int, name: str, language: Language) -> list[str]:
    """What the other player answers to a casting. Only the attempt is seen by who casts, not that something was let pass."""
    text, who, own = TEXT[language], player_name(player, language), before.owns(player)
    if group == GENERAL_GROUP and number == PASS:
        return [text["chooses"].format(who, name)] if own else []
    lines = []
    waits = not after.is_chance and after.is_counter and after.is_choosing
    if own and group == SPEND:
        readied = before.now["phase"] == READIED
        lines.append(text["spends_readied" if readied else "spends"].format(who, spell_name(number, language)))
    elif own:
        lines.append(text["chooses"].format(who, name))
    elif not waits:
        lines.append(text["counters"].format(who))
    rolls = after.is_chance and after.due.roller == player and after.due.purpose in (FOR_COUNTER, FOR_DISPEL)
    if not waits and not rolls:  # a readied counterspell, or a copy of the very spell, needs no check
        lines.append(text["countered"])
    return lines


def _inner_choice(before: View, player: int, group: int, number: int, action: int, name: str, language: Language) -> str:
    """A choice inside a spell, with the spell that is picked."""
    text, who, core = TEXT[language], player_name(player, language), before.now
    about = int(core["choosing"])
    if about == CHOOSE_SPELLS and group == SPEND:
        return text["names"].format(who, spell_name(number, language))
    pick = action - int(pick_choice(before.rules, 0))
    casting = NONE
    if about == CHOOSE_EFFECT and pick >= 0:
        holder = player if core["casting"]["at_self"] else 1 - player
        casting = int(nth_dispellable(core, before.rules, holder, pick))
    elif about == CHOOSE_DISMISSED:
        casting = int(nth_dismissible(core, before.rules, player, pick))
    for holder in range(2):
        rows = core["ongoing"][holder][: core["num_ongoing"][holder]]
        for row in rows[rows["casting"] == casting]:
            return text["chooses"].format(who, name + text["of_spell"].format(spell_name(int(row["spell"]), language)))
    return text["chooses"].format(who, name)
