"""Creation functions on NPUs."""

from __future__ import annotations

from ... import _dtypes as dt
from .. import creation
from .._engine import Compose, Row, register
from ._common import NPU, REFUSED, SEEN

register(
    [
        Row("full", dt.WIDE_UNSIGNED, Compose(creation.full_unsigned), REFUSED, SEEN, NPU),
        Row("zeros", dt.WIDE_UNSIGNED, Compose(creation.zeros_unsigned), REFUSED, SEEN, NPU),
    ]
)
