"""The namespaces of the versions of the standard."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

from ._array import implements
from ._tracing import constant, traced_as

if TYPE_CHECKING:
    from types import ModuleType

    from ._array import Array

_MODULES: Final = {
    None: "ascend_array_api",
    "2023.12": "ascend_array_api.v2023_12",
    "2024.12": "ascend_array_api.v2024_12",
    "2025.12": "ascend_array_api.v2025_12",
}


@constant
def _load(api_version: str | None) -> str:
    """Import a namespace, and return the last part of its name."""
    return namespace(api_version).__name__.rpartition(".")[2]


def _traced_namespace(api_version: str | None) -> ModuleType:
    import ascend_array_api

    name = _load(api_version)
    return ascend_array_api if api_version is None else getattr(ascend_array_api, name)


@traced_as(_traced_namespace)
def namespace(api_version: str | None) -> ModuleType:
    """Return the namespace of a version of the standard; the top-level one for None."""
    if api_version not in _MODULES:
        raise ValueError(
            f"__array_namespace__: there is no namespace for version {api_version!r}; "
            f"there are {', '.join(repr(v) for v in _MODULES if v)}."
        )
    return importlib.import_module(_MODULES[api_version])


@implements("__array_namespace__")
def _of_array(self: Array, /, *, api_version: str | None = None) -> ModuleType:  # noqa: ARG001
    return namespace(api_version)
