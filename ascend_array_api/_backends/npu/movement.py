"""Moving data on NPUs.

Moving elements needs only their bits.  CANN's kernels move integers of all sizes on the vector
units, but send ``float64`` and complex numbers to the slow AICPU, or refuse them.  Viewing a tensor
as another data type is free, but it cuts the graph of autograd.  So ``Bits`` views tensors only if
nothing is differentiated.

``complex128`` is moved as pairs of numbers, in one more dimension, which may be one too many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from ..._devices.device import Spec, spec_of
from ..._devices.facts import cann_before
from ..._routes import movement as mv
from ..._routes._derivatives import tracked
from ..._routes._kernels import Kernel
from ..._routes._operations import Op
from ..._routes._rows import Compose, Native, Route, Row, Via, ViewAs
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from . import MOST_DIMENSIONS
from ._common import derivative, refused, slow, wrong

# --- routes ---------------------------------------------------------------------------------------


def _tensors(values: Iterable[Any]) -> Iterable[Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, list):
            yield from _tensors(value)


@dataclass(frozen=True)
class Bits:
    """Compute on the same bits, as ``ViewAs`` does, unless a derivative may be asked for."""

    dtype: torch.dtype
    differentiable: Route = field(default_factory=Native)
    """The route to take if autograd follows an operand."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return a kernel that chooses by whether autograd follows an operand."""
        bits = ViewAs(self.dtype).kernel(op, spec)
        followed = self.differentiable.kernel(op, spec)

        def moves_bits(*operands: Any, **parameters: Any) -> Any:
            chosen = followed if tracked(*_tensors(operands)) else bits
            return chosen(*operands, **parameters)

        return moves_bits


@dataclass(frozen=True)
class Pairs:
    """Compute on the real and the imaginary parts side by side, in one more dimension at the end.

    Autograd follows.  ``adapt`` changes arguments that name the last dimensions.  If one more
    dimension would be too many, the kernel computes the parts one after the other.
    """

    adapt: Callable[..., tuple[Any, ...]] | None = None

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the operation's kernel for real numbers, between two views."""
        inner = op.on(spec.real)
        adapt = self.adapt
        returns_data = op.returns == "same"

        def apply(view: Callable[[Tensor], Tensor], value: Any) -> Any:
            if isinstance(value, torch.Tensor):
                return view(value) if value.dtype is spec.dtype else value
            return [apply(view, v) for v in value] if isinstance(value, list) else value

        def moves_pairs(*operands: Any, **parameters: Any) -> Any:
            if max(t.dim() for t in _tensors(operands)) >= MOST_DIMENSIONS:
                real, imag = (
                    inner(*(apply(view, v) for v in operands), **parameters)
                    for view in (torch.real, torch.imag)
                )
                return torch.complex(real, imag) if returns_data else None
            if adapt is not None:
                operands = (operands[0], *adapt(*operands[1:], **parameters))
                parameters = {}
            result = inner(*(apply(torch.view_as_real, v) for v in operands), **parameters)
            return as_complex(result) if returns_data else None

        return moves_pairs


def as_complex(pairs: Tensor) -> Tensor:
    """Return the complex numbers whose parts are the last dimension of a tensor."""
    if any(s % 2 for n, s in zip(pairs.shape[:-1], pairs.stride()) if n > 1) or (
        pairs.stride(-1) != 1 or pairs.storage_offset() % 2
    ):
        pairs = pairs.contiguous()
    return torch.view_as_complex(pairs)


# --- compositions ---------------------------------------------------------------------------------


def _roll(x: Tensor, shifts: tuple[int, ...], axes: tuple[int, ...]) -> Tensor:
    for shift, axis in zip(shifts, axes):
        size = x.shape[axis]
        if size and shift % size:
            cut = size - shift % size
            parts = x.narrow(axis, cut, size - cut), x.narrow(axis, 0, cut)
            x = torch.cat(parts, axis)
    return x.clone() if all(s == 0 for s in shifts) else x


def _repeat_tracked(x: Tensor, times: int | Tensor, axis: int) -> Tensor:
    if tracked(x):
        return _repeat(x, times, axis)
    return mv.repeat.native(x, times, axis)


def _repeat(x: Tensor, times: int | Tensor, axis: int) -> Tensor:
    positions = torch.arange(x.shape[axis], dtype=dt.int64, device=x.device)
    return torch.index_select(x, axis, torch.repeat_interleave(positions, times, 0))


def _tile(x: Tensor, times: tuple[int, ...]) -> Tensor:
    # CANN repeats along at most 3 axes, and in addition along the first one.
    repeated = [i for i, n in enumerate(times) if n != 1]
    start = 0
    while start < len(repeated) or not start:
        end = start + (4 if repeated[:1] == [0] and not start else 3)
        now = repeated[start:end]
        x = x.repeat([n if j in now else 1 for j, n in enumerate(times)])
        start = end
    return x


def _reshape_bits(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Reshape; copy the bits if the tensor has no view of that shape."""
    if x.is_contiguous() or tracked(x):
        return x.reshape(shape)
    bits = x.view(dt.int64).reshape(shape)
    return bits.view(x.dtype)


def _reshape_pairs(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    if x.is_contiguous() or x.dim() >= MOST_DIMENSIONS:
        return x.reshape(shape)
    return as_complex(mv.reshape.on(spec_of(x).real)(torch.view_as_real(x), (*shape, 2)))


# --- rows -----------------------------------------------------------------------------------------

F64: Final = frozenset({dt.float64})
C64: Final = frozenset({dt.complex64})
_REPEATS: Final = "aclnnRepeatInterleaveIntWithDim"
C128: Final = frozenset({dt.complex128})

ROWS: Final = (
    Row("clone copy", F64 | C64, Bits(dt.int64), *slow("aclnnInplaceCopy")),
    Row("clone copy", C128, Pairs(), *slow("aclnnInplaceCopy")),
    Row("flip", F64 | C64, Bits(dt.int64), *slow("aclnnFlip")),
    Row("flip", C128, Pairs(), *slow("aclnnFlip")),
    Row("flip", {dt.bool, dt.int8, dt.uint8}, Via(dt.float16), *slow("aclnnFlip")),
    Row("reshape", F64 | C64, Compose(_reshape_bits), *slow("aclnnInplaceCopy")),
    Row("reshape", C128, Compose(_reshape_pairs), *slow("aclnnInplaceCopy")),
    Row("tile", F64, Bits(dt.int64, Compose(_tile)), *slow("aclnnRepeat")),
    Row("tile", C128, Pairs(lambda times: ((*times, 1),)), *slow("aclnnRepeat")),
    Row(
        "tile",
        dt.ANY - {dt.uint16} - F64 - C128,
        Compose(_tile),
        *wrong("aclnnRepeat repeats along 3 axes and the first one at most", "aclnnRepeat"),
    ),
    Row("concat", C128, Pairs(), *refused("aclnnCat")),
    Row("index_select", F64, Bits(dt.int64), *slow("aclnnIndexSelect")),
    Row("index_select", C128, Pairs(), *slow("aclnnIndexSelect")),
    Row(
        "index_select",
        C64,
        Pairs(),
        *derivative(
            "the derivative needs aclnnIndexAdd, which refuses this data type", "aclnnIndexAdd"
        ),
    ),
    Row("roll", {dt.int16}, Compose(_roll), *refused("aclnnRoll"), cann_before(9, 1)),
    Row("roll", F64, Bits(dt.int64, Compose(_roll)), *refused("aclnnRoll")),
    Row(
        "repeat",
        dt.HALF | {dt.float32},
        Compose(_repeat_tracked),
        *derivative(
            "the derivative needs a kernel that not every version of CANN has",
            "aclnnRepeatInterleaveGrad",
        ),
    ),
    Row("repeat", F64, Bits(dt.int64, Compose(_repeat)), *refused(_REPEATS)),
    Row("roll", C64, Bits(dt.int64, Pairs()), *refused("aclnnRoll")),
    Row("roll", C128, Pairs(), *refused("aclnnRoll")),
    Row("repeat", C64, Bits(dt.int64, Pairs()), *refused(_REPEATS)),
    Row("repeat", C128, Pairs(), *refused(_REPEATS)),
)
