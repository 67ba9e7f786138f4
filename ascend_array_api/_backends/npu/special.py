"""Special functions on NPUs.

CANN has kernels for the error functions, the sigmoid, ``sinc`` and, of float32 alone, the inverse
error function and ``xlogy``.  The others are compositions of some ten to some hundred kernels.
"""

from __future__ import annotations

from typing import Final

from ... import _dtypes as dt
from ..._routes import special as sp
from ..._routes._engine import Compose, Host, Row
from ._common import NONE, REFUSED, SEEN

_BOTH: Final = frozenset({dt.float32, dt.float64})
_F64: Final = frozenset({dt.float64})

ROWS: Final = (
    *(
        Row(name, _BOTH, Compose(function), NONE, SEEN)
        for name, function in (
            ("entr", sp.entr_composed),
            ("erfcx", sp.erfcx_composed),
            ("gammaln", sp.gammaln_composed),
            ("i0", sp.i0_composed),
            ("i0e", sp.i0e_composed),
            ("i1", sp.i1_composed),
            ("i1e", sp.i1e_composed),
            ("k0", sp.k0_composed),
            ("k0e", sp.k0e_composed),
            ("k1", sp.k1_composed),
            ("k1e", sp.k1e_composed),
            ("log_ndtr", sp.log_ndtr_composed),
            ("ndtri", sp.ndtri_composed),
            ("psi", sp.digamma_composed),
            ("xlog1py", sp.xlog1py_composed),
            ("zeta", sp.zeta_composed),
        )
    ),
    Row("erfinv", _F64, Compose(sp.erfinv_composed), REFUSED, SEEN),
    Row("xlogy", _F64, Compose(sp.xlogy_composed), REFUSED, SEEN),
    *(
        Row(name, {dt.float32}, Compose(function), NONE, SEEN)
        for name, function in (
            ("gammainc", sp.gammainc_composed),
            ("gammaincc", sp.gammaincc_composed),
        )
    ),
    Row(
        "gammainc gammaincc",
        _F64,
        Host(),
        "no kernel, and on the scalar units a thousand operations would cost more than copies",
        SEEN,
    ),
)
