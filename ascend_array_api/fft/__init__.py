"""Fourier transforms.

https://data-apis.org/array-api/2023.12/extensions/fourier_transform_functions.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from .._arrays.array import Array, wrap
from .._arrays.axes import as_int, held, normalize_axes, normalize_axis
from .._calls.elementwise import call
from .._calls.interchange import check_dtype
from .._calls.operands import operand
from .._calls.plainest import REFUSED, first, plainest
from .._chapters.creation import known_target
from .._devices.device import DeviceLike, spec
from .._errors.exceptions import describe, wrong_dtype
from .._errors.foreign_calls import refusing
from .._errors.foreign_names import complete
from .._options import relaxed
from .._options.defaults import float_dtype, resolve
from .._routes import fourier as ops
from .._routes import movement
from .._torch import dtypes as dt
from .._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from .._devices.device import Spec
    from .._routes._operations import Op

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]

F = TypeVar("F", bound="Callable[..., Any]")
Norm: TypeAlias = Literal["backward", "ortho", "forward"]

_NORMS: Final = ("backward", "ortho", "forward")


def _checked(op: Op, x: object, norm: object) -> tuple[str, Tensor, Spec]:
    """Check the arguments that all transforms have; return the name, the operand and its spec."""
    function = f"fft.{op.name}"
    tensor, spec = operand(function, x, op.dtypes)
    if norm != "backward" and norm not in _NORMS:
        raise ValueError(
            f"{function}: norm must be 'backward', 'ortho' or 'forward', got {norm!r}."
        )
    return function, tensor, spec


def _plainest_along_one(op: Op, transform: Callable[..., Tensor]) -> Callable[[F], F]:
    """Turn a body into a function whose plainest calls, along a whole axis, are torch's."""
    return plainest(
        "x: array, n: None, axis: int if norm in norms",
        # Torch is faster with its defaults.
        "transform(tensor) if axis == -1 and norm == 'backward' "
        "else transform(tensor, None, axis, norm)",
        plain=op,
        returns="plain[spec]",
        norms=_NORMS,
        transform=transform,
    )


def _plainest_along_all(op: Op, transform: Callable[..., Tensor]) -> Callable[[F], F]:
    """Turn a body into a function whose plainest calls, along all axes, are torch's."""
    return plainest(
        "x: array, s: None, axes: None if ndim and norm in norms",
        "transform(tensor) if norm == 'backward' else transform(tensor, norm=norm)",
        plain=op,
        returns="plain[spec]",
        norms=_NORMS,
        transform=transform,
    )


def _shift(function: Callable[..., Tensor], *, inverse: bool) -> Callable[..., Array | None]:
    """Return the shortcut of a shift along all axes; it returns None for other calls."""
    plain = movement.roll.plain
    several, native = movement.roll_several.table, movement.roll_several.native

    def shifted(x: Any, axes: Any) -> Array | None:
        if axes is not None or type(x) is not Array:
            return None
        tensor, spec = x._tensor, x._spec
        if spec.dtype not in dt.FLOATING or spec not in plain:
            return None
        try:
            if (ndim := tensor.dim()) < 2 or (kernel := several[spec]) is native:
                made = function(tensor)
            else:
                over = tuple(range(ndim))
                made = kernel(tensor, _shifts(tensor.shape, over, inverse=inverse), over)
        except (KeyError, *REFUSED):
            return None
        return wrap(made, spec)

    return shifted


def _too_few(function: str, points: int, x: Tensor, axis: int) -> ValueError:
    return ValueError(
        f"{function}: a transform needs at least 1 point; axis {axis} of an array of shape "
        f"{tuple(x.shape)} was to have {points}. Name another number of points: the axis is "
        "trimmed or padded with zeros."
    )


def _along_one(
    op: Op, x: object, n: object, axis: object, norm: object, *, from_half: bool = False
) -> Array:
    """Transform along one axis, with all checks; ``from_half`` means from half a spectrum."""
    function, tensor, spec = _checked(op, x, norm)
    along = normalize_axis(function, axis, tensor.dim())
    size = tensor.shape[along]
    whole = 2 * (size - 1) if from_half else size
    points = whole if n is None else held(function, as_int(function, n, "n"), "n")
    if points < 1:
        raise _too_few(function, points, tensor, along)
    made = call(op, spec, function, tensor, points=points, axes=along, norm=norm)
    return wrap(made, op.result(spec))


def _along_several(
    op: Op, x: object, s: Any, axes: Any, norm: object, *, from_half: bool = False
) -> Array:
    """Transform along several axes, with all checks; ``from_half`` means from half a spectrum."""
    function, tensor, spec = _checked(op, x, norm)
    if axes is None and s is not None:
        error = ValueError(f"{function}: s says nothing without axes. Name the axes as well.")
        axes = relaxed.last_axes(s, error)
    for name, argument in (("s", s), ("axes", axes)):
        if argument is not None and not isinstance(argument, (tuple, list)):
            raise TypeError(
                f"{function}: {name} must be a tuple or a list of integers, "
                f"got {describe(argument)}."
            )
    shape = tensor.shape
    over = list(normalize_axes(function, axes, len(shape)))
    whole = [shape[i] for i in over]
    if from_half and whole:
        whole[-1] = 2 * (whole[-1] - 1)
    points = whole
    if s is not None:
        asked = [held(function, as_int(function, n, "s"), "s") for n in s]
        if len(asked) != len(over):
            raise ValueError(f"{function}: s and axes must be of one length, got {s} and {axes}.")
        points = [size if n == -1 else n for n, size in zip(asked, whole)]
    for i, n in zip(over, points):
        if n < 1:
            raise _too_few(function, n, tensor, i)
    if not over:
        if op.returns != "same":
            raise ValueError(f"{function}: expected at least one axis to transform, got none.")
        return wrap(movement.copy.on(spec)(tensor), spec)
    made = call(op, spec, function, tensor, points=points, axes=over, norm=norm)
    return wrap(made, op.result(spec))


def _shifts(shape: Sequence[int], over: tuple[int, ...], *, inverse: bool) -> tuple[int, ...]:
    return tuple([-(shape[i] // 2) if inverse else shape[i] // 2 for i in over])


def _shifted(function: str, x: object, axes: Any, *, inverse: bool) -> Array:
    """Rotate axes by half their sizes, with all checks."""
    tensor, spec = operand(function, x, dt.FLOATING)
    shape = tensor.shape
    over = normalize_axes(function, axes, len(shape))
    if not over:
        return wrap(movement.copy.on(spec)(tensor), spec)
    shifts = _shifts(shape, over, inverse=inverse)
    roll = movement.roll if len(over) == 1 else movement.roll_several
    return wrap(roll.on(spec)(tensor, shifts, over), spec)


def _frequencies(
    function: str,
    n: object,
    d: Any,
    dtype: dt.DType | None,
    device: DeviceLike | None,
    *,
    negative: bool,
) -> Array:
    """Calculate the frequencies of a transform, with all checks."""
    points = held(function, as_int(function, n, "n"), "n")
    if points < 1:
        raise ValueError(f"{function}: n must be at least 1, got {n}.")
    if not isinstance(d, (int, float)) or isinstance(d, bool):
        raise TypeError(f"{function}: d must be a float or an int, got {describe(d)}.")
    if d == 0:
        raise ValueError(f"{function}: d, the spacing of the samples, must not be 0.")
    made = known_target(dtype, device)
    if made is None or made.dtype not in dt.REAL_FLOATING:
        dtype = check_dtype(function, dtype)
        if dtype is None:
            dtype = float_dtype()
        elif dtype not in dt.REAL_FLOATING:
            raise wrong_dtype(function, dtype, dt.REAL_FLOATING, "Choose one of them as dtype.")
        made = spec(dtype, resolve(device, function))
    first, last = (-(points // 2), (points - 1) // 2) if negative else (0, points // 2)
    length = points * float(d)
    kernel = ops.frequencies.on(made)
    return wrap(kernel(first, last, length, made.dtype, made.device.torch_device), made)


@_plainest_along_one(ops.fft, torch.fft.fft)
def fft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Calculate the discrete Fourier transform along an axis.

    See https://data-apis.org/array-api/2023.12/extensions/generated/array_api.fft.fft.html

    Parameters
    ----------
    x : Array
        A complex array.
    n : int, optional
        The number of points; by default the size of the axis.  A shorter axis is padded with
        zeros, a longer one trimmed.
    axis : int, optional
        The axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        The normalization: none, by ``1/sqrt(n)`` or by ``1/n``.

    Returns
    -------
    Array
        An array of the same data type, with ``n`` elements along the axis.

    Raises
    ------
    TypeError
        If ``x`` is not complex; astype() makes it so.
    ValueError
        If there would be no points, or for another ``norm``.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([1.0, 0.0, 0.0, 0.0], dtype=xp.complex64)
    >>> xp.fft.fft(x)
    Array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64, device='cpu')
    """
    return _along_one(ops.fft, x, n, axis, norm)


@_plainest_along_one(ops.ifft, torch.fft.ifft)
def ifft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Calculate the inverse discrete Fourier transform along an axis.

    It undoes ``fft`` with the same arguments.

    See https://data-apis.org/array-api/2023.12/extensions/generated/array_api.fft.ifft.html

    Parameters
    ----------
    x : Array
        A complex array.
    n : int, optional
        The number of points; by default the size of the axis.  A shorter axis is padded with
        zeros, a longer one trimmed.
    axis : int, optional
        The axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        The normalization: by ``1/n``, by ``1/sqrt(n)`` or none.

    Returns
    -------
    Array
        An array of the same data type, with ``n`` elements along the axis.

    Raises
    ------
    TypeError
        If ``x`` is not complex; astype() makes it so.
    ValueError
        If there would be no points, or for another ``norm``.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([4.0, 0.0, 0.0, 0.0], dtype=xp.complex64)
    >>> xp.fft.ifft(x)
    Array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64, device='cpu')
    """
    return _along_one(ops.ifft, x, n, axis, norm)


@_plainest_along_all(ops.fftn, torch.fft.fftn)
def fftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Array:
    """Calculate the discrete Fourier transform along several axes.

    See https://data-apis.org/array-api/2023.12/extensions/generated/array_api.fft.fftn.html

    Parameters
    ----------
    x : Array
        A complex array.
    s : sequence of int, optional
        The number of points along each of the ``axes``; -1, and the default, stand for the size
        of the axis.  A shorter axis is padded with zeros, a longer one trimmed.
    axes : sequence of int, optional
        The axes to transform, none twice; by default all.
    norm : {"backward", "ortho", "forward"}, optional
        The normalization: none, by ``1/sqrt(n)`` or by ``1/n``.
        Here ``n`` is the product of the numbers of points.

    Returns
    -------
    Array
        An array of the same data type, with ``s[i]`` elements along ``axes[i]``.

    Raises
    ------
    TypeError
        If ``x`` is not complex; astype() makes it so.
    ValueError
        If there would be no points, for ``s`` without ``axes`` or of another length, for an axis
        given twice, or for another ``norm``.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1.0, 1.0], [1.0, 1.0]], dtype=xp.complex64)
    >>> xp.fft.fftn(x)
    Array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], dtype=complex64, device='cpu')
    """
    return _along_several(ops.fftn, x, s, axes, norm)


@_plainest_along_all(ops.ifftn, torch.fft.ifftn)
def ifftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Array:
    """Calculate the inverse discrete Fourier transform along several axes.

    It undoes ``fftn`` with the same arguments.

    See https://data-apis.org/array-api/2023.12/extensions/generated/array_api.fft.ifftn.html

    Parameters
    ----------
    x : Array
        A complex array.
    s : sequence of int, optional
        The number of points along each of the ``axes``; -1, and the default, stand for the size
        of the axis.  A shorter axis is padded with zeros, a longer one trimmed.
    axes : sequence of int, optional
        The axes to transform, none twice; by default all.
    norm : {"backward", "ortho", "forward"}, optional
        The normalization: by ``1/n``, by ``1/sqrt(n)`` or none.
        Here ``n`` is the product of the numbers of points.

    Returns
    -------
    Array
        An array of the same data type, with ``s[i]`` elements along ``axes[i]``.

    Raises
    ------
    TypeError
        If ``x`` is not complex; astype() makes it so.
    ValueError
        If there would be no points, for ``s`` without ``axes`` or of another length, for an axis
        given twice, or for another ``norm``.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[4.0, 0.0], [0.0, 0.0]], dtype=xp.complex64)
    >>> xp.fft.ifftn(x)
    Array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]], dtype=complex64, device='cpu')
    """
    return _along_several(ops.ifftn, x, s, axes, norm)


@_plainest_along_one(ops.rfft, torch.fft.rfft)
def rfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Calculate the discrete Fourier transform of real numbers along an axis.

    The second half of such a spectrum mirrors the first and is left out.

    See https://data-apis.org/array-api/2023.12/extensions/generated/array_api.fft.rfft.html

    Parameters
    ----------
    x : Array
        An array of float32 or float64.
    n : int, optional
        The number of points; by default the size of the axis.  A shorter axis is padded with
        zeros, a longer one trimmed.
    axis : int, optional
        The axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        The normalization: none, by ``1/sqrt(n)`` or by ``1/n``.

    Returns
    -------
    Array
        An array of the complex data type of the same precision, with ``n // 2 + 1`` elements
        along the axis.

    Raises
    ------
    TypeError
        If ``x`` is of another data type than float32 and float64.
    ValueError
        If there would be no points, or for another ``norm``.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([1.0, 2.0, 1.0, 2.0])
    >>> xp.fft.rfft(x)
    Array([ 6.+0.j,  0.+0.j, -2.+0.j], dtype=complex64, device='cpu')
    """
    return _along_one(ops.rfft, x, n, axis, norm)


@_plainest_along_one(ops.irfft, torch.fft.irfft)
def irfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Calculate the inverse of ``rfft``: real numbers from the first half of their spectrum.

    It undoes ``rfft`` for the same ``n``, which must be named where it is odd.

    See https://data-apis.org/array-api/2023.12/extensions/generated/array_api.fft.irfft.html

    Parameters
    ----------
    x : Array
        A complex array.
    n : int, optional
        The number of points of the result along the axis; by default ``2 * (m - 1)`` for an axis
        of size ``m``.  The axis is padded with zeros or trimmed to ``n // 2 + 1``.
    axis : int, optional
        The axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        The normalization: by ``1/n``, by ``1/sqrt(n)`` or none.

    Returns
    -------
    Array
        An array of the real data type of the same precision, with ``n`` elements along the
        axis.

    Raises
    ------
    TypeError
        If ``x`` is not complex; astype() makes it so.
    ValueError
        If there would be no points, or for another ``norm``.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([6.0, 0.0, -2.0], dtype=xp.complex64)
    >>> xp.fft.irfft(x)
    Array([1., 2., 1., 2.], dtype=float32, device='cpu')
    """
    return _along_one(ops.irfft, x, n, axis, norm, from_half=True)


@_plainest_along_all(ops.rfftn, torch.fft.rfftn)
def rfftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Array:
    """Calculate the discrete Fourier transform of real numbers along several axes.

    Along the last of the axes the second half, which mirrors the first, is left out.

    See https://data-apis.org/array-api/2023.12/extensions/generated/array_api.fft.rfftn.html

    Parameters
    ----------
    x : Array
        An array of float32 or float64.
    s : sequence of int, optional
        The number of points along each of the ``axes``; -1, and the default, stand for the size
        of the axis.  A shorter axis is padded with zeros, a longer one trimmed.
    axes : sequence of int, optional
        The axes to transform, none twice; by default all.
    norm : {"backward", "ortho", "forward"}, optional
        The normalization: none, by ``1/sqrt(n)`` or by ``1/n``.
        Here ``n`` is the product of the numbers of points.

    Returns
    -------
    Array
        An array of the complex data type of the same precision, with ``s[-1] // 2 + 1``
        elements along the last of the ``axes``.

    Raises
    ------
    TypeError
        If ``x`` is of another data type than float32 and float64.
    ValueError
        If there would be no points, for ``s`` without ``axes`` or of another length, for an axis
        given twice, or for another ``norm``.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1.0, 1.0], [1.0, 1.0]])
    >>> xp.fft.rfftn(x)
    Array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], dtype=complex64, device='cpu')
    """
    return _along_several(ops.rfftn, x, s, axes, norm)


@_plainest_along_all(ops.irfftn, torch.fft.irfftn)
def irfftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Array:
    """Calculate the inverse of ``rfftn``.

    It undoes ``rfftn`` for the same ``s``, which must be named where its last number is odd.

    See https://data-apis.org/array-api/2023.12/extensions/generated/array_api.fft.irfftn.html

    Parameters
    ----------
    x : Array
        A complex array.
    s : sequence of int, optional
        The number of points of the result along each of the ``axes``; -1, and the default, stand
        for the size ``m`` of the axis, or for ``2 * (m - 1)`` on the last one.  The other axes are
        padded with zeros or trimmed to that, the last one to ``s[-1] // 2 + 1``.
    axes : sequence of int, optional
        The axes to transform, none twice; by default all.
    norm : {"backward", "ortho", "forward"}, optional
        The normalization: by ``1/n``, by ``1/sqrt(n)`` or none.
        Here ``n`` is the product of the numbers of points.

    Returns
    -------
    Array
        An array of the real data type of the same precision, with ``s[i]`` elements along
        ``axes[i]``.

    Raises
    ------
    TypeError
        If ``x`` is not complex; astype() makes it so.
    ValueError
        If there would be no points, for ``s`` without ``axes`` or of another length, for an axis
        given twice, or for another ``norm``.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[4.0, 0.0], [0.0, 0.0]], dtype=xp.complex64)
    >>> xp.fft.irfftn(x)
    Array([[1., 1.],
           [1., 1.]], dtype=float32, device='cpu')
    """
    return _along_several(ops.irfftn, x, s, axes, norm, from_half=True)


@_plainest_along_one(ops.hfft, torch.fft.hfft)
def hfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Calculate the discrete Fourier transform of a signal with Hermitian symmetry.

    Of such a signal, whose second half mirrors the first, only the first half is given; its
    spectrum is real.

    See https://data-apis.org/array-api/2023.12/extensions/generated/array_api.fft.hfft.html

    Parameters
    ----------
    x : Array
        A complex array.
    n : int, optional
        The number of points of the result along the axis; by default ``2 * (m - 1)`` for an axis
        of size ``m``.  The axis is padded with zeros or trimmed to ``n // 2 + 1``.
    axis : int, optional
        The axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        The normalization: none, by ``1/sqrt(n)`` or by ``1/n``.

    Returns
    -------
    Array
        An array of the real data type of the same precision, with ``n`` elements along the
        axis.

    Raises
    ------
    TypeError
        If ``x`` is not complex; astype() makes it so.
    ValueError
        If there would be no points, or for another ``norm``.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([1.0, 2.0, 3.0], dtype=xp.complex64)
    >>> xp.fft.hfft(x)
    Array([ 8., -2.,  0., -2.], dtype=float32, device='cpu')
    """
    return _along_one(ops.hfft, x, n, axis, norm, from_half=True)


@_plainest_along_one(ops.ihfft, ops.conjugate_half)
def ihfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Calculate the inverse of ``hfft``: half of a signal from its real spectrum.

    It undoes ``hfft`` for the same ``n``.

    See https://data-apis.org/array-api/2023.12/extensions/generated/array_api.fft.ihfft.html

    Parameters
    ----------
    x : Array
        An array of float32 or float64.
    n : int, optional
        The number of points; by default the size of the axis.  A shorter axis is padded with
        zeros, a longer one trimmed.
    axis : int, optional
        The axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        The normalization: by ``1/n``, by ``1/sqrt(n)`` or none.

    Returns
    -------
    Array
        An array of the complex data type of the same precision, with ``n // 2 + 1`` elements
        along the axis.

    Raises
    ------
    TypeError
        If ``x`` is of another data type than float32 and float64.
    ValueError
        If there would be no points, or for another ``norm``.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([8.0, -2.0, 0.0, -2.0])
    >>> xp.real(xp.fft.ihfft(x))
    Array([1., 2., 3.], dtype=float32, device='cpu')
    """
    return _along_one(ops.ihfft, x, n, axis, norm)


@refusing
def fftfreq(
    n: int, /, *, d: float = 1.0, dtype: dt.DType | None = None, device: DeviceLike | None = None
) -> Array:
    """Calculate the frequencies at which ``fft`` samples a spectrum.

    They are ``[0, 1, ..., (n - 1) // 2, -(n // 2), ..., -1] / (d * n)``.

    See https://data-apis.org/array-api/2024.12/extensions/generated/array_api.fft.fftfreq.html

    Parameters
    ----------
    n : int
        The number of points of the transform.
    d : float, optional
        The spacing of the samples.
    dtype : dtype, optional
        A real floating-point data type; by default float32.
    device : Device or str, optional
        Where to make the array; by default on the default device.

    Returns
    -------
    Array
        An array of one dimension.

    Raises
    ------
    TypeError
        If ``n`` is not an integer, ``d`` not a real number, or ``dtype`` not a real floating-point
        data type.
    ValueError
        If ``n`` is less than 1, ``d`` is 0, or there is no such device.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.fft.fftfreq(4, d=0.5)
    Array([ 0. ,  0.5, -1. , -0.5], dtype=float32, device='cpu')
    """
    return _frequencies("fft.fftfreq", n, d, dtype, device, negative=True)


@refusing
def rfftfreq(
    n: int, /, *, d: float = 1.0, dtype: dt.DType | None = None, device: DeviceLike | None = None
) -> Array:
    """Calculate the frequencies at which ``rfft`` samples a spectrum.

    They are ``[0, 1, ..., n // 2] / (d * n)``; the last one counts as positive.

    See https://data-apis.org/array-api/2024.12/extensions/generated/array_api.fft.rfftfreq.html

    Parameters
    ----------
    n : int
        The number of points of the transform.
    d : float, optional
        The spacing of the samples.
    dtype : dtype, optional
        A real floating-point data type; by default float32.
    device : Device or str, optional
        Where to make the array; by default on the default device.

    Returns
    -------
    Array
        An array of one dimension.

    Raises
    ------
    TypeError
        If ``n`` is not an integer, ``d`` not a real number, or ``dtype`` not a real floating-point
        data type.
    ValueError
        If ``n`` is less than 1, ``d`` is 0, or there is no such device.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.fft.rfftfreq(4, d=0.5)
    Array([0. , 0.5, 1. ], dtype=float32, device='cpu')
    """
    return _frequencies("fft.rfftfreq", n, d, dtype, device, negative=False)


@first(_shift(torch.fft.fftshift, inverse=False))
def fftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Shift the frequency 0 from the front to the middle of a spectrum.

    See https://data-apis.org/array-api/2023.12/extensions/generated/array_api.fft.fftshift.html

    Parameters
    ----------
    x : Array
        An array of a floating-point data type.
    axes : int or sequence of int, optional
        The axes to shift, none twice; by default all.

    Returns
    -------
    Array
        An array of the same data type and shape.

    Raises
    ------
    TypeError
        If ``x`` is not of a floating-point data type.
    ValueError
        If an axis is given twice.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.fft.fftshift(xp.fft.fftfreq(5, d=0.2))
    Array([-2., -1.,  0.,  1.,  2.], dtype=float32, device='cpu')
    """
    return _shifted("fft.fftshift", x, axes, inverse=False)


@first(_shift(torch.fft.ifftshift, inverse=True))
def ifftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Shift the frequency 0 from the middle to the front of a spectrum: undo ``fftshift``.

    The two differ for axes of odd size.

    See https://data-apis.org/array-api/2023.12/extensions/generated/array_api.fft.ifftshift.html

    Parameters
    ----------
    x : Array
        An array of a floating-point data type.
    axes : int or sequence of int, optional
        The axes to shift, none twice; by default all.

    Returns
    -------
    Array
        An array of the same data type and shape.

    Raises
    ------
    TypeError
        If ``x`` is not of a floating-point data type.
    ValueError
        If an axis is given twice.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.fft.ifftshift(xp.asarray([-2.0, -1.0, 0.0, 1.0, 2.0]))
    Array([ 0.,  1.,  2., -2., -1.], dtype=float32, device='cpu')
    """
    return _shifted("fft.ifftshift", x, axes, inverse=True)


complete(globals())
