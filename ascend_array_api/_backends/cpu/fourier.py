"""Fourier transforms on the CPU."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ..._devices.facts import mkl, torch_before
from ..._routes import fourier
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import Op
from ..._routes._rows import Compose, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.tracing import traced_as
from ._numpy import CACHED, PIECE, few_threads, many_and_plain
from ._threads import in_threads


def _dense(op: Op) -> Kernel:
    """Return the transform for tensors in which no two elements share memory."""

    def of_dense(x: Tensor, points: Any, axes: Any, norm: str) -> Tensor:
        return op.native(x.contiguous() if 0 in x.stride() else x, points, axes, norm)

    return of_dense


_BEFORE: Final = mkl & torch_before(2, 9)
_DENSE: Final = tuple(
    Row(
        op.name,
        dt.FLOATING & op.dtypes,
        Compose(_dense(op)),
        "MKL is told strides of 0, and refuses them",
        Evidence("torch 2.7.1 and 2.8", "refused"),
        _BEFORE,
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

# --- for speed alone ------------------------------------------------------------------------------


def _of_powers_of_two(op: Op) -> Kernel:
    """Return NumPy's transform, real on one side, for one row whose length is a power of 2.

    MKL transforms a single row by several threads; NumPy's one thread is as fast as few.
    """
    function: Any = getattr(np.fft, op.name)

    def numpys_for_powers(x: Tensor, points: int, axes: Any, norm: str) -> Tensor:
        one = x.dim() == 1 and points & points - 1 == 0
        if one and many_and_plain(x) and few_threads():
            return torch.from_numpy(function(x.numpy(), points, axes, norm))
        return op.native(x, points, axes, norm)

    return numpys_for_powers


@traced_as(fourier.frequencies.native)
def _frequencies(
    first: int, last: int, length: float, dtype: torch.dtype, device: torch.device
) -> Tensor:
    size = last + 1 - first
    single = fourier.width_of_frequencies(size, length, dtype) is dt.float32
    if size <= PIECE or device.type == "meta" or single:
        return fourier.frequencies.native(first, last, length, dtype, device)
    out = np.empty(size, np.float32 if dtype is dt.float32 else np.float64)

    def compute(start: int, stop: int) -> None:
        room = np.empty(2 * CACHED)
        upto = np.arange(2 * CACHED, dtype=np.float64)
        for i in range(start, stop, len(room)):
            j = min(i + len(room), stop)
            number = room[: j - i]
            np.add(upto[: j - i], i, out=number)
            number[max(last + 1 - i, 0) :] -= size
            with np.errstate(all="ignore"):
                np.divide(number, length, out=out[i:j], casting="same_kind")

    in_threads(compute, size, size // PIECE)
    return torch.from_numpy(out)


ROWS: Final = (
    *_DENSE,
    *(
        Row(
            op.name,
            {dtype},
            Compose(_of_powers_of_two(op)),
            "MKL takes twice as long as NumPy, by two threads as by one",
            Evidence("torch 2.13, CPU: x86", "time"),
            ~_BEFORE,
        )
        for op, dtype in (
            (fourier.rfft, dt.float64),
            (fourier.ihfft, dt.float64),
            (fourier.irfft, dt.complex128),
            (fourier.hfft, dt.complex128),
        )
    ),
    Row(
        "frequencies",
        {dt.float32, dt.float64},
        Compose(_frequencies),
        "each step makes a tensor of twice the result's size",
        Evidence("torch 2.13, CPU", "time"),
    ),
)
