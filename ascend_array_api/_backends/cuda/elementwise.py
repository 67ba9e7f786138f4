"""Elementwise functions on GPUs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ... import _dtypes as dt
from ..._routes._engine import Compose, Row
from ..._routes._evidence import Evidence
from ..._torch import torch

if TYPE_CHECKING:
    from torch import Tensor


def _acosh_complex(x: Tensor) -> Tensor:
    a, b = x.real, x.imag
    limit = torch.complex(b, torch.full_like(a, math.pi / 2))
    return torch.where((a == 0) & torch.isnan(b), limit, torch.acosh(x))


ROWS: Final = (
    Row(
        "acosh",
        dt.COMPLEX,
        Compose(_acosh_complex),
        "an imaginary NaN makes the imaginary part of the result NaN",
        Evidence("torch 2.11, CUDA"),
    ),
)
