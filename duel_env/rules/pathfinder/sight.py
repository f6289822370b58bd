"""Who sees whom."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.codes import (
    BLINDED,
    INVISIBLE,
    OUTLINED,
    PURGE_INVISIBLE,
    SEE_INVISIBLE,
    TRUE_SEEING,
    ZONE,
)
from duel_env.rules.pathfinder.hindrances import has
from duel_env.rules.pathfinder.state import CORE, RULES
from duel_env.rules.units import NUMBER, unit

_PIERCING_INVISIBILITY = 1 << SEE_INVISIBLE | 1 << TRUE_SEEING | 1 << PURGE_INVISIBLE


@kernel
def sees_invisible(core, viewer):
    """Whether a duelist sees what is invisible."""
    return np.int64(core["senses"][viewer]) & _PIERCING_INVISIBILITY != 0


@kernel
def is_unseen(core, viewer, target):
    """Whether a duelist is invisible to the other: no sense shows him, and he is not outlined."""
    return has(core, target, INVISIBLE) and not has(core, target, OUTLINED) and not sees_invisible(core, viewer)


@kernel
def _in_fog(core, rules, player):
    for i in range(core["num_ongoing"][player]):
        row = core["ongoing"][player, i]
        effect = rules["effects"][row["effect"]]
        if effect["kind"] == ZONE and effect["blocks_sight"] == 1 and row["suppressed"] == 0:
            return True
    return False


@unit(CORE, RULES, NUMBER, NUMBER)
def can_see(core, rules, viewer, target):
    """Whether a duelist sees the other. Fog around either of them blocks all sight, also true seeing (its note)."""
    if has(core, viewer, BLINDED) or is_unseen(core, viewer, target):
        return False
    return not _in_fog(core, rules, viewer) and not _in_fog(core, rules, target)
