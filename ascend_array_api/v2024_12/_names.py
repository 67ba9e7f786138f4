"""What version 2024.12 adds to version 2023.12."""

from .._elementwise._arithmetic import reciprocal as reciprocal
from .._elementwise._floating_point import nextafter as nextafter
from .._indexing import take_along_axis as take_along_axis
from .._searching import count_nonzero as count_nonzero
from .._statistical import cumulative_prod as cumulative_prod
from .._utility import diff as diff
from ..v2023_12._names import *
