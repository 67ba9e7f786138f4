"""A pytest plugin: write the outcome of every test to a file, from one process or several."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import phases
from ..plugin import cut
from .chosen import RECORD_VARIABLE

if TYPE_CHECKING:
    import pytest

_LIMIT = 6_000


class Recorder:
    """Collects reports where they all arrive: in the only process, or the one that leads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tests: dict[str, dict[str, Any]] = {}
        self._problems: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add one phase (setup, call or teardown) of a test."""
        test = self._tests.setdefault(report.nodeid, {"nodeid": report.nodeid, "duration": 0.0})
        test["duration"] += report.duration
        phases.add(test, report, _LIMIT)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that cannot be collected."""
        if report.failed:
            text = f"{report.nodeid} cannot be collected: {cut(report.longreprtext, _LIMIT)}"
            if text not in self._problems:
                self._problems.append(text)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the file."""
        record = {
            "exitstatus": int(exitstatus),
            "problems": self._problems,
            "tests": list(self._tests.values()),
        }
        self._path.write_text(json.dumps(record), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Collect in the process to which the others report."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(os.environ[RECORD_VARIABLE])), "recorder")
