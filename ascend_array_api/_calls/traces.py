"""Traces of the plainest calls: the functions that ``torch.compile`` traces for the fast paths.

Imports no chapter; no call without a compiler comes here.

Compiled code has a guard for each function and object that its trace has looked at, and checks all
guards before each call.  The functions that check and promote operands look at about a hundred.  So
the traces here are short:

- Data types and devices alone decide many questions.  One function answers all of these, and the
  compiler takes its answers for constants.
- All other calls are of methods: of arrays, of ``plain``, or of tensors if such a method is the
  kernel.  The compiler does not guard the attributes of a class.

A function here returns None if there is more to decide or to explain.  The compiler then traces the
functions that also run without it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

from .._arrays.array import Array, implements
from .._arrays.axes import reduction
from .._devices.device import name_of_spec
from .._options import relaxed
from .._routes._operations import (
    Op,
    bound_of_integers,
    divides_integers,
    is_native_at,
    name_of_kernel,
    takes_floats,
)
from .._torch import torch
from .._torch.tracing import OBJECTS, constant, traced_as

ANSWERS: Final[dict[str, Callable[..., Any]]] = {
    "spec": name_of_spec,
    "kernel": name_of_kernel,
    "native": is_native_at,
    "divides": divides_integers,
    "floats": takes_floats,
    "bound of integers": bound_of_integers,
}
"""The functions whose results are constants, by the question that they answer."""


@constant
def _known(question: str, *facts: Any) -> Any:
    """Answer a question of ``ANSWERS``; one function for all of them needs one guard."""
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
    if kernel.startswith("."):  # a method of tensors, which needs no guard
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
    # Two questions, because a constant is a string or a number: no pair.
    least: int = _known("bound of integers", op_name, dtype, device, 0)
    greatest: int = _known("bound of integers", op_name, dtype, device, 1)
    return least <= value <= greatest


@implements("_computed")
def _computed(self: Array, op_name: str, /, *others: object) -> Array | None:
    # This is the fast path of ``elementwise`` without its tables: compared by data type and device,
    # because a trace that looked at specs would need a guard for each.
    first = self._tensor
    kernel = _known("kernel", op_name, first.dtype, first.device)
    if not kernel or (_known("divides", op_name, first.dtype) and relaxed.on()):
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
    """Return the trace of the reflected operator ``other - array``."""

    def traced(self: Array, other: object) -> Any:
        if self._fits("subtract", other):
            return self._around(torch.rsub(self._tensor, other))  # type: ignore[call-overload]
        return otherwise(self, other)

    return traced


def unary(op_name: str, otherwise: Callable[[Any], Array]) -> Callable[[Any], Array]:
    """Return the trace of a function of one array."""

    def traced(x: object) -> Array:
        made = x._computed(op_name) if isinstance(x, Array) else None
        return otherwise(x) if made is None else made

    return traced


def binary(op_name: str, otherwise: Callable[[Any, Any], Array]) -> Callable[[Any, Any], Array]:
    """Return the trace of a function of two operands."""

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
    if kernel == ".where":  # ``where`` is a method of the second operand, not of the condition
        return self._around(first.where(asked, second))
    return self._run(kernel, asked, first, second)


def _name_of_choice(condition: torch.dtype, dtype: torch.dtype, device: torch.device) -> str:
    return name_of_kernel("where", dtype, device) if condition is torch.bool else ""


ANSWERS["choice"] = _name_of_choice


def chosen(function: Callable[..., Array]) -> Callable[..., Array]:
    """Have ``where`` traced by the method for its plainest calls, and else by its body."""
    body: Callable[..., Array] = inspect.unwrap(function)

    def traced(condition: Any, x1: Any = None, x2: Any = None) -> Array:
        made = condition._chosen(x1, x2) if isinstance(condition, Array) else None
        return body(condition, x1, x2) if made is None else made

    return traced_as(traced)(function)


# --- reductions -----------------------------------------------------------------------------------


_OWN: Final[dict[str, frozenset[torch.dtype]]] = {}
"""The data types that each reduction keeps if its call names none."""


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
    # A kernel without operands reduces all axes, which saves the guards of ``reduction``.
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
    # With more elements than the correction, torch's method gives the right result by itself.
    total = tensor.numel() if axis is None and keepdims is False and tensor.dim() else 0
    if 0 < total > correction and _known("native", op_name, tensor.dtype, tensor.device):
        return self._around(getattr(tensor, op_name)(correction=correction))
    tensor, axes, keep = reduction(op_name, tensor, axis, keepdims)
    return self._run(kernel, tensor, axes, keep, correction)


class _Plain:
    """The plainest cases of reductions, as methods, because methods need no guards.

    The compiler traces the bodies; without a compiler, ``note`` makes each method return None.  A
    method also returns None if there is more to do than its body does.
    """

    __slots__ = ()

    def note(self, op: Op, dtypes: frozenset[torch.dtype]) -> None:
        """Have a reduction traced by its method here, for the data types that it keeps."""
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
