"""The operations that move data, and what torch's own functions for them lack."""

from __future__ import annotations

from typing import Final

from .._devices.device import Spec
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from ._evidence import EVERYWHERE, NO_UNSIGNED, ON_NPUS, Evidence
from ._faults import check_fault
from ._operations import Op, register
from ._rows import AsSigned, Row

# --- the operations -------------------------------------------------------------------------------


def _any_negative(x: Tensor) -> Tensor:
    return torch.any(x < 0)


def _copy(x: Tensor) -> Tensor:
    return x.clone(memory_format=torch.contiguous_format)


def _index_select(x: Tensor, index: Tensor, axis: int) -> Tensor:
    return torch.index_select(x, axis, index)


def _roll(x: Tensor, shifts: tuple[int, ...], axes: tuple[int, ...]) -> Tensor:
    if len(axes) == 1:  # torch parses numbers faster than tuples
        return torch.roll(x, shifts[0], axes[0])
    return torch.roll(x, shifts, axes)


def _diagonal_matrix(x: Tensor, offset: int) -> Tensor:
    return torch.diag_embed(x, offset)


any_negative: Final = Op("any_negative", _any_negative, dt.SIGNED, returns="bool")
clone: Final = Op("clone", torch.clone, dt.ANY)
concat: Final = Op("concat", torch.cat, dt.ANY)
copy: Final = Op("copy", _copy, dt.ANY)
diagonal_matrix: Final = Op("diagonal_matrix", _diagonal_matrix, dt.ANY)
flip: Final = Op("flip", torch.flip, dt.ANY)
index_select: Final = Op("index_select", _index_select, dt.ANY)
repeat: Final = Op("repeat", torch.repeat_interleave, dt.ANY)
reshape: Final = Op("reshape", torch.reshape, dt.ANY)
roll: Final = Op("roll", _roll, dt.ANY)
roll_several: Final = Op("roll_several", roll, dt.ANY)
tile: Final = Op("tile", torch.Tensor.repeat, dt.ANY)


def stacked(tensors: list[Tensor], axis: int, spec: Spec) -> Tensor:
    """Join tensors along a new axis: by ``torch.stack`` if ``torch.concat`` is the kernel."""
    join = concat.on(spec)  # finds the kernel, which the shortcut of `stack` needs to be known
    if not concat.is_native(spec):
        return join([t.unsqueeze(axis) for t in tensors], axis)
    try:
        return torch.stack(tensors, axis)
    except RuntimeError as error:
        check_fault(error, "stack", spec.device, tensors)
        raise


# --- rows -----------------------------------------------------------------------------------------

register(
    Row(operations, unsigned, AsSigned(), NO_UNSIGNED, Evidence(seen))
    for operations, unsigned, seen in (
        ("concat flip index_select repeat roll", dt.WIDE_UNSIGNED, f"{EVERYWHERE}; {ON_NPUS}"),
        ("tile", {dt.uint16}, ON_NPUS),
        ("diagonal_matrix", {dt.uint32, dt.uint64}, ON_NPUS),
    )
)
