"""The command line: ``python -m benchmarks``."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import torch

from benchmarks import chain, checks, draws, functions, launches, programs, whole
from benchmarks.cases import (
    COMPAT,
    MANY_ELEMENTS,
    ONE_ELEMENT,
    OURS,
    STRICT,
    TORCH,
    Case,
    contenders,
)
from benchmarks.measure import Quartiles, clock, import_seconds, interleaved, peak_memory
from benchmarks.report import Results, Row, plot, tables
from conformance.terminal import each
from workshop.marks import insert

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ELEMENTS: Final = 10_000_000
ROWS: Final = 1_000
IMPORT_TARGET: Final = 0.060
_COMMANDS: Final = (
    *(
        "chain",
        "functions",
        "launches",
        "programs",
        "whole",
        "compare",
        "commits",
        "checks",
        "meshes",
    ),
)
_WHAT: Final = (
    "a chain of functions and torch.compile; every function; the kernels of each on an NPU; "
    "programs, called and captured; whole programs beside NumPy and torch; "
    "two results of functions; a commit beside the working tree; "
    "what late errors cost; several devices: each alone, with options of its own"
)
PACKAGES: Final = ("ascend_array_api", "torch", "numpy", "array_api_compat", "array_api_strict")


def small(cases: Sequence[Case], device: str, rounds: int) -> Iterator[Row]:
    """Time arrays of one element, where all that counts is what a call costs."""
    everybody, now = contenders(device, 1, 1), clock(device, threads=1)
    for case in each(cases, "expressions"):
        timers = {c.name: c.timer(case, now) for c in everybody if c.takes_part(case)}
        yield Row.of(case, interleaved(timers, rounds, turn_seconds=0.0005), None)


def large(cases: Sequence[Case], device: str, rounds: int) -> Iterator[Row]:
    """Time arrays of many elements, where a call should cost nothing, and measure their memory."""
    everybody = [c for c in contenders(device, ELEMENTS, ROWS) if c.name != STRICT]
    now = clock(device, torch.get_num_threads())
    for case in each(cases, "expressions"):
        timers = {c.name: c.timer(case, now) for c in everybody if c.takes_part(case)}
        seconds = interleaved(timers, rounds, turn_seconds=0.005)
        peaks = {name: peak_memory(timers[name], device) for name in (TORCH, OURS)}
        yield Row.of(case, seconds, peaks)


def processor(device: str) -> str:
    """Return the name of the processor that a device is."""
    if device != "cpu":
        return str(torch.get_device_module(device).get_device_name())
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else platform.processor()


def environment(device: str) -> dict[str, Any]:
    """Return what the figures depend on."""
    return {
        "device": device,
        "processor": processor(device),
        "host": processor("cpu"),
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
        **{name: importlib.import_module(name).__version__ for name in PACKAGES},
        "date": datetime.now(timezone.utc).date().isoformat(),
        "load": os.getloadavg()[0],
        "elements": ELEMENTS,
        "rows": ROWS,
    }


def main() -> None:
    """Measure and report."""
    if sys.argv[1:2] == ["functions"]:
        functions.run(sys.argv[2:], environment)
        return
    counting = {"launches": launches, "programs": programs, "whole": whole}
    if sys.argv[1:2] and sys.argv[1] in counting:
        counting[sys.argv[1]].run(sys.argv[2:])
        return
    if sys.argv[1:2] in (["compare"], ["commits"]):
        getattr(functions, sys.argv[1])(sys.argv[2:])
        return
    if sys.argv[1:2] == ["checks"]:
        checks.run(sys.argv[2:], lambda device: _summary(environment(device)))
        return
    if sys.argv[1:2] == ["meshes"]:
        from benchmarks import meshes

        meshes.run(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("what", nargs="?", choices=_COMMANDS, help=_WHAT)
    parser.add_argument("--device", default="cpu", help="the device, as torch names it")
    parser.add_argument("--quick", action="store_true", help="few rounds: a rough picture")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything as JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables to a page")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the first table")
    parser.add_argument("--random", action="store_true", help="time random numbers, and only them")
    arguments = parser.parse_args()
    device = arguments.device
    few = 10 if arguments.quick else 1

    about = environment(device)
    if arguments.random:
        found = [draws.table(device, ELEMENTS, 60 // few)]
        print("\n".join(f"{name}: {value}" for name, value in about.items()), end="\n\n")
        print("\n".join(each.as_text() for each in found))
        if arguments.markdown:
            text = "\n".join([_summary(about), *(each.as_markdown() for each in found)])
            insert(arguments.markdown, f"random {torch.device(device).type}", text)
        return
    if arguments.what == "chain":
        result = chain.measure(device, ELEMENTS, 60 // few, about)
        found = list(chain.tables(result))
        print("\n".join(f"{name}: {value}" for name, value in about.items()), end="\n\n")
        print("\n".join(each.as_text() for each in found))
        if arguments.json:
            arguments.json.write_text(json.dumps(result.as_json(), indent=1) + "\n")
        text = "\n".join([_summary(about), *(each.as_markdown() for each in found)])
        if arguments.markdown:
            insert(arguments.markdown, f"chain {torch.device(device).type}", text)
        if arguments.plot:
            chain.plot(text, arguments.plot)
        return
    torch.set_num_threads(1)
    one = list(small(ONE_ELEMENT, device, 1000 // few))
    torch.set_num_threads(about["threads"])
    many = list(large(MANY_ELEMENTS, device, 60 // few))
    imports = import_seconds([OURS, COMPAT, STRICT], 10 // few + 1)
    quartiles = {name: Quartiles.of(seconds) for name, seconds in imports.items()}
    results = Results(about, one, many, quartiles, IMPORT_TARGET)

    found = tables(results)
    print("\n".join(f"{name}: {value}" for name, value in about.items()), end="\n\n")
    print("\n".join(table.as_text() for table in found))
    if arguments.json:
        arguments.json.write_text(json.dumps(results.as_json(), indent=1) + "\n")
    text = "\n".join([_summary(about), *(table.as_markdown() for table in found)])
    if arguments.markdown:
        insert(arguments.markdown, torch.device(device).type, text)
    if arguments.plot:
        plot(text, arguments.plot)


def _summary(about: dict[str, Any]) -> str:
    where = about["processor"]
    if about["host"] != where:
        where += f" and {about['host']}"
    versions = ", ".join(f"{name} {about[name]}" for name in ("python", *PACKAGES))
    day = f"{about['date']}, load {about['load']:.1f}"
    return f"{where}; {about['threads']} threads; {versions}; {day}.\n"


if __name__ == "__main__":
    main()
