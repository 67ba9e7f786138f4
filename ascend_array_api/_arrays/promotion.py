"""Promotion: the data type in which operands are combined, and Python scalars as tensors.

Knows nothing of arrays: it decides by data types and Python scalars.

https://data-apis.org/array-api/2023.12/API_specification/type_promotion.html
"""

from __future__ import annotations

import math
from typing import Final

from .._devices.device import Spec
from .._errors.exceptions import describe, mixed_dtypes
from .._options import relaxed
from .._routes.creation import full
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from .._torch.tracing import traced_as

SCALARS: Final = (bool, int, float, complex)
"""The Python scalars; NumPy's float64 and complex128 are among them by inheritance."""


def promote(
    function: str, dtype1: torch.dtype, dtype2: torch.dtype, *, mixes: bool = False
) -> torch.dtype:
    """Return the data type to which two arrays promote."""
    dtype = dt.PROMOTION.get((dtype1, dtype2))
    if dtype is None:
        error = mixed_dtypes(function, dtype1, dtype2)
        return relaxed.promote_kinds(dtype1, dtype2, error, always=mixes)
    return dtype


def promote_scalar(
    function: str, value: complex, dtype: torch.dtype, *, mixes: bool = False
) -> torch.dtype:
    """Return the data type in which an array of ``dtype`` and a Python scalar are combined.

    ``mixes`` is True for functions that combine operands of different kinds in strict mode too.

    https://data-apis.org/array-api/2024.12/API_specification/type_promotion.html
    """
    if isinstance(value, bool):
        allowed = dtype is dt.bool
    elif isinstance(value, int):
        if dtype in dt.LIMITS:
            low, high = dt.LIMITS[dtype]
            if not low <= value <= high:
                wider = _wider(function, value, dtype)
                raise OverflowError(
                    f"{function}: the Python integer {value} is out of bounds for "
                    f"{dt.NAMES[dtype]}, which holds {low} to {high}. {wider}"
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
        return relaxed.with_scalar(dtype, value, error, always=mixes)
    return dtype


def whole(function: str, value: float, dtype: torch.dtype) -> int:
    """Return the integer part of a real number, which must fit an integer data type."""
    try:
        number = int(value)
    except (ValueError, OverflowError) as error:
        raise type(error)(f"{function}: {error}.") from error
    promote_scalar(function, number, dtype)
    return number


def _wider(function: str, value: int, dtype: torch.dtype) -> str:
    """Return the advice for an integer that does not fit: the narrowest data type that holds it."""
    holding = [d for d in dt.LIMITS if dt.LIMITS[d][0] <= value <= dt.LIMITS[d][1]]
    if function == "asarray":
        name = dt.NAMES[min(holding, key=lambda d: d.itemsize)] if holding else "float64"
        return f"Pass dtype={name}."
    wider = [d for d in holding if dt.PROMOTION.get((dtype, d)) is d]
    name = dt.NAMES[min(wider, key=lambda d: d.itemsize)] if wider else "float64"
    return f"Convert the array to {name} with astype() first."


_MAX: Final = {d: torch.finfo(d).max for d in dt.FLOATING - {dt.float64, dt.complex128}}
_DIGITS: Final = {dt.float16: (11, -24), dt.bfloat16: (8, -133)}
"""For each short data type: the binary digits of a number, and the exponent of the least number."""
_DOUBLE: Final = {d: dt.complex128 if d in dt.COMPLEX else dt.float64 for d in dt.FLOATING}


def _rounded(value: float, digits: int, least: int) -> float:
    """Return the nearest number with so many binary digits, the last of them at least 2**least.

    torch would round to float32 first, and rounding twice may give another number.
    """
    if not value or not math.isfinite(value):
        return value
    last = max(math.frexp(value)[1] - digits, least)
    return math.copysign(math.ldexp(round(math.ldexp(value, -last)), last), value)


def _traced_scalar_value(value: complex, dtype: torch.dtype) -> complex:
    """Return the value as the compiler traces it.

    The compiler has symbols for numbers that change from call to call.  A symbol stays one if torch
    takes it as it is.
    """
    if isinstance(value, complex) or dtype not in dt.FLOATING:
        return _scalar_value(value, dtype)
    number = float(value)
    if dtype in _DIGITS or abs(number) > _MAX.get(dtype, math.inf):
        # torch would round it twice, or refuse it.  frexp() makes a constant of the symbol.
        return _scalar_value(math.ldexp(*math.frexp(number)), dtype)
    return number


@traced_as(_traced_scalar_value)
def scalar_value(value: complex, dtype: torch.dtype) -> complex:
    """Return a Python scalar, which must fit a data type, as the number that torch converts right.

    It is rounded already where torch would round twice, and infinite where torch would refuse it.
    """
    return _scalar_value(value, dtype)


_MOST: Final = int(torch.finfo(dt.float64).max)


def _scalar_value(value: complex, dtype: torch.dtype) -> complex:
    if dtype not in dt.FLOATING:
        return value
    if isinstance(value, int) and abs(value) > _MOST:
        raise OverflowError(
            f"a Python integer of {value.bit_length()} bits is out of bounds for "
            f"{dt.NAMES[dtype]}, and for float64 too."
        )
    if dtype in dt.COMPLEX:
        value = complex(value)
    else:
        value = float(value.real)
        if dtype in _DIGITS:
            value = _rounded(value, *_DIGITS[dtype])
    # Compare by parts: abs() of a complex number can overflow, or raise for an error that another
    # library has left in C's errno.
    most = _MAX.get(dtype, math.inf)
    if abs(value.real) > most or abs(value.imag) > most:
        # torch refuses a scalar that overflows; the conversion of a tensor rounds it instead.
        rounded: complex = torch.tensor(value, dtype=_DOUBLE[dtype], device="cpu").to(dtype).item()
        return rounded
    return value


def scalar_tensor(value: complex, spec: Spec) -> Tensor:
    """Return a Python scalar, which must fit, as a 0-dimensional tensor."""
    number = scalar_value(value, spec.dtype)
    tensor: Tensor = full.on(spec)((), number, spec.dtype, spec.device.torch_device)
    return tensor
