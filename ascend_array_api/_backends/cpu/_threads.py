"""Threads of Python's for what NumPy computes while it lets others run.

An executor makes an object for each call that can be asked for a result, and has its threads wait
at one queue, which takes 100 microseconds and more.  Here each waits at a lock of its own, and one
call at a time has them all.
"""

from __future__ import annotations

import itertools
import math
import os
import threading
from typing import TYPE_CHECKING, Any, Final

from ..._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable


def in_threads(
    function: Callable[[int, int], Any], length: int, most: int, threads: int = 0
) -> None:
    """Call a function with the ends of parts of a length, in several threads at once.

    There are no more parts than are said, and no more threads than are said or pay: to wake one
    takes about as long as a part, and one is woken after the other.  Every thread takes the next
    part that nobody has taken, and those that have not begun when all parts are taken are not
    waited for: their processors have other work.  Where another call has the threads, this one
    takes all parts itself.
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
            if crew.lent.locked():  # interrupted before all had ended: the next call makes others
                _crews.pop(os.getpid(), None)
            raise
    else:
        work()


_FEW: Final = 4
"""Of more threads than that each takes one part: another costs more than it evens out."""


class _Crew:
    """Threads that wait for work."""

    def __init__(self) -> None:
        self.lent = threading.Lock()
        """Held while a call has the threads."""
        self._members: list[_Member] = []

    def run(self, work: Callable[[], None], others: int) -> None:
        """Call a function in this thread and some others, for who has been lent them.

        An error is raised when none of them runs it any more: it writes to what the caller may let
        go of.  Should this thread be interrupted where it calls or awaits the others, nobody is
        lent them again, and others take their place.
        """
        try:
            while len(self._members) < others:
                self._members.append(_Member())
        except BaseException:  # a thread that does not start
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
        """Wait for the thread if it has begun, and call it back if not; return its error."""
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
"""Those of this process, by its number; of a process that this one was forked from none runs."""


def _of_process() -> _Crew:
    crew = _crews.get(os.getpid())
    return crew if crew is not None else _crews.setdefault(os.getpid(), _Crew())
