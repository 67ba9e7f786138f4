"""Searching and sorting on the CPU by NumPy, for speed only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ..._devices.device import Spec
from ..._routes import reductions
from ..._routes import searching as search
from ..._routes._derivatives import readable, tracked
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import Op
from ..._routes._rows import Compose, Ordered, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._numpy import PIECE, few_threads, in_pieces, many, many_and_plain

_WIDE: Final = frozenset({dt.float32, dt.float64})
_INTEGERS: Final = dt.INTEGER - dt.WIDE_UNSIGNED  # which are read as signed ones

# --- sorting --------------------------------------------------------------------------------------


def _sortable(x: Tensor) -> bool:
    """Say whether NumPy may sort an array: not if it has zeros of both signs.

    Only zeros are equal and can still be told apart.  NumPy does not keep their order, and its
    vector code does not even keep their signs.
    """
    return many_and_plain(x) and not _zeros_of_both_signs(x)


def _zeros_of_both_signs(x: Tensor) -> bool:
    """Say whether there are zeros of both signs; not looked for where elements share memory.

    Such an array can have more elements than anything can look at, and than memory can hold.
    """
    if 0 in x.stride():
        return True
    if bool(reductions.all(x)):
        return False
    signs = torch.signbit(x[x == 0])
    return bool(signs.any()) and not bool(signs.all())


def _sorted(x: Tensor, axis: int) -> Any:
    """Return the elements in ascending order as a NumPy array."""
    values = x.detach().numpy().copy()

    # In pieces along another axis, if there is one.
    other = 0 if axis or values.ndim == 1 else 1
    if other == axis or not values.flags.c_contiguous:
        values.sort(axis=axis)
        return values

    def sort(piece: Any) -> None:
        np.swapaxes(piece, 0, other).sort(axis=axis)

    in_pieces(sort, np.swapaxes(values, 0, other), grain=PIECE // 16)  # it takes so much longer
    return values


def _sort(x: Tensor, *, axis: int, descending: bool, stable: bool) -> Tensor:
    if _sortable(x):
        values = _sorted(x, axis)
        if descending:
            values = np.flip(values, axis).copy()  # along an axis of one, too, steps turn negative
        return torch.from_numpy(values)
    return search.sort.native(x, axis=axis, descending=descending, stable=stable)


def _sort_integers(x: Tensor, *, axis: int, descending: bool, stable: bool) -> Tensor:
    # torch sorts a vector by digits, in ascending order alone; NumPy's sort of one is slower where
    # its processor's vectors are short.  Equal integers cannot be told apart.
    if x.dim() > 1 and many_and_plain(x):
        result = torch.from_numpy(_sorted(x, axis))
    else:
        result = search.sort.native(x, axis=axis, descending=False, stable=stable)
    return torch.flip(result, (axis,)) if descending else result


# --- sets -----------------------------------------------------------------------------------------


def _unique_values(x: Tensor) -> Tensor:
    if not readable(x) or tracked(x) or _zeros_of_both_signs(x):
        return search.select_unique(x)
    if x.dtype in _WIDE and many(x):
        return _distinct(x)
    return search.unique_values.native(x)


def _distinct(x: Tensor) -> Tensor:
    values = _sorted(x, 0)
    first = np.empty(values.shape, np.bool_)
    first[:1] = True
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return torch.from_numpy(values[first])


def _unique_inverse(x: Tensor) -> tuple[Tensor, Tensor]:
    if not readable(x) or tracked(x) or (x.is_floating_point() and _zeros_of_both_signs(x)):
        return search.unique_inverse_by_first(x)
    if x.dtype in _WIDE and many(x) and not few_threads():  # which search, where few would sort
        values = _distinct(x)
        numbers = int((values == values).sum())  # NaN come after them, each by itself
        inverse = torch.searchsorted(values[:numbers], x.contiguous())
        if numbers < len(values):
            inverse[x != x] = torch.arange(numbers, len(values))
        return values, inverse
    values, inverse = torch.unique(x, return_inverse=True)
    return values, inverse


# --- extrema --------------------------------------------------------------------------------------

_LONG: Final = 64
"""The length of rows from which NumPy's search pays."""

_MANY: Final = 1 << 15
"""The total number of elements in columns from which it pays."""

_SHORT: Final = 64
"""Up to this length of columns, torch is slower the shorter they are."""


def _place(function: Callable[..., Any], native: Kernel) -> Kernel:
    def numpys_place(x: Tensor, dim: int | None = None) -> Tensor:
        if many(x) and (dim is None or x.dim() == 1 or few_threads()):
            if dim is None or (dim == x.dim() - 1 and x.shape[dim] >= _LONG):
                return torch.from_numpy(np.asarray(function(x.detach().numpy(), axis=dim)))
            if dim < x.dim() - 1 and _pays(x, x.shape[dim]):
                return _places_in_columns(function, x, dim)
        return native(x, dim=dim)

    return numpys_place


@dataclass(frozen=True)
class _Unsigned:
    """Search many unsigned integers directly, others as signed integers."""

    function: Callable[..., Any]

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel that chooses between both ways."""
        return _place(self.function, Ordered().kernel(op, spec))


def _pays(x: Tensor, length: int) -> bool:
    """Say whether it pays to search columns by NumPy, which must copy them to rows first."""
    return x.numel() >= _MANY and 0 < length <= _SHORT


def _places_in_columns(function: Callable[..., Any], x: Tensor, dim: int) -> Tensor:
    """Search along an axis other than the last one, in pieces along another axis."""
    values = x.detach().numpy()
    places = np.empty(values.shape[:dim] + values.shape[dim + 1 :], np.int64)

    def search(piece: Any, found: Any) -> None:
        function(piece, axis=dim or 1, out=found)

    if dim:
        in_pieces(search, values, places)
    else:
        in_pieces(search, np.moveaxis(values, -1, 0), np.moveaxis(places, -1, 0))
    return torch.from_numpy(places)


# --- rows -----------------------------------------------------------------------------------------

_SEEN: Final = Evidence("torch 2.13, CPU: x86", "time")

ROWS: Final = (
    Row("sort", _WIDE, Compose(_sort), "torch sorts their positions too", _SEEN),
    Row(
        "sort",
        _INTEGERS,
        Compose(_sort_integers),
        "torch sorts by digits in ascending order alone, short rows one after the other",
        _SEEN,
    ),
    Row(
        "unique_values",
        dt.REAL_FLOATING,
        Compose(_unique_values),
        "of zeros of both signs, torch keeps any",
        Evidence("torch 2.13, CPU"),
    ),
    Row(
        "unique_values",
        dt.WIDE_UNSIGNED,
        Ordered(),
        "torch sorts no unsigned integers by digits, as it sorts many",
        Evidence("torch 2.11 to 2.13, CPU"),
    ),
    Row(
        "unique_counts",
        _WIDE | _INTEGERS,
        Compose(search.unique_counts_by_order),
        "neither places nor the inverse are asked for",
        _SEEN,
    ),
    Row(
        "unique_inverse",
        dt.REAL_FLOATING | _INTEGERS,
        Compose(_unique_inverse),
        "neither places nor counts are asked for; of zeros of both signs, torch keeps any",
        _SEEN,
    ),
    *(
        Row(op.name, dtypes, route, reason, _SEEN)
        for op, function in ((search.argmax, np.argmax), (search.argmin, np.argmin))
        for dtypes, route, reason in (
            (
                _WIDE | _INTEGERS,
                Compose(_place(function, op.native)),
                "torch compares one element after the other, and NumPy several at once",
            ),
            (
                dt.WIDE_UNSIGNED,
                _Unsigned(function),
                "to turn them into signed ones takes longer than NumPy's search",
            ),
        )
    ),
)
