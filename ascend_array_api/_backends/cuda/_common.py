"""Reasons and evidence of rows for GPUs."""

from __future__ import annotations

from typing import TypeAlias

from ..._devices.facts import Where, triton
from ..._routes._evidence import Evidence

Cause: TypeAlias = "tuple[str, Evidence]"
"""The reason of a row, and its evidence."""


def wrong(reason: str) -> Cause:
    """Torch's results are not those of the standard."""
    return reason, Evidence("torch 2.11, CUDA")


def slow(reason: str, *operators: str) -> Cause:
    """Torch takes longer."""
    return reason, Evidence("torch 2.11, CUDA", "time", operators)


def slow_beside_triton(reason: str) -> tuple[str, Evidence, Where]:
    """Torch takes longer than a kernel by Triton, where that is installed."""
    return reason, Evidence("torch 2.11, Triton 3.6, CUDA", "time"), triton
