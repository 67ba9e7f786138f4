"""What ``torch.compile`` makes of array-API code: a chain of functions, in several forms, in turns.

python -m benchmarks chain [--device cuda] [--json FILE] [--plot FILE.svg] [--markdown FILE]
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from functools import partial
from timeit import Timer
from typing import TYPE_CHECKING, Any, Final

import torch

import ascend_array_api
from benchmarks.measure import Quartiles, clock, interleaved
from benchmarks.report import INK, MIB, WIDE, Table, drawn, error_bars
from conformance.terminal import each

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

RAW, RAW_COMPILED = "torch", "torch, compiled"
OURS, OURS_COMPILED = "ascend_array_api", "ascend_array_api, compiled"
OURS_TRUSTING = f"{OURS_COMPILED}, globals not checked"
RAW_GRAPH, OURS_GRAPH = f"{RAW}, CUDA graph", f"{OURS}, CUDA graph"
TO_TORCH: Final = 1.05
"""How many times the time of compiled torch code compiled array-API code may take."""
TO_EAGER: Final = 3.0
"""How many times as long code that is not compiled should take."""


def chain(x: Any) -> Any:
    """Standardise, pass through functions, and return mean and variance: as any library's user."""
    xp = x.__array_namespace__()
    z = (x - xp.mean(x)) / xp.std(x)
    y = xp.tanh(z) * 0.5 + xp.exp(-0.5 * z * z)
    y = xp.where(z > 0.0, y, 0.25 * y)
    return xp.mean(y), xp.var(y)


def chain_of_torch(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Do the same on tensors, by the same functions in the same order."""
    z = (x - torch.mean(x)) / torch.std(x, correction=0)
    y = torch.tanh(z) * 0.5 + torch.exp(-0.5 * z * z)
    y = torch.where(z > 0.0, y, 0.25 * y)
    return torch.mean(y), torch.var(y, correction=0)


def _same_chain(x: Any) -> Any:
    return chain(x)  # what is compiled with other options, torch would not compile again


@dataclass(frozen=True)
class Chain:
    """What was measured."""

    environment: Mapping[str, Any]
    elements: int
    compile_seconds: Mapping[str, float]
    """How long the first call of what is compiled took."""
    seconds: Mapping[str, Quartiles]
    ratios: Mapping[str, Quartiles]
    """By what is compared, of times of one round."""
    difference: float
    """The greatest relative difference of a result from that of torch, which is not compiled."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


COMPARED: Final = {
    "ours compiled / torch compiled": (OURS_COMPILED, RAW_COMPILED, TO_TORCH, "at most"),
    "ours compiled, globals not checked / torch compiled": (
        OURS_TRUSTING,
        RAW_COMPILED,
        TO_TORCH,
        "at most",
    ),
    "ours / ours compiled": (OURS, OURS_COMPILED, TO_EAGER, "at least"),
    "ours as a graph / torch as a graph": (OURS_GRAPH, RAW_GRAPH, TO_TORCH, "at most"),
    "ours / ours as a graph": (OURS, OURS_GRAPH, TO_EAGER, "at least"),
    "torch / torch compiled": (RAW, RAW_COMPILED, None, ""),
    "ours / torch": (OURS, RAW, None, ""),
}


def _numbers(result: Any) -> list[float]:
    return [float(value) for value in result]


def measure(device: str, elements: int, rounds: int, environment: Mapping[str, Any]) -> Chain:
    """Compile, compare the results, and time all forms."""
    generator = torch.Generator(device).manual_seed(0)
    tensor = torch.randn(elements, generator=generator, dtype=torch.float32, device=device)
    array = ascend_array_api.asarray(tensor)
    forms: dict[str, tuple[Callable[[Any], Any], Any]] = {
        RAW: (chain_of_torch, tensor),
        RAW_COMPILED: (torch.compile(chain_of_torch, fullgraph=True), tensor),
        OURS: (chain, array),
        OURS_COMPILED: (torch.compile(chain, fullgraph=True), array),
    }
    trusting = getattr(torch.compiler, "skip_guard_on_globals_unsafe", None)
    if trusting is not None:  # from torch 2.8 on
        options = {"guard_filter_fn": trusting}
        forms[OURS_TRUSTING] = torch.compile(_same_chain, fullgraph=True, options=options), array
    if torch.device(device).type == "cuda":
        graph = partial(torch.compile, fullgraph=True, mode="reduce-overhead")
        forms |= {RAW_GRAPH: (graph(chain_of_torch), tensor), OURS_GRAPH: (graph(chain), array)}
    expected = _numbers(chain_of_torch(tensor))
    difference, compiling = 0.0, {}
    for name, (function, x) in each(list(forms.items()), "first calls"):
        start = time.perf_counter()
        got = _numbers(function(x))
        if function not in {chain, chain_of_torch}:
            compiling[name] = time.perf_counter() - start
        difference = max(difference, *(abs(a - b) / abs(b) for a, b in zip(got, expected)))
    if not difference < 1e-3:
        raise RuntimeError(f"the forms disagree by {difference}")
    now = clock(device, threads=0)
    timers = {
        name: Timer("function(x)", timer=now, globals={"function": function, "x": x})
        for name, (function, x) in forms.items()
    }
    # A device gets a queue of calls: it is waited for at the end of a turn alone.
    turn = 0.005 if device == "cpu" else 0.1
    seconds = interleaved(timers, rounds, turn, progress=True)
    ratios = {
        name: Quartiles.of_ratios(seconds[first], seconds[second])
        for name, (first, second, *_) in COMPARED.items()
        if {first, second} <= {*seconds}
    }
    quartiles = {name: Quartiles.of(values) for name, values in seconds.items()}
    return Chain(environment, elements, compiling, quartiles, ratios, difference)


def tables(found: Chain) -> Sequence[Table]:
    """Return the tables of times and of ratios."""
    times = [["", "ms", "GiB/s read once", "first call, s"]]
    for name, q in found.seconds.items():
        rate = found.elements * 4 / MIB / 1024 / q.median
        first = found.compile_seconds.get(name)
        times.append(
            [
                name,
                f"{q.median * 1e3:.3f} ({q.low * 1e3:.3f} to {q.high * 1e3:.3f})",
                f"{rate:.1f}",
                "" if first is None else f"{first:.1f}",
            ]
        )
    compared = [["", "ratio", "target", "verdict"]]
    for name, q in found.ratios.items():
        _, _, target, sense = COMPARED[name]
        verdict = ""
        if target is not None:
            met = q.median <= target if sense == "at most" else q.median >= target
            verdict = "met" if met else "not met"
        compared.append(
            [
                name,
                f"{q.median:.3f} ({q.low:.3f} to {q.high:.3f})",
                "" if target is None else f"{sense} {target:g}",
                verdict,
            ]
        )
    where = found.environment["device"]
    return [
        Table(f"A chain over {found.elements:,} float32 elements on {where}", times),
        Table("Times of one round, divided", compared),
    ]


def plot(text: str, path: Path, width: float = WIDE) -> None:
    """Draw the times of all forms, the first table of what is reported."""
    table = Table.read(text)
    names = [row[0] for row in table.cells[1:]]
    medians, bars = error_bars(table.column("ms"))
    colours = ["#e4572e" if name.startswith(OURS) else "#8f8f8f" for name in names]
    with drawn(path, (0.45 if width == WIDE else 0.6) * len(names) + 1.0, width) as axes:
        axes.barh(names, medians, xerr=bars, color=colours, ecolor=INK, height=0.6)
        for y, median in enumerate(medians):
            axes.annotate(
                f" {median:.3g} ms", (median, y), xytext=(6, 6), textcoords="offset points"
            )
        elements = table.title.removeprefix("A chain over ").partition(" on ")[0]
        axes.set_xlabel(f"ms for {elements} (median, quartiles); {text.partition(';')[0]}")
        axes.margins(x=0.12 if width == WIDE else 0.4)
        axes.invert_yaxis()
        axes.grid(axis="x", color=INK, alpha=0.25)
