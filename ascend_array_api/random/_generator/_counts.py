"""Counts: whole numbers of trials and events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from ..._arrays.array import Array
from ..._errors.exceptions import describe
from ..._routes import reductions
from ..._torch import Tensor
from .. import _variates as variates
from .._arguments import (
    AnyDType,
    Draw,
    Real,
    Size,
    Whole,
    counted,
    is_whole,
    probability,
    sums_to_one,
)
from ._drawing import Drawing


def _in_parts(draw: Draw, divide: Callable[..., Tensor], whole: Any, shares: Tensor) -> Array:
    """Return vectors of numbers into which a function divides a whole, by shares."""

    def make(part: Draw, whole: Any, shares: Tensor) -> Tensor:
        rows = part.rows(shares)
        numbers = divide(part.bits, part.count, part.flat(whole)[0], rows)
        return numbers.view(*part.shape, rows.shape[-1])

    return draw.vectors(make, (0, 1), whole, shares)


class Counts(Drawing):
    """Counts: whole numbers of trials and events."""

    def poisson(self, lam: Real = 1.0, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return Poisson numbers.

        Parameters
        ----------
        lam : array or float
            The mean; not negative, and at most 2**62.
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
            If ``lam`` is out of range or NaN, or greater than the data type can hold.

        Notes
        -----
        W. Hörmann, *The transformed rejection method for generating Poisson random variables*
        (1993), for means from 10 on; inversion below.  Computed in float64.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.poisson(3.5, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._whole("poisson", size, dtype, lam=lam)
        (v_lam,) = draw.values
        most, text = draw.greatest(62)
        draw.check(lam=((v_lam >= 0) & (v_lam <= most), f"must be from 0 to {text}"))
        known = v_lam if isinstance(v_lam, float) else None
        return draw.variates(variates.poisson, known=known)

    def binomial(self, n: Whole, p: Real, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return numbers of successes in independent trials.

        Parameters
        ----------
        n : array or int
            The number of trials; not negative, and at most 2**53.
        p : array or float
            The probability of success, from 0 to 1.
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
        W. Hörmann, *The generation of binomial random variates* (1993), where at least 10 of either
        outcome are expected; inversion where not.  Computed in float64.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.binomial(10, 0.5, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._whole("binomial", size, dtype, n=n, p=p)
        v_n, v_p = draw.values
        draw.check(n=counted(v_n, *draw.greatest(53)), p=probability)
        scalars = isinstance(v_n, float) and isinstance(v_p, float)
        known = v_n * (1 - v_p if v_p > 0.5 else v_p) if scalars else None
        few = scalars and v_n <= variates.SAMPLED
        return draw.variates(variates.binomial, known=known, few=few)

    def geometric(self, p: Real, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return numbers of trials up to the first success.

        Parameters
        ----------
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
            If ``p`` is out of range or NaN.

        Notes
        -----
        By inversion of the distribution function.  Computed in float64; what exceeds the data type
        becomes its greatest number (2**63 - 1024 for 64 bits).

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.geometric(0.25, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._whole("geometric", size, dtype, p=p)
        (v_p,) = draw.values
        draw.check(p=((v_p > 0) & (v_p <= 1), "must be above 0 and at most 1"))
        return draw.variates(variates.geometric)

    def multinomial(
        self, n: Whole, pvals: Real, size: Size = None, *, dtype: AnyDType = None
    ) -> Array:
        """Return how often each of several outcomes occurs in independent trials.

        Parameters
        ----------
        n : array or int
            The number of trials; not negative, and at most 2**53.
        pvals : array or sequence of float
            The probability of each outcome, along the last axis; their sum is 1.
        size : int or tuple of int, optional
            The shape of the result but for its last axis; by default that of ``n`` and ``pvals``.
        dtype : dtype, optional
            An integer data type; by default the default one, int64.

        Returns
        -------
        Array
            Numbers whose sum along the last axis is ``n``.

        Raises
        ------
        ValueError
            If a parameter is out of range or NaN, or ``pvals`` does not sum to one.

        Notes
        -----
        A binomial number says how many trials have one of the first outcomes, and so on for each
        part of the outcomes (L. Devroye, *Non-uniform random variate generation*, 1986, chapter
        XI.1.4, takes one outcome after the other).  Computed in float64.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> int(xp.sum(rng.multinomial(20, [1 / 6] * 6)))
        20
        """
        draw = self._whole("multinomial", size, dtype, core={"pvals": 1}, n=n, pvals=pvals)
        trials, chances = draw.values
        if not chances.shape[-1]:
            raise ValueError("multinomial: pvals must not be empty.")
        sums = [probability(chances), (sums_to_one(chances, pvals), "must sum to one")]
        draw.check(n=counted(trials, *draw.greatest(53)), pvals=sums)
        return _in_parts(draw, variates.multinomial, trials, chances)

    def zipf(self, a: Real, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return numbers of the Zipf distribution, also called the zeta distribution.

        Parameters
        ----------
        a : array or float
            The exponent; above 1. The probability of k is proportional to ``k**-a``.
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
            If ``a`` is out of range or NaN.

        Notes
        -----
        L. Devroye, *Non-uniform random variate generation* (1986), chapter X.6.1.  Computed in
        float64; what exceeds the data type becomes its greatest number (2**63 - 1024 for 64 bits),
        where NumPy draws again.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.zipf(2.5, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._whole("zipf", size, dtype, a=a)
        (v_a,) = draw.values
        draw.check(a=(v_a > 1, "must be above 1"))
        return draw.variates(variates.zipf)

    def hypergeometric(
        self,
        ngood: Whole,
        nbad: Whole,
        nsample: Whole,
        size: Size = None,
        *,
        dtype: AnyDType = None,
    ) -> Array:
        """Return numbers of good ones in samples that are drawn without replacement.

        Parameters
        ----------
        ngood, nbad : array or int
            How many good and bad ones there are; not negative, and at most 2**52.
        nsample : array or int
            How many are drawn; not negative, and at most ``ngood + nbad``.
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
            If a parameter is out of range or NaN, or ``ngood`` greater than the data type can hold.

        Notes
        -----
        E. Stadlober, *The ratio of uniforms approach for generating discrete random variates*
        (1990), where at least 10 of the fewer kind are expected in the smaller of the sample and
        the rest; inversion where not.  Computed in float64.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.hypergeometric(15, 25, 10, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._whole("hypergeometric", size, dtype, ngood=ngood, nbad=nbad, nsample=nsample)
        good, bad, sample = draw.values
        draw.check(
            ngood=counted(good, *draw.greatest(52)),
            nbad=counted(bad, 2**52, "2**52"),
            nsample=counted(sample, good + bad, "ngood + nbad"),
        )
        known = None
        if all(isinstance(value, float) for value in draw.values):
            part = min(sample, good + bad - sample)
            known = min(good, bad) * (part / max(good + bad, 1.0))
        return draw.variates(variates.hypergeometric, known=known)

    def multivariate_hypergeometric(
        self,
        colors: Whole,
        nsample: Whole,
        size: Size = None,
        method: Literal["marginals", "count"] = "marginals",
        *,
        dtype: AnyDType = None,
    ) -> Array:
        """Return how many of each color a sample has that is drawn without replacement.

        Parameters
        ----------
        colors : array or sequence of int
            How many there are of each color, along the last axis; their sum is at most 2**53.
        nsample : array or int
            How many are drawn; not negative, and at most the sum of ``colors``.
        size : int or tuple of int, optional
            The shape of the result but for its last axis; by default that of ``colors`` and
            ``nsample``.
        method : {"marginals", "count"}, default: "marginals"
            NumPy's choice of an algorithm. Both draw the same numbers here.
        dtype : dtype, optional
            An integer data type; by default the default one, int64.

        Returns
        -------
        Array
            Numbers whose sum along the last axis is ``nsample``.

        Raises
        ------
        ValueError
            If a parameter is out of range or NaN, or ``nsample`` greater than the data type can
            hold.

        Notes
        -----
        A hypergeometric number says how many of a sample have one of the first colors, and so on
        for each half of the colors.  Computed in float64.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> int(xp.sum(rng.multivariate_hypergeometric([16, 8, 4], 6)))
        6
        """
        if method not in {"marginals", "count"}:
            raise ValueError(
                "multivariate_hypergeometric: method must be 'marginals' or 'count', "
                f"got {describe(method)}."
            )
        draw = self._whole(
            "multivariate_hypergeometric",
            size,
            dtype,
            core={"colors": 1},
            colors=colors,
            nsample=nsample,
        )
        numbers, sample = draw.values
        if not numbers.shape[-1]:
            raise ValueError("multivariate_hypergeometric: colors must not be empty.")
        total = reductions.sum(numbers, (-1,))
        draw.check(
            colors=[
                ((numbers >= 0) & is_whole(numbers), "must be integers that are not negative"),
                (total <= 2**53, "must have a sum of at most 2**53"),
            ]
        )
        beyond = sample <= total, "must be at most the sum of colors"
        draw.check(nsample=[counted(sample, *draw.greatest(53)), beyond])
        return _in_parts(draw, variates.multivariate_hypergeometric, sample, numbers)
