"""Helpers for dtypes that torch computes less with than CANN does."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
FLIP = {torch.uint16: -(2**15), torch.uint32: -(2**31), torch.uint64: -(2**63)}


def _map(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)([_map(item, change) for item in value])
    return value


def by_bits(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function that only moves or combines bits see wide unsigned integers as signed."""

    @wraps(function)
    def wrapped(*arguments: Any) -> Any:
        wide = {t.dtype for t in _tensors(arguments) if t.dtype in SIGNED}
        result = function(
            *(
                _map(a, lambda t: t.view(SIGNED[t.dtype]) if t.dtype in SIGNED else t)
                for a in arguments
            )
        )
        if not wide:
            return result
        back = {SIGNED[dtype]: dtype for dtype in wide}
        return _map(result, lambda t: t.view(back[t.dtype]) if t.dtype in back else t)

    return wrapped


def by_order(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function that only compares see wide unsigned integers as signed, in the same order.

    If it returns several results, the first is of the inputs' dtype.
    """

    @wraps(function)
    def wrapped(*arguments: Any) -> Any:
        wide = {t.dtype for t in _tensors(arguments)} & SIGNED.keys()
        if not wide:
            return function(*arguments)
        (dtype,) = wide
        signed, flip = SIGNED[dtype], FLIP[dtype]
        result = function(
            *(
                _map(a, lambda t: t.view(signed) ^ flip if t.dtype == dtype else t)
                for a in arguments
            )
        )
        first, *others = result if isinstance(result, tuple) else (result,)
        if first.dtype == signed:
            first = (first ^ flip).view(dtype)
        return (first, *others) if others else first

    return wrapped


def as_tensor(value: Any) -> torch.Tensor:
    """Return a number as a tensor on the host, whatever torch's default data type is."""
    if isinstance(value, (float, complex)):
        dtype = torch.float32 if isinstance(value, float) else torch.complex64
        return torch.tensor(value, dtype=dtype, device="cpu")
    return torch.as_tensor(value, device="cpu")


def compares(function: Callable[[torch.Tensor, Any], Any]) -> Callable[..., Any]:
    """Let a comparison with a tensor or a number take wide unsigned integers."""
    ordered = by_order(function)

    def compared(a: torch.Tensor, b: Any) -> Any:
        if a.dtype in SIGNED and type(b) is int:
            b = torch.tensor(b, dtype=a.dtype, device="cpu")
        return ordered(a, b)

    return compared


def _tensors(arguments: Any) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for a in arguments:
        if isinstance(a, torch.Tensor):
            found.append(a)
        elif isinstance(a, (list, tuple)):
            found += _tensors(a)
    return found
