"""The backend of Huawei's Ascend NPUs, by torch_npu and CANN.

The modules beside this one have the rows, by topic like the operations: kernels that torch_npu
lacks or gets wrong, and the routes that replace them.  A kernel is missing if CANN's operator
library does not list the data type for Atlas A2 (CANN then refuses the call with error 161002), or
if torch_npu registers none (the call would then silently go to the CPU).  Compositions run on the
device.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..._devices.backend import Backend, DLDeviceType, Fault, modules_of
from ..._devices.facts import cann_at_least, soc, torch_npu_at_least, torch_npu_before, version
from ..._torch import NPU_VERSION, torch
from . import causes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..._devices.facts import Fact

MOST_DIMENSIONS: Final = 8
"""The greatest number of dimensions that CANN's kernels take."""

COMPILER: Final = "TORCHINDUCTOR_NPU_BACKEND"
"""The environment variable that chooses a compiler; torch_npu reads it when it is imported."""

_LAZY: Final = "TORCH_NPU_LAZY_FUSION"
"""The environment variable that lets torch_npu fuse calls: ``True``, options, or both."""
_QUEUE: Final = "TASK_QUEUE_ENABLE"
"""The environment variable that chooses torch_npu's queue of launches; it has one without it."""

_FAULT: Final = re.compile(
    r"\bERR\d\d100\b"  # torch_npu's own code: a module, then 100 for a failed call of CANN
    r"|\berror code(?: is |: ?)\d{6}\b"  # the code of ACL or aclnn
    r"|\bE[A-Z]\d{4}\b"  # the code of CANN's log
    r"|\bcall asd[A-Z]\w* failed\b"  # CANN's library for signals; torch_npu hides its code
    r"|The process exits for this inner error"  # the task queue has ended
    f"|{causes.ALONE}"
)
"""The texts of errors by which torch_npu reports that a call of CANN failed.

torch_npu 2.13 raises RuntimeError for all errors, so only the text tells them apart.  With
TORCH_NPU_COMPACT_ERROR_OUTPUT=1 the text is CANN's alone.
"""
_KERNEL: Final = re.compile(r"\b((?:aclnn|asd)[A-Z]\w*)")

_LATE: Final = (
    "An earlier operation may have caused it: with ASCEND_LAUNCH_BLOCKING=1 each waits for its "
    "result"
)
_DRIVER: Final = Path("/usr/local/Ascend/driver/version.info")

OLDER: Final = (
    torch_npu_before(2, 7, 1, 11)
    | (torch_npu_at_least(2, 8) & torch_npu_before(2, 8, 0, 5))
    | (torch_npu_at_least(2, 9) & torch_npu_before(2, 9, 0, 2))
)
"""torch_npu takes its older path for operators for which later builds call kernels.

We know nothing of that path.  We have seen it in 2.7.1.post2 and 2.9.0, which are for CANN 8.5;
2.7.1.post11, 2.8.0.post5 and 2.9.0.post2 call kernels, and we have seen no build between these."""

ASTRAY: Final = soc("950") & ~cann_at_least(9, 2, 1)  # 9.2.0 is the version of its betas, too
"""Chips and releases whose kernels read outside where they write to transposed arrays."""

_GRAPHS: Final = soc("910B", "910_9", "950") | (soc("310P") & cann_at_least(9, 0))
"""The chips and releases that record graphs, by CANN's documents of aclmdlRICaptureBegin."""

_COMPARED: Final = frozenset({torch.float32, torch.float64, torch.int32, torch.int64})
_SCALARS_OF: Final = {
    **dict.fromkeys(("add", "subtract"), _COMPARED | {torch.int8, torch.uint8}),
    "multiply": frozenset({torch.float32, torch.float64, torch.complex64}),
    **dict.fromkeys(
        ("bitwise_and", "bitwise_or", "bitwise_xor"),
        frozenset({torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8}),
    ),
    **dict.fromkeys(("equal", "not_equal", "clip"), _COMPARED),
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal"), _COMPARED),
}
"""The data types whose kernels take Python scalars exactly, by operation.

Other kernels round: aclnnMuls rounds products of integers, every kernel rounds scalars for 16-bit
data, and aclnnDivs may multiply by 1 / s.  For float64, a scalar may pass through float32.
"""
_NO_SCALARS_OF: Final = frozenset({torch.uint16, torch.uint32, torch.uint64}) | {
    torch.complex64,
    torch.complex128,
}
"""The data types for which such builds have no ``Tensor.item``."""
_DIFFERENCES: Final[Mapping[str, Callable[..., torch.Tensor]]] = {
    "subtract": lambda x, number: torch.add(x, -float(number)),  # -0 has no integer
    "rsubtract": lambda x, number: torch.add(torch.neg(x), number),
}
"""Differences of floating-point numbers as sums, which are the same to the last bit."""


def _driver() -> Fact:
    if not _DRIVER.is_file():
        return None
    found = re.search(r"^Version=(.+)$", _DRIVER.read_text(errors="replace"), re.MULTILINE)
    return version(found[1]) if found else None


def emulated() -> bool:
    """Say whether this process runs on emulated CANN, whose libraries export extra functions."""
    try:
        return hasattr(ctypes.CDLL(None), "emulator_start")
    except (OSError, TypeError):  # no such libraries on this system
        return False


class _NPU(Backend):
    dlpack = DLDeviceType.kDLExtDev
    largest_scalar = 2**24  # aclnnAdds converts scalars to float32, by its documents
    narrow_scalars = frozenset({torch.float64})
    collectives = "hccl"
    # torch_npu warns about the strides of a transposed tensor from the host.  It copies one from
    # another NPU by an operator of its older path (ViewCopy), which must first be compiled.
    contiguous = True
    most_dimensions = MOST_DIMENSIONS
    faults = True
    asynchronous = True
    graph = "NPUGraph"
    # The least draw is 298 kernels, and the copy of a megabyte takes as long as a few.
    most_uploaded = 2**18
    # Once a launch has failed in torch_npu's task queue (TASK_QUEUE_ENABLE 1, the default, and 2),
    # torch_npu silently drops all further work for the device, and results are stale memory.
    drops_work = "torch_npu would drop the work without a word"
    rows = modules_of(
        __name__,
        "conversions creation division elementwise exponential extras fourier indexing "
        "linear_algebra movement products powers reductions rounding searching trigonometric",
    )

    overriding = (f"{__name__}.profile", f"{__name__}.releases", f"{__name__}.older")
    compiled = (f"{__name__}.fused",)

    @functools.cached_property
    def _lazily_fused(self) -> bool:
        asked, *_ = (*os.environ.get(_LAZY, "").split(), "0")
        # torch_npu fuses in its task queue only.
        return asked.lower() not in ("false", "off", "0") and os.environ.get(_QUEUE) != "0"

    def _where_lazily_fused(self) -> bool:
        left_out = [
            option.removeprefix("disable_ops=").split(",")
            for option in os.environ.get(_LAZY, "").split()
            if option.startswith("disable_ops=")
        ]
        return self._lazily_fused and not any("where" in names for names in left_out)

    def find_facts(self) -> Mapping[str, Callable[[], Fact]]:
        """Return the functions that find facts of NPUs."""
        return {
            "torch_npu": lambda: version(NPU_VERSION),
            "cann": self._cann,
            "driver": _driver,
            "soc": self._soc,
            "fast float64": lambda: False,
            "lazily fused": lambda: self._lazily_fused,
            "where lazily fused": self._where_lazily_fused,
            "dvm": lambda: os.environ.get(COMPILER) == "dvm",
        }

    def _soc(self) -> Fact:
        if not hasattr(torch, self.type) or not self.devices():
            return None
        # Not by `describe`: the memory is that of the current device, which may have failed.
        return str(self.module.get_device_name(0)).strip().removeprefix("Ascend") or None

    def _cann(self) -> Fact:
        if not hasattr(torch, self.type):
            return None
        # torch_npu's own function, which asks CANN's libraries; old builds do not have it.
        ask = getattr(self.module.utils, "get_cann_version", None)
        return None if ask is None else version(ask("CANN"))

    def takes_scalars(self, operation: str, dtype: torch.dtype) -> bool:
        """Say whether a kernel takes a Python scalar exactly, on the same unit as for tensors."""
        return dtype in _SCALARS_OF.get(operation, ())

    def used_here(self, tensor: torch.Tensor) -> None:
        """Keep a tensor's memory until the stream is done; ignore streams of other makers."""
        try:
            super().used_here(tensor)
        except RuntimeError as error:
            if "External NPU stream" not in str(error):
                raise

    def no_graphs(self) -> str:
        """Return why nothing can be recorded here, or nothing."""
        if _GRAPHS.decide(self.facts) is False:
            return "CANN records no graphs on this chip"
        if os.environ.get(_QUEUE) == "2":
            return "torch_npu records no graphs with TASK_QUEUE_ENABLE=2: set it to 1"
        return "" if hasattr(self.module, self.graph) else f"torch_npu {NPU_VERSION} has no graphs"

    @property
    def keeps_strides(self) -> bool:  # type: ignore[override]
        """Whether kernels may make results with the strides of transposed operands."""
        return ASTRAY.decide(self.facts) is False

    def fuses(self, dtype: torch.dtype) -> bool:
        """Say whether torch_npu fuses calls on tensors of a data type, and as exactly in steps.

        It also fuses those of 16 bits, which would be rounded at each step.
        """
        return dtype is torch.float32 and self._lazily_fused

    def with_scalar(self, operation: str, dtype: torch.dtype) -> Callable[..., torch.Tensor] | None:
        """Return the difference to a Python scalar by a sum, where torch_npu fuses only that."""
        return _DIFFERENCES.get(operation) if self.fuses(dtype) else None

    def gives_scalars(self, dtype: torch.dtype) -> bool:
        """Say whether ``Tensor.item`` is there for a data type."""
        return dtype not in _NO_SCALARS_OF or OLDER.decide(self.facts) is False

    def fault(self, error: Exception) -> Fault | None:
        """Return the fault that an error of torch_npu reports."""
        text = str(error)
        if not _FAULT.search(text):
            return None
        kernel, cause = _KERNEL.search(text), causes.explain(text)
        advice = f"{cause.reason}: {cause.remedy}" if cause.reason else cause.remedy
        advice = f"{advice[0].upper()}{advice[1:]}{f'. {_LATE}' if cause.earlier else ''}"
        return Fault(causes.code_in(text), kernel[1] if kernel else None, advice, "torch_npu")


BACKEND: Final = _NPU("npu")
