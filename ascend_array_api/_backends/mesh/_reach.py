"""Writes through views that are copies on a mesh, because their elements lie across parts.

On one device such a view shares memory with its base.  Here the copy and its base are kept equal:
a write to one is repeated on the other, and on all other copies of either.  Copies form a tree, in
which each node is the memory of an array and a child is a copy of its parent.

The tree has only weak references to memory, because memory that no array holds needs no writes.
All processes make the same copies in the same order, so they number them alike.  But Python may
free them at different times, so before a write the processes agree on which copies still exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..._reports import gathers
from ..._torch import Tensor, torch
from ..._torch.private import Weak, memory_of
from ._moves import flowed, numbers_of
from ._sharded import Sharded, below, whole
from ._transport import bytes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ._mesh import Mesh

    Storages = Sequence[torch.UntypedStorage]


def _parts(t: Tensor) -> list[Tensor]:
    return t.parts if type(t) is Sharded else [t]


def _storages(t: Tensor) -> Storages:
    return [p.untyped_storage() for p in _parts(t)]


class _Place(NamedTuple):
    """The layout of a tensor in its memory, by which the tensor can be made again."""

    divided: tuple[int, Mesh, tuple[int, ...]] | None
    parts: list[tuple[Any, ...]]

    @staticmethod
    def of(t: Tensor) -> _Place:
        """Return the layout of a tensor."""
        divided = (t.axis, t.mesh, tuple(t.shape)) if type(t) is Sharded else None
        parts = [(p.dtype, p.storage_offset(), p.shape, p.stride()) for p in _parts(t)]
        return _Place(divided, parts)

    def on(self, storages: Storages) -> Tensor:
        """Return the tensor that has this layout in the given memory."""
        made = [
            torch.empty(0, dtype=dtype, device=s.device).set_(s, *rest)
            for s, (dtype, *rest) in zip(storages, self.parts)
        ]
        return made[0] if self.divided is None else Sharded(made, *self.divided)


@dataclass(frozen=True)
class View:
    """A view that is a copy here: how to make it of a tensor, and how to write it back.

    Parameters
    ----------
    made : callable
        Returns the copy, given the tensor.
    put : callable
        Writes a copy back, given the tensor and the copy.
    like : callable, optional
        Returns the view of a tensor on one device; by default the tensor itself.
    span : tuple of int and range, optional
        The axis and the positions on it, if the view is exactly these.
    """

    made: Callable[[Sharded], Any]
    put: Callable[[Sharded, Any], None]
    like: Callable[[Tensor], Tensor] = lambda t: t
    span: tuple[int, range] | None = None


def _strides(t: Tensor) -> tuple[int, ...]:
    """Return the strides of a tensor, as if the parts of a divided one were joined."""
    if type(t) is not Sharded:
        return t.stride()
    part, n = t.parts[0], t.shape[t.axis]
    step, own = part.stride(t.axis), max(part.shape[t.axis], 1)
    # Strides that step over the divided axis are longer in the whole than in the part.
    return tuple(
        s * n // own if (s, -d) > (step, -t.axis) else s for d, s in enumerate(part.stride())
    )


def strides_of(t: Tensor) -> tuple[int, ...]:
    """Return the strides that a tensor would have on one device, where a copy is a view."""
    strides = _strides(t)
    memory = _memories.get(memory_of(_parts(t)[0]))
    if memory is None or memory.parent is None:
        return strides
    # Views of the copy keep multiples of the copy's strides: replace each by the view's own.
    known = sorted(zip(*memory.strides), reverse=True)
    made = []
    for s in strides:
        here, there = next((pair for pair in known if 0 < pair[0] <= s), (1, s))
        made.append(s // here * there)
    return tuple(made)


def is_shown(t: Sharded, shape: Sequence[int]) -> bool:
    """Say whether on one device a tensor could be reshaped without a copy.

    ``reshape`` returns a view exactly where one device does, so that the same writes are shared.
    """
    try:
        torch.empty_strided(t.shape, strides_of(t), device="meta").view(shape)
    except RuntimeError:
        return False
    return True


def refill(t: Sharded, value: Tensor) -> None:
    """Write all elements of a value to a tensor, in their order."""
    if value.shape != t.shape:
        value = flowed(value, t.shape) if type(value) is Sharded else value.reshape(t.shape)
    t.overwrite(value)


class _Memory:
    """A node of the tree: the memory of an array, with the memory it copies and its copies."""

    def __init__(self, t: Tensor, mesh: Mesh) -> None:
        self.mesh = mesh
        self.number = next(mesh.numbers)
        self.weak = [Weak(p) for p in _parts(t)]
        self.sizes = [(s.nbytes(), s.device) for s in _storages(t)]
        self.parent: _Memory | None = None
        self.children: list[_Memory] = []
        self.asked = False
        """Whether a write may have to reach copies.  It must be the same in all processes, because
        to find out takes a collective, so it does not look at the memory of one process."""

    def of(self, parent: _Memory, source: Tensor, own: Tensor, view: View) -> None:
        """Record that it is a copy of a tensor in other memory."""
        self.parent, self.view = parent, view
        self.source, self.own = _Place.of(source), _Place.of(own)
        laid_out = torch.empty_strided(source.shape, strides_of(source), device="meta")
        self.strides = _strides(own), view.like(laid_out).stride()
        parent.children.append(self)
        parent.root.asked = True

    @property
    def root(self) -> _Memory:
        """The memory at the root of the tree, which is no copy."""
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    def tree(self) -> Iterator[_Memory]:
        """Yield the memory and all copies below it."""
        yield self
        for child in self.children:
            yield from child.tree()

    def lives(self) -> bool:
        """Say whether an array holds the memory or a copy below it."""
        return any(m.storages() for m in self.tree())

    def storages(self) -> Storages | None:
        """Return strong references to the memory, or None if no array holds it."""
        found = [s for w in self.weak if (s := w.storage()) is not None]
        return found if len(found) == len(self.weak) else None

    def blank(self, byte: int) -> Storages:
        """Return new memory of the same size, filled with one byte."""
        made = [torch.full((n,), byte, dtype=torch.uint8, device=at) for n, at in self.sizes]
        return [t.untyped_storage() for t in made]

    def apart(self, other: _Memory) -> bool:
        """Say whether it certainly shares no element with another copy of the same memory."""
        if self.parent is not other.parent or self.source != other.source:
            return False
        one, two = self.view.span, other.view.span
        if one is None or two is None or one[0] != two[0]:
            return False
        (_, a), (_, b) = one, two
        return not a or not b or max(a) < min(b) or max(b) < min(a)


_FEW: Final = 64
_memories: Final[dict[int, _Memory]] = {}
"""All nodes, by the address of torch's object for the memory of the first part."""
_room = [_FEW]


def _memory(t: Tensor, mesh: Mesh, *, new: bool = False) -> _Memory:
    """Return the node of a tensor's memory, made now if it is new or not known."""
    key = memory_of(_parts(t)[0])
    if new or key not in _memories:
        if len(_memories) > _room[0]:  # drop what was freed
            for known, memory in list(_memories.items()):
                memory.children = [c for c in memory.children if c.lives()]
                if not memory.lives():
                    del _memories[known]
            _room[0] = 2 * len(_memories) + _FEW
        _memories[key] = _Memory(t, mesh)
    return _memories[key]


def viewed(t: Sharded, view: View) -> Any:
    """Return a copy in place of a view of a tensor, kept equal to the tensor from now on."""
    made: Tensor = view.made(t)
    _memory(made, t.mesh, new=True).of(_memory(t, t.mesh), t, made, view)
    return made


def gathered_view(t: Sharded, operation: str, reason: str) -> Tensor:
    """Return the whole in place of a view of a tensor, and report the gather to the user."""
    gathers.seen(operation, t.mesh.name, reason, t.nbytes)
    made: Tensor = viewed(t, View(whole, refill))
    return made


def is_view(t: Sharded, value: Tensor, axis: int, positions: range) -> bool:
    """Say whether a tensor is a copy, kept equal, of another one's positions along an axis."""
    own = _memories.get(memory_of(_parts(value)[0]))
    return (
        own is not None
        and own.parent is not None
        and own.parent is _memories.get(memory_of(t.parts[0]))
        and own.view.span == (axis, positions)
        and own.own == _Place.of(value)
        and own.source == _Place.of(t)
    )


def written(t: Tensor) -> None:
    """Repeat a write to a tensor on all tensors that share memory with it on one device."""
    if not _memories or type(t) not in {Sharded, torch.Tensor}:
        return
    memory = _memories.get(memory_of(_parts(t)[0]))
    if memory is None:
        return
    root = memory.root
    if root.asked:
        # The repeated writes call this function again: they must not start over.
        root.asked = False
        try:
            with below():
                _Writing(memory, root).run()
        except BaseException:  # interrupted, copies may be unequal: the next write tries again
            root.asked = True
            raise


class _Writing:
    """One write, repeated on all copies that any array still holds.

    It goes up from the written memory to its ancestors as long as their contents are known, then
    down to all other copies.
    """

    def __init__(self, memory: _Memory, root: _Memory) -> None:
        self.memory, self.root = memory, root
        self.living = _agreed(root)

    def run(self) -> None:
        """Repeat the write upwards as far as memory exists, and from there downwards."""
        number = self.memory.number
        self.done: dict[int, Storages] = {number: self.living[number]}
        top = self._up(self.memory)
        for child in top.children:
            self._down(child, [self.done[top.number]])
        below_top = {m.number for m in top.tree()}
        others = [m for m in self.root.tree() if m.number not in below_top]
        others = [m for m in others if m.number in self.living and not m.apart(top)]
        # An ancestor above ``top`` is freed, so nobody has its full contents, but other copies of
        # it may share the written elements.  Fill its memory with one byte, put the written
        # elements into it and make the copies anew; do so with two different bytes.  Where both
        # results agree, the bytes were written; elsewhere the copies keep what they have.
        if others:
            blank = [self._blank(top, byte) for byte in (0, 255)]
            for child in self.root.children:
                self._down(child, blank)
        self._forget(self.root)
        known = sum(m.number in self.living for m in self.root.tree())
        self.root.asked = known > 1

    def _up(self, node: _Memory) -> _Memory:
        """Repeat the write on the ancestors of a node; return the last one that this reached."""
        while node.parent is not None:
            storages = self._contents(node.parent)
            if storages is None:
                return node
            self._put(node, self.done[node.number], storages)
            node = node.parent
            self.done[node.number] = storages
        return node

    @staticmethod
    def _put(node: _Memory, own: Storages, storages: Storages) -> None:
        base = node.source.on(storages)
        assert type(base) is Sharded
        node.view.put(base, node.own.on(own))

    def _contents(self, node: _Memory) -> Storages | None:
        """Return a node's memory, or its contents made anew of an ancestor; None if unknown."""
        if node.number in self.living:
            return self.living[node.number]
        if node.parent is None or (storages := self._contents(node.parent)) is None:
            return None
        return _storages(node.view.made(node.source.on(storages)))  # type: ignore[arg-type]

    def _blank(self, top: _Memory, byte: int) -> Storages:
        """Return new memory of the root, filled with one byte but for the written elements."""
        storages = self.done[top.number]
        while top.parent is not None:
            blank = top.parent.blank(byte)
            self._put(top, storages, blank)
            top, storages = top.parent, blank
        return storages

    def _down(self, node: _Memory, several: Sequence[Storages]) -> None:
        """Make a node and its copies anew from the parent's memory; given two, where both agree."""
        if not any(m.number in self.living for m in node.tree()):
            return
        if node.number in self.done:
            following = [self.done[node.number]]
        else:
            fresh = [node.view.made(node.source.on(s)) for s in several]  # type: ignore[arg-type]
            if node.number in self.living:
                following = [self.living[node.number]]
                _overwrite(node.own.on(following[0]), fresh)
                self.done[node.number] = following[0]
            else:
                following = [_storages(f) for f in fresh]
        for child in node.children:
            self._down(child, following)

    def _forget(self, node: _Memory) -> bool:
        """Drop freed copies from the tree; say whether the node must stay.

        All processes drop the same ones, because they have agreed on ``living``.
        """
        node.children = [c for c in node.children if self._forget(c)]
        return bool(node.children) or node.number in self.living


def _overwrite(t: Tensor, fresh: Sequence[Tensor]) -> None:
    """Write a new copy to a tensor; given two, write the bytes in which both agree."""
    for part, *news in zip(_parts(t), *map(_parts, fresh)):
        if len(news) == 1:
            part.copy_(news[0])
        elif part.numel():
            one, two, own = map(bytes_of, (*news, part))
            made = torch.where(one == two, one, own)
            part.copy_(made.view(part.dtype).reshape(part.shape))


def _agreed(root: _Memory) -> dict[int, Storages]:
    """Return the memory that every process still holds, by its number: one or two collectives."""
    held = {m.number: s for m in root.tree() if (s := m.storages()) is not None}
    transport = root.mesh.transport
    if len(transport.ranks) == transport.size:
        return held
    counts = [n for (n,) in numbers_of(root.mesh, [[len(held)]])]
    own = [*held, *[-1] * (max(counts) - len(held))]
    said = numbers_of(root.mesh, [own])
    both = set(held).intersection(*(several[:n] for several, n in zip(said, counts)))
    return {number: held[number] for number in sorted(both)}
