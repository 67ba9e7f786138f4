"""How parts get from process to process: the one collective, between processes or simulated."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, Final, Protocol

from ..._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from ._watch import Watch


class Transport(Protocol):
    """Ranks that hand each other parts."""

    size: int
    """The number of ranks."""
    ranks: tuple[int, ...]
    """Those whose parts this process has."""
    calls: int
    """How many collectives there were."""
    bytes: int
    """How many bytes a process was sent in them."""
    swapped: int
    """How many of these bytes were for that process alone."""

    def exchange(self, parts: Sequence[Tensor], shapes: Sequence[Sequence[int]]) -> list[Tensor]:
        """Return the parts of all ranks, of which every process knows the shapes.

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
        """Hand each rank the piece that every rank has for it, and return those of all ranks.

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

    def exchange(self, parts: Sequence[Tensor], shapes: Sequence[Sequence[int]]) -> list[Tensor]:
        """Return them as they are."""
        if [tuple(p.shape) for p in parts] != [tuple(s) for s in shapes]:
            raise AssertionError(f"parts {[p.shape for p in parts]} are not of shapes {shapes}")
        self.calls += 1
        self.bytes += sum(p.nbytes for p in parts[1:])
        return [p.clone() for p in parts]

    def swap(
        self, pieces: Sequence[Sequence[Tensor]], shapes: Sequence[Sequence[Sequence[int]]]
    ) -> list[list[Tensor]]:
        """Hand on copies of them."""
        given = [[tuple(p.shape) for p in several] for several in pieces]
        if given != [[tuple(s) for s in several] for several in shapes]:
            raise AssertionError(f"pieces {given} are not of shapes {shapes}")
        most = max(sum(pieces[s][t].nbytes for s in self.ranks if s != t) for t in self.ranks)
        self.calls += 1
        self.bytes += most
        self.swapped += most
        return [[several[t].clone() for several in pieces] for t in self.ranks]


class Processes:
    """Ranks that are a process each: all of torch's default process group.

    Parts travel as bytes, because no library knows all data types: HCCL has no complex numbers,
    gloo has neither int16 nor wide unsigned integers.

    Parameters
    ----------
    watch : Watch, optional
        Who looks after collectives that may last for too long.
    """

    def __init__(self, watch: Watch | None = None) -> None:
        import torch.distributed as dist

        self._watch = watch

        # What torch calls it from 2.13 on, and before.
        self._gather = getattr(dist, "all_gather_single", None) or dist.all_gather_into_tensor
        self._swap = dist.all_to_all_single
        self.size: int = dist.get_world_size()
        self.ranks: tuple[int, ...] = (dist.get_rank(),)
        self.calls = self.bytes = self.swapped = 0

    def _done(self, collective: Callable[..., Any], *operands: Any) -> None:
        """Begin a collective, for which the device waits."""
        if self._watch is not None:
            self._watch.check()
        collective(*operands)
        if self._watch is not None:
            self._watch.add()

    def exchange(self, parts: Sequence[Tensor], shapes: Sequence[Sequence[int]]) -> list[Tensor]:
        """Gather the bytes of all parts, filled up to those of the largest.

        What is returned shares one piece of memory.
        """
        (own,) = parts
        sizes = [math.prod(shape) * own.element_size() for shape in shapes]
        # The bytes of a data type begin where a multiple of their number does.
        room = -(-max(sizes) // _WIDEST) * _WIDEST
        if not room:
            return [own.new_empty(tuple(shape)) for shape in shapes]
        sent = _bytes(own)
        if sent.numel() < room:
            filled = torch.empty(room, dtype=torch.uint8, device=own.device)
            filled[: sent.numel()] = sent
            sent = filled
        received = torch.empty(room * self.size, dtype=torch.uint8, device=own.device)
        self._done(self._gather, received, sent)
        self.calls += 1
        self.bytes += room * (self.size - 1)
        if len({tuple(shape) for shape in shapes}) == 1:  # in as many steps for any number of ranks
            of_each = received.view(self.size, room)[:, : sizes[0]].view(own.dtype)
            return list(of_each.view(self.size, *shapes[0]).unbind())
        return [
            received[room * rank : room * rank + n].view(own.dtype).reshape(tuple(shape))
            for rank, (n, shape) in enumerate(zip(sizes, shapes))
        ]

    def swap(
        self, pieces: Sequence[Sequence[Tensor]], shapes: Sequence[Sequence[Sequence[int]]]
    ) -> list[list[Tensor]]:
        """Send each process the bytes for it."""
        (own,), rank = pieces, self.ranks[0]
        dtype, width = own[0].dtype, own[0].element_size()
        awaited = [tuple(several[rank]) for several in shapes]
        sizes = [math.prod(shape) * width for shape in awaited]
        sent = torch.cat([_bytes(p) for p in own])
        received = sent.new_empty(sum(sizes))
        self._done(self._swap, received, sent, sizes, [p.nbytes for p in own])
        self.calls += 1
        moved = sum(sizes) - sizes[rank]
        self.bytes += moved
        self.swapped += moved
        return [[g.view(dtype).reshape(s) for g, s in zip(torch.split(received, sizes), awaited)]]


_WIDEST: Final = 16
"""The most bytes that an element has."""


def _bytes(tensor: Tensor) -> Tensor:
    """Return the bytes of a tensor, in the order of its elements."""
    plain = tensor.resolve_conj().resolve_neg()
    if plain.numel() < 2 or not plain.is_contiguous():
        # One element or none is contiguous whatever the stride, but is not read as bytes then.
        plain = plain.clone(memory_format=torch.contiguous_format)
    return plain.reshape(-1).view(torch.uint8)


_FIRST, _LAST = 64, 127
_numbers = itertools.count(_FIRST)


def fresh_key() -> torch.device:
    """Return a device of torch's that no tensor is on: a mesh is found by it."""
    number = next(_numbers)
    if number > _LAST:  # torch counts in 8 bits
        raise RuntimeError(f"a process can have {_LAST - _FIRST + 1} meshes, and has them.")
    return torch.device("cpu", number)
