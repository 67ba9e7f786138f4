"""The default data types, on every device.

https://data-apis.org/array-api/2023.12/API_specification/data_types.html#default-data-types
"""

from __future__ import annotations

from . import _dtypes as dt
from . import _options

_FLOATS = {"float32": (dt.float32, dt.complex64), "float64": (dt.float64, dt.complex128)}


def float_dtype() -> dt.DType:
    """Return the default real floating-point data type: float32, in which NPUs compute best.

    The option ``default_float`` makes it float64.
    """
    return _FLOATS[_options.current().default_float][0]


def complex_dtype() -> dt.DType:
    """Return the default complex floating-point data type, of the same precision."""
    return _FLOATS[_options.current().default_float][1]


def int_dtype() -> dt.DType:
    """Return the default integer data type, which holds every index and size."""
    return dt.int64
