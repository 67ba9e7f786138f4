"""Collectives: how parts travel between ranks, which are processes or are simulated in one.

This module knows shapes and bytes only, not what they stand for.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, Final, Protocol

from ..._torch import torch
from ._agreement import HEADER, Agreement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from ._agreement import Doing
    from ._watch import Watch


class Transport(Protocol):
    """Ranks that exchange parts."""

    size: int
    """The number of ranks."""
    ranks: tuple[int, ...]
    """The ranks whose parts this process has."""
    calls: int
    """The number of collectives so far."""
    bytes: int
    """The number of bytes sent to one process so far."""
    swapped: int
    """How many of these bytes were meant for that process only."""
    doing: Doing | None
    """The present operation: its name, data type and the shapes of its operands."""

    def take(self) -> None:
        """Let the thread that calls this be the one that computes on the mesh."""

    def exchange(self, parts: Sequence[Tensor], shapes: Sequence[Sequence[int]]) -> list[Tensor]:
        """Return the parts of all ranks; every process knows their shapes.

        Parameters
        ----------
        parts : sequence of Tensor
            The parts of the ranks of this process.
        shapes : sequence of sequences of int
            The shapes of all ranks' parts.
        """

    def swap(
        self, pieces: Sequence[Sequence[Tensor]], shapes: Sequence[Sequence[Sequence[int]]]
    ) -> list[list[Tensor]]:
        """Send each rank the pieces for it; return the pieces that this process's ranks receive.

        Parameters
        ----------
        pieces : sequence of sequences of Tensor
            For each rank of this process its pieces for all ranks.
        shapes : sequence of sequences of shapes
            For each rank the shapes of its pieces for all ranks; of other processes' ranks those of
            the pieces for the ranks of this process are enough.
        """


class Simulated:
    """Ranks that are all in this process."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.ranks = tuple(range(size))
        self.calls = self.bytes = self.swapped = 0
        self.doing: Doing | None = None

    def take(self) -> None:
        """Do nothing: there are no other processes to meet."""

    def exchange(self, parts: Sequence[Tensor], shapes: Sequence[Sequence[int]]) -> list[Tensor]:
        """Return the parts as they are."""
        if [tuple(p.shape) for p in parts] != [tuple(s) for s in shapes]:
            raise AssertionError(f"parts {[p.shape for p in parts]} are not of shapes {shapes}")
        self.calls += 1
        self.bytes += sum(p.nbytes for p in parts[1:])
        return [p.clone() for p in parts]

    def swap(
        self, pieces: Sequence[Sequence[Tensor]], shapes: Sequence[Sequence[Sequence[int]]]
    ) -> list[list[Tensor]]:
        """Return copies of the pieces."""
        given = [[tuple(p.shape) for p in several] for several in pieces]
        if given != [[tuple(s) for s in several] for several in shapes]:
            raise AssertionError(f"pieces {given} are not of shapes {shapes}")
        most = max(sum(pieces[s][t].nbytes for s in self.ranks if s != t) for t in self.ranks)
        self.calls += 1
        self.bytes += most
        self.swapped += most
        return [[several[t].clone() for several in pieces] for t in self.ranks]


class Processes:
    """Ranks that are one process each: all processes of torch's default group.

    Parts travel as bytes, because no library has all data types: HCCL has no complex numbers,
    gloo has neither int16 nor wide unsigned integers.

    Parameters
    ----------
    watch : Watch, optional
        The bound on the duration of collectives.
    agree : bool, default: False
        Whether to compare what the processes compute, which waits for the device.
    """

    def __init__(self, watch: Watch | None = None, *, agree: bool = False) -> None:
        import torch.distributed as dist

        self._watch = watch

        # The names of one function from torch 2.13 on, and before.
        self._gather = getattr(dist, "all_gather_single", None) or dist.all_gather_into_tensor
        self._swap = dist.all_to_all_single
        self.size: int = dist.get_world_size()
        self.ranks: tuple[int, ...] = (dist.get_rank(),)
        self.calls = self.bytes = self.swapped = 0
        self.doing: Doing | None = None
        self._agreement = Agreement(self.ranks[0], self.size)
        self.agree = agree

    def take(self) -> None:
        """Let the thread that calls this be the one that computes on the mesh."""
        self._agreement.take()

    def _done(self, collective: Callable[..., Any], *operands: Any) -> None:
        """Begin a collective; the device waits for it, the host need not."""
        if self._watch is not None:
            self._watch.check()
        try:
            collective(*operands)
        except RuntimeError as error:
            if not self._compares:
                raise
            told = self._agreement.failed(error)
            if told is error:
                raise
            raise told from error
        if self._watch is not None:
            self._watch.add()

    @property
    def _compares(self) -> bool:
        return self.agree and self.size > 1

    def _mark(self, kind: str, shape: Sequence[int], device: torch.device) -> Tensor:
        mark = self._agreement.marked(self.doing, kind, shape)
        return mark if device.type == mark.device.type else mark.to(device)

    def exchange(self, parts: Sequence[Tensor], shapes: Sequence[Sequence[int]]) -> list[Tensor]:
        """Gather the bytes of all parts, padded to the size of the largest.

        The results share one piece of memory.
        """
        self._agreement.check_thread()
        (own,) = parts
        sizes = [math.prod(shape) * own.element_size() for shape in shapes]
        # Padded to a multiple of every item size, so that each rank's bytes are aligned to be
        # viewed in any data type.
        room = -(-max(sizes) // _WIDEST) * _WIDEST
        if not room:
            return [own.new_empty(tuple(shape)) for shape in shapes]
        sent, marked = [_bytes(own)], 0
        if self._compares:
            mark = self._mark("a gather", shapes[0], own.device)
            if room > _APART:
                self._agreement.compare(self._all(mark))
            else:
                sent, marked = [mark, *sent], HEADER
        filling = (max(room, _LEAST) if marked else room) - own.nbytes
        if filling:
            sent.append(torch.empty(filling, dtype=torch.uint8, device=own.device))
        received = self._all(torch.cat(sent) if len(sent) > 1 else sent[0])
        self.calls += 1
        self.bytes += room * (self.size - 1)
        if marked:
            self._agreement.compare(received[:, :marked])
            received = received[:, marked:]
        # Equal shapes take the same few calls however many ranks there are.
        if len({tuple(shape) for shape in shapes}) == 1:
            of_each = received[:, : sizes[0]].view(own.dtype)
            return list(of_each.view(self.size, *shapes[0]).unbind())
        return [
            several[:n].view(own.dtype).reshape(tuple(shape))
            for several, n, shape in zip(received, sizes, shapes)
        ]

    def _all(self, sent: Tensor) -> Tensor:
        """Return the bytes of all ranks, which send equally many."""
        received = torch.empty(self.size * sent.numel(), dtype=torch.uint8, device=sent.device)
        self._done(self._gather, received, sent)
        return received.view(self.size, sent.numel())

    def swap(
        self, pieces: Sequence[Sequence[Tensor]], shapes: Sequence[Sequence[Sequence[int]]]
    ) -> list[list[Tensor]]:
        """Send each process the bytes for it."""
        self._agreement.check_thread()
        (own,), rank = pieces, self.ranks[0]
        dtype, width = own[0].dtype, own[0].element_size()
        awaited = [tuple(several[rank]) for several in shapes]
        sizes = [math.prod(shape) * width for shape in awaited]
        sent, marked = [_bytes(p) for p in own], 0
        if self._compares:
            mark, marked = self._mark("a swap", (), own[0].device), HEADER
            sent = [t for p in sent for t in (mark, p)]
        joined = torch.cat(sent)
        taken = [n + marked for n in sizes]
        received = joined.new_empty(sum(taken))
        self._done(self._swap, received, joined, taken, [p.nbytes + marked for p in own])
        self.calls += 1
        moved = sum(sizes) - sizes[rank]
        self.bytes += moved
        self.swapped += moved
        several = torch.split(received, taken)
        if marked:
            self._agreement.compare(torch.cat([g[:marked] for g in several]))
        return [[g[marked:].view(dtype).reshape(s) for g, s in zip(several, awaited)]]


_LEAST: Final = 1 << 10
"""The least number of bytes to send beside a mark: gloo ends a process that receives more bytes
than it expects, and with equal sizes processes that disagree still get to compare marks."""

_APART: Final = 1 << 18
"""From this size on, a collective for the mark alone is faster than copying a part beside it."""

_WIDEST: Final = 16
"""The most bytes that an element has."""


def _bytes(tensor: Tensor) -> Tensor:
    """Return the bytes of a tensor, in the order of its elements."""
    plain = tensor.resolve_conj().resolve_neg()
    if plain.numel() < 2 or not plain.is_contiguous():
        # With at most one element any stride counts as contiguous, but only 1 can be viewed as
        # bytes.
        plain = plain.clone(memory_format=torch.contiguous_format)
    return plain.reshape(-1).view(torch.uint8)


_FIRST, _LAST = 64, 127
_numbers = itertools.count(_FIRST)


def fresh_key() -> torch.device:
    """Return a device that torch accepts and no tensor is on, as the key of a mesh."""
    number = next(_numbers)
    if number > _LAST:  # torch stores the index in 8 bits
        raise RuntimeError(f"a process can have {_LAST - _FIRST + 1} meshes, and has them.")
    return torch.device("cpu", number)
