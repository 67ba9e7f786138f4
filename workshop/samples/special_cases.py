"""The special cases that the standard states: the lists of its pages, typed by hand.

A function, or several with the same list, and its statements. A condition is a value (``nan``,
``+inf``, ``-0``, ``1``), either sign of one (``±inf``), a comparison (``>0``, infinity included), a
word such as ``finite``. A result is a value; ``~inf`` leaves its sign open, as the standard does;
multiples of pi are approximations; ``sign+`` and ``sign-`` state a sign alone. In functions of
complex numbers both conditions and results are those of the real and the imaginary part;
``+inf*cos`` is infinity with the sign of the cosine of the imaginary part.
"""

from __future__ import annotations

from typing import Final


def _read(text: str) -> dict[str, list[str]]:
    """Return the statements of each function."""
    found: dict[str, list[str]] = {}
    for paragraph in text.replace("\n    ", " ").strip().splitlines():
        names, _, statements = paragraph.partition(": ")
        found |= {name: statements.split("; ") for name in names.split()}
    return found


REAL_UNARY: Final = _read("""
abs: nan -> nan; -0 -> +0; -inf -> +inf
acos: nan -> nan; >1 -> nan; <-1 -> nan; 1 -> +0
acosh: nan -> nan; <1 -> nan; 1 -> +0; +inf -> +inf
asin: nan -> nan; >1 -> nan; <-1 -> nan; +0 -> +0; -0 -> -0
asinh sinh: nan -> nan; +0 -> +0; -0 -> -0; +inf -> +inf; -inf -> -inf
atan: nan -> nan; +0 -> +0; -0 -> -0; +inf -> pi/2; -inf -> -pi/2
atanh: nan -> nan; <-1 -> nan; >1 -> nan; -1 -> -inf; 1 -> +inf; +0 -> +0; -0 -> -0
ceil floor trunc: integer -> x1; +inf -> +inf; -inf -> -inf; +0 -> +0; -0 -> -0; nan -> nan
cos: nan -> nan; +0 -> 1; -0 -> 1; +inf -> nan; -inf -> nan
cosh: nan -> nan; +0 -> 1; -0 -> 1; +inf -> +inf; -inf -> +inf
exp: nan -> nan; +0 -> 1; -0 -> 1; +inf -> +inf; -inf -> +0
expm1: nan -> nan; +0 -> +0; -0 -> -0; +inf -> +inf; -inf -> -1
isfinite: ±inf -> false; nan -> false; finite -> true
isinf: ±inf -> true; finite -> false; nan -> false
isnan: nan -> true; finite -> false; ±inf -> false
log log10 log2: nan -> nan; <0 -> nan; ±0 -> -inf; 1 -> +0; +inf -> +inf
log1p: nan -> nan; <-1 -> nan; -1 -> -inf; -0 -> -0; +0 -> +0; +inf -> +inf
negative: +0 -> -0; -0 -> +0; +inf -> -inf; -inf -> +inf; nan -> nan
reciprocal: nan -> nan; +0 -> +inf; -0 -> -inf; +inf -> +0; -inf -> -0
round: integer -> x1; +inf -> +inf; -inf -> -inf; +0 -> +0; -0 -> -0; nan -> nan; 0.5 -> +0;
    -0.5 -> -0; 1.5 -> 2; 2.5 -> 2; 3.5 -> 4; -1.5 -> -2; -2.5 -> -2; 1048576.5 -> 1048576;
    1048577.5 -> 1048578
sign: <0 -> -1; ±0 -> +0; >0 -> 1; nan -> nan
signbit: +0 -> false; -0 -> true; +inf -> false; -inf -> true; positive -> false;
    negative -> true; nan+ -> false; nan- -> true
sin tan: nan -> nan; +0 -> +0; -0 -> -0; ±inf -> nan
sqrt: nan -> nan; <0 -> nan; +0 -> +0; -0 -> -0; +inf -> +inf
square: nan -> nan; ±0 -> +0; ±inf -> +inf
tanh: nan -> nan; +0 -> +0; -0 -> -0; +inf -> 1; -inf -> -1
""")
"""Of one real number; ``reciprocal`` by the cases of divide, ``square`` by those of multiply."""

REAL_BINARY: Final = _read("""
add: nan, any -> nan; any, nan -> nan; +inf, -inf -> nan; -inf, +inf -> nan; +inf, +inf -> +inf;
    -inf, -inf -> -inf; +inf, finite -> +inf; -inf, finite -> -inf; finite, +inf -> +inf;
    finite, -inf -> -inf; -0, -0 -> -0; -0, +0 -> +0; +0, -0 -> +0; +0, +0 -> +0;
    ±0, nonzero -> x2; nonzero, ±0 -> x1; nonzero, -x1 -> +0
atan2: nan, any -> nan; any, nan -> nan; >0, ±0 -> pi/2; +0, >0 -> +0; +0, +0 -> +0;
    +0, -0 -> pi; +0, <0 -> pi; -0, >0 -> -0; -0, +0 -> -0; -0, -0 -> -pi; -0, <0 -> -pi;
    <0, ±0 -> -pi/2; positive, +inf -> +0; positive, -inf -> pi; negative, +inf -> -0;
    negative, -inf -> -pi; +inf, finite -> pi/2; -inf, finite -> -pi/2; +inf, +inf -> pi/4;
    +inf, -inf -> 3pi/4; -inf, +inf -> -pi/4; -inf, -inf -> -3pi/4
copysign: not nan, <0 -> -|x1|; not nan, -0 -> -|x1|; not nan, +0 -> |x1|; not nan, >0 -> |x1|;
    not nan, nan- -> -|x1|; not nan, nan+ -> |x1|; nan+, <0 -> nan-; nan-, <0 -> nan-;
    nan+, -0 -> nan-; nan-, -0 -> nan-; nan+, +0 -> nan+; nan-, +0 -> nan+; nan+, >0 -> nan+;
    nan-, >0 -> nan+; nan+, nan- -> nan-; nan-, nan- -> nan-; nan+, nan+ -> nan+;
    nan-, nan+ -> nan+
divide floor_divide: nan, any -> nan; any, nan -> nan; ±inf, ±inf -> nan; ±0, ±0 -> nan;
    +0, >0 -> +0; -0, >0 -> -0; +0, <0 -> -0; -0, <0 -> +0; >0, +0 -> +inf; >0, -0 -> -inf;
    <0, +0 -> -inf; <0, -0 -> +inf; +inf, positive -> +inf; +inf, negative -> -inf;
    -inf, positive -> -inf; -inf, negative -> +inf; positive, +inf -> +0; positive, -inf -> -0;
    negative, +inf -> -0; negative, -inf -> +0; positive, positive -> sign+;
    negative, negative -> sign+; positive, negative -> sign-; negative, positive -> sign-
equal: nan, any -> false; any, nan -> false; +inf, +inf -> true; -inf, -inf -> true;
    -0, ±0 -> true; +0, ±0 -> true; finite, x1 -> true; nonzero, -x1 -> false;
    +inf, -inf -> false; -inf, +inf -> false; ±inf, finite -> false; finite, ±inf -> false
hypot: ±inf, any -> +inf; any, ±inf -> +inf; ±0, any -> |x2|; any, ±0 -> |x1|;
    finite, nan -> nan; nan, nan -> nan; nan, finite -> nan
logaddexp: nan, any -> nan; any, nan -> nan; +inf, not nan -> +inf; not nan, +inf -> +inf
maximum minimum: nan, any -> nan; any, nan -> nan
multiply: nan, any -> nan; any, nan -> nan; ±inf, ±0 -> nan; ±0, ±inf -> nan; >0, >0 -> sign+;
    <0, <0 -> sign+; >0, <0 -> sign-; <0, >0 -> sign-; +0, finite+ -> sign+;
    +0, finite- -> sign-; -0, finite+ -> sign-; -0, finite- -> sign+; finite+, -0 -> sign-;
    finite-, -0 -> sign+; +inf, >0 -> +inf; +inf, <0 -> -inf; -inf, >0 -> -inf;
    -inf, <0 -> +inf; >0, +inf -> +inf; >0, -inf -> -inf; <0, +inf -> -inf; <0, -inf -> +inf
nextafter: nan, any -> nan; any, nan -> nan; -0, +0 -> +0; +0, -0 -> -0
not_equal: nan, any -> true; any, nan -> true; +inf, -inf -> true; -inf, +inf -> true;
    nonzero, -x1 -> true; finite, x1 -> false; ±0, ±0 -> false; +inf, +inf -> false;
    -inf, -inf -> false
pow: not 1, nan -> nan; any, ±0 -> 1; nan, >0 -> nan; nan, <0 -> nan; |x|>1, +inf -> +inf;
    |x|>1, -inf -> +0; |x|=1, ±inf -> 1; 1, not nan -> 1; |x|<1, +inf -> +0;
    |x|<1, -inf -> +inf; +inf, >0 -> +inf; +inf, <0 -> +0; -inf, odd>0 -> -inf;
    -inf, not odd>0 -> +inf; -inf, odd<0 -> -0; -inf, not odd<0 -> +0; +0, >0 -> +0;
    +0, <0 -> +inf; -0, odd>0 -> -0; -0, not odd>0 -> +0; -0, odd<0 -> -inf;
    -0, not odd<0 -> +inf; negative, fraction -> nan
remainder: nan, any -> nan; any, nan -> nan; ±inf, ±inf -> nan; ±0, ±0 -> nan; +0, >0 -> +0;
    -0, >0 -> +0; +0, <0 -> -0; -0, <0 -> -0; >0, ±0 -> nan; <0, ±0 -> nan;
    ±inf, positive -> nan; ±inf, negative -> nan; positive, +inf -> x1; positive, -inf -> x2;
    negative, +inf -> x2; negative, -inf -> x1
subtract: nan, any -> nan; any, nan -> nan; +inf, +inf -> nan; -inf, -inf -> nan;
    +inf, -inf -> +inf; -inf, +inf -> -inf; +inf, finite -> +inf; -inf, finite -> -inf;
    finite, -inf -> +inf; finite, +inf -> -inf; -0, +0 -> -0; -0, -0 -> +0; +0, +0 -> +0;
    +0, -0 -> +0; nonzero, ±0 -> x1; ±0, nonzero -> -x2; nonzero, x1 -> +0
""")
"""Of two real numbers. ``subtract`` is x1 + (-x2), by the cases of add."""

COMPLEX_UNARY: Final = _read("""
acos: ±0, +0 -> pi/2, -0; ±0, nan -> pi/2, nan; finite, +inf -> pi/2, -inf;
    nonzero, nan -> nan, nan; -inf, positive -> pi, -inf; +inf, positive -> +0, -inf;
    -inf, +inf -> 3pi/4, -inf; +inf, +inf -> pi/4, -inf; ±inf, nan -> nan, ~inf;
    nan, finite -> nan, nan; nan, +inf -> nan, -inf; nan, nan -> nan, nan
acosh: ±0, +0 -> +0, pi/2; finite, +inf -> +inf, pi/2; nonzero, nan -> nan, nan;
    +0, nan -> nan, ~pi/2; -inf, positive -> +inf, pi; +inf, positive -> +inf, +0;
    -inf, +inf -> +inf, 3pi/4; +inf, +inf -> +inf, pi/4; ±inf, nan -> +inf, nan;
    nan, finite -> nan, nan; nan, +inf -> +inf, nan; nan, nan -> nan, nan
asinh: +0, +0 -> +0, +0; positive, +inf -> +inf, pi/2; finite, nan -> nan, nan;
    +inf, positive -> +inf, +0; +inf, +inf -> +inf, pi/4; nan, +0 -> nan, +0;
    nan, nonzero -> nan, nan; nan, +inf -> ~inf, nan; nan, nan -> nan, nan
atanh: +0, +0 -> +0, +0; +0, nan -> +0, nan; 1, +0 -> +inf, +0; positive, +inf -> +0, pi/2;
    nonzero, nan -> nan, nan; +inf, positive -> +0, pi/2; +inf, +inf -> +0, pi/2;
    +inf, nan -> +0, nan; nan, finite -> nan, nan; nan, +inf -> ~0, pi/2; nan, nan -> nan, nan
cosh: +0, +0 -> 1, +0; +0, +inf -> nan, ~0; +0, nan -> nan, ~0; nonzero, +inf -> nan, nan;
    nonzero, nan -> nan, nan; +inf, +0 -> +inf, +0; +inf, nonzero -> +inf*cos, +inf*sin;
    +inf, +inf -> ~inf, nan; +inf, nan -> +inf, nan; nan, ±0 -> nan, ~0;
    nan, nonzero -> nan, nan; nan, nan -> nan, nan
exp: ±0, +0 -> 1, +0; finite, +inf -> nan, nan; finite, nan -> nan, nan; +inf, +0 -> +inf, +0;
    -inf, finite -> +0*cos, +0*sin; +inf, nonzero -> +inf*cos, +inf*sin; -inf, +inf -> ~0, ~0;
    +inf, +inf -> ~inf, nan; -inf, nan -> ~0, ~0; +inf, nan -> ~inf, nan; nan, +0 -> nan, +0;
    nan, nonzero -> nan, nan; nan, ±inf -> nan, nan; nan, nan -> nan, nan
expm1: ±0, +0 -> +0, +0; finite, +inf -> nan, nan; finite, nan -> nan, nan;
    +inf, +0 -> +inf, +0; -inf, finite -> -1, +0*sin; +inf, nonzero -> +inf*cos, +inf*sin;
    -inf, +inf -> -1, ~0; +inf, +inf -> ~inf, nan; -inf, nan -> -1, ~0; +inf, nan -> ~inf, nan;
    nan, +0 -> nan, +0; nan, nonzero -> nan, nan; nan, ±inf -> nan, nan; nan, nan -> nan, nan
log: -0, +0 -> -inf, pi; +0, +0 -> -inf, +0; finite, +inf -> +inf, pi/2;
    finite, nan -> nan, nan; -inf, positive -> +inf, pi; +inf, positive -> +inf, +0;
    -inf, +inf -> +inf, 3pi/4; +inf, +inf -> +inf, pi/4; ±inf, nan -> +inf, nan;
    nan, finite -> nan, nan; nan, +inf -> +inf, nan; nan, nan -> nan, nan
log1p: -1, +0 -> -inf, +0; finite, +inf -> +inf, pi/2; finite, nan -> nan, nan;
    -inf, positive -> +inf, pi; +inf, positive -> +inf, +0; -inf, +inf -> +inf, 3pi/4;
    +inf, +inf -> +inf, pi/4; ±inf, nan -> +inf, nan; nan, finite -> nan, nan;
    nan, +inf -> +inf, nan; nan, nan -> nan, nan
sinh: +0, +0 -> +0, +0; +0, +inf -> ~0, nan; +0, nan -> ~0, nan; positive, +inf -> nan, nan;
    positive, nan -> nan, nan; +inf, +0 -> +inf, +0; +inf, positive -> +inf*cos, +inf*sin;
    +inf, +inf -> ~inf, nan; +inf, nan -> ~inf, nan; nan, +0 -> nan, +0;
    nan, nonzero -> nan, nan; nan, nan -> nan, nan
sqrt: ±0, +0 -> +0, +0; any, +inf -> +inf, +inf; finite, nan -> nan, nan;
    -inf, positive -> +0, +inf; +inf, positive -> +inf, +0; -inf, nan -> nan, ~inf;
    +inf, nan -> +inf, nan; nan, finite -> nan, nan; nan, nan -> nan, nan
tanh: +0, +0 -> +0, +0; nonzero, +inf -> nan, nan; +0, +inf -> +0, nan;
    nonzero, nan -> nan, nan; +0, nan -> +0, nan; +inf, positive -> 1, +0; +inf, +inf -> 1, ~0;
    +inf, nan -> 1, ~0; nan, +0 -> nan, +0; nan, nonzero -> nan, nan; nan, nan -> nan, nan
sign: ±0, ±0 -> +0, +0; nan, any -> nan, nan; any, nan -> nan, nan
negative: +0, +0 -> -0, -0; +0, -0 -> -0, +0; -0, +0 -> +0, -0; +inf, nan -> -inf, nan;
    nan, -inf -> nan, +inf
conj: +0, +0 -> +0, -0; -0, -0 -> -0, +0; +inf, -inf -> +inf, +inf; nan, +inf -> nan, -inf
""")
"""Of one complex number."""

COMPLEX_TO_REAL: Final = _read("""
abs: ±inf, any -> +inf; any, ±inf -> +inf; ±0, any -> |b|; any, ±0 -> |a|; nan, finite -> nan;
    finite, nan -> nan; nan, nan -> nan
isfinite: nan, any -> false; any, nan -> false; ±inf, any -> false; any, ±inf -> false;
    finite, finite -> true
isinf: ±inf, any -> true; finite, ±inf -> true; nan, ±inf -> true; finite, finite -> false;
    nan, finite -> false; nan, nan -> false
isnan: nan, any -> true; any, nan -> true; finite, finite -> false; ±inf, finite -> false
""")
"""Of one complex number, with a real or boolean result."""
