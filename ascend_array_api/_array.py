"""The array object.

https://data-apis.org/array-api/2023.12/API_specification/array_object.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from . import _dtypes as dt
from . import _relaxed
from ._calls import check_inplace, inplace, kept, operator, prefix, reflected, traced
from ._devices import Device, DeviceLike, Spec, spec_of
from ._private_torch import register_container
from ._routes import elementwise as ops
from ._routes import linear_algebra, npu  # noqa: F401  # the rows of npu are registered
from ._routes._engine import check_fault
from ._routes.movement import clone
from ._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import EllipsisType, ModuleType
    from typing import TypeAlias

    import numpy as np
    from typing_extensions import Never

    Index: TypeAlias = "int | slice | EllipsisType | Array | None"

_MATMUL: Final = linear_algebra.matmul.table


def wrap(tensor: torch.Tensor, spec: Spec | None = None) -> Array:
    """Return an array around a tensor, which holds what the spec says."""
    array = object.__new__(Array)  # the compiler of torch 2.11 does not know it by another name
    array._tensor = tensor
    array._spec = spec_of(tensor) if spec is None else spec
    return array


@final
class Array:
    """An n-dimensional array of one data type, on one device.

    Arrays are made by the creation functions of the namespace (``asarray``, ``zeros``, ``arange``,
    ...), never by calling the class.  An array wraps a ``torch.Tensor``; ``asarray`` and
    ``to_torch`` go from one to the other and share the memory.

    Indexing with integers, slices with a positive step, ``...`` and None gives a *view*, which
    shares memory with the array, as in NumPy.  Slices with a negative step, masks and integer
    arrays give copies.

    See https://data-apis.org/array-api/2023.12/API_specification/array_object.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> x[:, 0] + 1
    Array([2., 4.], dtype=float32, device='cpu')
    """

    __slots__ = ("__weakref__", "_spec", "_tensor")
    _tensor: torch.Tensor
    _spec: Spec

    def __init__(self, *_: Never) -> None:
        raise TypeError("Array: arrays are not made by calling the class. Use asarray() instead.")

    # --- attributes -------------------------------------------------------------------------------

    @property
    def dtype(self) -> torch.dtype:
        """The data type of the elements."""
        return self._tensor.dtype

    @property
    def device(self) -> Device:
        """The device on which the array lives."""
        return self._spec.device

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._tensor.dim()

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        return tuple(self._tensor.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._tensor.numel()

    @property
    def T(self) -> Array:  # noqa: N802
        """The transpose of a matrix, as a view."""
        if self._tensor.dim() != 2:
            raise ValueError(
                f"T: expected an array of 2 dimensions, got {self._tensor.dim()}. "
                "Use mT for stacks of matrices, or permute_dims()."
            )
        return wrap(self._tensor.mT, self._spec)

    @property
    def mT(self) -> Array:  # noqa: N802
        """The transpose of a matrix, or of each matrix in a stack, as a view."""
        if self._tensor.dim() < 2:
            raise ValueError(
                f"mT: expected an array of at least 2 dimensions, got {self._tensor.dim()}."
            )
        return wrap(self._tensor.mT, self._spec)

    # --- the namespace, devices, conversion -------------------------------------------------------

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        """Return the namespace of the array's functions.

        Parameters
        ----------
        api_version : str, optional
            A version of the standard, such as ``"2023.12"``; by default the top-level namespace.

        Raises
        ------
        ValueError
            If there is no namespace for that version.
        """
        from ._versions import namespace

        return namespace(api_version)

    def to_device(self, device: DeviceLike, /, *, stream: int | Any | None = None) -> Array:
        """Return the array on a device: itself if it is there already, else a copy.

        Parameters
        ----------
        device : Device or str
            The device to which to go.
        stream : optional
            A stream of the array's device, after whose work so far the copy starts.

        Raises
        ------
        ValueError
            If there is no such device.
        """
        from ._interchange import to_device

        return to_device(self, device, stream)

    def __dlpack__(
        self,
        /,
        *,
        stream: int | Any | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Export the array as a DLPack capsule.

        Parameters
        ----------
        stream : optional
            The consumer's stream, in which the data must be ready; on the CPU None.
        max_version : tuple of int, optional
            The greatest version of DLPack that the consumer takes.
        dl_device : tuple of int, optional
            The DLPack device to export to: the array's own, or the CPU, ``(1, 0)``.
        copy : bool, optional
            True always copies, False never does, None where it must.

        Raises
        ------
        BufferError
            If the data cannot be exported as asked.
        """
        from ._interchange import to_dlpack

        return to_dlpack(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self, /) -> tuple[Any, int]:
        """Return the DLPack device type and number of the array's device."""
        from ._interchange import dlpack_device

        return dlpack_device(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return the array as a NumPy array, sharing memory where possible; on the CPU only."""
        from ._interchange import to_numpy

        return to_numpy(self, dtype, copy)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        """Compute one of NumPy's universal functions; refuse its operators unless relaxed."""
        return _relaxed.numpy_function(ufunc, method, inputs, keywords)

    def _scalar(self, method: str) -> Any:
        if self._tensor.dim() != 0 and not (self._tensor.numel() == 1 and _relaxed.on()):
            raise TypeError(
                f"{method}: only an array of 0 dimensions converts to a Python scalar, got shape "
                f"{self.shape}. Select one element, or reduce the array with any() or all() first."
                f"{_relaxed.HINT if self._tensor.numel() == 1 else ''}"
            )
        try:
            return self._tensor.item()
        except RuntimeError as error:
            check_fault(error, method, self._spec.device, (self._tensor,))
            raise

    def __bool__(self) -> bool:
        return bool(self._scalar("bool"))

    def __int__(self) -> int:
        value = self._scalar("int")
        if isinstance(value, complex):
            raise TypeError(
                f"int: a {dt.NAMES[self.dtype]} array is not allowed. Use real() first."
            )
        return int(value)

    def __float__(self) -> float:
        value = self._scalar("float")
        if isinstance(value, complex):
            raise TypeError(
                f"float: a {dt.NAMES[self.dtype]} array is not allowed. Use real() first."
            )
        return float(value)

    def __complex__(self) -> complex:
        return complex(self._scalar("complex"))

    def __index__(self) -> int:
        if self.dtype not in dt.INTEGER:
            raise TypeError(
                f"index: only an integer array can be an index, got {dt.NAMES[self.dtype]}. "
                "Convert it with astype() first."
            )
        return int(self._scalar("index"))

    def __len__(self) -> int:
        if self._tensor.dim() == 0:
            raise TypeError("len: an array of 0 dimensions has no length.")
        return self._tensor.shape[0]

    def __iter__(self) -> Iterator[Array]:
        if self._tensor.dim() == 0:
            raise TypeError("iter: an array of 0 dimensions cannot be iterated over.")
        return (wrap(self._tensor.select(0, i), self._spec) for i in range(len(self)))

    def __format__(self, form: str, /) -> str:
        if self._tensor.dim() == 0:
            return format(self._scalar("format"), form)
        return object.__format__(self, form)

    def __repr__(self) -> str:
        if self._spec is None:  # in a tree of something else than arrays, see below
            return f"Array({self._tensor!r})"
        from ._printing import array_repr

        return array_repr(self)

    def __reduce__(self) -> tuple[Callable[..., Array], tuple[Any, ...]]:
        from ._interchange import pickled

        return pickled(self)

    def __copy__(self) -> Array:
        return wrap(clone.on(self._spec)(self._tensor), self._spec)

    def __deepcopy__(self, memo: dict[int, Any], /) -> Array:
        return self.__copy__()

    # --- indexing ---------------------------------------------------------------------------------

    def __getitem__(self, key: Index | tuple[Index, ...], /) -> Array:
        if type(key) is int and self._tensor.dim() == 1:
            return wrap(self._tensor[key], self._spec)
        from ._indexing import getitem

        return getitem(self, key)

    def __setitem__(self, key: Index | tuple[Index, ...], value: Array | complex, /) -> None:
        from ._indexing import setitem

        setitem(self, key, value)

    # --- operators --------------------------------------------------------------------------------
    # A body is what torch.compile traces; what runs is made by the decorator.

    @prefix(ops.abs, "abs")
    def __abs__(self, /) -> Array:
        return traced("abs", self)

    @prefix(ops.negative, "-")
    def __neg__(self, /) -> Array:
        return traced("negative", self)

    @prefix(ops.positive, "+")
    def __pos__(self, /) -> Array:
        return traced("positive", self)

    @prefix(ops.bitwise_invert, "~")
    def __invert__(self, /) -> Array:
        return traced("bitwise_invert", self)

    @operator(ops.add, "+")
    def __add__(self, other: Array | complex, /) -> Array:
        return traced("add", self, other)

    @operator(ops.subtract, "-")
    def __sub__(self, other: Array | complex, /) -> Array:
        return traced("subtract", self, other)

    @operator(ops.multiply, "*")
    def __mul__(self, other: Array | complex, /) -> Array:
        return traced("multiply", self, other)

    @operator(ops.divide, "/")
    def __truediv__(self, other: Array | complex, /) -> Array:
        return traced("divide", self, other)

    @operator(ops.floor_divide, "//")
    def __floordiv__(self, other: Array | float, /) -> Array:
        return traced("floor_divide", self, other)

    @operator(ops.remainder, "%")
    def __mod__(self, other: Array | float, /) -> Array:
        return traced("remainder", self, other)

    @operator(ops.pow, "**")
    def __pow__(self, other: Array | complex, /) -> Array:
        return traced("pow", self, other)

    @operator(ops.bitwise_and, "&")
    def __and__(self, other: Array | int, /) -> Array:
        return traced("bitwise_and", self, other)

    @operator(ops.bitwise_or, "|")
    def __or__(self, other: Array | int, /) -> Array:
        return traced("bitwise_or", self, other)

    @operator(ops.bitwise_xor, "^")
    def __xor__(self, other: Array | int, /) -> Array:
        return traced("bitwise_xor", self, other)

    @operator(ops.bitwise_left_shift, "<<")
    def __lshift__(self, other: Array | int, /) -> Array:
        return traced("bitwise_left_shift", self, other)

    @operator(ops.bitwise_right_shift, ">>")
    def __rshift__(self, other: Array | int, /) -> Array:
        return traced("bitwise_right_shift", self, other)

    @operator(ops.less, "<")
    def __lt__(self, other: Array | float, /) -> Array:
        return traced("less", self, other)

    @operator(ops.less_equal, "<=")
    def __le__(self, other: Array | float, /) -> Array:
        return traced("less_equal", self, other)

    @operator(ops.greater, ">")
    def __gt__(self, other: Array | float, /) -> Array:
        return traced("greater", self, other)

    @operator(ops.greater_equal, ">=")
    def __ge__(self, other: Array | float, /) -> Array:
        return traced("greater_equal", self, other)

    @operator(ops.equal, "==")
    def __eq__(self, other: Array | complex, /) -> Array:  # type: ignore[override]
        return traced("equal", self, other)

    @operator(ops.not_equal, "!=")
    def __ne__(self, other: Array | complex, /) -> Array:  # type: ignore[override]
        return traced("not_equal", self, other)

    # What commutes takes a scalar as the second operand, for which torch needs no tensor.
    __radd__ = __add__

    @reflected(ops.subtract, "-")
    def __rsub__(self, other: Array | complex, /) -> Array: ...

    __rmul__ = __mul__

    @reflected(ops.divide, "/")
    def __rtruediv__(self, other: Array | complex, /) -> Array: ...

    @reflected(ops.floor_divide, "//")
    def __rfloordiv__(self, other: Array | float, /) -> Array: ...

    @reflected(ops.remainder, "%")
    def __rmod__(self, other: Array | float, /) -> Array: ...

    @reflected(ops.pow, "**")
    def __rpow__(self, other: Array | complex, /) -> Array: ...

    @reflected(ops.bitwise_and, "&")
    def __rand__(self, other: Array | int, /) -> Array: ...

    @reflected(ops.bitwise_or, "|")
    def __ror__(self, other: Array | int, /) -> Array: ...

    @reflected(ops.bitwise_xor, "^")
    def __rxor__(self, other: Array | int, /) -> Array: ...

    @reflected(ops.bitwise_left_shift, "<<")
    def __rlshift__(self, other: Array | int, /) -> Array: ...

    @reflected(ops.bitwise_right_shift, ">>")
    def __rrshift__(self, other: Array | int, /) -> Array: ...

    @inplace(ops.add, "+=")
    def __iadd__(self, other: Array | complex, /) -> Array: ...

    @inplace(ops.subtract, "-=")
    def __isub__(self, other: Array | complex, /) -> Array: ...

    @inplace(ops.multiply, "*=")
    def __imul__(self, other: Array | complex, /) -> Array: ...

    @inplace(ops.divide, "/=")
    def __itruediv__(self, other: Array | complex, /) -> Array: ...

    @inplace(ops.floor_divide, "//=")
    def __ifloordiv__(self, other: Array | float, /) -> Array: ...

    @inplace(ops.remainder, "%=")
    def __imod__(self, other: Array | float, /) -> Array: ...

    @inplace(ops.pow, "**=")
    def __ipow__(self, other: Array | complex, /) -> Array: ...

    @inplace(ops.bitwise_and, "&=")
    def __iand__(self, other: Array | int, /) -> Array: ...

    @inplace(ops.bitwise_or, "|=")
    def __ior__(self, other: Array | int, /) -> Array: ...

    @inplace(ops.bitwise_xor, "^=")
    def __ixor__(self, other: Array | int, /) -> Array: ...

    @inplace(ops.bitwise_left_shift, "<<=")
    def __ilshift__(self, other: Array | int, /) -> Array: ...

    @inplace(ops.bitwise_right_shift, ">>=")
    def __irshift__(self, other: Array | int, /) -> Array: ...

    @staticmethod
    def _matmul(symbol: str, x1: Array, x2: Array) -> Array:
        from ._linear_algebra import product

        return product(symbol, x1, x2)

    def __matmul__(self, other: Array, /) -> Array:
        if not isinstance(other, Array):
            return NotImplemented
        spec = self._spec
        if spec is other._spec:
            try:
                return wrap(_MATMUL[spec](self._tensor, other._tensor), spec)
            except KeyError:
                pass
            except RuntimeError as error:  # if no fault, found out below
                check_fault(error, "@", spec.device, (self._tensor, other._tensor))
        return self._matmul("@", self, other)

    def __rmatmul__(self, other: Array, /) -> Array:
        if not isinstance(other, Array):
            return NotImplemented
        return self._matmul("@", other, self)

    def __imatmul__(self, other: Array, /) -> Array:
        if not isinstance(other, Array):
            return NotImplemented
        product = self._matmul("@=", wrap(kept(self._tensor, other._tensor), self._spec), other)
        check_inplace("@=", self._tensor, self._spec, product._tensor, product._spec)
        if product.shape != self.shape:
            raise ValueError(
                f"@=: the product has shape {product.shape}, which an array of shape {self.shape} "
                "cannot take in place. Write x = x @ y instead."
            )
        self._tensor.copy_(product._tensor)
        return self

    __hash__ = None  # type: ignore[assignment]


for _name, _function in _relaxed.METHODS.items():
    setattr(Array, _name, _relaxed.RelaxedAttribute(_name, _function))
for _name, _function in _relaxed.PROPERTIES.items():
    setattr(Array, _name, _relaxed.RelaxedAttribute(_name, _function, call=True))


# --- a node of torch's trees ----------------------------------------------------------------------

# So torch.func, torch.vmap and torch.export take arrays and return them.  What they put in place of
# the tensor decides what the array then holds; it may also be no tensor, but an axis or None.


def _unflatten(leaves: Iterable[Any], _: None) -> Array:
    (leaf,) = leaves
    if isinstance(leaf, torch.Tensor):
        return wrap(leaf)
    if isinstance(leaf, (Array, dict, list, tuple)):  # the derivative of one array by others
        return leaf  # type: ignore[return-value]
    array = object.__new__(Array)
    array._tensor = leaf
    array._spec = None  # type: ignore[assignment]  # it only carries the leaf
    return array


register_container(Array, "_tensor", _unflatten, "ascend_array_api.Array")
