"""The linear algebra extension of version 2025.12: it adds ``eig`` and ``eigvals``."""

from .._versions import export as _export
from ..linalg._decompositions import eig as eig
from ..linalg._decompositions import eigvals as eigvals
from ..v2024_12.linalg import *

_export(globals())
