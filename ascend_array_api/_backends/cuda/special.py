"""Special functions on GPUs: compositions as one kernel each."""

from __future__ import annotations

import functools
import math
from typing import Final

from ..._routes import special as sp
from ..._routes._evidence import Evidence
from ..._routes._rows import Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._common import slow
from ._composed import OneKernel, call_of

# --- the incomplete gamma functions ---------------------------------------------------------------

# A quotient takes as long as ten products, so use one quotient of sums, for which float64 has the
# range.  The largest factor scales them.


def _series(b: Tensor, z: Tensor) -> Tensor:
    scale = 1 / (b + sp.TERMS)
    first, step = b * scale, z * scale
    above = below = torch.ones_like(z)
    for k in range(sp.TERMS, 0, -1):
        below = below * (first + k * scale)
        above = below + above * step
    return above / below


def _fraction(b: Tensor, start: Tensor) -> Tensor:
    largest = start + 2 * sp.LEVELS
    scale = 1 / largest
    square = scale * scale
    first, second = start * scale, b * square
    above = below = torch.ones_like(b)
    for k in range(sp.LEVELS, 0, -1):
        factor = k * (second - k * square)
        above, below = (first + (2 * k - 2) * scale) * above + factor * below, above
    return largest * (above / below)


# --- the normal distribution ----------------------------------------------------------------------


def _log_ndtr(x: Tensor) -> Tensor:
    """Return log(ndtr(x)) by one logarithm for both sides, for which float64 has the digits.

    The logarithm is that of float32, corrected to first order for the rounding of its operand: a
    logarithm of float64 takes as long as everything else.
    """
    size = torch.abs(x) * math.sqrt(0.5)
    far = 1e8  # from here on the logarithm vanishes beside the square
    half = sp.erfcx_positive(torch.where(size > far, far, size)) * 0.5
    square = size * size
    negative = x < 0
    part = torch.where(negative, half, half * -torch.exp(-square))
    head = call_of("__double2float_rn", part)
    log: Tensor = torch.where(negative, call_of("logf", head), call_of("log1pf", head))
    base = torch.where(negative, head, head + 1.0)
    log = log + call_of("__fdividef", part - head, base)
    return log - torch.where(negative, square, 0.0)


# --- the logit ------------------------------------------------------------------------------------


def _logit(x: Tensor) -> Tensor:
    """Return the logit by one quotient and one logarithm: threads of a warp take every branch.

    Near 1/2 the operand is 1 plus a small number; the result is corrected for its rounding.
    """
    near = (x > 0.3) & (x < 0.65)
    quotient = torch.where(near, 2 * x - 1, x) / (1 - x)
    whole = torch.where(near, 1 + quotient, quotient)
    lost = (quotient - (whole - 1)) / whole
    return torch.log(whole) + torch.where(near, lost, 0.0)


# --- the zeta function ----------------------------------------------------------------------------


def _zetas(s: Tensor, bases: tuple[Tensor, ...]) -> list[Tensor]:
    return [sp.zeta_positive(s, base) for base in bases]


_zeta: Final = functools.partial(sp.zeta_composed, zetas=_zetas)

# --- rows -----------------------------------------------------------------------------------------

_F32: Final = frozenset({dt.float32})
_F64: Final = frozenset({dt.float64})
_BOTH: Final = _F32 | _F64
_STEPS: Final = slow("the composition for every device takes a kernel for each of its steps")
_CASTS: Final = slow("to compute in float64 takes two kernels more, which cast")
_ROUGH: Final = (
    "torch's lgamma is off by 8 units in float32, and by 12 in float64",
    Evidence("torch 2.11, CUDA 13.0", "wrong", ("aten::lgamma",)),
)
_incomplete: Final = functools.partial(sp.incomplete, series=_series, fraction=_fraction)
_lower: Final = functools.partial(_incomplete, sign=-1.0)
_upper: Final = functools.partial(_incomplete, sign=1.0)
_polygamma: Final = functools.partial(sp.polygamma_by, _zeta)

ROWS: Final = (
    Row(
        "betaln boxcox boxcox1p cbrt cosm1 ellipk ellipkm1 exp1 exp10 expi exprel gamma gammasgn "
        "huber inv_boxcox inv_boxcox1p j0 j1 kl_div loggamma ndtr pseudo_huber rel_entr rgamma "
        "spence y0 y1 zeta",
        _BOTH,
        OneKernel(),
        *_STEPS,
    ),
    # The compiler takes 15 seconds for these, and 50 for the inverses, which have no kernel.
    Row(
        "bdtr bdtrc betainc betaincc fdtr fdtrc nbdtr nbdtrc stdtr",
        _BOTH,
        OneKernel(least=2**16),
        *_STEPS,
    ),
    Row("logit", _BOTH, OneKernel(_logit), *_STEPS),
    Row("psi", _BOTH, OneKernel(sp.digamma_composed), *_STEPS),
    Row("gammaln", _F32, OneKernel(sp.gammaln_composed, wide=True), *_ROUGH),
    Row("gammaln", _F64, OneKernel(sp.gammaln_composed), *_ROUGH),
    Row("polygamma", _BOTH, OneKernel(_polygamma), *_STEPS),
    # For float64, torch's kernel and another one: the composition has terms for float32 only.
    Row("gammainc gammaincc", _F64, OneKernel(), *_STEPS),
    Row("gammainc", _F32, OneKernel(_lower, wide=True), *_STEPS),
    Row("gammaincc", _F32, OneKernel(_upper, wide=True), *_STEPS),
    Row("chdtr chdtrc gdtr gdtrc pdtr pdtrc", _F32, OneKernel(wide=True), *_STEPS),
    Row("erfcx", _F32, OneKernel(), *_CASTS),
    Row("i1e", _F32, OneKernel(sp.i1e_composed, wide=True), *_CASTS),
    Row("k0", _F32, OneKernel(sp.k0_composed, wide=True), *_CASTS),
    Row("k0e", _F32, OneKernel(sp.k0e_composed, wide=True), *_CASTS),
    Row("k1", _F32, OneKernel(sp.k1_composed, wide=True), *_CASTS),
    Row("k1e", _F32, OneKernel(sp.k1e_composed, wide=True), *_CASTS),
    Row("i0", _BOTH, OneKernel(sp.i0_composed, wide=True), *_STEPS),
    Row("i1", _BOTH, OneKernel(sp.i1_composed, wide=True), *_STEPS),
    Row("log_ndtr", _F32, OneKernel(_log_ndtr, wide=True), *_CASTS),
)
