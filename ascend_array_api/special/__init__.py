"""Special functions, which SciPy looks for on a namespace that it does not know.

SciPy then computes ``scipy.special.erf(x)`` by ``special.erf`` on the device of ``x``, rather than
by NumPy.  Names, operands and special cases are SciPy's.  SciPy passes its own arguments on
unchanged, so integers count as floating-point numbers of the default data type, and kinds mix as in
NumPy, in strict mode too.  No version of the standard has these functions.

float16 and bfloat16 are computed in float32 and rounded.
"""

from .._versions import export as _export
from ._bessel import *
from ._beta import *
from ._distributions import *
from ._elementary import *
from ._entropy import *
from ._error import *
from ._gamma import *
from ._integrals import *
from ._inverses import *

_export(globals())
