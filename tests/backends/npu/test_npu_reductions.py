"""Reductions, searching, sorting and sets on NPUs: right, and without copies to the host.

The oracle is NumPy.
"""

from __future__ import annotations

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


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("function", ["max", "min"])
def test_extrema_of_nothing(function: str, name: str) -> None:
    same(
        getattr(xp, function)(xp.zeros((0, 3), dtype=getattr(xp, name)), axis=1), np.empty(0, name)
    )
    for axis in (None, 0, (0, 1)):
        with pytest.raises(ValueError, match="no elements"):
            getattr(xp, function)(xp.zeros((0, 3), dtype=getattr(xp, name)), axis=axis)


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
    numbers = [0.0, -0.0, 1.0, -1.0, 1e30, -1e-30, math.inf, -math.inf, 5e-324, math.nan, -math.nan]
    return np.asarray(random.choice(numbers, (3, 40)), name)


@pytest.mark.parametrize("name", ["bool", *REAL_FLOATING])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_sorting_booleans_and_nan(axis: int, name: str) -> None:
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


def test_searching_among_nan_and_halves() -> None:
    for dtype in (xp.bfloat16, xp.float16, xp.float32, xp.float64):
        x = xp.asarray([1.0, 2.0, 2.0, math.inf, math.nan, math.nan], dtype=dtype)
        y = xp.asarray([0.0, 2.0, math.inf], dtype=dtype)
        same(xp.searchsorted(x, y), np.asarray([0, 1, 3]))
        same(xp.searchsorted(x, y, side="right"), np.asarray([0, 3, 4]))


# --- sets -----------------------------------------------------------------------------------------


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
