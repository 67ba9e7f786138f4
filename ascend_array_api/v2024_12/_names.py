"""What version 2024.12 adds to version 2023.12."""

from .._chapters.elementwise._arithmetic import reciprocal as reciprocal
from .._chapters.elementwise._floating_point import nextafter as nextafter
from .._chapters.searching import count_nonzero as count_nonzero
from .._chapters.statistical import cumulative_prod as cumulative_prod
from .._chapters.utility import diff as diff
from .._methods.indexing import take_along_axis as take_along_axis
from ..v2023_12._names import *
