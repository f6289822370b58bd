"""Checks of records that come from outside: the kernel trusts what it is given."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duel_env.errors import ConfigError, SchemaError
from duel_env.rules.hogwarts.state import (
    BY_DISQUALIFICATION,
    BY_ROUND_LIMIT,
    CHANCE,
    COIN,
    FIRST_ROLL,
    NO_DIE,
    NOBODY,
    NOT_ROLLED,
    PLAYER,
    RUNNING,
    SECOND_ROLL,
    TERMINAL,
)


def _ranges(game: Any) -> dict[str, tuple[int, int]]:
    hit_points, rounds = game.options.hit_points, game.options.max_rounds + 1
    flags = dict.fromkeys(("petrified", "petrified_next", "hexed"), (0, 1))
    return flags | {
        "round": (1, rounds),
        "hit_points": (0, hit_points),
        "wand": (0, 2),
        "action": (-1, game.num_actions - 1),
        "first_roll": (0, 2),
        "first_caster": (-1, 1),
        "current_player": (-1, 1),
        "node": (0, 2),
        "die": (0, 3),
        "winner": (-1, 1),
        "end": (0, 4),
    }


@lru_cache(maxsize=8)
def _reachable(game: Any) -> frozenset[bytes] | None:
    """Bytes of all states of the graph; None when there are too many to list."""
    try:
        return frozenset(state.tobytes() for state in game.graph.states)
    except ConfigError:
        return None


def check_records(game: Any, state: NDArray[np.void], sheets: NDArray[np.void]) -> None:
    """Refuse a state that no play reaches.

    Where the rules are small enough, the state is looked up in the list of all reachable states, its round aside;
    else its fields are checked one by one.

    Args:
        game: the rules.
        state: STATE (1,).
        sheets: SHEET (2,).

    Raises:
        SchemaError: names the field and the accepted range.
    """
    if np.any((sheets["skill"] < 0) | (sheets["skill"] > 100)):
        raise SchemaError(f"sheets: skills {sheets['skill'].tolist()} are not all from 0 to 100")
    for field, (low, high) in _ranges(game).items():
        if np.any((state[field] < low) | (state[field] > high)):
            raise SchemaError(f"state.{field} = {state[field][0].tolist()}: expected {low} to {high}")
    record = state[0]
    if record["end"] in (BY_ROUND_LIMIT, BY_DISQUALIFICATION):
        return _check_outside_graph(record)
    if record["round"] > game.options.max_rounds and record["end"] == RUNNING:
        raise SchemaError(f"state.round = {record['round']}: the duel would have been cut short")
    known = _reachable(game)
    placed = state.copy()
    placed["round"] = 1
    if known is not None and placed.tobytes() not in known:
        raise SchemaError("state: each field is in range, but no play of these rules leads to this combination of them")
    if known is None:
        _check_consistency(game, record)
    return None


def _check_outside_graph(record: Any) -> None:
    """Ends that are not nodes of the graph: the round limit, and disqualification, possible at any choice."""
    if record["node"] != TERMINAL or record["current_player"] != NOBODY or record["die"] != NO_DIE:
        raise SchemaError("state: a duel that is over has node 2, current_player -1 and die 0")
    if (record["winner"] == NOBODY) != (record["end"] == BY_ROUND_LIMIT):
        raise SchemaError("state: a disqualification has a winner, the round limit has none")


def _check_consistency(game: Any, record: Any) -> None:
    spells = range(len(game.options.spells))
    first_action, answer = (int(action) for action in record["action"])
    die = int(record["die"])
    rules = {
        "node, die, current_player and end contradict each other": {
            PLAYER: record["current_player"] >= 0 and die == NO_DIE and record["end"] == RUNNING,
            CHANCE: die != NO_DIE and record["end"] == RUNNING and (die == COIN) == (record["current_player"] == NOBODY),
            TERMINAL: die == NO_DIE and record["end"] != RUNNING,
        }[int(record["node"])],
        "a die or a roll belongs to a spell": (die != FIRST_ROLL or first_action in spells)
        and (die != SECOND_ROLL or answer in spells)
        and (record["first_roll"] == NOT_ROLLED or first_action in spells),
        "only the coin comes before there is a first caster": die == COIN or record["first_caster"] >= 0,
    }
    for problem, holds in rules.items():
        if not holds:
            raise SchemaError(f"state: {problem}")
