"""A lock on a folder that ends with the process that holds it, however that ends: a run that was killed can be resumed at once."""

import sys
from pathlib import Path

from duel_env.errors import ConfigError

LOCK_FILE = ".lock"
"""It stays in the folder, empty: only a lock held by the operating system counts, not that the file is there."""


class FolderLock:
    """Held from its making to `release`, or to the end of the process.

    On file systems without locks (some network drives) it is held by nobody, and keeps nobody out.
    """

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            ConfigError: another process has it.
            OSError: the folder cannot be written.
        """
        self._file = (folder / LOCK_FILE).open("ab")
        try:
            _lock(self._file.fileno())
        except (BlockingIOError, PermissionError) as error:
            self._file.close()
            raise ConfigError(
                f"{folder} is in use: another process works in it; wait until it has ended, or name another folder"
            ) from error
        except OSError:
            pass  # no locks here

    def release(self) -> None:
        """Let others in."""
        self._file.close()


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
