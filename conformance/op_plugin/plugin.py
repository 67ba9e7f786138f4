"""A pytest plugin: let op-plugin's tests run over the emulated CANN, and write what came of them.

The tests are unchanged. What they need besides torch_npu is given to them here:

- ``expecttest``, which ``torch_npu.testing`` imports and whose one assertion no test here uses;
- tensors of plain layout alone: ``torch_npu.npu_format_cast`` returns a copy, as which order the
  memory has does not change values, and the operator behind it (Identity, of the older path) is
  not emulated;
- the same random numbers in every run: their setUp seeds torch's generator, but not NumPy's, which
  most inputs come from;
- kernels as torch_npu chooses them by default on Atlas A2: a test that has operators compiled would
  let all after it run by the older path;
- a device without errors at the beginning of each test: a kernel that failed in the test before
  would be reported by the first wait in this one.

Every line of the record is a JSON object: ``{"started": TEST}``, or the outcome of a test. A
process that ends within a test leaves a test that was started and has no outcome.
"""

from __future__ import annotations

import json
import os
import random
import sys
import unittest
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from .. import phases
from ..cann_emulator import installed
from ..plugin import cut
from . import DONE_VARIABLE, RECORD_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

SEED = 666  # that of torch_npu's own setUp

_LIMIT = 2_000


def _expecttest() -> ModuleType:
    """Return a module with the class that ``torch.testing`` derives its own from."""
    module = ModuleType("expecttest")
    module.TestCase = type("TestCase", (unittest.TestCase,), {})  # type: ignore[attr-defined]
    module.ACCEPT = False  # type: ignore[attr-defined]
    return module


sys.modules.setdefault("expecttest", _expecttest())


class Recorder:
    """Writes each outcome as soon as it is known."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tests: dict[str, dict[str, Any]] = {}

    def _write(self, **record: Any) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Say which test begins."""
        self._write(started=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add one phase (setup, call or teardown) of a test."""
        test = self._tests.setdefault(report.nodeid, {"test": report.nodeid})
        phases.add(test, report, _LIMIT)
        test |= dict(report.user_properties)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Write the outcome."""
        test = self._tests.pop(nodeid)
        if test["outcome"] == "error":  # in setUp or tearDown, which are of the test there
            test["outcome"] = "failed"
        self._write(**test)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count a file that cannot be imported as a test that failed."""
        if report.failed:
            self._write(
                test=report.nodeid, outcome="failed", message=cut(report.longreprtext, _LIMIT)
            )


def _copy(x: torch.Tensor, acl_format: object, *_: object) -> torch.Tensor:
    """Stand in for npu_format_cast."""
    del acl_format
    return x.clone()


def pytest_configure(config: pytest.Config) -> None:
    """Begin the record, and stand in for what is not emulated."""
    import torch_npu

    torch_npu.npu_format_cast = _copy
    config.pluginmanager.register(Recorder(Path(os.environ[RECORD_VARIABLE])), "op-plugin-recorder")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what an earlier process has done."""
    done = set(json.loads(Path(os.environ[DONE_VARIABLE]).read_text(encoding="utf-8")))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in done])
    items[:] = [item for item in items if item.nodeid not in done]


@pytest.fixture(autouse=True)
def _alone(request: pytest.FixtureRequest) -> Iterator[None]:
    """Seed NumPy, and wait for the device within the test that gave it work."""
    import torch
    import torch_npu

    emulator = installed()
    before = (len(emulator.failures), len(emulator.older_operators())) if emulator else (0, 0)
    torch_npu.npu.set_compile_mode(jit_compile=False)  # one test turns it on, and leaves it so
    np.random.seed(SEED)  # noqa: NPY002  (what the tests draw from)
    random.seed(SEED)
    torch.manual_seed(SEED)
    yield
    try:
        torch_npu.npu.synchronize()
        torch_npu.npu.empty_cache()  # some tests have arrays of gigabytes
    finally:
        if emulator:
            note = request.node.user_properties.append
            note(("failures", emulator.failures[before[0] :]))
            note(("older", emulator.older_operators()[before[1] :]))
