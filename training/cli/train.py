"""`duel train`: from a settings file to a trained policy."""

from pathlib import Path
from typing import Annotated

import typer

from duel_env.errors import ConfigError
from training.config import TrainConfig, load_train_config

_RUNS = Path("runs")
_EXTRA = {"torch", "tensorboard", "stable_baselines3", "sb3_contrib"}
"""Packages that only training needs."""


def train_command(
    config: Annotated[Path, typer.Argument(help="Settings, such as configs/train/quick.toml.")],
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Replace a setting, such as ppo.learning_rate=1e-4; can be repeated."),
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option(
            "--rules",
            help="File of rules, such as `duel tune` finds: its options are put into the table [game].",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Folder of the run; by default runs/<name of the file>-seed<seed>.", show_default=False)
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder from its last checkpoint.")] = False,
    seed: Annotated[
        int | None, typer.Option(help="Replace the seed of the file: short for --set seed=...", show_default=False)
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but warnings.")] = False,
) -> None:
    """Train a policy by self-play.

    The folder of the run gets the resolved settings, a table of metrics, TensorBoard files, checkpoints and policy.safetensors:
    other commands take the folder as an agent. A file of rules is read once, and is a part of the resolved settings from then on.
    Ctrl-C writes a checkpoint first; a run that is resumed, after Ctrl-C or a crash, ends with the same results as if nothing had happened.

    Examples:
        duel train configs/train/quick.toml
        duel train configs/train/hogwarts.toml --set ppo.learning_rate=3e-3 --output runs/slower
        duel train configs/train/hogwarts.toml --resume
        duel train configs/train/quick.toml --rules configs/rules/hogwarts_balanced.toml --output runs/balanced
    """
    changes = [*(overrides or []), *([] if seed is None else [f"seed={seed}"])]
    settings = load_train_config(config, changes, rules)
    folder = output or _RUNS / f"{config.stem}-seed{settings.seed}"
    code = _run(settings, folder, resume=resume, quiet=quiet)
    if code:
        raise typer.Exit(code)


def _run(settings: TrainConfig, folder: Path, *, resume: bool, quiet: bool) -> int:
    try:
        # Only now: it takes seconds, and needs the extra `train`.
        from training.train import train

        return train(settings, folder, resume=resume, quiet=quiet)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRA:
            raise
        raise ConfigError(f"training needs {package}, which is not installed: pip install 'duel-env[train]'") from error
