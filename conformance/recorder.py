"""The pytest plugin inside every process that `runner` starts.

It shares the tests out among the processes of a run, and writes what happens as JSON lines.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .processes import claim_file

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

PLUGIN = "conformance-recorder"
"""The name under which pytest has the `Recorder`."""

# Longer texts are cut in the middle: one repr of an array may hold megabytes.
_MESSAGE_LIMIT = 4_000
_TRACEBACK_LIMIT = 16_000


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options through which the runner speaks to its processes."""
    group = parser.getgroup("runner")
    group.addoption("--conformance-events", help="file that takes the events, one JSON a line")
    group.addoption("--conformance-claims", help="folder in which processes claim their tests")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to write."""
    config.pluginmanager.register(Recorder(config), PLUGIN)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Let an error that an accelerator finds out late be one of the test that it is of."""
    try:
        result = yield
        if late := _late():
            late.raise_all()
    finally:
        if late := _late():
            late.pending.clear()
    return result


def _late() -> Any:
    return sys.modules.get("ascend_array_api._reports.late_errors")  # other namespaces have none


def cut(text: str, limit: int) -> str:
    """Return `text`, without its middle if it is longer than `limit`."""
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2]}\n[... {len(text) - limit} characters ...]\n{text[-limit // 2 :]}"


def leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions of a group (hypothesis groups distinct failures), or `error` itself."""
    for inner in getattr(error, "exceptions", ()) or (error,):
        if inner is error:
            yield error
        else:
            yield from leaves(inner)


def describe_error(error: BaseException, root: Path) -> list[dict[str, str | None]]:
    """Return type, message, failing example and traceback of every exception in `error`.

    Hypothesis attaches the example as notes, so nothing is read out of printed text.
    """
    return [
        {
            "type": type(leaf).__name__,
            "message": cut(str(leaf), _MESSAGE_LIMIT),
            "falsifying_example": cut("\n".join(notes), _MESSAGE_LIMIT) if notes else None,
            "traceback": cut(format_traceback(leaf, root), _TRACEBACK_LIMIT),
        }
        for leaf in leaves(error)
        for notes in [getattr(leaf, "__notes__", None)]
    ]


def format_traceback(error: BaseException, root: Path) -> str:
    """Return the traceback of `error` from the first frame below `root` on, with short paths.

    The tracebacks of pytest parse the source of each frame, which takes longer than the tests.
    """
    described = traceback.TracebackException.from_exception(error, compact=True)
    frames = list(described.stack)
    inside = (i for i, frame in enumerate(frames) if Path(frame.filename).is_relative_to(root))
    frames = frames[next(inside, 0) :]
    for frame in frames:
        path = frame.filename.removeprefix(f"{root}{os.sep}")
        frame.filename = path.rpartition(f"site-packages{os.sep}")[2]
    described.stack = traceback.StackSummary.from_list(frames)
    if sys.version_info >= (3, 11):
        described.__notes__ = None  # they are the example, which is reported by itself
    return "".join(described.format())


class Recorder:
    """Runs the tests that this process claims and writes events."""

    def __init__(self, config: pytest.Config) -> None:
        self._claims = Path(config.getoption("--conformance-claims"))
        self._root = config.rootpath
        self._events = open(  # noqa: SIM115 - open until the process ends
            config.getoption("--conformance-events"), "w", encoding="utf-8"
        )
        self._test: dict[str, Any] = {}

    def write(self, event: str, **fields: object) -> None:
        """Write one event; it must survive a crash in the next line."""
        self._events.write(json.dumps({"event": event, **fields}) + "\n")
        self._events.flush()

    def note(self, **notes: object) -> None:
        """Add notes to the record of the test that runs."""
        self._test["notes"] |= notes

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Write a file that cannot be collected."""
        if report.failed:
            self.write(
                "problem",
                message=f"{report.nodeid or 'the suite'} cannot be collected",
                detail=cut(report.longreprtext, _TRACEBACK_LIMIT),
                nodeid=report.nodeid,
            )

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Write the tests of the run."""
        self.write("collected", nodeids=[item.nodeid for item in session.items])

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests that no other process has claimed."""
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            raise session.Interrupted(f"{session.testsfailed} errors during collection")
        claimed = filter(self._claim, session.items)
        item = next(claimed, None)
        while item is not None:
            # pytest keeps the fixtures that the next test shares: it has to be known by now.
            upcoming = next(claimed, None)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=upcoming)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
            item = upcoming
        return True

    def _claim(self, item: pytest.Item) -> bool:
        """Whether this process gets `item`: creating a file exclusively is atomic."""
        try:
            claim_file(self._claims, item.nodeid).open("x").close()
        except FileExistsError:
            return False
        self.write("claimed", nodeid=item.nodeid)
        return True

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin the record of a test."""
        self._test = {"outcome": "passed", "duration": 0.0, "reason": None}
        self._test |= {"failures": [], "notes": {}}
        self.write("started", nodeid=nodeid)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add one phase (setup, call or teardown) to the record of the test."""
        report = yield
        test = self._test
        test["duration"] += report.duration
        if report.failed:
            test["outcome"] = "failed" if report.when == "call" else "error"
            if call.excinfo is not None:
                inside = item.path.is_relative_to(self._root)
                root = self._root if inside else item.path.parent
                test["failures"] += describe_error(call.excinfo.value, root)
            else:  # a strict xfail that passes
                test["reason"] = report.longreprtext
        elif hasattr(report, "wasxfail"):
            test["outcome"] = "xfailed" if report.skipped else "xpassed"
            test["reason"] = report.wasxfail
        elif report.skipped:
            test["outcome"] = "skipped"
            place = report.longrepr  # (file, line, reason)
            reason = place[2] if isinstance(place, tuple) else str(place)
            test["reason"] = reason.removeprefix("Skipped: ")
        return report

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Write the record of a test."""
        self.write("finished", nodeid=nodeid, **self._test)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write that this process reached its end."""
        self.write("end", exitstatus=int(exitstatus))
