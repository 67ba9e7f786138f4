"""NumPy's names that the standard lacks, or has by another name, in relaxed mode.

``array``, ``concatenate``, ``dot``, ``arcsin``, ``einsum``, ``linalg.norm`` ... are functions of
``functions``, names for functions of the namespace, or NumPy's own functions: NumPy makes arrays
from numbers alone, and they are moved afterwards.  In strict mode none of these names exist.
"""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from .. import fft, linalg, v2023_12, v2024_12, v2025_12
from .._arrays.array import Array
from .._errors import foreign_names
from .._errors.foreign_names import of_name
from .._options import relaxed, settings
from .._reports.porting import COMPOSED, RENAMING
from .._torch import dtypes as dt
from . import calls, functions

_WORDS: Final = {name: text.split() for name, text in calls.TABLES["words"].items()}


def _ours(kind: str) -> dict[str, str]:
    """Return our names for NumPy's of a kind; the advice for each, a call or a name, begins so."""
    return {
        n: foreign_names.names("")[n].removeprefix("xp.").partition("(")[0] for n in _WORDS[kind]
    }


RENAMED: Final = _ours("renamed")
"""NumPy's names for functions that the namespace has by another name."""


class _Grid:
    """NumPy's grids of coordinates, ``mgrid`` and ``ogrid``."""

    def __init__(self, grid: Any) -> None:
        self._grid = grid

    def __getitem__(self, key: Any) -> Any:
        return calls.moved(self._grid[key])


def _reading(chapter: str, name: str, function: Any) -> Any:
    """Return a function by NumPy's name, which reads its arguments as NumPy does."""
    function = calls.named(name, function)
    (RENAMING if name in _WORDS["near"] else COMPOSED).add(function.__code__)
    return calls.reading(f"{chapter}{name}", function)


_OWN: Final = {
    name: function
    for name, function in vars(functions).items()
    if isinstance(function, FunctionType)
    and function.__module__ == functions.__name__
    and not name.startswith("_")
}
_CHAPTERS: Final[dict[str, dict[str, Any]]] = {
    "": {name: _reading("", name, f) for name, f in {**_OWN, **functions.ROWS}.items()}
    | {name: getattr(np, name) for name in _WORDS["numpys"]}
    | {name: _reading("", name, calls.created(name)) for name in _WORDS["created"]}
    | {name: dt.BY_NAME[ours] for name, ours in _ours("dtypes").items()}
    | {"ndarray": Array, "mgrid": _Grid(np.mgrid), "ogrid": _Grid(np.ogrid)}
    | {"euler_gamma": np.euler_gamma, "True_": True, "False_": False},
    "linalg": {name: _reading("linalg.", name, f) for name, f in functions.LINALG.items()},
    "fft": {name: _reading("", name, f) for name, f in functions.FFT.items()},
}


def function(name: str) -> Any:
    """Return the function of the main namespace that NumPy has by a name."""
    return attribute("", name) or getattr(functions.xp, name)


def attribute(chapter: str, name: str) -> Any:
    """Return a function or object of NumPy's that the standard lacks, or None."""
    if not chapter and name in RENAMED:
        return getattr(functions.xp, RENAMED[name])
    return _CHAPTERS[chapter].get(name)


def _also(namespace: dict[str, Any], chapter: str) -> None:
    """Add NumPy's names to a module in relaxed mode, by its ``__getattr__``."""
    module = namespace["__name__"]
    otherwise = namespace["__getattr__"]

    def __getattr__(name: str) -> Any:  # noqa: N807  # Python's name
        found = attribute(chapter, name)
        if found is None:
            return otherwise(name)
        if not relaxed.freely():
            relaxed.require(of_name(module, name))
        return found

    namespace["__getattr__"] = __getattr__


def attach(namespace: dict[str, Any]) -> None:
    """Add NumPy's calls and names to the main namespace and its chapters, for relaxed mode."""
    versions = (v2023_12, v2024_12, v2025_12)
    own = vars(linalg), vars(fft)
    more: list[ModuleType] = [*versions, *(v.linalg for v in versions)]
    settings.when_relaxed(lambda: calls.install([namespace, *own, *map(vars, more)]))
    for chapter, names in zip(("", "linalg", "fft"), (namespace, *own)):
        _also(names, chapter)
