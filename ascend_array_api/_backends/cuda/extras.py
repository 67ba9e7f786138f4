"""Functions beside the standard on GPUs."""

from __future__ import annotations

import functools
from typing import Final

from ..._routes import extras
from ..._routes._evidence import Evidence
from ..._routes._rows import Compose, Row
from ..._torch import dtypes as dt

_IN_MEMORY: Final = 2**22
"""How many products of two elements to hold in memory at a time."""

ROWS: Final = (
    Row(
        "convolve",
        dt.NUMERIC - dt.WIDE_UNSIGNED - dt.HALF,
        Compose(functools.partial(extras.convolve_in_pieces, piece=_IN_MEMORY)),
        "launching kernels for few products takes longer than the products",
        Evidence("torch 2.11 to 2.13, CUDA", "launches"),
    ),
)
