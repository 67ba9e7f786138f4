"""Decompositions and linear systems on NPUs.

CANN has kernels for QR, triangular systems and the logarithm of a determinant (on the AICPU, for
all four data types), and for Cholesky and singular values of float32.  torch_npu calls no kernel
for LU, determinants and eigenvalues, and CANN's inversion does not report singular matrices.

So we solve systems by Householder QR: ``A = QR``, ``x = R^-1 Q^H b``.  Its errors are small beside
the largest elements alone: we balance rows and columns before, and refine solutions after.
But QR seldom shows that a matrix is singular.  The logarithm of its determinant does, because CANN
computes it by LU with pivots, as other devices do.  It finds every row and column of zeros, and
other singular matrices as far as rounding permits.

CANN does not document what its kernels do with difficult matrices.  So only QR and Cholesky get
matrices with NaN or infinities, no kernel gets elements whose squares overflow, and none gets a
triangle with a zero on its diagonal.  The host never waits for a value.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final

from torch.autograd.function import once_differentiable

from ..._devices.device import spec_of
from ..._devices.facts import cann_at_least, cann_before
from ..._routes import creation
from ..._routes import elementwise as el
from ..._routes import linear_algebra as la
from ..._routes import searching as search
from ..._routes._constants import constant
from ..._routes._derivatives import tracked
from ..._routes._operations import cast
from ..._routes._rows import Compose, Host, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.private import derivatives
from ..._torch.tracing import untraced
from . import OLDER
from ._common import (
    BITS,
    Cause,
    derivative,
    launches,
    no_kernel,
    older_path,
    refused,
    refused_by_torch_npu,
    undocumented,
    wrong,
)
from .indexing import gathered
from .products import are_coarse

_FRACTION: Final = {dt.float32: 23, dt.float64: 52}
"""How many bits of a number are its fraction; the exponent is above them."""
_BIAS: Final = {dt.float32: 127, dt.float64: 1023}
"""The exponent bits of 1."""
_FAR: Final = 1 << 14
"""More than all differences of exponents."""
_LITTLE: Final = 1e-5
"""A relative addition to the diagonal, which keeps the matrix of the fit regular."""

# --- parts, and powers of two ---------------------------------------------------------------------


def _parts(x: Tensor) -> Tensor:
    """Return the parts of numbers along a last axis, of length 2, or 1 for real numbers."""
    return torch.view_as_real(x.resolve_conj()) if x.is_complex() else x.unsqueeze(-1)


def _whole(parts: Tensor) -> Tensor:
    """Return the numbers with the given parts."""
    return torch.view_as_complex(parts) if parts.shape[-1] == 2 else parts.squeeze(-1)


def _times(x: Tensor, *factors: Tensor) -> Tensor:
    """Multiply by real factors, one for each matrix or column, without complex arithmetic."""
    parts = _parts(x)
    for factor in factors:
        parts = parts * factor.unsqueeze(-1)
    return _whole(parts)


def _over(x: Tensor, divisor: Tensor) -> Tensor:
    return _whole(_parts(x) / divisor.unsqueeze(-1))


def _adjoint(x: Tensor) -> Tensor:
    return (el.conj(x) if x.is_complex() else x).mT


def _exponent(x: Tensor) -> Tensor:
    """Return the exponent bits of non-negative numbers, at least those of a normal number."""
    bits = x.detach().contiguous().view(BITS[x.dtype])
    exponent: Tensor = torch.div(bits, 1 << _FRACTION[x.dtype], rounding_mode="floor")
    return exponent.clamp(1, 2 * _BIAS[x.dtype])


def _power(exponent: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the power of two with these exponent bits."""
    return (exponent * (1 << _FRACTION[dtype])).view(dtype)


def _shifted(x: Tensor, exponent: Tensor) -> Tensor:
    """Multiply by powers of two; only a result out of range is not exact."""
    return _times(x, *_halves(exponent, _real(x)))


def _halves(exponent: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Return two powers of two whose product has the given exponent."""
    bias = _BIAS[dtype]
    exponent = exponent.clamp(2 - 2 * bias, 2 * bias).to(BITS[dtype])
    half = torch.div(exponent, 2, rounding_mode="floor")
    return _power(half + bias, dtype), _power(exponent - half + bias, dtype)


def _real(x: Tensor) -> torch.dtype:
    return dt.REAL_OF.get(x.dtype, x.dtype)


# --- stacks of matrices --------------------------------------------------------------------------


def _of_stack(decompose: Callable[..., Any]) -> Callable[..., Any]:
    """Merge the axes of a stack to one for a decomposition, because CANN's kernels take few."""

    @functools.wraps(decompose)
    def in_one_stack(x: Tensor, *operands: Any, **parameters: Any) -> Any:
        stack = x.shape[:-2]

        def unfold(result: Tensor) -> Tensor:
            return result.reshape((*stack, *result.shape[1:]))

        flat = x.reshape((math.prod(stack), *x.shape[-2:]))
        results = decompose(flat, *operands, **parameters)
        return tuple(map(unfold, results)) if isinstance(results, tuple) else unfold(results)

    return in_one_stack


def _of_finite(decompose: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decomposition whose results are NaN for matrices with NaN or infinities."""
    return _of_stack(la.of_finite(decompose))


# --- QR -------------------------------------------------------------------------------------------


@_of_stack
def _qr(x: Tensor, mode: str) -> tuple[Tensor, Tensor]:
    """Decompose matrices after dividing each column by its largest element.

    Then no square overflows or vanishes.  An element that is not finite makes its column of R NaN,
    and all that depends on it, because a fixed number of reflections is plain arithmetic.
    """
    rows, columns = x.shape[-2:]
    if not x.numel():
        inner = rows if mode == "complete" else min(rows, columns)
        identity = creation.eye.on(spec_of(x))(rows, inner, 0, x.dtype, x.device)
        stack = tuple(x.shape[:-2])
        # A part of x, so that autograd follows; it is as empty as the result.
        return identity.expand((*stack, rows, inner)).clone(), x[..., :inner, :].clone()
    parts = _parts(x)
    largest = torch.amax(torch.abs(parts.detach()), (-3, -1), keepdim=True)
    largest = torch.clamp(largest, min=torch.finfo(_real(x)).tiny)
    q, r = _Qr.apply(_whole(parts / largest), mode)  # type: ignore[no-untyped-call]
    return q, _whole(_parts(r) * largest)


# --- systems --------------------------------------------------------------------------------------


def _on_diagonal(x: Tensor) -> Tensor:
    """Return a mask of the diagonal of square matrices."""
    places = torch.arange(x.shape[-1], dtype=dt.int32, device=x.device)
    return places == places.unsqueeze(-1)


@untraced
def _sign_of_det(x: Tensor) -> Tensor:
    # The compiler asks torch_npu's function for results without data, which it cannot give.
    return torch.slogdet(x).sign


def _sizes(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the exponent of the larger part of each number, and which numbers are not 0."""
    size = torch.abs(x.detach()) if not x.is_complex() else torch.abs(_parts(x.detach())).amax(-1)
    return _exponent(size).to(dt.float32) - _BIAS[size.dtype], size != 0


def _greatest(exponent: Tensor, known: Tensor) -> Tensor:
    """Return the greatest exponent in each column; a low one where nothing is known."""
    return torch.amax(torch.where(known, exponent, -_FAR), -2, keepdim=True)


@_of_stack
def _balance(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the exponents of the powers of two by which rows and columns are to be divided.

    The sums of both are near the exponents of the elements that are not 0, by least squares.  So
    whatever the sizes of rows and columns were, the same matrix is left.  Dividing rows, and then
    columns, by their largest elements leaves a worse matrix where some elements are 0.  (A. R.
    Curtis, J. K. Reid, On the automatic scaling of matrices for Gaussian elimination, IMA Journal
    of Applied Mathematics 10, 1972.)  The columns count from their largest quotients in the end.
    """
    exponent, known = _sizes(x)
    one = known.to(dt.float32)
    across, down = (one.sum(axis, keepdim=True).clamp(min=1) for axis in (-1, -2))
    exponent = exponent * one
    share = one / down
    apart = exponent.sum(-1, keepdim=True) - la.matmul(share, exponent.sum(-2).unsqueeze(-1))
    # With a little more on the diagonal, because the sizes of parts that have no row and column in
    # common are arbitrary.
    normal = torch.where(_on_diagonal(one), across * (1 + _LITTLE), 0) - la.matmul(share, one.mT)
    q, r = torch.linalg.qr(normal)
    rows = torch.linalg.solve_triangular(r, la.matmul(q.mT, apart), upper=True)
    rows = torch.round(el.nan_to_num(rows, 0.0, 0.0, 0.0))
    return rows, _greatest(exponent - rows, known)


def _balanced(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return balanced matrices, and the exponents of their rows and columns."""
    rows, columns = _balance(x)
    return _shifted(x, -(rows + columns)), rows, columns


class _Factors:
    """Q and R of square matrices, and which of the matrices are singular."""

    def __init__(self, x: Tensor) -> None:
        self.x, self.rows, self.columns = _balanced(x)
        self.q, r = torch.linalg.qr(self.x)
        self.sign = _sign_of_det(self.x)
        zero = (r == 0) & _on_diagonal(r)
        self.r = torch.where(zero, 1, r)
        self.singular = (self.sign == 0) | (zero.to(dt.int32).sum((-2, -1)) != 0)

    def divide(self, x: Tensor) -> Tensor:
        """Return R^-1 x."""
        quotient: Tensor = torch.linalg.solve_triangular(self.r, x, upper=True)
        return quotient

    def solve(self, right: Tensor) -> Tensor:
        """Solve the balanced systems.

        One step of refinement makes the error of each equation small beside its own terms.  (R. D.
        Skeel, Iterative refinement implies numerical stability for Gaussian elimination,
        Mathematics of Computation 35, 1980.)
        """
        adjoint = _adjoint(self.q)
        solution = self.divide(la.matmul(adjoint, right))
        rest = right - la.matmul(self.x, solution)
        return solution + self.divide(la.matmul(adjoint, rest))

    def settle(self, result: Tensor) -> Tensor:
        """Return a result with NaN for the singular matrices."""
        return torch.where(self.singular[..., None, None], math.nan, result)


def _inv(x: Tensor) -> Tensor:
    if not x.numel():
        return torch.empty_like(x)
    factors = _Factors(x)
    inverse = factors.solve(torch.where(_on_diagonal(x), 1, torch.zeros_like(x)))
    return factors.settle(_shifted(inverse, -(factors.rows + factors.columns).mT))


def _solve(x1: Tensor, x2: Tensor) -> Tensor:
    """Solve systems; a right-hand side that is not finite affects its own column only."""
    stack: tuple[int, ...] = torch.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])  # type: ignore[no-untyped-call]
    if not (x1.numel() and x2.numel()):
        return x2.new_empty((*stack, *x2.shape[-2:]))
    if len(stack) > 2:
        flat = (x.expand(*stack, *x.shape[-2:]).flatten(0, -3) for x in (x1, x2))
        return _solve(*flat).reshape(*stack, *x2.shape[-2:])
    # A matrix that is not finite becomes 0, which counts as singular.
    factors = _Factors(torch.where(la.has_odd(x1)[..., None, None], 0, x1))
    exponent, known = _sizes(x2)
    largest = _greatest(exponent - factors.rows, known)
    solution = factors.solve(_shifted(x2, -(factors.rows + largest)))
    return factors.settle(_shifted(solution, largest - factors.columns.mT))


def _det(x: Tensor) -> Tensor:
    """Multiply the diagonal of R with separate exponents, so that only the result may overflow.

    CANN's logarithm of the determinant gives only the sign: its error would be large in the result.
    """
    if not x.numel():
        return x.new_ones(x.shape[:-2])
    factors = _Factors(x)
    real = _real(x)
    bias = _BIAS[real]
    rest = el.abs(torch.diagonal(factors.r, dim1=-2, dim2=-1))
    total = (factors.rows.mT + factors.columns).to(dt.int64).sum((-2, -1))
    while True:  # the product of 64 numbers between 1 and 2 does not overflow
        exponent = _exponent(rest)
        total = total + (exponent - bias).to(dt.int64).sum(-1)
        rest = rest / _power(exponent, real)
        if rest.shape[-1] == 1:
            break
        missing = rest.new_ones((*rest.shape[:-1], -rest.shape[-1] % 64))
        chunks = torch.cat((rest, missing), -1)
        rest = torch.prod(chunks.reshape((*chunks.shape[:-1], -1, 64)), -1)
    size = rest.squeeze(-1)
    for factor in _halves(total, real):
        size = size * factor
    size = torch.where(factors.singular, 0, size)
    return _whole(_parts(factors.sign) * size.unsqueeze(-1))


def _slogdet(x: Tensor) -> tuple[Tensor, Tensor]:
    if not x.numel():
        return x.new_ones(x.shape[:-2]), x.new_zeros(x.shape[:-2], dtype=_real(x))
    scaled, rows, columns = _balanced(x)
    sign, logarithm = torch.slogdet(scaled)
    logarithm = logarithm.real if logarithm.is_complex() else logarithm
    power = cast((rows.mT + columns).sum((-2, -1)), logarithm.dtype)
    return sign, logarithm + power * constant(math.log(2), logarithm)


# --- gradients ------------------------------------------------------------------------------------
#
# Torch's own formulas for QR multiply matrices of float64 and complex numbers, which CANN does not
# support.  These formulas use the namespace's products, and can be differentiated again.


class _OfStacks(torch.autograd.Function):
    """A function of stacks of matrices; ``torch.vmap`` adds one more dimension to the stack."""

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        outputs = output if isinstance(output, tuple) else (output,)
        ctx.save_for_backward(*(x for x in inputs if isinstance(x, torch.Tensor)), *outputs)

    @classmethod
    def vmap(cls, info: Any, in_dims: tuple[int | None, ...], *operands: Any) -> Any:  # noqa: ARG003
        ranks = [
            x.dim() - (dim is not None)
            for x, dim in zip(operands, in_dims)
            if isinstance(x, torch.Tensor)
        ]

        def moved(x: Any, dim: int | None) -> Any:
            if dim is None:
                return x
            x = x.movedim(dim, 0)
            return x[(slice(None),) + (None,) * (max(ranks) + 1 - x.dim())]

        results = cls.apply(*map(moved, operands, in_dims))  # type: ignore[no-untyped-call]
        return results, (0,) * len(results) if isinstance(results, tuple) else 0


class _Qr(_OfStacks):
    @staticmethod
    def forward(x: Tensor, mode: str) -> tuple[Tensor, Tensor]:
        q, r = torch.linalg.qr(x, mode)
        return q, r

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, str], output: tuple[Tensor, Tensor]) -> None:
        ctx.save_for_backward(*output)
        ctx.differentiable = inputs[1] == "reduced" or output[0].shape[-1] <= output[1].shape[-1]

    @staticmethod
    def backward(ctx: Any, of_q: Tensor, of_r: Tensor) -> tuple[Tensor, None]:
        if not ctx.differentiable:
            raise RuntimeError("qr: complete bases of more rows than columns have no gradient")
        q, r = ctx.saved_tensors
        size = r.shape[-2]
        # In a wide matrix, the columns further right are Q times those of R.
        sizes = (size, r.shape[-1] - size)
        right, of_right = (x.narrow(-1, *sizes) for x in (r, of_r))
        r, of_r = (x.narrow(-1, 0, size) for x in (r, of_r))
        if sizes[1]:
            of_q = of_q + la.matmul(la.matmul(q, right), _adjoint(of_right))
        inner = la.matmul(of_r, _adjoint(r)) - la.matmul(_adjoint(q), of_q)
        places = torch.arange(size, device=r.device)
        above = torch.where(places > places.unsqueeze(-1), inner, 0)
        diagonal = torch.where(_on_diagonal(inner), inner.real, 0)
        sides = above + _adjoint(above) + diagonal
        total = _adjoint(la.matmul(q, sides) + of_q)
        result: Tensor = _adjoint(_Solve.apply(r, total))  # type: ignore[no-untyped-call]
        if sizes[1]:
            parts = _parts(result), _parts(la.matmul(q, of_right))
            result = _whole(torch.cat(parts, -2))
        return result, None


class _OfResults(_OfStacks):
    """A function whose gradient needs its result alone."""

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:  # noqa: ARG004
        ctx.save_for_backward(output)


class _Inv(_OfResults):
    forward = staticmethod(_of_finite(_inv))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        (inverse,) = ctx.saved_tensors
        adjoint = _adjoint(inverse)
        product: Tensor = la.matmul(la.matmul(adjoint, gradient), adjoint)
        return -product


class _Solve(_OfStacks):
    forward = staticmethod(_solve)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        x1, x2, solution = ctx.saved_tensors
        right: Tensor = _Solve.apply(_adjoint(x1), gradient)  # type: ignore[no-untyped-call]
        left = -la.matmul(right, _adjoint(solution))
        return left.sum_to_size(x1.shape), right.sum_to_size(x2.shape)


def _times_inverse(gradient: Tensor, x: Tensor) -> Tensor:
    inverse: Tensor = _Inv.apply(x)  # type: ignore[no-untyped-call]
    return gradient[..., None, None] * _adjoint(inverse)


class _Det(_OfStacks):
    forward = staticmethod(_of_finite(_det))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        x, det = ctx.saved_tensors
        det = el.conj(det) if det.is_complex() else det
        return _times_inverse(gradient * det, x)


class _Slogdet(_OfStacks):
    forward = staticmethod(_of_finite(_slogdet))

    @staticmethod
    def backward(ctx: Any, of_sign: Tensor, of_logarithm: Tensor) -> Tensor:
        x, sign, _ = ctx.saved_tensors
        gradient = of_logarithm
        if x.is_complex():
            turn = of_sign.imag * sign.real - of_sign.real * sign.imag
            gradient = torch.complex(of_logarithm, turn)
        return _times_inverse(gradient, x)


# --- complex matrices as real ones of twice the size ----------------------------------------------


def _embed(real: Tensor, imag: Tensor) -> Tensor:
    """Replace each element ``a + bj`` by ``[[a, -b], [b, a]]``.

    This preserves sums, products, adjoints and triangles, and so everything defined by them.
    Singular values and eigenvalues occur twice.
    """
    *stack, rows, columns = real.shape
    a, b = (x.reshape((math.prod(stack) * rows, columns)) for x in (real, imag))
    both = torch.stack((torch.stack((a, -b), -1), torch.stack((b, a), -1)), 1)
    return both.reshape((*stack, 2 * rows, 2 * columns))


def _extract(x: Tensor) -> Tensor:
    return torch.complex(x[..., ::2, ::2].contiguous(), x[..., 1::2, ::2].contiguous())


def _lower(x: Tensor) -> Tensor:
    """Return real symmetric matrices from lower triangles, twice as large for complex ones."""
    if x.is_complex():
        x = _embed(x.real, torch.where(_on_diagonal(x), 0, x.imag))
    return torch.tril(x) + torch.tril(x, -1).mT


# --- Cholesky -------------------------------------------------------------------------------------


def _in_blocks(x: Tensor, most: int) -> Tensor:
    """Factor real matrices by CANN's kernel, which takes so many rows at most."""
    size = x.shape[-1]
    if size <= most:
        whole: Tensor = torch.linalg.cholesky(x)
        return whole
    half = size // 2
    first = _in_blocks(x[..., :half, :half].contiguous(), most)
    below = torch.linalg.solve_triangular(first, x[..., half:, :half].mT, upper=False).mT
    rest = x[..., half:, half:] - la.matmul(below, below.mT)
    above = torch.zeros_like(below.mT)
    sides = torch.cat((first, above), -1), torch.cat((below, _in_blocks(rest, most)), -1)
    return torch.cat(sides, -2)


class _Cholesky(_OfResults):
    """The lower factors of real matrices, because torch.vmap would call a kernel that NPUs lack."""

    forward = staticmethod(_in_blocks)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (factor,) = ctx.saved_tensors
        inner = torch.tril(la.matmul(factor.mT, gradient))
        sides = torch.tril(inner, -1)  # added once more, this counts twice, the diagonal once
        sides = 0.5 * (inner + sides.mT)
        left: Tensor = _Solve.apply(factor.mT, sides)  # type: ignore[no-untyped-call]
        result: Tensor = _Solve.apply(factor.mT, left.mT)  # type: ignore[no-untyped-call]
        return 0.5 * (result + result.mT), None


def _cholesky_native(x: Tensor, most: int) -> Tensor:
    """Factor matrices of float32 by CANN's kernel, complex ones as larger real ones."""
    if not x.is_complex():
        factor: Tensor = _Cholesky.apply(x, most)  # type: ignore[no-untyped-call]
        return factor
    embedded = _embed(x.real, torch.where(_on_diagonal(x), 0, x.imag))
    return _extract(_Cholesky.apply(embedded, most))  # type: ignore[no-untyped-call]


def _cholesky_columns(x: Tensor) -> Tensor:
    """Factor matrices column after column."""
    size, rest, columns = x.shape[-1], x, []
    for _ in range(size):
        column = _over(rest[..., 0], torch.sqrt(rest[..., :1, 0].real))
        columns.append(_parts(column))
        below = column[..., 1:].unsqueeze(-1)
        rest = rest[..., 1:, 1:] - below * _adjoint(below)
    place = torch.arange(size, dtype=dt.int64, device=x.device)
    heights = size - place
    starts = torch.cumsum(heights, 0) - heights
    apart = place.unsqueeze(-1) - place
    index = (starts + apart).clamp(min=0).reshape(-1)
    packed = _whole(torch.cat(columns, -2).index_select(-2, index))
    return torch.where(apart >= 0, packed.reshape(x.shape), 0)


def cholesky(most: int) -> Callable[..., Tensor]:
    """Return a function that factors matrices, by CANN's kernel up to so many rows; 0 is without.

    Factors are NaN for a matrix that is not positive definite, without waiting for the device: a
    pivot that is not positive becomes NaN, by 0 times 1 / sqrt(0) or by the root of a negative
    number (cholesky.h of ops-math), and so do all pivots after it.  The same file asserts that
    pivots are positive, and we do not know whether the libraries of a release keep assertions.
    """

    @_of_stack
    def by_kernel_or_columns(x: Tensor, *, upper: bool) -> Tensor:
        if not x.numel():
            return x.clone()
        matrix = _adjoint(x) if upper else x
        if _real(x) is dt.float32 and most:
            factor = _cholesky_native(matrix, most)
        else:
            factor = _cholesky_columns(_lower_of(matrix))
        last = factor.detach()[..., -1:, -1:].real
        factor = _whole(_parts(factor) + (last - last).unsqueeze(-1))  # NaN, or 0
        return _adjoint(factor) if upper else factor

    return by_kernel_or_columns


def _lower_of(x: Tensor) -> Tensor:
    """Return a matrix of whose diagonal and derivative the lower triangle decides."""
    if x.is_complex():
        x = torch.complex(x.real, torch.where(_on_diagonal(x), 0, x.imag))
    if tracked(x):  # the kernel reads one triangle; half of its derivative belongs to the other
        both = 0.5 * (x + _adjoint(x))
        x = both + (x - both).detach()
    return x


# --- singular values and eigenvalues --------------------------------------------------------------


class _Once(torch.autograd.Function):
    """The identity, whose derivative cannot be differentiated again.

    As a real matrix, a complex one has each singular value twice, and torch's second derivative
    divides by their difference.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep nothing."""

    @staticmethod
    @once_differentiable
    def backward(_: Any, cotangent: Tensor) -> Tensor:
        return _Once.jvp(_, cotangent)

    @staticmethod
    def jvp(_: Any, tangent: Tensor) -> Tensor:
        if derivatives() > 1:  # torch.func would take the second derivative for 0
            raise NotImplementedError(
                "singular values of complex matrices have no second derivative on NPUs. Move the "
                'matrix to the CPU before, by x.to_device("cpu").'
            )
        return tangent.view_as(tangent)


@_of_stack
def _svdvals_complex(x: Tensor) -> Tensor:
    x = _Once.apply(x) if tracked(x) else x  # type: ignore[no-untyped-call]
    values: Tensor = la.svdvals(_embed(x.real, x.imag))
    return values[..., ::2]


def _matrix_rank(x: Tensor, rtol: Tensor) -> Tensor:
    # The values are NaN for a matrix that is not finite, so that its rank is 0.
    return la.rank_of_values(la.svdvals(x), rtol)


def pinv(coarse: Callable[[], bool]) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the pseudo-inverse, given whether products are coarse at a call."""
    flat = _of_finite(la.exact_pinv(coarse))
    return lambda x, rtol: flat(x, rtol.reshape(-1))


def _pinv_complex(x: Tensor, rtol: Tensor) -> Any:
    return _flat_pinv_complex(x, rtol.reshape(-1))


@_of_stack
def _flat_pinv_complex(x: Tensor, rtol: Tensor) -> Tensor:
    return _extract(la.pinv(_embed(x.real, x.imag), rtol))


def _lstsq_complex(x1: Tensor, x2: Tensor, rcond: float) -> tuple[Tensor, Tensor, Tensor]:
    # The shortest solution of the real system has this form, too.
    embedded = _embed(x1.real, x1.imag), _embed(x2.real, x2.imag)
    solution, rank, values = la.lstsq(*embedded, rcond)
    return _extract(solution), torch.div(rank, 2, rounding_mode="floor"), values[::2]


def _eigh_real(x: Tensor) -> tuple[Tensor, Tensor]:
    """Decompose symmetric matrices by the singular values of shifted, positive definite ones.

    Adding a number to the diagonal adds it to the eigenvalues.  Then eigenvalues and singular
    values agree, and the left singular vectors are eigenvectors.  The shift costs digits of the
    values; Rayleigh quotients with the vectors restore them.  Gradients are those of the singular
    values.
    """
    power = _power(_exponent(torch.amax(torch.abs(x.detach()), (-2, -1), True)), x.dtype)
    scaled = x / power
    # More than the norm, so that no singular value becomes 0, which has no gradient.
    shift = 1.125 * torch.linalg.svdvals(scaled.detach())[..., :1] + 0.125
    shifted = torch.where(_on_diagonal(scaled), scaled + shift.unsqueeze(-1), scaled)
    vectors, values, _ = torch.linalg.svd(shifted)
    values = values - shift
    units = vectors.detach()
    quotients = (units * la.matmul(scaled.detach(), units)).sum(-2) / (units * units).sum(-2)
    values = values + (quotients - values).detach()
    order = search.argsort(values.detach(), axis=-1, descending=False, stable=False)
    values = gathered(values * power.squeeze(-1), -1, order)
    return values, gathered(vectors, -1, order.unsqueeze(-2).expand(vectors.shape))


def _eigh(x: Tensor) -> tuple[Tensor, Tensor]:
    return _eigh_real(_lower(x)) if x.numel() else (_no_values(x), x.clone())


def _no_values(x: Tensor) -> Tensor:
    """Return the empty result for empty matrices: a part of them, so that autograd follows."""
    return _parts(x)[..., 0].reshape(x.shape[:-1])


def _eigvalsh(x: Tensor) -> Tensor:
    if not x.numel():
        return _no_values(x)
    values, _ = _eigh_real(_lower(x))
    return values[..., ::2] if x.is_complex() else values


# --- rows -----------------------------------------------------------------------------------------

_F32: Final = frozenset({dt.float32})
_C64: Final = frozenset({dt.complex64})
_DOUBLE: Final = frozenset({dt.float64, dt.complex128})
_SVD: Final = refused_by_torch_npu(
    "torch_npu calls aclnnSvd for float32 alone", "aten::_linalg_svd"
)

_FEW_AXES: Final = wrong(
    "torch multiplies matrices, of which aclnnMatmul takes up to 6 dimensions", "aclnnMatmul"
)
_OF_FEW_AXES: Final = derivative(
    "the derivative multiplies matrices, of which aclnnMatmul takes up to 6 dimensions",
    "aclnnMatmul",
)


_LESS: Final = launches("asking which matrices are finite, and filling, takes more kernels")


_BUFFERED: Final = 1_890
_CHECKED: Final = 8_192
"""How many rows aclnnLinalgCholesky takes: before CANN 9.1 by its buffer, and since."""
_IN_BUFFER: Final = Compose(cholesky(_BUFFERED))
_IN_BOUNDS: Final = Compose(cholesky(_CHECKED))
_OUTSIDE: Final = wrong(
    "aclnnLinalgCholesky reads and writes outside of its buffer from 1,891 rows on",
    "aclnnLinalgCholesky",
)
_NOT_POSITIVE: Final = undocumented(
    "aclnnLinalgCholesky: undocumented for what is not positive definite; it refuses more than "
    "8,192 rows",
    "aclnnLinalgCholesky",
)
_NO_CHOLESKY: Final = refused("aclnnLinalgCholesky")
_SQUARES: Final = undocumented(
    "aclnnLinalgQr: undocumented for what has squares that overflow", "aclnnLinalgQr"
)
_NO_EIGH: Final = no_kernel("aten::_linalg_eigh")
_OLDER_EIGH: Final = older_path("aten::_linalg_eigh")
_OLDER_SVD: Final = older_path("aten::_linalg_svd")


def _iterative(cause: Cause) -> Cause:
    reason, evidence = cause
    return f"{reason}; an iterative method would be thousands of small launches", evidence


ROWS: Final = (
    Row("qr", la.DECOMPOSED, Compose(_qr), *_SQUARES),
    Row("inv", la.DECOMPOSED, Compose(_Inv.apply), *no_kernel("aten::linalg_inv_ex")),
    Row("solve", la.DECOMPOSED, Compose(_Solve.apply), *no_kernel("aten::_linalg_solve_ex")),
    Row("det", la.DECOMPOSED, Compose(_Det.apply), *no_kernel("aten::_linalg_det")),
    Row("slogdet", la.DECOMPOSED, Compose(_Slogdet.apply), *no_kernel("aten::_linalg_slogdet")),
    Row("cholesky", _F32, _IN_BUFFER, *_OUTSIDE, cann_before(9, 1)),
    Row("cholesky", _F32, _IN_BOUNDS, *_NOT_POSITIVE, cann_at_least(9, 1)),
    Row("cholesky", _DOUBLE | _C64, _IN_BUFFER, *_NO_CHOLESKY, cann_before(9, 1)),
    Row("cholesky", _DOUBLE | _C64, _IN_BOUNDS, *_NO_CHOLESKY, cann_at_least(9, 1)),
    Row("eigh", _F32, Compose(_of_finite(_eigh)), *_NO_EIGH, ~OLDER),
    Row("eigvalsh", _F32 | _C64, Compose(_of_finite(_eigvalsh)), *_NO_EIGH, ~OLDER),
    Row("pinv", _F32, Compose(pinv(are_coarse)), *_FEW_AXES, ~OLDER),
    Row("svd", _F32, Compose(_of_finite(torch.linalg.svd)), *_OF_FEW_AXES, ~OLDER),
    Row("svdvals", _F32, Compose(_of_finite(torch.linalg.svdvals)), *_OF_FEW_AXES, ~OLDER),
    Row("matrix_rank", _F32, Compose(_matrix_rank), *_LESS, ~OLDER),
    Row("svdvals", _C64, Compose(_svdvals_complex), *_SVD, ~OLDER),
    Row("matrix_rank", _C64, Compose(_matrix_rank), *_SVD, ~OLDER),
    Row("pinv", _C64, Compose(_pinv_complex), *_SVD, ~OLDER),
    Row("lstsq", _C64, Compose(_lstsq_complex), *_SVD, ~OLDER),
    Row("svdvals lstsq matrix_rank pinv", _DOUBLE, Host(), *_iterative(_SVD)),
    Row("svd", _DOUBLE | _C64, Host(), *_iterative(_SVD)),
    Row("eigvalsh", _DOUBLE, Host(), *_iterative(_NO_EIGH)),
    Row("eigh", _DOUBLE | _C64, Host(), *_iterative(_NO_EIGH)),
    Row("eigvalsh", _F32 | _C64, Host(), *_OLDER_EIGH, OLDER),
    Row("eigh", _F32, Host(), *_OLDER_EIGH, OLDER),
    Row("svdvals matrix_rank pinv lstsq", _F32 | _C64, Host(), *_OLDER_SVD, OLDER),
    Row("svd", _F32, Host(), *_OLDER_SVD, OLDER),
    Row("eig", la.DECOMPOSED, Host(), *_iterative(no_kernel("aten::linalg_eig"))),
    Row("eigvals", la.DECOMPOSED, Host(), *_iterative(no_kernel("aten::_linalg_eigvals"))),
)
