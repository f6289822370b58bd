"""The cup: where every die of the spell duel comes from.

Kernels are written as if dice were at hand: `roll` and `pool` give faces at once. A sampling cup draws them from a position of a random
stream. A scripted cup gives the faces that it was filled with; when it has no more it notes what die is due and gives the least face, so
that the kernel runs to its end on a copy that is thrown away (see `transition`). So no rule has to be cut into pieces at each die,
and sampling costs nothing but the draws.
"""

from typing import Final

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.state import CUP, MAX_FACES
from duel_env.rules.rng import below, bits_at, next_position
from duel_env.rules.units import NUMBER, unit

MAX_POOL: Final = 40

(
    FOR_COIN,
    FOR_INITIATIVE,
    FOR_STARE,
    FOR_SPELLCRAFT,
    FOR_COUNTER,
    FOR_DISPEL,
    FOR_CONCENTRATION,
    FOR_FAILURE,
    FOR_RESISTANCE,
    FOR_ATTACK,
    FOR_CRITICAL,
    FOR_MISS_CHANCE,
    FOR_IMAGE,
    FOR_FORT,
    FOR_REF,
    FOR_WILL,
    FOR_DAMAGE,
    FOR_HEALING,
    FOR_POINTS,
    FOR_ROUNDS,
    FOR_COUNT,
    FOR_CONFUSION,
    FOR_ESCAPE,
    FOR_TABLE,
    FOR_STABILIZING,
    FOR_ACTING,
) = range(26)
"""What a die is thrown for. The three saves follow each other as in `codes.SAVES`."""


@unit(CUP, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)
def pool(cup, purpose, roller, count, sides, modifier, target, spell):
    """Throw `count` dice of `sides` faces together.

    Args:
        cup: CUP record.
        purpose: FOR_...
        roller: player who throws them, -1 for nobody.
        count: dice, 0 to MAX_POOL; 0 throws nothing.
        sides: faces of each, 2 to 100.
        modifier: what will be added, for the log.
        target: the total of die and modifier that succeeds, for the log; -1 if there is none.
        spell: number of the spell that it is thrown for, -1 for none.

    Returns:
        their sum, from `count` to `count * sides`.

    Mutates:
        cup.
    """
    if count <= 0:
        return 0
    at = cup["used"]
    cup["used"] = at + 1
    if cup["sampling"] == 1:
        position = cup["position"]
        total = 0
        for _ in range(count):
            position = next_position(position)
            total += 1 + below(bits_at(position), sides)
        cup["position"] = position
        if at < MAX_FACES:
            cup["faces"][at] = total
            cup["rollers"][at] = roller
        return total
    if at < cup["given"]:
        return np.int64(cup["faces"][at])
    if cup["dry"] == 0 and at < MAX_FACES:  # beyond the cup's room every die shows its least face
        cup["dry"] = 1
        cup["due_count"] = count
        cup["due_sides"] = sides
        cup["due_roller"] = roller
        cup["due_purpose"] = purpose
        cup["due_modifier"] = modifier
        cup["due_target"] = target
        cup["due_spell"] = spell
    return np.int64(count)


@kernel
def roll(cup, purpose, roller, sides, modifier, target, spell):
    """Throw one die; see `pool`."""
    return pool(cup, purpose, roller, 1, sides, modifier, target, spell)


@kernel
def roll_d20(cup, purpose, roller, modifier, target, spell):
    """Throw a d20; see `pool`. Rerolls are the caller's business (see `checks`)."""
    return pool(cup, purpose, roller, 1, 20, modifier, target, spell)
