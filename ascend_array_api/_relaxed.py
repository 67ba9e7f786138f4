"""The relaxed mode: what the standard leaves undefined, answered as NumPy answers it.

Every function here is asked where strict code would raise, and nowhere else, so that strictness
costs nothing, and neither does its absence.  In strict mode each raises the error that it was
given.  https://numpy.org/doc/stable/reference/generated/numpy.result_type.html
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from . import _defaults, _options
from . import _dtypes as dt
from ._errors import foreign
from ._torch import torch

if TYPE_CHECKING:
    from ._array import Array
    from ._devices import Device


def allowed_by_option(error: Exception) -> Exception:
    """Return an error that would not be raised in relaxed mode, with these words."""
    return type(error)(f"{error}{HINT}")


HINT: Final = " The option relaxed allows it."


def on() -> bool:
    """Say whether the relaxed mode is on."""
    return _options.current().relaxed


# --- data types -----------------------------------------------------------------------------------


@functools.cache
def numpy_promotion(dtype1: torch.dtype, dtype2: torch.dtype) -> torch.dtype:
    """Return the data type to which NumPy promotes two, of whatever kinds."""
    known = dt.PROMOTION.get((dtype1, dtype2))
    if known is not None:
        return known
    # NumPy has no bfloat16: what it does to float16 comes nearest.
    names = ["float16" if d is dt.bfloat16 else dt.NAMES[d] for d in (dtype1, dtype2)]
    promoted = dt.BY_NAME[np.result_type(*names).name]
    return dt.bfloat16 if dt.bfloat16 in (dtype1, dtype2) and promoted is dt.float16 else promoted


def promoted(
    dtype1: torch.dtype, dtype2: torch.dtype, error: Exception, *, always: bool = False
) -> torch.dtype:
    """Return the data type to which two of different kinds promote.

    ``always`` asks for it in strict mode too: for functions that are not the standard's.
    """
    if not (always or on()):
        raise allowed_by_option(error)
    return numpy_promotion(dtype1, dtype2)


def of_scalars(values: list[complex], error: Exception) -> torch.dtype:
    """Return the data type to which Python scalars alone promote."""
    if not on():
        raise allowed_by_option(error)
    if all(isinstance(v, bool) for v in values):
        return dt.bool
    if all(isinstance(v, int) for v in values):
        return _defaults.int_dtype()
    real = all(isinstance(v, (int, float)) for v in values)
    return _defaults.float_dtype() if real else _defaults.complex_dtype()


def with_scalar(
    dtype: torch.dtype, value: complex, error: Exception, *, always: bool = False
) -> torch.dtype:
    """Return the data type of an array combined with a Python scalar of a higher kind."""
    if not (always or on()):
        raise allowed_by_option(error)
    if isinstance(value, bool):
        return dtype
    if isinstance(value, int):
        return _defaults.int_dtype()  # the array is boolean
    return _defaults.float_dtype() if isinstance(value, float) else _defaults.complex_dtype()


_LOGICAL: Final = frozenset({"add", "+", "+=", "multiply", "*", "*="})
"""The arithmetic that NumPy does with Booleans as with truth values: or, and."""


def lifted(
    function: str,
    dtype: torch.dtype,
    allowed: frozenset[torch.dtype],
    error: Exception,
    *,
    always: bool = False,
) -> torch.dtype:
    """Return the data type in which a function computes that does not take an operand's own."""
    if dtype in dt.INTEGER_OR_BOOLEAN:
        if dtype is dt.bool and function in _LOGICAL and on():
            return dtype
        for candidate in (_defaults.int_dtype(), _defaults.float_dtype(), dt.complex64):
            if candidate in allowed and not (candidate in dt.INTEGER and dtype in dt.INTEGER):
                if always or on():
                    return candidate
                raise allowed_by_option(error)
    raise error


_PYTHON: Final = {
    bool: lambda: dt.bool,
    int: _defaults.int_dtype,
    float: _defaults.float_dtype,
    complex: _defaults.complex_dtype,
}


def named_dtype(dtype: object, error: Exception) -> torch.dtype:
    """Return the data type that a Python type, a NumPy data type or a name stands for."""
    if isinstance(dtype, type) and dtype in _PYTHON:
        named = _PYTHON[dtype]()
    else:
        try:
            name = np.dtype(dtype).name  # type: ignore[call-overload]  # whatever was given
        except TypeError:
            raise error from None
        if name not in dt.BY_NAME:
            raise error
        named = dt.BY_NAME[name]
    if not on():
        raise allowed_by_option(error)
    return named


# --- operands -------------------------------------------------------------------------------------


_CONVERTED: Final = (np.generic, np.ndarray, torch.Tensor, list, tuple, int, float, complex)
"""What is converted to an array."""


def takes(x: object) -> bool:
    """Say whether an operand that is no array, and no Python scalar, is taken in relaxed mode."""
    return isinstance(x, (np.generic, np.ndarray, torch.Tensor)) and on()


def operand(x: object, device: Device | None, error: Exception) -> Array | complex:
    """Return a foreign operand as an array, a NumPy scalar as the Python scalar that it equals."""
    if isinstance(x, np.generic) and on():
        value: complex = x.item()
        return value
    return array(x, device, error)


def array(x: object, device: Device | None, error: Exception) -> Array:
    """Return a foreign object as an array."""
    from ._interchange import asarray

    if not isinstance(x, _CONVERTED) and not hasattr(x, "__dlpack__"):
        raise error
    if not on():
        raise allowed_by_option(error)
    return asarray(x, device=device)


def fits_in_place(own: torch.dtype, result: torch.dtype) -> bool:
    """Say whether NumPy writes a result to an array by casting within a kind, or to a higher one.

    https://numpy.org/doc/stable/reference/generated/numpy.can_cast.html
    """
    source, target = ("float16" if d is dt.bfloat16 else dt.NAMES[d] for d in (result, own))
    return on() and np.can_cast(source, target, casting="same_kind")


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
        import ascend_array_api as xp

        if dtype is not None:
            parameters["dtype"] = dtype
        if "ddof" in parameters:
            parameters["correction"] = parameters.pop("ddof")
        result: Array = getattr(xp, name)(self, axis=axis, keepdims=keepdims, **parameters)
        return result

    return method


def _function(name: str) -> Any:
    def method(self: Array, /, *arguments: Any, **parameters: Any) -> Any:
        import ascend_array_api as xp

        return getattr(xp, name)(self, *arguments, **parameters)

    return method


def _shape_of(shape: tuple[Any, ...]) -> Any:
    return shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape


def _reshape(self: Array, *shape: Any, **parameters: Any) -> Array:
    import ascend_array_api as xp

    return xp.reshape(self, _shape_of(shape), **parameters)


def _ravel(self: Array) -> Array:
    import ascend_array_api as xp

    return xp.reshape(self, (-1,))


def _flatten(self: Array) -> Array:
    import ascend_array_api as xp

    return xp.reshape(self, (-1,), copy=True)


def _transpose(self: Array, *axes: Any) -> Array:
    import ascend_array_api as xp

    order = _shape_of(axes) or tuple(reversed(range(self.ndim)))
    return xp.permute_dims(self, tuple(order))


def _view(self: Array, dtype: Any = None) -> Array:
    """Read the same memory as another data type, as NumPy does."""
    from ._array import wrap
    from ._interchange import check_dtype

    tensor = self._tensor
    dtype = check_dtype("view", dtype)
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
    import ascend_array_api as xp

    return xp.matmul(self, other) if self.ndim and other.ndim else xp.multiply(self, other)


def _astype(self: Array, dtype: Any, *, copy: bool = True) -> Array:
    import ascend_array_api as xp

    return xp.astype(self, dtype, copy=copy)


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
        if not on():
            raise AttributeError(
                f"an array of the standard has no attribute {self._name!r}.{HINT}",
                name=self._name,
                obj=instance,
            )
        if instance is None:
            return self._function
        return (
            self._function(instance) if self._call else functools.partial(self._function, instance)
        )


# --- NumPy's functions ----------------------------------------------------------------------------

_UFUNCS: Final = {"true_divide": "divide", "power": "pow", "absolute": "abs"} | {
    "conjugate": "conj",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "right_shift": "bitwise_right_shift",
    **{f"arc{n}": f"a{n}" for n in ("cos", "sin", "tan", "tan2", "cosh", "sinh", "tanh")},
}
"""The names of NumPy's universal functions where the standard has others."""


def numpy_function(
    ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    """Compute one of NumPy's universal functions of arrays.

    Of several operands, in relaxed mode, by the namespace's function of that name.  Of one array
    (``numpy.sin(x)``) it is NumPy's own, of the values as NumPy sees them: on the CPU alone.
    """
    import ascend_array_api as xp

    if "out" in keywords:  # NumPy writes to its own arrays alone
        return NotImplemented
    if ufunc.nin == 1 and method == "__call__":
        return ufunc(np.asarray(inputs[0]), **keywords)
    function = getattr(xp, _UFUNCS.get(ufunc.__name__, ufunc.__name__), None)
    if function is None or method != "__call__" or keywords:
        return NotImplemented
    # NumPy's float64 and complex128 are Python scalars too, by inheritance.
    from ._calls import SCALARS

    for x in inputs:
        if not isinstance(x, (xp.Array, *SCALARS)):
            if not isinstance(x, (np.ndarray, np.generic)):
                return NotImplemented
            if not on():
                error = foreign(function.__name__, x, "an Array or a Python scalar")
                raise allowed_by_option(error)
    return function(*inputs)
