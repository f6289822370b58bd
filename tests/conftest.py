"""Fixtures and helpers shared by all tests."""

import os

os.environ.setdefault("DUEL_ENV_QUIET", "1")

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
