"""Normal numbers, and what is made of them."""

from __future__ import annotations

import math
from typing import Any, Literal

from ..._arrays.array import Array, wrap
from ..._calls.interchange import asarray, check_dtype
from ..._chapters.creation import eye
from ..._chapters.linear_algebra import matmul
from ..._devices.device import device_of
from ..._errors.exceptions import describe
from ..._routes import reductions
from ..._routes._derivatives import at_hand
from ..._routes.random import normal
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from .. import _variates as variates
from .._arguments import AnyDType, Draw, Real, Size, finite, not_nan, not_negative, positive
from .._bit_generators import BitGenerator
from ._drawing import PLAIN, Drawing


def _complex(
    bits: BitGenerator, function: str, loc: Any, scale: Any, size: Any, dtype: torch.dtype
) -> Array:
    """Return normal complex numbers, whose independent parts have half the variance each."""
    real, imag = loc, 0.0  # type: Any, Any
    if isinstance(loc, complex):
        real, imag = loc.real, loc.imag
    elif isinstance(loc, Array) and loc.dtype in dt.COMPLEX:
        parts = loc._tensor
        real, imag = (wrap(part, loc._spec.real) for part in (parts.real, parts.imag))
    parameters = {"loc": real, "imaginary part of loc": imag, "scale": scale}
    draw = Draw(bits, function, size, dtype, parameters, allowed=dt.COMPLEX)
    x, y, _ = draw.values
    draw.check(loc=((x == x) & (y == y), "must not be NaN"), scale=not_negative)

    def make(part: Draw, x: Any, y: Any, spread: Any) -> Tensor:
        z = part.bits._each(2)._numbers(normal, 2 * part.count, part.compute).view(*part.shape, 2)
        z = z * math.sqrt(0.5)
        return torch.complex(x + spread * z[..., 0], y + spread * z[..., 1])

    return draw.result(make)


def _largest(matrix: Tensor) -> Any:
    return reductions.max(torch.abs(matrix), (0, 1)) if matrix.numel() else 0


def _root(pair: Draw, covariance: Tensor, method: str, limit: float) -> Tensor:
    """Return a root A of the covariance, with A^T A equal to it; check that it is."""
    from ... import linalg

    array = asarray(covariance)
    if not array.size:
        return covariance
    if method == "cholesky":
        return linalg.cholesky(array, upper=True)._tensor
    if method == "eigh":
        values, vectors = (part._tensor for part in linalg.eigh(array))
        values = torch.where(values > 0, values, 0)
        vectors = vectors.mT
    else:
        _, values, vectors = (part._tensor for part in linalg.svd(array, full_matrices=False))
    again = matmul(asarray((vectors.mT * values).contiguous()), asarray(vectors.contiguous()))
    close = torch.abs(again._tensor - covariance) <= limit * _largest(covariance)
    pair.check(cov=(close, "must not have negative eigenvalues"))
    roots = (vectors.mT * torch.sqrt(values)).contiguous()
    product: Tensor = matmul(asarray(roots), asarray(vectors.contiguous()))._tensor
    return product


class Normal(Drawing):
    """Normal numbers, and what is made of them."""

    def standard_normal(self, size: Size = None, dtype: AnyDType = None) -> Array:
        """Return normal numbers of mean 0 and variance 1.

        Parameters
        ----------
        size : int or tuple of int, optional
            The shape of the result; by default ``()``.
        dtype : dtype, optional
            A real or complex floating-point data type; by default the default real one, float32.

        Returns
        -------
        Array
            Numbers of the distribution.

        Notes
        -----
        By the method of G. E. P. Box and M. E. Muller (1958).  A complex number of unit variance
        has a real and an imaginary part that are independent, of variance 1/2 each.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.standard_normal((2, 3)).shape
        (2, 3)
        >>> rng.standard_normal(4, dtype=xp.complex64).dtype
        torch.complex64
        """
        if dtype is None or dtype in PLAIN:
            return self._without_parameters("standard_normal", size, dtype, normal)
        draw = self._draw("standard_normal", size, dtype, allowed=dt.FLOATING)
        if draw.dtype in dt.COMPLEX:
            return _complex(self._bits, "standard_normal", 0.0, 1.0, size, draw.dtype)
        return draw.result(Draw.normal)

    def normal(
        self,
        loc: Real | complex = 0.0,
        scale: Real = 1.0,
        size: Size = None,
        *,
        dtype: AnyDType = None,
    ) -> Array:
        """Return normal numbers.

        Parameters
        ----------
        loc : array or float or complex
            The mean, by default 0; complex only where the data type is.
        scale : array or float
            The standard deviation, by default 1; not negative.
        size : int or tuple of int, optional
            The shape of the result; by default that of the parameters, broadcast together.
        dtype : dtype, optional
            A real or complex floating-point data type; by default the default real one, float32.

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
        By the method of G. E. P. Box and M. E. Muller (1958).  A complex number of unit variance
        has a real and an imaginary part that are independent, of variance 1/2 each.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.normal(170.0, 10.0, size=(2, 3)).shape
        (2, 3)
        """
        dtype = check_dtype("normal", dtype)
        if dtype in dt.COMPLEX:
            return _complex(self._bits, "normal", loc, scale, size, dtype)
        draw = self._draw("normal", size, dtype, loc=loc, scale=scale)
        draw.check(loc=not_nan, scale=not_negative)
        return draw.result(lambda part, loc, scale: loc + scale * part.normal())

    def lognormal(
        self, mean: Real = 0.0, sigma: Real = 1.0, size: Size = None, *, dtype: AnyDType = None
    ) -> Array:
        """Return numbers whose logarithm is normal.

        Parameters
        ----------
        mean : array or float
            The mean of the logarithm, by default 0.
        sigma : array or float
            The standard deviation of the logarithm, by default 1; not negative.
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
            If ``sigma`` is negative, or a parameter is NaN.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.lognormal(size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("lognormal", size, dtype, mean=mean, sigma=sigma)
        draw.check(mean=not_nan, sigma=not_negative)
        return draw.result(lambda part, mean, sigma: torch.exp(mean + sigma * part.normal()))

    def standard_t(self, df: Real, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return numbers of Student's t distribution.

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
        R. W. Bailey, *Polar generation of random variates with the t-distribution* (1994).

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.standard_t(3.0, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("standard_t", size, dtype, df=df)
        draw.check(df=positive)
        return draw.variates(variates.student)

    def rayleigh(self, scale: Real = 1.0, size: Size = None, *, dtype: AnyDType = None) -> Array:
        """Return numbers of the Rayleigh distribution.

        Parameters
        ----------
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
            If ``scale`` is negative or NaN.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.rayleigh(size=(2, 3)).shape
        (2, 3)
        """
        draw = self._draw("rayleigh", size, dtype, scale=scale)
        draw.check(scale=not_negative)
        return draw.result(lambda part, scale: torch.sqrt(2 * part.exponential()) * scale)

    def multivariate_normal(
        self,
        mean: Real,
        cov: Real,
        size: Size = None,
        *,
        method: Literal["svd", "eigh", "cholesky"] = "svd",
        tol: float | None = None,
        dtype: AnyDType = None,
    ) -> Array:
        """Return normal vectors.

        Parameters
        ----------
        mean : array or sequence of float
            The mean, a vector.
        cov : array or sequence of float
            The covariance: a symmetric matrix without negative eigenvalues.
        size : int or tuple of int, optional
            The shape of the result but for its last axis; by default ``()``.
        method : {"svd", "eigh", "cholesky"}
            By which decomposition to take a root of the covariance.  ``"cholesky"`` is the fastest
            and takes none that are singular; the others give the symmetric root.
        tol : float, optional
            How far the elements of the covariance may be from those of its transpose, and of the
            square of its root, relative to the greatest; by default the square root of the
            precision of float32 or float64, as computed.  For ``"cholesky"`` only the symmetry
            counts.
        dtype : dtype, optional
            A real floating-point data type; by default the default one, float32.

        Returns
        -------
        Array
            Vectors along the last axis.

        Raises
        ------
        ValueError
            If the shapes do not match, the mean is not finite, or the covariance is not one.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.multivariate_normal([0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]], size=3).shape
        (3, 2)
        """
        if method not in {"svd", "eigh", "cholesky"}:
            raise ValueError(
                "multivariate_normal: method must be 'svd', 'eigh' or 'cholesky', "
                f"got {describe(method)}."
            )
        draw = Draw(self._bits, "multivariate_normal", size, dtype, {})
        given = {"mean": mean, "cov": cov}
        core = {"mean": 1, "cov": 2}
        pair = Draw(self._bits, "multivariate_normal", None, dtype, given, core=core)
        center, covariance = pair.values
        dimensions = center.shape[-1]
        if center.dim() != 1:
            raise ValueError(
                f"multivariate_normal: mean must be a vector, got {tuple(center.shape)}."
            )
        if tuple(covariance.shape) != (dimensions, dimensions):
            raise ValueError(
                f"multivariate_normal: cov must be a matrix of {dimensions} rows and columns, "
                f"got shape {tuple(covariance.shape)}."
            )
        limit = math.sqrt(torch.finfo(draw.compute).eps) if tol is None else tol
        is_finite, said = finite(covariance)
        symmetric = torch.abs(covariance - covariance.mT) <= limit * _largest(covariance)
        pair.check(mean=finite, cov=[(is_finite, said), (symmetric, "must be symmetric")])
        # Sequences are still on the host, and are decomposed there.
        if not at_hand(covariance):  # a bad covariance is reported later: go on with another
            other = eye(dimensions, dtype=pair.compute, device=device_of(covariance))._tensor
            covariance = torch.where(reductions.all(is_finite & symmetric), covariance, other)
        root = _root(pair, covariance, method, limit)

        def make(part: Draw, center: Tensor, root: Tensor) -> Tensor:
            z = part.bits._each(dimensions)._numbers(normal, part.count * dimensions, part.compute)
            turned = matmul(asarray(z.view(part.count, dimensions)), asarray(root))._tensor
            return (center + turned).view(*part.shape, dimensions)

        return pair.mark(draw.vectors(make, (1, 2), center, root))
