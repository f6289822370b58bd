"""All pairs of skills solved: who wins, by how much, and how best to begin."""

import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from duel_env.config import shown
from duel_env.errors import ConfigError, SchemaError
from duel_env.files import read_limited, write_atomically
from duel_env.game import NUM_PLAYERS, Game
from evaluation.exact.solution import FIRST, SECOND, solve

FORMAT: Final = "duel_env/atlas"
FORMAT_VERSION: Final = 1
MAX_BYTES: Final = 2**26
"""Largest atlas file that is read."""

_STARTS: Final = (FIRST, SECOND)
_SAVE_EVERY_S: Final = 3.0
_FIELDS: Final = {"value": np.float64, "low": np.float64, "high": np.float64, "opening": np.int8}


class Atlas:
    """Solutions of the start for all pairs of some skills. K skills; a pair that is not solved yet has nan and -1.

    Attributes:
        game: the rules.
        skills: int (K,).
        value: float64 (K, K, 2), [skill of player 0, skill of player 1, who acts first]: probability that player 0 wins plus half
            of that of a draw, without a round limit.
        low, high: float64 (K, K, 2), certified bounds of it.
        opening: int8 (K, K, 2), the best first action of whoever acts first.
    """

    def __init__(self, game: Game, skills: NDArray[np.int64]) -> None:
        """An empty one.

        Raises:
            ConfigError: a ruleset whose duelists are not told by a skill, or skills outside 0..100, or twice the same.
        """
        if game.ruleset.sheet_dtype.names != ("skill",):
            raise ConfigError(f"the duelists of {game.ruleset.name} are more than a skill: there is no atlas of them")
        skills = np.asarray(skills)
        if skills.ndim != 1 or len(skills) == 0 or skills.dtype.kind != "i" or np.any((skills < 0) | (skills > 100)):
            raise ConfigError("skills of an atlas: expected integers from 0 to 100")
        if len(np.unique(skills)) != len(skills):
            raise ConfigError("skills of an atlas: expected each of them once")
        self.game = game
        self.skills = skills.astype(np.int64)
        shape = (len(skills), len(skills), len(_STARTS))
        self.value, self.low, self.high = (np.full(shape, np.nan) for _ in range(3))
        self.opening = np.full(shape, -1, np.int8)

    @property
    def num_solved(self) -> int:
        """How many pairs are solved."""
        return int(np.sum(self.opening[:, :, 0] >= 0))

    @property
    def num_pairs(self) -> int:
        """All pairs."""
        return len(self.skills) ** 2

    @property
    def max_error(self) -> float:
        """Greatest distance between the bounds of a value; nan if nothing is solved."""
        return float(np.nanmax(self.high - self.low)) if self.num_solved else float("nan")

    def unsolved_pairs(self) -> list[tuple[int, int]]:
        """Pairs (i, j), i <= j, that are not solved, by their places in `skills`; (j, i) is the same duel with seats swapped."""
        return [(i, j) for i in range(len(self.skills)) for j in range(i, len(self.skills)) if self.opening[i, j, 0] < 0]

    def solve_pair(self, i: int, j: int) -> None:
        """Solve (i, j) and (j, i)."""
        sheets = np.zeros(NUM_PLAYERS, self.game.ruleset.sheet_dtype)
        sheets["skill"] = self.skills[[i, j]]
        solution = solve(self.game, sheets)
        for first in _STARTS:
            low, high = solution.win_bounds(first)
            value, opening = solution.win_probability(first), solution.actions[solution.start(first)]
            # With seats swapped player 0 is the former player 1. The action is noted last: it says that the pair is solved.
            for row, column, start, ours in ((j, i, 1 - first, False), (i, j, first, True)):
                self.value[row, column, start] = value if ours else 1.0 - value
                self.low[row, column, start] = low if ours else 1.0 - high
                self.high[row, column, start] = high if ours else 1.0 - low
                self.opening[row, column, start] = opening

    # ---- files ----------------------------------------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """The atlas as an .npz file: the arrays, and JSON text `about` with the rules. Equal atlases give equal bytes."""
        about = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "ruleset": self.game.ruleset.name,
            "digest": self.game.digest,
            "options": self.game.options_json(),
            "actions": [action.id for action in self.game.actions],
        }
        arrays = {"about": np.array(json.dumps(about, ensure_ascii=False, sort_keys=True)), "skills": self.skills}
        arrays |= {name: getattr(self, name) for name in _FIELDS}
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, array in arrays.items():
                content = io.BytesIO()
                np.lib.format.write_array(content, array, allow_pickle=False)
                archive.writestr(zipfile.ZipInfo(f"{name}.npy"), content.getvalue(), zipfile.ZIP_DEFLATED)
        return buffer.getvalue()

    @classmethod
    def read(cls, path: Path, game: Game) -> "Atlas":
        """An atlas that was written, whole or in part.

        Raises:
            SchemaError: no atlas, a damaged one, one of other rules, or one whose values are none.
        """
        content = read_limited(path, MAX_BYTES)
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as file:
                size = sum(entry.file_size for entry in file.zip.infolist())
                if size > MAX_BYTES:
                    raise SchemaError(f"{path}: {size:,} bytes unpacked, more than {MAX_BYTES:,}")
                arrays = {name: file[name] for name in ("about", "skills", *_FIELDS)}
            about = json.loads(str(arrays["about"]))
        except SchemaError:
            raise
        except (
            Exception
        ) as error:  # damaged bytes make zipfile, its decompressors and NumPy's reader of headers raise nearly anything
            raise SchemaError(f"{path} is no atlas, or a damaged one: {shown(str(error))}") from error
        if not isinstance(about, dict) or (about.get("format"), about.get("version")) != (FORMAT, FORMAT_VERSION):
            raise SchemaError(f"{path}: expected {FORMAT} of version {FORMAT_VERSION}")
        if about.get("digest") != game.digest:
            raise SchemaError(f"{path} is of rules {shown(about.get('digest'))}, these are {game.digest!r}")
        try:
            atlas = cls(game, arrays["skills"])
        except ConfigError as error:
            raise SchemaError(f"{path}: {error}") from error
        for name, dtype in _FIELDS.items():
            mine = getattr(atlas, name)
            if arrays[name].shape != mine.shape or arrays[name].dtype != dtype:
                raise SchemaError(f"{path}: {name}: expected {np.dtype(dtype)} of shape {mine.shape}")
            mine[...] = arrays[name]
        atlas._check_values(path)
        return atlas

    def _check_values(self, path: Path) -> None:
        solved = self.opening >= 0
        values = np.stack([self.low, self.value, self.high])[:, solved]
        if np.any(self.opening >= self.game.num_actions) or np.any(self.opening < -1):
            raise SchemaError(f"{path}: opening: expected actions from 0 to {self.game.num_actions - 1}, or -1")
        if np.any(solved != solved[:, :, :1]) or np.any(solved != solved.swapaxes(0, 1)):
            raise SchemaError(f"{path}: opening: expected pairs that are solved for both starts and both seats, or not at all")
        # Bounds may pass 0 and 1 by their own width.
        if not (np.all(np.diff(values, axis=0) >= 0.0) and np.all((values > -1e-6) & (values < 1.0 + 1e-6))):
            raise SchemaError(f"{path}: expected 0 <= low <= value <= high <= 1")


def solve_atlas(
    atlas: Atlas, path: Path, workers: int, progress: Callable[[int, int], None], should_stop: Callable[[], object]
) -> bool:
    """Solve what is missing, and write the file every few seconds and at the end.

    Args:
        atlas: is filled in.
        path: of the file.
        workers: threads.
        progress: is told how many pairs are solved, of how many.
        should_stop: is asked between pairs.

    Returns:
        whether all is solved; what is solved is in the file in any case.

    Raises:
        OSError: the file cannot be written.
        ConfigError, ConvergenceError: as `solve`.
    """
    saved = time.monotonic()
    pairs = atlas.unsolved_pairs()
    with ThreadPoolExecutor(workers) as pool:
        for _ in _in_any_order(pool, atlas.solve_pair, pairs, workers, should_stop):
            progress(atlas.num_solved, atlas.num_pairs)
            if time.monotonic() - saved > _SAVE_EVERY_S:
                write_atomically(path, atlas.to_bytes())
                saved = time.monotonic()
    write_atomically(path, atlas.to_bytes())
    return atlas.num_solved == atlas.num_pairs


def _in_any_order(
    pool: ThreadPoolExecutor,
    function: Callable[[int, int], None],
    pairs: list[tuple[int, int]],
    workers: int,
    should_stop: Callable[[], object],
) -> Iterator[Any]:
    """Yields after each batch of pairs; a batch is small, so that a request to stop is answered soon."""
    size = 8 * workers
    for start in range(0, len(pairs), size):
        if should_stop():
            return
        yield list(pool.map(lambda pair: function(*pair), pairs[start : start + size]))
