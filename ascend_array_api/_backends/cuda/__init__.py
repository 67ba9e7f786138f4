"""The backend of NVIDIA's GPUs, and of other devices that torch calls CUDA."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Set
from typing import Any, Final

from ..._devices.backend import Backend, DLDeviceType, copy_each, modules_of
from ..._devices.facts import Fact, version
from ..._torch import dtypes as dt
from ..._torch import torch
from ..._torch.private import copy_all

_LEGACY_STREAM: Final = 1
"""DLPack's number for the stream whose address is 0."""


class _CUDA(Backend):
    dlpack = DLDeviceType.kDLCUDA
    collectives = "nccl"
    adds = frozenset({torch.float32, torch.float64, torch.int32, torch.int64})
    told_late = True
    exact_scalars = True
    asynchronous = True
    graph = "CUDAGraph"
    most_uploaded = 2**10  # uniform and normal numbers are one kernel there
    # torch multiplies by the reciprocal of a scalar, so quotients can be off by one bit.
    rounds_scalars = frozenset({"divide"})
    rows = modules_of(
        __name__,
        "elementwise extras fourier indexing linear_algebra reductions searching",
    )

    def find_facts(self) -> Mapping[str, Callable[[], Fact]]:
        """Return the functions that find facts of GPUs."""
        return {
            "fast float64": lambda: True,
            "triton": lambda: importlib.util.find_spec("triton") is not None,
            "cuda": lambda: version(torch.version.cuda),
            "soc": lambda: str(torch.cuda.get_device_name(0)),
        }

    def dlpack_stream(self, index: int) -> int:
        """Return the number of the current stream."""
        return torch.cuda.current_stream(index).cuda_stream or _LEGACY_STREAM

    def copier(self, dtypes: Set[torch.dtype]) -> Callable[[list[Any], list[Any]], None]:
        """Return a function that copies with one launch, if torch has it for these data types."""
        return copy_all if dtypes and not dtypes & dt.WIDE_UNSIGNED else copy_each


BACKEND: Final = _CUDA("cuda")
