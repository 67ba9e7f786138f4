"""Products of matrices and vectors, and norms, on NPUs."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final

from ..._routes import elementwise as el
from ..._routes import linear_algebra as la
from ..._routes import reductions as red
from ..._routes._bits import bits_as
from ..._routes._derivatives import tracked
from ..._routes._dimensions import other_axes
from ..._routes._operations import cast
from ..._routes._rows import Compose, Row, Via
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.private import npu_option
from ..._torch.tracing import constant
from . import MOST_DIMENSIONS
from ._common import refused, slow, wrong
from .conversions import in_row, low_bits
from .powers import held, to_power

# --- products of matrices -------------------------------------------------------------------------

_RANK: Final = 6
"""The greatest number of dimensions that CANN's product of matrices takes."""
_PIECE: Final = 2**22
"""How many products of two elements are held in memory at a time."""
_SUMMED: Final = 2**14
"""Up to this number of elements, integer products do without the cube unit."""
_STEP: Final = 2**24 // 255**2
"""This many products of two bytes have a sum that float32 holds, in any order of summation."""


def _check(x1: Tensor, x2: Tensor) -> None:
    """Refuse the operands that torch.matmul refuses: CANN would fail only when the kernel runs."""
    if not x1.dim() or not x2.dim() or x1.shape[-1] != x2.shape[max(x2.dim() - 2, 0)]:
        raise RuntimeError("matmul: the shapes do not fit")


def _of_arrays(multiply: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    """Turn a product of matrices, in stacks of few dimensions, into one of any two arrays."""

    @functools.wraps(multiply)
    def product_of_arrays(x1: Tensor, x2: Tensor) -> Tensor:
        _check(x1, x2)
        left = x1.unsqueeze(0) if x1.dim() == 1 else x1
        right = x2.unsqueeze(1) if x2.dim() == 1 else x2
        if left.dim() <= _RANK and right.dim() <= _RANK:
            product = multiply(left, right)
        else:
            stack = _stack_of(left, right)
            flat = (
                x if x.dim() == 2 else x.expand(stack + x.shape[-2:]).flatten(0, -3)
                for x in (left, right)
            )
            product = multiply(*flat).reshape(*stack, left.shape[-2], right.shape[-1])
        if x2.dim() == 1:
            product = product.squeeze(-1)
        return product.squeeze(-1 if x2.dim() == 1 else -2) if x1.dim() == 1 else product

    return product_of_arrays


def _stack_of(x1: Tensor, x2: Tensor) -> tuple[int, ...]:
    stack: Any = torch.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])  # type: ignore[no-untyped-call]
    return tuple(stack)


def _native(x1: Tensor, x2: Tensor) -> Any:
    if x1.dim() > _RANK or x2.dim() > _RANK:
        return _of_arrays(torch.matmul)(x1, x2)
    _check(x1, x2)
    return torch.matmul(x1, x2)


@constant  # compiled code keeps what it was when it was compiled
def _asked_for() -> str:
    """Return as what the cube unit is asked to take float32: "float32", "hf32" or "float16"."""
    if asked := npu_option("CUBE_MATH_TYPE"):  # it goes before the other
        return {"1": "hf32", "2": "float16", "3": "hf32"}.get(asked, "float32")
    return "hf32" if npu_option("ALLOW_MATMUL_HF32") == "enable" else "float32"


def are_coarse() -> bool:
    """Say whether products of float32 lose digits of their operands at this time."""
    return _asked_for() != "float32"


def single(x1: Tensor, x2: Tensor) -> Any:
    asked = _asked_for()
    if asked == "float32":
        return _native(x1, x2)
    return la.matmul_in_parts(x1, x2, _native) if asked == "hf32" else in_halves(x1, x2)


_TALL: Final = 2**15
"""So many rows at a time leave out the faults of tall operands."""
_RISKY: Final = 1024
_ALIGNED: Final = 64
"""A number of columns of float32 that needs no preparation for the cube unit."""


def in_rows(multiply: Callable[[Tensor, Tensor], Any]) -> Callable[[Tensor, Tensor], Any]:
    """Return a product of stacks by parts of matrices that have many rows."""

    def product(x1: Tensor, x2: Tensor) -> Any:
        if x1.dim() < 3 or x2.dim() < 3 or x1.shape[-2] <= _TALL:
            return multiply(x1, x2)
        return torch.cat([multiply(part, x2) for part in torch.split(x1, _TALL, -2)], -2)

    return product


def padded(multiply: Callable[[Tensor, Tensor], Any]) -> Callable[[Tensor, Tensor], Any]:
    """Return a product with zeros in further columns of a tall matrix, so that it is aligned."""

    def product(x1: Tensor, x2: Tensor) -> Any:
        more = -x1.shape[-1] % _ALIGNED if x1.dim() else 0
        if not more or x1.dim() > 2 or x2.dim() != 2 or x1.shape[0] < _RISKY:
            return multiply(x1, x2)
        _check(x1, x2)
        pad = torch.nn.functional.pad
        return multiply(pad(x1, (0, more)), pad(x2, (0, 0, 0, more)))

    return product


def _halves(x: Tensor, axis: int) -> tuple[list[Tensor], Tensor]:
    """Return parts of float32 that float16 holds, each for 11 binary digits, and exponents.

    The exponents are those of the largest elements along an axis, so that no part is too large.
    """
    largest = torch.amax(torch.abs(x), axis, keepdim=True)
    powers = torch.bitwise_right_shift(bits_as(largest, dt.int32), 23) - 126
    exponents = torch.clamp(powers, max=126)
    parts, rest = [], x * la.power_of_two(-exponents, dt.float32)
    for _ in range(3):
        parts.append(cast(cast(rest, dt.float16), dt.float32))
        rest = (rest - parts[-1]) * 2**11
    return parts, exponents


@_of_arrays
def in_halves(x1: Tensor, x2: Tensor) -> Tensor:
    """Multiply matrices of float32 where the cube unit takes float16, and sums in float32.

    What is left out of an element is less than ``2**-30`` of what it would be if the elements of
    its row and its column were as large as the largest of them.
    """
    if not (x1.numel() and x2.numel()):
        return torch.matmul(x1, x2)
    (a, b, c), high = _halves(x1.detach(), -1)
    (d, e, f), low = _halves(x2.detach(), -2)
    product = torch.matmul(a, d)
    for power, (left, right) in enumerate((((a, b), (e, d)), ((b, a, c), (e, f, d))), 1):
        part = torch.matmul(torch.cat(left, -1), torch.cat(right, -2))
        product = product + part * 2.0 ** (-11 * power)
    # Infinite elements: multiply the signs instead, which cannot overflow.
    signs = (torch.where(torch.isfinite(x), torch.sign(x), x) for x in (x1.detach(), x2.detach()))
    known = torch.isfinite(product)
    product = torch.where(known, product, torch.matmul(*signs))
    half = torch.bitwise_right_shift(high + low, 1)
    for exponents in (half, high + low - half):
        product = product * la.power_of_two(exponents, dt.float32)
    if not tracked(x1, x2):
        return product
    # Derivatives are those of CANN's product, of float16: only their value is taken away.
    coarse = torch.matmul(x1, x2)
    coarse = torch.where(torch.isfinite(coarse), coarse, 0)
    return coarse - coarse.detach() + product


@_of_arrays
def _summed(x1: Tensor, x2: Tensor) -> Tensor:
    """Multiply all elements, and sum the products, in pieces that fit into memory."""
    left, right = x1.unsqueeze(-2), x2.mT.unsqueeze(-3)
    shape = (*_stack_of(x1, x2), x1.shape[-2], x2.shape[-1])
    length = x1.shape[-1]
    size = max(1, _PIECE // max(1, math.prod(shape)))
    if not length:
        return torch.zeros(shape, dtype=x1.dtype, device=x1.device)
    result = None
    for start in range(0, length, size):
        piece = min(size, length - start)
        products = left.narrow(-1, start, piece) * right.narrow(-1, start, piece)
        part = torch.sum(products, -1, dtype=x1.dtype)
        result = part if result is None else result + part
    assert result is not None
    return result


@_of_arrays
def _complex(x1: Tensor, x2: Tensor) -> Tensor:
    """Multiply real and imaginary parts, the four products at once."""
    rows, columns = x1.shape[-2], x2.shape[-1]
    left = torch.cat((x1.real, x1.imag), -2)
    right = torch.cat((x2.real, x2.imag), -1)
    product = la.matmul(left, right)
    upper, lower = product.narrow(-2, 0, rows), product.narrow(-2, rows, rows)
    real = upper.narrow(-1, 0, columns) - lower.narrow(-1, columns, columns)
    imag = upper.narrow(-1, columns, columns) + lower.narrow(-1, 0, columns)
    return torch.complex(real, imag)


def _bytes(x: Tensor) -> Tensor:
    """Return the bytes of integers along one more axis, the lowest first, in float32."""
    parts = bits_as(in_row(x), dt.uint8).view(*x.shape, x.dtype.itemsize)
    return cast(parts, dt.float32)


def _by_bytes(x1: Tensor, x2: Tensor) -> Tensor:
    """Multiply matrices of integers exactly, modulo ``2**bits``, by the cube unit.

    The bytes of two's complement serve as unsigned digits.  The product of bytes ``i`` and ``j``
    belongs to the power ``i + j`` of 256; all products for one power are one product of longer
    matrices.  Bytes are exact in HF32 as well.
    """
    length, count = x1.shape[-1], x1.dtype.itemsize
    wide = dt.int64 if x1.dtype is dt.int64 else dt.int32
    left = _bytes(x1).movedim(-1, -2).flatten(-2)
    # Reversed, so that bytes of one power face each other.
    right = _bytes(x2).flip(-1).movedim(-1, -3).flatten(-3, -2)
    base = torch.full((), 256, dtype=wide, device=x1.device)
    result = None
    for power in reversed(range(count)):
        if result is not None:
            result = result * base
        opposite = (count - 1 - power) * length
        for start in range(0, (power + 1) * length, _STEP):
            size = min(_STEP, (power + 1) * length - start)
            sums = torch.matmul(
                left.narrow(-1, start, size), right.narrow(-2, opposite + start, size)
            )
            part = sums.to(wide)  # CANN's cast is exact below 2**24, and uses the vector units
            result = part if result is None else result + part
    assert result is not None
    return low_bits(result, x1.dtype)


@_of_arrays
def integer(x1: Tensor, x2: Tensor) -> Tensor:
    size = math.prod(_stack_of(x1, x2)) * x1.shape[-2] * x2.shape[-1]
    if size and x1.shape[-1] and size > _SUMMED:
        return _by_bytes(x1, x2)
    wide = dt.int64 if x1.dtype is dt.int64 else dt.int32
    return low_bits(_summed(cast(x1, wide), cast(x2, wide)), x1.dtype)


# --- products of vectors --------------------------------------------------------------------------


def vecdot(x1: Tensor, x2: Tensor, axis: int) -> Any:
    """Multiply, and then sum: without the cube unit."""
    # The axis counts from the back.
    products = el.multiply(el.conj(x1) if x1.is_complex() else x1, x2)
    return red.sum(products, (products.dim() + axis,))


def _vecdot_single(x1: Tensor, x2: Tensor, axis: int) -> Any:
    return vecdot(x1, x2, axis) if are_coarse() else la.vecdot.native(x1, x2, axis)


def _vecdot_narrow(x1: Tensor, x2: Tensor, axis: int) -> Tensor:
    products = cast(x1, dt.int32) * cast(x2, dt.int32)
    return low_bits(torch.sum(products, axis, dtype=dt.int32), x1.dtype)


# --- norms ----------------------------------------------------------------------------------------


def _vector_norm(x: Tensor, ord: float, axes: tuple[int, ...], *, keepdims: bool) -> Any:
    if ord == 0:
        return la.vector_norm.native(x, ord, axes, keepdims=keepdims)
    if x.dtype in dt.HALF:
        return cast(_vector_norm(cast(x, dt.float32), ord, axes, keepdims=keepdims), x.dtype)
    # torch_npu documents errors for axes of size 1; they add nothing.
    long = tuple(i for i in axes if x.shape[i] != 1)
    norms = _norms(x, ord, long)
    if keepdims:
        return norms
    return norms.reshape([norms.shape[i] for i in other_axes(norms.dim(), axes)])


def _norms(x: Tensor, ord: float, axes: tuple[int, ...]) -> Tensor:
    """Return norms of float32, float64 and complex numbers; the axes stay."""
    if not axes:
        return el.abs(x)
    if ord == 2:
        if x.is_complex() and x.dim() < MOST_DIMENSIONS:
            return _norms(torch.view_as_real(x), 2, (*axes, x.dim())).squeeze(-1)
        if x.is_complex():
            x = el.abs(x)
        if x.dtype is dt.float32:
            norms: Tensor = torch.linalg.vector_norm(x, 2, axes, keepdim=True)
            return norms
        return _root(red.sum(x * x, axes, True), 2)
    size = el.abs(x)
    if 0 in x.shape:
        zeros: Tensor = red.sum(size, axes, True)
        return zeros if ord > 0 else zeros.reciprocal()
    if ord in {math.inf, -math.inf}:
        return (red.max if ord > 0 else red.min)(size, axes, True)
    if ord == 1:
        return red.sum(size, axes, True)
    if math.isnan(ord):
        return red.sum(size * math.nan, axes, True)
    order = held(ord, size.dtype)
    if order < 1 and tracked(x):  # the gradient at 0 is 0, not infinite
        zero = size == 0
        powers = to_power(torch.where(zero, 1.0, size), order)
        powers = torch.where(zero, 0.0 if order > 0 else math.inf, powers)
    else:
        powers = to_power(size, order)
    return _root(red.sum(powers, axes, True), order)


def _root(x: Tensor, order: float) -> Tensor:
    """Return a root whose gradient at 0 is 0 instead of infinite, as in torch's norm."""
    zero = x == 0 if x.requires_grad and order > 0 else None
    inner = x if zero is None else torch.where(zero, 1.0, x)
    root = torch.sqrt(inner) if order == 2 else to_power(inner, 1 / order)
    return root if zero is None else torch.where(zero, 0.0, root)


def _matrix_norm(x: Tensor, ord: float | str, *, keepdims: bool) -> Any:
    rows, columns = x.dim() - 2, x.dim() - 1
    if ord == "fro" or 0 in x.shape[-2:]:
        return la.vector_norm(x, 2, (rows, columns), keepdims=keepdims)
    if isinstance(ord, str) or ord in {2, -2}:
        return la.matrix_norm.native(x, ord, keepdims=keepdims)
    summed, compared = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = red.sum(el.abs(x), (summed,), True)
    norms = (red.max if ord > 0 else red.min)(sums, (summed, compared), True)
    return norms if keepdims else norms.reshape(norms.shape[:-2])


# --- rows -----------------------------------------------------------------------------------------

_NARROW: Final = frozenset({dt.int8, dt.int16, dt.uint8})
_SHAPES: Final = "aclnnMatmul takes up to 6 dimensions, and reports shapes that do not fit too late"
HF32: Final = (
    "a switch of torch_npu, which any library may set, leaves 12 binary digits to products"
)

ROWS: Final = (
    Row("matmul", dt.HALF, Compose(_native), *wrong(_SHAPES, "aclnnMatmul")),
    Row("matmul", {dt.float32}, Compose(single), *wrong(f"{_SHAPES}; {HF32}", "aclnnMatmul")),
    Row("vecdot", {dt.float32}, Compose(_vecdot_single), *wrong(HF32, "aclnnBatchMatMul")),
    Row("matmul", {dt.float64}, Compose(_summed), *refused("aclnnMatmul")),
    Row("matmul", dt.COMPLEX, Compose(_complex), *refused("aclnnMatmul")),
    Row("matmul", dt.INTEGER - dt.WIDE_UNSIGNED, Compose(integer), *refused("aclnnMatmul")),
    # torch_npu calls aclnnDot in one dimension.
    Row("vecdot", {dt.float64} | dt.COMPLEX, Compose(vecdot), *refused("aclnnDot")),
    Row("vecdot", dt.HALF, Via(dt.float32), *wrong("the products overflow", "aclnnMul")),
    Row("vecdot", _NARROW, Compose(_vecdot_narrow), *slow("aclnnReduceSum")),
    Row(
        "vector_norm",
        dt.FLOATING,
        Compose(_vector_norm),
        *wrong(
            "aclnnLinalgVectorNorm takes few orders, neither float64 nor complex, and torch_npu "
            "returns complex numbers for complex ones",
            "aclnnLinalgVectorNorm",
        ),
    ),
    Row(
        "matrix_norm",
        la.DECOMPOSED - {dt.float32},
        Compose(_matrix_norm),
        *wrong("torch takes norms of vectors, see vector_norm", "aclnnLinalgVectorNorm"),
    ),
)
