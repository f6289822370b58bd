"""Training, from the settings to the trained policy, top to bottom: prepare, then play, learn, note, measure and save."""

import time
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.network import save_policy
from duel_env.errors import ConfigError, SchemaError
from duel_env.game import Game
from training.checkpoint import read_checkpoint, write_checkpoint
from training.config import TrainConfig
from training.evaluate import Evaluation
from training.interrupt import StopRequest, stop_on_request
from training.progress import ProgressDisplay
from training.run_folder import RunFolder
from training.trainer import SelfPlayTrainer, Trainer


def train(config: TrainConfig, output: Path, *, resume: bool, quiet: bool) -> int:
    """Do a run, or the rest of one.

    With the same settings on the same machine, `metrics.csv` and the policy are the same, bit for bit, however often the run was
    interrupted, by whatever means, and resumed.

    Args:
        config: the settings.
        output: the folder of the run.
        resume: whether to go on with what is in it.
        quiet: print nothing but warnings.

    Returns:
        0, or after Ctrl-C (SIGTERM) 130 (143), with a checkpoint written.

    Raises:
        ConfigError: the folder exists, is in use, is of another run, or cannot be written, also later on; an opponent that is
            not known; exploitability wanted of rules that cannot be solved.
        SchemaError: what the folder holds is damaged or incomplete; or the networks are no longer finite.
    """
    game, setup = config.make_game_and_setup()
    evaluation = Evaluation(config, game)
    trainer = _make_trainer(config, game, setup)
    folder = RunFolder(output, config, [*trainer.metrics, *evaluation.columns])
    display = ProgressDisplay(config.num_updates * config.ppo.batch_size, quiet=quiet)
    try:
        with closing(trainer), closing(folder):
            folder.prepare(game, resume=resume)
            if folder.is_finished:
                display.say(f"the run in {output} is finished; its policy is {folder.policy_path}")
                return 0
            return _run(config, game, trainer, evaluation, folder, display, resume=resume)
    except OSError as error:
        raise ConfigError(
            f"{output}: {error.strerror or error}, after update {trainer.update} of {config.num_updates};"
            " what was written before is whole: --resume goes on with it"
        ) from error


def _run(
    config: TrainConfig,
    game: Game,
    trainer: Trainer,
    evaluation: Evaluation,
    folder: RunFolder,
    display: ProgressDisplay,
    *,
    resume: bool,
) -> int:
    if resume:
        _go_on(config, game, trainer, folder, display)
    with display, stop_on_request() as stop:
        folder.begin(trainer.update, trainer.update * config.ppo.batch_size)
        _learn(config, game, trainer, evaluation, folder, display, stop)
    if trainer.update < config.num_updates:
        display.warn(f"stopped after update {trainer.update} of {config.num_updates}; the same command with --resume goes on")
        return stop.exit_code
    _write_policy(config, game, trainer, folder)  # a run that was killed just before its end has no more than the checkpoint
    folder.finish()
    display.say(f"trained for {trainer.update * config.ppo.batch_size:,} steps; the policy is {folder.policy_path}")
    return 0


def _make_trainer(config: TrainConfig, game: Game, setup: NDArray[np.void]) -> Trainer:
    if config.algorithm == "ppo":
        return SelfPlayTrainer(config, game, setup)
    from training.sb3_train import MaskablePPOTrainer  # takes a second to import

    return MaskablePPOTrainer(config, game, setup)


def _go_on(config: TrainConfig, game: Game, trainer: Trainer, folder: RunFolder, display: ProgressDisplay) -> None:
    """Restore the newest checkpoint that can be read; without any, the run begins anew."""
    expected = trainer.arrays()

    def restore(path: Path) -> bool:
        found = read_checkpoint(path, expected, trainer.counters, config, game.digest)
        update = found.counters["update"]
        if not 0 < update <= config.num_updates or path != folder.checkpoint_path(update):
            raise SchemaError(f"{path}: counter update = {update}: expected that of the file's name, 1 to {config.num_updates}")
        try:
            trainer.restore(found)
        except SchemaError as error:  # it may have been restored in part: the next one replaces all of it, or the run ends
            raise SchemaError(f"{path}: {error}") from error
        return True

    if folder.newest_checkpoint(restore, display.warn):
        display.say(f"going on after update {trainer.update} of {config.num_updates}")
    else:
        display.say("there is no checkpoint yet: the run begins")


def _learn(
    config: TrainConfig,
    game: Game,
    trainer: Trainer,
    evaluation: Evaluation,
    folder: RunFolder,
    display: ProgressDisplay,
    stop: StopRequest,
) -> None:
    """The loop."""
    began = time.perf_counter()
    while trainer.update < config.num_updates and not stop:
        update_began = time.perf_counter()
        metrics = trainer.improve()
        is_last = trainer.update == config.num_updates
        measured, news = evaluation.measure(trainer.update, trainer.network)
        metrics |= measured
        steps, now = trainer.update * config.ppo.batch_size, time.perf_counter()
        folder.record(trainer.update, steps, metrics, now - began, config.ppo.batch_size / (now - update_began))
        if is_last or stop or trainer.update % config.run.checkpoint_every == 0:
            folder.flush()
            path = folder.checkpoint_path(trainer.update)
            write_checkpoint(path, trainer.arrays(), trainer.counter_values(), config, game.digest)
            folder.drop_old_checkpoints(trainer.update)
            _write_policy(config, game, trainer, folder)
        display.show(steps, news)


def _write_policy(config: TrainConfig, game: Game, trainer: Trainer, folder: RunFolder) -> None:
    notes = {
        "algorithm": config.algorithm,
        "steps": str(trainer.update * config.ppo.batch_size),
        "seed": str(config.seed),
        "config_digest": config.digest,
    }
    save_policy(folder.policy_path, trainer.network(), game, notes)
