"""The description of an observation vector: one row per index."""

from typing import NamedTuple


class Feature(NamedTuple):
    """One entry of an observation (float32).

    Attributes:
        name: unique within a layout.
        low, high: the closed range of its values.
        meaning: what it says, for people.
    """

    name: str
    low: float
    high: float
    meaning: str
