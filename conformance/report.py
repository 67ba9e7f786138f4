"""The report as data: the one structure that the JSON file, the page and the terminal show."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections import Counter
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import NAME
from .devices import device_type, setup_for
from .processes import version_of
from .suite import URL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .plan import RunRecord
    from .runner import Test
    from .suite import Suite

SCHEMA = "ascend-array-api/conformance"
SCHEMA_VERSION = 1

_PACKAGES = (
    "ascend-array-api",
    "torch",
    "torch-npu",
    "numpy",
    "array-api-compat",
    "array-api-strict",
    "hypothesis",
    "pytest",
    "ndindex",
)
# Variables that change how arrays are computed; the rest of the environment is nobody's business.
_VARIABLE_PREFIXES = (
    "ASCEND_ARRAY_API_",
    "CANN_EMULATOR_CANN",
    "TORCH_NPU_",
    "OMP_NUM_THREADS",
    "TASK_QUEUE_ENABLE",
)


def build(
    records: Sequence[RunRecord],
    suite: Suite,
    *,
    path: Path | None = None,
    arguments: Sequence[str],
    interrupted: bool,
) -> dict[str, Any]:
    """Return the report of all runs, made of JSON types alone.

    `path` is the copy of the suite that was named, None for the clone.
    """
    xfails = {str(record.run.xfails) for record in records if record.run.xfails}
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "command_line": ["python", "-m", NAME, *arguments],
        "success": all(record.success for record in records) and not interrupted,
        "interrupted": interrupted,
        "environment": _environment(),
        "suite": {
            "url": URL,
            "path": None if path is None else str(path),
            "commit": suite.commit,
            "specification_commit": suite.specification_commit,
            "modified": suite.modified,
            "skips_file": None,
            "xfails_file": next(iter(xfails), None),
        },
        "runs": [_run(record) for record in records],
    }


def write_json(report: dict[str, Any], path: Path) -> None:
    """Write the machine-readable report."""
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def _environment() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "packages": {name: version_of(name) for name in _PACKAGES},
        "variables": {
            name: value
            for name, value in sorted(os.environ.items())
            if name.startswith(_VARIABLE_PREFIXES)
        },
    }


def _run(record: RunRecord) -> dict[str, Any]:
    run, environment = record.run, record.environment
    processor = _processor() if device_type(run.device) == "cpu" else None
    tests = record.ordered
    reasons = Counter(test.reason for test in tests if test.outcome == "skipped")
    return {
        "version": run.version,
        "module": run.module,
        "module_version": environment.get("module_version"),
        "device": run.device,
        "device_note": setup_for(run.device).note or None,
        "device_name": environment.get("device_name") or processor,
        "default_device": environment.get("default_device"),
        "seed": run.seed,
        "max_examples": run.max_examples,
        "shrink": run.shrink,
        "keyword": run.keyword,
        "started": record.started.isoformat(timespec="seconds") if record.started else None,
        "duration": round(record.duration, 3),
        "command": ["python", *record.command[1:]],
        "variables": record.variables,
        "complete": record.complete,
        "success": record.success,
        "problems": [asdict(problem) for problem in record.problems],
        "counts": record.counts,
        "skip_reasons": dict(reasons.most_common()),
        "tests": [_test(test) for test in tests],
    }


def _test(test: Test) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "nodeid": test.nodeid,
        "chapter": test.chapter,
        "outcome": test.outcome,
        "duration": round(test.duration, 4),
    }
    if test.reason is not None:
        entry["reason"] = test.reason
    if test.failures:
        entry["failures"] = test.failures
    return entry


def _processor() -> str:
    """Return the name of the processor; Linux tells it only here."""
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
