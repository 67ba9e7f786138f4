"""Elementary functions on NPUs whose kernels compute as those of Atlas A2 do.

The oracle is NumPy's (SciPy's) float64 for float32, and mpmath for complex numbers; an ulp is a
unit in the last place of the exact result in float32.  Kernels compute in the emulator's modes:
``chip``, ``ideal``, and those that move transcendental functions by 2 ulp, or quotients and roots
by 1.  The bounds are those of docs/accuracy.md.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest
from npu import EMULATOR, QUIET_ORACLE, QUIET_TORCH_NPU

import ascend_array_api as xp
from ascend_array_api._torch import torch
from workshop.accuracy.functions import BINARY, UNARY, unit_of
from workshop.accuracy.points import Array, numbers, pairs, random_bits, ulps
from workshop.samples.strategies import NPU_FARTHEST, NPU_ULPS, PERIODIC, to_numpy, ulps_by_name

pytestmark = [QUIET_TORCH_NPU, *QUIET_ORACLE, pytest.mark.filterwarnings("ignore:divide by zero")]

INF, NAN = math.inf, math.nan
MODES = ("chip", "ideal", "hostile:transcendental", "hostile:division")

# The bounds for kernels moved to the edge of what is documented; the usual one is that of NPU_ULPS.
HOSTILE = ulps_by_name(
    {
        3: "exp log",
        4: "acos",
        5: "asin exp2 hypot log10 log1p log2 tanh",
        6: "acosh asinh atan atan2 atanh cosh sinh",
        8: "sin",
        9: "cos erf expm1",
        12: "erfc logaddexp tan",
        14: "erfinv",
    }
)
POINTS = (0, 0.99, 1, 1.1, 1.5, 5, 30, 40, 128, 149, 200, 1e30, INF)
SPECIAL = (0, 1, 2, 32, INF, math.pi / 2, math.pi, 2.0**-149)
"""Sizes of results that are exact at points, as are those that are not numbers."""
NARROW = (torch.float16, torch.bfloat16)


@contextlib.contextmanager
def computing(mode: str) -> Iterator[None]:
    """Let emulated kernels compute in a mode; real ones compute as they do."""
    if EMULATOR is None:
        yield
        return
    with EMULATOR.computing(mode):
        yield


def function(name: str) -> Any:
    return getattr(xp, name, None) or getattr(xp.special, name)


def of(name: str, *operands: Array) -> Array:
    """Compute on the NPU."""
    return np.asarray(to_numpy(function(name)(*map(xp.asarray, operands))))


def check(error: Array, bound: float, operands: tuple[Array, ...], got: Array, exact: Any) -> None:
    i = int(np.argmax(error))
    at = [float(x[i]) for x in operands]
    assert error[i] <= bound, f"{error[i]:.4g} ulp at {at}: {got[i]} instead of {exact[i]}"


def same(got: Array, wanted: Array) -> None:
    """Equal bit for bit, all NaNs being equal."""
    np.testing.assert_array_equal(got, wanted)
    signs = np.isnan(wanted) | (np.signbit(got) == np.signbit(wanted))
    assert signs.all(), f"{got} instead of {wanted}"


def bound_in(mode: str, name: str) -> float:
    if mode == "chip":
        return NPU_ULPS[name]
    return NPU_ULPS[name] + 1 if mode == "ideal" else HOSTILE[name]  # torch's own on this processor


# --- bounds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", UNARY)
def test_one_operand(name: str, mode: str) -> None:
    """Zeros have their sign everywhere, and at some points all results are exact."""
    oracle = UNARY[name]
    points = np.asarray([*POINTS, *(-v for v in POINTS)], "f4")
    x = np.concatenate([numbers(name), points])
    if mode == "ideal" and name in {"cosh", "sinh"}:  # torch's own overflow early on the CPU
        x = x[~(np.abs(x) > 88.7)]
    exact = oracle(x.astype("f8"))
    with computing(mode):
        got = of(name, x)
    check(ulps(got, exact), bound_in(mode, name), (x,), got, exact)
    zero = (exact == 0) & (got == 0)
    assert (np.signbit(got) == np.signbit(exact))[zero].all()
    wanted = exact[-len(points) :].astype("f4")
    known = np.isnan(wanted) | np.isin(np.abs(wanted), np.asarray(SPECIAL, "f4"))
    same(got[-len(points) :][known], wanted[known])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", BINARY)
def test_two_operands(name: str, mode: str) -> None:
    oracle = BINARY[name]
    a, b = pairs(name)
    exact = oracle(a.astype("f8"), b.astype("f8"))
    unit = unit_of(name, exact, a, b)
    with computing(mode):
        got = of(name, a, b)
    check(ulps(got, exact, unit), bound_in(mode, name), (a, b), got, exact)


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_narrow_ones_are_rounded_once(name: str, dtype: torch.dtype) -> None:
    """Every float16 and bfloat16: within half a unit and a little of the exact result."""
    bits = torch.arange(-(2**15), 2**15, dtype=torch.int32, device="cpu").to(torch.int16)
    x = bits.view(dtype)
    operands = (x, x.flip(0)[torch.arange(2**16) * 12347 % 2**16]) if name in BINARY else (x,)
    oracle = UNARY.get(name) or BINARY[name]
    wide = [t.to(torch.float64).numpy() for t in operands]
    exact = np.asarray(oracle(*wide))
    keep = np.abs(wide[0]) <= NPU_FARTHEST if name in PERIODIC else np.ones(exact.shape, bool)
    with computing("chip"):
        result = xp.to_torch(function(name)(*(xp.asarray(t, device="npu:0") for t in operands)))
    got = result.cpu().to(torch.float64).numpy()
    limits = torch.finfo(dtype)
    size = np.clip(np.abs(exact), limits.tiny, limits.max)
    unit = 2.0 ** np.floor(np.log2(size)) * limits.eps
    # A double rounding, of float32 with its error, then this one.
    share = 0.5 + 16 * 2.0**-24 / limits.eps
    if name == "logaddexp":  # the operands may cancel
        size = np.clip(np.maximum(size, np.abs(np.maximum(*wide))), limits.tiny, limits.max)
        unit = np.maximum(unit, 2.0 ** np.floor(np.log2(size)) * 2.0**-22 / share)
    end = 2.0 * 2.0 ** math.floor(math.log2(limits.max))
    error = np.abs(np.clip(got, -end, end) - np.clip(exact, -end, end)) / unit
    same = (np.isnan(got) & np.isnan(exact)) | (got == exact)
    error = np.where(same | ~keep, 0, np.where(np.isnan(error), INF, error))
    check(error, share, tuple(wide), got, exact)


@pytest.mark.parametrize("mode", ["chip", "hostile:transcendental"])
@pytest.mark.parametrize(
    ("name", "oracle", "turned"),
    [("expm1", mpmath.expm1, False), ("tan", mpmath.tan, True), ("tanh", mpmath.tanh, False)],
)
def test_complex_functions_of_any_angle(
    name: str, oracle: Callable[..., Any], turned: bool, mode: str
) -> None:
    """Beyond 1e7 too, where CANN's sines and cosines are not."""
    random = np.random.default_rng(5)
    signs = random.choice([-1, 1], (2, 500))
    size, angle = signs * 10.0 ** random.uniform([[-3], [-5]], [[1.9], [38]], (2, 500))
    z = (angle + 1j * size if turned else size + 1j * angle).astype("c8")
    with mpmath.workprec(200):
        exact = np.asarray([complex(oracle(mpmath.mpc(complex(v)))) for v in z])
    with computing(mode):
        got = of(name, z)
    scale = np.spacing(np.abs(exact).astype("f4")).astype("f8")
    usual = (np.abs(exact) > 1e-35) & (np.abs(exact) < 1e38)
    assert usual.sum() > 400
    assert (np.abs(got - exact) / scale)[usual].max() <= 12


# --- special cases --------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_angles_of_special_points(mode: str) -> None:
    points = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 1e-45, -1e-45]
    y, x = (m.ravel() for m in np.meshgrid(np.asarray(points, "f4"), np.asarray(points, "f4")))
    exact = np.arctan2(y.astype("f8"), x.astype("f8"))
    with computing(mode):
        got = of("atan2", y, x)
    # Multiples of a quarter turn are rounded, odd multiples of an eighth approximated.
    eighth = np.isclose(np.abs(exact) % (math.pi / 2), math.pi / 4)
    same(got[~eighth], exact[~eighth].astype("f4"))
    assert (ulps(got[eighth], exact[eighth]) <= 2).all()


@pytest.mark.parametrize("mode", ["chip", "hostile:all"])
def test_trigonometric_functions_of_any_angle(mode: str) -> None:
    x = random_bits(11, 4_000)
    x = x[np.isfinite(x) & (np.abs(x) > 1e6)]
    with computing(mode):
        got = {name: of(name, x) for name in ("sin", "cos", "tan")}
    with mpmath.workprec(200):
        exact = {
            name: np.asarray([float(getattr(mpmath, name)(mpmath.mpf(float(v)))) for v in x])
            for name in got
        }
    assert np.abs(got["sin"] - exact["sin"]).max() <= 5e-7
    assert np.abs(got["cos"] - exact["cos"]).max() <= 5e-7
    slope = 1 + exact["tan"] ** 2
    assert (np.abs(got["tan"] - exact["tan"]) / slope).max() <= 5e-7


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_large_angles_of_every_shape(name: str) -> None:
    """The bits of a tensor are looked at, which asks for numbers in a row."""
    x = np.asarray([[1e9, -0.25, 3e38], [-1e20, 1e7, 1.5e30]], "f4")
    exact = getattr(np, name)(x.astype("f8"))
    given = xp.asarray(x, device="npu:0")
    function = getattr(xp, name)
    for shown, want in (
        (given, exact),
        (given.T, exact.T),
        (given[:, ::2], exact[:, ::2]),
        (given[1:, 1:2], exact[1:, 1:2]),
        (given[1, 2, ...], exact[1, 2]),
        (given[:0, :], exact[:0]),
        (xp.asarray(torch.empty_strided((0,), (0,), device="npu:0")), exact[:0, 0]),
        (xp.asarray(torch.full((1,), 1e9, device="npu:0").as_strided((1,), (0,))), exact[0, :1]),
    ):
        got = to_numpy(function(shown))
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-6)


# --- complex numbers ------------------------------------------------------------------------------

COMPLEX = dict.fromkeys(
    "exp log sqrt sin cos sinh cosh asin acos atan asinh acosh atanh".split(), 8
)
COMPLEX |= {"expm1": 12, "log1p": 12, "tan": 16, "tanh": 16}


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers(name: str) -> None:
    random = np.random.default_rng(sum(name.encode()))
    size = 2.0 ** random.uniform(-20, 3, 400)
    turn = random.uniform(-math.pi, math.pi, 400)
    z = (size * np.cos(turn) + 1j * size * np.sin(turn)).astype("c8")
    with computing("chip"):
        got = of(name, z)
    with mpmath.workprec(200):
        exact = [complex(getattr(mpmath, name)(mpmath.mpc(complex(v)))) for v in z]
    error = np.abs(got.astype("c16") - exact) / np.spacing(np.abs(exact).astype("f4"))
    check(error, COMPLEX[name], (z.real, z.imag), got, exact)


# --- derivatives ----------------------------------------------------------------------------------

SLOPES = "acos asin asinh atan atanh erf erfc erfinv exp2 expm1 sin sinh tan".split()
INSIDE = np.asarray([0.0, -0.0, 0.1, 0.3, 0.5, 0.75, -0.25, -0.6, -0.9], "f4")


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # torch's own use
@pytest.mark.parametrize("dtype", [torch.float32, *NARROW])
@pytest.mark.parametrize("name", SLOPES)
def test_derivatives(name: str, dtype: torch.dtype) -> None:
    """They are those of torch on the CPU, in float64."""
    x = torch.from_numpy(INSIDE).to(dtype)
    there = x.to("npu:0").requires_grad_()
    with computing("chip"):
        result = xp.to_torch(function(name)(xp.asarray(there)))
        (slope,) = torch.autograd.grad(result.sum(), there)
        mapped = torch.func.jvp(
            lambda t: xp.to_torch(function(name)(xp.asarray(t))),
            (there.detach(),),
            (torch.ones_like(there),),
        )[1]
    exact = x.to(torch.float64).requires_grad_()
    (wanted,) = torch.autograd.grad(getattr(torch, name)(exact).sum(), exact)
    near = 4 * torch.finfo(dtype).eps if dtype is not torch.float32 else 4e-6
    for got in (slope, mapped):
        torch.testing.assert_close(got.cpu().to(torch.float64), wanted, rtol=near, atol=0)
