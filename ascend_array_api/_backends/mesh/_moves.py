"""Moves of elements to the ranks that need them: no rank receives elements for another."""

from __future__ import annotations

import functools
import itertools
import math
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ..._devices.device import spec
from ..._routes.movement import index_select
from ..._routes.searching import searchsorted
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._sharded import Sharded, extents, laid, leading, resized, step, together, turned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ._mesh import Mesh


@dataclass(frozen=True)
class Pieces:
    """Pieces of a tensor along an axis, one for each rank, of any sizes."""

    own: list[Tensor]
    """The pieces of the ranks of this process."""
    sizes: list[int]
    """The sizes of the pieces of all ranks."""

    @functools.cached_property
    def ends(self) -> list[int]:
        """Where the pieces of all ranks end."""
        return list(itertools.accumulate(self.sizes))

    @functools.cached_property
    def starts(self) -> list[int]:
        """Where the pieces of all ranks begin."""
        return [0, *self.ends[:-1]]


Source: TypeAlias = "Pieces | Tensor"
"""Pieces, or a tensor that every process has as a whole."""
Segment: TypeAlias = "tuple[int, range]"
"""The number of a source, and positions in it."""


def pieces_of(t: Sharded) -> Pieces:
    """Return the parts of a divided tensor as pieces."""
    return Pieces(t.parts, t.lengths)


def numbers_of(mesh: Mesh, own: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the numbers of all ranks, given those of this process's ranks; all have as many."""
    found: list[list[int]] = mesh.transport.stacked(_as_tensors(mesh, own)).tolist()
    return found


def _as_tensors(mesh: Mesh, own: Sequence[Sequence[int]]) -> list[Tensor]:
    here = mesh.local.torch_device
    return [torch.tensor(list(several), dtype=dt.int64, device=here) for several in own]


Windows: TypeAlias = "Sequence[tuple[int, int]]"
"""Where the elements that each rank wants begin and end; neither goes back from rank to rank."""


def _within(positions: range, start: int, stop: int) -> tuple[int, int]:
    """Return where the positions that lie from ``start`` to ``stop`` begin and end among all."""
    first, last = (start, stop) if positions.step > 0 else (stop - 1, start - 1)
    n, begins, step = len(positions), positions.start, positions.step
    begin, end = -((begins - first) // step), -((begins - last) // step)
    return min(max(begin, 0), n), min(max(end, 0), n)


def _from(start: int, here: range) -> range:
    """Return positions in a piece that begins at ``start``, given those in the whole."""
    return range(here.start - start, here.stop - start, here.step)


class _Plan:
    """The elements that each rank wants of the concatenated segments of some sources.

    A rank asks for its own moves only, so that what it costs to plan grows with the number of ranks
    and not with that of their pairs.
    """

    def __init__(
        self, sources: Sequence[Source], segments: Sequence[Segment], windows: Windows
    ) -> None:
        self.sources, self.windows = sources, windows
        self.ends = [until for _, until in windows]
        self.segments: list[tuple[int, int, range]] = []
        """For each segment where it begins, the number of its source, and positions in it."""
        at = 0
        for i, positions in segments:
            if positions:
                self.segments.append((at, i, positions))
            at += len(positions)

    def wanted(self, rank: int) -> Iterator[tuple[int, int | None, range]]:
        """Yield what a rank wants, in order: the source, whose piece, and positions in it."""
        start, stop = self.windows[rank]
        for at, i, positions in self.segments:
            here = positions[max(start - at, 0) : max(stop - at, 0)]
            if not here:
                continue
            source = self.sources[i]
            if not isinstance(source, Pieces):
                yield i, None, here
                continue
            low, high = sorted((here[0], here[-1]))
            owners = range(bisect_right(source.ends, low), bisect_right(source.ends, high) + 1)
            for owner in owners if here.step > 0 else reversed(owners):
                first = source.starts[owner]
                begin, end = _within(here, first, first + source.sizes[owner])
                if begin < end:
                    yield i, owner, _from(first, here[begin:end])

    def given(self, rank: int) -> Iterator[tuple[int, int, range]]:
        """Yield what others want of a rank's pieces: the source, who wants it, and positions."""
        for at, i, positions in self.segments:
            source = self.sources[i]
            if not isinstance(source, Pieces):
                continue
            start = source.starts[rank]
            begin, end = _within(positions, start, start + source.sizes[rank])
            if begin >= end:
                continue
            for to in range(bisect_right(self.ends, at + begin), len(self.ends)):
                from_, until = self.windows[to]
                if from_ >= at + end:
                    break
                here = positions[max(begin, from_ - at) : min(end, until - at)]
                if here and to != rank:
                    yield i, to, _from(start, here)

    def crosses(self) -> bool:
        """Say, in every process the same, whether any rank wants a piece of another."""
        return any(True for rank in range(len(self.windows)) for _ in self.given(rank))


def moved(
    mesh: Mesh,
    sources: Sequence[Source],
    segments: Sequence[Segment],
    windows: Windows,
    axis: int,
) -> list[Tensor]:
    """Return what each rank of this process wants of concatenated segments.

    Every process knows what the others want, so sizes need no further collective.  Elements of one
    sender travel in one message and are cut apart again in the order of the segments.

    Parameters
    ----------
    mesh : Mesh
    sources : sequence of Pieces or Tensor
        They have one data type, and one shape apart from the axis.
    segments : sequence of (int, range)
        Positions in sources, one segment after the other.
    windows : sequence of (int, int)
        Where the elements that each rank wants begin and end in the concatenated segments.
    axis : int
    """
    plan = _Plan(sources, segments, windows)
    first = sources[0]
    like = first.own[0] if isinstance(first, Pieces) else first
    before = (slice(None),) * axis

    def piece(i: int, at: int, here: range) -> Tensor:
        source, up = sources[i], here if here.step > 0 else here[::-1]
        t = as_bits(source.own[at] if isinstance(source, Pieces) else source)
        key: tuple[slice, ...] = (*before, slice(up.start, up.stop, up.step))
        return t[key] if up is here else t[key].flip(axis)

    empty = as_bits(like.narrow(axis, 0, 0))

    def joined(several: list[Tensor]) -> Tensor:
        return together(several or [empty], axis)

    plans = [list(plan.wanted(to)) for to in mesh.ranks]
    received: list[dict[int, Tensor]] = []
    if plan.crosses():
        sent: list[dict[int, Tensor]] = []
        shapes: list[dict[int, tuple[int, ...]]] = []
        for at, rank in enumerate(mesh.ranks):
            given: dict[int, list[Tensor]] = {}
            for i, to, here in plan.given(rank):
                given.setdefault(to, []).append(piece(i, at, here))
            sent.append({to: joined(several) for to, several in given.items()})
            counts = Counter[int]()
            for _, owner, here in plans[at]:
                if owner is not None and owner != rank:
                    counts[owner] += len(here)
            shapes.append({r: resized(empty.shape, axis, n) for r, n in counts.items()})
        received = mesh.transport.swap(sent, shapes, empty)
    made = []
    for at, to in enumerate(mesh.ranks):
        used, several = Counter[int](), []
        for i, owner, here in plans[at]:
            if owner is None or owner == to:
                several.append(piece(i, at, here))
            else:
                several.append(received[at][owner].narrow(axis, used[owner], len(here)))
                used[owner] += len(here)
        made.append(joined(several).view(like.dtype))
    return made


def in_parts(n: int, size: int, scale: int = 1) -> Windows:
    """Return where the parts of an axis of ``n`` times ``scale`` elements begin and end."""
    return [(at * scale, (at + length) * scale) for at, length in extents(n, size)]


def assembled(
    mesh: Mesh, sources: Sequence[Source], segments: Sequence[Segment], axis: int
) -> Sharded:
    """Return the concatenated segments of sources as a divided tensor."""
    n = sum(len(positions) for _, positions in segments)
    parts = moved(mesh, sources, segments, in_parts(n, mesh.size), axis)
    return Sharded(parts, axis, mesh, resized(parts[0].shape, axis, n))


def balanced(mesh: Mesh, pieces: Pieces, axis: int = 0) -> Sharded:
    """Return pieces of any sizes as a tensor that is divided evenly."""
    return assembled(mesh, [pieces], [(0, range(sum(pieces.sizes)))], axis)


def evened(mesh: Mesh, own: list[Tensor], axis: int = 0) -> Sharded:
    """Do so with pieces whose sizes other processes do not know yet."""
    sizes = numbers_of(mesh, [[t.shape[axis]] for t in own])
    return balanced(mesh, Pieces(own, [n for (n,) in sizes]), axis)


def put_together(mesh: Mesh, sizes: list[int], axis: int, *own: Tensor) -> Tensor:
    """Return pieces of any sizes as a tensor that is divided evenly, with derivatives."""

    def back(cotangent: Tensor) -> tuple[Tensor, ...]:
        return taken_apart(laid(mesh, cotangent, axis), sizes)

    return step(lambda *own: balanced(mesh, Pieces(list(own), sizes), axis), back, *own)


def taken_apart(t: Sharded, sizes: list[int]) -> tuple[Tensor, ...]:
    """Return the pieces of the given sizes for this process's ranks, with derivatives."""
    wanted = Pieces([], sizes)
    windows = list(zip(wanted.starts, wanted.ends))

    def move(t: Sharded) -> tuple[Tensor, ...]:
        segments = [(0, range(t.shape[t.axis]))]
        return tuple(moved(t.mesh, [pieces_of(t)], segments, windows, t.axis))

    return step(move, functools.partial(put_together, t.mesh, sizes, t.axis), t)


def selected(t: Sharded, positions: range) -> Sharded:
    """Return the elements at positions along the divided axis, divided again."""
    return assembled(t.mesh, [pieces_of(t)], [(0, positions)], t.axis)


Counts: TypeAlias = "tuple[list[list[int]], list[list[int]]]"
"""How many rows each rank of this process sends to each rank, and receives from each."""


def counts_of(mesh: Mesh, own: list[list[int]]) -> Counts:
    """Return the counts, given how many rows each rank of this process sends to each rank."""
    return own, [t.tolist() for t in mesh.transport.dealt(_as_tensors(mesh, own))]


def sent(mesh: Mesh, own: Sequence[Tensor], counts: Counts) -> list[Tensor]:
    """Send each rank's first rows to the first rank, the next ones to the second, and so on.

    Parameters
    ----------
    mesh : Mesh
    own : sequence of Tensor
        The rows of the ranks of this process.
    counts : Counts
        How many rows they have for each rank.

    Returns
    -------
    list of Tensor
        For each rank of this process the rows from all ranks, in the order of the ranks.
    """
    like, rest = own[0], own[0].shape[1:]
    given, taken = counts
    pieces = [
        {r: piece for r, piece in enumerate(torch.split(t, several)) if len(piece)}
        for t, several in zip(own, given)
    ]
    shapes = [{r: (n, *rest) for r, n in enumerate(several) if n} for several in taken]
    return [
        together(list(got.values()) or [like[:0]])
        for got in mesh.transport.swap(pieces, shapes, like)
    ]


def flowed(t: Sharded, shape: Sequence[int]) -> Sharded:
    """Return the elements of a tensor, in their order, in another shape."""
    first, lead, mesh = leading(t.shape), leading(shape), t.mesh
    t = turned(t, first)
    inner = math.prod(t.shape[first + 1 :])
    flat = Pieces([p.reshape(-1) for p in t.parts], [n * inner for n in t.lengths])
    windows = in_parts(shape[lead], mesh.size, math.prod(shape[lead + 1 :]))
    parts = moved(mesh, [flat], [(0, range(t.numel()))], windows, 0)
    shaped = [p.reshape(s) for p, s in zip(parts, mesh.shapes(shape, lead))]
    return Sharded(shaped, lead, mesh, shape)


def asked(
    mesh: Mesh,
    owners: Sequence[Tensor],
    questions: Sequence[Tensor],
    answer: Callable[[int, Tensor], Tensor],
) -> list[Tensor]:
    """Send questions to the ranks that can answer, and return answers in the same order.

    Parameters
    ----------
    mesh : Mesh
    owners : sequence of Tensor
        For each rank of this process, the ranks that answer its questions.
    questions : sequence of Tensor
        The questions of each rank, one in a row.
    answer : callable
        Takes the number of a rank within this process and the questions to it.  Returns as many
        rows, of a data type that torch can concatenate.
    """
    orders, counts = by_owners(mesh, owners)
    dtype, asking = questions[0].dtype, [as_bits(q) for q in questions]
    arrived = sent(mesh, [picked(q, o) for q, o in zip(asking, orders)], counts)
    answers = [answer(i, rows.view(dtype)) for i, rows in enumerate(arrived)]
    returned = sent(mesh, answers, counts[::-1])
    return [picked(rows, torch.argsort(order)) for order, rows in zip(orders, returned)]


def picked(t: Tensor, places: Tensor) -> Tensor:
    """Return the rows of a tensor at positions, by the kernel of its device."""
    return index_select(t, places, 0)


def by_owners(mesh: Mesh, owners: Sequence[Tensor]) -> tuple[list[Tensor], Counts]:
    """Return the stable orders of elements by the ranks that own them, and how many each has."""
    orders = [torch.argsort(o, stable=True) for o in owners]
    search = searchsorted.on(spec(dt.int64, mesh.local))
    ranks = torch.arange(mesh.size, dtype=dt.int64, device=mesh.local.torch_device)
    own = []
    for o, order in zip(owners, orders):
        # Not by torch.bincount, which torch_npu runs on the host.
        ends = search(picked(o, order), ranks, right=True).tolist()
        own.append([end - start for start, end in itertools.pairwise([0, *ends])])
    return orders, counts_of(mesh, own)


def as_bits(t: Tensor) -> Tensor:
    """Return a tensor for kernels that only move elements: wide unsigned integers as signed."""
    return t.view(dt.SIGNED_OF[t.dtype]) if t.dtype in dt.WIDE_UNSIGNED else t
