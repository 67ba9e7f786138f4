"""Linear algebra on the CPU."""

from __future__ import annotations

from typing import Final

from ... import _dtypes as dt
from ..._routes._engine import Compose, Row
from ..._routes._evidence import Evidence
from ..._routes.linear_algebra import matmul_summed, qr_scaled, vecdot_summed
from .._facts import mkl, torch_before

_OF_VECTORS: Final = (
    "without MKL the scalar product of two vectors is 0",
    Evidence("torch 2.7.1 and 2.8, CPU (aarch64)", "wrong", ("aten::dot", "aten::vdot")),
    ~mkl & torch_before(2, 9),
)

ROWS: Final = (
    Row(
        "qr",
        {dt.complex64},
        Compose(qr_scaled),
        "MKL gives NaN for matrices of low rank whose elements are small",
        Evidence("torch 2.13, CPU"),
        mkl,
    ),
    Row("matmul", dt.COMPLEX, Compose(matmul_summed), *_OF_VECTORS),
    Row("vecdot", dt.COMPLEX, Compose(vecdot_summed), *_OF_VECTORS),
)
