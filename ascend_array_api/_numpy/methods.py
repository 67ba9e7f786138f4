"""Methods, attributes and universal functions of NumPy's arrays that the standard lacks.

Computes by the functions of the chapters alone.  Arrays have these names in relaxed mode.  They are
attached to the class here, above the chapters.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from .._arrays.array import Array, implements, wrap
from .._arrays.promotion import SCALARS
from .._calls import interchange
from .._chapters import data_type
from .._errors.exceptions import foreign
from .._errors.foreign_names import of_array, of_attribute
from .._options import defaults, relaxed
from .._reports.porting import COMPOSED
from .._routes._bits import bits_as
from .._routes._faults import check_fault
from .._torch import dtypes as dt
from .._torch import torch
from ..v2025_12 import _names
from . import calls, extras, names

_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {**vars(_names), **vars(extras)}
"""The functions of the namespace, by name."""


# --- methods --------------------------------------------------------------------------------------


def _function(name: str) -> Any:
    """Return the function that NumPy has by a name, as a method."""

    def method(self: Array, /, *arguments: Any, **parameters: Any) -> Any:
        return names.function(name)(self, *arguments, **parameters)

    return method


def _shape_of(shape: tuple[Any, ...]) -> Any:
    return shape[0] if len(shape) == 1 else shape


def _reshape(self: Array, *shape: Any, **parameters: Any) -> Any:
    return _function("reshape")(self, _shape_of(shape), **parameters)


def _flat(self: Array) -> Array:
    try:
        return calls.shaped("reshape")(self, (-1,), copy=False)  # type: ignore[no-any-return]
    except ValueError:
        raise ValueError(
            "flat: its elements do not lie in a row, as after a transposition, so that no view has "
            "them all. Write xp.reshape(x, (-1,)) to read them, or x[...] = y to write to them."
        ) from None


def _flatten(self: Array, order: str = "C") -> Array:
    return calls.shaped("asarray")(_function("ravel")(self, order), copy=True)  # type: ignore[no-any-return]


def _transpose(self: Array, *axes: Any) -> Any:
    given = [] if not axes or axes[0] is None else [_shape_of(axes)]
    return _function("transpose")(self, *given)


def _view(self: Array, dtype: Any = None) -> Array:
    """Read the same memory as another data type, as NumPy does."""
    tensor = self._tensor
    kind = relaxed.python_type(dtype)
    dtype = interchange.check_dtype("view", dtype) if kind is None else _viewed_as(kind, self)
    if dtype is None:
        return wrap(tensor.view(tensor.shape), self._spec)
    *outer, n = tensor.shape or (0,)
    try:
        if tensor.is_complex() and dtype is dt.REAL_OF[tensor.dtype]:
            read = torch.view_as_real(tensor).view(*outer, 2 * n)
        elif dtype in dt.REAL_OF and dt.REAL_OF[dtype] is tensor.dtype:
            read = torch.view_as_complex(tensor.view(*outer, n // 2, 2))
        else:
            read = bits_as(tensor, dtype)
    except RuntimeError as error:
        check_fault(error, "view", self._spec.device, (tensor,))
        raise ValueError(
            f"view: {dt.NAMES[self.dtype]} of shape {self.shape} is not read as {dt.NAMES[dtype]}, "
            "as the last axis does not divide into such numbers, or they lie apart in memory."
        ) from error
    return wrap(read, self._spec.of(dtype))


def _viewed_as(kind: type, x: Array) -> dt.DType:
    """Return the data type that a Python type means in a view: the one that it means in NumPy.

    The option ``default_float`` must not decide how bits are read.
    """
    numpys = {int: dt.int64, float: dt.float64, complex: dt.complex128}[kind]
    own = dt.REAL_OF.get(x.dtype, x.dtype)
    if own.itemsize == 8 or defaults.float_dtype() is dt.float64:
        return numpys
    if kind is int and own not in dt.FLOATING:
        return numpys
    if kind is not int and own is dt.float32:
        return dt.float32 if kind is float else dt.complex64
    raise TypeError(
        f"view: {kind.__name__} does not say how wide the numbers are that are to be read from "
        f"those of {dt.NAMES[x.dtype]}. Name a data type, such as float32 or int64."
    )


def _item(self: Array, *position: Any) -> complex:
    at = position[0] if len(position) == 1 and isinstance(position[0], tuple) else position
    if len(at) == 1 and self.ndim != 1:  # a position in the flattened array
        if not -self.size <= at[0] < self.size:
            raise IndexError(
                f"item: position {at[0]} is out of bounds for an array of {self.size} elements."
            )
        at = tuple(int(i) for i in np.unravel_index(at[0] % self.size, self.shape))
    value: complex = (self[at] if at else self)._scalar("item")
    return value


def _tolist(self: Array) -> Any:
    return self.to_device("cpu")._tensor.tolist()


def _tobytes(self: Array, order: Any = "C") -> bytes:
    return np.asarray(self.to_device("cpu")).tobytes(order)


def _astype(self: Array, dtype: Any, casting: str, *, copy: bool) -> Array:
    wanted = interchange.check_dtype("astype", dtype)
    if wanted is not None and not relaxed.casts(self.dtype, wanted, casting):
        raise TypeError(
            f"astype: {dt.NAMES[self.dtype]} is not cast to {dt.NAMES[wanted]} by the rule "
            f"{casting!r}."
        )
    return data_type.astype(self, dtype, copy=copy)


def _in_place(name: str) -> Any:
    """Return a method that changes the array itself to what a function returns."""

    def method(self: Array, /, *arguments: Any, **parameters: Any) -> None:
        self[...] = names.function(name)(self, *arguments, **parameters)

    COMPOSED.add(method.__code__)
    return method


METHODS: Final = {
    **{name: _function(name) for name in calls.TABLES["words"]["methods"].split()},
    "astype": lambda self, dtype, order="K", casting="unsafe", subok=True, copy=True: (  # noqa: ARG005
        _astype(self, dtype, casting, copy=copy)
    ),
    "compress": lambda self, condition, axis=None, out=None: _function("compress")(
        condition, self, axis, out
    ),
    "copy": lambda self, order="C": self.__copy__(),  # noqa: ARG005
    "fill": lambda self, value: self.__setitem__(..., value),
    "flatten": _flatten,
    "item": _item,
    "partition": _in_place("partition"),
    "reshape": _reshape,
    "sort": _in_place("sort"),
    "tobytes": _tobytes,
    "tolist": _tolist,
    "transpose": _transpose,
    "view": _view,
}
"""The methods that NumPy's arrays have and the standard's lack."""

COMPOSED.update(f.__code__ for f in (_flat, _flatten, _tobytes, _tolist, _transpose))

PROPERTIES: Final = {
    "flat": _flat,
    "imag": _function("imag"),
    "itemsize": lambda x: x.dtype.itemsize,
    "nbytes": lambda x: x.size * x.dtype.itemsize,
    "real": _function("real"),
    "strides": lambda x: tuple(n * x.dtype.itemsize for n in x._tensor.stride()),
}
"""The attributes that NumPy's arrays have and the standard's lack."""


class RelaxedAttribute:
    """An attribute that arrays have in relaxed mode only."""

    def __init__(self, name: str, function: Any, *, call: bool = False) -> None:
        self._name = name
        self._function = function
        self._call = call

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if not relaxed.freely():
            relaxed.require(of_array(self._name, instance))
        if instance is None:
            return self._function
        return (
            self._function(instance) if self._call else functools.partial(self._function, instance)
        )


class _Part(RelaxedAttribute):
    """A view of an array, such as its real part, which can be written to in relaxed mode."""

    def __set__(self, instance: Array, value: Any) -> None:
        part = self.__get__(instance)
        if self._name == "imag" and instance.dtype not in dt.COMPLEX:
            raise TypeError("imag: an array of real numbers has no imaginary part to write to.")
        part[...] = value


for _name, _method in METHODS.items():
    setattr(Array, _name, RelaxedAttribute(_name, calls.named(_name, _method)))
for _name, _getter in PROPERTIES.items():
    _kind = _Part if _name in {"flat", "imag", "real"} else RelaxedAttribute
    setattr(Array, _name, _kind(_name, _getter, call=True))


@implements("__round__")
def rounded(self: Array, ndigits: int | None = None) -> Any:
    if self.ndim and not (self.size == 1 and relaxed.on()):
        raise TypeError(
            f"round: Python's round() is for one number, and the array has shape {self.shape}. "
            "Write xp.round(x) instead."
        )
    digits = "" if ndigits is None else f", {ndigits}"
    relaxed.require(
        TypeError(
            f"round: Python's round() is for Python's numbers. Write round(float(x){digits})."
        )
    )
    if ndigits is None:
        return round(self._scalar("round"))
    return _rounded(self, ndigits)


def _rounded(self: Array, ndigits: int) -> Any:
    return calls.shaped("round")(self, ndigits)


COMPOSED.add(_rounded.__code__)


@implements("__bytes__")
def to_bytes(self: Array) -> bytes:
    relaxed.require(
        TypeError(f"bytes: an array has no bytes of its own. Write {of_attribute('tobytes')}.")
    )
    return _tobytes(self)


@implements("__contains__")
def contains(self: Array, value: Any, /) -> bool:
    if self.ndim != 1:
        error = TypeError(
            f"in: only an array of 1 dimension is searched, got shape {self.shape}. Write "
            "bool(xp.any(x == value))."
        )
        relaxed.require(error)
    return bool(_names.any(self == value))


# --- NumPy's functions ----------------------------------------------------------------------------


_COMPARISONS: Final = frozenset(
    ("equal", "greater", "greater_equal", "less", "less_equal", "not_equal")
)


@implements("__array_ufunc__")
def numpy_function(
    self: Array,  # noqa: ARG001  # one of the inputs
    ufunc: np.ufunc,
    method: str,
    *inputs: Any,
    **keywords: Any,
) -> Any:
    """Compute one of NumPy's universal functions of arrays.

    For several operands, relaxed mode uses the namespace's function of that name.  For one array
    (``numpy.sin(x)``, ``numpy.add.reduce(x)``) NumPy computes itself, on the CPU only.
    """
    if any(isinstance(x, Array) for x in keywords.get("out", ())):
        raise TypeError(
            f"numpy.{ufunc.__name__}: NumPy writes to NumPy arrays alone, and out is an Array. "
            f"Write out[...] = xp.{names.RENAMED.get(ufunc.__name__, ufunc.__name__)}(x)."
        )
    if "out" in keywords and len(inputs) > 1:
        inputs = tuple(np.asarray(x) if isinstance(x, Array) else x for x in inputs)
        return getattr(ufunc, method)(*inputs, **keywords)
    if len(inputs) == 1 and (ufunc.nin == 1 or method in {"reduce", "accumulate"}):
        return getattr(ufunc, method)(np.asarray(inputs[0]), **keywords)
    function = _FUNCTIONS.get(names.RENAMED.get(ufunc.__name__, ufunc.__name__))
    if method != "__call__" or keywords:
        return NotImplemented
    if function is None:
        return _by_numpy(ufunc, inputs)
    # NumPy's float64 and complex128 are Python scalars too, by inheritance.  Their comparisons make
    # arrays of them, unlike their sums.
    if ufunc.__name__ in _COMPARISONS:
        inputs = tuple(
            x.item() if type(x) is np.ndarray and not x.ndim and x.dtype.char in "dD" else x
            for x in inputs
        )
    for x in inputs:
        if not isinstance(x, (Array, *SCALARS)):
            if not isinstance(x, (np.ndarray, np.generic)):
                return NotImplemented
            relaxed.require(foreign(function.__name__, x, "an Array or a Python scalar"))
    return function(*inputs)


def _by_numpy(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> Any:
    """Let NumPy compute a function of several operands that the namespace lacks."""
    if not all(isinstance(x, (Array, *SCALARS, np.ndarray, np.generic)) for x in inputs):
        return NotImplemented
    relaxed.require(
        TypeError(
            f"{ufunc.__name__}: the namespace has no such function, and NumPy's would compute on "
            "the host."
        )
    )
    return ufunc(*(np.asarray(x) if isinstance(x, Array) else x for x in inputs))
