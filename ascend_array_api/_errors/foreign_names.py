"""Names of NumPy and torch that the standard lacks, and what to write instead.

Imports no chapter: it looks up functions by name when an error needs them.

It is used only if the namespace, one of its parts or an array lacks an attribute, or a function
does not take a call.  The tables are in ``foreign_names.txt``.

https://data-apis.org/array-api/2023.12/API_specification/index.html
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from importlib import resources
from typing import Any, Final

import numpy as np

from .._torch.pairs import release

# --- the tables -----------------------------------------------------------------------------------


HOST: Final = (
    'numpy.from_dlpack(x, device="cpu")'
    if release(np.__version__) >= (2, 1)
    else 'numpy.asarray(x.to_device("cpu"))'
)
"""How NumPy gets the elements of an array on any device; ``{host}`` stands for it in the tables."""


def tables(package: str, file: str) -> dict[str, dict[str, str]]:
    """Return the tables in a file of a package: in each, the rest of a line by its first word."""
    found: dict[str, dict[str, str]] = {}
    for line in (resources.files(package) / file).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            rows = found[line.strip("[]")] = {}
        elif line and not line.startswith("#"):
            name, text = line.split(maxsplit=1)
            rows[name] = text.replace("{host}", HOST)
    return found


_TABLES: Final = tables(__package__, "foreign_names.txt")
"""Hints by part of the namespace; ``""`` is the main one."""

PARAMETERS: Final = {name: text.split() for name, text in _TABLES.pop("parameters").items()}
"""Parameters of NumPy and torch that have another name in the standard."""

ADVICE: Final = _TABLES.pop("advice")
"""Advice for parameters that have no counterpart in the standard."""

PORTABLE: Final = _TABLES.pop("portable")
"""For functions beyond the standard, what runs on other namespaces."""

ARRAY: Final = _TABLES.pop("array")
"""Advice for attributes of arrays, where no function of the same name gives it."""


def names(part: str) -> dict[str, str]:
    """Return the table of a part of the namespace: missing names, and what to write instead."""
    return _TABLES.get(part, {})


# --- errors ---------------------------------------------------------------------------------------


def _written(text: str) -> str:
    return text if text.endswith(".") else f"Write {text}."


def of_array(name: str, x: object, hint: str = "") -> AttributeError:
    """Return the error for an attribute that arrays of other libraries have."""
    text = f" {_written(said)}" if (said := of_attribute(name)) else ""
    message = f"an array of the standard has no attribute {name!r}.{text}{hint}"
    return AttributeError(message, name=name, obj=x)


def of_attribute(name: str) -> str:
    """Return the code to write instead of an attribute of NumPy's or torch's arrays."""
    if name in ARRAY:
        return ARRAY[name]
    here = names("").get(name) or _function_of(name)
    if here:
        return here
    in_place = _function_of(name.removesuffix("_"))
    if in_place:
        return f"x[...] = {in_place}"
    torch = sys.modules["torch"]
    for owner, given in ((torch.Tensor, "xp.to_torch(x)"), (np.ndarray, HOST)):
        if hasattr(owner, name):
            return f"{given}.{name}{'(...)' if callable(getattr(owner, name)) else ''}"
    return ""


def _namespace(part: str) -> Any:
    """Return a part of the namespace, or None if the package has been left without it."""
    package = __name__.partition(".")[0]
    return sys.modules.get(f"{package}.{part}" if part else package)


def _function_of(name: str) -> str:
    """Return a call of the namespace's function of a name, or nothing if there is none."""
    for part in ("", "linalg", "special"):
        module = _namespace(part)
        function = vars(module).get(name) if module and name in module.__all__ else None
        if inspect.isfunction(function):
            every = inspect.signature(function).parameters.values()
            more = sum(p.default is p.empty and p.kind is not p.KEYWORD_ONLY for p in every) > 1
            return f"xp.{part}{'.' if part else ''}{name}(x{', ...' if more else ''})"
    return ""


class NotHere:
    """An attribute that arrays of other libraries have; it raises an error with advice."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: object = None) -> Any:
        raise of_array(self._name, instance)


def _advice(part: str, name: str) -> str:
    """Return advice for a name that a part of the namespace lacks."""
    if name in names(part):
        return _written(names(part)[name])
    if part == "random" and hasattr(_namespace(part).Generator, name):
        return f"Write xp.random.default_rng(seed).{name}(...)."
    if part == "random" and hasattr(np.random.Generator, name):
        return f"Write xp.asarray(numpy.random.default_rng(seed).{name}(...))."
    for other in _TABLES:
        chapter = _namespace(other)
        if chapter is None:
            continue
        if name in chapter.__all__:
            return f"Write {f'xp.{other}' if other else 'xp'}.{name}."
        if name in names(other):
            return _written(names(other)[name])
    path = f"{part}.{name}" if part else name
    for library in ("numpy", "torch"):
        module = sys.modules.get(f"{library}.{part}" if part else library)
        known = vars(module).get(name) if module is not None else None
        if library == "torch" and callable(known) and not isinstance(known, type):
            return (
                f"The standard has nothing like torch.{path}; call that with xp.to_torch(x), and "
                "xp.asarray() takes its result back."
            )
        if known is not None or name in getattr(module, "__all__", ()):
            return f"The standard has nothing like {library}.{path}."
    return ""


def of_name(module: str, name: str, hint: str = "") -> AttributeError:
    """Return the error for a name that a module of the namespace lacks."""
    part = module.rpartition(".")[2]
    advice = "" if name.startswith("_") else _advice(part if part in _TABLES else "", name)
    text = f"module {module!r} has no attribute {name!r}"
    message = f"{text}. {advice}" if advice else text
    return AttributeError(f"{message}{hint}", name=name, obj=sys.modules.get(module))


def of_module(module: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module of the namespace."""

    def absent(name: str) -> Any:
        raise of_name(module, name)

    return absent


def listed(module: str) -> Callable[[], list[str]]:
    """Return the ``__dir__`` of a module: its public names, and the names that all modules have."""

    def public() -> list[str]:
        own, names = vars(sys.modules[module]), sys.modules[module].__all__
        beside = {n for n in own if n.startswith("v2") or n.endswith("Error")}
        return sorted({*names, *beside, *(n for n in own if n.startswith("__"))})

    return public


def complete(namespace: dict[str, Any]) -> None:
    """Add ``__dir__`` and, unless there is one, ``__getattr__`` to the globals of a module.

    The module itself does not define them, because type checkers would then accept every name.
    """
    namespace["__dir__"] = listed(namespace["__name__"])
    namespace.setdefault("__getattr__", of_module(namespace["__name__"]))
