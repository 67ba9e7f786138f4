"""Elementwise functions, operators and casts on NPUs: right, and without copies to the host.

The oracles are NumPy, mpmath and Python's integers.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import mpmath
import numpy as np
import pytest
from npu import EMULATOR, QUIET_ORACLE, QUIET_TORCH_NPU, needs_emulator

import ascend_array_api as xp
from ascend_array_api import _dtypes as dt
from ascend_array_api._routes import elementwise as ops
from ascend_array_api._torch import torch
from conformance.samples.strategies import (
    ALL,
    COMPLEX,
    FLOATING,
    INTEGER,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    SIGNED,
    integer_edges,
    same,
    to_numpy,
)

pytestmark = [QUIET_TORCH_NPU, *QUIET_ORACLE]

SHAPES = [(), (0,), (3,), (2, 1, 3)]
BINARY = {
    *("add", "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift"),
    *("bitwise_xor", "copysign", "divide", "equal", "floor_divide", "greater", "greater_equal"),
    *("hypot", "less", "less_equal", "logaddexp", "logical_and", "logical_or", "logical_xor"),
    *("maximum", "minimum", "multiply", "nextafter", "not_equal", "pow", "remainder", "subtract"),
}


def dtypes_of(name: str) -> list[str]:
    """The data types of the standard that a function takes."""
    allowed = getattr(ops, name).dtypes
    return [n for n in ALL if getattr(dt, n) in allowed]


def values(name: str, shape: tuple[int, ...] = (3,), seed: int = 0) -> np.ndarray:
    """Numbers for which every function is defined."""
    random = np.random.default_rng(seed)
    if name == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if name in INTEGER:
        return np.asarray(random.integers(1, 5, shape), name)
    numbers = random.uniform(0.1, 0.9, shape)
    if name in COMPLEX:
        numbers = numbers + 1j * random.uniform(0.1, 0.9, shape)
    return np.asarray(numbers, name)


def one(name: str) -> Any:
    return True if name == "bool" else 1


def forms(function: str, name: str) -> list[tuple[Any, ...]]:
    """Operands of a function: of several shapes, broadcast, and with Python scalars."""
    first = [xp.asarray(values(name, shape)) for shape in SHAPES]
    if function == "clip":
        return [(x, 1, None) for x in first] + [(x, None, x) for x in first]
    if function not in BINARY:
        return [(x,) for x in first]
    second = [xp.asarray(values(name, shape, 1)) for shape in SHAPES]
    pairs: list[tuple[Any, ...]] = list(zip(first, second, strict=True))
    pairs += [(first[3], second[2]), (first[2], second[0]), (first[0], second[1])]
    return pairs + [(x, one(name)) for x in first] + [(one(name), x) for x in first]


FUNCTIONS = [
    name
    for name in xp.__all__
    if getattr(getattr(xp, name), "__module__", "").startswith("ascend_array_api._elementwise")
]


# --- on the device --------------------------------------------------------------------------------


@needs_emulator
@pytest.mark.parametrize("function", FUNCTIONS)
def test_nothing_goes_to_the_host(function: str) -> None:
    called = getattr(xp, function)
    cases = [(name, operands) for name in dtypes_of(function) for operands in forms(function, name)]
    assert cases
    with EMULATOR.counting() as counts:
        for _, operands in cases:
            called(*operands)
        torch.npu.synchronize()
    assert counts.to_host == (0, 0)
    assert not counts.fallbacks


OPERATORS = {
    "add": NUMERIC,
    "sub": NUMERIC,
    "mul": NUMERIC,
    "truediv": FLOATING,
    "floordiv": REAL,
    "mod": REAL,
    "pow": NUMERIC,
    "and_": ("bool", *INTEGER),
    "or_": ("bool", *INTEGER),
    "xor": ("bool", *INTEGER),
    "lshift": INTEGER,
    "rshift": INTEGER,
}


@needs_emulator
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_do_not_go_to_the_host(name: str) -> None:
    plain, inplace = getattr(operator, name), getattr(operator, "i" + name.rstrip("_"))
    for dtype in OPERATORS[name]:
        x, y = xp.asarray(values(dtype)), xp.asarray(values(dtype, seed=1))
        with EMULATOR.counting() as counts:
            plain(x, y)
            plain(x, one(dtype))
            plain(one(dtype), x)
            x = inplace(x, y)
            x = inplace(x, one(dtype))
            torch.npu.synchronize()
        assert counts.to_host == (0, 0), dtype
        assert not counts.fallbacks


# --- integers -------------------------------------------------------------------------------------


def wrapped(numbers: Any, name: str) -> np.ndarray:
    """Python integers modulo the range of a data type."""
    bits = np.iinfo(name).bits
    low = int(np.iinfo(name).min)
    flat = [(int(v) - low) % 2**bits + low for v in np.ravel(np.asarray(numbers, object))]
    return np.asarray(flat, name).reshape(np.shape(numbers))


@pytest.mark.parametrize("name", ["int32", "int64", "uint64"])
@pytest.mark.parametrize("number", [2**24 + 1, 2**30 + 1, 2**53 + 1, 2**62 + 3])
def test_python_integers_are_exact(name: str, number: int) -> None:
    # CANN's kernels for a tensor and a scalar lose bits beyond 2**24.
    if number > np.iinfo(name).max:
        return
    x = np.asarray([1, 3, 12345], name)
    array = xp.asarray(x)
    numbers = [int(v) for v in x]
    same(array + number, wrapped([v + number for v in numbers], name))
    same(number - array, wrapped([number - v for v in numbers], name))
    same(array * number, wrapped([v * number for v in numbers], name))
    changed = xp.asarray(x)
    view = changed[:]
    changed += number
    changed -= 1
    changed *= 3
    same(view, wrapped([(v + number - 1) * 3 for v in numbers], name))
    same(xp.asarray([number, 1], dtype=getattr(xp, name)) == number, np.asarray([True, False]))
    same(xp.asarray([number - 1], dtype=getattr(xp, name)) < number, np.asarray([True]))


@pytest.mark.parametrize("name", INTEGER)
@pytest.mark.parametrize("function", ["bitwise_left_shift", "bitwise_right_shift"])
def test_shifts_by_any_count(function: str, name: str) -> None:
    bits, most = np.iinfo(name).bits, int(np.iinfo(name).max)
    counts = [n for n in (0, 1, bits - 1, bits, bits + 1, 2 * bits, most) if n <= most]
    pairs = [(a, n) for a in integer_edges(name) for n in counts]
    x1, x2 = (xp.asarray(np.asarray(column, name)) for column in zip(*pairs, strict=True))
    if function == "bitwise_left_shift":
        expected = [a << n if n < bits else 0 for a, n in pairs]
    else:
        expected = [a >> min(n, bits) for a, n in pairs]
    same(getattr(xp, function)(x1, x2), wrapped(expected, name))
    same(
        getattr(xp, function)(x1, bits),
        wrapped([0 if "left" in function else a >> bits for a, _ in pairs], name),
    )


# --- floating-point numbers -----------------------------------------------------------------------


def test_nextafter_of_bfloat16() -> None:
    x = [0.0, -0.0, 1.0, -1.0, 2.5, 3e38, math.inf, -math.inf, math.nan]
    first = torch.tensor(x, dtype=torch.bfloat16, device="cpu")
    expected = torch.nextafter(first[:, None], first)
    x1 = xp.asarray(first.unsqueeze(1).expand(-1, len(x)).contiguous().npu())
    actual = xp.nextafter(x1, xp.asarray(first.npu())).to_device("cpu")
    bits = xp.to_torch(actual).view(torch.int16)
    defined = expected == expected
    assert torch.equal(bits[defined], expected.view(torch.int16)[defined])


@pytest.mark.parametrize("name", REAL_FLOATING)
def test_remainder_is_pythons(name: str) -> None:
    big = float(np.finfo(name).max)
    pairs = [
        *((a, b) for a in (5.5, -5.5, 0.0, -0.0, 1e-30) for b in (3.0, -3.0, 1e30, -1e30)),
        *((big, b) for b in (0.5, -3.0, 1e-5, big)),
        *((5.0, b) for b in (math.inf, -math.inf)),
        *((-5.0, b) for b in (math.inf, -math.inf)),
    ]
    # Rows of many elements, so that the emulator takes the kernels for vectors too.
    x1, x2 = (np.repeat(np.asarray(column, name), 9) for column in zip(*pairs, strict=True))
    with mpmath.workprec(3000):

        def exact(a: float, b: float) -> float:
            if math.isinf(b):
                return a if a * b > 0 else b
            rest = mpmath.mpf(a) - mpmath.mpf(b) * mpmath.floor(mpmath.mpf(a) / mpmath.mpf(b))
            return math.copysign(float(rest), b)

        expected = np.asarray(
            [exact(float(a), float(b)) for a, b in zip(x1, x2, strict=True)], name
        )
    same(xp.remainder(xp.asarray(x1), xp.asarray(x2)), expected)
    undefined = xp.remainder(xp.asarray([1.0, math.inf, math.nan]), xp.asarray([0.0, 1.0, 1.0]))
    assert np.isnan(to_numpy(undefined)).all()


def test_logaddexp_of_no_dimensions_has_all_bits_of_float64() -> None:
    x = xp.asarray(np.asarray(0.0))
    same(xp.logaddexp(x, x), np.asarray(math.log(2)))


# --- casts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ALL)
@pytest.mark.parametrize("source", ALL)
def test_casts(source: str, target: str) -> None:
    if source in COMPLEX and target not in (*COMPLEX, "bool"):
        return
    if source in INTEGER:
        x = np.asarray(integer_edges(source), source)
    elif source == "bool":
        x = np.asarray([False, True])
    else:
        x = np.asarray([0.0, -0.0, 1.0, 100.75, 1e-40, 127.0], source)
        signs = [] if target.startswith("u") else [-1.5, -100.0]
        x = np.concatenate([x, np.asarray(signs, source)])
        if target not in INTEGER:
            x = np.concatenate([x, np.asarray([math.inf, -math.inf, math.nan, 1e30], source)])
    for shape in ((len(x),), (1, len(x))):
        y = xp.astype(xp.asarray(x.reshape(shape)), getattr(xp, target))
        same(y, x.reshape(shape).astype(target))
    same(xp.astype(xp.asarray(x[1]), getattr(xp, target)), np.asarray(x[1].astype(target)))


def test_casts_between_int64_and_float32_beyond_32_bits() -> None:
    random = np.random.default_rng(3)
    x = random.integers(-(2**63), 2**63 - 1, 1000) >> random.integers(0, 60, 1000)
    # Next to the middle of two neighbours, where a rounding to float64 first would mislead.
    middles = (random.integers(2**23, 2**24, 1000) << 39) + (1 << 38) + random.integers(-2, 3, 1000)
    x = np.concatenate([x, middles, -middles, [-(2**63), 2**63 - 1]])
    same(xp.astype(xp.asarray(x), xp.float32), x.astype(np.float32))
    y = np.asarray([2.0**31, -(2.0**40), 2.0**62, -(2.0**63), 3e9], np.float32)
    same(xp.astype(xp.asarray(y), xp.int64), y.astype(np.int64))


def test_casts_from_int32_to_int8_wrap() -> None:
    x = np.random.default_rng(4).integers(-(2**31), 2**31 - 1, (6, 5), dtype=np.int32)
    same(xp.astype(xp.asarray(x), xp.int8), x.astype(np.int8))
    same(xp.astype(xp.asarray(x)[::2, 1:].T, xp.int8), x[::2, 1:].T.astype(np.int8))
    same(xp.astype(xp.asarray(x)[:, :0], xp.int8), x[:, :0].astype(np.int8))


# --- derivatives ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SIGNED)
def test_in_place_operators_keep_the_memory(name: str) -> None:
    x = xp.asarray(np.asarray([1, 2, 3], name))
    view = x[1:]
    x += 1
    x <<= 1
    x |= 1
    x //= 2
    same(view, np.asarray([3, 4], name))
