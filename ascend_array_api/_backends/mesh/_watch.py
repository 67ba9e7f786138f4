"""A bound on the time for which a process waits for others, where their library keeps none.

NCCL's kernels wait for the other processes on the device, and the host waits for the device, in C:
nothing that Python does in the thread that waits can end it.  So another thread looks after what
was begun.  What takes too long is given up, which lets the host go on, and the thread that began
it gets an exception before it can use what it waited for.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_STEP: Final = 0.25
"""Seconds from look to look."""

_GIVING_UP: Final = 60.0
"""Seconds that giving up may take as the process ends."""


class RanksError(RuntimeError):
    """Another process did not come in time, or computes something else; or another thread does.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> x = xp.ones(4, device=xd.init("cpu", simulate=2))
    >>> try:
    ...     total = float(xp.sum(x))
    ... except xd.RanksError as error:  # it says what each process computes, and on which line
    ...     print(error)
    """

    def __init__(self, *said: object) -> None:  # it is raised from another thread, without words
        super().__init__(*(said or (_SAID,)))


_SAID: Final = (
    "another process of the mesh did not come within the seconds of init(timeout=...): it has "
    "ended, has raised an error, or is late. The mesh cannot be used any more; start the processes "
    "again."
)


class Watch:
    """Looks after collectives.

    Parameters
    ----------
    seconds : float
        For how long one may last.
    mark : callable
        Marks the place that the device has been given work up to: an event, which ``query`` asks
        whether that is done.  It holds no memory, as what stands for the collective itself would.
    give_up : callable
        Ends all collectives, whatever becomes of their results.
    """

    def __init__(
        self, seconds: float, mark: Callable[[], Any], give_up: Callable[[], object]
    ) -> None:
        self._seconds, self._mark, self._give_up = seconds, mark, give_up
        self._begun: deque[tuple[float, int, Any]] = deque()
        self._some = threading.Event()
        self.failed = False
        """Whether one took too long."""
        self._thread = threading.Thread(target=self._look, name="collectives", daemon=True)
        self._thread.start()

    def add(self) -> None:
        """Look after what this thread has begun."""
        self._begun.append((time.monotonic(), threading.get_ident(), self._mark()))
        if not self._some.is_set():
            self._some.set()

    def check(self) -> None:
        """Raise if one took too long."""
        if self.failed:
            raise RanksError

    def end(self) -> None:
        """Wait until what took too long is given up: the device's driver must be there for that."""
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
        # The exception first: it comes as soon as that thread goes on.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread), ctypes.py_object(RanksError)
        )
        self._give_up()
