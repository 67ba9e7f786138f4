"""Moves of elements to the ranks that need them: no rank receives elements for another."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ..._devices.device import spec, spec_of
from ..._routes.movement import concat, index_select
from ..._routes.searching import count_nonzero
from ..._torch import dtypes as dt
from ..._torch import torch
from ._sharded import Sharded, extent, laid, shape_of, step, turned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from ._mesh import Mesh


@dataclass(frozen=True)
class Pieces:
    """Pieces of a tensor along an axis, one for each rank, of any sizes."""

    own: list[Tensor]
    """The pieces of the ranks of this process."""
    sizes: list[int]
    """The sizes of the pieces of all ranks."""

    @property
    def starts(self) -> list[int]:
        """Where the pieces of all ranks begin."""
        return [0, *itertools.accumulate(self.sizes)][:-1]


Source: TypeAlias = "Pieces | Tensor"
"""Pieces, or a tensor that every process has as a whole."""
Segment: TypeAlias = "tuple[int, range]"
"""The number of a source, and positions in it."""


def pieces_of(t: Sharded) -> Pieces:
    """Return the parts of a divided tensor as pieces."""
    size = t.mesh.transport.size
    return Pieces(t.parts, [extent(t.shape[t.axis], size, r)[1] for r in range(size)])


def numbers_of(mesh: Mesh, own: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the numbers of all ranks, given those of this process's ranks; all have as many."""
    transport, here = mesh.transport, mesh.local.torch_device
    sent = [torch.tensor(list(several), dtype=dt.int64, device=here) for several in own]
    return [t.tolist() for t in transport.exchange(sent, [(len(own[0]),)] * transport.size)]


def gathered_pieces(mesh: Mesh, own: list[Tensor], axis: int = 0) -> Pieces:
    """Return pieces whose sizes other processes do not know yet."""
    sizes = numbers_of(mesh, [[t.shape[axis]] for t in own])
    return Pieces(own, [n for (n,) in sizes])


def _split(source: Source, wanted: range) -> list[tuple[int | None, slice, bool]]:
    """Return where positions lie, in their order: rank, slice, and whether to reverse it."""
    if not wanted:
        return []
    backwards = wanted.step < 0
    upwards = wanted[::-1] if backwards else wanted
    if not isinstance(source, Pieces):
        return [(None, slice(upwards.start, upwards[-1] + 1, upwards.step), backwards)]
    found: list[tuple[int | None, slice, bool]] = []
    for rank, (start, size) in enumerate(zip(source.starts, source.sizes)):
        first = max(-(-(start - upwards.start) // upwards.step), 0)
        last = max(-(-(start + size - upwards.start) // upwards.step), 0)
        here = upwards[first:last]
        if here:
            key = slice(here.start - start, here[-1] + 1 - start, here.step)
            found.append((rank, key, backwards))
    return found[::-1] if backwards else found


def moved(
    mesh: Mesh, sources: Sequence[Source], wanted: Callable[[int], list[Segment]], axis: int
) -> list[Tensor]:
    """Return the concatenated segments that each rank of this process wants.

    Every process plans the moves of all ranks, so sizes need no further collective.  Elements of
    one sender travel in one message and are cut apart again in the order of the plan.

    Parameters
    ----------
    mesh : Mesh
    sources : sequence of Pieces or Tensor
        They have one data type, and one shape apart from the axis.
    wanted : callable
        Returns the segments that a rank wants, in every process for every rank.
    axis : int
    """
    transport = mesh.transport
    plans = [
        [
            (i, rank, key, backwards)
            for i, positions in wanted(r)
            for rank, key, backwards in _split(sources[i], positions)
        ]
        for r in range(transport.size)
    ]
    first = sources[0]
    like = first.own[0] if isinstance(first, Pieces) else first
    signed = dt.SIGNED_OF[like.dtype] if like.dtype in dt.WIDE_UNSIGNED else None
    before = (slice(None),) * axis

    def piece(i: int, position: int, key: slice, backwards: bool) -> Tensor:
        source = sources[i]
        t = source.own[position] if isinstance(source, Pieces) else source
        t = t if signed is None else t.view(signed)  # torch cannot move wide unsigned integers
        place: tuple[slice, ...] = (*before, key)
        t = t[place]
        return t.flip(axis) if backwards else t

    empty = like.narrow(axis, 0, 0)
    empty = empty if signed is None else empty.view(signed)

    join = concat.on(spec(empty.dtype, mesh.local))

    def joined(several: list[Tensor]) -> Tensor:
        made: Tensor = join(several or [empty], axis % empty.dim())
        return made

    # Every process comes to the same answer, so they leave out the collective together.
    crosses = any(rank not in {None, to} for to, plan in enumerate(plans) for _, rank, *_ in plan)
    received: list[list[Tensor]] = []
    if crosses:
        sent = [
            [
                joined([piece(i, at, k, b) for i, r, k, b in plan if r == rank and rank != to])
                for to, plan in enumerate(plans)
            ]
            for at, rank in enumerate(transport.ranks)
        ]
        shapes = [
            [
                (*empty.shape[:axis], _count(plan, rank, to), *empty.shape[axis + 1 :])
                for to, plan in enumerate(plans)
            ]
            for rank in range(transport.size)
        ]
        received = transport.swap(sent, shapes)
    made = []
    for at, to in enumerate(transport.ranks):
        used = [0] * transport.size
        several = []
        for i, rank, key, backwards in plans[to]:
            if rank is None or rank == to:
                several.append(piece(i, at, key, backwards))
            else:
                count = len(range(key.start, key.stop, key.step))
                several.append(received[at][rank].narrow(axis, used[rank], count))
                used[rank] += count
        whole = joined(several)
        made.append(whole if signed is None else whole.view(like.dtype))
    return made


def _count(plan: list[Any], rank: int, to: int) -> int:
    keys = [key for _, r, key, _ in plan if r == rank and rank != to]
    return sum(len(range(key.start, key.stop, key.step)) for key in keys)


def cut(segments: Sequence[Segment], start: int, stop: int) -> list[Segment]:
    """Return the part from ``start`` to ``stop`` of concatenated segments, as segments."""
    kept, at = [], 0
    for i, positions in segments:
        here = positions[max(start - at, 0) : max(stop - at, 0)]
        if here:
            kept.append((i, here))
        at += len(positions)
    return kept


def assembled(
    mesh: Mesh, sources: Sequence[Source], segments: Sequence[Segment], axis: int
) -> Sharded:
    """Return the concatenated segments of sources as a divided tensor."""
    n = sum(len(positions) for _, positions in segments)
    size = mesh.transport.size

    def wanted(rank: int) -> list[Segment]:
        start, length = extent(n, size, rank)
        return cut(segments, start, start + length)

    parts = moved(mesh, sources, wanted, axis)
    return Sharded(parts, axis, mesh, (*parts[0].shape[:axis], n, *parts[0].shape[axis + 1 :]))


def balanced(mesh: Mesh, pieces: Pieces, axis: int = 0) -> Sharded:
    """Return pieces of any sizes as a tensor that is divided evenly."""
    return assembled(mesh, [pieces], [(0, range(sum(pieces.sizes)))], axis)


def put_together(mesh: Mesh, sizes: list[int], axis: int, *own: Tensor) -> Tensor:
    """Return pieces of any sizes as a tensor that is divided evenly, with derivatives."""

    def back(cotangent: Tensor) -> tuple[Tensor, ...]:
        return taken_apart(laid(mesh, cotangent, axis), sizes)

    made: Tensor = step(lambda *own: balanced(mesh, Pieces(list(own), sizes), axis), back, *own)
    return made


def taken_apart(t: Sharded, sizes: list[int]) -> tuple[Tensor, ...]:
    """Return the pieces of the given sizes for this process's ranks, with derivatives."""
    starts = Pieces([], sizes).starts

    def move(t: Sharded) -> tuple[Tensor, ...]:
        def wanted(rank: int) -> list[Segment]:
            return [(0, range(starts[rank], starts[rank] + sizes[rank]))]

        return tuple(moved(t.mesh, [pieces_of(t)], wanted, t.axis))

    made: tuple[Tensor, ...] = step(move, functools.partial(put_together, t.mesh, sizes, t.axis), t)
    return made


def selected(t: Sharded, positions: range) -> Sharded:
    """Return the elements at positions along the divided axis, divided again."""
    return assembled(t.mesh, [pieces_of(t)], [(0, positions)], t.axis)


def sent(mesh: Mesh, own: Sequence[Tensor], counts: Sequence[Sequence[int]]) -> list[list[Tensor]]:
    """Send each rank's first rows to the first rank, the next ones to the second, and so on.

    Parameters
    ----------
    mesh : Mesh
    own : sequence of Tensor
        The rows of the ranks of this process.
    counts : sequence of sequences of int
        How many rows each rank has for each other rank.

    Returns
    -------
    list of lists of Tensor
        For each rank of this process the rows from all ranks.
    """
    transport, rest = mesh.transport, own[0].shape[1:]
    shapes = [[(n, *rest) for n in several] for several in counts]
    pieces = [torch.split(t, list(counts[r])) for t, r in zip(own, transport.ranks)]
    return transport.swap(pieces, shapes)


def flowed(t: Sharded, shape: Sequence[int]) -> Sharded:
    """Return the elements of a tensor, in their order, in another shape."""
    size = t.mesh.transport.size
    # If no axis before the divided one has more than one element, parts follow each other in the
    # order of elements.
    first = next((d for d, n in enumerate(t.shape) if n != 1), 0)
    t = turned(t, first)
    own = [p.reshape(-1) for p in t.parts]
    lead = next((d for d, n in enumerate(shape) if n != 1), 0)
    flat = Pieces(own, [math.prod(shape_of(t.shape, first, size, r)) for r in range(size)])
    row = math.prod(shape[lead + 1 :])

    def wanted(rank: int) -> list[Segment]:
        start, length = extent(shape[lead], size, rank)
        return [(0, range(start * row, (start + length) * row))]

    parts = moved(t.mesh, [flat], wanted, 0)
    shaped = [
        p.reshape(shape_of(shape, lead, size, r)) for p, r in zip(parts, t.mesh.transport.ranks)
    ]
    return Sharded(shaped, lead, t.mesh, shape)


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
    orders = [torch.argsort(o, stable=True) for o in owners]
    size = mesh.transport.size
    counts = numbers_of(mesh, [numbers_for(o, size) for o in owners])
    dtype, asking = questions[0].dtype, [as_bits(q) for q in questions]
    arrived = sent(mesh, [picked(q, o) for q, o in zip(asking, orders)], counts)
    answers = [answer(i, together(several).view(dtype)) for i, several in enumerate(arrived)]
    made = []
    for order, several in zip(orders, sent(mesh, answers, [list(c) for c in zip(*counts)])):
        rows = together(several)
        made.append(picked(rows, torch.argsort(order)))
    return made


def together(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Concatenate tensors of this process along an axis, by the kernel of their device."""
    made: Tensor = concat.on(spec_of(tensors[0]))(list(tensors), axis % tensors[0].dim())
    return made


def picked(t: Tensor, places: Tensor) -> Tensor:
    """Return the rows of a tensor at positions, by the kernel of its device."""
    made: Tensor = index_select.on(spec_of(t))(t, places, 0)
    return made


def numbers_for(owners: Tensor, size: int) -> list[int]:
    """Count how often each rank occurs."""
    # Not by torch.bincount, which torch_npu runs on the host.
    alike = [torch.eq(owners, r) for r in range(size)]
    count = count_nonzero.on(spec_of(alike[0]))
    counts: list[int] = torch.stack([count(t, (0,), False) for t in alike]).tolist()
    return counts


def as_bits(t: Tensor) -> Tensor:
    """Return a tensor for kernels that only move elements: wide unsigned integers as signed."""
    return t.view(dt.SIGNED_OF[t.dtype]) if t.dtype in dt.WIDE_UNSIGNED else t
