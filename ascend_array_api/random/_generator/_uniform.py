"""Uniform and triangular numbers, and integers."""

from __future__ import annotations

from ..._arrays.array import Array
from ..._torch import Tensor, torch
from .. import _variates as variates
from .._arguments import AnyDType, Real, Size, Whole, finite
from .._bit_generators import BitGenerator
from .._integers import integers
from ._drawing import PLAIN, Drawing, fixed


def _numbers(bits: BitGenerator, count: int, dtype: torch.dtype) -> Tensor:
    return bits._uniform(count, dtype)


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
            return self._without_parameters(_numbers, "random", size, dtype)
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
            low=finite(v_low),
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
            left=finite(v_left),
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
        return integers(self._bits, low, high, size, dtype, endpoint=endpoint)
