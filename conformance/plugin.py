"""The pytest plugin inside every process of the suite.

It lays our hypothesis profile over the suite's, shares the tests out among the processes of a run,
and writes what happens as JSON lines for the runner to read.
"""

from __future__ import annotations

import json
import os
import random
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .claims import claim
from .devices import DEVICE_VARIABLE, device_type

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

PROFILE = "ascend-array-api-conformance"

# Longer texts are cut in the middle: one repr of an array may hold megabytes.
_MESSAGE_LIMIT = 4_000
_TRACEBACK_LIMIT = 16_000


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options through which the runner speaks to its processes."""
    group = parser.getgroup("conformance")
    group.addoption("--conformance-events", help="file that takes the events, one JSON a line")
    group.addoption("--conformance-claims", help="folder in which processes claim their tests")
    group.addoption("--conformance-shrink", action="store_true", help="let hypothesis shrink")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Load our profile on top of the one that the suite's conftest.py has loaded by now."""
    from hypothesis import HealthCheck, Phase, settings

    skipped = set() if config.getoption("--conformance-shrink") else {Phase.shrink}
    settings.register_profile(
        PROFILE,
        parent=settings.default,  # the suite's: max_examples and deadline stay as they are
        phases=[phase for phase in Phase if phase not in skipped],
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    settings.load_profile(PROFILE)
    config.pluginmanager.register(Recorder(config), "conformance-recorder")


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
        self._seed: str = config.getoption("--hypothesis-seed")
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

    def pytest_sessionstart(self) -> None:
        """Write what is judged, and refuse to judge it on another device than was asked for."""
        from array_api_tests import xp  # type: ignore[import-not-found]  # the suite's package

        asked = os.environ[DEVICE_VARIABLE]
        top = sys.modules[xp.__name__.partition(".")[0]]
        try:
            device = str(xp.zeros(1).device)
        except AttributeError as error:  # an incomplete namespace is still to be judged
            device = f"unknown ({error})"
        else:
            if device_type(asked) not in device.lower():
                self.write(
                    "problem",
                    message=f"{xp.__name__} creates arrays on {device!r} by default, "
                    f"not on {asked!r} as {DEVICE_VARIABLE} asks",
                )
                pytest.exit("wrong default device", returncode=pytest.ExitCode.USAGE_ERROR)
        self.write(
            "environment",
            module_version=getattr(xp, "__version__", None) or getattr(top, "__version__", None),
            default_device=device,
            device_name=_device_name(device_type(asked)),
        )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Write a file that cannot be collected."""
        if report.failed:
            self.write(
                "problem",
                message=f"{report.nodeid or 'the suite'} cannot be collected",
                detail=cut(report.longreprtext, _TRACEBACK_LIMIT),
            )

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Write the tests of the run; make sure that it is our profile that they run under."""
        from hypothesis import settings

        if settings.get_current_profile_name() != PROFILE:
            raise pytest.UsageError("the suite has replaced the hypothesis profile of the runner")
        self.write("collected", nodeids=[item.nodeid for item in session.items])

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests that no other process has claimed."""
        if session.testsfailed:
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
        """Whether this process gets `item`."""
        if not claim(self._claims, item.nodeid):
            return False
        self.write("claimed", nodeid=item.nodeid)
        return True

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin the record of a test."""
        self._test = {"outcome": "passed", "duration": 0.0, "reason": None, "failures": []}
        self.write("started", nodeid=nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Seed the global generator, which hypothesis's ``.example()`` shuffles with."""
        random.seed(f"{self._seed} {item.nodeid}")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add one phase (setup, call or teardown) to the record of the test."""
        report = yield
        test = self._test
        test["duration"] += report.duration
        if report.failed:
            test["outcome"] = "failed" if report.when == "call" else "error"
            if call.excinfo is not None:
                test["failures"] += describe_error(call.excinfo.value, self._root)
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


def _device_name(kind: str) -> str | None:
    """Return the name of the hardware, None where nothing tells it."""
    torch = sys.modules.get("torch")
    if kind == "cpu" or torch is None:
        return None
    name: str = torch.get_device_module(kind).get_device_name()
    return name
