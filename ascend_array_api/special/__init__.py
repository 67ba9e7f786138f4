"""Special functions: what SciPy looks for on a namespace that it does not know.

``scipy.special.erf(x)`` is then computed by ``special.erf``, on the device of ``x``, rather than by
NumPy.  Names, operands and special cases are SciPy's, which once it finds a function hands it all
that it was given: so integers count as floating-point numbers of the default data type, and kinds
mix as in NumPy, in strict mode too.  They belong to no version of the standard.

float16 and bfloat16 are computed in float32 and rounded.
"""

from .._versions import export as _export
from ._bessel import *
from ._distributions import *
from ._elementary import *
from ._entropy import *
from ._error import *
from ._gamma import *

_export(globals())
