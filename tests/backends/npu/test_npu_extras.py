"""The functions beside the standard on NPUs: right, and computed on the device.

The oracle is NumPy.  Where no shape depends on values, nothing may be copied to the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from npu import EMULATOR, QUIET_TORCH_NPU, needs_two_devices

import ascend_array_api as xp
from ascend_array_api._torch import torch

# torch_npu says so once in a process, when it first makes certain tensors by itself.
pytestmark = QUIET_TORCH_NPU

INTEGERS = [f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)]
REAL_FLOATING = ["float16", "float32", "float64"]
DECOMPOSED = ["float32", "float64", "complex64", "complex128"]
NUMERIC = [*INTEGERS, *REAL_FLOATING, "complex64", "complex128"]


def sample(name: str, *shape: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    dtype = np.dtype(name)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    parts = rng.standard_normal((2, *shape))
    return (parts[0] + 1j * parts[1] if dtype.kind == "c" else parts[0]).astype(dtype)


def on_host(x: xp.Array) -> Any:
    assert x.device == "npu:0"
    return np.asarray(x.to_device("cpu"))


def close(x: xp.Array, expected: Any, rtol: float = 0) -> None:
    actual, expected = on_host(x), np.asarray(expected)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol)


def eps(name: str) -> float:
    return float(np.finfo(name).eps)


@contextmanager
def copies_to_the_host(most: int = 0) -> Iterator[None]:
    """Allow so many copies to the host, and no computing there."""
    before = len(xp.fallback_report())
    if EMULATOR is None:
        yield
    else:
        with EMULATOR.counting() as counts:
            yield
            torch.npu.synchronize()
        assert counts.to_host[0] <= most
        assert not counts.fallbacks
    assert len(xp.fallback_report()) == before


@pytest.mark.parametrize("size", [0, 1, 300])
@pytest.mark.parametrize("name", INTEGERS)
def test_bincount(name: str, size: int) -> None:
    x = np.random.default_rng(size).integers(0, 30, size).astype(name)
    operand = xp.asarray(x)
    with copies_to_the_host(1):  # of the least and the greatest element, at once
        result = xp.bincount(operand, minlength=5)
    close(result, np.bincount(x.astype("int64"), minlength=5))


@pytest.mark.parametrize("name", [*INTEGERS, *REAL_FLOATING])
def test_bincount_with_weights(name: str) -> None:
    x = np.random.default_rng(1).integers(0, 30, 200)
    weights = sample(name, 200)
    operands = xp.asarray(x), xp.asarray(weights)
    with copies_to_the_host(1):
        result = xp.bincount(*operands, 35)
    if name in INTEGERS:
        expected = np.zeros(35, "int64" if name.startswith("i") else "uint64")
        np.add.at(expected, x, weights.astype(expected.dtype))
        close(result, expected)
    else:
        close(result, np.bincount(x, weights, 35).astype(name), eps(name))


def test_bincount_refuses_negative_elements() -> None:
    with pytest.raises(ValueError, match="from 0 to"):
        xp.bincount(xp.asarray([1, -1]))


@needs_two_devices
def test_bincount_refuses_weights_on_another_device() -> None:
    with pytest.raises(ValueError, match="npu:1"):
        xp.bincount(xp.asarray([1]), xp.ones(1, device="npu:1"))


@pytest.mark.parametrize("sizes", [(1, 1), (1, 5), (5, 3), (4, 4), (40, 21)], ids=str)
@pytest.mark.parametrize("name", NUMERIC)
def test_convolve(name: str, sizes: tuple[int, int]) -> None:
    a, v = (sample(name, n, seed=n) for n in sizes)
    operands = xp.asarray(a), xp.asarray(v)
    for mode in ("full", "same", "valid"):
        with copies_to_the_host():
            result = xp.convolve(*operands, mode)
        if name in INTEGERS:
            exact = np.convolve(a.astype(object), v.astype(object), mode) % 2 ** (8 * a.itemsize)
            close(result, exact.astype(f"u{name.removeprefix('u')}").view(name))
        else:
            wide = "complex128" if "c" in name else "float64"
            expected = np.convolve(a.astype(wide), v.astype(wide), mode)
            bound = np.convolve(np.abs(a).astype(float), np.abs(v).astype(float), mode)
            away = np.abs(on_host(result).astype(wide) - expected)
            assert (away <= (min(sizes) + 2) * eps(name) * bound).all()


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("shape", [(), (1,), (6,), (7,), (3, 4), (2, 3, 4), (0,), (0, 3)], ids=str)
@pytest.mark.parametrize("name", REAL_FLOATING)
@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:Mean of empty slice:RuntimeWarning")
def test_median(name: str, shape: tuple[int, ...], special: bool) -> None:
    x = np.asarray(sample(name, *shape))
    if special:
        rng = np.random.default_rng(1)
        values = rng.choice([np.nan, np.inf, -np.inf, 0.0], shape)
        x = np.where(rng.random(shape) < 0.4, values, x).astype(name)
    operand = xp.asarray(x)
    for axis in (None, *range(len(shape))):
        with copies_to_the_host():
            result = xp.median(operand, axis=axis, keepdims=True)
        close(result, np.asarray(np.median(x, axis=axis, keepdims=True), dtype=name))


def test_median_does_not_overflow() -> None:
    close(xp.median(xp.asarray([3e38, 3e38])), np.float32(3e38))


SYSTEMS = {
    "tall": lambda name: sample(name, 7, 3),
    "wide": lambda name: sample(name, 3, 7),
    "square": lambda name: sample(name, 4, 4),
    "deficient": lambda name: sample(name, 8, 3) @ sample(name, 3, 5, seed=1),
    "zeros": lambda name: np.zeros((3, 2), name),
    "no columns": lambda name: np.zeros((3, 0), name),
    "no rows": lambda name: np.zeros((0, 2), name),
}
ON_THE_DEVICE = {"float32", "complex64"}


def check_lstsq(name: str, kind: str, columns: tuple[int, ...]) -> None:
    a = SYSTEMS[kind](name)
    b = sample(name, len(a), *columns, seed=2)
    operands = xp.asarray(a), xp.asarray(b)
    if name in ON_THE_DEVICE:
        with copies_to_the_host():
            result = xp.linalg.lstsq(*operands)
    else:
        with xp.options(host_fallback="allow"):
            result = xp.linalg.lstsq(*operands)
    rcond = max(a.shape) * eps(name)
    x, _, rank, s = np.linalg.lstsq(a.astype("complex128"), b.astype("complex128"), rcond)
    assert int(result.rank) == rank
    unit = 100 * max(a.shape) * eps(name)
    np.testing.assert_allclose(on_host(result.s), s, rtol=0, atol=unit * max(s, default=1))
    condition = s[0] / s[:rank][-1] if rank else 1.0
    size = np.linalg.norm(x) + np.linalg.norm(b) / (s[:rank][-1] if rank else 1.0)
    assert on_host(result.x).shape == x.shape
    np.testing.assert_allclose(on_host(result.x), x, rtol=0, atol=unit * condition * size)
    left = np.sum(np.abs(b - a @ x) ** 2, axis=0, keepdims=not columns)
    expected = left if a.shape[0] > a.shape[1] else left[:0]
    atol = unit * float(np.sum(np.abs(b) ** 2))
    np.testing.assert_allclose(on_host(result.residuals), expected, rtol=unit, atol=atol)


@pytest.mark.parametrize("columns", [(), (2,)], ids=str)
@pytest.mark.parametrize("kind", SYSTEMS)
@pytest.mark.parametrize("name", DECOMPOSED)
def test_lstsq(name: str, kind: str, columns: tuple[int, ...]) -> None:
    check_lstsq(name, kind, columns)


@pytest.mark.parametrize("name", ["float64", "complex128"])
def test_lstsq_on_the_host_says_so(name: str) -> None:
    with xp.options(host_fallback="error"), pytest.raises(xp.HostFallbackError, match="lstsq"):
        xp.linalg.lstsq(xp.asarray(sample(name, 3, 2)), xp.asarray(sample(name, 3)))


def test_lstsq_of_what_is_not_finite() -> None:
    result = xp.linalg.lstsq(xp.asarray([[1.0, xp.nan], [1.0, 2.0]]), xp.ones(2))
    assert np.isnan(on_host(result.x)).all()
    assert int(result.rank) == 0


@pytest.mark.parametrize("name", DECOMPOSED)
def test_roots(name: str) -> None:
    x = np.asarray([0, 2.0, -3, 1, 7, -1, 0], dtype=name)
    operand = xp.asarray(x)
    with xp.options(host_fallback="error"), pytest.raises(xp.HostFallbackError, match="eigvals"):
        xp.roots(operand)
    with xp.options(host_fallback="allow"):
        result = xp.roots(operand)
    kind = "complex64" if name in {"float32", "complex64"} else "complex128"
    expected = np.roots(x.astype("complex128"))
    actual = on_host(result)
    assert (actual.dtype, actual.shape) == (np.dtype(kind), expected.shape)
    near = np.abs(actual[:, None] - expected).min(axis=0)
    assert (near <= 50 * eps(name)).all()
    assert sorted(np.abs(actual)) == pytest.approx(sorted(np.abs(expected)), abs=50 * eps(name))


@pytest.mark.parametrize("coefficients", [[0.0, 0.0], [5.0], [2.0, 0.0, 0.0]])
def test_roots_without_eigenvalues(coefficients: list[float]) -> None:
    operand = xp.asarray(coefficients)
    with xp.options(host_fallback="error"):
        close(xp.roots(operand), np.roots(coefficients).astype("complex64"))


def test_large_convolutions_take_few_kernels() -> None:
    if EMULATOR is None:
        pytest.skip("counts")
    x = xp.ones(2000)
    with EMULATOR.counting() as counts:
        xp.convolve(x, x)
        torch.npu.synchronize()
    launched = sum(counts.kernels.values())
    assert launched < 20, counts.kernels
