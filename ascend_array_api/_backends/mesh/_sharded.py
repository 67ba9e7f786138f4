"""The tensor that is divided along one axis, its layouts, and derivatives through both.

Kernels never see such a tensor: ``_dispatch`` hands them its parts.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from ..._devices.device import places, spec_of
from ..._reports import gathers
from ..._routes._derivatives import batched, divided_types, tracked
from ..._routes.movement import concat
from ..._torch import Tensor, torch
from ..._torch.private import derivatives, innermost, is_wrapped, made_of, no_function_rules
from ..._torch.tracing import untraced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ._mesh import Mesh


_T = TypeVar("_T")


@functools.lru_cache(64)
def extents(n: int, size: int) -> tuple[tuple[int, int], ...]:
    """Return where all ranks' parts of an axis begin, and their lengths, as in torch's DTensor."""
    most = -(-n // size)
    starts = [min(r * most, n) for r in range(size)]
    return tuple([(start, min(most, n - start)) for start in starts])


def resized(shape: Sequence[int], axis: int, n: int) -> tuple[int, ...]:
    """Return a shape with another size along an axis."""
    return (*shape[:axis], n, *shape[axis + 1 :])


def broadcast(shapes: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """Return the shape to which shapes broadcast."""
    every = {tuple(shape) for shape in shapes}
    if len(every) > 1:  # torch.broadcast_shapes is slow
        return tuple(torch.broadcast_shapes(*every))  # type: ignore[no-untyped-call]
    return every.pop()


class Sharded(torch.Tensor):
    """A tensor divided along one axis: each rank of a mesh has one part."""

    dispatched: ClassVar[Callable[..., Any]]
    """Computes a function of torch; ``_dispatch`` sets it."""
    parts: list[Tensor]
    """The parts of the ranks of this process."""
    axis: int
    mesh: Mesh

    __torch_function__ = no_function_rules

    @staticmethod
    def __new__(cls, parts: list[Tensor], axis: int, mesh: Mesh, shape: Sequence[int]) -> Sharded:
        # Torch differentiates the divided tensor, not its parts: a graph of the parts would get
        # lost here without an error.
        if torch.is_grad_enabled() and any(p.requires_grad for p in parts):
            raise AssertionError("what is computed of parts would be lost to derivatives")
        # Torch ignores marks of conjugates and negatives on tensors of a subclass.
        parts = [p.resolve_conj().resolve_neg() for p in parts]
        # The strides of the first part, because they say what overlaps and what was broadcast.
        made: Sharded = made_of(cls, parts[0], shape)
        made.parts, made.axis, made.mesh = parts, axis, mesh
        return made

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return cls.dispatched(func, args, kwargs or {})

    def __repr__(self) -> str:  # type: ignore[override]
        return f"Sharded(axis={self.axis}, of {tuple(self.shape)}, parts={self.parts})"

    def untyped_storage(self) -> Any:
        """Return the memory of this process's first part."""
        return self.parts[0].untyped_storage()

    def data_ptr(self) -> int:
        """Return where this process's first part begins."""
        return self.parts[0].data_ptr()

    def tolist(self) -> Any:
        """Return the elements of the whole."""
        return seen(self, "tolist", "the host needs all values").tolist()

    def with_parts(self, parts: list[Tensor]) -> Sharded:
        """Return the tensor with other parts of the same sizes."""
        return Sharded(parts, self.axis, self.mesh, self.shape)

    def of_shape(
        self, axis: int, shape: Sequence[int], make: Callable[[Tensor, tuple[int, ...]], Any]
    ) -> Sharded:
        """Return the tensor of a shape whose parts are made of these, given their shapes."""
        parts = [make(p, s) for p, s in zip(self.parts, self.mesh.shapes(shape, axis))]
        return Sharded(parts, axis, self.mesh, shape)

    def overwrite(self, value: Tensor) -> None:
        """Write the elements of a tensor of the same shape to the parts."""
        for part, own in zip(self.parts, parts_of(value, self.axis, self.mesh)):
            part.copy_(own)

    @property
    def lengths(self) -> list[int]:
        """The sizes of all ranks' parts along the axis."""
        return [n for _, n in extents(self.shape[self.axis], self.mesh.size)]

    @property
    def extents(self) -> list[tuple[int, int]]:
        """Where the parts of this process's ranks begin along the axis, and their sizes."""
        return self.mesh.extents(self.shape[self.axis])


divided_types.add(Sharded)
places[Sharded] = lambda t: t.mesh.key


def leading(shape: Sequence[int]) -> int:
    """Return the axis whose parts follow each other in the order of elements."""
    return next((d for d, n in enumerate(shape) if n != 1), 0)


def shares(tensor: Tensor, axis: int, mesh: Mesh) -> list[Tensor]:
    """Return views of the shares that this process's ranks have of a whole tensor."""
    return [tensor.narrow(axis, *extent) for extent in mesh.extents(tensor.shape[axis])]


def parts_of(t: Tensor, axis: int, mesh: Mesh) -> list[Tensor]:
    """Return the share of a tensor along an axis for each rank of this process."""
    return turned(t, axis).parts if type(t) is Sharded else shares(t, axis, mesh)


# --- derivatives ----------------------------------------------------------------------------------


class _Inside(threading.local):
    """Whether a thread is below autograd, computing one step that torch has already recorded."""

    now = False


_inside: Final = _Inside()


def followed(*tensors: Tensor) -> bool:
    """Say whether torch must see each step of a computation, to record derivatives."""
    return not _inside.now and tracked(*tensors)


@contextlib.contextmanager
def below() -> Iterator[None]:
    """Compute below autograd: torch records no derivatives, and rules do not ask for any."""
    before, _inside.now = _inside.now, True
    try:
        # In inference mode, torch refuses views of tensors made before it.
        if torch.is_inference_mode_enabled():
            with torch.inference_mode(mode=False), torch.no_grad():
                yield
        else:
            with torch.no_grad():
                yield
    finally:
        _inside.now = before


class _Moved(torch.autograd.Function):
    """A change of layout that torch cannot differentiate, with the change back for gradients."""

    @staticmethod
    def forward(move: Callable[..., Any], back: Callable[..., Any], *tensors: Tensor) -> Any:  # noqa: ARG004
        return move(*tensors)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.move, ctx.back = inputs[:2]
        outputs = output if isinstance(output, tuple) else (output,)
        # In a derivative, inputs and outputs may be whole.
        ctx.divided = any(type(t) is Sharded for t in (*inputs, *outputs))

    @staticmethod
    def backward(ctx: Any, *cotangents: Tensor) -> Any:
        made = ctx.back(*cotangents)
        return (None, None, *(made if isinstance(made, tuple) else (made,)))

    @staticmethod
    def vmap(*_: Any) -> Any:
        raise NotImplementedError(_NOT_TRANSFORMED)

    @staticmethod
    def jvp(ctx: Any, _: None, __: None, *tangents: Tensor) -> Any:
        wrapped = batched(*tangents)
        if wrapped and ctx.divided:
            raise NotImplementedError(_NOT_TRANSFORMED)
        made = ctx.move(*tangents)
        if wrapped and found([made]):  # jvp hides from the context what is divided
            raise NotImplementedError(_NOT_TRANSFORMED)
        return made


_NOT_TRANSFORMED: Final = (
    "torch.func cannot transform what is computed with divided arrays: its tensors stand for one "
    "device each. In place of grad, vjp or jacrev, take torch.autograd.grad(to_torch(value), "
    "parameters) of parameters with requires_grad=True; in place of jvp or jacfwd, take "
    "torch.autograd.forward_ad; in place of vmap, write the function for arrays with one more "
    "axis; or gather the arrays before, by distributed.gather(x)."
)


def refuse_transformed(name: str, *tensors: Tensor) -> None:
    """Raise if ``torch.func`` takes derivatives through divided tensors.

    Torch would then ask for the memory of tensors that wrap parts.
    """
    if derivatives() and any(is_wrapped(t) and type(innermost(t)) is Sharded for t in tensors):
        raise NotImplementedError(f"{name}: {_NOT_TRANSFORMED}")


@untraced  # code that is compiled where torch notes nothing would be taken where it does
def step(move: Callable[..., _T], back: Callable[..., Any], *tensors: Tensor) -> _T:
    """Apply a linear move to tensors; gradients go back by the move ``back``."""
    if not followed(*tensors):
        return move(*tensors)
    made: _T = _Moved.apply(move, back, *tensors)  # type: ignore[no-untyped-call]
    return made


def apart(t: Sharded) -> tuple[Tensor, ...]:
    """Return this process's parts as tensors that share memory, with derivatives."""
    back = functools.partial(joined_parts, t.mesh, t.axis, t.shape)
    return step(lambda t: tuple([p.detach() for p in t.parts]), back, t)


def joined_parts(mesh: Mesh, axis: int, shape: Sequence[int], *parts: Tensor) -> Sharded:
    """Return the divided tensor with the given parts, with derivatives."""

    def move(*own: Tensor) -> Sharded:
        return Sharded([p.detach() for p in own], axis, mesh, shape)

    return step(move, lambda cotangent: apart(laid(mesh, cotangent, axis)), *parts)


# --- layouts --------------------------------------------------------------------------------------


def laid(mesh: Mesh, tensor: Tensor, axis: int) -> Sharded:
    """Divide a tensor that every process has along an axis; the parts are copies."""
    return step(functools.partial(_laid, mesh, axis), whole, tensor)


def _laid(mesh: Mesh, axis: int, tensor: Tensor) -> Sharded:
    if type(tensor) is Sharded:  # a gradient may already be divided
        return turned(tensor, axis)
    parts = shares(tensor, axis, mesh)
    parts = [t.clone(memory_format=torch.contiguous_format) for t in parts]
    return Sharded(parts, axis, mesh, tensor.shape)


def whole(t: Tensor) -> Tensor:
    """Return the whole of a tensor, in every process: one collective."""
    if type(t) is not Sharded:
        return t
    return step(_whole, functools.partial(laid, t.mesh, axis=t.axis), t)


def _whole(t: Sharded) -> Tensor:
    return joined_whole(t.mesh, t.parts, t.axis, t.lengths)


def joined_whole(mesh: Mesh, own: Sequence[Tensor], axis: int, lengths: Sequence[int]) -> Tensor:
    """Return, in every process, the tensors of all ranks one after the other along an axis."""
    most = max(lengths)
    if min(lengths) < most:  # all ranks send as much
        own = [
            together([t, t.new_empty(resized(t.shape, axis, most - t.shape[axis]))], axis)
            for t in own
        ]
    every = mesh.transport.stacked(own).unbind()
    return together([t.narrow(axis, 0, n) for t, n in zip(every, lengths)], axis)


def located(t: Sharded, index: int) -> Tensor:
    """Return, in every process, the elements at one position along the divided axis."""
    owner = index // max(t.lengths[0], 1)
    own = [
        p.narrow(t.axis, index - start, 1)
        if r == owner
        else p.new_empty(resized(p.shape, t.axis, 1))
        for p, r, (start, _) in zip(t.parts, t.mesh.ranks, t.extents)
    ]
    return t.mesh.transport.stacked(own)[owner].clone()


def turned(t: Sharded, axis: int) -> Sharded:
    """Divide a tensor along another axis: each rank sends each other rank its share."""
    if axis == t.axis:
        return t
    return step(functools.partial(_turned, axis), functools.partial(laid, t.mesh, axis=t.axis), t)


def _turned(axis: int, t: Sharded) -> Sharded:
    mesh, lengths = t.mesh, t.lengths
    places = extents(t.shape[axis], mesh.size)
    own = mesh.shapes(t.shape, axis)
    # Empty pieces do not travel.
    pieces = [
        {r: p.narrow(axis, *at) for r, at in enumerate(places) if at[1] and p.shape[t.axis]}
        for p in t.parts
    ]
    shapes = [
        {r: resized(s, t.axis, n) for r, n in enumerate(lengths) if n and s[axis]} for s in own
    ]
    parts = [
        together(list(got.values()), t.axis) if got else t.parts[0].new_empty(shape)
        for got, shape in zip(mesh.transport.swap(pieces, shapes, t.parts[0]), own)
    ]
    return Sharded(parts, axis, mesh, t.shape)


def together(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Concatenate tensors of this process along an axis, by the kernel of their device."""
    made: Tensor = concat.on(spec_of(tensors[0]))(list(tensors), axis % tensors[0].dim())
    return made


def seen(t: Any, operation: str, reason: str) -> Any:
    """Return the whole of a tensor for an operation, and report the gather to the user."""
    if type(t) is not Sharded:
        return t
    gathers.seen(operation, t.mesh.name, reason, t.nbytes)
    return whole(t)


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function to each tensor within tuples and lists."""
    if isinstance(value, (tuple, list)):
        items = [mapped(function, v) for v in value]
        if isinstance(value, list):
            return items
        return tuple(items) if type(value) is tuple else type(value)(items)
    return function(value) if isinstance(value, torch.Tensor) else value


def among(values: Iterable[Any]) -> list[Tensor]:
    """Return the tensors among operands."""
    several: list[Tensor] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            several.append(value)
        elif isinstance(value, (tuple, list)):
            several += among(value)
    return several


def found(values: Iterable[Any]) -> list[Sharded]:
    """Return the divided tensors among operands."""
    return [t for t in among(values) if type(t) is Sharded]


def relaid(made: Any, like: Sharded) -> Any:
    """Divide whole results as an operand was divided, if they have its axis."""

    def divided(t: Tensor) -> Tensor:
        kept = t.dim() == like.dim() and t.shape[like.axis] == like.shape[like.axis]
        return laid(like.mesh, t, like.axis) if kept and type(t) is not Sharded else t

    return mapped(divided, made)


# --- part by part ---------------------------------------------------------------------------------

NOT_ALIKE: Final = "each part needs all of an operand that has no such axis"


class Aligned:
    """Operands that broadcast together, divided along one axis of the result.

    ``axis`` is None if no operand needs to be divided: then each rank gets whole operands.  The
    last ``core`` axes of each operand, which an operation takes as a whole, are not broadcast.
    """

    def __init__(
        self,
        operation: str,
        operands: Sequence[Any],
        parameters: dict[str, Any],
        target: Sharded | None = None,
        core: int = 0,
    ) -> None:
        self._operation, self._operands, self._parameters = operation, operands, parameters
        self._core = core
        tensors = [v for v in (*operands, *parameters.values()) if isinstance(v, torch.Tensor)]
        self.shape = broadcast([t.shape[: max(t.dim() - core, 0)] for t in tensors])
        divided = [t for t in tensors if type(t) is Sharded]
        sizes = dict(enumerate(self.shape))  # of axes that are not of the core
        whose = [t for t in divided if sizes.get(self._there(t)) == t.shape[t.axis]]
        if target is not None:
            whose = [target]
        self.like = max(whose or divided, key=lambda t: t.numel())  # it stays where it is
        self.mesh = self.like.mesh
        self.axis = self._there(self.like) if whose else None

    def _there(self, t: Sharded) -> int:
        return t.axis + len(self.shape) + self._core - t.dim()

    def _own(self, value: Any) -> Sequence[Any]:
        """Return what each rank of this process gets of an operand: its part, or all of it."""
        if self.axis is not None and isinstance(value, torch.Tensor):
            axis = self.axis - len(self.shape) - self._core + value.dim()
            if axis >= 0 and value.shape[axis] == self.shape[self.axis]:
                return parts_of(value, axis, self.mesh)
        return [seen(value, self._operation, NOT_ALIKE)] * len(self.mesh.ranks)

    def run(self, function: Callable[..., Any]) -> list[Any]:
        """Call a function for each rank of this process."""
        count, names = len(self._operands), list(self._parameters)
        own = zip(*map(self._own, (*self._operands, *self._parameters.values())))
        return [function(*v[:count], **dict(zip(names, v[count:]))) for v in own]

    def result(self, function: Callable[..., Any]) -> Any:
        """Return the results of a function of the operands, divided along the axis."""
        made = self.run(function)  # of whole operands, all are equal
        return made[0] if self.axis is None else as_divided(self.like, made, self.axis)


def as_divided(x: Sharded, made: list[Any], axis: int | None = None) -> Any:
    """Return results of the parts of a tensor as divided tensors; other sizes may differ.

    They are divided along the same axis as the tensor, or along another of the same size.
    """
    if isinstance(made[0], (tuple, list)):
        return tuple(as_divided(x, list(several), axis) for several in zip(*made))
    shape = list(made[0].shape)
    along = x.axis if axis is None else axis % len(shape)
    shape[along] = x.shape[x.axis]
    return Sharded(made, along, x.mesh, shape)
