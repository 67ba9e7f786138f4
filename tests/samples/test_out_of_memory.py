"""A call for which the CPU has no memory raises MemoryError, as in NumPy: every function.

Real lacks are arrays of 2**50 elements and more, beyond all address spaces.  For every call of the
samples the lack is made: in the place of its n-th tensor, torch raises what its allocator raises.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest
from torch.utils._python_dispatch import TorchDispatchMode

import ascend_array_api as xp
from ascend_array_api._torch import torch
from workshop.samples import FUNCTIONS
from workshop.samples._table import converted
from workshop.samples.draws import Seeded
from workshop.samples.memory import calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ONE: Final = xp.ones(1, device="cpu")


def _huge(n: int, rows: int) -> dict[str, Callable[[], Any]]:
    """Return calls whose results have ``n`` elements, or ``rows`` times ``rows``."""
    x = xp.broadcast_to(ONE, (n,))
    row, column = xp.broadcast_to(ONE, (1, rows)), xp.broadcast_to(ONE, (rows, 1))
    zero = xp.broadcast_to(xp.asarray([0], device="cpu"), (n,))
    mask = xp.broadcast_to(xp.asarray([True], device="cpu"), (n,))
    y, g = xp.ones(3, device="cpu"), xp.random.default_rng(1)

    def put() -> None:
        y[zero] = x

    return {
        "zeros": lambda: xp.zeros(n, device="cpu"),
        "zeros of a tuple": lambda: xp.zeros((rows, rows), device="cpu"),
        "ones": lambda: xp.ones(n, device="cpu"),
        "empty": lambda: xp.empty(n, device="cpu"),
        "full": lambda: xp.full(n, 2.5, device="cpu"),
        "arange": lambda: xp.arange(n, device="cpu"),
        "linspace": lambda: xp.linspace(0, 1, n, device="cpu"),
        "eye": lambda: xp.eye(rows, device="cpu"),
        "zeros_like": lambda: xp.zeros_like(x),
        "+": lambda: x + x,
        "+ 1": lambda: x + 1,
        "1 -": lambda: 1 - x,
        "//": lambda: zero // zero,
        "<": lambda: x < x,
        "-": lambda: -x,
        "add": lambda: xp.add(x, x),
        "multiply": lambda: xp.multiply(x, x),
        "exp": lambda: xp.exp(x),
        "special.erf": lambda: xp.special.erf(x),
        "repeat": lambda: xp.repeat(ONE, n),
        "tile": lambda: xp.tile(ONE, (n,)),
        "concat": lambda: xp.concat([x, x]),
        "stack": lambda: xp.stack([x, x]),
        "where": lambda: xp.where(mask, x, x),
        "asarray": lambda: xp.asarray(x, copy=True),
        "astype": lambda: xp.astype(x, xp.float64),
        "copy": lambda: copy.copy(x),
        "deepcopy": lambda: copy.deepcopy(x),
        "NumPy": lambda: np.array(x),
        "x[::-1]": lambda: x[::-1],
        "x[i]": lambda: ONE[zero],
        "take": lambda: xp.take(ONE, zero),
        "x[i] = y": put,
        "reshape": lambda: xp.reshape(xp.broadcast_to(y, (n, 3)), (-1,)),
        "sort": lambda: xp.sort(x),
        "unique_values": lambda: xp.unique_values(x),
        "median": lambda: xp.median(x),
        "@": lambda: column @ row,
        "matmul": lambda: xp.matmul(column, row),
        "outer": lambda: xp.linalg.outer(row[0, :], row[0, :]),
        "random": lambda: g.random(n),
        "poisson": lambda: g.poisson(3.0, n),
    }


def test_absurd_sizes() -> None:
    """2**50 elements are beyond all memory, 2**61 beyond 64 bits, where NumPy has a ValueError."""
    for n, rows in ((2**50, 2**25), (2**61, 2**31)):
        for name, call in _huge(n, rows).items():
            try:
                call()
            except MemoryError:
                continue
            except Exception as error:
                if n == 2**61 and "array is too big" in str(error):
                    continue
                raise AssertionError(f"{name} of {n} elements: {error!r}") from error
            raise AssertionError(f"{name} of {n} elements gave an array")
    with pytest.raises(MemoryError, match=r"zeros: out of memory on the host\. .*4503599627370496"):
        xp.zeros(2**50, dtype=xp.float32, device="cpu")


class Full(TorchDispatchMode):
    """A memory that is full once some arrays have been made; single numbers still find room."""

    def __init__(self, room: int, said: str) -> None:
        super().__init__()
        self.room, self.said, self.failed = room, said, False

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        made = function(*args, **(kwargs or {}))
        owns = any(r.alias_info is None for r in function._schema.returns)
        leaves = torch.utils._pytree.tree_leaves(made)
        if owns and any(isinstance(t, torch.Tensor) and t.numel() > 1 for t in leaves):
            self.room -= 1
            if self.room < 0:
                self.failed = True
                raise RuntimeError(self.said)
        return made


def _said() -> str:
    with pytest.raises(RuntimeError) as caught:
        torch.empty(2**50)
    return str(caught.value)


CALLED: Final = sorted(
    name
    for name, function in FUNCTIONS.items()
    if function.calls and name != "to_torch"  # of which the sample calls a method of torch's
)
DTYPES: Final = ("float32", "int64", "complex64", "bool")


def _wrong(dtypes: Iterable[str], rooms: int) -> tuple[list[str], int]:
    """Return the calls that raise anything else, and the number of those that failed."""
    wrong, failures, said = [], 0, _said()
    for name in CALLED:
        for dtype in dtypes:
            for call in calls(name, dtype):
                for room in range(rooms):
                    inputs = call.inputs(Seeded(dtype, name))
                    given = [converted(xp, v, lambda v: xp.asarray(v, copy=True)) for v in inputs]
                    got: Any = None
                    with Full(room, said) as full:
                        try:
                            call.bound(xp)(*given)
                        except Exception as error:  # noqa: BLE001  # any kind is reported
                            got = error
                    if not full.failed:
                        break
                    failures += 1
                    if not isinstance(got, MemoryError):
                        wrong.append(f"{name} {call.says} of {dtype}, tensor {room}: {got!r:.60}")
    return wrong, failures


def test_every_function() -> None:
    wrong, failures = _wrong(("float32",), 1)
    assert not wrong
    assert failures > 250


@pytest.mark.nightly
def test_every_function_wherever_it_needs_memory() -> None:
    wrong, failures = _wrong(DTYPES, 6)
    assert not wrong
    assert failures > 1500
