"""Inputs that tell algorithms apart: single ones, and sweeps over whole ranges.

The ideal answers are NumPy's and Python's, in float64 or in integers, from the inputs as they are
in their data type. Those of the emulated chip come from the emulator's own tasks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Ideal: TypeAlias = Callable[..., Array]

INF, NAN = math.inf, math.nan
TINY: Final = 1e-40
"""A subnormal float32."""


@dataclass(frozen=True)
class Points:
    """Inputs of one kernel.

    Attributes
    ----------
    kernel : str
        Its name without the first letters.
    call : str
        What is called, with ``a``, ``b``, ``c`` for the tensors.
    ideal : callable
        From arrays of the exact inputs to that of the exact answers.
    inputs : sequence of tuple
        A number for each tensor; complex ones where that is their data type.
    dtype : str
        That of the tensors.
    extra : tuple
        What else the kernel takes, behind the tensors.
    result : str
        The data type of the answers, where it is another one.
    name : str
        Set apart from other points of the kernel.
    """

    kernel: str
    call: str
    ideal: Ideal
    inputs: tuple[tuple[complex, ...], ...]
    dtype: str = "float32"
    extra: tuple[Any, ...] = ()
    result: str = ""
    name: str = ""

    @property
    def id(self) -> str:
        """Name it."""
        return f"{self.kernel}.{self.dtype}" + (f".{self.name}" if self.name else "")


def _ones(*values: complex) -> tuple[tuple[complex, ...], ...]:
    return tuple((value,) for value in values)


@cache
def _elementwise(function: Callable[[float], float]) -> Ideal:
    def ideal(x: Array) -> Array:
        return np.array([function(float(v)) for v in x], dtype=np.float64)

    return ideal


def _erfinv(y: float) -> float:
    if not -1 < y < 1:
        return math.copysign(INF, y) if abs(y) == 1 else NAN
    if y == 0:
        return y
    # Bisection on the side that has no cancellation, then two of Newton's steps.
    size = abs(y)
    low, high = 0.0, 27.0
    for _ in range(80):
        middle = (low + high) / 2
        if math.erf(middle) < size:
            low = middle
        else:
            high = middle
    x = size * math.sqrt(math.pi) / 2 if size < 1e-8 else (low + high) / 2
    for _ in range(2):
        rest = math.erf(x) - size if size < 0.5 else (1 - size) - math.erfc(x)
        x -= rest * math.sqrt(math.pi) / 2 * math.exp(x * x)
    return math.copysign(x, y)


def _sigmoid(x: Array) -> Array:
    return np.asarray(np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x))))


def _sign(x: Array) -> Array:
    return np.where(np.isnan(x), 0.0, np.sign(x))


def _xlogy(x: Array, y: Array) -> Array:
    return np.where(np.isnan(y), NAN, np.where(x == 0, 0.0, x * np.log(y)))


def _truncated(x: Array, y: Array) -> Array:
    if x.dtype.kind == "i":
        return np.asarray((np.abs(x) // np.abs(y)) * np.sign(x) * np.sign(y))
    return np.copysign(np.trunc(_quotient(x, y)), x / y)


def _quotient(x: Array, y: Array) -> Array:
    """Return the quotient, or a number on the same side of the next integer."""
    return np.asarray(np.where(np.isfinite(x / y), (x - np.fmod(x, y)) / y, x / y))


def _fmod(x: Array, y: Array) -> Array:
    return np.asarray(np.fmod(x, y))


def _wrapped(function: Ideal, bits: int = 32) -> Ideal:
    """Compute on integers that wrap."""

    def ideal(*arrays: Array) -> Array:
        exact = [
            function(*(np.array([int(v)], dtype=object) for v in values))[0]
            for values in zip(*arrays, strict=True)
        ]
        half = 1 << (bits - 1)
        return np.array([(int(v) + half) % (2 * half) - half for v in exact], dtype=np.int64)

    return ideal


def _add(x: Array, y: Array) -> Array:
    return np.asarray(x + y)


def _subtract(x: Array, y: Array) -> Array:
    return np.asarray(x - y)


def _multiply(x: Array, y: Array) -> Array:
    return np.asarray(x * y)


def _log2(x: Array) -> Array:
    """Return the logarithm of complex numbers, exact for powers of 2: NumPy's is not."""
    result = np.empty(x.shape, dtype=np.complex128)
    result.real, result.imag = np.log2(np.abs(x)), np.angle(x) / math.log(2)
    return result


def _power(x: Array, y: Array) -> Array:
    return np.asarray(x**y)


def _divide(x: Array, y: Array) -> Array:
    return np.asarray(x / y)


def _larger(x: Array, y: Array) -> Array:
    """Return the larger one, NaN above all and +0 above -0."""
    chosen = np.where((x == 0) & (y == 0), x + y, np.maximum(x, y))
    return np.asarray(chosen)


def _smaller(x: Array, y: Array) -> Array:
    return -_larger(-x, -y)


def _softplus(x: Array) -> Array:
    return np.where(x > 20, x, np.logaddexp(0.0, x))


def _tenths(x: Array) -> Array:
    return np.asarray(np.round(x * 10) / 10)


def _unary(name: str, ideal: Ideal, *values: float) -> Points:
    return Points(name, f"torch.{name.lower()}(a)", ideal, _ones(*values))


_ROUNDED: Final = (-0.3, -0.5, 0.5, 1.5, 2.5, -2.5, -0.0, 0.49999997, 8388609.0, -INF, INF, NAN)
_TWO_24: Final = 1 << 24
_MOST: Final = (1 << 31) - 1

_POINTS: Final = (
    Points(
        "FloorDivide",
        "torch.floor_divide(a, b)",
        np.floor_divide,
        (
            *((1, 0.1), (0.3, 0.1), (2.5, 1), (-1, INF), (5, INF), (-0.0, 5), (1, 0), (-7, 2)),
            *((1e8, 3), (3e38, 1e-3), (0, NAN)),
        ),
    ),
    Points(
        "FloorDivide",
        "torch.floor_divide(a, b)",
        np.floor_divide,
        (
            *((16813827, 16813828), (-_TWO_24 - 1, -1), (7, 2), (-7, 2), (_MOST, 2)),
            *((_MOST, 7), (-_MOST - 1, 3), (_TWO_24 + 3, 1), (1234567890, 1234567891)),
        ),
        "int32",
    ),
    Points(
        "FloorDivide",
        "torch.floor_divide(a, b)",
        np.floor_divide,
        ((2**53 + 1, 1), (2**62 + 1, 3), (-(2**40) - 1, 2), (7, -2)),
        "int64",
    ),
    Points(
        "DivMod",
        "torch.div(a, b, rounding_mode='trunc')",
        _truncated,
        ((1, 0.1), (0.3, 0.1), (-0.5, 2), (7, 2), (-7, 2), (1e8, 3), (1, 0)),
        extra=(1,),
        name="trunc",
    ),
    Points(
        "DivMod",
        "torch.div(a, b, rounding_mode='trunc')",
        _truncated,
        ((17453499, 1), (_TWO_24 + 3, 1), (-7, 2), (17453499, 47), (_MOST, 2)),
        "int32",
        extra=(1,),
        name="trunc",
    ),
    Points(
        "FmodTensor",
        "torch.fmod(a, b)",
        _fmod,
        (
            *((5, INF), (1, 0.1), (1e8, 3), (7, 4), (-7, 4), (-0.0, 3), (1e30, 3), (5, 0)),
            *((INF, 2), (-4, 2)),
        ),
    ),
    Points(
        "FmodTensor",
        "torch.fmod(a, b)",
        _fmod,
        ((17453499, 47), (_TWO_24 + 1, 2), (-7, 2), (_MOST, 10)),
        "int32",
    ),
    Points(
        "RemainderTensorTensor",
        "torch.remainder(a, b)",
        np.remainder,
        (
            *((5, INF), (-5, INF), (1, 1e-45), (-1, 3), (7, -4), (1e8, 3), (1, 0.1), (5, 0)),
            *((-0.0, 3), (1e30, 7)),
        ),
    ),
    Points(
        "RemainderTensorTensor",
        "torch.remainder(a, b)",
        np.remainder,
        ((2**30 + 1, 7), (-1, 3), (_TWO_24 + 1, 16), (_MOST, 10), (-_MOST, 10)),
        "int32",
    ),
    Points(
        "PowTensorTensor",
        "torch.pow(a, b)",
        np.power,
        (
            *((3, 3), (10, 2), (7, 1), (2, 0.5), (-2, 3), (-2, 0.5), (0, -1), (-0.0, -1)),
            *((3.4028234e38, 1), (1, NAN), (NAN, 0), (0, 0), (-1, INF), (2, -149), (INF, -1)),
        ),
    ),
    *(
        Points(
            "PowTensorScalar",
            f"torch.pow(a, {exponent})",
            lambda x, exponent=exponent: np.power(x, exponent),
            _ones(3, 10, 7, 1e-20, -2, 0),
            extra=(exponent,),
            name=str(exponent),
        )
        for exponent in (2.0, 3.0, 0.5, -1.0, 5.0)
    ),
    _unary("Expm1", np.expm1, 0.47999, 0.1, -0.1, 1e-6, -1e-6, 1e-20, -0.0, 100, INF, -INF, NAN),
    _unary("Exp", np.exp, 1, 88.7, 89, -88, -104, -0.0, INF, -INF, NAN),
    _unary("Exp2", np.exp2, 1, 10, 0.5, 127, -126, -INF, INF),
    _unary("Atan", np.arctan, INF, -INF, 0.41421354, 1e-38, 16394, 1e6, 1, -0.0, NAN),
    _unary("Asin", np.arcsin, 0.7071, TINY, 1, -1, 1.5, 0.5, -0.0),
    _unary("Acos", np.arccos, 0.7071, 1, -1, 1.5, 0, -0.999999),
    Points(
        "Atan2",
        "torch.atan2(a, b)",
        np.arctan2,
        (
            *((0, -1), (-0.0, -1), (1e-38, 1), (INF, INF), (-INF, INF), (INF, -INF), (1, 0)),
            *((0, 0), (-0.0, 0), (3, -4), (1, 1e9)),
        ),
    ),
    _unary("Sin", np.sin, 26353818, 1e7, 3.1415927, -0.0, 1e30, INF, NAN),
    _unary("Cos", np.cos, 26353818, 1e7, 1.5707964, 0, 1e30, INF),
    _unary("Tan", np.tan, 262225.25, 65504, 1.5707964, -0.0, 6.8e9, 1, INF),
    _unary("Erf", _elementwise(math.erf), 3.67566, 1e-20, 0.5, 10, -0.0),
    _unary("Erfc", _elementwise(math.erfc), 1.4e-45, 0, 5, 9.9, -3),
    _unary("Erfinv", _elementwise(_erfinv), 2.6e-13, 1e-6, 0.5, 0.999, 1, -1, 2),
    Points(
        "LogAddExp",
        "torch.logaddexp(a, b)",
        np.logaddexp,
        ((0, -17), (0, 0), (100, -100), (-INF, -INF), (INF, 1), (NAN, 1), (-1, -1.5)),
    ),
    Points(
        "LogAddExp2",
        "torch.logaddexp2(a, b)",
        np.logaddexp2,
        ((0, -24), (0, 0), (100, -100), (-INF, -INF), (3, 3)),
    ),
    _unary("Floor", np.floor, *_ROUNDED),
    _unary("Ceil", np.ceil, *_ROUNDED),
    _unary("Trunc", np.trunc, *_ROUNDED),
    _unary("Round", np.rint, *_ROUNDED),
    Points(
        "Round",
        "torch.round(a)",
        np.rint,
        _ones(1.4999999999999998, -0.5000000000000001, 0.49999999999999994, 2.5, -0.3),
        "float64",
    ),
    Points(
        "RoundDecimals",
        "torch.round(a, decimals=1)",
        _tenths,
        _ones(0.25, 2.5, -0.04, 1.0, 12.34),
        extra=(1,),
    ),
    _unary("Sinh", np.sinh, -0.0, 1e-6, 0.5, 88.9, -INF),
    _unary("Asinh", np.arcsinh, -0.0, 1e-6, 0.5, -1e6, 1e30),
    _unary("Atanh", np.arctanh, -0.0, 1e-6, 0.5, 1, -0.9999),
    _unary("Tanh", np.tanh, -0.0, 1e-6, 0.5, 9, INF),
    _unary("Cosh", np.cosh, 0, 1e-4, 88.9, -INF),
    _unary("Acosh", np.arccosh, 1, 1.0000001, 2, 0.5, 1e30),
    _unary("Log1p", np.log1p, -0.0, 1e-6, 1e-20, -1, -2, 1e30),
    _unary("Log", np.log, 1, 1.0000001, 0, -0.0, -1, TINY, INF),
    _unary("Rsqrt", lambda x: 1 / np.sqrt(x), 4, 2, 0, -0.0, -1, INF, 1e-30),
    _unary("Sqrt", np.sqrt, 4, 2, -0.0, -1, INF, 1e-30),
    _unary("Reciprocal", lambda x: 1 / x, 3, 0, -0.0, INF, -INF, 1e38),
    _unary("Sigmoid", _sigmoid, 0, -100, 100, -88, INF, -INF),
    _unary("Sign", _sign, -0.0, NAN, -INF, 1e-30),
    _unary("Frac", lambda x: x - np.trunc(x), 1.5, -1.5, 8388609.0),
    _unary("Sinc", np.sinc, 0, 0.5),
    Points("Divs", "a / 3.0", lambda x: x / 3.0, _ones(1, 2, 5, 7, 10, 1e-30), extra=(3.0,)),
    # The scalar is rounded to the data type first, or is not.
    *(
        Points(kernel, call, ideal, _ones(0.1, 1, -3, 100), dtype, extra=(0.1, 1))
        for kernel, call, ideal in (
            ("Adds", "torch.add(a, 0.1)", lambda x: x + 0.1),
            ("Subs", "torch.sub(a, 0.1)", lambda x: x - 0.1),
            ("Rsubs", "torch.rsub(a, 0.1)", lambda x: 0.1 - x),
        )
        for dtype in ("float16", "bfloat16")
    ),
    Points(
        "Adds",
        f"torch.add(a, {_TWO_24 + 1})",
        _wrapped(lambda x: x + _TWO_24 + 1),
        _ones(0, 1, 2, -_TWO_24),
        "int32",
        extra=(_TWO_24 + 1, 1),
    ),
    Points(
        "Muls",
        f"torch.mul(a, {_TWO_24 + 1})",
        _wrapped(lambda x: x * (_TWO_24 + 1)),
        _ones(1, 3, 5, 7),
        "int32",
        extra=(_TWO_24 + 1,),
    ),
    Points(
        "Add",
        "torch.add(a, b)",
        _wrapped(_add),
        ((_MOST, 1), (-_MOST - 1, -1), (_TWO_24 + 1, 0)),
        "int32",
        extra=(1,),
    ),
    Points(
        "Mul",
        "torch.mul(a, b)",
        _wrapped(_multiply),
        ((65537, 65537), (_MOST, _MOST), (_TWO_24 + 1, 3)),
        "int32",
    ),
    Points("Neg", "torch.neg(a)", _wrapped(lambda x: -x), _ones(-_MOST - 1, _MOST, 0), "int32"),
    Points("Maximum", "torch.maximum(a, b)", _larger, ((0.0, -0.0), (NAN, 1), (1, NAN), (1, -INF))),
    Points("Minimum", "torch.minimum(a, b)", _smaller, ((0.0, -0.0), (NAN, 1), (1, NAN), (1, INF))),
    Points(
        "GtTensor",
        "torch.gt(a, b)",
        np.greater,
        ((-_MOST - 1, _MOST), (_MOST, -_MOST), (_TWO_24 + 1, _TWO_24), (1, 1)),
        "int32",
        result="bool",
    ),
    Points(
        "GtTensor",
        "torch.gt(a, b)",
        np.greater,
        ((NAN, 1), (1, NAN), (INF, 1), (0.0, -0.0)),
        result="bool",
    ),
    Points(
        "EqTensor",
        "torch.eq(a, b)",
        np.equal,
        ((NAN, NAN), (0.0, -0.0), (INF, INF), (1, 1.0000001)),
        result="bool",
    ),
    Points(
        "IsClose",
        "torch.isclose(a, b, rtol=0, atol=0)",
        np.equal,
        ((_TWO_24 + 1, _TWO_24), (_MOST, _MOST - 1), (7, 7), (7, 8)),
        "int32",
        extra=(0.0, 0.0, 0),
        result="bool",
    ),
    Points(
        "LeftShift",
        "torch.bitwise_left_shift(a, b)",
        _wrapped(lambda x, y: x << y),
        ((1, 30), (1, 31), (-1, 1), (3, 31)),
        "int32",
    ),
    Points(
        "RightShift",
        "torch.bitwise_right_shift(a, b)",
        np.right_shift,
        ((-8, 1), (-1, 31), (_MOST, 30)),
        "int32",
    ),
)

_COMPLEX: Final = _ones(
    *(8, 0, -1, 1j, -1j, 1 + 1j, -2 - 0.5j, 3 - 4j, 1e-30, 1e30 + 1e30j, 1e-20j),
    *(complex(-1, -0.0), complex(-0.0, 0.5), complex(INF, 1), complex(1, NAN)),
)
_PAIRS: Final = (
    *((8, 1j), (1 + 1j, 1 - 1j), (3 - 4j, 0), (0, 0), (-2 - 0.5j, 2), (-1, 0.5), (1j, 1j)),
    *((1e30 + 1e30j, 1e30 - 1e30j), (1e-30, 1e-30j), (complex(INF, 1), 1 + 1j)),
)
_WHOLE: Final = ((3, 2), (-3, 2), (2**53 + 1, 3), (-(2**53) - 1, 2), (2**62 + 1, 2), (2**40, 7))

_WIDE_KERNELS: Final[tuple[tuple[str, str, Ideal, Any, str, tuple[Any, ...], str, str], ...]] = (
    ("Log2", "", _log2, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Log", "", np.log, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Log10", "", np.log10, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Exp", "", np.exp, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Sqrt", "", np.sqrt, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Rsqrt", "", lambda x: 1 / np.sqrt(x), _COMPLEX, "complex128 complex64", (), "", ""),
    ("Reciprocal", "", lambda x: 1 / x, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Sin", "", np.sin, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Cos", "", np.cos, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Tan", "", np.tan, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Sinh", "", np.sinh, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Cosh", "", np.cosh, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Asinh", "", np.arcsinh, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Acosh", "", np.arccosh, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Atanh", "", np.arctanh, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Sigmoid", "", lambda x: 1 / (1 + np.exp(-x)), _COMPLEX, "complex128", (), "", ""),
    ("Neg", "", np.negative, _COMPLEX, "complex128 complex64", (), "", ""),
    ("Abs", "", np.abs, _COMPLEX, "complex64", (), "float32", ""),
    ("AngleV2", "torch.angle(a)", np.angle, _COMPLEX, "complex64", (), "float32", ""),
    ("Add", "torch.add(a, b)", _add, _PAIRS, "complex128 complex64", (1,), "", ""),
    ("Sub", "torch.sub(a, b)", _subtract, _PAIRS, "complex128 complex64", (1,), "", ""),
    ("Mul", "torch.mul(a, b)", _multiply, _PAIRS, "complex128 complex64", (), "", ""),
    ("Div", "torch.div(a, b)", _divide, _PAIRS, "complex128 complex64", (), "", ""),
    *(
        ("PowTensorScalar", f"torch.pow(a, {n})", lambda x, n=n: x**n, _COMPLEX,
         "complex128 complex64", (n,), "", str(n))
        for n in (2, 0.5, -1)
    ),
    ("PowTensorTensor", "torch.pow(a, b)", np.power, _PAIRS, "complex128 complex64", (), "",
     ""),
    ("EqTensor", "torch.eq(a, b)", np.equal, _PAIRS, "complex128 complex64", (), "bool", ""),
    ("Log2", "", np.log2, _ones(8, 2**0.5, 0, -0.0, -1, 5e-324, 1e308, INF), "float64", (),
     "", ""),
    ("Exp", "", np.exp, _ones(1, 709.7, 710, -745, -746, -0.0, -INF), "float64", (), "", ""),
    ("Sin", "", np.sin, _ones(1e7, 3.141592653589793, -0.0, 1e300, INF), "float64", (), "", ""),
    ("FloorDivide", "torch.floor_divide(a, b)", np.floor_divide,
     ((1, 0.1), (0.3, 0.1), (5, INF), (-1, INF), (-0.0, 5), (1, 0), (1e300, 3)), "float64", (),
     "", ""),
    ("RemainderTensorTensor", "torch.remainder(a, b)", np.remainder,
     ((5, INF), (-5, INF), (1, 0.1), (-1, 3), (1e300, 7), (5, 0), (-0.0, 3)), "float64", (),
     "", ""),
    ("FmodTensor", "torch.fmod(a, b)", _fmod,
     ((5, INF), (1, 0.1), (-1, 3), (1e300, 7), (5, 0), (-0.0, 3)), "float64", (), "", ""),
    ("PowTensorTensor", "torch.pow(a, b)", np.power,
     ((3, 3), (10, 2), (-2, 3), (-2, 0.5), (0, -1), (-0.0, -1), (1, NAN), (-1, INF)),
     "float64", (), "", ""),
    ("PowTensorTensor", "torch.pow(a, b)", _wrapped(_power, 64),
     ((3, 3), (-2, 3), (3, 39), (3, 41), (0, 0)), "int64", (), "", ""),
    ("Add", "torch.add(a, b)", _wrapped(_add, 64), (*_WHOLE, (2**63 - 1, 1)), "int64", (1,),
     "", ""),
    ("Mul", "torch.mul(a, b)", _wrapped(_multiply, 64), (*_WHOLE, (2**32 + 1, 2**32)),
     "int64", (), "", ""),
    ("Maximum", "torch.maximum(a, b)", np.maximum, (*_WHOLE, (2**53, 2**53 + 1)), "int64", (),
     "", ""),
    ("GtTensor", "torch.gt(a, b)", np.greater, (*_WHOLE, (2**53 + 1, 2**53)), "int64", (),
     "bool", ""),
    ("Neg", "", _wrapped(lambda x: -x, 64), _ones(2**53 + 1, -(2**63), 0), "int64", (), "", ""),
    ("Abs", "", _wrapped(abs, 64), _ones(-(2**53) - 1, -(2**63), 0), "int64", (), "", ""),
    ("RemainderTensorTensor", "torch.remainder(a, b)", np.remainder, (*_WHOLE, (7, -2)),
     "int64", (), "", ""),
    ("FmodTensor", "torch.fmod(a, b)", _fmod, (*_WHOLE, (7, -2)), "int64", (), "", ""),
)  # fmt: skip
_WIDE: Final = tuple(
    Points(name, call or f"torch.{name.lower()}(a)", ideal, inputs, dtype, extra, result, part)
    for name, call, ideal, inputs, dtypes, extra, result, part in _WIDE_KERNELS
    for dtype in dtypes.split()
)
"""What the AICPU computes, for the most part."""

POINTS: Final = (*_WIDE, *_POINTS)

SUBNORMALS: Final = tuple(
    Points(kernel, call, ideal, inputs, extra=extra, result=result, name=name)
    for kernel, call, ideal, inputs, extra, result, name in (
        ("Add", "torch.add(a, b)", _add, ((TINY, TINY), (TINY, 0)), (1,), "", "subnormal"),
        ("Sub", "torch.sub(a, b)", _subtract, ((1.5e-38, 1.2e-38),), (1,), "", "subnormal"),
        ("Mul", "torch.mul(a, b)", _multiply, ((TINY, 1e20),), (), "", "subnormal operand"),
        ("Mul", "torch.mul(a, b)", _multiply, ((1e-20, 1e-20),), (), "", "subnormal result"),
        ("Div", "torch.div(a, b)", _divide, ((TINY, 1e-20),), (), "", "subnormal operand"),
        ("Div", "torch.div(a, b)", _divide, ((2e-38, 7),), (), "", "subnormal result"),
        ("Abs", "torch.abs(a)", np.abs, _ones(-TINY), (), "", "subnormal"),
        ("Neg", "torch.neg(a)", np.negative, _ones(TINY), (), "", "subnormal"),
        ("Sqrt", "torch.sqrt(a)", np.sqrt, _ones(TINY), (), "", "subnormal"),
        ("Exp", "torch.exp(a)", np.exp, _ones(-90, -100), (), "", "subnormal"),
        ("Log", "torch.log(a)", np.log, _ones(TINY), (), "", "subnormal"),
        ("Maximum", "torch.maximum(a, b)", _larger, ((TINY, 0),), (), "", "subnormal"),
        ("GtTensor", "torch.gt(a, b)", np.greater, ((TINY, 0),), (), "bool", "subnormal"),
        ("EqTensor", "torch.eq(a, b)", np.equal, ((TINY, 0),), (), "bool", "subnormal"),
    )
)


@dataclass(frozen=True)
class Sweep:
    """A kernel over a range.

    Attributes
    ----------
    kernel, call, ideal, dtype, extra
        As those of `Points`.
    operands : int
        How many tensors there are.
    limits : tuple of tuple
        For each operand the least and the greatest number.
    counted : bool
        Whether wrong results are counted, instead of measured in ulp.
    """

    kernel: str
    call: str
    ideal: Ideal
    dtype: str = "float32"
    limits: tuple[tuple[float, float], ...] = ((-INF, INF),)
    extra: tuple[Any, ...] = ()
    counted: bool = False
    name: str = ""

    @property
    def id(self) -> str:
        """Name it."""
        return f"{self.kernel}.{self.dtype}.sweep" + (f".{self.name}" if self.name else "")


HALVES: Final = ("float16", "bfloat16")
_ALL: Final = (-INF, INF)

_UNARY: Final[tuple[tuple[str, Ideal, tuple[float, float]], ...]] = (
    ("Abs", np.abs, _ALL),
    ("Acos", np.arccos, (-1, 1)),
    ("Acosh", np.arccosh, (1, INF)),
    ("Asin", np.arcsin, (-1, 1)),
    ("Asinh", np.arcsinh, _ALL),
    ("Atan", np.arctan, _ALL),
    ("Atanh", np.arctanh, (-1, 1)),
    ("Ceil", np.ceil, _ALL),
    ("Cos", np.cos, (-1e7, 1e7)),
    ("Cosh", np.cosh, (-88, 88)),
    ("Erf", _elementwise(math.erf), (-20, 20)),
    ("Erfc", _elementwise(math.erfc), (-10, 10)),
    ("Erfinv", _elementwise(_erfinv), (-1, 1)),
    ("Exp", np.exp, (-110, 100)),
    ("Exp2", np.exp2, (-160, 140)),
    ("Expm1", np.expm1, (-110, 100)),
    ("Floor", np.floor, _ALL),
    ("Frac", lambda x: x - np.trunc(x), (-1e6, 1e6)),
    ("Log", np.log, (0, INF)),
    ("Log10", np.log10, (0, INF)),
    ("Log1p", np.log1p, (-1, INF)),
    ("Log2", np.log2, (0, INF)),
    ("Neg", np.negative, _ALL),
    ("Reciprocal", lambda x: 1 / x, _ALL),
    ("Round", np.rint, _ALL),
    ("Rsqrt", lambda x: 1 / np.sqrt(x), (0, INF)),
    ("Sigmoid", _sigmoid, (-110, 110)),
    ("Sign", _sign, _ALL),
    ("Sin", np.sin, (-1e7, 1e7)),
    ("Sinc", np.sinc, (-0.9, 0.9)),
    ("Sinh", np.sinh, (-88, 88)),
    ("Sqrt", np.sqrt, (0, INF)),
    ("Tan", np.tan, (-65504, 65504)),
    ("Tanh", np.tanh, (-100, 100)),
    ("Trunc", np.trunc, _ALL),
)

_NO_FLOAT64: Final = (
    *("Erfinv", "Expm1", "Frac", "Tanh", "Trunc", "Sinc", "LogAddExp", "XLogYTensor", "Softplus"),
)
"""Kernels that refuse float64, and one whose ideal answers NumPy gives by two roundings."""

SWEEPS: Final = (
    *(
        Sweep(name, f"torch.{name.lower()}(a)", ideal, dtype, (limits,))
        for name, ideal, limits in _UNARY
        for dtype in ("float32", *HALVES, *(("float64",) if name not in _NO_FLOAT64 else ()))
    ),
    *(
        Sweep(name, call, ideal, dtype, limits, extra)
        for name, call, ideal, limits, extra in (
            ("Add", "torch.add(a, b)", _add, (_ALL, _ALL), (1,)),
            ("Sub", "torch.sub(a, b)", _subtract, (_ALL, _ALL), (1,)),
            ("Mul", "torch.mul(a, b)", _multiply, (_ALL, _ALL), ()),
            ("Div", "torch.div(a, b)", _divide, (_ALL, _ALL), ()),
            ("Divs", "a / 3.0", lambda x: x / 3.0, (_ALL,), (3.0,)),
            ("Maximum", "torch.maximum(a, b)", _larger, (_ALL, _ALL), ()),
            ("Minimum", "torch.minimum(a, b)", _smaller, (_ALL, _ALL), ()),
            ("Atan2", "torch.atan2(a, b)", np.arctan2, (_ALL, _ALL), ()),
            ("LogAddExp", "torch.logaddexp(a, b)", np.logaddexp, ((0, 80), (0, 80)), ()),
            ("PowTensorTensor", "torch.pow(a, b)", np.power, ((0.01, 100), (-10, 10)), ()),
            ("XLogYTensor", "torch.xlogy(a, b)", _xlogy, ((-10, 10), (0.1, INF)), ()),
            ("Softplus", "torch.nn.functional.softplus(a)", _softplus, ((-80, 80),), (1, 20)),
        )
        for dtype in ("float32", *(("float64",) if name not in _NO_FLOAT64 else ()))
    ),
    *(
        Sweep(name, call, ideal, dtype, limits, counted=True)
        for name, call, ideal, limits in (
            ("FloorDivide", "torch.floor_divide(a, b)", np.floor_divide, ((0, 1000), (0.1, 10))),
            ("FmodTensor", "torch.fmod(a, b)", _fmod, ((0, 1e6), (0.1, 10))),
            ("RemainderTensorTensor", "torch.remainder(a, b)", np.remainder, ((0, 1e6), (0.1, 10))),
        )
        for dtype in ("float32", "float64")
    ),
    *(
        Sweep(name, call, ideal, "int32", limits, extra, counted=True)
        for name, call, ideal, limits, extra in (
            ("Add", "torch.add(a, b)", _wrapped(_add), (_ALL, _ALL), (1,)),
            ("Mul", "torch.mul(a, b)", _wrapped(_multiply), (_ALL, _ALL), ()),
            ("FloorDivide", "torch.floor_divide(a, b)", np.floor_divide, (_ALL, (1, 1000)), ()),
            ("FmodTensor", "torch.fmod(a, b)", _fmod, (_ALL, (1, 1000)), ()),
            ("RemainderTensorTensor", "torch.remainder(a, b)", np.remainder, (_ALL, (1, 99)), ()),
            ("Gcd", "torch.gcd(a, b)", np.gcd, ((-1e6, 1e6), (-1e6, 1e6)), ()),
            ("LeftShift", "a << b", _wrapped(lambda x, y: x << y), (_ALL, (0, 31)), ()),
            ("RightShift", "a >> b", np.right_shift, (_ALL, (0, 31)), ()),
        )
    ),
    *(
        Sweep(name, call, ideal, "int64", limits, extra, counted=True)
        for name, call, ideal, limits, extra in (
            ("Add", "torch.add(a, b)", _wrapped(_add, 64), (_ALL, _ALL), (1,)),
            ("Mul", "torch.mul(a, b)", _wrapped(_multiply, 64), (_ALL, _ALL), ()),
            ("FloorDivide", "torch.floor_divide(a, b)", np.floor_divide, (_ALL, (1, 1e6)), ()),
            ("FmodTensor", "torch.fmod(a, b)", _fmod, (_ALL, (1, 1e6)), ()),
            ("RemainderTensorTensor", "torch.remainder(a, b)", np.remainder, (_ALL, (1, 1e6)), ()),
            ("Gcd", "torch.gcd(a, b)", np.gcd, (_ALL, (1, 1e12)), ()),
        )
    ),
)

LENGTH: Final = 4096
"""Inputs of a sweep, besides special ones."""


def inputs(sweep: Sweep) -> list[Array]:
    """Return the inputs of a sweep as float64 or int64: half spread by size, half evenly.

    Subnormal ones have probes of their own.
    """
    generator = np.random.default_rng(20260801)
    arrays = []
    for low, high in sweep.limits:
        if "int" in sweep.dtype:
            limits = np.iinfo(sweep.dtype)
            bottom, top = max(low, int(limits.min)), min(high, int(limits.max))
            arrays.append(generator.integers(int(bottom), int(top), LENGTH, endpoint=True))
            continue
        most, least = (65504.0, 6.2e-5) if sweep.dtype == "float16" else (3e38, 1.2e-38)
        spread = np.exp(generator.uniform(math.log(least), math.log(most), LENGTH // 2))
        spread *= generator.choice([-1.0, 1.0], LENGTH // 2)
        bottom, top = max(low, -20.0 if low == -INF else low), 20.0 if high == INF else high
        values = np.concatenate([spread, generator.uniform(bottom, top, LENGTH // 2)])
        values = np.where((values >= low) & (values <= high), values, generator.permutation(values))
        values = np.clip(values, low, high)
        special = [v for v in (0.0, 1.0, -1.0, 0.5) if low <= v <= high]
        arrays.append(np.concatenate([values, np.resize(special or [low], 8)]))
    return arrays


CAST_DTYPES: Final = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32"),
    "float64",
)


def cast_inputs(dtype: str) -> Sequence[float]:
    """Return the numbers of a data type that are cast: those at the ends of others."""
    if dtype == "bool":
        return [0, 1]
    ends = [0, 1, 2, 100, 127, 128, 255, 256, 2047, 2049, 32767, 32768, 65535, 65536, 2**24 + 1]
    ends += [2**31 - 1, 2**31, 2**32 + 5, 2**53 + 1, 2**63 - 1]
    ends += [-v for v in ends if v]
    if "int" in dtype:
        limits = np.iinfo(dtype)
        return [v for v in ends if limits.min <= v <= limits.max] + [int(limits.min)]
    most = {"float16": 65504.0}.get(dtype, 3e38)
    floats = [float(v) for v in ends if abs(v) <= most]
    parts = [0.5, 1.5, 2.5, 0.99999994, 1e-8, 65504.0, most]
    return [*floats, *parts, *(-v for v in parts), -0.0, NAN, INF, -INF]
