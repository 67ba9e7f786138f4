"""Run pytest in processes that share out the tests of each run, and collect what came of them.

Each slot holds one process. The processes of a run claim its tests one at a time, so none waits
for another, and a slot that is free goes to the run with the fewest processes: as long as there
are several runs, each has a process to itself and starts only once.
"""

# pytest-xdist 3.8 divides the tests of one session, whose processes must collect the same tests, so
# runs of several versions cannot share the slots.  It reports a process that dies, but not by which
# signal or with what output, misses one that dies after its last test, and ends the session with an
# internal error where a test calls `pytest.exit`.

from __future__ import annotations

import json
import math
import signal
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .processes import OUTCOMES, claim_file, environment_of, last_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# A run in which this many processes ended in the middle of a test is given up.
_MAX_DEATHS = 10
_POLL_SECONDS = 0.1
_TERMINATE_SECONDS = 5.0


@dataclass
class Test:
    """The outcome of one test.

    Attributes
    ----------
    nodeid, outcome, duration
        Its name in pytest; one of `OUTCOMES`; seconds.
    reason
        Why it was skipped, or was expected to fail.
    failures
        Of each exception its type, message and traceback, and hypothesis's example.
    notes
        What a plugin noted while it ran.
    """

    nodeid: str
    outcome: str
    duration: float
    reason: str | None = None
    failures: list[dict[str, str | None]] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """What the exceptions say, or the reason where there are none."""
        said = "\n".join(f"{error['type']}: {error['message']}" for error in self.failures)
        return said or self.reason or ""

    @property
    def traceback(self) -> str:
        """The tracebacks of the exceptions."""
        return "\n".join(error["traceback"] or "" for error in self.failures)

    @property
    def chapter(self) -> str:
        """The chapter of the suite: its file, in words."""
        return Path(self.nodeid.partition("::")[0]).stem.removeprefix("test_").replace("_", " ")


@dataclass
class Problem:
    """Something that keeps a run from being complete."""

    message: str
    detail: str | None = None
    nodeid: str | None = None  # what it is about


@dataclass(kw_only=True)
class Record:
    """One run, and what came of it.

    Attributes
    ----------
    command, variables, folder
        The command of its processes, with the plugin ``recorder``; the environment variables that
        decide what it judges; where it works.
    foreign
        Prefixes of environment variables that it must not inherit.
    keyword
        Which tests the command selects, if not all.
    most
        How many processes it may have at a time.
    silence
        Seconds without any event after which a process counts as hanging, and is ended.
    """

    command: list[str]
    variables: dict[str, str]
    folder: Path
    foreign: tuple[str, ...] = ("PYTEST_",)
    keyword: str | None = None
    most: float = math.inf
    silence: float = math.inf
    collected: list[str] | None = None
    tests: dict[str, Test] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    environment: dict[str, str | None] = field(default_factory=dict)
    started: datetime | None = None
    duration: float = 0.0
    ended: bool = False

    def add_problem(
        self, message: str, detail: str | None = None, nodeid: str | None = None
    ) -> None:
        """Add a problem once, however many processes meet it."""
        if all(problem.message != message for problem in self.problems):
            self.problems.append(Problem(message, detail, nodeid))

    @property
    def counts(self) -> dict[str, int]:
        """How many tests had each outcome, were collected, and were collected but never ran."""
        outcomes = Counter(test.outcome for test in self.tests.values())
        collected = len(self.collected or ())
        return {
            "collected": collected,
            **{outcome: outcomes[outcome] for outcome in OUTCOMES},
            "not_run": collected - len(self.tests),
        }

    @property
    def judged(self) -> int:
        """How many tests ran and were not skipped."""
        return len(self.tests) - self.counts["skipped"]

    @property
    def failed(self) -> list[Test]:
        """The tests that failed, in the order of the suite."""
        return [test for test in self.ordered if test.outcome in {"failed", "error"}]

    @property
    def ordered(self) -> list[Test]:
        """The tests in the order of the suite."""
        return [self.tests[nodeid] for nodeid in self.collected or () if nodeid in self.tests]

    @property
    def complete(self) -> bool:
        """Whether every collected test ran, at least one was judged, and nothing went wrong."""
        return bool(self.judged) and not self.counts["not_run"] and not self.problems

    @property
    def success(self) -> bool:
        """Whether the run is complete and nothing failed."""
        return self.complete and not self.failed


class _Process:
    """One process of a run."""

    def __init__(self, job: _Job, number: int) -> None:
        self.job = job
        self.began = self.heard = time.monotonic()
        self.claimed: set[str] = set()  # and not finished
        self.useful = False  # whether it has claimed any test
        self.current: str | None = None
        self.exitstatus: int | None = None
        self._events = job.folder / f"{number}.events"
        self._output = job.folder / f"{number}.output"
        self._offset = 0
        variables = {
            "HYPOTHESIS_STORAGE_DIRECTORY": str(job.folder / "hypothesis"),
            **job.record.variables,
        }
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                [
                    *job.record.command,
                    f"--conformance-events={self._events}",
                    f"--conformance-claims={job.claims}",
                ],
                cwd=job.record.folder,
                env=environment_of(variables, foreign=job.record.foreign),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C reaches the runner alone, which ends its processes
            )

    def poll(self) -> int | None:
        """Return the exit code once the process has ended."""
        return self._process.poll()

    def events(self) -> Iterable[dict[str, Any]]:
        """Yield the events that are new."""
        if not self._events.exists():
            return
        with self._events.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]  # the last line may still be in the writing
        self._offset += len(whole)
        for line in whole.splitlines():
            self.heard = time.monotonic()
            yield json.loads(line)

    def output(self) -> str:
        """Return the end of what the process printed."""
        return last_lines(self._output.read_text(encoding="utf-8", errors="replace"))

    def end(self) -> None:
        """End the process, gently first."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_TERMINATE_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


class _Job:
    """A run in progress."""

    def __init__(self, record: Record, folder: Path) -> None:
        self.folder = folder
        self.claims = folder / "claims"
        self.claims.mkdir(parents=True)
        self.record = record
        self.processes: list[_Process] = []
        self._spawned = 0
        self._deaths = 0
        self._startup = 0.0
        self._began = 0.0
        self._claimed: set[str] = set()
        self._released = 0.0
        self._stopped = False

    @property
    def open(self) -> bool:
        """Whether another process would find something to do."""
        collected = self.record.collected
        if self._stopped or (collected is not None and len(self._claimed) == len(collected)):
            return False
        if len(self.processes) >= self.record.most:
            return False
        if not self.processes or collected is None:
            return True
        # Worth it only if what is left takes the processes at work longer than one takes to start.
        elapsed = time.monotonic() - self._began - self._startup
        done = len(self.record.tests)
        left = len(collected) - done - len(self.processes)
        return done > 0 and left * elapsed / done > self._startup

    def spawn(self) -> None:
        """Start another process."""
        if not self._spawned:
            self._began = time.monotonic()
            self.record.started = datetime.now(timezone.utc)
        self._spawned += 1
        self.processes.append(_Process(self, self._spawned))

    def poll(self) -> None:
        """Read the events; bury the processes that have ended."""
        for process in tuple(self.processes):
            code = process.poll()  # before the events, so that none is missed
            for event in process.events():
                self._take(process, event)
            if code is not None:
                self.processes.remove(process)
                self._bury(process, code)
                self.record.duration = time.monotonic() - self._began
            elif time.monotonic() - process.heard > self.record.silence:
                process.end()

    def interrupt(self) -> None:
        """End all processes and keep what is known."""
        for process in self.processes:
            process.end()
            for event in process.events():
                self._take(process, event)
        if self.processes:
            self.record.duration = time.monotonic() - self._began
        self.processes.clear()

    def _take(self, process: _Process, event: dict[str, Any]) -> None:
        record = self.record
        kind = event.pop("event")
        if kind == "environment":
            record.environment = record.environment or event
        elif kind == "problem":
            record.add_problem(**event)
        elif kind == "collected":
            if record.collected is None:
                record.collected = event["nodeids"]
                self._startup = time.monotonic() - process.began
            elif record.collected != event["nodeids"]:
                record.add_problem("the processes of the run collected different tests")
        elif kind == "claimed":
            process.claimed.add(event["nodeid"])
            process.useful = True
            self._claimed.add(event["nodeid"])
        elif kind == "started":
            process.current = event["nodeid"]
        elif kind == "finished":
            test = Test(**event)
            record.tests[test.nodeid] = test
            process.claimed.discard(test.nodeid)
            process.current = None
        elif kind == "end":
            process.exitstatus = event["exitstatus"]

    def _bury(self, process: _Process, code: int) -> None:
        """Draw the conclusions from the end of a process."""
        record = self.record
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        if process.current is not None:
            crash = {
                "type": "crash",
                "message": f"the process ended in this test ({how})",
                "falsifying_example": None,
                "traceback": process.output(),
            }
            record.tests[process.current] = Test(process.current, "error", 0.0, failures=[crash])
            message = f"a process ended with {how} in {process.current}"
            record.add_problem(message, nodeid=process.current)
            self._deaths += 1
            if self._deaths >= _MAX_DEATHS:
                record.add_problem(
                    f"{self._deaths} processes ended in a test; the run was given up"
                )
                self._stopped = True
            # What it had claimed ahead goes back to the others.
            for nodeid in process.claimed - {process.current}:
                claim_file(self.claims, nodeid).unlink()
                self._claimed.remove(nodeid)
                self._released = time.monotonic()
        elif record.collected == [] and code in (0, 1, 5):
            if not record.problems:
                selected = f"matches -k {record.keyword!r}" if record.keyword else "was found"
                record.add_problem(f"no test {selected}")
            self._stopped = True
        elif process.exitstatus == code and code in (0, 1):
            # Without this, tests that a process refuses to run would start processes for ever.
            self._stopped |= not process.useful and process.began > self._released
        else:
            if not record.problems:
                message = f"a process ended with {how} outside of a test"
                record.add_problem(message, process.output())
            self._stopped = True


R = TypeVar("R", bound=Record)


def execute(records: Sequence[R], jobs: int, progress: Callable[[Sequence[R]], None]) -> bool:
    """Run everything, fill in the records, and return whether the user has interrupted it.

    Parameters
    ----------
    records
        What to run.
    jobs
        How many processes work at the same time.
    progress
        Called a few times a second with the records so far.
    """
    with tempfile.TemporaryDirectory(prefix="conformance-") as scratch:
        all_jobs = [_Job(record, Path(scratch) / str(i)) for i, record in enumerate(records)]
        interrupted = False
        try:
            while True:
                for job in all_jobs:
                    job.poll()
                free = jobs - sum(len(job.processes) for job in all_jobs)
                while free > 0 and (waiting := [job for job in all_jobs if job.open]):
                    min(waiting, key=lambda job: len(job.processes)).spawn()
                    free -= 1
                for job in all_jobs:
                    job.record.ended = not job.processes and not job.open
                progress(records)
                if not any(job.processes for job in all_jobs):
                    break
                time.sleep(_POLL_SECONDS)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            for job in all_jobs:
                job.interrupt()
        for record in records:
            missing = record.counts["not_run"]
            if interrupted and (missing or record.collected is None):
                record.add_problem("the run was interrupted")
            elif missing and not record.problems:
                record.add_problem(f"collected but never run: {missing} tests")
        return interrupted
