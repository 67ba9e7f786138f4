"""Uniform and triangular numbers, and integers."""

from __future__ import annotations

import math
from typing import Any

from ..._arrays.array import Array, wrap
from ..._arrays.axes import broadcast, normalize_shape
from ..._calls.interchange import asarray, check_dtype
from ..._devices.device import spec
from ..._errors.exceptions import describe, mixed_devices, not_broadcastable, wrong_dtype
from ..._routes._conditions import demand
from ..._routes._operations import cast
from ..._routes.random import integer, truncated, uniform
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from .. import _variates as variates
from .._arguments import AnyDType, Real, Size, Whole, finite
from .._bit_generators import BitGenerator
from ._drawing import PLAIN, Drawing, fixed

_LEAST = -(2**63)
_EMPTY = "integers: high must be above low, or equal to it with endpoint=True."


def _bound(bits: BitGenerator, name: str, value: Any) -> int | Array:
    """Return a bound as a Python integer, or as an array of integers."""
    if isinstance(value, (list, tuple)):
        value = asarray(value, device=bits.device)
    if isinstance(value, Array):
        if value.dtype not in dt.INTEGER:
            raise wrong_dtype(f"integers: {name}", value.dtype, dt.INTEGER)
        if value.device is not bits.device:
            raise mixed_devices(f"integers: {name}", bits.device, value.device)
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"integers: {name} must be an integer or an array, got {describe(value)}.")
    return int(value)


def _check_range(first: int, last: int, dtype: torch.dtype) -> None:
    least, greatest = dt.LIMITS[dtype]
    if last < first:
        raise ValueError(_EMPTY)
    for name, value in (("low", first), ("high", last)):
        if not least <= value <= greatest:
            raise ValueError(
                f"integers: {name} must be within {dt.NAMES[dtype]}, which holds "
                f"{least} to {greatest}."
            )


def _ranges(
    bits: BitGenerator, first: int | Array, last: int | Array, dtype: torch.dtype, *, endpoint: bool
) -> list[Tensor]:
    """Return the first integers and the spans of ranges, as bits of int64.

    Numbers are compared in int64, shifted by 2**63 if the result is uint64.
    """
    shift = 2**63 if dtype is dt.uint64 else 0
    least, greatest = (value - shift for value in dt.LIMITS[dtype])
    device = bits.device.torch_device
    flags: list[Tensor] = []
    ends = []
    for name, value in (("low", first), ("high", last)):
        one = int(name == "high" and not endpoint)
        if isinstance(value, int):
            value -= one
            if not dt.LIMITS[dtype][0] <= value <= dt.LIMITS[dtype][1]:
                _check_range(*((value, value) if name == "low" else (0, value)), dtype)
            ends.append(integer(value - shift, device))
            flags.append(ends[-1] == ends[-1])
            continue
        tensor = value._tensor
        sign = integer(_LEAST, device)
        unsigned = value.dtype is dt.uint64
        given = tensor.view(dt.int64) if unsigned else cast(tensor, dt.int64)
        own = given - one if one else given
        if unsigned and not shift:
            fits = own >= -one  # compare with 2**63 - 1, because int64 does not hold 2**63
        elif shift and not unsigned:
            fits = given >= one
        else:  # no integer is below the least
            fits = given != (0 if unsigned else _LEAST) if one else own == own
        own = torch.bitwise_xor(own, sign) if shift else own
        flags.append(fits & (own >= least) & (own <= greatest))
        ends.append(own)
    flags.append(ends[0] <= ends[1])
    texts = [f"integers: {name} must be within {dt.NAMES[dtype]}." for name in ("low", "high")]
    start, end = torch.broadcast_tensors(*ends)  # type: ignore[no-untyped-call]
    span = end - start
    if shift:
        start = torch.bitwise_xor(start, integer(_LEAST, device))
    conditions = list(zip(flags, (*texts, _EMPTY)))
    return demand(conditions, [start.contiguous(), span.contiguous()])


class Uniform(Drawing):
    """Uniform and triangular numbers, and integers."""

    def random(self, size: Size = None, dtype: AnyDType = None) -> Array:
        """Return uniform numbers from [0, 1).

        Parameters
        ----------
        size : int or tuple of int, optional
            The shape of the result; by default ``()``.
        dtype : dtype, optional
            A real floating-point data type; by default the default one, float32.

        Returns
        -------
        Array
            Multiples of 2**-24 (float32) or 2**-53 (float64), of 2**-11 (float16) or 2**-8
            (bfloat16).

        Notes
        -----
        With ``Philox`` they are the same, to the last bit, on every device.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.random(3)
        Array([0.30211103, 0.33531606, 0.6591792 ], dtype=float32, device='cpu')
        """
        if dtype is None or dtype in PLAIN:
            return self._without_parameters("random", size, dtype, uniform)
        return self._draw("random", size, dtype).result(fixed)

    def uniform(
        self, low: Real = 0.0, high: Real = 1.0, size: Size = None, *, dtype: AnyDType = None
    ) -> Array:
        """Return uniform numbers from [low, high).

        Parameters
        ----------
        low : array or float
            The lower end, by default 0.
        high : array or float
            The upper end, by default 1; rounding can make a number equal to it.
        size : int or tuple of int, optional
            The shape of the result; by default that of the parameters, broadcast together.
        dtype : dtype, optional
            A real floating-point data type; by default the default one, float32.

        Returns
        -------
        Array
            Numbers of the distribution.

        Raises
        ------
        ValueError
            If an end is not finite, ``high`` is below ``low``, or their distance overflows.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.uniform(size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("uniform", size, dtype, low=low, high=high)
        v_low, v_high = draw.values
        draw.check(
            low=finite,
            high=(
                (v_high >= v_low) & (v_high - v_low <= torch.finfo(draw.compute).max),
                "must be finite, not below low, and at a distance from it that does not overflow",
            ),
        )
        return draw.result(lambda part, low, high: low + (high - low) * fixed(part))

    def triangular(
        self, left: Real, mode: Real, right: Real, size: Size = None, *, dtype: AnyDType = None
    ) -> Array:
        """Return numbers of the triangular distribution.

        Parameters
        ----------
        left : array or float
            The lower end.
        mode : array or float
            Where the density is greatest.
        right : array or float
            The upper end, above the lower one.
        size : int or tuple of int, optional
            The shape of the result; by default that of the parameters, broadcast together.
        dtype : dtype, optional
            A real floating-point data type; by default the default one, float32.

        Returns
        -------
        Array
            Numbers of the distribution.

        Raises
        ------
        ValueError
            If the ends are not finite or not in order, their distance overflows, or the mode is not
            between them.

        Notes
        -----
        By inversion of the distribution function.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.triangular(0.0, 0.5, 1.0, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("triangular", size, dtype, left=left, mode=mode, right=right)
        v_left, v_mode, v_right = draw.values
        draw.check(
            left=finite,
            mode=((v_left <= v_mode) & (v_mode <= v_right), "must be from left to right"),
            right=(
                (v_left < v_right) & (v_right - v_left <= torch.finfo(draw.compute).max),
                "must be finite, above left, and at a distance from it that does not overflow",
            ),
        )
        return draw.result(lambda part, *ends: variates.triangular(part.fractions(), *ends))

    def integers(
        self,
        low: Whole,
        high: Whole | None = None,
        size: Size = None,
        dtype: AnyDType = None,
        *,
        endpoint: bool = False,
    ) -> Array:
        """Return uniform integers from [low, high).

        Parameters
        ----------
        low : array or int
            The least integer; or, where ``high`` is not given, the end of a range that begins at 0.
        high : array or int, optional
            The end of the range, itself not included unless ``endpoint`` is true.
        size : int or tuple of int, optional
            The shape of the result; by default that of the parameters, broadcast together.
        dtype : dtype, optional
            An integer data type; by default the default one, int64.
        endpoint : bool, default: False
            Whether the end belongs to the range.

        Returns
        -------
        Array
            Numbers from the range.

        Raises
        ------
        ValueError
            If the range is empty, or reaches beyond the data type.

        Notes
        -----
        Ranges whose length is a power of two are exact, as all bits are.  Of others every integer
        is floor(x length / 2**n) for n random bits x, and n is 64 for lengths below 2**32 and else
        128, so that its probability is off by less than 2**-64 (D. Lemire, *Fast random integer
        generation in an interval*, 2019, without the rejection, for which a device would have to
        wait).  With ``Philox`` they are the same on every device.  For bounds that are arrays n is
        64 or 128 by the data type alone, also for powers of two, so that they may draw other
        numbers than scalars.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.integers(1, 7, size=5)
        Array([1, 5, 2, 6, 6], dtype=int64, device='cpu')
        >>> rng.integers(0, 255, size=(2, 2), dtype=xp.uint8, endpoint=True).dtype
        torch.uint8
        """
        bits = self._bits
        dtype = check_dtype("integers", dtype) or dt.int64
        if dtype not in dt.INTEGER:
            raise wrong_dtype("integers", dtype, dt.INTEGER, "Name another dtype.")
        if high is None:
            low, high = 0, low
        asked = None if size is None else normalize_shape("integers", size, "size")
        first, last = (_bound(bits, name, v) for name, v in (("low", low), ("high", high)))
        shapes = [v.shape for v in (first, last) if isinstance(v, Array)]
        shape = broadcast(*shapes, *([] if asked is None else [asked]))
        if shape is None or asked not in {None, shape}:
            raise not_broadcastable(
                "integers: parameters to size", *shapes, *([asked] if asked else [])
            )
        width = 64 if dtype.itemsize == 8 else 32
        ranges: list[Tensor] = []
        if isinstance(first, int) and isinstance(last, int):
            last -= not endpoint
            _check_range(first, last, dtype)
            least, length = first, last - first
        else:
            ranges = _ranges(bits, first, last, dtype, endpoint=endpoint)

        def make(bits: BitGenerator, own: tuple[int, ...], *ranges: Tensor) -> Tensor:
            count = math.prod(own)
            if ranges:
                start, span = ranges
                span = span.reshape(()) if span.numel() == 1 else span.expand(own).reshape(-1)
                numbers = variates.bounded_each(bits, count, span, width).reshape(own) + start
                return truncated(numbers, dtype)
            return variates.bounded(bits, count, length, least, dtype).reshape(own)

        made = bits._drawn("integers", shape, make, ranges)
        return wrap(made, spec(dtype, bits.device), ranges, (first, last))
