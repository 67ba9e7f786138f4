"""Which runs of the suite there are: versions, modules, devices and seeds."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
