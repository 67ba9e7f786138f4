"""Backends: which there are, and the one of a device type.

Knows their modules by name alone.

The package imports a backend when there may be a device of its type, and its rows when it first
looks up a kernel for such a device.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
from typing import Final

from .._torch import torch
from .backend import Backend, DLDeviceType, Fault, Host

__all__ = [
    "GROUP",
    "HOST",
    "Backend",
    "DLDeviceType",
    "Fault",
    "bring",
    "find",
    "preferred",
    "types",
    "usable",
]

_PACKAGE: Final = __name__.partition(".")[0]

GROUP: Final = f"{_PACKAGE}.backends"
"""The group of entry points by which other packages provide backends."""

_FOLDER: Final = f"{_PACKAGE}._backends"

HOST: Final = "cpu"
"""The device type of the host."""

_OWN: Final = {
    HOST: f"{_FOLDER}.cpu",
    "npu": f"{_FOLDER}.npu",
    "cuda": f"{_FOLDER}.cuda",
}
"""The modules of this package's own backends, in the order in which devices are listed."""

_PREFERRED: Final = "npu"
"""The device type whose first device, if there is one, is the default device."""

_found: Final[dict[str, Backend]] = {}

_brought: Final[list[str]] = []
"""The topics of rows that the operations of the topic bring to backends."""

_MESH: Final = f"{_FOLDER}.mesh"
"""The module of the backend for the rows that all meshes share."""


def find(device_type: str) -> Backend:
    """Return the backend of a device type; a plain one if nothing provides a special one."""
    try:
        return _found[device_type]
    except KeyError:
        return _found.setdefault(device_type, _load(device_type))


def bring(topic: str) -> None:
    """Add the rows of a topic to each backend of this package that has a module of its name.

    So backends know nothing of special functions and random numbers, which can be left out.
    """
    _brought.append(topic)
    for backend in _found.values():
        _add_rows(backend, topic)


def _add_rows(backend: Backend, topic: str) -> None:
    name = f"{_FOLDER}.{backend.type}.{topic}"
    if backend.type in {*_OWN, "mesh"} and importlib.util.find_spec(name):
        backend.rows = (*backend.rows, name)


def _load(device_type: str) -> Backend:
    own = _MESH if device_type == "mesh" else _OWN.get(device_type)
    if own is not None and importlib.util.find_spec(own):
        backend: Backend = importlib.import_module(own).BACKEND
        for topic in _brought:
            _add_rows(backend, topic)
        return backend
    point = _entry_points().get(device_type)
    if point is not None:
        return _checked(device_type, point)
    return Host(HOST) if device_type == HOST else Backend(device_type)


@functools.cache
def _entry_points() -> dict[str, importlib.metadata.EntryPoint]:
    """Return the backends of other packages by device type."""
    return {
        point.name: point
        for point in importlib.metadata.entry_points(group=GROUP)
        if point.name not in _OWN
    }


def _checked(device_type: str, point: importlib.metadata.EntryPoint) -> Backend:
    backend = point.load()
    if not isinstance(backend, Backend) or backend.type != device_type:
        raise TypeError(
            f"the entry point {device_type!r} of {GROUP} must be a backend for {device_type!r}, "
            f"and {point.value} is {backend!r}"
        )
    return backend


def _may_be_used(device_type: str) -> bool:
    """Say, without importing a backend of this package, whether it may have devices."""
    if device_type == HOST:
        return True
    module = getattr(torch, device_type, None)
    return module is not None and bool(module.is_available())


def types() -> tuple[str, ...]:
    """Return the device types that have backends of their own; the host comes first."""
    return (*_OWN, *_entry_points())


def usable(device_type: str | None = None) -> list[Backend]:
    """Return the backends that may have usable devices here: of all types, or of one."""
    names = types() if device_type is None else (device_type,)
    return [find(name) for name in names if name not in _OWN or _may_be_used(name)]


def preferred() -> torch.device:
    """Return the device that is the default if the user chooses none."""
    found = find(_PREFERRED).devices() if _may_be_used(_PREFERRED) else []
    return (found or find(HOST).devices())[0]
