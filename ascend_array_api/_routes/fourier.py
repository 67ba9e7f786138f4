"""The Fourier transforms, and what torch's own functions for them lack or get wrong.

A transform along one axis takes a tensor, the number of points ``n``, a non-negative axis, and the
normalization; one along several takes lists of points and of axes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from .._torch import Tensor, torch
from .._torch import dtypes as dt
from .._torch.private import in_transform
from ._bits import in_single
from ._derivatives import batched
from ._operations import Op, cast

_REAL: Final = dt.REAL_FLOATING - dt.HALF

# --- the operations -------------------------------------------------------------------------------


def _transform(
    function: Callable[..., Tensor], *, from_half: bool = False
) -> Callable[..., Tensor]:
    """Return torch's transform for tensors of any size, and with plain results.

    ``from_half`` says that it takes one half of a spectrum.
    """

    def transform(x: Tensor, points: Any, axes: Any, norm: str) -> Tensor:
        empty = []
        if not x.numel():  # MKL refuses an empty batch: transform one row, and keep none
            among = axes if isinstance(axes, list) else [axes]
            empty = [i for i, size in enumerate(x.shape) if size == 0 and i not in among]
            shape = [1 if i in empty else size for i, size in enumerate(x.shape)]
            x = torch.zeros(shape, dtype=x.dtype, device=x.device)
        # Given a size, torch copies the input even if it already has that size.
        if isinstance(axes, list):
            same = not from_half and points == [x.shape[i] for i in axes]
        else:
            same = points == (2 * x.shape[axes] - 2 if from_half else x.shape[axes])
        result = function(x, None if same else points, axes, norm)
        for i in empty:
            result = result.narrow(i, 0, 0)
        return result

    return transform


_OPPOSITE: Final = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def conjugate_half(
    x: Tensor, points: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """Return the first half of the spectrum of ``ihfft``."""
    # Torch's ihfft only marks its result as conjugate; resolving the mark would copy it.
    half: Tensor = torch.fft.rfft(x, points, axis, _OPPOSITE[norm])
    if in_transform() and batched(half):  # torch.vmap would conjugate them one by one, and warns
        return torch.conj(half).resolve_conj()
    # Not in place: on a GPU that is not the current one, torch then leaves the numbers as they are.
    return torch.conj_physical(half)


def width_of_frequencies(size: int, length: float, dtype: torch.dtype) -> torch.dtype:
    """Return the data type in which frequencies are computed so that they are rounded once.

    For two numbers of float32, rounding their float64 quotient gives the float32 quotient.
    """
    if dtype is dt.float32 and size <= 2**24 and 2.0**-64 < abs(length) < 2.0**64:
        return dtype if in_single(length) else dt.float64
    return dt.float64


def _frequencies(
    first: int, last: int, length: float, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Return 0 / length, ..., last / length, first / length, ..., -1 / length.

    They are computed in float64 and rounded, so that every device gives the same.  The divisor is
    a tensor, because CUDA turns division by a scalar into multiplication by its inverse.
    """
    size = last + 1 - first
    wide = width_of_frequencies(size, length, dtype)
    counted = torch.arange(size, dtype=wide, device=device)
    if first:
        counted[last + 1 :].sub_(size)
    quotient = counted.div_(torch.full((), length, dtype=counted.dtype, device=device))
    return cast(quotient, dtype)


_from_half: Final = functools.partial(_transform, from_half=True)


def _irfftn(x: Tensor, points: list[int], axes: list[int], norm: str) -> Tensor:
    if points[-1] == 1 and len(axes) > 1:
        # Torch 2.11 on CUDA gives other numbers, and reads beyond x, for one point along the last
        # axis beside several along others.
        x = _transform(torch.fft.ifftn)(x, points[:-1], axes[:-1], norm)
        return _from_half(torch.fft.irfft)(x, 1, axes[-1], norm)
    return _from_half(torch.fft.irfftn)(x, points, axes, norm)


fft: Final = Op("fft", _transform(torch.fft.fft), dt.COMPLEX)
ifft: Final = Op("ifft", _transform(torch.fft.ifft), dt.COMPLEX)
fftn: Final = Op("fftn", _transform(torch.fft.fftn), dt.COMPLEX)
ifftn: Final = Op("ifftn", _transform(torch.fft.ifftn), dt.COMPLEX)
rfft: Final = Op("rfft", _transform(torch.fft.rfft), _REAL, returns="complex")
irfft: Final = Op("irfft", _from_half(torch.fft.irfft), dt.COMPLEX, returns="real")
rfftn: Final = Op("rfftn", _transform(torch.fft.rfftn), _REAL, returns="complex")
irfftn: Final = Op("irfftn", _irfftn, dt.COMPLEX, returns="real")
hfft: Final = Op("hfft", _from_half(torch.fft.hfft), dt.COMPLEX, returns="real")
ihfft: Final = Op("ihfft", _transform(conjugate_half), _REAL, returns="complex")

# Its kernel takes the data type and device of the result.
frequencies: Final = Op("frequencies", _frequencies, dt.REAL_FLOATING, returns="other")
