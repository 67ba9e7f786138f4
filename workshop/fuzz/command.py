"""The command: many random programs in several processes, for as long as one has time for."""

from __future__ import annotations

import json
import multiprocessing
import os
import queue
import random
import signal
import sys
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from conformance.devices import (
    DEVICE_VARIABLE,
    device_type,
    parse_device,
    require,
    require_device,
    setup_for,
    start,
)
from conformance.errors import SetupError
from conformance.terminal import printable

from .. import thresholds
from . import KINDS, QUICK_VARIABLE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from multiprocessing.context import SpawnContext
    from multiprocessing.process import BaseProcess
    from types import FrameType

HELP = "Run random programs, bad calls among them, and compare every step with NumPy."
PASSED, FAILED = 0, 1
_REPORTED = 2.0
"""Seconds between two reports of a process."""
_SHRUNK = 60.0
"""Seconds that a process takes to make a program smaller."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--device",
        default="cpu",
        help="cpu, cuda, npu (emulated without CANN) or mesh:3 (default: cpu)",
    )
    parser.add_argument("--hours", type=float, metavar="H", help="stop after so long")
    parser.add_argument(
        "--steps", type=int, metavar="N", help="stop after so many steps (default: 100000)"
    )
    parser.add_argument(
        "--thresholds",
        choices=thresholds.KINDS,
        default="drawn",
        help="sizes from which on the package goes other ways: low ones, the usual ones, or other "
        "ones in each process (default: %(default)s)",
    )
    parser.add_argument(
        "--kind",
        choices=KINDS,
        default="all",
        help="steps of one kind alone: " + ", ".join(KINDS[1:]) + " (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="default: one at random")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes"
    )
    parser.add_argument(
        "--finds",
        type=Path,
        default=Path("fuzz-finds"),
        metavar="DIR",
        help="folder for a file of each find (default: %(default)s)",
    )
    parser.add_argument(
        "--repeat", type=Path, metavar="FILE", help="run the program of such a file, and show it"
    )


def run(arguments: argparse.Namespace, _argv: Sequence[str]) -> int:
    """Run programs, and write what was found; 1 if anything was."""
    find = None
    if arguments.repeat:
        try:
            find = json.loads(arguments.repeat.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise SetupError(f"--repeat {arguments.repeat}: {error}") from error
    device = find["device"] if find else arguments.device
    try:
        parse_device(device)
    except ValueError as error:
        raise SetupError(str(error)) from error
    require(device)
    require_device(device)
    if find:
        return _repeat(find)
    seed = arguments.seed
    if seed is None:
        seed = random.SystemRandom().randrange(2**32)
    note = setup_for(device).note
    print(f"{device}{f' ({note})' if note else ''}, seed {seed}", flush=True)
    steps = arguments.steps
    if steps is None and arguments.hours is None:
        steps = 100_000
    seconds = None if arguments.hours is None else arguments.hours * 3600
    campaign = _Campaign(
        device, seed, arguments.jobs, arguments.finds, arguments.thresholds, arguments.kind
    )
    return campaign.run(steps, seconds)


@dataclass
class _Worker:
    """A process, and what it said so far."""

    process: BaseProcess
    seed: Any
    """The seed of the program that it runs, in memory that is shared."""
    thresholds: tuple[str, int]
    """Their kind, and the seed of those that are drawn."""
    calls: int = 0
    bad: int = 0
    programs: int = 0


@dataclass
class _Campaign:
    device: str
    seed: int
    jobs: int
    finds: Path
    thresholds: str
    kind: str = "all"
    found: dict[tuple[str, str], int] = field(default_factory=dict)
    """How often each problem was found."""

    def run(self, steps: int | None, seconds: float | None) -> int:
        context = multiprocessing.get_context("spawn")
        said = context.Queue()
        generator = random.Random(self.seed)
        workers = [self._start(context, generator, said, n) for n in range(self.jobs)]
        gone: list[_Worker] = []
        begin = shown = time.monotonic()
        previous = signal.signal(signal.SIGTERM, interrupt)
        try:
            while True:
                self._listen(workers, said)
                for number, worker in enumerate(workers):
                    if worker.process.exitcode is not None:
                        self._lost(worker)
                        gone.append(worker)
                        workers[number] = self._start(context, generator, said, number)
                calls = sum(w.calls for w in (*workers, *gone))
                now = time.monotonic()
                if now - shown > 600:
                    shown = now
                    print(f"{calls:,} steps after {now - begin:.0f} s", flush=True)
                if (steps is not None and calls >= steps) or (
                    seconds is not None and now - begin >= seconds
                ):
                    break
                if len(gone) > 20 + self.jobs:
                    print("too many processes were lost")
                    break
        except KeyboardInterrupt:
            print("interrupted")
        finally:
            signal.signal(signal.SIGTERM, previous)
        took = time.monotonic() - begin
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.process.join()
        said.close()
        calls, bad, programs = (
            sum(getattr(w, key) for w in (*workers, *gone)) for key in ("calls", "bad", "programs")
        )
        print(f"{calls:,} steps in {programs:,} programs, {bad:,} of them bad on purpose,", end="")
        print(f" in {took:.0f} s ({calls / took:.0f} a second): {len(self.found)} finds", end="")
        print(f", {len(gone)} processes lost")
        return FAILED if self.found else PASSED

    def _start(
        self, context: SpawnContext, generator: random.Random, said: Any, number: int
    ) -> _Worker:
        seed = context.Value("q", 0, lock=False)
        sizes = (self.thresholds, generator.getrandbits(32))
        arguments = (self.device, sizes, self.kind, generator.getrandbits(62), number, seed, said)
        process = context.Process(target=_work, args=arguments, daemon=True)
        process.start()
        return _Worker(process, seed, sizes)

    def _listen(self, workers: list[_Worker], said: Any) -> None:
        """Take in what the processes say, for a while."""
        try:
            number, figures, find = said.get(timeout=1.0)
        except queue.Empty:
            return
        worker = workers[number]
        worker.programs, worker.calls, worker.bad = figures
        if find is not None:
            self._find(find)

    def _find(self, find: dict[str, Any]) -> None:
        """Show and keep a find, if it is the first of its kind."""
        key = (find["what"], find["error"])
        self.found[key] = self.found.get(key, 0) + 1
        if self.found[key] > 1:
            return
        self.finds.mkdir(parents=True, exist_ok=True)
        file = self.finds / f"{self.device.replace(':', '-')}-{self.seed}-{len(self.found)}.json"
        file.write_text(json.dumps(find, indent=1) + "\n", encoding="utf-8")
        print(printable(f"\n{find['what']}: {find['error']}: {find['text']}"))
        if find.get("thresholds", ("usual", 0))[0] != "usual":
            print("    # with sizes of ways that are drawn, see the file")
        for line in find["told"]:
            print(printable(f"    {line}"))
        print(f"  again: python -m workshop fuzz --repeat {file}", flush=True)

    def _lost(self, worker: _Worker) -> None:
        code = worker.process.exitcode
        self._find(
            {
                "device": self.device,
                "thresholds": worker.thresholds,
                "kind": self.kind,
                "what": "process lost",
                "error": f"exit code {code}",
                "text": "the program of this seed ended it",
                "told": [],
                "seed": worker.seed.value,
            }
        )


def interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Let SIGTERM end it as Ctrl-C does: the processes end, and the figures are shown."""
    raise KeyboardInterrupt


def _setup(device: str, sizes: Sequence[Any] = ("usual", 0), steps: str = "all") -> None:
    """Set this process up before the namespace and the samples are imported."""
    kind, seed = sizes
    thresholds.use(kind, seed)
    os.environ[DEVICE_VARIABLE] = device
    os.environ[QUICK_VARIABLE] = "1"
    # These processes have no children of their own.
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    start(device)
    if device_type(device) == "mesh":
        from ..meshes.plugin import begin

        begin(device)
    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(1 if kind == "usual" else (1, 2, 5)[seed % 3])
    from . import programs

    programs.KIND = steps


def _work(
    device: str,
    sizes: tuple[str, int],
    kind: str,
    seed: int,
    number: int,
    running: Any,
    said: Any,
) -> None:
    """Run programs until the process is ended; what is found is said only once by each process."""
    _setup(device, sizes, kind)
    from .programs import run as run_program

    generator = random.Random(seed)
    programs = calls = bad = 0
    known: set[tuple[str, str]] = set()
    reported = time.monotonic()
    while True:
        running.value = generator.getrandbits(62)
        outcome = run_program(random.Random(running.value))
        programs, calls, bad = programs + 1, calls + outcome.calls, bad + outcome.bad
        if outcome.problem and outcome.problem.key not in known:
            known.add(outcome.problem.key)
            said.put(
                (
                    number,
                    (programs, calls, bad),
                    described(device, running.value, outcome, sizes=sizes, kind=kind),
                )
            )
        elif time.monotonic() - reported > _REPORTED:
            reported = time.monotonic()
            said.put((number, (programs, calls, bad), None))


def described(
    device: str,
    seed: int,
    outcome: Any,
    seconds: float = _SHRUNK,
    sizes: tuple[str, int] = ("usual", 0),
    kind: str = "all",
) -> dict[str, Any]:
    """Return what a file has of a find: a smaller program, what it does, and what is wrong."""
    from .programs import run as run_program
    from .shrink import shrink

    again = run_program(None, outcome.steps)
    if again.problem is None or again.problem.key != outcome.problem.key:
        steps, told, problem = None, ["(not when it was run again)"], outcome.problem
    else:
        steps = shrink(outcome, seconds).steps
        last = run_program(None, steps, tell=True)
        told, problem = last.told, last.problem or outcome.problem
    return {
        "device": device,
        "thresholds": sizes,
        "kind": kind,
        "what": problem.what,
        "error": problem.error,
        "text": problem.text,
        "told": told,
        "steps": steps,
        "seed": seed,
    }


def _repeat(find: dict[str, Any]) -> int:
    """Run the program of a find and show it; 1 if it still goes wrong."""
    _setup(find["device"], find.get("thresholds", ("usual", 0)), find.get("kind", "all"))
    from .programs import run as run_program

    generator = None if find.get("steps") is not None else random.Random(find["seed"])
    sys.stdout.flush()
    outcome = run_program(generator, find.get("steps") or (), tell=True)
    for line in outcome.told:
        print(line)
    if outcome.problem is None:
        print("nothing is wrong")
        return PASSED
    problem = outcome.problem
    print(printable(f"{problem.what}: {problem.error}: {problem.text}"))
    return FAILED
