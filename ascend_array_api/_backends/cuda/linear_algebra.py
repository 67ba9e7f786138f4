"""Linear algebra on GPUs."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Final

from ... import _dtypes as dt
from ..._routes import linear_algebra as la
from ..._routes._engine import Compose, Row
from ..._routes._evidence import Evidence
from ..._torch import torch

if TYPE_CHECKING:
    from torch import Tensor


def _qr_scaled(x: Tensor, mode: str) -> tuple[Tensor, Tensor]:
    """Decompose matrices whose largest element is brought near 1 by a power of two."""
    if 0 in x.shape[-2:]:
        q, r = torch.linalg.qr(x, mode)
        return q, r
    parts = torch.view_as_real(x) if x.is_complex() else x.unsqueeze(-1)
    largest = torch.amax(torch.abs(parts), (-3, -2, -1), keepdim=False)
    _, exponent = torch.frexp(torch.where(torch.isfinite(largest), largest, 1))
    # In two factors, each of which is a normal number.
    half = torch.div(exponent, 2, rounding_mode="floor")
    one = torch.ones_like(largest)
    low = torch.ldexp(one, half)[..., None, None]
    high = torch.ldexp(one, exponent - half)[..., None, None]
    q, r = torch.linalg.qr(x / low / high, mode)
    return q, r * low * high


def _nan_where(failed: Tensor, result: Tensor) -> Tensor:
    return result.masked_fill((failed != 0)[..., None, None], math.nan)


def cholesky_unchecked(x: Tensor, *, upper: bool) -> Tensor:
    """Return NaN for matrices that are not positive definite, without waiting for the device."""
    factor, failed = torch.linalg.cholesky_ex(x, upper=upper)
    return _nan_where(failed, factor)


def inv_unchecked(x: Tensor) -> Tensor:
    """Return NaN for matrices found to be singular, without waiting for the device."""
    inverse, failed = torch.linalg.inv_ex(x)
    return _nan_where(failed, inverse)


def solve_unchecked(x1: Tensor, x2: Tensor) -> Tensor:
    """Return NaN for matrices found to be singular, without waiting for the device."""
    solution, failed = torch.linalg.solve_ex(x1, x2)
    return _nan_where(failed, solution)


_SEEN: Final = Evidence("torch 2.11 to 2.13, CUDA")
_WAITED: Final = Evidence("torch 2.11 to 2.13, CUDA", "host")
_WAITS: Final = "torch waits for the device to see whether it shall raise"

ROWS: Final = (
    Row(
        "matmul",
        dt.INTEGER - dt.WIDE_UNSIGNED,
        Compose(functools.partial(la.matmul_by_limbs, width=16, carrier=dt.float64)),
        "torch has no product of integer matrices on this device type",
        _SEEN,
    ),
    Row(
        "qr",
        {dt.float32, dt.complex64},
        Compose(_qr_scaled),
        "the squares of large elements overflow, and those of small ones vanish",
        Evidence("torch 2.11, CUDA"),
    ),
    Row("cholesky", la.DECOMPOSED, Compose(cholesky_unchecked), _WAITS, _WAITED),
    Row("inv", la.DECOMPOSED, Compose(inv_unchecked), _WAITS, _WAITED),
    Row("solve", la.DECOMPOSED, Compose(solve_unchecked), _WAITS, _WAITED),
)
