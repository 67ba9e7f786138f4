"""Functions of the namespace beside torch's own: kernels, waits, times, faults."""

from __future__ import annotations

import csv
import re
import statistics
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ascend_array_api._torch import torch

from . import facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..cann_emulator import Emulator

SIZES: Final = (1, 1_000_000)


@dataclass(frozen=True)
class Function:
    """A function: how the namespace is asked for it, and how torch is."""

    ours: str
    """With `xp` and arrays: `x`, `y` of float32, `i`, `j` of int32, `k` of int64, `m` a matrix."""
    torchs: str
    """With `torch` and tensors of these names."""


FUNCTIONS: Final[Mapping[str, Function]] = {
    "add": Function("x + y", "x + y"),
    "multiply": Function("x * y", "x * y"),
    "divide": Function("x / y", "x / y"),
    "floor_divide": Function("x // y", "torch.floor_divide(x, y)"),
    "floor_divide int32": Function("i // j", "torch.floor_divide(i, j)"),
    "remainder": Function("x % y", "torch.remainder(x, y)"),
    "remainder int32": Function("i % j", "torch.remainder(i, j)"),
    "pow": Function("x ** y", "torch.pow(x, y)"),
    "exp": Function("xp.exp(x)", "torch.exp(x)"),
    "expm1": Function("xp.expm1(x)", "torch.expm1(x)"),
    "log": Function("xp.log(x)", "torch.log(x)"),
    "log1p": Function("xp.log1p(x)", "torch.log1p(x)"),
    "sin": Function("xp.sin(x)", "torch.sin(x)"),
    "tan": Function("xp.tan(x)", "torch.tan(x)"),
    "tanh": Function("xp.tanh(x)", "torch.tanh(x)"),
    "asin": Function("xp.asin(x)", "torch.asin(x)"),
    "atan": Function("xp.atan(x)", "torch.atan(x)"),
    "atan2": Function("xp.atan2(x, y)", "torch.atan2(x, y)"),
    "floor": Function("xp.floor(x)", "torch.floor(x)"),
    "round": Function("xp.round(x)", "torch.round(x)"),
    "where": Function("xp.where(x > y, x, y)", "torch.where(x > y, x, y)"),
    "astype": Function("xp.astype(x, xp.int32)", "x.to(torch.int32)"),
    "sum": Function("xp.sum(x)", "torch.sum(x)"),
    "mean": Function("xp.mean(x)", "torch.mean(x)"),
    "std": Function("xp.std(x)", "torch.std(x, correction=0)"),
    "max": Function("xp.max(x)", "torch.amax(x)"),
    "argmax": Function("xp.argmax(x)", "torch.argmax(x)"),
    "cumulative_sum": Function("xp.cumulative_sum(x)", "torch.cumsum(x, 0)"),
    "sort": Function("xp.sort(x)", "torch.sort(x, stable=True)[0]"),
    "take": Function("xp.take(x, k)", "torch.index_select(x, 0, k)"),
    "concat": Function("xp.concat([x, y])", "torch.cat([x, y])"),
    "linspace": Function(
        "xp.linspace(0, 1, n, device=x.device)", "torch.linspace(0, 1, n, device=x.device)"
    ),
    "matmul": Function("m @ m", "m @ m"),
    "nonzero": Function("xp.nonzero(x)", "torch.nonzero(x)"),
    "unique_values": Function("xp.unique_values(k)", "torch.unique(k)"),
    "float()": Function("float(xp.sum(x))", "float(torch.sum(x))"),
    "mask": Function("x[x > y]", "x[x > y]"),
}


class Calls:
    """The calls of all functions for arrays of some size.

    Parameters
    ----------
    n : int
        Elements; the matrix has as many, at least one.
    device : str
    """

    def __init__(self, n: int, device: str) -> None:
        import ascend_array_api as xp

        side = int(n**0.5)
        generator = torch.Generator().manual_seed(1)
        tensors = {
            "x": torch.rand(n, generator=generator) * 0.8 + 0.1,
            "y": torch.rand(n, generator=generator) + 0.5,
            "i": torch.randint(-(2**30), 2**30, (n,), generator=generator, dtype=torch.int32),
            "j": torch.randint(1, 1000, (n,), generator=generator, dtype=torch.int32),
            "k": torch.randint(0, n, (n,), generator=generator),
            "m": torch.rand(side, side, generator=generator),
        }
        there = {name: x.to(device) for name, x in tensors.items()}
        self._torch: dict[str, Any] = {"torch": torch, "n": n, **there}
        arrays = {name: xp.asarray(x) for name, x in there.items()}
        self._ours: dict[str, Any] = {"xp": xp, "n": n, **arrays}

    def ours(self, name: str) -> Callable[[], Any]:
        """Return the call of the namespace."""
        code = compile(FUNCTIONS[name].ours, name, "eval")
        return lambda: eval(code, self._ours)

    def torchs(self, name: str) -> Callable[[], Any]:
        """Return that of torch."""
        code = compile(FUNCTIONS[name].torchs, name, "eval")
        return lambda: eval(code, self._torch)


# --- kernels --------------------------------------------------------------------------------------


def count(name: str, device: str, emulator: Emulator | None) -> dict[str, Any]:
    """Count the kernels of one call, of the namespace's and of torch's."""
    calls = Calls(1000, device)
    found: dict[str, Any] = {}
    for who, call in (("ours", calls.ours(name)), ("torch", calls.torchs(name))):
        _quietly(call)  # what is prepared once does not count
        kernels = _profiled(call) if emulator is None else _counted(call, emulator)
        if isinstance(kernels, str):
            return {"counted": f"not available: {kernels}"}
        units = Counter[str]()
        names = Counter[str]()
        for (kernel, unit), number in kernels.items():
            units[unit] += number
            names[kernel] += number
        found[who] = {"kernels": names.total(), "units": dict(units), "names": dict(names)}
    return {"counted": "by the profiler" if emulator is None else "by the emulator", **found}


def ignore_known() -> None:
    """Leave out what torch_npu says of layouts, torch of age, and the namespace of the host."""
    warnings.filterwarnings("ignore", "Cannot create tensor with internal format", UserWarning)
    warnings.filterwarnings("ignore", ".* is computed on the host", RuntimeWarning)
    warnings.filterwarnings("ignore", "torch.triangular_solve is deprecated", UserWarning)


def _quietly(call: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        ignore_known()
        result = call()
    facts.npu().synchronize()
    return result


def _counted(call: Callable[[], Any], emulator: Emulator) -> Counter[tuple[str, str]]:
    with emulator.counting() as counts:
        _quietly(call)
    return Counter({(kernel, unit): number for (kernel, _, unit), number in counts.kernels.items()})


def _profiled(call: Callable[[], Any]) -> Counter[tuple[str, str]] | str:
    """Count by torch_npu's profiler; say why where it leaves no list of kernels."""
    import torch_npu

    profiler = torch_npu.profiler
    with tempfile.TemporaryDirectory() as folder:
        try:
            with profiler.profile(
                activities=[profiler.ProfilerActivity.NPU],
                on_trace_ready=profiler.tensorboard_trace_handler(folder),
            ):
                _quietly(call)
        except (AttributeError, OSError, RuntimeError, TypeError) as error:
            return f"the profiler raises {type(error).__name__}"
        lists = sorted(Path(folder).rglob("kernel_details.csv"))
        if not lists:
            return "the profiler leaves no kernel_details.csv"
        with lists[0].open(newline="", encoding="utf-8") as file:
            return kernels_of(csv.DictReader(file))


def kernels_of(rows: Iterable[Mapping[str, str]]) -> Counter[tuple[str, str]] | str:
    """Count the rows of the profiler's kernel_details.csv by type and unit, or say why not."""
    kernels = Counter[tuple[str, str]]()
    for row in rows:
        if "Type" not in row or "Accelerator Core" not in row:
            return "kernel_details.csv has other columns"
        kernels[row["Type"], row["Accelerator Core"]] += 1
    return kernels


# --- waits ----------------------------------------------------------------------------------------


def waits(name: str, device: str) -> dict[str, Any]:
    """Call while the device is busy, and say whether the call returns before it is done."""
    calls = Calls(1000, device)
    found: dict[str, Any] = {}
    for who, call in (("ours", calls.ours(name)), ("torch", calls.torchs(name))):
        _quietly(call)
        start = time.perf_counter()
        _quietly(call)
        alone = time.perf_counter() - start
        found[who] = _waits(call, device, max(10 * alone, 0.1))
    return found


def _waits(call: Callable[[], Any], device: str, busy: float) -> str:
    npu = facts.npu()
    large = torch.ones((1024, 1024), device=device)
    out = torch.empty_like(large)
    torch.mm(large, large, out=out)
    npu.synchronize()
    start = time.perf_counter()
    for _ in range(4):
        torch.mm(large, large, out=out)
    npu.synchronize()
    each = (time.perf_counter() - start) / 4
    event = npu.Event()
    for _ in range(min(max(int(busy / each), 2), 2000)):
        torch.mm(large, large, out=out)
    event.record()
    before = event.query()
    with warnings.catch_warnings():
        ignore_known()
        call()
    after = event.query()
    npu.synchronize()
    if before:
        return "unknown: the device was not busy"
    return "waits" if after else "does not wait"


# --- times ----------------------------------------------------------------------------------------


def times(name: str, device: str, sizes: Sequence[int] = SIZES, runs: int = 7) -> dict[str, Any]:
    """Return the median of the milliseconds of a call and the wait for its result."""
    found: dict[str, Any] = {}
    for n in sizes:
        calls = Calls(n, device)
        found[str(n)] = {
            "ours": _median(calls.ours(name), runs),
            "torch": _median(calls.torchs(name), runs),
        }
    return {"milliseconds": found}


def _median(call: Callable[[], Any], runs: int) -> float:
    npu = facts.npu()
    _quietly(call)
    taken = []
    with warnings.catch_warnings():
        ignore_known()
        for _ in range(runs):
            start = time.perf_counter()
            call()
            npu.synchronize()
            taken.append(time.perf_counter() - start)
    return float(f"{1e3 * statistics.median(taken):.4g}")


LAUNCHES: Final[Mapping[str, str]] = {
    "add": "x + y",
    "add out": "torch.add(x, y, out=z)",
    "exp": "torch.exp(x)",
    "sum": "torch.sum(x)",
    "add float64": "x.double() + y.double()",
    "copy": "x.cpu()",
}
"""Calls by which launches are timed; the kernels of float64 are the AICPU's."""
_CHAIN: Final = 100


def launches(
    name: str, device: str, sizes: Sequence[int] = (1, 1000, 100_000, 1_000_000)
) -> dict[str, Any]:
    """Return the median microseconds of a call: until it returns, until it is done, in a row."""
    code = compile(LAUNCHES[name], name, "eval")
    found: dict[str, Any] = {}
    for n in sizes:
        x, y, z = (torch.ones(n, device=device) for _ in range(3))
        names = {"torch": torch, "x": x, "y": y, "z": z}
        taken: dict[str, list[float]] = {"returns": [], "done": [], f"each of {_CHAIN}": []}
        eval(code, names)  # what is prepared once does not count
        for _ in range(5):
            facts.npu().synchronize()
            start = time.perf_counter()
            eval(code, names)
            taken["returns"].append(time.perf_counter() - start)
            facts.npu().synchronize()
            taken["done"].append(time.perf_counter() - start)
            start = time.perf_counter()
            for _ in range(_CHAIN):
                eval(code, names)
            facts.npu().synchronize()
            taken[f"each of {_CHAIN}"].append((time.perf_counter() - start) / _CHAIN)
        found[str(n)] = {k: float(f"{1e6 * statistics.median(v):.4g}") for k, v in taken.items()}
    return {"call": LAUNCHES[name], "microseconds": found}


# --- faults ---------------------------------------------------------------------------------------


FAULTS: Final[Mapping[str, str]] = {
    "refused data type": "torch.tanh(torch.ones(3, dtype=torch.float64).to(device))",
    "out of memory": "torch.empty(2**52, device=device)",
    "no such device": "torch.empty(3, device='npu:63')",
    "not positive definite": "torch.linalg.cholesky(torch.tensor([[1.0, 2], [2, 1]]).to(device))",
}
"""What can be tried without harm to the device; last what its process may lose the device by."""

CODE: Final = re.compile(r"error code(?: is |: ?)(\d{6})")
KERNEL: Final = re.compile(r"\b(aclnn[A-Z]\w*)")


def told(error: Exception) -> dict[str, Any]:
    """Return what an error says; its text may have paths and numbers of processes."""
    code, kernel = CODE.search(str(error)), KERNEL.search(str(error))
    return {
        "error": type(error).__name__,
        "code": int(code[1]) if code else None,
        "kernel": kernel[1] if kernel else None,
    }


def is_dead(code: int | None) -> bool:
    """Say whether the device is to be left: after an exception on it nothing is computed."""
    return code is not None and str(code).startswith("507")


def fault(name: str, device: str) -> dict[str, Any]:
    """Bring a fault about, and say what it raises and whether the device computes after it."""
    try:
        eval(FAULTS[name], {"torch": torch, "device": device})
        facts.npu().synchronize()
        found: dict[str, Any] = {"error": None}
    except RuntimeError as error:  # it is what is asked for
        found = told(error)
    try:
        sound = (torch.ones(3).to(device) + torch.ones(3).to(device)).cpu().tolist() == [2.0] * 3
    except RuntimeError:
        sound = False
    return {**found, "computes after it": sound}
