"""Exponential numbers, and others by inversion."""

from __future__ import annotations

from typing import Any

from ..._arrays.array import Array
from ..._routes import elementwise as el
from ..._torch import torch
from .. import _variates as variates
from .._arguments import AnyDType, Draw, Real, Size, not_nan, not_negative, positive
from ._drawing import Drawing


class Exponential(Drawing):
    """Exponential numbers, and others by inversion."""

    def standard_exponential(self, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return exponential numbers of mean 1.

        Parameters
        ----------
        size : int or tuple of int, optional
            The shape of the result; by default ``()``.
        dtype : dtype, optional
            A real floating-point data type; by default the default one, float32.

        Returns
        -------
        Array
            Numbers of the distribution.

        Notes
        -----
        By inversion; small numbers are as precise as large ones.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.standard_exponential(size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("standard_exponential", size, dtype)
        return draw.result(Draw.exponential)

    def exponential(self, scale: Real = 1.0, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return exponential numbers.

        Parameters
        ----------
        scale : array or float
            The mean, by default 1; not negative.
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
            If ``scale`` is negative or NaN.

        Notes
        -----
        By inversion; small numbers are as precise as large ones.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.exponential(size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("exponential", size, dtype, scale=scale)
        draw.check(scale=not_negative)
        return draw.result(lambda part, scale: part.exponential() * scale)

    def laplace(
        self, loc: Real = 0.0, scale: Real = 1.0, size: Size = None, *, dtype: AnyDType = None
    ) -> Array:
        """Return numbers of the Laplace distribution.

        Parameters
        ----------
        loc : array or float
            The location, by default 0.
        scale : array or float
            The scale, by default 1; not negative.
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
            If ``scale`` is negative, or a parameter is NaN.

        Notes
        -----
        By inversion of the distribution function.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.laplace(size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("laplace", size, dtype, loc=loc, scale=scale)
        draw.check(loc=not_nan, scale=not_negative)

        def make(part: Draw, loc: Any, scale: Any) -> Any:
            f = part.fractions()
            log = torch.log(2 * torch.abs(f))
            return loc + scale * torch.where(f < 0, log, -log)

        return draw.result(make)

    def logistic(
        self, loc: Real = 0.0, scale: Real = 1.0, size: Size = None, *, dtype: AnyDType = None
    ) -> Array:
        """Return numbers of the logistic distribution.

        Parameters
        ----------
        loc : array or float
            The location, by default 0.
        scale : array or float
            The scale, by default 1; not negative.
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
            If ``scale`` is negative, or a parameter is NaN.

        Notes
        -----
        By inversion of the distribution function.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.logistic(size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("logistic", size, dtype, loc=loc, scale=scale)
        draw.check(loc=not_nan, scale=not_negative)
        return draw.result(lambda part, loc, scale: loc + scale * variates.logit(part.fractions()))

    def gumbel(
        self, loc: Real = 0.0, scale: Real = 1.0, size: Size = None, *, dtype: AnyDType = None
    ) -> Array:
        """Return numbers of the Gumbel distribution of greatest values.

        Parameters
        ----------
        loc : array or float
            The location, by default 0.
        scale : array or float
            The scale, by default 1; not negative.
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
            If ``scale`` is negative, or a parameter is NaN.

        Notes
        -----
        By inversion of the distribution function.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.gumbel(size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("gumbel", size, dtype, loc=loc, scale=scale)
        draw.check(loc=not_nan, scale=not_negative)
        return draw.result(lambda part, loc, scale: loc - scale * torch.log(part.exponential()))

    def standard_cauchy(self, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return numbers of the Cauchy distribution of location 0 and scale 1.

        Parameters
        ----------
        size : int or tuple of int, optional
            The shape of the result; by default ``()``.
        dtype : dtype, optional
            A real floating-point data type; by default the default one, float32.

        Returns
        -------
        Array
            Numbers of the distribution.

        Notes
        -----
        By inversion of the distribution function.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.standard_cauchy(size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("standard_cauchy", size, dtype)
        return draw.result(lambda part: variates.cotangent(part.fractions()))

    def cauchy(
        self, loc: Real = 0.0, scale: Real = 1.0, size: Size = None, *, dtype: AnyDType = None
    ) -> Array:
        """Return numbers of the Cauchy distribution.

        Parameters
        ----------
        loc : array or float
            The location, by default 0.
        scale : array or float
            The scale, by default 1; not negative.
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
            If ``scale`` is negative, or a parameter is NaN.

        Notes
        -----
        By inversion of the distribution function.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.cauchy(size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("cauchy", size, dtype, loc=loc, scale=scale)
        draw.check(loc=not_nan, scale=not_negative)
        return draw.result(
            lambda part, loc, scale: loc + scale * variates.cotangent(part.fractions())
        )

    def weibull(self, a: Real, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return numbers of the Weibull distribution of scale 1.

        Parameters
        ----------
        a : array or float
            The shape; positive.
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
            If ``a`` is not positive.

        Notes
        -----
        By inversion of the distribution function.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.weibull(2.0, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("weibull", size, dtype, a=a)
        draw.check(a=positive)
        return draw.result(lambda part, a: torch.exp(torch.log(part.exponential()) / a))

    def pareto(self, a: Real, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return numbers of the Pareto distribution of the second kind (Lomax).

        Parameters
        ----------
        a : array or float
            The shape; positive.
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
            If ``a`` is not positive.

        Notes
        -----
        By inversion of the distribution function.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.pareto(2.0, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("pareto", size, dtype, a=a)
        draw.check(a=positive)
        return draw.result(lambda part, a: el.expm1(part.exponential() / a))

    def power(self, a: Real, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return numbers from 0 to 1 with the density ``a * x**(a - 1)``.

        Parameters
        ----------
        a : array or float
            The exponent plus 1; positive.
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
        By inversion of the distribution function.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.power(2.0, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("power", size, dtype, a=a)
        draw.check(a=positive)
        return draw.result(lambda part, a: torch.exp(-part.exponential() / a))
