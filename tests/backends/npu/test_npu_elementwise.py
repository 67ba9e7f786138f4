"""Elementwise functions, operators and casts on NPUs where drawn arguments seldom come.

The oracles are NumPy, mpmath and Python's integers.
"""

from __future__ import annotations

import math
import operator

from npu import EMULATOR, QUIET_ORACLE, QUIET_TORCH_NPU, needs_emulator, on_device, script, wrapped  # isort: skip

import mpmath
import numpy as np
import pytest

import ascend_array_api as xp
from ascend_array_api._torch import torch
from workshop.samples.strategies import INTEGER, integer_edges, same, to_numpy

pytestmark = [QUIET_TORCH_NPU, *QUIET_ORACLE]


# --- numbers at the edges -------------------------------------------------------------------------


def edges(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of zeros, the least and greatest numbers, infinities and NaN."""
    limits = np.finfo(name)
    ends = [0.0, limits.smallest_subnormal, limits.tiny, 1.0, limits.max, math.inf, math.nan]
    bits = f"i{limits.bits // 8}"
    # NaN of the greatest and the least bits, which a step would make another number.
    infinite = np.asarray([math.inf], name).view(bits)[0]
    odd = np.asarray([np.iinfo(bits).max, infinite + 1], bits).view(name)
    points = np.concatenate([np.asarray([*ends, *(-v for v in ends)], name), odd, -odd])
    first, second = np.meshgrid(points, points)
    return first.ravel(), second.ravel()


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("function", ["nextafter", "hypot", "copysign"])
def test_pairs_of_edges(function: str, name: str) -> None:
    x, y = edges(name)
    with on_device(), np.errstate(all="ignore"):
        got = getattr(xp, function)(xp.asarray(x), xp.asarray(y))
    expected = getattr(np, function)(x, y)
    if function == "hypot":
        expected = np.where(np.isinf(x) | np.isinf(y), math.inf, expected)  # beside every NaN
        np.testing.assert_allclose(to_numpy(got), expected, rtol=2e-7)
    else:
        same(got, expected)


@pytest.mark.parametrize("count", [0, 1, 5, 64, 65, 300])
@pytest.mark.parametrize("name", ["float32", "float64", "complex64", "int64", "int16", "uint8"])
def test_membership(name: str, count: int) -> None:
    random = np.random.default_rng(count)
    x = random.integers(0, 80, (30, 20)).astype(name)
    among = random.integers(0, 120, count).astype(name)
    if name not in INTEGER and count > 1:
        x[0, :4] = math.nan, math.inf, -math.inf, -0.0
        among[:2] = math.nan, 0.0
        if count % 5 == 0:
            among[2] = math.inf
    array, others = xp.asarray(x), xp.asarray(among)
    with on_device() as counts:
        found = xp.isin(array, others)
    same(found, np.isin(x, among))
    same(xp.isin(array[0, 0], others, invert=True), np.isin(x[0, 0], among, invert=True))
    if counts is not None and name in {"float32", "int64"}:
        assert sum(counts.by_kernel().values()) <= (2 if count <= 64 else 6)


# --- integers -------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("shape", [(), (1,), (3,)])
@pytest.mark.parametrize(
    "number", [2, -0.5, 2**24 + 1, 0.1, 1e300, 2.0**-140, 5e-324, math.inf, math.nan]
)
def test_python_numbers_beside_float64_are_exact(number: float, shape: tuple[int, ...]) -> None:
    # CANN's kernels for a tensor and a scalar take it through float32.
    x = np.full(shape, 1 / 3)
    array, exact = xp.asarray(x), number in {2, -0.5}
    with np.errstate(all="ignore"):
        for call in (operator.add, operator.sub, operator.mul, operator.lt, operator.eq):
            same(call(array, number), np.asarray(call(x, number)))
            same(call(number, array), np.asarray(call(number, x)))
        for compute in (
            lambda x, xp: xp.clip(x, -2.0, float(number)),
            lambda x, xp: xp.where(x > number, x, x + number),
        ):
            same(compute(array, xp), np.asarray(compute(x, np)))
    if EMULATOR is not None and shape:
        with EMULATOR.counting() as counted:
            array + number
        assert counted.kernels.total() == (1 if exact else 2)


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


def test_logaddexp_of_no_dimensions_has_all_bits_of_float64() -> None:
    x = xp.asarray(np.asarray(0.0))
    same(xp.logaddexp(x, x), np.asarray(math.log(2)))


@pytest.mark.parametrize("size", [1, 3, 5, 17])
def test_tanh_of_float64_is_within_its_bound_in_arrays_of_all_sizes(size: int) -> None:
    # Kernels take what is left over of whole vectors by another function, of other errors.
    random = np.random.default_rng(size)
    points = [-12.724574321424182, 17.49646639775311, 10.733720974849689, 12.597916870432833]
    points += [*random.uniform(-20, 20, 100), *random.uniform(-3, 3, 100)]
    with mpmath.workprec(200):
        for point in points:
            expected = mpmath.tanh(mpmath.mpf(float(point)))
            unit = np.spacing(abs(float(expected)))
            for got in np.unique(to_numpy(xp.tanh(xp.asarray(np.full(size, point))))):
                assert abs(mpmath.mpf(float(got)) - expected) <= 3 * unit, point
    same(xp.tanh(xp.asarray([-0.0, 5e-324, math.inf], dtype=xp.float64)), [-0.0, 5e-324, 1.0])


# --- casts ----------------------------------------------------------------------------------------


def test_casts_between_int64_and_float32_beyond_32_bits() -> None:
    random = np.random.default_rng(3)
    x = random.integers(-(2**63), 2**63 - 1, 1000) >> random.integers(0, 60, 1000)
    # Next to the middle of two neighbours, where a rounding to float64 first would mislead.
    middles = (random.integers(2**23, 2**24, 1000) << 39) + (1 << 38) + random.integers(-2, 3, 1000)
    x = np.concatenate([x, middles, -middles, [-(2**63), 2**63 - 1]])
    same(xp.astype(xp.asarray(x), xp.float32), x.astype(np.float32))
    y = np.asarray([2.0**31, -(2.0**40), 2.0**62, -(2.0**63), 3e9], np.float32)
    same(xp.astype(xp.asarray(y), xp.int64), y.astype(np.int64))


@pytest.mark.nightly
@needs_emulator
def test_divisors_without_axes_on_a_chip_where_torch_npu_reads_them() -> None:
    program = """
import numpy as np

x = xp.asarray([0.0, -0.0, 3e-308, 1.5], dtype=xp.float64)
for divisor in (2.2250738585072014e-308, -5e-324, 1e-300, 1e300):
    of_one = xp.asarray(divisor, dtype=xp.float64)
    expected = np.remainder([0.0, -0.0, 3e-308, 1.5], divisor)
    with emulator.counting() as counts:
        results = [xp.remainder(x, of_one), xp.remainder(x[0], of_one)]
    assert not counts.to_host[0], counts
    for result, right in zip(results, (expected, expected[0])):
        result = np.asarray(result.to_device("cpu"))
        assert result.shape == right.shape and np.array_equal(result, right), (divisor, result)
        assert np.array_equal(np.signbit(result), np.signbit(right))
print("right")
"""
    assert "right" in script(program, CANN_EMULATOR_SOC="Ascend950PR_9589")


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.nightly
def test_angles_compile(name: str) -> None:
    """The table by which large angles are reduced is a constant of the trace."""
    x = np.asarray([0.5, -2.0, 3e7, 1e20], np.float32)
    compiled = torch.compile(lambda a: getattr(xp, name)(a), backend="eager", fullgraph=True)
    found = np.asarray(xp.to_torch(compiled(xp.asarray(x))).cpu())
    np.testing.assert_allclose(found, getattr(np, name)(x.astype(np.float64)), rtol=2e-6)
