"""Indexing on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ... import _dtypes as dt
from ..._routes import indexing
from ..._routes._derivatives import batched, readable
from ..._routes._engine import Compose, Row
from ..._routes._evidence import Evidence
from ..._torch import torch
from ..._tracing import traced_as
from ._numpy import many

if TYPE_CHECKING:
    from torch import Tensor


def _traced_check(x: Tensor, indices: list[Tensor], dims: tuple[int, ...]) -> None:
    """Check nothing: there are no values yet, and torch checks what it can."""


@traced_as(_traced_check)
def _check_positions(x: Tensor, indices: list[Tensor], dims: tuple[int, ...]) -> None:
    for dim, index in zip(dims, indices):
        size = x.shape[dim]
        if batched(index):  # its values are not to be had
            continue
        if index.numel() and not (-size <= int(index.min()) and int(index.max()) < size):
            raise IndexError(f"positions reach from {index.min()} to {index.max()}")


def _index_put(x: Tensor, indices: list[Tensor], value: Tensor, dims: tuple[int, ...]) -> None:
    _check_positions(x, indices, dims)
    indexing.index_put.native(x, indices, value, dims)


def _index(x: Tensor, indices: list[Tensor], dims: tuple[int, ...]) -> Tensor:
    if len(indices) == 1 and many(indices[0]) and readable(x):
        (index,), (dim,) = indices, dims
        least, greatest = map(int, torch.aminmax(index))
        if least >= 0 and greatest < x.shape[dim]:
            found = torch.index_select(x, dim, index.reshape(-1))
            return found.view(*x.shape[:dim], *index.shape, *x.shape[dim + 1 :])
    result: Tensor = indexing.index.native(x, indices, dims)
    return result


ROWS: Final = (
    Row(
        "index",
        dt.ANY - dt.WIDE_UNSIGNED,
        Compose(_index),
        "positions of one dimension, none of them negative, have a kernel of their own",
        Evidence("torch 2.13, CPU", "time"),
    ),
    Row(
        "index_put",
        dt.ANY - dt.WIDE_UNSIGNED,  # which are read as signed ones
        Compose(_index_put),
        "torch raises for a position that is out of bounds after it has written a part",
        Evidence("torch 2.11 to 2.13, CPU"),
    ),
)
