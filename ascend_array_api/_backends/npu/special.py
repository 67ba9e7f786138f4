"""Special functions on NPUs.

CANN has kernels for the error functions, the sigmoid, ``sinc`` and, of float32 alone, the inverse
error function and ``xlogy``.  The others are compositions of some ten to some hundred kernels.
"""

from __future__ import annotations

from typing import Final

from ..._routes import special as sp
from ..._routes._derivatives import differentiated
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._rows import Compose, Host, Row
from ..._torch import dtypes as dt
from ..._torch import torch
from . import _special_single
from ._common import SEEN, no_kernel, refused
from ._floats import SINGLE

_BOTH: Final = frozenset({dt.float32, dt.float64})
_F64: Final = frozenset({dt.float64})

_GAMMA: Final = Evidence(SEEN, "absent", ("aten::igamma", "aten::igammac"))
_MANY: Final = (
    "torch_npu has no kernel, and on the scalar units a thousand operations would cost more than "
    "copies"
)
_IN_STEPS: Final = "each step of the solution needs gammainc, which is computed on the host"
_I0: Final = differentiated(sp.i0_composed, sp.i0_partials)
_I1: Final = differentiated(sp.i1_composed, sp.i1_partials)


def _row(name: str, function: Kernel, operator: str, dtypes: frozenset[torch.dtype] = _BOTH) -> Row:
    return Row(name, dtypes, Compose(function), *no_kernel(f"aten::{operator}"))


ROWS: Final = (
    *_special_single.ROWS,
    _row("entr", sp.entr_composed, "special_entr"),
    _row("erfcx", sp.erfcx_composed, "special_erfcx"),
    _row("gammaln", sp.gammaln_composed, "lgamma"),
    _row("i0", _I0, "i0"),
    _row("i0e", sp.i0e_composed, "special_i0e"),
    _row("i1", _I1, "special_i1"),
    _row("i1e", sp.i1e_composed, "special_i1e"),
    _row("k0", sp.k0_composed, "special_modified_bessel_k0"),
    _row("k0e", sp.k0e_composed, "special_scaled_modified_bessel_k0"),
    _row("k1", sp.k1_composed, "special_modified_bessel_k1"),
    _row("k1e", sp.k1e_composed, "special_scaled_modified_bessel_k1"),
    _row("log_ndtr", sp.log_ndtr_composed, "special_log_ndtr"),
    _row("ndtri", sp.ndtri_composed, "special_ndtri"),
    _row("psi", sp.digamma_composed, "digamma"),
    _row("xlog1py", sp.xlog1py_composed, "special_xlog1py"),
    _row("zeta", sp.zeta_composed, "special_zeta"),
    _row("gammainc", sp.gammainc_composed, "igamma", SINGLE),
    _row("gammaincc", sp.gammaincc_composed, "igammac", SINGLE),
    Row("gammainc gammaincc", _F64, Host(), _MANY, _GAMMA),
    # Their gammainc alone would cross to the host in each of six steps.
    Row("gammaincinv gammainccinv", _F64, Host(), _IN_STEPS, _GAMMA),
    Row("erfinv", _F64, Compose(sp.erfinv_composed), *refused("aclnnErfinv")),
    Row("xlogy", _F64, Compose(sp.xlogy_composed), *refused("aclnnXLogYTensor")),
)
