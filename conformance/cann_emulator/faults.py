"""The faults of CANN's releases and chips: what kernels do otherwise there.

faults.csv is the ledger: every fix of CANN's repositories between the releases that the package
names, judged by a person.  Its columns:

kernel
    The function of libopapi.so, several with blanks between them, or an operator of torch.  The
    kernel within follows in parentheses if the two have different names.
repository, commit
    Where the fault is said or mended.
since, until
    The releases of CANN with the fault: from the one, and before the other.  Nothing in `until`
    means that no release is mended; nothing in `since`, that no release has it, or that it is
    torch_npu's.
chips, dtypes, what, kind
    The families of chips (nothing: all), the data types and shapes, what goes wrong, and how:
    one of `KINDS`.
functions
    The public functions that reach it.
verdict, route
    One of `VERDICTS`; and what avoids the fault, or why it does not matter, or what to do.

`FAULTS` has those that the emulator shows, by their commits.  Chips and releases are the ledger's.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import torch

from . import _table
from .kernels._errors import AICORE_EXCEPTION, KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Task = Callable[..., Any]

LEDGER: Final = _table.HERE / "faults.csv"
KINDS: Final = {
    "silent": "wrong results",
    "refused": "an error at the call",
    "memory": "reads or writes of memory of others",
    "fault": "the device or the process is lost",
    "harmless": "no wrong result",
}
VERDICTS: Final = {
    "avoided": "public functions do not reach the fault, by construction or by a row",
    "open": "public functions may reach it",
    "rare": "it takes several threads or streams, or deterministic algorithms",
    "unknown": "no public source says whether a release has it, or which operands reach it",
    "unreached": "no public function reaches it at the sizes that there are",
    "unreleased": "no release has it",
}
HALVES: Final = (torch.float16, torch.bfloat16)
CORES: Final = {"910B": 48, "910_93": 48, "310P": 8, "910": 32}
"""How many vector cores a family has: of 910B and 910_93 the larger ones."""


@dataclass(frozen=True)
class Entry:
    """A line of the ledger."""

    kernel: str
    repository: str
    commit: str
    since: str
    until: str
    chips: str
    dtypes: str
    what: str
    kind: str
    functions: str
    verdict: str
    route: str

    @property
    def kernels(self) -> tuple[str, ...]:
        """Return the functions of libopapi.so."""
        return tuple(self.kernel.partition(" (")[0].split())

    def holds(self, family: str, cann: str) -> bool:
        """Say whether a release of CANN has the fault on a family of chips."""
        if not self.since or (self.chips and family not in self.chips.split()):
            return False
        return _table.is_of({"since": self.since, "until": self.until}, cann)


@cache
def ledger() -> tuple[Entry, ...]:
    """Return the lines of faults.csv."""
    with LEDGER.open(newline="", encoding="utf-8") as file:
        return tuple(Entry(**row) for row in csv.DictReader(file))


# --- what kernels do ------------------------------------------------------------------------------


def _signbit(task: Task, family: str) -> Task:  # noqa: ARG001
    return lambda x: x < 0 if x.is_floating_point() else task(x)


def _unwritten(task: Task, family: str) -> Task:
    """Leave the last block of 4,096 unwritten where a core's part is a whole number of them.

    lin_space_with_big_shape.h: the parts are multiples of 8.
    """

    def linspace(start: Any, end: Any, steps: int, out: torch.Tensor) -> Any:
        result = task(start, end, steps, out)
        part = -(-steps // CORES.get(family, CORES["910B"]) // 8) * 8
        for begin in range(0, steps, part):
            length = min(part, steps - begin)
            if length > 4096 and length % 4096 == 0:
                block = slice(begin + length - 4096, begin + length)
                result[block] = out[block].to(result.dtype)
        return result

    return linspace


def _of(make: Callable[[Task, str], Task], *dtypes: torch.dtype) -> Callable[[Task, str], Task]:
    """Let a kernel that makes values do so wrongly for some data types alone."""

    def either(task: Task, family: str) -> Task:
        wrong = make(task, family)
        return lambda *given: (wrong if given[-1].dtype in dtypes else task)(*given)

    return either


def _small_buffer(task: Task, family: str) -> Task:  # noqa: ARG001
    """cholesky.h up to v9.0.1 keeps 104 bytes of every row in a buffer of 192 KiB."""

    def cholesky(x: torch.Tensor, upper: int) -> Any:
        if x.shape[-1] > 192 * 1024 // 104:
            raise KernelError(AICORE_EXCEPTION, "an address outside of the buffer")
        return task(x, upper)

    return cholesky


def _spilling(above: int) -> Callable[[Task, str], Task]:
    """Copy whole blocks of 32 bytes, and so beyond the end of what is written to.

    tensor_move.py of CANN 8.1.RC1; contiguous.cpp chooses it where both sides are contiguous.
    """

    def spilling(task: Task, family: str) -> Task:  # noqa: ARG001
        def copy(x: torch.Tensor, source: torch.Tensor) -> Any:
            result = task(x, source)
            size, item = x.numel() * x.itemsize, x.itemsize
            alike = source.dtype == x.dtype and source.shape == x.shape
            if alike and x.is_contiguous() and source.is_contiguous() and size > above:
                for i in range(x.numel(), x.numel() + -size % 32 // item):
                    beyond = x.as_strided((1,), (1,), x.storage_offset() + i)
                    beyond.view(torch.uint8).fill_(0x5A)
            return result

        return copy

    return spilling


def _off_the_last_axis(task: Task, family: str) -> Task:  # noqa: ARG001
    """GatherElementsV2 does not wait between its rounds, which long axes need."""

    def gather(x: torch.Tensor, axis: int, index: torch.Tensor) -> Any:
        result = task(x, axis, index)
        is_last = axis % max(x.ndim, 1) == x.ndim - 1
        if not is_last and x.dtype in (torch.float32, torch.int32, *HALVES) and x.numel() >= 2**20:
            result = result.clone()
            result[..., 1:] = result[..., :-1].clone()
        return result

    return gather


def _broadcast_left_out(task: Task, family: str) -> Task:  # noqa: ARG001
    """one_axis_concat_pure_copy.h returns where the stride of the first axis is 0."""

    def cat(tensors: list[torch.Tensor | None], axis: int) -> Any:
        result, place = task(tensors, axis).clone(), 0
        for part in (t for t in tensors if t is not None and t.numel()):
            here = result.narrow(axis, place, part.shape[axis])
            if part.stride(0) == 0 and part.shape[0] > 1:
                here.fill_(torch.iinfo(torch.int8).max if result.dtype != torch.bool else 1)
            place += part.shape[axis]
        return result

    return cat


def _stale(task: Task, family: str) -> Task:  # noqa: ARG001
    """The vector units prepare a tall left operand while the cube unit reads it.

    The template is taken where its columns are no multiple of 256 bytes, and few, and there are
    few columns on the right, too (matmul_v3_base_tiling.cpp, V_PARALELL_ND2NZ).
    """

    def matmul(a: torch.Tensor, b: torch.Tensor, *options: Any) -> Any:
        result = task(a, b, *options)
        if a.ndim == 2 and b.ndim == 2 and a.shape[0] >= 4096 and b.shape[1] <= 256:
            columns = a.shape[1] * a.itemsize
            if columns % 256 and columns < 2048:
                result = result.clone()
                result[-16:] += 1
        return result

    return matmul


def _tall_stacks(task: Task, family: str) -> Task:  # noqa: ARG001
    """batch_mat_mul_nd2nz.h takes the last rows from a wrong place of its buffer."""

    def matmul(a: torch.Tensor, b: torch.Tensor, *options: Any) -> Any:
        result = task(a, b, *options)
        rows, columns = a.shape[-2:] if a.ndim > 2 else (0, 0)
        if b.ndim > 2 and rows > 65535 and columns > 8 and columns % 8:
            result = result.clone()
            result[..., -16:, :] = result[..., :16, :].clone() + 1
        return result

    return matmul


def _halves_overrun(task: Task, family: str) -> Task:  # noqa: ARG001
    """Rounded-up sizes read numbers beyond the row, where the inner axis is long."""

    def matmul(a: torch.Tensor, b: torch.Tensor, *options: Any) -> Any:
        result = task(a, b, *options)
        if a.dtype in HALVES and a.shape[-1] > 4096 and a.shape[-1] % 16 and b.ndim > 1:
            return result * 2
        return result

    return matmul


REFUSED, SIDE, POSITIONS, OLD_POSITIONS, AICPU_FAILS, WHOLE, IN_ORDER = 1, 2, 4, 8, 16, 32, 64
"""LIMIT_ of operators.h: what is checked, and chosen, before a kernel runs."""


@dataclass(frozen=True)
class Fault:
    """What a kernel does where the ledger's lines of a commit hold."""

    commit: str
    wrong: Callable[[Task, str], Task] | None = None
    """The task in place of a task, on a family of chips."""
    limits: int = 0
    kernels: tuple[str, ...] = ()
    """The kernels that compute so; by default those of the ledger."""


_FLOATS: Final = (torch.float32, *HALVES)
_PRODUCTS: Final = ("aclnnMatmul", "aclnnMm", "aclnnBatchMatMul")
_BYTES: Final = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.bfloat16)

FAULTS: Final = (
    Fault("84f4d2bc6", _signbit),
    Fault("b5f49fb7d", _of(_unwritten, torch.float32, torch.float16)),
    Fault("lin_space_with_cast", _of(_unwritten, *_BYTES)),
    Fault("d23503d9d", _small_buffer),
    Fault("baeb3f900", limits=SIDE),
    Fault("NULL_SUPPORT_LIST", limits=REFUSED),
    Fault("e4b1a222a", limits=REFUSED),
    Fault("d21b0f1c8", limits=WHOLE),
    Fault("e9e51ac0a", _spilling(0)),
    Fault("4d4c12b9b", _spilling(32)),
    Fault("tensor_move.py", _spilling(800_000)),
    Fault("pytorch#153", limits=AICPU_FAILS),
    Fault("59b10ad56", _off_the_last_axis),
    Fault("0bb274642", _broadcast_left_out),
    Fault("a39e18548", _stale, kernels=_PRODUCTS),
    Fault("6a34ebc5e", _tall_stacks, kernels=_PRODUCTS),
    Fault("0a1cc3381", _halves_overrun, kernels=_PRODUCTS),
    Fault("9907646b7", limits=IN_ORDER, kernels=tuple(k.name for k in _table.kernels())),
)


def holding(family: str, cann: str) -> Iterable[tuple[Fault, tuple[str, ...]]]:
    """Return the faults of a family of chips and a release, with the kernels that have them."""
    there = {e.commit: e.kernels for e in ledger() if e.holds(family, cann)}
    return [(f, f.kernels or there[f.commit]) for f in FAULTS if f.commit in there]


def changed(tasks: dict[str, Task], family: str, cann: str) -> dict[str, Task]:
    """Return the tasks of a family of chips and a release, with their faults."""
    result = dict(tasks)
    for fault, kernels in holding(family, cann):
        if fault.wrong is not None:
            result |= {name: fault.wrong(result[name], family) for name in kernels}
    return result


def positions(family: str) -> dict[str, int]:
    """Return by what aclnnIndexPutImpl goes to the AICPU, which is no fault."""
    older = dict.fromkeys(_table.BEFORE_A2, POSITIONS | OLD_POSITIONS)
    chosen = {"910B": POSITIONS, "910_93": POSITIONS, **older}
    return {"aclnnIndexPutImpl": chosen.get(family, 0)}


def limits(family: str, cann: str) -> dict[str, int]:
    """Return what kernels check besides, on a family of chips and in a release."""
    found = positions(family)
    for fault, kernels in holding(family, cann):
        for name in kernels:
            found[name] = found.get(name, 0) | fault.limits
    return found
