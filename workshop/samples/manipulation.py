"""Manipulation functions, and functions that index."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..drawing import st
from ._cases import *
from ._table import *
from .draws import *
from .strategies import *

chapter("manipulation_functions")
TWO_OR_MORE = {"min_dims": 2}


def _permutation(draw: Draw, shape: tuple[int, ...]) -> tuple[int, ...]:
    ndim = len(shape)
    return tuple(i - ndim if draw(st.booleans()) else i for i in draw(st.permutations(range(ndim))))


def _repetitions(draw: Draw, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(draw(st.lists(st.integers(0, 3), max_size=4)))


def _unstacked(x: np.ndarray, axis: int = 0) -> list[np.ndarray]:
    return list(np.moveaxis(x, axis, 0))


covers("flip", ALL)(by_numpy(axis=some_axes))
chapter("linear_algebra_functions")
covers("matrix_transpose linalg.matrix_transpose", ALL)(
    by_numpy(reference=lambda x: np.swapaxes(x, -1, -2), shape=TWO_OR_MORE)
)
chapter("manipulation_functions")
covers("permute_dims", ALL)(by_numpy(_permutation, reference=np.transpose))
covers("tile", ALL)(by_numpy(_repetitions, shape={"max_dims": 3}))
chapter("creation_functions")
covers("tril triu", ALL)(by_numpy(shape=TWO_OR_MORE, k=whole(-5, 5)))
chapter("manipulation_functions")
covers("unstack", ALL)(
    by_numpy(reference=_unstacked, shape={"min_dims": 1}, check=each_in_a_tuple, axis=an_axis)
)


@covers("broadcast_to", ALL)
def broadcast_to(draw: Draw, name: str, dtype: str) -> Trial:
    small, full = draw(broadcastable(2))
    full = np.broadcast_shapes(small, full)
    x = draw(operands(dtype, small))
    return Trial((x, full), exactly(np.broadcast_to(x.value, full)))


@covers("broadcast_arrays", ALL)
def broadcast_arrays(draw: Draw, name: str, dtype: str) -> Trial:
    count = draw(st.integers(1, 4))
    dtypes = [dtype, *(draw(st.sampled_from(ALL)) for _ in range(count - 1))]
    args = tuple(
        draw(operands(other, shape))
        for other, shape in zip(dtypes, draw(broadcastable(count)), strict=True)
    )
    expected = np.broadcast_arrays(*(arg.value for arg in args))
    return Trial(args, each(expected))


def joined(draw: Draw, dtype: str) -> tuple[list[str], str]:
    """Dtypes of up to four arrays that promote together, and the dtype that they promote to."""
    dtypes = [dtype]
    result = dtype
    for _ in range(draw(st.integers(0, 3))):
        dtypes.append(draw(st.sampled_from(partners(result))))
        result = PROMOTION[result, dtypes[-1]]
    return dtypes, result


@covers("concat", ALL)
def concat(draw: Draw, name: str, dtype: str) -> Trial:
    dtypes, result = joined(draw, dtype)
    kwargs: dict[str, Any] = {}
    if draw(st.integers(0, 3)) == 0:
        kwargs["axis"] = None
        parts = [movable(draw, other) for other in dtypes]
        expected = np.concatenate([part.value.reshape(-1).astype(result) for part in parts])
    else:
        shape = draw(shapes(min_dims=1))
        if draw(st.booleans()):
            kwargs["axis"] = axis(draw, len(shape))
        along = kwargs.get("axis", 0) % len(shape)
        parts = [
            draw(operands(other, (*shape[:along], draw(st.integers(0, 3)), *shape[along + 1 :])))
            for other in dtypes
        ]
        expected = np.concatenate([part.value.astype(result) for part in parts], axis=along)
    sequence = draw(st.sampled_from((list, tuple)))(parts)
    return Trial((sequence,), exactly(expected), kwargs)


@covers("stack", ALL)
def stacked(draw: Draw, name: str, dtype: str) -> Trial:
    dtypes, result = joined(draw, dtype)
    shape = draw(shapes(max_dims=3))
    parts = [draw(operands(other, shape)) for other in dtypes]
    kwargs = {"axis": axis(draw, len(shape) + 1)} if draw(st.booleans()) else {}
    expected = np.stack([part.value.astype(result) for part in parts], **kwargs)
    sequence = draw(st.sampled_from((list, tuple)))(parts)
    return Trial((sequence,), exactly(expected), kwargs)


@covers("expand_dims", ALL)
def expand_dims(draw: Draw, name: str, dtype: str) -> Trial:
    x = movable(draw, dtype)
    ndim = x.value.ndim
    if draw(st.booleans()):
        where: Any = axis(draw, ndim + 1)
    else:
        total = ndim + draw(st.integers(1, 3))
        chosen = draw(st.permutations(range(total)))[: total - ndim]
        where = tuple(i - total if draw(st.booleans()) else i for i in chosen)
    return Trial((x,), exactly(np.expand_dims(x.value, where)), {"axis": where})


@covers("squeeze", ALL)
def squeeze(draw: Draw, name: str, dtype: str) -> Trial:
    shape = draw(shapes(max_dims=3))
    ones = [i for i, side in enumerate(shape) if side == 1]
    if not ones:
        shape, ones = (1, *shape), [0]
    chosen = draw(st.lists(st.sampled_from(ones), unique=True))
    signed = tuple(i - len(shape) if draw(st.booleans()) else i for i in chosen)
    where: Any = signed[0] if len(signed) == 1 and draw(st.booleans()) else signed
    x = draw(operands(dtype, shape))
    return Trial((x, where), exactly(np.squeeze(x.value, axis=where)))


@covers("moveaxis", ALL)
def moveaxis(draw: Draw, name: str, dtype: str) -> Trial:
    x = movable(draw, dtype)
    ndim = x.value.ndim
    if ndim and draw(st.booleans()):
        where: tuple[Any, Any] = (axis(draw, ndim), axis(draw, ndim))
    else:
        source = unique_axes(draw, ndim)
        target = draw(st.permutations(range(ndim)))[: len(source)]
        where = (source, tuple(i - ndim if draw(st.booleans()) else i for i in target))
    return Trial((x, *where), exactly(np.moveaxis(x.value, *where)))


@covers("repeat", ALL)
def repeat(draw: Draw, name: str, dtype: str) -> Trial:
    x = movable(draw, dtype, max_dims=3)
    kwargs: dict[str, Any] = {}
    if x.value.ndim and draw(st.booleans()):
        kwargs["axis"] = axis(draw, x.value.ndim)
    elif draw(st.booleans()):
        kwargs["axis"] = None
    where = kwargs.get("axis")
    length = x.value.size if where is None else x.value.shape[where]
    if draw(st.booleans()):
        count: Any = draw(st.integers(0, 3))
        expected = np.repeat(x.value, count, **kwargs)
    else:
        side = draw(st.sampled_from((1, length)))
        count = draw(
            operands(draw(st.sampled_from(("int64", "int32"))), (side,), st.integers(0, 3))
        )
        expected = np.repeat(x.value, np.broadcast_to(count.value, (length,)), **kwargs)
    return Trial((x, count), exactly(expected), kwargs)


def merged_shapes(draw: Draw, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape of as many elements: flat, axes merged, axes of size one put in, or permuted."""
    size = math.prod(shape)
    form = draw(st.sampled_from(("flat", "merge", "ones", "permute", "split")))
    if form == "flat":
        return (size,)
    if form == "merge" and len(shape) > 1:
        i = draw(st.integers(0, len(shape) - 2))
        return (*shape[:i], shape[i] * shape[i + 1], *shape[i + 2 :])
    if form == "ones":
        i = draw(st.integers(0, len(shape)))
        return (*shape[:i], 1, *shape[i:])
    if form == "split" and any(side % 2 == 0 and side for side in shape):
        i = next(i for i, side in enumerate(shape) if side and side % 2 == 0)
        return (*shape[:i], 2, shape[i] // 2, *shape[i + 1 :])
    return tuple(draw(st.permutations(shape)))


@covers("reshape", ALL)
def reshape(draw: Draw, name: str, dtype: str) -> Trial:
    x = movable(draw, dtype)
    shape = merged_shapes(draw, x.value.shape)
    expected = x.value.reshape(shape)
    unknown = [i for i, side in enumerate(shape) if math.prod(shape[:i] + shape[i + 1 :])]
    if unknown and draw(st.booleans()):
        i = draw(st.sampled_from(unknown))
        shape = (*shape[:i], -1, *shape[i + 1 :])
    kwargs = {"copy": draw(st.sampled_from((None, True)))} if draw(st.booleans()) else {}
    return Trial((x, shape), exactly(expected), kwargs)


@covers("roll", ALL)
def roll(draw: Draw, name: str, dtype: str) -> Trial:
    x = movable(draw, dtype)
    ndim = x.value.ndim
    kwargs: dict[str, Any] = {}
    amount = st.integers(-9, 9)
    shift: Any = draw(amount)
    if draw(st.booleans()):
        kwargs["axis"] = axes(draw, ndim)
        if isinstance(kwargs["axis"], tuple) and draw(st.booleans()):
            shift = tuple(draw(amount) for _ in kwargs["axis"])
    # NumPy does not take an empty tuple of axes: nothing moves.
    expected = x.value if kwargs.get("axis") == () else np.roll(x.value, shift, **kwargs)
    return Trial((x, shift), exactly(expected), kwargs)


chapter("indexing_functions")


@covers("take", ALL)
def take(draw: Draw, name: str, dtype: str) -> Trial:
    x = movable(draw, dtype, min_dims=1)
    kwargs = {} if x.value.ndim == 1 and draw(st.booleans()) else {"axis": axis(draw, x.value.ndim)}
    side = x.value.shape[kwargs.get("axis", 0)]
    shape = (draw(st.integers(0, 5)) if side else 0,)
    indices = draw(operands(index_dtype(draw), shape, st.integers(-side, max(side - 1, 0))))
    expected = np.take(x.value, indices.value, axis=kwargs.get("axis", 0))
    return Trial((x, indices), exactly(expected), kwargs)


@covers("take_along_axis", ALL)
def take_along_axis(draw: Draw, name: str, dtype: str) -> Trial:
    shape = draw(shapes(min_dims=1, min_side=1))
    x = draw(operands(dtype, shape))
    kwargs = {"axis": axis(draw, len(shape))} if draw(st.booleans()) else {}
    along = kwargs.get("axis", -1) % len(shape)
    sides = [1 if draw(st.integers(0, 3)) == 0 else side for side in shape]
    sides[along] = draw(st.integers(0, 4))
    side = shape[along]
    indices = draw(operands(index_dtype(draw), tuple(sides), st.integers(-side, side - 1)))
    full = list(
        np.broadcast_shapes(
            shape[:along] + (1,) + shape[along + 1 :],
            tuple(1 if i == along else s for i, s in enumerate(sides)),
        )
    )
    full[along] = sides[along]
    grid = list(np.indices(full, sparse=True))
    grid[along] = np.broadcast_to(indices.value, full)
    return Trial((x, indices), exactly(x.value[tuple(grid)]), kwargs)


on("broadcast_arrays", lambda d: (d.values(4, 1), d.values(6)), plain)
on("broadcast_to", lambda d: (d.values(4, 1),), lambda f, xp, x: copies(xp, [f(x, (3, 4, 6))]))
on("concat", two, lambda f, _, x, y: (f([x, y]), f([x, y], axis=1), f([x, y], axis=None)))
on("stack", two, lambda f, _, x, y: (f([x, y]), f([x, y], axis=-1)))
on("expand_dims", one, lambda f, _, x: (f(x, axis=0), f(x, axis=-1)))
on("flip", one, lambda f, _, x: (f(x), f(x, axis=0), f(x, axis=(0, 1))))
on("moveaxis", stack, lambda f, _, x: f(x, 0, 2))
on("permute_dims", stack, lambda f, xp, x: copies(xp, [f(x, (2, 0, 1))]))
on("repeat", one, lambda f, _, x: (f(x, 3), f(x, 3, axis=0), f(x, 2, axis=1)))
on(
    "repeat",
    lambda d: (d.values(4, 6), np.asarray([0, 3, 1, 2])),
    lambda f, _, x, n: f(x, n, axis=0),
    "array of repeats",
    waits=True,
)
on("reshape", one, lambda f, _, x: (f(x, (3, 8)), f(x, (-1,), copy=True), f(x.T, (24,))))
on("roll", one, lambda f, _, x: (f(x, 5), f(x, -2, axis=1), f(x, (1, 2), axis=(0, 1))))
on("squeeze", lambda d: (d.values(4, 1, 6),), lambda f, _, x: f(x, axis=1))
on("tile", one, lambda f, _, x: (f(x, (2, 3)), f(x, (2, 1, 2))))
on("unstack", one, lambda f, _, x: (*f(x), *f(x, axis=1)))
on("tril triu", lambda d: (d.values(2, 5, 6),), lambda f, _, x: (f(x), f(x, k=1), f(x, k=-2)))
on("matrix_transpose linalg.matrix_transpose", stack, plain)
on("take", lambda d: (d.values(4, 6), d.indices(4, 5)), lambda f, _, x, i: f(x, i, axis=0))
on("take", lambda d: (d.values(24), np.asarray([3, -1, -24])), plain, "negative indices")
on(
    "take_along_axis",
    lambda d: (d.values(4, 6), d.indices(6, 4, 3), d.indices(4, 2, 6)),
    lambda f, _, x, i, j: (f(x, i, axis=1), f(x, j, axis=0)),
)

slope("concat", "flat, mixed", lambda f, _, x, y: f([x, y], axis=None), [[1.0, 2.0]], [1j, 2])
slope("stack", "mixed", lambda f, _, x, y: f([x, y], axis=1), [1.0, 2.0], [1j, 2])
slope(
    "take_along_axis",
    "negative index",
    lambda f, xp, x: f(x, xp.asarray([[2, 0], [1, -1]]), axis=1),
    [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
)
