"""Fourier transforms: against their definition, and what is refused and how.

Values on drawn arrays are compared with NumPy's in tests/samples/test_against_numpy.py.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch
from refusals import refused

import ascend_array_api as xp

ALONG_ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
ALONG_SEVERAL = ("fftn", "ifftn", "rfftn", "irfftn")
OF_REAL = ("rfft", "ihfft", "rfftn")
TO_REAL = ("irfft", "hfft", "irfftn")
NORMS = ("backward", "ortho", "forward")


def host(x: xp.Array) -> np.ndarray:
    return np.asarray(x.to_device("cpu"))


def operand(name: str, shape: tuple[int, ...], dtype: torch.dtype | None = None) -> np.ndarray:
    """Random numbers of the kind that a transform takes."""
    random = np.random.default_rng(sum(map(ord, name)) + len(shape))
    values = random.standard_normal(shape)
    if name not in OF_REAL:
        values = values + 1j * random.standard_normal(shape)
    return values if dtype is None else values.astype(str(dtype).removeprefix("torch."))


def array_for(name: str, shape: tuple[int, ...] = (4,)) -> xp.Array:
    return xp.asarray(operand(name, shape))


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.npu
def test_minus_one_stands_for_the_whole_axis() -> None:
    x = array_for("fftn", (3, 4))
    for name in ("fftn", "ifftn", "irfftn"):
        transform = getattr(xp.fft, name)
        default = transform(x, axes=(0, 1))
        assert bool(xp.all(transform(x, s=[-1, -1], axes=[0, 1]) == default))
        assert transform(x, s=(-1, 6), axes=(1, 0)).shape == (6, 4)
    assert xp.fft.rfftn(xp.real(x), s=(-1, -1), axes=(1, 0)).shape == (2, 4)


@pytest.mark.npu
@pytest.mark.parametrize("name", [*ALONG_ONE, *ALONG_SEVERAL])
def test_arrays_without_rows(name: str) -> None:
    transform = getattr(xp.fft, name)
    length = 6 if name in TO_REAL else 3 if name in OF_REAL else 4
    axis = {"axis": 1} if name in ALONG_ONE else {"axes": (1,)}
    for shape, expected in (((0, 4), (0, length)), ((2, 4, 0), (2, length, 0))):
        result = transform(array_for(name, shape), **axis)
        assert result.shape == expected
        assert result.dtype is (xp.float64 if name in TO_REAL else xp.complex128)


@pytest.mark.parametrize("name", [*ALONG_ONE, *ALONG_SEVERAL])
@pytest.mark.parametrize("shape", [(1, 3), (4, 1), (4, 1, 2), (1, 1)])
def test_elements_in_one_place(name: str, shape: tuple[int, ...]) -> None:
    dtype = xp.float64 if name in OF_REAL else xp.complex128
    rows = xp.broadcast_to(
        xp.reshape(xp.arange(np.prod(shape), dtype=dtype), shape), (4, 3, *shape[2:])
    )
    where = {"axes": [0, 1]} if name in ALONG_SEVERAL else {"axis": 0}
    transform = getattr(xp.fft, name)
    apart = transform(rows, **where) - transform(xp.asarray(rows, copy=True), **where)
    assert xp.max(xp.abs(apart)) <= 1e-12


@pytest.mark.npu
@pytest.mark.parametrize("name", ALONG_ONE)
def test_an_axis_of_size_zero_is_padded(name: str) -> None:
    for shape, narrow in itertools.product([(0,), (2, 0), (0, 0)], [False, True]):
        values = operand(name, shape)
        values = values.astype(f"{values.dtype.kind}{values.itemsize // 2}") if narrow else values
        result = getattr(xp.fft, name)(xp.asarray(values), n=4)
        assert result.shape == (*shape[:-1], 3 if name in OF_REAL else 4)
        assert not bool(xp.any(xp.abs(result) > 0))


def test_no_axes() -> None:
    for x, kwargs in ((xp.asarray(1 + 2j), {}), (array_for("fftn"), {"axes": ()})):
        for name in ("fftn", "ifftn"):
            result = getattr(xp.fft, name)(x, **kwargs)
            assert bool(xp.all(result == x))
            result[...] = 0.0
            assert bool(xp.all(x))
        with pytest.raises(ValueError, match=r"^fft.irfftn: expected at least one axis"):
            xp.fft.irfftn(x, **kwargs)
        with pytest.raises(ValueError, match=r"^fft.rfftn: expected at least one axis"):
            xp.fft.rfftn(xp.real(x), **kwargs)


@pytest.mark.parametrize("name", ["irfft", "hfft"])
def test_half_a_spectrum_of_one_element_needs_a_number_of_points(name: str) -> None:
    x = array_for(name, (1,))
    with pytest.raises(ValueError, match=rf"^fft.{name}: a transform needs .* to have 0\."):
        getattr(xp.fft, name)(x)
    assert float(getattr(xp.fft, name)(x, n=1)[0]) == float(xp.real(x)[0])


# --- frequencies and shifts -----------------------------------------------------------------------


@pytest.mark.npu
@pytest.mark.parametrize("dtype", [None, xp.float16, xp.bfloat16, xp.float32, xp.float64], ids=str)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 1000])
def test_frequencies(n: int, dtype: torch.dtype | None) -> None:
    first = [k if k < (n + 1) // 2 else k - n for k in range(n)]
    for name, numbers in (("fftfreq", first), ("rfftfreq", list(range(n // 2 + 1)))):
        for d in (1.0, 0.1, 3, -2.5):
            x = getattr(xp.fft, name)(n, d=d, dtype=dtype)
            assert x.dtype is (dtype or xp.float32)
            assert x.device == xp.__array_namespace_info__().default_device()
            # Each is rounded once from float64.
            exact = torch.asarray([k / (n * d) for k in numbers], dtype=torch.float64, device="cpu")
            expected = exact.to(dtype or torch.float32)
            assert torch.equal(xp.to_torch(x.to_device("cpu")), expected)


@pytest.mark.parametrize("n", [8, 300_001])
@pytest.mark.parametrize("d", [1e39, 1e-40, 1e-46, 2.0**70, 2.0**-130, 1e300, 1e-300])
@pytest.mark.parametrize("dtype", [xp.float32, xp.float64])
def test_frequencies_of_extreme_spacing(n: int, d: float, dtype: torch.dtype) -> None:
    """As NumPy divides float64, rounded, and without a warning."""
    with np.errstate(all="ignore"):
        exact = np.arange(n // 2 + 1) / (n * d)
        expected = exact.astype(np.float32 if dtype is xp.float32 else np.float64)
    found = xp.fft.rfftfreq(n, d=d, dtype=dtype, device="cpu")
    np.testing.assert_array_equal(np.asarray(found), expected)


@pytest.mark.parametrize(
    ("shape", "s", "axes"),
    [((1, 2, 2), (3, 1), (-2, 0)), ((2, 3, 2), (3, 1), (1, 0)), ((3, 2, 5), (4, 2, 1), (0, 1, 2))],
)
@pytest.mark.parametrize("norm", NORMS)
def test_one_real_point_along_the_last_axis(
    shape: tuple[int, ...], s: tuple[int, ...], axes: tuple[int, ...], norm: Any
) -> None:
    """On GPUs torch's own function gives other numbers."""
    parts = np.random.default_rng(0).integers(-3, 4, (2, *shape))
    spectrum = (parts[0] + 1j * parts[1]).astype(np.complex64)
    made = xp.fft.irfftn(xp.asarray(spectrum), s=s, axes=axes, norm=norm)
    expected = np.fft.irfftn(spectrum, s=s, axes=axes, norm=norm)
    assert np.allclose(host(made), expected, atol=1e-5)


# --- what is refused ------------------------------------------------------------------------------

OF_ALL = r"""
[ValueError]
norm must be 'backward', 'ortho' or | fft.NAME(x, norm=None); fft.NAME(x, norm="Ortho")
norm must be 'backward', 'ortho' or | fft.NAME(x, norm=""); fft.NAME(x, norm=1)
"""
OF_ONE_AXIS = r"""
[ValueError]
a transform needs .* to have 0\. | fft.NAME(y, n=0)
a transform needs .* to have -1\. | fft.NAME(y, n=-1)
axis 0 of an array of shape \(0, 4\) | fft.NAME(y[:0, :], axis=0)
[TypeError]
n must be an integer | fft.NAME(y, n=2.0); fft.NAME(y, n=True); fft.NAME(y, n="2")
n must be an integer | fft.NAME(y, n=(2,))
positional | fft.NAME(y, 4)
"""
OF_SEVERAL_AXES = r"""
[ValueError]
s says nothing without axes | fft.NAME(y, s=(3, 4))
s and axes must be of one length | fft.NAME(y, s=(3, 4), axes=(0,))
a transform needs .* to have 0\. | fft.NAME(y, s=(3, 0), axes=(0, 1))
a transform needs .* to have -2\. | fft.NAME(y, s=(3, -2), axes=(0, 1))
axis 0 of an array of shape \(0, 4\) | fft.NAME(y[:0, :])
[TypeError]
axes must be a tuple or a list | fft.NAME(y, axes=0)
s must be a tuple or a list | fft.NAME(y, s=3, axes=(0,))
s must be an integer | fft.NAME(y, s=(3.0,), axes=(0,))
"""
OF_FREQUENCIES = r"""
[ValueError]
n must be at least 1, got 0 | fft.NAME(0)
n must be at least 1, got -1 | fft.NAME(-1)
d, the spacing .* must not be 0 | fft.NAME(4, d=0.0)
there is no device 'tpu' | fft.NAME(4, device="tpu")
[TypeError]
n must be an integer | fft.NAME(4.0); fft.NAME(True); fft.NAME("4")
d must be an int or a float | fft.NAME(4, d=1j); fft.NAME(4, d=True); fft.NAME(4, d=None)
data type .* real floating-point | fft.NAME(4, dtype=xp.int64); fft.NAME(4, dtype=xp.complex64)
dtype must be one of the | fft.NAME(4, dtype=np.float64); fft.NAME(4, dtype="float32")
positional | fft.NAME(4, 1.0)
"""


@pytest.mark.npu
@pytest.mark.parametrize(
    ("table", "names"),
    [
        *((OF_ALL, (*ALONG_ONE, *ALONG_SEVERAL)), (OF_ONE_AXIS, ALONG_ONE)),
        *((OF_SEVERAL_AXES, ALONG_SEVERAL), (OF_FREQUENCIES, ("fftfreq", "rfftfreq"))),
    ],
    ids=["all", "one axis", "several axes", "frequencies"],
)
def test_what_is_refused(table: str, names: tuple[str, ...]) -> None:
    for name in names:
        given = {"x": lambda n=name: array_for(n), "y": lambda n=name: array_for(n, (3, 4))}
        refused(table.replace("NAME", name), **given)()
