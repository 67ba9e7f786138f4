"""The rows of the elementwise functions, each with a witness, and `clip`.

A witness is a call that torch's own function refuses or answers wrongly, with the result that the
standard asks for. The first test holds the namespace to it; the second shows that torch still
falls short, and fails once it does not: then the row can go.
"""

from __future__ import annotations

import cmath
import itertools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import pytest
import torch

import ascend_array_api as xp
from ascend_array_api import _devices
from ascend_array_api import _dtypes as dt
from ascend_array_api._routes import elementwise as ops
from ascend_array_api._routes._engine import ROWS, Op

CPU = _devices.parse("cpu")
inf, nan = math.inf, math.nan


def tensor(values: list[Any], dtype: torch.dtype) -> torch.Tensor:
    if dtype in dt.WIDE_UNSIGNED:
        return torch.from_numpy(np.asarray(values, dtype=dt.NAMES[dtype]))
    return torch.tensor(values, dtype=dtype, device="cpu")


@dataclass(frozen=True)
class Witness:
    """One call and its result: columns of operands, of which each element is a case."""

    op: str
    dtype: torch.dtype
    operands: tuple[list[Any], ...]
    expected: list[Any]
    ulps: float = 0
    """How far the result may be from what is expected, in units of its last place."""
    elsewhere: bool = False
    """Whether it is on other devices that torch falls short."""

    def __str__(self) -> str:
        return f"{self.op}-{dt.NAMES[self.dtype]}"

    def call(self, function: Callable[..., torch.Tensor], layout: str) -> list[Any]:
        """Call a function with the operands in some layout; return the result's elements."""
        columns = [
            tensor(column, dt.bool if type(column[0]) is bool else self.dtype)
            for column in self.operands
        ]
        if layout == "one by one":
            return [function(*(c[i] for c in columns)).item() for i in range(len(self.expected))]
        # Long enough for vector instructions, which torch uses for contiguous operands.
        repeats = 64 // len(self.expected) + 1
        columns = [torch.cat([c.view(like(c))] * repeats).view(c.dtype) for c in columns]
        if layout == "strided":
            columns = [
                torch.stack([c.view(like(c))] * 2, 1).view(c.dtype).select(1, 0) for c in columns
            ]
        result = function(*columns).tolist()
        n = len(self.expected)
        assert all(self.close(result[i], result[i % n]) for i in range(len(result))), "not uniform"
        return result[:n]

    def holds(self, actual: list[Any]) -> bool:
        return all(self.close(a, e) for a, e in zip(actual, self.expected, strict=True))

    def close(self, actual: complex, expected: complex) -> bool:
        if not self.ulps:
            return same(actual, expected)
        if cmath.isfinite(expected):
            return abs(actual - expected) <= self.ulps * torch.finfo(self.dtype).eps * abs(expected)
        if not isinstance(expected, complex):
            return same(actual, expected)
        a, e = complex(actual), complex(expected)
        return self.close(a.real, e.real) and self.close(a.imag, e.imag)


def like(x: torch.Tensor) -> torch.dtype:
    """The dtype to view a tensor as in order to move its elements."""
    return dt.SIGNED_OF.get(x.dtype, x.dtype)


def same(a: complex, b: complex) -> bool:
    """Whether two numbers are the same, NaNs and the signs of zeros included."""
    if isinstance(a, complex) or isinstance(b, complex):
        a, b = complex(a), complex(b)
        return same(a.real, b.real) and same(a.imag, b.imag)
    if isinstance(a, float) or isinstance(b, float):
        return (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    return a == b


# --- integers -------------------------------------------------------------------------------------

UNARY: dict[str, Callable[[int], int]] = {
    "abs": abs,
    "bitwise_invert": operator.invert,
    "ceil": math.ceil,
    "floor": math.floor,
    "isfinite": math.isfinite,
    "isinf": math.isinf,
    "isnan": math.isnan,
    "negative": operator.neg,
    "round": round,
    "sign": lambda x: (x > 0) - (x < 0),
    "square": lambda x: x * x,
    "trunc": math.trunc,
}
BINARY: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "bitwise_and": operator.and_,
    "bitwise_left_shift": lambda x, n: x << min(n, 64),
    "bitwise_or": operator.or_,
    "bitwise_right_shift": operator.rshift,
    "bitwise_xor": operator.xor,
    "equal": operator.eq,
    "floor_divide": operator.floordiv,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "less": operator.lt,
    "less_equal": operator.le,
    "maximum": max,
    "minimum": min,
    "multiply": operator.mul,
    "not_equal": operator.ne,
    "pow": lambda x, n: pow(x, n, 2**64),
    "remainder": operator.mod,
    "subtract": operator.sub,
}
ROUNDING = ("ceil", "floor", "isfinite", "isinf", "isnan", "round", "trunc")
TORCH_HAS = frozenset(
    {
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "equal",
        "multiply",
        "not_equal",
        "where",
        *ROUNDING,
    }
)
"""What torch can do with wide unsigned integers on the CPU, if nowhere else."""


def wrapped(value: int, dtype: torch.dtype) -> int:
    """An integer modulo two to the number of the dtype's bits."""
    if isinstance(value, bool):
        return value
    low, high = dt.LIMITS[dtype]
    return (value - low) % (high - low + 1) + low


def integer_witnesses() -> list[Witness]:
    found = []
    for dtype in sorted(dt.INTEGER, key=str):
        low, high = dt.LIMITS[dtype]
        middle = (low + high + 1) // 2
        values = [low, low + 1, middle - 1, middle, middle + 1, 3, 10, high - 1, high]

        def add(name: str, *operands: list[Any], expected: list[Any], dtype=dtype) -> None:
            elsewhere = name in TORCH_HAS
            wrap = [wrapped(e, dtype) for e in expected]
            found.append(Witness(name, dtype, operands, wrap, elsewhere=elsewhere))

        if dtype not in dt.WIDE_UNSIGNED:
            for name in ROUNDING:
                add(name, values, expected=[UNARY[name](v) for v in values])
            continue
        for name, function in UNARY.items():
            add(name, values, expected=[function(v) for v in values])
        for name, function in BINARY.items():
            divides = name in {"floor_divide", "remainder"}
            pairs = [(a, b) for a, b in itertools.product(values, values) if b or not divides]
            x1, x2 = (list(column) for column in zip(*pairs, strict=True))
            add(name, x1, x2, expected=[function(a, b) for a, b in pairs])
        masks, others = [v % 2 == 0 for v in values], values[::-1]
        chosen = [a if m else b for m, a, b in zip(masks, values, others, strict=True)]
        add("where", masks, values, others, expected=chosen)
        least, most = [middle - 1] * len(values), [high - 1] * len(values)
        clipped = [min(max(v, middle - 1), high - 1) for v in values]
        add("clip", values, least, most, expected=clipped)
    return found


# --- floating-point numbers -----------------------------------------------------------------------

mpmath.mp.prec = 3000


def exact(function: Callable[[Any], Any], values: list[complex]) -> list[complex]:
    """What a function of mpmath gives for some numbers, rounded once."""
    return [complex(function(mpmath.mpc(v.real, v.imag))) for v in values]


def rounded(values: list[complex], dtype: torch.dtype) -> list[complex]:
    """Some numbers as a dtype holds them."""
    return torch.tensor(values, dtype=dtype).tolist()


def floating_witnesses() -> list[Witness]:
    found = []
    for d in sorted(dt.REAL_FLOATING, key=str):
        found += [
            Witness("sign", d, ([nan, 0.5, -inf],), [nan, 1.0, -1.0]),
            Witness(
                "floor_divide",
                d,
                ([inf, -inf, inf, 1.0, -1.0, 7.0], [2.0, 2.0, -1.0, -inf, inf, 2.0]),
                [inf, -inf, -inf, -0.0, -0.0, 3.0],
            ),
            Witness(
                "remainder",
                d,
                ([0.0, -0.0, 6.0, -6.0, 7.0, 1.0], [-1.0, 1.0, -3.0, 3.0, -4.0, -inf]),
                [-0.0, 0.0, -0.0, 0.0, -1.0, -inf],
            ),
        ]
    for d, exponent in ((dt.bfloat16, 127), (dt.float32, 127), (dt.float64, 1023)):
        # The quotients are up to 2**280 and 2**2100.
        x1 = [2.0**exponent, 1.5 * 2.0**exponent, -1.25 * 2.0**exponent, 3.0]
        x2 = [3.0 * 2.0**-exponent, 2.0 ** (3 - exponent), 7.0 * 2.0**-exponent, -5.0]
        found.append(
            Witness("remainder", d, (x1, x2), [a % b for a, b in zip(x1, x2, strict=True)])
        )
    for d in (dt.float32, dt.float64):
        size = math.log(torch.finfo(d).max) + 0.4
        x = np.array([size, -size, size + 1, -size - 1, 1.0, -0.0, inf, -inf, nan])
        x = x.astype(dt.NAMES[d])
        for name, function in (("cosh", np.cosh), ("sinh", np.sinh)):
            with np.errstate(over="ignore"):
                expected = function(x.astype("longdouble")).astype(x.dtype)
            # The square of a rounded exponential is a few places off.
            found.append(Witness(name, d, (x.tolist(),), expected.tolist(), ulps=3))
    for d in (dt.float32, dt.float64):
        x = np.linspace(0.25, 4, 4001, dtype=dt.NAMES[d])
        x = np.concatenate([x, x * 2.0**-124, [0.0, -0.0, inf, nan, -1.0, np.finfo(x.dtype).max]])
        x = x.astype(dt.NAMES[d])
        with np.errstate(invalid="ignore"):
            found.append(Witness("sqrt", d, (x.tolist(),), np.sqrt(x).tolist()))
    return found


NAN, INF_NAN = complex(nan, nan), complex(inf, nan)


def complex_witnesses() -> list[Witness]:
    found = []
    infinite, zero = complex(inf, 1), complex(-0.0, -0.0)
    for d in (dt.complex64, dt.complex128):
        real = dt.REAL_OF[d]
        least = torch.finfo(real).smallest_normal
        third, half, whole = rounded([math.pi / 3, math.pi / 2, math.pi], real)
        # With a subnormal imaginary part.
        tiny = rounded([complex(least * 2e3, least / 64), complex(-least, least / 128)], d)
        beside_one = rounded([1 + 2e-5 - 2e-9j, 1 - 1e-7 + 3e-12j, 0.5 - 2j, 1e30 + 1e20j], d)
        found += [
            Witness("negative", d, ([0j] * 37,), [complex(-0.0, -0.0)] * 37),
            Witness("tan", d, ([complex(-2, inf)],), [complex(-0.0, 1)]),
            Witness(
                "add",
                d,
                ([1 + 1j, zero, complex(nan, 1), 1 + 2j], [infinite, zero, 1j, 3 - 4j]),
                [complex(inf, 2), zero, complex(nan, 2), 4 - 2j],
            ),
            Witness(
                "subtract",
                d,
                ([1 + 1j, zero, complex(nan, 1), 1 + 2j], [infinite, 0j, 1j, 3 - 4j]),
                [complex(-inf, 0), zero, complex(nan, 0), -2 + 6j],
            ),
            Witness("pow", d, ([0j, 2j, 0j], [0j, 0j, zero]), [1 + 0j, 1 + 0j, 1 + 0j]),
            Witness(
                "sign", d, ([-2j, 0j, zero, complex(nan, 1)],), [complex(-0.0, -1), 0j, 0j, NAN]
            ),
            Witness("round", d, ([1.5 - 2.5j, complex(inf, -0.2)],), [2 - 2j, complex(inf, -0.0)]),
            Witness("log1p", d, (tiny,), exact(lambda z: mpmath.log(1 + z), tiny), ulps=2),
            Witness("log1p", d, ([complex(inf, nan), complex(nan, -inf)],), [INF_NAN, INF_NAN]),
            Witness(
                "expm1",
                d,
                ([complex(inf, 0), complex(nan, 0), complex(-inf, 1), complex(0, nan), -0.0 + 0j],),
                [complex(inf, 0), complex(nan, 0), complex(-1, 0), NAN, 0j],
            ),
            Witness(
                "tanh", d, ([complex(inf, 2), complex(-inf, -2)],), [1 + 0j, complex(-1, -0.0)]
            ),
            Witness(
                "acos",
                d,
                (beside_one,),
                exact(mpmath.acos, beside_one),
                ulps=4,
                elsewhere=d is dt.complex64,
            ),
            Witness(
                "acos",
                d,
                ([0j, complex(0, -0.0), complex(0, nan), complex(-inf, 1)],),
                [complex(half, -0.0), complex(half, 0), complex(half, nan), complex(whole, -inf)],
                elsewhere=d is dt.complex64,
            ),
        ]
    return found


WITNESSES = integer_witnesses() + floating_witnesses() + complex_witnesses()


@pytest.mark.parametrize("layout", ["one by one", "contiguous", "strided"])
@pytest.mark.parametrize("witness", WITNESSES, ids=str)
def test_the_namespace_is_right(witness: Witness, layout: str) -> None:
    op: Op = getattr(ops, witness.op)
    actual = witness.call(op.on(_devices.spec(witness.dtype, CPU)), layout)
    assert witness.holds(actual), (actual, witness.expected)


@pytest.mark.parametrize("witness", [w for w in WITNESSES if not w.elsewhere], ids=str)
def test_torch_falls_short(witness: Witness) -> None:
    if witness.op in {"cosh", "sinh", "sqrt"} and not torch.backends.mkl.is_available():
        pytest.skip("it is MKL that falls short")
    native = getattr(ops, witness.op).native
    try:
        answers = [witness.call(native, layout) for layout in ("one by one", "contiguous")]
    except (RuntimeError, AssertionError):  # refused, or not the same for all layouts
        return
    assert not all(map(witness.holds, answers)), "torch is right: is the row still needed?"


def test_every_row_has_its_witness() -> None:
    own = {op.name for op in vars(ops).values() if isinstance(op, Op)}
    rows = {
        (name, dtype)
        for row in ROWS
        if "cpu" in (row.devices or ("cpu",)) and row.reason is not ops.DERIVATIVE
        for name in own.intersection(row.ops.split())
        for dtype in row.dtypes
    }
    assert rows == {(w.op, w.dtype) for w in WITNESSES}


# --- derivatives ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cosh", "sinh"])
def test_derivatives_of_hyperbolic_functions(name: str) -> None:
    x = torch.tensor([0.0, 1, -2, 30, -700, 709], dtype=dt.float64, requires_grad=True)
    getattr(ops, name).on(_devices.spec_of(x))(x).sum().backward()
    expected = {"cosh": np.sinh, "sinh": np.cosh}[name](x.detach().numpy())
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-14)


@pytest.mark.parametrize("dtype", [dt.float32, dt.float64], ids=str)
def test_derivative_of_sqrt(dtype: torch.dtype) -> None:
    x = torch.tensor([0.0, 4, 0.25, 1e-30, 1e30], dtype=dtype, requires_grad=True)
    ops.sqrt.on(_devices.spec_of(x))(x).sum().backward()
    assert x.grad is not None
    assert x.grad[0] == inf
    expected = 0.5 / x.detach()[1:].sqrt()
    assert torch.allclose(x.grad[1:], expected, rtol=4 * torch.finfo(dtype).eps, atol=0)


# --- clip -----------------------------------------------------------------------------------------


def array(values: Any, dtype: torch.dtype) -> xp.Array:
    return xp.asarray(values, dtype=dtype, device="cpu")


def values_of(x: xp.Array) -> list[Any]:
    return xp.to_torch(x).tolist()


def test_clip_takes_scalars_arrays_and_none() -> None:
    x = array([-1, 0, 5, 9], dt.int16)
    assert values_of(xp.clip(x, 0, 5)) == [0, 0, 5, 5]
    assert values_of(xp.clip(x, min=0)) == [0, 0, 5, 9]
    assert values_of(xp.clip(x, max=5)) == [-1, 0, 5, 5]
    assert values_of(xp.clip(x, array([1, 1, 6, 6], dt.int16), 7)) == [1, 1, 6, 7]
    assert values_of(xp.clip(x, None, array(3, dt.int16))) == [-1, 0, 3, 3]
    assert xp.clip(x, 0, 5).dtype is dt.int16


def test_clip_without_bounds_copies() -> None:
    x = array([1.0, 2.0], dt.float32)
    y = xp.clip(x)
    x += 1
    assert values_of(y) == [1.0, 2.0]


def test_clip_broadcasts_three_ways() -> None:
    x = array([0, 5, 9], dt.int64)
    least = array([[1], [6]], dt.int64)
    most = array([[[7]], [[8]]], dt.int64)
    result = xp.clip(x, least, most)
    assert values_of(result) == [[[1, 5, 7], [6, 6, 7]], [[1, 5, 8], [6, 6, 8]]]
    assert xp.clip(x[:0], least, most).shape == (2, 2, 0)
    with pytest.raises(ValueError, match=r"clip: shapes \(3,\), \(2,\)"):
        xp.clip(x, array([1, 2], dt.int64))


def test_clip_gives_nan_for_nan() -> None:
    for d in sorted(dt.REAL_FLOATING, key=str):
        for n in (1, 37):
            x, low, high = (array([v] * n, d) for v in (1.0, 0.0, 2.0))
            none = array([nan] * n, d)
            for arguments in ((none, low, high), (x, none, high), (x, low, none), (none, low)):
                assert all(v != v for v in values_of(xp.clip(*arguments)))
            assert all(v != v for v in values_of(xp.clip(x, nan, 2.0)))


def test_clip_is_exact_for_large_integers() -> None:
    x = array([2**64 - 1, 2**63 + 1, 2**53 + 1, 0], dt.uint64)
    assert values_of(xp.clip(x, 2**53 + 1, 2**63)) == [2**63, 2**63, 2**53 + 1, 2**53 + 1]
    x = array([2**63 - 1, -(2**63), 2**53 + 1], dt.int64)
    assert values_of(xp.clip(x, -(2**53) - 1, 2**62 + 1)) == [2**62 + 1, -(2**53) - 1, 2**53 + 1]


def test_clip_keeps_the_data_type() -> None:
    x = array([1, 2], dt.int16)
    assert xp.clip(x, array(0, dt.int8), array(1, dt.uint8)).dtype is dt.int16
    with pytest.raises(TypeError, match="clip: an array of int32 as a bound would turn"):
        xp.clip(x, array(0, dt.int32))
    with pytest.raises(TypeError, match=r"clip: the Python float 0\.5 cannot be combined"):
        xp.clip(x, 0.5)
    with pytest.raises(OverflowError, match="clip: the Python integer 32768"):
        xp.clip(x, 0, 2**15)
    with pytest.raises(TypeError, match="clip: expected an Array or a Python scalar"):
        xp.clip(x, "0")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="clip: data type bool is not allowed"):
        xp.clip(array([True], dt.bool), False)
    with pytest.raises(TypeError, match="clip: data type complex64 is not allowed"):
        xp.clip(array([1.0], dt.float32), 1j)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", [dt.complex64, dt.complex128])
@pytest.mark.parametrize("exponent", [1, 2, 3])
def test_whole_powers_of_complex_numbers_are_products(dtype: torch.dtype, exponent: int) -> None:
    """Numbers on the axes keep a part that is exactly zero; the others are within an ulp or two."""
    values = [3j, 2010j, -0.5, 0.3 + 1.7j, -41 - 3j, 1e-3 + 1e3j]
    x = xp.asarray(values, dtype=dtype)
    for power in (x**exponent, xp.pow(x, xp.full_like(x, exponent))):
        for i, value in enumerate(values):
            exact = complex(mpmath.mpc(complex(x[i])) ** exponent)
            got = complex(power[i])
            if not value.real or not value.imag:
                assert (got.real == 0) == (exact.real == 0)
                assert (got.imag == 0) == (exact.imag == 0)
            assert abs(got - exact) <= 4 * torch.finfo(dtype).eps * abs(exact)
