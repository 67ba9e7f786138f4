"""Late errors: found in values on an accelerator, raised where the host waits anyway.

Imports no chapter, and names no operation and no device type: callers say what is wrong.

On the CPU the library sees immediately that a position is out of bounds, a divisor is 0 or a
matrix is singular.  On an accelerator the host would have to wait for every such call.  So each
call leaves a number or two on the device.  The host fetches all of them where it next waits for a
value, and the error then names the call that caused it.

Two kinds of users get the error: the thread or task that made the call, once, where it next waits
for the device; and every reader of an array that the call made wrong, each time.  Nobody else gets
it.  A thread that waits for its own arrays may find errors of other threads, and keeps them for
those threads.

Arrays that may be wrong are marked, so that their readers can be told.  The spec of such an array
is the ``doubted`` one, and its tensor holds the calls that it depends on.  Only kernels of doubted
specs pass these marks on (see ``following``), so no other call pays for them.

The parts are called:

- a *doubt* (``Doubt``) is one call that may turn out wrong;
- a *record* is a tensor of flags on the device, with a *place* for each call;
- a *bit* stands for a doubt in the marks of tensors (``_Open``, ``_Doubts``);
- a *caller* (``_caller``) is the thread or task that owns a doubt.
"""

from __future__ import annotations

import atexit
import functools
import os
import sys
import threading
import warnings
import weakref
from asyncio import current_task
from asyncio.events import _get_running_loop
from collections import OrderedDict
from contextlib import contextmanager
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Final, final

from torch.multiprocessing.reductions import StorageWeakRef

from .._devices.device import device_of
from .._errors.exceptions import divided_by_zero
from .._options import relaxed, settings
from .._torch import torch
from .._torch.dtypes import INTEGER
from .._torch.private import is_wrapped
from .._torch.tracing import traced_as
from . import numpys
from .capturing import here, refuse
from .user_code import frame_of_user, line_of, user_code, user_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from torch import Tensor

    from .._arrays.array import Array
    from .._devices.device import Device, Spec
    from .capturing import Capture

_MOST: Final = 4096
"""The number of calls that are noted before the host waits for their flags."""


@final
class _Noteds:
    """The calls noted on a device, and the record in which kernels write 1 for a wrong call.

    Calls note themselves without the lock, by steps that are atomic in the interpreter: a call
    takes a place and then checks that this object is still ``open``; after it has launched the
    kernel it adds itself to ``calls`` and checks again.  A thread that waits closes the object
    first and takes the calls second, so one of the two always sees the other.
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
        """The places of the record that are still free."""
        self.open = pending
        """Whether calls on the device are added to this object."""
        self.alone = alone
        """Whether it serves a single call, which waits."""
        self.taken: list[Doubt] = []
        """The calls that it held when it was closed."""

    def __len__(self) -> int:
        return len(self.calls)

    def close(self) -> tuple[list[Doubt], int]:
        """Return the calls and the number of places that were taken; the caller holds the lock."""
        self.open = False
        self.taken = self.calls.copy()
        return self.taken, next(self.places)


pending: Final[dict[torch.device, _Noteds]] = {}
"""The calls noted on each device; a device without noted calls has no entry."""

_records: Final[dict[Device, list[Tensor]]] = {}
"""Idle records of each device: ``_MOST`` zeros, to which no kernel writes."""

_untold: Final[list[Doubt]] = []
"""Calls that turned out wrong and that have not been reported to their thread or task yet."""

mistakes: Final[dict[int, object]] = {}
"""Calls that turned out wrong, as long as they are unreported or an array depends on them.

While a thread judges calls, it has an entry here too, so that other readers wait for it; and so has
a thread that captures a function, whose readers are refused.  An empty dictionary therefore means
that no reader has anything to check.
"""

_FINDING: Final = 0
"""The key of the entry of a thread that judges calls; the other keys are ids of doubts."""

_lock: Final = threading.Lock()
"""Guards ``pending``, ``_records`` and ``_untold``.  No thread judges calls while it holds it."""

_finding: Final = threading.RLock()
"""Held by the thread that judges calls.  No other thread reads values before it has finished."""


# --- the caller: the thread or task that owns a call ----------------------------------------------


@final
class _Thread:
    """A token for a thread.  Only thread-local storage refers to it, so it dies with the thread."""

    __slots__ = ("__weakref__", "reference")

    def __init__(self) -> None:
        self.reference: weakref.ref[Any] = weakref.ref(self)


class _Local(threading.local):
    def __init__(self) -> None:
        self.thread = _Thread()


_local: Final = _Local()


def _caller() -> weakref.ref[Any]:
    """Return a reference to the running task, or to the thread's token if no task runs.

    The references are weak, so a noted call keeps no finished task alive.
    """
    loop = _get_running_loop()
    if loop is not None and (task := current_task(loop)) is not None:
        return weakref.ref(task)  # the same object each time, so callers compare by identity
    return _local.thread.reference


# --- the marks of tensors: which calls put an array in doubt --------------------------------------


@final
class _Open:
    """A generation of doubts.  Each doubt has a bit; a tensor holds the union of several bits.

    Bits make marks cheap to join and to clear: one ``|`` or ``&`` for any number of calls.
    """

    __slots__ = ("calls", "count", "right", "wrong")

    def __init__(self) -> None:
        self.calls: dict[int, Doubt] = {}
        """The calls that are unjudged or wrong, by their bits."""
        self.count = count()
        self.right = 0
        """The bits of the calls that turned out right."""
        self.wrong = 0
        """The bits of the calls that turned out wrong."""


_open = _Open()


class _Doubts(dict[_Open, int]):
    """The marks of a tensor, kept as its attribute ``_doubts``: bits by generation.

    An object of this class is never changed, because many tensors may share it.  torch copies and
    saves a tensor's attributes with it, so a pickle holds an empty mapping instead of the marks.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return OrderedDict, ()  # torch.load refuses our class but accepts this one

    def __deepcopy__(self, _: object) -> _Doubts:
        return self


_NO_DOUBTS: Final = _Doubts()


def _doubts_of(x: Tensor) -> _Doubts:
    """Return the marks of a tensor without the calls that turned out right."""
    found: Any = getattr(x, "_doubts", _NO_DOUBTS)
    # Torch makes a new object for each view, so a view reads the marks of the tensor it views.
    whole = x._base
    if whole is not None:
        of_whole: Any = getattr(whole, "_doubts", _NO_DOUBTS)
        found = _joined(found, of_whole)
    # Copy only if there is a bit to drop: most marks are still unjudged.
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
        if kind is torch.Tensor:  # isinstance() is slow for torch.Tensor, so it comes last
            others = _doubts_of(x)
        elif kind is tuple or kind is list:
            others = _doubts_among(x)
        else:
            others = _doubts_of(x) if isinstance(x, torch.Tensor) else _NO_DOUBTS
        if others:
            found = _joined(found, others)
    return found


def _put_in_doubt(x: Tensor, doubts: _Doubts) -> None:
    """Add marks to a tensor."""
    own = _doubts_of(x)
    x._doubts = _joined(own, doubts) if own else doubts  # type: ignore[attr-defined]


def _put_memory_in_doubt(x: Tensor, doubts: _Doubts) -> None:
    """Add marks to a tensor that a kernel wrote to, and to the tensor that it is a view of."""
    whole = x._base
    if whole is None and not hasattr(x, "_doubts"):  # a new tensor, as in most calls
        x._doubts = doubts  # type: ignore[attr-defined]
        return
    _put_in_doubt(x, doubts)
    if whole is not None:
        _put_in_doubt(whole, doubts)


def follow(operands: Any, result: Any) -> None:
    """Add the operands' marks to the result of a kernel, or to the operand that it wrote to."""
    doubts = _doubts_among(operands)
    if not doubts:
        return
    if result is None:  # kernels that return nothing write to their first operand
        _put_memory_in_doubt(operands[0], doubts)
        return
    if type(result) is torch.Tensor:
        _put_in_doubt(result, doubts)
    else:
        for x in _tensors_in((result,)):
            _put_in_doubt(x, doubts)


def following(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel for doubted specs: it adds the operands' marks to its results."""

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

    All specs are of one device.
    """
    for other in others:
        if other.sure is not other:
            return spec.doubted
    return spec


def spoil_tensor(result: Tensor, doubt: Doubt | None, *more: Doubt | None) -> None:
    """Mark a new tensor, or a tensor that a kernel wrote to, with the doubts that are unjudged."""
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
    """Mark an array with doubts and with the marks of arrays and tensors; return it.

    Use it where no kernel of a doubted spec has marked the result.  The array gets the doubted
    spec, which makes later kernels pass the marks on.
    """
    spec = result._spec
    if spec.late:
        tensor = result._tensor
        found = _doubts_among(tensors) if tensors else _NO_DOUBTS
        for x in operands:
            if x._spec.sure is not x._spec:
                found = _joined(found, _doubts_of(x._tensor))
        bits = _Doubts()
        for doubt in doubts:
            if doubt is not None and doubt.right is None:
                bits[doubt.among] = bits.get(doubt.among, 0) | doubt.bit
        if found or bits:
            _put_memory_in_doubt(tensor, _joined(found, bits))
        if hasattr(tensor, "_doubts"):  # set here, or by the kernel that made the tensor
            result._spec = spec.doubted
    return result


def _traced_settled(x: Array) -> Spec:
    return x._spec


@traced_as(_traced_settled)
def settled(x: Array) -> Spec:
    """Return the spec of a doubted array.  If all its calls were right, it becomes sure again."""
    if not _doubts_of(x._tensor):
        x._spec = x._spec.sure
    return x._spec


@contextmanager
def capturing(capture: Capture) -> Iterator[Capture]:
    """Enter a capture in this thread, for a block: nothing is noted, and waits are refused."""
    here.capture = capture
    mistakes[id(capture)] = capture  # so that every reader calls waits()
    try:
        yield capture
    finally:
        here.capture = None
        del mistakes[id(capture)]
        for doubt, *_ in capture.noted:
            doubt.dropped()


def mark(x: Tensor) -> Doubt:
    """Mark a tensor with a doubt of its own, by which tensors tell that they depend on it."""
    doubt = Doubt(Exception, str)
    doubt._opened(x.device)
    spoil_tensor(x, doubt)
    return doubt


def depends(x: Tensor, doubt: Doubt) -> bool:
    """Say whether a tensor depends on the call of a doubt."""
    return bool(_doubts_of(x).get(doubt.among, 0) & doubt.bit)


def doubt_behind(positions: Array) -> Doubt | None:
    """Return the earlier doubt that judges these positions, if there is one.

    An array made of such positions depends on that doubt, although no new one is noted for it.
    """
    known = getattr(positions, "_known", None)
    return None if known is None else known[3]


def doubt_behind_divisor(divisor: Tensor) -> Doubt | None:
    """Return the earlier doubt that judges this divisor, if there is one."""
    known = getattr(divisor, "_no_zero", ())
    return known[1] if known else None


# --- doubts ---------------------------------------------------------------------------------------


def noticing() -> bool:
    """Say whether the options ask for checks at all."""
    return settings.current().checks != "off"


@final
class Doubt:
    """A call that may turn out wrong, judged by values that a device computes.

    The route that computes reports in one of two ways: it passes tensors to ``found``; or it has
    its kernel write 1 to a ``place`` and then calls ``written``.  The second way needs no further
    kernel.

    Parameters
    ----------
    error : type
        The type of the error.
    text : callable
        Returns the text of the error, given the ``arguments``.
    *arguments
        The arguments of ``text``.
    """

    __slots__ = (
        *("__weakref__", "_caller", "_captured", "_code", "_device", "_found", "_noteds"),
        *("_place", "_step"),
        *("_wrong", "among", "arguments", "bit", "error", "right", "text"),
    )

    def __init__(
        self, error: Callable[[str], Exception], text: Callable[..., str], *arguments: Any
    ) -> None:
        self.error = error
        self.text = text
        self.arguments = arguments
        self.right: bool | None = False
        """None while the call is noted and unjudged; then whether it was right.

        It is False before the call is noted, so that nothing is marked with a call that is raised
        at once or never noted.
        """
        self._noteds: _Noteds | None = None

    def _opened(self, device: torch.device) -> None:
        """Become unjudged, owned by the running thread or task, with a bit of its own."""
        self.right = None
        self._caller = _caller()
        self._device = device
        self.among = among = _open
        self.bit = 1 << next(among.count)
        among.calls[self.bit] = self

    def exception(self, more: str = "") -> Exception:
        """Return the error, with more text behind its own."""
        return self.error(self.text(*self.arguments) + more)

    def found(self, found: Sequence[Tensor], wrong: Callable[..., bool]) -> None:
        """Raise the error if the tensors are wrong: now or later, as the options say.

        Parameters
        ----------
        found : sequence of Tensor
            0-dimensional integers or booleans on the device.
        wrong : callable
            Returns whether the values of the tensors, as integers, are wrong.
        """
        if settings.current().checks == "wait":
            refuse("options(checks='wait') waits for its check", "Choose checks='late'")
            if wrong(*_fetched(device_of(found[0]), found)):
                if not self.warns:
                    raise self.exception()
                text = self.text(*self.arguments)
                warnings.warn(text, RuntimeWarning, stacklevel=user_frame()[0])
            self.right = True
            return
        self._code, self._step = user_code(3)
        self._noted(found, wrong)

    def _noted(self, found: Sequence[Tensor], wrong: Callable[..., bool]) -> None:
        """Become unjudged until the tensors are fetched; in a capture, until it is over."""
        self._opened(found[0].device)
        if here.capture is not None:
            here.capture.noted.append((self, found, wrong))
            return
        self._place, self._found, self._wrong = -1, found, wrong
        with _lock:
            noteds = _noteds_of(found[0])
            noteds.calls.append(self)
        if len(noteds.calls) >= _MOST:
            raise_found(found[0].device)

    def place(self, x: Tensor) -> tuple[Tensor, int]:
        """Return the record of a tensor's device, and the place in it for the kernel's flag."""
        waits = settings.chosen().checks == "wait"
        if here.capture is not None:
            if waits:
                refuse("options(checks='wait') waits for its check", "Choose checks='late'")
            self._captured = here.capture.place()
            return self._captured
        # A call that waits has a record of its own, so that it fetches no flag but its own.
        noteds = _Noteds(device_of(x), alone=True) if waits else pending.get(x.device)
        if noteds is None or noteds.record is None:
            with _lock:
                noteds = _noteds_of(x) if noteds is None else noteds
                if noteds.record is None:
                    noteds.record = _idle_record(noteds.device)
        place = next(noteds.places)
        # The record is full, or a thread has closed it since the look-up.  Then this call gets a
        # record that is not pending, and written() moves it.
        if (place >= _MOST or not noteds.open) and not waits:
            with _lock:
                noteds = _Noteds(noteds.device, record=_idle_record(noteds.device))
            place = next(noteds.places)
        self._noteds, self._place = noteds, place
        return noteds.record, place  # type: ignore[return-value]

    def written(self) -> None:
        """Note the call, or wait for it if the options say so; only rows of a device call this.

        The kernel is launched already.
        """
        noteds = self._noteds
        if noteds is None:  # a capture has given the place
            record, place = self._captured
            self._code, self._step = user_code(3)
            self._noted((record[place],), bool)
            return
        if noteds.alone:
            self._code, self._step = user_code(3)  # for a warning
            self._wait(noteds)
            return
        # At least four frames lie between here and the user: the row, the function and two that
        # join them.  Skipping them unseen saves time in each call.
        frame = frame_of_user(sys._getframe(4))
        # The line is computed only if the call is wrong: see where().
        self._code = frame.f_code
        self._step = frame.f_lasti
        self._opened(noteds.device.torch_device)
        calls = noteds.calls
        calls.append(self)  # first append, then check: close() does the reverse
        if not noteds.open:
            self._moved(noteds)
        elif len(calls) >= _MOST:
            raise_found(noteds.device.torch_device)

    def _moved(self, noteds: _Noteds) -> None:
        """Join the calls that are pending now: another thread closed these, or they were full."""
        with _lock:
            if any(call is self for call in noteds.taken):
                return  # the thread that closed them judges this call too
            record = self._fetch_from(noteds)
            newer = _noteds_of(record)
            newer.calls.append(self)
        if len(newer.calls) >= _MOST:
            raise_found(noteds.device.torch_device)

    def _fetch_from(self, noteds: _Noteds) -> Tensor:
        """Have this call's flag fetched as a tensor of its own, apart from its record."""
        assert noteds.record is not None
        value = noteds.record[self._place]
        self._place, self._found, self._wrong = -1, (value,), bool
        return value

    def _wait(self, noteds: _Noteds) -> None:
        """Fetch the flag now, and raise the error if it is set."""
        assert noteds.record is not None
        with _faults_of(noteds.device):
            wrong = bool(noteds.record[0])
            _give_back(noteds.device, noteds.record, written=wrong)
        if wrong and self.warns:
            self.warn()
        elif wrong:
            raise self.exception()
        self.right = True

    def again(self, found: Sequence[Tensor], wrong: Callable[..., bool]) -> Doubt:
        """Note this call, which was captured, once more: a replay has computed other values."""
        doubt = Doubt(self.error, self.text, *self.arguments)
        doubt._code, doubt._step = self._code, self._step
        doubt._noted(found, wrong)
        return doubt

    def dropped(self) -> None:
        """Take no interest in the call any more: it was captured, and not made."""
        self.right = True
        self.among.right |= self.bit
        self.among.calls.pop(self.bit, None)

    def where(self) -> str:
        """Return the place of the call in the user's code."""
        return f"{self._code.co_filename}:{line_of(self._code, self._step)}"

    def turned_out(self, record: Sequence[int], others: Iterator[int]) -> bool:
        """Judge the call by the fetched record or by the next of the other fetched values.

        Return whether it is wrong.
        """
        if self._place >= 0:
            wrong = record[self._place] != 0
        else:
            wrong = self._wrong(*islice(others, len(self._found)))
            self._found = ()
        self.right = not wrong or self.warns
        self._noteds = None  # else an array that holds this doubt would keep all calls beside it
        if wrong and not self.warns:
            self.among.wrong |= self.bit
            # Marked tensors hold the generation, and that holds its wrong calls.  When the last
            # such tensor is gone and the owner is told, this entry goes too.
            mistakes[id(self)] = weakref.ref(self, functools.partial(_forgotten, id(self)))
        else:
            self.among.right |= self.bit
            del self.among.calls[self.bit]
        return wrong

    @property
    def warns(self) -> bool:
        """Whether the call is right even so, and the user is warned instead of told an error."""
        return self.error is RuntimeWarning

    def warn(self) -> None:
        """Warn of the call, at the place of it in the user's code."""
        line = line_of(self._code, self._step)
        text = self.text(*self.arguments)
        relaxed.note(divided_by_zero(*self.arguments), (self._code, self._step))
        warnings.warn_explicit(text, RuntimeWarning, self._code.co_filename, line)

    def is_of(self, caller: weakref.ref[Any]) -> bool:
        """Say whether this thread or task made the call."""
        return self._caller is caller

    def is_nobodys(self) -> bool:
        """Say whether the thread or task that made the call has ended, so that it cannot raise."""
        made = self._caller()
        return made is None or (not isinstance(made, _Thread) and bool(made.done()))

    def told(self, more: int = 0) -> Exception:
        """Return the error, with the place of the call and the number of further wrong calls."""
        others = f" So did {more} more after it." if more else ""
        return self.exception(
            f" It was called at {self.where()}, and found out late, as "
            f"options(checks='late') has it: arrays made of its result are wrong.{others}"
        )


def _noteds_of(x: Tensor) -> _Noteds:
    """Return the pending calls of a tensor's device; the caller holds the lock."""
    noteds = pending.get(x.device)
    if noteds is None:
        noteds = pending[x.device] = _Noteds(device_of(x), pending=True)
    return noteds


def _idle_record(device: Device) -> Tensor:
    """Return a record of zeros that kernels on every stream may write to."""
    idle = _records.setdefault(device, [])
    if idle:
        return idle.pop()
    with _faults_of(device):
        record = torch.zeros(_MOST, dtype=torch.int32, device=device.torch_device)
        # The next kernel may run on another stream: the zeros must be there before it writes.
        device.backend.module.synchronize(device.torch_device)
    return record


def _give_back(device: Device, record: Tensor, *, written: bool) -> None:
    """Make a record idle; no kernel may write to it any more."""
    if written:  # rare: a record without an error is all 0 already
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


# An array of positions remembers in ``_known`` what is known of its elements: the bounds, the
# version of its tensor at that time, and the doubt that judges them (None if no doubt is needed).
# torch counts each write in the version, so bounds of another version are void.

_OUT: Final = (-(2**64), 2**64, 0, None)
"""The ``_known`` of an array whose memory other libraries may write to without a new version."""


def _remembers(x: Tensor) -> bool:
    """Say whether a tensor has memory of its own and counts the writes to it."""
    return type(x) is torch.Tensor and not (is_wrapped(x) or x.is_inference())


def _traced_doubt_of(
    x: Array,
    low: int,
    high: int,
    error: Callable[[str], Exception],
    text: Callable[..., str],
    *arguments: Any,
) -> None:
    """Return None: compiled functions note nothing."""
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
    """Return the doubt of integers that must lie between bounds, and remember it with the array.

    Return ``NONE`` if they are known to lie there.  Return None if the kernel must keep them in
    bounds but need not report: the options say so, or an earlier doubt judges them already.  Raise
    the error if the array has elements and no integer lies between the bounds.
    """
    if low > high:  # the shape decides, so there is no need to read values
        _traced_doubt_of(x, low, high, error, text, *arguments)
    now = settings.chosen().checks
    known = getattr(x, "_known", None)
    if here.capture is not None:  # each replay has other values: nothing is known of them
        return None if now == "off" else Doubt(error, text, *arguments)
    if known is not _OUT:
        tensor = x._tensor
        # An array that remembered once still does, unless its memory is shared since.
        own = (known is not None or _remembers(tensor)) and not _is_out(tensor)
        if known is not None and own:
            least, most, version, doubt = known
            if low <= least and most <= high and version == tensor._version:
                right = True if doubt is None else doubt.right
                if right:
                    return NONE
                # One report is enough; but with "wait" this call must raise itself.
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
"""The doubt of values that are known to be right: nobody has to judge them."""
NONE.right = True


_gone_out: Final[dict[int, StorageWeakRef]] = {}
"""Memory on accelerators, by address, that other libraries share and may write to unseen."""


def _is_out(x: Tensor) -> bool:
    """Say whether another library shares the memory of a tensor."""
    if not _gone_out:
        return False
    own = x.untyped_storage()
    address = own.data_ptr()
    storage = _gone_out.get(address)
    if storage is None:
        return False
    # The tensor's own storage is alive.  expired() is the slowest step here, so it is called for
    # other storages only.
    if storage.cdata != own._cdata and storage.expired():  # type: ignore[no-untyped-call]
        # The shared memory was freed, and this tensor got the same address.
        _gone_out.pop(address, None)
        return False
    return True


def goes_out(x: Array) -> None:
    """Note that another library is about to share the memory of an array.

    Only integers matter: no other data type holds positions or divisors that are judged.
    """
    if x._spec.device.backend.late and x._spec.dtype in INTEGER and _remembers(x._tensor):
        if len(_gone_out) >= _MOST:  # drop freed memory, so that the table does not grow for ever
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
    """Note that a tensor holds no zero.  No user sees the tensor, so nobody changes it."""
    divisor._no_zero = None  # type: ignore[attr-defined]


def doubt_of_divisor(function: str, divisor: Tensor) -> Doubt | None:
    """Return the doubt of an integer divisor that can be judged.

    Return None if it holds no zero, if an earlier doubt judges it, or if checks are off.
    """
    now = settings.chosen().checks
    if now == "off":
        return None
    known = getattr(divisor, "_no_zero", ())
    if known is None:
        return None
    # This is ``_remembers`` without ``is_wrapped``: a divisor that can be judged is not wrapped.
    plain = type(divisor) is torch.Tensor
    own = plain and not _is_out(divisor) and not divisor.is_inference()
    if known and own and here.capture is None:
        version, doubt = known
        told = doubt.right or (doubt.right is None and now == "late")
        if told and version == divisor._version:
            return None
    doubt = Doubt(ZeroDivisionError, _no_zero, function)
    if own and here.capture is None:
        divisor._no_zero = divisor._version, doubt  # type: ignore[attr-defined]
    return doubt


def is_known_nonzero(divisor: Tensor) -> bool:
    """Say whether a tensor is known to hold no zero: a number of the host's."""
    return getattr(divisor, "_no_zero", ()) is None


def doubt_of_quotient(function: str) -> Doubt | None:
    """Return the doubt of a quotient that is right, and of which NumPy warns if its divisor is 0.

    Return None if nobody is to be warned.  Captured functions warn of nothing.
    """
    if settings.chosen().checks == "off" or here.capture is not None:
        return None
    if not numpys.warns_of_zeros():
        return None
    return Doubt(RuntimeWarning, numpys.text_of_zeros, function)


def _forgotten(key: int, _: object) -> None:
    mistakes.pop(key, None)


def _find_out(device: torch.device) -> None:
    """Wait for the calls noted on a device, judge them, and keep the wrong ones for their owners.

    Raise nothing for wrong calls: this thread need not own them.
    """
    with _finding:
        with _lock:
            noted = pending.get(device)
            if noted is None:
                return
            # A reader in another thread looks at ``pending`` and then at ``mistakes``.  It has to
            # find the calls in one of them, so the entry here is made before the other goes.
            mistakes[_FINDING] = noted
            del pending[device]
            calls, places = noted.close()
        try:
            _judge(noted, calls, places)
        finally:
            mistakes.pop(_FINDING, None)


def _judge(noted: _Noteds, calls: list[Doubt], places: int) -> None:
    """Fetch all flags in as few transfers as possible, and judge the calls by them."""
    own = noted.device
    try:
        found = [t for call in calls if call._place < 0 for t in call._found]
        values = iter(_fetched(own, found))
        written: list[int] = []
        if noted.record is not None:
            with _faults_of(own):
                written = noted.record[:places].tolist()
    except KeyboardInterrupt:
        _keep(noted, places)  # nothing was judged: the next wait has to do it
        raise
    except Exception:
        for call in calls:  # the device failed: these calls can never be judged
            call.right = False
        raise
    with _lock:
        wrong = [call for call in calls if call.turned_out(written, values)]
        _untold.extend([call for call in wrong if not call.warns])
        _begin_anew()
    # If a place was taken but its call is not here, its kernel may still write.  Then the record
    # must not be used again.
    if noted.record is not None and sum(call._place >= 0 for call in calls) == places:
        with _faults_of(own):
            _give_back(own, noted.record, written=any(written))
    for call in wrong:  # last: a filter may turn a warning into an error
        if call.warns:
            call.warn()


def _begin_anew() -> None:
    """Start a new generation, so that bits stay small numbers.

    Marks name their generation, so a bit of the new one is never taken for one of the old.
    """
    global _open  # noqa: PLW0603  # calls read the current generation without the lock
    if _open.right | _open.wrong:
        _open = _Open()


def _tell(calls: list[Doubt]) -> None:
    """Raise the error of the first call, and take all of them as told."""
    if calls:
        for call in calls:
            _untold.remove(call)
        raise calls[0].told(len(calls) - 1)


def raise_found(device: torch.device) -> None:
    """Judge the calls noted on a device, and raise the first error that the caller owns."""
    _find_out(device)
    _raise_own(device)


def _raise_own(device: torch.device | None = None, *, and_nobodys: bool = False) -> None:
    """Raise the first untold error of the caller, and of ended threads if asked for."""
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
    """Raise the error of the first call that made one of the tensors wrong, at each reading."""
    for x in tensors:
        for among, bits in _doubts_of(x).items():
            if wrong := bits & among.wrong:
                call = among.calls[wrong & -wrong]  # the lowest bit is the earliest call
                with _lock:
                    # This also tells the owner, who must not get the same error again later.
                    if call in _untold and call.is_of(_caller()):
                        _untold.remove(call)
                raise call.told()


def _keep(noted: _Noteds, places: int) -> None:
    """Note calls again that were not judged because the user interrupted the wait."""
    with _lock:
        again = _Noteds(noted.device, pending=True, record=noted.record, first=places)
        newer = pending.setdefault(noted.device.torch_device, again)
        if newer is not again:  # another thread has noted calls meanwhile, in another record
            for call in noted.taken:
                if call._place >= 0:
                    call._fetch_from(noted)
        newer.calls[:0] = noted.taken


def _fetched(device: Device, found: Sequence[Tensor]) -> list[int]:
    """Return the values of 0-dimensional tensors of a device as integers, in one transfer."""
    with _faults_of(device):
        # Another stream than the one that reads may have computed them.
        device.backend.module.synchronize(device.torch_device)
        every = [t.to(torch.int64) for t in found]
        values: list[int] = torch.stack(every).tolist() if every else []
    return values


@contextmanager
def _faults_of(device: Device) -> Iterator[None]:
    """Translate errors of torch in the block: the device itself may have failed."""
    try:
        yield
    except RuntimeError as error:
        for check in _fault_checks:
            check(error, "options(checks='late')", device)
        raise


_fault_checks: Final[list[Callable[[Exception, str, Device], None]]] = []


def when_a_device_fails(check: Callable[[Exception, str, Device], None]) -> None:
    """Add a check for errors of torch that come while flags are fetched."""
    _fault_checks.append(check)


def waits(device: Device, *tensors: Tensor) -> None:
    """Raise late errors of a device; call it where the host waits for the device or for tensors.

    It raises errors of calls that the caller owns, each once, and errors of calls that made the
    tensors wrong, even if another thread owns them.
    """
    own = device.local.torch_device
    # Where nothing is noted and nothing was wrong, this is four look-ups in empty dictionaries.
    if mistakes:  # a capture has an entry there
        refuse("the host waits there for a value on the device", "Compute with arrays: where()")
    if own in pending or _FINDING in mistakes:
        _find_out(own)
    if mistakes:
        _raise_own(own)
        _raise_spoiled(_tensors_in(tensors))


def leaves(x: Array) -> None:
    """Raise if an array that is about to leave for another library is known to be wrong.

    It does not wait for calls that are still unjudged.
    """
    if mistakes:
        _raise_spoiled(_tensors_in((x._tensor,)))


def finish(device: Device) -> None:
    """Raise late errors of a device that the caller owns, or whose owner has ended."""
    waits(device)
    _raise_own(device.local.torch_device, and_nobodys=True)


def raise_all() -> None:
    """Judge the calls on every device, and raise the first error that the caller owns."""
    with _finding:  # another thread may be judging the caller's calls: wait for it
        for device in list(pending):
            _find_out(device)
    _raise_own()


settings.when_late_is_left(raise_all)


def _say_at_the_end() -> None:
    """Print late errors that nobody has waited for, as the process ends."""
    for device in list(pending):
        try:
            _find_out(device)
        except Exception as error:  # noqa: BLE001, PERF203  (nobody is left to catch it)
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
    for call in _untold:
        told = call.told()
        print(f"{type(told).__name__}: {told}", file=sys.stderr)


def forget() -> None:
    """Forget the noted calls and the errors of every device."""
    pending.clear()
    _records.clear()
    _untold.clear()
    mistakes.clear()


# Exit functions run in reverse order, so this one runs before torch, imported above, shuts down
# its devices.
atexit.register(_say_at_the_end)
if hasattr(os, "register_at_fork"):
    # A forked process cannot use its parent's device.
    os.register_at_fork(after_in_child=forget)
