"""Quotients, remainders, powers, rounding and casts on NPUs whose kernels compute as the chip does.

Every function is compared with NumPy over the whole range: random bits, quotients beside integers,
powers of two and their neighbours, subnormal numbers, zeros of both signs, infinities and NaN.  It
is so in the modes of the emulated CANN that matter here, with these margins:

hostile:division
    Quotients are off by one unit: so are those of ``/``, and those of ``//`` from 2**22 on.
hostile:flush
    Subnormal numbers are zeros: they are left out, and of ``//`` all divisors whose lower bits are
    subnormal.
"""

from __future__ import annotations

import operator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from npu import EMULATOR, QUIET_ORACLE, QUIET_TORCH_NPU, needs_emulator

import ascend_array_api as xp
from tests.parametrize import everything

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    needs_emulator,
    QUIET_TORCH_NPU,
    *QUIET_ORACLE,
    pytest.mark.filterwarnings("ignore:divide by zero encountered:RuntimeWarning"),
]

MODES = ("ideal", "chip", "hostile:division", "hostile:casts", "hostile:flush")
MANY = 60_000 if everything() else 8_000
"""How many operands of a kind are drawn."""
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
F32 = np.float32
LEAST_NORMAL = 2.0**-126
ALL_BITS_NORMAL = 2.0**-102

EDGE = np.array(
    [0.0, 0.1, 0.3, 0.5, 1, 3, 5, 7, 10, 47, 127, 150, 8388609, 16777215, 1e8, 1e30]
    + [2.0**-149, 3 * 2.0**-149, LEAST_NORMAL, LEAST_NORMAL - 2.0**-149, 2.0**127]
    + [1 - 2.0**-24, 1 + 2.0**-23, 2.0**24, 2.0**128 - 2.0**104, np.inf, np.nan],
    F32,
)
EDGE = np.concatenate([EDGE, -EDGE])


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Iterator[str]:
    """Compute in one mode after the other."""
    assert EMULATOR is not None
    with EMULATOR.computing(request.param):
        yield request.param


@contextmanager
def as_chip() -> Iterator[None]:
    assert EMULATOR is not None
    with EMULATOR.computing("chip"):
        yield


def on_npu(x: Any, dtype: str | None = None) -> xp.Array:
    """Put numbers on the device; those of 16 bits come as float32."""
    host = xp.asarray(np.asarray(x), device="cpu")
    return (host if dtype is None else xp.astype(host, getattr(xp, dtype))).to_device("npu")


def back(x: xp.Array) -> np.ndarray[Any, Any]:
    host = x.to_device("cpu")
    return np.asarray(xp.astype(host, xp.float32) if host.dtype.itemsize == 2 and
                      host.dtype.is_floating_point else host)  # fmt: skip


def same(a: Any, b: Any) -> Any:
    """Say of each element whether it is the same, NaN and the sign of zero included."""
    return (np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b)))


def units(a: Any, b: Any) -> Any:
    """Return the distance in units in the last place of the second; 0 where both are the same."""
    apart = np.abs(np.subtract(a, b, dtype=np.longdouble)) / np.spacing(np.abs(b))
    return np.where(same(a, b), 0, apart)


def subnormal(*arrays: Any) -> Any:
    """Say where one of the numbers is subnormal."""
    return np.any([(np.abs(x) < LEAST_NORMAL) & (x != 0) for x in arrays], axis=0)


def none(wrong: Any, *shown: Any) -> None:
    """Check that nothing is wrong."""
    at = np.flatnonzero(wrong)
    assert not len(at), f"{len(at)} of {len(wrong)}: {[tuple(x[i] for x in shown) for i in at[:4]]}"


def bits(rng: np.random.Generator, count: int) -> np.ndarray[Any, Any]:
    """Draw float32 by their bits."""
    return rng.integers(0, 2**32, count, dtype=np.uint32).view(F32)


def dividends(seed: int, count: int = MANY) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Draw dividends and divisors: any, multiples and their neighbours, subnormal divisors."""
    rng = np.random.default_rng(seed)
    grid = np.meshgrid(EDGE, EDGE)
    a, b = [grid[0].ravel(), bits(rng, count)], [grid[1].ravel(), bits(rng, count)]
    for most in (12, 24, 26):
        divisor = bits(rng, count)
        near = np.multiply(divisor, np.trunc(2.0 ** rng.uniform(0, most, count)), dtype=np.float64)
        near = near.astype(F32)
        a += [near, np.nextafter(near, rng.choice(np.array([0, np.inf], F32), count))]
        b += [divisor, divisor]
    a.append(bits(rng, count))
    b.append(rng.integers(1, 2**23, count, dtype=np.uint32).view(F32))
    a.append((rng.integers(-1000, 1000, count) * 0.1).astype(F32))
    b.append(rng.choice(np.array([0.1, -0.1, 0.3, 0.7, 1e-3], F32), count))
    return np.concatenate(a), np.concatenate(b)


def exact_floor(a: Any, b: Any) -> tuple[Any, Any]:
    """Return the quotients rounded down, exact below 2**24, and where they are below that."""
    x, y = a.astype(np.float64), b.astype(np.float64)
    rest = np.fmod(x, y)
    whole = np.rint((x - rest) / y) - ((rest != 0) & ((rest < 0) != (y < 0)))
    quotient = a / b
    usual = np.isfinite(a) & np.isfinite(b) & (b != 0)
    small = np.abs(x / y) < 2.0**24
    result = np.where(usual & small, whole, np.where(usual, quotient, np.floor(quotient)))
    result = result.astype(F32)
    return np.where(result == 0, np.copysign(F32(0), quotient), result), small | ~usual


# --- floating-point division ----------------------------------------------------------------------


def test_remainder(mode: str) -> None:
    a, b = dividends(1)
    got, expected = back(xp.remainder(on_npu(a), on_npu(b))), np.remainder(a, b)
    wrong = ~same(got, expected)
    if mode == "hostile:flush":
        wrong &= ~subnormal(a, b, expected, np.fmod(a, b))
    none(wrong, a, b, got, expected)


def test_floor_divide(mode: str) -> None:
    a, b = dividends(2)
    got = back(xp.floor_divide(on_npu(a), on_npu(b)))
    expected, small = exact_floor(a, b)
    if mode == "hostile:division":
        exact = small & ((np.abs(expected) < 2.0**22) | ~np.isfinite(expected))
        near = (units(got, expected) <= 2) | (np.abs(expected) > 3.4e38)
    else:
        exact, near = small, units(got, expected) <= 1
    wrong = ~np.where(exact, same(got, expected), near)
    if mode == "hostile:flush":
        wrong &= ~subnormal(a, b, expected, a / b) & (np.abs(b) >= ALL_BITS_NORMAL)
    none(wrong, a, b, got, expected)


def test_divide(mode: str) -> None:
    a, b = dividends(3)
    got, expected = back(on_npu(a) / on_npu(b)), a / b
    limit = 1 if mode == "hostile:division" else 0
    wrong = ~(same(got, expected) | (units(got, expected) <= limit))
    if mode == "hostile:flush":
        wrong &= ~subnormal(a, b, expected)
    none(wrong, a, b, got, expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_division_of_halves(mode: str, dtype: str) -> None:
    x, y = (back(on_npu(x, dtype)) for x in dividends(4, MANY // 4))
    keep = ~subnormal(x, y) if mode == "hostile:flush" else np.ones(len(x), bool)
    x, y = x[keep], y[keep]
    a, b = on_npu(x, dtype), on_npu(y, dtype)
    rest, floor = np.remainder(x, y), exact_floor(x, y)
    for function, right in ((xp.remainder, rest), (xp.floor_divide, floor[0])):
        got, expected = back(function(a, b)), back(on_npu(right, dtype))
        wrong = ~same(got, expected)
        if function is xp.floor_divide:
            wrong &= floor[1] & (np.abs(right) < 2.0**22)
        if mode == "hostile:flush":
            wrong &= ~subnormal(expected, right, np.fmod(x, y), x / y)
            if function is xp.floor_divide:
                wrong &= np.abs(y) >= ALL_BITS_NORMAL
        none(wrong, x, y, got, expected)


def test_division_of_float64(mode: str) -> None:
    a, b = (x.astype(np.float64) * 1.1 for x in dividends(5, MANY // 4))
    got, expected = back(xp.remainder(on_npu(a), on_npu(b))), np.remainder(a, b)
    none(~same(got, expected), a, b, got, expected)
    got = back(xp.floor_divide(on_npu(a), on_npu(b)))
    expected = np.where(np.isinf(a) | np.isinf(b), np.floor(a / b), np.floor_divide(a, b))
    none(~same(got, expected), a, b, got, expected)


def test_quotients_of_scalars() -> None:
    x = np.concatenate([EDGE, np.arange(-2000, 2000, dtype=F32) * F32(0.1)])
    with as_chip():
        for s in (0.1, -0.3, 3, -3, 7.0, 1e-30, 2.0**-100, -1e30, 1e-40, -(2.0**127)):
            y = F32(s)
            floor, rest = exact_floor(x, y)[0], np.remainder(x, y)
            for got, expected in (
                (on_npu(x) // s, floor),
                (on_npu(x) % s, rest),
                (operator.ifloordiv(on_npu(x), s), floor),
                (operator.imod(on_npu(x), s), rest),
                (on_npu(x) / s, x / y),
                (s % on_npu(x), np.remainder(y, x)),
                (s // on_npu(x), exact_floor(np.full_like(x, y), x)[0]),
                (s / on_npu(x), y / x),
            ):
                exact = same(back(got), expected) | (np.abs(expected) >= 2.0**24)
                none(~(exact & (units(back(got), expected) <= 1)), x, back(got), expected)


# --- integers -------------------------------------------------------------------------------------


def integers(dtype: str, seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Draw integers of all sizes; pairs of all that are near powers of two."""
    rng = np.random.default_rng(seed)
    size, count = np.iinfo(dtype).bits, MANY // 2
    powers = (1 << np.arange(size, dtype=np.uint64))[:, None]
    offsets = np.arange(-2, 3).astype(np.uint64)
    edge = np.unique(np.concatenate([powers + offsets, offsets - powers]).astype(dtype))
    wide = rng.integers(0, 2**63, (2, count), dtype=np.uint64) << np.uint64(1)
    small = wide >> rng.integers(0, 63, (2, count), dtype=np.uint64)
    small = np.where(rng.random((2, count)) < 0.5, small, -small)
    grid = np.stack(np.meshgrid(edge, edge)).reshape(2, -1)
    drawn = np.concatenate([wide.astype(dtype), small.astype(dtype)], axis=1)
    mixed = np.stack([drawn[0], drawn[1][::-1]])
    x, y = np.concatenate([drawn, mixed, grid], axis=1)
    return x, y


@pytest.mark.parametrize("dtype", INTEGERS)
def test_division_of_integers(mode: str, dtype: str) -> None:
    x, y = integers(dtype, 7)
    x, y = x[y != 0], y[y != 0]
    a, b = on_npu(x), on_npu(y)
    for function, expected in (
        (xp.floor_divide, np.floor_divide(x, y)),
        (xp.remainder, np.remainder(x, y)),
    ):
        got = back(function(a, b))
        none(got != expected, x, y, got, expected)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_and_scalars(dtype: str) -> None:
    x, most = integers(dtype, 8)[0][:5000], np.iinfo(dtype).max
    x = x[x != 0]
    with as_chip():
        a = on_npu(x)
        for s in (1, 3, 47, 100, 2**24 + 1, most, -1, -7, -(2**40) - 1):
            if not np.iinfo(dtype).min <= s <= most:
                continue
            y = np.asarray(s, dtype)
            for name in ("floordiv", "mod"):
                of, changed = getattr(operator, name), getattr(operator, f"i{name}")
                assert np.array_equal(back(of(a, s)), of(x, y)), (name, s)
                assert np.array_equal(back(of(s, a)), of(y, x)), (name, s)
                assert np.array_equal(back(changed(on_npu(x), s)), of(x, y)), (name, s)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_signs_of_integers(mode: str, dtype: str) -> None:
    x = integers(dtype, 9)[0]
    for name in ("negative", "abs", "sign", "square", "floor", "round"):
        got, expected = back(getattr(xp, name)(on_npu(x))), getattr(np, name)(x).astype(dtype)
        none(got != expected, x, got, expected)


# --- casts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", INTEGERS)
def test_casts_of_integers(mode: str, source: str) -> None:
    x = integers(source, 10)[0]
    a = on_npu(x)
    for target in (*INTEGERS, "bool", "float32", "float64", "complex64", "complex128"):
        got, expected = back(xp.astype(a, getattr(xp, target))), x.astype(target)
        none(got != expected, x, got, expected)


@pytest.mark.parametrize("source", ["float16", "bfloat16", "float32", "float64"])
def test_casts_of_floats(mode: str, source: str) -> None:
    rng = np.random.default_rng(11)
    near = 2.0 ** rng.uniform(-3, 66, MANY) * rng.choice([-1, 1], MANY)
    x = np.concatenate([EDGE, bits(rng, MANY), near.astype(F32), np.rint(near[: MANY // 2])])
    a = on_npu(x if source == "float64" else x.astype(F32), source)
    if mode == "hostile:flush":
        host = back(a)
        a = on_npu(np.where(subnormal(host), 0, host), source)
    x = back(a)
    for target in INTEGERS:
        limits, whole = np.iinfo(target), np.trunc(x.astype(np.float64))
        fits = (whole >= limits.min) & (whole < 2.0 ** (limits.bits - (target[0] == "i")))
        got, expected = back(xp.astype(a, getattr(xp, target))), x.astype(target)
        none((got != expected) & fits, x, got, expected)
    for target in ("float32", "float64", "bool", "complex64"):
        got, expected = back(xp.astype(a, getattr(xp, target))), x.astype(target)
        wrong = ~same(got.real, expected.real) if target != "bool" else got != expected
        none(wrong & ~(subnormal(expected.real) & (mode == "hostile:flush")), x, got, expected)


# --- rounding -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_rounding(mode: str, dtype: str) -> None:
    rng = np.random.default_rng(12)
    halves = rng.integers(-(2**11), 2**11, MANY) * 0.5
    near = np.nextafter(halves, -np.inf)
    x = np.concatenate([EDGE, bits(rng, 2 * MANY), halves, near, rng.uniform(-3, 3, MANY)])
    if dtype == "float64":
        x = np.append(x, rng.integers(-(2**53), 2**53, MANY) + 0.5)
    a = on_npu(x.astype(F32) if dtype != "float64" else x, dtype)
    x = back(a)
    for name in ("floor", "ceil", "trunc", "round"):
        got, expected = back(getattr(xp, name)(a)), getattr(np, name)(x)
        wrong = ~same(got, expected)
        if mode == "hostile:flush":
            wrong &= ~subnormal(x)
        none(wrong, x, got, expected)


# --- powers ---------------------------------------------------------------------------------------


def bases(seed: int, count: int = MANY) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Draw bases and exponents whose powers fill the range, and what can be represented."""
    rng = np.random.default_rng(seed)
    grid = np.meshgrid(EDGE, np.concatenate([EDGE, -np.arange(20.0), np.arange(20.0)]))
    any_size = np.abs(bits(rng, count))
    near_one = 1 + rng.integers(-2000, 2000, count) * 2.0**-24
    a, b = [grid[0].ravel(), bits(rng, count)], [grid[1].ravel(), bits(rng, count)]
    for base in (any_size, 2.0 ** rng.uniform(-0.51, 0.51, count), near_one):
        base = base.astype(F32)
        a.append(base)
        b.append(rng.uniform(-150, 129, count) / np.log2(base.astype(np.float64)))
    a.append(rng.integers(-4096, 4097, count) * 2.0 ** rng.integers(-20, 20, count))
    b.append(rng.integers(-16, 17, count))
    a.append(any_size)
    b.append(rng.choice([0.5, 1, 2, -1, -2, 3, 1.5, -0.5, 0.25], count))
    a.append(rng.integers(1, 2**23, count, dtype=np.uint32).view(F32))
    b.append(rng.uniform(-1.1, 1.1, count))
    return np.concatenate(a).astype(F32), np.concatenate(b).astype(F32)


def not_power(got: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Say where powers are not exact, or near where float32 does not hold them; return these."""
    wide = np.power(a, b, dtype=np.longdouble)
    expected = wide.astype(F32)
    special = ~np.isfinite(expected) | (expected == 0) | (wide == expected)
    error = np.abs(got - wide) / np.spacing(np.abs(expected))
    return ~np.where(special, same(got, expected), error <= 6), expected


@pytest.mark.parametrize("kind", [*MODES, "hostile:transcendental"])
def test_pow(kind: str) -> None:
    assert EMULATOR is not None
    a, b = bases(13)
    with EMULATOR.computing(kind):
        got = back(xp.pow(on_npu(a), on_npu(b)))
    wrong, expected = not_power(got, a, b)
    if kind == "hostile:flush":
        wrong &= ~subnormal(a, b, expected)
    none(wrong, a, b, got, expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_pow_of_halves(dtype: str) -> None:
    a, b = (back(on_npu(x, dtype)) for x in bases(14, MANY // 4))
    with as_chip():
        got = back(on_npu(a, dtype) ** on_npu(b, dtype))
    wide = np.power(a, b, dtype=np.longdouble)
    expected = back(on_npu(wide.astype(np.float64), dtype))
    finite = np.isfinite(expected) & (expected != 0)
    eps = 2.0**-10 if dtype == "float16" else 2.0**-7
    least = 2.0**-24 if dtype == "float16" else 2.0**-133
    near = np.abs(got - wide) <= 0.51 * np.maximum(eps * np.abs(wide), least)
    none(~np.where(finite, near, same(got, expected)), a, b, got, expected)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, 7, 15, -1, -2, 0.5, -0.5, 1.5])
def test_powers_of_scalars(exponent: float) -> None:
    rng = np.random.default_rng(15)
    x = np.concatenate([EDGE, bits(rng, MANY // 2), np.arange(-300, 300, dtype=F32)])
    y = F32(exponent)
    with as_chip():
        power, reflected = on_npu(x) ** exponent, exponent ** on_npu(x)
        changed = operator.ipow(on_npu(x), exponent)
    for found, a, b in ((power, x, y), (changed, x, y), (reflected, y, x)):
        wrong, expected = not_power(got := back(found), a, b)
        none(wrong, x, got, expected)


# --- what is made of them -------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_intervals(mode: str, dtype: str) -> None:
    """In the mode ``chip`` sums and products round as IEEE 754 has it: nearly NumPy's numbers."""
    cases = [(0, 1, 101), (-3, 7, 1000), (1, 1e6, 7), (5, -5, 13)]
    for ends in ((-1, 1), (-0.1, 0.1), (0.1, 1.7), (3, -2), (-3e38, 3e38)):
        cases += [(*ends, count) for count in (2, 7, 2001, 4097) if mode == "chip"]
    for start, stop, count in cases:
        got = back(xp.linspace(start, stop, count, dtype=getattr(xp, dtype), device="npu"))
        expected = np.linspace(start, stop, count, dtype=dtype)
        near = np.abs(got - expected) <= 2 * np.spacing(F32(max(abs(start), abs(stop))))
        assert near.all(), (start, stop, count, np.abs(got - expected).max())
        assert (got[0], got[-1]) == (expected[0], expected[-1])
        if mode == "chip" and count in {2, 7, 2001, 4097} and (start, stop) != (1, 1e6):
            off = got != expected
            assert off.sum() <= (count // 500 if dtype == "float32" else 0), (start, count)
            assert start != -stop or count % 2 == 0 or got[count // 2] == 0


def test_statistics(mode: str) -> None:
    rng = np.random.default_rng(16)
    x = rng.uniform(-1, 3, (37, 101)).astype(F32)
    a = on_npu(x)
    for name in ("mean", "var", "std", "sum", "prod"):
        for axis in (None, 0, 1):
            got = back(getattr(xp, name)(a, axis=axis))
            expected = getattr(np, name)(x.astype(np.float64), axis=axis)
            assert np.allclose(got, expected, 2e-5, 1e-5), (name, axis)
    got = back(xp.cumulative_sum(a, axis=1))
    assert np.allclose(got, np.cumsum(x.astype(np.float64), axis=1), 1e-5, 1e-5)
    n = rng.integers(-(2**31), 2**31, (17, 9)).astype(np.int32)
    assert np.array_equal(back(xp.sum(on_npu(n), axis=0)), n.sum(0, dtype=np.int64))
    assert np.array_equal(back(xp.cumulative_sum(on_npu(n), axis=0)), n.cumsum(0, dtype=np.int64))
    assert np.array_equal(
        back(xp.cumulative_sum(on_npu(n), axis=0, dtype=xp.int32)), n.cumsum(0, dtype=np.int32)
    )


def test_norms(mode: str) -> None:
    """Of orders beyond the data type too."""
    rng = np.random.default_rng(17)
    wide = (
        rng.uniform(0.2, 3, (7, 50)).astype(F32) * F32(2.0) ** np.arange(-3, 4, dtype=F32)[:, None]
    )
    odd = np.asarray([[6.75e16, 6.75e16], [0.5, 0.25], [1, 3]], F32)
    for x, orders, near in (
        (wide, (0.5, 1.5, 2, 3, -1, -2, 7.3), 3e-6),
        (odd, (1e39, -1e39, 2.0**128, 1e-45, 1e-50, -1e-50, 1e-320), 0),
    ):
        for order in orders:
            got = back(xp.linalg.vector_norm(on_npu(x), axis=1, ord=order))
            with np.errstate(all="ignore"):
                expected = [np.linalg.norm(row.astype("f8" if near else "f4"), order) for row in x]
            np.testing.assert_allclose(got, expected, near, 0, err_msg=str(order))


TIES = [(np.nan, 1, np.nan, 2), (np.inf, np.nan, 1, -np.inf), (-0.0, 0.0, -1, -1), (3, 3, 1, 1)]
TIES += [(0.0, -0.0, 5e-324, -5e-324), (-np.inf, -np.inf, np.inf, np.inf)]


@pytest.mark.parametrize("values", TIES)
def test_nan_wins_in_float64(mode: str, values: tuple[float, ...]) -> None:
    x = np.array([values, values[::-1]])
    if mode == "hostile:flush":
        x[np.abs(x) == 5e-324] = 1e-300
    for name in ("argmax", "argmin"):
        find, expected = getattr(xp, name), getattr(np, name)
        for axis in (None, 0, 1, -1):
            for kept in (False, True):
                got = back(find(on_npu(x), axis=axis, keepdims=kept))
                assert np.array_equal(got, expected(x, axis, keepdims=kept)), (name, axis, kept)


RANGES = [(0, 1.05, 0.1), (0.5, 9000, 0.1), (-3.25, 5000, 0.75), (1e5, -1e5, -7.3), (0.1, 7, 0.3)]
RANGES += [(-8256699725783694.0, -1.4404394278335868e16, -1158885733973406.0), (0, 30000, 1)]
RANGES += [(7, -20000, -2), (3, 4, 1e9), (2.0**24 - 3, 2.0**24 + 9, 2), (0.0, 0.0, 1.0)]
RANGES += [(0, 100, 3), (5, -5, -0.3)]


@pytest.mark.parametrize(("start", "stop", "step"), RANGES)
@pytest.mark.parametrize(("dtype", "ulp"), [("float64", 1), ("float32", 2), ("bfloat16", 1)])
def test_ranges_are_products(
    mode: str, start: float, stop: float, step: float, dtype: str, ulp: int
) -> None:
    assert mode in MODES
    got = back(xp.arange(start, stop, step, dtype=getattr(xp, dtype), device="npu"))
    expected = start + step * np.arange(len(np.arange(start, stop, step)), dtype=np.longdouble)
    largest = np.abs(expected).max(initial=abs(start))
    digits = {"float64": 53, "float32": 24, "bfloat16": 8}[dtype]
    assert len(got) == len(expected)
    assert np.all(np.abs(got - expected) <= ulp * largest * 2.0 ** (1 - digits))


def test_whole_ranges_are_one_kernel() -> None:
    assert EMULATOR is not None
    with as_chip(), EMULATOR.counting() as counts:
        found = back(xp.arange(3, 60003, 2, dtype=xp.float32, device="npu"))
    assert counts.kernels.total() == 1
    assert np.array_equal(found, np.arange(3, 60003, 2))


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_what_runs_along_an_axis_of_float16(mode: str, name: str) -> None:
    assert mode in MODES
    ones = np.ones((2, 3000), F32)
    x = ones if name == "cumulative_sum" else ones + F32(2.0**-10)
    x = x[:, : 3000 if name == "cumulative_sum" else 900]
    run = np.cumsum if name == "cumulative_sum" else np.cumprod
    expected = run(x.astype(np.float64), 1)
    got = back(getattr(xp, name)(on_npu(x, "float16"), axis=1))
    assert np.all(np.abs(got - expected) <= expected * 2.0**-11 * 1.01)
    first = getattr(xp, name)(on_npu(x, "float16"), axis=1, include_initial=True)
    assert first.dtype == xp.float16
    assert back(first)[0, 0] == (name == "cumulative_prod")
