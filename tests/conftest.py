"""Fixtures and helpers shared by all tests."""

import os

os.environ.setdefault("DUEL_ENV_QUIET", "1")

import signal
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from numba import config

from duel_env.game import Game, make_game

settings.register_profile(
    "project",
    deadline=None,
    max_examples=8 if config.DISABLE_JIT else 60,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)
settings.load_profile("project")


@pytest.fixture
def game() -> Game:
    return make_game("hogwarts")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261201)


@pytest.fixture(autouse=True)
def default_signals() -> Iterator[None]:
    """Ctrl-C and SIGTERM as in a terminal, for the tests and the processes that they start: a run in the background ignores them."""
    previous = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    for number, handler in previous.items():
        if handler is not None:  # None: not set from Python, and not to be set back from it
            signal.signal(number, handler)
