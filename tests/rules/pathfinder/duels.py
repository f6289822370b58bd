"""Whole spell duels, played at random, for laws about every moment of them."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from duel_env.duel import Duel
from duel_env.game import Game
from duel_env.rules.pathfinder.options import PathfinderSetup
from duel_env.rules.pathfinder.ruleset import PATHFINDER
from duel_env.rules.pathfinder.terms import DuelTerms
from duel_env.rules.stores import CHOICE, ROLL

Event = tuple[int, int, int]

TERMS = (
    DuelTerms(),
    DuelTerms(opening="stare_down", exact_copy="sure"),
    DuelTerms(end="death", ask_forced=True),
    DuelTerms(arena="safe", counter_dc="caster_level"),
    DuelTerms(show_hit_points="exact", show_opponent_class=False),
)


@lru_cache(maxsize=8)
def game(terms: int = 0) -> Game:
    return Game(PATHFINDER, TERMS[terms])


def new_duel(seed: int, duelists: tuple[str, str] = ("random:any:1-20", "random:any:1-20"), terms: int | None = None) -> Duel:
    rules = game(seed % len(TERMS) if terms is None else terms)
    return Duel(rules, rules.setup(PathfinderSetup(duelists=duelists, pool=4, pool_seed=seed % 3)), seed=seed)


def random_event(duel: Duel, rng: np.random.Generator) -> Event:
    """Dice that are due, else a legal action: nobody withdraws, and few end their turn or let a spell pass."""
    die = duel.die
    if die is not None:
        return ROLL, die.roller, int(rng.integers(1, die.sides + 1, size=die.dice).sum())
    legal = [int(action) for action in duel.legal_actions()]
    ids = {action: duel.game.actions[action].id for action in legal}
    wanted = [a for a in legal if ids[a] != "withdraw" and (ids[a] not in ("end_turn", "pass") or rng.random() < 0.25)]
    return CHOICE, duel.current_player, int(rng.choice(wanted or [a for a in legal if ids[a] != "withdraw"]))


def happen(duel: Duel, event: Event) -> None:
    if event[0] == ROLL:
        duel.roll(event[2])
    else:
        duel.apply_action(event[2])


def play(duel: Duel, seed: int, most: int = 250) -> Iterator[tuple[Duel, Event, Duel]]:
    """Each event of a duel with the duel before and after it; at most so many."""
    rng = np.random.default_rng(seed)
    for _ in range(most):
        if duel.is_over:
            return
        before = duel.copy()
        event = random_event(duel, rng)
        happen(duel, event)
        yield before, event, duel
