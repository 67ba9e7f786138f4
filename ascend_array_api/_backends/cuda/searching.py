"""Sorting on GPUs."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, Final

from ... import _dtypes as dt
from ..._routes import searching as search
from ..._routes._engine import Compose, Row
from ..._routes._evidence import Evidence
from ..._torch import torch

if TYPE_CHECKING:
    from torch import Tensor

    from ..._routes._engine import Kernel


def _with_one_nan(kernel: Kernel) -> Kernel:
    @functools.wraps(kernel)
    def with_one_nan(x: Tensor, **parameters: Any) -> Any:
        return kernel(torch.where(torch.isnan(x), math.nan, x), **parameters)

    return with_one_nan


ROWS: Final = tuple(
    Row(
        op.name,
        dt.REAL_FLOATING,
        Compose(_with_one_nan(op.native)),
        "a NaN whose sign bit is set comes before all numbers",
        Evidence("torch 2.11, CUDA"),
    )
    for op in (search.sort, search.argsort, search.unique, search.unique_values)
)
