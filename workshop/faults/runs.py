"""One run: a call in which something of the emulated device fails, and what must hold after it.

Either the error is raised, as ``DeviceError`` or ``MemoryError``, by the call or by what waits for
it, or the result is right.  The operands and all other arrays are what they were, the next call is
computed as if nothing had been, and no memory is lost.
"""

from __future__ import annotations

import contextlib
import gc
import operator
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import ascend_array_api as xp
from ascend_array_api._devices.device import parse
from ascend_array_api._reports import late_errors
from ascend_array_api._routes import _operations

from ..fuzz.choices import Choices, Rejected
from ..samples._table import FUNCTIONS
from ..samples.comparison import arrays_in, compared
from ..samples.strategies import arrays_of, nested, to_numpy

if TYPE_CHECKING:
    import random
    from collections import Counter

    from conformance.cann_emulator import Emulator

#: What fails, by how processes are set up: kernels when they are checked, launched or have run;
#: allocations, once, or again after the caches are given back; copies; the device as a whole.
#: With torch_npu's task queue a launch, a copy and a device that fail end all work of the process.
KINDS = {
    "plain": ("call", "launch", "synchronize", "allocation", "no memory", "copy", "lost"),
    "queued": ("call", "synchronize", "allocation", "no memory"),
}
ALLOCATIONS = ("allocation", "no memory")

_LOST = 100
"""So many tensors more than 300 runs before are too many."""

ERRORS = (xp.DeviceError, MemoryError)


@dataclass
class Problem(Exception):  # noqa: N818
    """What did not hold."""

    text: str


@dataclass
class Bystanders:
    """Arrays that no run has to do with."""

    arrays: list[Any] = field(default_factory=list)
    values: list[bytes] = field(default_factory=list)

    def add(self, array: Any) -> None:
        """Watch one more."""
        self.arrays.append(array)
        self.values.append(to_numpy(array).tobytes())

    def check(self) -> None:
        """Raise unless all of them are what they were."""
        for array, before in zip(self.arrays, self.values):
            if to_numpy(array).tobytes() != before:
                raise Problem("another array was changed")


class Campaign:
    """Runs on one emulator, which has two devices."""

    def __init__(self, emulator: Emulator, setup: str) -> None:
        import torch

        self.emulator, self.kinds = emulator, KINDS[setup]
        self.torch: Any = torch
        self.queued = setup == "queued"
        self.names = compared()
        self.others = Bystanders()
        for device in ("npu:0", "npu:1"):
            for dtype in ("float32", "int64", "bool"):
                values = np.arange(700).astype(dtype)
                self.others.add(xp.asarray(values, device=device))
        self.what = ""
        self._used: list[int] = []

    def run(self, generator: random.Random, done: Counter[tuple[str, str]]) -> None:
        """Make one call with a fault; count what became of it by its kind."""
        choices = Choices(generator)
        name = choices.one(tuple(self.names))
        dtype = choices.one(self.names[name])
        kind = choices.one(self.kinds)
        self.what = f"{kind} of {name} of {dtype}"
        try:
            trial = FUNCTIONS[name].compared(choices.draw, name, dtype)
        except Rejected:
            return
        args, kwargs = arrays_of(trial.args), arrays_of(trial.kwargs)
        function = operator.attrgetter(name)(xp)

        def call() -> None:
            result = function(*args, **kwargs)
            for array in arrays_in(result):
                to_numpy(array)
            trial.check(result)

        # What it takes when nothing fails.
        with self.emulator.counting() as counts:
            call()
        copies = counts.to_device[0] + counts.to_host[0] + counts.on_device[0]
        places = {"copy": copies, "lost": 1}.get(kind, sum(counts.kernels.values()))
        kept: list[Any] = []
        if kind in ALLOCATIONS:
            kept = self._fill()
            allocations = self.emulator.memory_of(0).allocations
            call()
            places = self.emulator.memory_of(0).allocations - allocations
            self.torch.npu.empty_cache()
        if not places:
            done[kind, "nothing to fail"] += 1
            return
        place = 1 + choices.below(places)
        self.what += f", place {place} of {places}"
        raised = self._faulted(kind, place, call)
        kept.clear()
        done[kind, type(raised).__name__ if raised else "right"] += 1
        if kind == "synchronize":
            # The kernels after one that did nothing may have met positions that are none.
            self.emulator.failures.clear()
        if kind == "allocation" and raised is not None:
            raise Problem(f"an allocation that fails once raised {raised!r}")
        for operand in nested((trial.args, trial.kwargs)):
            operand.check_unchanged()
        self.others.check()
        if self.is_over():
            return
        self._revive()
        call()

    def _faulted(self, kind: str, place: int, call: Any) -> Exception | None:
        """Make a call in which something fails; return what it raised."""
        raised: Exception | None = None
        try:
            if kind == "lost":
                with self.emulator.lost_device(0):
                    call()
            else:
                self._order(kind, place)
                call()
        except ERRORS as error:
            raised = error
        finally:
            self.emulator.fail_nothing()
        self._settle()
        return raised

    def _fill(self) -> list[Any]:
        """Leave no room in what torch_npu has already; return what takes it up."""
        kept = []
        for size in (1 << 19, 1 << 16, 1 << 13, 1 << 9):
            while True:
                before = self.emulator.memory_of(0).allocations
                made = self.torch.empty(size - 32, dtype=self.torch.uint8, device="npu:0")
                if self.emulator.memory_of(0).allocations > before:
                    break
                kept.append(made)
            del made
            self.torch.npu.empty_cache()
        return kept

    def is_over(self) -> bool:
        """Say whether nothing more is computed in this process, as torch_npu has dropped work."""
        return self.queued and parse("npu:0").gone

    def _revive(self) -> None:
        """Let a device compute again that the namespace has given up: here it is well again."""
        if parse("npu:0").gone:
            parse("npu:0").gone = False
            for op in _operations.OPS.values():
                op.clear()

    def _order(self, kind: str, place: int) -> None:
        if kind == "allocation":
            self.emulator.fail_allocation(place)
        elif kind == "no memory":
            self.emulator.fail_allocation(place, 2)
        elif kind == "copy":
            self.emulator.fail_copy(place)
        else:
            self.emulator.fail_kernel("*", at=kind, nth=place)

    def _settle(self) -> None:
        """Take up what comes later still, so that it is not found by the next call."""
        for array in self.others.arrays:
            # By the namespace: with its task queue torch_npu tells a fault once only.
            with contextlib.suppress(*ERRORS):
                to_numpy(array)
        with contextlib.suppress(*ERRORS, ArithmeticError, IndexError, xp.linalg.LinAlgError):
            late_errors.raise_all()

    def run_together(self, generator: random.Random, done: Counter[tuple[str, str]]) -> None:
        """Let threads compute on streams of their own while a kernel or an allocation fails."""
        stream, npu = self.torch.npu.Stream, self.torch.npu
        self.what = "threads"
        values = np.asarray(generator.sample(range(-99, 99), 60), "float32")
        expected = np.cumsum(np.sort(values) * 2 + 1)
        x = xp.asarray(values, device="npu:0")
        problems: list[BaseException] = []
        ended: list[bool] = []

        def compute() -> None:
            for _ in range(4):
                try:
                    with npu.stream(stream()):
                        found = to_numpy(xp.cumulative_sum(xp.sort(x) * 2 + 1))
                    if not np.array_equal(found, expected):
                        problems.append(Problem(f"{found} in place of {expected}"))
                except ERRORS:  # noqa: PERF203
                    ended.append(False)
                except BaseException as error:  # noqa: BLE001  (nobody else sees it)
                    problems.append(error)
                else:
                    ended.append(True)

        threads = [threading.Thread(target=compute, daemon=True) for _ in range(3)]
        kinds = ("call", "launch", "no memory")
        kind = generator.choice([k for k in kinds if k in self.kinds])
        npu.synchronize(0)
        npu.empty_cache()
        self._order(kind, generator.randint(1, 3 if kind == "no memory" else 12))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        self.emulator.fail_nothing()
        if any(thread.is_alive() for thread in threads):
            raise Problem("a thread did not come to its end")
        self._settle()
        if problems and not self.is_over():
            raise problems[0]
        done[f"{kind} in threads", "right" if all(ended) else "raised"] += 1
        self.others.check()

    def check_memory(self) -> None:
        """Raise if the device holds more, each time this is asked, although nothing is in use."""
        gc.collect()
        self.torch.npu.synchronize(0)
        self.torch.npu.empty_cache()
        alive = sum(isinstance(x, self.torch.Tensor) and x.is_npu for x in gc.get_objects())
        self._used.append(alive)
        last = self._used[-4:]
        if last[-1] > last[0] + _LOST:  # some are kept for the next call, such as tables
            raise Problem(f"ever more tensors are alive: {last}")
        if self.emulator.failures:
            raise Problem(f"the emulator itself failed: {self.emulator.failures[0]}")
