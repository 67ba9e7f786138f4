"""What is known of each function, in a file a chapter.

>>> from workshop.samples import FUNCTIONS

A new function gets its sample in its chapter: the data types that it is given to and what it is
compared with (``covers`` or ``listed``), a call of it and one of each of its modes (``on``), and
why it has no derivative where it has none (``because``).  All else that is tested of every function
follows from that.
"""

from . import (  # noqa: F401  # each enters its functions
    array_object,
    creation,
    dtypes,
    elementwise,
    extras,
    fft,
    linalg,
    manipulation,
    random,
    searching,
    special,
    statistical,
)
from ._table import FUNCTIONS, NAMES, Call, Function, Slope, converted, slopes
from .draws import DType, Seeded

__all__ = [
    "FUNCTIONS",
    "NAMES",
    "Call",
    "DType",
    "Function",
    "Seeded",
    "Slope",
    "converted",
    "slopes",
]
