"""Take each entry of a row out, and see whether a witness notices.

An entry is an operation and a data type for which a row decides.  What a sample gives is compared
with and without the row: whether it is right, where it is computed, how often the slow processor
of an NPU works for it, how many kernels it takes.
"""

from __future__ import annotations

import enum
import warnings
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from conformance.terminal import each

from ..cells.measure import AICPU, Measurement, _arrays, _has_data, _short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    import torch

    from ascend_array_api._routes._operations import Op
    from ascend_array_api._routes._rows import Row
    from conformance.cann_emulator import Emulator

    from .samples import Sample

ENOUGH: Final = 40
"""So many samples that reach an entry are called without it before it counts as not needed."""


class Verdict(enum.Enum):
    """What became of an entry."""

    NEEDED = "needed"
    NOT_NEEDED = "no longer needed"
    NOT_REACHED = "not reached"
    NOT_TRIED = "not tried"


@dataclass(frozen=True)
class Entry:
    """A row, and an operation and a data type for which it decides on a device type."""

    row: Row = field(repr=False)
    operation: str
    dtype: torch.dtype
    own: bool = field(compare=False)
    """Whether the row is the device type's own."""

    def __str__(self) -> str:
        return f"{self.operation} of {str(self.dtype).removeprefix('torch.')}"


@dataclass(frozen=True)
class Seen:
    """What came of one call."""

    problem: str = ""
    """What is wrong with it."""
    on_host: bool = False
    aicpu: Counter[str] = field(default_factory=Counter)
    """The kernels that ran on the slow processor."""
    launches: int = 0
    reads: int = 0
    """How often values came to the host, or sizes that hang on values."""
    gathered: int = 0
    """How many bytes of divided arrays were gathered."""
    whole: int = 0
    """How many results every process has as a whole."""

    def worse_than(self, other: Seen, kind: str = "wrong") -> str:
        """Say in what it is worse, for a row of some kind; nothing where it is not."""
        if self.problem and not other.problem:
            return self.problem
        if self.gathered > other.gathered:
            return f"gathers {self.gathered} bytes instead of {other.gathered}"
        if self.whole > other.whole:
            return f"{self.whole} results are not divided instead of {other.whole}"
        if self.on_host and not other.on_host:
            return "computed on the host"
        if self.aicpu.total() > other.aicpu.total():
            return f"on the AICPU: {', '.join(sorted(self.aicpu - other.aicpu))}"
        if kind == "host" and self.reads > other.reads:
            return f"{self.reads} values come to the host instead of {other.reads}"
        if kind == "launches" and self.launches > other.launches:
            return f"{self.launches} kernels instead of {other.launches}"
        return ""


@dataclass(frozen=True)
class Finding:
    """What was found for an entry."""

    entry: Entry
    verdict: Verdict
    by: str = ""
    """The sample that noticed."""
    what: str = ""
    """What it noticed."""


class Rows(Measurement):
    """Takes out the rows of one device.

    Parameters
    ----------
    device : str
        ``"npu"``, ``"cuda:0"``, ``"cpu"``.  Without CANN the NPU is emulated.
    """

    def __init__(self, device: str) -> None:
        super().__init__(device)
        from ascend_array_api._routes import _operations

        self._operations = _operations
        self._out: Entry | None = None
        self._reached: set[Entry] = set()
        self._own = set(_operations.rows_of(self.device_type))
        self._chosen = _operations.chosen

    def entries(self) -> list[Entry]:
        """Return the entries of rows that decide on the device type, but those for speed alone."""
        return [
            Entry(row, name, dtype, row in self._own)
            for name, op in sorted(self._ops.items())
            for dtype in sorted(op.dtypes, key=str)
            if (row := op.row(dtype, self.device.backend)) is not None
            if row.evidence.kind != "time"
        ]

    def findings(
        self, samples: Sequence[Sample], entries: Sequence[Entry] | None = None
    ) -> Iterator[Finding]:
        """Say of each entry whether it is needed.

        Parameters
        ----------
        samples : sequence of Sample
        entries : sequence of Entry, optional
            By default all.
        """
        entries = self.entries() if entries is None else entries
        with warnings.catch_warnings(), np.errstate(all="ignore"), self._watched():
            warnings.simplefilter("ignore")
            with_rows: dict[Entry, list[tuple[Sample, Seen]]] = {}
            made = [sample for sample in samples if self.device_type in sample.devices]
            for sample in each(made, "samples"):
                self._reached.clear()
                seen = self._see(sample)
                for entry in self._reached:
                    with_rows.setdefault(entry, []).append((sample, seen))
            for entry in each(entries, "entries"):
                yield self._finding(entry, with_rows.get(entry, []))

    def _finding(self, entry: Entry, reaching: Sequence[tuple[Sample, Seen]]) -> Finding:
        if not reaching:
            return Finding(entry, Verdict.NOT_REACHED)
        if entry.row.evidence.kind == "fatal":
            return Finding(entry, Verdict.NOT_TRIED)
        # Those of the operation's own name and data type first.
        dtype = str(entry.dtype).removeprefix("torch.")
        near = sorted(
            reaching,
            key=lambda pair: (entry.operation not in pair[0].name, pair[0].dtype != dtype),
        )
        kind, worlds = entry.row.evidence.kind, self._worlds(entry)
        for sample, seen in near[:ENOUGH]:
            worse = self._without(entry, sample).worse_than(seen, kind)
            if worse:
                return Finding(entry, Verdict.NEEDED, str(sample), worse)
        for name, world in worlds.items():
            with world:
                for sample, _ in near[:ENOUGH]:
                    seen = self._see(sample)
                    worse = "" if seen.problem else self._without(entry, sample).problem
                    if worse:
                        return Finding(entry, Verdict.NEEDED, f"{sample}, {name}", worse)
        return Finding(entry, Verdict.NOT_NEEDED, str(near[0][0]))

    def _without(self, entry: Entry, sample: Sample) -> Seen:
        self._out = entry
        try:
            return self._see(sample)
        finally:
            self._out = None

    def _worlds(self, entry: Entry) -> dict[str, AbstractContextManager[Any]]:
        """Return what else emulated kernels may do that the row is about."""
        if self.emulator is None:
            return {}
        from .undocumented import CHANGES

        named = [name for name in entry.row.evidence.names if name in CHANGES]
        worlds: dict[str, AbstractContextManager[Any]] = {}
        if named and entry.row.evidence.kind in {"wrong", "undocumented"}:
            changed = self._changed(self.emulator, {name: CHANGES[name] for name in named})
            worlds[f"{' and '.join(named)} as the documents allow"] = changed
        return worlds | {"as the chip computes": self.emulator.computing("chip")}

    @contextmanager
    def _changed(self, emulator: Emulator, changes: dict[str, Any]) -> Iterator[None]:
        tasks = emulator._tasks
        emulator.wait()
        emulator._tasks = [
            changes[kernel.name](task) if kernel.name in changes else task
            for kernel, task in zip(emulator._kernels, tasks, strict=True)
        ]
        try:
            yield
        finally:
            emulator.wait()
            emulator._tasks = tasks

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Take note of the rows that decide, and leave out the one that is out."""
        engine, chosen, takes = self._operations, self._chosen, self._operations.Op.takes_scalars
        facts = self.device.backend.facts

        def watched(rows: Sequence[Row], name: str, dtype: torch.dtype, known: Any) -> Row | None:
            if known is not facts:
                return chosen(rows, name, dtype, known)
            out = self._out
            if out is not None and (out.operation, out.dtype) == (name, dtype):
                rows = [row for row in rows if row is not out.row]
            row = chosen(rows, name, dtype, known)
            if row is not None:
                self._reached.add(Entry(row, name, dtype, row in self._own))
            return row

        def takes_none(op: Op, spec: Any) -> bool:  # noqa: ARG001
            # What takes scalars is remembered, and a look-up by them would not be seen.
            return False

        _set(engine, watched, takes_none)
        try:
            yield
        finally:
            _set(engine, chosen, takes)
            self._forget()

    def _forget(self) -> None:
        for op in self._ops.values():
            op.clear()

    def _see(self, sample: Sample) -> Seen:
        xp = self._xp
        self._forget()
        xp.fallback_report(clear=True)
        try:
            options = {"host_fallback": "allow", "checks": "off", "gather": "allow"}
            with xp.options(device=self.device, **options):
                result, seen = self._launched(sample, sample.prepared(xp, self.device))
                seen = self._divided(result, seen)
            problem = sample.problem(xp, result)
        except Exception as error:  # noqa: BLE001  # whatever it is, the sample fails
            return Seen(_short(error))
        on_host = seen.on_host or bool(xp.fallback_report())
        return replace(seen, problem=problem, on_host=on_host)

    def _divided(self, result: Any, seen: Seen) -> Seen:
        """Add what was gathered on a mesh since the last time, and what is not divided."""
        if self.device_type != "mesh":
            return seen
        from ascend_array_api import distributed

        gathered = sum(entry.bytes for entry in distributed.gather_report(clear=True))
        whole = sum(self.device.backend.divided_axis(t) is None for t in _arrays(self._xp, result))
        return replace(seen, gathered=gathered, whole=whole)

    @contextmanager
    def _waits(self) -> Iterator[list[warnings.WarningMessage]]:
        """Collect torch's warnings of waits for the device, which it has for GPUs alone."""
        if self.device_type != "cuda":
            yield []
            return
        import torch

        mode = torch.cuda.get_sync_debug_mode()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            torch.cuda.set_sync_debug_mode("warn")
            try:
                yield caught
            finally:
                torch.cuda.set_sync_debug_mode(mode)

    def _launched(self, sample: Sample, call: Callable[[], Any]) -> tuple[Any, Seen]:
        if self.emulator is None:
            with _counting() as counting, self._waits() as waits:
                result = call()
            reads = 0 if sample.moves else sum("synchroniz" in str(w.message) for w in waits)
            return result, Seen(launches=counting.launches, reads=reads)
        with self.emulator.counting() as counts:
            result = call()
        aicpu = Counter(
            {kernel: n for (kernel, _, unit), n in counts.kernels.items() if unit == AICPU}
        )
        host = bool(counts.fallbacks) or (
            not sample.moves
            and counts.to_host[0] > 0
            and (not sample.waits or _has_data(counts.to_host))
        )
        sized = sum(n for (kernel, _, _), n in counts.kernels.items() if kernel in _sized())
        reads = 0 if sample.moves else counts.to_host[0] + sized
        return result, Seen("", host, aicpu, counts.kernels.total(), reads)


def _sized() -> frozenset[str]:
    """Return the kernels whose results have a size that the host waits for."""
    from conformance.cann_emulator.kernels import SIZED_BY_DATA

    return SIZED_BY_DATA


def _set(engine: Any, chosen: Any, takes_scalars: Any) -> None:
    engine.chosen, engine.Op.takes_scalars = chosen, takes_scalars


def _counting() -> Any:
    """Return a context that counts the operations that torch dispatches."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Counting(TorchDispatchMode):
        def __init__(self) -> None:
            super().__init__()  # type: ignore[no-untyped-call]
            self.launches = 0

        def __torch_dispatch__(
            self, function: Any, _types: Any, operands: Any = (), parameters: Any = None
        ) -> Any:
            self.launches += 1
            return function(*operands, **(parameters or {}))

    return Counting()
