"""Fourier transforms.

https://data-apis.org/array-api/2023.12/extensions/fourier_transform_functions.html
"""

from .._versions import export as _export
from ._shifts import *
from ._transforms import *

_export(globals())
