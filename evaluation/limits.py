"""How long a match may be; apart from what plays it, so that the command line knows without importing that."""

from typing import Final

MAX_DUELS: Final = 10**8
"""Most duels of a match: a few gigabytes, and an interval of a hundredth of a percent."""
