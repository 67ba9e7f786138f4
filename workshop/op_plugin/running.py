"""Run files of tests, in processes that may end at any moment, and collect what came of them."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cann_emulator._emulator import AUTOLOAD
from conformance.cann_emulator._modes import VARIABLE as MODE_VARIABLE
from conformance.devices import setup_for
from conformance.processes import pytest_command
from conformance.runner import Record, execute
from conformance.terminal import in_one_line

from .. import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.runner import Test

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
        Its name in pytest, relative to the folder of the tests, as `in_one_line` shows it.
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
    progress: Callable[[Sequence[Record]], None],
) -> tuple[list[Outcome], list[str]]:
    """Run files or single tests of `folder`; return the outcomes by name, and problems.

    The tests of a file run in one process, in order: some of them need what those before left.
    """
    alone = [target for target in targets if _changes_environment(folder, target)]
    others = [target for target in targets if target not in alone]
    shares = [others[i::jobs] for i in range(min(jobs, len(others)))]
    shares += [[target] for target in alone]
    with tempfile.TemporaryDirectory(prefix="op-plugin-") as scratch:
        configuration = Path(scratch) / "pytest.ini"
        configuration.write_text(_CONFIGURATION, encoding="utf-8")
        records = [_record(share, mode, folder, configuration) for share in shares]
        if execute(records, jobs, progress):
            raise KeyboardInterrupt
    found = [_outcome(test) for record in records for test in record.tests.values()]
    problems = [problem for record in records for problem in record.problems]
    ran = {outcome.test for outcome in found}
    # A file that cannot be imported counts as a test that failed.
    found += [
        Outcome(name, "failed", problem.detail or "")
        for problem in problems
        if problem.nodeid is not None and (name := in_one_line(problem.nodeid)) not in ran
    ]
    others = [f"{p.message}: {p.detail or ''}" for p in problems if p.nodeid is None]
    return sorted(found, key=lambda outcome: outcome.test), others


def _changes_environment(folder: Path, target: str) -> bool:
    text = (folder / target.partition("::")[0]).read_text(encoding="utf-8")
    return _CHANGES_ENVIRONMENT in text


def _record(targets: Sequence[str], mode: str | None, folder: Path, configuration: Path) -> Record:
    """Return the record of tests that one process runs, and another what it did not live to run."""
    setup = setup_for("npu")
    command = pytest_command(
        (*setup.starting, f"{NAME}.op_plugin.plugin"),
        *("-c", str(configuration), "--rootdir", str(folder)),
        *("--continue-on-collection-errors", "--assert=plain"),
        *targets,
    )
    variables = {
        # Where torch_npu goes to the CPU by itself it may, as for those who wrote the tests.
        **{key: setup.environment[key] for key in (AUTOLOAD,)},
        # An operator that is missing fails there and then: in a queue it would silence all others.
        "TASK_QUEUE_ENABLE": "0",
        **({MODE_VARIABLE: mode} if mode else {}),
    }
    return Record(command=command, variables=variables, folder=folder, most=1, silence=SILENCE)


def _outcome(test: Test) -> Outcome:
    """Return what came of a test, of which setUp and tearDown are a part there."""
    crashed = any(error["type"] == "crash" for error in test.failures)
    failed = "crashed" if crashed else "failed"
    return Outcome(
        test=in_one_line(test.nodeid),
        outcome=failed if test.outcome == "error" else test.outcome,
        message=test.message,
        traceback=test.traceback,
        failures=tuple(test.notes.get("failures", ())),
        older=tuple(test.notes.get("older", ())),
    )
