"""Elementwise functions on GPUs, mostly of complex numbers, whose small parts torch's kernels lose.

Each function has a kernel in ``_fused``.  The compositions here serve derivatives, traces and
transformations, which must see the steps.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Final

from ..._devices.facts import triton
from ..._routes import creation
from ..._routes import elementwise as el
from ..._routes._derivatives import plain
from ..._routes._kernels import Kernel
from ..._routes._operations import cast
from ..._routes._rows import Compose, Flagged, Native, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._common import Cause, slow, slow_beside_triton, wrong
from ._fused import fused, fused_with_number, with_number
from ._late import late
from ._noted import divide

# --- logarithms -----------------------------------------------------------------------------------


def _sum(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    """Return a rounded sum and its error.

    D. E. Knuth, The Art of Computer Programming, volume 2, section 4.2.2, theorem B.
    """
    total = x1 + x2
    part = total - x1
    return total, (x1 - (total - part)) + (x2 - part)


def _excess(x1: Tensor, x2: Tensor) -> Tensor:
    """Return ``x1 * x1 + x2 * x2 - 1`` in float64, accurate also if the sum is close to 1."""
    head1, head2 = (cast(cast(x, dt.float32), dt.float64) for x in (x1, x2))
    tail1, tail2 = x1 - head1, x2 - head2
    # Products of two heads, and of a head and a tail, are exact.
    total, error = _sum(head1 * head1 - 1, head2 * head2)
    for product in (2 * head1 * tail1, 2 * head2 * tail2):
        total, lost = _sum(total, product)
        error = error + lost
    return total + (error + (tail1 * tail1 + tail2 * tail2))


def _log_complex(x: Tensor) -> Tensor:
    # For a size near 1, use log1p of the distance of its square from 1.
    usual = torch.log(x)
    a, b = torch.abs(x.real), torch.abs(x.imag)
    large, small = torch.maximum(a, b), torch.minimum(a, b)
    near = (large > 0.3) & (large < 2)
    one, none = torch.where(near, large, 1), torch.where(near, small, 0)
    if a.dtype is dt.float32:  # squares are exact in float64
        one, none = cast(one, dt.float64), cast(none, dt.float64)
        excess = (one * one - 1) + none * none
    else:
        excess = _excess(one, none)
    size = cast(0.5 * torch.log1p(excess), a.dtype)
    return torch.complex(torch.where(near, size, usual.real), usual.imag)


def _log10_complex(x: Tensor) -> Tensor:
    return torch.view_as_complex(torch.view_as_real(_log_complex(x)) / math.log(10))


def _log2_complex(x: Tensor) -> Tensor:
    return torch.view_as_complex(torch.view_as_real(_log_complex(x)) / math.log(2))


def _log_partials(x: Tensor) -> tuple[Tensor]:
    return (el.reciprocal(x),)


def _log10_partials(x: Tensor) -> tuple[Tensor]:
    return (el.reciprocal(x) / math.log(10),)


def _log2_partials(x: Tensor) -> tuple[Tensor]:
    return (el.reciprocal(x) / math.log(2),)


# --- inverse tangents -----------------------------------------------------------------------------


def _atanh_complex(x: Tensor) -> Tensor:
    # atanh(a + bj) = log1p(4a / ((1 - a)^2 + b^2)) / 4 + atan2(2b, (1 - a)(1 + a) - b^2) / 2 j, of
    # the sizes of both parts; far away 1 / z and a right angle.  (W. Kahan, Branch cuts for complex
    # elementary functions, 1987.)
    limits = torch.finfo(x.real.dtype)
    a, b = torch.abs(x.real), torch.abs(x.imag)
    large, small = torch.maximum(a, b), torch.minimum(a, b)
    far = large > 1 / limits.eps
    ratio = small / torch.where(far, large, 1)
    beyond = a / torch.where(far, large, 1) / torch.where(far, large, 1) / (1 + ratio * ratio)
    a, b = torch.where(far, 0, a), torch.where(far, 0, b)
    # Near 1 the square of a tiny imaginary part would vanish.
    pole = (a == 1) & (b < limits.eps)
    distance = (1 - a) * (1 - a) + b * b
    real = torch.log1p(4 * a / torch.where(pole, 1, distance)) / 4
    real = torch.where(pole, (math.log(2) - torch.log(b)) / 2, torch.where(far, beyond, real))
    imag = torch.atan2(2 * b, (1 - a) * (1 + a) - b * b) / 2
    imag = torch.where(far, math.pi / 2, imag)
    result = torch.complex(el.copysign(real, x.real), el.copysign(imag, x.imag))
    return torch.where(torch.isfinite(x), result, torch.atanh(x))


def _atan_complex(x: Tensor) -> Tensor:
    return el.turned(el.atanh, x)


def _atanh_partials(x: Tensor) -> tuple[Tensor]:
    product = torch.complex(1 - x.real, -x.imag) * torch.complex(1 + x.real, x.imag)
    return (el.reciprocal(product),)


def _atan_partials(x: Tensor) -> tuple[Tensor]:
    return _atanh_partials(torch.complex(-x.imag, x.real))


# --- roots, cosines -------------------------------------------------------------------------------


def _acosh_complex(x: Tensor) -> Tensor:
    a, b = x.real, x.imag
    limit = torch.complex(b, torch.full_like(a, math.pi / 2))
    return torch.where((a == 0) & torch.isnan(b), limit, torch.acosh(x))


def _sqrt_complex(x: Tensor) -> Tensor:
    root = torch.sqrt(x)
    return torch.complex(torch.abs(root.real), root.imag)


def _cosh_complex(x: Tensor) -> Tensor:
    # The function is even.
    right = el.copysign(torch.ones_like(x.real), x.real)
    return torch.cosh(torch.complex(torch.abs(x.real), x.imag * right))


def _cos_complex(x: Tensor) -> Tensor:
    return _cosh_complex(torch.complex(-x.imag, x.real))


# --- powers, finite numbers -----------------------------------------------------------------------


def _pow_of_scalar(x: Tensor, exponent: float) -> Tensor | None:
    # Torch computes these by squares and roots, which overflow and lose signs of zeros.
    return None if exponent in {-2, -0.5} else torch.pow(x, exponent)


def _isfinite(x: Tensor) -> Tensor:
    # x - x is NaN if x is not finite, else 0.
    x = x.detach()
    return torch.logical_not(x - x)


def _are_alike(x1: Tensor, x2: Tensor) -> bool:
    return x1.dtype is x2.dtype


_judge: Final = late("_parts", "judge")
_size: Final = late("_parts", "size")


def _has_bits(x: Tensor) -> bool:
    """Say whether a kernel can read the bits of contiguous numbers."""
    return plain(x) and x.is_contiguous() and not x.is_conj()


def _isfinite_by_bits(x: Tensor) -> Tensor:
    return _judge(x, infinite=False) if _has_bits(x) else _isfinite(x)


def _isinf_by_bits(x: Tensor) -> Tensor:
    return _judge(x, infinite=True) if _has_bits(x) else torch.isinf(x)


def _abs_complex(x: Tensor) -> Tensor:
    return _size(x) if _has_bits(x) else torch.abs(x)


# --- rows -----------------------------------------------------------------------------------------

_WIDE: Final = frozenset({dt.float32, dt.float64})
_NEAR_ONE: Final = wrong("near the unit circle the size is rounded before its logarithm is taken")
_SMALL: Final = wrong("1 + x and 1 - x are rounded: nothing is left of a small x")
_ODD: Final = wrong("an imaginary NaN makes the imaginary part of the result NaN")
_MINUS: Final = wrong("the root of -0 has a real part of -0")
_FEWER: Final = slow("a tensor of one exponent is a kernel more")
_EVEN: Final = wrong("the sign of a zero imaginary part where the real part of cosh is negative")


_POW: Final = functools.partial(torch.pow)
_AT_ONCE: Final = slow("the composition for every device takes up to thirty kernels, and this one")


_DIVISION: Final = slow("divisors are judged and divided by in a kernel each, where one does both")
_FILLED: Final = slow("to compare positions takes five kernels, and to fill a diagonal two")


def _row(
    name: str,
    kernel: Kernel,
    partials: Callable[..., tuple[Tensor, ...]] | None = None,
    cause: Cause = _AT_ONCE,
    dtypes: frozenset[torch.dtype] = dt.COMPLEX,
) -> Row:
    return Row(name, dtypes, Compose(fused(name, kernel, partials)), *cause)


def _division(
    name: str, function: Kernel, partials: Callable[..., tuple[Tensor, ...]] | None = None
) -> Row:
    """Return the row of a division by one kernel, by a Python number too."""
    kernel = fused(name, function, partials)
    return Row(name, _WIDE, Compose(kernel, fused_with_number(name, kernel)), *_AT_ONCE)


ROWS: Final = (
    Row("noted_division", dt.INTEGER, Flagged(divide, _are_alike), *_DIVISION),
    _row("acosh", _acosh_complex, None, _ODD),
    _row("log", _log_complex, _log_partials, _NEAR_ONE),
    _row("log10", _log10_complex, _log10_partials, _NEAR_ONE),
    _row("log2", _log2_complex, _log2_partials, _NEAR_ONE),
    _row("atan", _atan_complex, _atan_partials, _SMALL),
    _row("atanh", _atanh_complex, _atanh_partials, _SMALL),
    _row("cos", _cos_complex, el.cos_partials, _EVEN),
    _row("cosh", _cosh_complex, el.cosh_partials, _EVEN),
    _row("sqrt", _sqrt_complex, el.sqrt_partials, _MINUS, frozenset({dt.complex64})),
    _row("acos", el.acos_complex, el.acos_partials),
    _row("expm1", el.expm1_complex),
    _row("log1p", el.log1p_complex, el.log1p_partials),
    _row("pow", el.pow_complex, el.pow_partials),
    _row("tan", el.tan_complex),
    _row("tanh", el.tanh_complex),
    _row("add", el.add_complex),
    _row("round", el.round_complex),
    Row("sign", dt.COMPLEX, Compose(fused("sign_complex", el.sign_complex)), *_AT_ONCE),
    _row("subtract", el.subtract_complex),
    _row("root", el.root.native, dtypes=_WIDE),
    _row("sign", el.sign_floating, dtypes=_WIDE),
    _division("floor_divide", el.floor_divide_floating),
    _division("remainder", el.remainder_floating, el.remainder_partials),
    Row("pow", _WIDE, Compose(_POW, with_number(_POW, _pow_of_scalar)), *_FEWER),
    *(
        Row(name, dtypes, Compose(kernel), *slow_beside_triton(f"torch takes {many} kernels"))
        for dtypes, many in ((_WIDE, "two or three"), (dt.COMPLEX, "a dozen"))
        for name, kernel in (("isfinite", _isfinite_by_bits), ("isinf", _isinf_by_bits))
    ),
    *(
        Row("isfinite", dtypes, Compose(_isfinite), *slow(f"torch takes {many} kernels"), ~triton)
        for dtypes, many in ((_WIDE, "three"), (dt.COMPLEX, "a dozen"))
    ),
    Row("abs", dt.COMPLEX, Compose(_abs_complex), *slow_beside_triton("torch copies the result")),
    Row("negative", dt.COMPLEX, Native(), *slow("torch's own kernel is right on GPUs")),
    Row("cube", _WIDE, Compose(el.cube_at_once), *slow("two products are two kernels")),
    Row("eye", dt.ANY - dt.WIDE_UNSIGNED, Compose(creation.eye_by_diagonal), *_FILLED),
)
