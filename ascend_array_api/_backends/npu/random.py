"""Random numbers on NPUs."""

from __future__ import annotations

from typing import Final

from ... import _dtypes as dt
from ..._routes import random
from ..._routes._engine import Compose, Row
from ._common import SEEN

ROWS: Final = (
    Row(
        "multiply_words",
        {dt.int64},
        Compose(random.multiply_words_signed),
        "that products wrap around is not documented, and shifts are slow (AICPU)",
        SEEN,
    ),
    Row(
        "bounded_words",
        {dt.int64},
        Compose(random.bounded_words_split),
        "that products wrap around is not documented, and shifts are slow (AICPU)",
        SEEN,
    ),
    Row(
        "first_accepted",
        random.first_accepted.dtypes,
        Compose(random.first_accepted_masked),
        "how many proposals were refused is known on the device alone, until one waits for it",
        SEEN,
    ),
)
