"""The capture that a thread is in: what cannot be captured is refused here.

Knows no arrays, no operation and no device type.  ``_calls/captures.py`` begins and ends captures.

While a function is captured, the device only records what it is asked to do.  A value that the
host waits for does not exist then, and neither does memory of the host that would be read later.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, final

from .user_code import user_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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

    def __init__(self, record: Tensor) -> None:
        self.record = record
        self.places = 0
        """How many places of the record are taken."""
        self.noted: list[tuple[Doubt, Sequence[Tensor], Callable[..., bool]]] = []
        """The calls that may turn out wrong, the values that tell, and how to read them."""

    def place(self) -> tuple[Tensor, int]:
        """Return the record, and the next place in it for the flag of a kernel."""
        if self.places == self.record.numel():
            refuse(f"more than {self.places} of its calls are checked")
        self.places += 1
        return self.record, self.places - 1


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
