"""Operations that move elements along an axis or use neighbours; only needed elements move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ..._devices.device import spec_of
from ..._routes import creation, extras, movement, reductions  # noqa: F401  # it makes operations
from ..._routes import elementwise as el
from ..._routes._kernels import Kernel
from ..._routes._operations import Op
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._dispatch import by_rules
from ._moves import Pieces, assembled, evened, moved, pieces_of, selected
from ._sharded import (
    Sharded,
    as_divided,
    extents,
    found,
    parts_of,
    resized,
    seen,
    shares,
    together,
    turned,
    whole,
)
from .reductions import filled

# --- one after the other --------------------------------------------------------------------------


def _concat(one: Kernel, tensors: Sequence[Tensor], axis: int = 0) -> Any:
    """Concatenate along the divided axis by segments, along other axes part by part."""
    divided = found(tensors)
    x = max(divided, key=lambda t: t.numel())
    mesh, axis = x.mesh, axis % x.dim()
    if any(t.axis == axis for t in divided):
        aligned = [turned(t, axis) if type(t) is Sharded else t for t in tensors]
        sources = [pieces_of(t) if type(t) is Sharded else t for t in aligned]
        segments = [(i, range(t.shape[axis])) for i, t in enumerate(aligned)]
        return assembled(mesh, sources, segments, axis)
    several = zip(*(parts_of(t, x.axis, mesh) for t in tensors))
    return as_divided(x, [one(list(own), axis) for own in several])


def _flip(one: Kernel, x: Sharded, dims: Sequence[int]) -> Any:
    among = {d % x.dim() for d in dims}
    others = sorted(among - {x.axis})
    own = x.with_parts([one(p, others) for p in x.parts]) if others or not among else x
    return selected(own, range(x.shape[x.axis] - 1, -1, -1)) if x.axis in among else own


def _roll(one: Kernel, x: Sharded, shifts: Sequence[int], dims: Sequence[int]) -> Any:
    pairs = [(s, d % x.dim()) for s, d in zip(shifts, dims)]
    others = [(s, d) for s, d in pairs if d != x.axis]
    made = x
    if others:
        rolled = [one(p, tuple(s for s, _ in others), tuple(d for _, d in others)) for p in x.parts]
        made = x.with_parts(rolled)
    n = x.shape[x.axis]
    first = -sum(s for s, d in pairs if d == x.axis) % n if n else 0
    segments = [(0, range(first, n)), (0, range(first))]
    return assembled(x.mesh, [pieces_of(made)], segments, x.axis)


def _tile(one: Kernel, x: Sharded, times: Sequence[int]) -> Any:
    axis = x.axis + len(times) - x.dim()
    count, n, mesh = times[axis], x.shape[x.axis], x.mesh
    others = tuple(1 if d == axis else m for d, m in enumerate(times))
    if count < mesh.size:
        pieces = Pieces([one(p, others) for p in x.parts], pieces_of(x).sizes)
        return assembled(mesh, [pieces], [(0, range(n))] * count, axis)
    # Each part of the result contains the whole operand at least once, so gather it.
    once, parts = one(whole(x), others), []
    for start, length in mesh.extents(n * count):
        places = torch.arange(start, start + length, device=once.device) % max(n, 1)
        parts.append(movement.index_select(once, places, axis))
    return Sharded(parts, axis, mesh, resized(once.shape, axis, n * count))


_TIMES: Final = "each part needs all that says how often"


def _repeat(one: Kernel, x: Tensor, times: Any, axis: int) -> Any:
    mesh = found((x, times))[0].mesh
    if type(times) is Sharded and times.shape[0] == 1:
        times = whole(times)
    if type(x) is not Sharded:  # then ``times`` is divided
        x = Sharded(shares(x, axis, mesh), axis, mesh, x.shape)
    if x.axis != axis:
        times = seen(times, "repeat", _TIMES)
        return as_divided(x, [one(p, times, axis) for p in x.parts])
    if isinstance(times, int) or times.shape[0] == 1 != x.shape[axis]:
        own = [one(p, times, axis) for p in x.parts]
    else:
        own = [one(p, t, axis) for p, t in zip(x.parts, parts_of(times, 0, mesh))]
    return evened(mesh, own, axis)


# --- neighbours -----------------------------------------------------------------------------------


def _diff(one: Kernel, parts: list[Tensor], axis: int, n: int) -> Any:
    x: Any = found(parts)[0]
    if len(parts) > 1:
        x = movement.concat.on(spec_of(x))(parts, axis)
    if x.axis != axis:
        return as_divided(x, [one([p], axis, n) for p in x.parts])
    count = x.shape[axis] - n
    own = _near(x, count, lambda start, stop: (start, stop + n))
    made = [one([w], axis, n) if w.shape[axis] else w for w in own]
    return Sharded(made, axis, x.mesh, resized(x.shape, axis, count))


def _near(x: Sharded, width: int, needed: Callable[[int, int], tuple[int, int]]) -> list[Tensor]:
    """Return what each rank of this process needs of a tensor for its part of a result.

    Parameters
    ----------
    x : Sharded
    width : int
        The length of the result, which is divided along the same axis.
    needed : callable
        Returns where the needed elements begin and end, given where the part of the result does.
    """
    n = x.shape[x.axis]
    windows = [
        needed(start, start + length) if length else (n, n)
        for start, length in extents(width, x.mesh.size)
    ]
    return moved(x.mesh, [pieces_of(x)], [(0, range(n))], windows, x.axis)


_SHORT: Final = "each part of the longer vector needs all of the shorter one"


def _convolve(one: Kernel, long: Tensor, short: Tensor) -> Any:
    short = seen(short, "convolve", _SHORT)
    if type(long) is not Sharded:
        return one(long, short)
    n, m, mesh = len(long), len(short), long.mesh
    width = n + m - 1

    def needed(start: int, stop: int) -> tuple[int, int]:
        return max(start - m + 1, 0), min(stop, n)

    made = []
    for own, (start, length) in zip(_near(long, width, needed), mesh.extents(width)):
        if length:
            first = needed(start, start + length)[0]
            own = one(own, short).narrow(0, start - first, length)
        made.append(own)
    return Sharded(made, 0, mesh, (width,))


# --- one after the other, added up ----------------------------------------------------------------


def _cumulative(join: Op, start: int) -> Callable[..., Any]:
    """Return the rule to accumulate along each part from the total of all parts before it."""

    def rule(one: Kernel, x: Sharded, axis: int, initial: bool) -> Any:
        if x.axis != axis:
            return as_divided(x, [one(p, axis, initial) for p in x.parts])
        made = _cumulated(one, x, join, start)
        if not initial:
            return made
        shape = resized(x.shape, axis, 1)
        here = x.mesh.local.torch_device
        first = creation.full.on(spec_of(x.parts[0]))(shape, start, x.dtype, here)
        segments = [(0, range(1)), (1, range(x.shape[axis]))]
        return assembled(x.mesh, [first, pieces_of(made)], segments, axis)

    return rule


def _cumulated(one: Kernel, x: Sharded, join: Op, start: int) -> Sharded:
    axis, mesh = x.axis, x.mesh
    shape = resized(x.shape, axis, 1)
    count = filled(x)
    if count < 2:
        return x.with_parts([one(p, axis, False) for p in x.parts])

    def onwards(before: Tensor | None, p: Tensor) -> Tensor:
        """Accumulate along a part from the total before it, in the order of one device."""
        if before is None or not p.shape[axis]:
            made: Tensor = one(p, axis, False)
            return made
        with_it: Tensor = one(together([before, p], axis), axis, False)
        return with_it.narrow(axis, 1, p.shape[axis])

    def last(made: Tensor) -> Tensor:
        n = made.shape[axis]
        return made.narrow(axis, n - 1, 1) if n else made.new_empty(shape)

    def running(own: list[Tensor]) -> tuple[Tensor, Tensor]:
        """Return the totals of all parts that are not empty, and what they come to in order."""
        totals = mesh.transport.stacked(own)[:count]
        return totals, one(totals, 0, False)

    totals, sums = running([last(one(p, axis, False)) for p in x.parts])
    before = dict(zip(range(1, count), sums.unbind()))
    if x.dtype in dt.FLOATING and not _usual(start, totals, sums).all():
        # Elements that are not usual make the totals so: add them up apart from the others.
        apart = [_usual(start, p) for p in x.parts]
        own = [
            torch.stack([last(one(torch.where(keep, p, start), axis, False)) for keep in (u, ~u)])
            for u, p in zip(apart, x.parts)
        ]
        totals, sums = running(own)
        before = dict(zip(range(1, count), join(sums[:, 0], sums[:, 1]).unbind()))
        if x.dtype in dt.COMPLEX or not _usual(start, totals[:, 0], sums[:, 0]).all():
            # Totals of parts may overflow, or underflow, although the running result does not.
            # Then compute one part after the other, each from the last result before it.
            carried = [p.new_empty(shape) for p in x.parts]
            for r in range(count - 1):
                if r in mesh.ranks:
                    i = mesh.ranks.index(r)
                    carried[i] = last(onwards(before[r] if r else None, x.parts[i]))
                before[r + 1] = mesh.transport.stacked(carried)[r]
    return x.with_parts([onwards(before.get(r), p) for r, p in zip(mesh.ranks, x.parts)])


def _usual(start: int, *values: Tensor) -> Tensor:
    """Say which of some values are finite and, for products, not 0."""
    every = together([v.reshape(-1) for v in values]) if len(values) > 1 else values[0]
    usual: Tensor = el.isfinite(every)
    return usual & (every != 0) if start else usual


# --- matrices -------------------------------------------------------------------------------------


def _triangle(one: Kernel, x: Sharded, k: int = 0) -> Any:
    sign = {x.dim() - 2: 1, x.dim() - 1: -1}.get(x.axis, 0)
    return x.with_parts([one(p, k + sign * at) for p, (at, _) in zip(x.parts, x.extents)])


def _diagonal_matrix(one: Kernel, x: Sharded, offset: int) -> Any:
    """Put a vector on the diagonal of a matrix that is divided by rows."""
    n, mesh, zeros = x.shape[0], x.mesh, creation.zeros.on(spec_of(x.parts[0]))
    width, skipped = n + abs(offset), max(-offset, 0)

    def needed(start: int, stop: int) -> tuple[int, int]:
        first, last = (min(max(at - skipped, 0), n) for at in (start, stop))
        return first, last

    parts = []
    for own, (start, length) in zip(_near(x, width, needed), mesh.extents(width)):
        made = zeros((length, width), x.dtype, mesh.local.torch_device)
        first = max(start, skipped)
        if len(own):
            block = made.narrow(0, first - start, len(own))
            block.narrow(1, first + offset, len(own)).copy_(one(own, 0))
        parts.append(made)
    return Sharded(parts, 0, mesh, (width, width))


def _any_negative(one: Kernel, x: Sharded) -> Any:
    return x.mesh.transport.stacked([one(p) for p in x.parts]).any()


_MOVES: Final = "elements go from part to part, and only those that are needed"
_BEFORE: Final = "each part hangs on what those before it come to"
_WHERE: Final = "where the diagonal of a part lies hangs on which it is"

ROWS: Final = by_rules(
    ("concat", _concat, _MOVES),
    ("flip", _flip, _MOVES),
    ("roll roll_several", _roll, _MOVES),
    ("tile", _tile, _MOVES),
    ("repeat", _repeat, _MOVES),
    ("diff", _diff, "each part needs some elements of the one after it"),
    ("convolve", _convolve, "each part needs some elements of the one before it"),
    ("cumulative_sum", _cumulative(el.add, 0), _BEFORE),
    ("cumulative_prod", _cumulative(el.multiply, 1), _BEFORE),
    ("tril triu", _triangle, _WHERE),
    ("diagonal_matrix", _diagonal_matrix, "each part has some of the diagonal"),
    ("any_negative", _any_negative, "what the parts give is all that it hangs on"),
)
