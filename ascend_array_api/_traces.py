"""What the compiler traces of the plainest calls: of arrays of one data type on one device.

Whatever a trace has looked at, compiled code checks again before each call: each function that was
called and each object that was asked for anything takes its 50 nanoseconds, and the functions that
check and promote operands look at some hundred.  So the way is short here:

- what the data types and the device decide alone is asked of one function, whose results the
  compiler takes for constants;
- what else is called is a method, of arrays or of ``plain``, because the compiler takes what a
  class has for granted, and of tensors where they have one that is the kernel.

A function here returns None where there is more to decide, or to explain: then the functions that
are called without a compiler are traced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ._array import Array, implements
from ._axes import reduction
from ._devices import name_of_spec
from ._routes._engine import is_native_at, name_of_kernel
from ._scalars import greatest_integer, least_integer, takes_floats
from ._torch import torch
from ._tracing import OBJECTS, constant, traced_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._routes._engine import Op

ANSWERS: Final[dict[str, Callable[..., Any]]] = {
    "spec": name_of_spec,
    "kernel": name_of_kernel,
    "native": is_native_at,
    "floats": takes_floats,
    "least integer": least_integer,
    "greatest integer": greatest_integer,
}
"""The functions whose results are constants, by what they are asked."""


@constant
def _known(question: str, *facts: Any) -> Any:
    """Answer any of the questions: one function is looked at once."""
    return ANSWERS[question](*facts)


@implements("_object")
def _object(_: Array, question: str, /, *facts: Any) -> Any:
    return getattr(OBJECTS, _known(question, *facts))


@implements("_around")
def _around(self: Array, tensor: torch.Tensor, /) -> Array:
    array = object.__new__(Array)  # as in wrap()
    array._tensor = tensor
    array._spec = self._object("spec", tensor.dtype, tensor.device)
    return array


@implements("_run")
def _run(self: Array, kernel: str, tensor: torch.Tensor, /, *operands: Any) -> Array:
    if kernel.startswith("."):
        return self._around(getattr(tensor, kernel[1:])(*operands))
    return self._around(getattr(OBJECTS, kernel)(tensor, *operands))


# --- elementwise operations -----------------------------------------------------------------------


@implements("_fits")
def _fits(self: Array, op_name: str, value: object, /) -> bool:
    dtype, device = self._tensor.dtype, self._tensor.device
    if isinstance(value, float):
        takes: bool = _known("floats", op_name, dtype, device)
        return takes
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    least: int = _known("least integer", op_name, dtype, device)
    greatest: int = _known("greatest integer", op_name, dtype, device)
    return least <= value <= greatest


@implements("_computed")
def _computed(self: Array, op_name: str, /, *others: object) -> Array | None:
    first = self._tensor
    kernel = _known("kernel", op_name, first.dtype, first.device)
    if not kernel:
        return None
    operands: list[Any] = []
    for other in others:
        if isinstance(other, Array):
            tensor = other._tensor
            if tensor.dtype is not first.dtype or tensor.device != first.device:
                return None
            operands.append(tensor)
        elif self._fits(op_name, other):
            operands.append(other)
        else:
            return None
    return self._run(kernel, first, *operands)


def subtracted(otherwise: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return what is traced for the operator that subtracts an array from something."""

    def traced(self: Array, other: object) -> Any:
        if self._fits("subtract", other):
            return self._around(torch.rsub(self._tensor, other))  # type: ignore[call-overload]
        return otherwise(self, other)

    return traced


def unary(op_name: str, otherwise: Callable[[Any], Array]) -> Callable[[Any], Array]:
    """Return what is traced for a function of one array."""

    def traced(x: object) -> Array:
        made = x._computed(op_name) if isinstance(x, Array) else None
        return otherwise(x) if made is None else made

    return traced


def binary(op_name: str, otherwise: Callable[[Any, Any], Array]) -> Callable[[Any, Any], Array]:
    """Return what is traced for a function of two operands."""

    def traced(x1: object, x2: object) -> Array:
        made = x1._computed(op_name, x2) if isinstance(x1, Array) else None
        return otherwise(x1, x2) if made is None else made

    return traced


@implements("_chosen")
def _chosen(self: Array, x1: object, x2: object, /) -> Array | None:
    if not isinstance(x1, Array) or not isinstance(x2, Array):
        return None
    asked, first, second = self._tensor, x1._tensor, x2._tensor
    if first.dtype is not second.dtype or not asked.device == first.device == second.device:
        return None
    kernel = _known("choice", asked.dtype, first.dtype, first.device)
    if not kernel:
        return None
    if kernel == ".where":  # the method is of the second operand
        return self._around(first.where(asked, second))
    return self._run(kernel, asked, first, second)


def _name_of_choice(condition: torch.dtype, dtype: torch.dtype, device: torch.device) -> str:
    return name_of_kernel("where", dtype, device) if condition is torch.bool else ""


ANSWERS["choice"] = _name_of_choice


def chosen(otherwise: Callable[..., Array]) -> Callable[..., Array]:
    """Return what is traced for ``where``."""

    def traced(condition: Any, x1: Any = None, x2: Any = None) -> Array:
        made = condition._chosen(x1, x2) if isinstance(condition, Array) else None
        return otherwise(condition, x1, x2) if made is None else made

    return traced


# --- reductions -----------------------------------------------------------------------------------


_OWN: Final[dict[str, frozenset[torch.dtype]]] = {}
"""For each reduction the data types that it is computed in, where none is asked for."""


def _name_of_reduction(op_name: str, dtype: torch.dtype, device: torch.device) -> str:
    return name_of_kernel(op_name, dtype, device) if dtype in _OWN[op_name] else ""


ANSWERS["reduction"] = _name_of_reduction


@implements("_reduced")
def _reduced(self: Array, op_name: str, axis: Any, keepdims: Any, /) -> Array | None:
    tensor = self._tensor
    kernel = _known("reduction", op_name, tensor.dtype, tensor.device)
    if not kernel:
        return None
    operands: list[Any] = []
    if axis is not None or keepdims is not False or not tensor.dim():
        tensor, *operands = reduction(op_name, tensor, axis, keepdims)
    return self._run(kernel, tensor, *operands)


@implements("_spread")
def _spread(
    self: Array, op_name: str, axis: Any, keepdims: Any, correction: Any, /
) -> Array | None:
    if not isinstance(correction, float) and type(correction) is not int:
        return None
    tensor = self._tensor
    kernel = _known("reduction", op_name, tensor.dtype, tensor.device)
    if not kernel:
        return None
    total = tensor.numel() if axis is None and keepdims is False and tensor.dim() else 0
    if 0 < total > correction and _known("native", op_name, tensor.dtype, tensor.device):
        # The operations have the names of torch's methods, which here need no help.
        return self._around(getattr(tensor, op_name)(correction=correction))
    tensor, axes, keep = reduction(op_name, tensor, axis, keepdims)
    return self._run(kernel, tensor, axes, keep, correction)


class _Plain:
    """The plainest cases of the reductions, as methods for the same reason as those of arrays.

    A body is what is traced; uncompiled, a call does nothing.  Each returns None where there is
    more to do.
    """

    __slots__ = ()

    def note(self, op: Op, dtypes: frozenset[torch.dtype]) -> None:
        """Trace a reduction in the data types themselves."""
        _OWN[op.name] = dtypes
        traced = getattr(type(self), op.name)
        setattr(type(self), op.name, traced_as(traced)(lambda *_: None))

    def all(self, x: object, axis: Any, keepdims: Any, /) -> Array | None:
        return x._reduced("all", axis, keepdims) if isinstance(x, Array) else None

    def any(self, x: object, axis: Any, keepdims: Any, /) -> Array | None:
        return x._reduced("any", axis, keepdims) if isinstance(x, Array) else None

    def max(self, x: object, axis: Any, keepdims: Any, /) -> Array | None:
        return x._reduced("max", axis, keepdims) if isinstance(x, Array) else None

    def mean(self, x: object, axis: Any, keepdims: Any, /) -> Array | None:
        return x._reduced("mean", axis, keepdims) if isinstance(x, Array) else None

    def min(self, x: object, axis: Any, keepdims: Any, /) -> Array | None:
        return x._reduced("min", axis, keepdims) if isinstance(x, Array) else None

    def prod(self, x: object, axis: Any, keepdims: Any, /) -> Array | None:
        return x._reduced("prod", axis, keepdims) if isinstance(x, Array) else None

    def std(self, x: object, axis: Any, keepdims: Any, correction: Any, /) -> Array | None:
        return x._spread("std", axis, keepdims, correction) if isinstance(x, Array) else None

    def sum(self, x: object, axis: Any, keepdims: Any, /) -> Array | None:
        return x._reduced("sum", axis, keepdims) if isinstance(x, Array) else None

    def var(self, x: object, axis: Any, keepdims: Any, correction: Any, /) -> Array | None:
        return x._spread("var", axis, keepdims, correction) if isinstance(x, Array) else None


plain: Final = _Plain()
