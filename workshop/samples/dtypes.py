"""Data type functions, what describes the namespace, and constants."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ..drawing import assume, st
from ._cases import *
from ._table import *
from .draws import *
from .strategies import *

chapter("data_type_functions")


@covers("astype", ALL)
def astype(draw: Draw, name: str, dtype: str) -> Trial:
    target = draw(st.sampled_from(COMPLEX + BOOL if dtype in COMPLEX else ALL))
    values = elements(dtype)
    if dtype in FLOATING and target in INTEGER:  # what does not fit is undefined
        info, precision = np.iinfo(target), np.finfo(dtype).nmant + 1
        low, high = (math.copysign(min(abs(v), 2.0**precision), v) for v in (info.min, info.max))
        values = elements(dtype, low=low, high=high, nan=False, inf=False)
    x = draw(operands(dtype, draw(shapes()), values))
    if dtype in INTEGER and target in INTEGER:
        info = np.iinfo(target)
        assume(all(info.min <= int(v) <= info.max for v in x.value.flat))
    kwargs = {"copy": draw(st.booleans())} if draw(st.booleans()) else {}
    return Trial((x, DTYPES[target]), exactly(x.value.astype(target)), kwargs)


def _astype(d: Seeded) -> tuple[Any, ...]:
    targets = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
    targets += ["float32", "float64", "complex64", "complex128"]
    if d.kind == "complex":
        targets = targets[-2:]
    return d.between(0, 100, 4, 6), [DType(t) for t in targets]


def _float_limits(xp: Any, dtype: Any) -> Any:
    if not xp.isdtype(dtype, ("real floating", "complex floating")):
        return _refusal(xp.finfo, dtype)
    info = xp.finfo(dtype)
    return info.bits, info.eps, info.max, info.min, info.smallest_normal


def _int_limits(xp: Any, dtype: Any) -> Any:
    if not xp.isdtype(dtype, "integral"):
        return _refusal(xp.iinfo, dtype)
    info = xp.iinfo(dtype)
    return info.bits, info.max, info.min


def _refusal(function: Callable[[Any], Any], dtype: Any) -> str:
    """Return what is raised for what has no limits."""
    try:
        function(dtype)
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return "nothing was raised"


_INFO: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "__array_namespace_info__": lambda xp, _: xp.__array_namespace_info__() is not None,
    "capabilities": lambda xp, _: xp.__array_namespace_info__().capabilities(),
    "default_device": lambda xp, _: (
        xp.__array_namespace_info__().default_device() in xp.__array_namespace_info__().devices()
    ),
    "default_dtypes": lambda xp, _: sorted(xp.__array_namespace_info__().default_dtypes()),
    "dtypes": lambda xp, name: xp.__array_namespace_info__().dtypes()[name] == getattr(xp, name),
    "devices": lambda xp, _: "cpu" in [str(d) for d in xp.__array_namespace_info__().devices()],
}

on("astype", _astype, lambda f, _, x, dtypes: [f(x, t) for t in dtypes], smooth=False)
slope("astype", "complex128", lambda f, xp, x: f(x, xp.complex128), [[1.0, 2.0], [3.0, 4.0]])
slope("astype", "copy", lambda f, xp, x: f(x, xp.float64), [[1.0, 2.0], [3.0, 4.0]])

for _chapter, _names in (
    ("data_type_functions", "can_cast isdtype result_type finfo iinfo"),
    ("manipulation_functions", "broadcast_shapes"),
    ("constants", "e inf nan newaxis pi"),
):
    chapter(_chapter)
    _own = "tests/samples/test_against_numpy.py has a test of it"
    listed(_names, ALL, _own, flat=NAMES, unmapped=NAMES)
chapter("info")
on(
    "can_cast",
    just_dtype,
    lambda _, xp, t: [xp.can_cast(t, getattr(xp, o)) for o in ("int8", "float64", "complex128")],
    numpy=None,
)
on(
    "isdtype",
    just_dtype,
    lambda _, xp, t: [
        xp.isdtype(t, kind)
        for kind in ("bool", "integral", "real floating", "complex floating", "numeric")
    ],
)
on("result_type", lambda d: (d.values(2), d.dtype), lambda _, xp, x, t: xp.result_type(x, t) == t)
on("finfo", just_dtype, lambda _, xp, t: _float_limits(xp, t), numpy=None)
on("iinfo", just_dtype, lambda _, xp, t: _int_limits(xp, t), numpy=None)
listed(
    " ".join(_INFO),
    ALL,
    "describes this namespace, not NumPy's",
    flat=NAMES,
    unmapped=NAMES,
)
for _name, _info in _INFO.items():
    on(_name, lambda d: (d.name,), lambda _, xp, name, f=_info: f(xp, name), numpy=None)
for _name in ("e", "inf", "nan", "pi"):
    on(_name, lambda _: (), lambda _, xp, name=_name: float(getattr(xp, name)))
on("newaxis", lambda _: (), lambda _, xp: xp.newaxis is None)
on("broadcast_shapes", lambda _: (), lambda _, xp: xp.broadcast_shapes((4, 1), (6,)))
because("default_device devices", uncompiled="looks for devices")
