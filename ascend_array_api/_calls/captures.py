"""Captured functions: what a function asks of a device is recorded once, and then replayed.

Knows no function of the namespace and names no device type; a backend says whether it captures.

A graph reads and writes memory that never moves.  So a call copies its arrays to the places that
the graph reads, replays it, and copies the results from the places that the graph writes to new
memory.  All else that decides what is launched is in the key of the graph: shapes, strides, data
types, other arguments, options, and the values of variables that the function reads from outside.
"""

from __future__ import annotations

import dis
import functools
import gc
import inspect
import operator
import sys
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from numbers import Number
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final, Generic, Literal, ParamSpec, TypeVar, final, overload

from torch.overrides import TorchFunctionMode

from .._arrays.array import Array, wrap, wrote
from .._devices.backend import copy_each
from .._devices.device import Device, spec_of
from .._errors.exceptions import describe
from .._errors.foreign_calls import refusing
from .._options import settings
from .._options.defaults import resolve
from .._reports import late_errors
from .._reports.capturing import Capture, CaptureError, Interrupts, here, refusal
from .._reports.user_code import is_of_user, user_place
from .._torch import Tensor, torch
from .._torch.private import (
    current_stream_of,
    in_transform,
    is_wrapped,
    leaves_of,
    memory_of,
    negative_view,
)
from .._torch.tracing import traced_as

__all__ = ["CaptureError", "Captured", "captured"]

P = ParamSpec("P")
R = TypeVar("R")
Otherwise = Literal["raise", "call"]

_ALIGNED: Final = 16
"""The bytes to which kernels ask memory to be aligned before they read several elements at once."""

_NUMBERS: Final = (bool, int, float, complex, str)

_MOST_CHECKS: Final = 1024
"""The calls of a captured function whose kernels flag bad values."""

_MOST_GENERATORS: Final = 64
"""The generators from which a captured function may draw."""
_WORDS: Final = 6
"""The integers that say where a generator is: the words of its position and of its key."""


# --- what decides the graph -----------------------------------------------------------------------


def _key_of(value: Any, arrays: list[Array]) -> Any:
    """Return what of an argument decides the graph, and add its arrays to a list."""
    kind = type(value)
    if kind is Array:
        arrays.append(value)
        x = value._tensor
        if is_wrapped(x):
            return None
        lead = x.data_ptr() % _ALIGNED
        marks = x.is_conj(), x.is_neg(), x.requires_grad
        return late_errors.settled(value), x.shape, x.stride(), lead, marks
    if kind is int or kind is bool or kind is str:
        return kind, value
    if isinstance(value, (tuple, list)):
        return kind, *[_key_of(item, arrays) for item in value]
    if kind is float:
        return kind, value.hex()  # -0.0 is not 0.0, and NaN is NaN
    if kind is dict:
        return kind, *[(name, _key_of(item, arrays)) for name, item in value.items()]
    if isinstance(value, Number):
        return kind, repr(value)  # as of floats: of complex numbers, and of NumPy's
    if kind is slice:
        return kind, value.start, value.stop, value.step
    try:
        hash(value)
    except TypeError:
        raise CaptureError(
            f"captured: an argument is {describe(value)}, which has no hash. Pass arrays, numbers, "
            "strings, tuples, lists and dictionaries of them, or objects with a hash."
        ) from None
    return kind, value


_NOTHING: Final = object()
"""The value of a variable that has none."""


def _identity(value: object) -> object:
    """Return what of the value of a variable from outside is a part of a key.

    Numbers are the same if their values are; other objects, if they are one object.
    """
    return _key_of(value, []) if isinstance(value, _NUMBERS) else id(value)


@final
class _Surroundings:
    """The part of a key besides arguments: options, and variables from outside."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._options = settings.in_force()
        # With their values, which are kept, so that no other object gets the id of one.
        self._variables = tuple(_read_outside(function, set()))
        self._key = self._options, tuple(_identity(value) for *_, value in self._variables)
        self._hash = hash(self._key)

    def are_the_same(self) -> bool:
        """Say whether the key is surely the same as before, in less time than a new one takes."""
        if settings.in_force() is not self._options:
            return False
        for read, name, value in self._variables:  # noqa: SIM110  # in half the time of all()
            if read(name, _NOTHING) is not value:
                return False
        return True

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, _Surroundings) and self._key == other._key)

    def __hash__(self) -> int:
        return self._hash


def _replaced(value: Any, arrays: Iterator[Array]) -> Any:
    """Return an argument or a result with other arrays in the places of its own."""
    kind = type(value)
    if kind is Array:
        return next(arrays)
    if isinstance(value, (tuple, list)):
        items = [_replaced(item, arrays) for item in value]
        return kind(*items) if hasattr(value, "_fields") else kind(items)
    if kind is dict:
        return {name: _replaced(item, arrays) for name, item in value.items()}
    return value


_Reader = Callable[[str, object], object]
"""A function that returns the value of a variable by its name, or else its second argument."""


def _read_outside(function: Any, seen: set[int]) -> Iterator[tuple[_Reader, str, object]]:
    """Yield how a user's function reads variables from outside, their names, and their values."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(getattr(function, "__func__", function))
    if not isinstance(function, FunctionType) or id(function) in seen or not is_of_user(function):
        return
    seen.add(id(function))
    code, cells = function.__code__, function.__closure__ or ()
    found: list[tuple[_Reader, str]] = []
    found += [(functools.partial(_in_cell, cell), n) for n, cell in zip(code.co_freevars, cells)]
    found += [(function.__globals__.get, name) for name in _globals_in(code)]
    for read, name in found:
        value = read(name, _NOTHING)
        if isinstance(value, (ModuleType, type)):
            continue
        yield read, name, value
        # Functions of other modules are libraries, which read no variables of the user's.
        if getattr(value, "__module__", None) == function.__module__:
            yield from _read_outside(value, seen)


def _in_cell(cell: CellType, _: str, otherwise: object) -> object:
    """Return the value of a variable of an outer function."""
    try:
        return cell.cell_contents
    except ValueError:  # it has none yet, or none any more
        return otherwise


@functools.lru_cache(maxsize=1024)
def _globals_in(code: CodeType) -> tuple[str, ...]:
    """Return the global names that code and the functions within it read."""
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    reads = (i.argval for i in dis.get_instructions(code) if i.opname in _READS)
    return (*dict.fromkeys(reads), *(name for part in inner for name in _globals_in(part)))


_READS: Final = ("LOAD_GLOBAL", "LOAD_NAME")


# --- a graph --------------------------------------------------------------------------------------


class _Watching(TorchFunctionMode):
    """Tells a capture of the tensors that functions of torch take and give.

    It sees the functions, not the kernels: torch takes other ways where something sees kernels.
    """

    def __init__(self, capture: Capture) -> None:
        super().__init__()
        self._capture = capture
        self.error: RuntimeError | None = None
        """The last error of torch."""

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call a function of torch between the two."""
        self._capture.sees(leaves_of((args, kwargs)))
        try:
            result = function(*args, **(kwargs or {}))
        except RuntimeError as error:
            self.error = error
            raise
        self._capture.made(leaves_of(result))
        return result


def _span(x: Tensor) -> int:
    """Return the number of elements from a tensor's first to its last in memory."""
    if not x.numel():
        return 0
    return 1 + sum((size - 1) * step for size, step in zip(x.shape, x.stride(), strict=True))


@final
class _Input:
    """Memory of a graph, laid out like one argument; each call copies the argument into it."""

    def __init__(self, like: Array) -> None:
        x = like._tensor
        size, lead = _span(x), x.data_ptr() % _ALIGNED // x.itemsize
        memory = torch.empty(lead + size, dtype=x.dtype, device=x.device)
        plain = torch.as_strided(memory, x.shape, x.stride(), lead)
        self.memory = memory[lead:]
        self.overlaps = x.numel() > size
        self.tensor = plain.conj() if x.is_conj() else plain
        if x.is_neg():
            self.tensor = negative_view(self.tensor)
        self.spec = like._spec
        self.version = self.tensor._version
        self.written = False

    def memory_like(self, x: Tensor) -> Tensor:
        """Return the memory of an array whose elements share some, which is copied as it is."""
        x = x.conj() if x.is_conj() else x
        return x.as_strided(self.memory.shape, (1,), x.storage_offset())


@final
class _Output:
    """A result of a graph: in its memory, a view of one of the inputs, or from outside."""

    def __init__(
        self,
        x: Tensor,
        sources: tuple[list[int], list[int]],
        of_inputs: Mapping[int, int],
        outside: Container[int],
    ) -> None:
        self.tensor = x
        self.spec = spec_of(x)
        self.memory = memory_of(x)
        self.input = of_inputs.get(self.memory)
        self.outside = self.memory in outside
        self.calls, self.depends = sources
        """The numbers of the checked calls, and of the arguments, whose late errors it has."""
        self.piece = 0
        """The number of the piece of the graph's memory that it is in."""
        self.begin: int | None = None
        """The number of its first element in that piece; None if it is the whole piece."""

    def is_a_piece(self) -> bool:
        """Say whether a copy of its piece is all that the result takes."""
        elsewhere = self.outside or self.input is not None or self.begin is not None
        return not (elsewhere or self.calls or self.depends)


GONE: Final = object()
"""The result of a graph that another thread has given back meanwhile."""

_RETURNED: Final = (int, float, complex, bool, str, bytes, type(None), torch.dtype, Device)


def _arrays_in(value: Any) -> Iterator[Array]:
    """Yield the arrays of a result; raise if it could hold others."""
    if type(value) is Array:
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _arrays_in(item)
    elif type(value) is dict:
        for item in value.values():
            yield from _arrays_in(item)
    elif not isinstance(value, _RETURNED):
        raise CaptureError(
            f"captured: the function returns {describe(value)}. Return arrays, numbers, tuples, "
            "lists and dictionaries of them."
        )


def _returning(result: Any) -> Callable[[list[Array]], Any]:
    """Return a function that returns other arrays as a result does its own."""
    if type(result) is Array:
        return operator.itemgetter(0)
    if type(result) is tuple and all(type(item) is Array for item in result):
        return tuple
    return lambda arrays: _replaced(result, iter(arrays))


def _lacks_memory(error: BaseException | None) -> bool:
    """Say whether an error is torch's for a device without memory, or ours that explains it."""
    return isinstance(error, torch.OutOfMemoryError) or (
        isinstance(error, MemoryError) and _lacks_memory(error.__cause__)
    )


_recordings: Final = threading.RLock()
"""Held while a device records, since torch then cannot give memory back."""


def _give_back(device: Device) -> None:
    """Give back the memory that torch keeps of graphs that are gone."""
    if here.capture is None:
        with _recordings:
            device.backend.module.empty_cache()


@final
class _Graph:
    """A function as a device recorded it for one key."""

    def __init__(
        self,
        function: Callable[..., Any],
        given: tuple[tuple[Any, ...], dict[str, Any]],
        arrays: Sequence[Array],
        device: Device,
    ) -> None:
        self._device = device
        self._lock = threading.Lock()
        self._gone = False
        self._module = module = device.backend.module
        self._stream = module.Stream(device.torch_device)
        """The stream that used the graph's memory last."""
        index = module.current_stream(device.torch_device).device_index
        self._current = functools.partial(current_stream_of(module, device.type), index)
        self._used: tuple[int, ...] | None = None
        """The same stream, as integers; None before the first replay."""
        with torch.inference_mode(mode=False):
            self._inputs = [_Input(x) for x in arrays]
            self._graph = getattr(module, device.backend.graph or "")()
            self._stream.wait_stream(module.current_stream(device.torch_device))
            with _recordings, Interrupts() as interrupts:
                self._record(function, given, interrupts)

    def _record(
        self,
        function: Callable[..., Any],
        given: tuple[tuple[Any, ...], dict[str, Any]],
        interrupts: Interrupts,
    ) -> None:
        """Call the function while the device records what it is asked to do."""
        places = iter([wrap(place.tensor, place.spec) for place in self._inputs])
        args, kwargs = _replaced(given[0], places), _replaced(given[1], places)
        own = self._device.torch_device
        # Not memory of the graph, which would hold other results there before.
        words = torch.empty((_MOST_GENERATORS, _WORDS), dtype=torch.int64, device=own)
        given_to = [(place.tensor, place.spec) for place in self._inputs]
        self._checks = late_errors.Checks(self._device, _MOST_CHECKS, given_to)
        capture = Capture(self._device, words, self._checks)
        watching = _Watching(capture)
        try:
            with self._checks.capturing(capture):
                with self._module.stream(self._stream), _recording(self._graph), watching:
                    try:
                        interrupts.let()
                        result = function(*args, **kwargs)
                    finally:
                        interrupts.held = True
                    self._flags = self._checks.flags()
                self._keep(result, capture)
        except CaptureError:
            raise
        except Exception as error:
            if _lacks_memory(error):
                raise
            if error is watching.error:  # it worked outside of the capture
                reason = f"torch fails there: {str(error).partition(chr(10))[0]}"
                raise refusal(reason, user_place(error)) from error
            # It is the function's own.  A call draws before it raises.
            for draws in capture.draws.values():
                draws.end()
            raise
        finally:
            watching.error = None  # its frames hold what was made in the graph's memory

    def _keep(self, result: Any, capture: Capture) -> None:
        """Keep all that a replay needs; called before the marks of the capture are dropped."""
        inputs = {memory_of(place.tensor): i for i, place in enumerate(self._inputs)}
        capture.sees(x._tensor for x in _arrays_in(result))
        own = [(s["address"], s["address"] + s["total_size"]) for s in self._segments()]
        self._outside = {
            memory: x
            for memory, (x, _) in capture.seen.items()
            if memory not in inputs and not any(a <= x.data_ptr() < b for a, b in own)
        }
        """Tensors whose memory belongs neither to an argument nor to the graph.  Each replay reads
        that memory, so it has to stay."""
        for memory, x in self._outside.items():
            if not x.is_inference() and x._version != capture.seen[memory][1]:
                raise CaptureError(
                    "captured: the function writes to an array from outside. Pass it as an "
                    "argument, to which it may write."
                )
        self._draws = list(capture.draws.values())
        self._outputs = [
            _Output(x, self._checks.sources(x), inputs, self._outside)
            for x in (array._tensor for array in _arrays_in(result))
        ]
        for output in self._outputs:
            if output.tensor.device != self._device.torch_device:
                raise CaptureError(
                    f"captured: a result is on {output.tensor.device}. Return arrays of "
                    f"{self._device}, and move them after the call."
                )
            if output.tensor.requires_grad:
                raise CaptureError(
                    "captured: a result has a gradient, which a graph cannot continue. Take the "
                    "gradient within the function, or detach the result there."
                )
        for place in self._inputs:
            place.written = place.tensor._version != place.version
        self.writes = any(place.written for place in self._inputs)
        """Whether the function writes to an argument."""
        self._pieces = self._pieces_of_results()
        if self._flags is not None:
            self._pieces.append(self._flags)
        self._overlaps = any(place.overlaps for place in self._inputs)
        self._places = [p.memory if p.overlaps else p.tensor for p in self._inputs]
        self._take = self._copier(self._places)
        self._give = self._copier(self._pieces)
        self._plain = all(output.is_a_piece() for output in self._outputs)
        """Whether each result is a copy of a piece."""
        self._returned = _returning(result)

    def _copier(self, tensors: Sequence[Tensor]) -> Callable[[list[Any], list[Any]], None]:
        """Return a function that copies from or to tensors such as these."""
        # One is one launch in any case; and copies of lists may not see the marks.
        if len(tensors) == 1 or any(x.is_conj() or x.is_neg() for x in tensors):
            return copy_each
        return self._device.backend.copier({x.dtype for x in tensors})

    def _pieces_of_results(self) -> list[Tensor]:
        """Return the memory that results are copied from, and tell each result where it is."""
        sharing: dict[Any, list[_Output]] = {}
        for output in self._outputs:
            if output.input is None and not output.outside:
                x = output.tensor
                kind = output.memory, x.dtype, x.is_conj(), x.is_neg()
                sharing.setdefault(kind, []).append(output)
        pieces = []
        for i, outputs in enumerate(sharing.values()):
            first = outputs[0].tensor
            lead = int(min(o.tensor.storage_offset() for o in outputs))
            size = max(o.tensor.storage_offset() + _span(o.tensor) for o in outputs) - lead
            whole = len(outputs) == 1 and size == first.numel()
            pieces.append(first if whole else torch.as_strided(first, (size,), (1,), lead))
            for output in outputs:
                output.piece = i
                output.begin = None if whole else int(output.tensor.storage_offset()) - lead
        return pieces

    @property
    def memory(self) -> int:
        """The bytes that the graph holds on the device."""
        inner = sum(segment["total_size"] for segment in self._segments())
        return int(inner) + sum(place.memory.nbytes for place in self._inputs)

    def _segments(self) -> list[Any]:
        """Return the pieces of memory that torch keeps for the graph."""
        pool = tuple(self._graph.pool())
        every = self._module.memory_snapshot()
        return [segment for segment in every if tuple(segment["segment_pool_id"]) == pool]

    def replay(self, arrays: Sequence[Array]) -> Any:
        """Compute with other arrays, and return what the function returns, or ``GONE``."""
        with self._lock:
            if self._gone:
                return GONE
            if (current := self._current()) != self._used:
                stream = self._module.current_stream(self._device.torch_device)
                stream.wait_stream(self._stream)
                self._stream, self._used = stream, current
            given = [x._tensor for x in arrays]
            if self._overlaps:
                pairs = zip(self._inputs, given)
                given = [place.memory_like(x) if place.overlaps else x for place, x in pairs]
            self._take(self._places, given)
            for draws in self._draws:
                draws.begin()
            self._graph.replay()
            pieces = self._pieces
            if len(pieces) == 1:
                made = [pieces[0].clone()]
            else:
                made = [torch.empty_like(piece) for piece in pieces]
                self._give(made, pieces)
            calls = self._checks.again(None if self._flags is None else made[-1])
            if self._plain:
                results = [wrap(made[output.piece], output.spec) for output in self._outputs]
            else:
                results = [self._made(output, made, arrays, calls) for output in self._outputs]
            if self.writes:
                for place, x in zip(self._inputs, arrays):
                    if place.written:
                        x._tensor.copy_(place.tensor)
                        wrote(x, (calls, arrays))
            return self._returned(results)

    def check_writes(self, arrays: Sequence[Array]) -> None:
        """Raise if the function writes to memory that it also reads by another array."""
        memory = [memory_of(x._tensor) for x in arrays]
        for i, place in enumerate(self._inputs):
            if place.written and (memory.count(memory[i]) > 1 or memory[i] in self._outside):
                raise CaptureError(
                    "captured: the function writes to an array that shares memory with another "
                    "array that it uses. Pass copies, or return the new array."
                )

    def _made(
        self,
        output: _Output,
        made: Sequence[Tensor],
        arrays: Sequence[Array],
        calls: Sequence[Any],
    ) -> Array:
        """Return a result that is the caller's own."""
        x = output.tensor
        if output.outside:
            return wrap(x, output.spec)
        if output.input is not None:  # a view of an argument, as the function returns it
            given, place = arrays[output.input]._tensor, self._inputs[output.input].tensor
            if x.dtype is not place.dtype:  # real numbers, of complex ones
                given, place = torch.view_as_real(given), torch.view_as_real(place)
            begin = given.storage_offset() + x.storage_offset() - place.storage_offset()
            own = given.as_strided(x.shape, x.stride(), begin)
        else:
            own = made[output.piece]
            if output.begin is not None:
                own = own.as_strided(x.shape, x.stride(), output.begin)
        operands = [arrays[i] for i in output.depends]
        return wrap(own, output.spec, *(calls[i] for i in output.calls), operands)

    def __del__(self) -> None:
        """Keep torch's graph until the end of a capture in which Python collects garbage."""
        if here.capture is not None:
            here.capture.dropped.append(getattr(self, "_graph", None))

    def free(self) -> None:
        """Give the memory back, once the device has finished with it."""
        with self._lock:
            self._gone = True
            self._stream.synchronize()
            self._graph.reset()


class _recording:  # noqa: N801  # a context manager that reads as one
    """The block in which a graph is recorded; interrupts are held where it begins and ends.

    Torch's own context manager also collects garbage, empties caches and prints errors.
    """

    def __init__(self, graph: Any) -> None:
        self._graph = graph

    def __enter__(self) -> None:
        # Other threads may go on to use the device meanwhile.
        self._graph.capture_begin(capture_error_mode="thread_local")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            with warnings.catch_warnings():  # a function may launch nothing
                warnings.filterwarnings("ignore", "The (CUDA|NPU) Graph is empty")
                self._graph.capture_end()
        except RuntimeError:
            if kind is None:  # else the first error is the one that helps
                raise


# --- the function ---------------------------------------------------------------------------------


def _traced_call(self: Captured[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    return self.__wrapped__(*args, **kwargs)


@final
class Captured(Generic[P, R]):
    """A function that devices replay; ``captured`` makes it.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> step = xp.captured(lambda x: x + 1)
    >>> isinstance(step, xp.Captured)
    True
    """

    def __init__(self, function: Callable[P, R], otherwise: Otherwise, most: int) -> None:
        functools.update_wrapper(self, function)
        self.__wrapped__: Callable[P, R] = function
        self._otherwise = otherwise
        self._most = most
        self._graphs: OrderedDict[Any, _Graph | str | None] = OrderedDict()
        """By key: the graph, why there is none, or None after the first call."""
        self._latest: tuple[Any, _Graph] | None = None
        """The key and the graph that were found last."""
        self._surroundings: _Surroundings | None = None
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"captured({self.__wrapped__!r})"

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Return the name of a function that a module has, or else how to make an equal one."""
        name = getattr(self, "__qualname__", "")
        found: Any = sys.modules.get(self.__module__)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is self:
            return str(name)
        return Captured, (self.__wrapped__, self._otherwise, self._most)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Return the function bound to an object, of whose class it is a method."""
        return self if instance is None else MethodType(self, instance)

    @traced_as(_traced_call)
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function, or replay what a device has recorded of it."""
        arrays: list[Array] = []
        key: Any = None
        try:
            key = self._key(args, kwargs, arrays)
            latest = self._latest
            if latest is not None and latest[0] == key:
                found: _Graph | None = latest[1]
            else:
                found = None if key is None else self._found(key, args, kwargs, arrays)
            if found is not None and found.writes:
                found.check_writes(arrays)
        except (CaptureError, MemoryError):
            if self._otherwise == "raise":
                raise
            found = None
        if found is not None and (result := found.replay(arrays)) is not GONE:
            return result  # type: ignore[no-any-return]
        outer, here.before = here.before, here.before or key is not None
        try:
            result = self.__wrapped__(*args, **kwargs)
        finally:
            here.before = outer
        if key is not None:  # it is captured next time, since it did not fail
            self._enter(key, None)
        return result

    def _enter(self, key: Any, reason: str | None) -> None:
        """Note that a key was called, or why it cannot be captured."""
        with self._lock:
            self._graphs.setdefault(key, reason)
            if len(self._graphs) > self._most:
                _, oldest = self._graphs.popitem(last=False)
                if isinstance(oldest, _Graph):
                    if self._latest is not None and self._latest[1] is oldest:
                        self._latest = None
                    oldest.free()

    def _key(self, args: tuple[Any, ...], kwargs: dict[str, Any], arrays: list[Array]) -> Any:
        """Return the key of a call, and its arrays in a list; None if it is never captured."""
        problem: CaptureError | None = None
        try:
            of_args = tuple([_key_of(value, arrays) for value in args])
            given = of_args, _key_of(kwargs, arrays) if kwargs else None
        except CaptureError as error:
            problem = error
        device = arrays[0]._spec.device if arrays else resolve(None, "captured")
        backend = device.backend
        if backend.graph is None or here.capture is not None or in_transform():
            return None
        if problem is not None:
            raise problem
        if backend.module.is_current_stream_capturing():  # the user records a graph of torch's
            return None
        around = self._surroundings
        if around is None or not around.are_the_same():
            self._surroundings = around = _Surroundings(self.__wrapped__)
        return given, around, device, torch.is_grad_enabled()

    def _found(
        self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], arrays: list[Array]
    ) -> _Graph | None:
        """Return the graph of a key, captured if need be; None for the first call."""
        with self._lock:
            if self._latest is not None:
                self._graphs.move_to_end(self._latest[0])
            if key not in self._graphs:
                if reason := _why_not(arrays, key[2]):
                    self._enter(key, reason)
                    raise CaptureError(reason)
                return None
            self._graphs.move_to_end(key)
            found = self._graphs[key]
            if found is None:
                try:
                    found = self._recorded((args, kwargs), arrays, key[2])
                except CaptureError as error:
                    self._graphs[key] = str(error)
                    raise
                self._graphs[key] = found
            if isinstance(found, str):
                raise CaptureError(found)
            self._latest = key, found
            return found

    def _recorded(
        self, given: tuple[tuple[Any, ...], dict[str, Any]], arrays: list[Array], device: Device
    ) -> _Graph:
        """Return a new graph; if memory runs out, try once more with that of graphs long gone."""
        try:
            return _Graph(self.__wrapped__, given, arrays, device)
        except Exception as error:
            if not _lacks_memory(error):
                raise
        gc.collect()  # the frames of the error hold memory too
        _give_back(device)
        try:
            return _Graph(self.__wrapped__, given, arrays, device)
        except Exception as error:
            if not _lacks_memory(error):
                raise
            said = str(error).partition(chr(10))[0]
            raise MemoryError(
                f"captured: no memory for one more graph on {device}. {said} clear() gives back "
                "the graphs of a captured function, and captured(function, most=1) keeps fewer."
            ) from error

    @property
    def graphs(self) -> int:
        """The number of graphs that are kept."""
        return len(self._kept())

    @property
    def memory(self) -> int:
        """The bytes that the graphs hold on devices."""
        return sum(graph.memory for graph in self._kept())

    def _kept(self) -> list[_Graph]:
        with self._lock:
            return [graph for graph in self._graphs.values() if isinstance(graph, _Graph)]

    def clear(self) -> None:
        """Give all graphs and their memory back; later calls begin anew.

        Returns
        -------
        None

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> step = xp.captured(lambda x: x + 1)
        >>> step.clear()
        """
        with self._lock:
            graphs = self._kept()
            self._graphs.clear()
            self._latest = None
        devices = {graph._device for graph in graphs}
        while graphs:  # torch keeps the memory of a graph as long as an object does
            graphs.pop().free()
        for device in devices:
            _give_back(device)


def _why_not(arrays: Sequence[Array], device: Device) -> str:
    """Return why a graph cannot take these arrays, or nothing."""
    if settings.in_force().checks == "wait":
        return (
            "captured: nothing is captured with options(checks='wait'), for which the host waits "
            "in each checked call. Choose checks='late'."
        )
    if reason := device.backend.no_graphs():
        return f"captured: on {device} nothing can be captured, because {reason}."
    for x in arrays:
        if x._spec.device is not device:
            return (
                f"captured: arrays are on {device} and on {x._spec.device}. Move them to one "
                "device with to_device() first."
            )
        if x._tensor.requires_grad and torch.is_grad_enabled():
            return (
                "captured: an array has a gradient, which a graph cannot continue. Take the "
                "gradient within the function, or call it in torch.no_grad()."
            )
    return ""


@overload
def captured(
    function: Callable[P, R], /, *, otherwise: Otherwise = ..., most: int = ...
) -> Captured[P, R]: ...
@overload
def captured(
    function: None = None, /, *, otherwise: Otherwise = ..., most: int = ...
) -> Callable[[Callable[P, R]], Captured[P, R]]: ...


@refusing
def captured(
    function: Callable[..., Any] | None = None,
    /,
    *,
    otherwise: Otherwise = "raise",
    most: int = 16,
) -> Any:
    """Return a function that an accelerator records once, and then replays with one launch.

    Where arrays are small, a device waits for the host, which launches each kernel.  A recorded
    function, a *graph*, is launched as a whole.  Results are those of the function, to the last
    bit.

    The first call with arrays of certain shapes, strides, data types and devices, certain other
    arguments, and certain options calls the function.  The second one records it and replays it.
    Later ones replay it.  On the CPU, on meshes, in ``torch.compile`` and in transformations of
    ``torch.func``, and within another captured function, each call calls the function.

    Parameters
    ----------
    function : Callable
        A function of arrays, and of numbers, strings and other objects with a hash; arrays may lie
        in tuples, lists and dictionaries.  It returns arrays and numbers, in such places too.
        Without it, ``captured`` returns a decorator.
    otherwise : {"raise", "call"}, default: "raise"
        The reaction to a function that cannot be captured: the error, or a call of the function
        each time.
    most : int, default: 16
        The number of graphs that are kept; the one that was used least recently is given back for a
        new one.

    Returns
    -------
    Captured
        The function.  Its ``graphs`` and ``memory`` say how many graphs there are, and how many
        bytes they hold; ``clear()`` gives them back.

    Raises
    ------
    CaptureError
        By the call that records: if the function waits for a value on the device (``float(x)``,
        ``if x:``, a result whose shape depends on values), computes on the host, copies memory of
        the host, or reads or sets the state of a generator of random numbers; the error names the
        line.  By any call: if arrays have gradients, or lie on several devices.
    MemoryError
        If the device has no memory for one more graph.
    TypeError
        If ``function`` cannot be called.
    ValueError
        If there is no such reaction, or ``most`` is not positive.

    See Also
    --------
    options : ``checks`` decides when bad values are reported; with ``"wait"`` nothing is captured,
        which is a CaptureError.

    Notes
    -----
    The function itself runs in the first two calls of a kind only.  What it does besides computing,
    such as printing or appending to a list, is not repeated.  If a variable that it reads from
    outside gets another value, it is captured anew; what it reads from attributes, lists and
    dictionaries is as it was when it was captured, but for the elements of arrays.

    A generator of the kind ``random.Philox``, which is an argument or comes from outside, draws in
    each call the numbers that it would draw without a capture, and its state moves on by as much.
    It has to draw on the device of the arrays.  ``random.Native`` generators are refused.

    Late errors name the call in the function that had bad values, as without a capture.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> @xp.captured
    ... def step(x, rate):
    ...     return x - rate * (2 * x - 1)
    >>> x = xp.zeros(3)
    >>> for _ in range(20):
    ...     x = step(x, 0.25)
    >>> bool(xp.all(xp.abs(x - 0.5) < 1e-5))
    True
    """
    if otherwise not in ("raise", "call"):
        raise ValueError(f"captured: otherwise must be 'raise' or 'call', not {otherwise!r}.")
    if not isinstance(most, int) or most < 1:
        raise ValueError(f"captured: most must be a positive integer, not {most!r}.")
    if function is None:
        return functools.partial(captured, otherwise=otherwise, most=most)
    if not callable(function):
        raise TypeError(f"captured: expected a function, got {describe(function)}.")
    return Captured(function, otherwise, most)
