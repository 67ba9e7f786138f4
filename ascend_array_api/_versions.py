"""The namespaces of the versions of the standard, and how they declare their names.

``__all__`` of a chapter lists what version 2023.12 has of it and no later version changed.  What a
later version adds is named by ``_names`` of that version, which takes the rest from the version
before; what a version has in a form of its own is named by its ``__init__``.  So a name is written
once, where it begins, and type checkers see it: star imports and redundant aliases re-export.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

from ._tracing import constant, traced_as

if TYPE_CHECKING:
    from types import ModuleType

VERSIONS: Final = ("2023.12", "2024.12", "2025.12")
_DUNDERS: Final = frozenset({"__array_api_version__", "__array_namespace_info__", "__version__"})


def export(namespace: dict[str, object]) -> None:
    """Set ``__all__`` of a module: its public names, but for the modules of versions."""
    modules = {module_of(version).rpartition(".")[2] for version in VERSIONS}
    public = {name for name in namespace if not name.startswith("_")} - modules
    namespace["__all__"] = sorted(public | (_DUNDERS & namespace.keys()))


def module_of(version: str | None) -> str:
    """Return the name of the module of a version; the top level for None."""
    package = __name__.partition(".")[0]
    return package if version is None else f"{package}.v{version.replace('.', '_')}"


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
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(
            f"__array_namespace__: there is no namespace for version {api_version!r}; "
            f"there are {', '.join(map(repr, VERSIONS))}."
        )
    return importlib.import_module(module_of(api_version))
