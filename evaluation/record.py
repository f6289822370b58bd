"""One duel of a match, played again with everything written down."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from duel_env.batch import DuelBatch
from duel_env.config import Settings
from duel_env.game import NUM_PLAYERS, Game
from duel_env.playthrough import Move, Playthrough
from duel_env.rules.stores import CHOICE, NOBODY
from evaluation.match import Plan, choose

_EVENTS_PER_STEP = 16


def record_duel(game: Game, setup: Settings, agents: Sequence[Agent], num_duels: int, seed: int, number: int = 0) -> Playthrough:
    """The playthrough of duel `number` of the match that `play_match` plays with the same arguments.

    Args:
        game: as for `play_match`, and so below.
        setup: who duels, and who begins.
        agents: the two.
        num_duels: of the match.
        seed: of the match.
        number: 0 to the number of duels - 1; in duels with even numbers the first agent is player 0, in the others player 1.

    Raises:
        ConfigError: the match has no such duel.
        SchemaError: an agent whose answer is no policy.
    """
    duel = Plan(setup, num_duels, seed).duel(number)
    batch = DuelBatch(game, 1, game.setup(duel.setup), autoreset="disabled", num_events=_EVENTS_PER_STEP)
    batch.reset(seed=duel.seed)
    settings = _settings_as_drawn(duel.setup, batch)
    opening_dice = _dice(batch.events(0))
    moves = []
    row = np.zeros(1, np.int64)
    while (player := int(batch.current_player[0])) != NOBODY:
        action = int(choose(agents[0 if player == duel.seat else 1], batch, row)[0])
        batch.step([action])
        moves.append(Move(action=action, dice=_dice(batch.events(0)), player=player, disqualified=bool(batch.disqualified[0])))
    return Playthrough(game, settings, opening_dice, tuple(moves))


def _dice(events: NDArray[np.int32]) -> tuple[int, ...]:
    """Faces thrown, in order, of events (n, 3)."""
    return tuple(int(value) for kind, _, value in events if kind != CHOICE)


def _settings_as_drawn(setup: Settings, batch: DuelBatch) -> dict[str, Any]:
    """The set-up's settings with single numbers for what was drawn from ranges, and without what is left to the rules."""
    settings = {key: value for key, value in setup.model_dump(mode="json").items() if value is not None}
    if "skills" in settings:
        settings["skills"] = [int(batch.store.sheets[0, player]["skill"]) for player in range(NUM_PLAYERS)]
    return settings
