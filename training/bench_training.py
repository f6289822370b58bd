"""Speed of whole training runs, everything in: play, learning, evaluation, checkpoints, metrics."""

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Final

from training.bench import Measurement
from training.config import TrainConfig, load_train_config
from training.train import train

_REPEATS: Final = 3

_CONFIGS: Final = {"training": "hogwarts.toml", "training_sb3": "hogwarts_sb3.toml"}
_STEPS: Final = {"training": 2_000_000, "training_sb3": 1_000_000}


def is_available(row: str) -> bool:
    """Whether the row can be measured: its configuration is part of a checkout, not of the installed package."""
    return _path(row).is_file()


def _path(row: str) -> Path:
    return Path(__file__).parents[1] / "configs" / "train" / _CONFIGS[row]


def _configuration(row: str) -> TrainConfig:
    return load_train_config(_path(row), [f"total_steps={_STEPS[row]}"])


def measure_training(row: str) -> Measurement:
    """Train a few times from scratch and time it.

    Args:
        row: `training` (our trainer) or `training_sb3` (MaskablePPO), at the settings of the shipped configurations, but shorter.
    """
    config = _configuration(row)
    steps = config.num_updates * config.ppo.batch_size
    rates = []
    for repeat in range(_REPEATS + 1):
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            train(config, Path(folder) / "run", resume=False, quiet=True)
            if repeat:  # the first one also compiles
                rates.append(steps / (time.perf_counter() - began))
    name = "our PPO, self-play" if row == "training" else "MaskablePPO of sb3-contrib, pool of past selves"
    unit = "decisions of both seats" if row == "training" else "decisions of the learner"
    return Measurement(
        name=f"training, all in, 2 threads: {name}",
        unit=unit,
        per_second=max(rates),
        median_per_second=median(rates),
        repeats=_REPEATS,
    )
