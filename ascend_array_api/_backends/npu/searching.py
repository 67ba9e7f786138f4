"""Searching, sorting and sets on NPUs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from ..._routes import elementwise as el
from ..._routes import movement
from ..._routes import searching as search
from ..._routes._constants import constant
from ..._routes._operations import cast
from ..._routes._rows import Compose, Row, Via
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._common import BEFORE_A2, BITS, launches, on_host, refused, slow, wrong
from .indexing import gathered

# --- sorting --------------------------------------------------------------------------------------


def _key(x: Tensor, nan: int) -> Tensor:
    """Return integers in the order of floating-point numbers, and one for NaN.

    Read as integers, the bits of positive numbers have the same order, those of negative numbers
    the opposite order.  Both zeros become equal.
    """
    bits = (x.detach() + 0.0).view(BITS[x.dtype])
    key = torch.where(bits < 0, torch.bitwise_xor(bits, dt.LIMITS[bits.dtype][1]), bits)
    return torch.where(x == x, key, constant(nan, key))


def argsort_bits(x: Tensor, *, axis: int, descending: bool, stable: bool) -> Tensor:
    """Sort floating-point numbers by the integers that have their bits."""
    key = _key(x, dt.LIMITS[BITS[x.dtype]][1])
    return torch.sort(key, dim=axis, descending=descending, stable=stable).indices


def sort_bits(x: Tensor, *, axis: int, descending: bool, stable: bool) -> Tensor:
    """Sort floating-point numbers by the integers that have their bits."""
    if x.dim() == 0:
        return x.clone()
    order = argsort_bits(x, axis=axis, descending=descending, stable=stable)
    return gathered(x, axis, order)


def _by_key(find: Callable[..., Tensor], nan: int) -> Callable[..., Tensor]:
    """Return ``argmax`` or ``argmin`` of float64 by integers, given the one for NaN."""
    return lambda x, *axes, **parameters: find(_key(x, nan), *axes, **parameters)


def by_extreme(find: Callable[..., Any]) -> Callable[..., Tensor]:
    """Return ``argmax`` or ``argmin`` by ``torch.max`` or ``torch.min`` along an axis."""

    def place(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        if x.dtype is dt.float64:
            x = _key(x, dt.LIMITS[dt.int64][find is torch.max])
        elif x.dtype not in _COMPARED_ON_VECTORS:
            x = cast(x, dt.int64)
        flat = x.reshape(-1) if dim is None else x
        found: Tensor = find(flat, dim or 0, keepdim=keepdim and dim is not None).indices
        return found.reshape((1,) * x.dim()) if keepdim and dim is None else found

    return place


def _order(x: Tensor) -> Tensor:
    """Return a stable order of the elements of one axis in which equal ones are neighbours."""
    if x.is_complex():
        by_imag = _order(x.imag)
        return by_imag.index_select(0, _order(x.real.index_select(0, by_imag)))
    if x.is_floating_point() and x.dtype is not dt.float64:
        x = x + 0.0  # CANN does not document that -0 equals +0
    return search.argsort(x, axis=0, descending=False, stable=True)


def _searchsorted(x1: Tensor, x2: Tensor, *, right: bool) -> Tensor:
    infinite = el.nan_to_num(x1, math.inf, math.inf, -math.inf)
    places = torch.searchsorted(infinite.contiguous(), x2.contiguous(), right=right)
    return search.before_nan(places, x1 == x1, x2, right=right)


# --- sets -----------------------------------------------------------------------------------------


def _bounds(ordered: Tensor) -> Tensor:
    """Say before which elements a group of equal ones begins, and that one ends after the last."""
    bounds = torch.ones(len(ordered) + 1, dtype=dt.bool, device=ordered.device)
    if len(ordered) > 1:
        torch.ne(ordered[1:], ordered[:-1], out=bounds[1:-1])
    return bounds


def _numbers(order: Tensor, bounds: Tensor) -> Tensor:
    """Return the number of each element's group."""
    if not len(order):
        return torch.empty_like(order)
    # The first element begins the group with the number 0, so its boundary does not count.
    number = torch.zeros_like(order)
    number[1:] = bounds[1:-1]
    return torch.empty_like(order).scatter_(0, order, torch.cumsum(number, 0))


def in_order(x: Tensor) -> tuple[Tensor, Tensor]:
    """Sort the elements of one axis by operations, with their order."""
    order = _order(x.detach())
    return movement.index_select(x, order, 0), order


def _grouped(x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return sorted elements, their order, and the boundaries of groups of equal elements.

    The boundaries come as a mask and as positions.
    """
    ordered, order = search.in_order(x)
    bounds = _bounds(ordered.detach())
    return ordered, order, bounds, torch.nonzero(bounds).reshape(-1)


def _unique(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    # CANN does not document that -0 equals +0, and the first of both must be found.
    x = x.detach()
    ordered = x + 0.0 if x.is_floating_point() and x.dtype is not dt.float64 else x
    _, order, bounds, places = _grouped(ordered)
    first = order.index_select(0, places[:-1])
    return first, _numbers(order, bounds), places[1:] - places[:-1]


# Otherwise the sorted elements are the values.  Zeros of both signs are neighbours whichever
# comes first; in a stable order of equals that is the first one.


def _unique_values(x: Tensor) -> Tensor:
    ordered, _, _, places = _grouped(x)
    return movement.index_select(ordered, places[:-1], 0)


def _unique_counts(x: Tensor) -> tuple[Tensor, Tensor]:
    ordered, _, _, places = _grouped(x)
    first = places[:-1]
    return movement.index_select(ordered, first, 0), places[1:] - first


def _unique_inverse(x: Tensor) -> tuple[Tensor, Tensor]:
    ordered, order, bounds, places = _grouped(x)
    return movement.index_select(ordered, places[:-1], 0), _numbers(order, bounds)


def _unique_inverse_whole(x: Tensor) -> tuple[Tensor, Tensor]:
    values, inverse = torch.unique(x, return_inverse=True)
    return values, inverse


def _number(x: Tensor) -> Tensor:
    _, order, bounds, _ = _grouped(x)
    return _numbers(order, bounds)


_FEW: Final = 64
"""Up to this number of elements, compare each with all others instead of searching."""
_SLOWLY_COMPARED: Final = frozenset({dt.int16, dt.float64}) | dt.COMPLEX
"""The data types that CANN compares on the AICPU, with a quarter of that number."""
_AT_ONCE: Final = 2**26
"""How many comparisons to hold in memory at a time."""


def _is_one_of(x1: Tensor, x2: Tensor) -> Tensor:
    """Compare each element with all of some elements."""
    if len(x2) == 1:
        return x1 == x2.reshape(())
    if not len(x2):
        return torch.zeros_like(x1, dtype=dt.bool)
    rows: Sequence[Tensor] = torch.split(x1.reshape(-1, 1), max(1, _AT_ONCE // len(x2)))
    found = [torch.any(row == x2, 1) for row in rows]
    return (found[0] if len(found) == 1 else torch.cat(found)).view(x1.shape)


def _isin(x1: Tensor, x2: Tensor, *, invert: bool) -> Tensor:
    x2 = x2.reshape(-1)
    count = len(x2)
    if count <= (_FEW // 4 if x1.dtype in _SLOWLY_COMPARED else _FEW):
        found = _is_one_of(x1, x2)
    elif x1.is_complex():
        both = torch.cat(
            [torch.view_as_real(x1).reshape(-1, 2), torch.view_as_real(x2).reshape(-1, 2)]
        )
        numbers = _number(torch.view_as_complex(both))
        first, second = numbers.tensor_split([x1.numel()])
        return _isin(first.view(x1.shape), second, invert=invert)
    elif x1.dtype is dt.bfloat16:  # aclnnSearchSorted refuses it
        return _isin(x1.to(dt.float32), x2.to(dt.float32), invert=invert)
    else:
        ordered = search.sort(x2, axis=0, descending=False, stable=False)
        # NaN comes last and is found like infinity, but equals nothing.
        numbers = ordered
        if x1.dtype is dt.float64:
            numbers = torch.where(ordered == ordered, ordered, constant(math.inf, ordered))
        elif x1.is_floating_point():
            numbers = el.nan_to_num(ordered, math.inf, math.inf, -math.inf)
        places = torch.searchsorted(numbers, x1.contiguous())
        places = torch.clamp(places, max=count - 1).reshape(-1)
        found = movement.index_select(ordered, places, 0).view(x1.shape) == x1
    return torch.logical_not(found) if invert else found


def _nonzero_complex(x: Tensor) -> Tensor:
    return torch.nonzero(x != 0)


# --- rows -----------------------------------------------------------------------------------------

_F64: Final = frozenset({dt.float64})
_OWN: Final = dt.ANY - dt.WIDE_UNSIGNED
_UNIQUE: Final = on_host("torch_npu finds the first places on the host", "aten::_unique2")
_VALUES: Final = slow("aclnnUnique2")
_ONCE: Final = launches("places of first elements, which nobody asks for, take more kernels")
_BY_ONE: Final = launches("NaN is replaced by one kernel, where a mask of it takes another")
_WHOLE: Final = (dt.INTEGER - dt.WIDE_UNSIGNED) | dt.BOOLEAN
_OTHERS: Final = dt.REAL_FLOATING | dt.COMPLEX

_COMPARED_ON_VECTORS: Final = dt.HALF | {dt.float32, dt.int64}
"""The data types of aclnnMaxDim and aclnnMinDim."""
_LEAST, _MOST = dt.LIMITS[dt.int64]
_NAN_LOSES: Final = "the AICPU passes over NaN in float64, which wins on other devices"

ROWS: Final = (
    Row("argmax", _F64, Compose(_by_key(torch.argmax, _MOST)), *wrong(_NAN_LOSES, "aclnnArgMax")),
    Row("argmin", _F64, Compose(_by_key(torch.argmin, _LEAST)), *wrong(_NAN_LOSES, "aclnnArgMin")),
    Row("sort", _F64, Compose(sort_bits), *refused("aclnnSort")),
    Row("argsort", _F64, Compose(argsort_bits), *refused("aclnnSort")),
    Row("in_order", _F64 | dt.COMPLEX, Compose(in_order), *refused("aclnnSort")),
    Row("nonzero", dt.COMPLEX, Compose(_nonzero_complex), *refused("aclnnNonzero")),
    Row("searchsorted", {dt.float32}, Compose(_searchsorted), *_BY_ONE, where=~BEFORE_A2),
    Row("searchsorted", {dt.bfloat16}, Via(dt.float32), *refused("aclnnSearchSorted")),
    Row("unique", _OWN, Compose(_unique), *_UNIQUE),
    Row("unique_values", dt.REAL_FLOATING, Compose(_unique_values), *_VALUES),
    Row("unique_values", dt.COMPLEX, Compose(_unique_values), *refused("aclnnUnique2")),
    Row("unique_counts", _WHOLE, Compose(search.counts_by_torch), *_ONCE),
    Row("unique_inverse", _WHOLE, Compose(_unique_inverse_whole), *_ONCE),
    Row("unique_counts", _OTHERS, Compose(_unique_counts), *_ONCE),
    Row("unique_inverse", _OTHERS, Compose(_unique_inverse), *_ONCE),
    Row(
        "isin",
        _OWN - dt.BOOLEAN,
        Compose(_isin),
        *on_host(
            "torch_npu copies to the host for more than a few elements",
            "aten::isin.Tensor_Tensor",
        ),
    ),
)
