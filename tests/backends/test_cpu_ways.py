"""Which of several ways to the same result the CPU takes: from the table of what pays.

The ways give the same, which other tests hold; here is when each is taken, just below and just
beyond every threshold.  A way is known by a function of torch's that it alone calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from steps import entered

import ascend_array_api as xp
from ascend_array_api._backends.cpu import _numpy
from ascend_array_api._devices.device import parse
from ascend_array_api._devices.facts import mkl, numpys_vectors, torch_at_least
from ascend_array_api._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable

FEW, PIECE, GRAIN = _numpy.FEW, _numpy.PIECE, _numpy.GRAIN
SEVERAL = 4
"""Threads of torch's, up to which NumPy keeps up with it."""
FACTS = parse("cpu", "test").backend.facts
NEEDED = {
    "x // 3": torch_at_least(2, 10),
    "x % 3": torch_at_least(2, 10),
    "by a divisor": torch_at_least(2, 10),
    "rfft": torch_at_least(2, 9),
    "irfft": torch_at_least(2, 9),
    "sqrt": mkl,
    "sqrt in portions": mkl,
    **dict.fromkeys(("abs", "cosh", "x ** x", "acosh"), numpys_vectors),
}


def needs(what: str) -> None:
    if what in NEEDED and not NEEDED[what].decide(FACTS):
        pytest.skip("a row of another torch, or of another processor")


def calls(function: Callable[..., Any], *arguments: Any) -> set[str]:
    """Return the names of what a function calls that is written in C."""
    return {name for file, name in entered(function, *arguments) if not file}


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    return lambda n: monkeypatch.setattr(torch, "get_num_threads", lambda: n)


def filled(dtype: str, shape: Any) -> xp.Array:
    size = int(np.prod(shape))
    return xp.asarray((np.arange(size) % 50 + 2).astype(dtype).reshape(shape), device="cpu")


FEW_THREADS, ANY_THREADS = SEVERAL, 1 << 10
MANY: dict[str, tuple[Callable[[Any], Any], str, int]] = {
    "x // 3": (lambda x: x // 3, "int32 int64", FEW_THREADS),
    "x % 3": (lambda x: x % 3, "int32 int64", FEW_THREADS),
    "isfinite": (xp.isfinite, "float32 float64 complex64", FEW_THREADS),
    "isinf": (xp.isinf, "float32 complex128", FEW_THREADS),
    "isnan": (xp.isnan, "float64", FEW_THREADS),
    "signbit": (xp.signbit, "float32", FEW_THREADS),
    "x == x": (lambda x: x == x, "float32 int32", FEW_THREADS),
    "x < x": (lambda x: x < x, "float32 int32", FEW_THREADS),
    "min": (xp.min, "int64", FEW_THREADS),
    "count_nonzero": (xp.count_nonzero, "bool", FEW_THREADS),
    "nonzero": (xp.nonzero, "bool", FEW_THREADS),
    "all": (xp.all, "float32 int64", FEW_THREADS),
    "any of Booleans": (xp.any, "bool", ANY_THREADS),
    "sort": (xp.sort, "float32 float64", ANY_THREADS),
    "sort of rows": (lambda x: xp.sort(x[None, :]), "int16 int64", ANY_THREADS),
    "unique_values": (xp.unique_values, "float64", ANY_THREADS),
    "argmax": (xp.argmax, "float32 int32", ANY_THREADS),
    "argmin": (xp.argmin, "float64", ANY_THREADS),
    "isin": (lambda x: xp.isin(x, x[:3]), "float32", ANY_THREADS),
    "abs": (xp.abs, "complex64", FEW_THREADS),
    "cosh": (xp.cosh, "float64", FEW_THREADS),
    "x ** x": (lambda x: x**x, "float32", FEW_THREADS),
    "acosh": (xp.acosh, "float64", ANY_THREADS),
}
FOLLOWED = {"all", "argmax", "argmin", "cosh", "isin", "x < x", "x == x"}
"""What is differentiated takes the same way: it has no derivative, or one of its own."""


@pytest.mark.parametrize(("name", "dtype"), [(n, d) for n in MANY for d in MANY[n][1].split()])
def test_numpy_computes_of_many(name: str, dtype: str, threads: Any) -> None:
    needs(name)
    function, _, most = MANY[name]
    for size in (1, FEW, FEW + 1, 2 * FEW):
        for number in (1, SEVERAL, SEVERAL + 1):
            threads(number)
            expected = size > FEW and number <= most
            assert ("from_numpy" in calls(function, filled(dtype, size))) == expected
    if "float" in dtype:
        threads(1)
        x = filled(dtype, FEW + 1)
        xp.to_torch(x).requires_grad_()
        assert ("from_numpy" in calls(function, x)) == (name in FOLLOWED)


def at(x: Any, *places: Any) -> Any:
    return x[tuple(xp.asarray(p, device=x.device) if isinstance(p, list) else p for p in places)]


def by_three(x: Any) -> Any:
    return x // xp.asarray(3, device=x.device)


def put(x: Any, value: Any) -> None:
    x[xp.arange(x.size, device="cpu")] = value


def rolled(x: Any, axes: tuple[int, ...]) -> Any:
    return xp.roll(x, (1,) * len(axes), axis=axes)


INDEX = [i % 10 for i in range(FEW + 1)]
CASES: list[tuple[str, Callable[..., Any], str, Any, int, str, bool]] = [
    # what, a call of it, data type, shape, threads, a function of torch's, whether it is called
    ("by a divisor", by_three, "int64", FEW + 1, 4, "from_numpy", True),
    ("by a divisor", by_three, "int64", FEW + 1, 5, "from_numpy", False),
    ("by a divisor", by_three, "int64", FEW, 4, "from_numpy", False),
    ("by -1", lambda x: x // -1, "int64", FEW + 1, 4, "from_numpy", False),
    ("by many", lambda x: x // x, "int64", FEW + 1, 4, "from_numpy", False),
    ("product", lambda x: xp.prod(x, axis=0), "int64", (FEW + 1, 1), 4, "from_numpy", True),
    ("product", lambda x: xp.prod(x, axis=0), "int64", (FEW + 1, 1), 5, "from_numpy", False),
    ("product", lambda x: xp.prod(x, axis=0), "int64", (FEW // 2, 2), 4, "from_numpy", False),
    ("product", lambda x: xp.prod(x, axis=0), "int64", FEW + 1, 4, "from_numpy", False),
    ("product", lambda x: xp.prod(x, axis=1), "int64", (2, FEW), 4, "from_numpy", False),
    ("product", lambda x: xp.prod(x.T, axis=0), "int64", (2, FEW), 4, "from_numpy", False),
    ("of columns", lambda x: xp.any(x, axis=0), "float32", (FEW, 2), 5, "from_numpy", True),
    ("of columns", lambda x: xp.any(x, axis=1), "float32", (FEW, 2), 5, "from_numpy", False),
    ("of columns", lambda x: xp.any(x, axis=0), "int32", (1, GRAIN - 1), 5, "from_numpy", True),
    ("of columns", lambda x: xp.any(x, axis=0), "int32", (1, GRAIN), 5, "from_numpy", False),
    ("isin", lambda x: xp.isin(x, x[:64]), "float32", FEW + 1, 5, "from_numpy", True),
    ("isin", lambda x: xp.isin(x, x[:65]), "float32", FEW + 1, 5, "from_numpy", False),
    ("isin", lambda x: xp.isin(x, x[:0]), "float32", FEW + 1, 5, "from_numpy", False),
    ("sort", xp.sort, "int8", FEW + 1, 4, "from_numpy", False),
    ("sort", xp.sort, "int8", (2, FEW), 4, "from_numpy", True),
    ("sort", xp.sort, "int8", (2, FEW // 2), 4, "from_numpy", False),
    ("unique_inverse", xp.unique_inverse, "float32", FEW + 1, 5, "_unique2", False),
    ("unique_inverse", xp.unique_inverse, "float32", FEW + 1, 4, "_unique2", True),
    ("unique_inverse", xp.unique_inverse, "float32", FEW, 5, "_unique2", True),
    ("of rows", lambda x: xp.argmax(x, axis=1), "float32", (17, 64), 4, "from_numpy", True),
    ("of rows", lambda x: xp.argmax(x, axis=1), "float32", (17, 64), 5, "from_numpy", False),
    ("of rows", lambda x: xp.argmax(x, axis=1), "float32", (17, 63), 4, "from_numpy", False),
    ("unsigned", xp.argmax, "uint16", 3000, 3, "bitwise_xor", False),
    ("unsigned", xp.argmin, "uint64", 3000, 3, "bitwise_xor", False),
    ("places", lambda x: xp.argmax(x, axis=0), "float32", (64, 512), 4, "from_numpy", True),
    ("places", lambda x: xp.argmax(x, axis=0), "float32", (64, 511), 4, "from_numpy", False),
    ("places", lambda x: xp.argmax(x, axis=0), "float32", (65, 512), 4, "from_numpy", False),
    ("places", lambda x: xp.argmax(x, axis=0), "float32", (64, 512), 5, "from_numpy", False),
    ("places", lambda x: xp.argmax(x, axis=1), "float32", (2, 64, 512), 4, "from_numpy", True),
    ("rfft", xp.fft.rfft, "float64", 2 * FEW, 4, "from_numpy", True),
    ("rfft", xp.fft.rfft, "float64", 2 * FEW, 5, "from_numpy", False),
    ("rfft", xp.fft.rfft, "float64", FEW, 4, "from_numpy", False),
    ("rfft", xp.fft.rfft, "float64", 2 * FEW - 2, 4, "from_numpy", False),
    ("rfft", xp.fft.rfft, "float64", (1, 2 * FEW), 4, "from_numpy", False),
    ("rfft", lambda x: xp.fft.rfft(x, n=FEW), "float64", FEW + 5, 4, "from_numpy", True),
    ("rfft", lambda x: xp.fft.rfft(x, n=FEW + 1), "float64", FEW + 5, 4, "from_numpy", False),
    ("irfft", xp.fft.irfft, "complex128", FEW + 1, 4, "from_numpy", True),
    ("irfft", xp.fft.irfft, "complex128", FEW + 3, 4, "from_numpy", False),
    ("sqrt", xp.sqrt, "float32", PIECE, 5, "from_numpy", True),
    ("sqrt", xp.sqrt, "float32", PIECE + 1, 5, "from_numpy", False),
    ("sqrt", xp.sqrt, "float32", PIECE + 1, 4, "from_numpy", True),
    ("sqrt in portions", xp.sqrt, "float32", (1 << 20) + 1, 5, "split", True),
    ("sqrt in portions", xp.sqrt, "float32", 1 << 20, 5, "split", False),
    ("in portions", xp.special.exprel, "float32", GRAIN, 1, "split", False),
    ("in portions", xp.special.exprel, "float32", GRAIN + 1, 1, "split", True),
    ("in portions", xp.special.exprel, "float32", 2 * GRAIN, 2, "split", False),
    ("in portions", xp.special.exprel, "float32", 2 * GRAIN + 1, 2, "split", True),
    ("rows", lambda x: at(x, INDEX, ...), "float32", (50, 2), 5, "index_select", True),
    ("rows", lambda x: at(x, INDEX, ...), "float32", (FEW + 1, 2), 5, "index_select", True),
    ("rows", lambda x: at(x, INDEX[:9], ...), "float32", (50, 2), 5, "index_select", False),
    ("rows", lambda x: at(x, INDEX[:1], ...), "float32", (2, FEW), 5, "index_select", False),
    ("rows", lambda x: at(x, INDEX[:1], ...), "float32", (2, FEW + 1), 5, "index_select", True),
    ("elements", lambda x: at(x, INDEX), "float32", 50, 4, "index_select", True),
    ("elements", lambda x: at(x, INDEX), "float32", 50, 5, "index_select", False),
    ("elements", lambda x: at(x, INDEX[:-1]), "float32", 50, 4, "index_select", False),
    ("columns", lambda x: at(x, ..., INDEX), "float32", (2, 50), 4, "gather", True),
    ("columns", lambda x: at(x, ..., INDEX), "float32", (2, 2, 50), 4, "index_select", True),
    ("written", lambda x: put(x, x + 1), "float32", FEW + 1, 4, "scatter_", True),
    ("written", lambda x: put(x, x + 1), "float32", FEW + 1, 5, "scatter_", True),
    ("written", lambda x: put(x, x + 1), "float32", FEW, 4, "scatter_", False),
    ("rolled", lambda x: rolled(x, (0, 1)), "float64", (512, 256), 1, "narrow", True),
    ("rolled", lambda x: rolled(x, (0, 1)), "float64", (511, 256), 1, "narrow", False),
    ("rolled", lambda x: rolled(x, (0, 1, 2)), "float64", (512, 128, 2), 1, "narrow", True),
    ("rolled", lambda x: rolled(x, (0, 1, 2, 3)), "float64", (512, 64, 2, 2), 1, "narrow", False),
    ("rolled", lambda x: rolled(x, (0, 0)), "float64", (512, 256), 1, "narrow", False),
    ("stacked", lambda x: xp.stack([x, x]), "float32", 3, 1, "stack", True),
    ("repeated", lambda x: xp.repeat(x, x), "int64", 3, 1, "reshape", False),
    ("squares", lambda x: xp.var(x, axis=0), "float32", (FEW + 1, 1), 4, "subtract", True),
    ("squares", lambda x: xp.var(x, axis=0), "float32", (FEW, 1), 4, "subtract", False),
    ("squares", xp.std, "float32", (FEW + 1, 1), 4, "subtract", False),
]


@pytest.mark.one_each
@pytest.mark.parametrize(("what", "call", "dtype", "shape", "number", "name", "called"), CASES)
def test_ways(
    what: str,
    call: Callable[..., Any],
    dtype: str,
    shape: Any,
    number: int,
    name: str,
    called: bool,
    threads: Any,
) -> None:
    needs(what)
    x = filled(dtype, shape)
    threads(number)
    assert (name in calls(call, x)) == called, what
