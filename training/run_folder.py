"""The folder of a run: what is in it, how it begins, and what is taken back when the run is resumed.

* `config.toml`: the settings, resolved; a run with this file is the same run.
* `run.json`: versions, rules, machine, when it began, was resumed and ended.
* `metrics.csv`: a row for each update; the same bytes however often the run was interrupted.
* `timing.csv`: what the clock said; not reproducible.
* `tensorboard/`: the same numbers for TensorBoard.
* `checkpoints/`: `update-000123.safetensors`, the newest few.
* `policy.safetensors`: the policy as of the newest checkpoint, at last of the end.
* `.lock`: see `folder_lock`.
"""

import csv
import io
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

from duel_env.config import read_toml
from duel_env.errors import ConfigError, SchemaError
from duel_env.files import read_limited, write_atomically
from duel_env.game import Game
from training.checkpoint import check_same_settings
from training.config import TrainConfig
from training.folder_lock import FolderLock
from training.printable import without_folders
from training.toml_text import to_toml

KEPT_CHECKPOINTS = 3
_TENSORBOARD_EVERY = 10
"""Updates between two sets of points for TensorBoard; what is only measured now and then is always there."""

_NOTES = "run.json"
_BEGUN = "config.toml"
"""Written last when a run begins: a folder without it holds no run yet."""

_CHECKPOINT = re.compile(r"update-([0-9]{6,15})\.safetensors")

_MAX_BYTES = 2**30
"""Largest table or `run.json` that is read."""

_REMEDY = "bring it back from a copy, or begin another run in another folder"

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
        self._lock: FolderLock | None = None

    def prepare(self, game: Game, *, resume: bool) -> None:
        """Make the folder of a new run, or see to it that the run in it can go on; nobody else can use it until `close`.

        Args:
            game: the rules.
            resume: whether a run that is there already is to go on; where none has begun yet, one begins.

        Raises:
            ConfigError: without `resume`, the folder exists; with it, the folder holds something else than a run, or a run with
                other settings or rules; nothing is changed then. Another process trains in it. It cannot be written.
            SchemaError: `run.json` or `config.toml` is damaged or missing.
        """
        try:
            if resume:
                self._has_begun(game)  # refused before anything is written
            elif self.path.exists():
                raise self._exists_already()
            self._make(resume)
            self._lock = FolderLock(self.path)
            if not self._has_begun(game):  # looked at again, now that nobody else can change it
                self._write_notes({**describe_run(self._config, game), "started": _now()})
                write_atomically(self.path / _BEGUN, to_toml(self._config.to_dict()).encode())
        except OSError as error:
            raise ConfigError(f"cannot write {self.path}: {error.strerror or error}") from error

    def _make(self, resume: bool) -> None:
        if resume and self.path.exists() and not self.path.is_dir():
            raise ConfigError(f"{self.path} is no folder: --output names the folder of a run")
        try:
            self.path.mkdir(parents=True, exist_ok=resume)
        except FileExistsError as error:  # made by somebody else in this very moment
            raise self._exists_already() from error

    def _exists_already(self) -> ConfigError:
        return ConfigError(f"{self.path} exists already: --resume goes on with the run in it, --output names another folder")

    def _has_begun(self, game: Game) -> bool:
        """Whether there is a run in the folder. It is this one then, or there is an error; so there is for what is no run."""
        if (self.path / _BEGUN).is_file():
            self._check_same_run(game)
            return True
        present = {path.name for path in self.path.iterdir() if path.name[0] != "."} if self.path.is_dir() else set()
        if present - {_NOTES}:  # names with a dot: files that were never completed, and the lock
            raise ConfigError(f"{self.path} holds no run that could be resumed: it has no {_BEGUN}; {_REMEDY}")
        return False

    def _check_same_run(self, game: Game) -> None:
        try:
            written = read_toml(self.path / _BEGUN)
        except ConfigError as error:
            raise SchemaError(f"{error}; {_REMEDY}") from error
        check_same_settings(written, self._config, str(self.path))
        digest = self._notes().get("game_digest")
        if digest != game.digest:
            raise ConfigError(f"{self.path} is of a run with other rules: {digest!r}; the game now has {game.digest!r}")

    def begin(self, update: int, steps: int) -> None:
        """Open the tables, and take back what they say of later updates than `update`, which ended `steps` decisions into the run.

        Raises:
            SchemaError: a table does not have exactly the rows of the updates up to `update`, so that it would not become what it
                would have been; or there was a checkpoint, and there is none now. Nothing is changed then.
        """
        if not update and self.policy_path.exists():  # it is written after the first checkpoint
            raise SchemaError(f"{self.path} has a policy, but no checkpoint in {self.path / 'checkpoints'}: {_REMEDY}")
        for table in (self._metrics, self._timing):
            table.rows_up_to(update)  # both are looked at before one is changed
        for unfinished in (*self.path.glob(".*.tmp"), *self.path.glob("checkpoints/.*.tmp")):
            unfinished.unlink()  # what a process was writing when it was killed
        self._metrics.open(update)
        self._timing.open(update)
        if update or self._board_path.exists():
            notes = self._notes()
            self._write_notes({**notes, "resumed": [*notes.get("resumed", []), _now()]})
        self._board = SummaryWriter(str(self._board_path), purge_step=steps + 1)

    @property
    def _board_path(self) -> Path:
        return self.path / "tensorboard"

    @property
    def is_finished(self) -> bool:
        """Whether the run went to its end, and its policy is there."""
        return "ended" in self._notes() and self.policy_path.is_file()

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
        evaluated = any(name.startswith(("win_rate", "exploitability")) for name in metrics)
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

    def drop_old_checkpoints(self, update: int) -> None:
        """Keep the newest few up to an update. Later ones, which could not be read, are left alone until they are written anew."""
        old = [path for number, path in self._checkpoints() if number <= update]
        for path in old[KEPT_CHECKPOINTS:]:
            path.unlink()

    def newest_checkpoint(self, read: Callable[[Path], T], warn: Callable[[str], None]) -> T | None:
        """What `read` makes of the newest checkpoint that it accepts; None if there is none at all.

        Args:
            read: raises a SchemaError for a checkpoint that is damaged, a ConfigError for one of another run.
            warn: is told of each of those.

        Raises:
            SchemaError: there are checkpoints, and none is accepted.
        """
        paths = [path for _, path in self._checkpoints()]
        for path in paths:
            try:
                return read(path)
            except (SchemaError, ConfigError) as error:
                warn(f"skipped a checkpoint: {error}")
        if paths:
            raise SchemaError(f"none of the {len(paths)} checkpoints in {self.path / 'checkpoints'} can be read: {_REMEDY}")
        return None

    def _checkpoints(self) -> list[tuple[int, Path]]:
        """Update and file, newest first."""
        matches = [(_CHECKPOINT.fullmatch(path.name), path) for path in (self.path / "checkpoints").glob("update-*.safetensors")]
        return sorted(((int(match[1]), path) for match, path in matches if match and path.is_file()), reverse=True)

    def finish(self) -> None:
        """Note that the run went to its end."""
        self._write_notes({**self._notes(), "ended": _now()})

    def close(self) -> None:
        """Close all files, and let others use the folder. Can be called at any time."""
        with ExitStack() as last_first:  # each is closed, whatever goes wrong with another
            if self._lock is not None:
                last_first.callback(self._lock.release)
            if self._board is not None:
                last_first.callback(self._board.close)
            last_first.callback(self._timing.close)
            last_first.callback(self._metrics.close)

    def _notes(self) -> dict[str, Any]:
        """The content of `run.json`.

        Raises:
            SchemaError: it is missing or damaged.
        """
        path = self.path / _NOTES
        content = _read(path)
        try:
            notes = json.loads(content.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise SchemaError(f"{path} is not JSON, or is damaged: {error}; {_REMEDY}") from error
        if not isinstance(notes, dict) or "game_digest" not in notes or not isinstance(notes.get("resumed", []), list):
            raise SchemaError(f"{path} is not what a run writes: expected an object with game_digest; {_REMEDY}")
        return notes

    def _write_notes(self, notes: dict[str, Any]) -> None:
        write_atomically(self.path / _NOTES, (json.dumps(notes, indent=2) + "\n").encode())


_NUMBER = re.compile(rb"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?inf")


def _read(path: Path) -> bytes:
    try:
        return read_limited(path, _MAX_BYTES)
    except SchemaError as error:
        raise SchemaError(f"{error}; {_REMEDY}") from error


class _Table:
    """A CSV file that grows row by row, and whose last rows can be taken back."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._path = path
        self._columns = tuple(columns)
        self._file: io.TextIOWrapper | None = None

    def rows_up_to(self, last_update: int) -> list[str]:
        """The lines of updates 1 to `last_update`.

        What comes after them belongs to no checkpoint, and comes again: whole rows, and at the end half of one, perhaps.

        Raises:
            SchemaError: they are not all there, in their order, with a number or nothing in each column; the message names the line.
        """
        if last_update == 0:
            return []
        lines = _read(self._path).split(b"\n")[:-1][: last_update + 1]
        for number, line in enumerate(lines, 1):
            problem = self._problem(number, line)
            if problem:
                raise SchemaError(f"{self._path}, line {number}: {problem}; {_REMEDY}")
        if len(lines) <= last_update:
            raise SchemaError(
                f"{self._path}, line {len(lines) + 1}: the rows of updates {max(len(lines), 1)} to {last_update} are missing; {_REMEDY}"
            )
        return [line.decode("ascii") for line in lines[1:]]

    def _problem(self, number: int, line: bytes) -> str:
        """What is wrong with a line that is numbered from 1; nothing if all is well."""
        if number == 1:
            return "" if line + b"\n" == self._header else "expected the names of the columns"
        cells = line.split(b",")
        if cells[0] != str(number - 1).encode():
            return f"expected the row of update {number - 1}, found {line[:40]!r}"
        if len(cells) != len(self._columns):
            return f"expected {len(self._columns)} columns, found {len(cells)}"
        wrong = [cell for cell in cells if cell and not _NUMBER.fullmatch(cell)]
        return f"expected numbers, found {wrong[0][:40]!r}" if wrong else ""

    @property
    def _header(self) -> bytes:
        header = io.StringIO()
        csv.writer(header, lineterminator="\n").writerow(self._columns)
        return header.getvalue().encode()

    def open(self, last_update: int) -> None:
        """Drop the rows after an update, and be ready for the next one."""
        lines = "".join(f"{line}\n" for line in self.rows_up_to(last_update))
        write_atomically(self._path, self._header + lines.encode())
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
        "command": ["duel", *map(without_folders, sys.argv[1:])],
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
