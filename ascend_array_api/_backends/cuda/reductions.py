"""Reductions on GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ... import _dtypes as dt
from ..._routes._engine import Compose, Row
from ..._routes._evidence import Evidence
from ..._torch import torch

if TYPE_CHECKING:
    from torch import Tensor


def _mean_complex(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:  # noqa: FBT002
    parts = torch.view_as_real(x)
    axes = tuple(range(x.dim())) if dim is None else dim
    if not axes:  # they would be all axes to torch
        return torch.view_as_complex(parts.clone())
    # Torch takes one axis sooner than a tuple of it.
    return torch.view_as_complex(torch.mean(parts, axes[0] if len(axes) == 1 else axes, keepdim))


ROWS: Final = (
    Row(
        "mean",
        dt.COMPLEX,
        Compose(_mean_complex),
        "a sum and a division are two kernels, and the mean of the parts, as real numbers, one",
        Evidence("torch 2.11, CUDA", "time"),
    ),
)
