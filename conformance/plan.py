"""Which runs of the suite there are: versions, modules, devices and seeds; how each is started."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from . import NAME
from .devices import DEVICE_VARIABLE, setup_for
from .processes import pytest_command
from .runner import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .suite import Suite

# What would change the suite behind the report's back.
_FOREIGN = ("PYTEST_", "ARRAY_API_TESTS_", "HYPOTHESIS_", "PYTHONSAFEPATH")

PACKAGE = "ascend_array_api"
TOP_LEVEL = "2023.12"


def _modules() -> dict[str, tuple[str, ...]]:
    """Find the modules of versions among the package's folders, without importing the package."""
    spec = find_spec(PACKAGE)
    folders = sorted(Path(p) for p in (spec and spec.submodule_search_locations) or ())
    names = sorted(f.name for folder in folders for f in folder.glob("v[0-9]*_[0-9]*"))
    of = {name[1:].replace("_", "."): (f"{PACKAGE}.{name}",) for name in names}
    return of | {TOP_LEVEL: (PACKAGE, *of.get(TOP_LEVEL, ()))}


# The namespaces that claim a version of the standard.
MODULES: Mapping[str, tuple[str, ...]] = _modules()


@dataclass(frozen=True)
class Run:
    """One pass of the suite over one module on one device with one seed."""

    version: str
    module: str
    device: str
    seed: int
    max_examples: int
    shrink: bool = False
    keyword: str | None = None
    xfails: Path | None = None

    def __str__(self) -> str:
        return f"{self.version} {self.module} {self.device} seed {self.seed}"


def plan_runs(
    *,
    versions: Sequence[str],
    modules: Sequence[str],
    devices: Sequence[str],
    seeds: Sequence[int],
    max_examples: int,
    shrink: bool = False,
    keyword: str | None = None,
    xfails: Path | None = None,
) -> list[Run]:
    """Return the runs, in the order of the report.

    `modules` replaces the namespaces of :data:`MODULES` when it is not empty.
    """
    return [
        Run(version, module, device, seed, max_examples, shrink, keyword, xfails)
        for device, version in product(dict.fromkeys(devices), dict.fromkeys(versions))
        for module in dict.fromkeys(modules or MODULES[version])
        for seed in dict.fromkeys(seeds)
    ]


@dataclass(kw_only=True)
class RunRecord(Record):
    """What came of one run of the suite."""

    run: Run


def record_for(run: Run, suite: Suite) -> RunRecord:
    """Return the record of a run, which says how it is started."""
    return RunRecord(
        run=run,
        command=command_for(run, suite),
        variables=variables_for(run),
        folder=suite.path,
        foreign=_FOREIGN,
        keyword=run.keyword,
    )


def command_for(run: Run, suite: Suite) -> list[str]:
    """Return the pytest command of a run, without the files by which the processes talk."""
    setup = setup_for(run.device)
    plugins = (*setup.plugins, "hypothesispytest", "metadata", "pytest_jsonreport")
    return pytest_command(
        (*plugins, f"{NAME}.plugin"),
        *("array_api_tests", f"--rootdir={suite.path}", "--tb=native", "--show-capture=no"),
        *("--disable-deadline", f"--max-examples={run.max_examples}"),
        f"--hypothesis-seed={run.seed}",
        # Named explicitly, because the suite would pick up skips.txt and xfails.txt of its folder.
        f"--skips-file={os.devnull}",
        f"--xfails-file={run.xfails or os.devnull}",
        *(("--conformance-shrink",) if run.shrink else ()),
        *((f"-k={run.keyword}",) if run.keyword else ()),
        *setup.arguments,
    )


def variables_for(run: Run) -> dict[str, str]:
    """Return the environment variables that decide what a run judges."""
    return {
        "ARRAY_API_TESTS_MODULE": run.module,
        "ARRAY_API_TESTS_VERSION": run.version,
        DEVICE_VARIABLE: run.device,
        "PYTHONHASHSEED": "0",  # the suite builds strategies from sets: the seed alone decides
        **setup_for(run.device).environment,
    }
