"""The calls that reach rows, each with what is expected of it: the one place that knows of them.

``SOURCES`` has where they come from: the calls of the cells, the same for the data types of 16
bits, their derivatives, and the cases that are named in ``cases`` because no other call shows what
a row is for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..cells import table
from ..cells.measure import _difference, _on_host
from ..samples import FUNCTIONS, Seeded, converted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..samples import Call


class Sample(ABC):
    """One call of a function for a data type.

    Parameters
    ----------
    name, dtype : str
    says : str
        What tells it from others.
    """

    waits = moves = False
    """Whether the host waits for a value, or data goes to or from it, by the function's nature."""

    devices = frozenset({"cpu", "cuda", "npu", "mesh"})
    """The device types on which it is called."""

    def __init__(self, name: str, dtype: str, says: str) -> None:
        self.name, self.dtype, self.says = name, dtype, says

    def __str__(self) -> str:
        return f"{self.name} of {self.dtype}{self.says and f' ({self.says})'}"

    @abstractmethod
    def prepared(self, xp: Any, device: Any) -> Callable[[], Any]:
        """Return the call, with its inputs on a device."""

    @abstractmethod
    def problem(self, xp: Any, result: Any) -> str:
        """Say what is wrong with a result; nothing where it is right."""


class _OfCell(Sample):
    """A call of the cells: as right as the CPU and, where it has the function, NumPy."""

    def __init__(self, name: str, dtype: str, number: int, call: Call) -> None:
        super().__init__(name, dtype, call.says or str(number))
        self.source, self.seed = call, f"{name} {number}"
        self.waits, self.moves = call.waits, call.moves

    @property
    def drawn(self) -> str:
        """The data type that the inputs are drawn in."""
        return self.dtype

    def _inputs(self, xp: Any, array: Callable[[Any], Any]) -> list[Any]:
        drawn = self.source.inputs(Seeded(self.drawn, self.seed))
        return [converted(xp, value, array) for value in drawn]

    def prepared(self, xp: Any, device: Any) -> Callable[[], Any]:
        """Return the call."""
        inputs = self._inputs(xp, lambda a: xp.asarray(a, copy=True, device=device))
        return lambda: self.source.bound(xp)(*inputs)

    def _seen(self, result: Any) -> Any:
        view = self.source.view or (lambda result: result)
        return view(_on_host(result))

    @cached_property
    def expected(self) -> list[Any]:
        """What the CPU and NumPy answer."""
        import ascend_array_api as xp

        with xp.options(device="cpu"):
            expected = [self._seen(self.prepared(xp, "cpu")())]
        if self.source.numpy is not None:
            expected.append(self._seen(self.source.numpy(*self._inputs(np, np.array))))
        return expected

    def problem(self, xp: Any, result: Any) -> str:  # noqa: ARG002
        """Compare with both."""
        got = self._seen(result)
        return next(filter(None, (_difference(got, e) for e in self.expected)), "")


class _OfHalf(_OfCell):
    """The same with numbers of 16 bits: as right as with float32, but for the rounding."""

    drawn = "float32"

    def _inputs(self, xp: Any, array: Callable[[Any], Any]) -> list[Any]:
        import ascend_array_api as ours

        def rounded(a: Any) -> Any:
            if a.dtype != "float32":
                return array(a)
            half = ours.astype(ours.asarray(a, device="cpu"), getattr(ours, self.dtype))
            if xp is np:
                return np.asarray(ours.astype(half, ours.float32))
            return half.to_device(array(a).device)

        inputs = super()._inputs(xp, rounded)
        if xp is np:
            return inputs
        single, half = xp.float32, getattr(xp, self.dtype)
        return [half if value is single else value for value in inputs]

    def _seen(self, result: Any) -> Any:
        import ascend_array_api as ours

        def wide(result: Any) -> Any:
            if isinstance(result, (list, tuple)):
                return tuple(map(wide, result))
            if isinstance(result, ours.Array) and result.dtype in (ours.float16, ours.bfloat16):
                return ours.astype(result.to_device("cpu"), ours.float32)
            return result

        return super()._seen(wide(result))

    def problem(self, xp: Any, result: Any) -> str:
        """Compare with NumPy's float32, or with that of the CPU."""
        eps = float(xp.finfo(getattr(xp, self.dtype)).eps)
        return _apart(self._seen(result), self.expected[-1], 8 * eps)


def _apart(got: Any, expected: Any, tolerance: float) -> str:
    """Say whether results differ by more than a share of the largest number."""
    if isinstance(expected, (tuple, list)):
        pairs = zip(got, expected, strict=True)
        return next(filter(None, (_apart(g, e, tolerance) for g, e in pairs)), "")
    a, b = np.asarray(got), np.asarray(expected)
    if a.shape != b.shape or (a.dtype.kind == "f") != (b.dtype.kind == "f"):
        return f"{a.dtype} of shape {a.shape} instead of {b.dtype} of shape {b.shape}"
    if a.dtype.kind != "f":
        return "" if np.array_equal(a, b) else "other values"
    finite = np.abs(b[np.isfinite(b)])
    close = np.isclose(a, b, tolerance, tolerance * float(finite.max(initial=0)), equal_nan=True)
    return "" if close.all() else f"{int(np.sum(~close))} of {a.size} elements"


class _OfDerivative(_OfCell):
    """The derivative of a call: the same as on the CPU."""

    def __init__(self, name: str, dtype: str, number: int, call: Call) -> None:
        super().__init__(name, dtype, number, call)
        self.says = f"derivative, {self.says}"

    def prepared(self, xp: Any, device: Any) -> Callable[[], Any]:
        """Return the call and the way back."""
        import torch

        followed: list[torch.Tensor] = []

        def array(values: Any) -> Any:
            made = xp.asarray(values, copy=True, device=device)
            if values.dtype.kind not in "fc":
                return made
            followed.append(made._tensor.requires_grad_())
            return xp.asarray(followed[-1])

        inputs = self._inputs(xp, array)

        def run() -> Any:
            total: Any = 0
            for tensor in _tensors(xp, self.source.bound(xp)(*inputs)):
                if tensor.requires_grad:
                    real = (
                        torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor
                    )
                    total = total + real.sum()
            found = torch.autograd.grad(total, followed, allow_unused=True)
            return tuple(0 if g is None else xp.asarray(g.resolve_conj()) for g in found)

        return run

    def _seen(self, result: Any) -> Any:
        return _on_host(result)

    @cached_property
    def expected(self) -> list[Any]:
        """What the CPU answers."""
        import ascend_array_api as xp

        with xp.options(device="cpu"):
            return [self._seen(self.prepared(xp, "cpu")())]


def _tensors(xp: Any, values: Any) -> list[Any]:
    if isinstance(values, xp.Array):
        return [values._tensor]
    if isinstance(values, (list, tuple)):
        return [tensor for value in values for tensor in _tensors(xp, value)]
    return []


def _of_cells(dtypes: dict[str, str], kind: type[_OfCell]) -> Iterator[Sample]:
    """Return the calls of the cells for data types, named after those of the cells."""
    for name in table.names():
        for dtype in name.dtypes:
            for shown, drawn in dtypes.items():
                for number, call in enumerate(FUNCTIONS[name.key].calls) if drawn == dtype else ():
                    if call.when(Seeded(dtype, "")):
                        yield kind(name.key, shown, number, call)


def _cells() -> Iterator[Sample]:
    yield from _of_cells({dtype: dtype for dtype in table.DTYPES}, _OfCell)


def _halves() -> Iterator[Sample]:
    yield from _of_cells({"float16": "float32", "bfloat16": "float32"}, _OfHalf)


def _derivatives() -> Iterator[Sample]:
    floating = ("float32", "float64", "complex64", "complex128")
    yield from _of_cells({dtype: dtype for dtype in floating}, _OfDerivative)


def _cases() -> Iterator[Sample]:
    from . import cases

    yield from cases.CASES


SOURCES: Final = (_cells, _halves, _cases, _derivatives)


def samples() -> Iterator[Sample]:
    """Return all samples, the cheapest first."""
    for source in SOURCES:
        yield from source()
