"""Errors of the namespace: their types and their texts.

Imports no module that raises them.

Each text names the function, the argument that it got, the arguments that it takes, and what to
write instead.
"""

from __future__ import annotations

import builtins
import cmath
import math
from collections.abc import Callable
from numbers import Integral
from typing import Any, Final

from typing_extensions import Never

from .._torch import dtypes as _dtypes
from .._torch import torch

HINT: Final = " xp.options(relaxed=True) allows it."
"""The end of errors that relaxed mode does not raise."""

_LONG: Final = 60


def describe(x: object) -> str:
    """Describe an operand in a few words; raise the error of its own if it is ``Missing``."""
    if isinstance(x, Missing):
        raise x.error()
    dtype = getattr(x, "dtype", None)
    if dtype in _dtypes.NAMES and hasattr(x, "_spec"):
        return f"an array of {_dtypes.NAMES[dtype]}"
    if x is None:
        return "None"
    if isinstance(x, (bool, int, float, complex, str)) and type(x).__module__ == "builtins":
        text = repr(x)
        return (
            f"the Python {type(x).__name__} {text if len(text) < _LONG else f'{text[:_LONG]}...'}"
        )
    kind = x if isinstance(x, type) else type(x)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return f"the class {name}" if kind is x else f"an object of type {name}"


def foreign(function: str, x: object, allowed: str = "Array") -> TypeError:
    """Return the error for an operand that is not one of the ``allowed`` types."""
    kinds = (list, tuple, range, bool, int, float, complex)
    converts = isinstance(x, kinds) or any(hasattr(x, f"__{n}__") for n in ("dlpack", "array"))
    hint = of_numbers(function, x) or (" Convert it with asarray() first." if converts else "")
    return TypeError(f"{function}: expected {allowed}, got {describe(x)}.{hint}")


_BY_MATH: Final = vars(math).keys() - {"prod", "dist", "fsum", "perm", "comb", "remainder"}


def of_numbers(function: str, *values: object) -> str:
    """Return the advice to compute Python numbers by Python, where it has the function."""
    if not all(type(x) in {bool, int, float, complex} for x in values):
        return ""
    place = "cmath." if complex in map(type, values) else "math."
    known = vars(cmath) if place == "cmath." else _BY_MATH
    if function in {"abs", "round", "pow"} and hasattr(builtins, function):
        place = ""
    elif function not in known:
        return ""
    given = ", ".join(map(repr, values))
    return f" Write {place}{function}({given}) for numbers, or convert them with asarray() first."


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
        f"{function}: shape mismatch: shapes {names} could not be broadcast together. Two sizes of "
        "one axis must "
        "be equal, or one of them must be 1."
    )


def out_of_bounds(operation: str, size: int) -> str:
    """Return the text of the error of an operation for a position that is out of bounds."""
    if operation == "sorted_by":
        return (
            f"searchsorted: sorter has a position that is out of bounds for {size} elements. Sort "
            "them with argsort()."
        )
    allowed = f"; allowed are {-size} to {size - 1}" if size else ""
    return f"{operation}: a position is out of bounds for an axis of size {size}{allowed}."


class MisuseError(TypeError):
    """A call with arguments that the function does not take, of NumPy's form or of torch's."""


class Missing:
    """The value of a required argument that a call omits; describing it raises the error.

    It is the default of the parameter, so no call has to look for missing arguments.  The first
    check that meets it finds a wrong type, and describes it in an error, or asks it for its index:
    both raise.
    """

    __slots__ = ("error",)

    def __init__(self, error: Callable[[], MisuseError]) -> None:
        self.error = error

    def __repr__(self) -> Never:
        raise self.error()

    __index__ = __repr__


class AxisError(ValueError, IndexError):
    """An axis that the array does not have; both a ValueError and an IndexError, as in NumPy."""


class NoTransposeError(AttributeError, ValueError):
    """An array without a transpose, because it is no matrix; hasattr() catches AttributeErrors."""


_OF_ALL: Final = {"argsort", "sort", "take_along_axis"}
"""The functions of one axis that relaxed mode computes of all elements if the axis is None."""


def wrong_axis(function: str, axis: Any, ndim: int) -> Exception:
    """Return the error for an axis that an array does not have, or that is not an integer."""
    if not isinstance(axis, Integral) or isinstance(axis, bool):
        hint = " reshape(x, (-1,)) has one axis." if axis is None else ""
        hint += HINT if axis is None and function in _OF_ALL else ""
        return TypeError(f"{function}: an axis must be an integer, got {describe(axis)}.{hint}")
    allowed = f"from {-ndim} to {ndim - 1}" if ndim else "none, since the array has no axes"
    return AxisError(
        f"{function}: axis {axis} is out of bounds for array of dimension {ndim}; "
        f"allowed are axes {allowed}."
    )


# --- faults of devices ----------------------------------------------------------------------------


class DeviceError(RuntimeError):
    """A device failed: a kernel, its launch, or the device itself.

    On an NPU errors come late: the message names the operation in which the fault was found, and
    an earlier operation may have caused it.  Do not rely on arrays that were computed since the
    last result reached the host; earlier arrays are intact.  After some faults torch_npu silently
    drops all further work.  The namespace detects that and refuses to compute on the device,
    because results would be whatever the memory held; ``to_device("cpu")`` still fetches intact
    arrays.  Running out of memory is no such fault: it raises ``MemoryError``, and the device can
    still be used.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.ones(3)
    >>> try:
    ...     y = x + x
    ... except xp.DeviceError as error:
    ...     print(error.operation, error.device, error.code)
    """

    operation: str | None
    """The function or operation in which the fault was found."""
    device: str | None
    """The device's name."""
    code: int | None
    """The vendor's error code, where one is known."""

    def __init__(
        self,
        message: str,
        operation: str | None = None,
        device: str | None = None,
        code: int | None = None,
    ) -> None:
        super().__init__(message)
        self.operation, self.device, self.code = operation, device, code


def check_memory(error: Exception, function: str, device: object = "", operands: str = "") -> None:
    """Raise MemoryError if torch's error reports a lack of memory; else return.

    Without memory on the host, too, an operation on a device may fail.
    """
    said = str(error).split("\n")[0].split("Allocator: ")[-1]
    if isinstance(error, torch.OutOfMemoryError):
        place = f" on {device}" if device else ""
    elif any(part in str(error) for part in _NO_MEMORY):
        place = " on the host"
    else:
        return
    raise MemoryError(f"{function}: out of memory{place}{operands}. {said}") from error


_NO_MEMORY: Final = (
    "DefaultCPUAllocator",
    "Storage size calculation overflowed",
    "integer multiplication overflow",
    "bad_alloc",
    "Cannot allocate memory",
)
"""Parts of the texts with which torch reports that the host has no memory."""


class RanksError(RuntimeError):
    """Another process did not come in time, or computes something else; or another thread does.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> x = xp.ones(4, device=xd.init("cpu", simulate=2))
    >>> try:
    ...     total = float(xp.sum(x))
    ... except xd.RanksError as error:  # it says what each process computes, and on which line
    ...     print(error)
    """

    def __init__(self, *said: object) -> None:  # it may be raised in a thread without arguments
        super().__init__(*(said or (_SAID,)))


_SAID: Final = (
    "another process of the mesh did not come within the seconds of init(timeout=...): it has "
    "ended, has raised an error, or is late. The mesh cannot be used any more; start the processes "
    "again."
)


class CopyNeededError(ValueError, BufferError):
    """A copy is needed, but ``copy`` is False.

    The standard asks for a ValueError, and the DLPack protocol for a BufferError.
    """


def divided_by_zero(function: str) -> ZeroDivisionError:
    """Return the error for a division of integers by zero."""
    return ZeroDivisionError(
        f"{function}: an integer was divided by zero, which the standard leaves undefined. "
        f"Replace the zeros with where() first.{HINT}"
    )
