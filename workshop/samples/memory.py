"""The memory contract: what is a view of its operands, and what has memory of its own.

It is told by writing: to each result, after which the operands are looked at, and to each operand,
after which the results are.  docs/guide.md ("Views, copies and writing in place") says which
functions give views; all others must give copies.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

import ascend_array_api as xp
from ascend_array_api._arrays.memory import is_repeated
from ascend_array_api._torch import torch

from ._table import FUNCTIONS, Call, converted, found
from .draws import DType, Seeded

VIEWS: Final = frozenset(
    {
        *("broadcast_arrays", "broadcast_to", "expand_dims", "imag", "linalg.diagonal"),
        *("linalg.matrix_transpose", "matrix_transpose", "moveaxis", "permute_dims", "real"),
        *("squeeze", "to_torch", "unstack", "Array.T", "Array.mT", "Array.__iter__"),
    }
)
"""The functions that always give views."""

UNDEFINED: Final = frozenset({"empty", "empty_like"})
"""The functions whose elements have no meaning."""

HALF: Final = ("float16", "bfloat16")


def is_view(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Say whether the guide makes the result of a call a view."""
    if name in VIEWS:
        return True
    if name in {"asarray", "from_dlpack"}:
        return _taken_over(args[0], kwargs)
    if name == "astype":
        return kwargs.get("copy") is False and args[0].dtype == args[1]
    if name == "reshape":
        copy = kwargs.get("copy")
        return not copy if copy is not None else _merges(args[0], args[1])
    if name == "diag":
        return bool(args[0].ndim == 2)
    if name == "Array.to_device":
        return args[0].device == xp.asarray(0, device=args[1]).device
    return name == "Array.__getitem__" and _is_basic(args[1])


def _taken_over(obj: Any, kwargs: dict[str, Any]) -> bool:
    if kwargs.get("copy") or not isinstance(obj, (xp.Array, np.ndarray)):
        return False
    if isinstance(obj, np.ndarray):
        device = kwargs.get("device") or xp.zeros(0).device
        if device.type != "cpu" or not obj.flags.writeable or min(obj.strides, default=0) < 0:
            return False
        return kwargs.get("dtype") in {None, getattr(xp, obj.dtype.name)}
    return kwargs.get("dtype") in {None, obj.dtype} and kwargs.get("device") in {None, obj.device}


def _merges(x: xp.Array, shape: tuple[int, ...]) -> bool:
    """Say whether a shape is a view to NumPy, of an array with these strides."""
    one = np.zeros(1, np.int8)
    strides = x._tensor.stride()
    if x._spec.device.backend.copies_views:  # on a mesh they are those of a part
        order = sorted(range(x.ndim), key=lambda i: -strides[i])
        whole = np.zeros([x.shape[i] for i in order], np.int8).transpose(np.argsort(order))
        strides = whole.strides
    like = np.lib.stride_tricks.as_strided(one, x.shape, strides, writeable=False)
    known = math.prod(n for n in shape if n != -1)
    shape = tuple(x.size // max(known, 1) if n == -1 else n for n in shape)
    return like.size == 0 or bool(np.shares_memory(like.reshape(shape), one))


def _is_basic(key: Any) -> bool:
    return all(
        item is None
        or item is ...
        or (isinstance(item, slice) and (item.step is None or item.step > 0))
        or (isinstance(item, int) and not isinstance(item, bool))
        for item in (key if isinstance(key, tuple) else (key,))
    )


# --- arrays of any kind ---------------------------------------------------------------------------


def arrays_in(value: Any) -> Iterator[Any]:
    """Yield the arrays among arguments or results, ours and NumPy's."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from arrays_in(part)
    elif isinstance(value, torch.Tensor) and not isinstance(value, xp.Array):
        yield xp.asarray(value)
    elif isinstance(value, (xp.Array, np.ndarray)):
        yield value


def read(x: Any) -> np.ndarray[Any, Any]:
    """Return a copy of the elements."""
    if isinstance(x, np.ndarray):
        return x.copy()
    if x.dtype == xp.bfloat16:
        x = xp.astype(x, xp.float32)
    return np.array(x.to_device("cpu"))


def write(x: Any, values: np.ndarray[Any, Any]) -> None:
    """Overwrite the elements."""
    x[...] = values if isinstance(x, np.ndarray) else _like(values, x)


def _like(values: np.ndarray[Any, Any], x: xp.Array) -> xp.Array:
    return xp.asarray(values, dtype=x.dtype, device=x.device, copy=True)


def others(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return elements of which each differs from what is there."""
    if values.dtype == bool:
        return ~values
    return np.where(values == 1, 2, 1).astype(values.dtype)


def is_writable(x: Any) -> bool:
    """Say whether each element has memory of its own, which may be written to."""
    if isinstance(x, np.ndarray):
        return x.flags.writeable
    return not is_repeated(x._tensor)


def same(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> bool:
    """Say whether elements are the same, bit by bit."""
    return x.shape == y.shape and x.tobytes() == y.tobytes()


# --- the contract ---------------------------------------------------------------------------------


def check(
    name: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Call a function that writes to nothing, and check what its results share.

    The operands are left as they were.
    """
    operands = _apart(arrays_in((args, kwargs)))
    before = list(map(read, operands))
    results = list(arrays_in(call(*args, **kwargs)))
    if name in UNDEFINED:
        for result in results:
            write(result, np.zeros(result.shape, bool))
    values = list(map(read, results))
    assert all(map(same, map(read, operands), before)), "it writes to an operand"

    def again() -> list[np.ndarray[Any, Any]]:
        return list(map(read, arrays_in(call(*args, **kwargs))))

    def changed() -> bool:
        return not all(map(same, map(read, operands), before))

    shared = [is_view(name, args, kwargs) and v.size > 0 for v in values]
    for i, result in enumerate(results):
        if not is_writable(result):
            assert shared[i], "a copy cannot be written to"
            continue
        write(result, new := others(values[i]))
        assert same(read(result), new), "a result is not written to as a whole"
        assert changed() == shared[i], "a copy is a view" if changed() else "a view is a copy"
        if shared[i]:
            assert same(again()[i], new), "a view is one in part alone"
        rest = [j for j in range(len(results)) if j != i and not shared[j]]
        assert all(same(read(results[j]), values[j]) for j in rest), "results share memory"
        write(result, values[i])
        assert not changed(), "a view is one in part alone"
    own = [i for i, result in enumerate(results) if is_writable(result) and not shared[i]]
    for i in own:
        write(results[i], others(values[i]))
    if name not in UNDEFINED:
        assert all(map(same, again(), values)), "a result shares memory with one of before"
    for i in own:
        write(results[i], values[i])
    for operand, elements in zip(operands, before):
        if is_writable(operand):
            write(operand, others(elements))
            followed = again() if any(shared) else values
            now = list(map(read, results))
            write(operand, elements)
            for i, seen in enumerate(now):
                assert same(seen, followed[i] if shared[i] else values[i])


def check_in_place(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function that writes to its first operand, and check that it keeps no other one."""
    target, *rest = _apart(arrays_in((args, kwargs)))
    before = list(map(read, rest))
    result = call(*args, **kwargs)
    assert result is None or result is target, "it does not return what it wrote to"
    values = read(target)
    assert all(map(same, map(read, rest), before)), "it writes to another operand"
    write(target, others(values))
    assert all(map(same, map(read, rest), before)), "an operand became a view"
    write(target, values)
    for operand, elements in zip(rest, before):
        if is_writable(operand):
            write(operand, others(elements))
            assert same(read(target), values), "it became a view of an operand"
            write(operand, elements)
    return result


def _apart(arrays: Iterator[Any]) -> list[Any]:
    apart: list[Any] = []
    for x in arrays:
        if not any(x is other for other in apart):
            apart.append(x)
    return apart


# --- the calls of the samples ---------------------------------------------------------------------

LAYOUTS: Final = ("contiguous", "transposed", "stepped", "backwards", "broadcast")
DEPENDENT: Final = ("linalg.", "special.", "fft.")
"""What begins so may not take arrays whose rows are all the same."""
NO_HALF: Final = (*DEPENDENT, "nextafter", "roots")
"""What begins so may not take half precision."""


def laid_out(layout: str, values: np.ndarray[Any, Any]) -> xp.Array:
    """Return an array with some elements in a layout of memory."""
    if layout == "transposed":
        return xp.permute_dims(xp.asarray(values.T.copy()), tuple(range(values.ndim))[::-1])
    if layout == "broadcast" and values.ndim:
        return xp.broadcast_to(xp.asarray(values[:1].copy()), values.shape)
    if layout == "backwards" and values.ndim:
        key = (slice(None, None, -1),) * values.ndim
        return xp.asarray(values[key].copy())[key]
    if layout == "stepped":
        wide = np.ones([2 * n + 1 for n in values.shape], values.dtype)
        key = (*(slice(1, None, 2) for _ in values.shape), ...)
        wide[key] = values
        return xp.asarray(wide, copy=True)[key]
    return xp.asarray(values, copy=True)


def calls(name: str, dtype: str) -> Iterator[Call]:
    """Yield the calls of a function that are made for a data type."""
    function = FUNCTIONS[name]
    if dtype in HALF:
        dtype = "float32" if not name.startswith(NO_HALF) else dtype
    if dtype in function.dtypes:
        yield from (call for call in function.calls if call.when(Seeded(dtype, name)))


def check_function(name: str, dtype: str, layouts: Iterable[str] = LAYOUTS) -> None:
    """Check all calls of a function on arrays in some layouts."""
    for call in calls(name, dtype):
        for layout in layouts:
            if layout != "broadcast" or not (call.writes or name.startswith(DEPENDENT)):
                check_call(name, call, dtype, functools.partial(laid_out, layout))


def check_call(
    name: str, call: Call, dtype: str, array: Callable[[np.ndarray[Any, Any]], Any]
) -> None:
    """Check all that a call of the samples calls, on arrays that ``array`` makes."""
    half = getattr(xp, dtype) if dtype in HALF else None

    def made(values: Any) -> Any:
        x = array(values)
        return xp.astype(x, half) if half is not None and x.dtype == xp.float32 else x

    given = [
        half if half and isinstance(value, DType) else converted(xp, value, made)
        for value in call.inputs(Seeded("float32" if half else dtype, name))
    ]
    if call.writes:
        check_in_place(call.bound(xp), tuple(given), {})
        return
    seen = False

    def spied(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            nonlocal seen
            if not seen:  # what the check itself calls is not what the sample does
                seen = True
                check(name, function, args, kwargs)
                seen = False
            return function(*args, **kwargs)

        return checked

    if name.startswith("Array."):
        with _replaced(name.removeprefix("Array."), spied):
            call.bound(xp)(*given)
    elif (function := found(xp, name)) is None:  # a method of a generator
        check(name, call.bound(xp), tuple(given), {})
    else:
        call.body(spied(function), xp, *given)


@contextmanager
def _replaced(name: str, spied: Callable[[Any], Any]) -> Iterator[None]:
    plain = vars(xp.Array)[name]
    if isinstance(plain, property):
        watched: Any = property(spied(plain.fget))
    elif name == "__iter__":
        watched = lambda x: iter(spied(lambda x: list(plain(x)))(x))  # noqa: E731
    else:
        watched = spied(plain)
    setattr(xp.Array, name, watched)
    try:
        yield
    finally:
        setattr(xp.Array, name, plain)
