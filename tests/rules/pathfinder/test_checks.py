"""States of spell duels from outside: those of play are accepted; what is accepted can be played on."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duel_env.duel import Duel
from duel_env.errors import SchemaError
from duel_env.rules.pathfinder.checks import check_records
from duel_env.rules.pathfinder.state import MAX_ONGOING, SHEET, STATE
from tests.rules.pathfinder.duels import happen, new_duel, play, random_event

Leaf = tuple[str, int, np.dtype[Any]]


def _leaves(dtype: np.dtype[Any], base: int = 0, path: str = "") -> Iterator[Leaf]:
    """Every integer of a record: its name, its place in bytes and its type."""
    fields = dtype.fields
    assert fields is not None
    for name, (field, offset, *_) in fields.items():
        for i in range(int(np.prod(field.shape, dtype=int))):
            place = base + offset + i * field.base.itemsize
            if field.base.names:
                yield from _leaves(field.base, place, f"{path}.{name}[{i}]")
            else:
                yield f"{path}.{name}[{i}]", place, field.base


_STATE_LEAVES = [leaf for leaf in _leaves(STATE) if not leaf[0].startswith(".next")]
_GROUPS = (
    [leaf for leaf in _STATE_LEAVES if ".now" in leaf[0] and ".ongoing" not in leaf[0] and ".seen" not in leaf[0]],
    [leaf for leaf in _STATE_LEAVES if any(f".ongoing[{i}]" in leaf[0] for i in (0, 1, MAX_ONGOING, MAX_ONGOING + 1))],
    [leaf for leaf in _STATE_LEAVES if ".cup" not in leaf[0] and ".now" not in leaf[0]],
    [leaf for leaf in _STATE_LEAVES if ".cup" in leaf[0]],
)
_SHEET_LEAVES = list(_leaves(SHEET))


@lru_cache(maxsize=16)
def _moments(seed: int) -> tuple[Duel, ...]:
    duel = new_duel(seed)
    return (duel.copy(), *(after.copy() for _, _, after in play(duel, seed, 120)))


def test_every_state_of_play_is_accepted() -> None:
    for seed in range(10):
        for duel in _moments(seed)[::2]:
            check_records(duel.game, duel.state, duel.sheets)


def test_checks_do_not_change_what_they_check() -> None:
    for duel in _moments(3)[::10]:
        copy = duel.copy()
        check_records(duel.game, duel.state, duel.sheets)
        assert duel == copy


def _set(duel: Duel, path: str, value: int) -> str:
    """Set a field of the state, `now` and `next` alike, and return the message of the refusal."""
    names = path.split(".")
    for root in ("now", "next") if names[0] == "now" else (names[0],):
        record: Any = duel.state[0]
        for part in [root, *names[1:-1]]:
            record = record[part]
        if len(names) == 1:
            duel.state[names[0]] = value
        else:
            record[names[-1]] = value
    with pytest.raises(SchemaError) as error:
        check_records(duel.game, duel.state, duel.sheets)
    return str(error.value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("now.num_ongoing", MAX_ONGOING + 1),
        ("now.num_ongoing", 5),
        ("now.totals", 3),
        ("now.conditions", 1),
        ("now.copies", 100),
        ("now.slots", 9),
        ("now.touch_spell", 300),
        ("now.touch_charges", 2),
        ("now.hit_points", 30_000),
        ("now.current_player", 3),
        ("now.phase", 9),
        ("now.choosing", 2),
        ("now.castings", -4),
        ("now.casting.spell", 700),
        ("now.source.caster", 1),
        ("now.winner", 0),
        ("now.end", 1),
        ("now.round", -1),
        ("action", 4),
        ("start", 1),
        ("node", 2),
        ("round", 40),
    ],
)
def test_the_refusal_names_the_field(path: str, value: int) -> None:
    duel = next(duel for duel in _moments(0) if duel.current_player >= 0 and duel.state["now"]["phase"][0] == 1)
    named = {"now.num_ongoing": "ongoing", "now.source.caster": "source"}.get(path, path.split(".")[-1])
    assert named in _set(duel.copy(), path, value)


def test_dice_that_nobody_threw_are_refused() -> None:
    duel = next(duel for duel in _moments(0) if duel.state["cup"]["given"][0] >= 2).copy()
    duel.state["cup"]["faces"][0, 0] = 500
    with pytest.raises(SchemaError, match="faces"):
        check_records(duel.game, duel.state, duel.sheets)
    duel.state["cup"]["faces"][0, 0] = 10
    duel.state["cup"]["due_sides"] = 7
    with pytest.raises(SchemaError, match="due_sides"):
        check_records(duel.game, duel.state, duel.sheets)


def _play_on(duel: Duel, seed: int, most: int = 60) -> None:
    """Play on at random: there is always something to do, and the end is one."""
    rng = np.random.default_rng(seed)
    for _ in range(most):
        if duel.is_over:
            assert duel.returns()[0] == -duel.returns()[1]
            return
        assert duel.die is not None or len(duel.legal_actions())
        happen(duel, random_event(duel, rng))
    check_records(duel.game, duel.state, duel.sheets)


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 9),
    moment=st.integers(0, 10**6),
    group=st.sampled_from([0, 0, 0, 1, 1, 2, 3, 4]),
    place=st.integers(0, 10**6),
    value=st.one_of(st.integers(-3, 12), st.integers(-200, 200), st.sampled_from([2**15 - 1, -(2**15), 2**31 - 1])),
    player=st.integers(0, 1),
)
def test_what_is_accepted_plays_on(seed: int, moment: int, group: int, place: int, value: int, player: int) -> None:
    moments = _moments(seed)
    duel = moments[moment % len(moments)].copy()
    leaves = _SHEET_LEAVES if group == len(_GROUPS) else _GROUPS[group]
    _, offset, kind = leaves[place % len(leaves)]
    data = duel.sheets[player : player + 1] if group == len(_GROUPS) else duel.state
    limits = np.iinfo(kind)
    content = data.view(np.uint8).reshape(-1)
    content[offset : offset + kind.itemsize].view(kind)[0] = min(max(value, int(limits.min)), int(limits.max))
    if duel.state["action"][0] != -2:
        duel.state["next"] = duel.state["now"]
    try:
        check_records(duel.game, duel.state, duel.sheets)
    except SchemaError:
        return
    _play_on(duel, moment)
