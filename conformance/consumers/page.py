"""The reports of a folder as one HTML page that needs nothing but itself."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from ..html import document, header, text
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
    failed = sum(len(_with(report, "failed", "error")) for report in reports)
    problems = sum(len(report["problems"]) for report in reports)
    verdict = "All runs pass" if all(r["success"] for r in reports) else f"{failed} tests failed"
    if problems:
        verdict += f", {problems} problems"
    passed = all(report["success"] for report in reports)
    head = header("Consumers' own array API tests", verdict, {}, passed=passed)
    body = "\n".join([head, _summary(reports), *map(_run, reports)])
    return document(f"Array API consumers: {verdict}", body)


def _with(report: Report, *outcomes: str) -> list[Mapping[str, Any]]:
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


def _row(cells: Iterable[object], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{text(cell)}</{tag}>" for cell in cells) + "</tr>"


def _table(head: Iterable[str], rows: Iterable[str]) -> str:
    return (
        f'<div class="scroll"><table><thead>{_row(head, "th")}</thead>'
        f"<tbody>\n{chr(10).join(rows)}\n</tbody></table></div>"
    )


def _summary(reports: list[Report]) -> str:
    rows = [
        _row(
            [
                _label(report),
                *(report["counts"][outcome] for outcome in OUTCOMES),
                f"{report['duration']:.0f} s",
            ]
        )
        for report in reports
    ]
    return f"<section><h2>Runs</h2>\n{_table(('Run', *OUTCOMES, 'Time'), rows)}</section>"


def _run(report: Report) -> str:
    parts = [f"<section><h2>{text(_label(report))}</h2>"]
    parts += [f"<pre>{text(problem)}</pre>" for problem in report["problems"]]
    for test in _with(report, "failed", "error"):
        message = test.get("message", "").strip().splitlines()
        parts.append(
            f"<details><summary><code>{text(test['nodeid'])}</code>: "
            f"{text(message[0] if message else '')}</summary>"
            f"<pre>{text(test.get('traceback', ''))}</pre></details>"
        )
    for outcome, title in (("xfailed", "Known to fail"), ("skipped", "Skipped by the tests")):
        reasons = Counter(test.get("reason", "") for test in _with(report, outcome))
        if reasons:
            rows = [_row([number, reason]) for reason, number in reasons.most_common()]
            parts.append(
                f"<details><summary>{title}: {reasons.total()}</summary>"
                f"{_table(('Tests', 'Reason'), rows)}</details>"
            )
    packages = ", ".join(f"{k} {v}" for k, v in report["packages"].items() if v)
    parts.append(
        f"<p><code>{text(shlex.join(report['command_line']))}</code><br>{text(packages)}</p></section>"
    )
    return "\n".join(parts)
