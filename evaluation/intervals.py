"""Confidence intervals of rates and means. SciPy is imported where it is needed: it takes longer than most matches."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duel_env.errors import ConfigError

CONFIDENCE = 0.95
"""Of every interval here, unless another is asked for."""


class Interval(NamedTuple):
    """A closed range that contains the true value with the confidence asked for."""

    low: float
    high: float


def wilson(successes: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's score interval of a probability.

    It stays within [0, 1] and is usable for rates of 0 and 1, where the textbook interval has length 0.

    Args:
        successes: 0..trials.
        trials: independent ones, at least 0; without any, the interval is [0, 1].
        confidence: between 0 and 1.

    Raises:
        ConfigError: numbers out of range.

    Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference".
    """
    _check_confidence(confidence)
    if not 0 <= successes <= trials:
        raise ConfigError(f"{successes} successes in {trials} trials: expected 0 to {trials}")
    if trials == 0:
        return Interval(0.0, 1.0)
    from scipy.special import ndtri

    z = float(ndtri(0.5 + confidence / 2))
    rate = successes / trials
    scale = 1 + z * z / trials
    middle = (rate + z * z / (2 * trials)) / scale
    half = z * np.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials)) / scale
    low = 0.0 if successes == 0 else max(0.0, middle - half)  # exactly, where the formula is off by rounding
    high = 1.0 if successes == trials else min(1.0, middle + half)
    return Interval(float(low), float(high))


def mean_interval(block_means: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """Student's t interval of the mean of scores in [0, 1], from the means of independent blocks.

    Duels of one block share their dice and are not independent; blocks are. If all blocks have the same mean, their spread
    says nothing about the error, and Wilson's interval of as many independent trials is given instead, which is wider than
    the truth.

    Args:
        block_means: (n,), each in [0, 1]; with n = 0 the interval is [0, 1].
        confidence: between 0 and 1.

    Raises:
        ConfigError: a mean or the confidence is out of range.
    """
    _check_confidence(confidence)
    means = np.asarray(block_means, np.float64)
    if means.ndim != 1 or not np.all((means >= 0.0) & (means <= 1.0)):
        raise ConfigError("block means: expected a list of numbers from 0 to 1")
    count = len(means)
    if count == 0:
        return Interval(0.0, 1.0)
    if np.ptp(means) == 0.0:
        return _wilson_of_rate(float(means[0]), count, confidence)
    from scipy.special import stdtrit

    half = float(stdtrit(count - 1, 0.5 + confidence / 2)) * means.std(ddof=1) / np.sqrt(count)
    return Interval(float(max(0.0, means.mean() - half)), float(min(1.0, means.mean() + half)))


def _wilson_of_rate(rate: float, trials: int, confidence: float) -> Interval:
    """Wilson's interval around a rate that need not be a whole number of successes: the wider of the neighbouring ones."""
    below, above = int(np.floor(rate * trials)), int(np.ceil(rate * trials))
    return Interval(wilson(below, trials, confidence).low, wilson(above, trials, confidence).high)


def _check_confidence(confidence: float) -> None:
    if not 0.0 < confidence < 1.0:
        raise ConfigError(f"confidence = {confidence!r}: expected a number between 0 and 1")
