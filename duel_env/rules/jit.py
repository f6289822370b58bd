"""The one way in which this package compiles code.

Numba's own cache notices a change in the file of a cached function, but not in the other modules that it calls, and ignores
a changed bounds-check setting. The cache directory is therefore named by a digest of all kernel sources and of that setting:
any change of a rule gives a new directory, and a stale machine code cannot be loaded.
"""

import hashlib
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import event

Kernel = Callable[..., Any]

CACHE_VARIABLE = "DUEL_ENV_CACHE_DIR"
QUIET_VARIABLE = "DUEL_ENV_QUIET"

if numba.config.DISABLE_JIT:
    # The generator of random bits wraps around on purpose; uncompiled NumPy scalars would warn at each draw.
    np.seterr(over="ignore")


def _sources_digest() -> str:
    digest = hashlib.sha256(f"boundscheck={numba.config.BOUNDSCHECK}".encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False


def _cache_directory() -> Path | None:
    """Where compiled kernels are kept: `$DUEL_ENV_CACHE_DIR`, else the user's cache folder; None when neither can be written."""
    chosen = os.environ.get(CACHE_VARIABLE)
    user_cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    root = Path(chosen) if chosen else Path(user_cache) / "duel_env"
    directory = root / f"kernels-{_sources_digest()}"
    if _writable(directory):
        return directory
    warnings.warn(
        f"cannot write compiled kernels to {root}: every process compiles anew; set {CACHE_VARIABLE} to a writable folder",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


CACHE_DIRECTORY = _cache_directory()


class _CompileNotice(event.Listener):  # type: ignore[misc]  # Numba is untyped here
    """Says once per process that a compilation is under way, since it takes seconds in which nothing else is printed."""

    announced = False

    def on_start(self, event: Any) -> None:
        name = event.data["dispatcher"].py_func.__module__
        if _CompileNotice.announced or name.split(".")[0] not in {"duel_env", "agents", "evaluation"}:
            return
        _CompileNotice.announced = True
        if not os.environ.get(QUIET_VARIABLE):
            kept = f"kept for the next time in {CACHE_DIRECTORY}" if CACHE_DIRECTORY else "not kept: no writable cache folder"
            print(f"duel_env: compiling kernels that were not used here before, some seconds ({kept})", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        """Part of Numba's listener interface; nothing to say at the end."""


if not numba.config.DISABLE_JIT:
    event.register("numba:compile", _CompileNotice())


def kernel(function: Kernel) -> Kernel:
    """Compile `function` in nopython mode, without the GIL, cached under a directory named by the sources' digest."""
    return _compile(function, parallel=False, inline=False)


def inline_kernel(function: Kernel) -> Kernel:
    """As `kernel`, always inlined: for short functions on a store, whose many arrays are costly to pass."""
    return _compile(function, parallel=False, inline=True)


def parallel_kernel(function: Kernel) -> Kernel:
    """As `kernel`, for loops over `numba.prange`."""
    return _compile(function, parallel=True, inline=False)


def _compile(function: Kernel, *, parallel: bool, inline: bool) -> Kernel:
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_DIRECTORY) if CACHE_DIRECTORY else previous
    try:
        compiled: Kernel = numba.njit(
            cache=CACHE_DIRECTORY is not None, nogil=True, error_model="python", parallel=parallel, _nrt=False, forceinline=inline
        )(function)
    finally:
        numba.config.CACHE_DIR = previous
    return compiled
