"""Fourier transforms on GPUs."""

from __future__ import annotations

from typing import Final

from ..._routes import fourier
from ..._routes._operations import cast
from ..._routes._rows import Compose, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._common import slow
from ._fused import frequencies, plain


def _frequencies(
    first: int, last: int, length: float, dtype: torch.dtype, device: torch.device
) -> Tensor:
    size = last + 1 - first
    wide = fourier.width_of_frequencies(size, length, dtype)
    places = torch.arange(size, dtype=wide, device=device)
    if not plain(places):
        return fourier.frequencies.native(first, last, length, dtype, device)
    return cast(frequencies(places, last, size, length), dtype)


ROWS: Final = (
    Row(
        "frequencies",
        frozenset({dt.float32, dt.float64}),
        Compose(_frequencies),
        *slow("the divisor, what is subtracted and the quotient take a kernel each"),
    ),
)
