"""What version 2025.12 has in a form of its own: tuples, where there were lists."""

from __future__ import annotations

from typing import Literal, final

from .._arrays.array import Array
from .._chapters import creation, manipulation
from .._devices.device import Device
from .._errors.foreign_calls import refusing
from .._options import defaults
from ..v2024_12._forms import Info2024


@final
class NamespaceInfo(Info2024):
    """Capabilities, devices and data types, as version 2025.12 tells them."""

    def devices(self) -> tuple[Device, ...]:
        """Return all usable devices, the accelerators with their numbers."""
        return tuple(defaults.devices())


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807  # the standard's name
    """Return what the namespace of version 2025.12 says of itself."""
    return NamespaceInfo()


@refusing
def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """Broadcast arrays against one another, as a tuple: see the top level's."""
    return tuple(manipulation.broadcast_arrays(*arrays))


@refusing
def meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy") -> tuple[Array, ...]:
    """Return coordinate matrices from coordinate vectors, as a tuple: see the top level's."""
    return tuple(creation.meshgrid(*arrays, indexing=indexing))
