"""The checks of the functions of the extension, and their errors."""

from __future__ import annotations

import functools
import math
from typing import Any, Final

import numpy as np

from .._arrays.promotion import scalar_tensor
from .._calls.operands import Operand, operand, same_device
from .._chapters.linear_algebra import matrices
from .._devices.device import Spec, device_of
from .._options import settings
from .._reports import late_errors
from .._routes._derivatives import judged
from .._routes._faults import check_fault
from .._routes._operations import Op, cast
from .._routes.linear_algebra import DECOMPOSED, cholesky, vector_norm
from .._torch import Tensor, torch
from .._torch import dtypes as dt

NOT_CONVERGED: Final = "the algorithm did not converge for a matrix"


class LinAlgError(np.linalg.LinAlgError, torch.linalg.LinAlgError):  # type: ignore[name-defined,misc]
    """A matrix without the result that was asked for, such as the inverse of a singular one.

    It is also NumPy's error of that name, which is a ValueError, and torch's, which is a
    RuntimeError, so that code written for either catches it.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> try:
    ...     xp.linalg.inv(xp.zeros((2, 2)))
    ... except xp.linalg.LinAlgError as error:
    ...     print(error)
    inv: a matrix is singular. Use pinv() for the pseudo-inverse.
    """


def decomposable(function: str, x: object) -> Operand:
    """Check that an operand is a matrix, or a stack of matrices, that torch decomposes."""
    return matrices(function, x, DECOMPOSED)


def square(function: str, x: object, allowed: frozenset[torch.dtype] = DECOMPOSED) -> Operand:
    """Check that an operand is a square matrix, or a stack of them, of an allowed data type."""
    tensor, spec = matrices(function, x, allowed)
    shape = tensor.shape
    if shape[-1] != shape[-2]:
        raise ValueError(
            f"{function}: expected square matrices, got {shape[-2]} rows and {shape[-1]} columns "
            f"(shape {tuple(shape)})."
        )
    return tensor, spec


def relative_tolerance(function: str, tensor: Tensor, spec: Spec, rtol: object) -> Tensor:
    """Return the tolerance for small singular values, one for each matrix of a stack."""
    real = spec.real
    stack = tuple(tensor.shape[:-2])
    if rtol is None:
        rtol = max(tensor.shape[-2:]) * torch.finfo(real.dtype).eps
    if isinstance(rtol, (int, float)) and not isinstance(rtol, bool):
        return scalar_tensor(rtol, real).expand(stack)
    given, own = operand(function, rtol, dt.REAL_FLOATING)
    same_device(function, spec, own)
    try:
        return cast(given, real.dtype).expand(stack)
    except RuntimeError as error:
        raise ValueError(
            f"{function}: rtol of shape {tuple(given.shape)} could not be broadcast to a stack of "
            f"matrices of shape {stack}: there must be one tolerance for each, or one for all."
        ) from error


def compute(
    op: Op, spec: Spec, function: str, failure: str, *tensors: Tensor, **parameters: Any
) -> Any:
    """Run the kernel of an operation; say in the namespace's words that a matrix has no result."""
    # Torch reports a failure to converge itself, at once, except on NPUs, which never report it.
    late = spec.device.backend.late and settings.current().checks != "off"
    told = late and failure != NOT_CONVERGED and spec.dtype in dt.FLOATING and judged(*tensors)
    kernel = op.on(spec)
    noted = getattr(op.on(spec.sure), "noted", None) if told else None
    if noted is not None:  # this kernel reports itself, or returns None if it cannot
        doubt = late_errors.Doubt(LinAlgError, "{}: {}".format, function, failure)
        result = noted(doubt, *tensors)
        if result is not None:
            return late_errors.mark(result, doubt, tensors)
    try:
        result = kernel(*tensors, **parameters)
    except torch.linalg.LinAlgError as error:  # type: ignore[attr-defined]
        raise LinAlgError(f"{function}: {failure}") from error
    late_errors.mark(result, tensors)  # a tolerance may be in doubt, and has no spec to say so
    # The first of several results has the values; if the others are NaN, so is it.
    values = result if isinstance(result, torch.Tensor) else result[0]
    if told and judged(values):
        # A kernel that fails returns NaN.  NaN is no failure if an operand is not finite, except
        # for Cholesky: such a matrix is not positive definite.  Then all elements of the result are
        # NaN, so one tells.
        try:
            seen = (values[..., :1, :1],) if op is cholesky else (values, *tensors)
            greatest = [_greatest(t) for t in seen]
        except RuntimeError as error:
            check_fault(error, function, device_of(values), tensors)
            raise
        lost = functools.partial(_lost, _INFINITE[greatest[0].dtype])
        doubt = late_errors.Doubt(LinAlgError, "{}: {}".format, function, failure)
        doubt.found(greatest, lost)
        late_errors.mark(values, doubt)
    return result


_INFINITE: Final = {dt.int32: 0xFF << 23, dt.int64: 0x7FF << 52}
"""The bits of infinity, by the integers in which floating-point numbers are viewed."""


def _greatest(x: Tensor) -> Tensor:
    """Return the bits of the greatest absolute value, which is NaN if any element is."""
    parts = x.detach()
    if x.is_complex():  # pairs need one more axis, which a device may not allow
        stack = parts.flatten(0, -3) if parts.dim() > 3 else parts
        parts = torch.view_as_real(stack.resolve_conj())
    norm: Tensor = vector_norm(parts, math.inf, tuple(range(parts.dim())), keepdims=False)
    return norm.view(dt.int32 if norm.dtype is dt.float32 else dt.int64)


def _lost(infinite: int, values: int, *operands: int) -> bool:
    """Say, given these bits, whether values have a NaN although all operands are finite."""
    size = (1 << infinite.bit_length()) - 1  # all bits but the sign
    return values & size > infinite and all(n & size < infinite for n in operands)
