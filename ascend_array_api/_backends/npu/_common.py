"""What the rows for NPUs have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ... import _dtypes as dt
from ..._devices import spec_of

if TYPE_CHECKING:
    from torch import Tensor

    from ..._routes._engine import Op

SEEN: Final = "torch_npu 2.13.0, CANN 9.1.0"
NONE: Final = "torch_npu has no kernel, and would compute on the CPU"
REFUSED: Final = "CANN's kernel does not take this data type"
BITS: Final = {dt.float16: dt.int16, dt.bfloat16: dt.int16, dt.float32: dt.int32} | {
    dt.float64: dt.int64
}
"""The integers with the bits of each floating-point data type."""


def run(op: Op, x: Tensor, *others: Any, **parameters: Any) -> Any:
    """Compute an operation by the kernel for a tensor's data type and device."""
    return op.on(spec_of(x))(x, *others, **parameters)
