"""Errors that lie in values on an accelerator: noted there, raised where the host waits anyway.

The CPU sees at once that a position is out of bounds, a divisor 0 or a matrix singular.  To see it,
the host would have to wait for an accelerator at every such call.  So what is found stays on the
device as a number or two for each call, and all of them are fetched where the host waits for a
value: the error that comes then names the call that it is of.
"""

from __future__ import annotations

import atexit
import itertools
import os
import sys
import threading
from typing import TYPE_CHECKING, Final, NamedTuple

from . import _options
from ._devices import device_of
from ._dtypes import INTEGER
from ._host import user_frame
from ._torch import torch
from ._tracing import traced_as

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from ._array import Array
    from ._devices import Device

_MOST: Final = 4096
"""So many calls are noted; then the host waits for what was found in them."""


class _Noted(NamedTuple):
    """A call in which something may be wrong."""

    found: Sequence[Tensor]
    """Integers or booleans on the device, in 0 dimensions."""
    wrong: Callable[..., bool]
    """Says of their values whether they are wrong."""
    error: Callable[[str], Exception]
    text: str
    where: str
    """The place of the call in the user's code."""


pending: Final[dict[Device, list[_Noted]]] = {}
"""What is noted on each device; a device on which nothing is has no entry."""

_lock: Final = threading.Lock()


def noticing() -> bool:
    """Say whether anything is to be noted at all."""
    return _options.current().checks != "off"


def note(
    found: Sequence[Tensor],
    wrong: Callable[..., bool],
    error: Callable[[str], Exception],
    text: str,
) -> None:
    """Raise an error, now or later as the options say, if what a device found turns out wrong.

    Parameters
    ----------
    found : sequence of Tensor
        Integers or booleans, in 0 dimensions.
    wrong : callable
        Says of their values, as integers, whether they are wrong.
    error : type
        What is then raised, with the text.
    """
    if _options.current().checks == "wait":
        if wrong(*_fetched(device_of(found[0]), found)):
            raise error(text)
        return
    device = device_of(found[0])
    noted = _Noted(found, wrong, error, text, user_frame()[1])
    with _lock:
        several = pending.setdefault(device, [])
        several.append(noted)
        full = len(several) >= _MOST
    if full:
        raise_found(device)


def _traced_know(x: Array, _low: int, _high: int) -> Array:
    return x


@traced_as(_traced_know)
def know(x: Array, low: int, high: int) -> Array:
    """Note that the integers in a new array on an accelerator lie between bounds; return it."""
    if x._spec.device.backend.late and not x._tensor.is_inference():
        x._known = low, high, x._tensor._version
        _gone_out.discard(_address(x))  # whoever had it before gave it back
    return x


def lies(x: Array, low: int, high: int) -> bool:
    """Say whether it is known, without a look, that all elements of an array lie between bounds."""
    try:
        least, most, version = x._known
    except AttributeError:
        return False
    inside = low <= least and most <= high
    return inside and version == x._tensor._version and _address(x) not in _gone_out


def _address(x: Array) -> int:
    return x._tensor.untyped_storage().data_ptr()


_gone_out: Final[set[int]] = set()
"""Addresses of memory on accelerators that others have been given, and may write to unseen."""


def goes_out(x: Array) -> None:
    """Note that others are given the memory of an array."""
    if x._spec.device.backend.late and x._spec.dtype in INTEGER:
        _gone_out.add(_address(x))


def known_nonzero(divisor: Tensor) -> None:
    """Note that a tensor, which no user sees, holds no zero."""
    divisor._known_nonzero = True  # type: ignore[attr-defined]


def may_be_zero(divisor: Tensor) -> bool:
    """Say whether a divisor has to be looked at."""
    return not hasattr(divisor, "_known_nonzero")


def raise_found(device: Device) -> None:
    """Raise the first error that was found on a device, and forget all."""
    with _lock:
        noted = pending.pop(device, None)
    if not noted:
        return
    values = iter(_fetched(device, [t for one in noted for t in one.found]))
    wrong = [one for one in noted if one.wrong(*itertools.islice(values, len(one.found)))]
    if not wrong:
        return
    first, more = wrong[0], len(wrong) - 1
    others = f" So did {more} more after it." if more else ""
    raise first.error(
        f"{first.text} It was called at {first.where}, and found out late, as "
        f"options(checks='late') has it: arrays made of its result are wrong.{others}"
    )


def _fetched(device: Device, found: Sequence[Tensor]) -> list[int]:
    """Return what a device found, as integers."""
    try:
        # It may have been computed on another stream than the one that is read from.
        device.backend.module.synchronize(device.torch_device)
        values: list[int] = torch.stack([t.to(torch.int64) for t in found]).tolist()
    except RuntimeError as error:
        for check in _fault_checks:
            check(error, "options(checks='late')", device)
        raise
    return values


_fault_checks: Final[list[Callable[[Exception, str, Device], None]]] = []


def when_a_device_fails(check: Callable[[Exception, str, Device], None]) -> None:
    """Have an error of torch's judged that comes where what was found is fetched."""
    _fault_checks.append(check)


def waits(device: Device) -> None:
    """Raise what was found on a device; called where the host waits for it."""
    if device in pending:
        raise_found(device)


def raise_all() -> None:
    """Raise the first error that was found on any device."""
    for device in list(pending):
        raise_found(device)


_options.when_late_is_left(raise_all)


def _tell() -> None:
    """Say on standard error, as the process ends, what nobody has waited for."""
    while pending:
        try:
            raise_all()
        except Exception as error:  # noqa: BLE001, PERF203  (nobody is left to)
            print(f"{type(error).__name__}: {error}", file=sys.stderr)


# It comes before torch, which was imported above, ends its own work with the device.
atexit.register(_tell)
if hasattr(os, "register_at_fork"):
    # The device of the process that forks is not there for the one that it makes.
    os.register_at_fork(after_in_child=pending.clear)
