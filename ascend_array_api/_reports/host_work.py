"""Fallback to the host: the policy, the warning and the report.

Computes nothing and knows no operation: ``Host`` routes call it before and after they compute.

Work on CPU arrays is no fallback, and neither is a value that a function has to wait for, such as
that of ``bool(x)``.  Nor are moves to the host that a program asks for; those that a library asks
for are in the report, without a warning.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import torch

from .._devices.device import Device, Spec
from .._errors.foreign_calls import refusing
from .._options import settings
from .._torch import dtypes
from .capturing import refuse
from .report import Report, in_words
from .user_code import HELPERS, caller

__all__ = ["HostFallback", "HostFallbackError", "HostFallbackWarning", "fallback_report"]


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
    """One line of the report: an operation on the host, or a move to it by a library.

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
    function: str = ""
    """The function of an installed library that asked, such as ``scipy.ndimage.gaussian_filter``.
    Empty if your own code asked."""
    lines: tuple[str, ...] = ()
    """The first lines of that library that asked, such as ``scipy/ndimage/_filters.py:825``."""


_report: Final = Report(HostFallback)


@refusing
def fallback_report(*, clear: bool = False) -> list[HostFallback]:
    """List what was computed on the host because the device had no kernel for it.

    It also lists the arrays that installed libraries move to the host, by ``to_device`` or DLPack:
    scikit-learn does so with gradients, in each iteration.  Moves that your own code asks for, and
    those of single numbers, are not in it.

    Parameters
    ----------
    clear : bool, default: False
        Whether to begin a new report, with new warnings, after this one.

    Returns
    -------
    list of HostFallback
        One entry for each operation, data type, device and function of a library that asked: how
        often, how many bytes went to and fro, why, and from where in the user's code; the most
        bytes first.  The list prints as a table, in notebooks as one of HTML.

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
    return _report.entries(clear=clear)


def check(
    operation: str, spec: Spec, reason: str, shape: tuple[int | None, ...] | None = None
) -> None:
    """Warn or raise as the options say; call it before anything is computed.

    ``shape`` is that of the array that goes to the host, where no operation of ours computes there.
    """
    refuse(f"{operation} of {dtypes.NAMES[spec.dtype]} is computed on the host: {reason}")
    policy = settings.current().host_fallback
    if policy == "allow":
        return
    dtype = dtypes.NAMES[spec.dtype]
    asked = caller()
    moved = ""
    if shape is not None:
        size = in_words(math.prod(n or 0 for n in shape) * spec.dtype.itemsize)
        moved = f"an array of {dtype}, shape {shape}, {size}"
    if moved and asked.function:
        said = (
            f"{asked.function} is computed on the host: {asked.line} moves {moved} from "
            f"{spec.device} to the host; {reason}. "
        )
    else:
        said = f"{operation} of {dtype} on {spec.device} is computed on the host: {reason}. "
        said += f"It moves {moved}. " if moved else ""
        said += f"{asked.function} asks for it ({asked.line}). " if asked.function else ""
    said += "fallback_report() lists such operations"
    if policy == "error":
        raise HostFallbackError(
            f"{said}; the option host_fallback='error' forbids it. Move the array with "
            "to_device('cpu') first, or allow it with options(host_fallback='allow')."
        )
    message = f"{said}; options(host_fallback='allow') silences this."
    _report.warn((operation, dtype), message, HostFallbackWarning)


def record(operation: str, spec: Spec, reason: str, size: int) -> None:
    """Add one computation to the report."""
    _report.add((operation, dtypes.NAMES[spec.dtype], str(spec.device)), size, reason)


def moved(operation: str, tensor: torch.Tensor, device: Device) -> None:
    """Add a move to the host to the report, if a library asks for it."""
    if operation == "__array__" or tensor.numel() < 2:  # it has an entry of its own; a value
        return
    if caller().function.partition(".")[0] not in HELPERS | {""}:
        key = (operation, dtypes.NAMES[tensor.dtype], str(device))
        _report.add(key, tensor.nbytes, "the library moves the array to the host")
