"""The capture that a thread is in: what cannot be captured is refused here.

Knows no arrays, no operation and no device type.  ``_calls/captures.py`` begins and ends captures.

While a function is captured, the device only records what it is asked to do.  A value that the
host waits for does not exist then, and neither does memory of the host that would be read later.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, final

from .._torch import torch
from .._torch.private import memory_of
from .user_code import user_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from torch import Tensor

    from .late_errors import Doubt

__all__ = ["CaptureError"]


class CaptureError(RuntimeError):
    """A function asks for something that cannot be captured, such as a value on the host.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> issubclass(xp.CaptureError, RuntimeError)
    True
    """


@final
class Capture:
    """A capture under way: the calls noted in it, and the record in which kernels flag them."""

    def __init__(self, record: Callable[[], Tensor]) -> None:
        self._make = record
        """Makes a record of zeros, in the graph: each replay begins with zeros."""
        self._record: Tensor | None = None
        self._places = 0
        """How many places of the record are taken."""
        self.seen: dict[int, tuple[Tensor, int]] = {}
        """By their memory, the tensors that were there before, and their versions then."""
        self._made: set[int] = set()
        """The memory of new tensors, which are not kept: the graph may use it again."""
        self.noted: list[tuple[Doubt, Sequence[Tensor], Callable[..., bool]]] = []
        """The calls that may turn out wrong, the values that tell, and how to read them."""

    def sees(self, operands: Iterable[Any]) -> None:
        """Keep the tensors among the operands of a function, unless they were made in it."""
        for x in operands:
            if isinstance(x, torch.Tensor) and (memory := memory_of(x)) not in self._made:
                self.seen.setdefault(memory, (x, -1 if x.is_inference() else x._version))

    def made(self, results: Iterable[Any]) -> None:
        """Note the memory of results, unless they are views of what was there before."""
        for x in results:
            if isinstance(x, torch.Tensor) and (memory := memory_of(x)) not in self.seen:
                self._made.add(memory)

    def place(self) -> tuple[Tensor, int]:
        """Return the record, and the next place in it for the flag of a kernel."""
        if self._record is None:
            self._record = self._make()
        if self._places == self._record.numel():
            refuse(f"more than {self._places} of its calls are checked")
        self._places += 1
        return self._record, self._places - 1


class _Here(threading.local):
    capture: Capture | None = None


here = _Here()
"""The capture of this thread, as its attribute ``capture``; None if there is none."""


def refuse(reason: str, instead: str = "") -> None:
    """Raise if this thread captures a function: it cannot be captured for this reason."""
    if here.capture is None:
        return
    _, file, line = user_frame()
    raise CaptureError(
        f"captured: the call at {file}:{line} cannot be captured, because {reason}. "
        f"{instead or 'Leave it out of the function'}, or let such functions be called as they are "
        "with captured(function, otherwise='call')."
    )
