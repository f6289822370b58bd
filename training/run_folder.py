"""The folder of a run: what is in it, how it begins, and what is taken back when the run is resumed.

* `config.toml`: the settings, resolved; a run with this file is the same run.
* `run.json`: versions, rules, machine, when it began, was resumed and ended.
* `metrics.csv`: a row for each update; the same bytes however often the run was interrupted.
* `timing.csv`: what the clock said; not reproducible.
* `tensorboard/`: the same numbers for TensorBoard.
* `checkpoints/`: `update-000123.safetensors`, the newest few.
* `policy.safetensors`: the policy as of the newest checkpoint, at last of the end.
"""

import csv
import io
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

from duel_env.config import read_toml
from duel_env.errors import ConfigError, SchemaError
from duel_env.files import write_atomically
from duel_env.game import Game
from training.checkpoint import check_same_settings
from training.config import TrainConfig
from training.toml_text import to_toml

KEPT_CHECKPOINTS = 3
_TENSORBOARD_EVERY = 10
"""Updates between two sets of points for TensorBoard; evaluations are always there."""

_NOTES = "run.json"
_BEGUN = "config.toml"
"""Written last when a run begins: a folder without it holds no run yet."""

T = TypeVar("T")


class RunFolder:
    """Files of one run.

    Attributes:
        path: the folder.
        policy_path: the policy in it.
    """

    def __init__(self, path: Path, config: TrainConfig, metrics: Sequence[str]) -> None:
        """Name the files; nothing is read or written yet.

        Args:
            path: the folder.
            config: the settings of the run.
            metrics: columns of `metrics.csv` after `update` and `steps`, all of them numbers.
        """
        self.path = path
        self.policy_path = path / "policy.safetensors"
        self._config = config
        self._metrics = _Table(path / "metrics.csv", ("update", "steps", *metrics))
        self._timing = _Table(path / "timing.csv", ("update", "steps", "seconds", "steps_per_second"))
        self._board: SummaryWriter | None = None

    def prepare(self, game: Game, *, resume: bool) -> None:
        """Make the folder of a new run, or see to it that the run in it can go on.

        Args:
            game: the rules.
            resume: whether a run that is there already is to go on; where none has begun yet, one begins.

        Raises:
            ConfigError: without `resume`, the folder exists; with it, the folder holds something else than a run, or a run with
                other settings or rules; nothing is changed then. The folder cannot be written.
        """
        if self.path.exists() and not resume:
            raise ConfigError(f"{self.path} exists already: --resume goes on with the run in it, --output names another folder")
        if (self.path / _BEGUN).is_file():
            self._check_same_run(game)
            return
        present = {path.name for path in self.path.glob("[!.]*")}  # names with a dot: files that were never completed
        if present - {_NOTES}:
            raise ConfigError(f"{self.path} holds no run that could be resumed: it has no {_BEGUN}")
        try:
            self._write_notes({**describe_run(self._config, game), "started": _now()})
            write_atomically(self.path / _BEGUN, to_toml(self._config.to_dict()).encode())
        except OSError as error:
            raise ConfigError(f"cannot write {self.path}: {error.strerror or error}") from error

    def _check_same_run(self, game: Game) -> None:
        check_same_settings(read_toml(self.path / _BEGUN), self._config, str(self.path))
        if self._notes().get("game_digest", game.digest) != game.digest:
            raise ConfigError(f"{self.path} is of a run with other rules: its digest is not {game.digest}, the game's now")

    def begin(self, update: int, steps: int) -> None:
        """Open the tables, and take back what they say of later updates than `update`, which ended `steps` decisions into the run.

        Raises:
            SchemaError: `metrics.csv` does not have all rows up to `update`, so that it would not become what it would have been.
        """
        if list(self._metrics.rows_up_to(update)) != list(range(1, update + 1)):
            raise SchemaError(
                f"{self.path / 'metrics.csv'} does not have the rows of updates 1 to {update}: bring it back, or begin another run"
            )
        for unfinished in (*self.path.glob(".*.tmp"), *self.path.glob("checkpoints/.*.tmp")):
            unfinished.unlink()  # what a process was writing when it was killed
        self._metrics.open(update)
        self._timing.open(update)
        if update or self._board_path.exists():
            self._write_notes({**self._notes(), "resumed": [*self._notes().get("resumed", []), _now()]})
        self._board = SummaryWriter(str(self._board_path), purge_step=steps + 1)

    @property
    def _board_path(self) -> Path:
        return self.path / "tensorboard"

    @property
    def is_finished(self) -> bool:
        """Whether the run went to its end."""
        return "ended" in self._notes()

    def record(self, update: int, steps: int, metrics: dict[str, float], seconds: float, steps_per_second: float) -> None:
        """Write what an update came to.

        Args:
            update: its number, from 1.
            steps: decisions so far.
            metrics: by column; what is missing or not a number stays empty.
            seconds: on the clock, since the program began.
            steps_per_second: of this update.
        """
        assert self._board is not None, "begin() comes first"
        self._metrics.append({"update": update, "steps": steps, **metrics})
        self._timing.append(
            {"update": update, "steps": steps, "seconds": round(seconds, 3), "steps_per_second": round(steps_per_second)}
        )
        evaluated = any(name.startswith("win_rate") for name in metrics)
        if evaluated or update % _TENSORBOARD_EVERY == 0:
            for name, value in {**metrics, "steps_per_second": steps_per_second}.items():
                if np.isfinite(value):
                    self._board.add_scalar(name, value, steps)

    def checkpoint_path(self, update: int) -> Path:
        """Where the checkpoint of an update goes."""
        return self.path / "checkpoints" / f"update-{update:06d}.safetensors"

    def flush(self) -> None:
        """Bring all rows to the disk. A checkpoint is written after the rows that lead up to it."""
        self._metrics.flush()
        self._timing.flush()
        if self._board is not None:
            self._board.flush()

    def drop_old_checkpoints(self) -> None:
        """Keep the newest few."""
        for path in self._checkpoints()[KEPT_CHECKPOINTS:]:
            path.unlink()

    def newest_checkpoint(self, read: Callable[[Path], T], warn: Callable[[str], None]) -> T | None:
        """What `read` makes of the newest checkpoint that it accepts; None if there is none at all.

        Args:
            read: raises a SchemaError for a checkpoint that is damaged.
            warn: is told of each of those.

        Raises:
            SchemaError: there are checkpoints, and all are damaged.
        """
        paths = self._checkpoints()
        for path in paths:
            try:
                return read(path)
            except SchemaError as error:
                warn(f"skipped a checkpoint: {error}")
        if paths:
            raise SchemaError(f"none of the {len(paths)} checkpoints in {self.path / 'checkpoints'} can be read")
        return None

    def _checkpoints(self) -> list[Path]:
        """Newest first."""
        return sorted((self.path / "checkpoints").glob("update-*.safetensors"), reverse=True)

    def finish(self) -> None:
        """Note that the run went to its end."""
        self._write_notes({**self._notes(), "ended": _now()})

    def close(self) -> None:
        """Close all files."""
        self._metrics.close()
        self._timing.close()
        if self._board is not None:
            self._board.close()

    def _notes(self) -> dict[str, Any]:
        try:
            notes = json.loads((self.path / _NOTES).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return notes if isinstance(notes, dict) else {}

    def _write_notes(self, notes: dict[str, Any]) -> None:
        write_atomically(self.path / _NOTES, (json.dumps(notes, indent=2) + "\n").encode())


class _Table:
    """A CSV file that grows row by row, and whose last rows can be taken back."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._path = path
        self._columns = tuple(columns)
        self._file: io.TextIOWrapper | None = None

    def rows_up_to(self, last_update: int) -> dict[int, str]:
        """The lines of updates up to one, by update, in the order of the file; none if there is no file."""
        found: dict[int, str] = {}
        if self._path.exists():
            # A killed process may leave half a row at the end; it belongs to no checkpoint.
            for line in self._path.read_text(encoding="utf-8", errors="replace").split("\n")[1:-1]:
                update = line.partition(",")[0]
                if update.isascii() and update.isdigit() and int(update) <= last_update:
                    found[int(update)] = line
        return found

    def open(self, last_update: int) -> None:
        """Drop the rows after an update, and be ready for the next one."""
        header = io.StringIO()
        csv.writer(header, lineterminator="\n").writerow(self._columns)
        lines = "".join(f"{line}\n" for line in self.rows_up_to(last_update).values())
        write_atomically(self._path, (header.getvalue() + lines).encode())
        self._file = self._path.open("a", encoding="utf-8", newline="")

    def append(self, row: dict[str, float]) -> None:
        """Write a row; numbers with all their digits."""
        assert self._file is not None, "open() comes first"
        unknown = set(row) - set(self._columns)
        assert not unknown, f"not columns of {self._path.name}: {unknown}"
        values = [row.get(column, "") for column in self._columns]
        csv.writer(self._file, lineterminator="\n").writerow("" if value != value else value for value in values)
        self._file.flush()

    def flush(self) -> None:
        """Bring the rows to the disk."""
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def describe_run(config: TrainConfig, game: Game) -> dict[str, Any]:
    """What made a run, as JSON values: programs, rules, settings, machine."""
    return {
        "duel_env": version("duel-env"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "git_commit": _git_commit(),
        "command": sys.argv,
        "ruleset": game.ruleset.name,
        "game_digest": game.digest,
        "config_digest": config.digest,
        "seed": config.seed,
        "machine": {"system": platform.platform(), "cpus": os.cpu_count(), "torch_cpu": torch.backends.cpu.get_cpu_capability()},
    }


def _git_commit() -> str | None:
    """Commit of the checkout that this code is a part of, with `-dirty` if something was changed since; None outside one."""
    if _git("ls-files", "--error-unmatch", Path(__file__).name) is None:
        return None  # installed somewhere within a checkout of something else, perhaps
    return _git("describe", "--always", "--dirty", "--abbrev=40", "--exclude", "*")


def _git(*arguments: str) -> str | None:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
