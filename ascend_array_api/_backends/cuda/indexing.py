"""Indexing on GPUs: positions are judged by the kernel that keeps them in bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..._routes import indexing
from ..._routes._derivatives import readable
from ..._routes._engine import Compose, Row
from ..._routes._evidence import Evidence
from .._facts import triton

if TYPE_CHECKING:
    from torch import Tensor


def _bounded(positions: Tensor, size: int, *, tell: bool) -> tuple[Tensor, Tensor | None]:
    if not readable(positions):  # torch.compile makes one kernel of it by itself
        result: tuple[Tensor, Tensor | None] = indexing.bounded.native(positions, size, tell=tell)
        return result
    from . import _positions

    return _positions.bounded(positions, size, tell=tell)


ROWS: Final = (
    Row(
        "bounded",
        indexing.bounded.dtypes,
        Compose(_bounded),
        "three kernels, each from memory to memory, where one does",
        Evidence("torch 2.11, Triton 3.6, CUDA", "launches"),
        triton,
    ),
)
