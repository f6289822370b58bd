"""The story of spell duels: what happened is told, and nobody learns from it what the terms hide."""

import re

import numpy as np
import pytest

from duel_env.duel import Duel
from duel_env.rules.pathfinder.actions import CHOICES, GENERAL, num_actions
from duel_env.rules.pathfinder.codes import CONDITIONS
from duel_env.rules.pathfinder.dice import FOR_SPELLCRAFT
from duel_env.rules.pathfinder.options import PathfinderSetup
from duel_env.rules.pathfinder.spells import default_spell_book
from duel_env.rules.pathfinder.state import CHOICE_IN_SPELL, CHOOSE_DISMISSED, CHOOSE_SPELLS, NONE, REACTION, READIED
from duel_env.rules.pathfinder.story import describe_event, describe_state
from duel_env.rules.pathfinder.story_view import View, split_action
from duel_env.rules.pathfinder.story_words import PURPOSES, RESULTS, TEXT, ability_name, class_name, condition_names
from duel_env.rules.stores import CHOICE, ROLL
from tests.rules.pathfinder.duels import game, new_duel, play

SPELLS = default_spell_book().spells


def _number(name: str) -> int:
    return next(number for number, spell in enumerate(SPELLS) if spell.id == name)


def _duel(first: int = 0) -> Duel:
    rules = game()
    return Duel(rules, rules.setup(PathfinderSetup(duelists=("evoker_7", "random:cleric:3"), pool=1, first_caster=first)))


def _tell(duel: Duel, event: tuple[int, int, int], viewer: int | None = None, language: str = "en") -> str:
    before = duel.copy()
    if event[0] == ROLL:
        duel.roll(event[2])
    else:
        duel.apply_action(event[2])
    return str(describe_event(before, duel, event, language, viewer))


def _any_casting(duel: Duel) -> int:
    """A spell against the opponent that asks nothing and that he may recognise."""
    for action in duel.legal_actions():
        trial = duel.copy()
        group, _ = split_action(duel.game, int(action))
        if group == 0 and trial.game.rules["spells"][0]["hostile"][action]:
            trial.apply_action(int(action))
            due = View(trial, None).due
            if trial.die is not None and due.purpose == FOR_SPELLCRAFT and 2 <= due.target - due.modifier <= 20:
                return int(action)
    raise AssertionError("no such spell")


def test_a_check_shows_die_modifier_total_target_and_result() -> None:
    duel = _duel()
    spell = _any_casting(duel)
    casts = _tell(duel, (CHOICE, 0, spell))
    assert casts == f"Duelist 0 casts {SPELLS[spell].en} at the opponent."
    due = View(duel, None).due
    face = due.target - due.modifier
    line = _tell(duel.copy(), (ROLL, 1, face)).split("\n")[0]
    name = SPELLS[spell].en
    assert line == (
        f"Duelist 1: Spellcraft check ({name}) d20 {face} + {due.modifier} = {due.target} against {due.target}: recognises {name}."
    )
    failed = _tell(duel.copy(), (ROLL, 1, face - 1)).split("\n")[0]
    assert failed.endswith("does not recognise the spell.")


def test_the_opponent_of_the_caster_learns_the_spell_by_his_check_only() -> None:
    duel = _duel()
    spell = _any_casting(duel)
    name = SPELLS[spell].en
    assert _tell(duel, (CHOICE, 0, spell), viewer=1) == "Duelist 0 casts a spell."
    due = View(duel, None).due
    assert name not in describe_state(duel, "en", 1)
    made, missed = due.target - due.modifier, due.target - due.modifier - 1
    failed = _tell(duel.copy(), (ROLL, 1, missed), viewer=1).split("\n")[0]
    assert name not in failed
    assert f"against {due.target}" not in failed
    assert name in _tell(duel.copy(), (ROLL, 1, made), viewer=1).split("\n")[0]
    for face in (made, missed):  # and the caster does not learn whether he was understood
        assert "Spellcraft" not in _tell(duel.copy(), (ROLL, 1, face), viewer=0)


def test_an_illegal_action_is_told() -> None:
    duel = _duel()
    before = duel.copy()
    duel.forfeit()
    text = describe_event(before, duel, (CHOICE, 0, 10**6), "en", 1)
    assert text.split("\n") == [
        "Duelist 0 does what the terms do not allow (1000000) and is disqualified.",
        "Duelist 1 wins: Duelist 0 is disqualified.",
    ]


def _names_in(text: str, allowed: set[str], candidates: set[str]) -> set[str]:
    """Which candidates stand in a text, the allowed names taken out of it first, the longest of them at first."""
    for name in sorted(allowed, key=len, reverse=True):
        text = text.replace(name, "")
    return {name for name in candidates if name in text}


def _known_spells(before: Duel, event: tuple[int, int, int], after: Duel, viewer: int) -> set[str]:
    """Names of own spells, of those in force, and of those of the opponent that showed themselves."""
    sheet = after.sheets[viewer]
    known = {int(spell) for spell in sheet["entry_spell"][: sheet["num_entries"]]}
    for moment in (before, after):
        now, view = moment.state["now"][0], View(moment, viewer)
        known |= {int(spell) for spell in np.flatnonzero(now["seen"][1 - viewer])}
        for holder in range(2):
            known |= {int(row["spell"]) for row in now["ongoing"][holder][: now["num_ongoing"][holder]]}
        if now["choosing"] == CHOOSE_SPELLS and now["current_player"] == viewer:
            known |= set(range(len(SPELLS)))
        if view.casting[1] != NONE and view.recognised:
            known.add(view.casting[1])
    due = View(before, None).due
    if (
        before.die is not None
        and due.purpose == FOR_SPELLCRAFT
        and due.roller == viewer
        and event[2] + due.modifier >= due.target
    ):
        known.add(due.spell)
    return {SPELLS[spell].en for spell in known}


def test_a_player_reads_no_spell_that_he_does_not_know() -> None:
    general = {row[1] for row in (*CHOICES, *GENERAL)} | {name.replace("_", " ") for name in CONDITIONS}
    told = 0
    for seed in range(8):
        for before, event, after in play(new_duel(seed), seed, 120):
            for viewer in range(2):
                text = describe_event(before, after, event, "en", viewer) + "\n" + describe_state(after, "en", viewer)
                known = _known_spells(before, event, after, viewer)
                theirs = after.sheets[1 - viewer]
                hidden = {SPELLS[int(spell)].en for spell in theirs["entry_spell"][: theirs["num_entries"]]} - known
                assert not _names_in(text, known | general, hidden), text
                told += bool(hidden)
    assert told > 200


@pytest.mark.parametrize("seed", range(6))
def test_what_is_hidden_leaves_no_line(seed: int) -> None:
    duel = new_duel(seed, terms=0)
    hidden = 0
    for before, event, after in play(duel, seed):
        kind, player, value = event
        viewer = 1 - player if player in (0, 1) else 0
        text = describe_event(before, after, event, "en", viewer)
        now, core = before.state["now"][0], after.state["now"][0]
        if kind == CHOICE:
            action, phase = before.game.actions[value].id, now["phase"]
            own_choice = phase == CHOICE_IN_SPELL and now["choosing"] != CHOOSE_DISMISSED
            waits = after.die is None and core["phase"] == CHOICE_IN_SPELL and core["choosing"] != CHOOSE_DISMISSED
            if action == "ready_counterspell":
                assert not re.search(r"eady|counter", text)  # that it ended the turn may be seen
                hidden += 1
            if action == "pass":
                assert before.game.actions[value].en not in text
                hidden += 1
            if own_choice and waits and core["current_player"] == player:
                assert text == ""
                hidden += 1
            if phase in (READIED, REACTION) and action != "pass":
                assert text == "" or text.split("\n")[0] == f"Duelist {player} tries to counter the spell."
                hidden += 1
        elif View(before, None).due.purpose == FOR_SPELLCRAFT:
            assert "Spellcraft" not in text
            hidden += 1
        assert not re.search(rf"Duelist {1 - viewer} (loses|regains) \d+ HP", text)
        assert "readied" not in describe_state(after, "en", viewer) or core["readied"][viewer]
    assert hidden > 0


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_states_are_compact(viewer: int | None, language: str) -> None:
    for seed in range(4):
        for _, _, after in play(new_duel(seed), seed, 80):
            lines = describe_state(after, language, viewer).split("\n")
            assert len(lines) <= 25
            assert max(map(len, lines)) <= 100, lines


def test_who_knows_everything_reads_what_changed() -> None:
    """Hit points lost, conditions, ends: the story of somebody who may know everything accounts for all of them."""
    ends = 0
    for seed in range(8):
        duel = new_duel(seed)
        for before, event, after in play(duel, seed):
            text = describe_event(before, after, event, "en")
            assert text
            old, new = before.state["now"][0], after.state["now"][0]
            if after.die is not None or before.state["action"][0] == -2:
                continue
            for player in range(2):
                lost = int(old["hit_points"][player]) - int(new["hit_points"][player])
                assert (f"Duelist {player} loses {lost} HP." in text) == (lost > 0)
                gained = int(new["conditions"][player]) & ~int(old["conditions"][player])
                assert (f"Duelist {player} is now: {condition_names(gained, 'en')}." in text) == (gained != 0)
        if duel.is_over:
            ends += 1
            assert "wins" in text or "draw" in text
    assert ends > 0


def test_every_word_has_both_languages() -> None:
    assert set(TEXT["en"]) == set(TEXT["fr"])
    for key, english in TEXT["en"].items():
        assert sorted(re.findall(r"\{\d\}", english)) == sorted(re.findall(r"\{\d\}", TEXT["fr"][key])), key
    assert set(RESULTS["en"]) == set(RESULTS["fr"])
    assert len(PURPOSES["en"]) == len(PURPOSES["fr"]) == 26
    everything = (1 << len(CONDITIONS)) - 1
    for language in ("en", "fr"):
        assert len({class_name(number, language) for number in range(6)}) == 6
        assert len({ability_name(number, language) for number in range(6)}) == 6
        assert len(set(condition_names(everything, language).split(", "))) >= len(CONDITIONS)


def test_actions_are_split_as_they_are_numbered() -> None:
    rules = game()
    spells = len(SPELLS)
    assert num_actions(rules.rules[0]) == rules.num_actions
    assert split_action(rules, _number("fireball")) == (0, _number("fireball"))
    assert split_action(rules, 2 * spells + 5) == (2, 5)
    assert split_action(rules, 3 * spells) == (3, 0)
    assert split_action(rules, rules.action_number("pass")) == (4, 2)
    assert NONE == -1
