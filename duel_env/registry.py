"""Environment ids, one row each, and their registration with Gymnasium and PettingZoo."""

from typing import Final, NamedTuple

import gymnasium as gym
import pettingzoo


class EnvId(NamedTuple):
    """One environment id: the id, its ruleset and what it is, for people."""

    id: str
    ruleset: str
    en: str
    fr: str


ENV_IDS: Final = (
    EnvId(
        "duel_env/Hogwarts-v0",
        "hogwarts",
        "The school duel: d100 against a skill, six spells, 5 hit points.",
        "Le duel de l'école : d100 contre la compétence, six sorts, 5 points de vie.",
    ),
    EnvId(
        "duel_env/Pathfinder-v0",
        "pathfinder",
        "The spell duel: classes, slots, 201 spells, saves, counterspells, hidden information.",
        "Le duel de sorts : classes, emplacements, 201 sorts, jets de sauvegarde, contresorts, information cachée.",
    ),
)


def register_gymnasium() -> None:
    """Register every id with Gymnasium, once; called when the package is imported."""
    for row in ENV_IDS:
        if row.id not in gym.registry:
            gym.register(
                id=row.id,
                entry_point="duel_env.envs.gym_env:DuelEnv",
                vector_entry_point="duel_env.envs.vector_env:DuelVectorEnv",
                kwargs={"ruleset": row.ruleset},
            )


def register_pettingzoo() -> None:
    """Register every id with PettingZoo's registry of AEC environments, once; called when the package is imported."""
    for row in ENV_IDS:
        if row.id not in pettingzoo.aec_registry:
            entry_point = "duel_env.envs.pettingzoo_env:env"
            pettingzoo.register("aec", row.id, entry_point=entry_point, kwargs={"ruleset": row.ruleset})
