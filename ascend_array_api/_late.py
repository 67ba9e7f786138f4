"""Errors that lie in values on an accelerator: noted there, raised where the host waits anyway.

The CPU sees at once that a position is out of bounds, a divisor 0 or a matrix singular.  To see it,
the host would have to wait for an accelerator at every such call.  So what is found stays on the
device as a number or two for each call, and all of them are fetched where the host waits for a
value: the error that comes then names the call that it is of.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from . import _options
from ._devices import device_of
from ._dtypes import INTEGER
from ._host import user_frame
from ._torch import torch
from ._tracing import traced_as

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from torch import Tensor

    from ._array import Array
    from ._devices import Device

_MOST: Final = 4096
"""So many calls are noted; then the host waits for what was found in them."""


class _Noted(NamedTuple):
    """A call in which something may be wrong."""

    doubt: Doubt
    file: str
    line: int
    """The place of the call in the user's code."""
    place: int
    """Where in the record a kernel has written whether it is; else -1."""
    found: Sequence[Tensor] = ()
    """Integers or booleans on the device, in 0 dimensions."""
    wrong: Callable[..., bool] = bool
    """Says of their values whether they are wrong."""


@final
class _Noteds:
    """What is noted on a device, and the record in which kernels write 1 for what is wrong."""

    __slots__ = ("calls", "places", "record")

    def __init__(self) -> None:
        self.calls: list[_Noted] = []
        self.record: Tensor | None = None
        self.places = 0
        """How many places of the record are given away."""

    def __len__(self) -> int:
        return len(self.calls)


pending: Final[dict[Device, _Noteds]] = {}
"""What is noted on each device; a device on which nothing is has no entry."""

_records: Final[dict[Device, list[Tensor]]] = {}
"""Records to which nobody writes: of a place for each call that may be noted, all 0."""

_lock: Final = threading.Lock()


def noticing() -> bool:
    """Say whether anything is to be noted at all."""
    return _options.current().checks != "off"


@final
class Doubt:
    """A call that turns out wrong or not, by what a device finds: raised now or later.

    Whoever computes tells it either what was ``found``, or has a kernel write 1 to a ``place`` and
    says then that it is ``written``.

    Parameters
    ----------
    error : type
        What is raised.
    text : callable
        Returns its text, of the arguments that follow.
    """

    __slots__ = ("_awaits", "_noted", "_place", "_record", "arguments", "error", "text")

    def __init__(
        self, error: Callable[[str], Exception], text: Callable[..., str], *arguments: Any
    ) -> None:
        self.error = error
        self.text = text
        self.arguments = arguments

    def exception(self, more: str = "") -> Exception:
        """Return the error."""
        return self.error(self.text(*self.arguments) + more)

    def found(self, found: Sequence[Tensor], wrong: Callable[..., bool]) -> None:
        """Raise the error, now or later as the options say, if what was found is wrong.

        Parameters
        ----------
        found : sequence of Tensor
            Integers or booleans, in 0 dimensions.
        wrong : callable
            Says of their values, as integers, whether they are wrong.
        """
        if _options.current().checks != "wait":
            self._note(device_of(found[0]), found, wrong)
        elif wrong(*_fetched(device_of(found[0]), found)):
            raise self.exception()

    def place(self, device: Device) -> tuple[Tensor, int]:
        """Return the record of a device and the place in it where 1 stands for what is wrong."""
        self._awaits = _options.current().checks == "wait"
        with _lock:
            noted = _Noteds() if self._awaits else pending.get(device)
            if noted is None:
                noted = pending[device] = _Noteds()
            elif noted.places == _MOST:  # there is no place, but those who write will see to it
                noted = _Noteds()
            if noted.record is None:
                noted.record = _idle_record(device)
            self._noted, self._place, self._record = noted, noted.places, noted.record
            noted.places += 1
        return self._record, self._place

    def written(self, device: Device) -> None:
        """Raise the error if the host is to wait for it."""
        if self._awaits:
            with _faults_of(device):
                wrong = bool(self._record[0])
                _give_back(device, self._record, written=wrong)
            if wrong:
                raise self.exception()
            return
        self._note(device)

    def _note(
        self, device: Device, found: Sequence[Tensor] = (), wrong: Callable[..., bool] = bool
    ) -> None:
        _, file, line = user_frame()
        place = -1
        with _lock:
            several = pending.get(device)
            if several is None:
                several = pending[device] = _Noteds()
            if not found:
                if several is self._noted:
                    place = self._place
                else:  # the host has waited in another thread, or there was no place
                    found = (self._record[self._place],)
            several.calls.append(_Noted(self, file, line, place, found, wrong))
        if len(several) >= _MOST:
            raise_found(device)


def _idle_record(device: Device) -> Tensor:
    """Return a record of zeros, whatever stream is then used."""
    idle = _records.setdefault(device, [])
    if idle:
        return idle.pop()
    with _faults_of(device):
        record = torch.zeros(_MOST, dtype=torch.int32, device=device.torch_device)
        device.backend.module.synchronize(device.torch_device)
    return record


def _give_back(device: Device, record: Tensor, *, written: bool) -> None:
    """Keep a record for another time, when no kernel writes to it any more."""
    if written:
        record.zero_()
        device.backend.module.synchronize(device.torch_device)
    with _lock:
        _records[device].append(record)


def _traced_know(x: Array, _low: int, _high: int) -> Array:
    return x


@traced_as(_traced_know)
def know(x: Array, low: int, high: int) -> Array:
    """Note that the integers in a new array on an accelerator lie between bounds; return it."""
    tensor = x._tensor
    if x._spec.device.backend.late and type(tensor) is torch.Tensor and not tensor.is_inference():
        x._known = low, high, tensor._version
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
    if noted is None:
        return
    calls = noted.calls
    try:
        values = iter(_fetched(device, [t for call in calls for t in call.found]))
        written: list[int] = []
        if noted.record is not None:
            with _faults_of(device):
                written = noted.record[: noted.places].tolist()
    except KeyboardInterrupt:
        _keep(device, noted)
        raise
    if noted.record is not None and sum(call.place >= 0 for call in calls) == noted.places:
        with _faults_of(device):  # else one is yet to write
            _give_back(device, noted.record, written=any(written))
    wrong = []
    for call in calls:
        own = [written[call.place]] if call.place >= 0 else islice(values, len(call.found))
        if call.wrong(*own):
            wrong.append(call)
    if not wrong:
        return
    first, more = wrong[0], len(wrong) - 1
    others = f" So did {more} more after it." if more else ""
    raise first.doubt.exception(
        f" It was called at {first.file}:{first.line}, and found out late, as "
        f"options(checks='late') has it: arrays made of its result are wrong.{others}"
    )


def _keep(device: Device, noted: _Noteds) -> None:
    """Note again what was not told, because the host was interrupted as it waited."""
    with _lock:
        newer = pending.setdefault(device, noted)
        if newer is noted:
            return
        for place, call in enumerate(noted.calls):
            if call.place >= 0 and noted.record is not None:
                call = call._replace(place=-1, found=(noted.record[call.place],))
            newer.calls.insert(place, call)


def _fetched(device: Device, found: Sequence[Tensor]) -> list[int]:
    """Return what a device found, as integers."""
    with _faults_of(device):
        # It may have been computed on another stream than the one that is read from.
        device.backend.module.synchronize(device.torch_device)
        every = [t.to(torch.int64) for t in found]
        values: list[int] = torch.stack(every).tolist() if every else []
    return values


@contextmanager
def _faults_of(device: Device) -> Iterator[None]:
    """Raise what an error of torch's in the block stands for."""
    try:
        yield
    except RuntimeError as error:
        for check in _fault_checks:
            check(error, "options(checks='late')", device)
        raise


_fault_checks: Final[list[Callable[[Exception, str, Device], None]]] = []


def when_a_device_fails(check: Callable[[Exception, str, Device], None]) -> None:
    """Have an error of torch's judged that comes where what was found is fetched."""
    _fault_checks.append(check)


def waits(device: Device) -> None:
    """Raise what was found on a device; called where the host waits for it."""
    device = device.local
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


def _forget() -> None:
    pending.clear()
    _records.clear()


# It comes before torch, which was imported above, ends its own work with the device.
atexit.register(_tell)
if hasattr(os, "register_at_fork"):
    # The device of the process that forks is not there for the one that it makes.
    os.register_at_fork(after_in_child=_forget)
