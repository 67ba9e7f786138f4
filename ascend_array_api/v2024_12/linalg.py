"""The linear algebra extension of version 2024.12: that of version 2023.12."""

from .._versions import export as _export
from ..v2023_12.linalg import *

_export(globals())
