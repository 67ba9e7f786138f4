"""Fourier transforms: against their definition, and what is refused and how.

Values on drawn arrays are compared with NumPy's in tests/samples/test_against_numpy.py.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

import ascend_array_api as xp

if TYPE_CHECKING:
    pass

ALONG_ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
ALONG_SEVERAL = ("fftn", "ifftn", "rfftn", "irfftn")
OF_REAL = ("rfft", "ihfft", "rfftn")
TO_REAL = ("irfft", "hfft", "irfftn")
FORWARD = ("fft", "rfft", "hfft", "fftn", "rfftn")
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


def resized(values: np.ndarray, size: int) -> np.ndarray:
    """The values trimmed or padded with zeros along the last axis."""
    values = values[..., :size]
    return np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, size - values.shape[-1])])


def defined(name: str, values: np.ndarray, n: int | None, norm: str) -> np.ndarray:
    """The transform along the last axis by its definition, in extended precision."""
    size = values.shape[-1]
    if name in TO_REAL:
        n = 2 * (size - 1) if n is None else n
        half = resized(values, n // 2 + 1)
        # The half that is left out mirrors the other: x[n - k] = conj(x[k]).
        values = np.concatenate([half, np.conj(half[..., 1 : (n + 1) // 2][..., ::-1])], axis=-1)
        values[..., 0] = values[..., 0].real
        if n % 2 == 0:
            values[..., n // 2] = values[..., n // 2].real
    else:
        n = size if n is None else n
        values = resized(values, n)
    forward = name in FORWARD
    angles = 2 * np.arccos(np.longdouble(-1)) * (np.outer(np.arange(n), np.arange(n)) % n) / n
    matrix = np.cos(angles) + (-1j if forward else 1j) * np.sin(angles)
    result = values.astype(np.clongdouble) @ matrix
    scaled = {"ortho": True, "forward": forward, "backward": not forward}[norm]
    if scaled:
        result = result / (np.sqrt(np.longdouble(n)) if norm == "ortho" else n)
    if name in TO_REAL:
        return result.real
    return result[..., : n // 2 + 1] if name in OF_REAL else result


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.npu
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [None, 1, 2, 5, 8, 15])
@pytest.mark.parametrize("name", ALONG_ONE)
def test_transforms_by_their_definition(name: str, n: int | None, norm: str) -> None:
    for size in (2, 5, 6):
        for dtype, tolerance in ((xp.complex64, 1e-6), (xp.complex128, 1e-15)):
            result_dtype = dtype
            real = xp.float32 if dtype is xp.complex64 else xp.float64
            if name in TO_REAL:
                result_dtype = real
            values = operand(name, (3, size), real if name in OF_REAL else dtype)
            expected = defined(name, values, n, norm)
            bound = 4 * tolerance * np.linalg.norm(expected.astype("complex128"))
            for axis in (-1, 0):
                x = xp.asarray(values if axis == -1 else np.ascontiguousarray(values.T))
                result = getattr(xp.fft, name)(x, n=n, axis=axis, norm=norm)
                assert result.dtype is result_dtype
                actual = host(result) if axis == -1 else host(result).T
                assert actual.shape == expected.shape
                assert np.max(np.abs(actual - expected)) <= bound


@pytest.mark.npu
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ALONG_SEVERAL)
def test_transforms_along_several_axes_are_transforms_along_each(name: str, norm: str) -> None:
    one, each = name[:-1], "ifft" if name.startswith("i") else "fft"
    x = array_for(name, (3, 4, 5))
    for axes, s in (((2, 0), None), ((0, 1), (4, 3)), ((1,), (7,)), ((0, 2, 1), (2, 3, 6))):
        points = (None,) * len(axes) if s is None else s

        def last(y: xp.Array, name: str, axes: Any = axes, points: Any = points) -> xp.Array:
            transform = getattr(xp.fft, name)
            return transform(y, n=points[-1], axis=axes[-1], norm=norm)

        expected = last(x, one) if name in OF_REAL else x
        for axis, n in list(zip(axes, points))[: None if one == each else -1]:
            expected = getattr(xp.fft, each)(expected, n=n, axis=axis, norm=norm)
        expected = last(expected, one) if name in TO_REAL else expected
        result = getattr(xp.fft, name)(x, s=s, axes=axes, norm=norm)
        assert result.dtype is expected.dtype
        np.testing.assert_allclose(host(result), host(expected), rtol=1e-12, atol=1e-13)


@pytest.mark.npu
@pytest.mark.parametrize("norm", NORMS)
def test_inverses(norm: Any) -> None:
    z = array_for("fft", (3, 5))
    x = array_for("rfft", (3, 5))
    for back, there in (
        (xp.fft.ifft(xp.fft.fft(z, norm=norm), norm=norm), z),
        (xp.fft.ifftn(xp.fft.fftn(z, norm=norm), norm=norm), z),
        (xp.fft.irfft(xp.fft.rfft(x, norm=norm), n=5, norm=norm), x),
        (xp.fft.irfftn(xp.fft.rfftn(x, norm=norm), s=(3, 5), axes=(0, 1), norm=norm), x),
        (xp.fft.hfft(xp.fft.ihfft(x, norm=norm), n=5, norm=norm), x),
    ):
        np.testing.assert_allclose(host(back), host(there), rtol=1e-12, atol=1e-13)


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


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*ALONG_ONE, *ALONG_SEVERAL])
def test_norms_of_another_name(name: str) -> None:
    for norm in (None, "Ortho", "", 1):
        with pytest.raises(ValueError, match=rf"^fft.{name}: norm must be 'backward', 'ortho' or"):
            getattr(xp.fft, name)(array_for(name), norm=norm)


@pytest.mark.parametrize("name", ALONG_ONE)
def test_arguments_along_one_axis(name: str) -> None:
    transform = getattr(xp.fft, name)
    x = array_for(name, (3, 4))
    for n in (0, -1):
        with pytest.raises(ValueError, match=rf"^fft.{name}: a transform needs .* to have {n}\."):
            transform(x, n=n)
    for n in (2.0, True, "2", (2,)):
        with pytest.raises(TypeError, match=rf"^fft.{name}: n must be an integer"):
            transform(x, n=n)
    with pytest.raises(ValueError, match=r"axis 0 of an array of shape \(0, 4\)"):
        transform(x[:0, :], axis=0)
    with pytest.raises(TypeError, match="positional"):
        transform(x, 4)


@pytest.mark.parametrize("name", ["irfft", "hfft"])
def test_half_a_spectrum_of_one_element_needs_a_number_of_points(name: str) -> None:
    x = array_for(name, (1,))
    with pytest.raises(ValueError, match=rf"^fft.{name}: a transform needs .* to have 0\."):
        getattr(xp.fft, name)(x)
    assert float(getattr(xp.fft, name)(x, n=1)[0]) == float(xp.real(x)[0])


@pytest.mark.parametrize("name", ALONG_SEVERAL)
def test_arguments_along_several_axes(name: str) -> None:
    transform = getattr(xp.fft, name)
    x = array_for(name, (3, 4))
    with pytest.raises(ValueError, match=rf"^fft.{name}: s says nothing without axes"):
        transform(x, s=(3, 4))
    with pytest.raises(ValueError, match=rf"^fft.{name}: s and axes must be of one length"):
        transform(x, s=(3, 4), axes=(0,))
    for n in (0, -2):
        with pytest.raises(ValueError, match=rf"^fft.{name}: a transform needs .* to have {n}\."):
            transform(x, s=(3, n), axes=(0, 1))
    with pytest.raises(ValueError, match=r"axis 0 of an array of shape \(0, 4\)"):
        transform(x[:0, :])
    for kwargs, words in (
        ({"axes": 0}, "axes must be a tuple or a list"),
        ({"s": 3, "axes": (0,)}, "s must be a tuple or a list"),
        ({"s": (3.0,), "axes": (0,)}, "s must be an integer"),
    ):
        with pytest.raises(TypeError, match=rf"^fft.{name}: {words}"):
            transform(x, **kwargs)


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


@pytest.mark.npu
def test_frequencies_on_a_device(device: xp.Device) -> None:
    for name in ("fftfreq", "rfftfreq"):
        for target in (device, str(device), "cpu"):
            assert getattr(xp.fft, name)(4, device=target).device == str(target)
        with pytest.raises(ValueError, match=rf"^fft.{name}: there is no device 'tpu'"):
            getattr(xp.fft, name)(4, device="tpu")


@pytest.mark.npu
@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_arguments_of_frequencies(name: str) -> None:
    frequencies = getattr(xp.fft, name)
    for n in (0, -1):
        with pytest.raises(ValueError, match=rf"^fft.{name}: n must be at least 1, got {n}"):
            frequencies(n)
    for n in (4.0, True, "4"):
        with pytest.raises(TypeError, match=rf"^fft.{name}: n must be an integer"):
            frequencies(n)
    with pytest.raises(ValueError, match=rf"^fft.{name}: d, the spacing .* must not be 0"):
        frequencies(4, d=0.0)
    for d in (1j, True, "1", None):
        with pytest.raises(TypeError, match=rf"^fft.{name}: d must be an int or a float"):
            frequencies(4, d=d)
    for dtype in (xp.int64, xp.complex64, xp.bool):
        with pytest.raises(TypeError, match=rf"^fft.{name}: data type .* real floating-point"):
            frequencies(4, dtype=dtype)
    for dtype in (np.float64, float, "float32"):
        with pytest.raises(TypeError, match=rf"^fft.{name}: dtype must be one of the"):
            frequencies(4, dtype=dtype)
    with pytest.raises(TypeError, match="positional"):
        frequencies(4, 1.0)


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
