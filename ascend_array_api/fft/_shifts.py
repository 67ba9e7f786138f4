"""Sample frequencies, and shifts that bring the zero frequency to the centre and back.

https://data-apis.org/array-api/2023.12/extensions/fourier_transform_functions.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._arrays.array import Array, wrap
from .._arrays.axes import as_int, as_number, held, normalize_axes
from .._calls.interchange import check_dtype
from .._calls.operands import operand
from .._chapters.creation import known_target
from .._devices.device import AnyDevice, spec
from .._errors.exceptions import wrong_dtype
from .._errors.foreign_calls import refusing
from .._options.defaults import float_dtype, resolve
from .._routes import fourier as ops
from .._routes import movement
from .._torch import dtypes as dt

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]


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
    function: str, n: object, d: Any, dtype: dt.AnyDType, device: AnyDevice, *, negative: bool
) -> Array:
    """Calculate the frequencies of a transform, with all checks."""
    points = held(function, as_int(function, n, "n"), "n")
    if points < 1:
        raise ValueError(f"{function}: n must be at least 1, got {n}.")
    d = as_number(function, d, "d")
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


@refusing
def fftfreq(
    n: int, /, *, d: float = 1.0, dtype: dt.AnyDType = None, device: AnyDevice = None
) -> Array:
    """Calculate the frequencies at which ``fft`` samples a spectrum.

    They are ``[0, 1, ..., (n - 1) // 2, -(n // 2), ..., -1] / (d * n)``.

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

    References
    ----------
    https://data-apis.org/array-api/2024.12/extensions/generated/array_api.fft.fftfreq.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.fft.fftfreq(4, d=0.5)
    Array([ 0. ,  0.5, -1. , -0.5], dtype=float32, device='cpu')
    """
    return _frequencies("fft.fftfreq", n, d, dtype, device, negative=True)


@refusing
def rfftfreq(
    n: int, /, *, d: float = 1.0, dtype: dt.AnyDType = None, device: AnyDevice = None
) -> Array:
    """Calculate the frequencies at which ``rfft`` samples a spectrum.

    They are ``[0, 1, ..., n // 2] / (d * n)``; the last one counts as positive.

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

    References
    ----------
    https://data-apis.org/array-api/2024.12/extensions/generated/array_api.fft.rfftfreq.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.fft.rfftfreq(4, d=0.5)
    Array([0. , 0.5, 1. ], dtype=float32, device='cpu')
    """
    return _frequencies("fft.rfftfreq", n, d, dtype, device, negative=False)


@refusing
def fftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Shift the frequency 0 from the front to the middle of a spectrum.

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


@refusing
def ifftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Shift the frequency 0 from the middle to the front of a spectrum: undo ``fftshift``.

    The two differ for axes of odd size.

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
