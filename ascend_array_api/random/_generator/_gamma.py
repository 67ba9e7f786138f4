"""Gamma numbers, what is made of them, and others by rejection."""

from __future__ import annotations

import math
from typing import Any

from ..._arrays.array import Array
from ..._routes import elementwise as el
from ..._routes import reductions
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from .. import _variates as variates
from .._arguments import AnyDType, Draw, Real, Size, finite, not_negative, positive
from ._drawing import Drawing


def _gamma(draw: Draw, a: Any, known: object) -> Tensor:
    """Return standard gamma numbers; ``known`` is the least a, if it is a number."""
    return variates.gamma(draw.bits, draw.count, *draw.flat(a), known=known)


class Gamma(Drawing):
    """Gamma numbers, what is made of them, and others by rejection."""

    def standard_gamma(self, shape: Real, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return gamma numbers of scale 1.

        Parameters
        ----------
        shape : array or float
            The shape; not negative.
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
            If ``shape`` is negative or NaN.

        Notes
        -----
        G. Marsaglia and W. W. Tsang, *A simple method for generating gamma variables* (2000).

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.standard_gamma(2.0, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("standard_gamma", size, dtype, shape=shape)
        (v_shape,) = draw.values
        draw.check(shape=not_negative)
        return draw.variates(variates.gamma, known=v_shape)

    def gamma(
        self, shape: Real, scale: Real = 1.0, size: Size = None, *, dtype: AnyDType = None
    ) -> Array:
        """Return gamma numbers.

        Parameters
        ----------
        shape : array or float
            The shape; not negative.
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
            If a parameter is negative or NaN.

        Notes
        -----
        G. Marsaglia and W. W. Tsang, *A simple method for generating gamma variables* (2000).

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.gamma(2.0, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("gamma", size, dtype, shape=shape, scale=scale)
        v_shape = draw.values[0]
        draw.check(shape=not_negative, scale=not_negative)
        return draw.result(lambda part, a, scale: _gamma(part, a, v_shape).view(part.shape) * scale)

    def beta(self, a: Real, b: Real, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return numbers of the beta distribution.

        Parameters
        ----------
        a : array or float
            The first shape; positive.
        b : array or float
            The second shape; positive.
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
            If a parameter is not positive.

        Notes
        -----
        From two gamma numbers.  G. Marsaglia and W. W. Tsang, *A simple method for generating
        gamma variables* (2000).

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.beta(2.0, 3.0, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("beta", size, dtype, a=a, b=b)
        v_a, v_b = draw.values
        draw.check(a=positive, b=positive)
        least = min(v_a, v_b) if isinstance(v_a, float) and isinstance(v_b, float) else None
        return draw.variates(variates.beta, known=least)

    def chisquare(self, df: Real, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return numbers of the chi-square distribution.

        Parameters
        ----------
        df : array or float
            The degrees of freedom; positive.
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
            If ``df`` is not positive.

        Notes
        -----
        From gamma numbers.  G. Marsaglia and W. W. Tsang, *A simple method for generating gamma
        variables* (2000).

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.chisquare(3.0, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("chisquare", size, dtype, df=df)
        (v_df,) = draw.values
        draw.check(df=positive)
        return draw.result(lambda part, df: 2 * _gamma(part, df / 2, v_df / 2))

    def f(self, dfnum: Real, dfden: Real, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return numbers of the F distribution.

        Parameters
        ----------
        dfnum : array or float
            The degrees of freedom of the numerator; positive.
        dfden : array or float
            The degrees of freedom of the denominator; positive.
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
            If a parameter is not positive.

        Notes
        -----
        From two gamma numbers.  G. Marsaglia and W. W. Tsang, *A simple method for generating
        gamma variables* (2000).

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.f(2.0, 5.0, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("f", size, dtype, dfnum=dfnum, dfden=dfden)
        draw.check(dfnum=positive, dfden=positive)

        def make(part: Draw, *both: Any) -> Tensor:
            least = 16 * torch.finfo(part.compute).tiny
            above, below = (torch.clamp(v, min=least) for v in part.flat(*both))
            (x, e), (y, f) = variates.gamma_pairs(part.bits, part.count, above / 2, below / 2)
            return (x / above) / (y / below) * torch.exp(e - f)

        return draw.result(make)

    def vonmises(
        self, mu: Real, kappa: Real, size: Size = None, *, dtype: AnyDType = None
    ) -> Array:
        """Return angles of the von Mises distribution, from [-pi, pi], whose ends are rounded.

        Parameters
        ----------
        mu : array or float
            The mean direction.
        kappa : array or float
            The concentration; not negative.
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
            If ``mu`` is not finite, or ``kappa`` is negative or NaN.

        Notes
        -----
        D. J. Best and N. I. Fisher, *Efficient simulation of the von Mises distribution* (1979);
        above a concentration of 10**6 the normal distribution.  Computed in float64.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.vonmises(0.0, 1.0, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("vonmises", size, dtype, compute=dt.float64, mu=mu, kappa=kappa)
        draw.check(mu=finite, kappa=not_negative)

        def make(part: Draw, mu: Any, kappa: Any) -> Any:
            angle = variates.von_mises(part.bits, part.count, *part.flat(kappa)).view(part.shape)
            turned = angle + mu
            turned = turned - 2 * math.pi * el.round(turned / (2 * math.pi))
            return torch.clamp(turned, -math.pi, math.pi)  # it is rounded where mu is large

        return draw.result(make)

    def dirichlet(self, alpha: Real, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return vectors of proportions.

        Parameters
        ----------
        alpha : array or sequence of float
            The concentration of each proportion, along the last axis; positive.
        size : int or tuple of int, optional
            The shape of the result but for its last axis; by default that of ``alpha``.
        dtype : dtype, optional
            A real floating-point data type; by default the default one, float32.

        Returns
        -------
        Array
            Numbers whose sum along the last axis is 1.

        Raises
        ------
        ValueError
            If ``alpha`` is not positive.

        Notes
        -----
        From gamma numbers.  G. Marsaglia and W. W. Tsang, *A simple method for generating gamma
        variables* (2000).

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.dirichlet([1.0, 2.0, 3.0], size=4).shape
        (4, 3)
        """
        draw = Draw(self._bits, "dirichlet", size, dtype, {"alpha": alpha}, core={"alpha": 1})
        (concentrations,) = draw.values
        if not concentrations.shape[-1]:
            raise ValueError("dirichlet: alpha must not be empty.")
        draw.check(alpha=positive)

        def make(part: Draw, concentrations: Tensor) -> Tensor:
            rows = part.rows(concentrations)
            shape = part.count, rows.shape[-1]
            a = rows.expand(shape).reshape(-1)
            several = variates.gamma_parts(part.bits._each(shape[1]), math.prod(shape), a)
            g, e = (numbers.view(shape) for numbers in several)
            largest = reductions.max(e, (-1,), keepdim=True)
            # By a power of two, so that their sum does not overflow.
            numbers = g * 2.0 ** -math.ceil(math.log2(shape[1])) * torch.exp(e - largest)
            numbers = numbers / torch.sum(numbers, -1, keepdim=True)
            return numbers.view(*part.shape, shape[1])

        return draw.vectors(make, (1,), concentrations)
