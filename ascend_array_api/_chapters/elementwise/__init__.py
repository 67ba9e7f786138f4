"""Elementwise functions.

https://data-apis.org/array-api/2023.12/API_specification/elementwise_functions.html
"""

from ._arithmetic import *
from ._bitwise import *
from ._comparison import *
from ._complex import *
from ._exponential import *
from ._floating_point import *
from ._logical import *
from ._rounding import *
from ._trigonometric import *
