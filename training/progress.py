"""What a person sees while a run is under way: a bar on a terminal, a line now and then elsewhere, nothing if so asked."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn

from training.printable import printable

_SECONDS_BETWEEN_LINES = 10.0


class ProgressDisplay:
    """Shows decisions, decisions a second, time left, and what was measured."""

    def __init__(self, total_steps: int, *, quiet: bool) -> None:
        """Choose the form: a bar if the standard output is a terminal, else lines; nothing with `quiet`."""
        self._total = total_steps
        self._quiet = quiet
        self._last_line = self._begun = time.monotonic()
        self._first_step: int | None = None
        self._bar: Progress | None = None
        if sys.stdout.isatty() and not quiet:
            columns: list[ProgressColumn] = [
                TextColumn("steps"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]:>9,.0f}/s"),
                TimeRemainingColumn(),
            ]
            self._bar = Progress(*columns)
            self._task = self._bar.add_task("", total=total_steps, rate=0.0)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def say(self, text: str) -> None:
        """Print a line beside the bar; with `quiet`, nothing."""
        if self._quiet:
            return
        text = printable(text)
        if self._bar is not None:
            self._bar.console.print(text, highlight=False, markup=False, soft_wrap=True)
        else:
            print(text, flush=True)

    def warn(self, text: str) -> None:
        """Print a line on the standard error, with `quiet` too."""
        print(f"warning: {printable(text)}", file=sys.stderr, flush=True)

    def show(self, steps: int, news: str) -> None:
        """Bring the display up to date.

        Args:
            steps: decisions so far.
            news: what was just measured; empty if nothing was.
        """
        now = time.monotonic()
        if self._first_step is None:
            self._first_step, self._begun = steps, now
        speed = (steps - self._first_step) / max(now - self._begun, 1e-9)
        if self._bar is not None:
            self._bar.update(self._task, completed=steps, rate=speed)
            if news:
                self.say(f"{steps:,} steps: {news}")
        elif news or now - self._last_line >= _SECONDS_BETWEEN_LINES:
            self._last_line = now
            left = f", {(self._total - steps) / speed:.0f} s left" if speed > 0.0 else ""
            self.say(f"{steps:,} of {self._total:,} steps, {speed:,.0f}/s{left}{'; ' + news if news else ''}")
