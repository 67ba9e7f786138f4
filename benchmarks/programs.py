"""Programs as they are called, and captured: what they launch, and what they take.

python -m conformance.cann_emulator -m benchmarks programs [--markdown docs/benchmarks.md]
python -m benchmarks programs --device cuda

On emulated NPUs the kernels are counted: what the host launches in each call, also where torch_npu
fuses calls (TORCH_NPU_LAZY_FUSION) and where DVM compiles them (torch.compile, which needs a
package triton), each in a process of its own.  On other accelerators calls are timed, in turns: the
function, the captured function, and a graph of torch's own of the same calls, with the copies of
its arguments and results that a user would write.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from timeit import Timer
from typing import TYPE_CHECKING, Any, Final

import torch

import ascend_array_api as xp
from benchmarks.measure import Quartiles, clock, interleaved
from benchmarks.report import WIDE, Table, drawn
from conformance import cann_emulator
from conformance.terminal import each
from workshop.marks import insert

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PROGRAMS: Final[dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]]] = {}
"""By name: a function of arrays, and the shapes of its arguments."""

LEAST: Final[dict[str, int]] = {}
"""By name, how many kernels chains of elements and of rows take at least: passes over memory."""


def program(
    name: str, *shapes: tuple[int, ...], least: int | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a program with the shapes of its arguments."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[name] = function, shapes
        if least is not None:
            LEAST[name] = least
        return function

    return enter


@program("sqrt(abs(x)) * 2 + x", (1000,), least=1)
def chain(x: Any) -> Any:
    return xp.sqrt(xp.abs(x)) * 2 + x


@program("a polynomial of degree 9", (1000,), least=1)
def polynomial(x: Any) -> Any:
    y = x * 0.5
    for c in (0.1, 0.7, -0.3, 0.2, 1.1, -0.4, 0.6, 0.9, -1.2):
        y = y * x + c
    return y


@program("softmax of rows", (64, 100), least=1)
def softmax(x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


@program("standardised rows", (64, 100), least=1)
def standardised(x: Any) -> Any:
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    return centred / (xp.sqrt(xp.mean(centred * centred, axis=-1, keepdims=True)) + 1e-6)


@program("hypot and logaddexp", (1000,), (1000,), least=1)
def hypot(x: Any, y: Any) -> Any:
    return xp.hypot(x, y) + xp.logaddexp(x, y)


@program("x ** y", (1000,), (1000,), least=1)
def power(x: Any, y: Any) -> Any:
    return xp.abs(x) ** y


@program("special.gammainc(x, y)", (1000,), (1000,), least=1)
def gammainc(x: Any, y: Any) -> Any:
    return xp.special.gammainc(xp.abs(x) + 0.5, xp.abs(y))


@program("a chain of integers", (1000,), least=1)
def integers(x: Any) -> Any:
    i = xp.astype(x * 1000, xp.int32)
    return ((i & 255) ^ (i >> 3)) % 17


@program("a Kalman filter's step", (4,), (4, 4), (2,))
def kalman(state: Any, covariance: Any, seen: Any) -> Any:
    one = xp.eye(4)
    motion = one + xp.eye(4, k=2) * 0.1
    look = xp.eye(2, 4)
    matmul = xp.matmul  # torch's compiler takes no @ of objects
    state = matmul(motion, state)
    covariance = matmul(matmul(motion, covariance), motion.T) + one * 0.01
    seen_covariance = matmul(matmul(look, covariance), look.T) + xp.eye(2) * 0.1
    gain = xp.linalg.solve(seen_covariance, matmul(look, covariance)).T
    state = state + matmul(gain, seen - matmul(look, state))
    return state, matmul(one - matmul(gain, look), covariance)


@program("a Runge-Kutta step of Lorenz's equations", (3, 100), least=1)
def runge_kutta(state: Any) -> Any:
    def slope(s: Any) -> Any:
        x, y, z = s[0, ...], s[1, ...], s[2, ...]
        return xp.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8 / 3 * z])

    h = 0.01
    a = slope(state)
    b = slope(state + a * (h / 2))
    c = slope(state + b * (h / 2))
    d = slope(state + c * h)
    return state + (a + b * 2 + c * 2 + d) * (h / 6)


@program("a step of k-means", (500, 8), (5, 8))
def k_means(x: Any, centres: Any) -> Any:
    gaps = x[:, None, :] - centres[None, ...]
    nearest = xp.argmin(xp.sum(gaps * gaps, axis=-1), axis=-1)
    member = xp.astype(nearest[:, None] == xp.arange(5), xp.float32)
    return xp.matmul(member.T, x) / xp.maximum(xp.sum(member, axis=0), 1.0)[:, None]


@program("a step of principal components", (500, 8), (8,))
def components(x: Any, v: Any) -> Any:
    centred = x - xp.mean(x, axis=0)
    w = xp.matmul(centred.T, xp.matmul(centred, v))
    return w / xp.linalg.vector_norm(w)


@program("attention", (4, 32, 16), (4, 32, 16), (4, 32, 16))
def attention(q: Any, k: Any, v: Any) -> Any:
    return softmax(q @ k.mT * 0.25) @ v


@program("a step of Adam", (1000,), (1000,), (1000,), (1000,), least=1)
def adam(weights: Any, grad: Any, mean: Any, square: Any) -> Any:
    mean = mean * 0.9 + grad * 0.1
    square = xp.abs(square) * 0.999 + grad * grad * 0.001
    return weights - 0.001 * mean / (xp.sqrt(square) + 1e-8), mean, square


@program("a training step of logistic regression", (500, 8), (8,), (500,))
def logistic(x: Any, weights: Any, seen: Any) -> Any:
    chance = 1 / (1 + xp.exp(-xp.matmul(x, weights)))
    return weights - 0.1 * xp.matmul(x.T, chance - xp.astype(seen > 0, xp.float32)) / 500.0


@program("a filter in frequency", (1024,), (513,))
def filtered(x: Any, gain: Any) -> Any:
    return xp.fft.irfft(xp.fft.rfft(x) * gain, n=1024)


@program("20 sums", (1,), least=1)
def small(x: Any) -> Any:
    for _ in range(20):
        x = x + 1.5
    return x


def arguments(shapes: Sequence[tuple[int, ...]], device: str, seed: int = 0) -> tuple[Any, ...]:
    """Draw arguments of a program."""
    rng = xp.random.default_rng(seed, device=device)
    return tuple(rng.normal(size=shape) for shape in shapes)


# --- launches -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Launched:
    """What one program launches in a call."""

    name: str
    eager: int
    """Kernels that the host launches where the function is called."""
    captured: int
    """Kernels, besides the graph, where it is replayed: copies of arguments and results."""
    graphs: int
    within: int
    """Kernels in the graph."""
    size: int
    """Bytes of arguments and results."""
    fused: int | None = None
    """Kernels where torch_npu fuses calls; None where it was not asked."""
    compiled: int | None = None
    """Kernels where DVM compiled the function; None where it cannot."""
    dividing: dict[str, int] = field(default_factory=dict)
    """The launches of kernels that torch_npu did not fuse, where it fuses calls."""


def counted(emulator: Any, name: str, device: str) -> Launched:
    """Count what a program launches, called and captured."""
    function, shapes = PROGRAMS[name]
    captured = xp.captured(function)
    given = arguments(shapes, device)
    for _ in range(2):
        captured(*given)
    with emulator.counting() as eager:
        results = function(*given)
    with emulator.counting() as replayed:
        captured(*given)
    captured.clear()
    kernels = sum(eager.kernels.values())
    copies, within = sum(replayed.kernels.values()), sum(replayed.in_graphs.values())
    arrays = (*given, *(results if isinstance(results, tuple) else (results,)))
    size = sum(x.size * x.dtype.itemsize for x in arrays)
    return Launched(name, kernels, copies, replayed.graphs, within, size)


WAYS: Final = {
    "fused": {"TORCH_NPU_LAZY_FUSION": "True disable_ops=where", "TASK_QUEUE_ENABLE": "1"},
    "compiled": {"TORCHINDUCTOR_NPU_BACKEND": "dvm"},
}
"""The environment of a process that counts in one way."""


def counted_here(emulator: Any, name: str, device: str, way: str) -> Counter[str]:
    """Count what a program launches in the way of this process, by kernel."""
    function, shapes = PROGRAMS[name]
    given = arguments(shapes, device)
    module = given[0].device.backend.module
    if way == "compiled":
        torch._dynamo.reset()
        function = torch.compile(function)
    for _ in range(2):
        function(*given)
    module.synchronize()
    with emulator.counting() as counts:
        kept = function(*given)  # nobody would compute what nobody can read
        module.synchronize()
    del kept
    found: Counter[str] = counts.by_kernel()
    return found


def counted_elsewhere(
    names: Sequence[str], device: str, way: str
) -> dict[str, dict[str, int] | None]:
    """Count what programs launch in a way that a process chooses when it starts, by kernel.

    A program that ends the process is left out: torch_npu 2.13 cannot fuse long ones.
    """
    command = (*("-m", "conformance.cann_emulator", "-m", "benchmarks", "programs"), "--way", way)
    found: dict[str, dict[str, int] | None] = {}
    left = list(names)
    while left:
        done = subprocess.run(
            [sys.executable, *command, "--device", device, "--names", json.dumps(left)],
            env=os.environ | WAYS[way],
            stdout=subprocess.PIPE,
            check=False,
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith(b"{")]
        for line in lines:
            found |= json.loads(line)
        if done.returncode > 0:
            raise SystemExit(f"programs: the process that counts them {way} ended with an error")
        left = left[len(lines) + 1 :]
    return found


def with_others(
    row: Launched, fused: dict[str, int] | None, compiled: dict[str, int] | None
) -> Launched:
    """Return a row with what the program launches in other ways."""
    if fused is not None:
        others = {kernel: n for kernel, n in fused.items() if kernel != "dvm"}
        row = replace(row, fused=sum(fused.values()), dividing=others)
    return row if compiled is None else replace(row, compiled=sum(compiled.values()))


def launches(rows: Sequence[Launched]) -> Table:
    """Return the table of what programs launch."""
    head = (
        *("program", "called", "lazily fused", "compiled", "captured: graphs", "and copies"),
        *("kernels in the graph", "at least", "bytes"),
    )
    cells = []
    for r in rows:
        ways = ["-" if n is None else str(n) for n in (r.fused, r.compiled)]
        least = str(LEAST.get(r.name, "-"))
        numbers = map(str, (r.graphs, r.captured, r.within))
        cells.append((r.name, str(r.eager), *ways, *numbers, least, str(r.size)))
    fused = [r for r in rows if r.fused is not None]
    title = (
        f"{len(rows)} programs: {sum(r.eager for r in rows)} launches called, "
        f"{sum(r.graphs + r.captured for r in rows)} captured; {len(fused)} of them lazily fused: "
        f"{sum(r.fused or 0 for r in fused)} instead of {sum(r.eager for r in fused)}"
    )
    return Table(title, [head, *cells])


_MOST: Final = 5
"""How many kernels a row of the table names: those that are launched most often."""


def divisions(rows: Sequence[Launched]) -> Table:
    """Return the table of the kernels that divide what torch_npu fuses."""
    cells = []
    for r in rows:
        if r.fused is None:
            continue
        ordered = sorted(r.dividing.items(), key=lambda item: (-item[1], item[0]))
        names = [f"{k.removeprefix('aclnn')} {n}" for k, n in ordered[:_MOST]]
        rest = sum(n for _, n in ordered[_MOST:])
        shown = ", ".join([*names, *([f"others {rest}"] if rest else [])])
        part, other = 100 * r.fused / r.eager, sum(r.dividing.values())
        cells.append((r.name, f"{part:.0f} %", str(r.fused - other), str(other), shown or "-"))
    half = sum(r.fused is not None and 2 * r.fused <= r.eager for r in rows)
    title = f"Lazy fusion: {half} of {len(cells)} programs take at most half of the launches"
    head = ("program", "launches", "fused", "others", "the other kernels")
    return Table(title, [head, *cells])


def plot(text: str, path: Path, width: float = WIDE) -> None:
    """Draw the table of launches in a page: a bar for each way of each program."""
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    rows = [[cell.strip(" `") for cell in line.strip("|").split(" | ")] for line in lines]
    ways = {"called": 1, "lazily fused": 2, "compiled": 3}
    with drawn(path, 0.5 * len(rows) + 1, width) as axes:
        for i, row in enumerate(rows):
            numbers = {way: int(row[k]) for way, k in ways.items() if row[k].isdigit()}
            numbers["captured"] = int(row[4]) + int(row[5])
            for j, way in enumerate((*ways, "captured")):
                if way in numbers:
                    label = way if i == 0 else None
                    axes.barh(i + 0.2 * (j - 1.5), numbers[way], 0.2, color=f"C{j}", label=label)
        axes.set_yticks(range(len(rows)), [row[0] for row in rows])
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.set_xlabel("launches by the host in one call")


# --- times ----------------------------------------------------------------------------------------


def by_torch(function: Callable[..., Any], given: Sequence[Any]) -> Callable[[], Any]:
    """Return a replay of a graph that torch's own functions capture."""
    device = given[0].device
    module, graph = device.backend.module, getattr(device.backend.module, device.backend.graph)()
    inputs = [torch.clone(xp.to_torch(x)) for x in given]
    stream = module.Stream(device.torch_device)
    module.synchronize()
    with module.stream(stream), xp.options(checks="off"):
        graph.capture_begin(capture_error_mode="thread_local")
        results = function(*map(xp.asarray, inputs))
        graph.capture_end()
    module.synchronize()
    outputs = [xp.to_torch(x) for x in (results if isinstance(results, tuple) else (results,))]

    def replay() -> Any:
        for place, x in zip(inputs, given, strict=True):
            place.copy_(xp.to_torch(x))
        graph.replay()
        return [x.clone() for x in outputs]

    return replay


def timed(name: str, device: str, rounds: int) -> list[str]:
    """Time a program: called, captured, and as a graph of torch's."""
    function, shapes = PROGRAMS[name]
    given = arguments(shapes, device)
    captured = xp.captured(function)
    for _ in range(3):
        captured(*given)
    now = clock(device, threads=1)
    ways = {
        "called": lambda: function(*given),
        "captured": lambda: captured(*given),
        "torch": by_torch(function, given),
    }
    timers = {way: Timer(call, timer=now) for way, call in ways.items()}
    seconds = interleaved(timers, rounds, turn_seconds=0.005)
    captured.clear()
    micro = [f"{Quartiles.of(seconds[way]).median * 1e6:.1f}" for way in ways]
    gain = Quartiles.of_ratios(seconds["called"], seconds["captured"]).median
    against = Quartiles.of_ratios(seconds["captured"], seconds["torch"]).median
    return [name, *micro, f"{gain:.2f}", f"{against:.2f}"]


def run(given: Sequence[str]) -> None:
    """Count or time every program, and print or write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks programs", description=__doc__)
    parser.add_argument("--device", default="npu")
    parser.add_argument("-k", dest="only", default="", metavar="WORDS", help="names with words")
    parser.add_argument("--rounds", type=int, default=30, metavar="N", help="of times")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the page")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)  # of this process
    parser.add_argument("--names", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args(given)
    emulator = cann_emulator.installed()
    divided: Table | None = None
    names = options.names or [name for name in PROGRAMS if options.only in name]
    with xp.options(device=options.device):
        if options.way:
            for name in names:
                kernels: Counter[str] | None = None
                try:
                    kernels = counted_here(emulator, name, options.device, options.way)
                except RuntimeError as error:  # the table has no number then
                    print(f"{name}: {error}", file=sys.stderr)
                print(json.dumps({name: kernels}), flush=True)
            return
        if emulator:
            rows = [counted(emulator, name, options.device) for name in each(names, "programs")]
            fused = counted_elsewhere(names, options.device, "fused")
            compiled: dict[str, dict[str, int] | None] = {}
            if importlib.util.find_spec("triton"):
                compiled = counted_elsewhere(names, options.device, "compiled")
            rows = [with_others(r, fused.get(r.name), compiled.get(r.name)) for r in rows]
            table, divided = launches(rows), divisions(rows)
        else:
            head = [
                "program",
                "called, us",
                "captured, us",
                "torch's graph, us",
                "gain",
                "of torch's",
            ]
            times = [
                timed(name, options.device, options.rounds) for name in each(names, "programs")
            ]
            table = Table(f"{len(times)} programs on {options.device}", [head, *times])
    print(table.as_text())
    if divided:
        print(divided.as_text())
    if options.markdown:
        if divided:
            insert(options.markdown, "programs divided", divided.as_markdown())
        mark = "programs" if emulator else f"programs {options.device}"
        insert(options.markdown, mark, table.as_markdown())
