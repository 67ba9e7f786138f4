"""Constants: Python floats, and None for ``newaxis``.

Imports no other module of the package.

https://data-apis.org/array-api/2023.12/API_specification/constants.html
"""

from __future__ import annotations

import math
from typing import Final

__all__ = ["e", "inf", "nan", "newaxis", "pi"]

e: Final = math.e
inf: Final = math.inf
nan: Final = math.nan
newaxis: Final = None
pi: Final = math.pi
