"""Statistical and utility functions: what is refused and how, dtypes, empty arrays, extremes.

Values on drawn arrays are compared with NumPy's in tests/samples/test_against_numpy.py.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from parametrize import listing, others_nightly
from refusals import refused

import ascend_array_api as xp
from ascend_array_api._routes import reductions

SIGNED = (xp.int8, xp.int16, xp.int32, xp.int64)
UNSIGNED = (xp.uint8, xp.uint16, xp.uint32, xp.uint64)
REAL_FLOATING = (xp.float16, xp.bfloat16, xp.float32, xp.float64)
COMPLEX = (xp.complex64, xp.complex128)
NUMERIC = SIGNED + UNSIGNED + REAL_FLOATING + COMPLEX

REDUCTIONS = ("sum", "prod", "max", "min", "mean", "var", "std", "all", "any")
ADDING = ("sum", "prod", "cumulative_sum", "cumulative_prod")


def host(x: xp.Array) -> np.ndarray:
    return np.asarray(x.to_device("cpu"))


def matrix(dtype: torch.dtype = xp.float64) -> xp.Array:
    return xp.asarray([[1, 2, 3], [4, 5, 6]], dtype=dtype)


# --- what is refused ------------------------------------------------------------------------------

REFUSED = r"""
[ValueError]
an axis is required .* 2 dimensions | xp.cumulative_sum(m); xp.cumulative_prod(m)
expected an array of at least 1 dimension | xp.cumulative_sum(one); xp.cumulative_prod(one)
n must be from 0 to 3, .* got -1\. | xp.diff(m, n=-1)
n must be from 0 to 3, .* got 4\. | xp.diff(m, n=4)
n must be from 0 to 6, .* got 7\. | xp.diff(m, n=7, prepend=m[:, :1], append=m[:, :2])
shape of x, \(2, 3\), except along | xp.diff(m, prepend=xp.ones((3, 1))); xp.diff(m, append=x)
shape of x, \(2, 3\), except along | xp.diff(m, prepend=one); xp.diff(m, append=xp.ones((2, 1, 1)))
[TypeError]
correction must be an int or a float | xp.var(x, correction=True); xp.std(x, correction=None)
correction must be an int or a float | xp.var(x, correction="1"); xp.std(x, correction=1j)
correction must be an int or a float | xp.var(x, correction=one); xp.std(x, correction=one)
n must be an integer | xp.diff(m, n=1.0); xp.diff(m, n=True); xp.diff(m, n=None)
expected Array, got the Python int 0 | xp.diff(m, prepend=0); xp.diff(m, append=0)
data type of x, float32, not int64 | xp.diff(x, prepend=n); xp.diff(x, append=n)
"""
OF_DTYPE = r"""
[TypeError]
complex64 is not cast to float64.* real\(\) | xp.NAME(z, dtype=xp.float64)
data type bool is not allowed | xp.NAME(z, dtype=xp.bool)
dtype must be one of the namespace's | xp.NAME(z, dtype=np.float64); xp.NAME(z, dtype=float)
dtype must be one of the namespace's | xp.NAME(z, dtype=np.dtype("float32")); xp.NAME(z, dtype="f4")
"""
test_what_is_refused = refused(REFUSED + "".join(OF_DTYPE.replace("NAME", n) for n in ADDING))


@pytest.mark.parametrize("name", REDUCTIONS)
def test_axes_have_an_index(name: str) -> None:
    assert getattr(xp, name)(matrix(), axis=np.int64(1)).shape == (2,)


@pytest.mark.npu
@pytest.mark.parametrize("name", ["max", "min"])
def test_no_elements_to_choose_from(name: str) -> None:
    choose = getattr(xp, name)
    for dtype in (xp.float32, xp.int8, xp.uint64):
        choose(xp.ones((1, 1), dtype=dtype), axis=0)
        choose(xp.ones((1, 1), dtype=dtype))
        x = xp.ones((0, 3), dtype=dtype)
        for axis in (None, 0, -2, (0, 1)):
            with pytest.raises(ValueError, match=rf"^{name}: an array of shape \(0, 3\) has no el"):
                choose(x, axis=axis)
        assert choose(x, axis=1).shape == (0,)
        assert choose(x, axis=()).shape == (0, 3)


# --- data types -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMERIC, ids=str)
@pytest.mark.parametrize("name", ADDING)
def test_default_dtype_of_sums_and_products(name: str, dtype: torch.dtype) -> None:
    expected = xp.int64 if dtype in SIGNED else xp.uint64 if dtype in UNSIGNED else dtype
    add = getattr(xp, name)
    x = xp.asarray([1, 2], dtype=dtype)
    # In this order: the sum of int8 in int8 must not become the default one.
    for asked in (dtype, None, dtype, None):
        assert add(x, dtype=asked).dtype is (asked or expected)
        assert add(x, axis=0, dtype=asked).dtype is (asked or expected)
    assert float(xp.abs(add(x)[-1] if "cum" in name else add(x))) == (3 if "sum" in name else 2)


@pytest.mark.parametrize("name", ADDING)
def test_elements_are_cast_before_they_are_added(name: str) -> None:
    x = xp.asarray([100, 100, 3], dtype=xp.int8)
    total = {"sum": 203, "prod": 30000, "cumulative_sum": 203, "cumulative_prod": 30000}[name]

    def last(dtype: torch.dtype | None) -> int:
        result = getattr(xp, name)(x, dtype=dtype)
        return int(result if result.ndim == 0 else result[-1])

    assert last(None) == last(xp.int32) == last(xp.float64) == last(xp.uint16) == total
    assert last(xp.int8) == (total + 128) % 256 - 128
    assert last(xp.uint8) == total % 256


# --- values ---------------------------------------------------------------------------------------


def test_wraparound_of_64_bits() -> None:
    most = 2**64 - 1
    x = xp.asarray([most, most, 3], dtype=xp.uint64)
    assert (int(xp.sum(x)), int(xp.prod(x))) == ((2 * most + 3) % 2**64, most * most * 3 % 2**64)
    found = xp.cumulative_sum(x), xp.cumulative_prod(x), xp.diff(x)
    assert [[int(i) for i in y] for y in found] == [[most, most - 1, 1], [most, 1, 3], [0, 4]]
    y = xp.asarray([2**63 - 1, 1])
    assert (int(xp.sum(y)), int(xp.diff(y)[0])) == (-(2**63), 2 - 2**63)


@pytest.mark.npu
@pytest.mark.parametrize("dtype", REAL_FLOATING, ids=str)
@pytest.mark.parametrize("place", range(5))
def test_nan_propagates(dtype: torch.dtype, place: int) -> None:
    values = [1.0, math.inf, -math.inf, 2.0, -1.0]
    values[place] = math.nan
    x = xp.asarray(values, dtype=dtype)
    for name in ("max", "min", "sum", "prod", "mean", "var", "std"):
        for _ in range(2):
            assert math.isnan(float(getattr(xp, name)(x)))
            assert math.isnan(float(getattr(xp, name)(x, axis=0)))
    for name in ("cumulative_sum", "cumulative_prod"):
        assert bool(xp.all(xp.isnan(getattr(xp, name)(x)[place:])))
    assert bool(xp.all(x))
    assert bool(xp.any(x))


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_mean_of_complex_numbers_takes_the_parts_apart(dtype: torch.dtype) -> None:
    inf, nan = math.inf, math.nan
    x = xp.asarray(
        [[complex(inf, 1), complex(2, 3)], [complex(1, nan), complex(3, 5)]], dtype=dtype
    )
    for result in (xp.mean(x, axis=1), xp.mean(x, axis=(1,)), xp.mean(x, axis=-1)):
        np.testing.assert_array_equal(host(xp.real(result)), [inf, 2])
        np.testing.assert_array_equal(host(xp.imag(result)), [2, nan])
    np.testing.assert_array_equal(host(xp.mean(x[1, :1])), complex(1, nan))
    empty = xp.mean(xp.zeros((0,), dtype=dtype))
    assert math.isnan(float(xp.real(empty)))
    assert math.isnan(float(xp.imag(empty)))
    np.testing.assert_array_equal(host(xp.mean(x[:, 1])), 2.5 + 4j)


@pytest.mark.npu
@listing("dtype", (xp.bool, *NUMERIC))
def test_nothing_to_reduce(dtype: torch.dtype) -> None:
    values: dict[str, float] = {"all": True, "any": False}
    if dtype is not xp.bool:
        values |= {"sum": 0, "prod": 1}
    if dtype in REAL_FLOATING:
        values |= dict.fromkeys(("mean", "var", "std"), math.nan)
    for shape, axis in (
        *(((0, 2), None), ((0, 2), 0), ((0, 2), (0, 1)), ((3, 0), 1), ((0,), 0)),
        ((2, 0, 3), (0, 1)),
    ):
        left = np.zeros(shape).sum(axis).shape
        for name, value in values.items():
            result = getattr(xp, name)(xp.zeros(shape, dtype=dtype), axis=axis)
            assert result.shape == left
            assert xp.all(xp.isnan(result) if math.isnan(value) else result == value), name


@pytest.mark.npu
def test_nothing_is_left_of_nothing() -> None:
    x = xp.zeros((0, 2))
    assert xp.sum(x, axis=1).shape == (0,)
    assert xp.var(x, axis=1).shape == (0,)
    assert xp.cumulative_sum(x, axis=0).shape == (0, 2)
    np.testing.assert_array_equal(
        host(xp.cumulative_prod(x, axis=0, include_initial=True)), [[1, 1]]
    )


@pytest.mark.npu
@pytest.mark.parametrize("dtype", REAL_FLOATING, ids=str)
@pytest.mark.parametrize("name", ["var", "std"])
def test_correction(name: str, dtype: torch.dtype) -> None:
    x = xp.asarray([[1.0, 2.0, 4.0, 9.0]], dtype=dtype)
    squares = 9.0 + 4.0 + 0.0 + 25.0
    eps = float(xp.finfo(dtype).eps)
    for correction in (0, 1, 2, 0.5, 3.75, -1, -1.5):
        variance = squares / (4 - correction)
        expected = variance if name == "var" else math.sqrt(variance)
        result = getattr(xp, name)(x, axis=1, correction=correction)
        assert result.dtype is dtype
        assert float(result[0]) == pytest.approx(expected, rel=4 * eps)
    # The standard: NaN, and never a warning.
    for correction in (4, 4.0, 4.5, 7, math.inf, math.nan):
        result = getattr(xp, name)(x, correction=correction, keepdims=True)
        assert result.shape == (1, 1)
        assert math.isnan(float(result[0, 0]))
    assert float(getattr(xp, name)(x[0, 0])) == 0.0
    assert math.isnan(float(getattr(xp, name)(x[0, 0], correction=1)))


@pytest.mark.npu
@pytest.mark.parametrize("dtype", others_nightly(REAL_FLOATING, 2))
def test_deviations_of_numbers_of_every_size_and_mean(dtype: torch.dtype) -> None:
    """By NumPy's two passes, in a wider data type."""
    deviations(dtype, *(70_000, 10**6)[: 1 + (dtype is xp.float32)])


def deviations(dtype: torch.dtype, *long: int) -> None:
    limits = torch.finfo(dtype)
    low, high = math.log10(limits.tiny * limits.eps) + 1, math.log10(limits.max) - 2
    rng = np.random.default_rng(0)
    most = 1e6 if limits.eps < 1e-6 else 0.1 / limits.eps
    cases = [
        (n, e, r) for n in (2, 7, 2000) for e in np.linspace(low, high, 5) for r in (0, 1, most)
    ]
    cases += [(n, 0.0, most) for n in long]
    for count, power, ratio in cases:
        if ratio > 1 and power + math.log10(ratio) > high:
            continue
        values = (rng.standard_normal(count) + ratio) * 10.0**power
        x = xp.asarray(torch.tensor(values, dtype=dtype).to(xp.to_torch(xp.ones(1)).device))
        wide = xp.to_torch(x).cpu().double().numpy().astype("longdouble")
        for correction in (0, 1, 0.5):
            exact = ((wide - wide.mean()) ** 2).sum() / (count - correction)
            for name, expected in (("var", exact), ("std", np.sqrt(exact))):
                for given, axis in ((x, None), (xp.stack([x, x]), 1)):
                    result = getattr(xp, name)(given, axis=axis, correction=correction)
                    found = xp.to_torch(result).cpu().double().numpy().flat[0]
                    if expected > limits.max / 2:
                        assert found > limits.max / 4
                        continue
                    bound = (8 + math.sqrt(count) / 4) * limits.eps * max(expected, limits.tiny)
                    case = (name, count, power, ratio, correction, axis, found, float(expected))
                    assert abs(found - expected) <= bound, case


@pytest.mark.cpu
@pytest.mark.parametrize("dtype", [xp.float32, xp.float64])
def test_deviations_where_the_host_does_not_look(
    dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On GPUs, of which the same holds, the host would wait to see whether squares are extreme."""
    monkeypatch.setattr(xp.ones(1).device.backend, "asynchronous", True)
    monkeypatch.setattr(reductions, "readable", lambda _: pytest.fail("the host looks"))
    deviations(dtype, 70_000)


@pytest.mark.npu
def test_the_derivative_of_the_deviation_of_equal_numbers_is_0() -> None:
    for dtype in (xp.float32, xp.float64):
        for name in ("std", "var"):
            for correction in (0, 1, 0.5):
                device = xp.to_torch(xp.ones(1)).device
                leaf = torch.full((7,), 0.1, dtype=dtype, device=device, requires_grad=True)
                result = getattr(xp, name)(xp.asarray(leaf), correction=correction)
                assert float(result) == 0
                xp.to_torch(result).backward()
                assert leaf.grad is not None
                assert not leaf.grad.cpu().numpy().any(), (dtype, name, correction)


@pytest.mark.npu
def test_truth() -> None:
    true = [
        xp.asarray([math.nan, math.inf, -math.inf, 5e-324], dtype=xp.float64),
        xp.asarray([1j, 1.0, complex(0, math.nan)]),
        xp.asarray([2**63, 2**32, 256], dtype=xp.uint64),
        xp.asarray([2**31, 2**16, 256], dtype=xp.uint32),
        xp.asarray([2**15, 256], dtype=xp.uint16),
        xp.asarray([-128, 64], dtype=xp.int8),
    ]
    for x in true:
        assert bool(xp.all(x))
        for i in range(x.size):
            assert bool(xp.any(x[i : i + 1], axis=0))
    for x in (xp.asarray([0.0, -0.0]), xp.asarray([complex(-0.0, 0.0)])):
        assert not bool(xp.any(x))
        assert not bool(xp.all(x))


def test_diff_of_no_or_few_elements() -> None:
    assert xp.diff(matrix(), n=3).shape == (2, 0)
    assert xp.diff(matrix(), n=4, append=matrix()).shape == (2, 2)
