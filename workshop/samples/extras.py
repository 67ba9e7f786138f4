"""What the standard does not have."""

from __future__ import annotations

import numpy as np

from ._table import *
from .draws import *
from .strategies import *

chapter("")  # none of the standard's
_ELSEWHERE = "tests/chapters/test_extras.py compares it"

listed("median roots linalg.lstsq", REAL_FLOATING, _ELSEWHERE)
listed("convolve", NUMERIC, _ELSEWHERE)
listed("bincount", INTEGER + REAL_FLOATING, _ELSEWHERE)
listed("diag logspace", ALL, "tests/chapters/test_extras.py compares it")
listed("to_torch", ALL, "conversion to torch")
listed(
    "options fallback_report porting_report synchronize captured",
    NUMERIC,
    "settings and reports",
    flat=NAMES,
    unmapped=NAMES,
)
because("fallback_report", uncalled="tests/array/test_host_fallback.py has tests of it")
because("porting_report", uncalled="tests/array/test_porting_report.py has tests of it")
because("synchronize", uncalled="tests/array/test_late.py has tests of it")
because("captured", uncalled="tests/array/test_captures.py has tests of it")
because("logspace", flat=CREATES, unmapped=CREATES)
of("logspace").dtypes = FLOATING

on("median", lambda d: (d.values(4, 5),), lambda f, _, x: (f(x), f(x, axis=0), f(x, axis=1)))
on("convolve", lambda d: (d.values(5), d.values(3)), lambda f, _, x, y: (f(x, y), f(x, y, "same")))
on(
    "bincount",
    lambda d: (d.indices(4, 9), d.values(9)),
    lambda f, _, i, w: f(i, w),
    numpy=lambda np, i, w: np.bincount(i, w).astype(w.dtype),  # which has float64 alone
    waits=True,
    when=real,
)
on("bincount", lambda d: (d.between(0, 5, 9),), plain, when=integer, waits=True)
on("roots", lambda d: (d.between(1, 9, 4),), plain, waits=True, smooth=False, numpy=None)
on("linalg.lstsq", lambda d: (d.matrix(4), d.values(4)), plain, smooth=False, numpy=None)
on("diag", one, lambda f, _, x: (f(x), f(x, k=1), f(x[0, ...])))
on("logspace", just_dtype, lambda f, _, t: f(0, 2, 5, dtype=t))
on("to_torch", one, lambda f, xp, x: xp.asarray(f(x).clone()))
on("options", one, lambda _, xp, x: x + xp.zeros(6, dtype=x.dtype))

_TALL = np.asarray([[0.6, -0.3], [0.2, 0.9], [-0.7, 0.4], [0.1, -0.8]])
for _rhs in ([1.0, 2.0, -1.0, 0.5], [[1.0, 2.0], [0.0, 1.0], [3.0, 1.0], [1.0, 1.0]]):
    slope(
        "linalg.lstsq",
        f"tall, {np.ndim(_rhs)}-d",
        lambda f, _, a, b: tuple(f(a, b)[:2]),
        _TALL,
        _rhs,
    )
slope("linalg.lstsq", "wide", lambda f, _, a, b: f(a, b).x, _TALL.T, [1.0, 2.0])
slope("linalg.lstsq", "values", lambda f, _, a, b: f(a, b).s, _TALL * 1j, [1.0, 2.0, -1.0, 0.5])
slope("convolve", "mixed", lambda f, _, a, b: f(a, b, "same"), [1.0, 2j, -0.5], [0.5, 1.5])
slope("roots", "", lambda f, xp, x: xp.sort(xp.real(f(x))), [1.0, -6.0, 11.0, -6.0], batched=False)
slope("bincount", "weights", lambda f, xp, w: f(xp.asarray([0, 2, 2, 1]), w), [1.0, 2.0, 3.0, 4.0])
