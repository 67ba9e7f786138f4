"""Have the upstream suite create divided arrays: a pytest plugin.

Everything that is created is divided, so that there are uneven, empty and single-row parts.
"""

from __future__ import annotations

import os

import pytest

from ..devices import DEVICE_VARIABLE

DEFAULT_SIZE = 3


def begin(device: str) -> None:
    """Make the mesh that ``mesh:3`` names the default device of this thread, for good."""
    import ascend_array_api as xp
    from ascend_array_api import _devices
    from ascend_array_api.distributed import simulated

    size = int(device.partition(":")[2] or DEFAULT_SIZE)
    mesh = simulated(size, _devices.parse("cpu"), least=0)
    xp.options(device=mesh, gather="allow")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Begin before the suite asks for default data types."""
    begin(os.environ[DEVICE_VARIABLE])
