"""Drawn functions as a line of Python, of NumPy's arrays and of ours alike: ``xp`` is either.

A formula is drawn line by line: NumPy computes each line as it is drawn, which says what shapes and
data types the next lines can use.  The same text is then run with the namespace.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from .choices import Rejected, assume

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .choices import Choices
    from .programs import Program

MOST_ELEMENTS = 48
MOST_AXES = 4


class Formula:
    """A function that is being drawn, with the values that NumPy computes."""

    def __init__(self, program: Program, choices: Choices, inputs: Mapping[str, Any]) -> None:
        self.program = program
        self.choices = choices
        arrays = {n: v for n, v in inputs.items() if isinstance(v, np.ndarray)}
        self.inputs = tuple(inputs)
        self.values: dict[str, Any] = arrays
        self.lines: list[str] = []
        self.writable: list[str] = []
        """The arrays that are the formula's own, and views of these."""
        self.has_kink = False
        """Whether a second derivative may be missing."""
        self._names = {"xp": of_numpy(), **inputs}
        self._views = program.device.type != "mesh"
        self._count = 0

    def add(self, expression: str) -> str:
        """Add a line that computes a value, and return its name."""
        value = self._compute(expression)
        if not isinstance(value, np.ndarray):
            value = np.asarray(value)
        assume(0 < value.size <= MOST_ELEMENTS and value.ndim <= MOST_AXES)
        assume(bounded(value))
        if any(np.may_share_memory(value, self.values[name]) for name in self.writable):
            # Whether these are views of each other is for the next lines not to depend on.
            expression, value = f"xp.asarray({expression}, copy=True)", value.copy()
        return self._keep(expression, value)

    def own(self, name: str) -> str:
        """Add a copy, to which lines may write."""
        copy = self._keep(f"xp.asarray({name}, copy=True)", self.values[name].copy())
        self.writable.append(copy)
        return copy

    def view(self, name: str) -> str:
        """Add a part of an array that is written to: both show what is written to either."""
        assume(self._views)
        key = self.key(name, views=True)
        view = self._keep(f"{name}[{key}]", self.values[name][key])
        self.writable.append(view)
        return view

    def write(self, statement: str) -> None:
        """Add a line that writes to an array."""
        self._run(statement)
        assume(all(bounded(self.values[name]) for name in self.writable))
        self.lines.append(statement)

    def key(self, name: str, *, views: bool = False) -> tuple[Any, ...]:
        """Draw a key of an array's that takes a part with an element at least."""
        shape = self.values[name].shape
        key = self.program.key(self.choices, shape)
        if Ellipsis not in key:  # a number of NumPy's is no view
            key = (*key, Ellipsis)
        assume(not views or all(not isinstance(k, slice) or (k.step or 1) > 0 for k in key))
        assume(self.values[name][key].size)
        return key

    def some(self, condition: Callable[[Any], Any] = lambda _: True) -> str:
        """Choose a value, by its name; the newest is the plainest."""
        name = self.choices.one([n for n, v in reversed(self.values.items()) if condition(v)])
        assert isinstance(name, str)
        return name

    def like(self, name: str) -> str:
        """Choose a value whose shape goes with another's, without making it larger."""
        shape = self.values[name].shape

        def fits(value: Any) -> bool:
            return value.ndim <= len(shape) and all(
                a in (1, b) for a, b in zip(value.shape[::-1], shape[::-1])
            )

        return self.some(fits)

    def draw(self, lines: Sequence[Callable[[Formula], Any]], most: int) -> None:
        """Draw lines; what does not come to anything is left out."""
        for _ in range(1 + self.choices.below(most)):
            line = self.choices.one(lines)
            try:
                line(self)
            except Rejected:
                continue

    def text(self, result: str) -> str:
        """Return the function as one line."""
        body = "; ".join([*self.lines, f"return {result}"])
        return f"def f({', '.join(self.inputs)}): {body}"

    def _compute(self, expression: str) -> Any:
        try:
            return eval(expression, self._names, self.values)
        except (ValueError, TypeError, IndexError, OverflowError, np.linalg.LinAlgError):
            raise Rejected from None

    def _run(self, statement: str) -> None:
        try:
            exec(statement, self._names, self.values)
        except (ValueError, TypeError, IndexError, OverflowError):
            raise Rejected from None

    def _keep(self, expression: str, value: Any) -> str:
        name = f"v{self._count}"
        self._count += 1
        self.values[name] = value
        self.lines.append(f"{name} = {expression}")
        return name


def bounded(value: np.ndarray) -> bool:
    """Say whether an array has no numbers so large that others beside them are lost."""
    return value.dtype.kind not in "fc" or not value.size or float(np.abs(value).max()) < 50


def of_numpy(**instead: Any) -> Any:
    """Return NumPy, with other objects of some names."""
    names = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    return SimpleNamespace(**(names | {"bool": np.bool_} | instead))


def function(text: str, namespace: Any) -> Any:
    """Return the function of a formula's text in a namespace."""
    names: dict[str, Any] = {"xp": namespace, "nan": np.nan, "inf": np.inf}
    exec(text, names)
    return names["f"]
