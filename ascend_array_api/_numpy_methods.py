"""What NumPy's arrays have and the standard's have not: methods, attributes, universal functions.

In relaxed mode arrays have them; they are attached to the class, above the chapters.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from . import (
    _data_type,
    _elementwise,
    _extras,
    _interchange,
    _linear_algebra,
    _manipulation,
    _relaxed,
)
from . import _dtypes as dt
from ._array import Array, implements, wrap
from ._elsewhere import of_array
from ._errors import foreign
from ._promotion import SCALARS
from ._torch import torch
from .v2025_12 import _names

if TYPE_CHECKING:
    from collections.abc import Callable

_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {**vars(_names), **vars(_extras)}
"""The functions of the namespace by name."""


# --- methods --------------------------------------------------------------------------------------


def _reduction(name: str) -> Any:
    def method(
        self: Array,
        axis: int | tuple[int, ...] | None = None,
        dtype: Any = None,
        *,
        keepdims: bool = False,
        **parameters: Any,
    ) -> Array:
        if dtype is not None:
            parameters["dtype"] = dtype
        if "ddof" in parameters:
            parameters["correction"] = parameters.pop("ddof")
        result: Array = _FUNCTIONS[name](self, axis=axis, keepdims=keepdims, **parameters)
        return result

    return method


def _function(name: str) -> Any:
    def method(self: Array, /, *arguments: Any, **parameters: Any) -> Any:
        return _FUNCTIONS[name](self, *arguments, **parameters)

    return method


def _shape_of(shape: tuple[Any, ...]) -> Any:
    return shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape


def _reshape(self: Array, *shape: Any, **parameters: Any) -> Array:
    return _manipulation.reshape(self, _shape_of(shape), **parameters)


def _ravel(self: Array) -> Array:
    return _manipulation.reshape(self, (-1,))


def _flatten(self: Array) -> Array:
    return _manipulation.reshape(self, (-1,), copy=True)


def _transpose(self: Array, *axes: Any) -> Array:
    order = _shape_of(axes) or tuple(reversed(range(self.ndim)))
    return _manipulation.permute_dims(self, tuple(order))


def _view(self: Array, dtype: Any = None) -> Array:
    """Read the same memory as another data type, as NumPy does."""
    tensor = self._tensor
    dtype = _interchange.check_dtype("view", dtype)
    if dtype is None:
        return wrap(tensor.view(tensor.shape), self._spec)
    if tensor.is_complex() and dtype is dt.REAL_OF[tensor.dtype]:
        return wrap(torch.view_as_real(tensor).flatten(-2))
    if dtype in dt.REAL_OF and dt.REAL_OF[dtype] is tensor.dtype:
        return wrap(torch.view_as_complex(tensor.reshape(*tensor.shape[:-1], -1, 2)))
    return wrap(tensor.view(dtype))


def _item(self: Array, *position: int) -> complex:
    value: complex = (self[position] if position else self)._scalar("item")
    return value


def _tolist(self: Array) -> Any:
    return self.to_device("cpu")._tensor.tolist()


def _dot(self: Array, other: Array) -> Array:
    return (
        _linear_algebra.matmul(self, other)
        if self.ndim and other.ndim
        else _elementwise.multiply(self, other)
    )


def _astype(self: Array, dtype: Any, *, copy: bool = True) -> Array:
    return _data_type.astype(self, dtype, copy=copy)


def _copy(self: Array) -> Array:
    return self.__copy__()


METHODS: Final = {
    **{name: _reduction(name) for name in ("sum", "prod", "mean", "std", "var", "any", "all")},
    **{name: _reduction(name) for name in ("max", "min", "argmax", "argmin")},
    **{name: _function(name) for name in ("clip", "conj", "repeat", "round", "squeeze", "take")},
    **{name: _function(name) for name in ("nonzero", "argsort")},
    "astype": _astype,
    "copy": _copy,
    "cumprod": _function("cumulative_prod"),
    "cumsum": _function("cumulative_sum"),
    "dot": _dot,
    "flatten": _flatten,
    "item": _item,
    "ravel": _ravel,
    "reshape": _reshape,
    "tolist": _tolist,
    "transpose": _transpose,
    "view": _view,
}
"""The methods that NumPy's arrays have and the standard's have not."""

PROPERTIES: Final = {
    "imag": _function("imag"),
    "itemsize": lambda x: x.dtype.itemsize,
    "nbytes": lambda x: x.size * x.dtype.itemsize,
    "real": _function("real"),
}
"""The attributes that NumPy's arrays have and the standard's have not."""


class RelaxedAttribute:
    """An attribute of arrays that is there in relaxed mode only."""

    def __init__(self, name: str, function: Any, *, call: bool = False) -> None:
        self._name = name
        self._function = function
        self._call = call

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if not _relaxed.on():
            raise of_array(self._name, instance, _relaxed.HINT)
        if instance is None:
            return self._function
        return (
            self._function(instance) if self._call else functools.partial(self._function, instance)
        )


for _name, _method in METHODS.items():
    setattr(Array, _name, RelaxedAttribute(_name, _method))
for _name, _getter in PROPERTIES.items():
    setattr(Array, _name, RelaxedAttribute(_name, _getter, call=True))


# --- NumPy's functions ----------------------------------------------------------------------------

_UFUNCS: Final = {"true_divide": "divide", "power": "pow", "absolute": "abs"} | {
    "conjugate": "conj",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "right_shift": "bitwise_right_shift",
    **{f"arc{n}": f"a{n}" for n in ("cos", "sin", "tan", "tan2", "cosh", "sinh", "tanh")},
}
"""The names of NumPy's universal functions where the standard has others."""


@implements("__array_ufunc__")
def numpy_function(
    self: Array,  # noqa: ARG001  # one of the inputs
    ufunc: np.ufunc,
    method: str,
    *inputs: Any,
    **keywords: Any,
) -> Any:
    """Compute one of NumPy's universal functions of arrays.

    Of several operands, in relaxed mode, by the namespace's function of that name.  Of one array
    (``numpy.sin(x)``) it is NumPy's own, of the values as NumPy sees them: on the CPU alone.
    """
    if "out" in keywords:  # NumPy writes to its own arrays alone
        return NotImplemented
    if ufunc.nin == 1 and method == "__call__":
        return ufunc(np.asarray(inputs[0]), **keywords)
    function = _FUNCTIONS.get(_UFUNCS.get(ufunc.__name__, ufunc.__name__))
    if function is None or method != "__call__" or keywords:
        return NotImplemented
    # NumPy's float64 and complex128 are Python scalars too, by inheritance.
    for x in inputs:
        if not isinstance(x, (Array, *SCALARS)):
            if not isinstance(x, (np.ndarray, np.generic)):
                return NotImplemented
            if not _relaxed.on():
                error = foreign(function.__name__, x, "an Array or a Python scalar")
                raise _relaxed.allowed_by_option(error)
    return function(*inputs)
