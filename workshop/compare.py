"""The command ``python -m workshop compare``: as many drawn calls as one has time for."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import os
import random
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.devices import (
    DEVICE_VARIABLE,
    parse_device,
    require,
    require_device,
    setup_for,
    start,
)
from conformance.errors import SetupError
from conformance.terminal import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

HELP = "Compare every function with NumPy on as many drawn calls as one has time for."
PASSED, FAILED = 0, 1
_STEP = 1000
"""Examples that one process draws at once: as many again follow with another seed."""


@dataclass(frozen=True)
class Part:
    """Some drawn calls of one function on one data type, and what became of them."""

    name: str
    dtype: str
    seed: int
    wanted: int
    calls: int = 0
    elements: int = 0
    problem: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--device", default="cpu", help="cpu, cuda or npu (emulated without CANN) (default: cpu)"
    )
    parser.add_argument(
        "-k", dest="only", nargs="+", default=[], metavar="NAME", help="functions alone"
    )
    parser.add_argument(
        "--cases",
        type=int,
        default=100_000,
        metavar="N",
        help="calls in all, the same number of each function and data type (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="default: one at random")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="what became of every part")


def run(arguments: argparse.Namespace, _argv: Sequence[str]) -> int:
    """Compare, and print what differs; 1 if anything does."""
    try:
        parse_device(arguments.device)
    except ValueError as error:
        raise SetupError(str(error)) from error
    needed = ("hypothesis", "mpmath")
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        raise SetupError(f"compare needs {' and '.join(missing)}: pip install {' '.join(missing)}")
    require(arguments.device)
    require_device(arguments.device)
    seed = arguments.seed
    if seed is None:
        seed = random.SystemRandom().randrange(2**32)
    note = setup_for(arguments.device).note
    print(f"{arguments.device}{f' ({note})' if note else ''}, seed {seed}", flush=True)

    context = multiprocessing.get_context("spawn")
    begin, done = time.monotonic(), []
    with ProcessPoolExecutor(
        arguments.jobs, mp_context=context, initializer=_start, initargs=(arguments.device,)
    ) as pool:
        names = pool.submit(_names, arguments.only).result()
        parts = shares(names, arguments.cases, seed)
        waiting = [pool.submit(_compare, part) for part in parts]
        try:
            for future in as_completed(waiting):
                part = future.result()
                done.append(part)
                if part.problem:
                    print(f"\n{part.name} of {part.dtype}, seed {part.seed}:")
                    print(printable(part.problem))
                    sys.stdout.flush()
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            print(f"interrupted after {len(done)} of {len(parts)} parts")
    if arguments.json:
        listed = [asdict(part) for part in sorted(done, key=lambda p: (p.name, p.dtype, p.seed))]
        arguments.json.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    wrong = [part for part in done if part.problem]
    calls, elements = (sum(getattr(p, key) for p in done) for key in ("calls", "elements"))
    of = f"{len({p.name for p in done})} functions, {len({(p.name, p.dtype) for p in done})} cells"
    print(f"{calls:,} calls of {of}, {elements:,} elements", end="")
    print(f" in {time.monotonic() - begin:.0f} s: {len(wrong)} with a difference")
    return FAILED if wrong or len(done) < len(parts) else PASSED


def shares(names: Sequence[tuple[str, str]], cases: int, seed: int) -> list[Part]:
    """Deal the calls out: as many to each function and data type, each part with its own seed."""
    each = max(1, -(-cases // max(1, len(names))))
    generator = random.Random(seed)
    return [
        Part(name, dtype, generator.randrange(2**32), min(_STEP, each - begin))
        for begin in range(0, each, _STEP)
        for name, dtype in names
    ]


def _start(device: str) -> None:
    """Set a process up before the namespace is imported there."""
    os.environ[DEVICE_VARIABLE] = device
    start(device)
    warnings.simplefilter("ignore")


def _names(only: Sequence[str]) -> list[tuple[str, str]]:
    from .samples.comparison import compared

    found = compared()
    if unknown := set(only) - set(found):
        raise SetupError(f"nothing is compared of {', '.join(sorted(unknown))}")
    return [(name, dtype) for name in (only or found) for dtype in found[name]]


def _compare(part: Part) -> Part:
    """Draw the calls of one part."""
    from hypothesis import Phase, given, seed, settings
    from hypothesis import strategies as st

    from .samples.comparison import compare
    from .samples.strategies import examples

    calls = elements = 0

    @seed(part.seed)
    @settings(examples(part.wanted), phases=(Phase.generate, Phase.shrink))
    @given(data=st.data())
    def drawn(data: st.DataObject) -> None:
        nonlocal calls, elements
        results = compare(part.name, part.dtype, data.draw)
        calls += 1
        elements += sum(result.size for result in results)

    problem = ""
    try:
        drawn()
    except Exception as error:  # noqa: BLE001  (whatever is raised is what is looked for)
        notes = "\n".join(getattr(error, "__notes__", ()))
        problem = f"{type(error).__name__}: {error}\n{notes}"
    return Part(part.name, part.dtype, part.seed, part.wanted, calls, elements, problem)
