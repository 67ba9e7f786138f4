"""Reductions on NPUs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from ..._devices.device import spec_of
from ..._routes import movement
from ..._routes import reductions as red
from ..._routes._derivatives import tracked
from ..._routes._rows import Compose, Row, Via
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from . import MOST_DIMENSIONS
from ._common import derivative, launches, refused, slow, wrong

# --- variance -------------------------------------------------------------------------------------


def _spread(native: Callable[..., Tensor], root: bool) -> Callable[..., Tensor]:
    """Return the kernel for the variance, or its root, of large and small numbers of any mean.

    CANN's kernels round the mean to the data type, square numbers as they are, and take whole
    corrections only.
    """

    def centered(x: Tensor, dim: tuple[int, ...], keepdim: bool, correction: float) -> Tensor:
        freedom = math.prod([x.shape[i] for i in dim]) - correction
        whole = float(correction).is_integer() and x.dtype is not dt.float64
        if not freedom > 0:  # this form also catches a correction of NaN
            return torch.sum(x, dim, keepdim) * math.nan
        if x.numel() == 0:
            return torch.sum(x, dim, keepdim)
        # One kernel beside those that are fused; and torch_npu lacks forward derivatives of steps.
        transformed = tracked(x) and not x.requires_grad
        if whole and (transformed or torch.compiler.is_compiling()):
            return native(x, dim, keepdim, int(correction))
        if x.dtype in dt.HALF:
            return centered(x.to(dt.float32), dim, keepdim, correction).to(x.dtype)
        away, power = red.scaled_from_first(x, dim)
        if whole:
            result = native(away, dim, keepdim, int(correction))
        else:
            away = away - torch.mean(away, dim, keepdim=True)
            result = torch.sum(away * away, dim, keepdim) / freedom
            if root and tracked(x):  # where it is 0, the derivative of the root would be infinite
                alike = result == 0
                result = torch.where(alike, 0, torch.sqrt(torch.where(alike, 1, result)))
            elif root:
                result = torch.sqrt(result)
        power = power.reshape(result.shape)
        return result * power if root else result * power * power

    return centered


# --- extrema --------------------------------------------------------------------------------------


def _of_some(native: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return torch's function for an extremum, which refuses empty axes as on other devices."""

    def extremum(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
        axes = range(x.dim()) if dim is None else dim
        if x.numel() == 0 and 0 in [x.shape[i] for i in axes]:
            raise IndexError("there are no elements along a reduced axis")
        return native(x) if dim is None else native(x, dim, keepdim)

    return extremum


def _of_one_axis(native: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return torch's any or all; convert to booleans first if there are several axes."""

    def by_one_axis(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
        if dim is not None and len(dim) == 1:
            return native(x, dim[0], keepdim)
        return native(x) if dim is None else native(x, dim, keepdim)

    return by_one_axis


def _mean_of_parts(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    """Return the mean of complex numbers by one mean of both parts."""
    axes = tuple(range(x.dim())) if dim is None else dim
    if not axes or x.dim() == MOST_DIMENSIONS:
        return red.mean_of_parts(x, dim, keepdim)
    parts = torch.view_as_real(x.resolve_conj())
    return torch.view_as_complex(torch.mean(parts, axes, keepdim))


# --- the others -----------------------------------------------------------------------------------


def _cumulative_prod_complex(x: Tensor, axis: int, initial: bool) -> Tensor:
    # Each round doubles the number of elements in each product.  (W. D. Hillis,
    # G. L. Steele, Data parallel algorithms, Communications of the ACM 29, 1986.)
    concat = movement.concat.on(spec_of(x))
    result, length, done = x.clone(), x.shape[axis], 1
    while done < length:
        first = result.narrow(axis, 0, done)
        rest = result.narrow(axis, done, length - done) * result.narrow(axis, 0, length - done)
        result = concat([first, rest], axis)
        done *= 2
    return red.with_initial(result, axis, 1) if initial else result


def _cumulative_prod(x: Tensor, axis: int, initial: bool) -> Tensor:
    if tracked(x):
        return _cumulative_prod_complex(x, axis, initial)
    return red.cumulative_prod.native(x, axis, initial)


def _of_truths(native: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return lambda x, *axes, **parameters: native(x != 0, *axes, **parameters)


# --- rows -----------------------------------------------------------------------------------------

_F64: Final = frozenset({dt.float64})
_NARROW: Final = dt.REAL_FLOATING - _F64
_ROUNDED: Final = wrong(
    "the mean is rounded, squares become infinite or 0, and torch_npu copies to the host for a "
    "correction that is not whole",
    "aclnnVarCorrection",
    "aclnnStd",
)

_WITH_KERNEL: Final = dt.REAL - dt.WIDE_UNSIGNED
_NOT_BYTES: Final = _WITH_KERNEL - {dt.uint8}  # of these torch gives bytes
_SUMS: Final = wrong("aclnnCumsum rounds each sum to float16", "aclnnCumsum")
_PRODUCTS: Final = wrong("aclnnCumprod rounds each product to float16", "aclnnCumprod")
_ZEROS: Final = derivative(
    "torch counts zeros for the derivative by sums of booleans, which CANN refuses", "aclnnCumsum"
)
_CONVERTED: Final = launches("torch makes Booleans of the elements before it reduces several axes")
_NOTHING: Final = wrong(
    "the error where there are no elements to choose from comes too late", "aclnnAmax", "aclnnAmin"
)

ROWS: Final = (
    Row("max", _WITH_KERNEL, Compose(_of_some(torch.amax)), *_NOTHING),
    Row("min", _WITH_KERNEL, Compose(_of_some(torch.amin)), *_NOTHING),
    Row("var", _F64, Compose(_spread(red.var.native, False)), *refused("aclnnVarCorrection")),
    Row("std", _F64, Compose(_spread(red.std.native, True)), *refused("aclnnStd")),
    Row("var", _NARROW, Compose(_spread(red.var.native, False)), *_ROUNDED),
    Row("std", _NARROW, Compose(_spread(red.std.native, True)), *_ROUNDED),
    Row("mean", {dt.complex64}, Compose(_mean_of_parts), *slow("aclnnReduceSum")),
    Row("cumulative_prod", dt.COMPLEX, Compose(_cumulative_prod_complex), *refused("aclnnCumprod")),
    Row("cumulative_sum", {dt.float16}, Via(dt.float32), *_SUMS),
    Row("cumulative_prod", {dt.float16}, Via(dt.float32), *_PRODUCTS),
    Row("cumulative_prod", dt.REAL_FLOATING - {dt.float16}, Compose(_cumulative_prod), *_ZEROS),
    Row("all", _NOT_BYTES, Compose(_of_one_axis(torch.all)), *_CONVERTED),
    Row("any", _NOT_BYTES, Compose(_of_one_axis(torch.any)), *_CONVERTED),
    Row("all", dt.COMPLEX, Compose(_of_truths(torch.all)), *refused("aclnnAll")),
    Row("any", dt.COMPLEX, Compose(_of_truths(torch.any)), *refused("aclnnAny")),
)
