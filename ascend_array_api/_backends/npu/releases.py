"""Rows for faults of single releases of CANN, and of single chips.

``conformance/cann_emulator/faults.csv`` has their sources, and the emulated CANN has the faults.
Nothing here was seen on a chip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..._devices.facts import cann_at_least, cann_before, soc
from ..._routes import creation, indexing, linear_algebra, movement, searching  # noqa: F401
from ..._routes._evidence import Evidence
from ..._routes._rows import Compose, Row, Via, ViewAs
from ..._torch import dtypes as dt
from ..._torch import torch
from . import ASTRAY
from ._common import BEFORE_A2, FIRST
from .indexing import (
    along_last,
    by_copy,
    copy_in_order,
    copy_whole_blocks,
    index_by_selection,
    mask_fill,
    put_by_copies,
    put_int64,
)
from .linear_algebra import cholesky
from .products import in_rows, integer, padded, single
from .searching import by_extreme

if TYPE_CHECKING:
    from torch import Tensor

    from ._common import Cause

_A2: Final = soc("910B", "910_9")
_310P: Final = soc("310P")
_950: Final = soc("950")
_BEFORE_9: Final = cann_before(9, 0)
_SINCE_851: Final = cann_at_least(8, 5, 1)


def _wrong(reason: str, *kernels: str) -> Cause:
    return reason, Evidence("torch_npu 2.13.0, CANN's sources", "wrong", kernels)


def _refuses(kernel: str) -> Cause:
    return _wrong(f"{kernel} may refuse any data type (161002)", kernel)


def _concat(tensors: list[Tensor], axis: int) -> Tensor:
    """Join tensors, after those that are broadcast were copied."""
    return torch.cat([x.contiguous() if 0 in x.stride() else x for x in tensors], axis)


_LOST: Final = _wrong(
    "writing to transposed arrays reads outside, and the device is lost", "aclnnInplaceCopy"
)
_TALL: Final = _wrong(
    "aclnnBatchMatMul takes the last of more than 65,535 rows from a wrong place",
    "aclnnBatchMatMul",
)
_STALE: Final = _wrong(
    "aclnnMatmul takes in stale workspace where the left operand is tall", "aclnnMatmul"
)
_NO_CHOLESKY: Final = _wrong("this chip has no aclnnLinalgCholesky", "aclnnLinalgCholesky")
_PUT_BY_COPY: Final = Compose(by_copy(indexing.index_put.native))
_SINGLE: Final = frozenset({dt.float32, dt.complex64})
_INTEGER: Final = dt.INTEGER - dt.WIDE_UNSIGNED
_REAL: Final = dt.REAL - dt.WIDE_UNSIGNED
_MOVED: Final = dt.ANY - {dt.float64} - dt.COMPLEX - dt.WIDE_UNSIGNED
"""The data types whose bits move as they are; the others come as these."""
_SPILLS: Final = _wrong(
    "aclnnInplaceCopy moves whole blocks of 32 bytes, and so writes behind the end",
    "aclnnInplaceCopy",
)
_FAILS: Final = "aclnnIndexPutImpl fails on the AICPU, and the device is lost"

ROWS: Final = (
    Row("cholesky", _SINGLE, Compose(cholesky(0)), *_NO_CHOLESKY, BEFORE_A2 | soc("310B")),
    Row("copy_to", _MOVED, Compose(copy_whole_blocks(0)), *_SPILLS, _310P),
    Row("copy_to", _MOVED, Compose(copy_whole_blocks(800_000)), *_SPILLS, FIRST),
    Row("copy_to", _MOVED, Compose(copy_in_order), *_LOST, ASTRAY),
    Row("mask_fill", _MOVED, Compose(mask_fill), *_LOST, ASTRAY),
    Row("index_put", _MOVED - {dt.int64, dt.uint8}, _PUT_BY_COPY, *_LOST, ASTRAY),
    Row("index_put", {dt.int64}, Compose(by_copy(put_int64)), *_LOST, ASTRAY),
    Row(
        "index_put",
        {dt.bfloat16},
        ViewAs(dt.float16),
        "aclnnIndexPutImpl refuses this data type before Atlas A2",
        Evidence("torch_npu 2.13.0, CANN's sources", "refused", ("aclnnIndexPutImpl",)),
        where=BEFORE_A2,
    ),
    Row(
        "index_put",
        _MOVED - {dt.bfloat16},
        Compose(put_by_copies),
        *_wrong(_FAILS, "aclnnIndexPutImpl"),
        where=BEFORE_A2,
    ),
    Row(
        "index sorted_by take",
        {dt.float16, dt.float32},
        Compose(index_by_selection),
        *_wrong(f"the derivative adds by position: {_FAILS}", "aclnnIndexPutImpl"),
        where=BEFORE_A2,
    ),
    Row(
        "concat",
        _MOVED,
        Compose(_concat),
        *_wrong("aclnnCat leaves out operands that are broadcast", "aclnnCat"),
        where=_950,
    ),
    Row("argmax", _REAL, Compose(by_extreme(torch.max)), *_refuses("aclnnArgMax"), _BEFORE_9),
    Row("argmin", _REAL, Compose(by_extreme(torch.min)), *_refuses("aclnnArgMin"), _BEFORE_9),
    Row(
        "take_along_axis",
        dt.HALF | {dt.float32, dt.int32},
        Compose(along_last),
        *_wrong("aclnnGather does not wait between its rounds off the last axis", "aclnnGather"),
        where=_A2 & _BEFORE_9,
    ),
    Row(
        "matmul",
        dt.HALF,
        Via(dt.float32),
        *_wrong("aclnnMatmul reads beyond rows of this data type", "aclnnMatmul"),
        where=_A2 & _BEFORE_9,
    ),
    Row("matmul", {dt.float32}, Compose(padded(in_rows(single))), *_STALE, _A2 & ~_SINCE_851),
    Row("matmul", _INTEGER, Compose(padded(in_rows(integer))), *_STALE, _A2 & ~_SINCE_851),
    Row("matmul", {dt.float32}, Compose(in_rows(single)), *_TALL, _A2 & _SINCE_851 & _BEFORE_9),
    Row("matmul", _INTEGER, Compose(in_rows(integer)), *_TALL, _A2 & _SINCE_851 & _BEFORE_9),
)
