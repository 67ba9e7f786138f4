"""Data type functions.

Names no device type.

https://data-apis.org/array-api/2023.12/API_specification/data_type_functions.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from .._arrays.array import Array
from .._arrays.axes import as_bool
from .._arrays.promotion import SCALARS, promote, promote_scalar
from .._calls.interchange import astype_array, check_dtype
from .._calls.operands import array_operand
from .._calls.plainest import plainest
from .._devices.device import AnyDevice
from .._errors.exceptions import describe, wrong_dtype
from .._errors.foreign_calls import refusing
from .._errors.foreign_names import HOST
from .._options import relaxed
from .._routes._operations import CAST
from .._torch import dtypes as dt
from .._torch import torch

__all__ = ["astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]


@dataclass(frozen=True)
class finfo_object:  # noqa: N801  # the standard's name
    """The limits of a floating-point data type, as Python numbers."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: torch.dtype


@dataclass(frozen=True)
class iinfo_object:  # noqa: N801  # the standard's name
    """The limits of an integer data type, as Python integers."""

    bits: int
    max: int
    min: int
    dtype: torch.dtype


_DType: Final = torch.dtype


@plainest(
    "x: array, copy: bool, device: None if dtype in spec._siblings and dtype is not spec.dtype "
    "and spec.dtype not in dt.COMPLEX",
    "kernel(tensor, dtype)",
    kernel=CAST,
    returns="spec._siblings[dtype]",
)
def astype(
    x: Array, dtype: torch.dtype, /, *, copy: bool = True, device: AnyDevice = None
) -> Array:
    """Return an array converted to a data type, whether or not the types promote.

    Parameters
    ----------
    x : Array
        An array.
    dtype : dtype
        The data type.
    copy : bool
        Whether to copy even where ``x`` has the data type, and is on the device, already.
    device : Device or str, optional
        The device; by default that of ``x``.

    Returns
    -------
    Array
        An array of the shape of ``x``; ``x`` itself where nothing is to be converted and ``copy``
        is False.

    Raises
    ------
    TypeError
        If ``x`` is no array, or if it is complex and ``dtype`` is real-valued: take ``real`` or
        ``imag`` of it first.
    ValueError
        If there is no such device.

    Notes
    -----
    Integers wrap around modulo a power of two.  Numbers become True unless they are 0.  Fractions
    are cut off; NaN, infinities and numbers out of bounds become unspecified integers.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.astype(xp.asarray([1.9, -1.9]), xp.int32)
    Array([ 1, -1], dtype=int32, device='cpu')
    """
    x = array_operand("astype", x, dt.ANY) if not isinstance(x, Array) else x
    dtype = check_dtype("astype", dtype) or x.dtype
    return astype_array(x, dtype, device, copy=as_bool("astype", copy, "copy"))


@refusing
def can_cast(from_: torch.dtype | Array, to: torch.dtype, /) -> bool:
    """Say whether a data type promotes to another without loss.

    Parameters
    ----------
    from_ : dtype or Array
        The data type, or an array that has it.
    to : dtype
        The data type to go to.

    Returns
    -------
    bool
        Whether the promotion of both is ``to``.

    Raises
    ------
    TypeError
        If an argument is no data type.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.can_cast(xp.uint8, xp.int16)
    True
    >>> xp.can_cast(xp.int64, xp.float64)
    False
    """
    source = _dtype("can_cast", from_)
    if to not in dt.ANY:
        error = TypeError(f"can_cast: expected a data type, got {describe(to)}.")
        to = relaxed.named_dtype(to, error)
    return dt.PROMOTION.get((source, to)) is to


def _dtype(function: str, x: object) -> torch.dtype:
    if isinstance(x, Array):
        return x.dtype
    if isinstance(x, torch.dtype) and x in dt.ANY:
        return x
    error = TypeError(f"{function}: expected a data type or an Array, got {describe(x)}.")
    return relaxed.named_dtype(x.dtype if isinstance(x, np.ndarray) else x, error)


@refusing
def finfo(type: torch.dtype | Array, /) -> finfo_object:
    """Return the limits of a floating-point data type.

    Parameters
    ----------
    type : dtype or Array
        A floating-point data type, or an array that has one.  The limits of a complex data type
        are those of its real and imaginary parts.

    Returns
    -------
    finfo_object
        With the attributes ``bits``, ``eps``, ``max``, ``min``, ``smallest_normal`` and ``dtype``.

    Raises
    ------
    TypeError
        If the data type is not a floating-point one.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.finfo(xp.float32).eps
    1.1920928955078125e-07
    """
    dtype = _dtype("finfo", type)
    if dtype not in dt.FLOATING:
        raise wrong_dtype("finfo", dtype, dt.FLOATING, "Use iinfo() for integers.")
    real = dt.REAL_OF.get(dtype, dtype)
    info = torch.finfo(real)
    return finfo_object(info.bits, info.eps, info.max, info.min, info.smallest_normal, real)


@refusing
def iinfo(type: torch.dtype | Array, /) -> iinfo_object:
    """Return the limits of an integer data type.

    Parameters
    ----------
    type : dtype or Array
        An integer data type, or an array that has one.

    Returns
    -------
    iinfo_object
        With the attributes ``bits``, ``max``, ``min`` and ``dtype``.

    Raises
    ------
    TypeError
        If the data type is not an integer one.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.iinfo(xp.uint64).max
    18446744073709551615
    """
    dtype = _dtype("iinfo", type)
    if dtype not in dt.INTEGER:
        raise wrong_dtype("iinfo", dtype, dt.INTEGER, "Use finfo() for floating-point types.")
    low, high = dt.LIMITS[dtype]
    return iinfo_object(8 * dtype.itemsize, high, low, dtype)


@refusing
def isdtype(dtype: torch.dtype, kind: torch.dtype | str | tuple[torch.dtype | str, ...]) -> bool:
    """Say whether a data type is of a kind.

    Parameters
    ----------
    dtype : dtype
        The data type.
    kind : dtype, str or tuple of them
        A data type; or ``"bool"``, ``"signed integer"``, ``"unsigned integer"``, ``"integral"``,
        ``"real floating"``, ``"complex floating"`` or ``"numeric"``; or several of those.

    Returns
    -------
    bool
        Whether ``dtype`` is one of them.  ``float16`` and ``bfloat16`` are ``"real floating"``.

    Raises
    ------
    TypeError
        If ``dtype`` is no data type, or ``kind`` no data type or string.
    ValueError
        If there is no such kind.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.isdtype(xp.float32, ("integral", "real floating"))
    True
    """
    if not isinstance(dtype, torch.dtype):
        error = TypeError(f"isdtype: expected a data type, got {describe(dtype)}.{_hint(dtype)}")
        dtype = relaxed.named_dtype(dtype, error)
    if isinstance(kind, tuple):
        found = [isdtype(dtype, k) for k in kind]  # a list, so that every kind is checked
        return any(found)
    if isinstance(kind, torch.dtype):
        return dtype is kind
    return dtype in dtypes_of_kind("isdtype", kind)


def _hint(dtype: object) -> str:
    """Return the advice for a data type of NumPy's, by which estimators ask for NumPy arrays."""
    if not (
        isinstance(dtype, np.dtype) or (isinstance(dtype, type) and issubclass(dtype, np.generic))
    ):
        return ""
    return (
        " Estimators of scikit-learn that ask this know NumPy arrays alone: give them "
        f"{HOST}. In other code"
    )


def dtypes_of_kind(function: str, kind: object) -> frozenset[torch.dtype]:
    """Return the data types of a kind by its name."""
    if not isinstance(kind, str):
        raise TypeError(f"{function}: kind must be a data type or a string, got {describe(kind)}.")
    if kind not in dt.KINDS:
        raise ValueError(
            f"{function}: there is no kind {kind!r}; there are {', '.join(map(repr, dt.KINDS))}."
        )
    return dt.KINDS[kind]


def result_type(*arrays_and_dtypes: Array | complex | torch.dtype) -> torch.dtype:
    """Return the data type that an operation on arrays, data types and Python scalars has.

    Parameters
    ----------
    *arrays_and_dtypes : Array, dtype, bool, int, float or complex
        The operands, at least one of them an array or a data type.

    Returns
    -------
    dtype
        The data type to which all promote.

    Raises
    ------
    TypeError
        If the operands do not promote to one another.
    ValueError
        If none of the operands is an array or a data type.
    OverflowError
        If a Python integer does not fit the data type of the others.

    References
    ----------
    https://data-apis.org/array-api/2024.12/API_specification/generated/array_api.result_type.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.result_type(xp.int8, xp.uint16, 3)
    torch.int32
    """
    scalars = [x for x in arrays_and_dtypes if isinstance(x, SCALARS)]
    dtypes = [_dtype("result_type", x) for x in arrays_and_dtypes if not isinstance(x, SCALARS)]
    if not dtypes:
        # SciPy catches NumPy's ValueError here, and uses its own default then.
        error = ValueError(
            "result_type: expected at least one Array or data type, got "
            f"{'Python scalars' if scalars else 'nothing'}."
        )
        if not scalars:
            raise error
        return relaxed.of_scalars(scalars, error)
    result = dtypes[0]
    for dtype in dtypes[1:]:
        result = promote("result_type", result, dtype)
    for value in scalars:
        result = promote_scalar("result_type", value, result)
    return result
