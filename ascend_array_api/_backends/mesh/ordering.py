"""Sorting, searching and sets along the divided axis, by exchanging sorted pieces."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..._devices.device import Spec
from ..._routes import movement
from ..._routes import searching as ops
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import OPS, Op
from ..._routes._rows import Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._mesh import Mesh
from ._moves import (
    Pieces,
    as_bits,
    asked,
    balanced,
    by_owners,
    counts_of,
    gathered_pieces,
    numbers_of,
    picked,
    sent,
    together,
)
from ._sharded import Sharded, extent, parts_of, turned
from .gathering import SEEN, ByRule, on_one, ruled
from .reductions import combined, lengths


class Ordering:
    """The kernels that sort vectors, and the conversion of elements for them.

    Booleans become integers, and wide unsigned integers become signed ones in the same order.
    """

    def __init__(self, spec: Spec) -> None:
        self.given = spec.dtype
        signed = dt.SIGNED_OF.get(spec.dtype) if spec.dtype in dt.WIDE_UNSIGNED else None
        self.flipped = 0 if signed is None else dt.LIMITS[signed][0]
        self.dtype = signed or (dt.uint8 if spec.dtype is dt.bool else spec.dtype)
        own = spec.of(self.dtype)
        self._argsort = on_one(ops.argsort, own) if self.dtype in ops.sort.dtypes else None
        self._search = on_one(ops.searchsorted, own) if self.dtype in dt.REAL else None
        self.unique = on_one(ops.unique, own)

    def enter(self, t: Tensor) -> Tensor:
        """Convert elements for the kernels."""
        if self.dtype is self.given:
            return t
        viewed = t.view(self.dtype)
        return torch.bitwise_xor(viewed, self.flipped) if self.flipped else viewed

    def leave(self, t: Tensor) -> Tensor:
        """Convert elements back."""
        if self.dtype is self.given:
            return t
        return (torch.bitwise_xor(t, self.flipped) if self.flipped else t).view(self.given)

    def argsort(self, t: Tensor, axis: int = 0, *, descending: bool = False) -> Tensor:
        """Return the stable order along an axis."""
        assert self._argsort is not None
        order: Tensor = self._argsort(t, axis=axis, descending=descending, stable=True)
        return order

    def before(self, t: Tensor, values: Tensor, *, right: bool, descending: bool) -> Tensor:
        """Count a sorted vector's elements before each value; with ``right`` also equal ones."""
        assert self._search is not None
        if not descending:
            found: Tensor = self._search(t, values, right=right)
            return found
        after: Tensor = self._search(t.flip(0), values, right=not right)
        return len(t) - after

    def splitters(
        self, mesh: Mesh, own: Sequence[Tensor], *, descending: bool = False
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
        size = mesh.transport.size
        counts = [n for (n,) in numbers_of(mesh, [[len(t)] for t in own])]
        many = min(size, _SAMPLES * math.isqrt(size))
        samples = [
            t[torch.tensor(several, dtype=dt.int64, device=t.device)]
            for t, r in zip(own, mesh.transport.ranks)
            for several in (
                [_sampled(r, len(t), i, many, size) for i in range(many * (len(t) > 0))],
            )
        ]
        filled = [r for r, n in enumerate(counts) if n]
        every = together(mesh.transport.exchange(samples, [(many * (n > 0),) for n in counts]))
        order = self.argsort(every, descending=descending)
        chosen = order[[len(order) * i // size for i in range(1, size)]] if len(order) else order
        places = [(filled[i // many], i % many) for i in chosen.tolist()]
        return every[chosen], [(r, _sampled(r, counts[r], i, many, size)) for r, i in places]


_SAMPLES: Final = 4
"""How many times the root of the number of ranks is the number of samples of each."""


def _sampled(rank: int, n: int, i: int, many: int, size: int) -> int:
    """Return where, among the ``n`` elements of a rank, the sample is that has a number."""
    # Multiples of the golden ratio, here of 32 bits, lie evenly however many follow each other.
    within = 0 if many == size else (i * size + rank) * 0x9E3779B9 & 0xFFFFFFFF
    return ((i << 32) + within) * n // (many << 32)


# --- sorts ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sorted:
    """Sort each part along another axis, or all parts together along the divided axis."""

    places: bool
    """Whether to return the order instead of the sorted elements."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with parts."""
        kernels = Ordering(spec)

        def rule(
            one: Kernel, _: list[Sharded], x: Sharded, *, axis: int, descending: bool, stable: bool
        ) -> Any:
            axis %= x.dim()
            if x.axis != axis:
                options = {"axis": axis, "descending": descending, "stable": stable}
                return x.with_parts([one(p, **options) for p in x.parts])
            # Reshape to columns that are divided by rows.
            rest = [n for d, n in enumerate(x.shape) if d != axis]
            count, n = math.prod(rest), x.shape[axis]
            own = [kernels.enter(p).movedim(axis, 0).reshape(p.shape[axis], count) for p in x.parts]
            columns = Sharded(own, 0, x.mesh, (n, count))
            made = (
                self._turned(kernels, columns, descending=descending)
                if count >= x.mesh.transport.size
                else self._one_by_one(kernels, columns, descending=descending)
            )
            parts = [p.reshape(p.shape[0], *rest).movedim(0, axis) for p in made]
            return x.with_parts(parts if self.places else [kernels.leave(p) for p in parts])

        return ruled(op, spec, rule)

    def _turned(self, kernels: Ordering, x: Sharded, *, descending: bool) -> list[Tensor]:
        """Divide by columns instead, and sort whole columns."""
        across = turned(x, 1)
        orders = [kernels.argsort(p, 0, descending=descending) for p in across.parts]
        made = (
            orders if self.places else [torch.gather(p, 0, o) for p, o in zip(across.parts, orders)]
        )
        return turned(across.with_parts(made), 0).parts

    def _one_by_one(self, kernels: Ordering, x: Sharded, *, descending: bool) -> list[Tensor]:
        several = [
            self._line(kernels, x, [p[:, i] for p in x.parts], descending=descending)
            for i in range(x.shape[1])
        ]
        if not several:
            return [torch.empty_like(p, dtype=dt.int64 if self.places else None) for p in x.parts]
        return [torch.stack(columns, 1) for columns in zip(*several)]

    def _line(
        self, kernels: Ordering, x: Sharded, own: list[Tensor], *, descending: bool
    ) -> list[Tensor]:
        """Sort one column: each rank receives the elements between two splitters and sorts them.

        Equal elements stay in the order of their ranks, so the sort is stable.
        """
        mesh, size = x.mesh, x.mesh.transport.size
        starts = [extent(x.shape[0], size, r)[0] for r in range(size)]
        orders = [kernels.argsort(p, descending=descending) for p in own]
        # Sort each part, choose splitters, send each rank its range, and sort what arrives.  The
        # parts then have uneven sizes, which ``balanced`` corrects.
        ordered = [picked(p, o) for p, o in zip(own, orders)]
        among, names = kernels.splitters(mesh, ordered, descending=descending)
        counts = counts_of(
            mesh,
            [
                self._cuts(kernels, p, among, names, r, size, descending=descending)
                for p, r in zip(ordered, mesh.transport.ranks)
            ],
        )
        received = sent(mesh, ordered, counts)
        finally_ = [kernels.argsort(p, descending=descending) for p in received]
        made = [picked(p, o) for p, o in zip(received, finally_)]
        if self.places:
            places = [o + starts[r] for o, r in zip(orders, mesh.transport.ranks)]
            made = [picked(p, o) for p, o in zip(sent(mesh, places, counts), finally_)]
        return balanced(mesh, gathered_pieces(mesh, made)).parts

    @staticmethod
    def _cuts(
        kernels: Ordering,
        ordered: Tensor,
        among: Tensor,
        names: list[tuple[int, int]],
        rank: int,
        size: int,
        *,
        descending: bool,
    ) -> list[int]:
        """Return how many of a rank's elements each rank receives."""
        # A splitter has a place in the stable order.  So among elements equal to it, those of
        # earlier ranks go before it, those of later ranks after it.
        left, right = (
            kernels.before(ordered, among, right=r, descending=descending).tolist()
            for r in (False, True)
        )
        bounds = [
            i if whose == rank else right[k] if rank < whose else left[k]
            for k, (whose, i) in enumerate(names)
        ]
        bounds = [0, *bounds, *[len(ordered)] * (size - len(bounds))]
        return [b - a for a, b in itertools.pairwise(bounds)]


# --- extremes -------------------------------------------------------------------------------------


def _extreme(one: Kernel, _: list[Sharded], x: Sharded, dim: int | None = None) -> Any:
    """Find the extreme of each part, then the extreme among these."""
    mesh, size = x.mesh, x.mesh.transport.size
    if dim is not None and dim != x.axis:
        shape = (*x.shape[:dim], *x.shape[dim + 1 :])
        return Sharded([one(p, dim) for p in x.parts], x.axis - (dim < x.axis), mesh, shape)
    starts = [extent(x.shape[x.axis], size, r)[0] for r in range(size)]
    shape = () if dim is None else (*x.shape[:dim], *x.shape[dim + 1 :])
    values, places = [], []
    for p, r in zip(x.parts, mesh.transport.ranks):
        if not p.shape[x.axis]:
            values.append(p.new_empty(shape))
            places.append(p.new_empty(shape, dtype=dt.int64))
        elif dim is None:
            place = one(p, None)
            chosen = picked(as_bits(p).reshape(-1), place.reshape(1))
            values.append(chosen.reshape(()).view(p.dtype))
            places.append(_in_all(place, x, p.shape[x.axis], starts[r]))
        else:
            place = one(p, dim).unsqueeze(dim)
            values.append(torch.gather(as_bits(p), dim, place).squeeze(dim).view(p.dtype))
            places.append((place + starts[r]).squeeze(dim))
    filled = [r for r, n in enumerate(lengths(x)) if n]
    found = [mesh.transport.exchange(several, [shape] * size) for several in (values, places)]
    value = torch.stack([as_bits(found[0][r]) for r in filled])
    place = torch.stack([found[1][r] for r in filled])
    if dim is None:  # of equal extremes, the first in the order of all elements
        order = torch.argsort(place)
        value, place = picked(value, order), picked(place, order)
    which = one(value.view(x.dtype), 0)
    return torch.gather(place, 0, which.unsqueeze(0)).squeeze(0)


def _in_all(place: Tensor, x: Sharded, length: int, start: int) -> Tensor:
    """Return the position in the whole of an element, given its position in a part."""
    inner = math.prod(x.shape[x.axis + 1 :])
    row, column = place // inner, place % inner
    block, row = row // length, row % length
    return (block * x.shape[x.axis] + row + start) * inner + column


# --- looking up -----------------------------------------------------------------------------------


class LookedUp:
    """Search each value at the rank of its place: the first part whose last element is not less."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with parts."""

        def rule(one: Kernel, _: list[Sharded], x1: Tensor, x2: Tensor, *, right: bool) -> Any:
            if type(x1) is not Sharded:
                assert type(x2) is Sharded
                return x2.with_parts([one(x1, p, right=right) for p in x2.parts])
            mesh, size = x1.mesh, x1.mesh.transport.size
            filled = [r for r, n in enumerate(lengths(x1)) if n]
            if not filled:
                return NotImplemented
            starts = [extent(x1.shape[0], size, r)[0] for r in range(size)]
            shapes = [(int(n > 0),) for n in lengths(x1)]
            own = [p[len(p) - 1 :] if len(p) else p for p in x1.parts]
            ends = together([as_bits(t) for t in mesh.transport.exchange(own, shapes)])
            ends = ends.view(x1.dtype)

            def owners(values: Tensor) -> Tensor:
                return torch.clamp(one(ends, values, right=right), max=len(filled) - 1)

            def looked_up(i: int, values: Tensor) -> Tensor:
                start = starts[mesh.transport.ranks[i]]
                made: Tensor = one(x1.parts[i], values, right=right) + start
                return made

            if type(x2) is Sharded:
                flat = [p.reshape(-1) for p in x2.parts]
                got = asked(mesh, [owners(f) for f in flat], flat, looked_up)
                return x2.with_parts([g.reshape(p.shape) for g, p in zip(got, x2.parts)])
            whose = owners(x2)
            places = [
                torch.where(whose == r, looked_up(i, x2), 0)
                for i, r in enumerate(mesh.transport.ranks)
            ]
            return combined(mesh, places, size, lambda every: every.sum(0))

        return ruled(op, spec, rule)


class Contained:
    """Look up each distinct element at the one rank that owns this value."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with parts."""
        unique = on_one(ops.unique, spec)

        def distinct(p: Tensor) -> tuple[Tensor, Tensor]:
            first, inverse, _ = unique(p.reshape(-1))
            return picked(as_bits(p.reshape(-1)), first).view(p.dtype), inverse

        def rule(one: Kernel, _: list[Sharded], x1: Tensor, x2: Tensor, *, invert: bool) -> Any:
            if type(x2) is not Sharded:
                assert type(x1) is Sharded
                return x1.with_parts([one(p, x2, invert=invert) for p in x1.parts])
            mesh, size = x2.mesh, x2.mesh.transport.size
            if type(x1) is not Sharded:
                own = [one(x1, p, invert=False) for p in x2.parts]
                return combined(mesh, own, size, lambda every: every.any(0)) != invert
            several = [distinct(p)[0] for p in x2.parts]
            orders, counts = by_owners(mesh, [_owner(v, size) for v in several])
            ordered = [picked(as_bits(v), o) for v, o in zip(several, orders)]
            among = [s.view(x2.dtype) for s in sent(mesh, ordered, counts)]
            mine = [distinct(p) for p in x1.parts]
            got = asked(
                mesh,
                [_owner(v, size) for v, _ in mine],
                [v for v, _ in mine],
                lambda i, v: one(v, among[i], invert=invert),
            )
            return x1.with_parts(
                [g[n].reshape(p.shape) for g, (_, n), p in zip(got, mine, x1.parts)]
            )

        return ruled(op, spec, rule)


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


class Distinct:
    """Find the distinct values of each part; then each rank does so for a range of values."""

    def __init__(self, *wanted: int) -> None:
        self.wanted = wanted
        """Which of these results to return: values, first positions, inverse, counts."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with parts."""
        if spec.dtype in dt.COMPLEX:
            real, number = Ordering(spec.real), Ordering(spec.of(dt.int64))
            taken = movement.index_select.on(spec)

            def find(x: Sharded) -> tuple[Any, ...]:
                # Rank the distinct real and imaginary parts, and join both ranks to one integer.
                first, second = (
                    _distinct(real, x.with_parts([getattr(p, part).contiguous() for p in x.parts]))
                    for part in ("real", "imag")
                )
                count = second[3].shape[0]
                pairs = [a * count + b for a, b in zip(first[2].parts, second[2].parts)]
                _, places, inverse, counts = _distinct(number, x.with_parts(pairs))
                return taken(x, places, 0), places, inverse, counts
        else:
            kernels = Ordering(spec)

            def find(x: Sharded) -> tuple[Any, ...]:
                return _distinct(kernels, x)

        def rule(_: Kernel, __: list[Sharded], x: Sharded) -> Any:
            made = find(x)
            results = tuple(made[i] for i in self.wanted)
            return results if len(results) > 1 else results[0]

        return ruled(op, spec, rule)


def _distinct(kernels: Ordering, x: Sharded) -> tuple[Sharded, Sharded, Sharded, Sharded]:
    """Return a vector's distinct values, their first positions, the inverse and the counts."""
    mesh, size = x.mesh, x.mesh.transport.size
    ranks = mesh.transport.ranks
    starts = [extent(x.shape[0], size, r)[0] for r in range(size)]
    here = [kernels.enter(p) for p in x.parts]
    own = [kernels.unique(p) for p in here]
    values = [p[first] for p, (first, *_) in zip(here, own)]
    among, _ = kernels.splitters(mesh, values)
    cuts = []
    for v in values:
        bounds = kernels.before(v, among, right=False, descending=False).tolist()
        bounds = [0, *bounds, *[len(v)] * (size - len(bounds))]
        cuts.append([b - a for a, b in itertools.pairwise(bounds)])
    counts = counts_of(mesh, cuts)
    places = [first + starts[r] for (first, *_), r in zip(own, ranks)]
    every, firsts, often = (
        sent(mesh, sources, counts) for sources in (values, places, [count for *_, count in own])
    )
    # In the order of ranks, so that the first of equal values is also the first of all elements.
    merged = [kernels.unique(v) for v in every]
    sizes = [n for (n,) in numbers_of(mesh, [[len(first)] for first, *_ in merged])]
    bases = Pieces([], sizes).starts

    def laid(parts: list[Tensor]) -> Sharded:
        return balanced(mesh, Pieces(parts, sizes))

    found = laid([kernels.leave(v[first]) for v, (first, *_) in zip(every, merged)])
    positions = laid([f[first] for f, (first, *_) in zip(firsts, merged)])
    totals = laid(
        [
            torch.zeros(len(first), dtype=dt.int64, device=n.device).index_add_(0, inverse, n)
            for n, (first, inverse, _) in zip(often, merged)
        ]
    )
    numbers = [inverse + bases[r] for (_, inverse, _), r in zip(merged, ranks)]
    returned = sent(mesh, numbers, counts.back)
    inverse = [rows[i] for rows, (_, i, _) in zip(returned, own)]
    return found, positions, x.with_parts(inverse), totals


# --- positions by values --------------------------------------------------------------------------


def _leading(x: Sharded) -> Sharded:
    """Divide a tensor so that its parts follow each other in the order of elements."""
    return turned(x, next((d for d, n in enumerate(x.shape) if n != 1), 0))


def _nonzero(_: Kernel, __: list[Sharded], x: Sharded) -> Any:
    filled = _leading(x.with_parts([as_bits(p) != 0 for p in x.parts]))
    own = []
    for p, r in zip(filled.parts, x.mesh.transport.ranks):
        places = torch.nonzero(p)
        places[:, filled.axis] += extent(x.shape[filled.axis], x.mesh.transport.size, r)[0]
        own.append(places)
    return balanced(x.mesh, gathered_pieces(x.mesh, own))


def _mask_nonzero(one: Kernel, divided: list[Sharded], mask: Sharded) -> Any:
    return tuple(_nonzero(one, divided, mask).unbind(1))


_MASK: Final = "each part needs all of the mask"


def _mask(one: Kernel, divided: list[Sharded], x: Tensor, mask: Tensor) -> Any:
    mesh, count = divided[0].mesh, mask.dim()
    if tuple(x.shape[:count]) != tuple(mask.shape):
        return NotImplemented  # the kernel for one device raises
    if type(x) is Sharded and x.axis >= count and type(mask) is not Sharded:
        own = [one(p, mask) for p in x.parts]
        axis = x.axis - count + 1
        return Sharded(own, axis, mesh, (len(own[0]), *x.shape[count:]))
    axis = next((d for d, n in enumerate(mask.shape) if n != 1), 0)
    parts = [parts_of(t, axis, mesh) for t in (x, mask)]
    return balanced(mesh, gathered_pieces(mesh, [one(*several) for several in zip(*parts)]))


_EVIDENCE: Final = Evidence(SEEN, "absent")
_ORDER: Final = "ranks hand each other what lies between two elements in order"
_FOUND: Final = "what is found in the parts alone moves, so that all have as much"
_LOOK: Final = "values go to the rank that has their place"
_FEW: Final = "what the parts give is small, and is all that the result hangs on"

ROWS: Final = [
    Row(name, OPS[name].dtypes, route, why, _EVIDENCE)
    for name, route, why in (
        ("sort", Sorted(places=False), _ORDER),
        ("argsort", Sorted(places=True), _ORDER),
        ("argmax", ByRule(_extreme), _FEW),
        ("argmin", ByRule(_extreme), _FEW),
        ("searchsorted", LookedUp(), _LOOK),
        ("isin", Contained(), _LOOK),
        ("unique", Distinct(1, 2, 3), _ORDER),
        ("unique_counts", Distinct(0, 3), _ORDER),
        ("unique_inverse", Distinct(0, 2), _ORDER),
        ("unique_values", Distinct(0), _ORDER),
        ("nonzero", ByRule(_nonzero), _FOUND),
        ("mask_nonzero", ByRule(_mask_nonzero), _FOUND),
        ("mask", ByRule(_mask), _FOUND),
    )
]
