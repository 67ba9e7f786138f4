"""Operands of all functions: checked, converted if the options allow it, and promoted.

Imports no chapter, and names no device type.

The functions return a tensor together with its ``Spec``, the data type and device.  Callers must
use the two together, and not the user's object, which may be no array or of another data type.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import torch

from .._arrays.array import Array, wrap
from .._arrays.axes import broadcast
from .._arrays.promotion import SCALARS, promote, promote_scalar, scalar_tensor
from .._devices.device import Device, Spec
from .._errors.exceptions import (
    describe,
    divided_by_zero,
    foreign,
    mixed_devices,
    mixed_dtypes,
    of_numbers,
    wrong_dtype,
)
from .._options import relaxed
from .._reports import late_errors
from .._routes._operations import OPS, Op, cast
from .._torch import Tensor
from .._torch import dtypes as dt
from .._torch.tracing import traced_as
from .interchange import asarray

Operand: TypeAlias = "tuple[Tensor, Spec]"
"""A tensor and its spec."""


def converted(
    x: object, device: Device | None, error: Exception, dtype: torch.dtype | None = None
) -> Array:
    """Return a foreign object as an array in relaxed mode; raise the error in strict mode."""
    relaxed.check_convertible(x, error)
    return asarray(x, dtype=dtype, device=device)


def operand(
    function: str, x: object, allowed: frozenset[torch.dtype], *, mixes: bool = False
) -> Operand:
    """Return an operand, which must be an array of an allowed data type: its tensor and spec."""
    if not isinstance(x, Array):
        # If Python's own function serves these numbers, there is nothing to convert.
        mixes = mixes or bool(of_numbers(function, x))
        x = converted(x, None, foreign(function, x))
    spec = x._spec
    if spec.sure is not spec:  # its doubts may have been judged: then it is sure again
        spec = late_errors.settled(x)
    if spec.dtype not in allowed:
        error = wrong_dtype(function, spec.dtype, allowed)
        name = "positive" if function == "+" else function  # the sum of two has its own rule
        dtype = relaxed.lifted(name, spec.dtype, allowed, error, always=mixes)
        return cast(x._tensor, dtype), spec.of(dtype)
    return x._tensor, spec


def array_operand(function: str, x: object, allowed: frozenset[torch.dtype]) -> Array:
    """Return an operand as an array, for functions made of functions of arrays."""
    return wrap(*operand(function, x, allowed))


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
        The two tensors, of one data type and device, and their spec.
    """
    if isinstance(x1, Array) and isinstance(x2, Array):
        spec = same_device(function, x1._spec, x2._spec)
        dtype = promote(function, x1._spec.dtype, x2._spec.dtype, mixes=mixes)
        spec = spec.of(dtype)
        tensors = cast(x1._tensor, dtype), cast(x2._tensor, dtype)
    elif isinstance(x1, Array) and isinstance(x2, SCALARS):
        dtype = _with_scalar(function, allowed, x2, x1._spec.dtype, mixes=mixes)
        spec = x1._spec.of(dtype)
        tensors = cast(x1._tensor, dtype), scalar_tensor(x2, spec)
    elif isinstance(x2, Array) and isinstance(x1, SCALARS):
        dtype = _with_scalar(function, allowed, x1, x2._spec.dtype, mixes=mixes)
        spec = x2._spec.of(dtype)
        tensors = scalar_tensor(x1, spec), cast(x2._tensor, dtype)
    else:
        return operands(function, allowed, *_converted_pair(function, x1, x2), mixes=mixes)
    if dtype not in allowed:
        error = wrong_dtype(function, dtype, allowed)
        dtype = relaxed.lifted(function, dtype, allowed, error, always=mixes)
        spec = spec.of(dtype)
        tensors = cast(tensors[0], dtype), cast(tensors[1], dtype)
    return (*tensors, spec)


def several(
    function: str, allowed: frozenset[torch.dtype], *given: object, mixes: bool = False
) -> tuple[tuple[Tensor, ...], Spec]:
    """Check and promote any number of operands, of which all but one may be Python scalars.

    The arrays promote first: otherwise the data type would depend on the order of the operands.
    """
    arrays = [x for x in given if isinstance(x, Array)]
    device = arrays[0]._spec.device if arrays else None
    taken: list[object] = []
    for x in given:
        if not isinstance(x, (Array, *SCALARS)):
            error = foreign(function, x, "an Array or a Python scalar")
            scalar = relaxed.scalar(x)
            x = converted(x, device, error) if scalar is None else scalar
        taken.append(x)
    if not any(isinstance(x, Array) for x in taken):
        error = TypeError(
            f"{function}: expected at least one Array, got {', '.join(map(describe, given))}. "
            "Convert one of them with asarray() first."
        )
        taken[0] = converted(taken[0], None, error)
    arrays = [x for x in taken if isinstance(x, Array)]
    spec = same_device(function, *(x._spec for x in arrays))
    dtype = arrays[0]._spec.dtype
    for array in arrays[1:]:
        dtype = promote(function, dtype, array._spec.dtype, mixes=mixes)
    for x in taken:
        if isinstance(x, SCALARS):
            dtype = _with_scalar(function, allowed, x, dtype, mixes=mixes)
    if dtype not in allowed:
        error = wrong_dtype(function, dtype, allowed)
        dtype = relaxed.lifted(function, dtype, allowed, error, always=mixes)
    spec = spec.of(dtype)
    tensors: list[Tensor] = []
    for x in taken:
        if isinstance(x, Array):
            tensors.append(cast(x._tensor, dtype))
        elif isinstance(x, SCALARS):
            tensors.append(scalar_tensor(x, spec))
    return tuple(tensors), spec


def _with_scalar(
    function: str, allowed: frozenset[torch.dtype], value: complex, own: torch.dtype, *, mixes: bool
) -> torch.dtype:
    """Return the data type of an array combined with a Python scalar.

    If the function computes integers as floating-point numbers, an integer need not fit the array's
    own data type.
    """
    try:
        return promote_scalar(function, value, own, mixes=mixes)
    except OverflowError:
        if allowed & dt.INTEGER_OR_BOOLEAN or not (mixes or relaxed.on()):
            raise
        return relaxed.lifted(function, own, allowed, wrong_dtype(function, own, allowed))


def _converted_pair(function: str, x1: object, x2: object) -> tuple[object, object]:
    """Return two operands, with the one that is neither array nor scalar converted."""
    for x, other in ((x1, x2), (x2, x1)):
        if not isinstance(x, (Array, *SCALARS)):
            error = foreign(function, x, "an Array or a Python scalar")
            device = other._spec.device if isinstance(other, Array) else None
            scalar = relaxed.scalar(x, error)
            taken = converted(x, device, error) if scalar is None else scalar
            return (taken, x2) if x is x1 else (x1, taken)
    hint = of_numbers(function, x1, x2) or " Convert one of them with asarray() first."
    error = TypeError(
        f"{function}: expected at least one Array, got {describe(x1)} and {describe(x2)}.{hint}"
    )
    return converted(x1, None, error), x2


def array_operands(
    function: str, allowed: frozenset[torch.dtype], x1: object, x2: object
) -> tuple[Tensor, Tensor, Spec]:
    """Check and promote two operands, both of which must be arrays."""
    if type(x1) is type(x2) is Array and x1._spec is x2._spec and x1._spec.dtype in allowed:
        return x1._tensor, x2._tensor, x1._spec
    (t1, spec1), (t2, spec2) = operand(function, x1, allowed), operand(function, x2, allowed)
    if spec1 is not spec2:
        spec1, spec2 = same_device(function, spec1, spec2), same_device(function, spec2, spec1)
    if spec1 is spec2:
        return t1, t2, spec1
    if dt.bool not in allowed:  # only relaxed mode lets them through; they promote to any other
        if isinstance(x1, Array) and x1.dtype is dt.bool:
            return cast(x1._tensor, spec2.dtype), t2, spec2
        if isinstance(x2, Array) and x2.dtype is dt.bool:
            return t1, cast(x2._tensor, spec1.dtype), spec1
    spec = spec1.of(promote(function, spec1.dtype, spec2.dtype))
    return cast(t1, spec.dtype), cast(t2, spec.dtype), spec


def as_truth(product: Array, x1: object, x2: object) -> Array:
    """Return a product of arrays; as Booleans if both operands are, as in NumPy."""
    if product.dtype is not dt.int64 or any(
        asarray(x).dtype is not dt.bool for x in (x1, x2) if isinstance(x, Array) or relaxed.on()
    ):
        return product
    return wrap(cast(product._tensor, dt.bool), product._spec.bool)


def operation(op: Op, function: str, x1: object, x2: object) -> tuple[Op, tuple[Tensor, ...], Spec]:
    """Check and promote two operands; return the operation to compute, its tensors and their spec.

    A Python scalar may select a form of the operation with one operand, such as the square for 2.
    """
    while op.forms and not all(isinstance(x, (Array, *SCALARS)) for x in (x1, x2)):
        x1, x2 = _converted_pair(function, x1, x2)
    if isinstance(x1, Array) and isinstance(x2, (int, float)) and not isinstance(x2, bool):
        # A comparison keeps a traced number symbolic; a look-up would need a trace for each number.
        for form in [f for value, f in op.forms.items() if value == x2]:
            dtype = promote_scalar(function, x2, x1._spec.dtype, mixes=op.mixes)
            if dtype in form.dtypes:
                return form, (cast(x1._tensor, dtype),), x1._spec.of(dtype)
    if op.name in _COMPARISONS and relaxed.on():  # what strict mode refuses is noted there
        x1, x2 = _comparable(function, x1, x2)
    t1, t2, spec = operands(function, op.dtypes, x1, x2, mixes=op.mixes)
    if op.name == "pow" and spec.dtype in dt.SIGNED and isinstance(x2, int) and x2 < 0:
        raise ValueError(
            f"{function}: a negative power of integers is no integer, and undefined. Convert them "
            "to floating-point numbers with astype() first."
        )
    if op.divides and isinstance(x2, int) and spec.dtype in dt.INTEGER:
        _judge_divisor(function, x2, t1, t2)
    if spec.dtype not in op.dtypes:
        # Relaxed mode computes Booleans by another operation.  A kernel in the tables of this one
        # would be found in strict mode too.
        op = OPS[relaxed.LOGICAL[function]]
    return op, (t1, t2), spec


_COMPARISONS: Final = frozenset(
    ("equal", "greater", "greater_equal", "less", "less_equal", "not_equal")
)


def _comparable(function: str, x1: object, x2: object) -> tuple[object, object]:
    """Return two operands that compare as the given ones do, exact for integers as in NumPy.

    No data type holds all integers of a signed array and of a uint64 array, or those of an array
    and a Python integer out of its bounds.  Where a sign decides the order, other numbers that
    compare alike replace them.
    """
    if not isinstance(x1, (Array, *SCALARS)) or not isinstance(x2, (Array, *SCALARS)):
        x1, x2 = _converted_pair(function, x1, x2)
    if isinstance(x1, Array) and isinstance(x2, Array):
        if x1.dtype in dt.SIGNED and x2.dtype is dt.uint64:
            relaxed.add_to_report(mixed_dtypes(function, x1.dtype, x2.dtype))
            return _by_sign(x1, x2)
        if x2.dtype in dt.SIGNED and x1.dtype is dt.uint64:
            relaxed.add_to_report(mixed_dtypes(function, x1.dtype, x2.dtype))
            return _by_sign(x2, x1)[::-1]
    elif isinstance(x1, Array):
        if (sign := _beyond(function, x1, x2)) != 0:
            return _zeros(x1), sign
    elif isinstance(x2, Array) and (sign := _beyond(function, x2, x1)) != 0:
        return sign, _zeros(x2)
    return x1, x2


def _beyond(function: str, x: Array, value: object) -> int:
    """Return 1 or -1 for a Python integer above or below the bounds of a data type, else 0."""
    if not isinstance(value, int) or x.dtype not in dt.INTEGER_OR_BOOLEAN:
        return 0
    low, high = dt.LIMITS[dt.int64 if x.dtype is dt.bool else x.dtype]
    sign = int(value > high) - int(value < low)
    refused = relaxed.refusal(promote_scalar, function, value, x.dtype) if sign else None
    if refused is not None:
        relaxed.add_to_report(refused)
    return sign


def _zeros(x: Array) -> Array:
    """Return zeros of int8 in the shape of an array of integers or Booleans."""
    zeros = OPS["bitwise_xor"].on(x._spec)(x._tensor, x._tensor)
    return wrap(cast(zeros, dt.int8), x._spec.of(dt.int8))


def _by_sign(x: Array, y: Array) -> tuple[Array, Array]:
    """Return signed and unsigned integers as uint64 that compare alike.

    Where the signed integer is negative, the pair becomes 0 and 1.
    """
    if x.device is not y.device or broadcast(x.shape, y.shape) is None:
        return x, y  # the caller refuses them
    spec = y._spec
    negative = OPS["less"].on(x._spec)(x._tensor, scalar_tensor(0, x._spec))
    choose, zero, one = OPS["where"].on(spec), scalar_tensor(0, spec), scalar_tensor(1, spec)
    return (
        wrap(choose(negative, zero, cast(x._tensor, spec.dtype)), spec),
        wrap(choose(negative, one, y._tensor), spec),
    )


def _traced_judge_divisor(function: str, divisor: int, x: Tensor, _tensor: Tensor) -> None:
    """Raise if the divisor is 0: on an accelerator compiled code reports no divisor later."""
    if divisor == 0 and x.numel() and not relaxed.on():
        raise divided_by_zero(function)


@traced_as(_traced_judge_divisor)
def _judge_divisor(function: str, divisor: int, x: Tensor, tensor: Tensor) -> None:
    """Raise if a Python integer that divides an array is 0, else note that ``tensor`` has no zero.

    ``tensor`` holds the divisor.  The host knows its value, so no kernel need judge it.
    """
    if divisor == 0 and x.numel():
        if relaxed.allows(divided_by_zero(function)):
            return
        raise divided_by_zero(function)
    late_errors.known_nonzero(tensor)


def same_device(function: str, *specs: Spec) -> Spec:
    """Check that all operands are on one device; return the spec of a result of the first."""
    first = specs[0].device
    for spec in specs[1:]:
        if spec.device is not first:
            raise mixed_devices(function, first, spec.device)
    return late_errors.joint(*specs)
