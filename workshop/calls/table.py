"""The calls, and the arrays that they take."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FILE: Final = Path(__file__).with_name("calls.txt")
_NAME: Final = re.compile(r"[\w.]+(?=\()")


@dataclass(frozen=True)
class Call:
    """A call of a function, as it is written."""

    text: str
    instead: str = ""
    """What gives the same and stays on the device, if something short does."""
    patch: str = ""
    """The file of ``patches/scipy`` with which the call stays on the device, if there is one."""

    @property
    def name(self) -> str:
        """The function's name, such as ``scipy.signal.lfilter``."""
        found = _NAME.match(self.text)
        assert found is not None, self.text
        return found[0]

    @property
    def module(self) -> str:
        """The module of its name, such as ``scipy.signal``."""
        return _module(self.name)


_DISTRIBUTIONS: Final = frozenset({"norm", "poisson"})


def _module(name: str) -> str:
    """Return the module of a function, method or distribution."""
    parts = name.split(".")[:-1]
    return ".".join(part for part in parts if part.islower() and part not in _DISTRIBUTIONS)


def calls() -> list[Call]:
    """Return all calls."""
    found: list[Call] = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("    = "):
            found[-1] = replace(found[-1], instead=line.removeprefix("    = "))
        elif line.startswith("    + "):
            found[-1] = replace(found[-1], patch=line.removeprefix("    + "))
        elif line and not line.startswith("#"):
            found.append(Call(line))
    return found


def modules(chosen: Iterable[Call]) -> dict[str, Any]:
    """Import what some calls name, and return the packages by their names."""
    wanted = {
        _module(name) for call in chosen for name in _DOTTED.findall(f"{call.text} {call.instead}")
    }
    for module in sorted(wanted):
        importlib.import_module(module)
    return {top: importlib.import_module(top) for top in sorted(m.split(".")[0] for m in wanted)}


_DOTTED: Final = re.compile(r"\b(?:scipy|sklearn)(?:\.\w+)+")


def numbers(side: int) -> dict[str, Any]:
    """Return the arrays by their names: ``side`` squared elements in the large ones, of float32."""
    n, few = side * side, side * side // 4
    rng = np.random.default_rng(7)

    def drawn(*shape: int) -> Any:
        return rng.uniform(0.05, 0.95, shape).astype(np.float32)

    m, rows = drawn(side, side), drawn(few, 4)
    labels = (rng.random(few) < 0.5).astype(np.int64)
    labels[:2] = 0, 1
    heights = np.sort(drawn(few - 1)).astype(np.float64)
    chain = [[i if i < 1 else few + i - 1, i + 1, h, i + 2] for i, h in enumerate(heights)]
    return {
        # Numbers between 0 and 1, one after the other.
        **{name: drawn(n) for name in ("x", "y", "z")},
        "t": np.linspace(0, 1, n, dtype=np.float32),
        "w": (drawn(n) + 1j * drawn(n)).astype(np.complex64),
        # Matrices: any one, a positive definite one, Booleans, integers.
        "m": m,
        "s": m @ m.T / side + np.eye(side, dtype=np.float32),
        "mask": m > 0.4,
        "whole": (m * 5).astype(np.int64),
        # Observations of four features: numbers to predict, guesses of them, and classes.
        "rows": rows,
        "values": drawn(few),
        "guesses": drawn(few),
        "classes": labels,
        "others": np.roll(labels, 1),
        "links": np.asarray(chain, dtype=np.float64),
        # Filters and splines.
        "fir": np.asarray([0.25, 0.5, 0.25], dtype=np.float32),
        "iir": np.asarray([1.0, -0.3, 0.1], dtype=np.float32),
        "sos": np.asarray([[0.1, 0.2, 0.1, 1.0, -0.6, 0.2]], dtype=np.float32),
        "knots": np.asarray([0] * 4 + [0.2, 0.4, 0.6, 0.8] + [1] * 4, dtype=np.float32),
    }


def bound(xp: Any, convert: Callable[[Any], Any], side: int) -> dict[str, Any]:
    """Return what the names in a call stand for, with arrays of a namespace."""
    from scipy.spatial.transform import Rotation

    arrays = {name: convert(value) for name, value in numbers(side).items()}
    return {
        **arrays,
        "xp": xp,
        "np": np,
        "a": lambda values: convert(np.asarray(values, dtype=np.float32)),
        "turns": Rotation.from_quat(arrays["rows"]),
    }
