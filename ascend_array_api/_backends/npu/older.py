"""Rows for chips before Atlas A2 (310P, and the first 910), as far as CANN's sources describe them.

Their kernels take no ``bfloat16``, and a few take fewer integers; the emulator's ``socs.csv`` has
the lists.  We have seen nothing of this on such a chip.  There CANN itself refuses to convert other
data types to ``bfloat16`` by ``astype``, with its own error.
"""

from __future__ import annotations

from typing import Final

from ..._routes import creation, elementwise, linear_algebra, reductions, searching  # noqa: F401
from ..._routes._evidence import Evidence
from ..._routes._operations import OPS
from ..._routes._rows import Compose, Host, Row, Via
from ..._torch import dtypes as dt
from . import OLDER
from ._common import BEFORE_A2, FIRST, Cause
from ._floats import SINGLE
from .elementwise import abs_complex, nan_to_num
from .linear_algebra import pinv
from .movement import Bits
from .products import in_halves, vecdot
from .searching import argsort_bits, in_order, sort_bits

_SEEN: Final = "CANN 9.1.0, its sources"


def _refused(*kernels: str) -> Cause:
    which = " and ".join(kernels) or "kernels"
    reason = f"{which} refuse{'s' if len(kernels) == 1 else ''} this data type before Atlas A2"
    return reason, Evidence(_SEEN, "refused", kernels)


def _coarse(kernel: str) -> Cause:
    reason = "the cube unit takes float32 as float16 before Atlas A2"
    return reason, Evidence(_SEEN, "wrong", (kernel,))


def _always() -> bool:
    return True


_SORTED: Final = (
    "aclnnSort casts float32 to float16 on the first 910",
    Evidence(_SEEN, "wrong", ("aclnnSort",)),
)
_UNSIGNED: Final = Compose(creation.full_unsigned)
_FILLED: Final = frozenset({dt.float16, dt.float32})
_MOVED: Final = (
    "concat flip index index_select mask repeat roll take_along_axis tile tril triu where"
)
_KEPT: Final = "clone conj copy copy_to index_put mask_fill positive real reshape"
"""Views and copies, which every chip supports, and writes to an operand, which the host cannot do.
"""
_WITHIN: Final = "in_order"
"""Operations that are called only by compositions, which go to the host as a whole."""

_COMPUTED: Final = [
    name
    for name, op in OPS.items()
    if dt.bfloat16 in op.dtypes and name not in f"{_MOVED} {_KEPT} {_WITHIN}".split()
]

ROWS: Final = (
    Row(_MOVED, {dt.bfloat16}, Bits(dt.float16, Host()), *_refused(), BEFORE_A2),
    Row(" ".join(_COMPUTED), {dt.bfloat16}, Host(), *_refused(), where=BEFORE_A2),
    Row("full", {dt.uint16, dt.uint32}, _UNSIGNED, *_refused("aclnnInplaceFillScalar"), BEFORE_A2),
    Row("matmul", SINGLE, Compose(in_halves), *_coarse("aclnnMatmul"), BEFORE_A2),
    Row("vecdot", SINGLE, Compose(vecdot), *_coarse("aclnnBatchMatMul"), BEFORE_A2),
    Row("pinv", SINGLE, Compose(pinv(_always)), *_coarse("aclnnMatmul"), BEFORE_A2 & ~OLDER),
    Row("nan_to_num", _FILLED, Compose(nan_to_num), *_refused("aclnnNanToNum"), BEFORE_A2),
    Row("roll", {dt.int16}, Via(dt.int32), *_refused("aclnnRoll"), BEFORE_A2),
    Row("abs", {dt.complex64}, Compose(abs_complex), *_refused("aclnnAbs"), BEFORE_A2),
    Row("argsort", SINGLE, Compose(argsort_bits), *_SORTED, FIRST),
    Row("in_order", SINGLE, Compose(in_order), *_SORTED, FIRST),
    Row("sort", SINGLE, Compose(sort_bits), *_SORTED, FIRST),
)
