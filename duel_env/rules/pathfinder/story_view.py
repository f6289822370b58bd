"""What a reader of the story may know: everything, or what the terms let one of the duelists see."""

from functools import cached_property
from typing import Any

import numpy as np

from duel_env.rules.graph import CHANCE, PLAYER
from duel_env.rules.pathfinder.actions import CAST, CHOICES, CHOOSE, GENERAL_GROUP, QUICKEN
from duel_env.rules.pathfinder.codes import REROLL
from duel_env.rules.pathfinder.dice import (
    FOR_ATTACK,
    FOR_CONCENTRATION,
    FOR_COUNTER,
    FOR_CRITICAL,
    FOR_DISPEL,
    FOR_ESCAPE,
    FOR_FORT,
    FOR_REF,
    FOR_RESISTANCE,
    FOR_SPELLCRAFT,
    FOR_WILL,
)
from duel_env.rules.pathfinder.state import CHOICE_IN_SPELL, CHOOSE_DISMISSED, NOBODY, NONE, REACTION, READIED, TURN
from duel_env.rules.pathfinder.throws import Throw, due_throw, play_again
from duel_env.rules.pathfinder.transition import BEGINNING

CHECKS = (FOR_SPELLCRAFT, FOR_COUNTER, FOR_DISPEL, FOR_CONCENTRATION, FOR_RESISTANCE, FOR_ATTACK, FOR_CRITICAL)
SAVES = (FOR_FORT, FOR_REF, FOR_WILL)
D20S = (*CHECKS, *SAVES, FOR_ESCAPE)
"""What an ill omen spoils."""


def split_action(game: Any, action: int) -> tuple[int, int]:
    """An action as its group and its number there: the spell, or the place among the choices or the general actions."""
    spells = int(game.rules["num_spells"][0])
    if action < 3 * spells:
        return action // spells, action % spells
    number = action - 3 * spells
    return (CHOOSE, number) if number < len(CHOICES) else (GENERAL_GROUP, number - len(CHOICES))


class View:
    """A duel at one moment, as a reader sees it.

    Attributes:
        duel: the Duel.
        game: its rules.
        rules: RULES record.
        now: CORE record at the last decision.
        viewer: the player who reads; None knows everything.
    """

    def __init__(self, duel: Any, viewer: int | None) -> None:
        self.duel = duel
        self.game = duel.game
        self.rules = duel.game.rules[0]
        self.now = duel.state["now"][0]
        self.viewer = viewer

    @property
    def is_chance(self) -> bool:
        """Whether dice are due."""
        return bool(self.duel.state["node"][0] == CHANCE)

    @property
    def is_opening(self) -> bool:
        """Whether the duelists do not stand in the arena yet: only dice were thrown so far."""
        return self.is_chance and bool(self.duel.state["action"][0] == BEGINNING)

    @property
    def exact(self) -> bool:
        """Whether hit points of both are seen exactly."""
        return self.viewer is None or bool(self.rules["show_exact_hit_points"])

    def owns(self, player: int) -> bool:
        """Whether the reader may know what only `player` knows."""
        return self.viewer in (None, player)

    @cached_property
    def due(self) -> Throw:
        """What is due; only where `is_chance`."""
        return due_throw(self.duel.state)

    @cached_property
    def throws(self) -> list[Throw]:
        """The dice since the last decision."""
        if not self.is_chance or self.is_opening:
            return []
        return play_again(self.game, self.duel.state, self.duel.sheets)[1]

    @cached_property
    def casting(self) -> tuple[int, int]:
        """Caster and number of the spell that is being cast, its choices included; (NOBODY, NONE) without one."""
        now = self.now
        if self.is_opening:
            return NOBODY, NONE
        if now["casting"]["spell"] != NONE:
            return int(now["casting"]["caster"]), int(now["casting"]["spell"])
        if self.is_chance and now["phase"] == TURN:
            group, spell = split_action(self.game, int(self.duel.state["action"][0]))
            if group in (CAST, QUICKEN):
                return int(now["current_player"]), spell
        return NOBODY, NONE

    @property
    def is_choosing(self) -> bool:
        """Whether somebody waits for his own choice inside a spell or a counter: the other knows nothing of it yet."""
        now = self.now
        return bool(now["node"] == PLAYER and now["phase"] == CHOICE_IN_SPELL and now["choosing"] != CHOOSE_DISMISSED)

    @property
    def is_counter(self) -> bool:
        """Whether the decision is about a counter, the choice of its slot included."""
        now = self.now
        if now["phase"] in (READIED, REACTION):
            return True
        return self.is_choosing and bool(now["current_player"] != now["casting"]["caster"])

    @property
    def recognised(self) -> bool:
        """Whether whoever faces the casting knows which spell it is."""
        casting = self.now["casting"]
        if casting["spell"] != NONE and (casting["identified"] or casting["shown"]):
            return True
        tries = [throw for throw in self.throws if throw.purpose == FOR_SPELLCRAFT]
        if not tries or (self.due.purpose == FOR_SPELLCRAFT):
            return False
        return min(throw.total for throw in tries) + tries[0].modifier >= tries[0].target

    def knows_spell(self, spell: int) -> bool:
        """Whether the reader knows that it is this spell for which dice are thrown."""
        if self.viewer is None:
            return True
        caster, pending = self.casting
        if pending == spell:
            return caster == self.viewer or self.recognised
        now = self.now
        for player in range(2):
            rows = now["ongoing"][player][: now["num_ongoing"][player]]
            if np.any(rows["spell"] == spell):
                return True
        one_round = now["one_round_spell"]
        other = 1 - self.viewer
        return bool(
            now["touch_spell"][self.viewer] == spell
            or one_round[self.viewer]["spell"] == spell
            or (one_round[other]["spell"] == spell and one_round[other]["shown"])
        )

    def omen(self) -> int | None:
        """Of a due d20: 0 if it is the first of two under an ill omen, the first face if it is the second; None without an omen."""
        throw = self.due
        if throw.purpose not in D20S:
            return None
        rows = self.now["ongoing"][throw.roller][: self.now["num_ongoing"][throw.roller]]
        spoilt = sum(
            int(row["uses"]) for row in rows if self.rules["effects"][row["effect"]]["kind"] == REROLL and not row["suppressed"]
        )
        earlier = [thrown for thrown in self.throws if thrown.roller == throw.roller and thrown.purpose in D20S]
        if len(earlier) >= 2 * spoilt:
            return None
        if len(earlier) % 2 == 0:
            return 0
        return earlier[-1].total if earlier[-1]._replace(total=0) == throw else None


def castings_on(view: View, holder: int) -> dict[int, list[Any]]:
    """Rows of what is in force on a duelist, by the number of the casting."""
    found: dict[int, list[Any]] = {}
    if not view.is_opening:
        for row in view.now["ongoing"][holder][: view.now["num_ongoing"][holder]]:
            found.setdefault(int(row["casting"]), []).append(row)
    return found
