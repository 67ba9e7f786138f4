"""The namespaces of the versions of the standard, and how they declare their names.

Imports no chapter: namespaces are imported by name when they are asked for.

``__all__`` of a chapter lists the names that version 2023.12 has and no later version changed.
``_names`` of a later version adds its own names to those of the version before.  ``__init__`` of a
version has the names that are of its own form.  So each name is written once, where it begins, and
type checkers see it, because star imports and redundant aliases re-export.
"""

from __future__ import annotations

import functools
import importlib
import sys
from types import FunctionType, ModuleType
from typing import Any, Final

from ._arrays.array import Array, implements
from ._calls.traces import ANSWERS
from ._errors.foreign_names import complete
from ._options import settings
from ._torch.tracing import called, constant, give_name, traced_as

VERSIONS: Final = ("2023.12", "2024.12", "2025.12")
_STANDARD: Final = "https://data-apis.org/array-api"
_DUNDERS: Final = frozenset({"__array_api_version__", "__array_namespace_info__", "__version__"})


def export(namespace: dict[str, object]) -> None:
    """Set ``__all__`` of a module: its public names, except the modules of versions.

    ``dir()`` lists these names; for other names the module raises an error that says where to look.
    """
    modules = {module_of(version).rpartition(".")[2] for version in VERSIONS}
    public = {name for name in namespace if not name.startswith("_")} - modules
    namespace["__all__"] = sorted(public | (_DUNDERS & namespace.keys()))
    complete(namespace)


def publish(*modules: ModuleType) -> None:
    """Set ``__module__`` of public names to the public module, for pickles and messages.

    The docstrings of the standard's functions get the address of their page there.
    """
    for module in modules:
        prefix = f"{module.__name__}.".partition(".")[2]
        for name in module.__all__:
            value: Any = vars(module).get(name)
            home = getattr(value, "__module__", None) or ""
            if home.startswith(_PACKAGE) and "._" in home:
                value.__module__ = module.__name__
                _refer(value, prefix + name)


def _refer(value: Any, name: str) -> None:
    """Add the section References to a docstring, unless it refers to the standard by itself.

    A docstring does so if another version than the first one describes what the function does.
    """
    version, text = since(name), value.__doc__
    if not version or not text or _STANDARD in text:
        return
    part = "extensions" if "." in name else "API_specification"
    page = f"{_STANDARD}/{version}/{part}/generated/array_api.{name}.html"
    before, examples, after = text.partition("Examples\n")
    indent = before.rpartition("\n")[2]
    section = f"References\n{indent}----------\n{indent}{page}\n\n{indent}"
    value.__doc__ = f"{before}{section}{examples}{after}"


def in_version(name: str, version: str) -> bool:
    """Say whether a version has a name, such as ``"linalg.inv"``."""
    space, _, inner = name.rpartition(".")
    names = vars(namespace(version))
    if space:
        names = vars(names[space]) if space in names else {}
    return inner in names


def since(name: str) -> str:
    """Return the first version that has a name; empty for those beside the standard."""
    return next((version for version in VERSIONS if in_version(name, version)), "")


# --- limits: the flags of array_api_strict --------------------------------------------------------

_NEW_IN_2023: Final = frozenset(
    {
        "__array_namespace_info__",
        "clip",
        "copysign",
        "cumulative_sum",
        "hypot",
        "maximum",
        "minimum",
    }
    | {"moveaxis", "repeat", "searchsorted", "signbit", "tile", "unstack"}
)
"""The names that 2023.12 added to 2022.12, which has no module of its own."""


def limit(root: ModuleType) -> None:
    """Let the options limit the main namespace, once they are first chosen."""
    settings.when_limited(lambda: _limit(root))


def _limit(root: ModuleType) -> None:
    own, newest = vars(root), VERSIONS[-1]
    public, version, otherwise = (
        own.pop("__all__"),
        own.pop("__array_api_version__"),
        own["__getattr__"],
    )
    modules = {name: own.pop(name) for name in settings.EXTENSIONS}
    for space, module in {"": root, **modules}.items():
        prefix = space and f"{space}."
        for name in namespace(newest).__all__ if module is root else module.__all__:
            function = vars(module).get(name)
            if isinstance(function, FunctionType) and (
                space
                or name in _NEW_IN_2023
                or any(vars(namespace(v)).get(name) is not function for v in VERSIONS)
            ):
                vars(module)[name] = _limited(function, prefix + name)

    def __getattr__(name: str) -> Any:  # noqa: N807  # Python's name
        enabled = settings.current().enabled_extensions
        if name == "__all__":
            return [n for n in public if n not in modules or n in enabled]
        if name == "__array_api_version__":
            return settings.current().api_version or version
        if name in modules and name not in enabled:
            raise AttributeError(f"{name}: the option enabled_extensions leaves it out.")
        return modules[name] if name in modules else otherwise(name)

    own["__getattr__"] = __getattr__


def _limited(function: FunctionType, name: str) -> Any:
    """Return a function that answers as the version in the options, if its extension is there."""
    space, _, inner = name.rpartition(".")

    @functools.wraps(function)
    def within(*given: Any, **named: Any) -> Any:
        now = settings.current()
        if space and space not in now.enabled_extensions:
            raise RuntimeError(f"{name}: the option enabled_extensions leaves {space} out.")
        version = now.api_version
        if version is None:
            return function(*given, **named)
        if not in_version(name, max(version, VERSIONS[0])) or (
            version < VERSIONS[0] and name in _NEW_IN_2023
        ):
            raise RuntimeError(
                f"{name}: version {since(name)} of the standard added it, and the option "
                f"api_version is {version!r}."
            )
        if space:
            return function(*given, **named)
        return vars(namespace(max(version, VERSIONS[0])))[inner](*given, **named)

    return within


_PACKAGE: Final = __name__.partition(".")[0]


def module_of(version: str | None) -> str:
    """Return the name of the module of a version; None stands for the top-level namespace."""
    return _PACKAGE if version is None else f"{_PACKAGE}.v{version.replace('.', '_')}"


@constant
def _name(api_version: str | None) -> str:
    return give_name(namespace(api_version), "namespace", api_version)


def _traced_namespace(api_version: str | None) -> ModuleType:
    module: ModuleType = called(_name(api_version))
    return module


@traced_as(_traced_namespace)
def namespace(api_version: str | None) -> ModuleType:
    """Return the namespace of a version of the standard; the top-level one for None."""
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(
            f"__array_namespace__: there is no namespace for version {api_version!r}; "
            f"there are {', '.join(map(repr, VERSIONS))}."
        )
    return importlib.import_module(module_of(api_version))


def _traced_of_array(self: Array, /, *, api_version: str | None = None) -> ModuleType:
    module: ModuleType = self._object("namespace", api_version)
    return module


ANSWERS["namespace"] = _name


@implements("__array_namespace__")
@traced_as(_traced_of_array)
def _of_array(self: Array, /, *, api_version: str | None = None) -> ModuleType:  # noqa: ARG001
    return sys.modules[_PACKAGE] if api_version is None else namespace(api_version)
