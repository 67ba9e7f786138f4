"""Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ..drawing import assume, st
from ._cases import *
from ._table import *
from .strategies import *

chapter("fft")


def fft_check(
    exact: np.ndarray, dtype: str, points: int, ignored: float = 0.0
) -> Callable[[Any], None]:
    """Compare in the norm; ``ignored`` is that of what is transformed, and then left out."""
    norm = math.hypot(float(np.linalg.norm(exact)), ignored)
    tolerance = 4 * (1 + math.log2(max(points, 1))) * eps(dtype) * norm
    return lambda actual: within(actual, exact, dtype, tolerance)


def fft_norm(draw: Draw) -> dict[str, Any]:
    norm = draw(st.sampled_from((None, "backward", "ortho", "forward")))
    return {} if norm is None else {"norm": norm}


FFT_OF_REAL = ("rfft", "ihfft", "rfftn")

FFT_TO_REAL = ("irfft", "hfft", "irfftn")


def fft_result(name: str, dtype: str) -> str:
    if name in FFT_TO_REAL:
        return COMPONENT[dtype]
    return COMPLEX_OF[dtype]


def fft_shape(draw: Draw) -> tuple[int, ...]:
    return tuple(draw(shapes(min_dims=1, max_dims=3)))


def fft1(draw: Draw, name: str, dtype: str) -> Trial:
    short = name.removeprefix("fft.")
    shape = fft_shape(draw)
    kwargs: dict[str, Any] = {"axis": axis(draw, len(shape))} if draw(st.booleans()) else {}
    side = shape[kwargs.get("axis", -1)]
    assume(side > 0)
    if draw(st.booleans()) or (short in FFT_TO_REAL and side == 1):
        kwargs["n"] = draw(st.one_of(st.integers(1, 8), st.sampled_from((16, 37))))
    points = kwargs.get("n", 2 * (side - 1) if short in FFT_TO_REAL else side)
    kwargs |= fft_norm(draw)
    x = draw(operands(dtype, shape, moderate(dtype)))
    transform = getattr(np.fft, short)
    exact = transform(wide(x.value), **kwargs)
    ignored = 0.0
    if short in FFT_TO_REAL:
        # The first number's imaginary part does not count, nor the last one's where n is even.
        # What a sum of products makes of it is as small as rounding errors are beside it.
        half = np.moveaxis(x.value, kwargs.get("axis", -1), -1)[..., : points // 2 + 1]
        ends = half.imag[..., [0]] if points % 2 else half.imag[..., [0, -1]]
        unit = transform([1.0], points, norm=kwargs.get("norm"))
        ignored = float(np.linalg.norm(ends) * np.linalg.norm(unit))
    return Trial((x,), fft_check(exact, fft_result(short, dtype), points, ignored), kwargs)


def fftn(draw: Draw, name: str, dtype: str) -> Trial:
    short = name.removeprefix("fft.")
    shape = fft_shape(draw)
    kwargs: dict[str, Any] = {}
    if draw(st.booleans()):
        kwargs["axes"] = unique_axes(draw, len(shape), min_size=1)
    over = kwargs.get("axes", tuple(range(len(shape))))
    assume(all(shape[i] > 0 for i in over))
    points = [shape[i] for i in over]
    if ("axes" in kwargs and draw(st.booleans())) or (short in FFT_TO_REAL and points[-1] == 1):
        kwargs["axes"] = over
        kwargs["s"] = points = [draw(st.integers(1, 6)) for _ in over]
    elif short in FFT_TO_REAL:
        points[-1] = 2 * (points[-1] - 1)
    kwargs |= fft_norm(draw)
    values = wide(draw(operands(dtype, shape, moderate(dtype))).value)
    if short in FFT_TO_REAL:
        # Such a transform is defined for the image of a real array.
        values = np.fft.rfftn(
            wide(
                pooled(
                    draw,
                    COMPONENT[dtype],
                    tuple(
                        points[over.index(i)] if i in over else side for i, side in enumerate(shape)
                    ),
                    moderate(COMPONENT[dtype]),
                )
            ),
            axes=over,
        )
    x = fixed(draw, values.astype(dtype))
    exact = getattr(np.fft, short)(wide(x.value), **kwargs)
    return Trial((x,), fft_check(exact, fft_result(short, dtype), math.prod(points)), kwargs)


covers("fft.fft fft.ifft fft.irfft fft.hfft", COMPLEX)(fft1)
covers("fft.rfft fft.ihfft", REAL_FLOATING)(fft1)
covers("fft.fftn fft.ifftn fft.irfftn", COMPLEX)(fftn)
covers("fft.rfftn", REAL_FLOATING)(fftn)


@covers("fft.fftfreq fft.rfftfreq", REAL_FLOATING)
def fft_frequencies(draw: Draw, name: str, dtype: str) -> Trial:
    n = draw(st.integers(1, 70))
    kwargs: dict[str, Any] = {"d": draw(st.sampled_from((1.0, 0.1, 3.0, 1 / 3)))}
    kwargs = kwargs if draw(st.booleans()) else {}
    whole = getattr(np.fft, name.removeprefix("fft."))(n) * n
    exact = np.rint(whole).astype(np.longdouble) / (n * np.longdouble(kwargs.get("d", 1.0)))
    kwargs |= creation_dtype(dtype, "float32", draw)
    # d rounded, a product, a quotient.
    return Trial((n,), lambda actual: within_ulps(actual, exact, dtype, 3), kwargs)


@covers("fft.fftshift fft.ifftshift", FLOATING)
def fftshift(draw: Draw, name: str, dtype: str) -> Trial:
    x = movable(draw, dtype)
    kwargs = {"axes": axes(draw, x.value.ndim)} if draw(st.booleans()) else {}
    shifted = getattr(np.fft, name.removeprefix("fft."))
    # NumPy does not take an empty tuple of axes, nor no dimensions: nothing moves.
    moves = normalized(kwargs.get("axes"), x.value.ndim)
    expected = shifted(x.value, **kwargs) if moves else x.value
    return Trial((x,), exactly(expected), kwargs)


_TRANSFORMS: Final = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
for _name in _TRANSFORMS:
    on(f"fft.{_name}", lambda d: (d.values(4, 16),), lambda f, _, x: (f(x), f(x, n=12, axis=0)))
    on(
        f"fft.{_name}",
        lambda d: (d.values(4, 15),),
        lambda f, _, x: (f(x, norm="ortho"), f(x, norm="forward")),
        "norm",
    )
for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    on(
        f"fft.{_name}",
        lambda d: (d.values(4, 8, 6),),
        lambda f, _, x: (f(x), f(x, s=(6, 4), axes=(0, 1), norm="ortho")),
    )
on("fft.fftshift fft.ifftshift", lambda d: (d.values(4, 7),), lambda f, _, x: (f(x), f(x, axes=1)))
for _name in ("fftfreq", "rfftfreq"):
    on(
        f"fft.{_name}",
        lambda d: (40, d.dtype),
        lambda f, _, n, t: (f(n, dtype=t), f(n + 1, d=0.1, dtype=t)),
        numpy=lambda _, n, t, name=_name: tuple(
            getattr(np.fft, name)(m, s).astype(t) for m, s in ((n, 1.0), (n + 1, 0.1))
        ),
    )


because("fft.fftfreq fft.rfftfreq", flat=CREATES, unmapped=CREATES)
