"""Distributions of vectors, and of complex numbers."""

from __future__ import annotations

import math
from typing import Any, Final

from .._arrays.array import Array, wrap
from .._calls.interchange import asarray
from .._chapters.creation import eye
from .._chapters.linear_algebra import matmul
from .._devices.device import device_of
from .._errors.exceptions import describe
from .._routes import reductions
from .._routes._derivatives import at_hand
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from . import _variates as variates
from ._arguments import Draw, finite, is_whole, not_negative, positive, probability, sums_to_one
from ._bit_generators import BitGenerator

_METHODS: Final = ("svd", "eigh", "cholesky")


def complex_normal(
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
    x, y, spread = draw.values
    draw.check(loc=((x == x) & (y == y), "must not be NaN"), scale=not_negative(spread))

    def make(part: Draw, x: Any, y: Any, spread: Any) -> Tensor:
        z = part.bits._each(2)._normal(2 * part.count, part.compute).view(*part.shape, 2)
        z = z * math.sqrt(0.5)
        return torch.complex(x + spread * z[..., 0], y + spread * z[..., 1])

    return draw.result(make)


def multinomial(
    bits: BitGenerator, n: Any, pvals: Any, size: Any, dtype: torch.dtype | None
) -> Array:
    """Return how often each of several outcomes occurs."""
    draw = Draw(
        bits,
        "multinomial",
        size,
        dtype,
        {"n": n, "pvals": pvals},
        allowed=dt.INTEGER,
        compute=dt.float64,
        default=dt.int64,
        core={"pvals": 1},
    )
    trials, chances = draw.values
    if not chances.shape[-1]:
        raise ValueError("multinomial: pvals must not be empty.")
    most, text = draw.greatest(53)
    draw.check(n=((trials >= 0) & (trials <= most) & is_whole(trials), f"must be from 0 to {text}"))
    conditions = [probability(chances), (sums_to_one(chances, pvals), "must sum to one")]
    draw.check_all("pvals", conditions)

    def make(part: Draw, trials: Any, chances: Tensor) -> Tensor:
        rows = _rows(part, chances)
        numbers = variates.multinomial(part.bits, part.count, part.flat(trials)[0], rows)
        return numbers.view(*part.shape, rows.shape[-1])

    return draw.vectors(make, (0, 1), trials, chances)


def multivariate_hypergeometric(
    bits: BitGenerator, colors: Any, nsample: Any, size: Any, method: Any, dtype: torch.dtype | None
) -> Array:
    """Return how many of each color are in a sample without replacement."""
    if method not in {"marginals", "count"}:
        raise ValueError(
            "multivariate_hypergeometric: method must be 'marginals' or 'count', "
            f"got {describe(method)}."
        )
    draw = Draw(
        bits,
        "multivariate_hypergeometric",
        size,
        dtype,
        {"colors": colors, "nsample": nsample},
        allowed=dt.INTEGER,
        compute=dt.float64,
        default=dt.int64,
        core={"colors": 1},
    )
    numbers, sample = draw.values
    if not numbers.shape[-1]:
        raise ValueError("multivariate_hypergeometric: colors must not be empty.")
    total = reductions.sum(numbers, (-1,))
    conditions = [
        ((numbers >= 0) & is_whole(numbers), "must be integers that are not negative"),
        (total <= 2**53, "must have a sum of at most 2**53"),
    ]
    draw.check_all("colors", conditions)
    most, text = draw.greatest(53)
    conditions = [
        ((sample >= 0) & (sample <= most) & is_whole(sample), f"must be from 0 to {text}"),
        (sample <= total, "must be at most the sum of colors"),
    ]
    draw.check_all("nsample", conditions)

    def make(part: Draw, numbers: Tensor, sample: Any) -> Tensor:
        rows = _rows(part, numbers)
        drawn = part.flat(sample)[0]
        made = variates.multivariate_hypergeometric(part.bits, part.count, drawn, rows)
        return made.view(*part.shape, rows.shape[-1])

    return draw.vectors(make, (1, 0), numbers, sample)


def _rows(draw: Draw, vectors: Tensor) -> Tensor:
    """Return vectors as a single vector, or as one row for each vector of the result."""
    size = vectors.shape[-1]
    if vectors.numel() == size:
        return vectors.reshape(size)
    return vectors.expand(*draw.shape, size).reshape(draw.count, size)


def dirichlet(bits: BitGenerator, alpha: Any, size: Any, dtype: torch.dtype | None) -> Array:
    """Return vectors of proportions."""
    draw = Draw(bits, "dirichlet", size, dtype, {"alpha": alpha}, core={"alpha": 1})
    (concentrations,) = draw.values
    if not concentrations.shape[-1]:
        raise ValueError("dirichlet: alpha must not be empty.")
    draw.require(alpha=positive)

    def make(part: Draw, concentrations: Tensor) -> Tensor:
        rows = _rows(part, concentrations)
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


def multivariate_normal(
    bits: BitGenerator,
    mean: Any,
    cov: Any,
    size: Any,
    method: Any,
    tol: float | None,
    dtype: torch.dtype | None,
) -> Array:
    """Return normal vectors."""
    if method not in _METHODS:
        raise ValueError(
            "multivariate_normal: method must be 'svd', 'eigh' or 'cholesky', "
            f"got {describe(method)}."
        )
    draw = Draw(bits, "multivariate_normal", size, dtype, {})
    given = {"mean": mean, "cov": cov}
    core = {"mean": 1, "cov": 2}
    pair = Draw(bits, "multivariate_normal", None, dtype, given, core=core)
    center, covariance = pair.values
    dimensions = center.shape[-1]
    if center.dim() != 1:
        raise ValueError(f"multivariate_normal: mean must be a vector, got {tuple(center.shape)}.")
    if tuple(covariance.shape) != (dimensions, dimensions):
        raise ValueError(
            f"multivariate_normal: cov must be a matrix of {dimensions} rows and columns, "
            f"got shape {tuple(covariance.shape)}."
        )
    limit = math.sqrt(torch.finfo(draw.compute).eps) if tol is None else tol
    pair.require(mean=finite)
    is_finite, said = finite(covariance)
    symmetric = torch.abs(covariance - covariance.mT) <= limit * _largest(covariance)
    pair.check_all("cov", [(is_finite, said), (symmetric, "must be symmetric")])
    # Sequences are still on the host, and are decomposed there.
    if not at_hand(covariance):  # a bad covariance is reported later: go on with another
        other = eye(dimensions, dtype=pair.compute, device=device_of(covariance))._tensor
        covariance = torch.where(reductions.all(is_finite & symmetric), covariance, other)
    root = _root(pair, covariance, method, limit)

    def make(part: Draw, center: Tensor, root: Tensor) -> Tensor:
        z = part.bits._each(dimensions)._normal(part.count * dimensions, part.compute)
        turned = matmul(asarray(z.view(part.count, dimensions)), asarray(root))._tensor
        return (center + turned).view(*part.shape, dimensions)

    return pair.mark(draw.vectors(make, (1, 2), center, root))


def _largest(matrix: Tensor) -> Any:
    return reductions.max(torch.abs(matrix), (0, 1)) if matrix.numel() else 0


def _root(pair: Draw, covariance: Tensor, method: str, limit: float) -> Tensor:
    """Return a root A of the covariance, with A^T A equal to it; check that it is."""
    from .. import linalg

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
    pair.check_all("cov", [(close, "must not have negative eigenvalues")])
    roots = (vectors.mT * torch.sqrt(values)).contiguous()
    product: Tensor = matmul(asarray(roots), asarray(vectors.contiguous()))._tensor
    return product
