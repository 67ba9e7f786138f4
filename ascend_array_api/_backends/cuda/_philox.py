"""Philox4x32-10 on GPUs, as one kernel from the counters to the numbers.

It is written in Triton, which comes with torch for GPUs.  A kernel by torch.compile for the same
operations wrote and read all words again to bring the four words of a block together in memory
(torch 2.13, on the CPU).

Only the rows for CUDA import this module.
"""

from __future__ import annotations

from typing import Final

import triton
import triton.language as tl

from ..._devices.device import Device
from ..._reports.capturing import here
from ..._routes._philox_host import split
from ..._routes.random import Counter, Later
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt

_BLOCK: Final = 512
_WORDS: Final = 0
_UNIFORM: Final = 1
_NORMAL: Final = 2


# Triton reads the source of these functions, so they have no annotations but Triton's own.


@triton.jit  # type: ignore[untyped-decorator]
def _pair(first, second, scale: tl.constexpr):  # type: ignore[no-untyped-def]
    radius = tl.sqrt(tl.log(tl.abs((first + 0.5) * scale) * 2) * -2)
    angle = (second + 0.5) * scale * 6.283185307179586
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit(do_not_specialize=["blocks", "ahead", "c0", "c1", "c2", "c3", "k0", "k1"])  # type: ignore[untyped-decorator]
def _kernel(  # type: ignore[no-untyped-def]
    out,
    offsets,
    later,
    blocks,
    ahead,
    c0,
    c1,
    c2,
    c3,
    k0,
    k1,
    KIND: tl.constexpr,  # noqa: N803
    DOUBLE: tl.constexpr,  # noqa: N803
    INDEXED: tl.constexpr,  # noqa: N803
    LATER: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    start = tl.program_id(0).to(tl.int64) * BLOCK
    place = start + tl.arange(0, BLOCK)
    if INDEXED:
        place = tl.load(offsets + place, mask=place < blocks, other=0)
    if LATER:  # the words are where the host writes them before each replay of a graph
        place = place + ahead
        a0 = tl.load(later).to(tl.uint64)
        a1 = tl.load(later + 1).to(tl.uint64)
        a2 = tl.load(later + 2).to(tl.uint64)
        a3 = tl.load(later + 3).to(tl.uint64)
        low = tl.load(later + 4).to(tl.uint64)
        high = tl.load(later + 5).to(tl.uint64)
    else:
        a0 = c0.to(tl.uint32, bitcast=True).to(tl.uint64)
        a1 = c1.to(tl.uint32, bitcast=True).to(tl.uint64)
        a2 = c2.to(tl.uint32, bitcast=True).to(tl.uint64)
        a3 = c3.to(tl.uint32, bitcast=True).to(tl.uint64)
        low = k0.to(tl.uint32, bitcast=True).to(tl.uint64)
        high = k1.to(tl.uint32, bitcast=True).to(tl.uint64)
    place = place.to(tl.uint64)
    total = (place & 0xFFFFFFFF) + a0
    w0 = total.to(tl.uint32)
    total = (total >> 32) + (place >> 32) + a1
    w1 = total.to(tl.uint32)
    total = (total >> 32) + a2
    w2 = total.to(tl.uint32)
    total = (total >> 32) + a3
    w3 = total.to(tl.uint32)
    key = low | (high << 32)
    w0, w1, w2, w3 = tl.philox(key, w0, w1, w2, w3, 10)
    if DOUBLE:
        x0 = w0.to(tl.uint64) | (w1.to(tl.uint64) << 32)
        x1 = w2.to(tl.uint64) | (w3.to(tl.uint64) << 32)
        if KIND == 1:
            v0 = (x0 & 0x1FFFFFFFFFFFFF).to(tl.int64).to(tl.float64) * 1.1102230246251565e-16
            v1 = (x1 & 0x1FFFFFFFFFFFFF).to(tl.int64).to(tl.float64) * 1.1102230246251565e-16
        else:
            f0 = x0.to(tl.int64, bitcast=True).to(tl.float64)
            f1 = x1.to(tl.int64, bitcast=True).to(tl.float64)
            v0, v1 = _pair(f0, f1, 5.421010862427522e-20)
        numbers = tl.interleave(v0, v1)
        target = start * 2 + tl.arange(0, BLOCK * 2)
    else:
        if KIND == 0:
            v0 = w0.to(tl.int32, bitcast=True)
            v1 = w1.to(tl.int32, bitcast=True)
            v2 = w2.to(tl.int32, bitcast=True)
            v3 = w3.to(tl.int32, bitcast=True)
        elif KIND == 1:
            v0 = (w0 & 0xFFFFFF).to(tl.int32).to(tl.float32) * 5.960464477539063e-08
            v1 = (w1 & 0xFFFFFF).to(tl.int32).to(tl.float32) * 5.960464477539063e-08
            v2 = (w2 & 0xFFFFFF).to(tl.int32).to(tl.float32) * 5.960464477539063e-08
            v3 = (w3 & 0xFFFFFF).to(tl.int32).to(tl.float32) * 5.960464477539063e-08
        else:
            f0 = w0.to(tl.int32, bitcast=True).to(tl.float32)
            f1 = w1.to(tl.int32, bitcast=True).to(tl.float32)
            f2 = w2.to(tl.int32, bitcast=True).to(tl.float32)
            f3 = w3.to(tl.int32, bitcast=True).to(tl.float32)
            v0, v1 = _pair(f0, f1, 2.3283064365386963e-10)
            v2, v3 = _pair(f2, f3, 2.3283064365386963e-10)
        numbers = tl.interleave(tl.interleave(v0, v2), tl.interleave(v1, v3))
        target = start * 4 + tl.arange(0, BLOCK * 4)
    # The memory ends with a whole block, so that four words are written at once.
    tl.store(out + target, numbers, mask=target < blocks * (2 if DOUBLE else 4))


def _signed(word: int) -> int:
    return word - 2**32 if word >= 2**31 else word


def _launch(
    blocks: int,
    dtype: torch.dtype,
    device: torch.device,
    counter: Counter,
    key: int,
    kind: int,
    offsets: Tensor | None = None,
) -> Tensor:
    """Launch the kernel, and return the numbers of whole blocks."""
    double = dtype is dt.float64
    out = torch.empty(blocks * (2 if double else 4), dtype=dtype, device=device)
    if not blocks:
        return out
    if later := isinstance(counter, Later):
        memory, ahead, words = counter.words, counter.ahead, (0,) * 6
    else:
        memory, ahead, words = out, 0, (*split(counter), key & 0xFFFFFFFF, key >> 32)
    if here.capture is not None:  # Triton's launches are no functions of torch
        here.capture.sees(() if offsets is None else (offsets,))
    with torch.cuda.device(device if device.type == "cuda" else -1):
        _kernel[(triton.cdiv(blocks, _BLOCK),)](
            out,
            out if offsets is None else offsets,
            memory,
            blocks,
            ahead,
            *map(_signed, words),
            KIND=kind,
            DOUBLE=double,
            INDEXED=offsets is not None,
            LATER=later,
            BLOCK=_BLOCK,
        )
    return out


def philox(
    counter: Counter, key: int, blocks: int, device: torch.device, offsets: Tensor | None = None
) -> Tensor:
    """Return blocks as rows of four int32, for consecutive counters or for the given offsets."""
    places = None if offsets is None else offsets.contiguous()
    return _launch(blocks, dt.int32, device, counter, key, _WORDS, places).view(-1, 4)


def _numbers(
    counter: Counter, key: int, count: int, dtype: torch.dtype, device: Device, kind: int
) -> Tensor:
    blocks = triton.cdiv(count, 2 if dtype is dt.float64 else 4)
    return _launch(blocks, dtype, device.torch_device, counter, key, kind)[:count]


def uniform(counter: Counter, key: int, count: int, dtype: torch.dtype, device: Device) -> Tensor:
    """Return numbers from [0, 1)."""
    return _numbers(counter, key, count, dtype, device, _UNIFORM)


def normal(counter: Counter, key: int, count: int, dtype: torch.dtype, device: Device) -> Tensor:
    """Return standard normal numbers."""
    return _numbers(counter, key, count, dtype, device, _NORMAL)
