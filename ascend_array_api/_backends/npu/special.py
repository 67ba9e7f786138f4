"""Special functions on NPUs.

CANN has kernels for the error functions, the sigmoid, ``sinc`` and, of float32 alone, the inverse
error function and ``xlogy``.  The others are compositions of some ten to some hundred kernels.
"""

from __future__ import annotations

from typing import Final

from ..._routes import special as sp
from ..._routes._derivatives import differentiated
from ..._routes._evidence import Evidence
from ..._routes._rows import Compose, Host, Row
from ..._torch import dtypes as dt
from . import _special_single
from ._common import SEEN, no_kernel, refused

_BOTH: Final = frozenset({dt.float32, dt.float64})
_F64: Final = frozenset({dt.float64})

ROWS: Final = (
    *_special_single.ROWS,
    *(
        Row(name, _BOTH, Compose(function), *no_kernel(operator))
        for name, function, operator in (
            ("entr", sp.entr_composed, "aten::special_entr"),
            ("erfcx", sp.erfcx_composed, "aten::special_erfcx"),
            ("gammaln", sp.gammaln_composed, "aten::lgamma"),
            ("i0", differentiated(sp.i0_composed, sp.i0_partials), "aten::i0"),
            ("i0e", sp.i0e_composed, "aten::special_i0e"),
            ("i1", differentiated(sp.i1_composed, sp.i1_partials), "aten::special_i1"),
            ("i1e", sp.i1e_composed, "aten::special_i1e"),
            ("k0", sp.k0_composed, "aten::special_modified_bessel_k0"),
            ("k0e", sp.k0e_composed, "aten::special_scaled_modified_bessel_k0"),
            ("k1", sp.k1_composed, "aten::special_modified_bessel_k1"),
            ("k1e", sp.k1e_composed, "aten::special_scaled_modified_bessel_k1"),
            ("log_ndtr", sp.log_ndtr_composed, "aten::special_log_ndtr"),
            ("ndtri", sp.ndtri_composed, "aten::special_ndtri"),
            ("psi", sp.digamma_composed, "aten::digamma"),
            ("xlog1py", sp.xlog1py_composed, "aten::special_xlog1py"),
            ("zeta", sp.zeta_composed, "aten::special_zeta"),
        )
    ),
    Row("erfinv", _F64, Compose(sp.erfinv_composed), *refused("aclnnErfinv")),
    Row("xlogy", _F64, Compose(sp.xlogy_composed), *refused("aclnnXLogYTensor")),
    *(
        Row(name, {dt.float32}, Compose(function), *no_kernel(operator))
        for name, function, operator in (
            ("gammainc", sp.gammainc_composed, "aten::igamma"),
            ("gammaincc", sp.gammaincc_composed, "aten::igammac"),
        )
    ),
    Row(
        "gammainc gammaincc",
        _F64,
        Host(),
        "torch_npu has no kernel, and on the scalar units a thousand operations would cost more "
        "than copies",
        Evidence(SEEN, "absent", ("aten::igamma", "aten::igammac")),
    ),
    # Their gammainc alone would cross to the host in each of six steps.
    Row(
        "gammaincinv gammainccinv",
        _F64,
        Host(),
        "each step of the solution needs gammainc, which is computed on the host",
        Evidence(SEEN, "absent", ("aten::igamma", "aten::igammac")),
    ),
)
