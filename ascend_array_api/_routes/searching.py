"""The operations of searching, sorting and sets, and what torch's own functions for them lack."""

from __future__ import annotations

import functools
import math
from typing import Any, Final

from .._devices.device import spec_of
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from . import movement
from ._derivatives import at_hand, batched, readable, tracked
from ._evidence import NO_UNSIGNED, Evidence
from ._operations import Op, cast, register
from ._rows import AsSigned, Compose, Ordered, Row, Via

_REAL_OR_BOOLEAN: Final = dt.REAL | dt.BOOLEAN

# --- the operations -------------------------------------------------------------------------------


def _sort(x: Tensor, *, axis: int, descending: bool, stable: bool) -> Tensor:
    return torch.sort(x, dim=axis, descending=descending, stable=stable).values


def _argsort(x: Tensor, *, axis: int, descending: bool, stable: bool) -> Tensor:
    return torch.sort(x, dim=axis, descending=descending, stable=stable).indices


def _in_order(x: Tensor) -> Any:
    return torch.sort(x, dim=0, stable=True)


def _count_nonzero(x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    if len(axes) == x.dim() and not keepdims and not batched(x):  # torch.vmap takes them one by one
        return torch.count_nonzero(x)
    return torch.sum(x if x.dtype is dt.bool else x != 0, axes, keepdims, dtype=dt.int64)


def _isin(x1: Tensor, x2: Tensor, *, invert: bool) -> Tensor:
    if batched(x1, x2):  # torch.vmap runs torch.isin one by one, and warns
        found = (x1.unsqueeze(-1) == x2.reshape(-1)).any(-1)
        return ~found if invert else found
    # torch fails if the second array cannot be viewed in one dimension.
    return torch.isin(x1, x2.reshape(-1), invert=invert)


def _searchsorted(x1: Tensor, x2: Tensor, *, right: bool) -> Tensor:
    # torch would warn about an operand that is not contiguous, and copy it.
    return torch.searchsorted(x1.contiguous(), x2.contiguous(), right=right)


def _unique(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the first place of each distinct value, the inverse and the counts."""
    # Positions have no derivative, and torch.unique refuses to be asked for one.
    _, inverse, counts = torch.unique(x.detach(), return_inverse=True, return_counts=True)
    size = x.numel()
    places = torch.arange(size, dtype=dt.int64, device=x.device)
    # The compiler of torch 2.11 gives them the data type of x.
    inverse, counts = cast(inverse, dt.int64), cast(counts, dt.int64)
    first = torch.full_like(counts, size).scatter_reduce_(0, inverse, places, "amin")
    return first, inverse, counts


def _unique_values(x: Tensor) -> Tensor:
    # torch.unique has no derivative.
    return select_unique(x) if tracked(x) else torch.unique(x)


def select_unique(x: Tensor) -> Tensor:
    """Return the first of each distinct value."""
    spec = spec_of(x)
    return movement.index_select.on(spec)(x, unique.on(spec)(x)[0], 0)


def isin_by_order(x1: Tensor, x2: Tensor, *, invert: bool) -> Tensor:
    """Look for elements by bisection, where torch compares each of them with all others."""
    if not x2.numel():
        return torch.full_like(x1, invert, dtype=dt.bool)
    ordered = sort(x2.reshape(-1), axis=0, descending=False, stable=False)
    places = searchsorted(ordered, x1, right=False)
    places = torch.clamp(places, max=len(ordered) - 1).reshape(-1)
    found = torch.index_select(ordered, 0, places).view(x1.shape)
    return found != x1 if invert else found == x1


def _unique_counts(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distinct values and their counts."""
    spec = spec_of(x)
    first, _, counts = unique.on(spec)(x)
    return movement.index_select.on(spec)(x, first, 0), counts


def counts_by_torch(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distinct values and their counts, if equal values have equal bits."""
    values, counts = torch.unique(x, return_counts=True)
    return values, counts


def _unique_inverse(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distinct values, and for each element the position of its value among them."""
    if unique.is_native(spec_of(x)) and not tracked(x):  # torch.unique has no derivative
        values, inverse = torch.unique(x, return_inverse=True)
        return values, cast(inverse, dt.int64)
    return unique_inverse_by_first(x)


def unique_inverse_by_first(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distinct values and the inverse, by the first position of each value."""
    spec = spec_of(x)
    first, inverse, _ = unique.on(spec)(x)
    return movement.index_select.on(spec)(x, first, 0), inverse


def unique_counts_by_order(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distinct values and their counts by the lengths of runs in a sorted vector."""
    if tracked(x) or batched(x):
        return _unique_counts(x)
    # The sort is stable, so the first element of each run is also the first in x.
    values, counts = torch.unique_consecutive(
        sort(x, axis=0, descending=False, stable=True), return_counts=True
    )
    return values, counts


argmax: Final = Op("argmax", torch.argmax, dt.REAL, returns="other")
argmin: Final = Op("argmin", torch.argmin, dt.REAL, returns="other")
argsort: Final = Op("argsort", _argsort, _REAL_OR_BOOLEAN, returns="other")
count_nonzero: Final = Op("count_nonzero", _count_nonzero, dt.ANY, returns="other")
in_order: Final = Op("in_order", _in_order, dt.ANY, returns="other")
isin: Final = Op("isin", _isin, dt.ANY, returns="bool")
nonzero: Final = Op("nonzero", torch.nonzero, dt.ANY, returns="other")
searchsorted: Final = Op("searchsorted", _searchsorted, dt.REAL, returns="other")
sort: Final = Op("sort", _sort, _REAL_OR_BOOLEAN)
unique: Final = Op("unique", _unique, dt.ANY, returns="other")
unique_counts: Final = Op("unique_counts", _unique_counts, dt.ANY, returns="other")
unique_inverse: Final = Op("unique_inverse", _unique_inverse, dt.ANY, returns="other")
unique_values: Final = Op("unique_values", _unique_values, dt.ANY)

# --- compositions ---------------------------------------------------------------------------------


def searchsorted_floating(x1: Tensor, x2: Tensor, *, right: bool) -> Tensor:
    """Search as if each NaN in the sorted array were infinite, then correct the positions.

    Every number goes before the first NaN.  A NaN goes to the very end, as in torch.
    """
    if at_hand(x1):
        last = x1[-1].item() if x1.shape[0] else 0
        if last == last:
            return _searchsorted(x1, x2, right=right)
    number = x1 == x1
    places = _searchsorted(torch.where(number, x1, math.inf), x2, right=right)
    return before_nan(places, number, x2, right=right)


def before_nan(places: Tensor, number: Tensor, x2: Tensor, *, right: bool) -> Tensor:
    """Correct positions in a sorted array, given which of its elements are numbers."""
    first_nan = torch.sum(number, dtype=dt.int64)
    before_nan = torch.minimum(places, first_nan)
    return torch.where(torch.isnan(x2), places, before_nan) if right else before_nan


def _unique_complex(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Rank the distinct real and imaginary parts, and join both ranks to one integer."""
    number = unique.on(spec_of(x).real)
    _, real, _ = number(x.real)
    _, imag, counts = number(x.imag)
    return _unique(real * len(counts) + imag)


_ONE_BY_ONE: Final = 32


def _isin_complex(x1: Tensor, x2: Tensor, *, invert: bool) -> Tensor:
    if readable(x1, x2) and 0 < x2.numel() <= _ONE_BY_ONE:  # faster than sorting all pairs
        found = functools.reduce(
            torch.logical_or, (torch.eq(x1, v) for v in x2.reshape(-1).unbind())
        )
        return torch.logical_not(found) if invert else found
    _, numbers, _ = _unique_complex(torch.cat([x1.reshape(-1), x2.reshape(-1)]))
    first, second = numbers.tensor_split([x1.numel()])
    return _isin(first.view(x1.shape), second, invert=invert)


# --- rows -----------------------------------------------------------------------------------------

_SEEN: Final = Evidence("torch 2.11 to 2.13, CPU and CUDA")

register(
    [
        Row("count_nonzero isin nonzero", dt.WIDE_UNSIGNED, AsSigned(), NO_UNSIGNED, _SEEN),
        Row(
            "argmax argmin argsort searchsorted sort unique",
            dt.WIDE_UNSIGNED,
            Ordered(),
            NO_UNSIGNED,
            _SEEN,
        ),
        Row("isin", dt.BOOLEAN, Via(dt.uint8), "torch.isin refuses bool", _SEEN),
        Row("isin", dt.COMPLEX, Compose(_isin_complex), "torch.isin refuses complex", _SEEN),
        Row("unique", dt.COMPLEX, Compose(_unique_complex), "torch.unique refuses complex", _SEEN),
        Row(
            "unique_values",
            dt.COMPLEX,
            Compose(select_unique),
            "torch.unique refuses complex",
            _SEEN,
        ),
        Row(
            "searchsorted",
            dt.REAL_FLOATING,
            Compose(searchsorted_floating),
            "torch.searchsorted takes a NaN in the sorted array for less than every number",
            _SEEN,
        ),
    ]
)
