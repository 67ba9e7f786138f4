"""Operations that move elements along an axis or use neighbours; only needed elements move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..._devices.device import Spec, spec_of
from ..._routes import creation, extras, movement, reductions  # noqa: F401  # it makes the operations  # noqa: F401  # it makes the operations
from ..._routes import elementwise as el
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import OPS, Op
from ..._routes._rows import Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._moves import (
    Pieces,
    assembled,
    balanced,
    gathered_pieces,
    moved,
    pieces_of,
    selected,
    together,
)
from ._sharded import Sharded, as_divided, extent, parts_of, seen, share, turned, whole
from .gathering import SEEN, ByRule, on_one, ruled
from .reductions import lengths


def _extents(x: Sharded) -> list[tuple[int, int]]:
    """Return where each part of this process begins, and its size."""
    transport = x.mesh.transport
    return [extent(x.shape[x.axis], transport.size, r) for r in transport.ranks]


# --- one after the other --------------------------------------------------------------------------


def _concat(one: Kernel, divided: list[Sharded], tensors: Sequence[Tensor], axis: int = 0) -> Any:
    """Concatenate along the divided axis by segments, along other axes part by part."""
    x = max(divided, key=lambda t: t.numel())
    mesh = x.mesh
    if any(t.axis == axis for t in divided):
        aligned = [turned(t, axis) if type(t) is Sharded else t for t in tensors]
        sources = [pieces_of(t) if type(t) is Sharded else t for t in aligned]
        segments = [(i, range(t.shape[axis])) for i, t in enumerate(aligned)]
        return assembled(mesh, sources, segments, axis)
    shape = list(x.shape)
    shape[axis] = sum(t.shape[axis] for t in tensors)
    several = zip(*(parts_of(t, x.axis, mesh) for t in tensors))
    parts = [one(list(own), axis) for own in several]
    return Sharded(parts, x.axis, mesh, shape)


def _flip(one: Kernel, _: list[Sharded], x: Sharded, dims: Sequence[int]) -> Any:
    among = {d % x.dim() for d in dims}
    others = sorted(among - {x.axis})
    own = x.with_parts([one(p, others) for p in x.parts]) if others or not among else x
    return selected(own, range(x.shape[x.axis] - 1, -1, -1)) if x.axis in among else own


def _roll(one: Kernel, _: list[Sharded], x: Sharded, shifts: Any, dims: Any = ()) -> Any:
    by = [shifts] if isinstance(shifts, int) else list(shifts)
    over = [dims] if isinstance(dims, int) else list(dims)
    if not over:
        if x.dim() != 1:
            return NotImplemented
        over = [0]
    by = by * (len(over) // len(by))
    pairs = [(s, d % x.dim()) for s, d in zip(by, over)]
    others = [(s, d) for s, d in pairs if d != x.axis]
    made = x
    if others:
        rolled = [one(p, tuple(s for s, _ in others), tuple(d for _, d in others)) for p in x.parts]
        made = x.with_parts(rolled)
    n = x.shape[x.axis]
    first = -sum(s for s, d in pairs if d == x.axis) % n if n else 0
    segments = [(0, range(first, n)), (0, range(first))]
    return assembled(x.mesh, [pieces_of(made)], segments, x.axis)


def _tile(one: Kernel, _: list[Sharded], x: Sharded, times: Sequence[int]) -> Any:
    axis = x.axis + len(times) - x.dim()
    count, n, mesh = times[axis], x.shape[x.axis], x.mesh
    others = tuple(1 if d == axis else m for d, m in enumerate(times))
    if count < mesh.transport.size:
        pieces = Pieces([one(p, others) for p in x.parts], pieces_of(x).sizes)
        return assembled(mesh, [pieces], [(0, range(n))] * count, axis)
    # Each part of the result contains the whole operand at least once, so gather it.
    once = one(whole(x), others)
    shape, parts = [*once.shape], []
    for r in mesh.transport.ranks:
        start, length = extent(n * count, mesh.transport.size, r)
        first = start % n if n else 0
        enough = tuple(
            -(-(first + length) // n) if n and d == axis else 1 for d in range(len(shape))
        )
        parts.append(movement.copy(one(once, enough).narrow(axis, first, length)))
    shape[axis] = n * count
    return Sharded(parts, axis, mesh, shape)


_TIMES: Final = "each part needs all that says how often"


def _repeat(one: Kernel, divided: list[Sharded], x: Tensor, times: Any, axis: int) -> Any:
    mesh, transport = divided[0].mesh, divided[0].mesh.transport
    if type(times) is Sharded and times.shape[0] == 1:
        times = whole(times)
    if type(x) is not Sharded:  # then ``times`` is divided
        x = Sharded([share(x, axis, mesh, r) for r in transport.ranks], axis, mesh, x.shape)
    if x.axis != axis:
        times = seen(times, "repeat", _TIMES)
        return as_divided(x, [one(p, times, axis) for p in x.parts])

    def of_part(i: int, rank: int) -> Any:
        if isinstance(times, int) or times.shape[0] == 1 != x.shape[axis]:
            return times
        return times.parts[i] if type(times) is Sharded else share(times, 0, mesh, rank)

    own = [one(p, of_part(i, r), axis) for (i, r), p in zip(enumerate(transport.ranks), x.parts)]
    return balanced(mesh, gathered_pieces(mesh, own, axis), axis)


# --- neighbours -----------------------------------------------------------------------------------


def _diff(one: Kernel, divided: list[Sharded], parts: list[Tensor], axis: int, n: int) -> Any:
    x = divided[0]
    if len(parts) > 1 or not n:
        x = movement.concat.on(spec_of(x))(parts, axis)
        if not n:
            return x
    if x.axis != axis:
        return as_divided(x, [one([p], axis, n) for p in x.parts])
    size, mesh = x.mesh.transport.size, x.mesh
    count = x.shape[axis] - n
    if count < 0:
        return NotImplemented

    def window(rank: int) -> tuple[int, int]:
        start, length = extent(count, size, rank)
        return (start, start + length + n) if length else (count + n, count + n)

    own = moved(mesh, [pieces_of(x)], [(0, range(x.shape[axis]))], window, axis)
    made = [one([w], axis, n) if w.shape[axis] else w for w in own]
    return Sharded(made, axis, mesh, (*x.shape[:axis], count, *x.shape[axis + 1 :]))


_SHORT: Final = "each part of the longer vector needs all of the shorter one"


def _convolve(one: Kernel, _: list[Sharded], long: Tensor, short: Tensor) -> Any:
    short = seen(short, "convolve", _SHORT)
    if type(long) is not Sharded:
        return one(long, short)
    n, m, mesh, transport = len(long), len(short), long.mesh, long.mesh.transport
    width = n + m - 1

    def window(rank: int) -> tuple[int, int]:
        start, length = extent(width, transport.size, rank)
        return (max(start - m + 1, 0), min(start + length, n)) if length else (n, n)

    made = []
    for rank, own in zip(
        transport.ranks, moved(mesh, [pieces_of(long)], [(0, range(n))], window, 0)
    ):
        start, length = extent(width, transport.size, rank)
        if length:
            own = one(own, short).narrow(0, start - window(rank)[0], length)
        made.append(own)
    return Sharded(made, 0, mesh, (width,))


# --- one after the other, added up ----------------------------------------------------------------


class Cumulated:
    """Accumulate along each part, starting from the total of all parts before it."""

    def __init__(self, join: Op, start: int) -> None:
        self.join, self.start = join, start

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with each part."""
        join, concat, full = (on_one(o, spec) for o in (self.join, movement.concat, creation.full))

        def rule(one: Kernel, _: list[Sharded], x: Sharded, axis: int, initial: bool) -> Any:
            if x.axis != axis:
                return as_divided(x, [one(p, axis, initial) for p in x.parts])
            made = self._cumulated(one, join, concat, x)
            if not initial:
                return made
            shape = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
            first = full(shape, self.start, x.dtype, x.mesh.local.torch_device)
            segments = [(0, range(1)), (1, range(x.shape[axis]))]
            return assembled(x.mesh, [first, pieces_of(made)], segments, axis)

        return ruled(op, spec, rule)

    def _cumulated(self, one: Kernel, join: Kernel, concat: Kernel, x: Sharded) -> Sharded:
        axis, transport = x.axis, x.mesh.transport
        shape = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
        filled = sum(n > 0 for n in lengths(x))  # these ranks come first
        if filled < 2:
            return x.with_parts([one(p, axis, False) for p in x.parts])

        def onwards(before: Tensor | None, p: Tensor) -> Tensor:
            """Accumulate along a part from the total before it, in the order of one device."""
            if before is None or not p.shape[axis]:
                made: Tensor = one(p, axis, False)
                return made
            with_it: Tensor = one(concat([before, p], axis), axis, False)
            return with_it.narrow(axis, 1, p.shape[axis])

        def last(made: Tensor) -> Tensor:
            n = made.shape[axis]
            return made.narrow(axis, n - 1, 1) if n else made.new_empty(shape)

        def running(own: list[Tensor]) -> tuple[Tensor, Tensor]:
            """Return the totals of all parts that are not empty, and what they come to in order."""
            totals = transport.stacked(own)[:filled]
            return totals, one(totals, 0, False)

        totals, sums = running([last(one(p, axis, False)) for p in x.parts])
        before = dict(zip(range(1, filled), sums.unbind()))
        if x.dtype in dt.FLOATING and not self._usual(totals, sums).all():
            # Elements that are not usual make the totals so: add them up apart from the others.
            apart = [self._usual(p) for p in x.parts]
            own = [
                torch.stack(
                    [last(one(torch.where(keep, p, self.start), axis, False)) for keep in (u, ~u)]
                )
                for u, p in zip(apart, x.parts)
            ]
            totals, sums = running(own)
            before = dict(zip(range(1, filled), join(sums[:, 0], sums[:, 1]).unbind()))
            if x.dtype in dt.COMPLEX or not self._usual(totals[:, 0], sums[:, 0]).all():
                # Totals of parts may overflow, or underflow, although the running result does not.
                # Then compute one part after the other, each from the last result before it.
                carried = [p.new_empty(shape) for p in x.parts]
                for r in range(filled - 1):
                    if r in transport.ranks:
                        i = transport.ranks.index(r)
                        carried[i] = last(onwards(before[r] if r else None, x.parts[i]))
                    before[r + 1] = transport.stacked(carried)[r]
        return x.with_parts([onwards(before.get(r), p) for r, p in zip(transport.ranks, x.parts)])

    def _usual(self, *values: Tensor) -> Tensor:
        """Say which of some values are finite and, for products, not 0."""
        every = together([v.reshape(-1) for v in values]) if len(values) > 1 else values[0]
        usual: Tensor = el.isfinite(every)
        return usual & (every != 0) if self.start else usual


# --- matrices -------------------------------------------------------------------------------------


def _triangle(one: Kernel, _: list[Sharded], x: Sharded, k: int) -> Any:
    sign = {x.dim() - 2: 1, x.dim() - 1: -1}.get(x.axis, 0)
    return x.with_parts([one(p, k + sign * at) for p, (at, _) in zip(x.parts, _extents(x))])


class OnDiagonal:
    """Put a vector on the diagonal of a matrix that is divided by rows."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with each part."""
        zeros = on_one(creation.zeros, spec)

        def rule(one: Kernel, _: list[Sharded], x: Sharded, offset: int) -> Any:
            n, mesh, size = x.shape[0], x.mesh, x.mesh.transport.size
            width, skipped = n + abs(offset), max(-offset, 0)

            def window(rank: int) -> tuple[int, int]:
                start, length = extent(width, size, rank)
                first, last = (min(max(at - skipped, 0), n) for at in (start, start + length))
                return first, last

            parts = []
            every = moved(mesh, [pieces_of(x)], [(0, range(n))], window, 0)
            for rank, own in zip(mesh.transport.ranks, every):
                start, length = extent(width, size, rank)
                made = zeros((length, width), spec.dtype, mesh.local.torch_device)
                first = max(start, skipped)
                if len(own):
                    block = made.narrow(0, first - start, len(own))
                    block.narrow(1, first + offset, len(own)).copy_(one(own, 0))
                parts.append(made)
            return Sharded(parts, 0, mesh, (width, width))

        return ruled(op, spec, rule)


def _any_negative(one: Kernel, _: list[Sharded], x: Sharded) -> Any:
    own = [one(p).reshape(1) for p in x.parts]
    return together(x.mesh.transport.exchange(own, [(1,)] * x.mesh.transport.size)).any()


_EVIDENCE: Final = Evidence(SEEN, "absent")
_MOVES: Final = "elements go from part to part, and only those that are needed"
_RULES: Final[dict[str, tuple[Any, str]]] = {
    "concat": (ByRule(_concat), _MOVES),
    "flip": (ByRule(_flip), _MOVES),
    "roll": (ByRule(_roll), _MOVES),
    "roll_several": (ByRule(_roll), _MOVES),
    "tile": (ByRule(_tile), _MOVES),
    "repeat": (ByRule(_repeat), _MOVES),
    "diff": (ByRule(_diff), "each part needs some elements of the one after it"),
    "convolve": (ByRule(_convolve), "each part needs some elements of the one before it"),
    "cumulative_sum": (Cumulated(el.add, 0), "each part hangs on what those before it come to"),
    "cumulative_prod": (
        Cumulated(el.multiply, 1),
        "each part hangs on what those before it come to",
    ),
    "tril": (ByRule(_triangle), "where the diagonal of a part lies hangs on which it is"),
    "triu": (ByRule(_triangle), "where the diagonal of a part lies hangs on which it is"),
    "diagonal_matrix": (OnDiagonal(), "each part has some of the diagonal"),
    "any_negative": (ByRule(_any_negative), "what the parts give is all that it hangs on"),
}

ROWS: Final = [
    Row(name, OPS[name].dtypes, route, why, _EVIDENCE) for name, (route, why) in _RULES.items()
]
