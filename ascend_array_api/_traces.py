"""What the compiler traces of the plainest calls: of arrays of one data type on one device.

Whatever a trace has looked at, compiled code checks again before each call: each function that was
called and each object that was asked for anything takes its 50 nanoseconds, and the functions that
check and promote operands look at some hundred.  So what the data types and the device decide alone
is asked of functions whose results the compiler takes for constants, and the rest of the way is
short, and in this module, because a name of another one would be one more to check.

A function here returns None where there is more to decide, or to explain: then the functions that
are called without a compiler are traced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ._array import Array
from ._axes import reduction
from ._devices import name_of_spec
from ._routes._engine import name_of_kernel
from ._scalars import greatest_integer, least_integer, takes_floats
from ._torch import torch
from ._tracing import TRACED, called, constant

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._routes._engine import Op


def _array(tensor: torch.Tensor) -> Array:
    array = object.__new__(Array)  # as in wrap()
    array._tensor = tensor
    array._spec = called(name_of_spec(tensor.dtype, tensor.device))
    return array


# --- elementwise operations -----------------------------------------------------------------------


def _fits(op_name: str, x: torch.Tensor, value: object) -> bool:
    """Say whether torch takes a Python scalar beside a tensor, and exactly."""
    if isinstance(value, float):
        return takes_floats(op_name, x.dtype, x.device)
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    least = least_integer(op_name, x.dtype, x.device)
    return least <= value <= greatest_integer(op_name, x.dtype, x.device)


def _computed(op_name: str, x: object, *others: object) -> Array | None:
    """Compute an operation on arrays, or on an array and a Python scalar."""
    if not isinstance(x, Array):
        return None
    first = x._tensor
    kernel = name_of_kernel(op_name, first.dtype, first.device)
    if not kernel:
        return None
    operands: list[Any] = [first]
    for other in others:
        if isinstance(other, Array):
            tensor = other._tensor
            if tensor.dtype is not first.dtype or tensor.device != first.device:
                return None
            operands.append(tensor)
        elif _fits(op_name, first, other):
            operands.append(other)
        else:
            return None
    return _array(called(kernel)(*operands))


TRACED["any"] = _computed


def subtracted(otherwise: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return what is traced for the operator that subtracts an array from something."""

    def traced(self: Array, other: object) -> Any:
        if _fits("subtract", self._tensor, other):
            return _array(torch.rsub(self._tensor, other))  # type: ignore[call-overload]
        return otherwise(self, other)

    return traced


def unary(op_name: str, otherwise: Callable[[Any], Array]) -> Callable[[Any], Array]:
    """Return what is traced for a function of one array."""

    def traced(x: object) -> Array:
        made = _computed(op_name, x)
        return otherwise(x) if made is None else made

    return traced


def binary(op_name: str, otherwise: Callable[[Any, Any], Array]) -> Callable[[Any, Any], Array]:
    """Return what is traced for a function of two operands."""

    def traced(x1: object, x2: object) -> Array:
        made = _computed(op_name, x1, x2)
        return otherwise(x1, x2) if made is None else made

    return traced


@constant
def _is_bool(dtype: torch.dtype) -> bool:
    return dtype is torch.bool


def _chosen(condition: object, x1: object, x2: object) -> Array | None:
    """Choose elements from two arrays."""
    if not isinstance(condition, Array) or not _is_bool(condition._tensor.dtype):
        return None
    if not isinstance(x1, Array) or not isinstance(x2, Array):
        return None
    asked, first, second = condition._tensor, x1._tensor, x2._tensor
    if first.dtype is not second.dtype or not asked.device == first.device == second.device:
        return None
    kernel = name_of_kernel("where", first.dtype, first.device)
    return _array(called(kernel)(asked, first, second))


def chosen(otherwise: Callable[..., Array]) -> Callable[..., Array]:
    """Return what is traced for ``where``."""

    def traced(condition: Any, x1: Any = None, x2: Any = None) -> Array:
        made = _chosen(condition, x1, x2)
        return otherwise(condition, x1, x2) if made is None else made

    return traced


# --- reductions -----------------------------------------------------------------------------------


_OWN: Final[dict[str, frozenset[torch.dtype]]] = {}
"""For each reduction the data types that it is computed in, where none is asked for."""


@constant
def _name_of_kernel(op_name: str, dtype: torch.dtype, device: torch.device) -> str:
    return name_of_kernel(op_name, dtype, device) if dtype in _OWN[op_name] else ""


def _reduced(op_name: str, x: object, axis: Any, keepdims: Any, *more: float) -> Array | None:
    if not isinstance(x, Array):
        return None
    tensor = x._tensor
    kernel = _name_of_kernel(op_name, tensor.dtype, tensor.device)
    if not kernel:
        return None
    if axis is None and keepdims is False and tensor.dim():
        return _array(called(kernel)(tensor, tuple(range(tensor.dim())), False, *more))
    tensor, axes, keep = reduction(op_name, tensor, axis, keepdims)
    return _array(called(kernel)(tensor, axes, keep, *more))


def reduced(op: Op, dtypes: frozenset[torch.dtype]) -> Callable[..., Array | None]:
    """Return what is traced for a reduction that is computed in the data types themselves."""
    op_name = op.name
    _OWN[op_name] = dtypes

    def traced(x: object, axis: Any, keepdims: Any) -> Array | None:
        return _reduced(op_name, x, axis, keepdims)

    return traced


def spread(op: Op) -> Callable[..., Array | None]:
    """Return what is traced for a reduction that takes a correction besides."""
    op_name = op.name
    _OWN[op_name] = op.dtypes

    def traced(x: object, axis: Any, keepdims: Any, correction: Any) -> Array | None:
        if not isinstance(correction, (int, float)) or isinstance(correction, bool):
            return None
        return _reduced(op_name, x, axis, keepdims, correction)

    return traced
