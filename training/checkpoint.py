"""Checkpoints: everything that a run needs to go on bit for bit, in one safetensors file. Nothing in it is code.

The arrays stand beside a JSON header with the format, its version, the settings and rules of the run, its counters, and a hash of
the arrays. Arrays of records are kept as bytes, with a description of the records that is compared when they are read.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from duel_env.errors import ConfigError, SchemaError
from duel_env.files import write_atomically
from training.config import TrainConfig, differing_keys
from training.printable import printable

FORMAT = "duel_env/checkpoint"
FORMAT_VERSION = 1
MAX_BYTES = 4 * 1024**3
"""Largest file that is read."""

_DAMAGED = (SafetensorError, ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What safetensors and NumPy raise for content that they did not expect, types that NumPy lacks among it."""

Arrays = Mapping[str, NDArray[Any]]


class Checkpoint(NamedTuple):
    """What a checkpoint holds.

    Attributes:
        arrays: by name, writable.
        counters: by name.
    """

    arrays: dict[str, NDArray[Any]]
    counters: dict[str, int]


def write_checkpoint(path: Path, arrays: Arrays, counters: Mapping[str, int], config: TrainConfig, game_digest: str) -> None:
    """Write a checkpoint, whole or not at all.

    Args:
        path: the file.
        arrays: of any dtype that safetensors knows, or of records.
        counters: integers to go with them.
        config: of the run.
        game_digest: of the rules.
    """
    stored = {name: _to_stored(array) for name, array in arrays.items()}
    metadata = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "config": config.to_dict(),
        "game": game_digest,
        "counters": dict(counters),
        "dtypes": {name: _describe(array.dtype) for name, array in arrays.items()},
        "sha256": _hash(stored),
    }
    write_atomically(path, save(stored, {"checkpoint": json.dumps(metadata)}))


def read_checkpoint(path: Path, expected: Arrays, counters: tuple[str, ...], config: TrainConfig, game_digest: str) -> Checkpoint:
    """Read a checkpoint and check all of it.

    Args:
        path: the file.
        expected: arrays of the names, shapes and dtypes that the file must have; their content does not matter.
        counters: names of the counters that it must have.
        config: of the run that is to go on.
        game_digest: of the rules.

    Raises:
        SchemaError: it is no such checkpoint, it is damaged, or it is of other rules; the message says in what.
        ConfigError: it is of a run with other settings; the message names them.
    """
    metadata, stored = _read(path)
    if metadata.get("format") != FORMAT or metadata.get("version") != FORMAT_VERSION:
        raise SchemaError(
            f"{path}: format {metadata.get('format')!r:.80} version {metadata.get('version')!r:.80}; "
            f"expected {FORMAT!r} version {FORMAT_VERSION}"
        )
    if metadata.get("sha256") != _hash(stored):
        raise SchemaError(f"{path}: the arrays are not those that were written: the file is damaged")
    check_same_settings(metadata.get("config"), config, str(path))
    if metadata.get("game") != game_digest:
        raise SchemaError(f"{path}: of rules {metadata.get('game')!r:.80}; the game now has {game_digest!r}")
    return Checkpoint(_checked_arrays(path, metadata, stored, expected), _checked_counters(path, metadata, counters))


def check_same_settings(written: Any, config: TrainConfig, where: str) -> None:
    """Refuse to go on with other settings.

    Args:
        written: the settings of the run, as `TrainConfig.to_dict` gives them.
        config: the settings now.
        where: whose the first ones are, for the message.

    Raises:
        ConfigError: names the keys that differ.
    """
    if not isinstance(written, dict):
        raise SchemaError(f"{where}: its settings are no table")
    different = differing_keys(written, json.loads(json.dumps(config.to_dict())))
    if different:
        raise ConfigError(
            f"{where} is of a run with other settings: {printable(', '.join(different))[:1000]} differ; "
            "resume with those of the run, or begin another run in another folder"
        )


def _read(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SchemaError(f"{path} is larger than {MAX_BYTES:,} bytes")
        with safe_open(path, framework="numpy") as file:
            metadata = json.loads((file.metadata() or {}).get("checkpoint", "null"))
            stored = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (not a mapping)
    except OSError as error:
        raise SchemaError(f"cannot read {path}: {error.strerror or error}") from error
    except _DAMAGED as error:
        raise SchemaError(f"{path} is damaged, or no safetensors file: {printable(str(error))[:300]}") from error
    if not isinstance(metadata, dict):
        raise SchemaError(f"{path} is not a checkpoint: it lacks the header")
    return metadata, stored


def _checked_arrays(
    path: Path, metadata: dict[str, Any], stored: dict[str, NDArray[Any]], expected: Arrays
) -> dict[str, NDArray[Any]]:
    dtypes = metadata.get("dtypes")
    if not isinstance(dtypes, dict) or set(stored) != set(expected) or set(dtypes) != set(expected):
        names, found = (", ".join(sorted(arrays)) for arrays in (expected, stored))
        raise SchemaError(f"{path}: expected exactly the arrays {names}; it has {printable(found)[:1000]}")
    arrays = {}
    for name, like in expected.items():
        array = stored[name]
        wanted = _to_stored(like)
        if dtypes[name] != _describe(like.dtype) or array.dtype != wanted.dtype or array.shape != wanted.shape:
            raise SchemaError(
                f"{path}: {name} is {dtypes[name]!r:.300} stored as {array.dtype} {array.shape}; "
                f"expected {_describe(like.dtype)} stored as {wanted.dtype} {wanted.shape}"
            )
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise SchemaError(f"{path}: {name} has values that are not finite")
        if array.dtype == np.bool_ and (array.view(np.uint8) > 1).any():
            raise SchemaError(f"{path}: {name} has bytes that are neither true nor false")
        arrays[name] = array.copy().view(like.dtype).reshape(like.shape)
    return arrays


def _checked_counters(path: Path, metadata: dict[str, Any], names: tuple[str, ...]) -> dict[str, int]:
    counters = metadata.get("counters")
    if not isinstance(counters, dict) or set(counters) != set(names):
        raise SchemaError(f"{path}: expected exactly the counters {', '.join(names)}")
    for name, value in counters.items():
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
            raise SchemaError(f"{path}: counter {name} = {str(value)[:80]!r}: expected an integer from 0 to 2**63 - 1")
    return counters


def check_values(name: str, values: NDArray[Any], low: float, high: float) -> None:
    """Refuse numbers of a checkpoint that no run has, and that would be used as they are, as indices perhaps.

    Raises:
        SchemaError: one is below `low` or above `high`.
    """
    wrong = values[~((values >= low) & (values <= high))]
    if wrong.size:
        raise SchemaError(f"{name} has {wrong.flat[0]!r}: expected numbers from {low} to {high}")


def _to_stored(array: NDArray[Any]) -> NDArray[Any]:
    """The array as safetensors can keep it: contiguous, records as their bytes."""
    contiguous = np.ascontiguousarray(array)
    if array.dtype.names is None:
        return contiguous
    return contiguous.view(np.uint8).reshape(*array.shape, array.dtype.itemsize)


def _describe(dtype: np.dtype[Any]) -> str:
    return str(dtype.descr) if dtype.names else str(dtype)


def _hash(stored: dict[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for name in sorted(stored):
        digest.update(f"{name} {stored[name].dtype} {stored[name].shape}".encode())
        digest.update(stored[name].tobytes())
    return digest.hexdigest()
