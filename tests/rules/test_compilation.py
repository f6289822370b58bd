"""The compiler's cache: a changed rule or setting never meets stale machine code; a folder that cannot be written only costs time."""

import subprocess
import sys

import numpy as np
import pytest
from numba import config

from duel_env.rules import jit
from duel_env.rules.copying import copy_items
from duel_env.rules.rng import below, bits_at, next_position, stream_position, unit

compiled = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="about the compiler")


def test_cache_directory_is_named_by_the_sources_and_the_bounds_check(monkeypatch):
    usual = jit._sources_digest()
    assert jit._sources_digest() == usual
    monkeypatch.setattr(config, "BOUNDSCHECK", 1 if config.BOUNDSCHECK is None else None)
    assert jit._sources_digest() != usual


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )


@compiled
def test_first_compilation_is_announced_once_and_kept(tmp_path):
    code = "from duel_env.rules.rng import below; import numpy as np; below(np.uint64(1), 5)"
    variables = {"DUEL_ENV_CACHE_DIR": str(tmp_path), "DUEL_ENV_QUIET": ""}
    first = run(code, **variables)
    assert first.stderr.count("compiling kernels") == 1
    assert str(tmp_path) in first.stderr
    assert run(code, **variables).stderr == ""


@compiled
def test_cache_folder_that_cannot_be_written_is_a_warning_not_an_error(tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("not a folder")
    done = run(
        "from duel_env.rules.rng import below; import numpy as np; assert below(np.uint64(0), 5) == 0",
        DUEL_ENV_CACHE_DIR=str(blocker / "below"),
    )
    assert "cannot write compiled kernels" in done.stderr


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 15, 16, 24, 38])
@pytest.mark.parametrize("dtype", [np.float32, np.int8])
def test_copies_of_every_length_are_exact_and_touch_nothing_else(count, dtype):
    source = np.arange(1, 101).astype(dtype)
    destination = np.zeros(100, dtype)
    copy_items(destination, 20, source, 30, count)
    expected = np.zeros(100, dtype)
    expected[20 : 20 + count] = source[30 : 30 + count]
    np.testing.assert_array_equal(destination, expected)


def draws(key: int, episode: int, stream: int, count: int) -> list[np.uint64]:
    position = stream_position(np.uint64(key), episode, stream)
    found = []
    for _ in range(count):
        position = np.uint64(next_position(np.uint64(position)))
        found.append(np.uint64(bits_at(position)))
    return found


def test_dice_are_uniform_and_streams_are_apart():
    """Chi-square of 40,000 faces below its 99.99 % quantile (99 degrees of freedom: 160.1), and no draw shared between streams."""
    num = 2_000 if config.DISABLE_JIT else 40_000
    faces = np.array([below(bits, 100) for bits in draws(1, 0, 0, num)])
    counts = np.bincount(faces, minlength=100)
    assert ((counts - num / 100) ** 2 / (num / 100)).sum() < 160.1
    streams = [draws(key, episode, stream, 200) for key in (1, 2) for episode in (0, 1) for stream in (0, 1, 2)]
    assert len({int(bits) for stream in streams for bits in stream}) == 200 * len(streams)


def test_unit_is_in_the_half_open_interval():
    assert unit(np.uint64(0)) == 0.0
    assert 0.999 < unit(np.uint64(2**64 - 1)) < 1.0
    assert below(np.uint64(2**64 - 1), 100) == 99
