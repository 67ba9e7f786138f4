"""Linear algebra on the CPU."""

from __future__ import annotations

from typing import Final

from ... import _dtypes as dt
from ..._routes._engine import Compose, Row
from ..._routes._evidence import Evidence
from ..._routes.linear_algebra import qr_scaled
from .._facts import mkl

ROWS: Final = (
    Row(
        "qr",
        {dt.complex64},
        Compose(qr_scaled),
        "MKL gives NaN for matrices of low rank whose elements are small",
        Evidence("torch 2.13, CPU"),
        mkl,
    ),
)
