"""The rows for NPUs: what torch_npu has no kernel for, or gets wrong, and what is done instead.

A kernel is missing where CANN's operator library does not list the data type for Atlas A2 (the
call is then refused with error 161002), or where torch_npu registers none (the call would then go
to the CPU behind the user's back).  The compositions run on the device.

One module a topic, as for the operations themselves.
"""

from __future__ import annotations

from . import (
    creation,
    elementwise,
    extras,
    fourier,
    indexing,
    linear_algebra,
    movement,
    products,
    random,
    reductions,
    searching,
    special,
)

__all__ = [
    "creation",
    "elementwise",
    "extras",
    "fourier",
    "indexing",
    "linear_algebra",
    "movement",
    "products",
    "random",
    "reductions",
    "searching",
    "special",
]
