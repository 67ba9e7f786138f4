"""Collectives: how parts travel between ranks, which are processes or are simulated in one.

This module knows shapes and bytes only, not what they stand for.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, TypeAlias

import torch.distributed as dist

from ..._errors.exceptions import RanksError
from ..._torch import Tensor, torch
from ..._torch.private import keep_for_good
from ._agreement import HEADER, OPERATIONS, Agreement, Doing
from ._watch import Watch

Given: TypeAlias = "Sequence[Mapping[int, Tensor]]"
"""For each rank of this process its pieces, by the ranks that they are for."""
Shapes: TypeAlias = "Sequence[Mapping[int, Sequence[int]]]"
"""For each rank of this process the shapes of the pieces for it, by their senders."""
Got: TypeAlias = "list[dict[int, Tensor]]"
"""For each rank of this process the pieces that came, by their senders."""


class _Ranks:
    """Ranks that exchange parts.

    Parameters
    ----------
    size : int
        The number of ranks.
    ranks : tuple of int
        The ranks whose parts this process has.
    adds : set of dtype, optional
        The data types that ``added`` takes.
    """

    doing: Doing | None = None
    """The present operation: its name, data type and the shapes of its operands."""
    calls = 0
    """The number of collectives so far."""
    bytes = 0
    """The number of bytes sent to one process so far."""
    swapped = 0
    """How many of these bytes were meant for that process only."""

    begin_swap: Callable[..., Callable[[], Got]]
    """Begins a ``swap``; returns a function that waits for it and returns what came.

    ``marked`` and ``wait`` say whether marks may travel with it, and whether the host may wait.
    """
    owed = 0
    """How many swaps of a round are to come: it stays so if the caller leaves the round."""

    def __init__(
        self, size: int, ranks: tuple[int, ...], adds: frozenset[torch.dtype] = frozenset()
    ) -> None:
        self.size, self.ranks, self.adds = size, ranks, adds

    def swap(self, pieces: Given, shapes: Shapes, like: Tensor) -> Got:
        """Send ranks the pieces for them; return the pieces that this process's ranks receive.

        A rank names the ranks that it sends to and receives from, so that it need not know what the
        others do among themselves.

        Parameters
        ----------
        pieces : sequence of mappings
            For each rank of this process its pieces, by the ranks that they are for.
        shapes : sequence of mappings
            For each rank of this process the shapes of the pieces for it, by their senders.
        like : Tensor
            A tensor with the data type and on the device of the pieces.
        """
        return self.begin_swap(pieces, shapes, like)()

    def around(
        self, parts: Sequence[Tensor], shapes: Sequence[Sequence[int]], *, marked: bool = True
    ) -> Iterator[list[Tensor]]:
        """Yield the parts of all ranks: to each rank first its own, then that of the one before.

        While the caller computes with the present parts, the next ones travel; it may read, but not
        write, and begin no other collective.  All processes take part in each step.  With gloo,
        ``isend`` and ``irecv`` would not do: if a wait for them ends before they do, so that the
        others can be asked, gloo ends all connections.

        Parameters
        ----------
        parts : sequence of Tensor
            The parts of the ranks of this process.
        shapes : sequence of sequences of int
            The shapes of all ranks' parts.
        marked : bool, default: True
            Whether marks may travel with them.
        """
        held, size = list(parts), self.size
        for step in range(size - 1):
            pieces = [{(r + 1) % size: t} for r, t in zip(self.ranks, held)]
            awaited = [{(r - 1) % size: shapes[(r - 1 - step) % size]} for r in self.ranks]
            ended = self.begin_swap(pieces, awaited, held[0], marked=marked, wait=False)
            self.owed = size - 2 - step
            yield held
            self.owed = 0
            held = [t for several in ended() for t in several.values()]
        yield held

    def _count(self, moved: int, swapped: int) -> None:
        """Count a collective that moved so many bytes, some of them to this process alone."""
        self.calls += 1
        self.bytes += moved
        self.swapped += swapped


class Simulated(_Ranks):
    """Ranks that are all in this process."""

    def __init__(self, size: int) -> None:
        super().__init__(size, tuple(range(size)))

    def stacked(self, parts: Sequence[Tensor]) -> Tensor:
        """Return the parts of all ranks, which have one shape, along a new first axis."""
        if len({(p.shape, p.dtype) for p in parts}) != 1:
            raise AssertionError(f"parts {[(p.shape, p.dtype) for p in parts]} differ")
        self._count(sum(p.nbytes for p in parts[1:]), 0)
        made = torch.stack([bytes_of(p) for p in parts]).view(-1)
        return made.view(parts[0].dtype).view(self.size, *parts[0].shape)

    def dealt(self, rows: Sequence[Tensor]) -> list[Tensor]:
        """Return for each rank of this process the row of its number from all ranks, in order.

        Parameters
        ----------
        rows : sequence of Tensor
            For each rank of this process one row for each rank; all have one shape.
        """
        if len({(own.shape, own.dtype) for own in rows}) != 1:
            raise AssertionError(f"rows {[(own.shape, own.dtype) for own in rows]} differ")
        shape, dtype, width = rows[0].shape, rows[0].dtype, rows[0].nbytes // self.size
        self._count(width * (self.size - 1), width * (self.size - 1))
        sent = torch.stack([bytes_of(own).view(self.size, width) for own in rows], 1)
        return [got.view(-1).view(dtype).view(shape) for got in sent.unbind()]

    def added(self, own: Sequence[Tensor]) -> Tensor:
        """Return the sum of the ranks' tensors, which are lost, for a data type among ``adds``."""
        raise AssertionError(f"no library adds up {len(own)} tensors")

    def begin_swap(
        self,
        pieces: Given,
        shapes: Shapes,
        like: Tensor,
        **_: bool,
    ) -> Callable[[], Got]:
        """Swap at once."""
        given = {(s, t): p for s, several in enumerate(pieces) for t, p in several.items()}
        known = {(s, t): tuple(n) for t, several in enumerate(shapes) for s, n in several.items()}
        if {key: tuple(p.shape) for key, p in given.items()} != known or any(
            p.dtype is not like.dtype for p in given.values()
        ):
            raise AssertionError(f"pieces {given} are not of shapes {known}")
        received = [{s: given[s, t].clone() for s in several} for t, several in enumerate(shapes)]
        most = max(
            sum(p.nbytes for s, p in several.items() if s != t)
            for t, several in enumerate(received)
        )
        self._count(most, most)
        return lambda: received


class Processes(_Ranks):
    """Ranks that are one process each: the processes of a group of torch's.

    Parts travel as bytes, because no library has all data types: HCCL has no complex numbers,
    gloo has neither int16 nor wide unsigned integers.

    Parameters
    ----------
    watch : Watch, optional
        The bound on the duration of collectives.
    agree : bool, default: False
        Whether to compare what the processes compute, which waits for the device.
    adds : set of dtype, optional
        The data types that the library adds up.
    group : ProcessGroup, optional
        The group; by default torch's default one.
    """

    def __init__(
        self,
        watch: Watch | None = None,
        *,
        agree: bool = False,
        adds: frozenset[torch.dtype] = frozenset(),
        group: dist.ProcessGroup | None = None,
    ) -> None:
        self._watch = watch
        # The names of one function from torch 2.13 on, and before.
        gather = getattr(dist, "all_gather_single", None) or dist.all_gather_into_tensor
        self._gather = functools.partial(gather, group=group)
        self._swap = functools.partial(dist.all_to_all_single, group=group)
        self._add = functools.partial(dist.all_reduce, group=group)
        super().__init__(dist.get_world_size(group), (dist.get_rank(group),), adds)
        self.group = group
        self.patience: timedelta | None = None
        """How long the host waits for a collective; the group may have more patience."""
        self._failed: Exception | None = None
        self.owed = 0
        name = "" if group is None else group.group_name
        self._agreement = Agreement(self.ranks[0], self.size, name)
        self.agree = agree

    def take(self) -> None:
        """Let the thread that calls this be the one that computes on the mesh, from now on."""
        self._agreement.take()
        self._failed, self.owed = None, 0

    def probe(self, device: torch.device) -> None:
        """Send a few known bytes in each way, and raise if others arrive.

        Some releases of libraries are reported to give zeros without an error.
        """
        here, every = self.ranks[0], range(self.size)
        self._agreement.marked(None, "an exchange in init", ())  # what late processes are told
        gathered = [b for r in every for b in _known(r, 0, _WIDEST)]
        for name, collective, sent, expected, *counts in (
            ("gather", self._gather, _known(here, 0, _WIDEST), gathered),
            (
                "swap of equal pieces",
                self._swap,
                [b for r in every for b in _known(here, r, 2)],
                [b for r in every for b in _known(r, here, 2)],
            ),
            (
                "swap",
                self._swap,
                [b for r in every for b in _known(here, r, 1 + r % 3)],
                [b for r in every for b in _known(r, here, 1 + here % 3)],
                [1 + here % 3] * self.size,
                [1 + r % 3 for r in every],
            ),
        ):
            received = torch.zeros(len(expected), dtype=torch.uint8, device=device)
            own = torch.tensor(sent, dtype=torch.uint8, device=device)
            self._done(collective, received, own, *counts)
            if (got := received.tolist()) != expected:
                raise RuntimeError(
                    f"init: a {name} of known bytes between {self.size} processes on {device.type} "
                    f"gave process {here} others, {got[:8]} instead of {expected[:8]}. The library "
                    "that joins the processes is at fault: try another release of it."
                )

    def _done(self, collective: Callable[..., Any], *operands: Any) -> None:
        """Begin a collective; the device waits for it, the host need not."""
        self._end(self._begin(collective, *operands, wait=self.patience is None))

    def _begin(self, collective: Callable[..., Any], *operands: Any, wait: bool) -> Any:
        """Begin a collective; return what ``_end`` takes, beside which others may compute."""
        if self._watch is not None:
            self._watch.check()
        if self.owed and self._compares and self._failed is None:
            # A swap of small pieces would meet one of large pieces, for which gloo ends a process.
            self._failed = self._agreement.left()
        # No later collective meets the same one elsewhere.  And a fast path that fails leads to the
        # slow path, which begins the collective again.
        if self._failed is not None:
            raise self._failed
        if wait:
            self._tried(collective, *operands)
            return None
        # A device computes what comes next beside the collective.
        return self._tried(functools.partial(collective, async_op=True), *operands)

    def _end(self, work: Any) -> None:
        """Let the device, and where there is a limit to its patience the host, wait."""
        if work is not None:
            self._tried(self._awaited, work)
        if self._watch is not None:
            self._watch.add()

    def _tried(self, function: Callable[..., Any], *operands: Any) -> Any:
        try:
            return function(*operands)
        except RuntimeError as error:
            self._failed = error
            if isinstance(error, RanksError):  # the collective is still there, and will never end
                keep_for_good(self.group)
            elif self._compares:
                self._failed = self._agreement.failed(error)
            if self._failed is error:
                raise
            raise self._failed from error

    def _awaited(self, work: Any) -> None:
        """Wait for a collective; ask the others now and then whether they have begun the same."""
        if self.patience is None:
            work.wait()
            return
        left, some = self.patience, _SOME if self._compares else self.patience
        while some < left:
            try:
                work.wait(some)
            except RuntimeError:
                if work.is_completed():  # it failed; or it was done just after the wait was over
                    break
            else:
                return
            left -= some
            self._agreement.ask()
        work.wait(left)

    def compare(self, agree: bool | str) -> None:
        """Compare the operations and lines of the processes, the operations alone, or nothing."""
        self.agree = bool(agree)
        self._agreement.compare_lines(lines=agree != OPERATIONS)

    @property
    def _compares(self) -> bool:
        return self.agree and self.size > 1

    def _mark(
        self, kind: str, shape: Sequence[int], device: torch.device, room: float = 0
    ) -> Tensor | None:
        """Return the mark to send beside so many bytes, if there is one.

        If the collective is too large to carry marks, they are compared now.
        """
        self._agreement.check_thread()
        if not self._compares:
            return None
        mark = self._agreement.marked(self.doing, kind, shape)
        mark = mark if device.type == mark.device.type else mark.to(device)
        if room <= _APART:
            return mark
        sent = torch.cat([mark, mark.new_empty(_LEAST)])
        self._agreement.compare(self._all(sent)[:, :HEADER])
        return None

    def stacked(self, parts: Sequence[Tensor]) -> Tensor:
        """Gather the bytes of all parts, in the same few calls however many ranks there are."""
        (own,) = parts
        if not own.nbytes:
            return own.new_empty((self.size, *own.shape))
        # Padded to a multiple of every item size, so that each rank's bytes are aligned to be
        # viewed in any data type.
        room = -(-own.nbytes // _WIDEST) * _WIDEST
        mark = self._mark("a gather", own.shape, own.device, room)
        sent = [bytes_of(own)] if mark is None else [mark, bytes_of(own)]
        filling = (room if mark is None else max(room, _LEAST)) - own.nbytes
        if filling:
            sent.append(torch.empty(filling, dtype=torch.uint8, device=own.device))
        received = self._all(torch.cat(sent) if len(sent) > 1 else sent[0])
        self._count(room * (self.size - 1), 0)
        if mark is not None:
            self._agreement.compare(received[:, :HEADER])
            received = received[:, HEADER:]
        return received[:, : own.nbytes].view(own.dtype).view(self.size, *own.shape)

    def _all(self, sent: Tensor) -> Tensor:
        """Return the bytes of all ranks, which send equally many."""
        received = torch.empty(self.size * sent.numel(), dtype=torch.uint8, device=sent.device)
        self._done(self._gather, received, sent)
        return received.view(self.size, sent.numel())

    def dealt(self, rows: Sequence[Tensor]) -> list[Tensor]:
        """Send each process its row: equally many bytes, so that no sizes need to be told."""
        (own,) = rows
        width = own.nbytes // self.size
        if not width:
            return [own.clone()]
        sent = bytes_of(own).view(self.size, width)
        mark = self._mark("a swap", own.shape, own.device, width)
        if mark is not None:
            sent = torch.cat([mark.expand(self.size, HEADER), sent], 1)
        received = torch.empty_like(sent)
        self._done(self._swap, received.view(-1), sent.view(-1))
        self._count(width * (self.size - 1), width * (self.size - 1))
        if mark is not None:
            self._agreement.compare(received[:, :HEADER])
            received = received[:, HEADER:]
        return [received.view(own.dtype).view(own.shape)]

    def added(self, own: Sequence[Tensor]) -> Tensor:
        """Let the library add the tensors up, in place."""
        (made,) = own
        made = made.contiguous()
        self._mark("a sum", made.shape, made.device, math.inf)
        self._done(self._add, made)
        self._count(2 * made.nbytes * (self.size - 1) // self.size, 0)
        return made

    def around(
        self, parts: Sequence[Tensor], shapes: Sequence[Sequence[int]], *, marked: bool = True
    ) -> Iterator[list[Tensor]]:
        """Compare the marks of large parts once, before the first swap."""
        most = max(math.prod(shape) for shape in shapes) * parts[0].element_size()
        if self._compares and most > _APART:
            self._mark("a round", (), parts[0].device, most)
            marked = False
        return super().around(parts, shapes, marked=marked)

    def begin_swap(
        self,
        pieces: Given,
        shapes: Shapes,
        like: Tensor,
        *,
        marked: bool = True,
        wait: bool = True,
    ) -> Callable[[], Got]:
        """Send each process the bytes for it; most send to few others."""
        (own,), (awaited,) = pieces, shapes
        sizes = {r: math.prod(shape) * like.element_size() for r, shape in awaited.items()}
        sent = {r: bytes_of(piece) for r, piece in own.items()}
        # Also where no mark is sent: all processes count their collectives.
        mark = self._mark("a swap", (), like.device)
        before = [mark] if marked and mark is not None else []
        width = len(before) * HEADER
        woven = [t for r in range(self.size) for t in ([*before, sent[r]] if r in sent else before)]
        woven = woven or [like.new_empty(0, dtype=torch.uint8)]
        joined = torch.cat(woven) if len(woven) > 1 else woven[0]
        given, taken = [width] * self.size, [width] * self.size
        for r, piece in sent.items():
            given[r] += piece.numel()
        for r, n in sizes.items():
            taken[r] += n
        received = joined.new_empty(sum(taken))
        wait = wait and self.patience is None
        work = self._begin(self._swap, received, joined, taken, given, wait=wait)
        moved = sum(sizes.values()) - sizes.get(self.ranks[0], 0)
        self._count(moved, moved)

        def ended() -> Got:
            self._end(work)
            ends = list(itertools.accumulate(taken))
            if before:
                starts = [0, *ends[:-1]]
                self._agreement.compare(torch.cat([received[at : at + HEADER] for at in starts]))
            got = {r: received[ends[r] - n : ends[r]].view(like.dtype) for r, n in sizes.items()}
            return [{r: piece.reshape(tuple(awaited[r])) for r, piece in got.items()}]

        return ended


Transport: TypeAlias = Simulated | Processes
"""Ranks that exchange parts."""


def _known(sender: int, receiver: int, number: int) -> list[int]:
    """Return bytes, none of them 0, that a process sends to another to try out a library."""
    return [1 + (31 * sender + 17 * receiver + n) % 255 for n in range(number)]


_LEAST: Final = 1 << 10
"""The least number of bytes to gather beside a mark: gloo ends a process that receives more bytes
than it expects, and with equal sizes processes that disagree still get to compare marks."""

_SOME: Final = timedelta(seconds=2)
"""How long to wait for a collective before asking whether the others have begun the same: gloo
neither ends nor fails if one process gathers while another swaps."""

_APART: Final = 1 << 18
"""From this size on, the mark is gathered before, so that processes whose sizes differ all get to
compare marks.  On gloo it takes longer than a copy of the part beside its mark."""

_WIDEST: Final = 16
"""The most bytes that an element has."""


def bytes_of(tensor: Tensor) -> Tensor:
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
