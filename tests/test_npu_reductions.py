"""Reductions, searching, sorting and sets on NPUs: right, and without copies to the host.

The oracle is NumPy.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from npu import EMULATOR, QUIET_ORACLE, QUIET_TORCH_NPU, needs_emulator

import ascend_array_api as xp
from ascend_array_api._torch import torch
from conformance.samples.strategies import (
    ALL,
    COMPLEX,
    FLOATING,
    INTEGER,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    integer_edges,
    same,
    to_numpy,
)

pytestmark = [QUIET_TORCH_NPU, *QUIET_ORACLE]
AXES = [None, 0, -1, (0, 2), (0, 1, 2)]


def values(name: str, shape: tuple[int, ...] = (2, 3, 4), seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    if name == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if name in INTEGER:
        edges = np.asarray([v for v in integer_edges(name) if abs(v) < 100] * 9, name)
        return np.asarray(random.choice(edges, shape), name)
    numbers = random.choice([-2.5, -1.0, 0.0, 0.25, 1.0, 3.0], shape)
    if name in COMPLEX:
        numbers = numbers + 1j * random.choice([-1.5, 0.0, 0.5, 2.0], shape)
    return np.asarray(numbers, name)


def accumulator(name: str) -> str:
    if name in INTEGER:
        return "uint64" if name.startswith("u") else "int64"
    return name


# --- on the device --------------------------------------------------------------------------------


@needs_emulator
@pytest.mark.parametrize("name", ALL)
def test_nothing_goes_to_the_host(name: str) -> None:
    x, row, big = (xp.asarray(values(name, s)) for s in ((3, 4), (12,), (5, 10)))
    calls: list[Any] = [
        lambda: [f(x, axis=a) for f in (xp.all, xp.any, xp.count_nonzero) for a in (None, 1)],
        lambda: [xp.isin(x, y, invert=i) for y in (row, big) for i in (False, True)],
        lambda: xp.isin(big, big),
        lambda: xp.where(xp.astype(x, xp.bool), x, x),
    ]
    if name in NUMERIC:
        calls += [
            lambda: [f(x, axis=a) for f in (xp.sum, xp.prod) for a in (None, 1, (0, 1))],
            lambda: [f(x, axis=1) for f in (xp.cumulative_sum, xp.cumulative_prod)],
            lambda: xp.cumulative_prod(x, axis=0, include_initial=True),
            lambda: xp.diff(x, n=2, prepend=x, append=x),
        ]
    if name in REAL:
        calls += [
            lambda: [f(x, axis=a) for f in (xp.max, xp.min) for a in (None, 1, (0, 1))],
            lambda: [f(x, axis=a) for f in (xp.argmax, xp.argmin) for a in (None, 1)],
            lambda: [xp.searchsorted(xp.sort(row), x, side=s) for s in ("left", "right")],
            lambda: xp.searchsorted(row, x, sorter=xp.argsort(row)),
        ]
    if name not in COMPLEX:
        calls += [
            lambda: [f(x, descending=d) for f in (xp.sort, xp.argsort) for d in (False, True)],
        ]
    if name in FLOATING:
        calls.append(lambda: [xp.mean(x, axis=a) for a in (None, 1)])
    if name in REAL_FLOATING:
        calls.append(
            lambda: [
                f(x, axis=a, correction=c)
                for f in (xp.var, xp.std)
                for a in (None, 1)
                for c in (0, 1, 0.5, 99)
            ]
        )
    torch.npu.synchronize()
    with EMULATOR.counting() as counts:
        for call in calls:
            call()
        torch.npu.synchronize()
    assert counts.to_host == (0, 0)
    assert not counts.fallbacks


# --- reductions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NUMERIC)
@pytest.mark.parametrize("function", ["sum", "prod"])
def test_sums_and_products(function: str, name: str) -> None:
    x = values(name)
    for axis, keep in itertools.product(AXES, (False, True)):
        expected = getattr(np, function)(x, axis=axis, keepdims=keep, dtype=accumulator(name))
        actual = getattr(xp, function)(xp.asarray(x), axis=axis, keepdims=keep)
        assert actual.dtype == getattr(xp, accumulator(name))
        np.testing.assert_allclose(to_numpy(actual), expected, rtol=1e-5)
    for shape in ((0,), (0, 3)):
        empty = getattr(xp, function)(xp.asarray(values(name, shape)), axis=0)
        np.testing.assert_array_equal(to_numpy(empty), getattr(np, function)(np.empty(shape), 0))


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("function", ["max", "min"])
def test_extrema(function: str, name: str) -> None:
    x = values(name)
    if name in INTEGER:
        x = np.resize(np.asarray(integer_edges(name), name), (2, 3, 4))
    for axis, keep in itertools.product(AXES, (False, True)):
        expected = getattr(np, function)(x, axis=axis, keepdims=keep)
        same(getattr(xp, function)(xp.asarray(x), axis=axis, keepdims=keep), np.asarray(expected))
    same(
        getattr(xp, function)(xp.zeros((0, 3), dtype=getattr(xp, name)), axis=1), np.empty(0, name)
    )
    for axis in (None, 0, (0, 1)):
        with pytest.raises(ValueError, match="no elements"):
            getattr(xp, function)(xp.zeros((0, 3), dtype=getattr(xp, name)), axis=axis)


@pytest.mark.parametrize("name", REAL_FLOATING)
@pytest.mark.parametrize("correction", [0, 1, 2.0, 0.5, 0.1, -1.5, 3, 24, 30.5])
@pytest.mark.parametrize("axis", AXES)
def test_var_and_std(axis: Any, correction: float, name: str) -> None:
    x = np.random.default_rng(0).normal(1e3, 1.0, (2, 3, 4)).astype(name)
    count = x.size // np.asarray(x.sum(axis)).size
    wide = x.astype(np.longdouble)
    distances = ((wide - wide.mean(axis, keepdims=True)) ** 2).sum(axis)
    with np.errstate(all="ignore"):
        var = distances / (count - correction) if count > correction else distances * math.nan
    # The mean is rounded, and its error is squared.
    tolerance = {"float32": 2e-5, "float64": 1e-12}[name]
    array = xp.asarray(x)
    for actual, expected in (
        (xp.var(array, axis=axis, correction=correction), var),
        (xp.std(array, axis=axis, correction=correction), np.sqrt(var)),
    ):
        assert actual.dtype == getattr(xp, name)
        assert actual.shape == np.shape(expected)
        np.testing.assert_allclose(
            to_numpy(actual), expected, rtol=tolerance, atol=0 if name == "float64" else 1e-6
        )


@pytest.mark.parametrize("name", REAL_FLOATING)
def test_var_of_special_numbers(name: str) -> None:
    for numbers in ([1.0, math.nan, 2.0], [1.0, math.inf], [math.inf, -math.inf]):
        for correction in (0, 0.5):
            x = xp.asarray(np.asarray(numbers, name))
            assert np.isnan(to_numpy(xp.var(x, correction=correction)))
            assert np.isnan(to_numpy(xp.std(x, correction=correction)))
    assert np.isnan(to_numpy(xp.var(xp.zeros((0,), dtype=getattr(xp, name)))))
    assert xp.var(xp.zeros((0, 2), dtype=getattr(xp, name)), axis=1).shape == (0,)
    same(xp.std(xp.asarray(np.asarray(3.0, name))), np.asarray(0.0, name))


def test_fractional_corrections_of_halves() -> None:
    x = xp.asarray([1.0, 2.0, 4.0, 8.0], dtype=xp.float16)
    np.testing.assert_allclose(float(xp.var(x, correction=0.5)), 28.75 / 3.5, rtol=2**-10)


@pytest.mark.parametrize("name", NUMERIC)
@pytest.mark.parametrize("function", ["cumulative_sum", "cumulative_prod"])
def test_cumulative_functions(function: str, name: str) -> None:
    numpy = {"cumulative_sum": np.cumsum, "cumulative_prod": np.cumprod}[function]
    for shape, axis in (((1,), 0), ((2,), 0), ((7,), 0), ((8, 3), 0), ((2, 33), 1), ((0,), 0)):
        x = values(name, shape)
        if name in FLOATING:
            x = np.where(x == 0, 1, x / np.maximum(np.abs(x), np.finfo(name).tiny)).astype(name)
        expected = numpy(x, axis=axis, dtype=accumulator(name))
        actual = getattr(xp, function)(xp.asarray(x), axis=axis)
        assert actual.dtype == getattr(xp, accumulator(name))
        np.testing.assert_allclose(to_numpy(actual), expected, rtol=1e-5, atol=1e-5)
        more = to_numpy(getattr(xp, function)(xp.asarray(x), axis=axis, include_initial=True))
        assert (np.take(more, 0, axis) == (function == "cumulative_prod")).all()
        np.testing.assert_array_equal(np.delete(more, 0, axis), to_numpy(actual))


@pytest.mark.parametrize("name", NUMERIC)
def test_diff(name: str) -> None:
    x = values(name)
    for n in (0, 1, 2):
        same(xp.diff(xp.asarray(x), n=n), np.diff(x, n=n), signed_zeros=False)
    before, after = values(name, (1, 3, 4), 1), values(name, (2, 3, 4), 2)
    same(
        xp.diff(xp.asarray(x), axis=0, prepend=xp.asarray(before), append=xp.asarray(after)),
        np.diff(x, axis=0, prepend=before, append=after),
        signed_zeros=False,
    )


@pytest.mark.parametrize("name", ALL)
def test_truth(name: str) -> None:
    for x in (
        values(name),
        np.zeros((2, 3, 4), name),
        np.ones((2, 3, 4), name),
        np.empty((0, 3, 4), name),
    ):
        array = xp.asarray(x)
        for axis, keep in itertools.product(AXES, (False, True)):
            for function in ("all", "any"):
                expected = getattr(np, function)(x, axis=axis, keepdims=keep)
                same(getattr(xp, function)(array, axis=axis, keepdims=keep), np.asarray(expected))
            counted = np.count_nonzero(x, axis=axis, keepdims=keep)
            same(xp.count_nonzero(array, axis=axis, keepdims=keep), np.asarray(counted))


@pytest.mark.parametrize("name", FLOATING)
def test_truth_of_nan_and_subnormals(name: str) -> None:
    least = np.finfo(name).smallest_subnormal
    x = np.asarray([math.nan, least, 0.0, -0.0], name)
    if name in COMPLEX:
        x = np.concatenate([x, np.asarray([complex(0, math.nan), complex(-0.0, least)], name)])
    for i in range(len(x)):
        assert bool(xp.any(xp.asarray(x[i : i + 1]))) == bool(x[i])
    same(xp.nonzero(xp.asarray(x))[0], np.nonzero(x)[0])


# --- sorting and searching ------------------------------------------------------------------------


def unsorted(name: str) -> np.ndarray:
    random = np.random.default_rng(1)
    if name == "bool":
        return random.integers(0, 2, (3, 40)).astype(bool)
    if name in INTEGER:
        return np.asarray(random.choice(np.asarray(integer_edges(name), name), (3, 40)))
    numbers = [0.0, -0.0, 1.0, -1.0, 1e30, -1e-30, math.inf, -math.inf, 5e-324, math.nan, -math.nan]
    return np.asarray(random.choice(numbers, (3, 40)), name)


@pytest.mark.parametrize("name", [n for n in ALL if n not in COMPLEX])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_sorting(axis: int, name: str) -> None:
    x = unsorted(name)
    array = xp.asarray(x)
    order = np.argsort(x, axis=axis, stable=True)
    same(xp.argsort(array, axis=axis), order)
    same(xp.sort(array, axis=axis), np.take_along_axis(x, order, axis))
    # Descending and stable: ascending from behind, seen from behind.
    flipped = np.argsort(np.flip(x, axis), axis=axis, stable=True)
    down = x.shape[axis] - 1 - np.flip(flipped, axis)
    same(xp.argsort(array, axis=axis, descending=True), down)
    same(xp.sort(array, axis=axis, descending=True), np.take_along_axis(x, down, axis))


def test_sorting_nothing() -> None:
    same(xp.sort(xp.asarray(np.empty((0, 2)))), np.empty((0, 2)))


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searching(side: Any, name: str) -> None:
    x = np.sort(unsorted(name).reshape(-1)[:50])
    x = x[x == x]
    y = unsorted(name)
    y = np.where(y == y, y, 0).astype(name)
    same(xp.searchsorted(xp.asarray(x), xp.asarray(y), side=side), np.searchsorted(x, y, side))
    mixed = np.random.default_rng(0).permutation(x)
    sorter = xp.argsort(xp.asarray(mixed))
    found = xp.searchsorted(xp.asarray(mixed), xp.asarray(y), side=side, sorter=sorter)
    same(found, np.searchsorted(x, y, side))


def test_searching_among_nan_and_halves() -> None:
    for dtype in (xp.bfloat16, xp.float16, xp.float32, xp.float64):
        x = xp.asarray([1.0, 2.0, 2.0, math.inf, math.nan, math.nan], dtype=dtype)
        y = xp.asarray([0.0, 2.0, math.inf], dtype=dtype)
        same(xp.searchsorted(x, y), np.asarray([0, 1, 3]))
        same(xp.searchsorted(x, y, side="right"), np.asarray([0, 3, 4]))


@pytest.mark.parametrize("name", REAL)
def test_places_of_extrema(name: str) -> None:
    x = unsorted(name)
    x = np.where(x == x, x, 0).astype(name)
    for function in ("argmax", "argmin"):
        for axis in (None, 0, 1):
            expected = np.asarray(getattr(np, function)(x, axis=axis))
            same(getattr(xp, function)(xp.asarray(x), axis=axis), expected)


@pytest.mark.parametrize("name", ALL)
def test_nonzero_and_where(name: str) -> None:
    x, y = values(name), values(name, seed=1)
    for actual, expected in zip(xp.nonzero(xp.asarray(x)), np.nonzero(x), strict=True):
        same(actual, expected)
    condition = values("bool", seed=3)
    same(xp.where(xp.asarray(condition), xp.asarray(x), xp.asarray(y)), np.where(condition, x, y))


# --- sets -----------------------------------------------------------------------------------------


def check_sets(x: np.ndarray) -> None:
    """Check all set functions of one array against the definition, by Python's own equality."""
    first: list[int] = []
    inverse = []
    for i, value in enumerate(x.reshape(-1)):
        found = [k for k, j in enumerate(first) if x.reshape(-1)[j] == value]
        inverse.append(found[0] if found else len(first))
        if not found:
            first.append(i)
    array = xp.asarray(x)
    every = xp.unique_all(array)
    places = to_numpy(every.indices)
    assert sorted(places.tolist()) == first
    same(every.values, x.reshape(-1)[places])
    assert every.inverse_indices.shape == x.shape
    back = to_numpy(every.inverse_indices).reshape(-1)
    assert [int(places[k]) for k in back] == [first[k] for k in inverse]
    same(every.counts, np.bincount(back, minlength=len(first)).astype(np.int64))
    same(xp.unique_counts(array).values, x.reshape(-1)[places])
    same(xp.unique_inverse(array).inverse_indices, to_numpy(every.inverse_indices))
    same(xp.unique_values(array), x.reshape(-1)[places], signed_zeros=False)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("shape", [(), (1,), (2,), (40,), (5, 6)])
def test_sets(shape: tuple[int, ...], name: str) -> None:
    check_sets(values(name, shape))


@needs_emulator
@pytest.mark.parametrize("name", ALL)
def test_sets_copy_only_sizes_to_the_host(name: str) -> None:
    x = xp.asarray(values(name, (1000,)))
    torch.npu.synchronize()
    for function in (xp.unique_all, xp.unique_counts, xp.unique_inverse, xp.unique_values):
        with EMULATOR.counting() as counts:
            function(x)
            torch.npu.synchronize()
        _, size = counts.to_host
        assert size <= 64, function
        assert not counts.fallbacks


@pytest.mark.parametrize("name", ALL)
def test_sets_of_nothing(name: str) -> None:
    every = xp.unique_all(xp.asarray(np.empty((0, 3), name)))
    assert [part.shape for part in every] == [(0,), (0,), (0, 3), (0,)]
    assert xp.unique_values(xp.asarray(np.empty(0, name))).shape == (0,)


@pytest.mark.parametrize("name", FLOATING)
def test_sets_of_nan_and_zeros(name: str) -> None:
    numbers: list[complex] = [-0.0, 1.0, math.nan, 0.0, -math.nan, 1.0, math.inf, -math.inf, -0.0]
    if name in COMPLEX:
        numbers += [complex(1, math.nan), complex(-0.0, -0.0), complex(math.nan, 1), 1j, 1 + 1j, 1j]
        numbers += [complex(math.inf, 1), complex(1, math.nan), complex(math.inf, 1)]
    check_sets(np.asarray(numbers, name))
    check_sets(np.asarray(numbers[::-1], name))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("size", [0, 1, 5, 100])
def test_isin(size: int, name: str) -> None:
    x1, x2 = values(name, (4, 30)), values(name, (size,), 7)
    if name in INTEGER:
        x2 = np.resize(np.asarray(integer_edges(name), name), size)
    if name in FLOATING:
        x1[0, :4] = [math.nan, -0.0, 0.0, math.inf]
        x2[:3] = np.asarray([math.nan, 0.0, math.inf], name)[:size]
    for invert in (False, True):
        same(xp.isin(xp.asarray(x1), xp.asarray(x2), invert=invert), np.isin(x1, x2, invert=invert))
    same(xp.isin(xp.asarray(x1[1, 1]), xp.asarray(x2)), np.isin(x1[1, 1], x2))
