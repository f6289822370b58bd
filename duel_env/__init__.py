"""Wizard duels as two-player reinforcement learning environments, with exact rules, dice and action masks.

Importing this package registers `duel_env/Hogwarts-v0` with Gymnasium and with PettingZoo. The rules and their compiler are imported
when they are first used.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from duel_env.registry import register_gymnasium, register_pettingzoo

if TYPE_CHECKING:
    from duel_env.batch import DuelBatch
    from duel_env.duel import Duel
    from duel_env.errors import (
        ConfigError,
        DuelError,
        IllegalActionError,
        InvalidActionError,
        InvalidRollError,
        SchemaError,
        UsageError,
    )
    from duel_env.game import Game, make_game, make_game_and_setup

try:
    __version__ = version("duel-env")
except PackageNotFoundError:  # a checkout that was never installed
    __version__ = "0+unknown"

_LAZY = {
    "Duel": "duel_env.duel",
    "DuelBatch": "duel_env.batch",
    "Game": "duel_env.game",
    "make_game": "duel_env.game",
    "make_game_and_setup": "duel_env.game",
    "ConfigError": "duel_env.errors",
    "DuelError": "duel_env.errors",
    "IllegalActionError": "duel_env.errors",
    "InvalidActionError": "duel_env.errors",
    "InvalidRollError": "duel_env.errors",
    "SchemaError": "duel_env.errors",
    "UsageError": "duel_env.errors",
}

__all__ = [
    "ConfigError",
    "Duel",
    "DuelBatch",
    "DuelError",
    "Game",
    "IllegalActionError",
    "InvalidActionError",
    "InvalidRollError",
    "SchemaError",
    "UsageError",
    "make_game",
    "make_game_and_setup",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'duel_env' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


register_gymnasium()
register_pettingzoo()
