"""What goes along the divided axis, bit for bit beside one device: uneven, empty, single parts."""

from __future__ import annotations

import math
import random
import warnings
from typing import Any

import numpy as np
import pytest
from parametrize import everything, one_of_each

import ascend_array_api as xp
import ascend_array_api.distributed as xd

SHAPES = [(0,), (1,), (2,), (5,), (13,), (0, 3), (3, 0), (1, 1), (2, 3), (7, 2), (3, 9), (4, 1, 3)]
DTYPES = ["float32", "int64", "uint64", "bool", "complex64"]
REAL = DTYPES[:-1]
NUMERIC = [d for d in DTYPES if d != "bool"]
EXACT = ["int64", "uint64"]
SIZES = (3, 1, 4) if everything() else (3,)


def shapes(name):
    """Return half of the shapes, drawn for a name; all of them in `make nightly`."""
    return SHAPES if everything() else random.Random(name).sample(SHAPES, len(SHAPES) // 2)


def drawn(shape, dtype, seed=0):
    """Return few distinct values, with zeros of both signs and NaN."""
    values = np.random.default_rng([*shape, seed]).integers(0, 6, size=shape)
    if dtype.startswith(("float", "complex")):
        table = np.asarray([-0.0, 0.0, 1.5, -2.5, np.nan, 1.5]).astype(dtype)
        if dtype.startswith("complex"):
            table = table + np.asarray([0, 1j, 0, 0, 0, -1j]).astype(dtype)
        return table[values]
    if dtype == "bool":
        return values > 2
    info = np.iinfo(dtype)
    extremes = np.asarray([0, 1, info.max, info.min, 3, 3], dtype=dtype)
    return extremes[values]


def same(got, expected) -> bool:
    if isinstance(expected, (tuple, list)):
        return len(got) == len(expected) and all(map(same, got, expected))
    a, b = np.asarray(got.to_device("cpu")), np.asarray(expected)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    parts = [(a.real, b.real), (a.imag, b.imag)] if a.dtype.kind == "c" else [(a, b)]
    return all(
        np.array_equal(u, v, equal_nan=u.dtype.kind == "f")
        and np.array_equal(np.signbit(u) | np.isnan(u), np.signbit(v) | np.isnan(v))
        if u.dtype.kind == "f"
        else np.array_equal(u, v)
        for u, v in parts
    )


def outcome(compute, *arrays) -> Any:
    try:
        return compute(*arrays)
    except (ValueError, IndexError, TypeError, RuntimeError) as error:
        return type(error)


# In some of their shapes or layouts; all others must gather nothing, however they are divided.
GATHERING = {
    *("mask", "unstack", "take", "take last", "beyond", "index", "repeated"),
    *("convolve", "products", "matmul", "search"),
}


def compared(name, compute, dtypes, size, second=None) -> list[str]:
    """Compare with one device for all shapes and axes; return what differs."""
    wrong = []
    mesh, gather = xd.init("cpu", simulate=size), "allow" if name in GATHERING else "error"
    for dtype in one_of_each(dtypes, "float32".__eq__, name):
        for shape in shapes(name):
            x = drawn(shape, dtype)
            more = [] if second is None else [second(x, dtype)]
            expected = outcome(compute, *(xp.asarray(v, device="cpu") for v in (x, *more)))
            for axis in range(len(shape)):
                layouts = [(axis, None), (axis, 0), (None, 0)] if more else [(axis,)]
                for layout in layouts:
                    given = [
                        xd.replicate(v, device=mesh)
                        if a is None
                        else xd.shard(v, min(a, v.ndim - 1), device=mesh)
                        for v, a in zip((x, *more), layout)
                    ]
                    with xp.options(gather=gather, device=mesh):
                        got = outcome(compute, *given)
                    failed = isinstance(expected, type) or isinstance(got, type)
                    if (got is not expected) if failed else not same(got, expected):
                        wrong.append(f"{dtype} {shape} {layout}: {got} for {expected}")
    return wrong


def axes(x):
    return range(x.ndim)


ONE = {
    "flip": (lambda x: [xp.flip(x), *(xp.flip(x, axis=a) for a in axes(x))], DTYPES),
    "roll": (lambda x: [xp.roll(x, 3), *(xp.roll(x, -2, axis=a) for a in axes(x))], DTYPES),
    "slices": (
        lambda x: [
            x[(slice(None),) * a + (key, ...)]
            for a in axes(x)
            for key in (slice(1, None), slice(None, None, -2), slice(-2, None), slice(3, 1), None)
        ],
        DTYPES,
    ),
    "concat": (lambda x: [xp.concat([x, x[:1, ...], x], axis=a) for a in range(1)], DTYPES),
    "tile": (
        lambda x: [xp.tile(x, t) for t in ((2,) * x.ndim, (5,) * x.ndim, (7, *[1] * x.ndim))],
        DTYPES,
    ),
    "repeat": (lambda x: [xp.repeat(x, 3), *(xp.repeat(x, 2, axis=a) for a in axes(x))], DTYPES),
    "reshape": (lambda x: [xp.reshape(x, (-1,)), xp.reshape(x, (1, x.size, 1))], DTYPES),
    "diff": (
        lambda x: [
            xp.diff(x, axis=a, n=n, **ends)
            for a in axes(x)
            for n in (0, 1, 2)
            for ends in ({}, {"prepend": x}, {"append": x})
        ],
        NUMERIC,
    ),
    "sort": (
        lambda x: [xp.sort(x, axis=a, descending=d) for a in axes(x) for d in (False, True)],
        REAL,
    ),
    "argsort": (
        lambda x: [xp.argsort(x, axis=a, descending=d) for a in axes(x) for d in (False, True)],
        REAL,
    ),
    "argmax": (
        lambda x: [f(x, axis=a) for f in (xp.argmax, xp.argmin) for a in (None, *axes(x))],
        [d for d in REAL if d != "bool"],
    ),
    "along": (
        lambda x: [
            xp.take_along_axis(y, xp.argsort(y, axis=a, descending=True), axis=a)
            for y in (x, xp.reshape(x, (-1, 1)))
            for a in axes(y)
        ],
        REAL,
    ),
    "cumulative": (
        lambda x: [
            f(x, axis=a, include_initial=i, dtype=x.dtype)
            for f in (xp.cumulative_sum, xp.cumulative_prod)
            for a in axes(x)
            for i in (False, True)
        ],
        EXACT,
    ),
    "unique": (
        lambda x: [
            *xp.unique_all(x), *xp.unique_counts(x), *xp.unique_inverse(x), xp.unique_values(x)
        ],
        DTYPES,
    ),
    "nonzero": (lambda x: list(xp.nonzero(x)), DTYPES),
    "mask": (lambda x: [x[x != x[:1, ...]], x[x[:, ...] == x]], DTYPES),
    "mask of rows": (lambda x: x[xp.arange(x.shape[0]) % 3 == 1], DTYPES),
    "diagonal": (
        lambda x: [
            *(xp.linalg.diagonal(x, offset=k) for k in (-2, 0, 1)), xp.tril(x), xp.triu(x, k=1)
        ],
        DTYPES,
    ),
    "unstack": (lambda x: list(xp.unstack(x)), DTYPES),
    "squeeze": (lambda x: xp.squeeze(x, axis=0), DTYPES),
    "diag": (lambda x: xp.diag(x, k=-1), DTYPES),
    "extremes": (lambda x: [xp.any(x), xp.all(x, axis=0), xp.count_nonzero(x, axis=0)], DTYPES),
}  # fmt: skip


@pytest.mark.parametrize("name", ONE)
def test_along_the_divided_axis(name):
    compute, dtypes = ONE[name]
    assert not [wrong for size in SIZES for wrong in compared(name, compute, dtypes, size)]


def places(x, _):
    return np.random.default_rng(7).integers(-x.shape[0], max(x.shape[0], 1), size=4)


def beyond(x, _):
    return np.asarray([0, x.shape[0]])


def grid(x, _):
    return np.random.default_rng(8).integers(-x.shape[0], max(x.shape[0], 1), size=(3, 2))


def others(x, dtype):
    return drawn((5,), dtype, seed=1)


TWO = {
    "take": (lambda x, i: xp.take(x, i, axis=0), places, DTYPES),
    "take last": (lambda x, i: xp.take(x, i % max(x.shape[-1], 1), axis=-1), places, DTYPES),
    "beyond": (lambda x, i: xp.take(x, i, axis=0), beyond, DTYPES),
    "index": (lambda x, i: x[i, ...], grid, DTYPES),
    "along": (lambda x, i: xp.take_along_axis(x, xp.argsort(i), axis=0), others, ["int64"]),
    "isin": (lambda x, y: [xp.isin(x, y), xp.isin(y, x, invert=True)], others, DTYPES),
    "search": (
        lambda x, y: [
            xp.searchsorted(xp.sort(xp.reshape(x, (-1,))), y, side=side)
            for side in ("left", "right")
        ],
        others,
        [d for d in REAL if d != "bool"],
    ),
    "sorter": (
        lambda x, y: xp.searchsorted(y, x, sorter=xp.argsort(y)),
        others,
        [d for d in REAL if d != "bool"],
    ),
    "concat": (lambda x, y: xp.concat([xp.reshape(x, (-1,)), y, y[:1]]), others, DTYPES),
    "repeated": (lambda x, y: xp.repeat(x, xp.arange(x.shape[0]) % 3, axis=0), others, DTYPES),
    "convolve": (
        lambda x, y: [xp.convolve(xp.reshape(x, (-1,)), y[:n]) for n in (1, 2, 3, 5)],
        others,
        EXACT,
    ),
    "products": (
        lambda x, y: [
            xp.tensordot(x, y, axes=0), xp.tensordot(x, x, axes=x.ndim), x[..., None] * y
        ],
        others,
        EXACT,
    ),
    "matmul": (
        lambda x, y: [
            xp.permute_dims(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)) @ x,
            x @ xp.permute_dims(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)),
            x @ (y[: x.shape[-1]] if x.shape[-1] <= 5 else x[0, ...]),
        ],
        others,
        EXACT,
    ),
    "vecdot": (lambda x, y: [xp.vecdot(x, x, axis=a - x.ndim) for a in axes(x)], others, EXACT),
    "bincount": (lambda x, y: xp.bincount(xp.abs(y) % 4, weights=y % 3), others, ["int64"]),
}  # fmt: skip


@pytest.mark.parametrize("name", TWO)
def test_with_another_array(name):
    compute, second, dtypes = TWO[name]
    assert not [wrong for size in SIZES for wrong in compared(name, compute, dtypes, size, second)]


KEYS = [
    (slice(2, 6), ...),
    (-1, ...),
    (slice(None, None, -2), slice(1, 3)),
    (slice(5, 1, -1), slice(None, None, -1)),
    (6, 4),
    (slice(3, 3), ...),
    (None, slice(1, 5), slice(None)),
    (slice(1, 5), None, 2),
    (np.asarray([6, 0, 3]), ...),
    (np.asarray([[1, 2], [-1, 0]]), ...),
    (np.arange(35).reshape(7, 5) % 4 > 1,),
    (np.arange(7) % 3 > 0, ...),
    (np.asarray([1, 2]), np.asarray([0, -1])),
    (2, np.asarray([0, 1])),
    (slice(3, 3), None, np.asarray([0, 1])),
    (slice(None), np.asarray([4, 0, 4])),
    (slice(5, 1, -2), np.asarray([[4], [-4]])),
    (np.asarray([1, 2, 2, 1]), slice(1, 4)),
    (np.asarray([[1, 2, 5], [5, 0, 1]]), None, slice(None, None, -1)),
    (np.asarray([[3], [0]]), None, np.asarray([[1, 4, 1]])),
    (np.arange(7) % 3 > 0, slice(1, 4)),
    (None, np.asarray([1, 2]), ..., None, slice(1, 4)),
    (..., np.asarray([3, -1]), slice(1, 4), None),
    (slice(1, 6), None, ..., np.asarray([4, 0])),
    (None, slice(1, 6), ..., np.asarray([4, 0])),
    (np.arange(7) % 3 > 0, ..., slice(3, None, -2)),
    (np.arange(35).reshape(7, 5) % 4 > 1, None, ...),
]


@pytest.mark.parametrize("size", [2, 3, 9])
@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("values", ["number", "whole", "divided"])
def test_gets_and_sets(values, axis, size):
    numbers = np.arange(35.0).reshape(7, 5)
    mesh = xd.init("cpu", simulate=size)
    for key in KEYS:
        expected = numbers.copy()
        value: Any = 7.0 if values == "number" else -1 - np.arange(float(expected[key].size))
        value = value if values == "number" else value.reshape(expected[key].shape)
        with xp.options(device=mesh, gather="allow", relaxed=True):
            x = xd.replicate(numbers) if axis is None else xd.shard(numbers, axis)
            own = tuple(xp.asarray(k) if isinstance(k, np.ndarray) else k for k in key)
            np.testing.assert_array_equal(np.asarray(xd.gather(x[own])), expected[key])
            given = value
            if values != "number":
                given = xp.asarray(value) if values == "divided" else xd.replicate(value)
            x[own] = given
            expected[key] = value
            np.testing.assert_array_equal(np.asarray(xd.gather(x)), expected)
            assert xd.layout(x).axis == axis


@pytest.mark.parametrize("step", [7, 2**62, 2**90])
def test_steps_beyond_all_elements(step):
    """Which no tensor of positions could hold."""
    values = np.arange(42).reshape(6, 7)
    with xp.options(device=xd.init("cpu", simulate=3), gather="allow"):
        for part in (slice(None, None, step), slice(4, None, -step), slice(9, None, step)):
            for key in ((part, ...), (None, part, slice(1, 4)), (..., part)):
                x, theirs = xp.asarray(values), values.copy()
                assert np.array_equal(np.asarray(xd.gather(x[key])), theirs[key])
                x[key], theirs[key] = -1, -1
                assert np.array_equal(np.asarray(xd.gather(x)), theirs)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_part_that_is_not_finite_makes_all_singular_values_nan(bad):
    x = np.ones((12, 2))
    x[5, 1] = bad
    with xp.options(device=xd.init("cpu", simulate=3), gather="error"):
        for part in xp.linalg.svd(xp.asarray(x), full_matrices=False):
            assert bool(xp.all(xp.isnan(part)))
        assert bool(xp.all(xp.isnan(xp.linalg.svdvals(xp.asarray(x)))))


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("shape", [(5, 4), (6, 2, 3), (1, 7)])
@pytest.mark.parametrize("size", [1, 3])
def test_transforms_along_the_divided_axis(size, shape, dtype):
    rng = np.random.default_rng(5)
    x = rng.normal(size=shape).astype(dtype)
    last = len(shape) - 1
    calls = [
        ("fft", {"axis": 0}),
        ("fftn", {}),
        ("ifftn", {}),
        ("fftn", {"s": (3, 8), "axes": (0, last)}),
    ]
    if dtype == "float32":
        calls = [("rfft", {"axis": 0, "n": 9}), ("rfftn", {}), ("rfftn", {"axes": (last, 0)})]
    else:
        calls += [
            ("irfftn", {}),
            ("irfftn", {"axes": (last, 0), "s": (4, 5)}),
            ("hfft", {"axis": 0, "n": 6}),
        ]
    for axis in range(len(shape)):
        for name, options in calls:
            with xp.options(device=xd.init("cpu", simulate=size), gather="allow"):
                got = getattr(xp.fft, name)(xd.shard(x, axis), **options)
            expected = getattr(np.fft, name)(
                x.astype("complex128" if dtype[0] == "c" else "f8"), **options
            )
            most = 16 * np.finfo(dtype).eps * np.max(np.abs(expected))
            np.testing.assert_allclose(np.asarray(xd.gather(got)), expected, atol=most)


def test_cumulative_results_that_are_finite_in_order():
    """A part alone overflows, or comes to 0, where all in order does not."""
    big, small = 1e200, 1e-200
    sums = np.asarray([-1.5e308, 0.0, 1e308, 1e308, -1e308, 1.0, 5.0])
    products = np.asarray([big, 1.0, small, small, big, big, small])
    vanishing = np.asarray([big, 1.0, small, small, 1.0, 2.0, 3.0])
    with warnings.catch_warnings(), xp.options(gather="error"):
        for size in (2, 3, 4):
            mesh = xd.init("cpu", simulate=size)
            for function, values in (
                (xp.cumulative_sum, sums),
                (xp.cumulative_prod, products),
                (xp.cumulative_prod, vanishing),
            ):
                got = np.asarray(xd.gather(function(xp.asarray(values, device=mesh))))
                one = np.asarray(function(xp.asarray(values, device="cpu")))
                np.testing.assert_array_equal(np.isfinite(got), np.isfinite(one))
                np.testing.assert_allclose(got, one, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_spread_about_a_large_mean(dtype):
    """The sum of the parts' means overflows, and their mean does not."""
    for size in (2, 4):  # the weights of which are exact
        mesh = xd.init("cpu", simulate=size)
        with xp.options(gather="error"):
            x = xp.full(
                size, float(np.finfo(dtype).max) * 0.9, dtype=getattr(xp, dtype), device=mesh
            )
            assert float(xp.std(x)) == 0
