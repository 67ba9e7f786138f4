"""Fourier transforms on NPUs: their values, what stays on the device, and what is left untouched.

Tests of tests/chapters/test_fft.py run on NPUs too.
"""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from npu import EMULATOR, needs_emulator, needs_two_devices

import ascend_array_api as xp
from ascend_array_api._backends.npu import fourier
from ascend_array_api._torch import torch
from tests.chapters.test_fft import ALONG_ONE, ALONG_SEVERAL, NORMS, OF_REAL, TO_REAL, operand
from tests.parametrize import nightly, others_nightly
from workshop.samples.strategies import to_numpy

SIZES = [*range(1, 68), 97, 128, 199, 211, 256, 400, 499, 997, 1000, 1009, 1024, 1999, 2000, 5000]
LARGE = [2**15, 199 * 211, 65537, 3 * 2**16]
PRECISIONS = [("float32", "complex64"), ("float64", "complex128")]


def numbers(name: str, shape: tuple[int, ...], precision: tuple[str, str]) -> Any:
    """Random numbers of the kind that a transform takes, in double or single precision."""
    return operand(name, shape).astype(precision[name not in OF_REAL])


def in_double(name: str, values: Any, **how: Any) -> Any:
    """NumPy's transform in double precision."""
    wide = np.complex128 if np.iscomplexobj(values) else np.float64
    return getattr(np.fft, name)(values.astype(wide), **how)


def error(actual: Any, expected: Any) -> float:
    """The error relative to the 2-norm, in units of the precision's epsilon."""
    assert actual.shape == expected.shape
    precision = np.finfo(actual.dtype).eps
    return float(np.linalg.norm(actual - expected) / np.linalg.norm(expected) / precision)


def bound(n: int) -> float:
    """What is allowed of that; NumPy itself comes to 0.2 to 0.5 times the logarithm."""
    return 1.5 + 0.5 * math.log2(n)


def half(name: str, n: int) -> int:
    """How many numbers a transform of n points takes."""
    return n // 2 + 1 if name in TO_REAL else n


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
@pytest.mark.parametrize("name", others_nightly(ALONG_ONE, 2))
def test_values_for_many_sizes(name: str, precision: tuple[str, str]) -> None:
    for n in SIZES + LARGE:
        values = numbers(name, (3 if n <= SIZES[-1] else 1, half(name, n)), precision)
        result = to_numpy(getattr(xp.fft, name)(xp.asarray(values), n=n))
        assert result.dtype == precision[name not in TO_REAL]
        assert error(result, in_double(name, values, n=n)) <= bound(n), n


def exact(values: Any, n: int, k: int, sign: int) -> Any:
    """One number of a spectrum by the definition, with 40 digits."""
    root = [mpmath.expjpi(mpmath.mpf(2 * sign * (j * k % n)) / n) for j in range(n)]
    return mpmath.fsum(mpmath.mpc(complex(v)) * w for v, w in zip(values, root))


@pytest.mark.parametrize("n", [7, 36, 211, nightly(512)])
def test_values_to_many_digits(n: int) -> None:
    values = numbers("fft", (n,), PRECISIONS[1])
    some = range(0, n, n // 16 + 1)
    with mpmath.workdps(40):
        for name, sign in (("fft", -1), ("ifft", 1)):
            expected = [exact(values, n, k, sign) for k in some]
            result = to_numpy(getattr(xp.fft, name)(xp.asarray(values), norm="ortho"))
            size = mpmath.sqrt(mpmath.fsum(abs(v) ** 2 for v in expected))
            scale = mpmath.sqrt(n)
            off = [abs(mpmath.mpc(complex(result[k])) * scale - v) for k, v in zip(some, expected)]
            assert mpmath.norm(off) / size <= bound(n) * 2.0**-52


def test_roots_of_unity_to_an_ulp() -> None:
    for n in (1, 2, 3, 8, 12, 1009, 4096, 2**40 + 15):
        k = sorted({*range(0, n, n // 37 + 1), *(n * i // 8 + j for i in range(8) for j in (0, 1))})
        k = [i for i in k if i < n]
        roots = fourier._roots(torch.tensor(k, device="cpu"), n).tolist()
        with mpmath.workdps(40):
            for i, root in zip(k, roots):
                expected = mpmath.expjpi(mpmath.mpf(2 * i) / n)
                for part, true in ((root.real, expected.real), (root.imag, expected.imag)):
                    assert abs(part - true) <= 1.5 * math.ulp(abs(float(true)))
    assert fourier._roots(torch.arange(4, device="cpu"), 4).tolist() == [1, 1j, -1, -1j]


@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", [*ALONG_ONE, *ALONG_SEVERAL])
def test_long_primes_along_any_axis(name: str, norm: Any, precision: Any) -> None:
    values = numbers(name, (5, 4, 6), precision)
    hows: list[dict[str, Any]] = [{"axes": (2, 0), "s": s} for s in ((2, 211), (211, 2))]
    if name in ALONG_ONE:
        hows = [{"axis": axis, "n": 211} for axis in (0, 1, -1)]
    for how in hows:
        result = to_numpy(getattr(xp.fft, name)(xp.asarray(values), norm=norm, **how))
        assert error(result, in_double(name, values, norm=norm, **how)) <= 5, how


@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
@pytest.mark.parametrize("name", ALONG_ONE)
def test_eight_axes(name: str, precision: tuple[str, str]) -> None:
    values = numbers(name, (2, 1, 3, 2, 1, 2, 3, 2), precision)
    for axis in (0, 2, -1):
        result = to_numpy(getattr(xp.fft, name)(xp.asarray(values), axis=axis, n=5))
        assert error(result, in_double(name, values, axis=axis, n=5)) <= 3


def test_a_large_batch_in_small_pieces() -> None:
    values = numbers("fft", (3000, 210), PRECISIONS[1])
    assert values.size * 7 > fourier._ELEMENTS
    result = to_numpy(xp.fft.fft(xp.asarray(values)))
    assert error(result, in_double("fft", values)) <= bound(210)


@pytest.mark.parametrize("name", ALONG_ONE)
def test_more_points_and_numbers_than_libasdsip_takes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By smaller limits, so as not to need gigabytes."""
    values = numbers(name, (5, half(name, 60)), PRECISIONS[0])
    expected = in_double(name, values, n=60)
    for limit, most in (("_MOST_NUMBERS", 125), ("_MOST_NUMBERS", 1), ("_LONGEST", 59)):
        with monkeypatch.context() as patch:
            patch.setattr(fourier, limit, most)
            assert error(to_numpy(getattr(xp.fft, name)(xp.asarray(values), n=60)), expected) <= 3
    values = numbers(name, (2, half(name, 211)), PRECISIONS[0])
    monkeypatch.setattr(fourier, "_LONGEST", 256)  # less than the convolution needs
    result = to_numpy(getattr(xp.fft, name)(xp.asarray(values), n=211))
    assert error(result, in_double(name, values, n=211)) <= bound(211)


@needs_two_devices
@pytest.mark.parametrize("name", ALONG_ONE)
def test_on_the_device_that_is_not_current(name: str) -> None:
    for precision in PRECISIONS:
        for n in (60, 211):
            values = numbers(name, (2, half(name, n)), precision)
            for device in ("npu:1", "npu:0"):
                result = getattr(xp.fft, name)(xp.asarray(values, device=device), n=n)
                assert result.device == device
                assert error(to_numpy(result), in_double(name, values, n=n)) <= bound(n)


# --- on the device --------------------------------------------------------------------------------


@needs_emulator
@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
@pytest.mark.parametrize("name", [*ALONG_ONE, *ALONG_SEVERAL])
def test_transforms_stay_on_the_device(name: str, precision: tuple[str, str]) -> None:
    assert EMULATOR is not None
    for shape in ((3, 8), (2, 60), (2, 211), (4, 5, 499)):
        x = xp.asarray(numbers(name, shape, precision))
        transform = getattr(xp.fft, name)
        transform(x, norm="ortho")  # its tables come from the host, once
        with EMULATOR.counting() as counts:
            result = transform(x, norm="ortho")
        assert result.device == "npu:0"
        assert counts.kernels
        assert counts.to_host == (0, 0)
        assert counts.to_device == (0, 0)
        assert not counts.fallbacks


@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
@pytest.mark.parametrize("name", ALONG_ONE)
def test_arguments_of_large_powers_of_two_are_not_changed(name: str, precision: Any) -> None:
    """torch_npu lets CANN write to them: see test_npu_documented_errors.py."""
    for n, rows in ((2**15, ()), (2**15, (2,)), (2**16, ())):
        values = numbers(name, (*rows, half(name, n)), precision)
        x = xp.asarray(values)
        result = to_numpy(getattr(xp.fft, name)(x, n=n))
        np.testing.assert_array_equal(to_numpy(x), values)
        assert error(result, in_double(name, values, n=n)) <= bound(n)


def test_tables_are_kept_within_bounds() -> None:
    tables = fourier._Tables(room=2000)
    x = torch.zeros(1, dtype=torch.complex64, device="npu")
    first = tables(fourier._chirp, 100, dtype=x.dtype, like=x, inverse=False)
    again = tables(fourier._chirp, 100, dtype=x.dtype, like=x, inverse=False)
    assert again is first
    assert first.device == x.device
    for n in (50, 100, 101):
        for inverse in (False, True):
            tables(fourier._chirp, n, dtype=x.dtype, like=x, inverse=inverse)
    assert sum(t.nbytes for t in tables._kept.values()) <= 2000
    assert tables(fourier._chirp, 1000, dtype=x.dtype, like=x, inverse=False).shape == (1000,)
    assert len(tables._kept) == 1


# --- gradients ------------------------------------------------------------------------------------


def on_tensors(name: str, x: torch.Tensor, **how: Any) -> torch.Tensor:
    return xp.to_torch(getattr(xp.fft, name)(xp.asarray(x), **how))


@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
@pytest.mark.parametrize("name", [*ALONG_ONE, *ALONG_SEVERAL])
def test_gradients_and_their_gradients(name: str, precision: tuple[str, str]) -> None:
    """Against those of torch on the CPU, in double precision."""
    for shape, how in (((2, 6), {}), ((3, 211), {}), ((2, 5), {"norm": "ortho"})):
        if name in ALONG_ONE:
            how = {**how, "n": 9, "axis": 0} if shape == (2, 5) else how
        values = numbers(name, shape, precision)
        found = []
        for device, wide in (("npu", False), ("cpu", True)):
            x = torch.from_numpy(values)
            if wide:
                x = x.to(torch.complex128 if x.is_complex() else torch.float64)
            x = x.to(device).requires_grad_()
            y = on_tensors(name, x, **how)
            y = torch.view_as_real(y) if y.is_complex() else y
            (gradient,) = torch.autograd.grad((y * y * y).sum(), x, create_graph=True)
            gradient = gradient.resolve_conj()
            parts = torch.view_as_real(gradient) if gradient.is_complex() else gradient
            (second,) = torch.autograd.grad((parts * parts).sum(), x)
            assert gradient.dtype == second.dtype == x.dtype
            found.append([t.detach().cpu().resolve_conj().numpy() for t in (gradient, second)])
        for actual, expected in zip(*found):
            assert error(actual, expected) <= 20


def test_gradients_are_not_changed() -> None:
    n = 2**15
    for name in ("fft", "ifft", "irfft"):
        x = torch.zeros(half(name, n), dtype=torch.complex64, device="npu", requires_grad=True)
        y = on_tensors(name, x)
        given = torch.ones_like(y)
        y.backward(given)
        parts = torch.view_as_real(given)[:, 0] if given.is_complex() else given
        assert bool((parts.cpu() == 1).all())


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # torch's own use
@pytest.mark.parametrize(
    ("name", "norm", "sizes"),
    [
        ("fft", "backward", (6, 211)),
        ("ifft", "forward", (6, 211)),
        ("rfft", "backward", (6,)),
        ("irfft", "forward", (6,)),
    ],
)
def test_tangents(name: str, norm: str, sizes: tuple[int, ...]) -> None:
    """Unscaled only: torch_npu lacks what the tangent of a product with a number needs."""
    for n in sizes:
        x = torch.from_numpy(numbers(name, (half(name, n),), PRECISIONS[0])).to("npu")
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(x, x)
            result = on_tensors(name, dual, n=n, norm=norm)
            primal, tangent = torch.autograd.forward_ad.unpack_dual(result)
        assert tangent is not None
        np.testing.assert_array_equal(tangent.cpu().numpy(), primal.cpu().numpy())
