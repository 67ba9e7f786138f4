"""The backend of the CPU, the host's processor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..._devices.backend import DLDeviceType, Host, modules_of
from ..._torch import torch
from ..._torch.dtypes import HALF

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..._devices.facts import Fact

_PRODUCTS: Final = frozenset({"lstsq", "matmul", "matrix_power", "pinv", "vecdot"})


class _CPU(Host):
    dlpack = DLDeviceType.kDLCPU
    adds = frozenset({torch.float32, torch.float64, torch.int32, torch.int64})
    exact_scalars = True
    samplers = True
    rows = modules_of(
        __name__,
        "elementwise fourier indexing linear_algebra products searching shortcuts",
    )

    def autocasts(self, operation: str, dtype: torch.dtype, *, bare: bool) -> bool:
        """Say whether autocast could change a data type: for products and half precision."""
        if dtype in HALF:
            return not bare or operation in {"concat", "matmul", "roll", "roll_several"}
        return dtype is torch.float32 and operation in _PRODUCTS

    def find_facts(self) -> Mapping[str, Callable[[], Fact]]:
        """Return the functions that find facts of the CPU."""
        return {"fast float64": lambda: True}


BACKEND: Final = _CPU("cpu")
