"""Elementwise functions.

https://data-apis.org/array-api/2023.12/API_specification/elementwise_functions.html
"""

from __future__ import annotations

from builtins import bool as _bool

from ._array import Array
from ._calls import binary, unary
from ._routes import elementwise as ops


@unary(ops.abs)
def abs(x: Array, /) -> Array:
    """TODO."""


@unary(ops.acos)
def acos(x: Array, /) -> Array:
    """TODO."""


@unary(ops.acosh)
def acosh(x: Array, /) -> Array:
    """TODO."""


@binary(ops.add)
def add(x1: Array | complex, x2: Array | complex, /) -> Array:
    """TODO."""


@unary(ops.asin)
def asin(x: Array, /) -> Array:
    """TODO."""


@unary(ops.asinh)
def asinh(x: Array, /) -> Array:
    """TODO."""


@unary(ops.atan)
def atan(x: Array, /) -> Array:
    """TODO."""


@binary(ops.atan2)
def atan2(x1: Array | float, x2: Array | float, /) -> Array:
    """TODO."""


@unary(ops.atanh)
def atanh(x: Array, /) -> Array:
    """TODO."""


@binary(ops.bitwise_and)
def bitwise_and(x1: Array | int, x2: Array | int, /) -> Array:
    """TODO."""


@unary(ops.bitwise_invert)
def bitwise_invert(x: Array, /) -> Array:
    """TODO."""


@binary(ops.bitwise_left_shift)
def bitwise_left_shift(x1: Array | int, x2: Array | int, /) -> Array:
    """TODO."""


@binary(ops.bitwise_or)
def bitwise_or(x1: Array | int, x2: Array | int, /) -> Array:
    """TODO."""


@binary(ops.bitwise_right_shift)
def bitwise_right_shift(x1: Array | int, x2: Array | int, /) -> Array:
    """TODO."""


@binary(ops.bitwise_xor)
def bitwise_xor(x1: Array | int, x2: Array | int, /) -> Array:
    """TODO."""


@unary(ops.ceil)
def ceil(x: Array, /) -> Array:
    """TODO."""


@unary(ops.conj)
def conj(x: Array, /) -> Array:
    """TODO."""


@binary(ops.copysign)
def copysign(x1: Array | float, x2: Array | float, /) -> Array:
    """TODO."""


@unary(ops.cos)
def cos(x: Array, /) -> Array:
    """TODO."""


@unary(ops.cosh)
def cosh(x: Array, /) -> Array:
    """TODO."""


@binary(ops.divide)
def divide(x1: Array | complex, x2: Array | complex, /) -> Array:
    """TODO."""


@binary(ops.equal)
def equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    """TODO."""


@unary(ops.exp)
def exp(x: Array, /) -> Array:
    """TODO."""


@unary(ops.expm1)
def expm1(x: Array, /) -> Array:
    """TODO."""


@unary(ops.floor)
def floor(x: Array, /) -> Array:
    """TODO."""


@binary(ops.floor_divide)
def floor_divide(x1: Array | float, x2: Array | float, /) -> Array:
    """TODO."""


@binary(ops.greater)
def greater(x1: Array | float, x2: Array | float, /) -> Array:
    """TODO."""


@binary(ops.greater_equal)
def greater_equal(x1: Array | float, x2: Array | float, /) -> Array:
    """TODO."""


@binary(ops.hypot)
def hypot(x1: Array | float, x2: Array | float, /) -> Array:
    """TODO."""


@unary(ops.imag)
def imag(x: Array, /) -> Array:
    """TODO."""


@unary(ops.isfinite)
def isfinite(x: Array, /) -> Array:
    """TODO."""


@unary(ops.isinf)
def isinf(x: Array, /) -> Array:
    """TODO."""


@unary(ops.isnan)
def isnan(x: Array, /) -> Array:
    """TODO."""


@binary(ops.less)
def less(x1: Array | float, x2: Array | float, /) -> Array:
    """TODO."""


@binary(ops.less_equal)
def less_equal(x1: Array | float, x2: Array | float, /) -> Array:
    """TODO."""


@unary(ops.log)
def log(x: Array, /) -> Array:
    """TODO."""


@unary(ops.log10)
def log10(x: Array, /) -> Array:
    """TODO."""


@unary(ops.log1p)
def log1p(x: Array, /) -> Array:
    """TODO."""


@unary(ops.log2)
def log2(x: Array, /) -> Array:
    """TODO."""


@binary(ops.logaddexp)
def logaddexp(x1: Array | float, x2: Array | float, /) -> Array:
    """TODO."""


@binary(ops.logical_and)
def logical_and(x1: Array | _bool, x2: Array | _bool, /) -> Array:
    """TODO."""


@unary(ops.logical_not)
def logical_not(x: Array, /) -> Array:
    """TODO."""


@binary(ops.logical_or)
def logical_or(x1: Array | _bool, x2: Array | _bool, /) -> Array:
    """TODO."""


@binary(ops.logical_xor)
def logical_xor(x1: Array | _bool, x2: Array | _bool, /) -> Array:
    """TODO."""


@binary(ops.maximum)
def maximum(x1: Array | float, x2: Array | float, /) -> Array:
    """TODO."""


@binary(ops.minimum)
def minimum(x1: Array | float, x2: Array | float, /) -> Array:
    """TODO."""


@binary(ops.multiply)
def multiply(x1: Array | complex, x2: Array | complex, /) -> Array:
    """TODO."""


@unary(ops.negative)
def negative(x: Array, /) -> Array:
    """TODO."""


@binary(ops.nextafter)
def nextafter(x1: Array | float, x2: Array | float, /) -> Array:
    """TODO."""


@binary(ops.not_equal)
def not_equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    """TODO."""


@unary(ops.positive)
def positive(x: Array, /) -> Array:
    """TODO."""


@binary(ops.pow)
def pow(x1: Array | complex, x2: Array | complex, /) -> Array:
    """TODO."""


@unary(ops.real)
def real(x: Array, /) -> Array:
    """TODO."""


@unary(ops.reciprocal)
def reciprocal(x: Array, /) -> Array:
    """TODO."""


@binary(ops.remainder)
def remainder(x1: Array | float, x2: Array | float, /) -> Array:
    """TODO."""


@unary(ops.round)
def round(x: Array, /) -> Array:
    """TODO."""


@unary(ops.sign)
def sign(x: Array, /) -> Array:
    """TODO."""


@unary(ops.signbit)
def signbit(x: Array, /) -> Array:
    """TODO."""


@unary(ops.sin)
def sin(x: Array, /) -> Array:
    """TODO."""


@unary(ops.sinh)
def sinh(x: Array, /) -> Array:
    """TODO."""


@unary(ops.sqrt)
def sqrt(x: Array, /) -> Array:
    """TODO."""


@unary(ops.square)
def square(x: Array, /) -> Array:
    """TODO."""


@binary(ops.subtract)
def subtract(x1: Array | complex, x2: Array | complex, /) -> Array:
    """TODO."""


@unary(ops.tan)
def tan(x: Array, /) -> Array:
    """TODO."""


@unary(ops.tanh)
def tanh(x: Array, /) -> Array:
    """TODO."""


@unary(ops.trunc)
def trunc(x: Array, /) -> Array:
    """TODO."""
