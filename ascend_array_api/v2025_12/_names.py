"""What version 2025.12 adds to version 2024.12."""

from .._chapters.manipulation import broadcast_shapes as broadcast_shapes
from .._chapters.set import isin as isin
from ..v2024_12._names import *
