"""Steps of compositions, each by itself: what a whole result hides behind its rounding.

Beside NumPy, mpmath and the papers from which they are.
"""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
import torch

import ascend_array_api as xp
from ascend_array_api._backends.cpu import elementwise as cpu_elementwise
from ascend_array_api._backends.cpu import random as cpu_random
from ascend_array_api._backends.cpu import shortcuts
from ascend_array_api._routes import _philox_host as host
from ascend_array_api._routes import _tables as tables
from ascend_array_api._routes import creation, fourier, linear_algebra, special
from ascend_array_api._routes import random as ops
from ascend_array_api._routes._bits import in_single
from ascend_array_api._routes._constants import polynomial, where
from ascend_array_api.random import _variates as variates

F64 = torch.float64


# --- series ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 4, 5, 9])
def test_series_of_chebyshev_polynomials(count: int) -> None:
    table = tuple(np.random.default_rng(count).standard_normal(count) * 0.25 ** np.arange(count))
    t = np.linspace(-1, 1, 23)
    found = special.series(special.short(table), torch.from_numpy(t))
    np.testing.assert_allclose(found.numpy(), np.polynomial.chebyshev.chebval(t, table), rtol=1e-12)


SERIES = [
    name for name, table in vars(tables).items() if name.isupper() and isinstance(table[0], float)
]


@pytest.mark.parametrize("dtype", [torch.float32, F64])
@pytest.mark.parametrize("name", SERIES)
def test_sums_of_powers_lose_no_more_than_series(name: str, dtype: torch.dtype) -> None:
    table = getattr(tables, name)
    powers = special.short(table)[dtype]
    count = len(powers)
    with mpmath.workdps(60):
        for at in map(mpmath.mpf, np.linspace(-1, 1, 9).tolist()):
            series = mpmath.fsum(c * mpmath.chebyt(k, at) for k, c in enumerate(table[:count]))
            found = mpmath.fsum(c * at**k for k, c in enumerate(powers))
            assert abs(found - series) <= 2.0**-53 * mpmath.fsum(map(abs, powers))
    most = 5.2 if name in {"Y0_NEAR", "Y1_NEAR"} else 1.4
    assert math.fsum(map(abs, powers)) <= most * math.fsum(map(abs, table))


@pytest.mark.parametrize("count", [2, 3, 4, 8])
def test_polynomials(count: int) -> None:
    table = tuple(np.random.default_rng(count).standard_normal(count))
    x = np.linspace(-2, 2, 23)
    expected = np.polynomial.polynomial.polyval(x, table)
    found = polynomial(torch.from_numpy(x), table)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-9)
    found = torch.vmap(lambda x: polynomial(x, table))(torch.from_numpy(x))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-9)


@pytest.mark.parametrize("scalar", [2.0, math.inf, -math.inf, math.nan, 0.0])
def test_selections_of_scalars(scalar: float) -> None:
    x = torch.tensor([1.0, -2.0, 3.0], dtype=F64)
    for found in (where(x > 0, x, scalar), where(x <= 0, scalar, x)):
        assert found.dtype is F64
        np.testing.assert_array_equal(found.numpy(), np.where(x > 0, x, scalar))
    of_each = torch.vmap(lambda x: where(x > 0, x, scalar))(x)
    np.testing.assert_array_equal(of_each.numpy(), np.where(x > 0, x, scalar))


def test_stirlings_series() -> None:
    x = torch.tensor([8.5, 9.0, 12.3, 40.0, 1e3, 1e9], dtype=F64)
    for at, found in zip(x.tolist(), special.stirling(x).tolist()):
        with mpmath.workdps(50):
            y = mpmath.mpf(at)
            right = (
                mpmath.loggamma(y) - (y - 0.5) * mpmath.log(y) + y - mpmath.log(2 * mpmath.pi) / 2
            )
        assert found == pytest.approx(float(right), rel=3e-15), at


ZETA: list[tuple[float, float, float]] = [
    # s, q, and the zeta function, as SciPy has it, or, on the left, its sum
    (math.inf, 1.0, 1.0),
    (math.inf, 1.5, 0.0),
    (math.inf, 0.5, math.inf),
    (2.0, math.inf, 0.0),
    (2.0, 0.0, math.inf),
    (2.0, -3.0, math.inf),
    (2.5, -3.5, math.nan),
    (1.0, 2.0, math.inf),
    (1.0, math.inf, math.inf),
    (0.5, 2.0, math.nan),
    (math.nan, 2.0, math.nan),
    (2.0, math.nan, math.nan),
    (2.0, 1.0, math.pi**2 / 6),
    (2.0, -0.5, 4 + math.pi**2 / 2),
    *((s, q, float(mpmath.zeta(s, q))) for s in (2.0, 3.0, 4.0) for q in (-0.3, -1.3, -2.75, -9.6)),
    *((s, q, float(mpmath.zeta(s, q))) for s in (199.0, 200.0, 201.0) for q in (0.7, 2.0, 2.5)),
    *((s, q, float(mpmath.zeta(s, q))) for s in (199.0, 200.0, 201.0) for q in (-1.3, -0.75)),
    (3.0, 0.25, float(mpmath.zeta(3, 0.25))),
]


@pytest.mark.parametrize(("s", "q", "right"), ZETA)
def test_ends_of_the_zeta_function(s: float, q: float, right: float) -> None:
    found = float(special.zeta_composed(torch.tensor([s], dtype=F64), torch.tensor([q], dtype=F64)))
    assert found == pytest.approx(right, rel=1e-13, nan_ok=True)


def test_where_the_zeta_function_is_masked_so_is_its_slope() -> None:
    """At poles and ends the slope is 0 of what is not taken, and not NaN."""
    numbers = [(s, q) for s, q, right in ZETA if not math.isfinite(right)]
    numbers += [(2.0, -1.0), (3.0, -0.0), (math.inf, 1.0), (2.0, math.inf), (2.0, 1.5)]
    s, q = (torch.tensor(v, dtype=F64, requires_grad=True) for v in zip(*numbers))
    found = special.zeta_composed(s, q)
    kept = torch.isfinite(found)
    slopes = torch.autograd.grad(torch.where(kept, found, 0).sum(), (s, q))
    for slope, order in zip(slopes, ((1, 0), (0, 1))):
        right = mpmath.diff(mpmath.zeta, (2, 1.5), order)
        assert slope.tolist() == pytest.approx([0.0] * (len(numbers) - 1) + [float(right)])


def test_quotients_of_gamma_beside_each_other() -> None:
    """Where one way of the logarithm of gamma ends the other begins."""
    x = torch.tensor([-0.5, -0.25, 0.3, 1.4999, 1.5, 2.4, 2.5, 7.3, 8.4999, 8.5, 9.1], dtype=F64)
    for at, found in zip(x.tolist(), special._lgamma_right(x).tolist()):
        right = float(mpmath.log(abs(mpmath.gamma(at))))
        assert found == pytest.approx(right, rel=1e-14, abs=1e-15), at


def test_normal_probabilities_in_float32() -> None:
    """What the rounded argument loses is given back: without, tails are off by 50 units."""
    x = torch.linspace(-12.9, 5, 400, dtype=torch.float32)
    x = torch.cat([x, torch.linspace(-3, 1, 1200, dtype=torch.float32)])
    exact = [mpmath.erfc(-mpmath.mpf(v) / mpmath.sqrt(2)) / 2 for v in x.tolist()]
    found = special._ndtr(x).tolist()
    errors = [float(abs(a / b - 1)) for a, b in zip(found, exact)]
    assert max(errors) <= 2.5 * torch.finfo(torch.float32).eps


@pytest.mark.parametrize("dtype", [torch.float32, F64])
def test_gamma_beside_where_its_ways_begin(dtype: torch.dtype) -> None:
    right = [-0.5, -0.25, 0.3, 1.5, 2.5, 7.5, 8.4999, 8.5, 8.5001, 9.5, 30.0]
    x = torch.tensor([*right, *(-x - 0.01 for x in right[3:])], dtype=dtype)
    rel = 2e-14 if dtype is F64 else 2e-5  # of steep functions at rounded numbers
    for at, found, inverse in zip(
        *(t.tolist() for t in (x, special._gamma(x), special._rgamma(x)))
    ):
        assert found == pytest.approx(float(mpmath.gamma(at)), rel=rel), at
        assert inverse == pytest.approx(float(mpmath.rgamma(at)), rel=rel), at


@pytest.mark.parametrize("dtype", [torch.float32, F64])
def test_the_slope_of_erfcx(dtype: torch.dtype) -> None:
    """At 0, beside where it overflows, and where the leading term is all."""
    ends = [-9.37, -9.39, -9.3999, -9.4001, -9.5, -26.62, -26.64, -26.6499, -26.66, -26.8, -40.0]
    x = torch.tensor([0.0, *ends, -3.3, 0.7, 30.0, 2e8], dtype=dtype, requires_grad=True)
    out = special.erfcx_composed(x)
    (slopes,) = torch.autograd.grad(out.sum(), x)
    most = torch.finfo(dtype).max
    for at, found, slope in zip(*(t.tolist() for t in (x.detach(), out.detach(), slopes))):
        with mpmath.workdps(60):
            exact = mpmath.exp(mpmath.mpf(at) ** 2) * mpmath.erfc(at)
            steep = 2 * at * exact - 2 / mpmath.sqrt(mpmath.pi)
        for got, value in ((found, exact), (slope, steep)):
            right = float(value) if abs(value) < most else float(mpmath.sign(value)) * math.inf
            assert got == pytest.approx(right, rel=1e-12 if dtype is F64 else 1e-5), at


# --- integers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64])
@pytest.mark.parametrize("width", [4, 7, 8, 11, 16, 21])
def test_limbs_of_integers(width: int, dtype: torch.dtype) -> None:
    limits = torch.iinfo(dtype)
    x = torch.tensor([limits.min, limits.max, -1, 0, 1, limits.max // 3], dtype=dtype)
    limbs = linear_algebra._limbs(x, width, F64)
    assert len(limbs) == (limits.bits - 1) // width + 1
    assert all(float(limb.abs().max()) < 2**width for limb in limbs)
    values = [[int(v) << width * i for v in limb.tolist()] for i, limb in enumerate(limbs)]
    assert [sum(several) for several in zip(*values)] == x.tolist()


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_division_by_minus_one_where_processors_trap(
    dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = torch.iinfo(dtype)
    x = torch.tensor([limits.min, limits.max, -7, 7, 7, 0, 7, 7], dtype=dtype)
    y = torch.tensor([-1, -1, -1, -1, -2, -1, 1, 2], dtype=dtype)
    divided: list[int] = []
    for name in ("floor_divide", "remainder"):
        own = getattr(torch, name)
        monkeypatch.setattr(
            torch, name, lambda a, b, own=own: divided.extend(b.tolist()) or own(a, b)
        )
    quotient = cpu_elementwise._floor_divide_integers(x, y)
    assert quotient.tolist() == [limits.min, -limits.max, 7, -7, -4, 0, 7, 3]
    assert cpu_elementwise._remainder_integers(x, y).tolist() == [0, 0, 0, 0, -1, 0, 0, 1]
    assert len(divided) == 16
    assert -1 not in divided


# --- frequencies ----------------------------------------------------------------------------------


def test_in_which_data_type_frequencies_are_computed() -> None:
    width = fourier.width_of_frequencies
    assert width(2**24, 3.0, torch.float32) is torch.float32
    assert width(2**24 + 1, 3.0, torch.float32) is torch.float64
    assert width(5, 0.1, torch.float32) is torch.float64
    assert width(5, 3.0, F64) is F64


@pytest.mark.parametrize(
    ("value", "single"),
    [
        (1 + 2.0**-23, True),
        (1 + 2.0**-24, False),
        (-(1 + 2.0**-23), True),
        (2.0**127, True),
        (2.0**128, False),
        (2.0**-126, True),
        (2.0**-127, False),
        (0.0, True),
        (0.1, False),
        (math.inf, False),
        (math.nan, False),
    ],
)
def test_which_numbers_are_normal_float32s(value: float, single: bool) -> None:
    assert in_single(value) == single


# --- random numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_gamma_numbers_are_accepted_quickly(dtype: str) -> None:
    """Marsaglia and Tsang's quick test, written in t, for all d from 2/3 on."""
    rng = np.random.default_rng(3)
    f = torch.from_numpy(rng.uniform(-0.5, 0.5, 4000).astype(dtype))
    d = torch.from_numpy(rng.uniform(0.7, 4, 4000).astype(dtype))
    t = torch.from_numpy((rng.standard_normal(4000) / 3).astype(dtype))
    bound = 0.9999 - 1.8 * d.double() * t.double() ** 4
    u = f.double() - torch.floor(f.double())
    sure = torch.abs(u - bound) > 1e-5
    for kernel in (ops._surely_gamma, cpu_random._surely_gamma):
        found = kernel(f, t, d)
        assert torch.equal(found[sure], (u < bound)[sure])
    assert 0.1 < float((u < bound).double().mean()) < 0.99


@pytest.mark.parametrize("b", [9.0, 20.0, 1e4])
def test_what_counts_are_accepted_quickly(b: float) -> None:
    """Binomial and Poisson numbers up to Hörmann's bounds, less 0.01 for safety."""
    far, near = torch.tensor(0.07, dtype=F64), torch.tensor(0.0699, dtype=F64)
    width = torch.tensor(b, dtype=F64)

    def binomial(distance: Any, v: Any) -> bool:
        return bool(variates._surely_binomial(0, distance, v, 0, 0, 0, width, 0))

    def poisson(distance: Any, v: Any) -> bool:
        return bool(variates._surely_poisson(0, distance, v, 0, 0, width))

    for test, bound in ((binomial, 0.91 - 4.2 / b), (poisson, 0.9177 - 3.6224 / (b - 2))):
        for distance, share, expected in (
            (far, 1 - 1e-9, True),
            (far, 1 + 1e-9, False),
            (near, 0.5, False),
        ):
            assert test(distance, torch.tensor(bound * share, dtype=F64)) == expected


def test_of_small_factors_the_upper_halves_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    original = host.Blocks.count
    monkeypatch.setattr(
        host.Blocks, "count", lambda self, at: counted.append(at) or original(self, at)
    )
    for factor, expected in ((2, 0), (1000, 0), (host._FEW, 0), (host._FEW + 1, 1)):
        counted.clear()
        quick = host._scaled(host.Blocks(4, 5), 0, factor)
        assert len(counted) == expected
        words = original(host.Blocks(4, 5), 0)
        pairs = [(int(low) & host.MASK, int(high) & host.MASK) for low, high in zip(*words[:2])]
        exact = [((high << 32 | low) * factor) >> 64 for low, high in pairs]
        assert quick.reshape(-1, 2)[:, 0].tolist() == exact


# --- sums of squares ------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, (0, 2), 2])
@pytest.mark.parametrize("threads", [1, 3, 4])
@pytest.mark.parametrize("room", [1, 130, 1 << 20])
def test_squares_in_portions(
    axis: Any, threads: int, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shortcuts, "_ROOM", room)
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    x = np.random.default_rng(1).standard_normal((11, 7, 5)).astype("float32") + 3
    axes = axis if isinstance(axis, tuple) else (axis,)
    for keepdims in (True, False):
        with_mean = np.mean(x, axes, keepdims=True, dtype="float64")
        expected = np.sum((x - with_mean) ** 2, axes, keepdims=keepdims)
        found = shortcuts._squares(torch.from_numpy(x), axes, keepdim=keepdims)
        assert tuple(found.shape) == expected.shape
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)


# --- products of matrices -------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("second", [0, 1])
def test_contractions_of_square_matrices(first: int, second: int) -> None:
    a, b = np.random.default_rng(4).standard_normal((2, 3, 3))
    found = xp.tensordot(
        xp.asarray(a, device="cpu"), xp.asarray(b, device="cpu"), axes=((first,), (second,))
    )
    np.testing.assert_allclose(np.asarray(found), np.tensordot(a, b, ((first,), (second,))))


# --- ranges ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "step", "length", "dtype"),
    [
        (2**60 + 1, 1, 5, torch.int64),
        (2**60 + 1, -3, 5, torch.int64),
        (2**63 - 5, 1, 5, torch.int64),
        (-(2**63), 3, 4, torch.int64),
        (120, 1, 8, torch.int8),
        (-120, -1, 9, torch.int8),
        (250, 1, 6, torch.uint8),
        (7, 2, 0, torch.int32),
        (0, 5, 1, torch.int16),
    ],
)
def test_ranges_of_integers(start: int, step: int, length: int, dtype: torch.dtype) -> None:
    found = creation._arange(start, step, length, dtype, torch.device("cpu"))
    assert found.dtype is dtype
    assert found.tolist() == [start + i * step for i in range(length)]


@pytest.mark.parametrize(
    ("start", "step", "length"),
    [(0.0, 0.1, 10), (1.0, -0.3, 7), (2.0, 1.0, 1), (1e16, 1.0, 4), (-1e16, -1.0, 3)],
)
def test_ranges_of_floats_have_their_length(start: float, step: float, length: int) -> None:
    found = creation._arange(start, step, length, F64, torch.device("cpu"))
    np.testing.assert_allclose(found.numpy(), start + step * np.arange(length), rtol=1e-15)
