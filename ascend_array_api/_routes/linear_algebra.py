"""The operations of linear algebra, and what torch's own functions for them lack or get wrong."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any, Final

from .._devices.device import spec_of
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from .._torch.tracing import traced_as
from ._bits import bits_as
from ._derivatives import divided_types, readable, step_by_step, tracked
from ._dimensions import other_axes
from ._evidence import Evidence
from ._kernels import Kernel
from ._operations import Op, cast, register
from ._rows import AsSigned, Compose, Row, Via
from .creation import eye

DECOMPOSED: Final = dt.FLOATING - dt.HALF
"""The data types of matrices that can be decomposed, solved with and inverted."""

# --- products -------------------------------------------------------------------------------------


def tensordot_composed(
    x1: Tensor,
    x2: Tensor,
    axes1: tuple[int, ...],
    axes2: tuple[int, ...],
    multiply: Kernel | None = None,
) -> Tensor:
    """Contract axes, counted from the front, as one product of two matrices."""
    multiply = multiply or matmul.on(spec_of(x1))
    if axes1 == (1,) and axes2 == (0,) and x1.dim() == x2.dim() == 2:
        return multiply(x1, x2)
    free1, free2 = tuple(other_axes(x1.dim(), axes1)), tuple(other_axes(x2.dim(), axes2))
    shape1, shape2 = tuple([x1.shape[i] for i in free1]), tuple([x2.shape[i] for i in free2])
    inner = math.prod([x1.shape[i] for i in axes1])
    left = x1.permute(free1 + axes1).reshape(math.prod(shape1), inner)
    right = x2.permute(axes2 + free2).reshape(inner, math.prod(shape2))
    product: Tensor = multiply(left, right)
    return product.reshape(shape1 + shape2)


def _vecdot(x1: Tensor, x2: Tensor, axis: int) -> Any:
    return torch.linalg.vecdot(x1, x2, dim=axis)


def vecdot_summed(x1: Tensor, x2: Tensor, axis: int) -> Tensor:
    """Return the scalar products along an axis as sums of products."""
    return torch.sum(torch.conj_physical(x1) * x2, axis, dtype=x1.dtype)


def matmul_summed(x1: Tensor, x2: Tensor) -> Tensor:
    """Return the product of matrices; compute the product of two vectors as a sum of products."""
    return torch.sum(x1 * x2) if x1.dim() == x2.dim() == 1 else torch.matmul(x1, x2)


def _cross(x1: Tensor, x2: Tensor, axis: int) -> Any:
    x1, x2 = torch.broadcast_tensors(x1, x2)  # type: ignore[no-untyped-call]
    return torch.linalg.cross(x1, x2, dim=axis)


def _cross_floating(x1: Tensor, x2: Tensor, axis: int) -> Tensor:
    """Return half the difference of both orders, so that exchanged operands change the sign only.

    Compilers round one of the two products of a difference, and not the other.
    """
    kernel = cross.native
    both = kernel(x1, x2, axis), kernel(x2, x1, axis)
    if both[0].is_complex():
        one, other = (torch.view_as_real(t) for t in both)
        return torch.view_as_complex(one * 0.5 - other * 0.5)
    return both[0] * 0.5 - both[1] * 0.5


def _matrix_power(x: Tensor, n: int) -> Tensor:
    """Raise matrices to a power that is not negative, by repeated squaring."""
    if n == 0:
        size, spec = x.shape[-1], spec_of(x)
        identity: Tensor = eye.on(spec)(size, size, 0, x.dtype, spec.device.torch_device)
        return identity.expand(x.shape).clone()
    if n == 1:
        return x.clone()
    multiply = matmul.on(spec_of(x))
    result = x
    for place in range(n.bit_length() - 2, -1, -1):  # the bits after the leading one
        result = multiply(result, result)
        if n >> place & 1:
            result = multiply(result, x)
    return result


def _cut(x: Tensor) -> Tensor:
    """Return float32 without its last 13 binary digits: 11 are left."""
    if x.is_complex():
        return torch.view_as_complex(_cut(torch.view_as_real(x.resolve_conj()).contiguous()))
    return bits_as(torch.bitwise_and(bits_as(x, dt.int32), -(1 << 13)), dt.float32)


def _in_parts(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return three tensors of 11 binary digits whose sum is a tensor of float32."""
    first = _cut(x)
    rest = x - first
    second = _cut(rest)
    return first, second, rest - second


def matmul_in_parts(
    x1: Tensor, x2: Tensor, multiply: Callable[[Tensor, Tensor], Tensor] = torch.matmul
) -> Tensor:
    """Multiply matrices of float32 where the device takes 11 binary digits of their elements.

    The six products of parts that count are one product of longer matrices, whose sums the device
    forms in float32.  What is left out is less than ``2**-32`` of the product of the sizes, and
    digits below ``2**-136`` of one operand times the other.
    """
    coarse = multiply(x1, x2)
    (a, b, c), (d, e, f) = _in_parts(x1.detach()), _in_parts(x2.detach())
    left = torch.cat((c, a, b, b, a, a), -1)
    right = torch.cat((d, f, e, d, e, d), -2 if x2.dim() > 1 else -1)
    # The difference is detached: derivatives are those of torch.  Parts of what is not finite are
    # NaN; the coarse product has the right values there.
    missing = multiply(left, right) - coarse.detach()
    return coarse + torch.where(torch.isfinite(missing), missing, 0)


matmul: Final = Op("matmul", torch.matmul, dt.NUMERIC)
tensordot: Final = Op("tensordot", tensordot_composed, dt.NUMERIC)
vecdot: Final = Op("vecdot", _vecdot, dt.NUMERIC)
cross: Final = Op("cross", _cross, dt.NUMERIC)
matrix_power: Final = Op("matrix_power", _matrix_power, dt.NUMERIC)

# --- decompositions -------------------------------------------------------------------------------


def of_finite(decompose: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decomposition whose results are NaN, or 0, for matrices with NaN or infinities.

    Given such a matrix, torch's functions return NaN, raise, or end the process as ``eigvals``
    does on the CPU, depending on device, data type and library.  So the kernel gets 0
    in place of such a matrix, and its results are corrected after.  Nothing reads a value, so the
    host never waits.
    """

    @functools.wraps(decompose)
    def nan_unless_finite(x: Tensor, *operands: Any, **parameters: Any) -> Any:
        odd = has_odd(x)

        def settle(result: Tensor) -> Tensor:
            of_each = odd.reshape(odd.shape + (1,) * (result.dim() - odd.dim()))
            real = result.is_floating_point() or result.is_complex()
            return torch.where(of_each, math.nan if real else 0, result)

        results = decompose(torch.where(odd[..., None, None], 0, x), *operands, **parameters)
        return tuple(map(settle, results)) if isinstance(results, tuple) else settle(results)

    return nan_unless_finite


def has_odd(x: Tensor) -> Tensor:
    """Say which matrices have NaN or infinities."""
    parts = torch.view_as_real(x.resolve_conj()) if x.is_complex() else x.unsqueeze(-1)
    return (parts.detach() * 0).sum((-3, -2, -1)) != 0


def _slogdet(x: Tensor) -> tuple[Tensor, Tensor]:
    sign, logarithm = torch.linalg.slogdet(x)
    return torch.where(torch.isnan(logarithm), math.nan, sign), logarithm  # of real ones 0, or 1


def _traced_pinv(x: Tensor, rtol: Tensor) -> Any:
    if not x.is_complex() or 0 in x.shape:
        return torch.linalg.pinv(x, rtol=rtol)
    # Compiled, torch's own loses the signs of imaginary parts (torch 2.11 to 2.13, aot_eager).
    return pinv_of_factors(x, rtol)


def pinv_of_factors(x: Tensor, rtol: Tensor) -> Tensor:
    """Return the pseudo-inverse as a product of singular vectors and values."""
    left, values, right = svd.on(spec_of(x))(x, full_matrices=False)
    kept = values > rtol.unsqueeze(-1) * values[..., :1]
    inverse = torch.where(kept, values, 1).reciprocal() * kept
    return matmul(right.mH * inverse.unsqueeze(-2), left.mH)


def exact_pinv(coarse: Callable[[], bool]) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the pseudo-inverse; where torch's products are coarse now, its product is ours."""

    def pinv_exactly(x: Tensor, rtol: Tensor) -> Tensor:
        result: Tensor = torch.linalg.pinv(x, rtol=rtol)
        if not coarse() or 0 in x.shape:
            return result
        # The difference is detached: torch's function has derivatives where factors have none.
        return result + (pinv_of_factors(x.detach(), rtol) - result).detach()

    return pinv_exactly


@traced_as(_traced_pinv)
def _pinv(x: Tensor, rtol: Tensor) -> Any:
    return torch.linalg.pinv(x, rtol=rtol)


def _matrix_rank(x: Tensor, rtol: Tensor) -> Any:
    return torch.linalg.matrix_rank(x, rtol=rtol)


def _lstsq(x1: Tensor, x2: Tensor, rcond: float) -> tuple[Tensor, Tensor, Tensor]:
    """Solve for the matrix of least norm by singular values; values up to ``rcond`` count as 0.

    Returns the solution, the rank and the singular values.
    """
    spec = spec_of(x1)
    multiply = matmul.on(spec)
    rows, columns = x1.shape
    if not (rows and columns):
        rank = torch.zeros((), dtype=dt.int64, device=x1.device)
        return x2.new_zeros((columns, x2.shape[1])), rank, x1.new_empty(0, dtype=spec.real.dtype)
    solution, rank, values = lstsq_of_factors(x1, x2, rcond)
    if tracked(x1, x2):
        # Singular vectors have no derivative where singular values are equal, but the
        # pseudo-inverse has one.  Its product with x2 is less exact, so only its derivative
        # counts: the difference that is added is detached.
        rtol = torch.full((), rcond, dtype=spec.real.dtype, device=x1.device)
        product = multiply(pinv.on(spec)(x1, rtol), x2)
        solution = product + (solution - product).detach()
    return solution, rank, values


def lstsq_of_factors(x1: Tensor, x2: Tensor, rcond: float) -> tuple[Tensor, Tensor, Tensor]:
    """Solve by singular vectors and values a system that has some rows and columns."""
    spec = spec_of(x1)
    multiply = matmul.on(spec)
    left, values, right = svd.on(spec)(x1, full_matrices=False)
    kept = values > rcond * values[0]
    rank = torch.sum(kept, dtype=dt.int64)
    kept = kept | torch.isnan(values)
    parts = multiply(left.mH, x2) / torch.where(kept, values, 1).unsqueeze(-1)
    return multiply(right.mH, torch.where(kept.unsqueeze(-1), parts, 0)), rank, values


def rank_of_values(values: Tensor, rtol: Tensor) -> Tensor:
    """Count the singular values that are greater than the greatest times a tolerance."""
    return torch.sum(values > rtol.unsqueeze(-1) * values[..., :1], -1, dtype=dt.int64)


# --- determinants ---------------------------------------------------------------------------------

_TOGETHER: Final = 64
"""The product of this many numbers between 1/2 and 1 cannot underflow."""


def scaled_product(x: Tensor) -> Tensor:
    """Multiply along the last axis with separate exponents, so that no partial product overflows.

    Only the sum of the exponents may be extreme, and it is clamped.
    """
    real = dt.REAL_OF.get(x.dtype, x.dtype)
    exponent = torch.zeros(x.shape[:-1], dtype=dt.int64, device=x.device)
    while True:
        size = torch.maximum(x.real.abs(), x.imag.abs()) if x.is_complex() else x.abs()
        size = size.detach()
        powers = torch.frexp(torch.where(torch.isfinite(size), size, 1)).exponent.to(dt.int64)
        # In two steps, because the factor for a subnormal number would itself overflow.
        x = x * power_of_two(-(powers // 2), real) * power_of_two(powers // 2 - powers, real)
        exponent = exponent + powers.sum(-1)
        count = x.shape[-1]
        if count == 1:
            break
        width = min(count, _TOGETHER)
        missing = -count % width
        x = torch.cat((x, x.new_ones((*x.shape[:-1], missing))), -1) if missing else x
        x = x.reshape(*x.shape[:-1], (count + missing) // width, width).prod(-1)
    most = 2 * math.frexp(torch.finfo(real).max)[1] - 4
    exponent = torch.clamp(exponent, -most, most)
    first = exponent // 2
    return x.squeeze(-1) * power_of_two(first, real) * power_of_two(exponent - first, real)


def power_of_two(exponent: Tensor, dtype: torch.dtype) -> Tensor:
    """Return 2 to the power of integers; the result must be a normal number.

    It writes the exponent's bits, because ``torch.ldexp`` reads foreign memory on a GPU that is
    not the current one (pytorch 189567).
    """
    digits, bits = (52, dt.int64) if dtype is dt.float64 else (23, dt.int32)
    highest = math.frexp(torch.finfo(dtype).max)[1] - 1
    return bits_as(torch.bitwise_left_shift((exponent + highest).to(bits), digits), dtype)


def determinant(product: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Return the determinant, with derivatives, given the function that multiplies the pivots."""

    def det_by_factors(x: Tensor) -> Tensor:
        if not x.shape[-1]:
            one: Tensor = torch.linalg.det(x)
            return one
        # The factorization works on columns, and the columns of x.mT are contiguous.
        factors, swaps, _ = torch.linalg.lu_factor_ex(x.mT)
        pivots = factors.diagonal(dim1=-2, dim2=-1)
        places = torch.arange(1, x.shape[-1] + 1, dtype=swaps.dtype, device=x.device)
        even = torch.ne(swaps, places).sum(-1) % 2 == 0
        result = product(pivots)
        return torch.where(even, result, -result)

    class Backward(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Tensor) -> Any:
            return det_by_factors(x)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
            ctx.save_for_backward(*inputs, output)
            ctx.save_for_forward(*inputs, output)

        @staticmethod
        def backward(ctx: Any, cotangent: Tensor) -> Any:
            return cotangent[..., None, None] * _cofactors(*ctx.saved_tensors).conj()

        @staticmethod
        def jvp(ctx: Any, tangent: Tensor) -> Any:
            return (_cofactors(*ctx.saved_tensors) * tangent).sum((-2, -1))

    def asked(x: Tensor) -> Tensor:
        compiled = torch.compiler.is_compiling()
        # In the other cases torch differentiates the factorization itself, if it has to.
        if not x.shape[-1] or not tracked(x) or compiled or step_by_step():
            return det_by_factors(x)
        result: Tensor = Backward.apply(x)  # type: ignore[no-untyped-call]
        return result

    return asked


def _cofactors(x: Tensor, value: Tensor) -> Tensor:
    """Return the derivative of determinants by the elements of matrices."""
    cofactors: Tensor = value[..., None, None] * torch.linalg.inv_ex(x).inverse.mT
    singular = value == 0
    seen = readable(singular) or type(singular) in divided_types
    if spec_of(x).device.backend.asynchronous or not seen or not bool(singular.any()):
        return cofactors
    left, values, right = torch.linalg.svd(x)
    same = torch.eye(x.shape[-1], dtype=dt.bool, device=x.device)
    others = torch.where(same, 1, values.unsqueeze(-2)).prod(-1)
    turn = torch.linalg.det(left) * torch.linalg.det(right)
    adjugate = turn[..., None, None] * ((right.mH * others.unsqueeze(-2)) @ left.mH)
    return torch.where(singular[..., None, None], adjugate.mT, cofactors)


_followed_det: Final = determinant(scaled_product)


def _traced_det(x: Tensor) -> Tensor:
    result: Tensor = torch.linalg.det(x)
    return result


@traced_as(_traced_det)
def _det(x: Tensor) -> Tensor:
    # Torch treats every divided tensor as singular: it differentiates by singular vectors, whose
    # second derivative is NaN for equal singular values, and otherwise wrong.
    return _followed_det(x) if type(x) in divided_types else _traced_det(x)


cholesky: Final = Op("cholesky", torch.linalg.cholesky, DECOMPOSED, raises=True)
det: Final = Op("det", _det, DECOMPOSED)
eig: Final = Op("eig", of_finite(torch.linalg.eig), DECOMPOSED, returns="other")
eigh: Final = Op("eigh", of_finite(torch.linalg.eigh), DECOMPOSED, returns="other")
eigvals: Final = Op("eigvals", of_finite(torch.linalg.eigvals), DECOMPOSED, returns="other")
eigvalsh: Final = Op("eigvalsh", of_finite(torch.linalg.eigvalsh), DECOMPOSED, returns="real")
inv: Final = Op("inv", torch.linalg.inv, DECOMPOSED, raises=True)
lstsq: Final = Op("lstsq", _lstsq, DECOMPOSED, returns="other")
matrix_rank: Final = Op("matrix_rank", of_finite(_matrix_rank), DECOMPOSED, returns="other")
pinv: Final = Op("pinv", of_finite(_pinv), DECOMPOSED)
qr: Final = Op("qr", torch.linalg.qr, DECOMPOSED, returns="other")
slogdet: Final = Op("slogdet", _slogdet, DECOMPOSED, returns="other")
solve: Final = Op("solve", torch.linalg.solve, DECOMPOSED, raises=True)
svd: Final = Op("svd", of_finite(torch.linalg.svd), DECOMPOSED, returns="other")
svdvals: Final = Op("svdvals", of_finite(torch.linalg.svdvals), DECOMPOSED, returns="real")

# --- norms ----------------------------------------------------------------------------------------


def _matrix_norm(x: Tensor, ord: float | str, *, keepdims: bool) -> Any:
    if ord != "fro" and 0 in x.shape[-2:]:
        ord = "fro"  # all norms of an empty matrix are 0, but torch refuses some of them
    if ord == "fro":  # torch takes longer if it is called with the name of the norm
        if x.dim() == 2 and not keepdims:
            return torch.linalg.vector_norm(x)
        return torch.linalg.vector_norm(x, 2, (-2, -1), keepdim=keepdims)
    if ord not in {2, -2, "nuc"}:
        return torch.linalg.matrix_norm(x, ord, keepdim=keepdims)
    values: Tensor = svdvals(x)  # in descending order
    if tracked(x):  # singular vectors, and so the derivative, are arbitrary for a value of 0
        values = torch.where(values == 0, 0, values)
    if ord == "nuc":
        values = torch.sum(values, -1, dtype=values.dtype)
    else:
        values = values[..., 0 if ord == 2 else -1]
    return values[..., None, None] if keepdims else values


def _vector_norm(x: Tensor, ord: float, axes: tuple[int, ...] | None, *, keepdims: bool) -> Any:
    if axes is None:
        if ord == 2 and not keepdims:
            return torch.linalg.vector_norm(x)
        axes = tuple(range(x.dim()))
    if ord == 0:  # torch counts in floating point, and only looks at real parts
        count = torch.sum(x != 0, axes, keepdims, dtype=dt.int64)
        return cast(count, dt.REAL_OF.get(x.dtype, x.dtype))
    if x.numel() or all(x.shape[i] for i in axes):
        return torch.linalg.vector_norm(x, ord, axes, keepdim=keepdims)
    zeros = torch.linalg.vector_norm(x, 2, axes, keepdim=keepdims)
    return zeros if ord > 0 else zeros.reciprocal()


matrix_norm: Final = Op("matrix_norm", _matrix_norm, DECOMPOSED, returns="real")
vector_norm: Final = Op("vector_norm", _vector_norm, dt.FLOATING, returns="real")

# --- compositions ---------------------------------------------------------------------------------

_SIGNIFICAND: Final = {dt.float32: 24, dt.float64: 53}
"""Up to 2 to this power, the data type holds every integer."""


def _limbs(x: Tensor, width: int, carrier: torch.dtype) -> list[Tensor]:
    """Split integers into limbs: x is the sum of ``limb[i] << (i * width)``.

    The last limb carries the sign; the others are not negative.  The size of each is less than
    ``2**width``.
    """
    last = (8 * x.dtype.itemsize - 1) // width * width
    limbs = [(x >> shift) & (2**width - 1) for shift in range(0, last, width)]
    limbs.append(x >> last if last else x)
    return [cast(limb, carrier) for limb in limbs]


def matmul_by_limbs(x1: Tensor, x2: Tensor, *, width: int, carrier: torch.dtype) -> Tensor:
    """Multiply matrices of integers exactly, modulo ``2**bits``, by floating-point products.

    The integers are split into limbs of ``width`` bits.  The products of two limbs are so small
    that ``carrier`` adds up a whole ``step`` of them without rounding, in whatever order, so
    longer sums are taken in steps; the sums are shifted into place and added up as int64.
    """
    inner2 = max(x2.dim() - 2, 0)
    if not x1.dim() or not x2.dim() or x1.shape[-1] != x2.shape[inner2]:
        raise RuntimeError("matmul: the shapes do not fit")  # as torch.matmul does
    length = x1.shape[-1]
    limbs1, limbs2 = _limbs(x1, width, carrier), _limbs(x2, width, carrier)
    step = 2 ** _SIGNIFICAND[carrier] // (2**width - 1) ** 2

    def parts() -> Iterator[Tensor]:
        for start in range(0, max(length, 1), step):
            size = min(step, length - start)
            rights = [limb.narrow(inner2, start, size) for limb in limbs2]
            for i, limb in enumerate(limbs1):
                left = limb.narrow(-1, start, size)
                # Products of higher limbs would be shifted out of the result.
                for j, right in enumerate(rights[: len(rights) - i]):
                    yield cast(torch.matmul(left, right), dt.int64) << width * (i + j)

    return cast(functools.reduce(torch.add, parts()), x1.dtype)


def qr_scaled(
    x: Tensor,
    mode: str,
    decompose: Callable[[Tensor, str], tuple[Tensor, Tensor]] = torch.linalg.qr,
) -> tuple[Tensor, Tensor]:
    """Decompose matrices after bringing the largest element of each column near 1.

    Powers of two do that, so that nothing is rounded, and no square of an element is extreme.
    """
    if 0 in x.shape:
        q, r = torch.linalg.qr(x, mode)
        return q, r
    parts = torch.view_as_real(x) if x.is_complex() else x.unsqueeze(-1)
    largest = torch.amax(torch.abs(parts.detach()), (-3, -1))
    _, exponent = torch.frexp(torch.where(torch.isfinite(largest), largest, 1))
    # In two factors, so that each is a normal number.
    half = torch.div(exponent, 2, rounding_mode="floor")
    low = power_of_two(half, largest.dtype).unsqueeze(-2)
    high = power_of_two(exponent - half, largest.dtype).unsqueeze(-2)
    q, r = decompose(x / low / high, mode)
    return q, r * low * high


# --- rows -----------------------------------------------------------------------------------------

_SEEN: Final = Evidence("torch 2.11 to 2.13")

register(
    [
        Row(
            "matmul vecdot cross",
            dt.WIDE_UNSIGNED,
            AsSigned(),
            "torch has no kernel for this unsigned data type",
            _SEEN,
        ),
        Row(
            "cross",
            DECOMPOSED,
            Compose(_cross_floating),
            "one of two products is not rounded: that of a vector with itself is not 0",
            Evidence("torch 2.11 to 2.13, CUDA, and CPUs that fuse products with sums"),
        ),
        Row("cross", dt.HALF, Via(dt.float32), "each of three steps is rounded", _SEEN),
        Row(
            "vecdot",
            dt.INTEGER - dt.WIDE_UNSIGNED,
            Compose(vecdot_summed),
            "torch.linalg.vecdot refuses integers",
            _SEEN,
        ),
        Row(
            "det",
            DECOMPOSED,
            Compose(determinant(scaled_product)),
            "a product of some pivots overflows or vanishes where that of all does not",
            _SEEN,
        ),
    ]
)
