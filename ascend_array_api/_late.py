"""Errors that lie in values on an accelerator: noted there, raised where the host waits anyway.

The CPU sees at once that a position is out of bounds, a divisor 0 or a matrix singular.  To see it,
the host would have to wait for an accelerator at every such call.  So what is found stays on the
device as a number or two for each call, and all of them are fetched where the host waits for a
value: the error that comes then names the call that it is of.
"""

from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING, Final, NamedTuple, final

from . import _options
from ._devices import device_of
from ._host import user_frame
from ._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from ._devices import Device

_MOST: Final = 4096
"""So many calls are noted; then the host waits for what was found in them."""


class _Noted(NamedTuple):
    """A call in which something may be wrong."""

    found: Sequence[Tensor]
    """Integers or booleans on the device, in 0 dimensions; none where a kernel writes a record."""
    wrong: Callable[..., bool]
    """Says of their values, or of that in the record, whether they are wrong."""
    error: Callable[[str], Exception]
    text: str
    where: str
    """The place of the call in the user's code."""


@final
class _Noteds(list[_Noted]):
    """What is noted on a device, and the record in which kernels write 1 for what is wrong."""

    record: Tensor | None = None


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
    """

    __slots__ = ("_awaited", "error", "text")

    def __init__(self, error: Callable[[str], Exception], text: str) -> None:
        self.error = error
        self.text = text
        self._awaited: Tensor | None = None

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
        elif wrong(*(t.item() for t in found)):
            raise self.error(self.text)

    def place(self, device: Device) -> tuple[Tensor, int]:
        """Return the record of a device and the place in it where 1 stands for what is wrong."""
        if _options.current().checks != "wait":
            noted, place = self._note(device, (), bool)
            with _lock:
                record = noted.record
                if record is None:
                    record = noted.record = _idle_record(device)
            return record, place
        with _lock:
            self._awaited = _idle_record(device)
        return self._awaited, 0

    def written(self) -> None:
        """Raise the error if the host is to wait for it."""
        record = self._awaited
        if record is not None:
            wrong = bool(record[0])
            _give_back(record, wrong)
            if wrong:
                raise self.error(self.text)

    def _note(
        self, device: Device, found: Sequence[Tensor], wrong: Callable[..., bool]
    ) -> tuple[_Noteds, int]:
        """Note the call, and return among what and at which place."""
        entry = _Noted(found, wrong, self.error, self.text, user_frame()[1])
        while True:
            with _lock:
                noted = pending.setdefault(device, _Noteds())
                place = len(noted)
                if place < _MOST:
                    noted.append(entry)
                    return noted, place
            raise_found(device)


def _idle_record(device: Device) -> Tensor:
    """Return a record of zeros, whatever stream is then used."""
    idle = _records.setdefault(device, [])
    if idle:
        return idle.pop()
    record = torch.zeros(_MOST, dtype=torch.int32, device=device.torch_device)
    device.backend.module.synchronize(device.torch_device)
    return record


def _give_back(record: Tensor, written: bool) -> None:
    """Keep a record for another time, when no kernel writes to it any more."""
    device = device_of(record)
    if written:
        record.zero_()
        device.backend.module.synchronize(device.torch_device)
    with _lock:
        _records[device].append(record)


def raise_found(device: Device) -> None:
    """Raise the first error that was found on a device, and forget all."""
    with _lock:
        noted = pending.pop(device, None)
    if not noted:
        return
    # What was noted may have been computed on another stream than the one that is read from.
    device.backend.module.synchronize(device.torch_device)
    every = [t.to(torch.int64) for one in noted for t in one.found]
    values = iter(torch.stack(every).tolist() if every else ())
    written = [0] * len(noted)
    if noted.record is not None:
        written = noted.record[: len(noted)].tolist()
        _give_back(noted.record, any(written))
    wrong = [
        one
        for one, flag in zip(noted, written, strict=True)
        if one.wrong(*itertools.islice(values, len(one.found)) if one.found else (flag,))
    ]
    if not wrong:
        return
    first, more = wrong[0], len(wrong) - 1
    others = f" So did {more} more after it." if more else ""
    raise first.error(
        f"{first.text} It was called at {first.where}, and found out late, as "
        f"options(checks='late') has it: arrays made of its result are wrong.{others}"
    )


def waits(device: Device) -> None:
    """Raise what was found on a device; called where the host waits for it."""
    if device in pending:
        raise_found(device)


def raise_all() -> None:
    """Raise the first error that was found on any device."""
    for device in list(pending):
        raise_found(device)


_options.when_late_is_left(raise_all)
