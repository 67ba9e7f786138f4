"""Relaxed mode: answers as in NumPy where the standard leaves behaviour undefined.

Imports no chapter and no array: it decides by data types and Python objects.

Callers ask these functions only where strict code would raise.  So calls that the standard allows
never come here, in either mode.  In strict mode each function raises the error that it was given.

https://numpy.org/doc/stable/reference/generated/numpy.result_type.html
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import CodeType
from typing import Any, Final

import numpy as np

from .._errors import exceptions
from .._torch import dtypes as dt
from .._torch import torch
from . import defaults, settings

HINT: Final = exceptions.HINT


def on() -> bool:
    """Say whether relaxed mode is on.

    Code that takes what strict mode refuses asks ``allows`` or ``require`` instead.
    """
    return bool(settings.current().relaxed)


def freely() -> bool:
    """Say whether relaxed mode is on and lists nothing, so that no error need be made."""
    return settings.current().relaxed is True


def allows(error: Exception) -> bool:
    """Say whether relaxed mode takes what strict mode refuses with an error, and note the error."""
    if not on():
        return False
    add_to_report(error)
    return True


def require(error: Exception, *, always: bool = False) -> None:
    """Raise an error, with the hint, unless relaxed mode is on or the call is always allowed."""
    if not (always or allows(error)):
        raise type(error)(f"{error}{HINT}")


_noting: Final[list[Callable[[Exception, tuple[CodeType, int] | None], None]]] = []


def when_noted(tell: Callable[[Exception, tuple[CodeType, int] | None], None]) -> None:
    """Have a function called with each error that strict mode would raise, if they are listed.

    Its second argument is the place in the user's code, or None for the call that is under way.
    """
    _noting.append(tell)


def noting() -> bool:
    """Say whether what strict mode would refuse is listed."""
    return settings.current().relaxed == "warn" and not torch.compiler.is_compiling()


def add_to_report(error: Exception, place: tuple[CodeType, int] | None = None) -> None:
    """List an error of strict mode, if the option asks for it."""
    if noting():
        for tell in _noting:
            tell(error, place)


def beyond(text: str, refusing: str = "array_api_strict") -> None:
    """List a call that strict mode takes and other namespaces refuse, with what is portable."""
    if noting():
        add_to_report(TypeError(f"{text} Strict mode takes it; {refusing} refuses it."))


DTYPE: Final = TypeError("dtype")
"""Noted in place of an error where code asks for the data type of an array: it may compare it."""


def refusal(function: Callable[..., Any], *given: Any, **named: Any) -> Exception | None:
    """Return the error that strict mode would raise for a call, if such errors are listed.

    Ask it of functions that relaxed mode computes in its own way from the start, and note the error
    if relaxed mode has a result.
    """
    if noting():
        try:
            settings.strictly(function, *given, **named)
        except Exception as error:  # noqa: BLE001  # it is returned
            return error
    return None


def refuse_divmod() -> None:
    """Refuse ``divmod`` in strict mode: the standard's arrays do not have it."""
    require(TypeError("divmod: write (x // y, x % y), of finite numbers."))


# --- data types -----------------------------------------------------------------------------------


@functools.cache
def numpy_promotion(dtype1: torch.dtype, dtype2: torch.dtype) -> torch.dtype:
    """Return the data type to which NumPy promotes two data types of any kinds."""
    known = dt.PROMOTION.get((dtype1, dtype2))
    if known is not None:
        return known
    # NumPy has no bfloat16; its rules for float16 come nearest.
    names = ["float16" if d is dt.bfloat16 else dt.NAMES[d] for d in (dtype1, dtype2)]
    promoted = dt.BY_NAME[np.result_type(*names).name]
    return dt.bfloat16 if dt.bfloat16 in (dtype1, dtype2) and promoted is dt.float16 else promoted


def promote_kinds(
    dtype1: torch.dtype, dtype2: torch.dtype, error: Exception, *, always: bool = False
) -> torch.dtype:
    """Return the data type to which two data types of different kinds promote.

    ``always`` is True for functions beyond the standard, which promote kinds in strict mode too.
    """
    require(error, always=always)
    return numpy_promotion(dtype1, dtype2)


def of_scalars(values: list[complex], error: Exception) -> torch.dtype:
    """Return the data type to which Python scalars alone promote."""
    if not allows(error):
        # Parentheses would break SciPy's tests, which use the message as a regular expression.
        raise type(error)(f"{error} xp.options with relaxed=True allows it.")
    if all(isinstance(v, bool) for v in values):
        return dt.bool
    if all(isinstance(v, int) for v in values):
        return defaults.int_dtype()
    real = all(isinstance(v, (int, float)) for v in values)
    return defaults.float_dtype() if real else defaults.complex_dtype()


_narrowed: Final[list[Callable[[str, str], None]]] = []


def when_narrowed(tell: Callable[[str, str], None]) -> None:
    """Have a function called when float32 takes the place of NumPy's float64.

    Its arguments are what asks for it, a data type or ``"float"``, and what happens, as a text.
    """
    _narrowed.append(tell)


def default_float(own: torch.dtype) -> torch.dtype:
    """Return the default data type, in which relaxed mode computes integers."""
    dtype = defaults.float_dtype()
    if dtype is dt.float32 and own.itemsize >= 4 and own in dt.INTEGER and on():
        for tell in _narrowed:
            tell("integers", f"{dt.NAMES[own]} is computed")
    return dtype


def with_scalar(
    dtype: torch.dtype, value: complex, error: Exception, *, always: bool = False
) -> torch.dtype:
    """Return the data type of an array combined with a Python scalar of a higher kind."""
    require(error, always=always)
    if isinstance(value, bool):
        return dtype
    if isinstance(value, int):  # the array is boolean
        dtype = defaults.int_dtype()
        if not dt.LIMITS[dtype][0] <= value <= dt.LIMITS[dtype][1]:
            raise OverflowError(
                f"the Python integer {value} is out of bounds for {dt.NAMES[dtype]}, to which it "
                "takes an array of bool. Write a float."
            )
        return dtype
    return default_float(dtype) if isinstance(value, float) else defaults.dtype_of(value)


LOGICAL: Final = {
    **dict.fromkeys(("add", "+", "+="), "logical_or"),
    **dict.fromkeys(("multiply", "*", "*="), "logical_and"),
    "maximum": "logical_or",
    "minimum": "logical_and",
    "max": "any",
    "min": "all",
    **dict.fromkeys(("abs", "ceil", "floor", "trunc", "clip"), "clone"),
}
"""For functions that NumPy computes of Booleans as truth values, the operation that does it."""


def lifted(
    function: str,
    dtype: torch.dtype,
    allowed: frozenset[torch.dtype],
    error: Exception,
    *,
    always: bool = False,
) -> torch.dtype:
    """Return the data type in which a function computes an operand whose own it does not take."""
    if allowed == dt.BOOLEAN:
        require(error)
        return dt.bool
    if dtype in dt.INTEGER_OR_BOOLEAN:
        if dtype is dt.bool and function in LOGICAL and on():
            require(error, always=always)
            return dtype
        for candidate in (defaults.int_dtype(), defaults.float_dtype(), defaults.complex_dtype()):
            if candidate in allowed and not (candidate in dt.INTEGER and dtype in dt.INTEGER):
                require(error, always=always)
                return default_float(dtype) if candidate is defaults.float_dtype() else candidate
    if dtype in dt.COMPLEX_OF and dt.COMPLEX_OF[dtype] in allowed:
        require(error)
        return dt.COMPLEX_OF[dtype]
    raise error


_PYTHON: Final = {
    bool: lambda: dt.bool,
    int: defaults.int_dtype,
    float: defaults.float_dtype,
    complex: defaults.complex_dtype,
}


_BY_WORD: Final = {kind.__name__: kind for kind in _PYTHON if kind is not bool}


def python_type(dtype: object) -> type | None:
    """Return the Python type of numbers that a ``dtype`` argument is or names, if it is one."""
    named = _BY_WORD.get(dtype) if isinstance(dtype, str) else dtype
    return named if isinstance(named, type) and named in _BY_WORD.values() else None


def meant(dtype: object) -> torch.dtype | None:
    """Return the data type that a Python type, a NumPy data type or a name stands for, if any."""
    if dtype is None:  # NumPy takes it for float64
        return None
    if isinstance(dtype, str):
        dtype = _BY_WORD.get(dtype, dtype)
    if isinstance(dtype, type) and dtype in _PYTHON:
        return _PYTHON[dtype]()
    if isinstance(dtype, str) and dtype in dt.BY_NAME:
        return dt.BY_NAME[dtype]
    try:
        return dt.BY_NAME.get(np.dtype(dtype).name)  # type: ignore[call-overload]  # whatever it is
    except (TypeError, ValueError):
        return None


def named_dtype(dtype: object, error: Exception) -> torch.dtype:
    """Return the data type that an object stands for in relaxed mode, or raise an error."""
    named = meant(dtype)
    if named is None:
        raise error
    require(error)
    if named is dt.float32 and python_type(dtype) is float:
        for tell in _narrowed:
            tell("float", "dtype=float is")
    return named


# --- operands -------------------------------------------------------------------------------------


_CONVERTED: Final = (np.generic, np.ndarray, torch.Tensor, list, tuple, int, float, complex)
"""The types that are converted to arrays."""


def takes(x: object) -> bool:
    """Say whether relaxed mode accepts an operand that is neither an array nor a Python scalar."""
    return on() and would_take(x)


def would_take(x: object) -> bool:
    """Say whether relaxed mode, where it is on, accepts such an operand."""
    if not isinstance(x, (list, tuple)):
        return isinstance(x, (np.generic, np.ndarray, torch.Tensor))
    try:
        return np.asarray(x).dtype.kind in "biufc"
    except ValueError:  # its rows differ in length
        return False


def converts(x: object) -> bool:
    """Say whether relaxed mode converts an argument for which other types are allowed too."""
    return isinstance(x, (np.ndarray, torch.Tensor, list, tuple)) and on()


def scalar(x: object, error: Exception | None = None) -> complex | None:
    """Return the Python scalar that a NumPy scalar equals in relaxed mode, else None.

    ``error`` is what strict mode raises for it, if it raises.
    """
    if isinstance(x, np.generic) and (on() if error is None else allows(error)):
        value: complex = x.item()
        return value
    return None


# --- sizes, axes, flags ---------------------------------------------------------------------------


def as_python(value: Any) -> Any:
    """Return what NumPy reads in place of a size, an axis, a flag or a shape: Python's own values.

    An array of 0 dimensions and a scalar of NumPy's are numbers, an array of one axis is a tuple,
    and anything else is itself.  For an array on an accelerator the host waits.
    """
    shape = getattr(value, "shape", None)
    if shape is None:
        if not isinstance(value, (list, tuple)) or all(type(v) is int for v in value):
            return value
        return [*map(as_python, value)] if isinstance(value, list) else tuple(map(as_python, value))
    if len(shape) == 1:
        return tuple(map(as_python, value))
    dtype: Any = getattr(value, "dtype", None)
    name = str(dt.NAMES.get(dtype) or getattr(dtype, "name", ""))
    kind = None if shape else _READ.get(name)
    return value if kind is None else kind(value)


_READ: Final[dict[str, Callable[[Any], Any]]] = {
    **{dt.NAMES[d]: operator.index for d in dt.INTEGER},
    **{dt.NAMES[d]: float for d in dt.REAL_FLOATING},
    "bool": operator.truth,
}
"""How a number of each data type is read."""


_AXES: Final = 64
"""As many axes NumPy's arrays can have."""


def read(value: Any, types: type | tuple[type, ...], error: Exception) -> Any:
    """Return an argument as one of Python's types, if relaxed mode reads it so, or raise an error.

    A function that takes a tuple of integers takes a single one too; flags may be integers.
    """
    shape: tuple[int, ...] = getattr(value, "shape", ())
    got: Any = value if shape and shape[0] > _AXES else as_python(value)
    if types is tuple and type(got) is int:
        got = (got,)
    elif types is bool and type(got) is int:
        got = bool(got)
    fits = isinstance(got, types) and (types is bool or not isinstance(got, bool))
    if not fits or (types is tuple and not all(type(n) is int for n in got)):
        raise error
    require(error)
    return got


def check_convertible(x: object, error: Exception) -> None:
    """Raise the error unless relaxed mode converts a foreign object to an array."""
    if not isinstance(x, _CONVERTED) and not hasattr(x, "__dlpack__"):
        raise error
    require(error)


def casts(own: torch.dtype, wanted: torch.dtype, casting: Any = "same_kind") -> bool:
    """Say whether NumPy casts a data type to another; in place to the same kind or a higher one.

    https://numpy.org/doc/stable/reference/generated/numpy.can_cast.html
    """
    source, target = ("float16" if d is dt.bfloat16 else dt.NAMES[d] for d in (own, wanted))
    return np.can_cast(source, target, casting)
