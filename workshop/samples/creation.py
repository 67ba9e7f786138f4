"""Creation functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..drawing import assume, st
from ._cases import *
from ._table import *
from .draws import *
from .strategies import *

chapter("creation_functions")


def shape_argument(draw: Draw) -> tuple[Any, tuple[int, ...]]:
    shape = draw(shapes())
    return (shape[0] if len(shape) == 1 and draw(st.booleans()) else shape), shape


@covers("zeros ones empty", ALL)
def filled(draw: Draw, name: str, dtype: str) -> Trial:
    argument, shape = shape_argument(draw)
    kwargs = creation_dtype(dtype, "float32", draw)
    if name == "empty":
        return Trial((argument,), has_form(dtype, shape), kwargs)
    return Trial((argument,), exactly(getattr(np, name)(shape, dtype)), kwargs)


@covers("zeros_like ones_like empty_like", ALL)
def filled_like(draw: Draw, name: str, dtype: str) -> Trial:
    x = movable(draw, draw(st.sampled_from(ALL)) if draw(st.booleans()) else dtype)
    shape = x.value.shape
    kwargs = creation_dtype(dtype, x.value.dtype.name, draw)
    if name == "empty_like":
        return Trial((x,), has_form(dtype, shape), kwargs)
    return Trial((x,), exactly(getattr(np, name.removesuffix("_like"))(shape, dtype)), kwargs)


@covers("full", ALL)
def full(draw: Draw, name: str, dtype: str) -> Trial:
    argument, shape = shape_argument(draw)
    value = draw(elements(dtype))
    default = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}[type(value)]
    kwargs = creation_dtype(dtype, default, draw)
    return Trial((argument, value), exactly(np.full(shape, value, dtype)), kwargs)


@covers("full_like", ALL)
def full_like(draw: Draw, name: str, dtype: str) -> Trial:
    x = movable(draw, draw(st.sampled_from(ALL)) if draw(st.booleans()) else dtype)
    value = draw(elements(dtype))
    kwargs = creation_dtype(dtype, x.value.dtype.name, draw)
    return Trial((x, value), exactly(np.full(x.value.shape, value, dtype)), kwargs)


@covers("eye", ALL)
def eye(draw: Draw, name: str, dtype: str) -> Trial:
    args: list[Any] = [draw(st.integers(0, 5))]
    if draw(st.booleans()):
        args.append(draw(st.one_of(st.none(), st.integers(0, 5))))
    kwargs = {"k": draw(st.integers(-6, 6))} if draw(st.booleans()) else {}
    expected = np.eye(*args, **kwargs, dtype=dtype)
    return Trial(tuple(args), exactly(expected), kwargs | creation_dtype(dtype, "float32", draw))


@covers("arange", REAL)
def arange(draw: Draw, name: str, dtype: str) -> Trial:
    count, step = draw(st.integers(0, 40)), draw(st.integers(-5, 5).filter(bool))
    if dtype in INTEGER:
        info = np.iinfo(dtype)
        start = draw(elements(dtype))
        stop = start + count * step
        # Every number that the call mentions has to fit.
        assume(info.min <= stop <= info.max and (step > 0 or dtype in SIGNED))
        expected = np.asarray(list(range(start, stop, step)), dtype=dtype)
        default, check = "int64", exactly(expected)
    else:
        start = draw(st.integers(-64, 64)) / 8
        step = step / draw(st.sampled_from((1.0, 2.0, 3.0)))
        stop = start + (count - 0.5) * step if count else start
        exact = np.asarray(start + np.arange(count, dtype=np.longdouble) * step)
        # start and step rounded, a product and a sum rounded.
        tolerance = 4 * eps(dtype) * (abs(start) + count * abs(step))
        default, check = "float32", lambda actual: within(actual, exact, dtype, tolerance)
    kwargs = creation_dtype(dtype, default, draw)
    args: tuple[Any, ...] = (start, stop, step)
    if step == 1 and draw(st.booleans()):
        args = (stop,) if start == 0 and type(start) is type(stop) else (start, stop)
    return Trial(args, check, kwargs)


@covers("linspace", FLOATING)
def linspace(draw: Draw, name: str, dtype: str) -> Trial:
    ends = moderate(dtype, 1e3)
    if draw(st.integers(0, 3)) == 0:
        ends = st.integers(-100, 100)
    start, stop = draw(ends), draw(ends)
    num = draw(st.one_of(st.integers(0, 5), st.integers(0, 70)))
    endpoint = draw(st.sampled_from((None, True, False)))
    intervals = num if endpoint is False else num - 1
    steps = np.arange(num, dtype=np.longdouble)
    exact = np.asarray(start + steps * (stop - start) / max(intervals, 1)).astype(WIDER[dtype])
    # Ends and step rounded, a product and a sum rounded.
    tolerance = 4 * eps(dtype) * (abs(start) + abs(stop))

    def check(actual: Any) -> None:
        within(actual, exact, dtype, tolerance)
        values = to_numpy(actual)
        if num:
            assert values[0] == np.asarray(start, dtype)
        if num > 1 and endpoint is not False:
            assert values[-1] == np.asarray(stop, dtype)

    kwargs: dict[str, Any] = {} if endpoint is None else {"endpoint": endpoint}
    default = "complex64" if isinstance(start, complex) or isinstance(stop, complex) else "float32"
    if draw(st.booleans()):
        return Trial((start, stop, num), check, kwargs | creation_dtype(dtype, default, draw))
    return Trial((start, stop), check, kwargs | {"num": num} | creation_dtype(dtype, default, draw))


@covers("meshgrid", ALL)
def meshgrid(draw: Draw, name: str, dtype: str) -> Trial:
    parts = [
        draw(operands(dtype, (draw(st.integers(0, 4)),))) for _ in range(draw(st.integers(0, 3)))
    ]
    kwargs = {"indexing": draw(st.sampled_from(("xy", "ij")))} if draw(st.booleans()) else {}
    expected = np.meshgrid(*(part.value for part in parts), **kwargs)
    return Trial(tuple(parts), each(expected), kwargs)


@covers("asarray", ALL)
def asarray(draw: Draw, name: str, dtype: str) -> Trial:
    form = draw(st.sampled_from(("array", "numpy", "nested", "scalar")))
    shape = () if form == "scalar" else draw(shapes(max_dims=3))
    if form == "nested" and 0 in shape:
        shape = shape[: shape.index(0) + 1]  # what lies behind an empty axis is not in the list
    x = draw(operands(dtype, shape))
    kwargs: dict[str, Any] = {}
    if form in ("array", "numpy"):
        if draw(st.booleans()):
            kwargs["copy"] = draw(st.sampled_from((None, True)))
        if draw(st.booleans()):
            kwargs["dtype"] = draw(st.sampled_from((None, DTYPES[dtype])))
        obj: Any = x if form == "array" else np.array(x.value)
    else:
        obj = x.value.tolist()
        kind_of = {"b": "bool", "i": "int64", "u": "int64", "f": "float32", "c": "complex64"}
        default = kind_of[x.value.dtype.kind] if x.value.size else "float32"
        kwargs = creation_dtype(dtype, default, draw)
    return Trial((obj,), exactly(x.value), kwargs)


@covers("from_dlpack", ALL)
def from_dlpack(draw: Draw, name: str, dtype: str) -> Trial:
    x = movable(draw, dtype)
    obj: Any = x if draw(st.booleans()) else np.array(x.value)
    kwargs = {"copy": draw(st.sampled_from((None, True)))} if draw(st.booleans()) else {}
    return Trial((obj,), exactly(x.value), kwargs)


on(
    "arange",
    lambda d: (1, 43, 3, d.dtype),
    lambda f, _, a, b, c, t: (f(b, dtype=t), f(a, b, c, dtype=t)),
)
on(
    "arange",
    just_dtype,
    lambda f, _, t: (f(20, -15, -2, dtype=t), f(0.5, 9, 0.25, dtype=t)),
    "negative and fractional steps",
    when=real,
)
on(
    "asarray",
    lambda d: (d.values(4, 6).tolist(), d.dtype),
    lambda f, _, x, t: f(x, dtype=t),
    "list",
    moves=True,
)
on("asarray", one, lambda f, _, x: (f(x), f(x, copy=True)), "array")
on("empty", just_dtype, lambda f, _, t: f((4, 6), dtype=t).shape)
on("empty_like", one, lambda f, _, x: f(x).shape)
on(
    "eye",
    just_dtype,
    lambda f, _, t: (f(6, dtype=t), f(4, 6, k=1, dtype=t), f(6, 4, k=-2, dtype=t)),
)
on("from_dlpack", one, plain)
on("full", lambda d: (number(d), d.dtype), lambda f, _, v, t: f((4, 6), v, dtype=t))
on("full_like", lambda d: (d.values(4, 6), number(d)), plain)
on(
    "full",
    lambda d: (d.between(1, 9), d.dtype),
    lambda f, _, v, t: f((4, 6), v, dtype=t),
    "0-dimensional array",
)
on("full_like", lambda d: (d.values(4, 6), d.between(1, 9)), plain, "0-dimensional array")
on(
    "linspace",
    lambda d: (-2.0, 3.0, 21, d.dtype),
    lambda f, _, a, b, n, t: (f(a, b, n, dtype=t), f(a, b, n, dtype=t, endpoint=False)),
)
on(
    "meshgrid",
    lambda d: (d.values(5), d.values(4)),
    lambda f, xp, x, y: [
        xp.asarray(g, copy=True) for i in ("xy", "ij") for g in f(x, y, indexing=i)
    ],
)
on("ones zeros", just_dtype, lambda f, _, t: (f((4, 6), dtype=t), f((), dtype=t)))
on("ones_like zeros_like", one, plain)

because(
    "arange empty empty_like eye full full_like linspace ones ones_like zeros zeros_like",
    flat=CREATES,
)
because("arange empty eye full linspace ones zeros from_dlpack", unmapped=CREATES)
because("empty_like", unmapped="its values have no meaning")
because("from_dlpack", flat="DLPack cannot express a part in autograd: it raises BufferError")
slope("asarray", "sequence", lambda f, _, x, y: f([[x, y], [y, x]]), 1.5, 2.5)
