"""The linear algebra extension of version 2023.12: its names, exactly."""

from .._chapters.linear_algebra import *
from .._versions import export as _export
from ..linalg._decompositions import *
from ..linalg._norms import *
from ..linalg._products import *
from ..linalg._systems import *

_export(globals())
