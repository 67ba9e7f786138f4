"""Distributions that are drawn as others, whose parameters are drawn before."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..._arrays.array import Array, wrap
from ..._chapters.data_type import astype
from ..._chapters.elementwise import expm1, floor, log, log1p, minimum, sqrt
from ..._chapters.searching import where
from ..._devices.device import spec_of
from ..._torch import dtypes as dt
from .._arguments import AnyDType, Draw, Real, Size, positive
from ._counts import Counts
from ._exponential import Exponential
from ._gamma import Gamma
from ._normal import Normal
from ._uniform import Uniform


def _values(draw: Draw) -> list[Any]:
    """Return the checked parameters for arithmetic with arrays, without their derivatives.

    The numbers jump where a parameter makes another choice of what is drawn.
    """
    operands = draw.operands(*draw.values)
    return [
        v if isinstance(v, float) else draw.mark(wrap(v.detach(), spec_of(v))) for v in operands
    ]


class Mixtures(Counts, Gamma, Exponential, Normal, Uniform):
    """Distributions that are drawn as others, whose parameters are drawn before."""

    def negative_binomial(
        self, n: Real, p: Real, size: Size = None, *, dtype: AnyDType = None
    ) -> Array:
        """Return numbers of failures before a number of successes.

        Parameters
        ----------
        n : array or float
            The number of successes; positive, and not necessarily whole.
        p : array or float
            The probability of success, above 0 and at most 1.
        size : int or tuple of int, optional
            The shape of the result; by default that of the parameters, broadcast together.
        dtype : dtype, optional
            An integer data type; by default the default one, int64.

        Returns
        -------
        Array
            Numbers of the distribution.

        Raises
        ------
        ValueError
            If a parameter is out of range or NaN, or ``(n + 10 * sqrt(n)) * (1 - p) / p`` is above
            2**62, as NumPy refuses it from about 2**63 on.

        Notes
        -----
        Poisson numbers whose means are gamma numbers (L. Devroye, *Non-uniform random variate
        generation*, 1986, chapter X.4.7).  Computed in float64; means above 2**62, or above the
        greatest number of the data type, count as that.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.negative_binomial(5.0, 0.5, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._whole("negative_binomial", size, dtype, n=n, p=p)
        v_n, v_p = draw.values
        draw.check(n=positive, p=((v_p > 0) & (v_p <= 1), "must be above 0 and at most 1"))
        highest = v_n + 10 * v_n**0.5  # of the gamma numbers, as NumPy reckons
        draw.check(p=(highest * (1 - v_p) <= 2**62 * v_p, "is too small for n: means pass 2**62"))
        shape, chance = _values(draw)
        rates = self.standard_gamma(shape, draw.shape, dtype=dt.float64) * ((1 - chance) / chance)
        most = float(draw.greatest(62)[0])
        return self.poisson(minimum(rates, most), dtype=draw.dtype)

    def logseries(self, p: Real, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return numbers of the logarithmic series distribution.

        Parameters
        ----------
        p : array or float
            The parameter, from 0 and below 1.
        size : int or tuple of int, optional
            The shape of the result; by default that of the parameters, broadcast together.
        dtype : dtype, optional
            An integer data type; by default the default one, int64.

        Returns
        -------
        Array
            Numbers of the distribution.

        Raises
        ------
        ValueError
            If a parameter is out of range or NaN.

        Notes
        -----
        A. W. Kemp, *Efficient generation of logarithmically distributed pseudo-random variables*
        (1981).  Computed in float64.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.logseries(0.6, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._whole("logseries", size, dtype, p=p)
        (v_p,) = draw.values
        draw.check(p=((v_p >= 0) & (v_p < 1), "must be from 0 and below 1"))
        # Geometric numbers, whose parameter is drawn.
        waiting = self.standard_exponential(draw.shape, dtype=dt.float64)
        (chance,) = _values(draw)
        share = self.random(draw.shape, dtype=dt.float64)
        rate = log1p(share * 0 - chance)
        q = -expm1(share * rate)
        positive_q = q > 0
        ratio = waiting / -log(where(positive_q, q, 0.5))
        numbers = where(positive_q, 1 + floor(ratio), 1.0)
        largest = float(min(2**63 - 1024, dt.LIMITS[draw.dtype][1]))
        return astype(astype(minimum(numbers, largest), dt.int64), draw.dtype)

    def wald(self, mean: Real, scale: Real, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return numbers of the Wald distribution, the inverse Gaussian one.

        Parameters
        ----------
        mean : array or float
            The mean; positive.
        scale : array or float
            The scale; positive.
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
            If a parameter is out of range or NaN.

        Notes
        -----
        J. R. Michael, W. R. Schucany and R. W. Haas, *Generating random variates using
        transformations with multiple roots* (1976).  Computed in float64.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.wald(3.0, 2.0, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("wald", size, dtype, compute=dt.float64, mean=mean, scale=scale)
        draw.check(mean=positive, scale=positive)
        center, spread = _values(draw)
        normal = self.standard_normal(draw.shape, dtype=dt.float64)
        uniform = self.random(draw.shape, dtype=dt.float64)
        # Of the two roots, whose product is the square of the mean, the smaller one.
        half = normal * normal * (center / spread) * 0.5
        factor = 1 + half + sqrt(half * (half + 2))
        numbers = where(uniform * (1 + factor) <= factor, center / factor, center * factor)
        return astype(numbers, draw.dtype)

    def noncentral_chisquare(
        self, df: Real, nonc: Real, size: Size = None, *, dtype: AnyDType = None
    ) -> Array:
        """Return numbers of the noncentral chi-square distribution.

        Parameters
        ----------
        df : array or float
            The degrees of freedom; positive.
        nonc : array or float
            The noncentrality; not negative, and at most 2**62.
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
            If a parameter is out of range or NaN.

        Notes
        -----
        Chi-square numbers whose degrees of freedom are drawn: twice a Poisson number more (L.
        Devroye, *Non-uniform random variate generation*, 1986).  Computed in float64.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.noncentral_chisquare(3.0, 2.0, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("noncentral_chisquare", size, dtype, compute=dt.float64, df=df, nonc=nonc)
        draw.check(df=positive, nonc=_noncentral)
        return astype(self._noncentral(draw, *_values(draw)), draw.dtype)

    def noncentral_f(
        self, dfnum: Real, dfden: Real, nonc: Real, size: Size = None, *, dtype: AnyDType = None
    ) -> Array:
        """Return numbers of the noncentral F distribution.

        Parameters
        ----------
        dfnum : array or float
            The degrees of freedom of the numerator; positive.
        dfden : array or float
            The degrees of freedom of the denominator; positive.
        nonc : array or float
            The noncentrality of the numerator; not negative, and at most 2**62.
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
            If a parameter is out of range or NaN.

        Notes
        -----
        The quotient of a noncentral and a central chi-square number, each over its degrees of
        freedom.  Computed in float64.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.noncentral_f(3.0, 20.0, 2.0, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw(
            "noncentral_f", size, dtype, compute=dt.float64, dfnum=dfnum, dfden=dfden, nonc=nonc
        )
        draw.check(dfnum=positive, dfden=positive, nonc=_noncentral)
        above, below, shift = _values(draw)
        numbers = self._noncentral(draw, above, shift) / above
        other = self.chisquare(below, draw.shape, dtype=dt.float64) / below
        return astype(numbers / other, draw.dtype)

    def _noncentral(self, draw: Draw, df: Any, nonc: Any) -> Array:
        counts = self.poisson(nonc * 0.5, draw.shape)
        return 2 * self.standard_gamma(astype(counts, dt.float64) + df * 0.5, dtype=dt.float64)

    def bytes(self, length: int) -> bytes:
        """Return random bytes.

        Parameters
        ----------
        length : int
            How many.

        Returns
        -------
        bytes
            On the host: it waits for an accelerator.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> len(rng.bytes(10))
        10
        """
        drawn = self.integers(0, 256, operator.index(length), dtype=dt.uint8)
        return np.asarray(drawn.to_device("cpu")).tobytes()


def _noncentral(value: Any) -> tuple[Any, str]:
    return (value >= 0) & (value <= 2.0**62), "must be from 0 to 2**62"
