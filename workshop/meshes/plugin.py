"""Have the upstream suite create divided arrays: a pytest plugin.

Everything that is created is divided, so that there are uneven, empty and single-row parts.  Among
the processes of ``torch.distributed.run`` each has a part; a process alone simulates them.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from conformance.devices import DEVICE_VARIABLE, MESH_OF

DEFAULT_SIZE = 3
TIMEOUT = 120.0
"""Seconds that a process waits for the others."""


def mesh_of(device: str) -> Any:
    """Return the mesh that ``mesh:3`` names: all that is created on it is divided."""
    from ascend_array_api import distributed

    of = distributed.of_this_process(os.environ.get(MESH_OF, "cpu"))
    if "RANK" in os.environ:
        return distributed.of_processes(of, TIMEOUT, least=0)
    return distributed.simulated(int(device.partition(":")[2] or DEFAULT_SIZE), of, least=0)


def begin(device: str) -> None:
    """Make it the default device of this thread, for good."""
    import ascend_array_api as xp

    xp.options(device=mesh_of(device), gather="allow")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Begin before the suite asks for default data types."""
    begin(os.environ[DEVICE_VARIABLE])
