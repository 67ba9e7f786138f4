"""What all tests share: the examples that Hypothesis draws, and the device that is tested.

Nothing here imports the namespace before a test module does: see npu.py.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    import ascend_array_api as xp

# Modules that import torch before the namespace would have it import torch_npu, unguarded.
os.environ.setdefault("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")

settings.register_profile(
    "default",
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    max_examples=int(50 * float(os.environ.get("AAA_TEST_EXAMPLES", "1"))),
)
settings.load_profile("default")


@pytest.fixture(autouse=True)
def _nothing_is_told_late() -> Iterator[None]:
    """Forget what a test made wrong on an accelerator, so that no other one is told."""
    yield
    if (late := sys.modules.get("ascend_array_api._reports.late_errors")) is not None:
        late.forget()


@pytest.fixture
def device() -> xp.Device:
    """The device on which arrays are created by default: the one under test."""
    import ascend_array_api as xp

    return xp.__array_namespace_info__().default_device()
