"""A time limit for waiting on other processes, for libraries that keep none themselves.

NCCL's kernels wait for the other processes on the device, and the host waits for the device in C,
so the waiting thread cannot stop itself.  Another thread watches the collectives.  If one takes too
long, it aborts all of them, which lets the host go on, and the thread that began the collective
gets an exception before it can use the result.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from ..._errors.exceptions import RanksError

_STEP: Final = 0.25
"""Seconds between two looks."""

_GIVING_UP: Final = 60.0
"""Seconds to wait for the abort as the process ends."""


class Watch:
    """A thread that watches collectives.

    Parameters
    ----------
    seconds : float
        How long a collective may last.
    mark : callable
        Returns an event behind the work given to the device so far; ``query`` says whether it is
        done.  Unlike the collective's own work object, an event holds no memory.
    give_up : callable
        Aborts all collectives; their results are lost.
    """

    def __init__(
        self, seconds: float, mark: Callable[[], Any], give_up: Callable[[], object]
    ) -> None:
        self._seconds, self._mark, self._give_up = seconds, mark, give_up
        self._begun: deque[tuple[float, int, Any]] = deque()
        self._some = threading.Event()
        self.failed = False
        """Whether a collective took too long."""
        self._thread = threading.Thread(target=self._look, name="collectives", daemon=True)
        self._thread.start()

    def add(self) -> None:
        """Watch the collective that the calling thread has begun."""
        self._begun.append((time.monotonic(), threading.get_ident(), self._mark()))
        if not self._some.is_set():
            self._some.set()

    def check(self) -> None:
        """Raise if a collective took too long."""
        if self.failed:
            raise RanksError

    def end(self) -> None:
        """Wait for an abort to end while the device's driver still exists, as the process ends."""
        if self.failed:
            self._thread.join(_GIVING_UP)

    def _look(self) -> None:
        while not self.failed:
            self._some.wait()
            self._some.clear()
            while self._begun and not self.failed:
                since, thread, mark = self._begun[0]
                if mark.query():
                    self._begun.popleft()
                elif time.monotonic() - since > self._seconds:
                    self._end(thread)
                else:
                    time.sleep(_STEP)

    def _end(self, thread: int) -> None:
        self.failed = True
        # The exception before the abort: the thread must get it as soon as it goes on.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread), ctypes.py_object(RanksError)
        )
        self._give_up()
