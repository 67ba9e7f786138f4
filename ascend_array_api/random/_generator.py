"""The generator: NumPy's ``Generator``, in the namespace's way."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, Literal

from .. import _dtypes as dt
from .._array import Array, wrap
from .._axes import normalize_shape
from .._defaults import float_dtype
from .._devices import resolve, spec
from .._errors import describe
from .._routes import elementwise as el
from .._torch import torch
from .._tracing import untraced, untraced_methods
from . import _variates as variates
from ._arguments import Draw, is_whole
from ._bit_generators import BitGenerator, Philox
from ._integers import integers
from ._permutations import choice, permutation, permuted, shuffle
from ._vectors import complex_normal, dirichlet, multinomial, multivariate_normal

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from .._devices import Device, DeviceLike
    from ._arguments import Real, Size, Whole
    from ._bit_generators import Seed

_HALF_BITS: Final = {dt.float16: 11, dt.bfloat16: 8}
_PLAIN: Final = frozenset({dt.float32, dt.float64})


@untraced_methods
class Generator:
    """Random numbers of many distributions, from a bit generator.

    The methods, their parameters and their defaults are those of NumPy's ``Generator``, but for
    the data types, which are the namespace's.  Arrays are made on the device of the bit generator.
    Parameters can be arrays of that device, Python scalars, or sequences of them; they are
    broadcast together, and with ``size``.

    What is out of range raises ``ValueError``, and the generator is as it was.  To know that of
    an array on an accelerator takes a wait for the device; scalars and sequences take none.

    Parameters
    ----------
    bit_generator : BitGenerator
        A ``Philox`` or a ``Native`` one.

    Notes
    -----
    https://numpy.org/doc/stable/reference/random/generator.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> rng = xp.random.Generator(xp.random.Philox(42, device="cpu"))
    >>> rng.normal(size=(2, 3)).shape
    (2, 3)
    """

    def __init__(self, bit_generator: BitGenerator) -> None:
        if not isinstance(bit_generator, BitGenerator):
            raise TypeError(
                f"Generator: expected a BitGenerator, got {describe(bit_generator)}. "
                "default_rng() takes seeds."
            )
        self._bits = bit_generator

    @property
    def bit_generator(self) -> BitGenerator:
        """The bit generator."""
        return self._bits

    @property
    def device(self) -> Device:
        """The device on which arrays are made."""
        return self._bits.device

    def __repr__(self) -> str:
        return f"Generator({type(self._bits).__name__}, device={str(self.device)!r})"

    def spawn(self, n_children: int) -> list[Generator]:
        """Return independent generators, for as many processes or devices.

        Parameters
        ----------
        n_children : int
            How many.

        Returns
        -------
        list of Generator
            With the bit generators that ``BitGenerator.spawn`` gives.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> [child.random(2).shape for child in rng.spawn(2)]
        [(2,), (2,)]
        """
        return [type(self)(child) for child in self._bits.spawn(n_children)]

    def _draw(
        self,
        function: str,
        size: Size,
        dtype: torch.dtype | None,
        *,
        allowed: frozenset[torch.dtype] = dt.REAL_FLOATING,
        compute: torch.dtype | None = None,
        **parameters: Any,
    ) -> Draw:
        """Take the parameters of a distribution of real numbers."""
        return Draw(self._bits, function, size, dtype, parameters, allowed=allowed, compute=compute)

    def _whole(
        self, function: str, size: Size, dtype: torch.dtype | None, **parameters: Any
    ) -> Draw:
        """Take the parameters of a distribution of integers."""
        return Draw(
            self._bits,
            function,
            size,
            dtype,
            parameters,
            allowed=dt.INTEGER,
            compute=dt.float64,
            default=dt.int64,
        )

    def _plain(
        self,
        numbers: Callable[[int, torch.dtype], Tensor],
        function: str,
        size: Size,
        dtype: torch.dtype | None,
    ) -> Array:
        """Draw what has no parameters and needs no conversion, with little around it."""
        dtype = dtype or float_dtype()
        shape = () if size is None else normalize_shape(function, size, "size")
        tensor = numbers(math.prod(shape), dtype)
        return wrap(tensor if len(shape) == 1 else tensor.view(shape), spec(dtype, self.device))

    def _fixed(self, draw: Draw) -> Tensor:
        """Return uniform numbers that are exact in the data type."""
        numbers = self._bits._uniform(draw.count, draw.compute)
        bits = _HALF_BITS.get(draw.dtype)
        return numbers if bits is None else torch.floor(numbers * 2.0**bits) * 2.0**-bits

    # --- uniform ----------------------------------------------------------------------------------

    def random(self, size: Size = None, dtype: torch.dtype | None = None) -> Array:
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
        if dtype is None or dtype in _PLAIN:
            return self._plain(self._bits._uniform, "random", size, dtype)
        draw = self._draw("random", size, dtype)
        return draw.result(self._fixed(draw))

    def uniform(
        self,
        low: Real = 0.0,
        high: Real = 1.0,
        size: Size = None,
        *,
        dtype: torch.dtype | None = None,
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
            If an end is not finite, or ``high`` is below ``low``.

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
            low=(v_low - v_low == 0, "must be finite"),
            high=(
                (v_high >= v_low) & (v_high - v_low < math.inf),
                "must be finite and not below low",
            ),
        )
        v_low, v_high = draw.operands(v_low, v_high)
        return draw.result(v_low + (v_high - v_low) * self._fixed(draw).view(draw.shape))

    def integers(
        self,
        low: Whole,
        high: Whole | None = None,
        size: Size = None,
        dtype: torch.dtype | None = None,
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
        wait).  With ``Philox`` they are the same on every device.

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

    # --- normal and its kin -----------------------------------------------------------------------

    def standard_normal(self, size: Size = None, dtype: torch.dtype | None = None) -> Array:
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
        if dtype is None or dtype in _PLAIN:
            return self._plain(self._bits._normal, "standard_normal", size, dtype)
        draw = self._draw("standard_normal", size, dtype, allowed=dt.FLOATING)
        if draw.dtype in dt.COMPLEX:
            return complex_normal(self._bits, "standard_normal", 0.0, 1.0, size, draw.dtype)
        return draw.result(self._bits._normal(draw.count, draw.compute))

    def normal(
        self,
        loc: Real | complex = 0.0,
        scale: Real = 1.0,
        size: Size = None,
        *,
        dtype: torch.dtype | None = None,
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
        if dtype is not None and dtype in dt.COMPLEX:
            return complex_normal(self._bits, "normal", loc, scale, size, dtype)
        draw = self._draw("normal", size, dtype, loc=loc, scale=scale)
        v_loc, v_scale = draw.values
        draw.check(
            loc=(v_loc == v_loc, "must not be NaN"),
            scale=(v_scale >= 0, "must not be negative or NaN"),
        )
        z = self._bits._normal(draw.count, draw.compute).view(draw.shape)
        v_loc, v_scale = draw.operands(v_loc, v_scale)
        return draw.result(v_loc + v_scale * z)

    def lognormal(
        self,
        mean: Real = 0.0,
        sigma: Real = 1.0,
        size: Size = None,
        *,
        dtype: torch.dtype | None = None,
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
        v_mean, v_sigma = draw.values
        draw.check(
            mean=(v_mean == v_mean, "must not be NaN"),
            sigma=(v_sigma >= 0, "must not be negative or NaN"),
        )
        z = self._bits._normal(draw.count, draw.compute).view(draw.shape)
        v_mean, v_sigma = draw.operands(v_mean, v_sigma)
        return draw.result(torch.exp(v_mean + v_sigma * z))

    def standard_t(self, df: Real, size: Size = None, *, dtype: torch.dtype | None = None) -> Array:
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
        (v_df,) = draw.values
        draw.check(
            df=(v_df > 0, "must be positive"),
        )
        return draw.result(variates.student(self._bits, draw.count, *draw.flat(v_df)))

    def rayleigh(
        self, scale: Real = 1.0, size: Size = None, *, dtype: torch.dtype | None = None
    ) -> Array:
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
        (v_scale,) = draw.values
        draw.check(
            scale=(v_scale >= 0, "must not be negative or NaN"),
        )
        e = variates.exponential(self._bits, draw.count, draw.compute).view(draw.shape)
        (v_scale,) = draw.operands(v_scale)
        return draw.result(torch.sqrt(2 * e) * v_scale)

    # --- by inversion of the distribution function ------------------------------------------------

    def standard_exponential(self, size: Size = None, *, dtype: torch.dtype | None = None) -> Array:
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
        return draw.result(variates.exponential(self._bits, draw.count, draw.compute))

    def exponential(
        self, scale: Real = 1.0, size: Size = None, *, dtype: torch.dtype | None = None
    ) -> Array:
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
        (v_scale,) = draw.values
        draw.check(
            scale=(v_scale >= 0, "must not be negative or NaN"),
        )
        e = variates.exponential(self._bits, draw.count, draw.compute).view(draw.shape)
        (v_scale,) = draw.operands(v_scale)
        return draw.result(e * v_scale)

    def laplace(
        self,
        loc: Real = 0.0,
        scale: Real = 1.0,
        size: Size = None,
        *,
        dtype: torch.dtype | None = None,
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
        v_loc, v_scale = draw.values
        draw.check(
            loc=(v_loc == v_loc, "must not be NaN"),
            scale=(v_scale >= 0, "must not be negative or NaN"),
        )
        f = variates.fractions(self._bits, draw.count, draw.compute).view(draw.shape)
        v_loc, v_scale = draw.operands(v_loc, v_scale)
        log = torch.log(2 * torch.abs(f))
        return draw.result(v_loc + v_scale * torch.where(f < 0, log, -log))

    def logistic(
        self,
        loc: Real = 0.0,
        scale: Real = 1.0,
        size: Size = None,
        *,
        dtype: torch.dtype | None = None,
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
        v_loc, v_scale = draw.values
        draw.check(
            loc=(v_loc == v_loc, "must not be NaN"),
            scale=(v_scale >= 0, "must not be negative or NaN"),
        )
        f = variates.fractions(self._bits, draw.count, draw.compute).view(draw.shape)
        v_loc, v_scale = draw.operands(v_loc, v_scale)
        return draw.result(v_loc + v_scale * variates.logit(f))

    def gumbel(
        self,
        loc: Real = 0.0,
        scale: Real = 1.0,
        size: Size = None,
        *,
        dtype: torch.dtype | None = None,
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
        v_loc, v_scale = draw.values
        draw.check(
            loc=(v_loc == v_loc, "must not be NaN"),
            scale=(v_scale >= 0, "must not be negative or NaN"),
        )
        e = variates.exponential(self._bits, draw.count, draw.compute).view(draw.shape)
        v_loc, v_scale = draw.operands(v_loc, v_scale)
        return draw.result(v_loc - v_scale * torch.log(e))

    def standard_cauchy(self, size: Size = None, *, dtype: torch.dtype | None = None) -> Array:
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
        f = variates.fractions(self._bits, draw.count, draw.compute).view(draw.shape)
        return draw.result(variates.cotangent(f))

    def cauchy(
        self,
        loc: Real = 0.0,
        scale: Real = 1.0,
        size: Size = None,
        *,
        dtype: torch.dtype | None = None,
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
        v_loc, v_scale = draw.values
        draw.check(
            loc=(v_loc == v_loc, "must not be NaN"),
            scale=(v_scale >= 0, "must not be negative or NaN"),
        )
        f = variates.fractions(self._bits, draw.count, draw.compute).view(draw.shape)
        v_loc, v_scale = draw.operands(v_loc, v_scale)
        return draw.result(v_loc + v_scale * variates.cotangent(f))

    def weibull(self, a: Real, size: Size = None, *, dtype: torch.dtype | None = None) -> Array:
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
        (v_a,) = draw.values
        draw.check(
            a=(v_a > 0, "must be positive"),
        )
        e = variates.exponential(self._bits, draw.count, draw.compute).view(draw.shape)
        (v_a,) = draw.operands(v_a)
        return draw.result(torch.exp(torch.log(e) / v_a))

    def pareto(self, a: Real, size: Size = None, *, dtype: torch.dtype | None = None) -> Array:
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
        (v_a,) = draw.values
        draw.check(
            a=(v_a > 0, "must be positive"),
        )
        e = variates.exponential(self._bits, draw.count, draw.compute).view(draw.shape)
        (v_a,) = draw.operands(v_a)
        return draw.result(variates.run(el.expm1, e / v_a))

    def triangular(
        self,
        left: Real,
        mode: Real,
        right: Real,
        size: Size = None,
        *,
        dtype: torch.dtype | None = None,
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
            If the ends are not finite or not in order, or the mode is not between them.

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
            left=(v_left - v_left == 0, "must be finite"),
            mode=((v_left <= v_mode) & (v_mode <= v_right), "must be from left to right"),
            right=(
                (v_left < v_right) & (v_right - v_left < math.inf),
                "must be finite and above left",
            ),
        )
        f = variates.fractions(self._bits, draw.count, draw.compute).view(draw.shape)
        v_left, v_mode, v_right = draw.operands(v_left, v_mode, v_right)
        return draw.result(variates.triangular(f, v_left, v_mode, v_right))

    # --- gamma and its kin ------------------------------------------------------------------------

    def standard_gamma(
        self, shape: Real, size: Size = None, *, dtype: torch.dtype | None = None
    ) -> Array:
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
        draw.check(
            shape=(v_shape >= 0, "must not be negative or NaN"),
        )
        return draw.result(variates.gamma(self._bits, draw.count, *draw.flat(v_shape)))

    def gamma(
        self, shape: Real, scale: Real = 1.0, size: Size = None, *, dtype: torch.dtype | None = None
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
        v_shape, v_scale = draw.values
        draw.check(
            shape=(v_shape >= 0, "must not be negative or NaN"),
            scale=(v_scale >= 0, "must not be negative or NaN"),
        )
        g = variates.gamma(self._bits, draw.count, *draw.flat(v_shape)).view(draw.shape)
        (v_scale,) = draw.operands(v_scale)
        return draw.result(g * v_scale)

    def beta(
        self, a: Real, b: Real, size: Size = None, *, dtype: torch.dtype | None = None
    ) -> Array:
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
        draw.check(
            a=(v_a > 0, "must be positive"),
            b=(v_b > 0, "must be positive"),
        )
        return draw.result(variates.beta(self._bits, draw.count, *draw.flat(v_a, v_b)))

    def chisquare(self, df: Real, size: Size = None, *, dtype: torch.dtype | None = None) -> Array:
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
        draw.check(
            df=(v_df > 0, "must be positive"),
        )
        return draw.result(2 * variates.gamma(self._bits, draw.count, draw.flat(v_df)[0] / 2))

    def f(
        self, dfnum: Real, dfden: Real, size: Size = None, *, dtype: torch.dtype | None = None
    ) -> Array:
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
        v_dfnum, v_dfden = draw.values
        draw.check(
            dfnum=(v_dfnum > 0, "must be positive"),
            dfden=(v_dfden > 0, "must be positive"),
        )
        above, below = draw.flat(v_dfnum, v_dfden)
        (x, e), (y, f) = variates.gamma_pairs(self._bits, draw.count, above / 2, below / 2)
        return draw.result((x / above) / (y / below) * torch.exp(e - f))

    # --- angles -----------------------------------------------------------------------------------

    def vonmises(
        self, mu: Real, kappa: Real, size: Size = None, *, dtype: torch.dtype | None = None
    ) -> Array:
        """Return angles of the von Mises distribution, from [-pi, pi].

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
        v_mu, v_kappa = draw.values
        draw.check(
            mu=(v_mu - v_mu == 0, "must be finite"),
            kappa=(v_kappa >= 0, "must not be negative or NaN"),
        )
        angle = variates.von_mises(self._bits, draw.count, *draw.flat(v_kappa)).view(draw.shape)
        (v_mu,) = draw.operands(v_mu)
        turned = angle + v_mu
        return draw.result(turned - 2 * math.pi * torch.round(turned / (2 * math.pi)))

    # --- discrete ---------------------------------------------------------------------------------

    def poisson(self, lam: Real, size: Size = None, *, dtype: torch.dtype | None = None) -> Array:
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
            If ``lam`` is out of range or NaN.

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
        draw.check(
            lam=((v_lam >= 0) & (v_lam <= 2.0**62), "must be from 0 to 2**62"),
        )
        known = v_lam if isinstance(v_lam, float) else None
        (mean,) = draw.flat(v_lam)
        return draw.result(variates.poisson(self._bits, draw.count, mean, known))

    def binomial(
        self, n: Whole, p: Real, size: Size = None, *, dtype: torch.dtype | None = None
    ) -> Array:
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
        draw.check(
            n=((v_n >= 0) & (v_n <= 2.0**53) & is_whole(v_n), "must be an integer from 0 to 2**53"),
            p=((v_p >= 0) & (v_p <= 1), "must be from 0 to 1"),
        )
        scalars = isinstance(v_n, float) and isinstance(v_p, float)
        known = v_n * (1 - v_p if v_p > 0.5 else v_p) if scalars else None
        trials, chance = draw.flat(v_n, v_p)
        return draw.result(variates.binomial(self._bits, draw.count, trials, chance, known))

    def geometric(self, p: Real, size: Size = None, *, dtype: torch.dtype | None = None) -> Array:
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
        By inversion of the distribution function.  Computed in float64; what exceeds int64 becomes
        about its greatest number.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.geometric(0.25, size=(2, 3)).shape
        (2, 3)
        """
        draw = self._whole("geometric", size, dtype, p=p)
        (v_p,) = draw.values
        draw.check(
            p=((v_p > 0) & (v_p <= 1), "must be above 0 and at most 1"),
        )
        return draw.result(variates.geometric(self._bits, draw.count, *draw.flat(v_p)))

    # --- vectors ----------------------------------------------------------------------------------

    def multinomial(
        self, n: Whole, pvals: Real, size: Size = None, *, dtype: torch.dtype | None = None
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
        A binomial number for each outcome but the last, of the trials that are left (L. Devroye,
        *Non-uniform random variate generation*, 1986, chapter XI.1.4).  Computed in float64.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> int(xp.sum(rng.multinomial(20, [1 / 6] * 6)))
        20
        """
        return multinomial(self._bits, n, pvals, size, dtype)

    def dirichlet(
        self, alpha: Real, size: Size = None, *, dtype: torch.dtype | None = None
    ) -> Array:
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
        return dirichlet(self._bits, alpha, size, dtype)

    def multivariate_normal(
        self,
        mean: Real,
        cov: Real,
        size: Size = None,
        *,
        method: Literal["svd", "eigh", "cholesky"] = "svd",
        tol: float | None = None,
        dtype: torch.dtype | None = None,
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
            How far, relative to the greatest singular value, the covariance may be from symmetric
            and its eigenvalues below zero; by default the square root of the data type's precision.
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
        return multivariate_normal(self._bits, mean, cov, size, method, tol, dtype)

    # --- choices and permutations -----------------------------------------------------------------

    def choice(
        self,
        a: Array | int,
        size: Size = None,
        replace: bool = True,  # noqa: FBT002  # as NumPy has it
        p: Real | None = None,
        axis: int = 0,
        shuffle: bool = True,  # noqa: FBT002
    ) -> Array:
        """Return a random selection.

        Parameters
        ----------
        a : array or int
            What to choose from: the elements along an axis, or, for an integer, ``arange(a)``.
        size : int or tuple of int, optional
            How many to choose, as a shape; by default one, without an axis.
        replace : bool, default: True
            Whether an element can be chosen again.
        p : array or sequence of float, optional
            The probability of each element; by default all are equal.
        axis : int, default: 0
            The axis along which to choose.
        shuffle : bool, default: True
            Taken for the sake of NumPy; without replacement the order is random in any case.

        Returns
        -------
        Array
            The elements, with axes of ``size`` in the place of ``axis``.

        Raises
        ------
        ValueError
            If there is nothing to choose from, or not enough without replacement, or ``p`` is
            negative, NaN, of another length, or does not sum to one.

        Notes
        -----
        Without replacement the elements are sorted by random keys of 64 bits; with probabilities by
        E / p of exponential numbers E, which is the same as choosing one after the other (P. S.
        Efraimidis and P. G. Spirakis, *Weighted random sampling with a reservoir*, 2006).

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.choice(5, size=3).shape
        (3,)
        >>> x = xp.asarray([[1, 2], [3, 4], [5, 6]], device="cpu")
        >>> rng.choice(x, size=2, replace=False).shape
        (2, 2)
        """
        del shuffle
        return choice(self._bits, a, size, replace, p, axis)

    def permutation(self, x: Array | int, axis: int = 0) -> Array:
        """Return the elements along an axis in random order.

        Parameters
        ----------
        x : array or int
            The array, or, for an integer, ``arange(x)``.
        axis : int, default: 0
            The axis; what lies along it stays together.

        Returns
        -------
        Array
            A new array.

        Notes
        -----
        Sorting by random keys of 64 bits.  That two of n keys are equal, whose order would then not
        be random, has a probability below n**2 / 2**65.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> sorted(int(i) for i in rng.permutation(5))
        [0, 1, 2, 3, 4]
        """
        return permutation(self._bits, x, axis)

    def permuted(self, x: Array, axis: int | None = None) -> Array:
        """Return the elements in random order, independently in every slice along an axis.

        Parameters
        ----------
        x : array
            The array.
        axis : int, optional
            The axis; by default all elements are permuted.

        Returns
        -------
        Array
            A new array.

        Notes
        -----
        Sorting by random keys of 64 bits.  That two of n keys are equal, whose order would then not
        be random, has a probability below n**2 / 2**65.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> x = xp.reshape(xp.arange(6, device="cpu"), (2, 3))
        >>> int(xp.sum(rng.permuted(x, axis=1)[0, :]))
        3
        """
        return permuted(self._bits, x, axis)

    def shuffle(self, x: Array, axis: int = 0) -> None:
        """Put the elements along an axis into random order, in place.

        Parameters
        ----------
        x : array
            The array, which is changed.
        axis : int, default: 0
            The axis; what lies along it stays together.

        Notes
        -----
        Sorting by random keys of 64 bits.  That two of n keys are equal, whose order would then not
        be random, has a probability below n**2 / 2**65.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> x = xp.arange(5, device="cpu")
        >>> rng.shuffle(x)
        >>> int(xp.sum(x))
        10
        """
        shuffle(self._bits, x, axis)


@untraced
def default_rng(
    seed: Seed | BitGenerator | Generator = None, *, device: DeviceLike | None = None
) -> Generator:
    """Return a generator of the portable stream, ``Philox``.

    Parameters
    ----------
    seed : int, sequence of int, SeedSequence, BitGenerator, Generator or None
        What determines the stream; None takes fresh entropy of the operating system.  A bit
        generator is wrapped, and a generator returned as it is.
    device : Device or str, optional
        The device on which arrays are made; by default the default device.

    Returns
    -------
    Generator
        A new one, unless one was given.

    Raises
    ------
    ValueError
        If the seed is negative, or a generator is given that is on another device.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> rng = xp.random.default_rng(42, device="cpu")
    >>> rng.random(3)
    Array([0.30211103, 0.33531606, 0.6591792 ], dtype=float32, device='cpu')
    """
    if isinstance(seed, (BitGenerator, Generator)):
        if device is not None and resolve(device, "default_rng") is not seed.device:
            raise ValueError(
                f"default_rng: the generator is on {seed.device}, not on {device}. "
                "Make one for that device."
            )
        return seed if isinstance(seed, Generator) else Generator(seed)
    return Generator(Philox(seed, device=device))
