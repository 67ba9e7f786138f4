"""Make each call, compare the result with that of NumPy's arrays, and say what went to the host."""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from conformance.devices import setup_for, start
from conformance.terminal import each

from . import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STAYS, CROSSES, REFUSES, WRONG = "stays", "crosses", "refuses", "wrong"
KINDS: Final = (STAYS, CROSSES, REFUSES, WRONG)
MODES: Final = ("strict", "relaxed")

SIDES: Final = (16, 32)
"""The sides of the matrices: from two sizes follows how many bytes a larger array moves."""
LARGE: Final = 10**6
"""The elements of the array for which bytes are told."""
ELEMENT: Final = 16
"""The bytes of the largest element.  A copy of more than one element is one of an array's data."""
TOLERANCE: Final = 2e-3
"""How far a result may be from that of NumPy's arrays of float32: a part of the largest number."""
LIBRARIES: Final = ("scipy", "sklearn")
_MOVES: Final = frozenset({"__array__", "to_device", "__dlpack__", "asarray"})
"""The operations of a report that compute nothing."""

_HELPERS: Final = ("array_api_compat", "array_api_extra", "_array_api.py", "_array_api_override.py")


@dataclass(frozen=True)
class Outcome:
    """What came of a call in one mode."""

    kind: str
    bytes: float = 0.0
    """How many bytes went to the host and back, for an array of ``LARGE`` elements."""
    places: tuple[str, ...] = ()
    """The lines of the library that moved arrays, the most bytes first, or that was refused."""
    reason: str = ""
    """Why it is refused, what is wrong, or which operation has no kernel."""


@dataclass(frozen=True)
class Row:
    """A call, what came of it in each mode, and what is wrong with the way instead, if there is."""

    call: table.Call
    outcomes: dict[str, Outcome]
    bad_instead: str = ""


class Measurement:
    """Makes the calls on one device.

    Parameters
    ----------
    device : str
        ``"npu"``.  Without CANN the NPU is emulated.
    """

    def __init__(self, device: str, chosen: Iterable[table.Call]) -> None:
        os.environ["SCIPY_ARRAY_API"] = "1"  # SciPy reads it once
        self.chosen = list(chosen)
        self.emulator = start(device)
        self.note = setup_for(device).note

        import ascend_array_api as xp

        self.xp = xp
        self.device = xp.empty(0, device=device).device
        with _quiet():
            self.modules = table.modules(self.chosen)
        import sklearn

        self._dispatching = sklearn.config_context(array_api_dispatch=True)

    def rows(self) -> Iterator[Row]:
        """Make all calls."""
        with _quiet(), self._dispatching:
            for call in each(self.chosen, "functions"):
                yield self._row(call)

    def _row(self, call: table.Call) -> Row:
        expected = [self._evaluate(call.text, np, side) for side in SIDES]
        outcomes = {mode: self._outcome(call.text, mode, expected) for mode in MODES}
        bad = ""
        if call.instead:
            found = self._outcome(call.instead, "strict", expected)
            if found.kind != STAYS:
                bad = f"{found.kind}: {found.reason or ', '.join(found.places)}"
        return Row(call, outcomes, bad)

    def _evaluate(self, text: str, xp: Any, side: int) -> Any:
        return _plain(eval(_compiled(text), {**self.modules, **table.bound(xp, np.asarray, side)}))

    def _outcome(self, text: str, mode: str, expected: list[Any]) -> Outcome:
        """Make a call at two sizes, and extrapolate what it moves."""
        with self.xp.options(device=self.device, relaxed=mode == "relaxed", host_fallback="allow"):
            small, large = (self._once(text, side, result) for side, result in zip(SIDES, expected))
        if REFUSES in {small.kind, large.kind} or WRONG in {small.kind, large.kind}:
            return large if large.kind in {REFUSES, WRONG} else small
        first, second = (side * side for side in SIDES)
        slope = (large.bytes - small.bytes) / (second - first)
        # Numbers for which the host waits are no data: there are about as many for any size.
        if CROSSES not in {small.kind, large.kind} and slope < 1 / 8:
            return replace(large, kind=STAYS, bytes=0.0, places=())
        places = self._watched(text, mode) or large.places
        return replace(large, kind=CROSSES, bytes=_extrapolated(small, large), places=places)

    def _watched(self, text: str, mode: str) -> tuple[str, ...]:
        """Make a call again, and return the lines that copy to the host, the most bytes first."""
        with (
            self.xp.options(device=self.device, relaxed=mode == "relaxed", host_fallback="allow"),
            _Watch() as watch,
        ):
            eval(_compiled(text), self._names(SIDES[-1]))
        return tuple(place for place, _ in watch.places.most_common())

    def _names(self, side: int) -> dict[str, Any]:
        def convert(value: Any) -> Any:
            return self.xp.asarray(value, device=self.device)

        return {**self.modules, **table.bound(self.xp, convert, side)}

    def _once(self, text: str, side: int, expected: Any) -> Outcome:
        xp = self.xp
        names = self._names(side)
        xp.synchronize()
        xp.fallback_report(clear=True)
        counting = self.emulator.counting() if self.emulator else contextlib.nullcontext()
        try:
            with counting as counts:
                result = eval(_compiled(text), names)
                xp.synchronize()
        except Exception as error:  # noqa: BLE001  # whatever it is, the call is refused
            return Outcome(REFUSES, places=_place_of(error), reason=_sentence(error))
        report = xp.fallback_report()
        places = dict.fromkeys(line for entry in report for line in (entry.lines or entry.where))
        moved = sum(entry.bytes for entry in report)
        if counts is not None:
            moved = counts.to_host[1] + (counts.to_device[1] if report else 0)
        crossed = bool(report) or _is_numpys(result)
        problem = _difference(_plain(result), expected)
        return Outcome(
            WRONG if problem else CROSSES if crossed else STAYS,
            bytes=moved,
            places=tuple(places),
            reason=problem or "; ".join(_operations(report)),
        )


class _Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes which lines of the libraries copy data from a device to the host."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.places: Counter[str] = Counter()
        """How many bytes each line copies."""

    def __torch_dispatch__(
        self, function: Any, _types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Let torch compute, and look where operands and result are."""
        result = function(*args, **(kwargs or {}))
        data = [
            x for x in args if isinstance(x, torch.Tensor) and x.device.type != "cpu" and x.numel()
        ]
        if data and isinstance(result, torch.Tensor) and result.device.type == "cpu":
            frames = [(f.f_code.co_filename, line) for f, line in traceback.walk_stack(None)]
            for place in _innermost(frames):
                self.places[place] += sum(x.nbytes for x in data)
        return result


def _extrapolated(small: Outcome, large: Outcome) -> float:
    """Return the bytes of a call of ``LARGE`` elements, from those of two smaller ones."""
    first, second = (side * side for side in SIDES)
    power = math.log(max(large.bytes, 1) / max(small.bytes, 1)) / math.log(second / first)
    if power > 1.2:  # such as all pairs of rows
        return float(large.bytes * (LARGE / second) ** round(power, 1))
    slope = (large.bytes - small.bytes) / (second - first)
    return float(max(large.bytes + slope * (LARGE - second), large.bytes))


def _operations(report: Iterable[Any]) -> list[str]:
    """Return the operations without a kernel, and why they have none."""
    return list(
        dict.fromkeys(
            f"{entry.operation} of {entry.dtype}: {entry.reason}"
            for entry in report
            if entry.operation not in _MOVES
        )
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Let the libraries say nothing."""
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield


def _compiled(text: str) -> Any:
    return compile(text, "<call>", "eval")


def _is_numpys(result: Any) -> bool:
    """Say whether a result is an array of NumPy."""
    if isinstance(result, (list, tuple)):
        return any(map(_is_numpys, result))
    return isinstance(result, np.ndarray)


def _plain(result: Any) -> Any:
    """Return results as arrays of NumPy, in tuples; None for other objects."""
    if isinstance(result, (list, tuple)):
        return tuple(map(_plain, result))
    if hasattr(result, "to_device"):
        return np.asarray(result.to_device("cpu"))
    if isinstance(result, (bool, int, float, complex, np.generic, np.ndarray)):
        return np.asarray(result)
    return None


def _difference(got: Any, expected: Any) -> str:
    """Return in what results differ, and nothing if they do not."""
    if isinstance(expected, tuple):
        if not isinstance(got, tuple) or len(got) != len(expected):
            return "another number of results"
        return next(filter(None, map(_difference, got, expected)), "")
    if expected is None or got is None:
        return "" if got is expected else "another kind of result"
    if got.shape != expected.shape:
        return f"shape {got.shape} instead of {expected.shape}"
    if expected.dtype.kind not in "biufc":
        return ""
    size = np.abs(expected[np.isfinite(expected)])
    bound = TOLERANCE * float(size.max() if size.size else 0.0) + 1e-6
    with np.errstate(invalid="ignore"):
        near = (
            (got == expected)
            | (np.isnan(got) & np.isnan(expected))
            | (np.abs(got.astype(complex) - expected) <= bound)
        )
    wrong = int(near.size - np.count_nonzero(near))
    return f"{wrong} of {got.size} numbers differ" if wrong else ""


def _place_of(error: BaseException) -> tuple[str, ...]:
    """Return the line of the library that was refused."""
    walked = traceback.walk_tb(error.__traceback__)
    return _innermost([(f.f_code.co_filename, line) for f, line in walked][::-1])


def _innermost(places: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Return the first line of a library, but for its helpers for namespaces."""
    for file, line in places:
        for library in LIBRARIES:
            folder = f"{os.sep}site-packages{os.sep}{library}{os.sep}"
            if folder in file and not any(helper in file for helper in _HELPERS):
                return (f"{library}/{file.rpartition(folder)[2]}:{line}",)
    return ()


def _sentence(error: BaseException) -> str:
    """Return the first sentence of an error."""
    # SciPy and scikit-learn list modules with their files, in no order.
    text = re.sub(r"(Multiple namespaces for array inputs).*", r"\1", " ".join(str(error).split()))
    first = text.partition(". ")[0].rstrip(".")
    return f"{type(error).__name__}: {first[:160]}"
