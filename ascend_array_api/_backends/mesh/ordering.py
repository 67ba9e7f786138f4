"""Sorting, searching and sets along the divided axis, by exchanging sorted pieces."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from ..._routes import movement
from ..._routes import searching as ops
from ..._routes._kernels import Kernel
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._dispatch import by_rules
from ._mesh import Mesh
from ._moves import (
    Pieces,
    as_bits,
    asked,
    balanced,
    by_owners,
    counts_of,
    evened,
    numbers_of,
    picked,
    sent,
)
from ._sharded import Sharded, found, joined_whole, leading, parts_of, turned
from .reductions import combined, filled


def _entered(t: Tensor) -> Tensor:
    """Convert elements for the kernels that sort vectors.

    Booleans become integers, and wide unsigned integers become signed ones in the same order.
    """
    if t.dtype is dt.bool:
        return t.view(dt.uint8)
    signed = as_bits(t)
    return t if signed is t else torch.bitwise_xor(signed, dt.LIMITS[signed.dtype][0])


def _left(t: Tensor, dtype: torch.dtype) -> Tensor:
    """Convert elements back."""
    wide = dtype in dt.WIDE_UNSIGNED
    return (torch.bitwise_xor(t, dt.LIMITS[t.dtype][0]) if wide else t).view(dtype)


def _argsort(t: Tensor, *, descending: bool = False) -> Tensor:
    """Return the stable order along the first axis."""
    return ops.argsort(t, axis=0, descending=descending, stable=True)


def _before(t: Tensor, values: Tensor, *, right: bool, descending: bool) -> Tensor:
    """Count a sorted vector's elements before each value; with ``right`` also equal ones."""
    if not descending:
        return ops.searchsorted(t, values, right=right)
    return len(t) - ops.searchsorted(t.flip(0), values, right=not right)


def _splitters(
    mesh: Mesh, own: Sequence[Tensor], *, descending: bool = False
) -> tuple[Tensor, list[tuple[int, int]]]:
    """Return elements that divide the elements of all ranks about evenly, and their places.

    They are chosen from samples of each rank, one from each of equally long stretches of its
    elements.  Few ranks take as many samples as there are ranks, evenly spaced: then no rank
    gets more than twice its share.  For many ranks that would be too many samples.  They take
    fewer, at places within the stretches that differ from rank to rank, so that what each
    sample is off is not the same for all, and sums to little.

    Parameters
    ----------
    mesh : Mesh
    own : sequence of Tensor
        The sorted elements of this process's ranks.

    Returns
    -------
    Tensor, list of (int, int)
        The sorted splitters, and the rank and position of each.
    """
    size = mesh.size
    counts = [n for (n,) in numbers_of(mesh, [[len(t)] for t in own])]
    many = min(size, _SAMPLES * math.isqrt(size))
    samples = []
    for t, r in zip(own, mesh.ranks):
        several = [_sampled(r, len(t), i, many, size) for i in range(many * (len(t) > 0))]
        samples.append(t[torch.tensor(several, dtype=dt.int64, device=t.device)])
    filled = [r for r, n in enumerate(counts) if n]
    every = joined_whole(mesh, samples, 0, [many * (n > 0) for n in counts])
    order = _argsort(every, descending=descending)
    chosen = order[[len(order) * i // size for i in range(1, size)]] if len(order) else order
    places = [(filled[i // many], i % many) for i in chosen.tolist()]
    return every[chosen], [(r, _sampled(r, counts[r], i, many, size)) for r, i in places]


def _cut(bounds: list[int], length: int, size: int) -> list[int]:
    """Return how many of a rank's elements each rank receives, given where they are cut."""
    bounds = [0, *bounds, *[length] * (size - len(bounds))]
    return [b - a for a, b in itertools.pairwise(bounds)]


_SAMPLES: Final = 4
"""How many times the root of the number of ranks is the number of samples of each."""


def _sampled(rank: int, n: int, i: int, many: int, size: int) -> int:
    """Return where, among the ``n`` elements of a rank, the sample is that has a number."""
    # Multiples of the golden ratio, here of 32 bits, lie evenly however many follow each other.
    within = 0 if many == size else (i * size + rank) * 0x9E3779B9 & 0xFFFFFFFF
    return ((i << 32) + within) * n // (many << 32)


# --- sorts ----------------------------------------------------------------------------------------


def _in_order(*, places: bool) -> Callable[..., Any]:
    """Return the rule to sort each part along another axis, or all parts along the divided axis.

    Parameters
    ----------
    places : bool
        Whether to return the order instead of the sorted elements.
    """

    def rule(one: Kernel, x: Sharded, *, axis: int, descending: bool, stable: bool) -> Any:
        axis %= x.dim()
        if x.axis != axis:
            options = {"axis": axis, "descending": descending, "stable": stable}
            return x.with_parts([one(p, **options) for p in x.parts])
        # Reshape to columns that are divided by rows.
        rest = [n for d, n in enumerate(x.shape) if d != axis]
        count, n = math.prod(rest), x.shape[axis]
        own = [_entered(p).movedim(axis, 0).reshape(p.shape[axis], count) for p in x.parts]
        columns = Sharded(own, 0, x.mesh, (n, count))
        made = (_turned if count >= x.mesh.size else _one_by_one)(columns, descending, places)
        parts = [p.reshape(p.shape[0], *rest).movedim(0, axis) for p in made]
        return x.with_parts(parts if places else [_left(p, x.dtype) for p in parts])

    return rule


def _turned(x: Sharded, descending: bool, places: bool) -> list[Tensor]:
    """Divide by columns instead, and sort whole columns."""
    across = turned(x, 1)
    made = [_argsort(p, descending=descending) for p in across.parts]
    if not places:
        made = [torch.gather(p, 0, o) for p, o in zip(across.parts, made)]
    return turned(across.with_parts(made), 0).parts


def _one_by_one(x: Sharded, descending: bool, places: bool) -> list[Tensor]:
    several = [_line(x, [p[:, i] for p in x.parts], descending, places) for i in range(x.shape[1])]
    if not several:
        return [torch.empty_like(p, dtype=dt.int64 if places else None) for p in x.parts]
    return [torch.stack(columns, 1) for columns in zip(*several)]


def _line(x: Sharded, own: list[Tensor], descending: bool, places: bool) -> list[Tensor]:
    """Sort one column: each rank receives the elements between two splitters and sorts them.

    Equal elements stay in the order of their ranks, so the sort is stable.
    """
    mesh = x.mesh
    orders = [_argsort(p, descending=descending) for p in own]
    # Sort each part, choose splitters, send each rank its range, and sort what arrives.  The
    # parts then have uneven sizes, which ``balanced`` corrects.
    ordered = [picked(p, o) for p, o in zip(own, orders)]
    among, names = _splitters(mesh, ordered, descending=descending)
    cuts = []
    for p, rank in zip(ordered, mesh.ranks):
        # A splitter has a place in the stable order.  So among elements equal to it, those of
        # earlier ranks go before it, those of later ranks after it.
        left, right = (
            _before(p, among, right=r, descending=descending).tolist() for r in (False, True)
        )
        bounds = [
            i if whose == rank else right[k] if rank < whose else left[k]
            for k, (whose, i) in enumerate(names)
        ]
        cuts.append(_cut(bounds, len(p), mesh.size))
    counts = counts_of(mesh, cuts)
    received = sent(mesh, ordered, counts)
    finally_ = [_argsort(p, descending=descending) for p in received]
    if places:
        own = [o + start for o, (start, _) in zip(orders, x.extents)]
        received = sent(mesh, own, counts)
    made = [picked(p, o) for p, o in zip(received, finally_)]
    return evened(mesh, made).parts


# --- extremes -------------------------------------------------------------------------------------


def _extreme(one: Kernel, x: Sharded, dim: int | None = None) -> Any:
    """Find the extreme of each part, then the extreme among these."""
    shape = () if dim is None else (*x.shape[:dim], *x.shape[dim + 1 :])
    if dim is not None and dim != x.axis:
        return x.of_shape(x.axis - (dim < x.axis), shape, lambda p, _: one(p, dim))
    at = dim or 0
    values, places = [], []
    for p, (start, length) in zip(x.parts, x.extents):
        if length:
            line = p.reshape(-1) if dim is None else p
            place = one(line, at).unsqueeze(at)
            values.append(torch.gather(as_bits(line), at, place).squeeze(at).view(p.dtype))
            place = place.squeeze(at)
            places.append(_in_all(place, x, length, start) if dim is None else place + start)
        else:
            values.append(p.new_empty(shape))
            places.append(p.new_empty(shape, dtype=dt.int64))
    value, place = (x.mesh.transport.stacked(t)[: filled(x)] for t in (values, places))
    if dim is None:  # of equal extremes, the first in the order of all elements
        order = torch.argsort(place)
        value, place = picked(as_bits(value), order).view(x.dtype), picked(place, order)
    return torch.gather(place, 0, one(value, 0).unsqueeze(0)).squeeze(0)


def _in_all(place: Tensor, x: Sharded, length: int, start: int) -> Tensor:
    """Return the position in the whole of an element, given its position in a part."""
    inner = math.prod(x.shape[x.axis + 1 :])
    row, column = place // inner, place % inner
    block, row = row // length, row % length
    return (block * x.shape[x.axis] + row + start) * inner + column


# --- looking up -----------------------------------------------------------------------------------


def _searched(one: Kernel, x1: Tensor, x2: Tensor, *, right: bool) -> Any:
    """Search each value at the rank of its place: the first part whose last element is not less."""
    if type(x1) is not Sharded:
        assert type(x2) is Sharded
        return x2.with_parts([one(x1, p, right=right) for p in x2.parts])
    mesh, lengths = x1.mesh, x1.lengths
    if not any(lengths):
        return NotImplemented
    own = [as_bits(p[-1:]) for p in x1.parts]
    ends = joined_whole(mesh, own, 0, [int(n > 0) for n in lengths]).view(x1.dtype)
    parts, extents = x1.parts, x1.extents

    def owners(values: Tensor) -> Tensor:
        return torch.clamp(one(ends, values, right=right), max=len(ends) - 1)

    def looked_up(i: int, values: Tensor) -> Tensor:
        made: Tensor = one(parts[i], values, right=right) + extents[i][0]
        return made

    if type(x2) is Sharded:
        flat = [p.reshape(-1) for p in x2.parts]
        got = asked(mesh, [owners(f) for f in flat], flat, looked_up)
        return x2.with_parts([g.reshape(p.shape) for g, p in zip(got, x2.parts)])
    whose = owners(x2)
    places = [torch.where(whose == r, looked_up(i, x2), 0) for i, r in enumerate(mesh.ranks)]
    return combined(mesh, places, mesh.size, lambda every: every.sum(0))


def _contained(one: Kernel, x1: Tensor, x2: Tensor, *, invert: bool) -> Any:
    """Look up each distinct element at the one rank that owns this value."""
    if type(x2) is not Sharded:
        assert type(x1) is Sharded
        return x1.with_parts([one(p, x2, invert=invert) for p in x1.parts])
    mesh, size = x2.mesh, x2.mesh.size
    if type(x1) is not Sharded:
        own = [one(x1, p, invert=False) for p in x2.parts]
        return combined(mesh, own, size, lambda every: every.any(0)) != invert

    def distinct(p: Tensor) -> tuple[Tensor, Tensor]:
        first, inverse, _ = ops.unique(p.reshape(-1))
        return picked(as_bits(p.reshape(-1)), first).view(p.dtype), inverse

    several = [distinct(p)[0] for p in x2.parts]
    orders, counts = by_owners(mesh, [_owner(v, size) for v in several])
    ordered = [picked(as_bits(v), o) for v, o in zip(several, orders)]
    among = [s.view(x2.dtype) for s in sent(mesh, ordered, counts)]
    mine = [distinct(p) for p in x1.parts]
    values = [v for v, _ in mine]
    owners = [_owner(v, size) for v in values]
    got = asked(mesh, owners, values, lambda i, v: one(v, among[i], invert=invert))
    return x1.with_parts([g[n].reshape(p.shape) for g, (_, n), p in zip(got, mine, x1.parts)])


_SPREADS: Final = 0x1E3779B97F4A7C15  # an odd multiplier that spreads values over the ranks


def _owner(values: Tensor, size: int) -> Tensor:
    """Return the rank that owns each value; equal values have the same owner."""
    if values.is_complex():
        real, imag = (_number(part) for part in (values.real, values.imag))
        number = real * 31 + imag
    else:
        number = _number(values)
    return torch.remainder((number * _SPREADS) >> 33, size)


def _number(values: Tensor) -> Tensor:
    if values.is_floating_point():
        same = values + 0.0  # both zeros get the same bits
        values = same.view({2: dt.int16, 4: dt.int32, 8: dt.int64}[same.element_size()])
    return as_bits(values).to(dt.int64)


# --- sets -----------------------------------------------------------------------------------------


def _of_distinct(*wanted: int) -> Callable[..., Any]:
    """Return the rule for some of these: values, first positions, inverse, counts."""

    def rule(_: Kernel, x: Sharded) -> Any:
        made = _distinct(x)
        results = tuple(made[i] for i in wanted)
        return results if len(results) > 1 else results[0]

    return rule


def _distinct(x: Sharded) -> tuple[Sharded, Sharded, Sharded, Sharded]:
    """Return a vector's distinct values, their first positions, the inverse and the counts.

    Find the distinct values of each part; then each rank does so for a range of values.
    """
    if x.dtype in dt.COMPLEX:
        # Rank the distinct real and imaginary parts, and join both ranks to one integer.
        first, second = (
            _distinct(x.with_parts([getattr(p, part).contiguous() for p in x.parts]))
            for part in ("real", "imag")
        )
        count = second[3].shape[0]
        pairs = [a * count + b for a, b in zip(first[2].parts, second[2].parts)]
        _, positions, inverses, totals = _distinct(x.with_parts(pairs))
        taken: Any = movement.index_select(x, positions, 0)
        return taken, positions, inverses, totals
    mesh = x.mesh
    here = [_entered(p) for p in x.parts]
    own: list[Any] = [ops.unique(p) for p in here]
    values = [p[first] for p, (first, *_) in zip(here, own)]
    among, _ = _splitters(mesh, values)
    cuts = [_before(v, among, right=False, descending=False).tolist() for v in values]
    counts = counts_of(mesh, [_cut(c, len(v), mesh.size) for c, v in zip(cuts, values)])
    places = [first + start for (first, *_), (start, _) in zip(own, x.extents)]
    every, firsts, often = (
        sent(mesh, sources, counts) for sources in (values, places, [count for *_, count in own])
    )
    # In the order of ranks, so that the first of equal values is also the first of all elements.
    merged: list[Any] = [ops.unique(v) for v in every]
    sizes = [n for (n,) in numbers_of(mesh, [[len(first)] for first, *_ in merged])]
    bases = Pieces([], sizes).starts

    def laid(parts: list[Tensor]) -> Sharded:
        return balanced(mesh, Pieces(parts, sizes))

    found = laid([_left(v[first], x.dtype) for v, (first, *_) in zip(every, merged)])
    positions = laid([f[first] for f, (first, *_) in zip(firsts, merged)])
    totals = laid(
        [
            torch.zeros(len(first), dtype=dt.int64, device=n.device).index_add_(0, inverse, n)
            for n, (first, inverse, _) in zip(often, merged)
        ]
    )
    numbers = [inverse + bases[r] for (_, inverse, _), r in zip(merged, mesh.ranks)]
    returned = sent(mesh, numbers, counts[::-1])
    inverse = [rows[i] for rows, (_, i, _) in zip(returned, own)]
    return found, positions, x.with_parts(inverse), totals


# --- positions by values --------------------------------------------------------------------------


def _nonzero(__: Kernel, x: Sharded) -> Any:
    # Divided so that the parts follow each other in the order of elements.
    filled = turned(x.with_parts([as_bits(p) != 0 for p in x.parts]), leading(x.shape))
    own = []
    for p, (start, _) in zip(filled.parts, filled.extents):
        places = torch.nonzero(p)
        places[:, filled.axis] += start
        own.append(places)
    return evened(x.mesh, own)


def _mask_nonzero(one: Kernel, mask: Sharded) -> Any:
    return tuple(_nonzero(one, mask).unbind(1))


def _mask(one: Kernel, x: Tensor, mask: Tensor) -> Any:
    mesh, count = found((x, mask))[0].mesh, mask.dim()
    if tuple(x.shape[:count]) != tuple(mask.shape):
        return NotImplemented  # the kernel for one device raises
    if type(x) is Sharded and x.axis >= count and type(mask) is not Sharded:
        own = [one(p, mask) for p in x.parts]
        axis = x.axis - count + 1
        return Sharded(own, axis, mesh, (len(own[0]), *x.shape[count:]))
    axis = leading(mask.shape)
    parts = [parts_of(t, axis, mesh) for t in (x, mask)]
    return evened(mesh, [one(*several) for several in zip(*parts)])


_ORDER: Final = "ranks hand each other what lies between two elements in order"
_FOUND: Final = "what is found in the parts alone moves, so that all have as much"
_LOOK: Final = "values go to the rank that has their place"
_FEW: Final = "what the parts give is small, and is all that the result hangs on"

ROWS: Final = by_rules(
    ("sort", _in_order(places=False), _ORDER),
    ("argsort", _in_order(places=True), _ORDER),
    ("argmax argmin", _extreme, _FEW),
    ("searchsorted", _searched, _LOOK),
    ("isin", _contained, _LOOK),
    ("unique", _of_distinct(1, 2, 3), _ORDER),
    ("unique_counts", _of_distinct(0, 3), _ORDER),
    ("unique_inverse", _of_distinct(0, 2), _ORDER),
    ("unique_values", _of_distinct(0), _ORDER),
    ("nonzero", _nonzero, _FOUND),
    ("mask_nonzero", _mask_nonzero, _FOUND),
    ("mask", _mask, _FOUND),
)
