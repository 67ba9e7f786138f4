"""Version 2023.12 of the Array API standard: its names, exactly, and its return types.

https://data-apis.org/array-api/2023.12/API_specification/index.html
"""

from .. import fft as fft
from .._chapters.creation import meshgrid as meshgrid
from .._chapters.info import __array_namespace_info__ as __array_namespace_info__
from .._chapters.manipulation import broadcast_arrays as broadcast_arrays
from .._versions import export as _export
from . import linalg as linalg
from ._names import *

__array_api_version__ = "2023.12"

_export(globals())
