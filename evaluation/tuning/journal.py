"""The journal of a search: a line of JSON for each candidate, added a batch at a time, from which a search that was killed goes on."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

from pydantic import Field, model_validator

from duel_env.config import Settings, load, shown
from duel_env.errors import ConfigError, SchemaError
from duel_env.files import read_limited, write_atomically
from evaluation.tuning.figures import Figures

FORMAT: Final = "duel_env/tuning"
FORMAT_VERSION: Final = 1

_MAX_BYTES: Final = 2**30


class Entry(Settings):
    """A candidate that was solved."""

    number: int
    """From 0, today's rules."""
    parameters: dict[str, bool | int | str]
    """A value for each thing that may change."""
    figures: tuple[Figures, ...] = Field(strict=False)
    """By pair of skills, in the order of the wants; none if it could not be solved."""
    error: str | None
    """Why not; one line."""

    @model_validator(mode="after")
    def _check_outcome(self) -> Self:
        if bool(self.figures) == (self.error is not None):
            raise ValueError("expected either figures or an error")
        if self.error is not None and not (self.error and self.error.isprintable()):
            raise ValueError(f"error: expected a line of printable text, not {shown(self.error)}")
        return self


class Journal:
    """The file of one search.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, config_digest: str, game_digest: str) -> None:
        """Name the file; nothing is read or written yet.

        Args:
            path: the file.
            config_digest: of the `TuneConfig`.
            game_digest: of today's rules.
        """
        self.path = path
        header = {"format": FORMAT, "version": FORMAT_VERSION, "config": config_digest, "game": game_digest}
        self._header = json.dumps(header)

    def begin(self) -> None:
        """Write the first line, over whatever is there.

        Raises:
            OSError: the file cannot be written.
        """
        write_atomically(self.path, f"{self._header}\n".encode())

    def read(self, batch: int) -> list[Entry]:
        """The candidates of all whole batches; the rest of the file, which a killed search may leave behind, is cut off.

        Args:
            batch: candidates in each.

        Raises:
            ConfigError: the journal is of another search.
            SchemaError: it is damaged; the message names the line.
            OSError: it cannot be written.
        """
        lines = read_limited(self.path, _MAX_BYTES).split(b"\n")[:-1]
        self._check_header(lines[0] if lines else b"")
        whole = (len(lines) - 1) // batch * batch
        entries = [self._entry(number, line) for number, line in enumerate(lines[1 : whole + 1])]
        kept = b"".join(line + b"\n" for line in lines[: whole + 1])
        write_atomically(self.path, kept)
        return entries

    def append(self, entries: Sequence[Entry]) -> None:
        """Add a batch, and bring it to the disk.

        Raises:
            OSError: the file cannot be written.
        """
        text = "".join(json.dumps(entry.model_dump(mode="json"), ensure_ascii=False) + "\n" for entry in entries)
        with self.path.open("ab") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())

    def _check_header(self, line: bytes) -> None:
        header = self._json(line, 1)
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise SchemaError(f"{self.path}, line 1: not the journal of a search for rules")
        if header.get("version") != FORMAT_VERSION:
            raise SchemaError(f"{self.path}: version {header.get('version')!r} of the format, expected {FORMAT_VERSION}")
        if header != json.loads(self._header):
            raise ConfigError(
                f"{self.path} is of a search with other settings or rules: go on with its own file, or name another folder"
            )

    def _entry(self, number: int, line: bytes) -> Entry:
        values = self._json(line, number + 2)
        try:
            entry = load(Entry, values if isinstance(values, dict) else {}, f"{self.path}, line {number + 2}")
        except ConfigError as error:
            raise SchemaError(str(error)) from error
        if entry.number != number:
            raise SchemaError(f"{self.path}, line {number + 2}: expected candidate {number}, found {entry.number}")
        return entry

    def _json(self, line: bytes, number: int) -> Any:
        try:
            return json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise SchemaError(f"{self.path}, line {number}: damaged: {error}") from error
