"""Settings of runs that take a moment."""

from typing import Any

from duel_env.config import load
from training.config import TrainConfig


def tiny_settings(**changes: Any) -> dict[str, Any]:
    """A run of a few updates; `changes` are by dotted key, with two underscores for the dot."""
    values: dict[str, Any] = {
        "seed": 3,
        "ruleset": "hogwarts",
        "algorithm": "ppo",
        "total_steps": 6 * 16 * 8,
        "game": {"skills": [60, 50]},
        "ppo": {
            "learning_rate": 1e-2,
            "num_envs": 16,
            "num_steps": 8,
            "epochs": 1,
            "minibatches": 2,
            "gamma": 1.0,
            "gae_lambda": 0.8,
            "clip_coef": 0.2,
            "value_coef": 0.5,
            "max_grad_norm": 0.5,
            "entropy_start": 0.05,
            "entropy_end": 0.0,
            "entropy_end_at": 1.0,
            "normalize_advantages": True,
            "skip_forced_moves": True,
            "random_opening": 3,
        },
        "network": {"hidden": [8, 8], "activation": "tanh"},
        "run": {
            "checkpoint_every": 2,
            "evaluate_every": 3,
            "evaluation_duels": 8,
            "opponents": ["random"],
            "exploitability_pairs": [[60, 50]],
            "threads": 1,
        },
    }
    if changes.get("algorithm") == "maskable_ppo":
        values["self_play"] = {"latest_share": 0.5, "pool_size": 2, "snapshot_every": 2, "refresh_every": 1}
        values["ppo"] |= {"skip_forced_moves": False, "random_opening": 0}
    for path, value in changes.items():
        *tables, key = path.split("__")
        table = values
        for name in tables:
            table = table[name]
        table[key] = value
    return values


def tiny_config(**changes: Any) -> TrainConfig:
    """The same, checked."""
    return load(TrainConfig, tiny_settings(**changes), "test")
