"""Which namespace the consumers' tests get: a plugin cannot be told but by the environment."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING

from .. import namespaces

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
        # imported by the new name, as any namespace can. By that name it would import its
        # extensions a second time, with data types of their own: so they are imported before.
        _ = module.linalg, module.fft
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
    """Let array-api-extra's assertions compare arrays on a device, as for namespaces it knows."""
    if device() != "cpu":
        importlib.import_module("array_api_extra.testing")
        namespaces.compare_on_the_host(namespace())
