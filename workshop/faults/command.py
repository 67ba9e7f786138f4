"""The command: as many runs with faults as are asked for, in several processes."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING

from conformance.cann_emulator import has_cann
from conformance.devices import DEVICE_VARIABLE, require, start
from conformance.errors import SetupError
from conformance.terminal import printable

from ..fuzz import QUICK_VARIABLE
from ..fuzz.command import interrupt

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

HELP = "Let the emulated NPU fail at every place of drawn calls, and check what is left."
PASSED, FAILED = 0, 1
_STEP = 500
"""Runs that a process makes before it says what became of them."""
_TOGETHER = 20
"""One run in so many is one of several threads."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--runs", type=int, default=10_000, metavar="N", help="in all (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="default: one at random")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes"
    )


def run(arguments: argparse.Namespace, _argv: Sequence[str]) -> int:
    """Make the runs; 1 if anything did not hold in one of them."""
    require("npu")
    if has_cann():
        raise SetupError("faults: only an emulated NPU fails on demand, and here CANN is set up")
    seed = arguments.seed
    if seed is None:
        seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}", flush=True)
    generator = random.Random(seed)
    begin = time.monotonic()
    total: Counter[tuple[str, str]] = Counter()
    problems: list[str] = []
    setups = ("plain", "queued")
    parts = [
        (generator.randrange(2**32), min(_STEP, arguments.runs - first), setups[i % len(setups)])
        for i, first in enumerate(range(0, arguments.runs, _STEP))
    ]
    previous = signal.signal(signal.SIGTERM, interrupt)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        waiting = [pool.submit(_apart, *part) for part in parts]
        try:
            for future in as_completed(waiting):
                done, found = future.result()
                total += done
                problems += found
                for problem in found:
                    print(printable(str(problem)), flush=True)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            print("interrupted")
    signal.signal(signal.SIGTERM, previous)
    faulted = sum(n for (_, end), n in total.items() if end != "nothing to fail")
    for kind, end in sorted(total):
        print(f"{kind:24} {end:16} {total[kind, end]:8,}")
    took = time.monotonic() - begin
    print(f"{faulted:,} runs with a fault in {took:.0f} s: {len(problems)} problems")
    return FAILED if problems else PASSED


def _apart(seed: int, count: int, setup: str) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Make some runs in a process of their own, which a fault may leave with a dead task queue."""
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(
            1, mp_context=context, initializer=_start, initargs=(setup,)
        ) as process:
            return process.submit(_runs, seed, count, setup).result()
    except BrokenProcessPool:
        return Counter(), [f"seed {seed} ({setup}): the process was lost"]


_ENVIRONMENTS = {
    "plain": {"TASK_QUEUE_ENABLE": "0"},
    "queued": {"TASK_QUEUE_ENABLE": "1"},
}


def _start(setup: str) -> None:
    os.environ[DEVICE_VARIABLE] = "npu"
    os.environ[QUICK_VARIABLE] = "1"
    os.environ.update(_ENVIRONMENTS[setup])
    start("npu")
    warnings.simplefilter("ignore")


def _runs(seed: int, count: int, setup: str) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Make some runs in this process."""
    from conformance import cann_emulator

    from .runs import Campaign

    emulator = cann_emulator.installed()
    assert emulator is not None
    campaign = Campaign(emulator, setup)
    done: Counter[tuple[str, str]] = Counter()
    problems: list[str] = []
    generator = random.Random(seed)
    import numpy as np

    with np.errstate(all="ignore"):
        for number in range(count):
            # One generator for each run: what a run draws does not hang on those before it.
            own = random.Random(generator.getrandbits(62))
            try:
                if number % _TOGETHER == _TOGETHER - 1:
                    campaign.run_together(own, done)
                else:
                    campaign.run(own, done)
                if campaign.is_over():
                    break
                if number % 100 == 99:
                    campaign.check_memory()
            except Exception as error:  # noqa: BLE001  (what is looked for)
                problems.append(
                    f"seed {seed}, run {number} ({setup}), {campaign.what}: "
                    f"{type(error).__name__}: {' '.join(str(error).split())[:600]}"
                )
                if len(problems) > 20:
                    sys.stdout.flush()
                    break
    return done, problems
