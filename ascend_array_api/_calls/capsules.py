"""DLPack capsules: the flags and strides in them, read before torch takes the memory.

Knows nothing of arrays and tensors, only of the C structures.

https://dmlc.github.io/dlpack/latest/c_api.html
"""

from __future__ import annotations

import ctypes
from typing import Any, Final


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_OLD: Final = b"dltensor"
_VERSIONED: Final = b"dltensor_versioned"
_READ_ONLY: Final = 1

_prototype: Final = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_is_valid: Final = _prototype(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer: Final = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def _versioned(capsule: Any) -> _Versioned | None:
    if not _is_valid(capsule, _VERSIONED):
        return None
    return _Versioned.from_address(_pointer(capsule, _VERSIONED))


def is_writable(capsule: Any) -> bool:
    """Say whether the producer allows writes to the memory.

    Before version 1.0 of DLPack a producer could not say so.  As in NumPy, its memory then counts
    as read-only.
    """
    made = _versioned(capsule)
    return made is not None and not made.flags & _READ_ONLY


def forbid_writing(capsule: Any) -> None:
    """Mark a capsule that nobody has taken yet as read-only."""
    made = _versioned(capsule)
    if made is not None:
        made.flags |= _READ_ONLY


def has_negative_strides(capsule: Any) -> bool:
    """Say whether a stride is negative; torch would end the process instead of raising."""
    made = _versioned(capsule)
    if made is not None:
        tensor = made.tensor
    elif _is_valid(capsule, _OLD):  # in the old structure the tensor comes first
        tensor = _Tensor.from_address(_pointer(capsule, _OLD))
    else:
        return False  # no capsule of DLPack: torch raises the error
    return bool(tensor.strides) and any(tensor.strides[i] < 0 for i in range(tensor.ndim))
