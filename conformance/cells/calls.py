"""The calls that stand for each function: at least one, and one for each of its modes.

A call is a function of a namespace and its inputs, and the same one is made of each namespace:
``ascend_array_api`` on the device and on the CPU, and NumPy.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from conformance.cells.draws import DType

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.cells.draws import Draw

Inputs: TypeAlias = "Callable[[Draw], tuple[Any, ...]]"
"""Arrays of NumPy become arrays of the namespace, a ``DType`` its data type; the rest stays."""


@dataclass(frozen=True)
class Call:
    """One call of a function."""

    says: str
    """What of the function it calls: ``axis=0``; empty for the plain call."""
    inputs: Inputs
    function: Callable[..., Any]
    numpy: Callable[..., Any] | None
    """The same with NumPy; None where NumPy has nothing to compare with."""
    view: Callable[[Any], Any] | None
    """What is compared, made of the results as arrays of NumPy: a decomposition, for instance, is
    not unique, but the product of its parts is."""
    when: Callable[[Draw], bool]
    """For which data types it is made."""
    waits: bool
    """Whether the host waits for a value by the function's nature: ``bool(x)``, ``x[mask]``."""
    moves: bool
    """Whether data goes to or from the host by the function's nature: ``asarray``."""


CALLS: Final[dict[str, list[Call]]] = {}
_SAME: Final = object()


def _on(
    names: str,
    inputs: Inputs,
    function: Callable[..., Any],
    says: str = "",
    *,
    numpy: Any = _SAME,
    view: Callable[[Any], Any] | None = None,
    when: Callable[[Draw], bool] = lambda _: True,
    waits: bool = False,
    moves: bool = False,
) -> None:
    """Add a call to each of some functions; ``function`` begins with the function that is meant."""
    for name in names.split():

        def call(xp: Any, *inputs: Any, _name: str = name) -> Any:
            return function(_found(xp, _name), xp, *inputs)

        other = call if numpy is _SAME else numpy
        CALLS.setdefault(name, []).append(Call(says, inputs, call, other, view, when, waits, moves))


def _found(xp: Any, name: str) -> Any:
    """Return the function of a namespace by its name; None where the call finds it by itself."""
    if name.startswith(("Array.", "random.")) or name in METADATA:
        return None
    return operator.attrgetter(name)(xp)


METADATA: Final = frozenset(
    ["can_cast", "finfo", "iinfo", "isdtype", "result_type", "broadcast_shapes"]
    + ["__array_namespace_info__", "capabilities", "default_device", "default_dtypes", "dtypes"]
    + ["devices", "e", "inf", "nan", "newaxis", "pi"]
)


def _plain(f: Any, _xp: Any, *inputs: Any) -> Any:
    return f(*inputs)


def _one(d: Draw) -> tuple[Any, ...]:
    return (d.values(4, 6),)


def _two(d: Draw) -> tuple[Any, ...]:
    return d.values(4, 6), d.values(4, 6)


def _wide(d: Draw) -> tuple[Any, ...]:
    return d.wide(4, 6), d.wide(4, 6)


def _floating(d: Draw) -> bool:
    return d.is_floating


def _integer(d: Draw) -> bool:
    return d.kind in {"signed", "unsigned"}


def _real(d: Draw) -> bool:
    return d.kind == "real"


def _fractional(d: Draw) -> bool:
    return d.kind in {"real", "complex"}


# --- elementwise functions ------------------------------------------------------------------------

_on(
    "abs conj negative positive real round sign square isfinite isinf isnan ceil floor trunc "
    "logical_not bitwise_invert signbit imag",
    _one,
    _plain,
)
_on(
    "abs negative sign square ceil floor trunc round bitwise_invert",
    lambda d: (d.wide(4, 6),),
    _plain,
    "whole range",
    when=_integer,
)
_on("isfinite isinf isnan", lambda d: (_special(d),), _plain, "special values", when=_fractional)
_on("signbit", lambda d: (_special(d),), _plain, "special values")
_on("exp expm1 sin cos sinh cosh tanh asinh atan", _one, _plain)
_on("tan", lambda d: (d.between(-1.2, 1.2, 4, 6),), _plain)
_on("acos asin atanh", lambda d: (d.between(-0.9, 0.9, 4, 6),), _plain)
_on("acosh", lambda d: (d.between(1.1, 9, 4, 6),), _plain)
_on("log log1p log2 log10 sqrt reciprocal", lambda d: (d.between(0.2, 9, 4, 6),), _plain)
_on(
    "add subtract multiply maximum minimum equal not_equal less less_equal greater greater_equal "
    "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor atan2 copysign hypot "
    "logaddexp nextafter",
    _two,
    _plain,
)
_on(
    "add subtract multiply maximum minimum equal not_equal less less_equal greater greater_equal "
    "bitwise_and bitwise_or bitwise_xor",
    _wide,
    _plain,
    "whole range",
    when=_integer,
)
_on(
    "add subtract multiply maximum minimum equal not_equal less less_equal greater greater_equal",
    lambda d: (d.values(4, 6), 3 if _integer(d) else 0.5),
    _plain,
    "Python scalar",
    when=lambda d: d.kind != "bool",
)
_on("add multiply", lambda d: (d.values(4, 1), d.values(6)), _plain, "broadcast")
_on("where", lambda d: (d.mask(4, 1), d.values(6), d.values(4, 6)), _plain, "broadcast")
_on("divide floor_divide remainder", lambda d: (d.values(4, 6), d.nonzero(4, 6)), _plain)
_on(
    "floor_divide remainder",
    lambda d: (d.wide(4, 6), d.nonzero(4, 6)),
    _plain,
    "whole range",
    when=_integer,
)
_on(
    "bitwise_left_shift bitwise_right_shift",
    lambda d: (d.values(4, 6), d.between(0, 5, 4, 6)),
    _plain,
)
_on(
    "bitwise_left_shift bitwise_right_shift",
    lambda d: (d.wide(4, 6), d.between(0, 8 * d.numpy.itemsize - 1, 4, 6)),
    _plain,
    "whole range",
)
_on(
    "pow",
    lambda d: (d.between(0.5, 3, 4, 6), d.between(0, 3, 4, 6)),
    _plain,
)
_on("pow", lambda d: (d.values(4, 6), 2), _plain, "Python scalar")
_on("clip", lambda d: (d.values(4, 6), d.between(1, 2, 4, 6), d.between(3, 5, 4, 6)), _plain)
_on(
    "clip",
    lambda d: (d.values(4, 6),),
    lambda f, _, x: (f(x, 1, 4), f(x, 1), f(x, max=4)),
    "Python scalars",
    numpy=lambda _, x: (np.clip(x, 1, 4), np.clip(x, 1, None), np.clip(x, None, 4)),
)


def _special(d: Draw) -> Any:
    values = [0.0, -0.0, 1.5, -1.5, math.inf, -math.inf, math.nan, 1e-30]
    x = np.asarray(values, dtype=d.real_name)
    return x if d.kind == "real" else (x[:, None] + 1j * x).astype(d.numpy)


# --- the array object -----------------------------------------------------------------------------

_UNARY: Final = {"abs": abs, "neg": operator.neg, "pos": operator.pos, "invert": operator.invert}
_BINARY: Final = {
    "add": (operator.add, operator.iadd),
    "sub": (operator.sub, operator.isub),
    "mul": (operator.mul, operator.imul),
    "truediv": (operator.truediv, operator.itruediv),
    "floordiv": (operator.floordiv, operator.ifloordiv),
    "mod": (operator.mod, operator.imod),
    "pow": (operator.pow, operator.ipow),
    "and": (operator.and_, operator.iand),
    "or": (operator.or_, operator.ior),
    "xor": (operator.xor, operator.ixor),
    "lshift": (operator.lshift, operator.ilshift),
    "rshift": (operator.rshift, operator.irshift),
    "lt": (operator.lt, None),
    "le": (operator.le, None),
    "gt": (operator.gt, None),
    "ge": (operator.ge, None),
    "eq": (operator.eq, None),
    "ne": (operator.ne, None),
}


def _operands(name: str) -> Inputs:
    if name in {"truediv", "floordiv", "mod"}:
        return lambda d: (d.wide(4, 6), d.nonzero(4, 6))
    if name in {"lshift", "rshift"}:
        return lambda d: (d.values(4, 6), d.between(0, 5, 4, 6))
    if name == "pow":
        return lambda d: (d.between(0.5, 3, 4, 6), d.between(0, 3, 4, 6))
    return _wide


def _scalar_operand(inputs: Inputs, name: str) -> Inputs:
    def drawn(d: Draw) -> tuple[Any, ...]:
        number: Any = 2 if _integer(d) or name == "pow" else 2.5
        return inputs(d)[0], True if d.kind == "bool" else number

    return drawn


for _name, _unary in _UNARY.items():
    _on(f"Array.__{_name}__", lambda d: (d.wide(4, 6),), lambda _, _xp, x, f=_unary: f(x))
for _name, (_binary, _inplace) in _BINARY.items():
    _drawn = _operands(_name)
    _by_scalar = _scalar_operand(_drawn, _name)
    for _operator, _key in ((_binary, _name), (_inplace, f"i{_name}")):
        if _operator is None:
            continue
        _on(f"Array.__{_key}__", _drawn, lambda _, _xp, x, y, f=_operator: f(x, y))
        _on(
            f"Array.__{_key}__",
            _by_scalar,
            lambda _, _xp, x, y, f=_operator: f(x, y),
            "Python scalar",
        )

_SQUARE: Final[Inputs] = lambda d: (d.values(3, 5, 5), d.values(3, 5, 5))  # noqa: E731
_on("Array.__matmul__", _SQUARE, lambda _, _xp, x, y: x @ y)
_on("Array.__imatmul__", _SQUARE, lambda _, _xp, x, y: _multiplied(x, y))


def _multiplied(x: Any, y: Any) -> Any:
    x @= y
    return x


_on("Array.mT", lambda d: (d.values(2, 4, 6),), lambda _, _xp, x: x.mT)
_on("Array.T", _one, lambda _, _xp, x: x.T)

for _name, _type in {"bool": bool, "int": int, "float": float, "complex": complex}.items():
    _on(
        f"Array.__{_name}__",
        lambda d: (d.between(1, 9),),
        lambda _, _xp, x, f=_type: f(x),
        waits=True,
    )
_on("Array.__index__", lambda d: (d.between(1, 9),), lambda _, _xp, x: x.__index__(), waits=True)

_on(
    "Array.__getitem__",
    lambda d: (d.values(4, 6, 3),),
    lambda _, _xp, x: (x[1, ...], x[..., 1:5:2, :], x[0, 1, 2], x[None, ..., -1]),
    "integers and slices",
)
_on("Array.__getitem__", _one, lambda _, _xp, x: x[::-2, ::-1], "negative steps")
_on(
    "Array.__getitem__",
    lambda d: (d.values(8, 6), d.indices(8, 5), d.indices(6, 5)),
    lambda _, _xp, x, i, j: (x[i, ...], x[i, j], x[2, j]),
    "integer arrays",
)
_on(
    "Array.__getitem__",
    lambda d: (d.values(8, 6), d.mask(8, 6), d.mask(8)),
    lambda _, _xp, x, m, n: (x[m], x[n, ...]),
    "mask",
    waits=True,
)


def _set(_: Any, _xp: Any, x: Any, key: Any, value: Any) -> Any:
    x[key] = value
    return x


def _number(d: Draw) -> Any:
    return True if d.kind == "bool" else 7


_on("Array.__setitem__", lambda d: (d.values(8, 6), (slice(1, 5), 2), _number(d)), _set, "scalar")
_on(
    "Array.__setitem__",
    lambda d: (d.values(8, 6), (slice(None, None, -2), slice(1, 4)), d.values(4, 3)),
    _set,
    "slices",
)
_on(
    "Array.__setitem__",
    lambda d: (d.values(8, 6), np.asarray([5, 0, 3]), d.values(3, 6)),
    lambda _, _xp, x, i, y: _set(_, _xp, x, (i, ...), y),
    "integer arrays",
)
_on(
    "Array.__setitem__",
    lambda d: (d.values(8, 6), d.mask(8, 6), _number(d)),
    _set,
    "mask, scalar",
    waits=True,
)
_on(
    "Array.__setitem__",
    lambda d: (d.values(8, 6), _seven(), d.values(7)),
    _set,
    "mask, array",
    waits=True,
)


def _seven() -> Any:
    mask = np.zeros((8, 6), dtype=bool)
    mask.flat[3:45:6] = True
    return mask


_on("Array.to_device", _one, lambda _, _xp, x: x.to_device(x.device))
_on("Array.to_device", _one, lambda _, _xp, x: x.to_device("cpu"), "to the CPU", moves=True)
_on("Array.__dlpack__", _one, lambda _, _xp, x: type(x.__dlpack__()).__name__)
_on("Array.__dlpack__", _one, lambda _, xp, x: xp.from_dlpack(x), "round trip")
_on(
    "Array.__dlpack_device__",
    _one,
    lambda _, _xp, x: [int(v) >= 0 for v in x.__dlpack_device__()],
)
_on(
    "Array.dtype",
    _one,
    lambda _, xp, x: [x.dtype == getattr(xp, name) for name in ("int8", "float32")],
)
_on("Array.device", _one, lambda _, xp, x: x.device == xp.asarray(x).device)
_on("Array.ndim", _one, lambda _, _xp, x: x.ndim)
_on("Array.shape", _one, lambda _, _xp, x: tuple(x.shape))
_on("Array.size", _one, lambda _, _xp, x: x.size)
_on(
    "Array.__array_namespace__", _one, lambda _, _xp, x: hasattr(x.__array_namespace__(), "asarray")
)

# --- creation functions ---------------------------------------------------------------------------

_ARANGE: Final = lambda d: (1, 43, 3, d.dtype)  # noqa: E731
_on("arange", _ARANGE, lambda f, _, a, b, c, t: (f(b, dtype=t), f(a, b, c, dtype=t)))
_on(
    "arange",
    lambda d: (d.dtype,),
    lambda f, _, t: (f(20, -15, -2, dtype=t), f(0.5, 9, 0.25, dtype=t)),
    "negative and fractional steps",
    when=_real,
)
_on(
    "asarray",
    lambda d: (d.values(4, 6).tolist(), d.dtype),
    lambda f, _, x, t: f(x, dtype=t),
    "list",
    moves=True,
)
_on("asarray", _one, lambda f, _, x: (f(x), f(x, copy=True)), "array")
_on("empty", lambda d: (d.dtype,), lambda f, _, t: f((4, 6), dtype=t).shape)
_on("empty_like", _one, lambda f, _, x: f(x).shape)
_on(
    "eye",
    lambda d: (d.dtype,),
    lambda f, _, t: (f(6, dtype=t), f(4, 6, k=1, dtype=t), f(6, 4, k=-2, dtype=t)),
)
_on("from_dlpack", _one, _plain)
_on("full", lambda d: (_number(d), d.dtype), lambda f, _, v, t: f((4, 6), v, dtype=t))
_on("full_like", lambda d: (d.values(4, 6), _number(d)), _plain)
_on(
    "full full_like",
    lambda d: (d.values(4, 6), d.between(1, 9), d.dtype),
    lambda f, _, x, v, t: f(x, v) if f.__name__ == "full_like" else f((4, 6), v, dtype=t),
    "0-dimensional array",
)
_on(
    "linspace",
    lambda d: (-2.0, 3.0, 21, d.dtype),
    lambda f, _, a, b, n, t: (f(a, b, n, dtype=t), f(a, b, n, dtype=t, endpoint=False)),
)
_on(
    "meshgrid",
    lambda d: (d.values(5), d.values(4)),
    lambda f, xp, x, y: [
        xp.asarray(g, copy=True) for i in ("xy", "ij") for g in f(x, y, indexing=i)
    ],
)
_on("ones zeros", lambda d: (d.dtype,), lambda f, _, t: (f((4, 6), dtype=t), f((), dtype=t)))
_on("ones_like zeros_like", _one, _plain)
_on("tril triu", lambda d: (d.values(2, 5, 6),), lambda f, _, x: (f(x), f(x, k=1), f(x, k=-2)))

# --- data type functions --------------------------------------------------------------------------


def _astype(d: Draw) -> tuple[Any, ...]:
    targets = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
    targets += ["float32", "float64", "complex64", "complex128"]
    if d.kind == "complex":
        targets = targets[-2:]
    return d.between(0, 100, 4, 6), [DType(t) for t in targets]


_on("astype", _astype, lambda f, _, x, dtypes: [f(x, t) for t in dtypes])
_on(
    "can_cast",
    lambda d: (d.dtype,),
    lambda _, xp, t: [xp.can_cast(t, getattr(xp, o)) for o in ("int8", "float64", "complex128")],
    numpy=None,
)
_on(
    "isdtype",
    lambda d: (d.dtype,),
    lambda _, xp, t: [
        xp.isdtype(t, kind)
        for kind in ("bool", "integral", "real floating", "complex floating", "numeric")
    ],
)
_on("result_type", lambda d: (d.values(2), d.dtype), lambda _, xp, x, t: xp.result_type(x, t) == t)
_on("finfo", lambda d: (d.dtype,), lambda _, xp, t: _float_limits(xp, t), numpy=None)
_on("iinfo", lambda d: (d.dtype,), lambda _, xp, t: _int_limits(xp, t), numpy=None)


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


# --- namespace, constants -------------------------------------------------------------------------

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
for _name, _info in _INFO.items():
    _on(_name, lambda d: (d.name,), lambda _, xp, name, f=_info: f(xp, name), numpy=None)
for _name in ("e", "inf", "nan", "pi"):
    _on(_name, lambda _: (), lambda _, xp, name=_name: float(getattr(xp, name)))
_on("newaxis", lambda _: (), lambda _, xp: xp.newaxis is None)
_on("broadcast_shapes", lambda _: (), lambda _, xp: xp.broadcast_shapes((4, 1), (6,)))

# --- manipulation functions -----------------------------------------------------------------------


def _copies(xp: Any, arrays: Any) -> list[Any]:
    """Return copies, so that what was a view is read on the device."""
    return [xp.asarray(x, copy=True) for x in arrays]


_on("broadcast_arrays", lambda d: (d.values(4, 1), d.values(6)), _plain)
_on("broadcast_to", lambda d: (d.values(4, 1),), lambda f, xp, x: _copies(xp, [f(x, (3, 4, 6))]))
_on("concat", _two, lambda f, _, x, y: (f([x, y]), f([x, y], axis=1), f([x, y], axis=None)))
_on("stack", _two, lambda f, _, x, y: (f([x, y]), f([x, y], axis=-1)))
_on("expand_dims", _one, lambda f, _, x: (f(x, axis=0), f(x, axis=-1)))
_on("flip", _one, lambda f, _, x: (f(x), f(x, axis=0), f(x, axis=(0, 1))))
_on("moveaxis", lambda d: (d.values(2, 4, 6),), lambda f, _, x: f(x, 0, 2))
_on("permute_dims", lambda d: (d.values(2, 4, 6),), lambda f, xp, x: _copies(xp, [f(x, (2, 0, 1))]))
_on("repeat", _one, lambda f, _, x: (f(x, 3), f(x, 3, axis=0), f(x, 2, axis=1)))
_on(
    "repeat",
    lambda d: (d.values(4, 6), np.asarray([0, 3, 1, 2])),
    lambda f, _, x, n: f(x, n, axis=0),
    "array of repeats",
    waits=True,
)
_on("reshape", _one, lambda f, _, x: (f(x, (3, 8)), f(x, (-1,), copy=True), f(x.T, (24,))))
_on("roll", _one, lambda f, _, x: (f(x, 5), f(x, -2, axis=1), f(x, (1, 2), axis=(0, 1))))
_on("squeeze", lambda d: (d.values(4, 1, 6),), lambda f, _, x: f(x, axis=1))
_on("tile", _one, lambda f, _, x: (f(x, (2, 3)), f(x, (2, 1, 2))))
_on("unstack", _one, lambda f, _, x: (*f(x), *f(x, axis=1)))

# --- searching, sorting, sets, indexing -----------------------------------------------------------

_on(
    "argmax argmin",
    lambda d: (d.wide(4, 6),),
    lambda f, _, x: (f(x), f(x, axis=0), f(x, axis=1, keepdims=True)),
)
_on("argmax argmin", lambda d: (d.repeated(8, 12),), lambda f, _, x: f(x, axis=1), "equal elements")
_on("nonzero", lambda d: (d.repeated(8, 12),), _plain, waits=True)
_on(
    "count_nonzero",
    lambda d: (d.repeated(4, 6),),
    lambda f, _, x: (f(x), f(x, axis=0), f(x, axis=(0, 1), keepdims=True)),
)


def _sorted(d: Draw, n: int) -> Any:
    return np.sort(d.wide(n))


_on(
    "searchsorted",
    lambda d: (_sorted(d, 20), d.wide(4, 6)),
    lambda f, _, x, y: (f(x, y), f(x, y, side="right")),
)
_on(
    "searchsorted",
    lambda d: (d.wide(20), d.wide(9)),
    lambda f, xp, x, y: f(x, y, sorter=xp.argsort(x)),
    "sorter",
)
_on("where", lambda d: (d.mask(4, 6), d.wide(4, 6), d.wide(4, 6)), _plain)
_on(
    "where",
    lambda d: (d.mask(4, 6), d.wide(4, 6), _number(d)),
    _plain,
    "Python scalar",
)


def _equal_sets(results: Any) -> Any:
    """Return what the set functions have in common, whatever the order of the values."""
    return [_values_with(results[0], counts) for counts in results[1:]]


def _values_with(values: Any, other: Any) -> Any:
    if other.shape == values.shape:
        order = np.argsort(values, kind="stable")
        return [values[order], other[order]]
    return values[other]


_on("unique_values", lambda d: (d.repeated(8, 9),), _plain, view=np.sort, waits=True)
_on("unique_counts", lambda d: (d.repeated(8, 9),), _plain, view=_equal_sets, waits=True)
_on("unique_inverse", lambda d: (d.repeated(8, 9),), _plain, view=_equal_sets, waits=True)
_on("unique_all", lambda d: (d.repeated(8, 9),), _plain, view=_equal_sets, waits=True)
_on(
    "isin",
    lambda d: (d.values(4, 6), d.values(5)),
    lambda f, _, x, y: (f(x, y), f(x, y, invert=True)),
)
_on("sort", lambda d: (d.wide(4, 6),), lambda f, _, x: (f(x), f(x, axis=0)))
_on(
    "argsort",
    lambda d: (d.repeated(4, 30),),
    lambda f, _, x: f(x),
    "stable",
    numpy=(lambda _, x: np.argsort(x, kind="stable")),
)
_on("argsort", lambda d: (d.wide(4, 6),), lambda f, _, x: f(x, axis=0))
_on(
    "sort",
    lambda d: (d.wide(4, 6),),
    lambda f, _, x: f(x, descending=True),
    "descending",
    numpy=lambda _, x: np.sort(x)[:, ::-1],
)
_on(
    "argsort",
    lambda d: (d.repeated(4, 30),),
    lambda f, _, x: f(x, descending=True),
    "descending, stable",
    numpy=lambda _, x: 29 - np.argsort(x[:, ::-1], kind="stable")[:, ::-1],
)
_on("take", lambda d: (d.values(4, 6), d.indices(4, 5)), lambda f, _, x, i: f(x, i, axis=0))
_on("take", lambda d: (d.values(24), np.asarray([3, -1, -24])), _plain, "negative indices")
_on(
    "take_along_axis",
    lambda d: (d.values(4, 6), d.indices(6, 4, 3), d.indices(4, 2, 6)),
    lambda f, _, x, i, j: (f(x, i, axis=1), f(x, j, axis=0)),
)

# --- statistical and utility functions ------------------------------------------------------------


def _reduced(f: Any, _xp: Any, x: Any) -> Any:
    return f(x), f(x, axis=1), f(x, axis=(0, 2), keepdims=True)


_on("sum mean max min", lambda d: (d.values(3, 4, 6),), _reduced)
_on("max min", lambda d: (d.wide(3, 4, 6),), _reduced, "whole range", when=_integer)
_on("prod", lambda d: (d.between(1, 2, 2, 3, 2),), _reduced)
_on(
    "sum prod",
    lambda d: (d.between(1, 2, 2, 3, 2), d.dtype),
    lambda f, _, x, t: f(x, dtype=t, axis=1),
    "dtype",
)
_on("std var", lambda d: (d.values(3, 4, 6),), _reduced)
_on(
    "std var",
    lambda d: (d.values(3, 4, 6),),
    lambda f, _, x: (f(x, correction=1), f(x, axis=1, correction=2)),
    "correction",
)
_on(
    "std var",
    lambda d: (d.values(3, 4, 6),),
    lambda f, _, x: f(x, axis=1, correction=0.5),
    "fractional correction",
)
_on("cumulative_sum", _one, lambda f, _, x: (f(x, axis=1), f(x, axis=0, include_initial=True)))
_on(
    "cumulative_prod",
    lambda d: (d.between(1, 2, 3, 4),),
    lambda f, _, x: (f(x, axis=1), f(x, axis=0, include_initial=True)),
)
_on("all any", lambda d: (d.repeated(3, 4, 6),), _reduced)
_on(
    "all",
    lambda d: (d.between(1, 9, 3, 4, 6),),
    _reduced,
    "no zeros",
    when=lambda d: d.kind != "bool",
)
_on(
    "diff",
    lambda d: (d.values(4, 6), d.values(4, 2)),
    lambda f, _, x, y: (f(x), f(x, axis=0, n=2), f(x, prepend=y, append=y)),
)

# --- linear algebra -------------------------------------------------------------------------------


def _products(f: Any, _xp: Any, x: Any, y: Any, v: Any, w: Any) -> Any:
    return f(x, y), f(x, v), f(w, x), f(w, w)


_on(
    "matmul linalg.matmul",
    lambda d: (d.values(2, 4, 6), d.values(6, 5), d.values(6), d.values(4)),
    _products,
)
_on(
    "matmul linalg.matmul",
    lambda d: (d.wide(7, 40), d.wide(40, 5)),
    _plain,
    "whole range",
    when=_integer,
)
_on("matrix_transpose linalg.matrix_transpose", lambda d: (d.values(2, 4, 6),), _plain)
_on(
    "tensordot linalg.tensordot",
    lambda d: (d.values(3, 4, 5), d.values(4, 5, 2)),
    lambda f, _, x, y: (f(x, y), f(x, y, axes=((1,), (0,))), f(x, y, axes=0)),
)
_on(
    "vecdot linalg.vecdot",
    lambda d: (d.values(4, 6), d.values(4, 6)),
    lambda f, _, x, y: (f(x, y), f(x, y, axis=-2)),
)
_on("linalg.outer", lambda d: (d.values(6), d.values(5)), _plain)
_on(
    "linalg.cross",
    lambda d: (d.values(4, 3), d.values(4, 3)),
    lambda f, _, x, y: (f(x, y), f(x.T, y.T, axis=-2)),
)
_on(
    "linalg.diagonal",
    lambda d: (d.values(2, 4, 6),),
    lambda f, xp, x: _copies(xp, (f(x), f(x, offset=1), f(x, offset=-2))),
)
_on("linalg.trace", lambda d: (d.values(2, 4, 6),), lambda f, _, x: (f(x), f(x, offset=1)))

_on("linalg.cholesky", lambda d: (d.hermitian(5, 2),), lambda f, _, x: (f(x), f(x, upper=True)))
_on("linalg.det linalg.inv linalg.slogdet", lambda d: (d.matrix(5, 2),), _plain)
_on("linalg.matrix_power", lambda d: (d.matrix(4, 2),), lambda f, _, x: (f(x, 0), f(x, 3)))
_on("linalg.matrix_power", lambda d: (d.matrix(4, 2),), lambda f, _, x: f(x, -2), "negative power")
_on("linalg.solve", lambda d: (d.matrix(5, 2), d.values(2, 5, 3)), _plain)
_on("linalg.solve", lambda d: (d.matrix(5), d.values(5)), _plain, "vector")
_on("linalg.matrix_rank", lambda d: (_deficient(d),), _plain)
_on("linalg.pinv", lambda d: (d.values(2, 6, 4),), _plain)


def _deficient(d: Draw) -> Any:
    return np.matmul(d.values(2, 6, 2), d.values(2, 2, 4))


def _adjoint(x: Any) -> Any:
    return x.conj().swapaxes(-1, -2)


def _qr(parts: Any) -> Any:
    q, r = parts
    return q @ r, _adjoint(q) @ q, np.tril(r, -1)


def _svd(parts: Any) -> Any:
    u, s, vh = parts
    n = s.shape[-1]
    product = u[..., :n] * s[..., None, :] @ vh[..., :n, :]
    return product, s, _adjoint(u) @ u, vh @ _adjoint(vh)


def _eigh(parts: Any) -> Any:
    values, vectors = parts
    product = vectors * values[..., None, :] @ _adjoint(vectors)
    return product, values, _adjoint(vectors) @ vectors


def _eig(parts: Any) -> Any:
    values, vectors = parts
    product = vectors * values[..., None, :] @ np.linalg.inv(vectors)
    return product, np.linalg.norm(vectors, axis=-2)


def _by_size(values: Any) -> Any:
    """Sort eigenvalues by numbers that rounding does not exchange."""
    keys = np.round(values.real, 3) + 1j * np.round(values.imag, 3)
    return np.take_along_axis(values, np.argsort(keys, axis=-1), -1)


_on("linalg.qr", lambda d: (d.values(2, 6, 4),), _plain, view=_qr)
_on(
    "linalg.qr",
    lambda d: (d.values(2, 6, 4),),
    lambda f, _, x: f(x, mode="complete"),
    "complete",
    view=_qr,
)
_on("linalg.svd", lambda d: (d.values(2, 6, 4),), _plain, view=_svd)
_on(
    "linalg.svd",
    lambda d: (d.values(2, 6, 4),),
    lambda f, _, x: f(x, full_matrices=False),
    "reduced",
    view=_svd,
)
_on("linalg.svdvals", lambda d: (d.values(2, 6, 4),), _plain)
_on("linalg.eigh", lambda d: (d.hermitian(5, 2),), _plain, view=_eigh)
_on("linalg.eigvalsh", lambda d: (d.hermitian(5, 2),), _plain)
_on("linalg.eig", lambda d: (_turning(d),), _plain, view=_eig)
_on("linalg.eigvals", lambda d: (_turning(d),), _plain, view=_by_size)


def _turning(d: Draw) -> Any:
    """Draw a matrix with complex eigenvalues: NumPy's are real where all of them are."""
    x = d.values(5, 5)
    x[0, 1], x[1, 0] = 5, -5
    return x


for _ord in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
    _on(
        "linalg.matrix_norm",
        lambda d: (d.values(2, 4, 6),),
        lambda f, _, x, o=_ord: f(x, ord=o, keepdims=o == 1),
        f"ord={_ord!r}".replace("'", ""),
    )
for _ord in (0, 1, 2, 3, 0.5, math.inf, -math.inf):
    _on(
        "linalg.vector_norm",
        lambda d: (d.values(2, 4, 6),),
        lambda f, _, x, o=_ord: (f(x, ord=o), f(x, ord=o, axis=1, keepdims=True)),
        f"ord={_ord}",
    )

# --- Fourier transforms ---------------------------------------------------------------------------

_TRANSFORMS: Final = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
for _name in _TRANSFORMS:
    _on(f"fft.{_name}", lambda d: (d.values(4, 16),), lambda f, _, x: (f(x), f(x, n=12, axis=0)))
    _on(
        f"fft.{_name}",
        lambda d: (d.values(4, 15),),
        lambda f, _, x: (f(x, norm="ortho"), f(x, norm="forward")),
        "norm",
    )
for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    _on(
        f"fft.{_name}",
        lambda d: (d.values(4, 8, 6),),
        lambda f, _, x: (f(x), f(x, s=(6, 4), axes=(0, 1), norm="ortho")),
    )
_on("fft.fftshift fft.ifftshift", lambda d: (d.values(4, 7),), lambda f, _, x: (f(x), f(x, axes=1)))
for _name in ("fftfreq", "rfftfreq"):
    _on(
        f"fft.{_name}",
        lambda d: (40, d.dtype),
        lambda f, _, n, t: (f(n, dtype=t), f(n + 1, d=0.1, dtype=t)),
        numpy=lambda _, n, t, name=_name: tuple(
            getattr(np.fft, name)(m, s).astype(t) for m, s in ((n, 1.0), (n + 1, 0.1))
        ),
    )

# --- random numbers -------------------------------------------------------------------------------

# The stream is the same on every device, so the CPU is what to compare with; NumPy's is another.


def _random(name: str, *parameters: Any, dtype: bool = True) -> Callable[..., Any]:
    def drawn(_: Any, xp: Any, t: Any) -> Any:
        rng = xp.random.default_rng(7)
        if dtype:
            return getattr(rng, name)(*parameters, size=(4, 30), dtype=t)
        # The data type is that of the parameters.
        arrays = [xp.asarray(p, dtype=t) if isinstance(p, float) else p for p in parameters]
        return getattr(rng, name)(*arrays, size=(4, 30))

    return drawn


_RANDOM: Final[dict[str, Callable[..., Any]]] = {
    "uniform": _random("uniform", -1.0, 2.0),
    "normal": _random("normal", 1.0, 2.0),
    "integers": _random("integers", 3, 100),
    "exponential": _random("exponential", 2.0),
    "cauchy": _random("cauchy"),
    "log_normal": _random("lognormal", 0.5, 0.25),
    "gamma": _random("gamma", 2.5, 0.5),
    "poisson": _random("poisson", 3.5, dtype=False),
    "geometric": _random("geometric", 0.25, dtype=False),
    "binomial": _random("binomial", 20, 0.25, dtype=False),
    "bernoulli": _random("binomial", 1, 0.25, dtype=False),
}
# Numbers are drawn again where they are rejected, and arrays of parameters are checked.
_REJECTING: Final = frozenset({"gamma", "poisson", "geometric", "binomial", "bernoulli"})
for _name, _sampled in _RANDOM.items():
    _on(
        f"random.{_name}",
        lambda d: (d.dtype,),
        _sampled,
        numpy=None,
        waits=_name in _REJECTING,
    )
_on(
    "random.permutation",
    lambda d: (d.values(40),),
    lambda _, xp, x: xp.random.default_rng(7).permutation(x),
    numpy=None,
)
_on(
    "random.choice",
    lambda d: (d.values(40),),
    lambda _, xp, x: (
        xp.random.default_rng(7).choice(x, size=12),
        xp.random.default_rng(7).choice(x, size=12, replace=False),
    ),
    numpy=None,
)
