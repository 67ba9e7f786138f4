"""The Fourier transforms, and what torch's own functions for them lack or get wrong.

A transform along one axis takes a tensor, the number of points ``n``, a non-negative axis, and the
normalization; one along several takes lists of points and of axes.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from .. import _dtypes as dt
from .._torch import torch
from ._engine import Op

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

_REAL: Final = dt.REAL_FLOATING - dt.HALF

# --- the operations -------------------------------------------------------------------------------


def _transform(
    function: Callable[..., Tensor], *, from_half: bool = False
) -> Callable[..., Tensor]:
    """Return torch's transform for tensors of any size, and with plain results.

    ``from_half`` says that it takes one half of a spectrum.
    """

    def kernel(x: Tensor, points: Any, axes: Any, norm: str) -> Tensor:
        empty = []
        if not x.numel():  # MKL refuses to transform no rows: transform one, and keep none
            among = axes if isinstance(axes, list) else [axes]
            empty = [i for i, size in enumerate(x.shape) if size == 0 and i not in among]
            shape = [1 if i in empty else size for i, size in enumerate(x.shape)]
            x = torch.zeros(shape, dtype=x.dtype, device=x.device)
        # Torch resizes what it is told the size of, be it the same.
        if isinstance(axes, list):
            same = not from_half and points == [x.shape[i] for i in axes]
        else:
            same = points == (2 * x.shape[axes] - 2 if from_half else x.shape[axes])
        result = function(x, None if same else points, axes, norm)
        result = result.resolve_conj()  # ihfft marks its result
        for i in empty:
            result = result.narrow(i, 0, 0)
        return result

    return kernel


def _frequencies(
    first: int, last: int, length: float, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Return 0 / length, ..., last / length, first / length, ..., -1 / length.

    They are calculated in float64, so that they are the same on every device.  A scalar to divide
    by would not do: on CUDA it becomes a factor.
    """
    upper = torch.arange(0, last + 1, dtype=dt.float64, device=device)
    lower = torch.arange(first, 0, dtype=dt.float64, device=device)
    divisor = torch.full((), length, dtype=dt.float64, device=device)
    return (torch.cat([upper, lower]) / divisor).to(dtype)


_from_half: Final = functools.partial(_transform, from_half=True)

fft: Final = Op("fft", _transform(torch.fft.fft), dt.COMPLEX)
ifft: Final = Op("ifft", _transform(torch.fft.ifft), dt.COMPLEX)
fftn: Final = Op("fftn", _transform(torch.fft.fftn), dt.COMPLEX)
ifftn: Final = Op("ifftn", _transform(torch.fft.ifftn), dt.COMPLEX)
rfft: Final = Op("rfft", _transform(torch.fft.rfft), _REAL, returns="other")
irfft: Final = Op("irfft", _from_half(torch.fft.irfft), dt.COMPLEX, returns="real")
rfftn: Final = Op("rfftn", _transform(torch.fft.rfftn), _REAL, returns="other")
irfftn: Final = Op(
    "irfftn", _transform(torch.fft.irfftn, from_half=True), dt.COMPLEX, returns="real"
)
hfft: Final = Op("hfft", _from_half(torch.fft.hfft), dt.COMPLEX, returns="real")
ihfft: Final = Op("ihfft", _transform(torch.fft.ihfft), _REAL, returns="other")

# Its kernel takes the data type and device of the result.
frequencies: Final = Op("frequencies", _frequencies, dt.REAL_FLOATING, returns="other")
