"""Transforms: along one axis, or along several.

https://data-apis.org/array-api/2023.12/extensions/fourier_transform_functions.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, TypeAlias, TypeVar

from .._arrays.array import Array, wrap
from .._arrays.axes import as_int, held, normalize_axes, normalize_axis
from .._calls.elementwise import call
from .._calls.operands import operand
from .._calls.plainest import plainest
from .._devices.device import Spec
from .._errors.exceptions import describe
from .._options import relaxed
from .._routes import fourier as ops
from .._routes import movement
from .._routes._operations import Op
from .._torch import Tensor, torch

__all__ = ["fft", "fftn", "hfft", "ifft", "ifftn", "ihfft", "irfft", "irfftn", "rfft", "rfftn"]

F = TypeVar("F", bound="Callable[..., Any]")
Norm: TypeAlias = Literal["backward", "ortho", "forward"]
Several: TypeAlias = Sequence[int] | None
"""Numbers of points, or axes; None for all."""

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


def _plainest(
    op: Op, transform: Callable[..., Tensor], form: str, compute: str
) -> Callable[[F], F]:
    """Turn a body into a function whose plainest calls are torch's."""
    result = "kernels[spec].plain"
    return plainest(form, compute, plain=op, returns=result, norms=_NORMS, transform=transform)


# Torch is faster with its defaults.
_ALONG_ONE: Final = (
    "x: array, n: None, axis: int if norm in norms",
    (
        "transform(tensor) if axis == -1 and norm == 'backward' "
        "else transform(tensor, None, axis, norm)"
    ),
)
_ALONG_ALL: Final = (
    "x: array, s: None, axes: None if ndim and norm in norms",
    "transform(tensor) if norm == 'backward' else transform(tensor, norm=norm)",
)
# Half a spectrum does not tell how many points there were.
_TO_POINTS: Final = (
    "x: array, n: count, axis: int if n and norm in norms",
    "transform(tensor, n, axis, norm)",
)
_TO_SEVERAL: Final = (
    "x: array, s: sizes, axes: integers if 1 not in s and norm in norms",
    "transform(tensor, s, axes, norm)",
)


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


def _several(function: str, name: str, given: Any) -> Any:
    """Return sizes or axes, which must be a sequence of integers if they are given."""
    if given is None or isinstance(given, (tuple, list)):
        return given
    error = f"{function}: {name} must be a tuple or a list of integers, got {describe(given)}."
    return relaxed.read(given, tuple, TypeError(error))


def _along_several(
    op: Op, x: object, s: Any, axes: Any, norm: object, *, from_half: bool = False
) -> Array:
    """Transform along several axes, with all checks; ``from_half`` means from half a spectrum."""
    function, tensor, spec = _checked(op, x, norm)
    s, axes = _several(function, "s", s), _several(function, "axes", axes)
    if axes is None and s is not None:
        error = ValueError(f"{function}: s says nothing without axes. Name the axes as well.")
        relaxed.require(error)
        axes = tuple(range(-len(s), 0))
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


@_plainest(ops.fft, torch.fft.fft, *_ALONG_ONE)
def fft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Calculate the discrete Fourier transform along an axis.

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


@_plainest(ops.ifft, torch.fft.ifft, *_ALONG_ONE)
def ifft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Calculate the inverse discrete Fourier transform along an axis.

    It undoes ``fft`` with the same arguments.

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


@_plainest(ops.fftn, torch.fft.fftn, *_ALONG_ALL)
def fftn(x: Array, /, *, s: Several = None, axes: Several = None, norm: Norm = "backward") -> Array:
    """Calculate the discrete Fourier transform along several axes.

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


@_plainest(ops.ifftn, torch.fft.ifftn, *_ALONG_ALL)
def ifftn(
    x: Array, /, *, s: Several = None, axes: Several = None, norm: Norm = "backward"
) -> Array:
    """Calculate the inverse discrete Fourier transform along several axes.

    It undoes ``fftn`` with the same arguments.

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


@_plainest(ops.rfft, torch.fft.rfft, *_ALONG_ONE)
def rfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Calculate the discrete Fourier transform of real numbers along an axis.

    The second half of such a spectrum mirrors the first and is left out.

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


@_plainest(ops.irfft, torch.fft.irfft, *_ALONG_ONE)
@_plainest(ops.irfft, torch.fft.irfft, *_TO_POINTS)
def irfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Calculate the inverse of ``rfft``: real numbers from the first half of their spectrum.

    It undoes ``rfft`` for the same ``n``, which must be named where it is odd.

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


@_plainest(ops.rfftn, torch.fft.rfftn, *_ALONG_ALL)
def rfftn(
    x: Array, /, *, s: Several = None, axes: Several = None, norm: Norm = "backward"
) -> Array:
    """Calculate the discrete Fourier transform of real numbers along several axes.

    Along the last of the axes the second half, which mirrors the first, is left out.

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


@_plainest(ops.irfftn, torch.fft.irfftn, *_ALONG_ALL)
@_plainest(ops.irfftn, torch.fft.irfftn, *_TO_SEVERAL)
def irfftn(
    x: Array, /, *, s: Several = None, axes: Several = None, norm: Norm = "backward"
) -> Array:
    """Calculate the inverse of ``rfftn``.

    It undoes ``rfftn`` for the same ``s``, which must be named where its last number is odd.

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


@_plainest(ops.hfft, torch.fft.hfft, *_ALONG_ONE)
@_plainest(ops.hfft, torch.fft.hfft, *_TO_POINTS)
def hfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Calculate the discrete Fourier transform of a signal with Hermitian symmetry.

    Of such a signal, whose second half mirrors the first, only the first half is given; its
    spectrum is real.

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


@_plainest(ops.ihfft, ops.conjugate_half, *_ALONG_ONE)
def ihfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Calculate the inverse of ``hfft``: half of a signal from its real spectrum.

    It undoes ``hfft`` for the same ``n``.

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
