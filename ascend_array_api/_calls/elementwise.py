"""Elementwise functions: from a call on arrays to a call on tensors.

Imports no chapter, and names no device type: the specs of operands decide on the kernel.

Each decorator takes a declaration (true signature, true docstring, no body) and returns a function
for one operation.  The fast path serves operands that need no work: arrays of one data type on one
device, whose kernel is known.  Every other call, errors included, takes the slow path, which
checks, promotes, finds the kernel and remembers it for the fast path.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import NoneType
from typing import Any, Final, TypeVar

from .._arrays.array import Array, wrap
from .._arrays.axes import broadcast
from .._devices.device import Spec, device_of
from .._errors.exceptions import divided_by_zero, not_broadcastable
from .._errors.foreign_calls import misuse
from .._options import relaxed
from .._options.relaxed import LOGICAL
from .._reports import numpys
from .._routes._faults import check_fault
from .._routes._kernels import Kernel, divided_as_in_numpy
from .._routes._operations import OPS, Op, cast
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from .._torch.tracing import traced_as
from . import traces
from .operands import operand, operation, several

F = TypeVar("F", bound="Callable[..., Any]")
_new: Final = object.__new__


# --- kernels --------------------------------------------------------------------------------------


def call(op: Op, spec: Spec, function: str, *operands: Any, **parameters: Any) -> Tensor:
    """Run the kernel of an operation; raise torch's errors in the namespace's words."""
    kernel = op.for_users(spec)
    try:
        result: Tensor = kernel(*operands, **parameters)
    except RuntimeError as error:
        tensors = [x for x in operands if isinstance(x, torch.Tensor)]
        explained = explain(error, function, *tensors)
        if explained is error:
            raise
        if isinstance(explained, ZeroDivisionError) and relaxed.allows(explained):
            numpys.divided_by_zero(function)
            return divided_as_in_numpy(kernel, spec, *operands)
        raise explained from error
    return result


def explain(error: RuntimeError, function: str, *tensors: Tensor) -> Exception:
    """Return the exception to raise for an error of torch, judged by the operands.

    It reads values only after torch has failed, so a call that succeeds pays for none of this.
    """
    if type(error).__module__.partition(".")[0] == _PACKAGE:  # it is in our words already
        return error
    check_fault(error, function, device_of(tensors[0]), tensors)
    shapes = [tuple(t.shape) for t in tensors]
    if broadcast(*shapes) is None:
        return not_broadcastable(function, *shapes)
    if (
        function in _DIVISIONS
        and tensors[-1].dtype in dt.INTEGER
        # Torch says so on the CPU, where a transformation hides the values.
        and ("ZeroDivisionError" in str(error) or bool((cast(tensors[-1], dt.int64) == 0).any()))
    ):
        return divided_by_zero(function)
    return error


_PACKAGE: Final = __name__.partition(".")[0]

_DIVISIONS: Final = frozenset({"floor_divide", "remainder", "//", "%", "//=", "%="})


def computed(op: Op, spec: Spec, function: str, *tensors: Tensor) -> Array:
    """Return the array that an elementwise operation computes from checked operands."""
    return wrap(call(op, spec, function, *tensors), op.result(spec))


# --- the fast paths -------------------------------------------------------------------------------

# The kernel for a few elements on the CPU is so short that every look-up here counts:
#
# - The first operand is not asked whether it is an array.  Another object has no ``_spec``, or one
#   for which no kernels are known, and the AttributeError or KeyError leads to the slow path.
# - One look-up by spec finds the kernel, because a spec stands for data type and device together.
# - The result is made here, without a call of ``wrap``; its spec is an attribute of the operand's.
# - Variables of the closure replace attributes of the operation, which take longer to read.
#
# Calls written for other libraries pass more than the operands, as in ``add(x, y, out=z)``.  A
# function accepts such arguments only to refuse them in our words.
#
# torch.compile does not understand an object in the closure of an operator unless it is a constant
# or a function.  It traces the slow paths, so these look up the operation by its name.

_MISSING: Final = object()


def fast_unary(op: Op, name: str, slow: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function of one array for an operation; it leaves other calls to ``slow``."""
    kernels, same, to_bool = op.kernels, op.returns == "same", op.returns == "bool"

    def function(x: Any = _MISSING, /, *misplaced: Any, **unknown: Any) -> Any:
        try:
            spec = x._spec
            if not unknown and not misplaced:
                tensor = kernels[spec].users(x._tensor)
                result = _new(Array)
                result._tensor = tensor
                result._spec = spec if same else spec.bool if to_bool else spec.real
                return result
        except (AttributeError, KeyError, TypeError):
            pass  # no array, or its kernel is not known yet
        except RuntimeError as error:
            # A failed device is reported here: the slow path would run the kernel on it again.
            check_fault(error, name, x._spec.device, (x._tensor,))
        if unknown or misplaced or x is _MISSING:
            raise _misuse(function, (x,), misplaced, unknown)
        return slow(x)

    return function


def fast_binary(op: Op, name: str, slow: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function of two operands for an operation; it leaves other calls to ``slow``.

    It takes a Python number as the second operand if the record of kernels has one for it.
    """
    kernels, mixed, to_bool, divides = op.kernels, op.mixed, op.returns == "bool", op.divides

    def function(x1: Any = _MISSING, x2: Any = _MISSING, /, *misplaced: Any, **unknown: Any) -> Any:
        try:
            spec = x1._spec
            kind = type(x2)
            if kind is Array:
                if not unknown and not misplaced:
                    if x2._spec is spec:
                        kernel: Any = kernels[spec].users
                    else:
                        kernel, spec = mixed[spec, x2._spec]
                    tensor = kernel(x1._tensor, x2._tensor)
                    if divides and spec.late:  # the kernel may have marked the tensor
                        return wrap(tensor, spec)
                    result = _new(Array)
                    result._tensor = tensor
                    result._spec = spec.bool if to_bool else spec
                    return result
            elif not unknown and not misplaced:
                # ``type`` tells True from 1, and NumPy's float64 from a Python float.
                if kind is float:
                    kernel = kernels[spec].with_float
                elif kind is int:
                    found = kernels[spec]
                    kernel = found.with_integer if found.low <= x2 <= found.high else None
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
    """Return the error for a call that omits an operand or passes more than the operands."""
    if misplaced and isinstance(misplaced[0], (Array, tuple, NoneType)):  # NumPy's third is `out`
        unknown = {"out": misplaced[0], **unknown}
        misplaced = misplaced[1:]
    names = inspect.signature(function).parameters
    missing = [m for m, x in zip(names, operands) if x is _MISSING and m not in unknown]
    return misuse(function, misplaced, unknown, missing)


def _not_fast(*_: Any) -> None:
    """Return None, so that the compiler traces the checking function and not the shortcut."""


shortcut: Final = traced_as(_not_fast)
"""Mark a function that does the plainest calls of a chapter's function, and else returns None.

It need not check what torch checks at once: it returns None if torch raises, and the chapter's
function then raises the error in our words.  That is safe only if an error of torch cannot mean
that the device has failed: for specs that are ``Op.is_plain``, or where nothing is computed.
"""


# --- functions ------------------------------------------------------------------------------------


def slow_unary(op_name: str, name: str) -> Callable[[Any], Array]:
    """Return the slow path of an operation on one array."""

    def slow(x: object) -> Array:
        op = OPS[op_name]
        tensor, spec = operand(name, x, op.dtypes, mixes=op.mixes)
        if spec.dtype not in op.dtypes:  # relaxed mode lets Booleans through, as NumPy does
            op = OPS[LOGICAL[name]]
        return computed(op, spec, name, tensor)

    return slow


def unary(op: Op, name: str | None = None) -> Callable[[F], F]:
    """Turn a declaration into the function of one array for an operation.

    Errors use ``name`` for it, by default the declaration's own name.
    """

    def decorate(declaration: F) -> F:
        called = name or declaration.__name__
        slow = slow_unary(op.name, called)
        fast = fast_unary(op, called, slow)
        traced = traces.unary(op.name, slow)
        return traced_as(traced)(functools.wraps(declaration)(fast))  # type: ignore[return-value]

    return decorate


def slow_binary(
    op_name: str, name: str, foreign: Callable[[Any, Any], Any] | None = None
) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Return the slow path of an operation on two operands, and its second part alone.

    The first part finds the kernels for Python numbers, and the compiler must not trace that.  The
    second part checks and promotes.  ``foreign`` answers for operands that the operation does
    not accept, and returns ``TAKEN`` for all others.
    """

    def slow(x1: Any, x2: Any) -> Any:
        if isinstance(x1, Array):
            op, spec = OPS[op_name], x1._spec
            if isinstance(x2, Array):
                own = x2._spec
                if (
                    own is spec and spec.dtype in op.dtypes
                ):  # the first call, or to explain an error
                    return wrap(call(op, spec, name, x1._tensor, x2._tensor), op.result(spec))
                # Operands that only need a cast.
                dtype = dt.PROMOTION.get((spec.dtype, own.dtype))
                alike = own is spec.of(own.dtype)  # on one device
                if dtype in op.dtypes and (alike or spec.sure is own.sure):
                    # If one of the two may be wrong, the kernel has to mark the result.
                    op.mix(spec, own, spec.of(dtype) if alike else spec.doubted)
                if dtype in op.dtypes and alike:
                    tensors = cast(x1._tensor, dtype), cast(x2._tensor, dtype)
                    return computed(op, spec.of(dtype), name, *tensors)
            numbers = type(x2) is float or type(x2) is int
            if numbers and spec.dtype in op.dtypes and spec not in op.kernels:
                try:
                    return computed_with_scalar(op, name, x1, x2)
                except KeyError:
                    pass  # as an array
        return checked(x1, x2)

    def checked(x1: Any, x2: Any) -> Any:
        if foreign is not None and (answer := foreign(x1, x2)) is not TAKEN:
            return answer
        op, tensors, spec = operation(OPS[op_name], name, x1, x2)
        return computed(op, spec, name, *tensors)

    return slow, checked


TAKEN: Final = object()
"""The answer of ``foreign`` for an operand that the operation accepts."""


def binary(op: Op) -> Callable[[F], F]:
    """Turn a declaration into the function of two operands for an operation."""

    def decorate(declaration: F) -> F:
        name = declaration.__name__
        slow, checked = slow_binary(op.name, name)
        traced = traces.binary(op.name, checked)
        return traced_as(traced)(functools.wraps(declaration)(fast_binary(op, name, slow)))  # type: ignore[return-value]

    return decorate


def ternary(op: Op) -> Callable[[F], F]:
    """Turn a declaration into the function of three operands for an operation.

    There is no fast path: the operations of three operands are long.
    """
    op_name = op.name

    def decorate(declaration: F) -> F:
        name = declaration.__name__

        def checked(x1: Any, x2: Any, x3: Any) -> Array:
            op = OPS[op_name]
            tensors, spec = several(name, op.dtypes, x1, x2, x3, mixes=op.mixes)
            return computed(op, spec, name, *tensors)

        def function(
            x1: Any = _MISSING,
            x2: Any = _MISSING,
            x3: Any = _MISSING,
            /,
            *misplaced: Any,
            **unknown: Any,
        ) -> Any:
            if unknown or misplaced or x3 is _MISSING:
                raise _misuse(function, (x1, x2, x3), misplaced, unknown)
            return checked(x1, x2, x3)

        return traced_as(checked)(functools.wraps(declaration)(function))  # type: ignore[return-value]

    return decorate


def declared(fast: Callable[..., Any], slow: Callable[..., Array]) -> Callable[[F], F]:
    """Turn a declaration into a function with a slow path of its own."""

    def decorate(declaration: F) -> F:
        return traced_as(slow)(functools.wraps(declaration)(fast))  # type: ignore[return-value]

    return decorate


# --- with Python scalars --------------------------------------------------------------------------


def computed_with_scalar(op: Op, function: str, x: Array, other: float) -> Array:
    """Return the array that an operation computes from an array and a Python number.

    Raise KeyError if the operation does not take this number.
    """
    kernel = op.kernels_for(x._spec).takes(other)
    if kernel is None:
        raise KeyError(other)
    return computed_by(kernel, function, x, other, op.result(x._spec))


def computed_by(kernel: Kernel, function: str, x: Array, other: float, result: Spec) -> Array:
    """Return the array that a kernel computes from an array and a Python number."""
    try:
        return wrap(kernel(x._tensor, other), result)
    except RuntimeError as error:
        check_fault(error, function, x._spec.device, (x._tensor,))
        raise
