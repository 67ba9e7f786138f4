"""Errors that lie in values on an accelerator: noted there, raised where the host waits anyway.

The CPU sees at once that a position is out of bounds, a divisor 0 or a matrix singular.  To see it,
the host would have to wait for an accelerator at every such call.  So what is found stays on the
device as a number or two for each call, and all of them are fetched where the host waits for a
value: the error that comes then names the call that it is of.

Two are told: the thread or task that made the call, once, where it next waits for the device; and
every reader of an array that the call made wrong, each time.  Nobody else is.  A thread that waits
for its own arrays may find out what others did wrong, and keeps that for them.

To tell the readers, arrays that may be wrong are marked.  The spec of such an array is the
``doubted`` one, and its tensor remembers of which calls it was made.  Only kernels of doubted specs
pass these marks on (see ``following``), so no other call pays for them.
"""

from __future__ import annotations

import atexit
import functools
import os
import sys
import threading
import weakref
from asyncio import current_task
from asyncio.events import _get_running_loop
from collections import OrderedDict
from contextlib import contextmanager
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Final, final

from torch.multiprocessing.reductions import StorageWeakRef

from . import _options
from ._devices import device_of
from ._dtypes import INTEGER
from ._host import frame_of_user, line_of, user_code
from ._private_torch import is_wrapped
from ._torch import torch
from ._tracing import traced_as

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from torch import Tensor

    from ._array import Array
    from ._devices import Device, Spec

_MOST: Final = 4096
"""So many calls are noted; then the host waits for what was found in them."""


@final
class _Noteds:
    """What is noted on a device, and the record in which kernels write 1 for what is wrong.

    Calls note without the lock, by steps of which the interpreter does each at once: they take a
    place, and then look whether this is still ``open``; and when the kernel is launched they add
    themselves to ``calls``, and look again.  Whoever waits closes it, and then takes the calls.
    """

    __slots__ = ("alone", "calls", "device", "open", "places", "record", "taken")

    def __init__(
        self,
        device: Device,
        *,
        pending: bool = False,
        alone: bool = False,
        record: Tensor | None = None,
        first: int = 0,
    ) -> None:
        self.device = device
        self.calls: list[Doubt] = []
        self.record = record
        self.places = count(first)
        """The places of the record that are not given away yet."""
        self.open = pending
        """Whether it is the one to which the calls on the device are added."""
        self.alone = alone
        """Whether it is for one call that waits."""
        self.taken: list[Doubt] = []
        """The calls that were there when it was closed."""

    def __len__(self) -> int:
        return len(self.calls)

    def close(self) -> tuple[list[Doubt], int]:
        """Take the calls, and return them and how many places were given away; under the lock."""
        self.open = False
        self.taken = self.calls.copy()
        return self.taken, next(self.places)


pending: Final[dict[torch.device, _Noteds]] = {}
"""What is noted on each device; a device on which nothing is has no entry."""

_records: Final[dict[Device, list[Tensor]]] = {}
"""Records to which nobody writes: of a place for each call that may be noted, all 0."""

_untold: Final[list[Doubt]] = []
"""Calls that turned out wrong, and whose thread or task has not been told yet."""

mistakes: Final[dict[int, object]] = {}
"""Calls that turned out wrong, for as long as there are arrays that they spoil, or nobody knows.

While a thread finds out what went wrong, it has an entry here, so that others wait for it.
"""

_FINDING: Final = 0
"""The key of that."""

_lock: Final = threading.Lock()

_finding: Final = threading.RLock()
"""Held by the thread that finds out.  No other thread reads values before that is done."""


# --- who made a call ------------------------------------------------------------------------------


@final
class _Thread:
    """Stands for a thread, and is gone when that ends."""

    __slots__ = ("__weakref__", "reference")

    def __init__(self) -> None:
        self.reference: weakref.ref[Any] = weakref.ref(self)


class _Local(threading.local):
    def __init__(self) -> None:
        self.thread = _Thread()


_local: Final = _Local()


def _caller() -> weakref.ref[Any]:
    """Return what stands for the task that runs, or the thread where none does."""
    loop = _get_running_loop()
    if loop is not None and (task := current_task(loop)) is not None:
        return weakref.ref(task)  # always the same one
    return _local.thread.reference


# --- which calls put an array in doubt ------------------------------------------------------------


@final
class _Open:
    """Calls that are in doubt at the same time.  Each has a bit; an array has the sum of some."""

    __slots__ = ("calls", "count", "right", "wrong")

    def __init__(self) -> None:
        self.calls: dict[int, Doubt] = {}
        """The calls that are not known to be right, by their bits."""
        self.count = count()
        self.right = 0
        """The bits of those that are known to be right."""
        self.wrong = 0


_open = _Open()


class _Doubts(dict[_Open, int]):
    """The calls that put a tensor in doubt, as an attribute of it.

    Other code may copy or save the tensor together with its attributes.  This one is left out.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return OrderedDict, ()  # which torch.load takes

    def __deepcopy__(self, _: object) -> _Doubts:
        return self


_NO_DOUBTS: Final = _Doubts()


def _doubts_of(x: Tensor) -> _Doubts:
    """Return which calls put a tensor in doubt that are not known to be right.

    Nobody writes to what is returned: many tensors may have it.
    """
    found: Any = getattr(x, "_doubts", _NO_DOUBTS)
    whole = x._base
    if whole is not None:
        of_whole: Any = getattr(whole, "_doubts", _NO_DOUBTS)
        found = _joined(found, of_whole)
    for among, bits in found.items():
        if bits & among.right:
            return _Doubts({a: left for a, b in found.items() if (left := b & ~a.right)})
    doubts: _Doubts = found
    return doubts


def _joined(some: _Doubts, others: _Doubts) -> _Doubts:
    if not some or not others or some is others:
        return some or others
    every = {**some, **others}
    return _Doubts({among: some.get(among, 0) | others.get(among, 0) for among in every})


def _tensors_in(values: Any) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _tensors_in(value)


def _doubts_among(operands: Any) -> _Doubts:
    found = _NO_DOUBTS
    for x in operands:
        kind = type(x)
        if kind is torch.Tensor:  # torch takes longer to say whether one is an instance
            others = _doubts_of(x)
        elif kind is tuple or kind is list:
            others = _doubts_among(x)
        else:
            others = _doubts_of(x) if isinstance(x, torch.Tensor) else _NO_DOUBTS
        if others:
            found = _joined(found, others)
    return found


def _put_in_doubt(x: Tensor, doubts: _Doubts) -> None:
    """Have a tensor remember which calls put it in doubt."""
    own = _doubts_of(x)
    x._doubts = _joined(own, doubts) if own else doubts  # type: ignore[attr-defined]


def _put_memory_in_doubt(x: Tensor, doubts: _Doubts) -> None:
    """Do so of a tensor that was written to, and of the tensor that it is a view of."""
    _put_in_doubt(x, doubts)
    if x._base is not None:
        _put_in_doubt(x._base, doubts)


def follow(operands: Any, result: Any) -> None:
    """Mark the result of a kernel, or the operand that it wrote to, with the operands' doubts."""
    doubts = _doubts_among(operands)
    if not doubts:
        return
    if result is None:
        _put_memory_in_doubt(operands[0], doubts)
        return
    if type(result) is torch.Tensor:
        _put_in_doubt(result, doubts)
    else:
        for x in _tensors_in((result,)):
            _put_in_doubt(x, doubts)


def following(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel for arrays in doubt: it marks its results with the operands' doubts."""

    @functools.wraps(kernel, assigned=("__name__",))
    def followed(*operands: Any, **parameters: Any) -> Any:
        result = kernel(*operands, **parameters)
        follow(operands, result)
        return result

    return followed


def _traced_joint(spec: Spec, *_: Spec) -> Spec:
    return spec


@traced_as(_traced_joint)
def joint(spec: Spec, *others: Spec) -> Spec:
    """Return the first spec, or its doubted one if another of the specs is doubted.

    All are of one device.
    """
    for other in others:
        if other.sure is not other:
            return spec.doubted
    return spec


def spoil_tensor(result: Tensor, doubt: Doubt | None, *more: Doubt | None) -> None:
    """Have a new tensor, or one that a kernel wrote to, remember of which calls it was made."""
    for each in (doubt, *more):
        if each is not None and each.right is None:
            _put_memory_in_doubt(result, _Doubts({each.among: each.bit}))


def _traced_spoil(result: Array, *_: Any, **__: Any) -> Array:
    return result


@traced_as(_traced_spoil)
def spoil(
    result: Array,
    *doubts: Doubt | None,
    operands: Sequence[Array] = (),
    tensors: Sequence[Any] = (),
) -> Array:
    """Have an array remember of which calls, arrays and tensors it was made; return it.

    Its own tensor may remember already.
    """
    spec = result._spec
    if spec.late:
        tensor = result._tensor
        if tensors and (found := _doubts_among(tensors)):
            _put_memory_in_doubt(tensor, found)
        for x in operands:
            if x._spec.sure is not x._spec and (found := _doubts_of(x._tensor)):
                _put_memory_in_doubt(tensor, found)
        for doubt in doubts:
            if doubt is not None and doubt.right is None:
                _put_memory_in_doubt(tensor, _Doubts({doubt.among: doubt.bit}))
        if hasattr(tensor, "_doubts"):
            result._spec = spec.doubted
    return result


def _traced_settled(x: Array) -> Spec:
    return x._spec


@traced_as(_traced_settled)
def settled(x: Array) -> Spec:
    """Return the spec of an array that was in doubt: if it is right, the sure one from now on."""
    if not _doubts_of(x._tensor):
        x._spec = x._spec.sure
    return x._spec


def doubt_behind(positions: Array) -> Doubt | None:
    """Return the call that judges positions, if an earlier one does."""
    known = getattr(positions, "_known", None)
    return None if known is None else known[3]


def doubt_behind_divisor(divisor: Tensor) -> Doubt | None:
    """Return the call that judges a divisor, if an earlier one does."""
    known = getattr(divisor, "_no_zero", ())
    return known[1] if known else None


# --- doubts ---------------------------------------------------------------------------------------


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

    __slots__ = (
        *("__weakref__", "_caller", "_code", "_device", "_found", "_noteds", "_place", "_step"),
        *("_wrong", "among", "arguments", "bit", "error", "right", "text"),
    )

    def __init__(
        self, error: Callable[[str], Exception], text: Callable[..., str], *arguments: Any
    ) -> None:
        self.error = error
        self.text = text
        self.arguments = arguments
        self.right: bool | None = False
        """Whether it turned out to be right; None from when it is noted until that is known."""
        self._noteds: _Noteds | None = None

    def _opened(self, device: torch.device) -> None:
        """Be in doubt from now on: the call is that of whoever runs."""
        self.right = None
        self._caller = _caller()
        self._device = device
        self.among = among = _open
        self.bit = 1 << next(among.count)
        among.calls[self.bit] = self

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
        if _options.current().checks == "wait":
            if wrong(*_fetched(device_of(found[0]), found)):
                raise self.exception()
            self.right = True
            return
        self._code, self._step = user_code(3)
        self._place, self._found, self._wrong = -1, found, wrong
        self._opened(found[0].device)
        with _lock:
            noteds = _noteds_of(found[0])
            noteds.calls.append(self)
        if len(noteds.calls) >= _MOST:
            raise_found(found[0].device)

    def place(self, x: Tensor) -> tuple[Tensor, int]:
        """Return the record of a tensor's device and the place in it where 1 stands for wrong."""
        waits = _options.chosen().checks == "wait"
        noteds = _Noteds(device_of(x), alone=True) if waits else pending.get(x.device)
        if noteds is None or noteds.record is None:
            with _lock:
                noteds = _noteds_of(x) if noteds is None else noteds
                if noteds.record is None:
                    noteds.record = _idle_record(noteds.device)
        place = next(noteds.places)
        if (place >= _MOST or not noteds.open) and not waits:
            with _lock:
                noteds = _Noteds(noteds.device, record=_idle_record(noteds.device))
            place = next(noteds.places)
        self._noteds, self._place = noteds, place
        return noteds.record, place  # type: ignore[return-value]

    def written(self) -> None:
        """Raise the error if the host is to wait for it; only rows for a device call this."""
        noteds = self._noteds
        assert noteds is not None
        if noteds.alone:
            self._wait(noteds)
            return
        # Between here and the user stand at least the row, the function and two that join them.
        frame = frame_of_user(sys._getframe(4))
        self._code = frame.f_code
        self._step = frame.f_lasti
        self._opened(noteds.device.torch_device)
        calls = noteds.calls
        calls.append(self)
        if not noteds.open:
            self._moved(noteds)
        elif len(calls) >= _MOST:
            raise_found(noteds.device.torch_device)

    def _moved(self, noteds: _Noteds) -> None:
        """Be noted with others: the host has waited in another thread, or there was no place."""
        with _lock:
            if any(call is self for call in noteds.taken):
                return
            record = self._fetch_from(noteds)
            newer = _noteds_of(record)
            newer.calls.append(self)
        if len(newer.calls) >= _MOST:
            raise_found(noteds.device.torch_device)

    def _fetch_from(self, noteds: _Noteds) -> Tensor:
        """Have the one value fetched by itself, and not with the record that has it."""
        assert noteds.record is not None
        value = noteds.record[self._place]
        self._place, self._found, self._wrong = -1, (value,), bool
        return value

    def _wait(self, noteds: _Noteds) -> None:
        assert noteds.record is not None
        with _faults_of(noteds.device):
            wrong = bool(noteds.record[0])
            _give_back(noteds.device, noteds.record, written=wrong)
        if wrong:
            raise self.exception()
        self.right = True

    def where(self) -> str:
        """Return the place of the call in the user's code."""
        return f"{self._code.co_filename}:{line_of(self._code, self._step)}"

    def turned_out(self, record: Sequence[int], others: Iterator[int]) -> bool:
        """Say whether it is wrong, by what was read of a record and of all else that was found."""
        if self._place >= 0:
            wrong = record[self._place] != 0
        else:
            wrong = self._wrong(*islice(others, len(self._found)))
            self._found = ()
        self.right = not wrong
        self._noteds = None  # an array that knows of this one would keep all calls beside it
        if wrong:
            self.among.wrong |= self.bit
            mistakes[id(self)] = weakref.ref(self, functools.partial(_forgotten, id(self)))
        else:
            self.among.right |= self.bit
            del self.among.calls[self.bit]
        return wrong

    def is_of(self, caller: weakref.ref[Any]) -> bool:
        """Say whether a thread or task made the call."""
        return self._caller is caller

    def is_nobodys(self) -> bool:
        """Say whether the thread or task that made the call has ended."""
        made = self._caller()
        return made is None or (not isinstance(made, _Thread) and bool(made.done()))

    def told(self, more: int = 0) -> Exception:
        """Return the error, with what is to be said of one that is found out late."""
        others = f" So did {more} more after it." if more else ""
        return self.exception(
            f" It was called at {self.where()}, and found out late, as "
            f"options(checks='late') has it: arrays made of its result are wrong.{others}"
        )


def _noteds_of(x: Tensor) -> _Noteds:
    """Return to what the calls on a tensor's device are added; under the lock."""
    noteds = pending.get(x.device)
    if noteds is None:
        noteds = pending[x.device] = _Noteds(device_of(x), pending=True)
    return noteds


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
    if x._spec.device.backend.late and _remembers(tensor) and not _is_out(tensor):
        x._known = low, high, tensor._version, None
    return x


_OUT: Final = (-(2**64), 2**64, 0, None)
"""What is known of an array that others may write to unseen."""


def _remembers(x: Tensor) -> bool:
    """Say whether a tensor has memory of its own, and counts what is written to it."""
    return type(x) is torch.Tensor and not (is_wrapped(x) or x.is_inference())


def _traced_doubt_of(
    x: Array,
    low: int,
    high: int,
    error: Callable[[str], Exception],
    text: Callable[..., str],
    *arguments: Any,
) -> None:
    """Compiled functions note nothing."""
    if low > high and x._tensor.numel():
        raise error(text(*arguments))


@traced_as(_traced_doubt_of)
def doubt_of(
    x: Array,
    low: int,
    high: int,
    error: Callable[[str], Exception],
    text: Callable[..., str],
    *arguments: Any,
) -> Doubt | None:
    """Return what to tell of integers that are to lie between bounds, which is then known of them.

    It is ``NONE`` if it is known, without a look, that they do, and None if nothing is to be told:
    because the options say so, or because it will be found out without another look.  Where no
    integer lies between the bounds, the error is raised.
    """
    if low > high:
        _traced_doubt_of(x, low, high, error, text, *arguments)
    now = _options.chosen().checks
    known = getattr(x, "_known", None)
    if known is not _OUT:
        tensor = x._tensor
        own = _remembers(tensor) and not _is_out(tensor)
        if known is not None and own:
            least, most, version, doubt = known
            if low <= least and most <= high and version == tensor._version:
                right = True if doubt is None else doubt.right
                if right:
                    return NONE
                if right is None and now == "late":
                    return None
        if now == "off":
            return None
        doubt = Doubt(error, text, *arguments)
        if own:
            x._known = low, high, tensor._version, doubt
        return doubt
    return None if now == "off" else Doubt(error, text, *arguments)


NONE: Final = Doubt(Exception, str)
"""What there is to tell of what is known to be right."""
NONE.right = True


_gone_out: Final[dict[int, StorageWeakRef]] = {}
"""Memory on accelerators, by its address, that others have been given, and may write to unseen."""


def _is_out(x: Tensor) -> bool:
    if not _gone_out:
        return False
    own = x.untyped_storage()
    address = own.data_ptr()
    storage = _gone_out.get(address)
    if storage is None:
        return False
    # That of the tensor itself has not expired: to ask takes as long as all else here.
    if storage.cdata != own._cdata and storage.expired():  # type: ignore[no-untyped-call]
        # Nobody has it any more, and the address is another's.
        _gone_out.pop(address, None)
        return False
    return True


def goes_out(x: Array) -> None:
    """Note that others are given the memory of an array."""
    if x._spec.device.backend.late and x._spec.dtype in INTEGER and _remembers(x._tensor):
        if len(_gone_out) >= _MOST:
            for address, other in list(_gone_out.items()):
                if other.expired():  # type: ignore[no-untyped-call]
                    _gone_out.pop(address, None)
        storage = x._tensor.untyped_storage()
        x._known = _OUT
        x._tensor.__dict__.pop("_no_zero", None)
        _gone_out[storage.data_ptr()] = StorageWeakRef(storage)  # type: ignore[no-untyped-call]


def _no_zero(name: str) -> str:
    return f"{name}: an integer was divided by zero."


def known_nonzero(divisor: Tensor) -> None:
    """Note that a tensor, which no user sees, holds no zero."""
    divisor._no_zero = None  # type: ignore[attr-defined]


def doubt_of_divisor(function: str, divisor: Tensor) -> Doubt | None:
    """Return what to tell of an integer divisor; None if it holds no zero or was told of before.

    It is one that can be judged.
    """
    now = _options.chosen().checks
    if now == "off":
        return None
    known = getattr(divisor, "_no_zero", ())
    if known is None:
        return None
    # As of positions, but that it stands for no others is known already.
    plain = type(divisor) is torch.Tensor
    own = plain and not _is_out(divisor) and not divisor.is_inference()
    if known and own:
        version, doubt = known
        told = doubt.right or (doubt.right is None and now == "late")
        if told and version == divisor._version:
            return None
    doubt = Doubt(ZeroDivisionError, _no_zero, function)
    if own:
        divisor._no_zero = divisor._version, doubt  # type: ignore[attr-defined]
    return doubt


def _forgotten(key: int, _: object) -> None:
    mistakes.pop(key, None)


def _find_out(device: torch.device) -> None:
    """Wait for what was found on a device, and keep for those who are to be told what is wrong."""
    with _finding:
        with _lock:
            noted = pending.get(device)
            if noted is None:
                return
            mistakes[_FINDING] = noted
            del pending[device]
            calls, places = noted.close()
        try:
            _judge(noted, calls, places)
        finally:
            mistakes.pop(_FINDING, None)


def _judge(noted: _Noteds, calls: list[Doubt], places: int) -> None:
    own = noted.device
    try:
        found = [t for call in calls if call._place < 0 for t in call._found]
        values = iter(_fetched(own, found))
        written: list[int] = []
        if noted.record is not None:
            with _faults_of(own):
                written = noted.record[:places].tolist()
    except KeyboardInterrupt:
        _keep(noted, places)
        raise
    except Exception:
        for call in calls:  # nobody will know of these
            call.right = False
        raise
    with _lock:
        _untold.extend([call for call in calls if call.turned_out(written, values)])
        _begin_anew()
    if noted.record is not None and sum(call._place >= 0 for call in calls) == places:
        with _faults_of(own):  # else one is yet to write
            _give_back(own, noted.record, written=any(written))


def _begin_anew() -> None:
    """Give away the first bits again, where no array can remember them of another call."""
    global _open  # noqa: PLW0603  # calls that note take the one that there is, without the lock
    if _open.right | _open.wrong:
        _open = _Open()


def _tell(calls: list[Doubt]) -> None:
    """Raise the first of some errors, and forget that they are to be told."""
    if calls:
        for call in calls:
            _untold.remove(call)
        raise calls[0].told(len(calls) - 1)


def raise_found(device: torch.device) -> None:
    """Find out what went wrong on a device, and raise the first error of the caller's own."""
    _find_out(device)
    _raise_own(device)


def _raise_own(device: torch.device | None = None, *, and_nobodys: bool = False) -> None:
    if not _untold:
        return
    me = _caller()
    with _lock:
        _tell(
            [
                call
                for call in _untold
                if (device is None or call._device == device)
                and (call.is_of(me) or (and_nobodys and call.is_nobodys()))
            ]
        )


def _raise_spoiled(tensors: Iterator[Tensor]) -> None:
    """Raise the error of the first call that made one of some tensors wrong, as often as asked."""
    for x in tensors:
        for among, bits in _doubts_of(x).items():
            if wrong := bits & among.wrong:
                call = among.calls[wrong & -wrong]
                with _lock:
                    if call in _untold and call.is_of(_caller()):
                        _untold.remove(call)
                raise call.told()


def _keep(noted: _Noteds, places: int) -> None:
    """Note again what was not told, because the host was interrupted as it waited."""
    with _lock:
        again = _Noteds(noted.device, pending=True, record=noted.record, first=places)
        newer = pending.setdefault(noted.device.torch_device, again)
        if newer is not again:
            for call in noted.taken:
                if call._place >= 0:
                    call._fetch_from(noted)
        newer.calls[:0] = noted.taken


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


def waits(device: Device, *tensors: Tensor) -> None:
    """Raise what was found on a device; called where the host waits for it, or for some tensors.

    It raises errors of the caller's own calls, each once, and those of the calls that made the
    tensors wrong, whoever called.
    """
    own = device.local.torch_device
    if own in pending or _FINDING in mistakes:
        _find_out(own)
    if mistakes:
        _raise_own(own)
        _raise_spoiled(_tensors_in(tensors))


def leaves(x: Array) -> None:
    """Raise if an array is known to be wrong, of which others are about to be given the elements.

    It does not wait for what is not known yet.
    """
    if mistakes:
        _raise_spoiled(_tensors_in((x._tensor,)))


def finish(device: Device) -> None:
    """Raise what was found on a device in calls of the caller's own, or of nobody any more."""
    waits(device)
    _raise_own(device.local.torch_device, and_nobodys=True)


def raise_all() -> None:
    """Raise the first error of the caller's own that was found on any device."""
    with _finding:  # another thread may have begun
        for device in list(pending):
            _find_out(device)
    _raise_own()


_options.when_late_is_left(raise_all)


def _say_at_the_end() -> None:
    """Say on standard error, as the process ends, what nobody has waited for."""
    for device in list(pending):
        try:
            _find_out(device)
        except Exception as error:  # noqa: BLE001, PERF203  (nobody is left to)
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
    for call in _untold:
        told = call.told()
        print(f"{type(told).__name__}: {told}", file=sys.stderr)


def forget() -> None:
    """Forget what was noted, and what was found, on every device."""
    pending.clear()
    _records.clear()
    _untold.clear()
    mistakes.clear()


# It comes before torch, which was imported above, ends its own work with the device.
atexit.register(_say_at_the_end)
if hasattr(os, "register_at_fork"):
    # The device of the process that forks is not there for the one that it makes.
    os.register_at_fork(after_in_child=forget)
