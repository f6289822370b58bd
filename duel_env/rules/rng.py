"""Random bits as a pure function of a seed, an episode and a counter: no global state, the same in every interface.

Each duel has a 64-bit key made from its seed. Each episode of that key has independent streams, one per purpose, so that the
dice do not depend on how often an opponent draws. A stream is SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable
pseudorandom number generators"): a 64-bit position that advances by a constant, and a mixing function of the position.

Arguments are cast to uint64 wherever they enter, since int64 with uint64 makes float64. Callers in Python pass `np.uint64`, never an int:
the compiler takes a small one for int64 and refuses a large one.
"""

import numpy as np
from numpy.typing import NDArray

from duel_env.rules.jit import inline_kernel

DICE, SETUP, POLICY = range(3)
"""Streams of an episode: dice of the rules; random parts of the set-up; actions sampled from a policy."""

_GAMMA = np.uint64(0x9E3779B97F4A7C15)  # the golden ratio as a 64-bit fraction, SplitMix64's increment
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)  # multipliers of David Stafford's mix 13
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SEED_SALT = np.uint64(0x6475656C5F656E76)  # keeps keys apart from the raw outputs of SplitMix64 for the same seed
_SHIFT_30, _SHIFT_27, _SHIFT_31 = np.uint64(30), np.uint64(27), np.uint64(31)
_ELEVEN, _FIFTY_THREE = np.uint64(11), np.uint64(53)


@inline_kernel
def mix(value):
    """A bijection of 64-bit words in which each input bit flips each output bit with probability about one half."""
    value = np.uint64(value)
    value = (value ^ (value >> _SHIFT_30)) * _MIX_1
    value = (value ^ (value >> _SHIFT_27)) * _MIX_2
    return value ^ (value >> _SHIFT_31)


@inline_kernel
def stream_position(key, episode, stream):
    """Start of a stream (uint64) of an episode (int, from 0) of a duel's key (uint64)."""
    return mix(mix(np.uint64(key) + np.uint64(episode) * _GAMMA) + np.uint64(stream) * _GAMMA)


@inline_kernel
def next_position(position):
    """The position after `position` in its stream (uint64)."""
    return np.uint64(position) + _GAMMA


@inline_kernel
def bits_at(position):
    """The 64 random bits (uint64) at a position of a stream."""
    return mix(position)


@inline_kernel
def below(bits, limit):
    """An integer in 0..limit-1 from the upper 53 bits; `limit` at most 2047; off uniform by less than limit / 2**53."""
    return np.int64(((np.uint64(bits) >> _ELEVEN) * np.uint64(limit)) >> _FIFTY_THREE)


@inline_kernel
def unit(bits):
    """A float64 in [0, 1) with 53 random bits."""
    return np.float64(np.uint64(bits) >> _ELEVEN) * (1.0 / 9007199254740992.0)


def keys_from_seeds(seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Keys (uint64, same shape) of seeds: different seeds give different keys, since `mix` is a bijection."""
    with np.errstate(over="ignore"):
        value = np.asarray(seeds, dtype=np.uint64) + _SEED_SALT
        value = (value ^ (value >> _SHIFT_30)) * _MIX_1
        value = (value ^ (value >> _SHIFT_27)) * _MIX_2
        return value ^ (value >> _SHIFT_31)
