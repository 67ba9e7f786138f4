"""Which namespace the consumers' tests get: a plugin cannot be told but by the environment."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

NAMESPACE_VARIABLE = "CONFORMANCE_CONSUMERS_NAMESPACE"
DEVICE_VARIABLE = "CONFORMANCE_CONSUMERS_DEVICE"
RELAXED_VARIABLE = "CONFORMANCE_CONSUMERS_RELAXED"
DTYPES_VARIABLE = "CONFORMANCE_CONSUMERS_DTYPES"

# The names by which the consumers know a namespace and skip tests for it.
_KNOWN = ("array_api_strict",)


def namespace() -> ModuleType:
    """Return the namespace, under a name that no consumer knows."""
    module = importlib.import_module(os.environ[NAMESPACE_VARIABLE])
    if module.__name__ in _KNOWN:
        # What a consumer skips by name would run for a namespace that it does not know. It can be
        # imported by the new name, as any namespace can.
        module.__name__ += "_as_third_party"
        sys.modules[module.__name__] = module
    return module


def device() -> str:
    """Return the name of the device."""
    return os.environ[DEVICE_VARIABLE]


def dtypes() -> list[str]:
    """Return the names of the real data types."""
    return os.environ[DTYPES_VARIABLE].split()


def relaxed() -> bool:
    """Say whether the namespace takes what the standard leaves undefined."""
    return os.environ[RELAXED_VARIABLE] == "1"


def compare_on_the_host() -> None:
    """Let array-api-extra's assertions compare arrays on a device, as for namespaces it knows.

    They move arrays of these to the host first, each in its own way, and give all others to
    ``numpy.from_dlpack``, which refuses arrays on devices by an error that they do not expect.
    """
    if device() == "cpu":
        return
    from array_api_extra.testing import _testing

    convert = _testing._as_numpy_array

    def moved(array: Any, *, xp: Any) -> Any:
        on_host = array.to_device("cpu") if xp is namespace() else array
        return convert(on_host, xp=xp)

    _testing._as_numpy_array = moved
