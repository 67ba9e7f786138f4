"""Sorting and searching on GPUs."""

from __future__ import annotations

import functools
import math
from typing import Any, Final

from ..._devices.facts import triton
from ..._routes import searching as search
from ..._routes._derivatives import plain, readable, tracked
from ..._routes._kernels import Kernel
from ..._routes._operations import cast
from ..._routes._rows import Compose, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._common import slow, slow_beside_triton, wrong
from ._fused import fused, search_keys
from ._late import late
from .reductions import FEW_THREADS
from .reductions import kernels as columns

_members: Final = late("_bisection", "members")
_search: Final = late("_bisection", "search")
_number: Final = late("_runs", "number")


def _one_nan(x: Tensor) -> Tensor:
    return torch.where(torch.isnan(x), math.nan, x)


_fused: Final = fused("one_nan", _one_nan)
_WIDE: Final = frozenset({dt.float32, dt.float64})


def _without_signs(x: Tensor) -> Tensor:
    return (_fused if x.dtype in _WIDE else _one_nan)(x)


def _in_order(x: Tensor) -> Tensor:
    return _one_nan(x) + 0


_fused_in_order: Final = fused("one_zero_one_nan", _in_order)


_MANY: Final = 1 << 17
"""For fewer elements, contended writes take less time than further launches."""


def _unique(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the first place of each distinct value, the inverse and the counts."""
    x = x.detach()  # positions have no derivative
    size = x.numel()
    if not plain(x) or size < _MANY:
        first, inverse, counts = search.unique.native(
            _without_signs(x) if x.is_floating_point() else x
        )
        return first, inverse, counts
    if x.is_floating_point():
        x = (_fused_in_order if x.dtype in _WIDE else _in_order)(x)
    ordered, order = torch.sort(x, stable=True)
    # Elements that differ from the one before; the host waits here, as in torch.unique.
    ranks = torch.cumsum(ordered.narrow(0, 1, size - 1) != ordered.narrow(0, 0, size - 1), 0)
    first, inverse, counts = _number(order, ranks, int(ranks[-1]) + 1)
    return first, inverse, counts


def _with_one_nan(kernel: Kernel) -> Kernel:
    @functools.wraps(kernel)
    def with_one_nan(x: Tensor, **parameters: Any) -> Any:
        return kernel(_without_signs(x), **parameters)

    return with_one_nan


def _unique_inverse(x: Tensor) -> tuple[Tensor, Tensor]:
    if tracked(x):  # torch.unique has no derivative
        return search.unique_inverse_by_first(x)
    values, inverse = torch.unique(_without_signs(x), return_inverse=True)
    return values, cast(inverse, dt.int64)


def _isin(x1: Tensor, x2: Tensor, *, invert: bool) -> Tensor:
    if not readable(x1, x2):
        return search.isin_by_order(x1, x2, invert=invert)
    ordered = search.sort(x2.detach().reshape(-1), axis=0, descending=False, stable=False)
    return _members(x1, ordered, invert=invert)


def _searchsorted(x1: Tensor, x2: Tensor, *, right: bool) -> Tensor:
    if not plain(x1, x2):
        return search.searchsorted_floating(x1, x2, right=right)
    return _search(x2, x1.contiguous(), right=right)


def _searchsorted_by_keys(x1: Tensor, x2: Tensor, *, right: bool) -> Tensor:
    keys = search_keys(x1, x2)
    if keys is None:
        return search.searchsorted_floating(x1, x2, right=right)
    return search.searchsorted.native(*keys, right=right)


def _place(function: Kernel, *, least: bool) -> Kernel:
    @functools.wraps(function, assigned=("__name__",), updated=())
    def place(x: Tensor, axis: int | None) -> Tensor:
        if axis is None or axis + 1 == x.dim() or not plain(x):
            return function(x, axis)
        sizes = columns().columns_of(x, (axis,), columns().ROWS_OF_PLACES)
        if sizes is None:
            return function(x, axis)
        found: Tensor = columns().place(x, axis, sizes, least=least)
        return found

    return place


_OWN: Final = dt.REAL - dt.WIDE_UNSIGNED
_NOT_HALF: Final = _OWN - dt.HALF
_INTEGER: Final = dt.INTEGER - dt.WIDE_UNSIGNED
_MINUS_NAN: Final = "a NaN whose sign bit is set comes before all numbers"
_WRITES: Final = "the first places are found by as many writes that wait for each other"
_EACH: Final = "torch compares each element with all others"
_NAN: Final = "to set NaN right takes five kernels or seven"
_KEYS: Final = f"{_NAN}, and to make integers of numbers two"
_ALONE: Final = slow("without the places of the first ones it is torch's own function")
_UNASKED: Final = "neither places nor the inverse are asked for"
_EQUAL: Final = slow(f"{_UNASKED}, nor which of equal ones comes first")
_FIRST_OF_NAN: Final = Compose(_with_one_nan(search.unique.native))
_COUNTS: Final = Compose(search.unique_counts_by_order)

ROWS: Final = (
    Row("argmax", _OWN, Compose(_place(search.argmax.native, least=False)), *FEW_THREADS),
    Row("argmin", _OWN, Compose(_place(search.argmin.native, least=True)), *FEW_THREADS),
    *(
        Row(op.name, dt.REAL_FLOATING, Compose(_with_one_nan(op.native)), *wrong(_MINUS_NAN))
        for op in (search.sort, search.argsort, search.unique_values)
    ),
    Row("unique", dt.REAL_FLOATING, Compose(_unique), *wrong(f"{_MINUS_NAN}; {_WRITES}"), triton),
    Row("unique", dt.REAL_FLOATING, _FIRST_OF_NAN, *wrong(_MINUS_NAN), ~triton),
    Row("unique", _INTEGER, Compose(_unique), *slow_beside_triton(_WRITES)),
    Row("unique_inverse", dt.REAL_FLOATING, Compose(_unique_inverse), *_ALONE),
    Row("unique_counts", dt.REAL_FLOATING, _COUNTS, *slow(_UNASKED)),
    Row("unique_counts", _INTEGER, Compose(search.counts_by_torch), *_EQUAL),
    Row("isin", _NOT_HALF, Compose(_isin), *slow_beside_triton(_EACH)),
    Row("isin", _NOT_HALF, Compose(search.isin_by_order), *slow(_EACH), ~triton),
    Row("searchsorted", _WIDE, Compose(_searchsorted), *slow_beside_triton(_NAN)),
    Row("searchsorted", _WIDE, Compose(_searchsorted_by_keys), *slow(_KEYS), ~triton),
)
