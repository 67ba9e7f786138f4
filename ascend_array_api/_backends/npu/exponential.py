"""Exponentials, logarithms and hyperbolic functions on NPUs, for float32 and narrower."""

from __future__ import annotations

from typing import Final

from ..._devices.facts import lazily_fused
from ..._routes import elementwise as el
from ..._routes._constants import addcmul
from ..._routes._derivatives import differentiated
from ..._routes._rows import Compose, Native, Row, Via
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._floats import NARROW, SINGLE, coarse, faulty, keeps_zeros, unfused


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
_LARGER: Final = "gives the larger operand where the other is less by 17 or more"

ROWS: Final = (
    *(
        Row(
            name,
            SINGLE,
            Compose(differentiated(function, partials)),
            *faulty(kernel, fault),
            fast=Native(),
        )
        for name, function, partials, kernel, fault in (
            ("expm1", _expm1, el.exp_partials, "aclnnExpm1", "is off by up to 3.5e-4"),
            ("logaddexp", _logaddexp, el.logaddexp_partials, "aclnnLogAddExp", _LARGER),
        )
    ),
    *(
        Row(
            name,
            NARROW,
            Compose(differentiated(keeps_zeros(native), partials)),
            *faulty(kernel, "gives +0 for -0"),
            fast=Native(),
        )
        for name, native, partials, kernel in (
            ("sinh", torch.sinh, el.sinh_partials, "aclnnSinh"),
            ("asinh", torch.asinh, _asinh_partials, "aclnnAsinh"),
            ("atanh", torch.atanh, _atanh_partials, "aclnnAtanh"),
        )
    ),
    Row(
        "tanh",
        NARROW,
        Compose(differentiated(unfused(torch.tanh), el.tanh_partials)),
        *coarse(
            "torch_npu fuses (exp(2x) - 1) / (exp(2x) + 1): 0 for 1e-8, +0 for -0", "aclnnTanh"
        ),
        lazily_fused,
    ),
    *(
        Row(name, dtypes, Via(dt.float32), *faulty(kernel, _COARSE), fast=Native())
        for name, dtypes, kernel in (
            ("expm1", dt.HALF, "aclnnExpm1"),
            ("logaddexp", dt.HALF, "aclnnLogAddExp"),
            ("log2", frozenset({dt.float16}), "aclnnLog2"),
            ("log10", frozenset({dt.float16}), "aclnnLog10"),
        )
    ),
)
