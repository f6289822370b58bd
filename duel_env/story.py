"""A duel told as it is played, from the events that a batch recorded."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from duel_env.duel import Duel
from duel_env.game import Game
from duel_env.rules.stores import CHOICE

Language = Literal["en", "fr"]


class Narrator:
    """Follows one row of a batch by its events. It plays them on a `Duel` of its own, so that text can never differ from the rules."""

    def __init__(self, game: Game, setup: NDArray[np.void], language: Language) -> None:
        """Args: the rules, SETUP (1,) and the language of the text."""
        self._game = game
        self._setup = setup
        self._language: Language = language
        self._duel = Duel(game, setup)
        self._lines: list[str] = []
        self._viewer: int | None = None

    def begin(self, sheets: NDArray[np.void], viewer: int | None = None) -> None:
        """A new duel begins between SHEET (2,).

        Args:
            sheets: of both players.
            viewer: the player whom the text is for, and who must not learn from it what the rules hide; None: nobody plays by it.
        """
        self._viewer = viewer
        self._duel = Duel.begin(self._game, self._setup, sheets)
        self._lines = []

    def tell(self, events: NDArray[np.int32]) -> None:
        """Follow the events (n, 3) of one step; their lines replace those of the step before."""
        self._lines = [] if len(events) else self._lines
        for kind, player, value in events.tolist():
            before = self._duel.copy()
            apply_event(self._duel, (kind, player, value))
            event = (kind, player, value)
            line = self._game.ruleset.describe_event(before, self._duel, event, self._language, self._viewer)
            if line:  # of what is hidden from the viewer nothing is told
                self._lines.append(line)

    def text(self) -> str:
        """What happened in the last step, and where the duelists stand."""
        return "\n".join([*self._lines, self._game.ruleset.describe_state(self._duel, self._language, self._viewer)])


def apply_event(duel: Duel, event: tuple[int, int, int]) -> None:
    """Play an event as a batch recorded it: a legal action, an illegal one (the player is disqualified), or a face."""
    kind, _, value = event
    if kind != CHOICE:
        duel.roll(value)
    elif 0 <= value < duel.game.num_actions and duel.action_mask()[value]:
        duel.apply_action(value)
    else:
        duel.forfeit()
