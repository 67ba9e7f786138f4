"""The searching, sorting and set functions: NaN, ties, what is refused, and the edges.

The values of the results are compared with NumPy's in tests/samples/test_against_numpy.py.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from parametrize import listing
from refusals import refused

import ascend_array_api as xp

NAN, INF = math.nan, math.inf
REAL_FLOATING = [xp.float16, xp.bfloat16, xp.float32, xp.float64]
COMPLEX = [xp.complex64, xp.complex128]
INTEGER = [*(xp.int8, xp.int16, xp.int32, xp.int64), *(xp.uint8, xp.uint16, xp.uint32, xp.uint64)]
REAL = INTEGER + REAL_FLOATING


def dtypes(of):
    return pytest.mark.parametrize("dtype", of, ids=lambda d: str(d).removeprefix("torch."))


def values(x: xp.Array) -> list:
    return xp.to_torch(x).tolist()


def limits(dtype) -> tuple[int, int]:
    info = xp.iinfo(dtype)
    return int(info.min), int(info.max)


def on_device(tensor: torch.Tensor) -> xp.Array:
    """An array on the device under test, with the very bits of a tensor."""
    return xp.asarray(tensor, device=xp.__array_namespace_info__().default_device())


def negative_nan(dtype=xp.float32) -> xp.Array:
    """A NaN whose sign bit is set, such as 0 / 0 gives on x86: here all bits are."""
    bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize]
    return on_device(torch.tensor(-1, dtype=bits).view(dtype))


# --- argmax and argmin ----------------------------------------------------------------------------

EXTREMA = pytest.mark.parametrize(("find", "sign"), [(xp.argmax, 1), (xp.argmin, -1)])


@EXTREMA
@dtypes(REAL)
@pytest.mark.parametrize("size", [5, 1000, 200_000])
def test_the_first_of_equal_elements_is_found(find, sign, dtype, size):
    low, high = (0, 1) if sign > 0 else (1, 0)
    flags = torch.zeros(size, dtype=torch.bool)
    flags[[size // 3, size // 2, size - 1]] = True
    x = xp.where(on_device(flags), xp.asarray(high, dtype=dtype), xp.asarray(low, dtype=dtype))
    assert values(find(x)) == size // 3
    both = xp.stack([x, xp.flip(x)])
    assert values(find(both, axis=1)) == [size // 3, 0]
    assert values(find(both.T, axis=0)) == [size // 3, 0]
    assert values(find(xp.full((size,), low, dtype=dtype))) == 0


@EXTREMA
@dtypes(REAL_FLOATING)
def test_the_first_nan_is_an_extremum(find, sign, dtype):
    x = xp.asarray([1.0, sign * INF, NAN, 2.0, NAN], dtype=dtype)
    assert values(find(x)) == 2
    assert values(find(xp.stack([x, xp.flip(x)]), axis=1)) == [2, 0]
    x[1] = negative_nan(dtype)
    assert values(find(x)) == 1


SHAPES = [
    *((), (1,), (0, 5), (5, 0), (1000, 40), (40, 1000), (9000, 5), (70_000, 2), (3, 129, 100)),
    *((200, 7, 33), (2, 300, 1, 64), (1000, 0, 40), (70, 500, 1), (600, 1100), (2, 513, 509)),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@dtypes([xp.bool, xp.float16, xp.float32, xp.float64, xp.int8, xp.int64, xp.uint32, xp.complex64])
def test_extrema_and_truths_along_every_axis(dtype, shape):
    rng = np.random.default_rng(len(shape))
    ends = [0.0, -0.0, 1.0, -2.5, INF, -INF, NAN] if dtype.is_floating_point else [0, 1]
    if dtype in INTEGER:
        ends = np.asarray([*limits(dtype), 0], str(dtype).removeprefix("torch."))
    few = rng.choice(ends[-2:], shape)
    few[rng.random(shape) < 0.9] = ends[-1]
    for elements in (rng.choice(ends, shape), few, np.full(shape, ends[0])):
        x = xp.astype(xp.asarray(elements, device="cpu"), dtype)
        x = x.to_device(on_device(torch.zeros(1)).device)
        for given in (x, *((x.mT, x[..., ::2, :]) if len(shape) > 1 else ())):
            found = np.asarray(given.to_device("cpu"))
            axes = [None, *range(found.ndim), (0, 1), (-2, -3)][: -2 if found.ndim < 3 else None]
            for axis in axes:
                for name in ("any", "all"):
                    got = getattr(xp, name)(given, axis=axis, keepdims=axis == 0)
                    wanted = getattr(np, name)(found, axis=axis, keepdims=axis == 0)
                    assert got.shape == wanted.shape
                    assert np.array_equal(got.to_device("cpu"), wanted), (name, axis)
                reduced = found.size if axis is None else type(axis) is int and found.shape[axis]
                for name in ("argmax", "argmin") if dtype in REAL and reduced else ():
                    got = getattr(xp, name)(given, axis=axis)
                    wanted = getattr(np, name)(found, axis=axis)
                    assert got.dtype is xp.int64
                    assert np.array_equal(got.to_device("cpu"), wanted), (name, axis)


# --- count_nonzero and nonzero --------------------------------------------------------------------


@pytest.mark.npu
def test_what_is_nonzero():
    for dtype in REAL_FLOATING:
        x = xp.asarray([0.0, -0.0, NAN, INF, xp.finfo(dtype).smallest_normal], dtype=dtype)
        assert values(xp.count_nonzero(x)) == 3
        assert values(xp.nonzero(x)[0]) == [2, 3, 4]
    for dtype in COMPLEX:
        x = xp.asarray([0j, complex(-0.0, -0.0), 1j, complex(0.0, NAN), 1.0], dtype=dtype)
        assert values(xp.count_nonzero(x)) == 3
        assert values(xp.nonzero(x)[0]) == [2, 3, 4]
    for dtype in INTEGER:
        least, greatest = limits(dtype)
        x = xp.asarray([0, greatest, least, greatest // 2 + 1], dtype=dtype)
        assert values(xp.nonzero(x)[0]) == ([1, 2, 3] if least else [1, 3])


# --- searchsorted ---------------------------------------------------------------------------------


@pytest.mark.npu
@dtypes([xp.float32, xp.float64])
def test_searchsorted_puts_nan_last(dtype):
    for x1 in ([], [0.0], [NAN], [-INF, -1.0, -0.0, 0.0, 2.0, INF, INF, NAN, NAN, NAN]):
        x2 = [[-INF, -2.0, -1.0, -0.0, 0.0], [1.0, 2.0, 3.0, INF, NAN]]
        sorted_, wanted = xp.asarray(x1, dtype=dtype), xp.asarray(x2, dtype=dtype)
        for side in ("left", "right"):
            expected = np.searchsorted(np.asarray(x1), np.asarray(x2), side=side)
            assert values(xp.searchsorted(sorted_, wanted, side=side)) == expected.tolist()
    x = xp.stack([xp.asarray(1.0), negative_nan()])
    assert values(xp.searchsorted(x, x)) == [0, 1]


@pytest.mark.npu
@dtypes([xp.float16, xp.bfloat16])
def test_searchsorted_of_halves(dtype):
    x1, x2 = xp.asarray([1.0, 2.0, NAN], dtype=dtype), xp.asarray([0.0, 2.0, NAN], dtype=dtype)
    assert values(xp.searchsorted(x1, x2)) == [0, 1, 2]
    assert values(xp.searchsorted(x1, x2, side="right")) == [0, 2, 3]


@dtypes(INTEGER)
def test_searchsorted_with_a_sorter(dtype):
    x1 = xp.asarray([30.0, 10.0, 20.0])
    sorter = xp.asarray([1, 2, 0], dtype=dtype)
    assert values(xp.searchsorted(x1, xp.asarray([10.0, 25.0]), sorter=sorter)) == [0, 2]
    assert values(sorter) == [1, 2, 0]


# --- what is refused, and scalars ----------------------------------------------------------------

REFUSED = r"""
[ValueError]
\(0, 3\) has no elements among | xp.argmax(xp.zeros((0, 3))); xp.argmin(xp.zeros((0, 3)))
\(0, 3\) has no elements along axis 0 among | xp.argmax(xp.zeros((0, 3)), axis=0)
\(0, 3\) has no elements along axis 0 among | xp.argmin(xp.zeros((0, 3)), axis=-2)
an array of 0 dimensions has no indices | xp.nonzero(one); xp.nonzero(one == 1)
an array of 0 dimensions has no indices | xp.nonzero(xp.ones((), dtype=xp.uint64))
the first array must be of 1 dimension | xp.searchsorted(s, x)
side must be 'left' or 'right', got 'middle' | xp.searchsorted(x, x, side="middle")
sorter must be of the shape .* \(2,\), got \(1,\) | xp.searchsorted(x, x, sorter=n[:1])
shape mismatch: shapes .* could not be | xp.where(b, v, v); xp.where(v == 1, x, v)
shape mismatch: shapes .* could not be | xp.where(v == 1, v, x)
[TypeError]
data type float32 is not allowed | xp.searchsorted(x, x, sorter=x)
data types float32 and int64 | xp.searchsorted(x, n)
data type .* is not allowed | xp.searchsorted(x, b); xp.searchsorted(b, x); xp.searchsorted(b, b)
data type .* is not allowed | xp.searchsorted(x, z); xp.searchsorted(z, x); xp.searchsorted(z, z)
: | xp.searchsorted(x, 1j); xp.searchsorted(x, True); xp.searchsorted(x, "1")
: | xp.searchsorted(x, [1.0]); xp.searchsorted(x, np.ones(2))
expected Array, got | xp.searchsorted(1.0, x); xp.searchsorted([1.0], x)
expected Array, got | xp.searchsorted(np.ones(2), x)
the Python .* cannot be combined with | xp.where(b, i8, 1.0); xp.where(b, i8, True)
the Python .* cannot be combined with | xp.where(b, x, False); xp.where(b, b, 1)
data type int64 is not allowed; allowed are bool | xp.where(n, n, n)
the condition must be a boolean Array | xp.where(True, n, n); xp.where([True, False], n, n)
the condition must be a boolean Array | xp.where(np.asarray([True, False]), n, n)
expected at least one Array | xp.where(b, 1, 2); xp.isin(1, 2)
expected an Array or a Python scalar, got | xp.where(b, n, np.asarray([1, 2]))
data types int64 and float32 do not promote | xp.where(b, n, x)
data types int8 and float32 do not promote | xp.isin(i8, x)
[OverflowError]
128 is out of bounds for int8 | xp.where(b, i8, 128)
out of bounds for int8 | xp.searchsorted(i8, 200); xp.isin(i8, 300)
"""
test_what_is_refused = refused(REFUSED)


def test_what_drawn_samples_seldom_promote():
    # No float64 holds 2**53 + 1, no uint8 holds -1, and no int8 holds 200.
    big = 2**53
    assert values(xp.searchsorted(xp.asarray([big, big + 1]), xp.asarray([big + 1]))) == [1]
    i8, u8 = xp.asarray([-1, 100], dtype=xp.int8), xp.asarray([0, 200], dtype=xp.uint8)
    assert values(xp.searchsorted(i8, u8)) == [1, 2]
    assert values(xp.isin(i8, xp.asarray([255, 100], dtype=xp.uint8))) == [False, True]
    f32, f64 = (xp.asarray([0.1], dtype=dtype) for dtype in (xp.float32, xp.float64))
    assert values(xp.searchsorted(f32, f64)) == [0]
    condition = xp.asarray([True, False])
    assert xp.where(condition, f32, 1e300).dtype is xp.float32
    assert xp.where(condition, f32, 1j).dtype is xp.complex64
    u64 = xp.asarray([1, 2], dtype=xp.uint64)
    assert values(xp.where(condition, 2**64 - 1, u64)) == [2**64 - 1, 2]


# --- sort and argsort -----------------------------------------------------------------------------


@pytest.mark.npu
@dtypes(REAL_FLOATING)
@pytest.mark.parametrize("size", [1, 100, 3000])
def test_sort_puts_nan_last_and_keeps_zeros_in_order(dtype, size):
    x = xp.asarray([2.0, NAN, 0.0, -0.0, -INF, INF, 0.0, NAN] * size, dtype=dtype)
    x[7::8] = negative_nan(dtype)
    equal = [[4], [2, 3, 6], [0], [5], [1, 7]]  # places in ascending order of what stands there
    for descending in (False, True):
        expected = [
            place
            for places in (reversed(equal) if descending else equal)
            for place in sorted(8 * i + j for i in range(size) for j in places)
        ]
        assert values(xp.argsort(x, descending=descending)) == expected
        result = xp.sort(x, descending=descending)
        again = xp.take(x, xp.asarray(expected))
        assert xp.all((result == again) | xp.isnan(result) & xp.isnan(again))
        zero = result == 0
        assert values(xp.signbit(result[zero])) == values(xp.signbit(again[zero]))


@dtypes([*REAL, xp.bool])
@pytest.mark.parametrize("shape", [(1025, 1), (1, 2000, 1), (33_000, 1)], ids=str)
def test_sort_along_axes_of_one_element(shape, dtype):
    x = xp.astype(xp.reshape(xp.arange(math.prod(shape)) % 97 + 1, shape), dtype)
    for axis in (-1, 0) if shape[0] == 1 else (-1,):
        for descending in (False, True):
            assert xp.all(xp.sort(x, axis=axis, descending=descending) == x)
            assert not xp.any(xp.argsort(x, axis=axis, descending=descending))


@listing("dtype", INTEGER)
def test_order_at_the_ends_of_the_range(dtype):
    least, greatest = limits(dtype)
    numbers = [greatest, least, 1, greatest - 1, greatest, greatest // 2 + 1]
    x = xp.asarray(numbers, dtype=dtype)
    for down in (
        False,
        True,
    ):  # of equal elements reverse=True keeps the order, as stable=True does
        order = sorted(range(6), key=numbers.__getitem__, reverse=down)
        assert values(xp.sort(x, descending=down)) == sorted(numbers, reverse=down)
        assert values(xp.argsort(x, descending=down)) == order
    assert [values(f(x)) for f in (xp.argmax, xp.argmin, xp.max, xp.min)] == [0, 1, greatest, least]
    assert values(xp.searchsorted(xp.sort(x[1:4]), x)) == [3, 0, 1, 2, 3, 2]
    assert values(xp.isin(x, x[:2])) == [True, True, False, False, True, False]


@pytest.mark.npu
def test_sort_of_booleans():
    x = xp.asarray([True, False, True, False])
    assert values(xp.sort(x)) == [False, False, True, True]
    assert values(xp.argsort(x)) == [1, 3, 0, 2]
    assert values(xp.argsort(x, descending=True)) == [0, 2, 1, 3]


# --- sets -----------------------------------------------------------------------------------------


@dtypes(REAL_FLOATING)
def test_every_nan_is_distinct_and_both_zeros_are_one(dtype):
    x = xp.asarray([NAN, -0.0, 1.0, 0.0, NAN, -INF, 0.0], dtype=dtype)
    x[4] = negative_nan(dtype)
    result = xp.unique_all(x)
    assert values(result.values)[:3] == [-INF, 0.0, 1.0]
    assert values(xp.isnan(result.values)) == [False, False, False, True, True]
    assert values(result.counts) == [1, 3, 1, 1, 1]
    assert values(result.indices) == [5, 1, 2, 0, 4]
    assert values(result.inverse_indices) == [3, 1, 2, 1, 4, 0, 1]
    assert values(xp.isnan(xp.unique_values(x))) == [False, False, False, True, True]
    assert values(xp.unique_counts(x).counts) == [1, 3, 1, 1, 1]
    assert values(xp.unique_inverse(x).inverse_indices) == [3, 1, 2, 1, 4, 0, 1]


@dtypes(COMPLEX)
def test_unique_of_complex_numbers(dtype):
    x = xp.asarray(
        [
            *(1 + 2j, 1 + 1j, complex(NAN, 1), complex(0.0, -0.0), 1 + 2j, complex(-0.0, 0.0)),
            *(complex(1, NAN), complex(1, NAN), complex(NAN, 1), -1 + 9j, complex(INF, -INF)),
        ],
        dtype=dtype,
    )
    result = xp.unique_all(x)
    assert values(result.values)[:4] == [-1 + 9j, 0j, 1 + 1j, 1 + 2j]
    assert values(xp.isnan(result.values)) == [False] * 4 + [True] * 2 + [False] + [True] * 2
    assert values(result.counts) == [1, 2, 1, 2, 1, 1, 1, 1, 1]
    assert values(result.indices) == [9, 3, 1, 0, 6, 7, 10, 2, 8]
    assert values(result.inverse_indices) == [3, 2, 7, 1, 3, 1, 4, 5, 8, 0, 6]
    assert values(xp.unique_counts(x).counts) == values(result.counts)
    unique = xp.unique_values(x)
    assert unique.shape == (9,)
    assert values(unique)[:4] == [-1 + 9j, 0j, 1 + 1j, 1 + 2j]


@dtypes(INTEGER)
def test_unique_at_the_ends_of_the_range(dtype):
    least, greatest = limits(dtype)
    x = xp.asarray([[greatest, 1], [least, greatest]], dtype=dtype)
    result = xp.unique_all(x)
    assert result.values.dtype is dtype
    assert values(result.values) == [least, 1, greatest]
    assert values(result.indices) == [2, 1, 0]
    assert values(result.inverse_indices) == [[2, 1], [0, 2]]
    assert values(xp.unique_values(x)) == [least, 1, greatest]


@dtypes(INTEGER)
@pytest.mark.parametrize("size", [1000, 32_768, 100_000])
def test_unique_finds_first_occurrences(size, dtype):
    x = xp.astype(xp.asarray(np.random.default_rng(0).integers(0, 50, size)), dtype)
    result = xp.unique_all(x)
    _, first, counts = np.unique(values(x), return_index=True, return_counts=True)
    assert values(result.indices) == first.tolist()
    assert values(result.counts) == counts.tolist()
    assert xp.all(xp.take(result.values, result.inverse_indices) == x)
    assert values(xp.unique_values(x)) == values(result.values)
    assert values(xp.unique_counts(x).counts) == counts.tolist()
    assert xp.all(xp.unique_inverse(x).inverse_indices == result.inverse_indices)


@pytest.mark.parametrize("size", [1, 500])
def test_isin_compares_as_equal_does(size):
    few = [NAN, 0.0, 1.0]
    x1 = xp.asarray([0.0, -0.0, 1.0, NAN, 2.0])
    x2 = xp.asarray(few * size)
    assert values(xp.isin(x1, x2)) == [True, True, True, False, False]
    assert values(xp.isin(x1, x2, invert=True)) == [False, False, False, True, True]
    z1 = xp.asarray([0j, complex(-0.0, 0.0), 1j, complex(0, NAN), 1 + 1j])
    z2 = xp.asarray([complex(0.0, -0.0), 1j, complex(0, NAN), 1] * size)
    assert values(xp.isin(z1, z2)) == [True, True, True, False, False]
    assert values(xp.isin(z1, z2, invert=True)) == [False, False, False, True, True]
    b = xp.asarray([True, False])
    assert values(xp.isin(b, xp.ones(size, dtype=xp.bool))) == [True, False]


@pytest.mark.parametrize("count", [1, 5, 32, 33, 100])
@pytest.mark.parametrize("invert", [False, True])
def test_isin_of_few_and_of_many_complex_numbers(count: int, invert: bool) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 9, (30, 7)) + 1j * rng.integers(0, 9, (30, 7))
    x[0, :3] = [complex(math.nan, 1), complex(0.0, -0.0), complex(-0.0, 0.0)]
    among = np.concatenate([x[0, :3], rng.permutation(x.reshape(-1))])[:count]
    found = xp.isin(xp.asarray(x), xp.asarray(among), invert=invert)
    assert np.asarray(found.to_device("cpu")).tolist() == np.isin(x, among, invert=invert).tolist()
