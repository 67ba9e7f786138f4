"""A pytest plugin that runs a suite on the emulated CANN.

Use it as ``pytest -p conformance.cann_emulator.plugin``.

It installs the emulator before anything imports torch_npu, says so in the header, and ends the run
as failed if a kernel of the emulator failed by itself. Environment variables:

CANN_EMULATOR_DEVICES, CANN_EMULATOR_MEMORY
    The number of devices, and the bytes of each.
CANN_EMULATOR_CANN
    The release of CANN that is emulated, such as 9.0.
CANN_EMULATOR_SOC
    The chip, such as Ascend310P3.
CANN_EMULATOR_MODE
    How kernels compute: ideal, chip, hostile:FAMILY.
CANN_EMULATOR_REPORT
    A folder in which every process leaves what it counted, as ``<process id>.json``.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from . import install

if TYPE_CHECKING:
    import pytest

try:
    EMULATOR = install(
        devices=int(os.environ.get("CANN_EMULATOR_DEVICES", "2")),
        memory=int(os.environ.get("CANN_EMULATOR_MEMORY", str(16 << 30))),
    )
except ImportError as error:
    print(f"{__name__}: {error}", file=sys.stderr)
    raise SystemExit(2) from error


def pytest_report_header() -> str:
    """Name what is real and what is emulated."""
    return (
        f"torch_npu {version('torch_npu')} on emulated CANN {EMULATOR.cann}, "
        f"{EMULATOR.devices} x {EMULATOR.soc}, kernels as {EMULATOR.mode}"
    )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Leave the counts where they were asked for; fail if the emulator did."""
    counts = EMULATOR.counts()
    if folder := os.environ.get("CANN_EMULATOR_REPORT"):
        report = {
            "kernels": [[*key, number] for key, number in sorted(counts.kernels.items())],
            "to_device": counts.to_device,
            "to_host": counts.to_host,
            "on_device": counts.on_device,
            "fallbacks": counts.fallbacks,
            "older_operators": EMULATOR.older_operators(),
            "failures": EMULATOR.failures,
            "mode": EMULATOR.mode,
        }
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{os.getpid()}.json").write_text(json.dumps(report, indent=1))
    if EMULATOR.failures and not session.exitstatus:
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print a summary of what ran where."""
    counts = EMULATOR.counts()
    if not counts.kernels and not EMULATOR.failures:
        return
    units = dict.fromkeys(("AICore", "AICPU"), 0)
    for (_, _, unit), number in counts.kernels.items():
        units[unit] += number
    terminalreporter.section("emulated CANN")
    terminalreporter.line(
        f"kernels: {units['AICore']} on AICore, {units['AICPU']} on AICPU; copies to the device "
        f"{counts.to_device[0]}, to the host {counts.to_host[0]}; "
        f"CPU fallbacks {counts.fallbacks.total()}"
    )
    for failure in EMULATOR.failures:
        terminalreporter.line(f"the emulator failed in {failure}")
