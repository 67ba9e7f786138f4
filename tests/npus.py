"""NPUs for a process of tests: emulated ones where CANN is not set up."""

from __future__ import annotations

import os
import sys

from conformance import cann_emulator, pair
from conformance.devices import has_cann

ENVIRONMENT = {
    "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",  # the emulator comes before torch_npu
    "TORCH_NPU_FALLBACK_CPU_DISABLE": "1",  # torch_npu raises where it has no kernel
}


def problem() -> str | None:
    """Install the emulator where there is no CANN, once a process; return why that cannot be."""
    if unfit := pair.problem():
        return unfit
    if cann_emulator.installed() is not None:
        return None
    loaded = sys.modules.get("ascend_array_api")
    if loaded is not None and not hasattr(sys.modules["torch"], "npu"):
        return "runs in a process that starts with NPUs: python -m pytest --device npu"
    os.environ.update(ENVIRONMENT)
    if has_cann():
        return None
    if sys.platform != "linux":
        return "CANN, and so its emulation, is for Linux"
    try:
        cann_emulator.install(devices=2)
    except cann_emulator.CompilerError as error:
        return str(error)
    return None
