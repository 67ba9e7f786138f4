"""The default device, and the default data types, which are the same on every device.

Knows nothing of arrays: it asks the options and the devices.

https://data-apis.org/array-api/2023.12/API_specification/data_types.html#default-data-types
"""

from __future__ import annotations

from .._devices import device as _devices
from .._devices.device import Device, DeviceLike
from .._torch import dtypes as dt
from . import settings

_FLOATS = {"float32": (dt.float32, dt.complex64), "float64": (dt.float64, dt.complex128)}


def float_dtype() -> dt.DType:
    """Return the default real floating-point data type: float32, in which NPUs compute best.

    The option ``default_float`` makes it float64.
    """
    return _FLOATS[settings.current().default_float][0]


def complex_dtype() -> dt.DType:
    """Return the default complex floating-point data type, of the same precision."""
    return _FLOATS[settings.current().default_float][1]


def int_dtype() -> dt.DType:
    """Return the default integer data type, which holds every index and size."""
    return dt.int64


def dtype_of(value: complex) -> dt.DType:
    """Return the default data type of the kind that a Python scalar has."""
    if isinstance(value, bool):
        return dt.bool
    if isinstance(value, int):
        return dt.int64
    floating, complex_ = _FLOATS[settings.current().default_float]
    return floating if isinstance(value, float) else complex_


def device() -> Device:
    """Return the device on which arrays are created if the call names none.

    It is the option ``device`` if that is set, else the NPU if one is usable, else the CPU.
    """
    chosen = settings.current().device
    if chosen is not None:
        return _devices.parse(chosen, "the default device")
    return _devices.preferred()


def devices() -> list[Device]:
    """Return all usable devices, and the default device even if it is a mesh."""
    found, default = _devices.devices(), device()
    return found if default in found else [*found, default]


def resolve(asked: DeviceLike | None, function: str) -> Device:
    """Return the device for the ``device`` argument of a creation function; None is the default."""
    return device() if asked is None else _devices.parse(asked, function)
