"""NumPy's call shapes for the functions of the namespace, in relaxed mode.

Names no device type; computes by the functions of the chapters alone.

The standard gives its functions few parameters, most of them by keyword only.  NumPy's functions of
the same names take more, and by position: ``sum(x, 0)``, ``std(x, ddof=1)``, ``add(x, y, out=z)``.
One table has NumPy's parameters in order, with the standard's names for them.

Strict programs pay nothing for this.  When a process first chooses relaxed mode, wrappers replace
the functions in the namespaces.  A wrapper calls the namespace's own function if the arguments fit
it and NumPy does not read them otherwise; else it reads the call as NumPy does.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, Final

import numpy as np

from .. import fft, linalg
from .._arrays.array import Array
from .._arrays.axes import normalize_axis
from .._arrays.memory import check_writable
from .._arrays.promotion import SCALARS
from .._calls.interchange import asarray, check_dtype
from .._chapters import creation, data_type, elementwise, manipulation, searching, statistical
from .._errors import exceptions, foreign_calls, foreign_names
from .._options import defaults, relaxed
from .._reports.porting import COMPOSED
from .._torch import dtypes as dt
from ..v2025_12 import _names
from . import extras

_PACKAGE: Final = __name__.partition(".")[0]

# --- the table ------------------------------------------------------------------------------------

TABLES: Final = foreign_names.tables(__package__, "numpys.txt")
"""NumPy's names, and the parameters of its functions."""

_SIZES, _NUMBERS = ({*TABLES["words"][name].split()} for name in ("sizes", "numbers"))

_UFUNC: Final = "out * where casting order dtype subok"
"""The parameters of NumPy's universal functions besides their operands."""


@functools.cache
def table() -> dict[str, str]:
    """Return NumPy's parameters by the name of the function."""
    calls = dict(TABLES["calls"])
    for name, function in vars(_names).items():
        if getattr(inspect.unwrap(function), "__module__", "").startswith(elementwise.__name__):
            operands = inspect.signature(function).parameters
            calls.setdefault(name, f"{' '.join(operands)} {_UFUNC}")
    return calls


# --- one call -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Call:
    """A function of the namespace, and the parameters of NumPy's function of that name."""

    key: str
    function: Callable[..., Any]
    positional: tuple[str, ...]
    """NumPy's parameters that may be given by position."""
    ours: Mapping[str, str | None]
    """Our name for each of NumPy's parameters; None if only NumPy has the parameter."""
    operands: tuple[str, ...]
    """Our parameters that are passed by position."""

    def bound(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the arguments by NumPy's names, or None if NumPy does not accept the call."""
        given = dict(zip(self.positional, args))
        unknown, twice = named.keys() - self.ours.keys(), given.keys() & named.keys()
        if len(args) > len(self.positional) or unknown or twice:
            return None
        # None for these means the default, as np._NoValue does for all.
        unset = {n for n in ("norm", "stable") if named.get(n, given.get(n, "")) is None}
        every = {**given, **named}.items()
        return {n: v for n, v in every if v is not np._NoValue and n not in unset}

    def __call__(self, own: dict[str, Any]) -> Any:
        """Call our function with arguments by our names."""
        args = [own.pop(name) for name in itertools.takewhile(own.__contains__, self.operands)]
        return self.function(*args, **own)


@functools.cache
def _call_of(key: str) -> _Call:
    function = _function(key)
    positional, _, rest = table()[key].partition("*")
    own = inspect.signature(function).parameters
    operands = tuple(n for n, p in own.items() if p.kind is not p.KEYWORD_ONLY)
    ours: dict[str, str | None] = {n: n for n in own if n not in operands}
    for word in (*positional.split(), *rest.split()):
        theirs, _, name = word.partition("=")
        name = name or theirs
        ours[theirs] = name if name in own else None
    order = tuple(word.partition("=")[0] for word in positional.split())
    return _Call(key, function, order, ours, operands)


def _function(key: str) -> Callable[..., Any]:
    chapter, _, name = key.rpartition(".")
    places = {"": (_names, extras, creation), "linalg": (linalg,), "fft": (fft,)}[chapter]
    function: Callable[..., Any] = next(vars(m)[name] for m in places if name in vars(m))
    return function


def _as_numpy(call: _Call, given: dict[str, Any]) -> Any:
    """Answer a call as NumPy's function does, given its arguments by NumPy's names."""
    given = {name: _as_python(name, value) for name, value in given.items()}
    # Some functions first rewrite their arguments, or answer the call themselves.
    special = _SPECIAL.get(call.key)
    if special is not None:
        out = given.get("out")
        given = special(call, given)
        if not isinstance(given, dict):
            return written(call.key, out, given)
    # Then split the arguments: those that our function has, and those that only NumPy has.
    own: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for name, value in given.items():
        ours = call.ours.get(name)
        (extra if ours is None else own)[ours or name] = value
    out, where = extra.pop("out", None), extra.pop("where", True)
    dtype, initial = extra.pop("dtype", None), extra.pop("initial", None)
    shape = extra.pop("shape", None)
    for name, value in extra.items():
        if not _asks_for_nothing(name, value):
            raise not_taken(call.key, name, value)
    if shape is not None:  # zeros_like, ones_like, full_like and empty_like
        return _made_like(call, own, shape)
    if dtype is not None:  # NumPy computes in this data type, so cast the operands
        wanted = check_dtype(call.key, dtype)
        if call.key in {"mean", "std", "var"} and wanted not in dt.FLOATING:
            raise TypeError(
                f"{call.key}: dtype must be one of floating-point numbers, got "
                f"{dt.NAMES[wanted]}. Use astype() on the result."  # type: ignore[index]
            )
        for name in call.operands:
            if name in own:
                own[name] = _cast(own[name], wanted)
    if where is not True or initial is not None:
        result = _of_selected(call, own, where, initial, out)
    else:
        result = call(own)
    return written(call.key, out, result)


def _as_python(name: str, value: Any) -> Any:
    """Return an argument as Python's value, if NumPy's parameter of that name is no array."""
    single = name in _NUMBERS and getattr(value, "shape", None) == ()
    return relaxed.as_python(value) if single or name in _SIZES else value


def reading(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of NumPy's form that reads sizes, axes and flags, and writes to ``out``."""
    parameters = inspect.signature(function).parameters
    reads = (_SIZES | _NUMBERS) & parameters.keys()
    if not reads and "out" not in parameters:
        return function
    places = [n for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
    at = places.index("out") if "out" in places else len(places)
    refused = {n: parameters[n].default for n in TABLES["refused"].get(name, "").split()}

    @functools.wraps(function)
    def read(*args: Any, **named: Any) -> Any:
        if reads:
            args = (*map(_as_python, parameters, args), *args[len(parameters) :])
            named = {name: _as_python(name, value) for name, value in named.items()}
        if refused:
            refuse(name, {**dict(zip(places, args)), **named}, refused)
        out = named.get("out") if at >= min(len(args), len(places)) else args[at]
        return written(name, out, function(*args, **named))

    return read


def named(name: str, function: Any) -> Any:
    """Give a function a name, for its errors."""
    function.__name__ = function.__qualname__ = name
    return function


def moved(values: Any, *, chosen: bool = False) -> Any:
    """Return arrays of NumPy's as ours; of the default data type unless theirs was chosen."""
    if isinstance(values, (tuple, list)):
        return type(values)(moved(v, chosen=chosen) for v in values)
    by_default = {"f": defaults.float_dtype, "c": defaults.complex_dtype}.get(values.dtype.kind)
    return asarray(values, dtype=None if chosen or by_default is None else by_default())


def created(name: str) -> Callable[..., Any]:
    """Return a function by which NumPy creates arrays from numbers; they are moved afterwards."""
    function = getattr(np, name)
    parameters = [*inspect.signature(function).parameters]

    @functools.wraps(function)
    def create(*args: Any, **named: Any) -> Any:
        at = parameters.index("dtype") if "dtype" in parameters else len(args)
        if at < len(args) and "dtype" not in named:
            named |= zip(parameters[at:], args[at:])
            args = args[:at]
        dtype = named.pop("dtype", None)
        if dtype is not None:
            named["dtype"] = dt.NAMES[check_dtype(name, dtype)]  # type: ignore[index]
        return moved(function(*args, **named), chosen=dtype is not None)

    return create


def refuse(function: str, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Raise an error if a parameter that a function does not take differs from its default."""
    for name, default in defaults.items():
        value = given.get(name, default)
        if value is not default and not (isinstance(value, (*SCALARS, str)) and value == default):
            raise not_taken(function, name, value)


def not_taken(function: str, name: str, value: Any) -> TypeError:
    """Return the error for a parameter of NumPy's that relaxed mode does not take."""
    given = f", {exceptions.describe(value)}," if hasattr(value, "shape") else f"={value!r}"
    return TypeError(f"{function}: NumPy's {name}{given} is not taken, in relaxed mode neither.")


def _asks_for_nothing(name: str, value: Any) -> bool:
    plain = isinstance(value, (str, int, NoneType))
    return plain and repr(value) in TABLES["neutral"].get(name, "").split()


def _cast(operand: Any, dtype: Any) -> Any:
    """Return an operand, or a sequence of them, as arrays of a data type."""
    if isinstance(operand, SCALARS):
        return operand
    if isinstance(operand, (list, tuple)) and any(isinstance(x, Array) for x in operand):
        return [_cast(x, dtype) for x in operand]
    return data_type.astype(asarray(operand), dtype)


def _made_like(call: _Call, own: dict[str, Any], shape: Any) -> Any:
    x = asarray(own.pop(call.operands[0]))
    own = {"dtype": x.dtype, "device": x.device} | {n: v for n, v in own.items() if v is not None}
    return getattr(creation, call.key.removesuffix("_like"))(shape, **own)


def written(function: str, out: Any, result: Any) -> Any:
    """Write a result to the array ``out``, cast within its kind; return ``out``, if it is given."""
    if out is None:
        return result
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if not isinstance(out, Array):
        more = " Write out[...] = numpy.asarray(result)." if isinstance(out, np.ndarray) else ""
        raise TypeError(f"{function}: out must be an Array, got {exceptions.describe(out)}.{more}")
    if not relaxed.casts(result.dtype, out.dtype):
        raise TypeError(
            f"{function}: a result of {dt.NAMES[result.dtype]} is not cast to out's dtype, "
            f"{dt.NAMES[out.dtype]}. Leave out away."
        )
    check_writable(function, out._tensor)
    out[...] = result
    return out


# --- elements left out, and values to begin with --------------------------------------------------

_IDENTITY: Final = {"sum": 0, "prod": 1, "any": False, "all": True}
_JOINS: Final = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum"}


def _of_selected(call: _Call, own: dict[str, Any], where: Any, initial: Any, out: Any) -> Any:
    """Compute a function of the elements that ``where`` selects, and of an initial value."""
    name = call.key
    if name in {"mean", "std", "var"}:
        return _moments(name, own, where)
    if name in _IDENTITY or name in {"max", "min"}:
        x = asarray(own["x"])
        if where is not True:
            fill = _IDENTITY.get(name, initial)
            if fill is None:
                text = f"{name}: where needs a value for initial, since there may be none."
                raise ValueError(text)
            x = searching.where(asarray(where, device=x.device), x, creation.full_like(x, fill))
        if initial is None or name not in _JOINS:
            return call({**own, "x": x})
        return _begun(call, {**own, "x": x}, initial)
    return chosen(name, where, call(own), out)


def chosen(function: str, where: Any, result: Any, out: Any) -> Any:
    """Return a result where ``where`` selects it, and what ``out`` holds elsewhere."""
    if where is True:
        return result
    if out is None:
        raise TypeError(f"{function}: where needs out: what is not computed would be undefined.")
    to = out[0] if isinstance(out, tuple) else out
    return searching.where(asarray(where, device=getattr(to, "device", None)), result, to)


def _begun(call: _Call, own: dict[str, Any], initial: Any) -> Any:
    """Reduce an array together with an initial value, in the data type of the array's result."""
    x, axis, keepdims = own["x"], own.get("axis"), own.get("keepdims", False)
    if call.key in {"max", "min"} and x.size == 0:  # the initial value is the only element
        shape = statistical.sum(x, axis=axis, keepdims=keepdims).shape
        return creation.full(shape, initial, dtype=x.dtype, device=x.device)
    result = call(own)
    return getattr(elementwise, _JOINS[call.key])(result, creation.full_like(result, initial))


def _moments(name: str, own: dict[str, Any], where: Any) -> Array:
    """Return the mean, variance or standard deviation of the elements that ``where`` selects."""
    x, axis = asarray(own["x"]), own.get("axis")
    dtype = x.dtype if x.dtype in dt.FLOATING else defaults.float_dtype()
    x = data_type.astype(x, dt.float32 if dtype in dt.HALF else dtype, copy=False)
    keepdims, correction = own.get("keepdims", False), own.get("correction", 0)
    mask = manipulation.broadcast_to(asarray(where, device=x.device), x.shape)
    zeros = creation.zeros_like(x)

    def total(values: Array, *, keepdims: bool) -> Array:
        return statistical.sum(searching.where(mask, values, zeros), axis=axis, keepdims=keepdims)

    count = searching.count_nonzero(mask, axis=axis, keepdims=True)
    count = data_type.astype(count, dt.REAL_OF.get(x.dtype, x.dtype))
    mean = elementwise.divide(total(x, keepdims=True), count)
    if name == "mean":
        result = mean
    else:
        squares = elementwise.square(elementwise.abs(elementwise.subtract(x, mean)))
        zeros = creation.zeros_like(squares)
        free = elementwise.maximum(count - correction, 0)
        result = total(squares, keepdims=True) / free
        result = elementwise.sqrt(result) if name == "std" else result
    result = data_type.astype(result, dtype if name == "mean" else dt.REAL_OF.get(dtype, dtype))
    if keepdims:
        return result
    return manipulation.squeeze(result, axis=tuple(range(x.ndim)) if axis is None else axis)


# --- functions that differ in more than names -----------------------------------------------------

_Step = Callable[["_Call", dict[str, Any]], Any]

_SPECIAL: Final[dict[str, _Step]] = {}
"""For each function, the step that rewrites its arguments.  If the step returns no dictionary, its
value is the result."""

_Condition = Callable[[tuple[Any, ...], Mapping[str, Any]], bool]

_CONDITIONS: Final[dict[str, _Condition]] = {}
"""For functions that accept calls which NumPy reads otherwise: whether a call is one of them."""


def _every(args: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
    return True


def _with_none(args: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
    return any(value is None for value in (*args, *named.values()))


def _lacking(at: int, name: str = "") -> _Condition:
    """Return the condition that a call lacks an argument that has a default in NumPy."""
    return lambda args, named: (len(args) <= at and name not in named) or _with_none(args, named)


def _of_other_shapes(args: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
    """Say whether a call may select by more than a vector of integers along one axis."""
    if len(args) != 2 or not type(args[0]) is type(args[1]) is Array:
        return True
    x, indices = args
    along = type(named.get("axis")) is int and len(named) == 1 if named else x.ndim == 1
    return not along or indices.ndim != 1 or indices.dtype not in dt.INTEGER


def _step(*keys: str, when: _Condition | None = None) -> Callable[[_Step], _Step]:
    """Enter a step for functions; ``when`` finds accepted calls that NumPy reads otherwise."""

    def enter(step: _Step) -> _Step:
        _SPECIAL.update(dict.fromkeys(keys, step))
        _CONDITIONS.update(dict.fromkeys(keys, when) if when else {})
        COMPOSED.add(step.__code__)
        return step

    return enter


@_step("round")
def _round(call: _Call, given: dict[str, Any]) -> Any:
    decimals = given.pop("decimals", 0)
    x = asarray(given["a"])
    if decimals == 0 or (decimals > 0 and x.dtype in dt.INTEGER_OR_BOOLEAN):
        return given
    scale = 10.0 ** abs(decimals)
    scaled = elementwise.multiply if decimals > 0 else elementwise.divide
    back = elementwise.divide if decimals > 0 else elementwise.multiply
    result = back(elementwise.round(scaled(x, scale)), scale)
    return data_type.astype(result, x.dtype) if x.dtype in dt.INTEGER else result


@_step("where", when=_lacking(1))
def _one_or_three(call: _Call, given: dict[str, Any]) -> Any:
    return searching.nonzero(given["condition"]) if given.keys() == {"condition"} else given


@_step("squeeze", when=_lacking(1, "axis"))
def _squeeze(call: _Call, given: dict[str, Any]) -> Any:
    x, axis = asarray(given["a"]), given.get("axis")
    ones = tuple(i for i, n in enumerate(x.shape) if n == 1)
    return {"a": x, "axis": ones if axis is None else axis}


@_step("permute_dims", when=_lacking(1, "axes"))
def _permute_dims(call: _Call, given: dict[str, Any]) -> Any:
    x, axes = asarray(given["a"]), given.get("axes")
    return {"a": x, "axes": tuple(reversed(range(x.ndim)) if axes is None else axes)}


@_step("reshape")
def _reshape(call: _Call, given: dict[str, Any]) -> Any:
    if given.get("order") != "F":
        return given
    turned = manipulation.reshape(_turned(asarray(given["a"])), as_tuple(given["shape"])[::-1])
    return _turned(turned)


def _turned(x: Array) -> Array:
    return manipulation.permute_dims(x, tuple(reversed(range(x.ndim))))


def as_tuple(sizes: Any) -> tuple[Any, ...]:
    """Return one size or several as a tuple."""
    return tuple(sizes) if isinstance(sizes, (tuple, list)) else (sizes,)


@_step("linspace", when=_lacking(2, "num"))
def _linspace(call: _Call, given: dict[str, Any]) -> Any:
    given.setdefault("num", 50)
    if not given.pop("retstep", False):
        return given
    intervals = given["num"] - (1 if given.get("endpoint", True) else 0)
    step = (given["stop"] - given["start"]) / intervals if intervals else float("nan")
    return _as_numpy(call, given), step


@_step("argsort", "sort", "take_along_axis", when=_with_none)
def _flattening(call: _Call, given: dict[str, Any]) -> Any:
    """Flatten the array if the call names no axis."""
    if "axis" in given and given["axis"] is None:
        first = call.positional[0]
        flat = manipulation.reshape(asarray(given[first]), (-1,))
        return {**given, first: flat, "axis": -1}
    return given


def positions(x: Any, device: Any = None) -> Array:
    """Return positions as an integer array, even if there are none."""
    x = asarray(x, device=device)
    return x if x.size else data_type.astype(x, dt.int64)


def in_bounds(function: str, places: Array, size: int, mode: str) -> Array:
    """Return positions as NumPy's ``mode`` brings them in bounds."""
    if mode == "wrap":
        return elementwise.remainder(places, size)
    if mode == "clip":
        return elementwise.clip(places, 0, size - 1)
    if mode != "raise":
        raise TypeError(f"{function}: mode must be 'raise', 'wrap' or 'clip', got {mode!r}.")
    return places


@_step("take", when=_of_other_shapes)
def _take(call: _Call, given: dict[str, Any]) -> Any:
    """Select by an index of any shape; flatten the array if the call names no axis."""
    x, axis = asarray(given["a"]), given.get("axis")
    indices = given["indices"]
    indices = positions(indices, None if isinstance(indices, Array) else x.device)
    if axis is None:
        x, axis = manipulation.reshape(x, (-1,)), 0
    axis = range(x.ndim)[axis]
    indices = in_bounds("take", indices, x.shape[axis], given.get("mode", "raise"))
    taken = call.function(x, manipulation.reshape(indices, (-1,)), axis=axis)
    return manipulation.reshape(taken, (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]))


@_step("diff", when=_every)
def _diff(call: _Call, given: dict[str, Any]) -> Any:
    """Bring ``prepend`` and ``append`` to the array's shape and data type; accept any ``n``."""
    x, n = asarray(given["a"]), given.get("n", 1)
    sides = {k: asarray(given[k]) for k in ("prepend", "append") if given.get(k) is not None}
    if n == 0 or not x.ndim:
        return x if n == 0 else {**given, "a": x}
    axis = normalize_axis("diff", given.get("axis", -1), x.ndim)
    shape = tuple(1 if i == axis else m for i, m in enumerate(x.shape))
    own = data_type.result_type(x, *sides.values())
    dtype = dt.int8 if own is dt.bool else own
    length = x.shape[axis]
    for name, side in sides.items():
        side = side if side.ndim else manipulation.broadcast_to(side, shape)
        given[name] = data_type.astype(side, dtype)
        length += side.shape[axis]
    given = {**given, "a": data_type.astype(x, dtype, copy=False), "axis": axis}
    result = call({call.ours[k] or k: v for k, v in given.items()} | {"n": min(n, length)})
    # NumPy's differences of Booleans are True where neighbours differ: the lowest bit.
    return data_type.astype(elementwise.bitwise_and(result, 1), own) if own is dt.bool else result


@_step("can_cast", when=_every)
def _can_cast(call: _Call, given: dict[str, Any]) -> Any:
    """Ask NumPy: it casts integers to floating-point numbers, and the standard does not."""
    source, target = given.get("from_"), given.get("to")
    kinds = [x.dtype if isinstance(x, Array) else x for x in (source, target)]
    dtypes = [check_dtype("can_cast", kind) for kind in kinds]
    if None in dtypes or dt.bfloat16 in dtypes:
        return given
    own, to = (dt.NAMES[d] for d in dtypes if d is not None)
    return bool(np.can_cast(own, to, given.get("casting", "safe")))


@_step("conj", "imag", "real", when=_every)
def _of_real(call: _Call, given: dict[str, Any]) -> Any:
    """Return the parts of real arrays, and their conjugates, as arrays of their own data type."""
    x = asarray(given["x"])
    if x.dtype in dt.COMPLEX:
        return {**given, "x": x}
    if call.key == "imag":
        return creation.zeros_like(x)
    # NumPy's conjugates have memory of their own.
    return x if call.key == "real" else asarray(x, copy=True)


@_step("fft.fftshift", "fft.ifftshift", when=_every)
def _shift(call: _Call, given: dict[str, Any]) -> Any:
    """Shift arrays of any data type."""
    x = asarray(given["x"])
    if x.dtype in dt.FLOATING:
        return {**given, "x": x}
    axes = given.get("axes")
    axes = tuple(range(x.ndim)) if axes is None else as_tuple(axes)
    sign = -1 if call.key == "fft.ifftshift" else 1
    shifts = tuple(sign * (x.shape[i] // 2) for i in axes)
    return manipulation.roll(x, shifts, axis=axes) if shifts else x


@_step("linalg.cross", "linalg.vecdot", "vecdot", when=_every)
def _from_end(call: _Call, given: dict[str, Any]) -> Any:
    """Count the axis from the end: the standard takes no other."""
    x, axis = asarray(given["x1"]), given.get("axis", -1)
    return {**given, "axis": axis - x.ndim if axis >= 0 else axis}


@_step("linalg.qr", when=_every)
def _qr(call: _Call, given: dict[str, Any]) -> Any:
    return call.function(given["a"])[1] if given.get("mode") == "r" else given


@_step("linalg.svd")
def _svd(call: _Call, given: dict[str, Any]) -> Any:
    return given if given.pop("compute_uv", True) else linalg.svdvals(given["a"])


@_step("linalg.eigh", "linalg.eigvalsh")
def _eigh(call: _Call, given: dict[str, Any]) -> Any:
    """Use the triangle that ``UPLO`` names."""
    if given.pop("UPLO", "L").upper() != "U":
        return given
    turned = asarray(given["a"]).mT
    return {"a": elementwise.conj(turned) if turned.dtype in dt.COMPLEX else turned}


@_step("linalg.matrix_rank")
def _matrix_rank(call: _Call, given: dict[str, Any]) -> Any:
    tol = given.pop("tol", None)
    if tol is None:
        return given
    singular = linalg.svdvals(asarray(given["A"]))
    limit: Any = tol if isinstance(tol, SCALARS) else asarray(tol)[..., None]
    return searching.count_nonzero(elementwise.greater(singular, limit), axis=-1)


COMPOSED.update({_of_selected.__code__, _moments.__code__})


# --- in the namespaces ----------------------------------------------------------------------------


@functools.wraps(creation.meshgrid)
def _meshgrid(*arrays: Any, indexing: Any = "xy", **numpys: Any) -> list[Array]:
    if not relaxed.on() or numpys.keys() - {"copy", "sparse"}:
        return creation.meshgrid(*arrays, indexing=indexing, **numpys)
    refusal = relaxed.refusal(creation.meshgrid, *arrays, indexing=indexing, **numpys)
    if refusal is not None:
        relaxed.add_to_report(refusal)
    vectors = [manipulation.reshape(asarray(x), (-1,)) for x in arrays]
    if not numpys.get("sparse"):
        return creation.meshgrid(*vectors, indexing=indexing)
    n = len(vectors)
    places = [1, 0, *range(2, n)] if indexing == "xy" and n > 1 else range(n)
    return [lying(x, at, n) for at, x in zip(places, vectors)]


def lying(x: Array, axis: int, dimensions: int) -> Any:
    """Return a vector as an array of some dimensions that lies along one of them."""
    return manipulation.reshape(x, (*[1] * axis, -1, *[1] * (dimensions - axis - 1)))


_meshgrid.__module__ = _PACKAGE


@functools.cache
def shaped(key: str) -> Callable[..., Any]:
    """Return a function of the namespace that also accepts NumPy's calls in relaxed mode."""
    function = _function(key)
    if key == "meshgrid":
        return _meshgrid
    if key not in table():
        return function
    call = _call_of(key)
    norm = _with_none if "norm" in call.ours else None  # of which None is the default
    otherwise = _CONDITIONS.get(key, norm)
    parameters = inspect.signature(function).parameters.values()
    most = sum(p.kind is not p.KEYWORD_ONLY for p in parameters)
    known = {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY}
    # Our name for the first argument that only NumPy takes by position, such as the axis of a sum.
    names = [call.ours[theirs] for theirs in call.positional]
    alike = key not in _SPECIAL and tuple(names[:most]) == call.operands
    first = names[most] if alike and len(names) > most else None

    @functools.wraps(function)
    def numpys(*args: Any, **named: Any) -> Any:
        fits = len(args) <= most and (not named or known.issuperset(named))
        if (fits and not (otherwise and otherwise(args, named))) or not relaxed.on():
            return function(*args, **named)
        one_more = len(args) == most + 1 and not named and type(args[most]) in _READY
        if first and one_more and relaxed.freely():
            return function(*args[:most], **{first: args[most]})
        given = call.bound(args, named)
        if not given:
            return function(*args, **named)
        refusal = relaxed.refusal(function, *args, **named)
        result = _as_numpy(call, given)
        if refusal is not None:
            relaxed.add_to_report(refusal)
        return result

    # pickle looks the function up by its module and name.
    numpys.__module__ = ".".join(filter(None, (_PACKAGE, key.rpartition(".")[0])))
    return numpys


_READY: Final = {int, type, type(dt.bool)}
"""The types of arguments that functions take by name as NumPy takes them by position."""

_COMPUTED: Final = {"out", "where", "dtype", "initial", "shape"}
"""Parameters that only NumPy has, and relaxed mode takes for every function that has them there."""

_DEFAULTS: Final = {("squeeze", "axis"), ("permute_dims", "axes"), ("linspace", "num")}
"""Required parameters that have a default in NumPy."""


@functools.cache
def _order(key: str) -> list[tuple[str, str | None]]:
    return [(n, _call_of(key).ours[n]) for n in _call_of(key).positional] if key in table() else []


def _hint(key: str, given: Mapping[str, Any], missing: Sequence[str]) -> str:
    """Return the hint that relaxed mode takes a call that the function refuses, or nothing."""
    if relaxed.on() or key not in table():
        return ""
    ours = _call_of(key).ours
    special = key in _SPECIAL or key == "meshgrid"
    known = all(
        ours.get(name)
        or (name in ours and (special or name in _COMPUTED or _asks_for_nothing(name, value)))
        for name, value in given.items()
    )
    named = {ours.get(name) for name in given}
    there = all(name in named or (key, name) in _DEFAULTS for name in missing)
    return relaxed.HINT if known and there else ""


foreign_calls.NUMPYS.order, foreign_calls.NUMPYS.hint = _order, _hint


def install(namespaces: Iterable[dict[str, Any]]) -> None:
    """Replace functions in namespaces by those that accept NumPy's calls."""
    for key in table():
        name = key.rpartition(".")[2]
        own, taken = _function(key), shaped(key)
        for namespace in namespaces:  # linalg re-exports functions: replace these by the same ones
            if namespace.get(name) is own:
                namespace[name] = taken
