"""Random numbers on NPUs."""

from __future__ import annotations

from typing import Final

from ... import _dtypes as dt
from ..._routes import random
from ..._routes._engine import Compose, Row
from ..._routes._evidence import Evidence
from ._common import SEEN, on_host

ROWS: Final = (
    Row(
        "multiply_words",
        {dt.int64},
        Compose(random.multiply_words_signed),
        "that products wrap around is not documented, and aclnnRightShift takes int64 on the AICPU",
        Evidence(SEEN, "slow", ("aclnnRightShift",)),
    ),
    Row(
        "bounded_words",
        {dt.int64},
        Compose(random.bounded_words_split),
        "that products wrap around is not documented, and aclnnRightShift takes int64 on the AICPU",
        Evidence(SEEN, "slow", ("aclnnRightShift",)),
    ),
    Row(
        "first_accepted",
        random.first_accepted.dtypes,
        Compose(random.first_accepted_masked),
        *on_host("how many proposals were refused is known on the device until one waits for it"),
    ),
)
