"""Where functions of float32 are asked, and how far an answer is from the exact one."""

from __future__ import annotations

import math
from typing import Any, Final, TypeAlias

import numpy as np

from ..samples.strategies import NPU_FARTHEST, PERIODIC

Array: TypeAlias = np.ndarray[Any, Any]

_END: Final = 2.0**128


def ulps(got: Array, exact: Array, unit: Array | None = None) -> Array:
    """Return errors in units in the last place, in float32, of the exact result or of ``unit``.

    What overflows counts as the next power of two.  NaN for NaN is no error, NaN for a number and
    a number for NaN an infinite one.
    """
    size = np.abs(exact) if unit is None else unit
    with np.errstate(all="ignore"):  # NaN
        # As wide in the whole last binade; NumPy's spacing of the greatest number is infinite.
        step = np.spacing(np.minimum(size, _END / 2).astype("f4")).astype("f8")
        error = np.abs(np.clip(got.astype("f8"), -_END, _END) - np.clip(exact, -_END, _END)) / step
    error = np.where(np.isnan(got) & np.isnan(exact), 0, error)
    return np.where(np.isnan(error), math.inf, error)


def random_bits(seed: int, count: int) -> Array:
    """Return float32 of all kinds: subnormal and infinite ones, and NaN."""
    drawn = np.random.default_rng(seed).integers(0, 2**32, count, dtype=np.uint64)
    return drawn.astype("u4").view("f4")


def edges() -> Array:
    """Return powers of two with their neighbours, ends of the range, zeros and constants."""
    powers = 2.0 ** np.arange(-149, 128)
    special = [0.0, 0.5, 1.0, 1 / 3, 0.48, 0.55, 3.92, 4.0, 10.06, 88.72284, 89.41599]
    special += [
        math.inf,
        math.nan,
        float(np.finfo("f4").max),
        *(k * math.pi / 4 for k in range(1, 9)),
    ]
    positive = np.concatenate([powers, special]).astype("f4")
    near = [positive, np.nextafter(positive, np.float32(0)), np.nextafter(positive, np.float32(9))]
    all_ = np.concatenate(near)
    return np.concatenate([all_, -all_])


def numbers(name: str, count: int = 100_000) -> Array:
    """Return float32 of all binades, and densely where functions bend."""
    random = np.random.default_rng(sum(name.encode()))
    small = random.uniform(-1, 1, count) * 2.0 ** random.integers(-24, 5, count)
    parts = [
        random_bits(sum(name.encode()), 2 * count),
        edges(),
        *(random.uniform(-r, r, count) for r in (1.2, 12.0, 150.0)),
        small,
        *(c + random.uniform(-1, 1, count // 10) * 2.0**-12 for c in (-1, 1)),
    ]
    if name in PERIODIC:
        turns = random.integers(1, int(NPU_FARTHEST / (math.pi / 2)), count) * (math.pi / 2)
        parts += [turns, random.uniform(-NPU_FARTHEST, NPU_FARTHEST, count)]
    x = np.concatenate([np.asarray(part, "f4") for part in parts])
    return x[~(np.abs(x) > NPU_FARTHEST)] if name in PERIODIC else x


def pairs(name: str, count: int = 100_000) -> tuple[Array, Array]:
    """Return pairs of all binades, pairs that are near each other, and all pairs of edges."""
    random = np.random.default_rng(sum(name.encode()))
    near = random_bits(3, count)
    factors = random.uniform(0.5, 2, count).astype("f4")
    wide = random.uniform(-100, 100, (2, count)).astype("f4")
    few = edges()[::23]
    left, right = (m.ravel() for m in np.meshgrid(few, few))
    first = [random_bits(1, count), near, wide[0], left]
    with np.errstate(all="ignore"):
        second = [random_bits(2, count), near * factors, wide[1], right]
    return np.concatenate(first), np.concatenate(second)


def integers(name: str, count: int = 100_000) -> tuple[Array, Array]:
    """Return pairs of int32 of all sizes, the second never zero."""
    random = np.random.default_rng(sum(name.encode()))
    sizes = random.integers(1, 32, (2, count))
    x, y = (random.integers(-(2**31), 2**31, (2, count)) >> (32 - sizes)).astype("i4")
    y[y == 0] = 1
    ends = np.asarray([-(2**31), 1 - 2**31, -(2**24) - 1, -7, -1, 1, 3, 2**24 + 1, 2**31 - 1], "i4")
    left, right = (m.ravel() for m in np.meshgrid(ends, ends))
    overflows = (left == -(2**31)) & (right == -1)
    return np.concatenate([x, left[~overflows]]), np.concatenate([y, right[~overflows]])
