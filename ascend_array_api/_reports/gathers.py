"""Gathered arrays on meshes: the policy, the warning and the report.

Gathers nothing and knows no mesh: the mesh backend calls it where an operation without a rule for
parts brings a whole array together.  Gathers that the user asks for are not reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .._errors.foreign_calls import answering
from .._options import settings
from .report import Report

__all__ = ["Gather", "GatherError", "GatherWarning", "gather_report"]


class GatherWarning(RuntimeWarning):
    """An operation brought all parts of an array together in every process.

    Examples
    --------
    >>> import warnings
    >>> import ascend_array_api.distributed as xd
    >>> with warnings.catch_warnings():  # every warning of this kind, as an error
    ...     warnings.simplefilter("error", xd.GatherWarning)
    """


class GatherError(RuntimeError):
    """An operation would have to bring all parts of an array together, which the options forbid.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> mesh = xd.init("cpu", simulate=2)
    >>> x = xp.eye(4, device=mesh)
    >>> with xp.options(gather="error"):
    ...     try:
    ...         xp.linalg.inv(x)
    ...     except xd.GatherError as error:
    ...         print(str(error)[:40])
    inv of 64 bytes on mesh(cpu, 2, simulate
    """


@dataclass(frozen=True)
class Gather:
    """One line of the report: an operation that gathered arrays.

    Examples
    --------
    >>> import ascend_array_api.distributed as xd
    >>> for entry in xd.gather_report():
    ...     print(entry.operation, entry.count, entry.bytes, entry.reason)
    """

    operation: str
    """The operation's name."""
    device: str
    """The mesh."""
    count: int
    """How many arrays it gathered."""
    bytes: int
    """How many bytes these arrays have."""
    reason: str
    """Why it is not computed part by part."""
    where: tuple[str, ...]
    """The first places in the user's code, as ``file:line``, in the order in which they came."""
    function: str = ""
    """The function of an installed library that asked, by its public name."""
    lines: tuple[str, ...] = ()
    """The first lines of that library that asked, as ``file:line``."""


_report: Final = Report(Gather)


@answering
def gather_report(*, clear: bool = False) -> list[Gather]:
    """List what was gathered in every process because an operation has no rule for parts.

    Parameters
    ----------
    clear : bool, default: False
        Whether to begin a new report, with new warnings, after this one.

    Returns
    -------
    list of Gather
        One entry for each operation and mesh; the most bytes first.

    See Also
    --------
    ascend_array_api.options : ``gather`` decides whether such operations warn, raise or are silent.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> x = xp.eye(4, device=xd.init("cpu", simulate=2))
    >>> with xp.options(gather="allow"):
    ...     y = xp.linalg.inv(x)
    >>> [(g.operation, g.count, g.bytes) for g in xd.gather_report(clear=True)]
    [('inv', 1, 64)]
    """
    return _report.entries(clear=clear)


def seen(operation: str, device: str, reason: str, size: int) -> None:
    """Warn or raise as the options say, and add one gathered array to the report."""
    policy = settings.current().gather
    key = operation, device
    said = f"{operation} of {size} bytes on {device} gathers them in every process: {reason}"
    if policy == "error":
        raise GatherError(
            f"{said}; the option gather='error' forbids it. Gather the array yourself, by "
            "distributed.replicate(x), or allow it with options(gather='allow')."
        )
    _report.add(key, size, reason)
    if policy == "warn":
        message = (
            f"{said}. gather_report() lists such operations; options(gather='allow') silences this."
        )
        _report.warn(key, message, GatherWarning)
