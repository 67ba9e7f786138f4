"""Elementwise functions, reductions and creation on the CPU in fewer passes, for speed only.

One reduction tells whether there are exceptional values; if not, corrections for them are skipped.
NumPy computes functions at which it is faster, on the same memory.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from ..._devices.facts import numpys_vectors, torch_at_least
from ..._routes import creation, reductions, searching
from ..._routes import elementwise as el
from ..._routes._derivatives import plain, readable, tracked
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import Op
from ..._routes._rows import Compose, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._numpy import (
    CACHED,
    CHEAP,
    GRAIN,
    PIECE,
    alike,
    applied,
    by_numpy,
    few_threads,
    in_portions,
    many,
    many_and_plain,
)
from ._threads import in_threads

_WIDE: Final = frozenset({dt.float32, dt.float64})

# --- what is exceptional --------------------------------------------------------------------------


def _finite(*tensors: Tensor) -> bool:
    """Say whether all elements are certainly finite.

    The sum is not finite if any element is not.  It may also overflow; then the answer is no.
    """
    return readable(*tensors) and all(math.isfinite(float(torch.sum(t.detach()))) for t in tensors)


def _floor_divide(x1: Tensor, x2: Tensor) -> Tensor:
    if _finite(x2, x1):
        return torch.div(x1, x2, rounding_mode="floor")
    return el.floor_divide_floating(x1, x2)


def _floor_divide_float32(x1: Tensor, x2: Tensor) -> Tensor:
    if not plain(x1, x2):
        return el.floor_divide_float32(x1, x2)
    if x1.is_contiguous() and x2.is_contiguous() and (x1.shape == x2.shape or not x2.dim()):
        return in_portions(_down, GRAIN * torch.get_num_threads(), x1, x2)
    return _down(x1, x2)


def _down(x1: Tensor, x2: Tensor) -> Tensor:
    return (x1.double() / x2.double()).floor_().float()


def _sign(x: Tensor) -> Tensor:
    # A sum of infinities may be NaN although no element is.
    if readable(x) and not math.isnan(float(torch.sum(x.detach()))):
        return torch.sign(x)
    return el.sign_floating(x)


def _sign_complex(x: Tensor) -> Tensor:
    if many(x):
        limits = torch.finfo(x.dtype)
        ends = torch.aminmax(torch.abs(torch.view_as_real(x.detach())))
        least, greatest = map(float, ends)
        if least > 4 * limits.tiny and greatest < limits.max / 2:
            return torch.sgn(x)
    return el.sign_complex(x)


def _root(x: Tensor) -> Tensor:
    # The standard requires special cases of powers, and correct rounding of sqrt only.
    least = float(torch.amin(x.detach())) if readable(x) and x.numel() else math.nan
    if not least > -math.inf:
        return el.root.native(x)
    if tracked(x):
        result = el.sqrt(x)
        return result if least > 0 else result + 0.0
    result = torch.sqrt(x)
    return result if least > 0 else result.abs_()  # where 0 may be -0


# --- integers by one number -----------------------------------------------------------------------


def _floor_divide_out(x: Any, divisor: int, out: Any) -> None:
    np.floor_divide(x, x.dtype.type(divisor), out=out)


def _remainder_out(x: Any, divisor: int, out: Any) -> None:
    # NumPy has vector code for division by one number, but none for the remainder.
    np.floor_divide(x, x.dtype.type(divisor), out=out)
    np.multiply(out, x.dtype.type(divisor), out=out)
    np.subtract(x, out, out=out)


def _by_one_divisor(native: Kernel, function: Any) -> Compose:
    """Return the route of a division of integers: by NumPy if one divisor serves many dividends."""

    def with_number(x: Tensor, divisor: int) -> Tensor:
        # The divisors 0 and -1 need special care.
        if divisor in {0, -1} or not (many(x) and few_threads()):
            return native(x, divisor)
        return applied(lambda x, out: function(x, divisor, out), x)

    def by_one_divisor(x1: Tensor, x2: Tensor) -> Tensor:
        if many(x1) and not x2.dim() and readable(x2) and few_threads() and (divisor := int(x2)):
            return with_number(x1, divisor)
        return native(x1, x2)

    return Compose(by_one_divisor, with_number)


# --- by NumPy -------------------------------------------------------------------------------------


def _compared(name: str) -> Kernel:
    """Return a comparison of two tensors by NumPy."""
    function, native = getattr(np, name), getattr(el, name).native

    def compare(x1: Tensor, x2: Tensor) -> Tensor:
        if many(x1) and many(x2) and x1.shape == x2.shape and few_threads():
            return applied(function, x1, x2, dtype=np.bool_, grain=CHEAP)
        result: Tensor = native(x1, x2)
        return result

    return compare


def _of_columns(x: Tensor, dim: tuple[int, ...]) -> bool:
    """Say whether a reduction along the first axis has so few results that torch's threads idle."""
    return 0 in dim and x.numel() < GRAIN * math.prod([x.shape[i] for i in dim])


def _any_or_all(name: str) -> Kernel:
    op: Op = getattr(reductions, name)
    native = op.native

    def stops_early(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
        if many(x) and (x.dtype is dt.bool or few_threads() or (dim and _of_columns(x, dim))):
            seen = x.detach()
            if x.numel() > PIECE and x.dtype is not dt.bool and not few_threads():
                seen = seen != 0  # torch has more threads, and NumPy then reads fewer bytes
            # NumPy stops at the first element that decides.
            decide = getattr(seen.numpy(), name)
            return torch.from_numpy(np.asarray(decide(dim, keepdims=keepdim)))
        return native(x) if dim is None else native(x, dim, keepdim)

    return stops_early


def _min(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    if many(x) and few_threads():
        return torch.from_numpy(np.asarray(np.min(x.detach().numpy(), dim, keepdims=keepdim)))
    native = reductions.min.native
    return native(x) if dim is None else native(x, dim, keepdim)


def _prod(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    if dim != (0,) or x.dim() < 2 or not (many(x) and x.is_contiguous() and few_threads()):
        return reductions.prod.native(x, dim, keepdim)
    rows = x.numpy()
    parts: list[Any] = []

    def compute(start: int, stop: int) -> None:
        parts.append(np.multiply.reduce(rows[start:stop], axis=0))

    in_threads(compute, len(rows), min(rows.size // PIECE, len(rows) // _ROWS))
    return torch.from_numpy(np.prod(np.stack(parts), axis=0, keepdims=keepdim))


_ROWS: Final = 16
"""The least number of rows for a thread, so that partial products are few."""


def _pow(x1: Tensor, x2: Tensor) -> Tensor:
    if many(x1) and alike(x1, x2) and few_threads():
        return applied(np.power, x1, x2)
    return torch.pow(x1, x2)


def _count_nonzero(x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    if many(x) and len(axes) == x.dim() and not keepdims and few_threads():
        return torch.from_numpy(np.asarray(np.count_nonzero(x.numpy()), np.int64))
    return searching.count_nonzero.native(x, axes, keepdims)


def _nonzero(x: Tensor) -> Tensor:
    if not (many(x) and few_threads()):
        return torch.nonzero(x)
    places = np.nonzero(x.numpy())
    if len(places) == 1:
        return torch.from_numpy(places[0]).unsqueeze(1)
    return torch.from_numpy(np.stack(places, 1))


_ONE_BY_ONE: Final = 64
"""Up to this number of elements, compare each with all others."""


def _isin(x1: Tensor, x2: Tensor, *, invert: bool) -> Tensor:
    if not (many(x1) and readable(x2) and 0 < x2.numel() <= _ONE_BY_ONE):
        return searching.isin.native(x1, x2, invert=invert)
    first, *others = np.unique(x2.detach().numpy())
    if not x1.is_floating_point() and others and int(others[-1]) - int(first) < _TABLE:
        return _isin_table(x1, [first, *others], invert=invert)

    def isin(x: Any, out: Any) -> None:
        found = np.empty_like(out)
        np.equal(x, first, out=out)
        for other in others:
            np.bitwise_or(np.equal(x, other, out=found), out, out=out)
        if invert:
            np.logical_not(out, out=out)

    # This many steps switch threads so often that one thread alone is as fast.
    return applied(isin, x1.contiguous(), dtype=np.bool_, grain=CHEAP, portion=16 * CACHED)


_TABLE: Final = 1 << 14
"""The number of bytes that stay in the L1 cache."""


def _isin_table(x1: Tensor, values: list[Any], *, invert: bool) -> Tensor:
    """Look integers up in a table that covers the range of the elements sought."""
    kind = values[0].dtype
    low, high = (
        max(min(v, np.iinfo(kind).max), np.iinfo(kind).min)
        for v in (int(values[0]) - 1, int(values[-1]) + 1)
    )
    table = np.full(high - low + 1, invert)
    table[[int(v) - low for v in values]] = not invert

    def isin(x: Any, out: Any) -> None:
        place = np.clip(x, low, high)
        np.subtract(place, kind.type(low), out=place)
        np.take(table, place, out=out, mode="clip")

    return applied(isin, x1.contiguous(), dtype=np.bool_, portion=2 * CACHED)


def _by_deviations(op: Op, *, root: bool) -> Kernel:
    native = reductions.spread(op.native, root=root)

    def by_deviations(x: Tensor, dim: tuple[int, ...], keepdim: bool, correction: float) -> Tensor:
        count = math.prod([x.shape[i] for i in dim])
        # The comparison excludes a correction of NaN.  If all axes are reduced, torch is faster.
        if many_and_plain(x) and len(dim) < x.dim() and count > max(correction, 0):
            result = _squares(x, dim, keepdim=keepdim) / (count - correction)
            # Squares, and the sum for the mean, may overflow although the variance does not.
            # If they vanish, so does what is left of it.
            if math.isfinite(float(torch.sum(result))) and float(torch.min(result)) > 1e-24:
                return torch.sqrt(result) if root else result
        return native(x, dim, keepdim, correction)

    return by_deviations


def _squares(x: Tensor, dim: tuple[int, ...], *, keepdim: bool) -> Tensor:
    """Return the sums of squared deviations from the mean.

    The sum of the deviations, which is 0 apart from rounding, corrects the error of the mean.
    """
    mean = torch.mean(x, dim, keepdim=True)
    threads = torch.get_num_threads() if 0 in dim else 1
    rows = max(threads, _ROOM * len(x) // x.numel() // threads * threads)
    even = len(x) // threads * threads
    room = torch.empty_like(x[:rows])

    def total(off: Tensor) -> Tensor:
        # Each thread sums the rows that it has written itself, which are in its cache.
        if 0 not in dim or len(off) % threads:
            return torch.sum(off, dim, keepdim)
        parts = torch.unflatten(off, 0, (threads, -1))
        return torch.sum(parts, [i + 1 for i in dim], keepdim).sum(0)

    sums = []
    for start in (*range(0, even, rows), *range(even, len(x), threads)):
        stop = min(start + rows, even if start < even else len(x))
        near = mean if 0 in dim else mean[start:stop]
        off = torch.subtract(x[start:stop], near, out=room[: stop - start])
        own = total(off)
        sums.append((total(off.mul_(off)), own))
    squares, totals = (torch.stack(s).sum(0) if 0 in dim else torch.cat(s) for s in zip(*sums))
    return squares - totals * totals / math.prod([x.shape[i] for i in dim])


_ROOM: Final = 1 << 20
"""The number of elements that is worth four calls of torch."""


def _square_integers(x: Tensor) -> Tensor:
    return torch.multiply(x, x)


# --- rows -----------------------------------------------------------------------------------------

_SEEN: Final = Evidence("torch 2.13, CPU: x86", "time")
_ONCE: Final = "torch's own kernel is right where all operands are finite, as a sum of them tells"
_IN_VECTORS: Final = "torch computes one element after the other, and NumPy several at once"

ROWS: Final = (
    Row("floor_divide", {dt.float64}, Compose(_floor_divide), _ONCE, _SEEN),
    Row(
        "floor_divide",
        {dt.float32},
        Compose(_floor_divide_float32),
        "a function with a derivative takes long for few elements, and three arrays for many",
        _SEEN,
    ),
    Row("sign", _WIDE, Compose(_sign), _ONCE, _SEEN),
    Row(
        "sign",
        dt.COMPLEX,
        Compose(_sign_complex),
        "where no part is very large or small, no size overflows or is rounded",
        _SEEN,
    ),
    Row("root", _WIDE, Compose(_root), "nothing is set right where the least is positive", _SEEN),
    Row("cube", _WIDE, Compose(el.cube_at_once), "two products are two passes", _SEEN),
    Row(
        "eye",
        dt.ANY - dt.WIDE_UNSIGNED,
        Compose(creation.eye_by_diagonal),
        "to compare positions takes many times as long as to fill a diagonal",
        _SEEN,
    ),
    *(
        Row(name, {dt.int32, dt.int64}, route, _IN_VECTORS, _SEEN, torch_at_least(2, 10))
        for name, route in (
            ("floor_divide", _by_one_divisor(torch.floor_divide, _floor_divide_out)),
            ("remainder", _by_one_divisor(torch.remainder, _remainder_out)),
        )
    ),
    *(
        Row(op.name, d, Compose(by_numpy(function, op.native, np.bool_, CHEAP)), _IN_VECTORS, _SEEN)
        for op, function, d in (
            (el.isfinite, np.isfinite, _WIDE | dt.COMPLEX),
            (el.isinf, np.isinf, _WIDE | dt.COMPLEX),
            (el.isnan, np.isnan, _WIDE | dt.COMPLEX),
            (el.signbit, np.signbit, _WIDE),
        )
    ),
    *(
        Row(
            name,
            {dt.float32, dt.int32},
            Compose(_compared(name), getattr(el, name).native),
            _IN_VECTORS,
            _SEEN,
        )
        for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
    ),
    *(
        Row("abs", {d}, Compose(by_numpy(np.abs, torch.abs, r)), _IN_VECTORS, _SEEN, numpys_vectors)
        for d, r in ((dt.complex64, np.float32), (dt.complex128, np.float64))
    ),
    Row("prod", {dt.int64}, Compose(_prod), _IN_VECTORS, _SEEN),
    Row("isin", _WIDE | {dt.int32, dt.int64}, Compose(_isin), _IN_VECTORS, _SEEN),
    Row("count_nonzero", dt.BOOLEAN, Compose(_count_nonzero), _IN_VECTORS, _SEEN),
    Row("nonzero", dt.BOOLEAN, Compose(_nonzero), _IN_VECTORS, _SEEN),
    *(
        Row(
            op.name,
            {dt.float32},
            Compose(_by_deviations(op, root=op is reductions.std)),
            "torch computes the deviation of one element after the other, in float64",
            _SEEN,
        )
        for op in (reductions.var, reductions.std)
    ),
    Row(
        "square",
        {dt.int32, dt.int64},
        Compose(_square_integers),
        "torch takes a power of one element after the other",
        _SEEN,
    ),
    Row("min", {dt.int64}, Compose(_min), _IN_VECTORS, _SEEN),
    *(
        Row(
            op.name,
            _WIDE,
            Compose(by_numpy(function, op.native, slow=slow)),
            _IN_VECTORS,
            _SEEN,
            numpys_vectors,
        )
        for op, function, slow in (
            (el.acosh, np.arccosh, True),
            (el.asinh, np.arcsinh, True),
            (el.atanh, np.arctanh, False),
        )
    ),
    *(  # before, other rows give the right results by NumPy
        Row(
            op.name,
            {dt.float32},
            Compose(by_numpy(function, op.native)),
            _IN_VECTORS,
            Evidence("torch 2.15, CPU: x86", "time"),
            numpys_vectors & torch_at_least(2, 15),
        )
        for op, function in ((el.cosh, np.cosh), (el.sinh, np.sinh))
    ),
    Row("pow", _WIDE, Compose(_pow), _IN_VECTORS, _SEEN, numpys_vectors),
    *(
        Row(
            name,
            _WIDE | {dt.bool, dt.int32, dt.int64},
            Compose(_any_or_all(name)),
            "torch looks at all elements, and NumPy no further than it must",
            _SEEN,
        )
        for name in ("all", "any")
    ),
)
