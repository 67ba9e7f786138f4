"""Random numbers on NPUs."""

from __future__ import annotations

from typing import Final

from ..._routes import random
from ..._routes._rows import Compose, Row
from ..._torch import dtypes as dt
from ._common import on_host, slow, undocumented

ROWS: Final = (
    Row(
        "multiply_words",
        {dt.int64},
        Compose(random.multiply_words_signed),
        *undocumented("CANN does not say that products of int64 wrap around", "aclnnMul"),
    ),
    Row(
        "bounded_words",
        {dt.int64},
        Compose(random.bounded_words_split),
        *slow("aclnnRightShift"),
    ),
    Row(
        "first_accepted",
        random.first_accepted.dtypes,
        Compose(random.first_accepted_masked),
        *on_host("how many proposals were refused is known on the device until one waits for it"),
    ),
)
