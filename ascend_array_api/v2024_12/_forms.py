"""What version 2024.12 has in a form of its own."""

from __future__ import annotations

from typing import TypedDict, final

from .._chapters.info import Info, capabilities
from .._devices.device import Device
from .._options import defaults

Capabilities = TypedDict(
    "Capabilities",
    {"boolean indexing": bool, "data-dependent shapes": bool, "max dimensions": int},
)


class Info2024(Info):
    """The answers that are the same since version 2024.12."""

    def capabilities(self) -> Capabilities:
        """Return what the namespace can do."""
        return {**capabilities(), "max dimensions": 64}


@final
class NamespaceInfo(Info2024):
    """Capabilities, devices and data types, as version 2024.12 tells them."""

    def devices(self) -> list[Device]:
        """Return all usable devices, the accelerators with their numbers."""
        return defaults.devices()


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807  # the standard's name
    """Return what the namespace of version 2024.12 says of itself."""
    return NamespaceInfo()
