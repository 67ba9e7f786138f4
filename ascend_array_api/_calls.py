"""From a call on arrays to a call on tensors: the elementwise functions, and what calls a kernel.

Each decorator takes a declaration (true signature, true docstring, no body) and returns a function
specialised for one operation.  The fast path is for operands that need nothing: arrays of one data
type on one device, for which the kernel is known.  Everything else, errors included, goes through
the one slow path, which checks, promotes, finds the kernel and remembers it.
"""

from __future__ import annotations

import functools
import inspect
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from . import _dtypes as dt
from . import _late, _traces
from ._array import Array, wrap
from ._axes import broadcast
from ._devices import device_of
from ._errors import divided_by_zero, not_broadcastable
from ._misuse import misuse
from ._operands import operand, operation
from ._relaxed import LOGICAL
from ._routes._engine import OPS, cast, check_fault
from ._scalars import learn_scalars
from ._torch import torch
from ._tracing import traced_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from ._devices import Spec
    from ._routes._engine import Kernel, Op

F = TypeVar("F", bound="Callable[..., Any]")
_new: Final = object.__new__


# --- kernels --------------------------------------------------------------------------------------


def call(op: Op, spec: Spec, function: str, *operands: Any, **parameters: Any) -> Tensor:
    """Run the kernel of an operation; say in the namespace's words what torch refuses."""
    kernel = op.entry(spec)
    try:
        result: Tensor = kernel(*operands, **parameters)
    except RuntimeError as error:
        tensors = [x for x in operands if isinstance(x, torch.Tensor)]
        explained = explain(error, function, *tensors)
        if explained is error:
            raise
        raise explained from error
    return result


def explain(error: RuntimeError, function: str, *tensors: Tensor) -> Exception:
    """Return the exception to raise for an error of torch's, judged by the operands."""
    check_fault(error, function, device_of(tensors[0]), tensors)
    shapes = [tuple(t.shape) for t in tensors]
    if broadcast(*shapes) is None:
        return not_broadcastable(function, *shapes)
    if (
        function in _DIVISIONS
        and tensors[-1].dtype in dt.INTEGER
        and bool((cast(tensors[-1], dt.int64) == 0).any())
    ):
        return divided_by_zero(function)
    return error


_DIVISIONS: Final = frozenset({"floor_divide", "remainder", "//", "%", "//=", "%="})


def computed(op: Op, spec: Spec, function: str, *tensors: Tensor) -> Array:
    """Return the array that an elementwise operation makes of operands that are checked."""
    made = wrap(call(op, spec, function, *tensors), op.result(spec))
    return _late.spoil(made) if op.divides else made  # if the divisor is in doubt


# --- the fast paths -------------------------------------------------------------------------------

# What a function takes out of the closure of an operator is unknown to the compiler, unless it is a
# constant or a function: so the slow paths, which it traces, take the operation by its name.


# Calls written for other libraries give more than the operands: ``add(x, y, out=z)``.  A function
# takes such arguments only to refuse them in our words.  It asks no operand whether it is an array:
# what is none has no ``_spec``, or one that no table has.

_MISSING: Final = object()


def fast_unary(op: Op, name: str, slow: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function of one array that computes an operation, or leaves it to ``slow``."""
    table, same, to_bool = op.table, op.returns == "same", op.returns == "bool"

    def function(x: Any = _MISSING, /, *misplaced: Any, **unknown: Any) -> Any:
        try:
            spec = x._spec
            if not unknown and not misplaced:
                tensor = table[spec](x._tensor)
                result = _new(Array)
                result._tensor = tensor
                result._spec = spec if same else spec.bool if to_bool else spec.real
                return result
        except (AttributeError, KeyError, TypeError):
            pass
        except RuntimeError as error:
            check_fault(error, name, x._spec.device, (x._tensor,))
        if unknown or misplaced or x is _MISSING:
            raise _misuse(function, (x,), misplaced, unknown)
        return slow(x)

    return function


def fast_binary(op: Op, name: str, slow: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function of two operands that computes an operation, or leaves it to ``slow``.

    It takes a Python scalar as the second operand where torch's own function does so exactly.
    """
    table = op.table
    floats, integers = op.float_kernels, op.integer_kernels
    to_bool, divides = op.returns == "bool", op.divides

    def function(x1: Any = _MISSING, x2: Any = _MISSING, /, *misplaced: Any, **unknown: Any) -> Any:
        try:
            spec = x1._spec
            kind = type(x2)
            if kind is Array:
                if not unknown and not misplaced:
                    if x2._spec is not spec:
                        spec = spec.joint[x2._spec]
                    tensor = table[spec](x1._tensor, x2._tensor)
                    result = _new(Array)
                    result._tensor = tensor
                    result._spec = spec.bool if to_bool else spec
                    # An integer divisor may be in doubt.
                    return _late.spoil(result) if divides and spec.late else result
            elif not unknown and not misplaced:
                if kind is float:
                    kernel = floats[spec]
                elif kind is int:
                    kernel, low, high = integers[spec]
                    if not low <= x2 <= high:
                        kernel = None
                else:
                    kernel = None
                if kernel is not None:
                    tensor = kernel(x1._tensor, x2)
                    result = _new(Array)
                    result._tensor = tensor
                    result._spec = spec.bool if to_bool else spec
                    return result
        except (AttributeError, KeyError, TypeError):
            pass
        except RuntimeError as error:
            tensors = [x._tensor for x in (x1, x2) if type(x) is Array]
            check_fault(error, name, x1._spec.device, tensors)
        if unknown or misplaced or x2 is _MISSING:
            raise _misuse(function, (x1, x2), misplaced, unknown)
        return slow(x1, x2)

    return function


def _misuse(
    function: Callable[..., Any],
    operands: tuple[Any, ...],
    misplaced: tuple[Any, ...],
    unknown: dict[str, Any],
) -> TypeError:
    """Return the error for a call that left an operand out, or gave more than the operands."""
    if misplaced and isinstance(misplaced[0], (Array, tuple, NoneType)):  # as NumPy places it
        unknown = {"out": misplaced[0], **unknown}
        misplaced = misplaced[1:]
    names = inspect.signature(function).parameters
    missing = [m for m, x in zip(names, operands) if x is _MISSING and m not in unknown]
    return misuse(function, misplaced, unknown, missing)


def fast_where(op: Op, slow: Callable[[Any, Any, Any], Array]) -> Callable[[Any, Any, Any], Array]:
    """Return the function that chooses elements of two arrays, or leaves it to ``slow``."""
    table = op.table

    def function(condition: Any = None, x1: Any = None, x2: Any = None, /) -> Array:
        if type(x1) is not Array or type(x2) is not Array or type(condition) is not Array:
            return slow(condition, x1, x2)
        spec = x1._spec
        if spec is not x2._spec or condition._spec is not spec.bool:
            return slow(condition, x1, x2)
        tensors = condition._tensor, x1._tensor, x2._tensor
        try:
            return wrap(table[spec](*tensors), spec)
        except KeyError:
            return slow(condition, x1, x2)
        except RuntimeError as error:
            check_fault(error, "where", spec.device, tensors)
            return slow(condition, x1, x2)

    return function


def _not_fast(*_: Any) -> None:
    """Leave it to what checks: the compiler need not know what is found out beforehand."""


shortcut: Final = traced_as(_not_fast)
"""Mark a function that does the plainest calls of a chapter's function, and else returns None.

What torch sees at once to be wrong it may leave to torch, of tensors of one device whose errors are
no faults: those of ``Op.plain``, or any of which nothing is computed.  The chapter then says it.
"""


# --- functions ------------------------------------------------------------------------------------


def slow_unary(op_name: str, name: str) -> Callable[[Any], Array]:
    """Return the slow path of an operation on one array."""

    def slow(x: object) -> Array:
        op = OPS[op_name]
        tensor, spec = operand(name, x, op.dtypes, mixes=op.mixes)
        if spec.dtype not in op.dtypes:
            op = OPS[LOGICAL[name]]
        return computed(op, spec, name, tensor)

    return slow


def unary(op: Op, name: str | None = None) -> Callable[[F], F]:
    """Turn a declaration into the function of one array for an operation.

    Errors call it by its own name, or the one that is given.
    """

    def decorate(declaration: F) -> F:
        called = name or declaration.__name__
        slow = slow_unary(op.name, called)
        fast = fast_unary(op, called, slow)
        traced = _traces.unary(op.name, slow)
        return traced_as(traced)(functools.wraps(declaration)(fast))  # type: ignore[return-value]

    return decorate


def slow_binary(
    op_name: str, name: str, foreign: Callable[[Any, Any], Any] | None = None
) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Return the slow path of an operation on two operands, and what checks them there.

    What answers for operands that are ``foreign`` returns ``TAKEN`` for all others.
    """

    def slow(x1: Any, x2: Any) -> Any:
        if isinstance(x1, Array):
            fast = learn_scalars(OPS[op_name], x1._spec, x2)
            if fast is not None:
                return computed_with_scalar(fast, name, x1, x2)
        return checked(x1, x2)

    def checked(x1: Any, x2: Any) -> Any:
        if foreign is not None and (answer := foreign(x1, x2)) is not TAKEN:
            return answer
        op, tensors, spec = operation(OPS[op_name], name, x1, x2)
        return computed(op, spec, name, *tensors)

    return slow, checked


TAKEN: Final = object()
"""What stands for an operand that is taken."""


def binary(op: Op) -> Callable[[F], F]:
    """Turn a declaration into the function of two operands for an operation."""

    def decorate(declaration: F) -> F:
        name = declaration.__name__
        slow, checked = slow_binary(op.name, name)
        traced = _traces.binary(op.name, checked)
        return traced_as(traced)(functools.wraps(declaration)(fast_binary(op, name, slow)))  # type: ignore[return-value]

    return decorate


def declared(fast: Callable[..., Any], slow: Callable[..., Array]) -> Callable[[F], F]:
    """Turn a declaration into a function with a slow path of its own."""

    def decorate(declaration: F) -> F:
        return traced_as(slow)(functools.wraps(declaration)(fast))  # type: ignore[return-value]

    return decorate


# --- with Python scalars --------------------------------------------------------------------------


def call_with_scalars(op: Op, spec: Spec, function: str, x: Tensor, *scalars: object) -> Tensor:
    """Run the kernel of an operation with Python scalars behind a tensor."""
    try:
        result: Tensor = op.entry(spec)(x, *scalars)
    except RuntimeError as error:
        check_fault(error, function, spec.device, (x,))
        raise
    return result


def computed_with_scalar(kernel: Kernel, function: str, x: Array, other: object) -> Array:
    """Return what a kernel makes of an array and a Python scalar."""
    try:
        return wrap(kernel(x._tensor, other), x._spec)
    except RuntimeError as error:
        check_fault(error, function, x._spec.device, (x._tensor,))
        raise
