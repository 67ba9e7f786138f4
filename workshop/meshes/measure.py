"""Make the samples' calls on divided arrays, compare them, and count what is exchanged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..cells.measure import _difference, _on_host

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..samples import Call

LAYOUTS: Final[dict[str, Callable[[int, int], int | None]]] = {
    "first axis": lambda _, __: 0,
    "last axis": lambda _, ndim: ndim - 1,
    "mixed": lambda i, ndim: (0, None, ndim - 1)[i % 3],
    "mixed otherwise": lambda i, ndim: (None, ndim - 1, 0)[i % 3],
    "whole": lambda _, __: None,
}
"""Along which axis the operand of a number is divided; None: every process has the whole."""

ELSEWHERE: Final = {
    "Array.to_device": "it leads to another device",
    "to_torch": "it leads out of arrays",
}
"""Functions whose result is not on the mesh by their nature."""
REFUSED: Final = {"to_torch": "no tensor has all of it"}
"""Functions that raise a ValueError for a divided array."""
_TIMEOUT: Final = 60.0
"""Seconds that a process waits for the others."""


@dataclass
class Counted:
    """What came of a call."""

    says: str
    calls: int = 0
    bytes: int = 0
    swapped: int = 0
    """How many of the bytes were for one process alone."""
    gathers: dict[str, str] = field(default_factory=dict)
    """The operations that gathered arrays, with the reason."""
    problem: str = ""


class Meshes:
    """Makes calls on a mesh.

    Parameters
    ----------
    size : int
        The number of parts, which are simulated; 0 for a part in each of the processes that run.
    device : str
        The type of the devices.
    """

    def __init__(self, size: int, device: str = "cpu") -> None:
        import ascend_array_api as xp
        from ascend_array_api import distributed
        from ascend_array_api._devices import device as _devices

        from .. import samples

        self._xp, self._xd, self._samples = xp, distributed, samples
        if size:
            local = _devices.parse(device)
            self.device = distributed.simulated(size, local, least=0)
        else:
            local = distributed.of_this_process(device)
            self.device = distributed.of_processes(local, _TIMEOUT, least=0)
        self.rank = distributed.rank(self.device)
        self._transport: Any = self.device.backend.transport  # type: ignore[attr-defined]

    def counted(self, name: str, dtype: str, layout: str) -> Iterator[Counted]:
        """Make all calls of a function."""
        draw = self._samples.Seeded(dtype, name)
        for call in self._samples.FUNCTIONS[name].calls:
            if call.when(draw):
                yield self._counted(call, name, dtype, layout)

    def _counted(self, call: Call, name: str, dtype: str, layout: str) -> Counted:
        counted = Counted(call.says)
        seed = f"{name} {call.says}"
        expected = self._expected(call, dtype, seed)
        divide = LAYOUTS[layout]
        try:
            with self._xp.options(device=self.device, gather="allow"):
                given = self._inputs(call, dtype, seed, lambda i, x: self._divided(x, divide, i))
                if name in REFUSED and any(map(self._is_divided, given)):
                    expected = ValueError(REFUSED[name])
                self._xd.gather_report(clear=True)
                sent = self._transport
                before = sent.calls, sent.bytes, sent.swapped
                result = call.bound(self._xp)(*given)
                counted.calls = sent.calls - before[0]
                counted.bytes = sent.bytes - before[1]
                counted.swapped = sent.swapped - before[2]
                counted.gathers = {g.operation: g.reason for g in self._xd.gather_report()}
                if name not in ELSEWHERE:
                    counted.problem = self._misplaced(result)
                written = [given[0]] if call.writes else []
                got = [*_seen(call, result), *map(_on_host, written)]
        except Exception as error:  # noqa: BLE001  # one device says whether it is right
            got = [f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"]
            same = isinstance(expected, Exception) and type(error) is type(expected)
            counted.problem = "" if same else got[0]
            return counted
        if isinstance(expected, Exception):
            counted.problem = f"no {type(expected).__name__}"
            return counted
        counted.problem = counted.problem or _difference(got, expected)
        beside = name not in ELSEWHERE and call.numpy is not None and not call.writes
        if not counted.problem and beside:
            counted.problem = self._beside_numpy(call, dtype, seed, got)
        return counted

    def _expected(self, call: Call, dtype: str, seed: str) -> Any:
        """Return what comes of it on one device."""
        with self._xp.options(device=self.device.local):
            given = self._inputs(call, dtype, seed, lambda _, x: self._xp.asarray(x, copy=True))
            try:
                result = call.bound(self._xp)(*given)
                return [*_seen(call, result), *map(_on_host, given[:1] if call.writes else [])]
            except Exception as error:  # noqa: BLE001  # it is to be the same on a mesh
                return error

    def _beside_numpy(self, call: Call, dtype: str, seed: str, got: Sequence[Any]) -> str:
        inputs = call.inputs(self._samples.Seeded(dtype, seed))
        again = [self._samples.converted(np, x, np.array) for x in inputs]
        assert call.numpy is not None
        with np.errstate(all="ignore"):
            problem = _difference(got, _seen(call, call.numpy(*again)))
        return f"differs from NumPy: {problem}" if problem else ""

    def _inputs(
        self, call: Call, dtype: str, seed: str, array: Callable[[int, Any], Any]
    ) -> list[Any]:
        count = iter(range(100))
        return [
            self._samples.converted(self._xp, x, lambda v: array(next(count), v))
            for x in call.inputs(self._samples.Seeded(dtype, seed))
        ]

    def _divided(self, x: Any, divide: Callable[[int, int], int | None], i: int) -> Any:
        axis = divide(i, x.ndim) if x.ndim else None
        if axis is None:
            return self._xd.replicate(x.copy(), device=self.device)
        return self._xd.shard(x.copy(), axis, device=self.device)

    def _is_divided(self, x: Any) -> bool:
        return isinstance(x, self._xp.Array) and self._xd.layout(x).axis is not None

    def _misplaced(self, result: Any) -> str:
        if isinstance(result, (list, tuple)):
            return next(filter(None, map(self._misplaced, result)), "")
        if isinstance(result, self._xp.Array) and result.device is not self.device:
            return f"a result is on {result.device}"
        return ""


def _seen(call: Call, result: Any) -> list[Any]:
    """Return what is compared of a result."""
    view = call.view or (lambda same: same)
    return [view(_on_host(result))]
