"""Files that are written whole or not at all, and read with a limit."""

import os
import stat
import tempfile
from pathlib import Path

from duel_env.errors import ConfigError, SchemaError


def read_limited(path: Path, max_bytes: int) -> bytes:
    """The content of a regular file.

    Raises:
        SchemaError: it cannot be read, is a folder, a pipe or a device, or is larger than `max_bytes`.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SchemaError(f"{path} is not a regular file")
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        raise SchemaError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    if len(content) > max_bytes:
        raise SchemaError(f"{path} is larger than {max_bytes:,} bytes")
    return content


def write_atomically(path: Path, content: bytes) -> None:
    """Replace `path` by `content`: whoever reads it, at any moment, finds the old content or the new one, never a part.

    Raises:
        ConfigError: something else than a regular file is there, such as a pipe or a device; it stays as it is.
        OSError: the folder cannot be written, or `path` is a folder; the old file is untouched.
    """
    if path.exists() and not path.is_dir() and not path.is_file():
        raise ConfigError(f"cannot write {path}: it is there, and is not a regular file")
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
