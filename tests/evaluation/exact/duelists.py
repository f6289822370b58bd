"""Sheets for tests."""

from typing import Any

import numpy as np

from duel_env.game import Game


def sheets_of(game: Game, *skills: int) -> Any:
    """SHEET (2,) of two skills."""
    sheets = np.zeros(2, game.ruleset.sheet_dtype)
    sheets["skill"] = skills
    return sheets
