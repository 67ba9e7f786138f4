"""Tests of the suite that ask of an accelerator what the standard forbids it: a pytest plugin.

Each stands here with the proof from the text of the standard and with the one exception that it may
raise; whatever else goes wrong in it still fails.  They are reported as "xfailed" with the proof.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import pytest

from conformance.devices import DEVICE_VARIABLE, device_type


@dataclass(frozen=True)
class Exemption:
    """A test that no correct implementation can always pass on an accelerator."""

    test: str
    raises: type[Exception]
    draw: str
    """What the error or the suite's note on it must say, as a regular expression."""
    proof: str
    always: bool
    """Whether every run meets it, so that a run that passes is a failure."""


EXEMPTIONS = (
    Exemption(
        "array_api_tests/test_dlpack.py::test_dunder_dlpack",
        BufferError,
        r"'copy': False.*'dl_device': \(1, 0\)",
        "The test draws dl_device=(1, 0), the CPU, with copy=False, and expects a capsule. "
        "The memory of an accelerator reaches the CPU by a copy only, and of array.__dlpack__ the "
        "standard (2023.12) says of dl_device: 'If a copy must be made to enable this support but "
        "copy is set to False, the function must raise BufferError.'",
        always=False,  # not every run draws it
    ),
)
NPU_EXEMPTIONS = (
    Exemption(
        "array_api_tests/test_dlpack.py::test_dlpack_device",
        ValueError,
        r"^12 is not a valid DLPackDeviceEnum",
        "The test looks the device type up in an enumeration of its own, which ends with the types "
        "that the standard's page names and leaves others out. dlpack.h gives devices of "
        "out-of-tree backends kDLExtDev = 12 ('reserved for extension devices'), which is what "
        "torch_npu's own tensors export; any type of that list would name another device.",
        always=True,
    ),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that are exempted."""
    device = os.environ.get(DEVICE_VARIABLE, "")
    exemptions = EXEMPTIONS + (NPU_EXEMPTIONS if device_type(device) == "npu" else ())
    for item in items:
        for exemption in exemptions:
            if item.nodeid == exemption.test:
                item.add_marker(
                    pytest.mark.xfail(
                        raises=pytest.RaisesExc(exemption.raises, match=exemption.draw),
                        reason=exemption.proof,
                        strict=exemption.always,
                    )
                )
