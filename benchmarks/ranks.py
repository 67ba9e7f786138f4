"""How long the host of one process takes to plan what many exchange: nothing is sent.

python -m benchmarks meshes --ranks 16 64 256 1024
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import torch

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from ascend_array_api._arrays.array import wrap
from ascend_array_api._backends.mesh._agreement import Agreement
from ascend_array_api._backends.mesh._sharded import Sharded
from ascend_array_api._backends.mesh._transport import Processes
from ascend_array_api._devices.device import spec
from benchmarks.report import MIB, Table
from conformance.terminal import each

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

COLUMNS: Final = 2_048
"""The number of columns of the Gram matrix whose bytes are counted."""
PLANNED, MULTIPLIED, MULTIPLIED_AT, GRAM = 5.0, 50.0, 256, 1.1
"""The targets: milliseconds of a move or running sum at most; of a product of square matrices, and
with how many ranks; how many times the bytes of an all-reduction a Gram matrix receives."""


class Silent(Processes):
    """The first of many ranks, with no others: every rank is taken to have what this one has.

    Only the time that libraries and networks take is missing.
    """

    def __init__(self, size: int) -> None:  # without torch.distributed
        self.size, self.ranks = size, (0,)
        self.calls = self.bytes = self.swapped = self.owed = 0
        self.doing = None
        self.agree = False
        self._watch = self._failed = self.group = self.patience = None
        self._agreement = Agreement(0, size)
        self._gather = self._gathered_from_none
        self._swap = self._swapped_with_none
        self._add = lambda own: own
        self.adds = xd.of_this_process("cpu").backend.adds

    @staticmethod
    def _gathered_from_none(received: Tensor, own: Tensor) -> None:
        received.view(-1, own.numel()).copy_(own.unsqueeze(0))

    @staticmethod
    def _swapped_with_none(
        received: Tensor,
        own: Tensor,
        *sizes: Sequence[int],
        async_op: bool = False,  # noqa: ARG004  # there is nothing to wait for
    ) -> None:
        if sizes:
            received.zero_()
        else:
            received.copy_(own)


def one_of(size: int) -> Any:
    """Return the mesh of so many ranks in which this process is the first."""
    return xd._mesh(("silent", size), lambda: Silent(size), xd.of_this_process("cpu"))


def divided(mesh: Any, *shape: int, axis: int = 0) -> Any:
    """Return an array of which this process has the first part."""
    backend = mesh.backend
    part = torch.rand(backend.shapes(shape, axis)[0])
    return wrap(Sharded([part], axis, backend, shape), spec(torch.float32, mesh))


def calls(mesh: Any) -> dict[str, Callable[[], Any]]:
    """Return the calls to time, on few elements of each rank."""
    n = 4 * mesh.backend.transport.size
    v, a, b = divided(mesh, n), divided(mesh, n, 8), divided(mesh, n, 8)
    square = divided(mesh, n, n) if n <= 4 * MULTIPLIED_AT else None
    positions = xp.astype(v, xp.int64)
    return {
        "roll(a, 1, axis=0)": lambda: xp.roll(a, 1, axis=0),
        "concat([a, b])": lambda: xp.concat([a, b]),
        "cumulative_sum(v)": lambda: xp.cumulative_sum(v),
        "cumulative_sum(v / 0)": lambda: xp.cumulative_sum(v / 0),
        "flip(a, axis=0)": lambda: xp.flip(a, axis=0),
        "a[1:, :]": lambda: a[1:, :],
        "diff(v)": lambda: xp.diff(v),
        "reshape(a, (8, n))": lambda: xp.reshape(a, (8, n)),
        "shard(a, 1)": lambda: xd.shard(a, 1),
        "sum(a, axis=0)": lambda: xp.sum(a, axis=0),
        "std(a, axis=0)": lambda: xp.std(a, axis=0),
        "argmax(v)": lambda: xp.argmax(v),
        "take(v, positions)": lambda: xp.take(v, positions),
        "sort(v)": lambda: xp.sort(v),
        "unique_values(v)": lambda: xp.unique_values(v),
        "a.T @ a": lambda: a.T @ a,
        **({} if square is None else {"square @ square": lambda: square @ square}),
    }


def milliseconds(call: Callable[[], Any], rounds: int) -> float:
    """Return how long the fastest of some calls takes."""
    taken = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken[1:]) * 1e3


def gram_bytes(mesh: Any) -> tuple[int, int]:
    """Return the bytes that a Gram matrix receives, and those that an all-reduction receives."""
    transport = mesh.backend.transport
    x = divided(mesh, transport.size, COLUMNS)
    before = transport.bytes
    gram = x.T @ x
    return transport.bytes - before, 2 * (transport.size - 1) * gram.size * 4 // transport.size


def tables(sizes: Sequence[int], rounds: int) -> list[Table]:
    """Measure with each number of ranks."""
    torch.set_num_threads(1)
    found: dict[str, list[str]] = {}
    meshes = [one_of(size) for size in sizes]
    every = [(place, call) for place, mesh in enumerate(meshes) for call in calls(mesh).items()]
    for place, (name, call) in each(every, "calls"):
        cells = found.setdefault(name, [""] * len(sizes))
        cells[place] = _judged(name, sizes[place], milliseconds(call, rounds))
    gram = [["ranks", "MiB received", "MiB of an all-reduction", "ratio"]]
    for size, mesh in each(list(zip(sizes, meshes)), "Gram matrices"):
        ours, least = gram_bytes(mesh)
        missed = "" if ours <= GRAM * least else f" (at most {GRAM})"
        gram.append(
            [str(size), f"{ours / MIB:.1f}", f"{least / MIB:.1f}", f"{ours / least:.2f}{missed}"]
        )
    rows = [["call", *(f"{size:,} ranks" for size in sizes)]]
    rows += [[name, *cells] for name, cells in found.items()]
    return [
        Table(
            f"Milliseconds of one host, {torch.__version__}; a and b are 4 P x 8 on P ranks", rows
        ),
        Table(f"A Gram matrix of {COLUMNS:,} columns of float32", gram),
    ]


def _judged(name: str, size: int, taken: float) -> str:
    targets = dict.fromkeys(("roll(a, 1, axis=0)", "concat([a, b])", "cumulative_sum(v)"), PLANNED)
    if size == MULTIPLIED_AT:
        targets["square @ square"] = MULTIPLIED
    most = targets.get(name)
    return f"{taken:.2f}" + ("" if most is None or taken <= most else f" (at most {most:g})")
