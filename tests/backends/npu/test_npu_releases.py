"""Faults of CANN's releases and chips: what the emulated CANN then answers, and which rows help.

Each case is wrong on the releases and chips that it names when its row is taken out, by NumPy or
by the standard's text, and right with it.  docs/hardware.md lists the faults.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from npu import EMULATOR, QUIET_TORCH_NPU, needs_emulator, script

import ascend_array_api as xp
from ascend_array_api._backends.npu.linear_algebra import cholesky
from ascend_array_api._devices import backends
from ascend_array_api._routes import _operations
from ascend_array_api._routes._operations import OPS
from ascend_array_api._routes._rows import Compose
from ascend_array_api._torch import torch
from conformance.cann_emulator import _table
from workshop.samples.strategies import to_numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = QUIET_TORCH_NPU
A2, OLD, FIRST, NEW = "Ascend910B2", "Ascend310P3", "Ascend910A", "Ascend950PR_9589"


class Machine(dict[str, Any]):
    """Facts of a machine; those that are not named are the real ones."""

    def __init__(self, soc: str, cann: str) -> None:
        self._others = backends.find("npu").facts
        named = soc.removeprefix("Ascend")
        super().__init__(soc=named, cann=_table.release(cann), torch_npu=(2, 13, 0))

    def __missing__(self, name: str) -> Any:
        return self._others[name]


@contextmanager
def on(soc: str, cann: str, without: str = "") -> Iterator[None]:
    """Have a chip and a release with their faults; an operation may lack the row that decides.

    The next row then decides, or the route of `PLAIN`.
    """
    backend, chosen = backends.find("npu"), _operations.chosen
    own = backend.facts

    def left(rows: Any, name: str, dtype: Any, known: Any) -> Any:
        row = chosen(rows, name, dtype, known)
        if row is None or name != without:
            return row
        if name in PLAIN:
            return replace(row, route=Compose(PLAIN[name]))
        return chosen([r for r in rows if r is not row], name, dtype, known)

    backend.facts = Machine(soc, cann)  # type: ignore[assignment, misc]
    _operations.chosen = left
    forget()
    try:
        with EMULATOR.failing_like(soc, cann):
            yield
    finally:
        backend.facts = own  # type: ignore[misc]
        _operations.chosen = chosen
        forget()


def forget() -> None:
    for op in OPS.values():
        op.clear()


def same(got: xp.Array, expected: Any) -> None:
    np.testing.assert_allclose(to_numpy(got), expected, rtol=1e-5, atol=1e-5, equal_nan=True)


def signs(*dtypes: Any) -> None:
    for dtype in dtypes or (xp.float16, xp.float32, xp.float64):
        x = xp.asarray([-0.0, 0.0, -1.0, 2.0, -xp.inf], dtype=dtype)
        same(xp.signbit(x), [True, False, True, False, True])


def signs_of_bfloat16() -> None:
    signs(xp.bfloat16)  # which 310P has not


def intervals() -> None:
    """Try lengths at which blocks stay unwritten by 48, 8 and 32 cores."""
    for n in (393_216, 65_536, 2**18):
        same(xp.linspace(0.0, 1.0, n), np.linspace(0, 1, n))
    same(xp.linspace(0, 1 + 1j, 2**18, dtype=xp.complex64), np.linspace(0, 1 + 1j, 2**18))


def plain_intervals(start: float, stop: float, num: int, dtype: Any, device: Any) -> Any:
    return torch.linspace(start, stop, num, dtype=dtype, device=device)


def cholesky_of_five() -> None:
    a = np.random.default_rng(1).normal(size=(5, 5))
    for b in (a, a + 1j * a[::-1]):
        b = (b @ b.conj().T + np.eye(5)).astype(np.complex64 if b.dtype.kind == "c" else np.float32)
        same(xp.linalg.cholesky(xp.asarray(b)), np.linalg.cholesky(b))


def slices() -> None:
    for dtype in (xp.float32, xp.bool, xp.int16, xp.float64, xp.complex64):
        for n in (1, 7, 9, 33):
            x, ones = xp.zeros(100, dtype=dtype), xp.ones(n, dtype=dtype)
            x[3 : n + 3] = ones
            same(x, np.r_[np.zeros(3), np.ones(n), np.zeros(97 - n)])
    rows = xp.zeros((3, 5))
    rows[1, ...] = xp.ones(5)
    same(rows, np.eye(3)[:, 1:2] * np.ones(5))
    rows = xp.zeros(100, dtype=xp.int8)
    part = rows[:9]
    part += xp.ones(9, dtype=xp.int8) * 2
    same(rows, [2] * 9 + [0] * 91)


def large_slices() -> None:
    x = xp.zeros(300_000)
    x[:200_001] = xp.ones(200_001)
    same(x, np.r_[np.ones(200_001), np.zeros(99_999)])


TRANSPOSED = """
import numpy as np
def check(got, expected):
    np.testing.assert_array_equal(np.asarray(got.to_device("cpu")), expected)
for name in ("float32", "int64", "uint8", "float64", "complex64"):
    x, y = np.zeros((8, 6), name), xp.zeros((8, 6), dtype=getattr(xp, name))
    some = np.arange(40).reshape(5, 8).astype(name)
    x.T[1:] = some
    y.T[1:, ...] = xp.asarray(some)
    check(y, x)
    x.T[...] += 1
    view = y.T
    view += xp.ones((), dtype=y.dtype)
    check(y, x)
    view *= y.T
    x *= x
    check(y, x)
    mask = np.arange(48).reshape(6, 8) % 3 > 0
    x.T[mask] = 2
    view[xp.asarray(mask)] = xp.asarray(2, dtype=y.dtype)
    check(y, x)
    x.T[1:, [1, 3]] = x.T[1:, [0, 2]]
    view[1:, xp.asarray([1, 3])] = view[1:, xp.asarray([0, 2])]
    check(y, x)
    check(xp.asarray(view, copy=True), x.T)
    for to in ("int64", "float64", "bool"):
        if name != "complex64":
            check(xp.astype(view, getattr(xp, to)), x.T.astype(to))
with xp.options(host_fallback="allow"):
    check(xp.linalg.svd(xp.eye(4, dtype=xp.complex128)).U, np.eye(4))
xp.synchronize()
"""


def joined() -> None:
    row = xp.asarray(np.arange(1.0, 65.0), dtype=xp.float32)
    got = xp.concat([xp.broadcast_to(row, (4, 64)), xp.ones((4, 64))], axis=1)
    same(got, np.c_[np.tile(np.arange(1.0, 65.0), (4, 1)), np.ones((4, 64))])


def places() -> None:
    drawn = np.random.default_rng(2).permutation(60).reshape(3, 20)
    for dtype in ("float32", "float64", "int32", "int8", "int64", "float16"):
        x = xp.asarray(drawn.astype(dtype))
        for axis in (None, 0, 1):
            same(xp.argmax(x, axis=axis), np.argmax(drawn, axis))
            kept = xp.argmin(x, axis=axis, keepdims=True)
            same(kept, np.argmin(drawn, axis, keepdims=True))
    nan = xp.asarray([1.0, xp.nan, 3.0, xp.nan])
    same(xp.argmax(nan), 1)
    same(xp.argmin(nan), 1)


def gathered() -> None:
    x = np.arange(2**20, dtype=np.float32).reshape(2**13, 2**7)
    at = np.random.default_rng(3).integers(0, 2**13, (8, 2**7))
    got = xp.take_along_axis(xp.asarray(x), xp.asarray(at), axis=0)
    same(got, np.take_along_axis(x, at, 0))


def tall() -> None:
    same(xp.ones((5000, 20)) @ xp.ones((20, 8)), np.full((5000, 8), 20.0))
    same(xp.ones((5000, 20)) @ xp.ones(20), np.full(5000, 20.0))
    whole = [xp.ones(shape, dtype=xp.int32) for shape in ((5000, 20), (20, 8))]
    same(whole[0] @ whole[1], np.full((5000, 8), 20))


def tall_stack() -> None:
    same(xp.ones((2, 65_540, 12)) @ xp.ones((2, 12, 2)), np.full((2, 65_540, 2), 12.0))


def halves() -> None:
    got = xp.ones((2, 4100), dtype=xp.float16) @ xp.ones((4100, 3), dtype=xp.float16)
    same(got, np.full((2, 3), 4100.0))


def written_by_positions() -> None:
    """Write by more than 100 positions, on the vector units alone."""
    expected = np.zeros((500, 3))
    expected[1:402:2] = np.arange(603).reshape(201, 3)
    for dtype in (xp.int64, xp.float64, xp.complex64):
        x, at = xp.zeros((500, 3), dtype=dtype), xp.arange(1, 402, 2)
        value = xp.asarray(np.arange(603.0).reshape(201, 3), dtype=xp.float32)
        value = xp.astype(value, dtype)
        with EMULATOR.counting() as counts:
            x[at, ...] = value
        same(x, expected)
        written: Counter[str] = Counter()
        for (kernel, _, unit), n in counts.kernels.items():
            written[unit] += n * (kernel == "aclnnIndexPutImpl")
        assert written == Counter(AICore=1, AICPU=0), dtype


def shifted() -> None:
    for dtype in (xp.int8, xp.int64, xp.uint8):
        x, counts = xp.asarray([[100], [7]], dtype=dtype), xp.asarray([0, 1, 2], dtype=dtype)
        same(x >> counts, [[100, 50, 25], [7, 3, 1]])


CASES: dict[str, tuple[str, tuple[tuple[str, str], ...], Callable[[], None]]] = {
    "signbit": ("signbit", ((A2, "9.2.0"), (OLD, "9.0.0"), (NEW, "9.0.0")), signs),
    "signbit of bfloat16": ("signbit", ((A2, "8.5.0"), (NEW, "8.5.0")), signs_of_bfloat16),
    "linspace": ("linspace", ((A2, "9.0.1"), (OLD, "8.5.0"), (FIRST, "9.0.0")), intervals),
    "cholesky": ("cholesky", ((OLD, "9.1.0"), (FIRST, "9.0.0")), cholesky_of_five),
    "slices": ("copy_to", ((OLD, "9.1.0"), (OLD, "8.5.0")), slices),
    "large slices": ("copy_to", ((FIRST, "9.1.0"),), large_slices),
    "positions of int64": ("index_put", ((A2, "9.1.0"), (A2, "8.5.0")), written_by_positions),
    "take_along_axis": ("take_along_axis", ((A2, "8.5.0"),), gathered),
    "concat": ("concat", ((NEW, "9.1.0"),), joined),
    "tall products": ("matmul", ((A2, "8.5.0"),), tall),
    "tall stacks": ("matmul", ((A2, "8.5.1"), (A2, "8.5.0")), tall_stack),
    "halves": ("matmul", ((A2, "8.5.1"),), halves),
    "argmax": ("argmax", ((A2, "8.5.0"),), places),
    "argmin": ("argmin", ((A2, "8.5.0"),), places),
    "right shifts": ("bitwise_right_shift", ((A2, "8.5.1"),), shifted),
}
"""The operation whose row helps, the chips and releases with the fault, and a program.

`FATAL` has the faults with which the device is lost.
"""
PLAIN = {"linspace": plain_intervals}
"""What to compute with in place of a row, where the next row is right too."""


@needs_emulator
@pytest.mark.parametrize("case", CASES)
def test_a_row_avoids_a_fault(case: str) -> None:
    operation, machines, program = CASES[case]
    for machine in machines:
        with on(*machine):
            program()
        with on(*machine, without=operation), pytest.raises((AssertionError, xp.DeviceError)):
            program()
    program()  # as emulated by default


@needs_emulator
def test_nothing_is_written_to_transposed_arrays_of_950() -> None:
    """Their kernels read outside then; `FATAL` has the program without a row."""
    with on(NEW, "9.1.0"):
        exec(TRANSPOSED, {"xp": xp})


@needs_emulator
def test_mended_releases_have_no_fault() -> None:
    """950 has a kernel of bits for signbit since CANN 9.1, and A2 writes all blocks since 9.1."""
    for machine, operation, program in (
        ((NEW, "9.1.0"), "signbit", signs),
        ((A2, "9.1.0"), "linspace", intervals),
        ((A2, "9.0.0"), "argmax", places),
        ((A2, "9.0.0"), "matmul", tall_stack),
    ):
        with on(*machine, without=operation):
            program()


@needs_emulator
@pytest.mark.nightly
def test_cholesky_of_more_rows_than_the_kernel_takes() -> None:
    """CANN 9.1 refuses 8,193 rows, and 4,097 of complex numbers, which are 8,194 of real ones."""
    for n, dtype in ((8193, xp.float32), (4097, xp.complex64)):
        x = xp.eye(n, dtype=dtype) * 4
        same(xp.linalg.cholesky(x), 2 * np.eye(n))
    with pytest.raises(RuntimeError, match="161002"):
        torch.linalg.cholesky(torch.empty((8193, 8193), device="npu:0"))


@needs_emulator
def test_cholesky_in_blocks() -> None:
    """Against LAPACK; matrices that are not positive definite are NaN in all their elements."""
    draw = np.random.default_rng(4)
    for n in (1, 2, 5, 11):
        a = draw.normal(size=(3, n, n)).astype(np.float32)
        a = a @ np.swapaxes(a, -1, -2) + np.eye(n, dtype=np.float32)
        a[1] *= -1
        for upper in (False, True):
            got = cholesky(4)(torch.from_numpy(a).npu(), upper=upper).cpu().numpy()
            for i in (0, 2):
                expected = np.linalg.cholesky(a[i])
                np.testing.assert_allclose(got[i], expected.T if upper else expected, atol=1e-5)
            assert np.isnan(got[1]).all()
    for cann in ("9.0.1", "9.1.0"):
        with on(A2, cann):
            row = OPS["cholesky"].row(torch.float32, backends.find("npu"))
            assert row is not None
            assert ("1,891" in row.reason) == (cann == "9.0.1")


WRITES = """
import numpy as np
def check(got, expected):
    np.testing.assert_array_equal(np.asarray(got.to_device("cpu")), expected)
for name in ("float32", "float16", "int32", "int64", "bool", "int8", "float64", "complex64"):
    x = np.zeros((171, 20, 3), name)
    y, mask = xp.asarray(x), np.arange(171) % 3 > 0
    some = np.arange(114 * 60).reshape(114, 20, 3).astype(name)
    x[mask] = some
    y[xp.asarray(mask), ...] = xp.asarray(some)
    check(y, x)
    at, those = np.arange(-40, 130) % 171, np.arange(170) % 3
    x[at, :, those] = 1
    y[xp.asarray(at), :, xp.asarray(those)] = xp.ones((), dtype=y.dtype)
    check(y, x)
    for i in (np.arange(20)[::2], np.arange(-20, -3)):
        x[:, i] = some[:171, :1][: 1]
        y[:, xp.asarray(i), ...] = xp.asarray(some[:1, :1])
        check(y, x)
"""
CHOLESKY = "assert abs(float(xp.sum(xp.linalg.cholesky(xp.eye(1891)))) - 1891) < 1e-2\n"
SHIFTS = """
x = xp.asarray([1, 2, 3])
with xp.options(host_fallback="allow"):
    x = x << x
assert [int(i) for i in x] == [2, 8, 24]
"""
FATAL = {
    "index_put": (OLD, "9.1.0", WRITES),
    "cholesky": (A2, "9.0.0", CHOLESKY),
    "bitwise_left_shift": (A2, "8.5.1", SHIFTS),
    "copy_to": (NEW, "9.1.0", TRANSPOSED),
}
_QUIET = "import warnings\nwarnings.simplefilter('ignore', UserWarning)\n"
_WITHOUT = """
from ascend_array_api._routes import _operations
chosen = _operations.chosen
def left(rows, name, dtype, known):
    out = lambda row: name == NAME and any(
        word in f"{row.evidence.seen} {row.reason}" for word in ("sources", "1,891", "older path")
    )
    return chosen([row for row in rows if not out(row)], name, dtype, known)
_operations.chosen = left
"""


@needs_emulator
@pytest.mark.nightly
@pytest.mark.parametrize("name", FATAL)
def test_a_row_keeps_the_device(name: str) -> None:
    """The device is lost without the row."""
    soc, cann, program = FATAL[name]
    machine = {"CANN_EMULATOR_SOC": soc, "CANN_EMULATOR_CANN": cann}
    program = f"{_QUIET}{program}"
    script(program + "xp.synchronize()\n", **machine)
    out = _WITHOUT.replace("NAME", repr(name))
    script(out + program + "xp.synchronize()\n", fails=True, **machine)
