"""The default data types, on every device.

https://data-apis.org/array-api/2023.12/API_specification/data_types.html#default-data-types
"""

from __future__ import annotations

from . import _dtypes as dt


def float_dtype() -> dt.DType:
    """Return the default real floating-point data type, in which NPUs compute best."""
    return dt.float32


def complex_dtype() -> dt.DType:
    """Return the default complex floating-point data type, of the same precision."""
    return dt.complex64


def int_dtype() -> dt.DType:
    """Return the default integer data type, which holds every index and size."""
    return dt.int64
