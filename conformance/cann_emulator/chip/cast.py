"""Conversions between dtypes.

Source: CANN 8.1.RC1, impl/dynamic/cast.py, and for what an instruction does beyond the range the
boundary values of conversions in CANN's documents of Ascend C (table 32): NaN gives 0, infinities
and numbers that are too large give the ends of the range, int64 to int32 saturates.

Open: how int32 narrows to int16, and int16 to int8 and uint8 (`OPEN`). The instructions saturate;
the compiler of the sources can also take the low bytes. Here they take the low bytes; `saturates`
is the other answer (hostile:casts).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _vector as v

if TYPE_CHECKING:
    from ._vector import Array

FLOATS = ("float16", "bfloat16", "float32")
INTEGERS = ("int8", "uint8", "int16", "int32", "int64")
DTYPES = (*FLOATS, *INTEGERS)
OPEN = (("int32", "int16"), ("int16", "int8"), ("int16", "uint8"))


def _narrow(x: Array, dtype: str, saturates: bool) -> Array:
    is_open = (x.dtype.name, dtype) in OPEN
    return v.saturate(x, dtype) if saturates and is_open else x.astype(dtype)


def _int8_of_int32(x: Array) -> Array:
    """Reduce modulo 256 in float16: exact for numbers of 11 bits."""
    half, full = v.F16.type, v.F32.type
    moved = x.astype(v.F16) + half(128)
    wide = moved.astype(v.F32)
    rest = (wide - v.floor(wide / full(256)) * full(256)).astype(v.F16)
    return v.to_integer(rest + half(-128), np.int8)


def _integer_of_float(x: Array, source: str, dtype: str, saturates: bool) -> Array:
    if dtype in ("int32", "int64") or (source, dtype) == ("float16", "int16"):
        return v.to_integer(x, dtype)
    if dtype == "uint8" and source != "float16":
        return _narrow(v.to_integer(x, v.I64), dtype, saturates)
    whole = v.to_integer(x, v.I32)
    if source != "float32" or dtype == "uint8":
        return np.asarray(whole.astype(dtype))  # the low byte, by arithmetic
    whole = _narrow(whole, "int16", saturates)
    return whole if dtype == "int16" else _narrow(whole, dtype, saturates)


def cast(x: Array, source: str, dtype: str, *, saturates: bool = False) -> Array | None:
    """Convert an array to another dtype.

    Parameters
    ----------
    x
        The array; bfloat16 comes as float32.
    source, dtype
        The names of the dtypes, of `DTYPES`.
    saturates
        Whether integers that do not fit give the ends of the range where that is open.

    Returns
    -------
    Array or None
        None where the conversion is the ideal one: to a dtype that holds all values, and to floats.
    """
    if dtype in FLOATS:
        return None
    if source in FLOATS:
        return _integer_of_float(x, source, dtype, saturates)
    if (source, dtype) == ("int64", "int32"):
        return v.saturate(x, dtype)
    if (source, dtype) == ("int32", "int8"):
        return _int8_of_int32(x)
    return _narrow(x, dtype, saturates)
