"""Random rules, and duels played by hand with dice that are given."""

from typing import Any

import numpy as np
from numba import config

from duel_env.duel import Duel
from duel_env.game import Game, make_game

HIT_POINTS = [1, 2] if config.DISABLE_JIT else [1, 2, 3, 5, 8]
"""Uncompiled, the search for all states of a long duel takes minutes."""


def random_spells(rng: np.random.Generator) -> list[dict[str, Any]]:
    """A list of one to eight spells with any mixture of effects."""
    count = int(rng.integers(1, 9))
    return [
        {
            "id": f"spell_{number}",
            "en": f"Spell {number}",
            "fr": f"Sort {number}",
            "penalty": int(rng.choice([-20, 0, 0, 10, 30, 70])),
            "damage": int(rng.choice([0, 0, 1, 2, 5])),
            **{effect: bool(rng.random() < 0.25) for effect in ("disarm", "petrify", "hex", "block")},
        }
        for number in range(count)
    ]


def random_options(rng: np.random.Generator) -> dict[str, Any]:
    """Options that differ from the defaults in about half of the places; the six spells of the source half of the time."""
    options: dict[str, Any] = {
        "riposte_sees_roll": bool(rng.integers(2)),
        "resolution": str(rng.choice(["ordered", "simultaneous"])),
        "petrificus_timing": str(rng.choice(["next_round", "riposte"])),
        "levicorpus_hits_riposte": bool(rng.integers(2)),
        "seize_after": str(rng.choice(["expelliarmus", "any_disarm"])),
        "petrified_may_retrieve": bool(rng.integers(2)),
        "max_rounds": int(rng.choice([1, 2, 5, 30, 200])),
        "hit_points": int(rng.choice(HIT_POINTS)),
    }
    if rng.random() < 0.5:
        options["spells"] = random_spells(rng)
    return options


def random_skills(rng: np.random.Generator) -> tuple[int, int]:
    """Two skills, the ends of the range and ties among them."""
    first = int(rng.choice([0, 1, 30, 60, 60, 99, 100, int(rng.integers(101))]))
    second = first if rng.random() < 0.3 else int(rng.integers(101))
    return first, second


def make_setup(game: Game, **settings: Any) -> Any:
    """SETUP (1,) from set-up settings."""
    return game.setup(game.ruleset.setup_model(**settings))


def begin(skills: tuple[int, int] = (60, 60), first_caster: int | None = 0, **options: Any) -> Duel:
    """A hogwarts duel under some options."""
    game = make_game("hogwarts", options)
    return Duel(game, make_setup(game, skills=skills, first_caster=first_caster))


def play(duel: Duel, *script: str | int) -> Duel:
    """Play a script of action ids and die faces in place; each die must be given when it is due, and no other."""
    for entry in script:
        if isinstance(entry, str):
            assert duel.die is None, f"a die is due before {entry}"
            duel.apply_action(duel.game.action_number(entry))
        else:
            assert duel.die is not None, f"no die is due for the {entry}"
            duel.roll(entry)
    assert duel.die is None, "the script lacks a die"
    return duel


def legal(duel: Duel) -> set[str]:
    """Ids of the legal actions."""
    return {duel.game.actions[number].id for number in duel.legal_actions()}
