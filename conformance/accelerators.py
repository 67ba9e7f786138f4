"""Tests of the suite that ask of an accelerator what the standard forbids it: a pytest plugin.

Each stands here with the proof from the text of the standard and with the one exception that it may
raise; whatever else goes wrong in it still fails.  They are reported as "xfailed" with the proof.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .devices import DEVICE_VARIABLE, MESH_OF, device_type
from .exemptions import ACCELERATORS, Exemption, expect

if TYPE_CHECKING:
    import pytest

EXEMPTIONS = (
    Exemption(
        r"array_api_tests/test_dlpack\.py::test_dunder_dlpack$",
        BufferError,
        r"'copy': False.*'dl_device': \(1, 0\)",
        "The test draws dl_device=(1, 0), the CPU, with copy=False, and expects a capsule. "
        "The memory of an accelerator reaches the CPU by a copy only, and of array.__dlpack__ the "
        "standard (2023.12) says of dl_device: 'If a copy must be made to enable this support but "
        "copy is set to False, the function must raise BufferError.'",
        ACCELERATORS,
        always=False,  # not every run draws it
    ),
    Exemption(
        r"array_api_tests/test_dlpack\.py::test_dlpack_device$",
        ValueError,
        r"^12 is not a valid DLPackDeviceEnum",
        "The test looks the device type up in an enumeration of its own, which ends with the types "
        "that the standard's page names and leaves others out. dlpack.h gives devices of "
        "out-of-tree backends kDLExtDev = 12 ('reserved for extension devices'), which is what "
        "torch_npu's own tensors export; any type of that list would name another device.",
        frozenset({"npu"}),
    ),
    Exemption(
        r"array_api_tests/test_dlpack\.py::test_dunder_dlpack$",
        BufferError,
        r"needs a copy to be exported as a whole, but copy is False",
        "The test draws copy=False and expects a capsule. A capsule is one piece of memory, and an "
        "array on a mesh is parts: of array.__dlpack__ the standard (2023.12) says of copy: 'If "
        "False, the function must never copy, and raise a BufferError in case a copy is deemed "
        "necessary'.",
        frozenset({"mesh"}),
        always=False,  # not every run draws it
    ),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that are exempted; on a mesh also those that are on what it is made of."""
    device = os.environ.get(DEVICE_VARIABLE, "")
    expect(items, EXEMPTIONS, device)
    if device_type(device) == "mesh":
        expect(items, EXEMPTIONS, os.environ.get(MESH_OF, "cpu"))
