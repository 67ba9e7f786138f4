"""What is differentiated, and where: what the tests of derivatives share.

``SLOPES`` has what ``workshop/samples`` says of each function that has a derivative; ``AT`` has
the points at which the derivative is a convention, or hard to come by.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from math import inf, nan
from typing import Any

import numpy as np

import ascend_array_api as xp
from ascend_array_api._torch import torch
from ascend_array_api._torch.pairs import release
from workshop.samples import FUNCTIONS, Slope, slopes

SLOPES = [
    (f"{name}: {slope.label or i}", slope)
    for name, function in FUNCTIONS.items()
    for i, slope in enumerate(slopes(function))
]
"""All that is differentiated, with names for the tests of it."""

# --- calls ----------------------------------------------------------------------------------------


def fractional(value: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors of a tree of results that have fractions."""
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from fractional(part)
    elif isinstance(value, xp.Array):
        tensor = value._tensor  # to_torch refuses divided arrays
        if tensor.is_floating_point() or tensor.is_complex():
            yield tensor


def reached(case: Slope) -> Callable[..., Any]:
    """Return the function of a sample as a function of tensors."""

    def function(*operands: Any) -> Any:
        results = tuple(fractional(case.function(*map(xp.asarray, operands))))
        return results if len(results) > 1 else results[0]

    return function


def tensors(case: Slope, *, grad: bool = False, device: Any = "cpu") -> tuple[Any, ...]:
    """Return the operands of a sample as tensors of float64 and complex128."""
    moved = (torch.from_numpy(x.astype(f"{x.dtype.kind}{x.itemsize}")) for x in case.operands)
    return tuple(x.to(device).requires_grad_(grad) for x in moved)


# --- special points -------------------------------------------------------------------------------

_AT = """
abs | 0.0: 0.0; -0.0: 0.0; 0j: 0j
sign | 0.0: 0.0; 0j: 0j
ceil | 2.0: 0.0
floor | 2.0: 0.0
round | 2.5: 0.0
trunc | -2.0: 0.0
sqrt | 0.0: inf; -0.0: -inf; -1.0: nan; 1e-300: 5e149; inf: 0.0
log1p | complex(inf, 0): 0j; complex(0, inf): 0j; complex(-inf, inf): 0j
acos | 0j: -1 + 0j; complex(0, -0.0): -1 + 0j; complex(-0.0, 0.0): -1 + 0j
maximum | 1.0, 1.0: 0.5, 0.5; 1.0, 2.0: 0.0, 1.0
minimum | 1.0, 1.0: 0.5, 0.5
copysign | 0.0, 1.0: 0.0, 0.0; 2.0, -0.0: -1.0, 0.0; -2.0, 0.0: -1.0, 0.0; -inf, -1.0: 1.0, 0.0
copysign | inf, -1.0: -1.0, 0.0
hypot | 0.0, 0.0: 0.0, 0.0; 0.0, -2.0: 0.0, -1.0; inf, 1.0: 1.0, 0.0; 1.0, -inf: 0.0, -1.0
hypot | 1e300, 1e300: half, half; 1e-300, -1e-300: half, -half
atan2 | 0.0, 0.0: 0.0, 0.0; 1.0, inf: 0.0, 0.0; -inf, 1.0: 0.0, 0.0
atan2 | 1e200, 1e200: 0.5e-200, -0.5e-200; 1e-200, 1e-200: 0.5e200, -0.5e200
atan2 | 1e-200, -1e-200: -0.5e200, -0.5e200
logaddexp | -inf, -inf: 0.5, 0.5; inf, inf: 0.5, 0.5; -inf, 1.0: 0.0, 1.0; inf, 1.0: 1.0, 0.0
logaddexp | 1e300, -1e300: 1.0, 0.0
remainder | 6.0, 2.0: 1.0, -3.0; 0.0, 2.0: 1.0, 0.0; -6.0, 2.0: 1.0, 3.0; 5.0, inf: 1.0, 0.0
remainder | 1e20, 3.0: 1.0, -math.floor(1e20 / 3)
floor_divide | 6.0, 2.0: 0.0, 0.0; 6.0, 0.0: 0.0, 0.0; inf, 2.0: 0.0, 0.0; 2.0, inf: 0.0, 0.0
pow | 0.0, 2.0: 0.0, 0.0; 0.0, 1.0: 1.0, 0.0; 0.0, 0.0: 0.0, None; 0.0, 0.5: inf, 0.0
pow | -2.0, 3.0: 12.0, nan; 0j, 2 + 0j: 0j, 0j; 0j, 1 + 0j: 1 + 0j, 0j; 0j, 0j: 0j, 0j
pow | 2 + 0j, 2 + 0j: 4 + 0j, 4 * log2 + 0j; 2 + 0j, 0j: 0j, log2 + 0j
pow | 2 + 0j, 1 + 0j: 1 + 0j, 2 * log2 + 0j; 2 + 0j, 3 + 0j: 12 + 0j, 8 * log2 + 0j
sinh | 710.2: math.exp(709.2) * (math.e / 2)
cosh | -710.2: -math.exp(709.2) * (math.e / 2)
"""
_NUMBERS = {"inf": inf, "nan": nan, "math": math, "half": math.sqrt(0.5), "log2": math.log(2)}
AT: list[tuple[str, tuple[Any, ...], tuple[Any, ...]]] = [
    (name, *(eval(f"({numbers},)", _NUMBERS) for numbers in case.split(": ")))  # type: ignore[misc]
    for name, cases in (line.split(" | ") for line in _AT.strip().splitlines())
    for case in cases.split("; ")
]
"""Functions, operands, and the derivative by each."""


def _norm(order: float) -> Callable[[Any], Any]:
    return lambda x: xp.linalg.vector_norm(x, ord=order)


def matrix_norm(order: Any) -> Callable[[Any], Any]:
    return lambda x: xp.linalg.matrix_norm(x, ord=order)


_AT_BOUND = 0.0 if release(torch.__version__) >= (2, 14) else 1.0
_BOUNDS, _ROWS = [-1.0, 0.0, 0.5, 1.0, 2.0], [[1.0, 3.0, 3.0], [3.0, 0.0, 0.0]]
_ZEROS = [[0.0, 0.0], [0.0, 0.0]]
CONVENTIONS: dict[str, tuple[Callable[[Any], Any], Any, Any]] = {
    # function, operand, its gradient
    "std": (xp.std, [2.0, 2.0, 2.0], [0.0, 0.0, 0.0]),
    "std of seven": (xp.std, [0.5] * 7, [0.0] * 7),
    "var": (xp.var, [2.0, 2.0, 2.0], [0.0, 0.0, 0.0]),
    "abs": (xp.abs, [0.0, -0.0, -2.0], [0.0, 0.0, -1.0]),
    "sign": (xp.sign, [0.0, -2.0], [0.0, 0.0]),
    "clip": (lambda x: xp.clip(x, 0, 1), _BOUNDS, [0.0, _AT_BOUND, 1.0, _AT_BOUND, 0.0]),
    "clip from": (lambda x: xp.clip(x, min=0), _BOUNDS, [0.0, 0.5, 1.0, 1.0, 1.0]),
    "clip to": (lambda x: xp.clip(x, max=1), _BOUNDS, [1.0, 1.0, 1.0, 0.5, 0.0]),
    "max": (xp.max, [1.0, 3.0, 3.0], [0.0, 0.5, 0.5]),
    "max, axis": (lambda x: xp.max(x, axis=1), _ROWS, [[0, 0.5, 0.5], [1, 0, 0]]),
    "min, axis": (lambda x: xp.min(x, axis=1), _ROWS, [[1, 0, 0], [0, 0.5, 0.5]]),
    "prod": (xp.prod, [2.0, 0.0, 3.0], [0.0, 6.0, 0.0]),
    "prod of zeros": (xp.prod, [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    "products": (lambda x: xp.sum(xp.cumulative_prod(x)), [2.0, 0.0, 3.0], [1.0, 8.0, 0.0]),
    "set": (lambda x: xp.sum(xp.unique_values(x)), [3.0, 1.0, 3.0], [1.0, 1.0, 0.0]),
    "largest": (_norm(inf), [1.0, -2.0, 2.0], [0.0, -0.5, 0.5]),
    "sort": (xp.sort, [1.0, 1.0], [1.0, 1.0]),
    "full": (lambda x: xp.full(3, x), 2.0, 3.0),
    **{f"matrix norm {p}": (matrix_norm(p), _ZEROS, _ZEROS) for p in ("fro", 1, -1, inf, -inf)},
    **{f"norm {p}": (_norm(p), [0.0, 0.0], [0.0, 0.0]) for p in (1, 2, 3, 0.5, inf, -inf, -1)},
    **{f"norm {p}, complex": (_norm(p), [0j, 0j], [0j, 0j]) for p in (1, 2, 3, inf)},
}


def gradients(
    function: Callable[..., Any],
    *operands: Any,
    dtype: torch.dtype | None = None,
    device: str = "cpu",
) -> list[Any]:
    """Return the gradients at Python numbers, or at lists of them."""
    is_complex = any(np.iscomplexobj(x) for x in operands)
    dtype = dtype or torch.float64
    dtype = dtype.to_complex() if is_complex else dtype
    leaves = [torch.tensor(x, dtype=dtype, requires_grad=True, device=device) for x in operands]
    result = xp.to_torch(function(*map(xp.asarray, leaves)))
    grads = torch.autograd.grad(result, leaves, torch.ones_like(result))
    return [g.tolist() for g in grads]


def agree(actual: complex, expected: complex, rtol: float = 1e-13) -> bool:
    """Say whether a number is the expected one, infinities and NaN too."""
    if isinstance(expected, complex):
        return agree(actual.real, expected.real, rtol) and agree(actual.imag, expected.imag, rtol)
    if math.isnan(expected) or math.isinf(expected) or expected == 0:
        return math.isnan(actual) if math.isnan(expected) else actual == expected
    return abs(actual - expected) <= rtol * abs(expected)
