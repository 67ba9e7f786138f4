"""Interchange: arrays from and to Python objects, NumPy, torch, buffers and DLPack.

Names no accelerator: whether memory can be shared, moved or exported depends on the backend.

https://data-apis.org/array-api/2023.12/design_topics/data_interchange.html
"""

from __future__ import annotations

import copyreg
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from multiprocessing.reduction import ForkingPickler
from typing import Any, Final

import numpy as np

from .._arrays.array import Array, awaited, implements, wrap
from .._arrays.memory import is_repeated
from .._arrays.promotion import SCALARS, promote, promote_scalar, scalar_tensor, whole
from .._devices.backends import DLDeviceType
from .._devices.device import (
    AnyDevice,
    Device,
    DeviceLike,
    Spec,
    device_of,
    dlpack_arguments,
    parse,
    spec,
    spec_of,
    stream_context,
)
from .._errors.exceptions import CopyNeededError, describe, foreign, mixed_devices
from .._errors.foreign_calls import refusing
from .._errors.foreign_names import names
from .._options import defaults, relaxed, settings
from .._options.defaults import resolve
from .._reports import host_work, late_errors, numpys
from .._reports.capturing import refuse
from .._reports.user_code import ufunc_of_user
from .._routes import conversions, movement  # noqa: F401
from .._routes._dimensions import dense
from .._routes._faults import check_device, check_move, check_process
from .._routes._operations import OPS, cast, cast_as_chosen
from .._torch import dtypes as dt
from .._torch import torch
from .._torch.pairs import release
from .._torch.tracing import constant, traced_as
from . import capsules
from .plainest import plainest

__all__ = ["asarray", "from_dlpack", "to_torch"]

_VERSIONED: Final = release(torch.__version__) >= (2, 9)
"""Whether torch supports versions of DLPack: 2.7.1 and 2.8.0 do not."""
_ASKED: Final[dict[str, Any]] = {"max_version": (1, 0)} if _VERSIONED else {}
"""The arguments with which producers are asked for a capsule."""


@plainest("obj: array, dtype: None, device: None, copy: None", "itself")
def asarray(
    obj: Any, /, *, dtype: dt.AnyDType = None, device: AnyDevice = None, copy: bool | None = None
) -> Array:
    """Convert an object to an array.

    Parameters
    ----------
    obj : object
        An array; a Python scalar or a nested sequence of them (and of arrays); a NumPy array or
        scalar; a ``torch.Tensor``; an object with the DLPack protocol; or one with the buffer
        protocol.
    dtype : dtype, optional
        The data type.  By default that of the object; for Python scalars ``bool``, or the default
        integer, real or complex data type.  A sequence whose first element is a NumPy scalar that
        is no Python scalar besides (all but ``np.float64`` and ``np.complex128``) takes the data
        type that NumPy gives it.
    device : Device or str, optional
        The device.  By default that of the object where it is an array of any library, else the
        default device.
    copy : bool, optional
        True always copies, False never does, None (the default) only where it must.  Without a
        copy, the array shares memory with the object.

    Returns
    -------
    Array
        The elements of the object.  A tensor that takes part in autograd goes on doing so.

    Raises
    ------
    TypeError
        If the object is none of the above, or holds what no data type represents, if it is
        complex and the data type is not, or if it is a masked array.
    ValueError
        If ``copy`` is False and the object cannot be used without a copy (Python scalars and
        sequences never can; this error is a BufferError, too), if there is no such device, or if a
        sequence is ragged.
    OverflowError
        If a Python integer does not fit the data type.

    See Also
    --------
    to_torch : the way back to torch.
    from_dlpack : the exchange protocol alone.

    Notes
    -----
    An array that is read-only, that has negative strides or another byte order is copied: a tensor
    can express none of these.  An array of another library is read-only unless it says by DLPack
    1.0 or later that it may be written to, as in NumPy.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.asarray([[1, 2], [3, 4]])
    Array([[1, 2],
           [3, 4]], dtype=int64, device='cpu')
    >>> xp.asarray([1, 2.5], dtype=xp.float64)
    Array([1. , 2.5], dtype=float64, device='cpu')
    >>> import numpy as np
    >>> a = np.zeros(2, dtype=np.uint16)
    >>> x = xp.asarray(a)
    >>> x[0] = 65535
    >>> a
    array([65535,     0], dtype=uint16)
    """
    dtype = check_dtype("asarray", dtype)
    copy = _check_copy("asarray", copy)
    target = None if device is None else parse(device, "asarray")
    if isinstance(obj, Array):
        same = (dtype is None or dtype is obj.dtype) and (target is None or target is obj.device)
        if same and copy is not True:
            return obj
        return _converted(obj._tensor, dtype, target, copy, own=obj._spec)
    if isinstance(obj, torch.Tensor):
        return _converted(_adopted_tensor(obj, copy), dtype, target, copy)
    if isinstance(obj, (np.ndarray, np.generic)):
        return _from_numpy(obj, dtype, resolve(target, "asarray"), copy)
    if isinstance(obj, SCALARS):
        _refuse_no_copy(obj, copy)
        return _from_scalar(obj, dtype, resolve(target, "asarray"))
    if isinstance(obj, range):
        obj, dtype = list(obj), defaults.int_dtype() if dtype is None else dtype
    if isinstance(obj, (list, tuple)):
        _refuse_no_copy(obj, copy)
        return _from_sequence(obj, dtype, target)
    if hasattr(obj, "__dlpack__"):
        tensor, copy = _import(obj, None, copy, "asarray")
        return _converted(tensor, dtype, target, copy)
    try:
        buffer = memoryview(obj)
    except TypeError:
        return _from_numpy(_by_numpy(obj), dtype, resolve(target, "asarray"), copy)
    return _from_numpy(np.asarray(buffer), dtype, resolve(target, "asarray"), copy)


@refusing
def to_torch(x: Array, /) -> torch.Tensor:
    """Return the tensor that an array wraps.

    Parameters
    ----------
    x : Array
        An array.

    Returns
    -------
    torch.Tensor
        A tensor on the same device that shares its memory, and its part in autograd, with the
        array.

    Raises
    ------
    TypeError
        If ``x`` is not an array.
    ValueError
        If it is divided over the devices of a mesh: no tensor has all of it.
        ``distributed.to_dtensor`` gives torch's own tensor of several devices.

    See Also
    --------
    asarray : the way from torch.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.to_torch(xp.arange(3))
    tensor([0, 1, 2])
    """
    if not isinstance(x, Array):
        raise foreign("to_torch", x)
    if x.device.backend.divided_axis(x._tensor) is not None:
        raise ValueError(
            f"to_torch: the array is divided over {x.device}, and no tensor has all of it. Use "
            "to_torch() of distributed.gather(x), or of this process's distributed.parts(x)[0]; "
            "distributed.to_dtensor(x) gives torch's DTensor."
        )
    return released(x)


def released(x: Array) -> torch.Tensor:
    """Return the tensor of an array to code that late errors cannot follow into."""
    late_errors.leaves(x)
    return x._tensor


@refusing
def from_dlpack(x: object, /, *, device: AnyDevice = None, copy: bool | None = None) -> Array:
    """Return an array with the data of another library's array, by the DLPack protocol.

    Parameters
    ----------
    x : object
        An array with ``__dlpack__`` and ``__dlpack_device__`` methods.
    device : Device or str, optional
        The device; by default that of ``x``.
    copy : bool, optional
        True always copies, False never does, None (the default) only where it must.

    Returns
    -------
    Array
        An array that shares memory with ``x`` unless it was copied.

    Raises
    ------
    AttributeError
        If ``x`` has no such methods.
    BufferError
        If the producer cannot export the data.
    ValueError
        If ``copy`` is False and a copy would be needed (this error is a BufferError, too), or if
        there is no such device.

    Notes
    -----
    An array that is read-only or has negative strides is copied.  Before version 1.0 of DLPack, a
    library could not say that an array may be written to; as in NumPy, such an array is read-only.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import numpy as np
    >>> xp.from_dlpack(np.arange(3.0))
    Array([0., 1., 2.], dtype=float64, device='cpu')
    """
    copy = _check_copy("from_dlpack", copy)
    if not (hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")):
        raise AttributeError(
            f"from_dlpack: {describe(x)} has no __dlpack__ and __dlpack_device__ methods. "
            "Use asarray() for Python objects."
        )
    target = None if device is None else parse(device, "from_dlpack")
    if isinstance(x, Array):
        return _converted(x._tensor, None, target, copy, "from_dlpack", own=x._spec)
    if isinstance(x, torch.Tensor):  # some of torch's devices lack half of the protocol
        if x.requires_grad:
            raise BufferError(
                "from_dlpack: the tensor takes part in autograd, which DLPack cannot express. "
                "Use asarray(), which goes on with it, or detach() it."
            )
        return _converted(_adopted_tensor(x.detach(), copy), None, target, copy, "from_dlpack")
    if isinstance(x, np.ndarray):  # torch's import ignores that an array is read-only
        return _from_numpy(x, None, target or parse("cpu"), copy)
    tensor, copy = _import(x, target, copy, "from_dlpack")
    return _converted(tensor, None, target, copy, "from_dlpack")


def _by_numpy(obj: Any) -> np.ndarray[Any, Any]:
    """Return the NumPy array that an object makes of itself, in relaxed mode; refuse all others."""
    makes = [m for m in ("toarray", "to_numpy") if callable(getattr(obj, m, None))]
    if isinstance(obj, type):
        hint = ""
    elif makes:
        hint = f" Write xp.asarray(x.{makes[0]}())."
    elif isinstance(obj, Iterable) and not isinstance(obj, (str, bytes, Mapping)):
        hint = " Make a list of it first."
    elif hasattr(obj, "__array__"):
        hint = " Make a NumPy array of it first."
    elif isinstance(obj, (str, bytes)):
        hint = " Text is no number: float(text) makes a new one of it."
    else:
        hint = ""
    error = TypeError(
        f"asarray: expected an array, a Python scalar, a sequence of them, or an object with "
        f"the DLPack or the buffer protocol, got {describe(obj)}.{hint}"
    )
    # Sparse arrays have no __array__, and NumPy would put them into an array of objects.
    if isinstance(obj, type) or not hasattr(obj, "__array__"):
        raise error
    relaxed.require(error)
    return np.asarray(obj)


# --- in -------------------------------------------------------------------------------------------


def check_dtype(function: str, dtype: object) -> torch.dtype | None:
    """Return a ``dtype`` argument, which must be None or one of the namespace's data types."""
    if dtype is None or (isinstance(dtype, torch.dtype) and dtype in dt.ANY):
        return dtype
    error = TypeError(
        f"{function}: dtype must be one of the namespace's data types, got {dtype!r}. "
        f"There are {', '.join(dt.NAMES.values())}."
    )
    if (named := relaxed.meant(dtype)) is not None:
        error = TypeError(f"{error} Write xp.{dt.NAMES[named]}.")
    if isinstance(dtype, int) and function in {"empty", "ones", "zeros"}:
        # NumPy's zeros(2, 3) means the same, and misses the same parentheses.
        error = TypeError(f"{error} A shape of several axes is one tuple, as in zeros((2, 3)).")
    return relaxed.named_dtype(dtype, error)


def _check_copy(function: str, copy: Any) -> bool | None:
    if copy is None or isinstance(copy, bool):
        return copy
    error = TypeError(f"{function}: copy must be True, False or None, got {describe(copy)}.")
    return relaxed.read(copy, bool, error)  # type: ignore[no-any-return]


def _no_copy(said: str) -> CopyNeededError:
    return CopyNeededError(f"{said}, but copy is False. Pass copy=None to allow a copy.")


def _refuse_no_copy(obj: object, copy: bool | None) -> None:
    if copy is False:
        raise _no_copy(f"asarray: {describe(obj)} cannot be used without a copy")


def _adopted_tensor(tensor: torch.Tensor, copy: bool | None) -> torch.Tensor:
    """Return a user's tensor in the form that the namespace works on, or refuse it."""
    if type(tensor) is not torch.Tensor and hasattr(tensor, "device_mesh"):
        raise TypeError(
            f"asarray: a {type(tensor).__name__} of torch's has parts in several processes. Use "
            "distributed.from_dtensor(x), or asarray() of x.to_local() for this process's part."
        )
    if tensor.dtype not in dt.ANY or tensor.layout is not torch.strided or tensor.is_quantized:
        raise TypeError(
            f"asarray: a tensor of {tensor.dtype}, layout {tensor.layout}, is not supported; "
            f"allowed are dense tensors of {', '.join(dt.NAMES.values())}."
        )
    plain = tensor.resolve_conj().resolve_neg()  # the tensor itself unless it is marked
    if copy is False and plain is not tensor:
        raise _no_copy(
            "asarray: the tensor is marked as conjugated or negated and cannot be used without a "
            "copy"
        )
    return plain


def _converted(
    tensor: torch.Tensor,
    dtype: torch.dtype | None,
    device: Device | None,
    copy: bool | None,
    function: str = "asarray",
    convert: Callable[[torch.Tensor, torch.dtype], torch.Tensor] = cast,
    own: Spec | None = None,
) -> Array:
    """Return an array of a data type on a device, copied as little as ``copy`` allows."""
    own = spec_of(tensor) if own is None else own
    dtype = own.dtype if dtype is None else dtype
    device = own.device if device is None else device
    if _loses_imaginary_parts(own.dtype, dtype):
        tensor, own = _real_part(function, tensor, own, dtype)
    result = tensor
    if own.dtype is not dtype or own.device is not device:
        if copy is False:
            change = dt.NAMES[dtype] if own.dtype is not dtype else f"device {device}"
            raise _no_copy(
                f"{function}: an array of {dt.NAMES[own.dtype]} on {own.device} needs a copy to "
                f"become one of {change}"
            )
        if own.device is device:
            result = convert(result, dtype)
        elif device.type == "cpu":  # convert there: exact and cheap for every data type
            result = convert(move(result, device, function, own.device), dtype)
        else:
            result = move(convert(result, dtype), device, function, own.device)
    if copy is True and result is tensor:
        result = movement.clone.on(own)(tensor)
    return wrap(result, spec(dtype, device), tensor, result)


def astype_array(x: Array, dtype: torch.dtype, device: DeviceLike | None, *, copy: bool) -> Array:
    """Return an array converted to a data type, on a device."""
    own = x._spec
    if device is None and dtype is not own.dtype and not _loses_imaginary_parts(own.dtype, dtype):
        return wrap(cast_as_chosen(x._tensor, dtype), own.of(dtype))
    target = x.device if device is None else parse(device, "astype")
    if not copy and dtype is x.dtype and target is x.device:
        return x
    return _converted(
        x._tensor, dtype, target, True if copy else None, "astype", cast_as_chosen, own
    )


def _loses_imaginary_parts(own: torch.dtype, dtype: torch.dtype) -> bool:
    return own in dt.COMPLEX and dtype not in dt.COMPLEX and dtype is not dt.bool


def check_complex(function: str, own: torch.dtype, dtype: torch.dtype) -> None:
    """Check that a conversion loses no imaginary part."""
    if _loses_imaginary_parts(own, dtype):
        raise _imaginary(function, own, dtype)


def _imaginary(function: str, own: torch.dtype, dtype: torch.dtype) -> TypeError:
    return TypeError(
        f"{function}: {dt.NAMES[own]} cannot be converted to {dt.NAMES[dtype]}, which has no "
        "imaginary part. Take real() or imag() of it first."
    )


def _real_part(
    function: str, tensor: torch.Tensor, own: Spec, dtype: torch.dtype
) -> tuple[torch.Tensor, Spec]:
    """Return the real part of a complex tensor, with NumPy's warning, in relaxed mode."""
    relaxed.require(_imaginary(function, own.dtype, dtype))
    numpys.loses_imaginary_parts()
    return OPS["real"].on(own)(tensor), own.real


def move(
    tensor: torch.Tensor,
    device: Device,
    function: str,
    own: Device | None = None,
    *,
    wait: bool = True,
) -> torch.Tensor:
    """Return a tensor on a device, itself if it is there already.

    ``own`` is the device of the array; a tensor alone does not tell a mesh from its devices.  From
    pinned memory an accelerator copies later, if nobody asks to ``wait``.
    """
    check_device(function, device)
    own = device_of(tensor) if own is None else own
    if not device.backend.asynchronous:  # the copy waits anyway, so late errors are raised here
        awaited(tensor, own)
    # From or to a mesh: collect the parts, move the whole, divide it.
    if own is not device and (own.local is not own or device.local is not device):
        there = move(own.backend.collect(tensor), device.local, function)
        placed = device.backend.place(there)
        return placed.clone() if placed is tensor else placed  # a move never shares memory
    check_process(function, own)
    if own is not device:
        if own.backend.asynchronous and not device.backend.asynchronous:
            host_work.moved(function, tensor, own)
        refuse(
            f"{function} copies from {own} to {device}", "Make such arrays outside of the function"
        )
    if own.gone and not tensor.is_contiguous():
        return _salvaged(tensor, device)
    try:
        if device.backend.contiguous and own is not device and not tensor.is_contiguous():
            tensor = movement.copy(tensor)
        most = own.backend.most_dimensions
        if most is not None and tensor.dim() > most and own is not device:
            tensor = dense(tensor, most)
        return tensor.to(device.torch_device, non_blocking=not wait)
    except RuntimeError as error:
        check_move(error, function, own, device, (tensor,))
        raise


def _salvaged(tensor: torch.Tensor, device: Device) -> torch.Tensor:
    """Move a view from a failed device, which cannot even make it contiguous.

    The whole memory is moved, and the view is taken on the other device.
    """
    whole = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    whole.set_(tensor.untyped_storage())
    return (
        whole.to(device.torch_device)
        .as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
        .clone(memory_format=torch.contiguous_format)
    )


def _from_scalar(value: complex, dtype: torch.dtype | None, device: Device) -> Array:
    where = spec(defaults.dtype_of(value) if dtype is None else dtype, device)
    return wrap(scalar_tensor(fitting("asarray", value, where.dtype), where), where)


def fitting(function: str, value: complex, dtype: torch.dtype) -> complex:
    """Return a Python scalar as an element of a data type, which must hold it."""
    if isinstance(value, complex):
        check_complex(function, dt.complex128, dtype)
    if dtype is dt.bool:
        return bool(value)
    return whole(function, value, dtype) if dtype in dt.INTEGER else value  # type: ignore[arg-type]  # refused above


_NUMPY_DTYPES: Final = {
    d: np.dtype("float64" if d is dt.bfloat16 else name) for d, name in dt.NAMES.items()
}
"""For each data type, the NumPy data type through which Python numbers become it."""


def _numbers(obj: Sequence[Any], dtype: torch.dtype | None) -> np.ndarray[Any, Any]:
    try:
        with np.errstate(all="ignore"):  # numbers that are too large become infinite
            return np.array(obj, dtype=None if dtype is None else _NUMPY_DTYPES[dtype])
    except (ValueError, TypeError, OverflowError) as error:
        raise type(error)(f"asarray: the sequence is not an array of numbers: {error}") from error


@constant
def _constant_numbers(
    obj: Sequence[Any], dtype: torch.dtype | None, default: settings.FloatName
) -> tuple[Any, torch.dtype]:
    """Return the numbers of a sequence and their data type, as constants for the compiler."""
    with settings.options(default_float=default):
        array = _from_sequence(obj, dtype, parse("cpu"))
    return array._tensor.tolist(), array.dtype


_FEW: Final = 16
"""The most numbers of a sequence that the compiler traces one by one."""

_REAL: Final = {bool, int, float}


def _traced_from_sequence(
    obj: Sequence[Any], dtype: torch.dtype | None, device: Device | None
) -> Array:
    if _holds_arrays(obj):
        return _stacked(obj, dtype, device)
    if 0 < len(obj) <= _FEW and len(kinds := set(map(type, obj))) == 1 and kinds <= _REAL:
        # Sizes, and numbers that change from call to call, are symbols and no constants.
        target = resolve(device, "asarray")
        parts = [_from_scalar(value, dtype, target) for value in obj]
        return wrap(torch.stack([part._tensor for part in parts]), parts[0]._spec)
    values, dtype = _constant_numbers(obj, dtype, settings.current().default_float)
    where = spec(dtype, resolve(device, "asarray"))
    # Each call gets a new tensor, because the program may write to it.
    tensor = torch.tensor(values, dtype=dtype, device=where.device.torch_device)
    return wrap(tensor, where)


@traced_as(_traced_from_sequence)
def _from_sequence(obj: Sequence[Any], dtype: torch.dtype | None, device: Device | None) -> Array:
    if _holds_arrays(obj):
        return _stacked(obj, dtype, device)
    values = _numbers(obj, dtype)
    if dtype is None:
        dtype = _default_dtype(values, obj)
    return _from_numpy(values, dtype, resolve(device, "asarray"), copy=None)


def _default_dtype(values: np.ndarray[Any, Any], first: Any) -> torch.dtype:
    """Return the default data type for the array that NumPy made of a sequence, ``first``."""
    while isinstance(first, (list, tuple)) and first:
        first = first[0]
    # NumPy's float64 and complex128 are Python scalars too, by inheritance.
    is_numpys = isinstance(first, np.generic) and not isinstance(first, SCALARS)
    if is_numpys and values.dtype.name in _NUMPY_NAMES:
        return dt.BY_NAME[values.dtype.name]
    kind = values.dtype.kind
    if kind in "bifc":
        return defaults.dtype_of(_OF_KIND[kind])
    if kind == "u" or (kind == "O" and all(isinstance(v, int) for v in values.flat)):
        raise OverflowError(
            "asarray: a Python integer in the sequence is out of bounds for "
            f"{dt.NAMES[defaults.int_dtype()]}, the default integer data type. "
            f"Pass dtype={'uint64' if kind == 'u' else 'float64'}."
        )
    raise TypeError(
        "asarray: the sequence holds something that is no bool, int, float or complex. "
        "Convert its elements first."
    )


_OF_KIND: Final[dict[str, complex]] = {"b": False, "i": 0, "f": 0.0, "c": 0j}
"""For each of NumPy's kinds, a Python scalar of it."""


def _holds_arrays(obj: Sequence[Any]) -> bool:
    kinds = set(map(type, obj))
    if any(map(_is_masked, kinds)):
        raise _masked()
    if Array in kinds or any(issubclass(k, torch.Tensor) for k in kinds):
        return True
    if list in kinds or any(issubclass(k, tuple) for k in kinds):
        return any(_holds_arrays(v) for v in obj if isinstance(v, (list, tuple)))
    return False


def _stacked(obj: Sequence[Any], dtype: torch.dtype | None, device: Device | None) -> Array:
    """Join the elements of a sequence, some of them arrays, along a new first axis."""
    parts = [v if isinstance(v, SCALARS) else asarray(v, dtype=dtype, device=device) for v in obj]
    arrays = [p for p in parts if isinstance(p, Array)]
    common = arrays[0]._spec
    for x in arrays[1:]:
        if x.device is not common.device:
            raise mixed_devices("asarray", common.device, x.device)
        common = common.of(promote("asarray", common.dtype, x.dtype))
    if dtype is None:
        for p in parts:
            if not isinstance(p, Array):
                common = common.of(promote_scalar("asarray", p, common.dtype))
    spec = common if dtype is None else common.of(dtype)
    tensors = [
        cast(p._tensor, spec.dtype)
        if isinstance(p, Array)
        else _from_scalar(p, spec.dtype, spec.device)._tensor
        for p in parts
    ]
    shapes = [tuple(t.shape) for t in tensors]
    if len(set(shapes)) > 1:
        raise ValueError(f"asarray: the arrays in the sequence differ in shape: {shapes}.")
    return wrap(movement.concat.on(spec)([t.unsqueeze(0) for t in tensors], 0), spec)


def _from_numpy(
    array: np.ndarray[Any, Any] | np.generic,
    dtype: torch.dtype | None,
    device: Device,
    copy: bool | None,
) -> Array:
    if type(array) is not np.ndarray and _is_masked(type(array)):
        raise _masked()
    values = np.asarray(array)
    name = values.dtype.name
    if name not in _NUMPY_NAMES:
        raise TypeError(
            f"asarray: NumPy's data type {values.dtype} is not supported; allowed are "
            f"{', '.join(_NUMPY_NAMES)}."
        )
    usable = (
        values.dtype.isnative
        and values.flags.writeable
        and all(s >= 0 and s % values.itemsize == 0 for s in values.strides)
        and not isinstance(array, np.generic)
    )
    if not usable and (1 in values.shape or not values.size):
        # NumPy reverses axes of one element too.  Their strides do not matter, but torch refuses
        # negative ones, so make them positive instead of copying.
        empty = not values.size
        ahead = [abs(s) if empty or n == 1 else s for n, s in zip(values.shape, values.strides)]
        if tuple(ahead) != values.strides:
            turned = np.lib.stride_tricks.as_strided(values, strides=ahead)
            return _from_numpy(turned, dtype, device, copy)
    if not usable:
        if copy is False:
            raise _no_copy(
                "asarray: a NumPy scalar, or a NumPy array that is read-only, has negative strides "
                "or another byte order, needs a copy"
            )
        values = np.array(values, dtype=values.dtype.newbyteorder("="), order="C")
        copy = None if copy is True else copy
    # NumPy has several data types of one name, such as ulonglong, and torch knows one of them.
    return _converted(torch.from_numpy(values.view(name)), dtype, device, copy)


def _is_masked(kind: type) -> bool:
    """Say whether a type is that of NumPy's masked arrays, without importing them."""
    return issubclass(kind, np.ndarray) and hasattr(kind, "filled")


def _masked() -> TypeError:
    return TypeError(
        "asarray: an Array cannot say which elements of a NumPy masked array are missing. Give "
        "these a value, as in asarray(x.filled(0)), or pass x.data for the elements without mask."
    )


_NUMPY_NAMES: Final = tuple(n for d, n in dt.NAMES.items() if d is not dt.bfloat16)


def _import(
    x: Any, target: Device | None, copy: bool | None, function: str
) -> tuple[torch.Tensor, bool | None]:
    """Import another library's array by DLPack; its producer moves it to the CPU if asked to.

    Return the tensor, and the ``copy`` that is left to do: a read-only array is copied here.
    """
    source = x.__dlpack_device__()
    arguments = dlpack_arguments(source)
    if target is not None and target.type == "cpu" and source[0] != DLDeviceType.kDLCPU:
        if copy is False:
            on = f"an array on DLPack device {tuple(source)}"
            raise _no_copy(f"{function}: {on} needs a copy to be on the CPU")
        arguments = {"dl_device": (DLDeviceType.kDLCPU, 0)}
    try:
        capsule = x.__dlpack__(**_ASKED, **arguments)
    except TypeError:
        # Producers from before version 2023.12 of the standard take ``stream`` alone.
        arguments.pop("dl_device", None)
        capsule = x.__dlpack__(**arguments)
    turned = capsules.has_negative_strides(capsule)
    read_only = not capsules.is_writable(capsule)
    if copy is False and (turned or read_only):
        why = "it has negative strides" if turned else "its producer does not call it writable"
        raise _no_copy(f"{function}: {describe(x)} needs a copy, because {why}")
    if turned:
        if source[0] != DLDeviceType.kDLCPU:
            raise BufferError(
                f"{function}: {describe(x)} has negative strides, which no tensor can have. Let "
                "its own library make a contiguous copy of it."
            )
        return torch.from_numpy(np.array(np.from_dlpack(x), order="C")), None
    tensor = _adopted_tensor(torch.utils.dlpack.from_dlpack(capsule), copy)
    if read_only:
        return movement.clone.on(spec_of(tensor))(tensor), None
    return tensor, copy


# --- out ------------------------------------------------------------------------------------------


@implements("to_device")
@refusing
def to_device(self: Array, device: DeviceLike, /, *, stream: int | Any | None = None) -> Array:
    """Return an array on a device; itself if it is there already."""
    target = parse(device, "to_device")
    with stream_context(self.device if self.device.type != "cpu" else target, stream):
        if target is self.device:
            return self
        moved = move(self._tensor, target, "to_device", self.device)
        if stream is not None:
            self.device.backend.used_here(self._tensor)
    if stream is not None:  # its memory was allocated on the other stream
        target.backend.used_here(moved)
    return wrap(moved, spec(self.dtype, target), self)


@implements("__dlpack_device__")
def dlpack_device(x: Array, /) -> tuple[DLDeviceType, int]:
    """Return DLPack's type and number of the device of an array."""
    device = x.device.local
    named = device.backend.dlpack
    if named is None:
        raise BufferError(f"__dlpack_device__: DLPack has no name for {device}.")
    return named, device.index or 0


@implements("__dlpack__")
def to_dlpack(
    x: Array,
    /,
    *,
    stream: int | Any | None = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Return a DLPack capsule of an array."""
    copy = _check_copy("__dlpack__", copy)
    # The consumer cannot be told of late errors, and may write without torch's knowledge.
    tensor, own = released(x), dlpack_device(x)
    divided = x.device.backend.divided_axis(tensor) is not None
    if divided and copy is False:
        parts = f"an array of which there are parts, on {x.device},"
        raise _no_copy(f"__dlpack__: {parts} needs a copy to be exported as a whole")
    if tensor.requires_grad:
        raise BufferError(
            "__dlpack__: the array takes part in autograd, which DLPack cannot express. "
            "Export asarray(to_torch(x).detach()) instead."
        )
    if own[0] == DLDeviceType.kDLCPU and stream is not None:
        raise ValueError(
            f"__dlpack__: the CPU has no streams, so stream must be None, not {stream}."
        )
    if dl_device is not None and tuple(dl_device) != tuple(own):
        if tuple(dl_device) != (DLDeviceType.kDLCPU, 0):
            raise BufferError(
                f"__dlpack__: cannot export from {x.device} to DLPack device {tuple(dl_device)}; "
                f"allowed are {tuple(map(int, own))} and the CPU, (1, 0)."
            )
        if copy is False:
            raise _no_copy(f"__dlpack__: an array on {x.device} needs a copy to be on the CPU")
        if stream is not None:
            raise ValueError("__dlpack__: an export to the CPU takes no stream.")
        tensor = x.device.backend.collect(tensor, "__dlpack__")
        tensor, copy = move(tensor, parse("cpu"), "__dlpack__"), None
    if copy is True and not divided:
        tensor = movement.clone.on(x._spec)(tensor)
    tensor = x.device.backend.collect(tensor, "__dlpack__")
    if not _VERSIONED:  # the protocol allows a capsule of a version before 1.0
        return tensor.__dlpack__(stream=stream)
    capsule = tensor.__dlpack__(stream=stream, max_version=max_version)
    if is_repeated(tensor):
        capsules.forbid_writing(capsule)
    return capsule


def _of_special() -> str:
    """Say it if SciPy asks because ``special`` lacks a function, and what to write instead."""
    name = ufunc_of_user()
    advice = names("special").get(name)
    return f" special has no function {name}: write {advice}." if advice else ""


@implements("__array__")
def to_numpy(x: Array, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
    """Return an array as a NumPy array, sharing memory where possible."""
    if x.device.type != "cpu":
        error = TypeError(
            f"__array__: the array is on {x.device}, where NumPy cannot reach it. Move it with "
            f'to_device("cpu") first.{_of_special()}'
        )
        if copy is False:
            raise error
        relaxed.require(error)
        reason = "NumPy computes on the host alone"
        host_work.check("__array__", x._spec, reason, x.shape)
        moved = move(x._tensor, parse("cpu"), "__array__", x.device)
        host_work.record("__array__", x._spec, reason, x._tensor.nbytes)
        return to_numpy(wrap(moved, spec(x.dtype, parse("cpu"))), dtype, copy)
    if x.dtype is dt.bfloat16:
        raise TypeError("__array__: NumPy has no bfloat16. Convert it with astype() first.")
    if x._tensor.requires_grad:
        raise TypeError(
            "__array__: the array takes part in autograd, which NumPy cannot express. "
            "Convert asarray(to_torch(x).detach()) instead."
        )
    values = x._tensor.numpy()
    if is_repeated(x._tensor):
        values.flags.writeable = False
    wanted = values.dtype if dtype is None else np.dtype(dtype)
    if copy is False and wanted != values.dtype:
        raise _no_copy(f"__array__: {values.dtype} needs a copy to become {wanted}")
    return values.astype(wanted, copy=copy is True)


# --- pickles --------------------------------------------------------------------------------------


@implements("__reduce_ex__")
def pickled(x: Array, protocol: Any, /) -> tuple[Any, ...]:
    """Return the state of an array for pickle: its elements, not the whole memory of a view.

    Arrays are pickled as NumPy arrays, those of bfloat16 as the same bits.  Equal arrays then give
    equal bytes, as ``joblib.hash`` needs, and picklers can avoid a copy or map a file.  The pickle
    of a tensor differs from process to process.  ``torch.save`` uses protocol 2, and handles
    tensors itself.
    """
    if x.device.local is not x.device:
        raise TypeError(
            f"pickle: the array is on {x.device}, of which a process has a part. Pickle what "
            "to_device('cpu') gives, or save the parts with torch.distributed.checkpoint."
        )
    tensor = awaited(x._tensor, x._spec.device)
    elements: Any
    place: tuple[str, ...] = ()
    if protocol > 2 and not (tensor.requires_grad or tensor.is_meta):
        # torch_npu warns of the form in which torch pickles a tensor of a device.
        elements = np.asarray(_plainer(move(tensor, parse("cpu"), "pickle")).numpy(), order="C")
        place = () if x.device.type == "cpu" else (str(x.device),)
    else:
        if tensor.untyped_storage().nbytes() != tensor.numel() * tensor.element_size():
            tensor = tensor.detach().clone().requires_grad_(tensor.requires_grad)
        # torch pickles wide unsigned integers, but cannot read them back.
        elements = tensor.view(dt.SIGNED_OF[x.dtype]) if x.dtype in dt.WIDE_UNSIGNED else tensor
    return copyreg.__newobj__, (Array,), (elements, x.dtype, *place)  # type: ignore[attr-defined]


def _plainer(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor of a data type that NumPy has, of the same bits."""
    return tensor.view(dt.int16) if tensor.dtype is dt.bfloat16 else tensor


@implements("__setstate__")
def _unpickled(x: Array, state: tuple[Any, ...], /) -> None:
    """Restore a state from ``pickled``; refuse any other, because files may come from anybody."""
    elements, dtype, device = None, None, "cpu"
    if type(state) is tuple and len(state) in {2, 3}:
        elements, dtype, *place = state
        device = place[0] if place else device
    if isinstance(elements, np.ndarray) and type(device) is str:
        there = parse(device, "unpickle")
        tensor = _from_numpy(elements, None, parse("cpu"), None)._tensor
        bits = dtype is dt.bfloat16 and tensor.dtype is dt.int16
        x._tensor = move(tensor.view(dt.bfloat16) if bits else tensor, there, "unpickle")
    elif type(elements) is torch.Tensor and dtype in dt.ANY and _holds(elements, dtype):
        x._tensor = elements if elements.dtype is dtype else elements.view(dtype)
    else:
        raise pickle.UnpicklingError(
            "unpickle: an Array is made of a tensor of one of the namespace's data types, got "
            f"{describe(elements)}."
        )
    x._spec = spec_of(x._tensor)


def _holds(elements: torch.Tensor, dtype: torch.dtype) -> bool:
    """Say whether a tensor is of the form in which a data type is pickled."""
    stored = dt.SIGNED_OF[dtype] if dtype in dt.WIDE_UNSIGNED else dtype
    return elements.dtype in {stored, dtype} and elements.layout is torch.strided


# Between processes, torch passes tensors through shared memory; arrays go the same way.
ForkingPickler.register(Array, lambda x: pickled(x, 2))
