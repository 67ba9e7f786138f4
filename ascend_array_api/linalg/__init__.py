"""Linear algebra extension.

https://data-apis.org/array-api/2023.12/extensions/linear_algebra_functions.html
"""

from .._chapters.linear_algebra import *
from .._versions import export as _export
from ._decompositions import *
from ._decompositions import eig as eig
from ._decompositions import eigvals as eigvals
from ._norms import *
from ._products import *
from ._systems import *
from ._systems import lstsq as lstsq

_export(globals())

from ._checks import LinAlgError as LinAlgError  # noqa: E402  # beside the functions
