"""Run files of tests, in processes that may end at any moment, and collect what came of them."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import NAME
from ..cann_emulator._emulator import AUTOLOAD
from ..cann_emulator._modes import VARIABLE as MODE_VARIABLE
from ..devices import setup_for
from ..processes import environment_of, last_lines, pytest_command
from . import DONE_VARIABLE, RECORD_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Seconds without any outcome after which a process counts as hanging.
SILENCE = 1800.0

# The suite is run by unittest: functions that tests import are none, whatever their names are.
_CONFIGURATION = "[pytest]\npython_functions = no_function\npython_classes = no_class\n"

# Files that set environment variables when they are imported get a process of their own.
_CHANGES_ENVIRONMENT = "os.environ["


@dataclass(frozen=True)
class Outcome:
    """What came of one test.

    Attributes
    ----------
    test
        Its name in pytest, relative to the folder of the tests.
    outcome
        ``passed``, ``failed``, ``skipped``, or ``crashed``: the process ended within it.
    message, traceback
        What it said.
    failures
        Kernels of the emulator that failed by themselves while it ran.
    older
        Operators of the older (GE) path that it asked for, which are not emulated.
    """

    test: str
    outcome: str
    message: str = ""
    traceback: str = ""
    failures: tuple[str, ...] = field(default=())
    older: tuple[str, ...] = field(default=())


def run_files(
    folder: Path,
    targets: Sequence[str],
    mode: str | None,
    jobs: int,
    report: Callable[[Outcome], None],
) -> list[Outcome]:
    """Run files or single tests of `folder`; return the outcomes in the order of their names."""
    alone = [target for target in targets if _changes_environment(folder, target)]
    others = [target for target in targets if target not in alone]
    shares = [others[i::jobs] for i in range(min(jobs, len(others)))]
    shares += [[target] for target in alone]
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda share: _run_share(folder, share, mode, report), shares))
    return sorted((o for outcomes in results for o in outcomes), key=lambda o: o.test)


def _changes_environment(folder: Path, target: str) -> bool:
    text = (folder / target.partition("::")[0]).read_text(encoding="utf-8")
    return _CHANGES_ENVIRONMENT in text


def _run_share(
    folder: Path, targets: Sequence[str], mode: str | None, report: Callable[[Outcome], None]
) -> list[Outcome]:
    """Run tests in one process after the other, until each has an outcome."""
    outcomes: dict[str, Outcome] = {}
    with tempfile.TemporaryDirectory(prefix="op-plugin-") as scratch:
        while True:
            before = len(outcomes)
            started, said, code = _process(Path(scratch), folder, targets, mode, outcomes, report)
            if started is None and code in (0, 1, 2, 5):  # 5: nothing left; 2: no file imported
                return list(outcomes.values())
            if started is None:
                started = f"{targets[0]} and others"
            crash = Outcome(started, "crashed", f"the process ended with {code}", said)
            outcomes[started] = crash
            report(crash)
            if len(outcomes) == before:  # it ends outside of any test
                return list(outcomes.values())


def _process(
    scratch: Path,
    folder: Path,
    targets: Sequence[str],
    mode: str | None,
    outcomes: dict[str, Outcome],
    report: Callable[[Outcome], None],
) -> tuple[str | None, str, int]:
    """Run what has no outcome yet; return the test that ended the process, its output, its code."""
    record, output, done = scratch / "record.jsonl", scratch / "output", scratch / "done.json"
    record.write_text("", encoding="utf-8")
    done.write_text(json.dumps(list(outcomes)), encoding="utf-8")
    setup = setup_for("npu")
    emulator = [plugin for plugin in setup.plugins if "emulator" in plugin]
    configuration = scratch / "pytest.ini"
    configuration.write_text(_CONFIGURATION, encoding="utf-8")
    command = pytest_command(
        (*emulator, f"{NAME}.op_plugin.plugin"),
        *("-c", str(configuration), "--rootdir", str(folder), "--tb=short"),
        *("--continue-on-collection-errors", "--assert=plain"),
        *targets,
    )
    variables = {
        # Where torch_npu goes to the CPU by itself it may, as for those who wrote the tests.
        **{key: setup.environment[key] for key in (AUTOLOAD,)},
        # An operator that is missing fails there and then: in a queue it would silence all others.
        "TASK_QUEUE_ENABLE": "0",
        RECORD_VARIABLE: str(record),
        DONE_VARIABLE: str(done),
        **({MODE_VARIABLE: mode} if mode else {}),
    }
    started, position, silent_since = None, 0, time.monotonic()
    with output.open("w", encoding="utf-8") as sink:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment_of(variables),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
        try:
            ended = False
            while not ended:
                ended = _ends(process)
                with record.open(encoding="utf-8") as file:
                    file.seek(position)
                    lines = file.read()
                complete = lines[: lines.rfind("\n") + 1]
                position += len(complete.encode())
                for line in complete.splitlines():
                    entry = json.loads(line)
                    silent_since = time.monotonic()
                    if "started" in entry:
                        started = entry["started"]
                        continue
                    outcome = _outcome(entry)
                    outcomes[outcome.test] = outcome
                    report(outcome)
                    started = None
                if not ended and time.monotonic() - silent_since > SILENCE:
                    process.kill()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    said = output.read_text(encoding="utf-8", errors="replace")
    return started, last_lines(said), process.returncode


def _ends(process: subprocess.Popen[bytes]) -> bool:
    """Wait a moment for the process to end."""
    try:
        process.wait(0.5)
    except subprocess.TimeoutExpired:
        return False
    return True


def _outcome(entry: dict[str, Any]) -> Outcome:
    return Outcome(
        test=entry["test"],
        outcome=entry["outcome"],
        message=entry.get("message") or entry.get("reason", ""),
        traceback=entry.get("traceback", ""),
        failures=tuple(entry.get("failures", ())),
        older=tuple(entry.get("older", ())),
    )
