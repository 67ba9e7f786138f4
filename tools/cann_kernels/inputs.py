"""Numbers over the whole range of a dtype, and where kernels' algorithms change."""

from __future__ import annotations

from typing import Any

import numpy as np

from .dsl import FLOATS, round_to_bfloat16

Array = np.ndarray[Any, Any]
SEED = 1
_TINY = {"float32": 2.0**-149, "bfloat16": 2.0**-133, "float16": 2.0**-24}
_NORMAL = {"float32": 2.0**-126, "bfloat16": 2.0**-126, "float16": 2.0**-14}
_LARGEST = {"float32": 3.4028234663852886e38, "bfloat16": 3.3895313892515355e38, "float16": 65504.0}


def _held(x: Any, dtype: str) -> Array:
    """Round to a dtype; bfloat16 is held as float32."""
    with np.errstate(all="ignore"):
        narrow = np.asarray(x).astype(np.float32 if dtype == "bfloat16" else dtype)
    return round_to_bfloat16(narrow) if dtype == "bfloat16" else narrow


def _special(dtype: str) -> Array:
    tiny, normal = _TINY[dtype], _NORMAL[dtype]
    positive = [0.0, tiny, normal - tiny, normal, 0.1, 0.3, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 10.0]
    positive += [100.0, _LARGEST[dtype], np.inf]
    return _held(np.array(positive + [-x for x in positive] + [np.nan]), dtype)


def _bits(dtype: str, n: int, rng: np.random.Generator) -> Array:
    """Return random bit patterns; all of them where there are only 65536."""
    if dtype == "float32":
        return rng.integers(0, 2**32, n, dtype=np.uint32).view(np.float32)
    every = np.arange(65536, dtype=np.uint32)
    if dtype == "float16":
        return every.astype(np.uint16).view(np.float16)
    return (every << np.uint32(16)).view(np.float32)


def floats(dtype: str, n: int) -> Array:
    """Return numbers for a function of one float: about 10 n of float32, all of shorter dtypes."""
    rng = np.random.default_rng(SEED)
    if dtype != "float32":
        return _bits(dtype, n, rng)
    powers = 2.0 ** np.arange(-149, 128)
    near_powers = [np.nextafter(_held(powers, dtype), _held(x, dtype)) for x in (0.0, np.inf)]
    sizes = 10.0 ** np.concatenate([rng.uniform(-38, 38, n), rng.uniform(-6, 6, 2 * n)])
    parts = [
        *(_special(dtype), _bits(dtype, 2 * n, rng), powers, -powers, *near_powers),
        *(sizes, -sizes, rng.uniform(-10, 10, n), rng.uniform(-1, 1, n)),
        *(
            1 + rng.uniform(-1e-2, 1e-2, n),
            np.arange(-2000, 2001),
            np.arange(-4000, 4001) * np.pi / 2,
        ),
        *(rng.uniform(-1e5, 1e5, n), rng.uniform(-2e7, 2e7, n)),
        rng.integers(0, 2**23, n, dtype=np.uint32).view(np.float32),
    ]
    return np.concatenate([_held(x, dtype) for x in parts])


def float_pairs(dtype: str, n: int) -> tuple[Array, Array]:
    """Return numbers for a function of two floats, about 6 n."""
    rng = np.random.default_rng(SEED)
    special = _special(dtype)
    small = np.arange(-20, 21)
    k = 65536 if dtype != "float32" else n
    grids = [np.meshgrid(x, x, indexing="ij") for x in (special, small)]
    huge = 10.0 ** rng.uniform(0, 30, n)
    pairs = [
        *((a.ravel(), b.ravel()) for a, b in grids),
        (_bits(dtype, k, rng), rng.permutation(_bits(dtype, k, rng))),
        (rng.uniform(-10, 10, n), rng.uniform(-10, 10, n)),
        (rng.uniform(0, 1e4, n), rng.uniform(0.1, 10, n)),
        (huge * rng.choice([-1, 1], n), rng.uniform(-10, 10, n)),
        (0.1 * rng.integers(-1000, 1001, n), np.full(n, 0.1)),
        (2.0 ** rng.integers(-20, 20, n), rng.integers(-8, 9, n)),
    ]
    columns = ([_held(part[i], dtype) for part in pairs] for i in (0, 1))
    first, second = (np.concatenate(column) for column in columns)
    return first, second


def _integer_specials(dtype: str) -> Array:
    limits = np.iinfo(dtype)
    values = {
        0,
        1,
        2,
        3,
        7,
        10,
        127,
        128,
        255,
        256,
        2047,
        2048,
        2049,
        65504,
        65520,
        2**24,
        2**24 + 1,
    }
    values |= {2**31 - 1, 2**40 + 1, limits.max, limits.max - 1, limits.max // 2, limits.min}
    values |= {limits.min + 1}
    return np.array(
        sorted(v for v in values | {-v for v in values} if limits.min <= v <= limits.max),
        dtype=dtype,
    )


def integers(dtype: str, n: int) -> Array:
    """Return integers over the whole range."""
    return integer_pairs(dtype, n)[0]


def integer_pairs(dtype: str, n: int) -> tuple[Array, Array]:
    """Return pairs of integers: ends, small, random, neighbours, small divisors."""
    rng = np.random.default_rng(SEED)
    limits = np.iinfo(dtype)

    def random(low: int, high: int) -> Array:
        low, high = max(low, limits.min), min(high, limits.max)
        return rng.integers(low, high, n, dtype=dtype, endpoint=True)

    grids = [
        np.meshgrid(x, x, indexing="ij")
        for x in (_integer_specials(dtype), np.arange(max(-30, limits.min), 31, dtype=dtype))
    ]
    whole = random(limits.min, limits.max)
    pairs = [
        *((a.ravel(), b.ravel()) for a, b in grids),
        (whole, random(limits.min, limits.max)),
        (whole, random(1, 1000)),
        (random(-(2**24), 2**24), random(1, 1000)),
        (whole, np.where(whole < limits.max, whole + np.array(1, dtype), whole).astype(dtype)),
    ]
    return np.concatenate([a for a, _ in pairs]), np.concatenate([b for _, b in pairs])


def one(dtype: str, n: int) -> Array:
    """Return numbers of a dtype for a function of one."""
    if dtype == "bool":
        return np.array([True, False])
    return floats(dtype, n) if dtype in FLOATS else integers(dtype, n)


def two(dtype: str, n: int) -> tuple[Array, Array]:
    """Return numbers of a dtype for a function of two."""
    if dtype == "bool":
        return np.array([True, True, False, False]), np.array([True, False, True, False])
    return float_pairs(dtype, n) if dtype in FLOATS else integer_pairs(dtype, n)


def matrix(dtype: str, n: int) -> Array:
    """Return rows whose sums and products are exact in every order."""
    rng = np.random.default_rng(SEED)
    rows = max(n // 7, 10)
    if dtype == "bool":
        return rng.integers(0, 2, (rows, 7)).astype(bool)
    low = 0 if dtype == "uint8" else -2
    return (
        _held(rng.integers(low, 3, (rows, 7)), dtype)
        if dtype in FLOATS
        else rng.integers(low, 3, (rows, 7)).astype(dtype)
    )


def thirds(dtype: str, n: int) -> Array:
    """Return rows of two numbers and a zero: one sum, and a mean that no power of two divides."""
    first, second = float_pairs(dtype, n)
    return np.stack([first, second, np.zeros_like(first)], axis=1)
