"""The array object: a tensor with its spec, and the declarations of its methods.

Imports no chapter and no function of arrays, so that all of these can import it.  A method that
needs such functions, for example an operator, is declared here with its signature and docstring.
The module that has the functions attaches the method: see ``implements``.

https://data-apis.org/array-api/2023.12/API_specification/array_object.html
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from types import EllipsisType, ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, final

import numpy as np
from typing_extensions import Never

from .._devices.device import Device, DeviceLike, Spec, spec_of
from .._errors.exceptions import NoTransposeError
from .._options import relaxed, settings
from .._reports import late_errors
from .._routes._faults import check_fault, check_process, left_behind
from .._routes.movement import clone
from .._torch import dtypes as dt
from .._torch import torch
from .._torch.private import no_function_rules, register_container, without_functions
from .._torch.tracing import TRACED, traced_as

F = TypeVar("F", bound="Callable[..., Any]")


def _traced_wrap(tensor: torch.Tensor, spec: Spec | None = None, *_: Any) -> Array:
    array = object.__new__(Array)  # spelled out: torch 2.11 cannot trace an alias of __new__
    array._tensor = tensor
    array._spec = spec_of(tensor) if spec is None else spec
    return array


@traced_as(_traced_wrap)
def wrap_view(tensor: torch.Tensor, spec: Spec, whole: torch.Tensor, key: Any) -> Array:
    """Return an array around the view that a key selects of a tensor.

    The view remembers both: at the end of ``x[key] += y``, Python assigns it to ``x[key]``.
    """
    array = object.__new__(Array)
    array._tensor = tensor
    array._spec = spec
    if spec.device.plain:
        array._whole = whole
        array._key = key
    return array


@traced_as(_traced_wrap)
def wrap(tensor: torch.Tensor, spec: Spec | None = None, *sources: Any) -> Array:
    """Return an array around a tensor, whose spec is looked up unless it is given.

    Kernels pass late errors on.  If not only they made the tensor, name the arrays and tensors that
    it was made from, or sequences of them, as ``sources``.
    """
    array = object.__new__(Array)
    array._tensor = tensor
    array._spec = spec_of(tensor) if spec is None else spec
    if late_errors.pending or late_errors.mistakes:
        if sources:
            late_errors.mark(array, *sources)
        elif hasattr(tensor, "_doubts"):  # the kernel that made it may have marked it
            array._spec = array._spec.doubted
    return array


def _traced_wrap_within(tensor: torch.Tensor, spec: Spec, *_: int) -> Array:
    return _traced_wrap(tensor, spec)


@traced_as(_traced_wrap_within)
def wrap_within(tensor: torch.Tensor, spec: Spec, low: int, high: int) -> Array:
    """Return an array around integers that are known to lie between bounds.

    An accelerator then need not judge them as positions.
    """
    array = object.__new__(Array)
    array._tensor = tensor
    array._spec = spec
    if spec.device.backend.asynchronous:
        late_errors.know(tensor, low, high)
    return array


def awaited(tensor: torch.Tensor, device: Device) -> torch.Tensor:
    """Return the tensor of an array, for whose values the host waits; raise its late errors."""
    if late_errors.pending or late_errors.mistakes:
        late_errors.waits(device, tensor)
    return tensor


def wrote(x: Array, sources: Any, views: bool = True) -> None:  # noqa: FBT002  # faster
    """Tell an array that it was written to, from arrays and tensors among the sources.

    The late errors of these are its own from now on.  Its views follow if they are copies, unless
    they have the values already.
    """
    late_errors.mark(x, sources)
    if views and x._spec.device.backend.copies_views:
        x._spec.device.backend.wrote(x._tensor)


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

    __slots__ = ("__weakref__", "_key", "_spec", "_tensor", "_whole")
    if TYPE_CHECKING:  # private: typing.get_type_hints need not find these types
        _tensor: torch.Tensor
        _spec: Spec
        _whole: torch.Tensor  # only views that a key selects have these two
        _key: Any

    def __init__(self, *_: Never, **__: Never) -> None:
        raise TypeError("Array: arrays are not made by calling the class. Use asarray() instead.")

    # --- attributes -------------------------------------------------------------------------------

    @property
    def dtype(self) -> torch.dtype:
        """The data type of the elements."""
        if settings.lists:
            relaxed.add_to_report(relaxed.DTYPE)
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
        if settings.lists:
            relaxed.beyond(
                "size: torch's tensors have a method of that name. Write math.prod(x.shape).",
                "array_api_compat.torch",
            )
        return self._tensor.numel()

    @property
    def T(self) -> Array:  # noqa: N802
        """The transpose of a matrix, as a view."""
        if self._tensor.dim() != 2:
            hint = "Leave T out" if self._tensor.dim() < 2 else "Use mT for stacks of matrices"
            error = NoTransposeError(
                f"T: expected an array of 2 dimensions, got {self._tensor.dim()}. "
                f"{hint}, or permute_dims()."
            )
            relaxed.require(error)
            return wrap(
                self._tensor.permute(tuple(reversed(range(self._tensor.dim())))), self._spec
            )
        return wrap(self._tensor.mT, self._spec)

    @property
    def mT(self) -> Array:  # noqa: N802
        """The transpose of a matrix, or of each matrix in a stack, as a view."""
        if self._tensor.dim() < 2:
            raise NoTransposeError(
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

    def __dlpack_device__(self, /) -> tuple[Any, int]:
        """Return the DLPack device type and number of the array's device."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return the array as a NumPy array, sharing memory where possible; on the CPU only."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        """Compute one of NumPy's universal functions; refuse its operators unless relaxed."""

    @property
    def __torch_function__(self) -> Any:
        """The rule for torch's functions; a single integer has none, so it can be a size."""
        # torch takes an object with ``__torch_function__`` for a tensor, not for an integer.
        integer = self._tensor.dim() == 0 and self._tensor.dtype in dt.INTEGER
        return no_function_rules if integer else self._of_torch

    @classmethod
    def _of_torch(
        cls,
        function: Callable[..., Any],
        types: Any,  # noqa: ARG003  # those of the arguments
        given: tuple[Any, ...] = (),
        named: dict[str, Any] | None = None,
    ) -> Any:
        """Call a function of torch's that has arrays among its arguments, and raise our error.

        torch's own names a type that it expects, or elements of a sequence that it took the array
        for.
        """
        try:
            with without_functions():
                return function(*given, **(named or {}))
        except (TypeError, IndexError) as error:
            name = torch.overrides.resolve_name(function) or function.__name__
            raise TypeError(
                f"{name}: torch's functions take tensors, and an argument is an Array. Write "
                "xp.to_torch(x) for its tensor, float(x) or int(x) for its number. "
                "xp.asarray(tensor) makes an Array of the result."
            ) from error

    def _scalar(self, method: str) -> Any:
        if self._tensor.dim() != 0:
            error = TypeError(
                f"{method}: only an array of 0 dimensions converts to a Python scalar, got shape "
                f"{self.shape}. Select one element, or reduce the array with any() or all() first."
            )
            if self._tensor.numel() != 1:
                raise error
            relaxed.require(error)
        if late_errors.pending or late_errors.mistakes:
            late_errors.waits(self._spec.device, self._tensor)
        if left_behind:
            check_process(method, self._spec.device)
        try:
            return self._tensor.item()
        except RuntimeError as error:
            if not self._spec.device.backend.gives_scalars(self._spec.dtype):
                return self._tensor.cpu().item()
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
            raise TypeError(
                "len: an array of 0 dimensions has no length; int(x) or float(x) is its number."
            )
        if settings.lists:
            relaxed.beyond("len: the standard's arrays have none. Write x.shape[0].")
        return self._tensor.shape[0]

    def __contains__(self, value: Any, /) -> bool:
        """Say whether an element equals a value; of one axis alone, unless relaxed."""

    def __iter__(self) -> Iterator[Array]:
        if self._tensor.dim() == 0:
            raise TypeError("iter: an array of 0 dimensions cannot be iterated over.")
        if settings.lists and self._tensor.dim() > 1:
            relaxed.beyond("iter: over rows. Write [x[i, ...] for i in range(x.shape[0])].")
        return self._rows()  # a generator of its own, so that iter(x) alone gathers nothing

    def _rows(self) -> Iterator[Array]:
        whole = self._spec.device.backend.collect(self._tensor, "iter", view=True)
        for i in range(self._tensor.shape[0]):
            yield wrap(whole.select(0, i), self._spec)

    def __format__(self, form: str, /) -> str:
        if self._tensor.dim() == 0:
            if form and settings.lists:
                relaxed.beyond(f"format: of a number. Write format(float(x), {form!r}).")
            return format(self._scalar("format"), form)
        if form:
            raise TypeError(
                f"format: the format {form!r} is for one number, and the array has shape "
                f"{self.shape}. Select one element, or write numpy.set_printoptions(precision=2)."
            )
        return str(self)

    def __round__(self, ndigits: int | None = None) -> Any:
        """Round one number, as NumPy rounds its numbers; in relaxed mode only."""

    def __bytes__(self) -> bytes:
        """Return the memory of the elements, as NumPy does; in relaxed mode only."""

    def __divmod__(self, other: Any, /) -> tuple[Array, Array]:
        relaxed.refuse_divmod()
        return self // other, self % other

    def __rdivmod__(self, other: Any, /) -> tuple[Array, Array]:
        relaxed.refuse_divmod()
        return other // self, other % self

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def _repr_html_(self) -> str: ...

    def __dir__(self) -> list[str]: ...

    def __reduce_ex__(self, protocol: Any, /) -> tuple[Any, ...]: ...

    def __setstate__(self, state: tuple[Any, ...], /) -> None: ...

    def __copy__(self) -> Array:
        try:
            return wrap(clone.on(self._spec)(self._tensor), self._spec)
        except RuntimeError as error:
            check_fault(error, "copy", self._spec.device, (self._tensor,))
            raise

    def __deepcopy__(self, memo: dict[int, Any], /) -> Array:
        return self.__copy__()

    # --- indexing ---------------------------------------------------------------------------------

    def __getitem__(self, key: Index | tuple[Index, ...], /) -> Array: ...

    def __setitem__(self, key: Index | tuple[Index, ...], value: Array | complex, /) -> None: ...

    # --- operators --------------------------------------------------------------------------------
    # torch.compile traces these bodies.  Without a compiler the methods that ``operators``
    # attaches run instead.

    def __abs__(self, /) -> Array:
        return self._traced("abs")

    def __neg__(self, /) -> Array:
        return self._traced("negative")

    def __pos__(self, /) -> Array:
        return self._traced("positive")

    def __invert__(self, /) -> Array:
        return self._traced("bitwise_invert")

    def __add__(self, other: Array | complex, /) -> Array:
        return self._traced("add", other)

    def __sub__(self, other: Array | complex, /) -> Array:
        return self._traced("subtract", other)

    def __mul__(self, other: Array | complex, /) -> Array:
        return self._traced("multiply", other)

    def __truediv__(self, other: Array | complex, /) -> Array:
        return self._traced("divide", other)

    def __floordiv__(self, other: Array | float, /) -> Array:
        return self._traced("floor_divide", other)

    def __mod__(self, other: Array | float, /) -> Array:
        return self._traced("remainder", other)

    def __pow__(self, other: Array | complex, /) -> Array:
        return self._traced("pow", other)

    def __and__(self, other: Array | int, /) -> Array:
        return self._traced("bitwise_and", other)

    def __or__(self, other: Array | int, /) -> Array:
        return self._traced("bitwise_or", other)

    def __xor__(self, other: Array | int, /) -> Array:
        return self._traced("bitwise_xor", other)

    def __lshift__(self, other: Array | int, /) -> Array:
        return self._traced("bitwise_left_shift", other)

    def __rshift__(self, other: Array | int, /) -> Array:
        return self._traced("bitwise_right_shift", other)

    def __lt__(self, other: Array | float, /) -> Array:
        return self._traced("less", other)

    def __le__(self, other: Array | float, /) -> Array:
        return self._traced("less_equal", other)

    def __gt__(self, other: Array | float, /) -> Array:
        return self._traced("greater", other)

    def __ge__(self, other: Array | float, /) -> Array:
        return self._traced("greater_equal", other)

    def __eq__(self, other: Array | complex, /) -> Array:  # type: ignore[override]
        return self._traced("equal", other)

    def __ne__(self, other: Array | complex, /) -> Array:  # type: ignore[override]
        return self._traced("not_equal", other)

    def __radd__(self, other: Array | complex, /) -> Array: ...

    def __rsub__(self, other: Array | complex, /) -> Array:
        difference: Array = TRACED["rsubtract"](self, other)  # or NotImplemented
        return difference

    def __rmul__(self, other: Array | complex, /) -> Array: ...

    def __rtruediv__(self, other: Array | complex, /) -> Array:
        quotient: Array = TRACED["rdivide"](self, other)  # or NotImplemented
        return quotient

    def __rfloordiv__(self, other: Array | float, /) -> Array: ...

    def __rmod__(self, other: Array | float, /) -> Array: ...

    def __rpow__(self, other: Array | complex, /) -> Array: ...

    def __rand__(self, other: Array | int, /) -> Array: ...

    def __ror__(self, other: Array | int, /) -> Array: ...

    def __rxor__(self, other: Array | int, /) -> Array: ...

    def __rlshift__(self, other: Array | int, /) -> Array: ...

    def __rrshift__(self, other: Array | int, /) -> Array: ...

    def __iadd__(self, other: Array | complex, /) -> Array:
        return self._in_place("iadd", other)

    def __isub__(self, other: Array | complex, /) -> Array:
        return self._in_place("isub", other)

    def __imul__(self, other: Array | complex, /) -> Array:
        return self._in_place("imul", other)

    def __itruediv__(self, other: Array | complex, /) -> Array:
        return self._in_place("itruediv", other)

    def __ifloordiv__(self, other: Array | float, /) -> Array: ...

    def __imod__(self, other: Array | float, /) -> Array: ...

    def __ipow__(self, other: Array | complex, /) -> Array: ...

    def __iand__(self, other: Array | int, /) -> Array:
        return self._in_place("iand", other)

    def __ior__(self, other: Array | int, /) -> Array:
        return self._in_place("ior", other)

    def __ixor__(self, other: Array | int, /) -> Array:
        return self._in_place("ixor", other)

    def __ilshift__(self, other: Array | int, /) -> Array:
        return self._in_place("ilshift", other)

    def __irshift__(self, other: Array | int, /) -> Array:
        return self._in_place("irshift", other)

    def __matmul__(self, other: Array, /) -> Array:
        product: Array = TRACED["matmul"](self, other)  # or NotImplemented
        return product

    def __rmatmul__(self, other: Array, /) -> Array: ...

    def __imatmul__(self, other: Array, /) -> Array: ...

    __hash__ = None  # type: ignore[assignment]

    # --- for the compiler -------------------------------------------------------------------------
    # ``_calls.traces`` attaches the methods that are declared here.

    def _traced(self, op_name: str, /, *others: Any) -> Array:
        """Compute an operator: a plain call, or else the function in ``TRACED``."""
        made = self._computed(op_name, *others)
        return TRACED[op_name](self, *others) if made is None else made  # or NotImplemented

    def _in_place(self, name: str, other: Any, /) -> Array:
        """Compute an operator that overwrites the array."""
        written: Array = TRACED[name](self, other)  # or NotImplemented
        return written

    def _computed(self, op_name: str, /, *others: object) -> Array | None:
        """Compute an operation on this array and arrays or Python scalars."""

    def _chosen(self, x1: object, x2: object, /) -> Array | None:
        """Choose elements of two arrays by the booleans of this array."""

    def _reduced(self, op_name: str, axis: Any, keepdims: Any, /) -> Array | None:
        """Compute a reduction."""

    def _spread(self, op_name: str, axis: Any, keepdims: Any, correction: Any, /) -> Array | None:
        """Compute the variance or its root, with a correction."""

    def _fits(self, op_name: str, value: object, /) -> bool:
        """Say whether torch combines a Python scalar with the tensor exactly."""

    def _around(self, tensor: torch.Tensor, /) -> Array:
        """Return an array around a tensor."""

    def _run(self, kernel: str, tensor: torch.Tensor, /, *operands: Any) -> Array:
        """Return the array that a named kernel computes from a tensor and operands."""

    def _object(self, question: str, /, *facts: Any) -> Any:
        """Return the object in ``OBJECTS`` whose name is the answer to a question."""


Index: TypeAlias = int | slice | EllipsisType | Array | None


def implements(name: str) -> Callable[[F], F]:
    """Attach a function to the class, in place of the declaration of that name.

    This keeps imports free of circles: the class need not import the functions of its methods.
    """

    def attach(function: F) -> F:
        functools.update_wrapper(function, vars(Array)[name])
        setattr(Array, name, function)
        return function

    return attach


# --- a node of torch's trees ----------------------------------------------------------------------

# As a node, an array can be an argument or a result in torch.func, torch.vmap and torch.export.
# They replace the tensor by another one, whose spec the new array gets, or by an axis or None.


def _unflatten(leaves: Iterable[Any], _: None) -> Array:
    (leaf,) = leaves
    if isinstance(leaf, torch.Tensor):
        return wrap(leaf)
    # The derivatives of one array by several others come as a structure of arrays.
    if isinstance(leaf, (Array, dict, list, tuple)):
        return leaf  # type: ignore[return-value]
    array = object.__new__(Array)
    array._tensor = leaf
    array._spec = None  # type: ignore[assignment]  # this array only carries the leaf
    return array


register_container(Array, "_tensor", _unflatten, "ascend_array_api.Array")
