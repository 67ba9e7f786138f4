"""Which runs of the suite there are: versions, modules, devices and seeds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# The namespaces that claim a version of the standard. The top level claims 2023.12.
MODULES: Mapping[str, tuple[str, ...]] = {
    "2023.12": ("ascend_array_api", "ascend_array_api.v2023_12"),
    "2024.12": ("ascend_array_api.v2024_12",),
    "2025.12": ("ascend_array_api.v2025_12",),
}


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
