"""The table: what is known of each function, told once, in the file of its chapter.

All that is tested of every function is a loop over ``FUNCTIONS``: the comparison with NumPy on
drawn arrays, the cells, compilation, derivatives, ``vmap``, waiting.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

from .draws import DType, Seeded, Smooth

Inputs: TypeAlias = "Callable[[Seeded], tuple[Any, ...]]"
"""Arrays of NumPy become arrays of the namespace, a ``DType`` its data type; the rest stays."""


@dataclass(frozen=True)
class Call:
    """One call of a function, for any namespace: ours, on every device, and NumPy."""

    name: str
    """The function."""
    says: str
    """What of the function it calls: ``axis=0``; empty for the plain call."""
    inputs: Inputs
    body: Callable[..., Any]
    """Takes the function that is meant, the namespace, and the inputs."""
    other: Any
    """The same with NumPy where the functions differ; None where NumPy has nothing to compare."""
    view: Callable[[Any], Any] | None
    """What is compared, made of the results as arrays of NumPy: a decomposition, for instance, is
    not unique, but the product of its parts is."""
    when: Callable[[Seeded], bool]
    """For which data types it is made."""
    waits: bool
    """Whether the host waits for a value by the function's nature: ``bool(x)``, ``x[mask]``."""
    moves: bool
    """Whether data goes to or from the host by the function's nature: ``asarray``."""
    writes: bool
    """Whether it writes to its first input."""
    smooth: bool
    """Whether it is differentiated, in float64 and complex128, where the function has a
    derivative."""
    batched: bool
    """Whether the shape of the result is that of each example by itself, as ``vmap`` needs it."""
    compiles: bool
    """Whether it becomes one graph, where the function does and need not wait."""

    def bound(self, xp: Any) -> Callable[..., Any]:
        """Return the call of a namespace, as a function of the inputs."""
        return partial(self.body, found(xp, self.name), xp)

    @property
    def numpy(self) -> Callable[..., Any] | None:
        """The same with NumPy: takes the inputs."""
        if self.other is None:
            return None
        return self.bound(np) if self.other is _SAME else partial(self.other, np)


@dataclass(frozen=True)
class Slope:
    """A function of arrays that is differentiated, and operands in whose neighbourhood it can be.

    Beside the calls: points at which the derivative is hard to come by, and functions of what a
    decomposition determines.
    """

    label: str
    function: Callable[..., Any]
    """Takes the operands, and returns an array, or arrays in tuples."""
    operands: tuple[np.ndarray[Any, Any], ...]
    second: bool = True
    """Whether second derivatives are defined there."""
    batched: bool = True
    """Whether the shape of the result is that of each example by itself, as ``vmap`` needs it."""


@dataclass
class Function:
    """All that is known of a function."""

    name: str
    """As one writes it: ``"exp"``, ``"linalg.inv"``, ``"Array.__add__"``."""
    chapter: str = ""
    """The chapter of the standard; empty for what it does not have."""
    dtypes: tuple[str, ...] = ()
    """The data types that the standard gives it to."""
    compared: Any = None
    """Draws arguments and says what the result has to be, by NumPy."""
    elsewhere: str = ""
    """Why it is not compared on drawn arguments, or where else it is."""
    flat: str = ""
    """Why it has no derivative."""
    unmapped: str = ""
    """Why ``vmap`` has nothing to map."""
    uncalled: str = ""
    """Why there is no call of it."""
    uncompiled: str = ""
    """Why it is no part of a compiled graph."""
    calls: list[Call] = field(default_factory=list)
    slopes: list[Slope] = field(default_factory=list)


_SAME: Final = object()

FUNCTIONS: Final[dict[str, Function]] = {}

# Why there is no derivative.
BOOLEAN: Final = "its result is boolean"
INTEGERS: Final = "of integers or booleans alone"
POSITIONS: Final = "its result is integer"
CREATES: Final = "takes no array, or of one no more than the shape"
PYTHON: Final = "leads out of arrays"
NAMES: Final = "about data types, shapes or the namespace"


def chapter(name: str) -> None:
    """Begin a chapter of the standard: what is entered from here on belongs to it."""
    _chapter[:] = [name]


_chapter: Final = [""]


def of(name: str) -> Function:
    """Return what is known of a function, to be added to."""
    if name not in FUNCTIONS:
        extension = name.partition(".")[0]
        own = _chapter[0] and extension in {"linalg", "fft"}
        FUNCTIONS[name] = Function(name, extension if own else _chapter[0])
    return FUNCTIONS[name]


def covers(names: str, dtypes: tuple[str, ...]) -> Callable[[Any], Any]:
    """Enter the comparison with NumPy of functions that the standard gives to data types."""

    def enter(case: Any) -> Any:
        for name in names.split():
            function = of(name)
            assert function.compared is None, name
            function.dtypes, function.compared = dtypes, case
        return case

    return enter


def listed(names: str, dtypes: tuple[str, ...], elsewhere: str, **reasons: str) -> None:
    """Enter functions that are not compared on drawn arguments, and why; see `reasons`."""
    for name in names.split():
        function = of(name)
        function.dtypes, function.elsewhere = dtypes, elsewhere
    because(names, **reasons)


def because(names: str, **reasons: str) -> None:
    """Say why functions have no derivative (``flat``), are not mapped or not compiled."""
    for name in names.split():
        for which, reason in reasons.items():
            setattr(of(name), which, reason)


def on(
    names: str,
    inputs: Inputs,
    function: Callable[..., Any],
    says: str = "",
    *,
    numpy: Any = _SAME,
    view: Callable[[Any], Any] | None = None,
    when: Callable[[Seeded], bool] = lambda _: True,
    waits: bool = False,
    moves: bool = False,
    writes: bool = False,
    smooth: bool = True,
    batched: bool = True,
    compiles: bool = True,
) -> None:
    """Add a call to each of some functions; ``function`` begins with the function that is meant."""
    for name in names.split():
        flags = (waits, moves, writes, smooth, batched, compiles)
        of(name).calls.append(Call(name, says, inputs, function, numpy, view, when, *flags))


def slope(
    names: str, label: str, function: Callable[..., Any], *operands: Any, **options: bool
) -> None:
    """Add what is differentiated; ``function`` begins with the function that is meant."""
    import ascend_array_api as xp

    for name in names.split():

        def call(*arrays: Any, _name: str = name) -> Any:
            return function(found(xp, _name), xp, *arrays)

        of(name).slopes.append(Slope(label, call, tuple(map(np.asarray, operands)), **options))


def found(xp: Any, name: str) -> Any:
    """Return the function of a namespace by its name; None where the call finds it by itself."""
    try:
        return operator.attrgetter(name)(xp)
    except AttributeError:
        return None


def plain(f: Any, _xp: Any, *inputs: Any) -> Any:
    """Call the function with its inputs."""
    return f(*inputs)


def slopes(function: Function) -> Iterator[Slope]:
    """Yield all that is differentiated of a function: of its calls, and what was added."""
    if function.flat:
        return
    for i, call in enumerate(function.calls):
        for dtype in ("float64", "complex128"):
            draw = Smooth(dtype, f"{function.name} {i}")
            if call.smooth and not call.moves and dtype in function.dtypes and call.when(draw):
                yield _slope_of(call, draw)
    yield from function.slopes


def _slope_of(call: Call, draw: Seeded) -> Slope:
    inputs = call.inputs(draw)
    operands = [x for x in inputs if isinstance(x, np.ndarray) and x.dtype.kind in "fc"]

    def function(*arrays: Any) -> Any:
        import ascend_array_api as xp

        given = iter(arrays)
        values = [
            next(given) if any(x is o for o in operands) else converted(xp, x, xp.asarray)
            for x in inputs
        ]
        if call.writes:
            values[0] = xp.asarray(values[0], copy=True)
        return call.bound(xp)(*values)

    label = " ".join(filter(None, (call.says, draw.kind)))
    return Slope(label, function, tuple(operands), batched=call.batched)


def converted(xp: Any, value: Any, array: Callable[[Any], Any]) -> Any:
    """Return an input as an object of a namespace; ``array`` converts those of NumPy."""
    if isinstance(value, np.ndarray):
        return array(value)
    if isinstance(value, DType):
        return getattr(xp, value.name)
    return [converted(xp, v, array) for v in value] if isinstance(value, list) else value
