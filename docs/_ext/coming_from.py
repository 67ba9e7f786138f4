"""The tables of names of NumPy and torch: what is asked for, and what to write.

A line ``<!-- names of numpy -->`` in a page stands for the tables of what the errors of the
namespace say, so that they stand in one place.
"""

from __future__ import annotations

import ast
import importlib
import re
from typing import TYPE_CHECKING, Final

import ascend_array_api as xp
from ascend_array_api._errors import foreign_names

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PARTS: Final = {
    "": "Functions and names",
    "linalg": "linalg",
    "fft": "fft",
    "random": "random",
    "special": "special",
}
ARRAYS: Final = {"numpy": "numpy.ndarray", "torch": "torch.Tensor"}
GENERIC: Final = "(...)"
"""What is said of methods that nothing is like: they are called of a tensor or of NumPy's array."""
_MARK: Final = re.compile(r"^<!-- names of (numpy|torch) -->$", re.MULTILINE)


def has(library: str, part: str, name: str) -> bool:
    """Say whether a library has a name in a part of its namespace."""
    try:
        module = importlib.import_module(f"{library}.{part}" if part else library)
    except ImportError:
        return False
    return hasattr(module, name)


def tables(library: str) -> str:
    """Return the tables of the names of a library, as Markdown."""
    text = []
    for part, title in PARTS.items():
        prefix = f"{part}." if part else ""
        found = {
            f"{library}.{prefix}{name}": said
            for name, said in foreign_names.names(part).items()
            if has(library, part, name)
        }
        text += _table(title, found)
    module, _, cls = ARRAYS[library].partition(".")
    array = getattr(importlib.import_module(module), cls)
    names = {name for name in dir(array) if not name.startswith("_")} - set(dir(xp.zeros((1, 1))))
    every = {f"x.{name}": foreign_names.of_attribute(name) for name in names}
    found = {name: said for name, said in every.items() if not said.endswith(GENERIC)}
    return "\n".join([*text, *_table("Methods and attributes of arrays", found)])


def _table(title: str, found: dict[str, str]) -> list[str]:
    if not found:
        return []
    rows = [f"| `{name}` | {_cell(said)} |" for name, said in sorted(found.items())]
    return [f"## {title}\n", "| instead of | write |", "|---|---|", *rows, ""]


def _cell(said: str) -> str:
    """Set what is said as code where it is an expression."""
    escaped = said.replace("|", "\\|")
    try:
        ast.parse(said, mode="eval")
    except SyntaxError:
        return escaped
    return f"`{escaped}`"


def read(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Insert the tables into a page."""
    source[0] = _MARK.sub(lambda match: tables(match[1]), source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
