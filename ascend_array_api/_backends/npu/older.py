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
    Row(_MOVED, {dt.bfloat16}, Bits(dt.float16, Host()), *_refused(), where=BEFORE_A2),
    Row(" ".join(_COMPUTED), {dt.bfloat16}, Host(), *_refused(), where=BEFORE_A2),
    Row(
        "full",
        {dt.uint16, dt.uint32},
        Compose(creation.full_unsigned),
        *_refused("aclnnInplaceFillScalar"),
        where=BEFORE_A2,
    ),
    *(
        Row(
            name,
            {dt.float32},
            Compose(function),
            "the cube unit takes float32 as float16 before Atlas A2",
            Evidence(_SEEN, "wrong", (kernel,)),
            where=where,
        )
        for name, function, kernel, where in (
            ("matmul", in_halves, "aclnnMatmul", BEFORE_A2),
            ("vecdot", vecdot, "aclnnBatchMatMul", BEFORE_A2),
            ("pinv", pinv(lambda: True), "aclnnMatmul", BEFORE_A2 & ~OLDER),
        )
    ),
    Row(
        "nan_to_num",
        {dt.float16, dt.float32},
        Compose(nan_to_num),
        *_refused("aclnnNanToNum"),
        where=BEFORE_A2,
    ),
    Row("roll", {dt.int16}, Via(dt.int32), *_refused("aclnnRoll"), where=BEFORE_A2),
    Row("abs", {dt.complex64}, Compose(abs_complex), *_refused("aclnnAbs"), where=BEFORE_A2),
    *(
        Row(
            name,
            {dt.float32},
            Compose(function),
            "aclnnSort casts float32 to float16 on the first 910",
            Evidence(_SEEN, "wrong", ("aclnnSort",)),
            where=FIRST,
        )
        for name, function in (
            ("argsort", argsort_bits),
            ("in_order", in_order),
            ("sort", sort_bits),
        )
    ),
)
