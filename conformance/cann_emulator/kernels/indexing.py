"""Kernels that look up, write at positions, search, sort and find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from . import documented_errors as wrong
from ._dtypes import by_bits, by_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FLATTEN = 1000  # the axis that torch_npu names where UniqueConsecutive is to flatten
REDUCE = {0: None, 1: "add", 2: "multiply"}


def _key(indices: Sequence[torch.Tensor | None]) -> list[torch.Tensor | None]:
    """Return the indices; torch_npu hands over an empty tensor for an axis that has none."""
    return [
        None if t is None or not t.numel() else t if t.dtype == torch.bool else t.to(torch.int64)
        for t in indices
    ]


def _index(x: torch.Tensor, indices: list[torch.Tensor | None]) -> Any:
    return torch.ops.aten.index(x, _key(indices))


def _index_put(
    x: torch.Tensor, indices: list[torch.Tensor | None], values: torch.Tensor, add: int, unsafe: int
) -> Any:
    del unsafe
    key = _key(indices)
    if all(t is None for t in key):  # no axis has an index: the one there was selects nothing
        return x
    return torch.ops.aten.index_put(x, key, values.to(x.dtype), bool(add))


def _scatter(x: torch.Tensor, axis: int, index: torch.Tensor, source: Any, reduce: int) -> Any:
    index, name = index.to(torch.int64), REDUCE[reduce]
    if name is None:
        return torch.scatter(x, axis, index, source)
    if isinstance(source, torch.Tensor):
        names = {"add": "sum", "multiply": "prod"}
        return torch.scatter_reduce(x, axis, index, source, names[name])
    return torch.scatter(x, axis, index, source, reduce=name)


def _gather(x: torch.Tensor, axis: int, index: torch.Tensor) -> torch.Tensor:
    """Negative positions count from the end, by the document of aclnnGather."""
    index = index.to(torch.int64)
    size = x.shape[axis] if x.ndim else 1
    return torch.gather(x, axis, torch.where(index < 0, index + size, index))


def _index_select(x: torch.Tensor, axis: int, index: torch.Tensor) -> torch.Tensor:
    return torch.index_select(x, axis, index.to(torch.int64))


def _index_add(
    x: torch.Tensor, axis: int, index: torch.Tensor, source: torch.Tensor, alpha: Any
) -> torch.Tensor:
    return torch.index_add(x, axis, index, source, alpha=alpha)


def _masked_scatter(x: torch.Tensor, mask: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    return torch.masked_scatter(x, mask.bool().expand(x.shape), source)


def _masked_fill(x: torch.Tensor, mask: torch.Tensor, value: Any) -> torch.Tensor:
    return torch.masked_fill(x, mask.bool(), value)


def _put(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor, add: int) -> torch.Tensor:
    return torch.put(x, index.to(torch.int64), source, accumulate=bool(add))


def _search(
    boundaries: torch.Tensor, x: Any, narrow: int, right: int, sorter: torch.Tensor | None
) -> torch.Tensor:
    options: dict[str, Any] = {"out_int32": bool(narrow), "right": bool(right), "sorter": sorter}
    return torch.searchsorted(boundaries, x, **options)


def _sort(x: torch.Tensor, stable: int, axis: int, descending: int) -> tuple[torch.Tensor, ...]:
    del stable
    return tuple(torch.sort(x, dim=axis, descending=bool(descending), stable=True))


def _asked(results: Any, inverse: int, counts: int) -> tuple[torch.Tensor | None, ...]:
    """Keep what was asked for: the outputs of the others have no room."""
    values, positions, numbers = results
    return values, positions if inverse else None, numbers if counts else None


def _unique_by_bits(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the distinct values, zeros of either sign for themselves, inverse and counts."""
    flat = x.reshape(-1)
    bits = flat.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[x.itemsize])
    key = torch.where(bits < 0, bits ^ torch.iinfo(bits.dtype).max, bits).to(torch.int64)
    nan = torch.isnan(flat)
    key[nan] = torch.iinfo(torch.int64).max - torch.arange(int(nan.sum()), device="cpu")
    found, places, counts = torch.unique(key, return_inverse=True, return_counts=True)
    values = torch.empty(len(found), dtype=x.dtype, device="cpu")
    values[places] = flat
    return values, places.view(x.shape), counts


def _unique(x: torch.Tensor, ordered: int, inverse: int, counts: int) -> Any:
    del ordered
    if wrong.two_zeros(x):
        return _asked(_unique_by_bits(x), inverse, counts)
    results = torch.unique(x, sorted=True, return_inverse=True, return_counts=True)
    return _asked(results, inverse, counts)


def _unique_rows(x: torch.Tensor, ordered: int, inverse: int, axis: int) -> Any:
    del ordered
    results = torch.unique(x, sorted=True, return_inverse=True, return_counts=True, dim=axis)
    return _asked(results, inverse, counts=1)


def _unique_consecutive(x: torch.Tensor, inverse: int, counts: int, axis: int) -> Any:
    if x.is_complex():
        pairs = torch.view_as_real(x.reshape(-1) if axis == FLATTEN else x)
        values, *others = torch.unique_consecutive(
            pairs,
            return_inverse=True,
            return_counts=True,
            dim=0 if axis == FLATTEN else axis,
        )
        return _asked((torch.view_as_complex(values), *others), inverse, counts)
    along = None if axis == FLATTEN else axis
    results = torch.unique_consecutive(x, return_inverse=True, return_counts=True, dim=along)
    return _asked(results, inverse, counts)


TASKS: dict[str, Callable[..., Any]] = {
    "Gather": by_bits(_gather),
    "Index": _index,
    "IndexAdd": _index_add,
    "IndexCopy": lambda x, axis, index, source: torch.index_copy(
        x, axis, index.to(torch.int64), source
    ),
    "IndexFill": lambda x, axis, index, value: torch.index_fill(
        x, axis, index.to(torch.int64), value
    ),
    "IndexPutImpl": _index_put,
    "IndexSelect": by_bits(_index_select),
    "InplaceMaskedFillScalar": _masked_fill,
    "InplaceMaskedFillTensor": _masked_fill,
    "InplaceMaskedScatter": _masked_scatter,
    "InplacePut": _put,
    "MaskedSelect": lambda x, mask: torch.masked_select(x, mask.bool()),
    "Nonzero": by_bits(torch.nonzero),
    "NonzeroV2": by_bits(lambda x: torch.nonzero(x).T),
    "Scatter": _scatter,
    "ScatterAdd": lambda x, axis, index, source: torch.scatter_add(
        x, axis, index.to(torch.int64), source
    ),
    "ScatterValue": _scatter,
    "SearchSorted": _search,
    "SearchSorteds": _search,
    "Sort": _sort,
    "Take": by_bits(lambda x, index: torch.take(x, index.to(torch.int64))),
    "Topk": lambda x, k, axis, largest, ordered: tuple(
        torch.topk(x, k, axis, bool(largest), bool(ordered))
    ),
    "Unique2": by_order(_unique),
    "UniqueConsecutive": by_order(_unique_consecutive),
    "UniqueDim": by_order(_unique_rows),
}
