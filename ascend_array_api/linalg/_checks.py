"""The checks of the functions of the extension, and their errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arrays.promotion import scalar_tensor
from .._calls.operands import Operand, operand, same_device
from .._chapters.linear_algebra import matrices
from .._devices.device import Spec
from .._routes._operations import Op, cast
from .._routes.judging import solved
from .._routes.linear_algebra import DECOMPOSED
from .._torch import Tensor, torch
from .._torch import dtypes as dt


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
    op: Op,
    spec: Spec,
    *tensors: Tensor,
    failure: str = "the algorithm did not converge for a matrix",
    function: str = "",
    **parameters: Any,
) -> Any:
    """Run the kernel of an operation; say in the namespace's words that a matrix has no result."""
    return solved(LinAlgError, op, spec, function or op.name, failure, *tensors, **parameters)
