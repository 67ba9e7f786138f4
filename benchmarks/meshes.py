"""What it costs to compute on several devices: one process for each, beside one device and DTensor.

python -m benchmarks meshes [--processes 2] [--device cuda] [--rows 10000000]
python -m benchmarks meshes --ranks 16 64 256 1024
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from timeit import Timer
from typing import TYPE_CHECKING, Any, Final, TypeVar

import torch
import torch.distributed as dist

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from benchmarks import ranks as many
from benchmarks.measure import order, peak_memory
from benchmarks.report import MIB, Table
from conformance.terminal import each
from workshop.marks import insert

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

T = TypeVar("T")

COLUMNS: Final = 64
COMPONENTS: Final = 16
ONE, OURS, RAW = "one device", "mesh", "DTensor"
WEAK, STRONG, MEMORY, BESIDE = 0.9, 0.85, 0.1, 1.1
"""The targets: how many times the rate of one device all have at least for each device, with as
many rows for each, and as many in all; what a device needs more than its share of memory, as a part
of what one needs; how many times the time of DTensor a program takes at most."""


# --- programs, for arrays and for DTensors --------------------------------------------------------


def standardised(x: Any) -> tuple[Any, Any]:
    """Standardise; return the Gram matrix and the sum."""
    z = (x - xp.mean(x, axis=0)) / xp.std(x, axis=0)
    return xp.matmul(z.T, z), xp.sum(z)


def components(x: Any) -> tuple[Any, Any]:
    """Return the rows in the directions in which they differ most, and how much they do."""
    centred = x - xp.mean(x, axis=0)
    values, vectors = xp.linalg.eigh(xp.matmul(centred.T, centred) / x.shape[0])
    return xp.matmul(centred, vectors[:, -COMPONENTS:]), values[-COMPONENTS:]


def standardised_raw(x: Any) -> tuple[Any, Any]:
    """Do as `standardised` on a DTensor."""
    z = (x - x.mean(0)) / x.std(0, correction=0)
    return (z.T @ z).full_tensor(), z.sum().full_tensor()


def components_raw(x: Any) -> tuple[Any, Any]:
    """Do as `components` on a DTensor."""
    from torch.distributed.tensor import DTensor, Replicate

    centred = x - x.mean(0)
    values, vectors = torch.linalg.eigh((centred.T @ centred).full_tensor() / x.shape[0])
    few = DTensor.from_local(
        vectors[:, -COMPONENTS:], x.device_mesh, [Replicate()], run_check=False
    )
    return centred @ few, values[-COMPONENTS:]


PROGRAMS: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "standardise, gram, sum": (standardised, standardised_raw),
    "principal components": (components, components_raw),
}

CALLS: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "x + x": (lambda x: x + x, lambda x: x + x),
    "exp(x)": (xp.exp, torch.exp),
    "sum(x)": (xp.sum, lambda x: x.sum().full_tensor()),
    "mean(x, axis=0)": (lambda x: xp.mean(x, axis=0), lambda x: x.mean(0).full_tensor()),
    "std(x, axis=0)": (
        lambda x: xp.std(x, axis=0),
        lambda x: x.std(0, correction=0).full_tensor(),
    ),
    "x.T @ x": (lambda x: x.T @ x, lambda x: (x.T @ x).full_tensor()),
}


# --- measuring ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ranks:
    """The processes, and the device of this one."""

    mesh: Any

    @property
    def number(self) -> int:
        """How many there are."""
        return int(dist.get_world_size())

    def each(self, items: Sequence[T], what: str) -> Iterable[T]:
        """Return items; the first process shows how many are done."""
        return items if xd.rank(self.mesh) else each(items, what)

    def part(self, rows: int) -> Any:
        """Return a part of the data on the device of this process."""
        device = self.mesh.local.torch_device
        generator = torch.Generator(device).manual_seed(xd.rank(self.mesh))
        return torch.randn(rows, COLUMNS, generator=generator, device=device) * 3 + 1

    def divided(self, part: Any) -> dict[str, Any]:
        """Return the array, and the DTensor, of all parts."""
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.tensor import DTensor, Shard

        device_mesh = init_device_mesh(self.mesh.local.type, (self.number,))
        return {
            OURS: xd.from_parts(part, device=self.mesh),
            RAW: DTensor.from_local(part, device_mesh, [Shard(0)], run_check=False),
        }

    def wait(self) -> None:
        """Wait for the device and for the others."""
        if self.mesh.local.type != "cpu":
            torch.get_device_module(self.mesh.local.type).synchronize()
        dist.barrier()

    def seconds(
        self, calls: Mapping[str, Callable[[], Any]], rounds: int, repeats: int = 1
    ) -> dict[str, float]:
        """Return how long each call takes in the slowest process: the median of some rounds."""
        taken: dict[str, list[float]] = {name: [] for name in calls}
        for turn in range(-2, rounds):
            for name in order(list(calls), max(turn, 0)):
                self.wait()
                start = time.perf_counter()
                for _ in range(repeats):
                    calls[name]()
                if self.mesh.local.type != "cpu":
                    torch.get_device_module(self.mesh.local.type).synchronize()
                if turn >= 0:
                    taken[name].append((time.perf_counter() - start) / repeats)
        return {name: statistics.median(self._slowest(times)) for name, times in taken.items()}

    def _slowest(self, times: Sequence[float]) -> list[float]:
        every: list[Any] = [None] * self.number
        dist.all_gather_object(every, list(times))
        return [max(several) for several in zip(*every)]

    def alone(self, call: Callable[[], Any], rounds: int) -> float:
        """Return how long a call takes in the first process while the others wait."""
        if xd.rank(self.mesh):
            return self.seconds({ONE: lambda: None}, rounds)[ONE]
        return self.seconds({ONE: call}, rounds)[ONE]

    def check(self, name: str, ours: Any, theirs: Any, size: int) -> None:
        """See that the results agree, and that all processes have the same bits.

        A sum of ``size`` standardised numbers is 0 but for what rounding adds to it.
        """
        for a, b in zip(ours, theirs):
            if xd.layout(a).axis is None:
                mine = xp.to_torch(xd.gather(a)).cpu()
                every: list[Any] = [None] * self.number
                dist.all_gather_object(every, mine)
                if not all(torch.equal(mine, other) for other in every):
                    raise AssertionError(f"{name}: the processes differ")
                torch.testing.assert_close(
                    mine, b.cpu(), rtol=2e-3, atol=2e-2 * float(b.abs().max()) + 1e-8 * size
                )


def programs(ranks: Ranks, rows: int, rounds: int) -> list[list[str]]:
    """Time the programs and measure their memory."""
    cells = []
    part = ranks.part(rows)
    given = ranks.divided(part)
    one, some = xp.asarray(part), rows // ranks.number
    few = ranks.divided(part[:some].clone())
    for name, (ours, raw) in ranks.each(list(PROGRAMS.items()), "programs"):
        ranks.check(name, ours(given[OURS]), raw(given[RAW]), given[OURS].size)
        single = ranks.alone(partial(ours, one), rounds)
        full = ranks.seconds(
            {OURS: partial(ours, given[OURS]), RAW: partial(raw, given[RAW])}, rounds
        )
        share = ranks.seconds({OURS: partial(ours, few[OURS])}, rounds)[OURS]
        size = one.nbytes if hasattr(one, "nbytes") else part.nbytes
        peak = peak_memory(Timer(partial(ours, one)), ranks.mesh.local.type) + size
        peaks = peak_memory(Timer(partial(ours, few[OURS])), ranks.mesh.local.type)
        peaks += size // ranks.number
        found = {
            "weak": (single / full[OURS], WEAK, "at least"),
            "strong": (single / share, STRONG * ranks.number, "at least"),
            "memory": (peaks / peak, 1 / ranks.number + MEMORY, "at most"),
            "beside DTensor": (full[OURS] / full[RAW], BESIDE, "at most"),
        }
        cells.append(
            [
                name,
                f"{single * 1e3:.2f}",
                f"{full[OURS] * 1e3:.2f}",
                f"{share * 1e3:.2f}",
                f"{full[RAW] * 1e3:.2f}",
                f"{peak / MIB:.0f}",
                f"{peaks / MIB:.0f}",
                *(_judged(*judged) for judged in found.values()),
            ]
        )
    return cells


def _judged(value: float, target: float, how: str) -> str:
    met = value >= target if how == "at least" else value <= target
    return f"{value:.2f}" + ("" if met else f" ({how} {target:.2f})")


def calls(ranks: Ranks, sizes: Sequence[int], rounds: int) -> list[list[str]]:
    """Time single calls on so many rows in all."""
    cells, made = [], 0
    for rows, (name, (ours, raw)) in ranks.each(list(product(sizes, CALLS.items())), "calls"):
        if rows != made:
            given = ranks.divided(ranks.part(rows // ranks.number))
            one, made = xp.asarray(ranks.part(rows)), rows
        repeats = max(1, min(50, 2_000_000 // rows))
        single = ranks.seconds({ONE: partial(ours, one)}, rounds, repeats)[ONE]
        taken = ranks.seconds(
            {OURS: partial(ours, given[OURS]), RAW: partial(raw, given[RAW])}, rounds, repeats
        )
        cells.append(
            [
                name,
                f"{rows:,}",
                *(f"{t * 1e6:,.0f}" for t in (single, taken[OURS], taken[RAW])),
                f"{single / taken[OURS]:.2f}",
                f"{taken[OURS] / taken[RAW]:.2f}",
            ]
        )
    return cells


def tables(ranks: Ranks, arguments: argparse.Namespace) -> list[Table]:
    """Measure all."""
    rows, n = arguments.rows, ranks.number
    whole = [
        ["program", f"1 device, {rows:,}", f"{n}, {n * rows:,}", f"{n}, {rows:,}"]
        + [f"DTensor, {n * rows:,}", "MiB of 1", f"of each of {n}"]
        + ["weak", "strong", "memory", "beside DTensor"],
        *programs(ranks, rows, arguments.rounds),
    ]
    sizes = [s for s in (64, 4_096, 65_536, 1_048_576, 16_777_216) if s <= max(rows, 4_096)]
    single = [
        ["call", "rows", ONE, OURS, RAW, "times faster", "beside DTensor"],
        *calls(ranks, sizes, arguments.rounds),
    ]
    where = f"{ranks.mesh}, {dist.get_backend()}, {torch.__version__}"
    return [
        Table(f"Milliseconds on {where}, rows x {COLUMNS} of float32", whole),
        Table(f"Microseconds of a call on {where}, rows x {COLUMNS} in all", single),
    ]


def run(argv: Sequence[str]) -> None:
    """Measure between the processes that run, or start them first."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks meshes", description=__doc__)
    parser.add_argument("--device", default="cpu", help="the type of the devices")
    parser.add_argument("--processes", type=int, default=2, help="how many to start")
    parser.add_argument("--rows", type=int, default=200_000, help="rows for each device")
    parser.add_argument("--rounds", type=int, default=7, help="the median of so many is taken")
    parser.add_argument(
        "--ranks", type=int, nargs="+", metavar="P", help="the host's time of one of P ranks alone"
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables to a page")
    arguments = parser.parse_args(argv)
    if arguments.ranks:
        found = many.tables(arguments.ranks, arguments.rounds)
        print("\n".join(table.as_text() for table in found))
        if arguments.markdown:
            text = "\n".join(table.as_markdown() for table in found)
            insert(arguments.markdown, "meshes ranks", text)
        return
    if "RANK" not in os.environ:
        launch = ["torch.distributed.run", "--nproc-per-node", str(arguments.processes)]
        command = [sys.executable, "-m", *launch, "-m", "benchmarks", "meshes", *argv]
        sys.exit(subprocess.run(command, check=False).returncode)
    if arguments.device == "cpu":
        torch.set_num_threads(1)
    mesh = xd.init(arguments.device, timeout=120)
    with xp.options(gather="error"):
        found = tables(Ranks(mesh), arguments)
    if xd.rank(mesh) == 0:
        print("\n".join(table.as_text() for table in found))
        if arguments.markdown:
            text = "\n".join(table.as_markdown() for table in found)
            insert(arguments.markdown, f"meshes {torch.device(arguments.device).type}", text)
