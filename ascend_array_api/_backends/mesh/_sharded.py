"""The tensor that is divided along one axis, and how it answers torch's own functions.

Kernels never see such a tensor: the routes of operations hand them its parts.  This module is for
functions of torch that chapters and compositions call directly, such as views, and for derivatives.
A function without a rule gathers the tensor and is computed in every process.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from typing import TYPE_CHECKING, Any, Final

from ..._devices.device import places, spec
from ..._options import settings
from ..._reports import gathers
from ..._routes._derivatives import batched, divided_types, tracked
from ..._torch import Tensor, torch
from ..._torch.private import (
    derives_for,
    in_derivative,
    innermost,
    is_view,
    is_wrapped,
    made_of,
    no_function_rules,
    with_marks,
    written_by,
)
from ..._torch.tracing import untraced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ._mesh import Mesh


def extent(n: int, size: int, rank: int) -> tuple[int, int]:
    """Return where a rank's part of an axis begins, and its length, as torch's DTensor has it."""
    most = -(-n // size)
    start = min(rank * most, n)
    return start, min(most, n - start)


def shape_of(shape: Sequence[int], axis: int, size: int, rank: int) -> tuple[int, ...]:
    """Return the shape of a rank's part."""
    return (*shape[:axis], extent(shape[axis], size, rank)[1], *shape[axis + 1 :])


class Sharded(torch.Tensor):
    """A tensor divided along one axis: each rank of a mesh has one part."""

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
        return _dispatched(func, args, kwargs or {})

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

    def overwrite(self, value: Tensor) -> None:
        """Write the elements of a whole tensor to the parts."""
        for rank, part in zip(self.mesh.transport.ranks, self.parts):
            part.copy_(share(value, self.axis, self.mesh, rank))


divided_types.add(Sharded)
places[Sharded] = lambda t: t.mesh.key


def share(tensor: Tensor, axis: int, mesh: Mesh, rank: int) -> Tensor:
    """Return a view of a rank's share of a tensor that every process has."""
    return tensor.narrow(axis, *extent(tensor.shape[axis], mesh.transport.size, rank))


def parts_of(t: Tensor, axis: int, mesh: Mesh) -> list[Tensor]:
    """Return the share of a tensor along an axis for each rank of this process."""
    if type(t) is Sharded:
        return turned(t, axis).parts
    return [share(t, axis, mesh, r) for r in mesh.transport.ranks]


# --- derivatives ----------------------------------------------------------------------------------


class _Inside(threading.local):
    """Whether a thread is below autograd, computing one step that torch has already recorded."""

    now = False


_inside: Final = _Inside()


def followed(*tensors: Tensor) -> bool:
    """Say whether torch must see each step of a computation, to record derivatives."""
    return not _inside.now and tracked(*tensors)


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
    if in_derivative() and any(is_wrapped(t) and type(innermost(t)) is Sharded for t in tensors):
        raise NotImplementedError(f"{name}: {_NOT_TRANSFORMED}")


@untraced  # code that is compiled where torch notes nothing would be taken where it does
def step(move: Callable[..., Any], back: Callable[..., Any], *tensors: Tensor) -> Any:
    """Apply a linear move to tensors; gradients go back by the move ``back``."""
    if not followed(*tensors):
        return move(*tensors)
    return _Moved.apply(move, back, *tensors)  # type: ignore[no-untyped-call]


def apart(t: Sharded) -> tuple[Tensor, ...]:
    """Return this process's parts as tensors that share memory, with derivatives."""

    def back(*cotangents: Tensor) -> Any:
        return joined_parts(t.mesh, t.axis, t.shape, *cotangents)

    made: tuple[Tensor, ...] = step(lambda t: tuple(p.detach() for p in t.parts), back, t)
    return made


def joined_parts(mesh: Mesh, axis: int, shape: Sequence[int], *parts: Tensor) -> Sharded:
    """Return the divided tensor with the given parts, with derivatives."""

    def back(cotangent: Tensor) -> Any:
        return apart(laid(mesh, cotangent, axis))

    made: Sharded = step(
        lambda *own: Sharded([p.detach() for p in own], axis, mesh, shape), back, *parts
    )
    return made


# --- layouts --------------------------------------------------------------------------------------


def laid(mesh: Mesh, tensor: Tensor, axis: int) -> Sharded:
    """Divide a tensor that every process has along an axis; the parts are copies."""
    made: Sharded = step(functools.partial(_laid, mesh, axis), whole, tensor)
    return made


def _laid(mesh: Mesh, axis: int, tensor: Tensor) -> Sharded:
    if type(tensor) is Sharded:  # a gradient may already be divided
        return turned(tensor, axis)
    parts = [
        share(tensor, axis, mesh, rank).clone(memory_format=torch.contiguous_format)
        for rank in mesh.transport.ranks
    ]
    return Sharded(parts, axis, mesh, tensor.shape)


def whole(t: Tensor) -> Tensor:
    """Return the whole of a tensor, in every process: one collective."""
    if type(t) is not Sharded:
        return t
    made: Tensor = step(_whole, functools.partial(laid, t.mesh, axis=t.axis), t)
    return made


def _whole(t: Sharded) -> Tensor:
    size = t.mesh.transport.size
    return _joined(t, t.parts, [shape_of(t.shape, t.axis, size, r) for r in range(size)])


def _join(t: Sharded) -> Callable[[list[Tensor], int], Tensor]:
    """Return the kernel that concatenates parts of a tensor on their device."""
    # Imported late: the module declares operations, which import the backends.
    from ..._routes.movement import concat

    return concat.on(spec(t.dtype, t.mesh.local))


def _joined(t: Sharded, own: list[Tensor], shapes: Sequence[Sequence[int]]) -> Tensor:
    """Exchange each rank's piece of a tensor, and concatenate all along the divided axis."""
    return _join(t)(t.mesh.transport.exchange(own, shapes), t.axis)


def located(t: Sharded, positions: range) -> Tensor:
    """Return, in every process, the elements at a few positions along the divided axis."""
    transport = t.mesh.transport
    own, shapes = [], []
    for rank in range(transport.size):
        start, length = extent(t.shape[t.axis], transport.size, rank)
        before = -(-(start - positions.start) // positions.step)
        after = -(-(start + length - positions.start) // positions.step)
        here = positions[max(before, 0) : max(after, 0)]
        shapes.append((*t.shape[: t.axis], len(here), *t.shape[t.axis + 1 :]))
        if rank in transport.ranks:
            part = t.parts[transport.ranks.index(rank)]
            key = slice(here.start - start, here.stop - start, here.step) if here else slice(0, 0)
            own.append(part[(slice(None),) * t.axis + (key,)])
    return _joined(t, own, shapes)


def turned(t: Sharded, axis: int) -> Sharded:
    """Divide a tensor along another axis: each rank sends each other rank its share."""
    if axis == t.axis:
        return t
    made: Sharded = step(
        functools.partial(_turned, axis), functools.partial(laid, t.mesh, axis=t.axis), t
    )
    return made


def _turned(axis: int, t: Sharded) -> Sharded:
    mesh, size = t.mesh, t.mesh.transport.size
    shares = [extent(t.shape[axis], size, r) for r in range(size)]
    lengths = [extent(t.shape[t.axis], size, r)[1] for r in range(size)]
    own = [list(shape_of(t.shape, axis, size, r)) for r in mesh.transport.ranks]
    # Empty pieces do not travel.
    pieces = [
        {
            r: p.narrow(axis, *share)
            for r, share in enumerate(shares)
            if share[1] and p.shape[t.axis]
        }
        for p in t.parts
    ]
    shapes = [
        {r: (*s[: t.axis], n, *s[t.axis + 1 :]) for r, n in enumerate(lengths) if n and s[axis]}
        for s in own
    ]
    parts = [
        _join(t)(list(got.values()), t.axis) if got else t.parts[0].new_empty(shape)
        for got, shape in zip(mesh.transport.swap(pieces, shapes, t.parts[0]), own)
    ]
    return Sharded(parts, axis, mesh, t.shape)


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


def shapes(tensors: Sequence[Tensor]) -> tuple[Sequence[int], ...]:
    """Return the shapes of tensors, which go into the marks that ranks compare."""
    return tuple([t.shape for t in tensors])


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

    ``axis`` is None if no operand needs to be divided: then each rank gets whole operands.
    """

    def __init__(
        self,
        operation: str,
        operands: Sequence[Any],
        parameters: dict[str, Any],
        target: Sharded | None = None,
    ) -> None:
        tensors = [v for v in (*operands, *parameters.values()) if isinstance(v, torch.Tensor)]
        shapes = {t.shape for t in tensors}
        alike = len(shapes) == 1  # torch.broadcast_shapes takes longer than all other lines here
        self.shape: tuple[int, ...] = tuple(
            shapes.pop() if alike else torch.broadcast_shapes(*shapes)  # type: ignore[no-untyped-call]
        )
        divided = [t for t in tensors if type(t) is Sharded]
        self.mesh = divided[0].mesh
        whose = [t for t in divided if t.shape[t.axis] == self.shape[self._there(t)]]
        if target is not None:
            whose = [target]
        whose.sort(key=lambda t: -t.numel())  # the largest operand stays where it is
        self.axis = self._there(whose[0]) if whose else None
        self._operands = [self._ready(v, operation) for v in operands]
        self._parameters = {k: self._ready(v, operation) for k, v in parameters.items()}

    def _there(self, t: Sharded) -> int:
        return t.axis + len(self.shape) - t.dim()

    def _ready(self, value: Any, operation: str) -> Any:
        """Divide an operand along the common axis; gather it if each part needs all of it."""
        if type(value) is not Sharded:
            return value
        if self.axis is not None:
            axis = self.axis - len(self.shape) + value.dim()
            if axis >= 0 and value.shape[axis] == self.shape[self.axis]:
                return turned(value, axis)
        return seen(value, operation, NOT_ALIKE)

    def _own(self, value: Any, position: int, rank: int) -> Any:
        if type(value) is Sharded:
            return value.parts[position]
        if isinstance(value, torch.device):
            return self.mesh.local.torch_device
        if not isinstance(value, torch.Tensor) or self.axis is None:
            return value
        axis = self.axis - len(self.shape) + value.dim()
        if axis < 0 or value.shape[axis] != self.shape[self.axis]:
            return value
        return share(value, axis, self.mesh, rank)

    def run(self, function: Callable[..., Any]) -> list[Any]:
        """Call a function for each rank of this process."""
        return [
            function(
                *(self._own(v, i, rank) for v in self._operands),
                **{k: self._own(v, i, rank) for k, v in self._parameters.items()},
            )
            for i, rank in enumerate(self.mesh.transport.ranks)
        ]

    def result(self, function: Callable[..., Any]) -> Any:
        """Return the results of a function of the operands, divided along the axis."""
        if self.axis is None:  # all operands are whole, so every process computes the same
            return function(*self._operands, **self._parameters)
        return joined(self.run(function), self.axis, self.mesh, self.shape)


def joined(made: list[Any], axis: int, mesh: Mesh, shape: Sequence[int]) -> Any:
    """Return the results of all ranks as divided tensors of one shape."""
    if isinstance(made[0], (tuple, list)):
        return tuple(joined(list(several), axis, mesh, shape) for several in zip(*made))
    return Sharded(made, axis, mesh, shape)


def as_divided(x: Sharded, made: list[Any], axis: int | None = None) -> Any:
    """Return results of the parts of a tensor as divided tensors; other sizes may differ.

    They are divided along the same axis as the tensor, or along one that is counted from the end.
    """
    if isinstance(made[0], (tuple, list)):
        return tuple(as_divided(x, list(several), axis) for several in zip(*made))
    shape = list(made[0].shape)
    along = x.axis if axis is None else axis + len(shape)
    shape[along] = x.shape[x.axis]
    return Sharded(made, along, x.mesh, shape)


# --- torch's functions ----------------------------------------------------------------------------

_NO_STRIDES: Final = (
    "a derivative through a write to a view of an array that is divided is not known. Write to the "
    "array itself, as in x[key] = value, or join parts by concat()."
)
_NO_RULE: Final = "torch's function has no rule for parts"


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


@untraced
def _dispatched(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Compute one step that torch has dispatched; it has already recorded the derivative."""
    mesh = found((*args, *kwargs.values()))[0].mesh
    me, (thread, options) = threading.get_ident(), mesh.caller
    # Torch computes derivatives on accelerators in a thread of its own, without the options of the
    # thread that waits for them.
    if me != thread and derives_for(thread):
        with settings.entered(options):
            return _below(mesh, func, args, kwargs)
    mesh.caller = me, settings.current()
    return _below(mesh, func, args, kwargs)


def _below(mesh: Mesh, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    if followed(*among(args)):
        _refuse_views(str(func).split(".")[1], written_by(func), args)
    with below(), with_marks():
        return _computed(mesh, func, args, kwargs)


def _refuse_views(name: str, written: list[bool], args: Sequence[Any]) -> None:
    """Raise for a write to a view: torch would compute its derivative by strides in one memory."""
    for is_written, t in zip(written, args):
        if is_written and type(t) is Sharded and is_view(t):
            raise NotImplementedError(f"{name}: {_NO_STRIDES}")


def _computed(mesh: Mesh, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    name = str(func).split(".")[1]
    tensors = among((*args, *kwargs.values()))
    dtype = next(t.dtype for t in tensors if type(t) is Sharded)
    transport = mesh.transport
    # Collectives within this step are marked with its name; steps may nest.
    outer, transport.doing = transport.doing, (name, dtype, shapes(tensors))
    try:
        return _made(func, name, args, kwargs)
    finally:
        transport.doing = outer


def _made(func: Any, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    # From the best to the last resort: a rule, torch's decomposition into functions that may have
    # rules, part by part if the function is elementwise, and a gather.
    steps = STEPS.get(name)
    if steps is not None:
        made = steps(func, *args, **kwargs)
        if made is not NotImplemented:
            return made
    rule = RULES.get(name)
    if rule is not None and type(args[0]) is Sharded:
        made = rule(func, *args, **kwargs)
        if made is not NotImplemented:
            return made
    # Below autograd torch no longer decomposes composite functions by itself.
    made = func.decompose(*args, **kwargs)
    if made is not NotImplemented:
        return made
    if name in _STRIDED:
        raise NotImplementedError(f"{name}: {_NO_STRIDES}")
    written = written_by(func)
    if any(written):
        return _mutated(func, name, written, args, kwargs)
    if torch.Tag.pointwise in func.tags:
        return Aligned(name, args, kwargs).result(func)
    like = found((*args, *kwargs.values()))[0]
    if func.is_view and like is args[0]:
        return RULES[A_VIEW](func, *args, **kwargs)
    args, kwargs = _gathered(like.mesh, name, args, kwargs)
    return relaid(func(*args, **kwargs), like)


def _gathered(
    mesh: Mesh, name: str, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    options = {
        k: mesh.local.torch_device
        if v == mesh.key
        else mapped(lambda t: seen(t, name, _NO_RULE), v)
        for k, v in kwargs.items()
    }
    return [mapped(lambda t: seen(t, name, _NO_RULE), v) for v in args], options


def _mutated(
    func: Any, name: str, written: list[bool], args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """Compute a function that overwrites operands, and write the results to all their parts."""
    target = args[0]
    pointwise = torch.Tag.pointwise in func.tags or name in _WRITES
    if pointwise and type(target) is Sharded:
        aligned = Aligned(name, args, kwargs, target)
        if aligned.shape == tuple(target.shape):
            aligned.run(func)
            RULES[A_WRITE](target)
            return target
    mesh = found((*args, *kwargs.values()))[0].mesh
    own, options = _gathered(mesh, name, args, kwargs)
    made = func(*own, **options)
    for is_written, before, after in zip(written, args, own):
        if is_written and type(before) is Sharded:
            before.overwrite(after)
            RULES[A_WRITE](before)
    return target if made is own[0] else made


STEPS: Final[dict[str, Callable[..., Any]]] = {}
"""Rules by the names of torch's functions, for any divided operand; ``_steps`` fills it."""

_STRIDED: Final = frozenset({"as_strided", "new_empty_strided"})
"""The functions that torch calls for derivatives of writes to views, by strides in one memory."""

RULES: Final[dict[str, Callable[..., Any]]] = {}
"""Rules by the names of torch's functions, for a divided first operand; ``_views`` fills it."""

A_VIEW: Final = "a view"
"""The name of the rule for views without a rule of their own."""

A_WRITE: Final = "a write"
"""The name of the rule to call after a write to a tensor."""

_WRITES: Final = frozenset({"copy_", "fill_", "zero_", "masked_fill_"})
