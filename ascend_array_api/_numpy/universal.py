"""The methods of NumPy's universal functions: ``add.reduce``, ``add.at`` and their kind.

Computes by the functions of the namespace alone.  The functions here are plain functions, and get
the methods as attributes.  In strict mode a call of one raises an error that says what to write.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable
from typing import Any, Final

from .._arrays.array import Array
from .._calls.interchange import asarray
from .._chapters import elementwise
from .._options import relaxed
from .._reports.porting import COMPOSED
from ..v2025_12 import _names
from . import calls, functions

_REDUCED: Final = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
"""The reductions by functions of two operands."""

_ACCUMULATED: Final = {"add": "cumulative_sum", "multiply": "cumulative_prod"}

xp: Final = functions.xp


def _reduce(name: str, array: Any, axis: Any = 0, *args: Any, **named: Any) -> Any:
    reduced = _REDUCED.get(name)
    if reduced is not None:
        return getattr(xp, reduced)(array, axis, *args, **named)
    if args or named or axis is None or isinstance(axis, (tuple, list)):
        raise TypeError(f"{name}.reduce: relaxed mode takes the array and one axis alone.")
    return functools.reduce(getattr(xp, name), xp.unstack(asarray(array), axis=axis))


def _accumulate(name: str, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
    x = asarray(array)
    accumulated = _ACCUMULATED.get(name)
    if accumulated is not None:
        return getattr(xp, accumulated)(x, axis=axis, dtype=dtype, out=out)
    if dtype is not None or not x.shape[axis]:
        raise TypeError(f"{name}.accumulate: relaxed mode takes an array that is not empty alone.")
    parts = [*itertools.accumulate(xp.unstack(x, axis=axis), getattr(xp, name))]
    parts[0] = xp.astype(parts[0], parts[-1].dtype)  # logical functions give Booleans
    return calls.written(name, out, xp.stack(parts, axis))


def _outer(name: str, a: Any, b: Any) -> Any:
    a, b = asarray(a), asarray(b)
    key: Any = (..., *[None] * b.ndim)
    return getattr(xp, name)(a[key], b)


def _at(name: str, a: Array, indices: Any, b: Any = None) -> None:
    """Write to the elements at positions, one after the other where a position comes twice."""
    places: Any = xp.reshape(xp.arange(a.size, device=a.device), a.shape)[indices]
    values = xp.broadcast_to(asarray(b, dtype=a.dtype, device=a.device), places.shape)
    places, values = xp.reshape(places, (-1,)), xp.reshape(values, (-1,))
    flat = xp.reshape(a, (-1,), copy=True)
    if name == "add":
        flat = flat + xp.astype(xp.bincount(places, values, a.size), a.dtype)
    elif places.size:
        order = xp.argsort(places)
        places, values = places[order], values[order]
        turn = xp.arange(places.size, device=a.device) - xp.searchsorted(places, places)
        for i in range(int(xp.max(turn)) + 1):
            own = places[turn == i]
            flat[own] = getattr(xp, name)(flat[own], values[turn == i])
    a[...] = xp.reshape(flat, a.shape)


_METHODS: Final[dict[str, Callable[..., Any]]] = {
    "reduce": _reduce,
    "accumulate": _accumulate,
    "outer": _outer,
    "at": _at,
}


COMPOSED.update(method.__code__ for method in _METHODS.values())


def _instead(name: str, method: str, args: tuple[Any, ...]) -> str:
    """Return what to write instead of a method, called with arguments."""
    if method == "reduce":
        known = _REDUCED.get(name)
        return f"xp.{known}(x, axis=0)" if known else f"functools.reduce(xp.{name}, xp.unstack(x))"
    if method == "accumulate":
        known = _ACCUMULATED.get(name)
        scan = f"xp.stack([*itertools.accumulate(xp.unstack(x), xp.{name})])"
        return f"xp.{known}(x, axis=0)" if known else scan
    if method == "outer":
        return f"xp.{name}(x[:, None], y[None, :]), of vectors"
    return _at_instead(name, *args)


_GROUPED: Final = {
    **dict.fromkeys(("add", "subtract"), ("sum", "0")),
    **dict.fromkeys(("multiply", "divide"), ("prod", "1")),
    "maximum": ("max", ""),
    "minimum": ("min", ""),
}
"""How values at one position combine, and what stands at other positions, if not the element."""


def _at_instead(name: str, x: Any, indices: Any = None, values: Any = None, *_: Any) -> str:
    """Return what to write instead of ``at``: code that does not wait, if there is any."""
    axes, given = getattr(x, "ndim", 0), getattr(values, "ndim", 0)
    several = isinstance(indices, tuple)
    if name not in _GROUPED or axes not in {1, 2} or (several and len(indices) != axes):
        return f"x[int(i), ...] = xp.{name}(x[int(i), ...], value) for each position in turn"
    combine, other = _GROUPED[name]
    own, at, more = ("y", "k", "") if several else ("x", "indices", ", None" * (axes - 1))
    places = f"xp.arange({own}.shape[0], device=x.device){f'[:{more}]' if more else ''}"
    value = "values" if given < axes and more else f"values[:, None{', :' if more else ''}]"
    value = value if given else f"xp.full_like({own}, value)"
    chosen = f"xp.where({at}[:, None{more}] == {places}, {value}, {other or own})"
    new = f"xp.{name}({own}, xp.{combine}({chosen}, axis=0))"
    if several:
        k = "indices[0] * x.shape[1] + indices[1]" if axes == 2 else "indices[0]"
        new = f"xp.reshape({new}, x.shape)"
        return f"y = xp.reshape(x, (-1,)); k = {k}; x[...] = {new}, {_FOR[axes]}"
    return f"x[...] = {new}, {_FOR[axes]}"


_FOR: Final = {1: "of vectors, in bounds", 2: "of matrices, in bounds"}


def _method(name: str, method: str) -> Callable[..., Any]:
    compute = functools.partial(_METHODS[method], name)

    def call(*args: Any, **named: Any) -> Any:
        if not relaxed.freely():
            relaxed.require(
                TypeError(
                    f"{name}.{method}: the standard's functions have no methods. "
                    f"Write {_instead(name, method, args)}."
                )
            )
        return compute(*args, **named)

    call.__name__, call.__qualname__ = method, f"{name}.{method}"
    return call


def attach() -> None:
    """Give the functions of two operands the methods of NumPy's universal functions."""
    for name, function in vars(_names).items():
        home = getattr(inspect.unwrap(function), "__module__", "")
        if (
            home.startswith(elementwise.__name__)
            and len(inspect.signature(function).parameters) == 2
        ):
            # The form for relaxed mode copies attributes; that of some functions is made already.
            for form in {function, vars(xp).get(name, function)}:
                vars(form).update({m: _method(name, m) for m in _METHODS})
