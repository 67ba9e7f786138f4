"""The reports of a folder as one HTML page that needs nothing but itself."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from ..html import templates
from ..processes import OUTCOMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    Report = Mapping[str, Any]

NAME: Final = "consumers.html"


def write(folder: Path) -> Path:
    """Write the page of all reports in a folder, and return its path."""
    reports = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("consumers-*.json"))
    ]
    path = folder / NAME
    path.write_text(render(reports), encoding="utf-8", errors="backslashreplace")
    return path


def render(reports: list[Report]) -> str:
    """Return the page."""
    failed = sum(len(_chosen(report, "failed", "error")) for report in reports)
    problems = sum(len(report["problems"]) for report in reports)
    passed = all(report["success"] for report in reports)
    verdict = "All runs pass" if passed else f"{failed} tests failed"
    if problems:
        verdict += f", {problems} problems"
    return (
        templates()
        .get_template("consumers.html")
        .render(
            title=f"Array API consumers: {verdict}",
            kicker="Consumers' own array API tests",
            heading=verdict,
            passed=passed,
            facts={},
            notices=(),
            head=("Run", *OUTCOMES, "Time"),
            runs=[
                (
                    _label(r),
                    *(r["counts"][outcome] for outcome in OUTCOMES),
                    f"{r['duration']:.0f} s",
                )
                for r in reports
            ],
            reports=reports,
            label=_label,
            chosen=_chosen,
            by_reason=_by_reason,
            shown=shlex.join,
        )
    )


def _chosen(report: Report, *outcomes: str) -> list[Mapping[str, Any]]:
    return [test for test in report["tests"] if test["outcome"] in outcomes]


def mode(report: Report) -> str:
    """Say in which mode a run was, and whether of the slow tests."""
    return ("relaxed" if report["relaxed"] else "strict") + (", slow" if report.get("slow") else "")


def _label(report: Report) -> str:
    note = f" ({report['device_note']})" if report["device_note"] else ""
    return (
        f"{report['consumer']} {report['version']}: {report['namespace']} on "
        f"{report['device']}{note}, {mode(report)}, {report['default_float']}"
    )


def _by_reason(tests: Iterable[Mapping[str, Any]]) -> list[tuple[int, str]]:
    reasons = Counter(test.get("reason", "") for test in tests)
    return [(number, reason) for reason, number in reasons.most_common()]
