"""What version 2025.12 adds to version 2024.12."""

from .._manipulation import broadcast_shapes as broadcast_shapes
from .._set import isin as isin
from ..v2024_12._names import *
