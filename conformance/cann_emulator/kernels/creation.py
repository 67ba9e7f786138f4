"""Kernels that make values from nothing: their last argument is the output to be made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable


def _arange(start: Any, end: Any, step: Any, out: torch.Tensor) -> Any:
    del end  # the caller has sized the output
    integral = not out.is_floating_point() and type(start) is int and type(step) is int
    counter = torch.arange(
        out.numel(), dtype=torch.int64 if integral else torch.float64, device="cpu"
    )
    return start + step * counter


def _linspace(start: Any, end: Any, steps: int, out: torch.Tensor) -> torch.Tensor:
    dtype = out.dtype if out.is_floating_point() else torch.float64
    return torch.linspace(start, end, steps, dtype=dtype, device="cpu")


def _logspace(start: Any, end: Any, steps: int, base: float, out: torch.Tensor) -> torch.Tensor:
    return torch.logspace(start, end, steps, base, dtype=out.dtype, device="cpu")


TASKS: dict[str, Callable[..., Any]] = {
    "Arange": _arange,
    "Eye": lambda n, m, out: torch.eye(n, m, dtype=out.dtype, device="cpu"),
    "InplaceOne": torch.ones_like,
    "InplaceZero": torch.zeros_like,
    "Linspace": _linspace,
    "LogSpace": _logspace,
}
