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
    """Let a function that only compares see wide unsigned integers as signed, in the same order."""

    def shifted(t: torch.Tensor) -> torch.Tensor:
        return t.view(SIGNED[t.dtype]) ^ FLIP[t.dtype] if t.dtype in SIGNED else t

    @wraps(function)
    def wrapped(*arguments: Any) -> Any:
        wide = {t.dtype for t in _tensors(arguments)} & SIGNED.keys()
        if not wide:
            return function(*arguments)
        (dtype,) = wide
        scalars = [a + FLIP[dtype] if type(a) is int else a for a in arguments]
        result = function(*(_map(a, shifted) for a in scalars))
        signed = SIGNED[dtype]
        return _map(result, lambda t: (t ^ FLIP[dtype]).view(dtype) if t.dtype == signed else t)

    return wrapped


def _tensors(arguments: Any) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for a in arguments:
        if isinstance(a, torch.Tensor):
            found.append(a)
        elif isinstance(a, (list, tuple)):
            found += _tensors(a)
    return found
