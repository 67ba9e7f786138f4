"""Fourier transforms on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ... import _dtypes as dt
from ..._routes import fourier
from ..._routes._engine import Compose, Op, Row
from ..._routes._evidence import Evidence
from .._facts import mkl, torch_before

if TYPE_CHECKING:
    from torch import Tensor

    from ..._routes._engine import Kernel


def _dense(op: Op) -> Kernel:
    """Return the transform of tensors whose elements have each a place of its own in memory."""

    def kernel(x: Tensor, points: Any, axes: Any, norm: str) -> Tensor:
        result: Tensor = op.native(x.contiguous() if 0 in x.stride() else x, points, axes, norm)
        return result

    return kernel


ROWS: Final = tuple(
    Row(
        op.name,
        dt.FLOATING & op.dtypes,
        Compose(_dense(op)),
        "MKL is told strides of 0, and refuses them",
        Evidence("torch 2.7.1 and 2.8", "refused"),
        mkl & torch_before(2, 9),
    )
    for op in (
        fourier.fft,
        fourier.ifft,
        fourier.fftn,
        fourier.ifftn,
        fourier.rfft,
        fourier.irfft,
        fourier.rfftn,
        fourier.irfftn,
        fourier.hfft,
        fourier.ihfft,
    )
)
