"""Named cases: what no call of the samples shows of a row, with the right results.

Where the standard, NumPy or mathematics leave no doubt the result is written down; the others are
computed by NumPy or mpmath.
"""

from __future__ import annotations

import cmath
import math
import warnings
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import mpmath
import numpy as np

from ..samples import special
from .elementwise import WITNESSES, Witness
from .samples import Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

inf, nan = math.inf, math.nan
HALF: Final = ("float16", "bfloat16")
REAL: Final = ("float32", "float64")
COMPLEX: Final = ("complex64", "complex128")
WIDE: Final = ("uint16", "uint32", "uint64")
SHAPES_OF_MATRICES: Final = ((1, 1), (5, 1), (8, 8), (40, 40), (40, 7), (7, 40), (2, 3, 20, 10),
                              (600, 256))  # fmt: skip
INTEGERS: Final = ("int8", "int16", "int32", "int64", "uint8")


class Case(Sample):
    """A call that is written down here.

    Parameters
    ----------
    name, dtype, says : str
    function : callable
        Of the namespace and of a function that makes an array of values on the device, in the
        case's data type unless another is named.
    expected : object
        The results as arrays of NumPy or numbers: float32 stands for numbers of 16 bits.
    near : float
        How far results may be from it, as a share of their size; by default not at all, signs of
        zeros included.
    """

    def __init__(
        self,
        name: str,
        dtype: str,
        function: Callable[..., Any],
        expected: Any,
        says: str = "",
        *,
        near: float = 0,
        waits: bool = False,
        devices: Collection[str] = Sample.devices,
    ) -> None:
        super().__init__(name, dtype, says or "case")
        self.function, self.expected, self.near = function, expected, near
        self.waits, self.devices = waits, frozenset(devices)

    def prepared(self, xp: Any, device: Any) -> Callable[[], Any]:
        """Return the call."""

        def array(values: Any, dtype: str = self.dtype) -> Any:
            host = xp.asarray(np.asarray(values), device="cpu")
            return xp.astype(host, getattr(xp, dtype)).to_device(device)

        return lambda: self.function(xp, array)

    def problem(self, xp: Any, result: Any) -> str:
        """Compare with what is expected."""
        return _compare(_plain(xp, result), self.expected, self.near)


def _plain(xp: Any, result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        return tuple(_plain(xp, value) for value in result)
    if isinstance(result, xp.Array):
        host = result.to_device("cpu")
        if host.dtype in (xp.float16, xp.bfloat16):
            host = xp.astype(host, xp.float32)
        return np.asarray(host)
    return result


def _in_hf32(function: Callable[..., Any]) -> Callable[..., Any]:
    """Call a function while the switch of torch_npu is on that makes products coarse."""

    def call(xp: Any, array: Any) -> Any:
        import torch

        switches: Any = torch.npu.matmul  # type: ignore[attr-defined]
        switches.allow_hf32 = True
        try:
            return function(xp, array)
        finally:
            switches.allow_hf32 = False

    return call


def _compare(got: Any, expected: Any, near: float) -> str:
    if isinstance(expected, tuple):
        pairs = zip(got, expected, strict=True)
        return next(filter(None, (_compare(g, e, near) for g, e in pairs)), "")
    a, b = np.asarray(got), np.asarray(expected)
    if isinstance(expected, np.ndarray) and (a.dtype, a.shape) != (b.dtype, b.shape):
        return f"{a.dtype} of shape {a.shape} instead of {b.dtype} of shape {b.shape}"
    if near:
        right = np.isclose(a, b, near, 0, equal_nan=True)
    elif a.dtype.kind in "fc":
        right = _same(a.real, b.real) & _same(a.imag, b.imag)
    else:
        right = a == b
    return "" if np.all(right) else f"{got} instead of {expected}"


def _same(a: Any, b: Any) -> Any:
    return (np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b)))


class _OfWitness(Sample):
    """A case of the elementwise operations, by the operation itself."""

    def __init__(self, witness: Witness) -> None:
        super().__init__(witness.op, str(witness.dtype).removeprefix("torch."), "case")
        self.witness = witness

    def prepared(self, xp: Any, device: Any) -> Callable[[], Any]:
        """Return the operation on columns."""
        from ascend_array_api._devices.device import spec
        from ascend_array_api._routes._operations import OPS

        witness = self.witness
        columns, target = witness.columns(), xp.zeros(0, device=device).device.torch_device
        # On the CPU, as CANN refuses to repeat uint16.
        long = [column.repeat(64 // len(column) + 1).to(target) for column in columns]
        op, of = OPS[witness.op], spec(witness.dtype, xp.zeros(0, device=device).device)
        return lambda: (op.on(of)(*long), *([op.on(of)(*columns)] if device == "cpu" else []))

    def problem(self, xp: Any, result: Any) -> str:  # noqa: ARG002
        """Compare with the results of the witness."""
        count = len(self.witness.expected)
        for whole in result:
            got = whole.cpu().tolist()
            for start in range(0, len(got), count):
                if not self.witness.holds(got[start : start + count]):
                    return f"{got[start : start + count]} instead of {self.witness.expected}"[:200]
        return ""


class _Special(Sample):
    """A special function, by mpmath."""

    def __init__(self, name: str, dtype: str) -> None:
        super().__init__(name, dtype, "mpmath")

    def prepared(self, xp: Any, device: Any) -> Callable[[], Any]:
        """Return the call."""
        operands, _ = special.references(self.name, self.drawn)
        arrays = [
            xp.astype(xp.asarray(x, device="cpu"), getattr(xp, self.dtype)).to_device(device)
            for x in operands
        ]
        return lambda: getattr(xp.special, self.name)(*arrays)

    @property
    def drawn(self) -> str:
        """The data type of the operands."""
        return "float32" if self.dtype in HALF else self.dtype

    def problem(self, xp: Any, result: Any) -> str:
        """Say how many units in the last place it is off."""
        if self.dtype in HALF:
            return self._half_problem(xp, result)
        got = np.asarray(result.to_device("cpu"))
        error = special.error(self.name, got, self.dtype)
        # What the tests allow, and on NPUs, where float32 is not computed in float64, what they do.
        allowed = special.TOLERANCE.get(self.name, 8.0)
        if self.dtype == "float32" and "npu" not in str(result.device):
            allowed = 1.0
        return "" if error <= allowed else f"{error:.3g} ulp"

    def _half_problem(self, xp: Any, result: Any) -> str:
        """Compare with float32, rounded once."""
        arrays = [
            xp.astype(xp.astype(xp.asarray(x, device="cpu"), getattr(xp, self.dtype)), xp.float32)
            for x in special.references(self.name, "float32")[0]
        ]
        wide = getattr(xp.special, self.name)(*arrays)
        single = np.asarray(xp.astype(xp.astype(wide, getattr(xp, self.dtype)), xp.float32))
        got = _plain(xp, result)
        right = (got == single) | (np.isnan(got) & np.isnan(single))
        return "" if right.all() else f"{int(np.sum(~right))} of {right.size} not rounded once"


class _Point(Sample):
    """A special function where torch's is not near, by mpmath: right to the last place."""

    def __init__(
        self, name: str, dtype: str, at: tuple[float, ...], devices: Collection[str]
    ) -> None:
        super().__init__(name, dtype, f"at {at}")
        self.at, self.devices = at, frozenset(devices)

    def prepared(self, xp: Any, device: Any) -> Callable[[], Any]:
        """Return the call."""
        dtype = getattr(xp, self.dtype)
        arrays = [xp.asarray([v], dtype=dtype, device="cpu").to_device(device) for v in self.at]
        return lambda: getattr(xp.special, self.name)(*arrays)

    def problem(self, xp: Any, result: Any) -> str:
        """Say how many units in the last place it is off."""
        dtype = getattr(xp, self.dtype)
        with mpmath.workdps(60):
            at = [mpmath.mpf(float(xp.asarray(v, dtype=dtype, device="cpu"))) for v in self.at]
            expected = special.REFERENCES[self.name][0](*at)
            got = mpmath.mpf(float(result[0]))
            error = abs(got - expected) / abs(expected) / float(xp.finfo(dtype).eps)
        # Results of 16 bits are rounded once, from float32.
        allowed = 0.55 if self.dtype in HALF else 1.0
        return "" if error <= allowed else f"{float(error):.3g} ulp"


class _Derivative(Sample):
    """The derivative of an operation at one point, where mathematics gives it."""

    def __init__(
        self, name: str, dtype: str, at: tuple[complex, ...], slopes: Any, near: float = 0
    ) -> None:
        super().__init__(name, dtype, f"derivative at {at}")
        self.at, self.slopes = at, slopes
        self.near = near or (1e-2 if dtype in HALF else 1e-5)

    def prepared(self, xp: Any, device: Any) -> Callable[[], Any]:
        """Return the call and the way back."""
        import torch

        dtype = getattr(torch, self.dtype)
        on = xp.zeros(0, device=device).device.torch_device
        points = [torch.tensor([v], dtype=dtype, device=on, requires_grad=True) for v in self.at]

        def run() -> Any:
            function = getattr(xp, self.name, None) or getattr(xp.special, self.name)
            result = xp.to_torch(function(*map(xp.asarray, points)))
            total = result.real.sum() if result.is_complex() else result.sum()
            return torch.autograd.grad(total, points)

        return run

    def problem(self, xp: Any, result: Any) -> str:  # noqa: ARG002
        """Compare the slopes."""
        got = [complex(g.cpu().item()) for g in result]
        near = np.allclose(got, self.slopes, self.near, 0)
        return "" if near else f"{got} instead of {self.slopes}"


def _integer_power(xp: Any, a: Any) -> Any:
    with xp.options(relaxed=True):  # in strict mode integers are refused
        return xp.linalg.matrix_power(a([[1, 2], [3, 4]]), 3)


def _cases() -> Iterator[Case]:
    for d in WIDE:
        most, x = np.iinfo(d).max, np.asarray([[1, 2], [3, 4]], d)
        yield Case("full", d, lambda xp, _, d=d, most=most: xp.full(2, most, dtype=getattr(xp, d)),
                   np.asarray([most] * 2, d))  # fmt: skip
        yield Case("matrix_power", d, _integer_power, x @ x @ x)
        yield Case("diagonal_matrix", d, lambda xp, a: xp.diag(a([7, 9])),
                   np.asarray([[7, 0], [0, 9]], d))  # fmt: skip
        yield Case("convolve", d, lambda xp, a: xp.convolve(a([1, 2, 3]), a([4, 5])),
                   np.asarray([4, 13, 22, 15], d))  # fmt: skip
        yield Case("sum_at", d, lambda xp, a: xp.bincount(a([0, 1, 1], "int64"), a([5, 6, 7])),
                   np.asarray([5, 13], "uint64"))  # fmt: skip
        yield Case("unique_values", d, lambda xp, a: xp.unique_values(a(np.arange(70_000) % 97)),
                   np.arange(97).astype(d), "many", waits=True, devices={"cpu"})  # fmt: skip
    for d in COMPLEX:
        given, among = [1, 1j, complex(nan, 1), -0.0, 2j], [1j, 0]
        yield Case("isin", d, lambda xp, a, x=given, y=among: xp.isin(a(x), a(y)),
                   np.asarray([False, True, False, True, False]))  # fmt: skip
        yield Case("mean", d, lambda xp, a: xp.mean(a([complex(inf, 1), complex(1, 2)])),
                   np.asarray(complex(inf, 1.5), d))  # fmt: skip
        yield Case("vecdot", d, lambda xp, a: xp.vecdot(a([1j, 2]), a([3, 4j])),
                   np.asarray(5j, d))  # fmt: skip
        yield Case("lstsq", d, lambda xp, a: xp.linalg.lstsq(a([[2, 0], [0, 4j], [0, 0]]),
                   a([2, 4, 0]))[0], np.asarray([1, -1j], d), near=1e-5)  # fmt: skip
    yield Case("isin", "bool", lambda xp, a: xp.isin(a([True, False]), a([True])),
               np.asarray([True, False]))  # fmt: skip
    for d in (*HALF, *REAL):
        wide = "float32" if d in HALF else d
        yield Case("searchsorted", d, lambda xp, a: xp.searchsorted(
            a([-1.0, 0.5, nan]), a([-2.0, 0.5, 7.0, nan])), np.asarray([0, 1, 2, 2]))  # fmt: skip
        yield Case("sign", d, lambda xp, a: xp.sign(a([nan, -2.0, 0.0])),
                   np.asarray([nan, -1, 0], wide))  # fmt: skip
        yield Case("round", d, lambda xp, a: xp.round(a([-0.5, -0.0, 0.5, 1.5, 2.5, -1.5])),
                   np.asarray([-0.0, -0.0, 0, 2, 2, -2], wide))  # fmt: skip
        yield Case("remainder", d, lambda xp, a: xp.remainder(
            a([6.0, -6.0, 3e38, -0.0, 5.0]), a([-3.0, 3.0, 2.0**-100, 1.0, inf])),
            np.asarray([-0.0, 0.0, 0.0, 0.0, 5.0], wide),
            "quotients that overflow") if d != "float16" else Case("remainder", d, lambda xp, a:
            xp.remainder(a([6.0, -6.0, -0.0, 5.0, 6e4]), a([-3.0, 3.0, 1.0, inf, 2.0**-14])),
            np.asarray([-0.0, 0.0, 0.0, 5.0, 0.0], wide))  # fmt: skip
        many = np.linspace(-3, 3, 50).astype("float32").astype(wide)
        yield Case("isin", d, lambda xp, a, m=many: xp.isin(a(m), a(m[::2])),
                   np.asarray([True, False] * 25), "many")  # fmt: skip
        more = [*many, nan, *many]
        yield Case("isin", d, lambda xp, a, m=more: xp.isin(a(m[::10]), a(m)),
                   np.asarray([True] * 5 + [False] + [True] * 5), "more")  # fmt: skip
        yield Case("unique_values", d, lambda xp, a: xp.unique_values(a([0.0, -0.0, 1.0])).shape[0],
                   2, "equal zeros", waits=True)  # fmt: skip
    yield Case("unique_values", "float32", lambda xp, a: xp.unique_values(a([1.0001, 1, 1.0001])),
               np.asarray([1, 1.0001], "float32"), "near each other", waits=True)  # fmt: skip
    for d in INTEGERS:
        bits = np.iinfo(d).bits
        yield Case("isin", d, lambda xp, a: xp.isin(a(np.arange(50)), a(np.arange(0, 50, 2))),
                   np.asarray([True, False] * 25), "many")  # fmt: skip
        shifted = [-1, 0] if d[0] == "i" else [0, 0]
        yield Case("bitwise_right_shift", d, lambda xp, a, d=d, n=bits: a(
            np.asarray([-5, 5]).astype(d)) >> a([n, n]), np.asarray(shifted, d))  # fmt: skip
        yield Case("bitwise_left_shift", d, lambda xp, a, n=bits: a([5, 5]) << a([n, n]),
                   np.asarray([0, 0], d))  # fmt: skip
        start = np.iinfo(d).max - 4
        yield Case("arange", d, lambda xp, _, s=start, d=d: xp.arange(
            s, s + 4, dtype=getattr(xp, d)), np.arange(start, start + 4, dtype=d))  # fmt: skip
    for d, start in (*((d, np.iinfo(d).max - 4) for d in WIDE), ("uint64", 2**40 + 1)):
        yield Case("arange", d, lambda xp, _, s=start, d=d: xp.arange(
            s, s + 4, dtype=getattr(xp, d)), np.asarray([start + i for i in range(4)], d),
            f"from {start}")  # fmt: skip
    yield Case("remainder", "int32", lambda xp, a: a([2**31 - 1, -(2**31), 2**30 + 1]) % a(
        [3, 7, -(2**20) - 1]), np.asarray([2**31 - 1, -(2**31), 2**30 + 1], "int32") % np.asarray(
        [3, 7, -(2**20) - 1], "int32"), "large")  # fmt: skip
    for d in ("bool", *INTEGERS, "uint32", "uint64", *REAL, *HALF):
        wide = "float32" if d in HALF else d
        x = np.arange(2).reshape(1, 1, 2, 1, 1, 1).astype(wide)
        yield Case("tile", d, lambda xp, a, x=x: xp.tile(a(x), (2, 3, 1, 2, 2, 2)),
                   np.tile(x, (2, 3, 1, 2, 2, 2)), "along 5 axes")  # fmt: skip
    x = np.arange(2).reshape(1, 1, 2, 1, 1, 1)
    yield Case("tile", "complex64", lambda xp, a, x=x: xp.tile(a(x), (2, 3, 1, 2, 2, 2)),
               np.tile(x, (2, 3, 1, 2, 2, 2)).astype("complex64"), "along 5 axes")  # fmt: skip
    for d in ("float32", *HALF):
        x = np.ones((1,) * 6 + (2, 2))
        yield Case("matmul", d, lambda xp, a, x=x: a(x) @ a(x), x.astype("float32") * 2,
                   "of 8 dimensions")  # fmt: skip
    x = np.diag([2.0, 4.0]).reshape((1,) * 6 + (2, 2))
    for d in ("float32", "complex64"):
        yield Case("pinv", d, lambda xp, a, x=x: xp.linalg.pinv(a(x)),
                   np.diag([0.5, 0.25]).reshape(x.shape).astype(d), "of 8 dimensions",
                   near=1e-5)  # fmt: skip
    for name in ("svd", "svdvals"):
        yield Case(name, "float32", lambda xp, a, n=name, x=x: _slope_of_values(xp, a(x), n),
                   np.eye(2, dtype="float32").reshape(x.shape), "derivative, of 8 dimensions",
                   near=1e-5)  # fmt: skip
    yield Case(
        "vecdot",
        "float32",
        _in_hf32(lambda xp, a: xp.vecdot(a([[0.1, 0.2]]), a([3, 4]))),
        np.asarray([1.1], "float32"),
        "the cube unit takes 12 digits",
        near=1e-6,
        devices={"npu"},
    )
    yield Case("vecdot", "float64", lambda xp, a: xp.vecdot(a([1.0, 2.0]), a([3.0, 4.0])),
               np.asarray(11.0))  # fmt: skip
    for d in HALF:
        u, v = [256.0, -256.0], [256.0, 256.0]
        if d == "bfloat16":  # whose range is that of float32
            u, v = [1 + 2.0**-7, -1.0], [1 + 2.0**-7, 1 + 2.0**-6]
        yield Case("vecdot", d, lambda xp, a, x=u, y=v: xp.vecdot(a([x, x]), a([y, y])),
                   np.asarray([np.dot(u, v)] * 2, "float32"), "exact products",
                   devices={"npu"})  # fmt: skip
        yield Case("astype", d, lambda xp, a: xp.astype(a([1.5, -2.0]), xp.float64),
                   np.asarray([1.5, -2.0]), "to float64")  # fmt: skip
        v = v[::-1]
        yield Case("convolve", d, lambda xp, a, x=u, y=v: xp.convolve(a(x), a(y))[1],
                   np.asarray(np.convolve(u, v)[1], "float32"), "exact products")  # fmt: skip
        large = 256.0 if d == "bfloat16" else 2048.0
        yield Case("sum_at", d, lambda xp, a, b=large: xp.bincount(a([0] * 5, "int64"),
                   a([b, 1, 1, 1, 1])), np.asarray([large + 4], "float32"))  # fmt: skip
        yield Case("arange", d, lambda xp, _, d=d: xp.arange(0, 4100, 2, dtype=getattr(xp, d))[-1],
                   np.asarray(4096.0, "float32"), "far")  # fmt: skip
    for d in ("float32", "float64", *HALF):
        wide = "float32" if d in HALF else d
        yield Case("vector_norm", d, lambda xp, a: xp.linalg.vector_norm(a([3.0, 4.0, 0.0]), ord=0),
                   np.asarray(2.0, wide), "ord=0")  # fmt: skip
        yield Case("vector_norm", d, lambda xp, a: xp.linalg.vector_norm(a([1.0, 4.0]), ord=0.5),
                   np.asarray(9.0, wide), "ord=0.5", near=1e-2)  # fmt: skip


def _overwritten(_: Any, a: Any) -> Any:
    x, y = a([1, 0, 1, 0]), a([1, 1, 0, 1])
    x[...] = y
    y[x == x] = a(1)
    return x, y


def _on_meshes() -> Iterator[Case]:
    for d in ("bool", *INTEGERS, *WIDE, *REAL, *COMPLEX, *HALF):
        wide = "float32" if d in HALF else d
        expected = np.asarray([1, 1, 0, 1], wide), np.ones(4, wide)
        yield Case("copy_to and mask_fill", d, _overwritten, expected, devices={"mesh"})
    for d in INTEGERS:
        yield Case("cumulative_sum and cumulative_prod", d, lambda xp, a, d=d: (
            xp.cumulative_sum(a([1, 2, 3, 4]), dtype=getattr(xp, d)),
            xp.cumulative_prod(a([1, 2, 3, 4]), dtype=getattr(xp, d))),
            (np.asarray([1, 3, 6, 10], d), np.asarray([1, 2, 6, 24], d)),
            devices={"mesh"})  # fmt: skip
    yield Case("sort and argsort", "bool", lambda xp, a: (
        xp.sort(a([True, False, True])), xp.argsort(a([True, False, True]))),
        (np.asarray([False, True, True]), np.asarray([1, 0, 2])), devices={"mesh"})  # fmt: skip
    tall, stack = np.zeros((9, 2)), np.asarray([[[2.0, 1.0], [0.0, n]] for n in (3, 5, 7)])
    tall[0, 0], tall[4, 1] = 2, 4
    for d in (*REAL, *COMPLEX):
        near = 1e-5 if d in {"float32", "complex64"} else 1e-12
        yield Case("pinv", d, lambda xp, a: xp.linalg.pinv(a(tall)) @ a(tall[:, 0]),
                   np.asarray([1, 0], d), "tall", near=near, devices={"mesh"})  # fmt: skip
        yield Case("matrix_rank", d, lambda xp, a: xp.linalg.matrix_rank(a(tall)),
                   np.asarray(2), "tall", devices={"mesh"})  # fmt: skip
        yield Case("lstsq", d, lambda xp, a: xp.linalg.lstsq(a(tall), a(tall[:, 0]))[0],
                   np.asarray([1, 0], d), "tall", near=near, devices={"mesh"})  # fmt: skip
        wide = {"float32": "complex64", "float64": "complex128"}.get(d, d)
        for name, of in (("eig", lambda made: made[0]), ("eigvals", lambda made: made)):
            yield Case(name, d, lambda xp, a, n=name, of=of: xp.sum(
                of(getattr(xp.linalg, n)(a(stack))), axis=-1), np.asarray([5, 7, 9], wide),
                "of a stack", near=near, devices={"mesh"})  # fmt: skip
    for name, d, call, expected in _operations():
        yield Case(name, d, lambda _, a, n=name, c=call: _of_operation(a, n, c), expected,
                   "by itself", devices={"mesh"})  # fmt: skip


def _operations() -> Iterator[tuple[str, str, Callable[[Any, Any], Any], Any]]:
    """Yield operations that no function asks for where the parts are on CPUs, or of a data type.

    Each is called with a function that makes divided tensors of values.
    """
    x, places = np.asarray([[1, 2], [3, 4], [5, 6], [7, 8]]), np.asarray([3, -1, 0, 1])
    first, matrix = x[:, 0], np.eye(4) + np.eye(4, k=1)
    for d in (*INTEGERS, *WIDE):
        yield "noted_division", d, _noted_division, (x // x[::-1]).astype(d)
    for d in ("int8", "int16", "int32"):
        yield "any_negative", d, lambda op, t: op(t(-first)), np.asarray(True)
    for d in (*INTEGERS, *REAL):
        power = (matrix @ matrix @ matrix).astype(d)
        yield "cube", d, lambda op, t: op(t(first % 6)), ((first % 6) ** 3).astype(d)
        yield "matrix_power", d, lambda op, t: op(t(matrix), 3), power
    for d in (*INTEGERS, "uint64", *REAL):
        sums = np.asarray([6, 7, 3], d)
        yield "sum_at", d, lambda op, t: op(t(first), t([0, 2, 0, 1], "int64"), 3), sums
    for d in REAL:
        yield "inverse", d, lambda op, t: op(t(2.0**first)), (0.5**first).astype(d)
        yield "root", d, lambda op, t: op(t(4.0**first)), (2.0**first).astype(d)
    infinite, zeros = np.asarray([nan, -inf, inf, 2]), np.asarray([0, 0, 0, 2], "float32")
    for d in ("float16", "float32"):
        yield "nan_to_num", d, lambda op, t: op(t(infinite), 0.0, 0.0, 0.0), zeros
    yield "bounded", "int64", lambda op, t: op(t(x), 4), np.minimum(x, 3)
    yield "noted_bounds", "int64", lambda op, t: op(t(x), 4, doubt=_TOLD), np.minimum(x, 3)
    yield "extremes", "int64", lambda op, t: op(t(x)), (np.asarray(1), np.asarray(8))
    for d in ("bool", *INTEGERS, *WIDE, *REAL, *COMPLEX, *HALF):
        own = (x % 3 == 1 if d == "bool" else x).astype("float32" if d in HALF else d)
        for name, call, expected in _selections(own, places):
            yield name, d, call, expected


def _selections(x: Any, places: Any) -> Iterator[tuple[str, Callable[[Any, Any], Any], Any]]:
    along, put = np.stack([places, places[::-1]], 1), x.copy()
    put[places] = x

    def written(op: Any, t: Any) -> Any:
        target = t(x)
        op(target, [t(places, "int64")], t(x), (0,))
        return target

    yield "diagonal_matrix", lambda op, t: op(t(x[:, 0]), 0), np.diag(x[:, 0])
    yield "look_up", lambda op, t: op(t(x), t(places, "int64"), 0, doubt=None), x[places]
    for name in ("sorted_by", "take"):
        yield name, lambda op, t: op(t(x), [t(places, "int64")], (0,)), x[places]
    found = np.take_along_axis(x, along, 0)
    yield "look_up_along", lambda op, t: op(t(x), t(along, "int64"), 0, doubt=None), found
    yield "put_inside", written, put


class _Told:
    """Stands for a doubt that is told of the divisors or positions, and keeps nothing."""

    found = staticmethod(lambda *_: None)


_TOLD: Final = _Told()


def _noted_division(op: Any, t: Any) -> Any:
    from ascend_array_api._routes.elementwise import floor_divide

    x = np.asarray([[1, 2], [3, 4], [5, 6], [7, 8]])
    return op(t(x), t(x[::-1]), function="", exact=floor_divide, doubt=_TOLD)


def _of_operation(a: Any, name: str, call: Callable[[Any, Any], Any]) -> Any:
    """Return what an operation makes of divided tensors, as arrays of the mesh."""
    from ascend_array_api._arrays.array import wrap
    from ascend_array_api._routes._operations import OPS

    spec = a(0)._spec
    made = call(OPS[name].on(spec), lambda *given: a(*given)._tensor)
    if isinstance(made, tuple):
        return tuple(wrap(m, spec.of(m.dtype)) for m in made)
    return wrap(made, spec.of(made.dtype))


def _of_long_vectors() -> Iterator[Case]:
    """Yield sums of equal terms, whose errors, of one sign, add up if they are added one by one."""
    for d in (*REAL, *COMPLEX, *HALF):
        wide = "float32" if d in HALF else d
        eps = {"bfloat16": 2.0**-7, "float16": 2.0**-10}.get(d, float(np.finfo(wide).eps))
        count, near = (1 << 16, 150 * eps) if wide == d else (1 << 24, 2 * eps)
        term = 0.03 if d in HALF else 0.7
        if d in HALF:  # which holds these
            term = 2.0**-6 + 2.0**-11 + 2.0**-12
        term = float(np.asarray(term, wide).real)

        def row(xp: Any, a: Any, count: int = count, term: float = term) -> Any:
            return xp.broadcast_to(a(term), (1, count))

        total = np.asarray(count * term**2, wide)
        size = np.asarray(count**0.5 * term, wide).real
        yield Case("matmul", d, lambda xp, a, x=row: (x(xp, a) @ x(xp, a).mT)[0, 0], total,
                   "of long rows", near=near, devices={"cpu"})  # fmt: skip
        yield Case("vector_norm", d, lambda xp, a, x=row: xp.linalg.vector_norm(x(xp, a)), size,
                   "of long rows", near=near, devices={"cpu"})  # fmt: skip
        if d not in HALF:
            yield Case("vecdot", d, lambda xp, a, x=row: xp.vecdot(
                       x(xp, a)[0, ...], x(xp, a)[0, ...]), total, "of long vectors", near=near,
                       devices={"cpu"})  # fmt: skip
            yield Case("matrix_norm", d, lambda xp, a, x=row: xp.linalg.matrix_norm(x(xp, a)), size,
                       "of long rows", near=near, devices={"cpu"})  # fmt: skip


def _where_digits_cancel() -> Iterator[Case]:
    """Yield calls in which what a kernel rounds on the way is all that is left of the result."""
    draw = np.random.default_rng(2)
    vectors, deviations = draw.standard_normal((40, 3)), draw.standard_normal(2000)
    for d in (*REAL, *COMPLEX):
        v = vectors + 1j * vectors[::-1] if d in COMPLEX else vectors
        yield Case("linalg.cross", d, lambda xp, a, v=v: xp.linalg.cross(a(v), a(v)),
                   np.zeros((40, 3), d), "of a vector with itself")  # fmt: skip
    for d, eps in (("float16", 2.0**-10), ("bfloat16", 2.0**-7)):
        # (1 + eps)**2 - (1 + 2 eps)
        x, y = (0, 1 + eps, 1), (0, 1 + 2 * eps, 1 + eps)
        yield Case("linalg.cross", d, lambda xp, a, x=x, y=y: xp.linalg.cross(a(x), a(y)),
                   np.asarray([eps**2, 0, 0], "float32"), "of near ones")  # fmt: skip
    for d in REAL:
        values = deviations + (1e12 if d == "float64" else 1e6)
        wide = values.astype(d).astype("longdouble")
        square = float(((wide - wide.mean()) ** 2).mean())
        near = 1e-12 if d == "float64" else 1e-6
        for name, expected in (("var", square), ("std", math.sqrt(square))):
            yield Case(name, d, lambda xp, a, n=name, x=values: getattr(xp, n)(a(x)),
                       np.asarray(expected, d), "far from 0", near=near)  # fmt: skip
    yield Case("var", "bfloat16", lambda xp, a: xp.var(a([2.0**63, -(2.0**63)] * 2)),
               np.asarray(2.0**126, "float32"), "whose sum is large")  # fmt: skip
    for size in (2.0**120, 2.0**-120):  # the squares are no float32
        yield Case("std", "bfloat16", lambda xp, a, s=size: xp.std(a([s, 3 * s])),
                   np.asarray(size, "float32"), f"of {size:g}")  # fmt: skip


def _more() -> Iterator[Case]:
    yield from _of_long_vectors()
    yield from _where_digits_cancel()
    for d in (*REAL, *HALF):
        yield Case("unique_values", d, lambda xp, a: xp.concat([
            xp.signbit(xp.unique_values(a([first] + [-first] * 99))) for first in (-0.0, 0.0)]),
            np.asarray([True, False]), "zeros of both signs", devices={"cpu"})  # fmt: skip
    yield Case("sum_at", "float32", lambda xp, a: xp.bincount(a([0] * 5, "int64"), a(
        [2.0**24, 1, 1, 1, 1])), np.asarray([2.0**24 + 4], "float32"))  # fmt: skip
    for d in WIDE:
        for name in ("cumulative_sum", "cumulative_prod"):
            yield Case(name, d, lambda xp, a, d=d, n=name: getattr(xp, n)(
                a([5, 3]), dtype=getattr(xp, d)),
                np.asarray([5, 8 if name == "cumulative_sum" else 15], d))  # fmt: skip
    for d in REAL:
        yield Case("zeta", d, lambda xp, a: xp.special.zeta(a([2.0, 1.5]), a([inf, inf])),
                   np.zeros(2, d))  # fmt: skip
        for name, odd in (("i0", inf), ("i1", -inf)):
            yield Case(name, d, lambda xp, a, n=name: getattr(xp.special, n)(a([inf, -inf])),
                       np.asarray([inf, odd], d))  # fmt: skip
    yield Case(
        "frequencies",
        "float32",
        lambda xp, _: xp.fft.fftfreq(4, d=0.1, dtype=xp.float32),
        (np.asarray([0, 1, -2, -1]) / 0.4).astype("float32"),
        "of a rounded spacing",
    )
    yield Case("log_ndtr", "float64", _mapped, np.asarray([math.log(0.5)] * 2), "vmap", near=1e-12)
    for d in ("bool", *INTEGERS, *REAL, *COMPLEX, *HALF):
        wide = "float32" if d in HALF else d
        yield Case("index_put", d, _spoiled, ("IndexError", np.zeros(3, wide)), "out of bounds",
                   devices={"cpu"})  # fmt: skip

    for name, d in product(("max", "min"), (*INTEGERS, *REAL, *HALF)):
        yield Case(name, d, lambda xp, a, n=name: _raised_by(n, xp.to_torch(a(np.zeros((0, 2))))),
                   "IndexError", "of nothing", devices={"npu"})  # fmt: skip
    x, y = np.arange(400) % 7, np.arange(400) % 5
    for d in (*INTEGERS, *REAL, *COMPLEX):
        expected = np.convolve(x.astype(d), y.astype(d))
        yield Case("convolve", d, lambda xp, a, x=x, y=y: xp.convolve(a(x), a(y)), expected,
                   "long", near=1e-5 if d[0] in "fc" else 0)  # fmt: skip
    yield Case("bincount", "int64", lambda xp, a: xp.bincount(a([0, 2, 2])), np.asarray([1, 0, 2]),
               waits=True)  # fmt: skip
    yield Case("lstsq", "float64", lambda xp, a: xp.linalg.lstsq(a([[2, 0], [0, 4], [0, 0]]),
               a([2, 4, 0]))[0], np.asarray([1.0, 1.0]), near=1e-9)  # fmt: skip
    for d in REAL:
        n = 211  # a prime
        wave = np.cos(2 * np.pi * np.arange(n) / n).astype(d)
        half = np.zeros(n // 2 + 1)
        half[1] = n / 2
        yield Case("rfft", d, lambda xp, a, w=wave, h=half: xp.all(
            xp.abs(xp.fft.rfft(a(w)) - xp.asarray(h, device=a(0).device)) < 1e-3), True,
            "of a prime number of points")  # fmt: skip
        yield Case("rfftn", d, lambda xp, a, w=wave, h=half: xp.all(
            xp.abs(xp.fft.rfftn(a([w, w]))[0, :] - xp.asarray(2 * h, device=a(0).device)) < 1e-3),
            True, "of a prime number of points")  # fmt: skip
        yield Case("cholesky", d, lambda xp, a: xp.all(xp.isnan(xp.linalg.cholesky(
            a([[[1, 2], [2, 1]], [[1, 0], [0, 1]]]))[0, ...])), True,
            "not positive definite", devices={"npu", "cuda"})  # fmt: skip
    for name, d in product(("sin", "cos", "tan"), ("float32", "bfloat16")):
        with mpmath.workprec(200):
            far = float(getattr(mpmath, name)(mpmath.mpf(2) ** 40))
        yield Case(name, d, lambda xp, a, n=name: getattr(xp, n)(a([2.0**40])),
                   np.asarray([far], "float32"), "of many turns", near=2.0**-7)  # fmt: skip
    for d in (*REAL, *COMPLEX):
        for size in (1.0, 2.0**-96 if d in {"float32", "complex64"} else 2.0**-768):
            yield Case("qr", d, lambda xp, a, s=size: _decomposed(xp, a, (2, 4, 3), s, alike=True),
                       True, f"of rank one times {size}")  # fmt: skip
    for d, shape, scale in product((*REAL, *COMPLEX), SHAPES_OF_MATRICES, (1, -1)):
        # Up to the ends of the range, beyond where the squares are.
        for power in (25, 30, 37) if d in {"float32", "complex64"} else (160, 200, 250, 300):
            yield Case("qr", d, lambda xp, a, n=shape, s=10.0 ** (scale * power):
                       _decomposed(xp, a, n, s), True, f"{shape} times 1e{scale * power}",
                       devices={"cuda"} if 256 in shape else Sample.devices)  # fmt: skip
    for d in (*REAL, *COMPLEX):
        # A matrix each, so that one scale for all will not do.
        yield Case("qr", d, lambda xp, a, d=d: _decomposed(xp, a, (3, 8, 5), np.asarray(
            [1e-30, 1.0, 1e30] if d in {"float32", "complex64"} else [1e-250, 1.0, 1e250]
            ).reshape(3, 1, 1)), True, "of several sizes")  # fmt: skip
    for d in (*REAL, *HALF):
        wide = "float32" if d in HALF else d
        for name, expected, waits in (
            ("sort", np.asarray([0, 1, nan], wide), False),
            ("argsort", np.asarray([2, 0, 1]), False),
            ("unique_values", np.asarray([0, 1, nan], wide), True),
            ("unique_counts", np.asarray([0, 1, nan], wide), True),
        ):
            yield Case(name, d, lambda xp, a, n=name: _of_minus_nan(xp, a, n), expected,
                       "minus NaN", waits=waits)  # fmt: skip
    for d in HALF:
        yield Case("repeat", d, _slope, np.asarray([2, 1], "float32"), "derivative")
    for d in (*INTEGERS, *REAL[:1], *HALF):
        yield Case("take_along_axis", d, _far, 1, "beyond 2**24", devices={"npu"})
    yield Case("multiply_words", "int64", _multiplied, tuple(
        divmod(word * 0xD2511F53, 2**32) for word in (2**32 - 1, 0xFFFFFFF0, 3)))  # fmt: skip


def _slope(xp: Any, a: Any) -> Any:
    t = a([1.0, 2.0])._tensor.requires_grad_()
    xp.to_torch(xp.sum(xp.repeat(xp.asarray(t), a([2, 1], "int64")))).backward()
    return xp.asarray(t.grad)


def _slope_of_values(xp: Any, x: Any, name: str) -> Any:
    t = x._tensor.requires_grad_()
    values = getattr(xp.linalg, name)(xp.asarray(t))
    xp.to_torch(xp.sum(values.S if name == "svd" else values)).backward()
    return xp.asarray(t.grad)


def _of_minus_nan(xp: Any, a: Any, name: str) -> Any:
    """Call a function of 1, a NaN with the sign bit, and 0; casts to bfloat16 lose that bit."""
    import torch

    tensor = torch.tensor([1.0, nan, 0.0], dtype=a(0).dtype, device="cpu")
    bits = tensor.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.itemsize])
    bits[1] |= torch.iinfo(bits.dtype).min
    x = xp.asarray(tensor).to_device(a(0).device)
    result = getattr(xp, name)(x)
    return result[0] if name == "unique_counts" else result


def _decomposed(xp: Any, a: Any, shape: tuple[int, ...], scale: Any, *, alike: bool = False) -> Any:
    """Say whether Q has orthonormal columns, and its product with R is the matrix.

    The elements differ, or are all `alike`.

    R is brought near 1 by its own size first, so that the test itself has no overflow.
    """
    m, n = shape[-2:]
    small = np.cos(np.arange(math.prod(shape), dtype="float64") ** 2).reshape(shape)
    small[..., range(min(m, n)), range(min(m, n))] += 2
    if "complex" in str(a(0).dtype):
        small = small + 1j * np.sin(3 + np.arange(small.size).reshape(shape))
    if alike:
        small = np.ones_like(small)
    given = a(small * scale)
    dtype = given.dtype
    wide = "complex128" if "complex" in str(dtype) else "float64"
    q, r = (np.asarray(x.to_device("cpu")).astype(wide) for x in xp.linalg.qr(given))
    exact = np.asarray(given.to_device("cpu")).astype(wide) / scale
    identity = np.eye(q.shape[-1])
    tolerance = 100 * float(xp.finfo(dtype).eps) * max(m, n)
    apart = np.abs(np.conj(np.swapaxes(q, -1, -2)) @ q - identity).max()
    far = np.abs(q @ (r / scale) - exact).max() / np.abs(exact).max()
    return bool(apart <= tolerance and far <= tolerance)


def _far(xp: Any, a: Any) -> Any:
    n = 2**24 + 3
    x = xp.zeros(n, dtype=a(0).dtype, device=a(0).device)
    x[n - 1 :] = 1
    return int(xp.take_along_axis(x, a([-1], "int64"), axis=0)[0])


def _multiplied(_xp: Any, a: Any) -> Any:
    from ascend_array_api._devices.device import spec_of
    from ascend_array_api._routes.random import multiply_words

    x = a([2**32 - 1, 0xFFFFFFF0, 3])._tensor
    high, low = multiply_words.on(spec_of(x))(x, a([0xD2511F53] * 3)._tensor)
    return tuple(zip(high.tolist(), low.tolist(), strict=True))


def _arithmetic() -> Iterator[Case]:
    """Yield what kernels round, saturate or lose on Atlas A2."""
    for d in ("float32", *HALF):
        near = np.asarray([-0.0, -0.25, 0.25, -1.5, 1.5], "float32")
        for name, of in (("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc)):
            yield Case(name, d, lambda xp, a, n=name, x=near: getattr(xp, n)(a(x)), of(near))
        x, y, q = ([7.0, -0.0, 9.0], [0.7, 3.0, 0.3], [9, -0.0, 29 if d == "float16" else 30])
        if d == "float32":
            x, y, q = [1.0, -0.0, 16777216.0], [0.1, 3.0, 0.7], [9, -0.0, 23967452]
        yield Case("floor_divide", d, lambda xp, a, x=x, y=y: a(x) // a(y),
                   np.asarray(q, "float32"), "beside an integer")  # fmt: skip
    large = np.asarray([2.0**24 + 2, 1e8, 3e38, 1.0, 5.0], "float32")
    small = np.asarray([3.0, -7.0, 1e-40, 0.1, -inf], "float32")
    yield Case("remainder", "float32", lambda xp, a: a(large) % a(small),
               np.remainder(large, small), "exact")  # fmt: skip
    yield Case("floor_divide", "int32", lambda xp, a: a([16813827, -(2**24) - 1, 2**31 - 1]) // a(
        [16813828, -1, 3]), np.asarray([0, 2**24 + 1, (2**31 - 1) // 3], "int32"))  # fmt: skip
    for d, most in (("int8", 127), ("int16", 2**15 - 1)):
        yield Case("floor_divide", d, lambda xp, a, m=most: a([-m - 1, m]) // a([-1, -2]),
                   np.asarray([-most - 1, -(most // 2) - 1], d))  # fmt: skip
    # How an operation takes a number of Python is learnt by the first of two calls.
    yield Case("floor_divide", "int64", lambda xp, a: [a([-7, 9]) // 3 for _ in "12"][1],
               np.asarray([-3, 3]), "by 3")  # fmt: skip
    yield Case("remainder", "int64", lambda xp, a: [a([-7, 9]) % 3 for _ in "12"][1],
               np.asarray([2, 0]), "by 3")  # fmt: skip
    yield Case("floor_divide", "uint16", lambda xp, a: a([2**16 - 1, 5]) // a([2, 3]),
               np.asarray([2**15 - 1, 1], "uint16"))  # fmt: skip
    yield Case("remainder", "uint16", lambda xp, a: a([2**16 - 1, 5]) % a([256, 3]),
               np.asarray([255, 2], "uint16"))  # fmt: skip
    base = np.asarray([3, 7, 10, -5, 1.5, 2.0**-149, -0.0, -8], "float32")
    exponent = np.asarray([3, 1, 10, 3, 15, 0.5, 3, -1], "float32")
    yield Case("pow", "float32", lambda xp, a: a(base) ** a(exponent), np.asarray(
        [27, 7, 1e10, -125, 1.5**15, 2.0**-74.5, -0.0, -0.125], "float32"), "exact")  # fmt: skip
    yield Case("pow", "bfloat16", lambda xp, a: a([3.0, -0.5]) ** a([3.0, -3.0]),
               np.asarray([27, -8], "float32"))  # fmt: skip
    yield Case("cast", "bfloat16", lambda xp, a: xp.astype(a([1.5, -2.5]), xp.float64),
               np.asarray([1.5, -2.5]), "to float64")  # fmt: skip
    ties = np.asarray([0.9562988439083696, 65519.99999999, -(2.0**-25) * (1 + 2.0**-50)])
    yield Case("cast", "float64", lambda xp, a: xp.astype(xp.astype(a(ties), xp.float16),
               xp.float64), ties.astype("float16").astype("float64"), "to float16")  # fmt: skip
    wide = np.asarray([2**32 + 5, -(2**40) - 1, 2**31], "int64")
    for d in ("int8", "int16", "int32", "uint8", "uint16", "uint32"):
        yield Case("cast", "int64", lambda xp, a, d=d: xp.astype(a(wide), getattr(xp, d)),
                   wide.astype(d), f"to {d}")  # fmt: skip


def _mapped(xp: Any, a: Any) -> Any:
    import torch

    def function(t: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = xp.to_torch(xp.special.log_ndtr(xp.asarray(t)))
        return result

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # torch warns where it takes the elements one by one
        return xp.asarray(torch.func.vmap(function)(a([0.0, 0.0])._tensor))


def _spoiled(_xp: Any, a: Any) -> Any:
    x = a([0, 0, 0])
    return _raises(lambda: x.__setitem__(a([0, 7], "int64"), a([1, 1]))), x


def _raised_by(name: str, x: Any) -> str:
    """Return what an operation raises along the first axis: at once, and not from a kernel."""
    from ascend_array_api._devices.device import spec_of
    from ascend_array_api._routes._operations import OPS

    return _raises(lambda: OPS[name].on(spec_of(x))(x, (0,)))


def _function(name: str, operands: Any) -> Callable[..., Any]:
    return lambda xp, a: (getattr(xp, name, None) or getattr(xp.special, name))(*map(a, operands))


def _elementary() -> Iterator[Sample]:
    """Elementary functions where CANN's kernels for Atlas A2 are wrong."""
    half, brain = HALF
    for name, d, operands, expected in (
        *((name, d, ([-0.0],), -0.0) for name in ("asinh", "atanh", "sin", "sinh") for d in
          ("float32", *HALF)),
        ("acos", "float32", ([0.7071],), math.acos(np.float32(0.7071))),
        ("acos", half, ([-0.67626953125],), 2.314453125),
        ("acos", brain, ([0.75390625],), 0.71875),
        ("asin", "float32", ([0.7071],), math.asin(np.float32(0.7071))),
        ("asin", half, ([-0.136474609375],), -0.1368408203125),
        ("asin", brain, ([2.0**-130],), 2.0**-130),
        ("atan", "float32", ([inf],), math.pi / 2),
        ("atan", half, ([-0.31005859375],), -0.300537109375),
        ("atan", brain, ([2.0**-130],), 2.0**-130),
        ("atan2", "float32", ([2.0**-130], [1.0]), 2.0**-130),
        ("atan2", half, ([-10.4140625], [28.859375]), -0.34619140625),
        ("atan2", brain, ([2.0**-130], [1.0]), 2.0**-130),
        ("erf", "float32", ([3.8022301197052],), math.erf(3.8022301197052)),
        ("erfc", "float32", ([8.2892275],), math.erfc(np.float32(8.2892275))),
        ("erfinv", "float32", ([2.0**-42],), 2.0**-43 * math.sqrt(math.pi)),
        ("exp2", "float32", ([124.97822],), 2.0 ** float(np.float32(124.97822))),
        ("expm1", "float32", ([0.47999],), math.expm1(np.float32(0.47999))),
        ("expm1", half, ([0.406005859375],), 0.5009765625),
        ("expm1", brain, ([0.4375],), 0.55078125),
        ("log2", half, ([0.0159454345703125],), -5.97265625),
        ("log10", half, ([9.870529174804688e-05],), -4.00390625),
        ("logaddexp", "float32", ([0.0], [-17.0]), math.log1p(math.exp(-17))),
        ("logaddexp", half, ([0.0], [-8.0]), 0.00033545494079589844),
        ("logaddexp", brain, ([0.0], [-17.0]), 4.1443854570388794e-08),
        ("tan", "float32", ([262225.25],), math.tan(262225.25)),
        ("tan", half, ([-11.2265625],), 4.25390625),
        ("tan", brain, ([-1384448.0],), -21.625),
        ("xlogy", "float32", ([0.0], [nan]), nan),
    ):  # fmt: skip
        wide = np.asarray([expected], "float32")
        near = 0.0 if d in HALF or not expected else 2e-7 if name == "erf" else 4e-7
        yield Case(name, d, _function(name, operands), wide, "as Atlas A2 computes", near=near)
    z = complex(0.47999, 0.1)
    yield Case("expm1", "complex64", lambda xp, a: xp.expm1(a([z])),
               np.asarray([cmath.exp(np.complex64(z)) - 1], "complex64"),
               "as Atlas A2 computes", near=1e-6)  # fmt: skip


def _raises(function: Callable[[], Any]) -> str:
    try:
        function()
    except Exception as error:  # noqa: BLE001  # its kind is what is compared
        return type(error).__name__
    return "nothing"


def _derivatives() -> Iterator[Sample]:
    for d in (*HALF, *REAL):
        large = 300.0 if d == "float16" else 1e25
        large = 1e200 if d == "float64" else large
        yield _Derivative("atan2", d, (large, large), [0.5 / large, -0.5 / large])
        yield _Derivative("atan2", d, (0.0, 0.0), [0, 0])
        yield _Derivative("copysign", d, (inf, -1.0), [-1, 0])
        yield _Derivative("hypot", d, (0.0, 0.0), [0, 0])
        yield _Derivative("hypot", d, (inf, 1.0), [1, 0])
        yield _Derivative("logaddexp", d, (inf, inf), [0.5, 0.5])
        yield _Derivative("logaddexp", d, (-inf, -inf), [0.5, 0.5])
        yield _Derivative("cumulative_prod", d, (3.0,), [1])
        yield _Derivative("maximum", d, (2.0, 1.0), [1, 0])
        yield _Derivative("minimum", d, (2.0, 1.0), [0, 1])
    for name, slope in (("k0", -0.6019072301972346), ("k1", -1.0229316684379428)):
        yield _Derivative(name, "float64", (1.0,), [slope])
    # Within one unit in the last place: squares of rounded numbers are further off, and 1 minus a
    # number that was rounded to 1 is nothing.
    for d, eps, far, end in (("float16", 2.0**-10, 2.859375, 0.984375),
                             ("bfloat16", 2.0**-7, 8.5, 0.99609375)):  # fmt: skip
        slope = 2 / math.sqrt(math.pi) * math.exp(-(far**2))
        yield _Derivative("erf", d, (far,), [slope], eps)
        yield _Derivative("erfc", d, (far,), [-slope], eps)
        yield _Derivative("expit", d, (8.0,), [0.25 / math.cosh(4) ** 2], eps)
        with mpmath.workdps(30):
            slope = float(mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(mpmath.erfinv(end) ** 2))
        yield _Derivative("erfinv", d, (end,), [slope], eps)
    # The derivatives of exp(x) K0(x) and exp(x) K1(x) at 1.
    yield _Derivative("k0e", "float64", (1.0,), [-0.4916904064563632])
    yield _Derivative("k1e", "float64", (1.0,), [-1.144463079806895])


def _points() -> Iterator[Sample]:
    everywhere = ("cpu", "cuda", "npu")
    for d, least in (("float16", 2.0**-24), ("bfloat16", 2.0**-133), ("float32", 2.0**-149)):
        # Half of the least number is none.
        devices = everywhere if d in HALF else ("cpu", "cuda")
        yield _Point("chdtr", d, (1.0, least), devices)
        yield _Point("chdtrc", d, (0.01, least), devices)
    yield _Point("erf", "float16", (1.5 * 2.0**-14,), everywhere)
    yield _Point("huber", "float16", (4.0625, 68.0625), everywhere)
    yield _Point("huber", "bfloat16", (1088.0, -9280.0), everywhere)
    yield _Point("polygamma", "bfloat16", (7.0, 438272.0), everywhere)
    for name, *at in (
        ("exprel", 92.0),  # of which the exponential overflows
        ("inv_boxcox", 30.0, 0.01),
        ("inv_boxcox1p", 30.0, 0.01),
        ("j1", 10.171875),  # near zeros
        ("y1", 2.1972656),
    ):
        yield _Point(name, "float32", tuple(at), ("cpu", "cuda"))


CASES: Final[tuple[Sample, ...]] = (
    *map(_OfWitness, WITNESSES),
    *_cases(),
    *_more(),
    *_on_meshes(),
    *_arithmetic(),
    *_derivatives(),
    *_points(),
    *(_Special(n, d) for n, d in product(special.REFERENCES, (*REAL, *HALF))),
    *_elementary(),
    *(_Special(n, d) for n, d in product(special.FUNCTIONS, (*REAL, *HALF))),
)
