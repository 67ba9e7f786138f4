"""Python threads for functions of NumPy that release the GIL.

An executor makes a future for each call, and its threads wait at one queue, which takes 100
microseconds or more.  Here each thread waits at a lock of its own, and one call at a time uses all
threads.
"""

from __future__ import annotations

import itertools
import math
import os
import threading
from collections.abc import Callable
from typing import Any, Final

from ..._torch import torch


def in_threads(
    function: Callable[[int, int], Any], length: int, most: int, threads: int = 0
) -> None:
    """Call a function with the start and end of each part of a length, in several threads.

    There are at most ``most`` parts, and at most as many threads as asked for or worth it: waking a
    thread takes about as long as a part, and threads are woken one after the other.  Each thread
    takes the next free part.  Threads that have not begun when all parts are taken are called back,
    because their processors are busy.  If another call has the threads, this one takes all parts
    itself.
    """
    threads = threads or math.isqrt(max(most, 0)) + 1
    threads = min(torch.get_num_threads(), threads, most, length)
    if threads < 2:
        function(0, length)
        return
    parts = min(most, length, threads if threads > _FEW else 2 * threads)
    taken = itertools.count()

    def work() -> None:
        while (part := next(taken)) < parts:
            function(length * part // parts, length * (part + 1) // parts)

    crew = _of_process()
    if crew.lent.acquire(blocking=False):
        try:
            crew.run(work, threads - 1)
        except BaseException:
            # Interrupted before all threads ended: they may still run, so the next call must not
            # use them, and makes others.
            if crew.lent.locked():
                _crews.pop(os.getpid(), None)
            raise
    else:
        work()


_FEW: Final = 4
"""With more threads than this, each takes one part: more parts would cost more than they balance.
"""


class _Crew:
    """A group of threads that wait for work."""

    def __init__(self) -> None:
        self.lent = threading.Lock()
        """Held while a call uses the threads."""
        self._members: list[_Member] = []

    def run(self, work: Callable[[], None], others: int) -> None:
        """Call a function in this thread and some others; the caller holds ``lent``.

        It raises an error only when no thread runs the function any more, because the function
        writes to memory that the caller may then free.  If this thread is interrupted while it
        calls the others or waits for them, ``lent`` stays locked, and later calls use new threads.
        """
        try:
            while len(self._members) < others:
                self._members.append(_Member())
        except BaseException:  # a thread did not start
            self.lent.release()
            raise
        called = self._members[:others]
        for member in called:
            member.call(work)
        try:
            work()
        finally:
            errors = [error for member in called if (error := member.ended()) is not None]
            self.lent.release()
        if errors:
            raise errors[0]


class _Member:
    """A thread that waits until it is called."""

    def __init__(self) -> None:
        # Used as signals: both are locked at rest, one side releases and the other acquires.
        self._called, self._done = threading.Lock(), threading.Lock()
        self._called.acquire()
        self._done.acquire()
        self._work: Callable[[], None] | None = None
        self._error: BaseException | None = None
        threading.Thread(target=self._wait, name="ascend_array_api", daemon=True).start()

    def call(self, work: Callable[[], None]) -> None:
        self._work = work
        self._called.release()

    def ended(self) -> BaseException | None:
        """Wait for the thread if it has begun, else cancel its call; return its error."""
        # If the signal is still there, the thread has not begun: taking it back cancels the call.
        if not self._called.acquire(blocking=False):
            self._done.acquire()
        error, self._work, self._error = self._error, None, None
        return error

    def _wait(self) -> None:
        while True:
            self._called.acquire()
            assert self._work is not None
            try:
                self._work()
            except BaseException as error:  # noqa: BLE001  # the caller raises it
                self._error = error
            finally:
                self._done.release()


_crews: Final[dict[int, _Crew]] = {}
"""The threads of each process, by its number: after a fork, the parent's threads do not run."""


def _of_process() -> _Crew:
    crew = _crews.get(os.getpid())
    return crew if crew is not None else _crews.setdefault(os.getpid(), _Crew())
