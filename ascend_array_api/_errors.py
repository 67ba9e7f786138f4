"""The sentences with which the namespace refuses.

Each says which function refused, what it was given, what it takes, and what to do instead.
"""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

from . import _dtypes

if TYPE_CHECKING:
    import torch


def describe(x: object) -> str:
    """Say in a few words what an operand is."""
    dtype = getattr(x, "dtype", None)
    if dtype in _dtypes.NAMES and hasattr(x, "_spec"):
        return f"an array of {_dtypes.NAMES[dtype]}"
    if isinstance(x, (bool, int, float, complex)) and type(x).__module__ == "builtins":
        return f"the Python {type(x).__name__} {x!r}"
    kind = type(x)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return f"an object of type {name}"


def foreign(function: str, x: object, allowed: str = "Array") -> TypeError:
    """Return the error for an operand that is neither an array nor, where allowed, a scalar."""
    return TypeError(
        f"{function}: expected {allowed}, got {describe(x)}. Convert it with asarray() first."
    )


def wrong_dtype(
    function: str, dtype: torch.dtype, allowed: frozenset[torch.dtype], hint: str = ""
) -> TypeError:
    """Return the error for an array of a data type that a function does not take."""
    hint = hint or "Convert it with astype() first."
    return TypeError(
        f"{function}: data type {_dtypes.NAMES.get(dtype, dtype)} is not allowed; "
        f"allowed are {_dtypes.kind_name(allowed)} data types. {hint}"
    )


def mixed_dtypes(function: str, *dtypes: torch.dtype) -> TypeError:
    """Return the error for arrays whose data types do not promote."""
    names = " and ".join(_dtypes.NAMES[d] for d in dtypes)
    return TypeError(
        f"{function}: data types {names} do not promote to one another; "
        "the standard leaves mixed kinds undefined. Convert one of them with astype() first."
    )


def mixed_devices(function: str, *devices: object) -> ValueError:
    """Return the error for arrays on different devices."""
    names = " and ".join(str(d) for d in devices)
    return ValueError(
        f"{function}: the arrays are on different devices ({names}). "
        "Move them to one with to_device() first."
    )


def not_broadcastable(function: str, *shapes: tuple[int, ...]) -> ValueError:
    """Return the error for shapes that cannot be broadcast together."""
    names = ", ".join(map(str, shapes))
    return ValueError(
        f"{function}: shapes {names} could not be broadcast together. Two sizes of one axis must "
        "be equal, or one of them must be 1."
    )


class AxisError(ValueError, IndexError):
    """An axis that the array does not have; both a ValueError and an IndexError, as in NumPy."""


def wrong_axis(function: str, axis: Any, ndim: int) -> Exception:
    """Return the error for an axis that an array does not have, or that is not an integer."""
    if not isinstance(axis, Integral) or isinstance(axis, bool):
        return TypeError(f"{function}: an axis must be an integer, got {describe(axis)}.")
    allowed = f"from {-ndim} to {ndim - 1}" if ndim else "none, since the array has no axes"
    return AxisError(
        f"{function}: axis {axis} is out of bounds for an array of {ndim} dimensions; "
        f"allowed are axes {allowed}."
    )
