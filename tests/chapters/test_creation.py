"""Creation: what drawn samples seldom ask for."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch
from parametrize import everything, listing
from refusals import refused

import ascend_array_api as xp
from workshop.samples.strategies import same, to_numpy

FAR = 2**63


@pytest.mark.parametrize(
    ("start", "stop", "step", "dtype"),
    [
        *((9, 0, -2, dtype) for dtype in ("uint8", "uint16", "uint32", "uint64")),
        *((FAR + 5, FAR + 9, 1, "uint64"), (2 * FAR - 1, 2 * FAR - 9, -3, "uint64")),
        *((FAR - 2, FAR + 2, 1, "uint64"), (1, 2 * FAR - 1, FAR, "uint64")),
        *((0, FAR - 8, FAR // 2 - 4, "uint64"), (0, FAR - 8, FAR // 2 - 4, "int64")),
        *((0, 8 - FAR, 4 - FAR // 2, "int64"), (-FAR, FAR - 1, FAR - 1, "int64")),
        *((FAR - 1, -FAR, 1 - FAR, "int64"), (-FAR, 11 - FAR, 5, "int64")),
    ],
)
def test_integers_in_order(start: int, stop: int, step: int, dtype: str) -> None:
    made = xp.arange(start, stop, step, dtype=getattr(xp, dtype))
    assert to_numpy(made).tolist() == list(range(start, stop, step))


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 2, 3, 6, 10, 59])
@pytest.mark.parametrize(
    ("start", "stop"),
    [
        *((0, 2**62 + 1), (2**62 + 1, 5), (-(2**63), 2**63 - 1), (0, -7), (4, 4), (-3, 8)),
        *((0, 2.5), (0.5, 3), (-2.5, 0), (1.0, 6), (0.25, 7.75), (6, -9.0), (-871, 613.0)),
    ],
)
def test_integers_of_an_interval_are_rounded_down(
    start: float, stop: float, num: int, endpoint: bool
) -> None:
    made = xp.linspace(start, stop, num, dtype=xp.int64, endpoint=endpoint)
    apart = (Fraction(stop) - Fraction(start)) / max(num - endpoint, 1)
    assert to_numpy(made).tolist() == [(start + apart * n) // 1 for n in range(num)]


NUMBERS = (1, 2, 3, 6, 7, 65, 101, 1000, 2001, 4097)


def test_grids_are_those_of_numpy() -> None:
    """NumPy rounds the product of place and step before it adds: 0 is often met exactly."""
    ends = ((-1, 1), (-0.1, 0.1), (-7.3, 7.3), (-1, 3), (2, -1), (0, 1), (0.1, 1.7), (-1e5, 1e5))
    for start, stop in (*ends, (1e6, 1e6 + 1), (-3e38, 3e38), (1, -0.0), (5, 5)):
        for num in (*NUMBERS, 70_001) if start == -1 or everything() else NUMBERS:
            for endpoint in (True, False):
                exact = np.linspace(start, stop, num, endpoint=endpoint)
                for dtype in ("float16", "float32", "float64"):
                    with np.errstate(over="ignore"):
                        expected = exact.astype(dtype)
                    got = xp.linspace(start, stop, num, dtype=getattr(xp, dtype), endpoint=endpoint)
                    case = f"linspace({start}, {stop}, {num}, {dtype}, endpoint={endpoint})"
                    np.testing.assert_array_equal(to_numpy(got), expected, case)
    for num in (7, 2001):
        got, part = xp.linspace(-1 + 0.5j, 1 - 3j, num), np.linspace(0.5, -3, num, dtype="float32")
        np.testing.assert_array_equal(to_numpy(xp.imag(got)), part)
    compiled = torch.compile(xp.linspace, backend="eager")
    for start, stop, num in ((-1, 1, 2001), (-0.1, 0.1, 7), (3, 3, 1), (0, 1, 0)):
        for dtype in (xp.float32, xp.float64):
            got = to_numpy(compiled(start, stop, num, dtype=dtype))
            expected = np.linspace(start, stop, num, dtype=got.dtype)
            near = 2 * np.spacing(got.dtype.type(max(abs(start), abs(stop))))
            np.testing.assert_allclose(got, expected, rtol=0, atol=near)
            assert not num or got[num // 2] == expected[num // 2]
    for start, stop in ((-30, 30), (0.1, 7.7)):
        expected = np.logspace(start, stop, 333, dtype="float32")
        got = to_numpy(xp.logspace(start, stop, 333, dtype=xp.float32))
        np.testing.assert_array_max_ulp(got, expected, 1)


def test_ends_of_ranges_may_be_arrays_without_dimensions() -> None:
    number = xp.asarray
    for args in ((5,), (1.5, 4), (7, -1.0, -2)):
        for given in (tuple(map(number, args)), (number(args[0]), *args[1:])):
            np.testing.assert_array_equal(to_numpy(xp.arange(*given)), np.arange(*args))
    made = xp.linspace(number(-1.0), number(2), 4)
    np.testing.assert_array_equal(to_numpy(made), [-1, 0, 1, 2])


def test_complex_ends_are_refused_for_a_type_of_pythons() -> None:
    said = "linspace: complex128 cannot be converted to float32"
    with xp.options(relaxed=True), pytest.raises(TypeError, match=said):
        xp.linspace(1j, 2.0, 3, dtype=float)


# --- what is refused, and numbers of more than 64 bits -------------------------------------------

REFUSED = r"""
[ValueError]
must be less than 2\*\*63, got \d+\.$ | xp.zeros(2**63); xp.ones((3, 2**63)); xp.full(2**63, 1)
must be less than 2\*\*63, got \d+\.$ | xp.empty(2**64); xp.eye(2**63); xp.linspace(0, 1, 2**63)
must be less than 2\*\*63, got \d+\.$ | xp.arange(2**63); xp.broadcast_to(v, (2**63, 3))
must be less than 2\*\*63, got \d+\.$ | xp.tile(v, (2**63,)); xp.repeat(v, 2**63)
must be less than 2\*\*63, got \d+\.$ | fft.fft(z, n=2**63); fft.rfft(v, n=2**63)
must be less than 2\*\*63, got \d+\.$ | fft.fftn(z, s=(2**63,), axes=(0,)); fft.fftfreq(2**63)
^normal: .* must be less than 2\*\*63, got \d+\.$ | xp.random.default_rng(0).normal(size=2**63)
[IndexError]
^index: 9223372036854775808 is out of bounds for an axis of | x[2**63]; x[None, 2**63]
^index: -9223372036854775809 is out of bounds for an axis of | x[-(2**63) - 1]
^index: 1180591620717411303424 is out of bounds for an axis of | x[2**70]; x[None, 2**70]
^index: 1180591620717411303424 is out of bounds for an axis of | x[2**70] = 1.0
^index: 1180591620717411303424 is out of bounds for an axis of | x[None, 2**70] = 1.0
[OverflowError]
int8 | xp.arange(0, 300, 100, dtype=xp.int8); xp.arange(0, -300, -100, dtype=xp.int8)
int8 | xp.arange(250, 260, dtype=xp.int8); xp.arange(-129, 0, dtype=xp.int8)
uint64 | xp.arange(-1, 1, dtype=xp.uint64); xp.arange(2**64, 2**64 + 1, dtype=xp.uint64)
int64 | xp.arange(2**63 - 1, 2**63 + 1, dtype=xp.int64)
int64 | xp.arange(-(2**63) - 1, 0, 2**62, dtype=xp.int64)
[TypeError]
k must be an integer | xp.tril(s, k=False); xp.tril(s, k=0.0); xp.triu(s, k=True)
k must be an integer | xp.triu(s, k=None)
k must be an integer | xp.eye(3, k=False); xp.eye(3, k=1.0)
stop must be an int or a float, got an array | xp.arange(x); xp.arange(k); xp.arange(x[:0])
start must be an int, float or complex | xp.linspace(x, 1, 3); xp.linspace(k, 1, 3)
"""
test_what_is_refused = refused(REFUSED)


@pytest.mark.parametrize("offset", [2**63, -(2**63) - 1])
def test_diagonals_of_more_than_64_bits_are_empty(offset):
    x = xp.ones((2, 3))
    assert xp.linalg.diagonal(x, offset=offset).shape == (0,)
    assert float(xp.linalg.trace(x, offset=offset)) == 0.0


@pytest.mark.parametrize("dtype", [xp.float32, xp.float64, xp.complex64, xp.complex128])
@pytest.mark.parametrize("n", [2**63, 2**63 + 1, -(2**64) - 1])
def test_powers_of_matrices_of_more_than_64_bits(dtype, n):
    turn = xp.asarray([[0.0, 1.0], [-1.0, 0.0]], dtype=dtype)  # of order 4
    expected = np.linalg.matrix_power(np.asarray([[0, 1], [-1, 0]]), n % 4)
    np.testing.assert_array_equal(to_numpy(xp.linalg.matrix_power(turn, n)), expected)
    order = np.roll(np.eye(7), 1, axis=0)
    power = xp.linalg.matrix_power(xp.asarray(order, dtype=dtype), n)
    np.testing.assert_array_equal(to_numpy(power), np.roll(np.eye(7), n % 7, axis=0))


@pytest.mark.parametrize("dtype", [xp.float16, xp.bfloat16])
def test_ranges_of_half_precision_beyond_float32(dtype):
    made = xp.arange(0, 1e301, 1e300, dtype=dtype)
    assert xp.astype(made, xp.float32).shape == (10,)
    assert float(made[0]) == 0.0
    assert bool(xp.all(xp.isinf(made[1:])))


@listing("dtype", [xp.float16, xp.bfloat16])
def test_linspace_in_half_precision(dtype: xp.DType) -> None:
    """Rounded once: a step that is rounded is half or twice as long."""
    for start, stop, count in ((0, 1, 65_521), (0, 1e-3, 33_000), (-6e4, 6e4, 7), (0.1, 0.3, 99)):
        exact = torch.linspace(start, stop, count, dtype=torch.float64)
        values = xp.linspace(start, stop, count, dtype=dtype)
        error = torch.abs(xp.to_torch(values).cpu().to(torch.float64) - exact)
        unit = torch.finfo(dtype).eps * exact.abs() + torch.finfo(dtype).smallest_normal
        assert (error <= 0.51 * unit + 1e-7 * max(abs(start), abs(stop))).all()


@listing("name", ["float32", "float64", "complex64", "complex128"])
def test_linspace_of_a_length_that_overflows(name: str) -> None:
    dtype, turn = getattr(xp, name), 1j if name[0] == "c" else 1
    large = np.float64(np.finfo(name).max)
    values = xp.linspace(-large * turn, large * turn, 5, dtype=dtype)
    expected = (np.asarray([-1, -0.5, 0, 0.5, 1]) * turn).astype(name) * np.finfo(name).max
    np.testing.assert_allclose(to_numpy(values), expected, rtol=1e-6, strict=True)


def test_linspace_ends_at_a_zero_with_its_sign() -> None:
    assert str(float(xp.linspace(1, -0.0, 10)[-1])) == "-0.0"
    assert str(float(xp.linspace(1, 0.0, 10)[-1])) == "0.0"
    assert str(float(xp.imag(xp.linspace(1, complex(0, -0.0), 10))[-1])) == "-0.0"
    assert float(xp.linspace(2, -0.0, 1)[0]) == 2


def test_a_step_beyond_the_data_type_leaves_the_first_number() -> None:
    same(xp.arange(0, 4, 10**30, dtype=xp.uint16), np.zeros(1, "uint16"))
    same(xp.arange(1, 0, 10**27, dtype=xp.int8), np.zeros(0, "int8"))
    same(xp.arange(0, 4, 1e300, dtype=xp.float16), np.zeros(1, "float16"))


@listing(
    "dtype, start, stop",
    [("uint64", 0, 2**64 - 1), ("int64", 0, 2**63 - 1), ("int64", -(2**63), 2**63 - 1)],
)
def test_linspace_of_integers_reaches_the_ends_of_their_data_type(
    dtype: str, start: int, stop: int
) -> None:
    made = xp.linspace(start, stop, 5, dtype=getattr(xp, dtype))
    expected = [start + (stop - start) * n // 4 for n in range(5)]
    assert [int(x) for x in made] == expected
