"""Make the calls of every cell, compare the results, and say where they were computed."""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from conformance.devices import device_type, setup_for, start
from conformance.errors import SetupError
from conformance.terminal import each

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..samples import Call
    from . import table

# Where a cell is computed, the best first. That of a cell is the worst of its calls.
NO_KERNEL, AICORE, AICPU, DEVICE = "no kernel", "AICore", "AICPU", "device"
HOST, ABSENT, WRONG, FAILS = "host", "absent", "wrong", "fails"
PLACES: Final = (NO_KERNEL, AICORE, DEVICE, AICPU, HOST, ABSENT, WRONG, FAILS)
ON_DEVICE: Final = frozenset({NO_KERNEL, AICORE, DEVICE, AICPU})

TO_HOST: Final = "copies data to the host"

TOLERANCE: Final = {"float32": 1e-5, "float64": 1e-11}
"""How far a result may be from that of the CPU or of NumPy, by the data type of its parts: as a
multiple of its size, and of the largest number of the result."""

ELEMENT: Final = 16
"""The bytes of the largest element. A copy of more than one element is one of an array's data."""


@dataclass(frozen=True, order=True)
class Taken:
    """A row that a call went by."""

    operation: str
    dtype: str
    route: str
    reason: str


@dataclass
class Outcome:
    """What came of one call, or of all calls of a cell."""

    place: str
    rows: set[Taken] = field(default_factory=set)
    """The rows that it went by, other than those that say "torch's own function"."""
    waits: bool = False
    """Whether the host has to wait for a value or a size, by the nature of a call."""
    waited: set[str] = field(default_factory=set)
    """How the host was seen to wait in calls that need not: on GPUs alone."""
    kernels: Counter[str] = field(default_factory=Counter)
    notes: dict[str, list[str]] = field(default_factory=dict)
    """What went wrong, or to the host, and in which calls."""

    @property
    def routes(self) -> set[str]:
        """The kinds of the routes taken."""
        return {row.route for row in self.rows}

    @property
    def host_reasons(self) -> list[tuple[str, str]]:
        """The operations that went to the host by a row, and its reason."""
        return sorted({(row.operation, row.reason) for row in self.rows if row.route == "Host"})

    def add(self, other: Outcome) -> None:
        """Take the outcome of one more call of the cell."""
        self.place = max(self.place, other.place, key=PLACES.index)
        self.rows |= other.rows
        self.waits |= other.waits
        self.waited |= other.waited
        self.kernels.update(other.kernels)
        for note, calls in other.notes.items():
            self.notes.setdefault(note, []).extend(calls)


@dataclass(frozen=True)
class Cell:
    """A function for one data type."""

    name: table.Name
    dtype: str
    outcome: Outcome

    @property
    def is_on_device(self) -> bool:
        """Whether it is right, and computed on the device."""
        return self.outcome.place in ON_DEVICE


class Measurement:
    """Makes the calls on one device.

    Parameters
    ----------
    device : str
        ``"npu"``, ``"cuda:0"``, ``"cpu"``.  Without CANN the NPU is emulated.
    """

    def __init__(self, device: str) -> None:
        # Errors of kernels come with the call, and not later in another thread.
        os.environ.setdefault("TASK_QUEUE_ENABLE", "0")
        self.emulator = start(device)
        self.note = setup_for(device).note
        self.kinds: dict[str, str] = {}
        """The kinds of routes taken so far, with the first sentence of their documentation."""

        # The samples import the namespace, which comes after the emulated CANN.
        import ascend_array_api as xp
        from ascend_array_api._routes import _operations

        from .. import samples

        self._xp = xp
        self._samples = samples
        self._ops = _operations.OPS
        kind = device_type(device)
        if kind == "mesh":
            from ..meshes.plugin import mesh_of

            self.device, self.device_type = mesh_of(device), kind
            return
        for found in xp.__array_namespace_info__().devices():
            if str(found) == device or (found.type == kind and ":" not in device):
                self.device = found
                break
        else:
            raise SetupError(f"there is no device {device!r} here")
        self.device_type = kind
        # Few numbers are drawn on the host: what is measured is where many are.
        type(self.device.backend).most_uploaded = 0

    def cells(self, names: Iterable[table.Name]) -> Iterator[Cell]:
        """Measure all cells of some names."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cells = [(name, dtype) for name in names for dtype in name.dtypes]
            for name, dtype in each(cells, "cells"):
                yield Cell(name, dtype, self._cell(name, dtype))

    def _cell(self, name: table.Name, dtype: str) -> Outcome:
        calls = self._samples.FUNCTIONS[name.key].calls
        if name.chapter == "random" and not hasattr(self._xp, "random"):
            return Outcome(ABSENT, notes={"the namespace has no such function": []})
        outcome = Outcome(NO_KERNEL)
        for i, call in enumerate(calls):
            if call.when(self._samples.Seeded(dtype, "")):
                outcome.add(self._call(call, dtype, f"{name.key} {i}"))
        return outcome

    def _call(self, call: Call, dtype: str, seed: str) -> Outcome:
        inputs = call.inputs(self._samples.Seeded(dtype, seed))
        xp = self._xp
        arrays = self._converted(inputs)
        for op in self._ops.values():
            # So that afterwards the table holds what this call took.
            op.clear()
        xp.fallback_report(clear=True)
        try:
            with xp.options(device=self.device, host_fallback="allow"):
                result, reached, notes = self._counted(call, arrays)
            self._add_routes(reached)
            got = _on_host(result)
        except Exception as error:  # noqa: BLE001  # whatever it is, the cell fails
            return Outcome(FAILS, notes={_short(error): [call.says]})
        problem = self._compare(call, dtype, seed, got)
        if problem:
            reached.place = WRONG
            notes.append(problem)
        reached.notes = {note: [call.says] for note in notes}
        reached.waits = call.waits
        if self.device_type == "cuda" and not (call.waits or call.moves):
            from .waits import waits

            with xp.options(device=self.device):
                how = waits(lambda: partial(call.bound(xp), *self._converted(inputs)))
            if how:
                says = f" ({call.says})" if call.says else ""
                reached.waited = {f"{how}{says}"}
        return reached

    def _counted(self, call: Call, inputs: list[Any]) -> tuple[Any, Outcome, list[str]]:
        """Make a call, and say where it was computed by what the device counted."""
        if self.emulator is None:
            result = call.bound(self._xp)(*inputs)
            return result, Outcome(NO_KERNEL if self.device_type == "cpu" else DEVICE), []
        with self.emulator.counting() as counts:
            result = call.bound(self._xp)(*inputs)
        units = {unit for _, _, unit in counts.kernels}
        place = AICPU if AICPU in units else AICORE if units else NO_KERNEL
        outcome, notes = Outcome(place, kernels=counts.by_kernel()), []
        if counts.fallbacks:
            outcome.place = HOST
            notes.append(f"torch_npu computes on the CPU: {', '.join(sorted(counts.fallbacks))}")
        reads = counts.to_host[0] and not call.moves
        if reads and (not call.waits or _has_data(counts.to_host)):
            outcome.place = HOST
            notes.append(TO_HOST)
        # What is sent to the device depends on no array's values unless something came from there.
        # Without arrays it can be the result itself; else it is a table of constants.
        sent, size = counts.to_device
        if (
            _has_data(counts.to_device)
            and not call.moves
            and not _arrays(self._xp, inputs)
            and size >= sent * min((x.nbytes for x in _arrays(self._xp, result)), default=0)
        ):
            outcome.place = HOST
            notes.append("computes on the host, and copies to the device")
        return result, outcome, notes

    def _add_routes(self, outcome: Outcome) -> None:
        """Add which rows the call went by."""
        for name, op in self._ops.items():
            for spec in op.kernels:
                row = op.row(spec.dtype, spec.device.backend)
                if row is None or spec.device.type != self.device_type or name == "cast":
                    continue
                route = type(row.route).__name__
                if route == "Native":
                    continue
                self.kinds[route] = " ".join(
                    (type(row.route).__doc__ or "").split("\n\n")[0].split()
                )
                dtype = str(spec.dtype).removeprefix("torch.")
                outcome.rows.add(Taken(name, dtype, route, row.reason))
                if route == "Host" and self.device_type != "cpu":
                    outcome.place = HOST
        if self._xp.fallback_report():
            outcome.place = HOST

    def _converted(self, inputs: Iterable[Any], device: Any = None) -> list[Any]:
        def array(x: Any) -> Any:
            return self._xp.asarray(x, copy=True, device=device or self.device)

        return [self._samples.converted(self._xp, value, array) for value in inputs]

    def _compare(self, call: Call, dtype: str, seed: str, got: Any) -> str:
        """Return what differs from the CPU or from NumPy, and nothing if that is nothing."""
        view = call.view or (lambda result: result)
        got = view(got)
        if self.device_type != "cpu":
            inputs = call.inputs(self._samples.Seeded(dtype, seed))
            arrays = self._converted(inputs, "cpu")
            with self._xp.options(device="cpu"):
                expected = view(_on_host(call.bound(self._xp)(*arrays)))
            problem = _difference(got, expected)
            if problem:
                return f"differs from the CPU: {problem}"
        if call.numpy is None:
            return ""
        with np.errstate(all="ignore"):
            inputs = call.inputs(self._samples.Seeded(dtype, seed))
            again = [self._samples.converted(np, x, np.array) for x in inputs]
            problem = _difference(got, view(_on_host(call.numpy(*again))))
        return f"differs from NumPy: {problem}" if problem else ""


def _has_data(copies: tuple[int, int]) -> bool:
    """Say whether copies, given by number and bytes, were of more than single elements."""
    number, size = copies
    return size > ELEMENT * number


def _arrays(xp: Any, values: Any) -> list[Any]:
    """Return the arrays among some inputs or results, as tensors."""
    if isinstance(values, xp.Array):
        return [values._tensor]
    if isinstance(values, (list, tuple)):
        return [tensor for value in values for tensor in _arrays(xp, value)]
    return []


def _short(error: Exception) -> str:
    """Return what an error says without what differs from run to run."""
    text = str(error).partition("[ERROR]")[0]
    refused = re.search(r"call (\w+) failed, error code is (\d+)", text)
    if refused:
        return "CANN refuses it: {} answers {}".format(*refused.groups())
    absent = re.search(r"The operator '(\S+)' would execute .* on CPU", text)
    if absent:
        return f"torch_npu has no kernel for {absent[1]}, and would compute on the CPU"
    return f"{type(error).__name__}: {' '.join(text.split())[:140]}"


def _on_host(result: Any) -> Any:
    """Return results as arrays of NumPy, in tuples."""
    if isinstance(result, dict):
        return tuple((key, _on_host(value)) for key, value in result.items())
    if isinstance(result, (list, tuple)):
        return tuple(_on_host(value) for value in result)
    if isinstance(result, (np.ndarray, np.generic)):
        return np.asarray(result)
    if hasattr(result, "to_device"):
        return np.array(result.to_device("cpu"))
    return result


def _difference(got: Any, expected: Any) -> str:
    """Return in what results differ, and nothing if they do not."""
    if isinstance(expected, (tuple, list)):
        if not isinstance(got, (tuple, list)) or len(got) != len(expected):
            return "another number of results"
        return next(filter(None, map(_difference, got, expected)), "")
    if not isinstance(expected, np.ndarray):
        same = got == expected or (got != got and expected != expected)
        return "" if same else f"{got!r} instead of {expected!r}"
    if not isinstance(got, np.ndarray):
        return f"{type(got).__name__} instead of an array"
    if got.dtype != expected.dtype:
        return f"{got.dtype} instead of {expected.dtype}"
    if got.shape != expected.shape:
        return f"shape {got.shape} instead of {expected.shape}"
    if got.dtype.kind in "biu":
        wrong = int(np.sum(got != expected))
    else:
        wrong = int(np.sum(~_close(got, expected)))
    return f"{wrong} of {got.size} elements" if wrong else ""


def _close(got: Any, expected: Any) -> Any:
    parts = [(got, expected)]
    if got.dtype.kind == "c":
        parts = [(got.real, expected.real), (got.imag, expected.imag)]
    size = np.abs(expected[np.isfinite(expected)])
    largest = size.max() if size.size else 0.0
    close = np.ones(got.shape, dtype=bool)
    for a, b in parts:
        with np.errstate(invalid="ignore"):
            near = np.abs(a - b) <= TOLERANCE[a.dtype.name] * (np.abs(b) + largest)
        close &= near | (a == b) | (np.isnan(a) & np.isnan(b))
    return close


def on_device(cells: Iterable[Cell]) -> tuple[int, int]:
    """Return how many cells are right and computed on the device, and how many there are."""
    found = [cell.is_on_device for cell in cells]
    return sum(found), len(found)
