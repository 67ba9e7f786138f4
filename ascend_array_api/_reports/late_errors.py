"""Late errors: found in values on an accelerator, raised where the host waits anyway.

Imports no chapter, and names no operation and no device type: callers say what is wrong.

On the CPU the library sees immediately that a position is out of bounds, a divisor is 0 or a
matrix is singular.  On an accelerator the host would have to wait for every such call.  So each
call leaves a number or two on the device.  The host fetches all of them where it next waits for a
value, and the error then names the call that caused it.

One rule says who gets the error: it belongs to the arrays that the call spoiled.  Every reader of
such an array gets it, each time, in any thread or task; nobody else does.  ``synchronize()`` raises
what no reader has met yet, once.

Arrays that may be wrong are marked.  The spec of such an array is the ``doubted`` one, and its
tensor holds the calls that it depends on.  Only kernels of doubted specs pass these marks on (see
``following``), so no other call pays for them.

The parts are called:

- a *doubt* (``Doubt``) is one call that may turn out wrong;
- a *record* is a tensor of flags on the device, with a *place* for each call;
- a *bit* stands for a doubt in the marks of tensors (``_Open``, ``_Doubts``).
"""

from __future__ import annotations

import atexit
import functools
import os
import sys
import threading
import warnings
import weakref
from collections import OrderedDict
from contextlib import contextmanager
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

from .._devices.device import Device, Spec, device_of
from .._errors.exceptions import divided_by_zero
from .._options import relaxed, settings
from .._torch import Tensor, torch
from .._torch.dtypes import INTEGER
from .._torch.private import is_wrapped
from .._torch.tracing import traced_as
from . import numpys
from .capturing import Capture, here, refuse
from .user_code import frame_of_user, line_of, user_code, user_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .._arrays.array import Array

T = TypeVar("T")

_MOST: Final = 4096
"""The number of calls that are noted before the host waits for their flags."""


@final
class _Noteds:
    """The calls noted on a device, and the record in which kernels write 1 for a wrong call."""

    __slots__ = ("alone", "calls", "device", "places", "record")

    def __init__(self, device: Device, *, alone: bool = False) -> None:
        self.device = device
        self.calls: list[Doubt] = []
        self.record: Tensor | None = None
        self.places = 0
        """The number of places of the record that were given to calls."""
        self.alone = alone
        """Whether it serves a single call, which waits."""

    def __len__(self) -> int:
        return len(self.calls)


pending: Final[dict[torch.device, _Noteds]] = {}
"""The calls noted on each device; a device without noted calls has no entry."""

_records: Final[dict[Device, list[Tensor]]] = {}
"""Idle records of each device: ``_MOST`` zeros, to which no kernel writes."""

_unmet: Final[dict[int, Doubt]] = {}
"""By their ids, the first ``_MOST`` calls that turned out wrong and that no reader has met yet."""

mistakes: Final[dict[int, object]] = {}
"""Wrong calls that a reader must still hear of.

While a thread judges calls, it has an entry here too, so that other readers wait for it; and so has
a thread that captures a function, whose readers are refused.  An empty dictionary therefore means
that no reader has anything to check.
"""

_FINDING: Final = 0
"""The key of the entry of a thread that judges calls; the other keys are ids of doubts."""

_lock: Final = threading.Lock()
"""Guards ``pending`` and ``_records``.  No thread judges calls while it holds it."""

_finding: Final = threading.RLock()
"""Held by the thread that judges calls.  No other thread reads values before it has finished."""


# --- the marks of tensors: which calls put an array in doubt --------------------------------------


@final
class _Open:
    """A generation of doubts.  Each doubt has a bit; a tensor holds the union of several bits.

    Bits make marks cheap to join and to clear: one ``|`` or ``&`` for any number of calls.
    """

    __slots__ = ("calls", "count", "number", "right", "wrong")

    def __init__(self) -> None:
        self.calls: dict[int, Doubt] = {}
        """The calls that are unjudged or wrong, by their bits."""
        self.count = count()
        self.number = next(_generations)
        self.right = 0
        """The bits of the calls that turned out right."""
        self.wrong = 0
        """The bits of the calls that turned out wrong."""

    def of(self, bits: int) -> list[Doubt]:
        """Return the calls of some bits, the earliest first."""
        found = []
        while bits:
            low = bits & -bits
            bits ^= low
            if (call := self.calls.get(low)) is not None:  # another thread may have judged it right
                found.append(call)
        return found


_generations: Final = count()
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


class _Judged(tuple[Any, ...]):
    """Knowledge of a tensor's values at one of its versions, and the doubt that judges them.

    The tensor keeps it as an attribute: divisors as ``_no_zero``, positions as ``_known``.  The
    versions of a copy are others, so copies and pickles of the tensor hold nothing.
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return OrderedDict, ()

    def __deepcopy__(self, _: object) -> tuple[()]:
        return ()


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


def _marks_of(sources: Any) -> _Doubts:
    """Return the marks of doubts, tensors, arrays, and tuples and lists of them."""
    found = _NO_DOUBTS
    for x in sources:
        kind = type(x)
        if kind is torch.Tensor:  # isinstance() is slow for torch.Tensor, so it comes later
            if x._base is None and not hasattr(x, "_doubts"):  # as of most tensors
                continue
            others = _doubts_of(x)
        elif kind is tuple or kind is list:
            others = _marks_of(x)
        elif kind is Doubt:
            others = x.marks
        elif isinstance(x, torch.Tensor):
            others = _doubts_of(x)
        else:
            spec = getattr(x, "_spec", None)
            others = _NO_DOUBTS if spec is None or spec.sure is spec else _doubts_of(x._tensor)
        if others:
            found = _joined(found, others) if found else others
    return found


def _put(x: Tensor, doubts: _Doubts, *, whole: bool) -> None:
    """Add marks to a tensor; with ``whole`` also to the tensor that it is a view of."""
    base = x._base
    if base is None and not hasattr(x, "_doubts"):  # a new tensor, as in most calls
        x._doubts = doubts  # type: ignore[attr-defined]
        return
    x._doubts = _joined(_doubts_of(x), doubts)  # type: ignore[attr-defined]
    if whole and base is not None:
        base._doubts = _joined(_doubts_of(base), doubts)  # type: ignore[attr-defined]


def _traced_first(first: T, *_: Any) -> T:
    return first


@traced_as(_traced_first)
def mark(result: T, *sources: Any) -> T:
    """Mark a result with all that puts its sources in doubt; return it.

    The result is an array, a tensor or several.  An array gets the doubted spec if its tensor has
    marks, by which later kernels pass them on; and since it may have been written to, the memory
    that it is a view of is marked too.  Sources are doubts, arrays, tensors, and tuples and lists
    of them; other objects, such as None, put nothing in doubt.
    """
    if pending or mistakes:  # else no call is in doubt
        _mark(result, _marks_of(sources), sources)
    return result


def _mark(result: Any, doubts: _Doubts, sources: Any) -> None:
    kind = type(result)
    if kind is tuple or kind is list:
        for each in result:
            _mark(each, doubts, sources)
    elif kind is not torch.Tensor and (spec := getattr(result, "_spec", None)) is not None:
        if doubts and spec.late:
            _put(result._tensor, doubts, whole=True)
        if hasattr(result._tensor, "_doubts"):  # set here, or by the kernel that made the tensor
            result._spec = spec.doubted
    elif doubts and isinstance(result, torch.Tensor):
        # Mark the memory behind a view, for other views of it, unless it is an operand's.
        _put(result, doubts, whole=not _is_of(result._base, sources))
    elif doubts and isinstance(result, tuple):  # with names, as torch has them
        _mark((*result,), doubts, sources)


def _is_of(memory: Tensor | None, sources: Any) -> bool:
    """Say whether a tensor is among the sources, or one of them is a view of it."""
    for x in sources:
        if isinstance(x, (tuple, list)):
            if _is_of(memory, x):
                return True
        elif isinstance(x, torch.Tensor) and (x is memory or x._base is memory is not None):
            return True
    return False


def following(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel that adds the marks of its operands to its results."""

    @functools.wraps(kernel, assigned=("__name__",))
    def followed(*operands: Any, **parameters: Any) -> Any:
        result = kernel(*operands, **parameters)
        if result is None:  # kernels that return nothing write to their first operand
            mark_written(operands[0], operands[1:])
        elif (pending or mistakes) and (doubts := _marks_of(operands)):
            _mark(result, doubts, operands)
        return result

    return followed


def mark_written(x: Tensor, *sources: Any) -> None:
    """Mark a tensor to which a kernel has written, and the memory behind it."""
    if (pending or mistakes) and (doubts := _marks_of(sources)):
        _put(x, doubts, whole=True)


@traced_as(_traced_first)
def joint(spec: Spec, *others: Spec) -> Spec:
    """Return the first spec, or its doubted one if another of the specs is doubted.

    All specs are of one device.
    """
    for other in others:
        if other.sure is not other:
            return spec.doubted
    return spec


def _traced_settled(x: Array) -> Spec:
    return x._spec


@traced_as(_traced_settled)
def settled(x: Array) -> Spec:
    """Return the spec of an array; a doubted one becomes sure again if all its calls were right."""
    if x._spec.sure is not x._spec and not _doubts_of(x._tensor):
        x._spec = x._spec.sure
    return x._spec


@final
class Checks:
    """The calls of a captured function that may turn out wrong, and its arguments in doubt.

    Its graph asks which of them a result depends on, and has the calls noted anew at each replay.
    """

    def __init__(self, device: Device, most: int, arguments: Sequence[tuple[Tensor, Spec]]) -> None:
        self._device = device
        self._most = most
        """The number of places of the record in which kernels flag calls."""
        self._record: Tensor | None = None
        self._places = 0
        """How many of them are taken."""
        self._noted: list[tuple[Doubt, Sequence[Tensor], Callable[..., bool]]] = []
        """The calls, the values that tell, and how to read them."""
        self._arguments = [None if s.sure is s else self._marked(x) for x, s in arguments]
        """For arguments in doubt: marks of their own, by which ``sources`` finds them."""

    def _marked(self, x: Tensor) -> Doubt:
        doubt = Doubt(Exception, str)
        doubt._opened(x.device)
        _put(x, doubt.marks, whole=True)
        return doubt

    def place(self) -> tuple[Tensor, int]:
        """Return the record, and the next place in it for the flag of a kernel."""
        if self._record is None:  # in the graph: each replay begins with zeros
            where = self._device.torch_device
            self._record = torch.zeros(self._most, dtype=torch.int32, device=where)
        if self._places == self._most:
            refuse(f"more than {self._places} of its calls are checked")
        self._places += 1
        return self._record, self._places - 1

    def note(self, call: Doubt, found: Sequence[Tensor], wrong: Callable[..., bool]) -> None:
        """Note a call, the values that tell whether it is wrong, and how to read them."""
        self._noted.append((call, found, wrong))

    def flags(self) -> Tensor | None:
        """Return the values that tell of all calls as one tensor; None if there are no calls."""
        values = [x.to(torch.int64) for _, found, _ in self._noted for x in found]
        return torch.stack(values) if values else None

    def sources(self, x: Tensor) -> tuple[list[int], list[int]]:
        """Return the numbers of the calls, and of the arguments, that a tensor depends on."""
        calls = [i for i, (call, *_) in enumerate(self._noted) if _depends(x, call)]
        return calls, [i for i, d in enumerate(self._arguments) if d and _depends(x, d)]

    def again(self, flags: Tensor | None) -> list[Doubt]:
        """Note the calls once more, with the values of a replay."""
        values = iter(() if flags is None else flags.unbind())
        return [call.again([next(values) for _ in found], bad) for call, found, bad in self._noted]

    @contextmanager
    def capturing(self, capture: Capture) -> Iterator[None]:
        """Enter a capture in this thread, for a block: calls are noted here, waits are refused."""
        here.capture = capture
        mistakes[id(capture)] = capture  # so that every reader calls waits()
        try:
            yield
        finally:
            here.capture = None
            del mistakes[id(capture)]
            # Drop all marks: the function was captured, and not called.
            for doubt in (*self._arguments, *(call for call, *_ in self._noted)):
                if doubt is not None:
                    doubt.dropped()


def _depends(x: Tensor, doubt: Doubt) -> bool:
    return bool(_doubts_of(x).get(doubt.among, 0) & doubt.bit)


# --- doubts ---------------------------------------------------------------------------------------


_told: Final[dict[str, dict[str | tuple[str, type[Warning], int], int]]] = {}
"""The warnings that the lines of each of the user's files have got."""


@final
class Doubt:
    """A call that may turn out wrong, judged by values that a device computes.

    The route that computes reports in one of two ways: it passes tensors to ``found``; or it has
    its kernel write 1 to a ``place`` and then calls ``written``.  The second way needs no further
    kernel.  ``text`` makes the text of the error from the ``arguments``.
    """

    __slots__ = (
        *("__weakref__", "_captured", "_code", "_device", "_found", "_noteds", "_place", "_step"),
        *("_wrong", "among", "arguments", "bit", "error", "right", "text"),
    )

    def __init__(
        self, error: Callable[[str], Exception], text: Callable[..., str], *arguments: Any
    ) -> None:
        self.error = error
        self.text = text
        self.arguments = arguments
        self.right: bool | None = False
        """None while the call is noted and unjudged; then whether it was right; False before."""
        self.bit = 0
        """The bit of the call in marks; 0 before it is noted, so that it marks nothing."""
        self._noteds: _Noteds | None = None

    def _opened(self, device: torch.device) -> None:
        """Become unjudged, with a bit of its own."""
        self.right = None
        self._device = device
        self.among = among = _open
        self.bit = 1 << next(among.count)
        among.calls[self.bit] = self

    @property
    def marks(self) -> _Doubts:
        """The marks of what depends on the call alone."""
        return _Doubts({self.among: self.bit}) if self.bit and not self.right else _NO_DOUBTS

    @property
    def new(self) -> Doubt | None:
        """The doubt itself if nothing was reported to it yet, else None."""
        return self if self.right is False else None

    def exception(self, more: str = "") -> Exception:
        """Return the error, with more text behind its own."""
        return self.error(self.text(*self.arguments) + more)

    def found(self, found: Sequence[Tensor], wrong: Callable[..., bool]) -> None:
        """Raise the error if the values of the tensors are wrong: now or later, as the options say.

        The tensors are 0-dimensional integers or booleans on the device.  ``wrong`` says of their
        values, as integers, whether they are wrong.
        """
        if _waits():
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
            here.capture.checks.note(self, found, wrong)
            return
        self._place, self._found, self._wrong = -1, found, wrong
        with _lock:
            noteds = _noteds_of(found[0])
            noteds.calls.append(self)
        if len(noteds.calls) >= _MOST:
            _find_out(found[0].device)

    def place(self, x: Tensor) -> tuple[Tensor, int]:
        """Return the record of a tensor's device, and the place in it for the kernel's flag."""
        waits = _waits()
        if here.capture is not None:
            captured: tuple[Tensor, int] = here.capture.checks.place()
            self._captured = captured
            return captured
        with _lock:
            # A call that waits has a record of its own, so that it fetches no flag but its own.
            noteds = _Noteds(device_of(x), alone=True) if waits else _noteds_of(x)
            if noteds.places >= _MOST:  # other threads have the places, and note no calls yet
                noteds = _Noteds(noteds.device)  # which is not pending: see written()
            if noteds.record is None:
                noteds.record = _idle_record(noteds.device)
            self._noteds, self._place = noteds, noteds.places
            noteds.places += 1
        return noteds.record, self._place

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
        # The user's frame is at least the fourth above this one: ``flagged`` is the first, and two
        # join it to the user.  Skipping them unseen saves time in each call.
        frame = frame_of_user(sys._getframe(4))
        # The line is computed only if the call is wrong: see where().
        self._code = frame.f_code
        self._step = frame.f_lasti
        device = noteds.device.torch_device
        with _lock:
            self._opened(device)
            if pending.get(device) is not noteds:  # it was judged meanwhile, or was full
                noteds = _noteds_of(self._fetch_from(noteds))
            noteds.calls.append(self)
        if len(noteds.calls) >= _MOST:
            _find_out(device)

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
            # Marked tensors hold the generation, and that holds its wrong calls.  When the last
            # such tensor is gone and the error is met, this entry goes too.
            mistakes[id(self)] = weakref.ref(self, functools.partial(_forgotten, id(self)))
            if len(_unmet) < _MOST:
                _unmet[id(self)] = self
            self.among.wrong |= self.bit
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
        relaxed.add_to_report(divided_by_zero(*self.arguments), (self._code, self._step))
        # With a registry of the file, Python's filters can tell of each line once.
        told = _told.setdefault(self._code.co_filename, {})
        warnings.warn_explicit(text, RuntimeWarning, self._code.co_filename, line, registry=told)

    def told(self, more: int = 0) -> Exception:
        """Return the error, with the place of the call and the number of further wrong calls."""
        others = f" So did {more} more after it." if more else ""
        return self.exception(
            f" It was called at {self.where()}, and found out late, as "
            f"options(checks='late') has it: arrays that depend on it are wrong.{others}"
        )


def flagged(
    kernel: Callable[..., Any], takes: Callable[..., bool], otherwise: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a kernel that judges its operands itself, and reports by a flag.

    ``kernel`` gets the flag of a doubt, or the flags of several, behind the operands: where to
    write 1, or None if nobody is to be told.  Operands that it does not take go to ``otherwise``.
    """

    def judge(*operands: Any, doubt: Any = None, **parameters: Any) -> Any:
        if not takes(*operands):
            return otherwise(*operands, doubt=doubt, **parameters)
        if type(doubt) is not list:
            flag = None if doubt is None else doubt.place(operands[0])
            result = kernel(*operands, flag, **parameters)
            if doubt is not None:
                doubt.written()
            return result
        told = [None if each is NONE else each for each in doubt]
        flags = [None if each is None else each.place(operands[0]) for each in told]
        result = kernel(*operands, flags, **parameters)
        for each in told:
            if each is not None:
                each.written()
        return result

    return judge


def _waits() -> bool:
    """Say whether the options ask for a check at the call, which a capture refuses."""
    if settings.current().checks != "wait":
        return False
    refuse("options(checks='wait') waits for its check", "Choose checks='late'")
    return True


def _noteds_of(x: Tensor) -> _Noteds:
    """Return the pending calls of a tensor's device; the caller holds the lock."""
    noteds = pending.get(x.device)
    if noteds is None:
        noteds = pending[x.device] = _Noteds(device_of(x))
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


# A tensor of positions remembers in ``_known`` what is known of its elements: the bounds, the
# version of the tensor at that time, and the doubt that judges them.  torch counts each write in
# the version, so bounds of another version are void.


def know(x: Tensor, low: int, high: int) -> None:
    """Note that the integers in a new tensor on an accelerator lie between bounds."""
    x = _whole(x)
    if _remembers(x) and not _is_out(x):
        x._known = _Judged((low, high, x._version, NONE))  # type: ignore[attr-defined]


def _whole(x: Tensor) -> Tensor:
    """Return the tensor of which a tensor is a view, if the view has all of its elements.

    As many elements are not enough: a broadcast view has some of them more than once.
    """
    base = x._base
    if base is None or base.dtype is not x.dtype or base.numel() != x.numel():
        return x
    return base if x.is_contiguous() and base.is_contiguous() else x


def _remembers(x: Tensor) -> bool:
    """Say whether a tensor has memory of its own and counts the writes to it."""
    return type(x) is torch.Tensor and not (is_wrapped(x) or x.is_inference())


def _traced_doubt_of(x: Tensor, size: int, text: Callable[[int], str]) -> None:
    """Return None: compiled functions note nothing."""
    if not size and x.numel():
        raise IndexError(text(size))


@traced_as(_traced_doubt_of)
def doubt_of(x: Tensor, size: int, text: Callable[[int], str]) -> Doubt | None:
    """Return the doubt of positions for an axis of a size, and remember it with the tensor.

    Return ``NONE`` if they are known to be in bounds, and the earlier doubt if one is to judge
    them: one report is enough.  Return None if checks are off.  Raise the error if there are
    positions and none can be in bounds.
    """
    if not size:  # the shape decides, so there is no need to read values
        _traced_doubt_of(x, size, text)
    now = settings.in_force().checks
    if here.capture is not None:  # each replay has other values: nothing is known of them
        return None if now == "off" else Doubt(IndexError, text, size)
    if x._base is not None:
        x = _whole(x)
    known: Any = getattr(x, "_known", ())
    # A tensor that remembered once still does, unless its memory is shared since.
    own = (known or _remembers(x)) and not _is_out(x)
    if known and own:
        least, most, version, earlier = known
        if -size <= least and most < size and version == x._version:
            if earlier.right:
                return NONE
            if earlier.right is None and now == "late":  # with "wait" this call must raise itself
                found: Doubt = earlier
                return found
    if now == "off":
        return None
    doubt = Doubt(IndexError, text, size)
    if own:
        x._known = _Judged((-size, size - 1, x._version, doubt))  # type: ignore[attr-defined]
    return doubt


NONE: Final = Doubt(Exception, str)
"""The doubt of values that are known to be right: nobody has to judge them."""
NONE.right = True


_shared = False
"""Whether other libraries share memory on accelerators, to which they may write unseen."""


def _is_out(x: Tensor) -> bool:
    """Say whether another library shares the memory of a tensor."""
    return _shared and hasattr(x.untyped_storage(), "_shared")


def _no_zero(name: str) -> str:
    return f"{name}: an integer was divided by zero."


def known_nonzero(divisor: Tensor) -> None:
    """Note that a tensor holds no zero.  No user sees the tensor, so nobody changes it."""
    divisor._no_zero = None  # type: ignore[attr-defined]


def doubt_of_divisor(function: str, divisor: Tensor) -> Doubt | None:
    """Return the doubt of an integer divisor that can be judged.

    Return None if it holds no zero, or if checks are off.
    """
    now = settings.in_force().checks
    if now == "off":
        return None
    known = getattr(divisor, "_no_zero", ())
    if known is None:
        return None
    # This is ``_remembers`` without ``is_wrapped``: a divisor that can be judged is not wrapped.
    plain = type(divisor) is torch.Tensor
    own = plain and not _is_out(divisor) and not divisor.is_inference()
    if known and own and here.capture is None:
        version, earlier = known
        told = earlier.right or (earlier.right is None and now == "late")
        if told and version == divisor._version:
            found: Doubt = earlier
            return found
    doubt = Doubt(ZeroDivisionError, _no_zero, function)
    if own and here.capture is None:
        divisor._no_zero = _Judged((divisor._version, doubt))  # type: ignore[attr-defined]
    return doubt


def is_known_nonzero(divisor: Tensor) -> bool:
    """Say whether a tensor is known to hold no zero: a number of the host's."""
    return getattr(divisor, "_no_zero", ()) is None


def doubt_of_quotient(function: str) -> Doubt | None:
    """Return a doubt that becomes NumPy's warning, and no error, if the divisor is 0.

    Return None if nobody is to be warned.  Captured functions warn of nothing.
    """
    if settings.in_force().checks == "off" or here.capture is not None:
        return None
    if not numpys.warns_of_zeros():
        return None
    return Doubt(RuntimeWarning, numpys.text_of_zeros, function)


def _forgotten(key: int, _: object) -> None:
    mistakes.pop(key, None)


def _find_out(device: torch.device) -> None:
    """Wait for the calls noted on a device, and judge them; raise nothing for wrong ones."""
    with _finding:
        with _lock:
            noted = pending.get(device)
            if noted is None:
                return
            # A reader in another thread looks at ``pending`` and then at ``mistakes``.  It has to
            # find the calls in one of them, so the entry here is made before the other goes.
            mistakes[_FINDING] = noted
            del pending[device]
        try:
            _judge(noted)
        finally:
            mistakes.pop(_FINDING, None)


def _judge(noted: _Noteds) -> None:
    """Fetch all flags in as few transfers as possible, and judge the calls by them."""
    global _open  # noqa: PLW0603  # calls read the current generation without the lock
    own, calls, places = noted.device, noted.calls, noted.places
    try:
        found = [t for call in calls if call._place < 0 for t in call._found]
        values = iter(_fetched(own, found))
        written: list[int] = []
        if noted.record is not None:
            with _faults_of(own):
                written = noted.record[:places].tolist()
    except KeyboardInterrupt:
        with _lock:  # nothing was judged: the next wait has to do it
            for call in calls:
                if call._place >= 0:
                    call._fetch_from(noted)
            newer = pending.setdefault(own.torch_device, _Noteds(own))
            newer.calls[:0] = calls
        raise
    except Exception:
        for call in calls:  # the device failed: these calls can never be judged
            call.right = False
        raise
    with _lock:
        wrong = [call for call in calls if call.turned_out(written, values)]
        # A new generation keeps bits small numbers.  Marks name their generation, so a bit of the
        # new one is never taken for one of the old.
        if _open.right | _open.wrong:
            _open = _Open()
    # If a place was taken but its call is not here, its kernel may still write.  Then the record
    # must not be used again.
    if noted.record is not None and sum(call._place >= 0 for call in calls) == places:
        with _faults_of(own):
            _give_back(own, noted.record, written=any(written))
    for call in wrong:  # last: a filter may turn a warning into an error
        if call.warns:
            call.warn()


def _raise_spoiled(x: Tensor, *, judge: bool) -> None:
    """Raise the error of the first call that made a tensor wrong, at each reading.

    ``judge`` calls that are unjudged yet, because they ran on another device than the tensor's.
    """
    doubts = _doubts_of(x)
    if judge:
        for among, bits in doubts.items():
            for call in among.of(bits & ~among.wrong & ~among.right):
                _find_out(call._device)
    wrong = [
        call
        for among in sorted(doubts, key=lambda among: among.number)
        for call in among.of(doubts[among] & among.wrong)
    ]
    if wrong:
        for call in wrong:
            _unmet.pop(id(call), None)
        for each in (x, x._base):  # one mark is enough from now on: they do not add up
            if each is not None and len(wrong) > 1 and _depends(each, wrong[0]):
                each._doubts = wrong[0].marks  # type: ignore[attr-defined]
        raise wrong[0].told(len(wrong) - 1)


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
    """Raise the late errors of tensors; call it where the host waits for the device or for them."""
    own = device.local.torch_device
    # Where nothing is noted and nothing was wrong, this is four look-ups in empty dictionaries.
    if mistakes:  # a capture has an entry there
        refuse("the host waits there for a value on the device", "Compute with arrays: where()")
    if own in pending or _FINDING in mistakes:
        _find_out(own)
    if mistakes or pending:
        for x in tensors:
            _raise_spoiled(x, judge=True)


@traced_as(_traced_first)  # compiled functions note nothing
def leaves(x: Array) -> None:
    """Let another library share the memory of an array; raise if it is known to be wrong.

    It does not wait for calls that are still unjudged.
    """
    global _shared  # noqa: PLW0603  # so that the look-up is short as long as nothing is shared
    if mistakes:
        _raise_spoiled(x._tensor, judge=False)
    # Only integers matter: no other data type holds positions or divisors that are judged.
    if x._spec.late and x._spec.dtype in INTEGER and _remembers(x._tensor):
        _shared = True
        # torch keeps the object, with its attributes, as long as there is the memory.
        x._tensor.untyped_storage()._shared = True  # type: ignore[attr-defined]


def raise_all(*devices: Device) -> None:
    """Raise the first error that no reader has met, of some devices or all, and forget the others.

    Arrays that the calls spoiled stay spoiled.
    """
    own = [device.local.torch_device for device in devices]
    with _finding:  # another thread may be judging calls: wait for it
        for each in own or list(pending):
            _find_out(each)
    calls = [call for call in list(_unmet.values()) if not own or call._device in own]
    for call in calls:
        _unmet.pop(id(call), None)
    if calls:
        raise calls[0].told(len(calls) - 1)


def _say_at_the_end() -> None:
    """Count the errors that nobody has met, in one line, as the process ends."""
    for device in list(pending):
        try:
            _find_out(device)
        except Exception as error:  # noqa: BLE001, PERF203  (nobody is left to catch it)
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
    for call in islice(_unmet.values(), 1):
        told, more = call.told(), "" if len(_unmet) < _MOST else " or more"
        print(
            f"ascend_array_api: {len(_unmet)}{more} late errors that nobody met, the first: "
            f"{type(told).__name__}: {told}",
            file=sys.stderr,
        )


def forget() -> None:
    """Forget the noted calls and the errors of every device."""
    pending.clear()
    _records.clear()
    _unmet.clear()
    mistakes.clear()


# Exit functions run in reverse order, so this one runs before torch, imported above, shuts down
# its devices.
atexit.register(_say_at_the_end)
if hasattr(os, "register_at_fork"):
    # A forked process cannot use its parent's device.
    os.register_at_fork(after_in_child=forget)
