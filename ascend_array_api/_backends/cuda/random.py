"""Random numbers on GPUs: one kernel from the counters to the numbers."""

from __future__ import annotations

from typing import Final

from ..._devices.facts import triton
from ..._routes import random
from ..._routes._evidence import Evidence
from ..._routes._rows import Compose, Row
from ._late import late

ROWS: Final = tuple(
    Row(
        name,
        dtypes,
        Compose(late("_philox", function)),
        "a hundred kernels, each from memory to memory, where one does",
        Evidence("torch 2.13, Triton 3.7, CUDA", "launches"),
        triton,
    )
    for name, dtypes, function in (
        ("philox", random.philox.dtypes, "philox"),
        ("random_uniform", random.SINGLE_DOUBLE, "uniform"),
        ("random_normal", random.SINGLE_DOUBLE, "normal"),
    )
)
