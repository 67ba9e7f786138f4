"""Casts that torch gets wrong on every device."""

from __future__ import annotations

from .._torch import Tensor, torch
from .._torch import dtypes as dt
from ._bits import bits_as
from ._derivatives import tracked
from ._evidence import EVERYWHERE, Evidence
from ._operations import cast, register
from ._rows import Compose, Row


def _from_float64(x: Tensor, dtype: torch.dtype) -> Tensor:
    if dtype not in dt.HALF:
        return x.to(dtype)
    near = x.to(dt.float32)
    back = cast(near, dt.float64)
    bits = bits_as(near, dt.int32)
    # Round to odd: truncate, then set the last bit if anything was lost.  Such a number lies on a
    # tie of the shorter data type only if the original does, so the second rounding is right
    # (S. Boldo, G. Melquiond: When double rounding is odd).
    bits = torch.where(torch.abs(back) > torch.abs(x), bits - 1, bits)
    odd = bits_as(torch.where(back == x, bits, bits | 1), dt.float32)
    if not tracked(x):
        return odd.to(dtype)
    # A detour by integers drops derivatives; detach() keeps those of forward mode.
    constant = bits_as(bits_as(x, dt.int64), dt.float64)
    return torch.where(back == x, x, x + (cast(odd, dt.float64) - constant)).to(dtype)


register(
    [
        Row(
            "cast",
            {dt.float64},
            Compose(_from_float64),
            "torch rounds to float32 before it rounds to float16 or bfloat16",
            Evidence(EVERYWHERE),
        )
    ]
)
