"""Reduction of large float32 angles, because CANN documents its sine and cosine up to 1e7 only.

A greater number is ``m * 2**e`` with integers ``m < 2**24`` and ``e``.  Its number of turns is
``m`` times that of ``2**e``.  A 64-bit product keeps the fraction of a turn, because whole turns
overflow and drop out.  (M. H. Payne and R. N. Hanek, Radian reduction for trigonometric functions,
1983.)
"""

from __future__ import annotations

import functools
import math
from typing import Final

import numpy as np

from ..._routes._derivatives import readable
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.tracing import constant, traced_as
from .conversions import in_row

_FIRST: Final = 0x4B19
"""The upper 16 bits of 10,027,008, the first number that is reduced."""
_INFINITE: Final = 0x7F80
_TURNS: Final = 0x28BE60DB9391054A7F09D5F47D4D377036D8A5664F10E4107F9458EAF7AEF1586DC91B8E909374B8
"""1 / (2 pi) times ``2**320``: the turns of the angle 1."""


@functools.cache
def _values() -> tuple[np.ndarray, np.ndarray]:
    """Return tables by a number's upper 16 bits: turns for a unit, and whether to reduce."""
    upper = np.arange(2**16)
    size = upper & 0x7FFF
    large = (size >= _FIRST) & (size < _INFINITE)
    turns = np.zeros(2**16, np.uint64)
    for exponent in range(_FIRST >> 7, _INFINITE >> 7):
        # The fraction of a turn of the unit of such numbers, times 2**64.
        turns[exponent << 7 : (exponent + 1) << 7] = (_TURNS << exponent - 150 >> 256) % 2**64
    turns[2**15 :] = -turns[: 2**15]
    return turns.view(np.int64), large


def _moved(device: torch.device) -> tuple[Tensor, Tensor]:
    turns, large = _values()
    return torch.tensor(turns, device=device), torch.tensor(large, device=device)


@functools.cache
def _kept(device: torch.device) -> tuple[Tensor, Tensor]:
    with torch.inference_mode(mode=False):  # the cached tensors may serve derivatives later
        return _moved(device)


@constant
def _held(kind: str, index: int) -> tuple[Tensor, Tensor]:
    return _kept(torch.device(kind, index))


def _traced_tables(x: Tensor) -> tuple[Tensor, Tensor]:
    return _held(x.device.type, x.device.index)  # a trace cannot compute them: it has no uint64


@traced_as(_traced_tables)
def _tables(x: Tensor) -> tuple[Tensor, Tensor]:
    return (_kept if readable(x) else _moved)(x.device)


def reduced(x: Tensor) -> Tensor:
    """Return float32 angles; subtract whole turns from large ones."""
    turns, large = _tables(x)
    flat = in_row(x)
    bits = flat.view(dt.int32)
    upper = torch.bitwise_and(flat.view(dt.int16)[1::2].to(dt.int32), 2**16 - 1)
    units = torch.bitwise_or(torch.bitwise_and(bits, 0x7FFFFF), 0x800000)
    fraction = units.to(dt.int64) * torch.index_select(turns, 0, upper)
    # Casts of 64 bits saturate.  The upper half alone gives the turn to 2**-32.
    angle = fraction.view(dt.int32)[1::2].to(dt.float32) * (math.pi / 2**31)
    return torch.where(torch.index_select(large, 0, upper), angle, flat).view(x.shape)
