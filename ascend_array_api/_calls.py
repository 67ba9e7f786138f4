"""From a call on arrays to a call on tensors: the elementwise functions and operators.

Each decorator takes a declaration (true signature, true docstring, and no body, or for an operator
the one that ``torch.compile`` traces) and returns a function specialised for one operation.  The
fast path is for operands that need nothing: arrays of one data type on one device, for which the
kernel is known.  Everything else, errors included, goes through the one slow path below, which
checks, promotes, finds the kernel and remembers it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, TypeVar

from . import (
    _array,  # circular, and so only used inside functions
    _relaxed,
)
from . import _dtypes as dt
from ._axes import broadcast
from ._devices import device_of
from ._errors import (
    describe,
    foreign,
    mixed_devices,
    mixed_dtypes,
    not_broadcastable,
    wrong_dtype,
)
from ._routes._derivatives import batched, tracked
from ._routes._engine import OPS, cast, check_fault
from ._routes.creation import full
from ._torch import torch
from ._tracing import comparison, traced_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from ._array import Array
    from ._devices import Spec
    from ._routes._engine import Op

F = TypeVar("F", bound="Callable[..., Any]")
_new: Final = object.__new__

SCALARS: Final = (bool, int, float, complex)
"""The Python scalars; NumPy's float64 and complex128 are among them by inheritance."""


# --- operands -------------------------------------------------------------------------------------


def promote_scalar(
    function: str, value: complex, dtype: torch.dtype, *, mixes: bool = False
) -> torch.dtype:
    """Return the data type in which an array of ``dtype`` and a Python scalar are combined.

    ``mixes`` says that the function takes operands of several kinds, in strict mode too.

    https://data-apis.org/array-api/2024.12/API_specification/type_promotion.html
    """
    if isinstance(value, bool):
        allowed = dtype is dt.bool
    elif isinstance(value, int):
        if dtype in dt.LIMITS:
            low, high = dt.LIMITS[dtype]
            if not low <= value <= high:
                raise OverflowError(
                    f"{function}: the Python integer {value} is out of bounds for "
                    f"{dt.NAMES[dtype]}, which holds {low} to {high}. "
                    "Convert the array to a wider data type with astype() first."
                )
            return dtype
        allowed = dtype in dt.FLOATING
    elif isinstance(value, float):
        allowed = dtype in dt.FLOATING
    else:
        if dtype in dt.COMPLEX_OF:
            return dt.COMPLEX_OF[dtype]
        allowed = dtype in dt.COMPLEX
    if not allowed:
        error = TypeError(
            f"{function}: {describe(value)} cannot be combined with an array of "
            f"{dt.NAMES[dtype]}: a Python bool goes with bool, an int with integers and "
            "floating-point numbers, a float or complex with floating-point numbers. "
            "Convert the array to another dtype with astype() first."
        )
        return _relaxed.with_scalar(dtype, value, error, always=mixes)
    return dtype


_MAX: Final = {d: torch.finfo(d).max for d in dt.FLOATING - {dt.float64, dt.complex128}}
_DOUBLE: Final = {d: dt.complex128 if d in dt.COMPLEX else dt.float64 for d in dt.FLOATING}


def scalar_value(value: complex, dtype: torch.dtype) -> complex:
    """Return a Python scalar, which must fit a data type, in the form that torch takes for it."""
    if dtype not in dt.FLOATING:
        return value
    value = complex(value) if dtype in dt.COMPLEX else float(value.real)
    if dtype in _MAX and abs(value) > _MAX[dtype]:
        # torch refuses what overflows; rounding to the nearest makes it infinite.
        rounded: complex = torch.tensor(value, dtype=_DOUBLE[dtype], device="cpu").to(dtype).item()
        return rounded
    return value


def scalar_tensor(value: complex, spec: Spec) -> Tensor:
    """Return a Python scalar, which must fit, as a 0-dimensional tensor."""
    number = scalar_value(value, spec.dtype)
    tensor: Tensor = full.on(spec)((), number, spec.dtype, spec.device.torch_device)
    return tensor


def operands(
    function: str,
    allowed: frozenset[torch.dtype],
    x1: object,
    x2: object,
    *,
    mixes: bool = False,
) -> tuple[Tensor, Tensor, Spec]:
    """Check and promote two operands, of which one may be a Python scalar.

    Returns
    -------
    tuple
        The two tensors, of one data type and device, and that data type and device.
    """
    array = _array.Array
    if isinstance(x1, array) and isinstance(x2, array):
        spec1, spec2 = x1._spec, x2._spec
        if spec1.device is not spec2.device:
            raise mixed_devices(function, spec1.device, spec2.device)
        dtype = promote(function, spec1.dtype, spec2.dtype, mixes=mixes)
        spec = spec1.of(dtype)
        tensors = cast(x1._tensor, dtype), cast(x2._tensor, dtype)
    elif isinstance(x1, array) and isinstance(x2, SCALARS):
        dtype = promote_scalar(function, x2, x1._spec.dtype, mixes=mixes)
        spec = x1._spec.of(dtype)
        tensors = cast(x1._tensor, dtype), scalar_tensor(x2, spec)
    elif isinstance(x2, array) and isinstance(x1, SCALARS):
        dtype = promote_scalar(function, x1, x2._spec.dtype, mixes=mixes)
        spec = x2._spec.of(dtype)
        tensors = scalar_tensor(x1, spec), cast(x2._tensor, dtype)
    else:
        for x in (x1, x2):
            if not isinstance(x, (array, *SCALARS)):
                error = foreign(function, x, "an Array or a Python scalar")
                other = x2 if x is x1 else x1
                device = other._spec.device if isinstance(other, array) else None
                taken = _relaxed.operand(x, device, error)
                pair = (taken, x2) if x is x1 else (x1, taken)
                return operands(function, allowed, *pair, mixes=mixes)
        error = TypeError(
            f"{function}: expected at least one Array, got {describe(x1)} and {describe(x2)}. "
            "Convert one of them with asarray() first."
        )
        return operands(function, allowed, _relaxed.array(x1, None, error), x2, mixes=mixes)
    if dtype not in allowed:
        error = wrong_dtype(function, dtype, allowed)
        dtype = _relaxed.lifted(function, dtype, allowed, error, always=mixes)
        spec = spec.of(dtype)
        tensors = cast(tensors[0], dtype), cast(tensors[1], dtype)
    return (*tensors, spec)


def operation(op: Op, function: str, x1: object, x2: object) -> tuple[Op, tuple[Tensor, ...], Spec]:
    """Check and promote two operands; return the operation to compute, and of which tensors.

    A Python scalar can make it one of the first operand alone, such as the square.
    """
    if isinstance(x1, _array.Array) and isinstance(x2, (int, float)) and not isinstance(x2, bool):
        form = op.forms.get(x2)
        if form is not None:
            dtype = promote_scalar(function, x2, x1._spec.dtype, mixes=op.mixes)
            if dtype in op.dtypes:
                return form, (cast(x1._tensor, dtype),), x1._spec.of(dtype)
    t1, t2, spec = operands(function, op.dtypes, x1, x2, mixes=op.mixes)
    return op, (t1, t2), spec


def promote(
    function: str, dtype1: torch.dtype, dtype2: torch.dtype, *, mixes: bool = False
) -> torch.dtype:
    """Return the data type to which two arrays promote."""
    dtype = dt.PROMOTION.get((dtype1, dtype2))
    if dtype is None:
        error = mixed_dtypes(function, dtype1, dtype2)
        return _relaxed.promoted(dtype1, dtype2, error, always=mixes)
    return dtype


def array_operand(
    function: str, x: object, allowed: frozenset[torch.dtype], *, mixes: bool = False
) -> Array:
    """Return an operand, which must be an array of an allowed data type."""
    if not isinstance(x, _array.Array):
        x = _relaxed.array(x, None, foreign(function, x))
    if x._spec.dtype not in allowed:
        error = wrong_dtype(function, x._spec.dtype, allowed)
        dtype = _relaxed.lifted(function, x._spec.dtype, allowed, error, always=mixes)
        return _array.wrap(cast(x._tensor, dtype), x._spec.of(dtype))
    return x


def same_device(function: str, *arrays: Array) -> None:
    """Check that all arrays are on one device."""
    first = arrays[0]._spec.device
    for x in arrays[1:]:
        if x._spec.device is not first:
            raise mixed_devices(function, first, x._spec.device)


def call(op: Op, spec: Spec, function: str, *tensors: Tensor, **parameters: Any) -> Tensor:
    """Run the kernel of an operation; say in the namespace's words what torch refuses."""
    kernel = op.on(spec)
    try:
        result: Tensor = kernel(*tensors, **parameters)
    except RuntimeError as error:
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
        return ZeroDivisionError(
            f"{function}: an integer was divided by zero, which the standard leaves undefined. "
            "Replace the zeros with where() first."
        )
    return error


_DIVISIONS: Final = frozenset({"floor_divide", "remainder", "//", "%", "//=", "%="})


def _result(op: Op, spec: Spec) -> Spec:
    """Return what the result of an operation on arrays of a data type and device holds."""
    if op.returns == "bool":
        return spec.bool
    return spec.real if op.returns == "real" else spec


# --- functions ------------------------------------------------------------------------------------


# What a function takes out of the closure of an operator is unknown to the compiler, unless it is a
# constant or a function: so the slow paths, which it traces, take the operation by its name.


def unary(op: Op) -> Callable[[F], F]:
    """Turn a declaration into the function of one array for an operation."""
    table, op_name = op.table, op.name
    same, to_bool = op.returns == "same", op.returns == "bool"

    def decorate(declaration: F) -> F:
        name = declaration.__name__
        array = _array.Array

        def slow(x: object) -> Array:
            op = OPS[op_name]
            checked = array_operand(name, x, op.dtypes, mixes=op.mixes)
            spec = checked._spec
            return _array.wrap(call(op, spec, name, checked._tensor), _result(op, spec))

        @traced_as(slow)
        @functools.wraps(declaration)
        def function(x: Any, /) -> Any:
            if type(x) is not array:
                return slow(x)
            spec = x._spec
            try:
                tensor = table[spec](x._tensor)
            except KeyError:
                return slow(x)
            except RuntimeError as error:
                check_fault(error, name, spec.device, (x._tensor,))
                return slow(x)
            result = _new(array)
            result._tensor = tensor
            result._spec = spec if same else spec.bool if to_bool else spec.real
            return result

        return function  # type: ignore[return-value]

    return decorate


def binary(op: Op) -> Callable[[F], F]:
    """Turn a declaration into the function of two operands for an operation."""
    table, op_name = op.table, op.name
    to_bool = op.returns == "bool"

    def decorate(declaration: F) -> F:
        name = declaration.__name__
        array = _array.Array

        def slow(x1: object, x2: object) -> Array:
            op, tensors, spec = operation(OPS[op_name], name, x1, x2)
            return _array.wrap(call(op, spec, name, *tensors), _result(op, spec))

        @traced_as(slow)
        @functools.wraps(declaration)
        def function(x1: Any, x2: Any, /) -> Any:
            if type(x1) is array and type(x2) is array:
                spec = x1._spec
                if spec is x2._spec:
                    try:
                        tensor = table[spec](x1._tensor, x2._tensor)
                    except KeyError:
                        return slow(x1, x2)
                    except RuntimeError as error:
                        check_fault(error, name, spec.device, (x1._tensor, x2._tensor))
                        return slow(x1, x2)
                    result = _new(array)
                    result._tensor = tensor
                    result._spec = spec.bool if to_bool else spec
                    return result
            return slow(x1, x2)

        return function  # type: ignore[return-value]

    return decorate


# --- operators ------------------------------------------------------------------------------------

_EXACT_SCALARS: Final = {
    **{d: dt.LIMITS[d] for d in dt.SIGNED | {dt.uint8}},
    **dict.fromkeys(dt.FLOATING - dt.HALF, (-(2**53), 2**53)),
}
"""For each data type the Python integers that torch combines with it exactly."""


_TRACED: Final[dict[str, Callable[..., Any]]] = {}


def traced(op_name: str, *operands: Any) -> Array:
    """Compute what an operator does, for the compiler: the body of the operator's declaration."""
    result: Array = _TRACED[op_name](*operands)  # or NotImplemented
    return result


def _takes_scalars(op: Op, spec: Spec) -> bool:
    """Say whether torch combines arrays of a data type with Python scalars exactly."""
    return (
        spec.dtype in op.dtypes
        and spec.dtype in _EXACT_SCALARS
        and op.takes_scalars(spec)
        and op.is_native(spec)
    )


def _takes_scalar(op: Op, spec: Spec, value: float) -> bool:
    """Say so of one scalar."""
    if not _takes_scalars(op, spec) or isinstance(value, bool):
        return False
    if isinstance(value, float):
        return spec.dtype in dt.FLOATING
    low, high = _EXACT_SCALARS[spec.dtype]
    return low <= value <= high


def prefix(op: Op, symbol: str) -> Callable[[F], F]:
    """Turn a declaration into the method for ``<symbol> array``."""
    table, op_name = op.table, op.name

    def slow(self: Array) -> Array:
        op = OPS[op_name]
        checked = array_operand(symbol, self, op.dtypes)
        spec = checked._spec
        return _array.wrap(call(op, spec, symbol, checked._tensor), _result(op, spec))

    _TRACED[op_name] = slow

    def decorate(declaration: F) -> F:
        @traced_as(declaration)
        @functools.wraps(declaration)
        def method(self: Any, /) -> Any:
            spec = self._spec
            try:
                tensor = table[spec](self._tensor)
            except (KeyError, RuntimeError) as error:
                check_fault(error, symbol, spec.device, (self._tensor,))
                return slow(self)
            return _array.wrap(tensor, _result(op, spec))

        return method  # type: ignore[return-value]

    return decorate


def operator(op: Op, symbol: str) -> Callable[[F], F]:
    """Turn a declaration into the method for ``array <symbol> other``."""
    table, op_name = op.table, op.name
    floats: dict[Spec, Any] = {}
    integers: dict[Spec, Any] = {}
    to_bool = op.returns == "bool"

    def learn_scalars(spec: Spec) -> None:
        """Remember, for a data type and device, how the operation takes a Python scalar."""
        dtype = spec.dtype
        if _takes_scalars(op, spec):
            integers[spec] = (op.native, *_EXACT_SCALARS[dtype])
            if dtype in dt.FLOATING:
                floats[spec] = op.native

    def slow(self: Array, other: object) -> Any:
        if self._spec not in integers:
            learn_scalars(self._spec)
        return checked(self, other)

    def checked(self: Array, other: object) -> Any:
        op = OPS[op_name]
        if not isinstance(other, (_array.Array, *SCALARS)) and not _relaxed.takes(other):
            return NotImplemented
        op, tensors, spec = operation(op, symbol, self, other)
        return _array.wrap(call(op, spec, symbol, *tensors), _result(op, spec))

    def traced(self: Array, other: object) -> Any:
        op, spec = OPS[op_name], self._spec
        if isinstance(other, (int, float)) and _takes_scalar(op, spec, other):
            return _array.wrap(op.native(self._tensor, other), _result(op, spec))
        return checked(self, other)

    _TRACED[op_name] = traced

    def decorate(declaration: F) -> F:
        @traced_as(declaration)
        @functools.wraps(declaration)
        def method(self: Any, other: Any, /) -> Any:
            kind = type(other)
            spec = self._spec
            try:
                if kind is float:
                    tensor = floats[spec](self._tensor, other)
                elif kind is int:
                    kernel, low, high = integers[spec]
                    if not low <= other <= high:
                        return slow(self, other)
                    tensor = kernel(self._tensor, other)
                elif kind is type(self) and spec is other._spec:
                    tensor = table[spec](self._tensor, other._tensor)
                else:
                    return slow(self, other)
            except KeyError:
                return slow(self, other)
            except RuntimeError as error:
                tensors = (self._tensor, other._tensor) if kind is type(self) else (self._tensor,)
                check_fault(error, symbol, spec.device, tensors)
                return slow(self, other)
            result = _new(type(self))
            result._tensor = tensor
            result._spec = spec.bool if to_bool else spec
            return result

        return comparison(method) if to_bool else method  # type: ignore[return-value]

    return decorate


def reflected(op: Op, symbol: str) -> Callable[[F], F]:
    """Turn a declaration into the method for ``other <symbol> array``."""
    op_name = op.name

    def decorate(declaration: F) -> F:
        @functools.wraps(declaration)
        def method(self: Any, other: Any, /) -> Any:
            op = OPS[op_name]
            if not isinstance(other, (type(self), *SCALARS)) and not _relaxed.takes(other):
                return NotImplemented
            t1, t2, spec = operands(symbol, op.dtypes, other, self)
            return _array.wrap(call(op, spec, symbol, t1, t2), _result(op, spec))

        return method  # type: ignore[return-value]

    return decorate


def inplace(op: Op, symbol: str) -> Callable[[F], F]:
    """Turn a declaration into the method for ``array <symbol>= other``.

    The array is changed or, where an error is raised, left as it was.
    """
    op_name = op.name

    def decorate(declaration: F) -> F:
        @functools.wraps(declaration)
        def method(self: Any, other: Any, /) -> Any:
            op = OPS[op_name]
            if not isinstance(other, (type(self), *SCALARS)) and not _relaxed.takes(other):
                return NotImplemented
            target: Tensor = self._tensor
            op, tensors, spec = operation(op, symbol, self, other)
            last = tensors[-1]
            check_inplace(symbol, target, self._spec, last, spec)
            direct = op.inplace if spec is self._spec and op.is_native(spec) else None
            try:
                if direct is not None and not overlap(target, last):
                    direct(target, last)
                else:
                    result = call(op, spec, symbol, kept(*tensors), *tensors[1:])
                    target.copy_(cast(result, target.dtype))
            except RuntimeError as error:
                check_fault(error, symbol, spec.device, (target, last))
                raise
            return self

        return method  # type: ignore[return-value]

    return decorate


def check_inplace(symbol: str, target: Tensor, own: Spec, other: Tensor, result: Spec) -> None:
    """Check that the result of an in-place operator fits the array that it is written to."""
    if result is not own and not _relaxed.fits_in_place(own.dtype, result.dtype):
        fits = dt.PROMOTION.get((own.dtype, result.dtype)) is not None and not (
            result.dtype in dt.COMPLEX and own.dtype not in dt.COMPLEX
        )
        raise TypeError(
            f"{symbol}: the result would be of {dt.NAMES[result.dtype]}, which is not cast to the "
            f"array's dtype, {dt.NAMES[own.dtype]}, in place. Write x = x {symbol[:-1]} y instead."
            f"{_relaxed.HINT if fits else ''}"
        )
    shape = tuple(target.shape)
    common = broadcast(shape, other.shape)
    if common is None:
        raise not_broadcastable(symbol, shape, tuple(other.shape))
    if common != shape:
        raise ValueError(
            f"{symbol}: an operand of shape {tuple(other.shape)} could not be broadcast to the "
            f"array's shape {shape}; an array does not grow in place."
        )
    check_writable(symbol, target)


def check_writable(function: str, target: Tensor) -> None:
    """Check that no two elements of a tensor share memory, as they do after broadcasting."""
    if target.numel() and any(n > 1 and s == 0 for n, s in zip(target.shape, target.stride())):
        raise ValueError(
            f"{function}: the array was broadcast, so that several of its elements are one in "
            "memory, and cannot be written to. Copy it with asarray(x, copy=True) first."
        )


def kept(target: Tensor, *others: Tensor) -> Tensor:
    """Return an operand that is about to be overwritten: a copy, where derivatives may need it."""
    return target.clone() if tracked(target, *others) else target


def _traced_may_overlap(target: Tensor, other: Tensor) -> bool:  # noqa: ARG001
    return True  # the compiler takes out a copy that is not needed


@traced_as(_traced_may_overlap)
def share_memory(x: Tensor, y: Tensor) -> bool:
    """Say whether two tensors are, or may be, parts of one piece of memory."""
    return batched(x, y) or bool(x.untyped_storage()._cdata == y.untyped_storage()._cdata)


@traced_as(_traced_may_overlap)
def overlap(target: Tensor, other: Tensor) -> bool:
    """Say whether writing to one tensor could change elements of the other that are yet unread.

    The same elements in the same order are no hindrance to an elementwise operation.
    """
    if not share_memory(target, other):
        return False
    return batched(target, other) or not (
        target.storage_offset() == other.storage_offset()
        and target.shape == other.shape
        and target.stride() == other.stride()
    )
