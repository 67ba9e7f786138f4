"""Kernels of AICPU that compute otherwise than torch on the CPU.

Sources: ops-math v9.1.0, math/NAME/op_kernel_aicpu: log_aicpu.cpp and round_aicpu.cpp (the same
since v8.5.0), lin_space_aicpu.cpp, cosh_aicpu.cpp and sinh_aicpu.cpp. The others there compute as
torch does, as a comparison with 25 compiled sources showed. Extrema, determinants and triangular
systems are TensorFlow's: tf_kernel.json of CANN 8.1.RC1 names those kernels,
core/kernels/argmax_op.h and core/kernels/linalg have them, by Eigen.
"""

from __future__ import annotations

import numpy as np
import torch


def log2(x: torch.Tensor) -> torch.Tensor:
    """Divide the logarithm by complex(log(2.0F)), by the products that C prescribes.

    The products with the imaginary part 0 of the divisor make infinities NaN, and -0 of logarithms
    below 0 +0.
    """
    logarithm = torch.log(x)
    a, b = logarithm.real, logarithm.imag
    divisor = float(np.log(np.float32(2)))
    return torch.complex(a / divisor, (b - a * 0) / divisor)


def cosh(x: torch.Tensor) -> torch.Tensor:
    """Compute by the C library, as std::cosh does; torch's vectors overflow where exp(x) does."""
    with np.errstate(over="ignore"):
        return torch.from_numpy(np.asarray(np.cosh(x.numpy())))


def sinh(x: torch.Tensor) -> torch.Tensor:
    """Compute by the C library, as std::sinh does; torch's vectors overflow where exp(x) does."""
    with np.errstate(over="ignore"):
        return torch.from_numpy(np.asarray(np.sinh(x.numpy())))


def round_half_even(x: torch.Tensor) -> torch.Tensor:
    """Round up from floor(x), where 1e-14 below a half counts as a half."""
    down = torch.floor(x)
    fraction = x - down
    half = (fraction - 0.5).abs() <= 1e-14 * fraction.abs().clamp(min=0.5)
    odd = (down - 2 * torch.floor(0.5 * x) - 1).abs() <= 1e-14
    return torch.where((fraction > 0.5) | (half & odd), down + 1, down)


def round_to_decimals(x: torch.Tensor, decimals: int) -> torch.Tensor:
    """Scale by a power of ten, round and scale back."""
    if decimals == 0:
        return round_half_even(x)
    power = 10.0 ** abs(decimals)
    if decimals < 0:
        return round_half_even(x / power) * power
    return round_half_even(x * power) / power


def lin_space(start: float, end: float, steps: int) -> torch.Tensor:
    """Add multiples of the interval to the start; the last number is the end."""
    interval = (float(end) - float(start)) / max(steps - 1, 1)
    numbers = torch.arange(steps, dtype=torch.float64, device="cpu") * interval + start
    numbers[-1:] = end
    numbers[:1] = start
    return numbers


def place_of_largest(x: torch.Tensor, axis: int, keep: int) -> torch.Tensor:
    """Return the first place of what is larger than all before and than the least number.

    Eigen, ArgMaxTupleReducer: NaN never is, so that it does not win.
    """
    least = torch.finfo(x.dtype).min
    return torch.argmax(torch.nan_to_num(x, least, neginf=least), axis, keepdim=bool(keep))


def place_of_smallest(x: torch.Tensor, axis: int, keep: int) -> torch.Tensor:
    """Return the first place of what is smaller than all before and than the greatest number."""
    return place_of_largest(-x, axis, keep)


def slogdet(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """linalg/determinant_op.cc, SLogDet: 0 where the logarithm is not finite, which NaN loses."""
    sign, logarithm = torch.linalg.slogdet(x)
    infinite = torch.where(logarithm > 0, torch.inf, -torch.inf).to(logarithm.dtype)
    finite = torch.isfinite(logarithm)
    return torch.where(finite, sign, 0), torch.where(finite, logarithm, infinite)


def triangular_solve(
    b: torch.Tensor, a: torch.Tensor, upper: int, transpose: int, unitriangular: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """linalg/matrix_triangular_solve_op_impl.h: what is asked to be transposed is conjugated too.

    ops-math/math/triangular_solve/op_host/op_api/triangular_solve.cpp passes it as ``adjoint``.
    """
    matrix = a.mH if transpose else a
    is_upper = bool(upper) != bool(transpose)
    options = {"upper": is_upper, "unitriangular": bool(unitriangular)}
    return torch.linalg.solve_triangular(matrix, b, **options), a
