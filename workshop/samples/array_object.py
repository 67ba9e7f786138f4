"""The array object: operators, indexing, attributes and methods."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ._table import *
from .draws import *
from .strategies import *

_OPERATORS = "tests/array/test_operators.py compares it"
_ELSEWHERE = "tests/array/test_array_object.py has tests of it"

chapter("array_object")

# --- operators ------------------------------------------------------------------------------------

_UNARY: Final = {
    "abs": (operator.abs, NUMERIC),
    "neg": (operator.neg, NUMERIC),
    "pos": (operator.pos, NUMERIC),
    "invert": (operator.invert, BOOL + INTEGER),
}
for _name, (_unary, _dtypes) in _UNARY.items():
    listed(f"Array.__{_name}__", _dtypes, _OPERATORS)
    on(f"Array.__{_name}__", wide_one, lambda _, _xp, x, f=_unary: f(x))
because("Array.__invert__", flat=INTEGERS)


def _dividend(d: Seeded) -> tuple[Any, ...]:
    return d.wide(4, 6), d.nonzero(4, 6)


def _power(d: Seeded) -> tuple[Any, ...]:
    return d.between(0.5, 3, 4, 6), d.between(0, 3, 4, 6)


def _shifted(d: Seeded) -> tuple[Any, ...]:
    return d.values(4, 6), d.between(0, 5, 4, 6)


BINARY_OPERATORS: Final[dict[str, tuple[tuple[str, ...], Inputs, str]]] = {
    **dict.fromkeys(("add", "sub", "mul"), (NUMERIC, wide_two, "")),
    "truediv": (FLOATING, _dividend, ""),
    **dict.fromkeys(("floordiv", "mod"), (REAL, _dividend, "")),
    "pow": (NUMERIC, _power, ""),
    **dict.fromkeys(("and", "or", "xor"), (BOOL + INTEGER, wide_two, INTEGERS)),
    **dict.fromkeys(("lshift", "rshift"), (INTEGER, _shifted, INTEGERS)),
    **dict.fromkeys(("lt", "le", "gt", "ge"), (REAL, wide_two, BOOLEAN)),
    **dict.fromkeys(("eq", "ne"), (ALL, wide_two, BOOLEAN)),
}
"""The data types of each operator, its operands, and why it has no derivative."""


_CHAPTERS: Final = {"": "array_object", "r": "", "i": "array_object_in_place"}


def _with_scalar(inputs: Inputs, name: str) -> Inputs:
    def drawn(d: Seeded) -> tuple[Any, ...]:
        number: Any = 2 if integer(d) or name == "pow" else 2.5
        return inputs(d)[0], True if d.kind == "bool" else number

    return drawn


for _name, (_dtypes, _drawn, _flat) in BINARY_OPERATORS.items():
    _forms = {"": getattr(operator, f"__{_name}__")}
    if _flat != BOOLEAN:
        _forms["r"] = lambda x, y, key=f"__r{_name}__": getattr(x, key)(y)
        _forms["i"] = getattr(operator, f"__i{_name}__")
    for _form, _operator in _forms.items():
        _key = f"Array.__{_form}{_name}__"
        chapter(_CHAPTERS[_form])
        listed(_key, _dtypes, _OPERATORS, flat=_flat)
        _call = lambda _, _xp, x, y, f=_operator: f(x, y)  # noqa: E731
        # A shift by a shift may be by too much.
        _inputs = (lambda d, f=_drawn: f(d)[::-1]) if _form == "r" else _drawn
        on(_key, _inputs, _call, writes=_form == "i")
        on(_key, _with_scalar(_inputs, _name), _call, "Python scalar", writes=_form == "i")
        if not _flat:
            slope(
                _key,
                "broadcast",
                lambda _, xp, x, y, f=_operator: f(x * 1.0, y),
                [[0.6, 1.3, 1.9], [0.7, 1.1, 1.6]],
                [0.55, 1.25, 1.75],
            )


def _matrices(d: Seeded) -> tuple[Any, ...]:
    return d.values(3, 5, 5), d.values(3, 5, 5)


for _form, _chapter in _CHAPTERS.items():
    chapter(_chapter)
    listed(f"Array.__{_form}matmul__", NUMERIC, _OPERATORS)
chapter("array_object")
on("Array.__matmul__", _matrices, lambda _, _xp, x, y: x @ y)
on("Array.__rmatmul__", _matrices, lambda _, _xp, x, y: y.__rmatmul__(x))
on("Array.__imatmul__", _matrices, lambda _, _xp, x, y: operator.imatmul(x, y), writes=True)

# --- indexing -------------------------------------------------------------------------------------

listed(
    "Array.__getitem__ Array.__setitem__",
    ALL,
    "tests/samples/test_against_numpy.py has a test of it",
)
on(
    "Array.__getitem__",
    lambda d: (d.values(4, 6, 3),),
    lambda _, _xp, x: (x[1, ...], x[..., 1:5:2, :], x[0, 1, 2], x[None, ..., -1]),
    "integers and slices",
)
on("Array.__getitem__", one, lambda _, _xp, x: x[::-2, ::-1], "negative steps")
on(
    "Array.__getitem__",
    lambda d: (d.values(8, 6), d.indices(8, 5), d.indices(6, 5)),
    lambda _, _xp, x, i, j: (x[i, ...], x[i, j], x[2, j]),
    "integer arrays",
)
on(
    "Array.__getitem__",
    lambda d: (d.values(8, 6), d.mask(8, 6), d.mask(8)),
    lambda _, _xp, x, m, n: (x[m], x[n, ...]),
    "mask",
    waits=True,
)


def _set(_: Any, _xp: Any, x: Any, key: Any, value: Any) -> Any:
    x[key] = value
    return x


def _seven() -> Any:
    mask = np.zeros((8, 6), dtype=bool)
    mask.flat[3:45:6] = True
    return mask


on(
    "Array.__setitem__",
    lambda d: (d.values(8, 6), (slice(1, 5), 2), number(d)),
    _set,
    "scalar",
    writes=True,
)
on(
    "Array.__setitem__",
    lambda d: (d.values(8, 6), (slice(None, None, -2), slice(1, 4)), d.values(4, 3)),
    _set,
    "slices",
    writes=True,
)
on(
    "Array.__setitem__",
    lambda d: (d.values(8, 6), np.asarray([5, 0, 3]), d.values(3, 6)),
    lambda _, _xp, x, i, y: _set(_, _xp, x, (i, ...), y),
    "integer arrays",
    writes=True,
)
on(
    "Array.__setitem__",
    lambda d: (d.values(8, 6), d.mask(8, 6), number(d)),
    _set,
    "mask, scalar",
    waits=True,
    writes=True,
)
on(
    "Array.__setitem__",
    lambda d: (d.values(8, 6), _seven(), d.values(7)),
    _set,
    "mask, array",
    waits=True,
    writes=True,
)

_X: Final = np.asarray([[0.6, 1.3, 1.9], [0.7, 1.1, 1.6]])
_KEYS: Final[dict[str, Callable[[Any], Any]]] = {
    "integer": lambda xp: (1, ...),
    "integers": lambda xp: (1, -1),
    "slice": lambda xp: (slice(None), slice(0, 3, 2)),
    "backwards": lambda xp: (slice(None, None, -1), slice(None, None, -2)),
    "none": lambda xp: (None, ..., None),
    "array": lambda xp: (slice(None), xp.asarray([2, 0])),
    "arrays": lambda xp: (xp.asarray([1, 0]), xp.asarray([2, -1])),
    "integer and array": lambda xp: (0, xp.asarray([1, 0])),
    "mask": lambda xp: xp.asarray([[True, False, True], [False, True, False]]),
    "row mask": lambda xp: (xp.asarray([True, False]), ...),
}


def _assigned(key: Any, value: Any = None) -> Callable[..., Any]:
    def assign(_: Any, xp: Any, x: Any, *values: Any) -> Any:
        return _set(_, xp, x * 1.0, key(xp), values[0] if values else value) * x

    return assign


slope("Array.__getitem__", "twice", lambda _, xp, x: x[:, xp.asarray([2, 0, 0])], _X)
for _label, _place in _KEYS.items():
    slope("Array.__getitem__", _label, lambda _, xp, x, k=_place: x[k(xp)], _X)
    slope("Array.__getitem__", f"{_label}, complex", lambda _, xp, x, k=_place: x[k(xp)], _X * 1j)
    slope("Array.__setitem__", _label, _assigned(_place), _X, 1.5)
    slope("Array.__setitem__", f"{_label}, number", _assigned(_place, 2.5), _X)
    if _label in {"backwards", "array"}:
        slope("Array.__setitem__", f"{_label}, array", _assigned(_place), _X, [[1.0, 2], [3.0, 4]])
slope("Array.__setitem__", "complex", _assigned(_KEYS["slice"]), _X * 1j, 1.5j)

# --- attributes and methods -----------------------------------------------------------------------

listed("Array.T Array.mT Array.to_device", ALL, _ELSEWHERE)
on("Array.mT", stack, lambda _, _xp, x: x.mT)
on("Array.T", one, lambda _, _xp, x: x.T)
on("Array.to_device", one, lambda _, _xp, x: x.to_device(x.device))
on("Array.to_device", one, lambda _, _xp, x: x.to_device("cpu"), "to the CPU", moves=True)
chapter("")  # what Python asks for beyond the standard
listed("Array.__copy__ Array.__deepcopy__ Array.__iter__", ALL, _ELSEWHERE)
on("Array.__copy__", one, lambda _, _xp, x: x.__copy__())
on("Array.__deepcopy__", one, lambda _, _xp, x: x.__deepcopy__({}))
on("Array.__iter__", one, lambda _, _xp, x: tuple(iter(x)))
chapter("array_object")

for _type, _dtypes in ((bool, ALL), (int, REAL), (float, REAL), (complex, NUMERIC)):
    listed(f"Array.__{_type.__name__}__", _dtypes, _ELSEWHERE)
    on(
        f"Array.__{_type.__name__}__",
        lambda d: (d.between(1, 9),),
        lambda _, _xp, x, f=_type: f(x),
        waits=True,
    )
listed("Array.__index__", INTEGER, _ELSEWHERE)
on("Array.__index__", lambda d: (d.between(1, 9),), lambda _, _xp, x: x.__index__(), waits=True)
listed("Array.__dlpack__", ALL, _ELSEWHERE)
on("Array.__dlpack__", one, lambda _, _xp, x: type(x.__dlpack__()).__name__)
on("Array.__dlpack__", one, lambda _, xp, x: xp.from_dlpack(x), "round trip")
listed("Array.__dlpack_device__", ("float32",), _ELSEWHERE)
on("Array.__dlpack_device__", one, lambda _, _xp, x: [int(v) >= 0 for v in x.__dlpack_device__()])

_METADATA = "Array.dtype Array.device Array.ndim Array.shape Array.size Array.__array_namespace__"
listed(_METADATA, ALL, _ELSEWHERE)
on(
    "Array.dtype",
    one,
    lambda _, xp, x: [x.dtype == getattr(xp, name) for name in ("int8", "float32")],
)
on("Array.device", one, lambda _, xp, x: x.device == xp.asarray(x).device)
on("Array.ndim", one, lambda _, _xp, x: x.ndim)
on("Array.shape", one, lambda _, _xp, x: tuple(x.shape))
on("Array.size", one, lambda _, _xp, x: x.size)
on("Array.__array_namespace__", one, lambda _, _xp, x: hasattr(x.__array_namespace__(), "asarray"))
chapter("")  # what is for Python and NumPy
listed("Array.__len__", ALL, _ELSEWHERE)
on("Array.__len__", one, lambda _, _xp, x: len(x))
_PROTOCOLS = (
    "Array.__contains__ Array.__format__ Array.__repr__ Array.__reduce_ex__ Array.__setstate__ "
    "Array.__array__ Array.__array_ufunc__ Array.__dir__ Array.__divmod__ Array.__rdivmod__ "
    "Array.__bytes__ Array.__round__ Array.__str__"
)
listed(_PROTOCOLS, ALL, _ELSEWHERE, uncalled="is for Python and NumPy")
because(
    "Array.__bool__ Array.__int__ Array.__float__ Array.__complex__ Array.__index__ "
    f"Array.__dlpack__ Array.__dlpack_device__ Array.__len__ {_PROTOCOLS}",
    flat=PYTHON,
    unmapped=PYTHON,
)
because(
    "Array.__invert__ Array.__matmul__ Array.__rmatmul__ Array.__imatmul__",
    uncompiled="torch's compiler does not know the operator",
)
because("Array.__dlpack__", uncompiled=PYTHON)
because(_METADATA, flat=NAMES, unmapped=NAMES)
