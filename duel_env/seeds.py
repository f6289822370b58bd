"""What is accepted as a seed."""

from typing import Any, Final

import numpy as np

from duel_env.errors import ConfigError

MAX_SEED: Final = 2**64 - 1


def check_seed(seed: Any) -> int:
    """A seed as an int from 0 to 2**64 - 1.

    Raises:
        ConfigError: it is something else.
    """
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or not 0 <= seed <= MAX_SEED:
        raise ConfigError(f"seed = {seed!r}: expected an integer from 0 to 2**64 - 1")
    return int(seed)


def check_seeds(seed: Any, count: int) -> list[int]:
    """One seed for each of `count` rows: an integer s gives s, s + 1, ...; a list, tuple or one-dimensional array has them all.

    Raises:
        ConfigError: it is something else.
    """
    if isinstance(seed, int | np.integer):
        first = check_seed(seed)
        return [(first + i) % (MAX_SEED + 1) for i in range(count)]
    if not (isinstance(seed, list | tuple) or (isinstance(seed, np.ndarray) and seed.ndim == 1)):
        raise ConfigError(f"seed = {seed!r}: expected an integer from 0 to 2**64 - 1, or {count} of them")
    if len(seed) != count:
        raise ConfigError(f"expected {count} seeds, one for each row, not {len(seed)}")
    return [check_seed(value) for value in seed]
