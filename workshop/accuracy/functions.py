"""The functions whose exactness is measured, each with an oracle in a wider data type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy.special

from .points import Array, integers, numbers, pairs

Oracle = Callable[..., Any]

UNARY: Final[dict[str, Oracle]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "erfinv": lambda x: np.copysign(scipy.special.erfinv(x), x),  # -0 for -0
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "sin": np.sin,
    "sinh": np.sinh,
    "tan": np.tan,
    "tanh": np.tanh,
}
"""Functions of one number, in float64: for float32 that is as good as exact."""

BINARY: Final[dict[str, Oracle]] = {
    "atan2": np.arctan2,
    "hypot": np.hypot,
    "logaddexp": np.logaddexp,
}

ROUNDING: Final[dict[str, Oracle]] = {
    "ceil": np.ceil,
    "floor": np.floor,
    "round": np.rint,
    "sqrt": np.sqrt,
    "trunc": np.trunc,
}


def unit_of(name: str, exact: Array, *operands: Array) -> Array | None:
    """Return what a unit in the last place is taken of, None for the exact result.

    That of ``logaddexp`` is of the larger operand where the result is smaller: it may cancel.
    """
    if name != "logaddexp":
        return None
    unit = np.maximum(np.abs(exact), np.abs(np.maximum(*operands)))
    return np.where(np.isfinite(unit), unit, 1)


def remainder(x: Array, y: Array) -> Array:
    """Return Python's remainder of float32, in float64: fmod is exact."""
    rest = np.fmod(x, y)
    away = (rest != 0) & ((rest < 0) != (y < 0))
    return np.where(rest == 0, np.copysign(0.0, y), np.where(away, rest + y, rest))


def floor_divide(x: Array, y: Array) -> Array:
    """Return the floor of the exact quotient of float32, in float64.

    What is divided without its remainder is a whole number but for rounding in float64.
    """
    quotient = np.rint((x - remainder(x, y)) / y)
    quotient = np.where(np.isfinite(x) & np.isinf(y), -1.0 * ((x < 0) != (y < 0)), quotient)
    quotient = np.where(np.isfinite(x) & np.isinf(y) & (x == 0), 0.0, quotient)
    plain = (y == 0) | ~np.isfinite(x)
    quotient = np.where(plain, x / y, quotient)
    return np.where(quotient == 0, np.copysign(quotient, x / y), quotient)


@dataclass(frozen=True)
class Function:
    """A function of float32 or int32, what it is given, and what it is compared with."""

    name: str
    oracle: Oracle
    dtype: str = "float32"

    def operands(self) -> tuple[Array, ...]:
        """Return what it is given, of its data type."""
        if self.dtype == "int32":
            return integers(self.name)
        if self.name in UNARY or self.name in ROUNDING:
            return (numbers(self.name),)
        return pairs(self.name)

    def exact(self, *operands: Array) -> Array:
        """Return the results in float64."""
        with np.errstate(all="ignore"):
            wide = (x.astype("f8" if self.dtype == "float32" else "i8") for x in operands)
            return np.asarray(self.oracle(*wide)).astype("f8")


FUNCTIONS: Final = (
    *(Function(name, oracle) for name, oracle in UNARY.items()),
    *(Function(name, oracle) for name, oracle in BINARY.items()),
    Function("pow", np.power),
    Function("floor_divide", floor_divide),
    Function("remainder", remainder),
    *(Function(name, oracle) for name, oracle in ROUNDING.items()),
    Function("floor_divide", np.floor_divide, "int32"),
    Function("remainder", np.remainder, "int32"),
)
