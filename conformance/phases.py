"""The phases of a test that pytest reports, put together to one outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .plugin import cut

if TYPE_CHECKING:
    import pytest


def add(test: dict[str, Any], report: pytest.TestReport, limit: int) -> None:
    """Add a phase to the record of a test; texts longer than the limit are cut.

    It has the outcome, of what failed the message and the traceback, else the reason if there is
    one.
    """
    test.setdefault("outcome", "passed")
    if report.failed:
        test["outcome"] = "failed" if report.when == "call" else "error"
        crash = getattr(report.longrepr, "reprcrash", None)
        test["message"] = cut(crash.message if crash else report.longreprtext, limit)
        test["traceback"] = cut(report.longreprtext, limit)
    elif hasattr(report, "wasxfail"):
        test["outcome"] = "xfailed" if report.skipped else "xpassed"
        test["reason"] = report.wasxfail
    elif report.skipped:
        test["outcome"] = "skipped"
        place = report.longrepr
        reason = place[2] if isinstance(place, tuple) else str(place)
        test["reason"] = reason.removeprefix("Skipped: ")
