"""The facts of a machine that a report states, and no others."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..cann_emulator import Emulator


def npu() -> Any:
    """Return torch's module for NPUs, ``torch.npu``."""
    from ascend_array_api._devices import backends

    return backends.find("npu").module


def found(device: str, emulator: Emulator | None) -> dict[str, Any]:
    """Return the versions, the chip's name, and whether it is emulated."""
    from ascend_array_api._devices import backends
    from ascend_array_api._doctor import diagnosis

    report = diagnosis.diagnose()
    facts = backends.find("npu").facts
    cann = facts["cann"]
    return {
        "soc": str(npu().get_device_name(device)).removeprefix("Ascend"),
        "cann": ".".join(map(str, cann)) if isinstance(cann, tuple) else report["cann"]["version"],
        "driver": report["driver"],
        "torch": report["torch"],
        "torch_npu": report["torch_npu"]["version"],
        "python": report["python"],
        "numpy": report["numpy"],
        "ascend_array_api": report["ascend_array_api"],
        "architecture": platform.machine(),
        "emulated": None if emulator is None else emulator.mode,
    }
