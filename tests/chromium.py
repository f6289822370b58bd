"""Pages opened in headless Chromium, driven through its debugging pipe: nothing but the standard library, and the browser itself."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # CI runs as root, where the sandbox refuses to start; the page is our own
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def find_chromium() -> str | None:
    """The browser of this machine: `DUEL_ENV_CHROMIUM`, or the first that is on the path."""
    return os.environ.get("DUEL_ENV_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)


class Browser:
    """One tab, and all that it reported."""

    def __init__(self, commands: int, answers: int, timeout_s: float) -> None:
        """Args: the two ends of the pipe, file descriptors; how long to wait for an answer."""
        self._commands, self._answers, self._timeout_s = commands, answers, timeout_s
        self._buffer, self._number, self._session = b"", 0, None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> Any:
        """Send a command of the DevTools protocol and wait for its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        answer = self._wait(lambda found: found.get("id") == self._number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, page: Path, width: int, height: int = 800, *, dark: bool = False) -> None:
        """Open a file at a width in CSS pixels, and wait until it is drawn."""
        self.events.clear()
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Page.navigate", url=page.resolve().as_uri())
        if not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self._wait(lambda found: found.get("method") == "Page.loadEventFired")

    def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression in the page."""
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def screenshot(self, path: Path, *, clip: tuple[float, float, float, float] | None = None, scale: float = 1.0) -> None:
        """Save a picture of the whole page, or of x, y, width, height, as PNG."""
        if clip is None:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = (0, 0, size["width"], size["height"])
        x, y, width, height = clip
        area = {"x": x, "y": y, "width": width, "height": height, "scale": scale}
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=area)
        path.write_bytes(base64.b64decode(found["data"]))

    def _wait(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        end = time.monotonic() + self._timeout_s
        while time.monotonic() < end:
            while b"\0" not in self._buffer:
                part = os.read(self._answers, 1 << 20)
                if not part:
                    raise RuntimeError("Chromium has ended")
                self._buffer += part
            text, _, self._buffer = self._buffer.partition(b"\0")
            message = json.loads(text)
            if "id" not in message:
                self.events.append(message)
            if wanted(message):
                return dict(message)
        raise TimeoutError("no answer from Chromium")


@contextmanager
def chromium(program: str, timeout_s: float = 60.0) -> Iterator[Browser]:
    """A browser of its own, with an empty profile."""
    from_us, to_us = os.pipe(), os.pipe()

    # Chromium reads commands from descriptor 3 and answers on 4. A shell puts the pipes there: no Python runs between fork and exec.
    plumbing = f'exec "$@" 3<&{from_us[0]} 4>&{to_us[1]}'
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            ["bash", "-c", plumbing, "chromium", program, *_OPTIONS, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(from_us[0], to_us[1]),
        )
        os.close(from_us[0])
        os.close(to_us[1])
        try:
            yield Browser(from_us[1], to_us[0], timeout_s)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            os.close(from_us[1])
            os.close(to_us[0])
