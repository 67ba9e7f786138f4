"""Random numbers on GPUs: one kernel from the counters to the numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..._devices.facts import triton
from ..._routes import random
from ..._routes._evidence import Evidence
from ..._routes._rows import Compose, Row
from ..._torch import Tensor
from ._late import kernels_of

_philox: Final = kernels_of("_philox")


def _fused(name: str) -> Callable[..., Tensor]:
    """Return a function of the module of fused kernels; the first call imports the module."""

    def imports_first(*operands: Any) -> Tensor:
        result: Tensor = getattr(_philox(), name)(*operands)
        return result

    return imports_first


ROWS: Final = tuple(
    Row(
        name,
        dtypes,
        Compose(_fused(function)),
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
