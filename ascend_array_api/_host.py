"""Fallback to the host: the policy, the warning and the report.

Computes nothing and knows no operation: ``Host`` routes call it before and after they compute.

Work on CPU arrays is no fallback, and neither is a value that a function has to wait for, such as
that of ``bool(x)``.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from . import _dtypes, _options
from ._misuse import refusing
from ._torch import torch

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from ._devices import Spec

__all__ = ["HostFallback", "HostFallbackError", "HostFallbackWarning", "fallback_report"]

_NOT_OF_USERS: Final = tuple(
    os.path.dirname(os.path.abspath(file)) + os.sep for file in (__file__, torch.__file__)
)
"""The folders of the package and of torch.  Frames of torch lie between ours if it transforms a
function, or calls one that the compiler leaves alone."""


class HostFallbackWarning(RuntimeWarning):
    """An operation was computed on the host, because the device has no kernel for it.

    Examples
    --------
    >>> import warnings
    >>> import ascend_array_api as xp
    >>> with warnings.catch_warnings():  # every warning of this kind, as an error
    ...     warnings.simplefilter("error", xp.HostFallbackWarning)
    ...     x = xp.linalg.svdvals(xp.eye(2, device="cpu"))  # a CPU array never falls back
    """


class HostFallbackError(RuntimeError):
    """An operation would have to be computed on the host, which the options forbid.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> with xp.options(host_fallback="error"):
    ...     x = xp.linalg.svdvals(xp.eye(2, device="cpu"))  # a CPU array never falls back
    """


@dataclass(frozen=True)
class HostFallback:
    """One line of the report: an operation that was computed on the host.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> for entry in xp.fallback_report():
    ...     print(entry.operation, entry.dtype, entry.count, entry.bytes, entry.reason)
    """

    operation: str
    """The operation's name."""
    dtype: str
    """The data type of its operands."""
    device: str
    """The device on which they were."""
    count: int
    """How often it was computed."""
    bytes: int
    """How many bytes went to the host and back."""
    reason: str
    """Why the device could not do it."""
    where: tuple[str, ...]
    """The first places in the user's code, as ``file:line``, in the order in which they came."""


_MOST_PLACES: Final = 16
_lock: Final = threading.Lock()
_report: dict[tuple[str, str, str], HostFallback] = {}
_warned: set[tuple[str, str]] = set()


@refusing
def fallback_report(*, clear: bool = False) -> list[HostFallback]:
    """List what was computed on the host because the device had no kernel for it.

    Parameters
    ----------
    clear : bool, default: False
        Whether to begin a new report, with new warnings, after this one.

    Returns
    -------
    list of HostFallback
        One entry for each operation, data type and device: how often, how many bytes went to and
        fro, why, and from where in the user's code; the most bytes first.

    See Also
    --------
    options : ``host_fallback`` decides whether such operations warn, raise or are silent.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([3.0, 4.0], device="cpu")
    >>> xp.fallback_report()  # a CPU array never falls back
    []
    """
    with _lock:
        entries = sorted(_report.values(), key=lambda entry: -entry.bytes)
        if clear:
            _report.clear()
            _warned.clear()
    return entries


def check(operation: str, spec: Spec, reason: str) -> None:
    """Warn or raise as the options say; call it before anything is computed."""
    policy = _options.current().host_fallback
    if policy == "allow":
        return
    dtype = _dtypes.NAMES[spec.dtype]
    said = (
        f"{operation} of {dtype} on {spec.device} is computed on the host: {reason}. "
        "fallback_report() lists such operations"
    )
    if policy == "error":
        raise HostFallbackError(
            f"{said}; the option host_fallback='error' forbids it. Move the array with "
            "to_device('cpu') first, or allow it with options(host_fallback='allow')."
        )
    with _lock:
        new = (operation, dtype) not in _warned
        _warned.add((operation, dtype))
    if new:
        message = f"{said}; options(host_fallback='allow') silences this."
        try:
            warnings.warn(message, HostFallbackWarning, stacklevel=user_frame()[0])
        except HostFallbackWarning:  # a filter turned it into an error, which must come each time
            with _lock:
                _warned.discard((operation, dtype))
            raise


def record(operation: str, spec: Spec, reason: str, size: int) -> None:
    """Add one computation to the report."""
    key = operation, _dtypes.NAMES[spec.dtype], str(spec.device)
    _, file, line = user_frame()
    where = f"{file}:{line}"
    with _lock:
        entry = _report.get(key) or HostFallback(*key, 0, 0, reason, ())
        _report[key] = counted(entry, size, where)


def counted(entry: Any, size: int, where: str) -> Any:
    """Return an entry of a report, of whichever kind, with one more computation in it."""
    places = entry.where
    if where not in places and len(places) < _MOST_PLACES:
        places = (*places, where)
    return replace(entry, count=entry.count + 1, bytes=entry.bytes + size, where=places)


def user_frame() -> tuple[int, str, int]:
    """Return the stack level, file and line of the user's innermost frame."""
    level = 1
    frame = sys._getframe(1)
    name = frame.f_code.co_filename
    while name.startswith(_NOT_OF_USERS) and frame.f_back is not None:
        level += 1
        frame = frame.f_back
        name = frame.f_code.co_filename
    return level, name, frame.f_lineno


def user_code(inside: int) -> tuple[CodeType, int]:
    """Return the code of the user's innermost frame, and the step in it.

    It serves callers that ask at every call, so it leaves the line to ``line_of``, which is asked
    only for errors.  ``inside`` frames, the caller's first, are known to be the package's.
    """
    frame = frame_of_user(sys._getframe(inside + 1))
    return frame.f_code, frame.f_lasti


def frame_of_user(frame: FrameType) -> FrameType:
    """Return the first frame that is neither the package's nor torch's, from one on outwards."""
    while (name := frame.f_code.co_filename) in _files or name.startswith(_NOT_OF_USERS):
        _files.add(name)
        if frame.f_back is None:
            break
        frame = frame.f_back
    return frame


_files: Final[set[str]] = set()
"""Known files of the package and torch; a look-up here is faster than a comparison of prefixes."""


def line_of(code: CodeType, step: int) -> int:
    """Return the line of a step in code."""
    lines = (line for first, end, line in code.co_lines() if first <= step < end)
    return next(lines, None) or code.co_firstlineno
