"""How it is measured.

What is of interest are ratios of times, on machines that never run at one speed for long.  So the
contenders take turns, each of them once in every round, and a ratio is that of two times of one
round.  What is reported is the median over the rounds, with the quartiles.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from dataclasses import dataclass
from pathlib import Path
from timeit import Timer
from typing import TYPE_CHECKING

import torch

from conformance.terminal import each

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclass(frozen=True)
class Quartiles:
    """The quartiles of what was measured in the rounds."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Quartiles:
        return cls(*statistics.quantiles(values, n=4, method="inclusive"))

    @classmethod
    def of_ratios(cls, values: Sequence[float], units: Sequence[float]) -> Quartiles:
        """Return those of the ratios, each of two values of one round."""
        return cls.of([value / unit for value, unit in zip(values, units)])


def clock(device: str, threads: int) -> Callable[[], float]:
    """Return a clock that waits, before it is read, until the device has done its work.

    What one thread does on the CPU is timed by what it gets of the CPU, so that other processes
    disturb it less.
    """
    if device == "cpu":
        return time.thread_time if threads == 1 else time.perf_counter
    synchronize = torch.get_device_module(device).synchronize

    def read() -> float:
        synchronize()
        return time.perf_counter()

    return read


def order(names: Sequence[str], turn: int) -> list[str]:
    """Return the order in a round: over the rounds, each name has every place equally often."""
    shift = turn % len(names)
    rotated = [*names[shift:], *names[:shift]]
    return rotated if turn // len(names) % 2 == 0 else rotated[::-1]


def interleaved(
    timers: Mapping[str, Timer], rounds: int, turn_seconds: float, *, progress: bool = False
) -> dict[str, list[float]]:
    """Return, for every contender, the seconds that a call took in each round.

    A turn is of equally many calls for all, so many that the first one's lasts about as long as
    asked for.  Garbage is not collected in it, which ``timeit`` sees to, and the time of the loop
    itself is subtracted.  With ``progress`` a line counts the rounds.
    """
    first, *_ = timers.values()
    calls = 1
    while first.timeit(calls) < turn_seconds:
        calls *= 2
    loop = "pass"
    timers = {**timers, loop: Timer(loop, timer=first.timer)}  # type: ignore[attr-defined]
    for timer in timers.values():
        timer.timeit(calls)  # to warm up
    seconds: dict[str, list[float]] = {name: [] for name in timers}
    turns = range(rounds)
    for turn in each(turns, "rounds") if progress else turns:
        for name in order(list(timers), turn):
            seconds[name].append(timers[name].timeit(calls) / calls)
    loops = seconds.pop(loop)
    return {name: [t - u for t, u in zip(times, loops)] for name, times in seconds.items()}


def within(
    timers: Mapping[str, Timer], seconds: float, at_least: int = 5
) -> dict[str, list[float]]:
    """Return the seconds of a call in each round, in as many rounds as there is time for.

    A turn is of as many calls as take a millisecond, of each contender its own number: one may be
    many times faster than another.  Of calls that take long there are ``at_least`` so many.
    """
    calls = {}
    for name, timer in timers.items():
        once = min(timer.timeit(1) for _ in range(2))
        calls[name] = max(1, min(1000, round(0.001 / max(once, 1e-9))))
    found: dict[str, list[float]] = {name: [] for name in timers}
    end, turn = time.perf_counter() + seconds, 0
    while turn < at_least or (time.perf_counter() < end and turn < 1000):
        for name in order(list(timers), turn):
            found[name].append(timers[name].timeit(calls[name]) / calls[name])
        turn += 1
    return found


def peak_memory(timer: Timer, device: str) -> int:
    """Return how many bytes were allocated, at most, during a call above those before it.

    By torch; on the CPU by NumPy as well, whose greatest number is added to torch's.
    """
    timer.timeit(1)  # caches are filled now
    if device != "cpu":
        memory = torch.get_device_module(device)
        memory.reset_peak_memory_stats()
        before: int = memory.memory_allocated()
        timer.timeit(1)
        return int(memory.max_memory_allocated()) - before
    tracemalloc.start()
    try:
        timer.timeit(1)
        _, numpys = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    with torch.autograd.profiler.profile(profile_memory=True) as profile:
        timer.timeit(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trace.json")
        profile.export_chrome_trace(str(path))
        events = json.loads(path.read_text())["traceEvents"]
    changes = [e["args"]["Bytes"] for e in events if e["name"] == "[memory]"]
    return numpys + max(itertools.accumulate(changes), default=0)


# A full collection of torch's objects falls into whatever is imported next: it is left out.
_IMPORT = """\
import gc
import time
gc.disable()
start = time.perf_counter()
import torch
middle = time.perf_counter()
import {module}
print(middle - start, time.perf_counter() - middle)
"""


def import_seconds(modules: Sequence[str], rounds: int) -> dict[str, list[float]]:
    """Return how long each module takes to import where torch is there already, and torch itself.

    Each import is timed in a process of its own, with the bytecode that a round before the first
    one has written.
    """
    seconds: dict[str, list[float]] = {"torch": [], **{name: [] for name in modules}}
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {
            **os.environ,
            "PYTHONPYCACHEPREFIX": bytecode,
            "PYTHONDONTWRITEBYTECODE": "",
            "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",  # torch alone, where torch_npu is there too
        }
        for turn in range(-1, rounds):
            for name in order(modules, turn):
                command = [sys.executable, "-c", _IMPORT.format(module=name)]
                output = subprocess.check_output(command, env=environment, text=True)
                if turn >= 0:
                    of_torch, of_module = map(float, output.split())
                    seconds["torch"].append(of_torch)
                    seconds[name].append(of_module)
    return seconds
