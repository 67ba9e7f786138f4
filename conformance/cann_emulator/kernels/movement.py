"""Kernels that move elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ._dtypes import by_bits

if TYPE_CHECKING:
    from collections.abc import Callable


def _cat(tensors: list[torch.Tensor | None], axis: int) -> torch.Tensor:
    present = [t for t in tensors if t is not None]
    return torch.cat(present, axis)


def _repeat_each(x: torch.Tensor, repeats: Any, axis: int, size: int) -> torch.Tensor:
    del size
    return torch.repeat_interleave(x, repeats, axis)


def _repeat_all(x: torch.Tensor, repeats: Any, size: int) -> torch.Tensor:
    del size
    return torch.repeat_interleave(x, repeats)


def _reflection_pad(x: torch.Tensor, pad: list[int]) -> torch.Tensor:
    bits = x.view(torch.uint8) if x.dtype == torch.bool else x
    return torch.nn.functional.pad(bits, pad, "reflect").view(x.dtype)


TASKS: dict[str, Callable[..., Any]] = {
    "Cat": _cat,
    "ConstantPadNd": by_bits(torch.constant_pad_nd),
    "Flip": by_bits(torch.flip),
    "ReflectionPad1d": _reflection_pad,
    "Repeat": by_bits(lambda x, repeats: x.repeat(repeats)),
    "RepeatInterleave": by_bits(_repeat_all),
    "RepeatInterleaveInt": by_bits(_repeat_all),
    "RepeatInterleaveIntWithDim": by_bits(_repeat_each),
    "RepeatInterleaveTensor": lambda repeats, _size: torch.repeat_interleave(repeats),
    "RepeatInterleaveWithDim": by_bits(_repeat_each),
    "Roll": by_bits(torch.roll),
    "Stack": by_bits(torch.stack),
    "Tril": by_bits(torch.tril),
    "Triu": by_bits(torch.triu),
}
