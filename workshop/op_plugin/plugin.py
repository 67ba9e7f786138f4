"""A pytest plugin: let op-plugin's tests run over the emulated CANN.

The tests are unchanged. What they need besides torch_npu is given to them here:

- ``expecttest``, which ``torch_npu.testing`` imports and whose one assertion no test here uses;
- tensors of plain layout alone: ``torch_npu.npu_format_cast`` returns a copy, as which order the
  memory has does not change values, and the operator behind it (Identity, of the older path) is
  not emulated;
- the same random numbers in every run: their setUp seeds torch's generator, but not NumPy's, which
  most inputs come from;
- kernels as torch_npu chooses them by default on Atlas A2, and torch's own default device: a test
  that has operators compiled, or sets the device, would let all after it run otherwise;
- a device without errors at the beginning of each test: a kernel that failed in the test before
  would be reported by the first wait in this one.
"""

from __future__ import annotations

import random
import sys
import unittest
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import pytest

from conformance import recorder
from conformance.cann_emulator import installed

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from conformance.recorder import Recorder

SEED = 666  # that of torch_npu's own setUp


def _expecttest() -> ModuleType:
    """Return a module with the class that ``torch.testing`` derives its own from."""
    module = ModuleType("expecttest")
    module.TestCase = type("TestCase", (unittest.TestCase,), {})  # type: ignore[attr-defined]
    module.ACCEPT = False  # type: ignore[attr-defined]
    return module


sys.modules.setdefault("expecttest", _expecttest())


def _copy(x: torch.Tensor, acl_format: object, *_: object) -> torch.Tensor:
    """Stand in for npu_format_cast."""
    del acl_format
    return x.clone()


def pytest_configure() -> None:
    """Stand in for what is not emulated."""
    import torch_npu

    torch_npu.npu_format_cast = _copy


@pytest.fixture(autouse=True)
def _alone(request: pytest.FixtureRequest) -> Iterator[None]:
    """Seed NumPy, and wait for the device within the test that gave it work."""
    import torch
    import torch_npu

    emulator = installed()
    before = (len(emulator.failures), len(emulator.older_operators())) if emulator else (0, 0)
    # What one test sets, and leaves so.
    torch_npu.npu.set_compile_mode(jit_compile=False)
    torch.set_default_device(None)
    np.random.seed(SEED)  # noqa: NPY002  (what the tests draw from)
    random.seed(SEED)
    torch.manual_seed(SEED)
    yield
    try:
        torch_npu.npu.synchronize()
        torch_npu.npu.empty_cache()  # some tests have arrays of gigabytes
    finally:
        if emulator:
            record: Recorder = request.config.pluginmanager.get_plugin(recorder.PLUGIN)  # type: ignore[assignment]
            record.note(
                failures=emulator.failures[before[0] :],
                older=emulator.older_operators()[before[1] :],
            )
