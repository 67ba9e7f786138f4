"""Kernels of AICPU that compute otherwise than torch on the CPU.

Sources: ops-math v9.1.0, math/NAME/op_kernel_aicpu: log_aicpu.cpp and round_aicpu.cpp (the same
since v8.5.0), lin_space_aicpu.cpp. The others there compute as torch does: `python -m
tools.aicpu_kernels` compares them.
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
