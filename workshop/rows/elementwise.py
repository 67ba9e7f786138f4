"""Calls of elementwise operations that torch refuses or answers wrongly, with the right results."""

from __future__ import annotations

import cmath
import itertools
import math
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import torch

from ascend_array_api._devices import device as _devices
from ascend_array_api._devices.facts import torch_at_least
from ascend_array_api._torch import dtypes as dt

if TYPE_CHECKING:
    from collections.abc import Callable

inf, nan = math.inf, math.nan

FACTS = _devices.parse("cpu").backend.facts
# Some of torch's code for vectors is wrong where its code for single numbers is right, or the other
# way about.
X86_VECTORS = bool(FACTS["x86 vectors"])
VECTORS = X86_VECTORS or FACTS["architecture"] in {"aarch64", "arm64"}


def tensor(values: list[Any], dtype: torch.dtype) -> torch.Tensor:
    """Return numbers as a tensor on the CPU."""
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
    """Whether it is on other devices, or by code for other processors, that torch falls short."""

    def __str__(self) -> str:
        return f"{self.op}-{dt.NAMES[self.dtype]}"

    def columns(self, device: Any = "cpu") -> list[torch.Tensor]:
        """Return the operands as tensors on a device."""
        return [
            tensor(column, dt.bool if type(column[0]) is bool else self.dtype).to(device)
            for column in self.operands
        ]

    def call(self, function: Callable[..., torch.Tensor], layout: str) -> list[Any]:
        """Call a function with the operands in some layout; return the result's elements."""
        columns = self.columns()
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
        """Say whether results are those expected."""
        return all(self.close(a, e) for a, e in zip(actual, self.expected, strict=True))

    def close(self, actual: complex, expected: complex) -> bool:
        """Say whether one result is."""
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
_TORCH_HAS = frozenset(
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
    low, high = map(int, dt.LIMITS[dtype])
    return (value - low) % (high - low + 1) + low


def integer_witnesses() -> list[Witness]:
    """What integers need."""
    found = []
    for dtype in sorted(dt.INTEGER, key=str):
        low, high = dt.LIMITS[dtype]
        middle = (low + high + 1) // 2
        values = [low, low + 1, middle - 1, middle, middle + 1, 3, 10, high - 1, high]

        def add(
            name: str, *operands: list[Any], expected: list[Any], dtype: torch.dtype = dtype
        ) -> None:
            elsewhere = name in _TORCH_HAS
            wrap = [wrapped(e, dtype) for e in expected]
            found.append(Witness(name, dtype, operands, wrap, elsewhere=elsewhere))

        if dtype not in dt.WIDE_UNSIGNED:
            for name in ROUNDING:
                add(name, values, expected=[UNARY[name](v) for v in values])
            continue
        for name, function in UNARY.items():
            add(name, values, expected=[function(v) for v in values])
        for name, of_two in BINARY.items():
            divides = name in {"floor_divide", "remainder"}
            pairs = [(a, b) for a, b in itertools.product(values, values) if b or not divides]
            x1, x2 = (list(column) for column in zip(*pairs, strict=True))
            add(name, x1, x2, expected=[of_two(a, b) for a, b in pairs])
        masks, others = [v % 2 == 0 for v in values], values[::-1]
        chosen = [a if m else b for m, a, b in zip(masks, values, others, strict=True)]
        add("where", masks, values, others, expected=chosen)
        least, most = [middle - 1] * len(values), [high - 1] * len(values)
        clipped = [min(max(v, middle - 1), high - 1) for v in values]
        add("clip", values, least, most, expected=clipped)
    return found


# --- floating-point numbers -----------------------------------------------------------------------

_DIGITS = 3000


def exact(function: Callable[[Any], Any], values: list[complex]) -> list[complex]:
    """What a function of mpmath gives for some numbers, rounded once."""
    with mpmath.workprec(_DIGITS):
        return [complex(function(mpmath.mpc(v.real, v.imag))) for v in values]


def rounded(values: list[complex], dtype: torch.dtype) -> list[complex]:
    """Some numbers as a dtype holds them."""
    return torch.tensor(values, dtype=dtype).tolist()


def floating_witnesses() -> list[Witness]:
    """What real floating-point numbers need."""
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
            Witness(
                "remainder",
                d,
                (x1, x2),
                [a % b for a, b in zip(x1, x2, strict=True)],
                elsewhere=not VECTORS,
            )
        )
    for d in (dt.float32, dt.float64):
        size = math.log(torch.finfo(d).max) + 0.4
        x = np.array([size, -size, size + 1, -size - 1, 1.0, -0.0, inf, -inf, nan])
        x = x.astype(dt.NAMES[d])
        for name, function in (("cosh", np.cosh), ("sinh", np.sinh)):
            with np.errstate(over="ignore"):
                expected = function(x.astype("longdouble")).astype(x.dtype)
            # The square of a rounded exponential is a few places off.
            right = d is dt.float32 and torch_at_least(2, 14).decide(FACTS)
            elsewhere = bool(right) or not VECTORS
            found.append(
                Witness(name, d, (x.tolist(),), expected.tolist(), ulps=3, elsewhere=elsewhere)
            )
    numbers = [*(float(v) for v in range(-92, 92)), inf, nan]
    for name, function in (("cosh", np.cosh), ("sinh", np.sinh)):
        rounded = torch.tensor(function(numbers)).to(dt.bfloat16).tolist()
        found.append(Witness(name, dt.bfloat16, (numbers,), rounded, elsewhere=not VECTORS))
    for d in (dt.float32, dt.float64):
        x = np.linspace(0.25, 4, 4001, dtype=dt.NAMES[d])
        x = np.concatenate([x, x * 2.0**-124, [0.0, -0.0, inf, nan, -1.0, np.finfo(x.dtype).max]])
        x = x.astype(dt.NAMES[d])
        with np.errstate(invalid="ignore"):
            found.append(
                Witness("sqrt", d, (x.tolist(),), np.sqrt(x).tolist(), elsewhere=not FACTS["mkl"])
            )
    return found


NAN, INF_NAN = complex(nan, nan), complex(inf, nan)


def log(z: complex) -> complex:
    """Return the logarithm, that of zero included."""
    return cmath.log(z) if z else complex(-inf, cmath.phase(z))


def complex_witnesses() -> list[Witness]:
    """What complex numbers need."""
    found = []
    log_2 = math.log(2)
    infinities = [0j, complex(-0.0, 0), complex(-0.0, -0.0), complex(0, -0.0)]
    infinities += [complex(a, b) for a in (inf, -inf) for b in (0.0, -1.0, inf, -inf)]
    infinities += [complex(2, inf), complex(-2, -inf), complex(inf, nan), 8 + 0j]
    infinite, zero, left = complex(inf, 1), complex(-0.0, -0.0), complex(-0.0, 0)
    slight = [complex(2.0**-80, -(2.0**-90)), complex(-(2.0**-90), 2.0**-80)]
    for d in (dt.complex64, dt.complex128):
        real = dt.REAL_OF[d]
        least = torch.finfo(real).smallest_normal
        half, whole = rounded([math.pi / 2, math.pi], real)
        # With a subnormal imaginary part.
        tiny = rounded([complex(least * 2e3, least / 64), complex(-least, least / 128)], d)
        on_circle = rounded([complex(1 - 2.0**-20, 2.0**-12), complex(1 - 2.0**-48, 2.0**-38)], d)
        beside_one = rounded([1 + 2e-5 - 2e-9j, 1 - 1e-7 + 3e-12j, 0.5 - 2j, 1e30 + 1e20j], d)
        found += [
            Witness(
                "negative",
                d,
                ([0j] * 37,),
                [complex(-0.0, -0.0)] * 37,
                elsewhere=not X86_VECTORS,
            ),
            Witness(
                "log2",
                d,
                (infinities,),
                [complex(z.real / log_2, z.imag / log_2) for z in map(log, infinities)],
                ulps=2,
                elsewhere=X86_VECTORS,
            ),
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
            *(
                Witness(name, d, (on_circle,), exact(log_of, on_circle), ulps=4, elsewhere=True)
                for name, log_of in (
                    ("log", mpmath.log),
                    ("log2", lambda z: mpmath.log(z) / mpmath.log(2)),
                    ("log10", lambda z: mpmath.log(z) / mpmath.log(10)),
                )
            ),
            *(
                Witness(name, d, (slight,), exact(getattr(mpmath, name), slight), 6, elsewhere=True)
                for name in ("atan", "atanh")
            ),
            Witness("cosh", d, ([zero, left],), [1 + 0j, complex(1, -0.0)], elsewhere=True),
            Witness("cos", d, ([0j, left],), [complex(1, -0.0), 1 + 0j], elsewhere=True),
            Witness("sqrt", d, ([left],), [0j], elsewhere=True),
            Witness(
                "acos",
                d,
                (beside_one,),
                exact(mpmath.acos, beside_one),
                ulps=4,
                elsewhere=d is dt.complex64 or not X86_VECTORS,
            ),
            Witness(
                "acos",
                d,
                ([0j, complex(0, -0.0), complex(0, nan), complex(-inf, 1)],),
                [complex(half, -0.0), complex(half, 0), complex(half, nan), complex(whole, -inf)],
                elsewhere=d is dt.complex64 or not X86_VECTORS,
            ),
        ]
    return found


WITNESSES = integer_witnesses() + floating_witnesses() + complex_witnesses()
