"""One throw of dice in words: its modifiers and what came of it, as far as the reader may know."""

from typing import Any

from duel_env.rules.pathfinder.codes import CHOSEN, DAMAGE
from duel_env.rules.pathfinder.dice import (
    FOR_ACTING,
    FOR_ATTACK,
    FOR_COIN,
    FOR_CONCENTRATION,
    FOR_CONFUSION,
    FOR_COUNTER,
    FOR_CRITICAL,
    FOR_DAMAGE,
    FOR_DISPEL,
    FOR_ESCAPE,
    FOR_FAILURE,
    FOR_IMAGE,
    FOR_INITIATIVE,
    FOR_MISS_CHANCE,
    FOR_POINTS,
    FOR_RESISTANCE,
    FOR_SPELLCRAFT,
    FOR_STARE,
    FOR_TABLE,
)
from duel_env.rules.pathfinder.state import NONE
from duel_env.rules.pathfinder.story_view import SAVES, View
from duel_env.rules.pathfinder.story_words import (
    CONFUSION,
    PURPOSES,
    RESULTS,
    TEXT,
    Language,
    damage_name,
    player_name,
    spell_name,
)
from duel_env.rules.pathfinder.throws import Throw

_OPEN = (FOR_INITIATIVE, FOR_STARE)
_PERCENT = (FOR_FAILURE, FOR_MISS_CHANCE, FOR_ACTING)
_NATURAL = (*SAVES, FOR_ATTACK, FOR_CRITICAL)
"""Where a natural 1 fails and a natural 20 succeeds."""
_OWN_TARGETS = (FOR_CONCENTRATION, *_PERCENT)
"""Whose targets tell nothing about the opponent."""
_RESULT_OF = {
    FOR_SPELLCRAFT: "spellcraft",
    FOR_COUNTER: "counter",
    FOR_CONCENTRATION: "concentration",
    FOR_FAILURE: "concentration",
    FOR_RESISTANCE: "resistance",
    FOR_ATTACK: "attack",
    FOR_CRITICAL: "save",
    FOR_MISS_CHANCE: "attack",
    FOR_IMAGE: "image",
    FOR_ESCAPE: "free",
    FOR_ACTING: "acting",
}


def describe_throw(before: View, after: View, face: int, language: Language) -> str:
    """What the due dice show, in one line; nothing where all of it is hidden.

    The dice of the opponent are hidden but for initiative and confusion; what his checks and saves come to is seen, unless it is about
    recognising a spell. Of one's own throws the targets that tell about the opponent are hidden.
    """
    text, throw = TEXT[language], before.due
    if throw.purpose == FOR_COIN:
        return text["coin"].format(player_name(face - 1, language))
    who, what = player_name(throw.roller, language), PURPOSES[language][throw.purpose]
    if throw.purpose == FOR_CONFUSION:
        does = next(words for most, words in CONFUSION[language] if face <= most)
        return text["check"].format(who, what, throw.sides, face, "", "", text["with_result"].format(does))
    if not _is_check(throw):
        return _describe_amount(before, throw, face, language)
    own = before.owns(throw.roller) or throw.purpose in _OPEN
    omen = before.omen()
    if omen == 0 and after.is_chance and after.due == throw:
        return text["omen"].format(who, what, throw.sides, face) if own else ""
    counted = min(face, omen) if omen else face
    result = _result(before, throw, counted, language)
    if not own:
        return _seen_result(before, throw, result, language)
    parts = text["sum"].format("-" if throw.modifier < 0 else "+", abs(throw.modifier), counted + throw.modifier)
    shows_target = throw.target != NONE and (before.viewer is None or throw.purpose in _OWN_TARGETS)
    return text["check"].format(
        who,
        what + _of_spell(before, throw, language),
        throw.sides,
        f"{counted}{text['worse']}" if omen else counted,
        "" if throw.sides != 20 else parts,
        text["against"].format(throw.target) if shows_target else "",
        text["with_result"].format(result) if result else "",
    )


def _seen_result(view: View, throw: Throw, result: str, language: Language) -> str:
    """What is seen of the opponent's check: what came of it."""
    if throw.purpose in (FOR_SPELLCRAFT, FOR_IMAGE, FOR_TABLE) or not result:
        return ""
    hides = throw.purpose == FOR_DISPEL and view.is_counter  # whether it is a dispel magic that is spent
    what = PURPOSES[language][FOR_COUNTER if hides else throw.purpose]
    return TEXT[language]["result"].format(player_name(throw.roller, language), what, result)


def _is_check(throw: Throw) -> bool:
    return throw.purpose in _RESULT_OF or throw.purpose in (*SAVES, *_OPEN, FOR_DISPEL, FOR_TABLE)


def _result(before: View, throw: Throw, face: int, language: Language) -> str:
    """What came of a check; nothing if the die alone does not say."""
    key = "save" if throw.purpose in SAVES or throw.purpose == FOR_DISPEL else _RESULT_OF.get(throw.purpose)
    if key is None:
        return ""
    if throw.purpose == FOR_IMAGE:
        return RESULTS[language][key][1 if face == 1 else 0]
    if throw.target == NONE:
        return ""
    if throw.purpose == FOR_DISPEL and before.is_counter:
        key = "counter"
    made = face + throw.modifier >= throw.target
    if throw.purpose in _NATURAL:
        made = face != 1 and (made or face == 20)
    words = RESULTS[language][key][1 if made else 0]
    return words.format(spell_name(throw.spell, language)) if throw.purpose == FOR_SPELLCRAFT else words


def _of_spell(view: View, throw: Throw, language: Language) -> str:
    """For which spell a throw is, where that is known; a Spellcraft check says so only by its result."""
    if throw.spell == NONE or (throw.purpose == FOR_SPELLCRAFT and view.viewer is not None) or not view.knows_spell(throw.spell):
        return ""
    return TEXT[language]["of_spell"].format(spell_name(throw.spell, language))


def _describe_amount(view: View, throw: Throw, face: int, language: Language) -> str:
    """Dice that are added up: the opponent's are hidden, and what one's own do to his body as well where only quarters are seen."""
    if not view.owns(throw.roller):
        return ""
    text = TEXT[language]
    what = PURPOSES[language][throw.purpose]
    if throw.purpose == FOR_DAMAGE and throw.spell != NONE and view.knows_spell(throw.spell):
        what = damage_name(_damage_type(view.rules, throw.spell), language)
    hurts = throw.purpose in (FOR_DAMAGE, FOR_POINTS) and throw.spell != NONE and view.rules["spells"][throw.spell]["hostile"]
    hidden = hurts and (not view.exact or (view.viewer is not None and throw.purpose == FOR_POINTS))
    values = player_name(throw.roller, language), throw.dice, throw.sides, what, _of_spell(view, throw, language)
    return text["amount_hidden"].format(*values) if hidden else text["amount"].format(*values, face)


def _damage_type(rules: Any, spell: int) -> int:
    """The one type of a spell's damage; CHOSEN where there are several, or where it is chosen."""
    effects = rules["effects"][: rules["num_effects"]]
    kinds = {int(kind) for kind in effects["damage_type"][(effects["spell"] == spell) & (effects["kind"] == DAMAGE)]}
    return kinds.pop() if len(kinds) == 1 else CHOSEN
