"""Triton kernels for functions whose results have another data type, on GPUs.

Torch's generator of kernels returns only the data type of the operands.

Only the rows for CUDA import this module.
"""

from __future__ import annotations

import triton.language as tl

from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._launch import Kernel


def _judge(  # type: ignore[no-untyped-def]
    x,
    out,
    total: tl.int64,
    PARTS: tl.constexpr,  # noqa: N803
    WIDE: tl.constexpr,  # noqa: N803
    INFINITE: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = place < total
    sign_off: tl.constexpr = 0x7FFFFFFFFFFFFFFF if WIDE else 0x7FFFFFFF
    infinity: tl.constexpr = 0x7FF0000000000000 if WIDE else 0x7F800000
    if PARTS == 1:
        real = tl.load(x + place, mask=there, other=0) & sign_off
        imag = real
    elif WIDE:  # two words, side by side
        real = tl.load(x + 2 * place, mask=there, other=0) & sign_off
        imag = tl.load(x + 2 * place + 1, mask=there, other=0) & sign_off
    else:
        both = tl.load(x + place, mask=there, other=0)
        real = both & sign_off
        imag = (both >> 32) & sign_off
    if INFINITE:
        found = (real == infinity) | (imag == infinity)
    else:
        found = (real < infinity) & (imag < infinity)
    tl.store(out + place, found, mask=there)


def _size(  # type: ignore[no-untyped-def]
    x,
    out,
    total: tl.int64,
    WIDE: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = place < total
    if WIDE:
        a = tl.load(x + 2 * place, mask=there, other=0).to(tl.float64, bitcast=True)
        b = tl.load(x + 2 * place + 1, mask=there, other=0).to(tl.float64, bitcast=True)
    else:  # the squares of float32 are neither too large nor too small for float64
        both = tl.load(x + place, mask=there, other=0)
        a = both.to(tl.int32).to(tl.float32, bitcast=True).to(tl.float64)
        b = (both >> 32).to(tl.int32).to(tl.float32, bitcast=True).to(tl.float64)
    a = tl.abs(a)
    b = tl.abs(b)
    infinite = (a == float("inf")) | (b == float("inf"))
    if WIDE:
        far = (a > 3.273390607896142e150) | (b > 3.273390607896142e150)  # 2**500
        near = (a < 3.054936363499605e-151) & (b < 3.054936363499605e-151)
        scale = tl.where(far, 2.409919865102884e-181, tl.where(near, 4.149515568880993e180, 1.0))
        back = tl.where(far, 4.149515568880993e180, tl.where(near, 2.409919865102884e-181, 1.0))
        a = a * scale
        b = b * scale
        size = tl.sqrt(a * a + b * b) * back
        size = tl.where(infinite, float("inf"), size)
        tl.store(out + place, size.to(tl.int64, bitcast=True), mask=there)
    else:
        size = tl.where(infinite, float("inf"), tl.sqrt(a * a + b * b)).to(tl.float32)
        tl.store(out + place, size.to(tl.int32, bitcast=True), mask=there)


_SIZE = Kernel(_size, bits=True)
_JUDGE = Kernel(_judge, bits=True)


def judge(x: Tensor, *, infinite: bool) -> Tensor:
    """Say which numbers are infinite, or which are finite; ``x`` must be contiguous."""
    out = torch.empty_like(x, dtype=dt.bool)
    total = out.numel()
    if total:
        parts = 2 if x.is_complex() else 1
        _JUDGE(total, (x, out), (total,), (parts, x.itemsize == 8 * parts, infinite))
    return out


def size(x: Tensor) -> Tensor:
    """Return the absolute values of complex numbers; ``x`` must be contiguous."""
    out = torch.empty_like(x, dtype=dt.REAL_OF[x.dtype])
    total = out.numel()
    if total:
        _SIZE(total, (x, out), (total,), (x.dtype is dt.complex128,))
    return out
