"""Ctrl-C as a request that a loop answers where it can stop cleanly, instead of an exception at any line."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopRequest:
    """Whether the process was asked to stop.

    Attributes:
        signal: the number of the signal that asked; 0 if none did.
    """

    def __init__(self) -> None:
        self.signal = 0

    def __bool__(self) -> bool:
        return self.signal != 0

    @property
    def exit_code(self) -> int:
        """By convention 128 plus the signal's number: 130 after Ctrl-C."""
        return 128 + self.signal


@contextmanager
def stop_on_request() -> Iterator[StopRequest]:
    """Turn the first Ctrl-C or SIGTERM into a request; a second one ends the program as usual.

    Outside the main thread, where Python delivers no signals, the request just never comes.
    """
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request
        return
    found = {number: signal.getsignal(number) for number in _SIGNALS}
    # A process in the background may have been started to ignore Ctrl-C; and what was not set by Python cannot be restored.
    previous = {number: handler for number, handler in found.items() if handler not in (signal.SIG_IGN, None)}

    def ask(number: int, _frame: FrameType | None) -> None:
        request.signal = number
        for caught, handler in previous.items():
            signal.signal(caught, handler)

    for number in previous:
        signal.signal(number, ask)
    try:
        yield request
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
