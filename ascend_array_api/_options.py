"""Options: what the user chose, for the process or for a block of code.

An option is set for a whole process by an environment variable, and for a block of code, in one
thread or task, by the context manager ``options``.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._devices import DeviceLike


@dataclass(frozen=True)
class Options:
    """The options and their values where nothing else was chosen."""

    device: DeviceLike | None = None
    """The default device; None is the NPU where one is usable, else the CPU."""


def _from_environment() -> Options:
    return Options(device=os.environ.get("ASCEND_ARRAY_API_DEVICE") or None)


_PROCESS: Final = _from_environment()
_current: ContextVar[Options] = ContextVar("ascend_array_api.options", default=_PROCESS)


def current() -> Options:
    """Return the options in force."""
    return _current.get()


@contextmanager
def options(*, device: DeviceLike | None = None) -> Iterator[Options]:
    """Set options for a block of code.

    Parameters
    ----------
    device : Device or str, optional
        The device on which arrays are created unless a ``device`` is given: ``"npu:0"``,
        ``"cuda:1"``, ``"cpu"``.  The environment variable ``ASCEND_ARRAY_API_DEVICE`` sets it for
        a whole process.

    Yields
    ------
    Options
        The options in force in the block.

    Raises
    ------
    ValueError
        If there is no such device.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> with xp.options(device="cpu"):
    ...     x = xp.ones(2)
    >>> x.device
    Device('cpu')
    """
    from ._devices import parse

    chosen = {} if device is None else {"device": parse(device, "options")}
    token = _current.set(replace(_current.get(), **chosen))
    try:
        yield _current.get()
    finally:
        _current.reset(token)
