"""Wrong results that CANN's documents announce, emulated where that is cheap.

Each names its document in the repository ops-math (``docs`` of the kernel, section of constraints).
Where a document only says that a result is not assured, the emulator gives one of the wrong results
that fit, so that code that relies on the right one is caught. `enabled` switches all of them.
"""

from __future__ import annotations

from typing import Any

import torch

enabled = True

WIDE = (torch.int32, torch.int64)
EXACT_IN_FLOAT32 = 2**24
INT32 = torch.iinfo(torch.int32)


def scalar(x: torch.Tensor, y: Any) -> Any:
    """math/add/docs/aclnnAdds.md: for int32 and int64, `other` above 2**24 may lose precision.

    The scalar passes through float32.
    """
    if enabled and x.dtype in WIDE and type(y) is int and abs(y) > EXACT_IN_FLOAT32:
        return int(torch.tensor(y, dtype=torch.float32, device="cpu").item())
    return y


def product(x: torch.Tensor, y: Any) -> torch.Tensor:
    """math/muls/docs/aclnnMuls&aclnnInplaceMuls.md: int32 and int64 lose precision.

    The product is computed in float32 where it does not fit in 24 bits.
    """
    exact = torch.mul(x, y)
    if not enabled or x.dtype not in WIDE or type(y) is not int:
        return exact
    rounded = torch.mul(x.to(torch.float32), float(y))
    return torch.where(rounded.abs() > EXACT_IN_FLOAT32, _to_integer(rounded, x.dtype), exact)


def cast(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """math/cast/docs/aclnnCast.md: NaN gives the integer 0; casts that are exact in a range only.

    int32 to int8 is exact in (-2048, 1920); float64 and complex to uint8 for numbers that are not
    negative; float32 to int64 and uint8 in (-2147483648, 2147483583); int64 to float32 in
    (-2147483648, 2147483647).
    """
    source = x.dtype
    if not dtype.is_floating_point and not dtype.is_complex and dtype != torch.bool:
        if source.is_complex:
            x = x.real
        if x.is_floating_point():
            x = torch.where(torch.isnan(x), 0, x)
    if enabled:
        if source == torch.int32 and dtype == torch.int8:
            x = torch.where((x > -2048) & (x < 1920), x, x.clamp(-128, 127))
        elif dtype == torch.uint8 and (source == torch.float64 or source.is_complex):
            x = x.clamp(min=0)
        elif source == torch.float32:
            x = within_range(x, dtype)
        elif source == torch.int64 and dtype == torch.float32:
            x = x.clamp(INT32.min, INT32.max)
    if x.is_floating_point() and dtype == torch.uint8:
        x = x.to(torch.int64)  # wraps around, where C leaves it open
    return _to_integer(x, dtype) if x.is_floating_point() else x.to(dtype)


def within_range(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """math/cast/docs/aclnnCast.md: float32 to int64 and uint8 is assured in a range of int32."""
    if enabled and dtype in (torch.int64, torch.uint8):
        return x.clamp(-2147483648.0, 2147483520.0)
    return x


def _to_integer(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Cast; numbers beyond the range of int32 and int64 end at its ends."""
    if dtype not in WIDE:
        return x.to(dtype)
    limits = torch.iinfo(dtype)
    result = x.to(dtype)
    result = torch.where(x >= float(limits.max), limits.max, result)
    return torch.where(x <= float(limits.min), limits.min, result)


def two_zeros(x: torch.Tensor) -> bool:
    """ops-nn, index/unique2/docs/aclnnUnique2.md: of Atlas A2 and A3, zeros of both signs are two.

    "If the input self contains 0, the output may contain both positive 0 and negative 0."
    """
    zero = x == 0
    return enabled and x.is_floating_point() and len(set(torch.signbit(x[zero]).tolist())) == 2


def overwrite_transformed(x: torch.Tensor, n: int) -> None:
    """sip, docs/en/API_Reference/FFT/FFT_1D.md: the input is modified for some lengths.

    These are the powers of two from 32768 on; the document asks for a copy. Zeros are written.
    """
    if enabled and n >= 32768 and n & (n - 1) == 0:
        x.zero_()
