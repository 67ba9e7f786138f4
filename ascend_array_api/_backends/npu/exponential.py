"""Exponentials, logarithms and hyperbolic functions on NPUs, for float32 and narrower."""

from __future__ import annotations

from typing import Final

from ..._devices.facts import lazily_fused
from ..._routes import elementwise as el
from ..._routes._constants import addcmul
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._common import composed
from ._floats import NARROW, SINGLE, coarse, keeps_zeros, refined, unfused, widened


def _expm1(x: Tensor) -> Tensor:
    # x (exp(x) - 1) / log(exp(x)), in which the errors cancel.  (W. Kahan; N. J. Higham,
    # Accuracy and Stability of Numerical Algorithms, 2nd ed., section 1.14.1.)
    power = torch.exp(x)
    less = power - 1
    ratio = el.nan_to_num(less / torch.log(power), nan=1.0)  # 0 / 0 where the power is 1
    return torch.where(torch.abs(less) < 0.5, x * ratio, less)


def _logaddexp(x1: Tensor, x2: Tensor) -> Tensor:
    large, small = torch.maximum(x1, x2), torch.minimum(x1, x2)
    apart = el.nan_to_num(small - large)  # of infinities
    # The rounding error of the difference matters if the larger operand is as small as the power.
    lost = el.nan_to_num((small - apart) - large)
    power = torch.exp(apart)
    return large + el.log1p(addcmul(power, power, lost))


def _asinh_partials(x: Tensor) -> tuple[Tensor]:
    return (el.reciprocal(el.hypot(torch.ones_like(x), x)),)


def _atanh_partials(x: Tensor) -> tuple[Tensor]:
    return (el.reciprocal((1 - x) * (1 + x)),)


_COARSE: Final = "loses as much in float32, or rounds at every step in float16"
_ZERO: Final = "gives +0 for -0"
_LARGER: Final = "gives the larger operand where the other is less by 17 or more"

ROWS: Final = (
    refined("expm1", SINGLE, _expm1, el.exp_partials, "aclnnExpm1", "is off by up to 3.5e-4"),
    refined("logaddexp", SINGLE, _logaddexp, el.logaddexp_partials, "aclnnLogAddExp", _LARGER),
    refined("sinh", NARROW, keeps_zeros(torch.sinh), el.sinh_partials, "aclnnSinh", _ZERO),
    refined("asinh", NARROW, keeps_zeros(torch.asinh), _asinh_partials, "aclnnAsinh", _ZERO),
    refined("atanh", NARROW, keeps_zeros(torch.atanh), _atanh_partials, "aclnnAtanh", _ZERO),
    composed(
        "tanh",
        NARROW,
        unfused(torch.tanh),
        el.tanh_partials,
        coarse("torch_npu fuses (exp(2x) - 1) / (exp(2x) + 1): 0 for 1e-8, +0 for -0", "aclnnTanh"),
        lazily_fused,
    ),
    widened("expm1", dt.HALF, "aclnnExpm1", _COARSE),
    widened("logaddexp", dt.HALF, "aclnnLogAddExp", _COARSE),
    widened("log2", {dt.float16}, "aclnnLog2", _COARSE),
    widened("log10", {dt.float16}, "aclnnLog10", _COARSE),
)
