"""Functions beside the standard on NPUs."""

from __future__ import annotations

import functools
from typing import Final

from ..._routes import extras
from ..._routes._rows import Compose, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._common import launches, on_host

_PIECE: Final = 2**22
"""How many products of two elements are held in memory at a time."""


def _count_at(positions: Tensor, length: int) -> Tensor:
    return extras.add_at(torch.ones_like(positions), positions, length)


ROWS: Final = (
    Row(
        "count_at",
        {dt.int64},
        Compose(_count_at),
        *on_host("torch_npu reads the largest position on the host", "aten::bincount"),
    ),
    Row(
        "convolve",
        dt.NUMERIC - dt.WIDE_UNSIGNED - dt.HALF,
        Compose(functools.partial(extras.convolve_in_pieces, piece=_PIECE)),
        *launches("launching kernels for few products takes longer than the products"),
    ),
)
