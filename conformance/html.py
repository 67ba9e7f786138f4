"""The report as one HTML page that needs nothing but itself.

Every page is a template in the folder ``templates``; the template of all, ``page.html``, brings
the style.
"""

from __future__ import annotations

import shlex
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import NAME
from .plan import MODULES
from .processes import OUTCOMES
from .terminal import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment

_FAILED = ("failed", "error")


@cache
def templates() -> Environment:
    """Return the templates, which escape all values.

    A character that would reorder or hide the text after it is shown as its code.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) else printable(str(value)),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def write_html(report: Mapping[str, Any], path: Path) -> None:
    """Write the page."""
    path.write_text(render(report), encoding="utf-8", errors="backslashreplace")


def render(report: Mapping[str, Any]) -> str:
    """Return the page."""
    runs, verdict = report["runs"], _verdict(report)
    summary: dict[tuple[str, str], dict[str, list[Mapping[str, Any]]]] = {}
    tests: dict[str, list[Mapping[str, Any] | None]] = {}
    chapters: dict[str, list[Counter[str]]] = {}
    for index, run in enumerate(runs):
        row = summary.setdefault((run["version"], run["module"]), {})
        row.setdefault(_device(run), []).append(run)
        for test in run["tests"]:
            tests.setdefault(test["nodeid"], [None] * len(runs))[index] = test
            chapter = chapters.setdefault(test["chapter"], [Counter() for _ in runs])
            chapter[index][test["outcome"]] += 1
    failing = {
        nodeid: where
        for nodeid, row in tests.items()
        if (where := [(r, t) for r, t in zip(runs, row) if t and t["outcome"] in _FAILED])
    }
    present = {test["outcome"] for run in runs for test in run["tests"]}
    return (
        templates()
        .get_template("suite.html")
        .render(
            title=f"Array API conformance: {verdict}",
            kicker="Array API conformance",
            heading=verdict.capitalize(),
            passed=report["success"],
            facts=_facts(report),
            notices=_notices(report),
            report=report,
            runs=runs,
            devices=list(dict.fromkeys(map(_device, runs))),
            summary=summary,
            failing=failing,
            chapters=chapters,
            reasons=list(dict.fromkeys(reason for run in runs for reason in run["skip_reasons"])),
            tests=tests,
            outcomes=[name for name in OUTCOMES if name in present],
            environment=_environment(report),
            device=_device,
            label=_label,
            short=lambda nodeid: nodeid.removeprefix("array_api_tests/"),
            headline=_headline,
            again=_again,
            details=_details,
        )
    )


def _verdict(report: Mapping[str, Any]) -> str:
    if report["success"]:
        selected = any(run["keyword"] for run in report["runs"])
        return "the tests that were selected pass" if selected else "all runs pass"
    tests = (test for run in report["runs"] for test in run["tests"])
    failed = len({test["nodeid"] for test in tests if test["outcome"] in _FAILED})
    failures = f"{failed} {'test' if failed == 1 else 'tests'} failed"
    complete = all(run["complete"] for run in report["runs"])
    return failures if complete else f"incomplete, {failures}"


def _device(run: Mapping[str, Any]) -> str:
    note = run["device_note"]
    return f"{run['device']} ({note})" if note else str(run["device"])


def _label(run: Mapping[str, Any]) -> str:
    return f"{run['version']} {run['module']} {_device(run)} seed {run['seed']}"


def _facts(report: Mapping[str, Any]) -> dict[str, str]:
    suite, environment = report["suite"], report["environment"]
    commit = (suite["commit"] or "unknown")[:12] + (" (modified)" if suite["modified"] else "")
    packages = environment["packages"]
    return {
        "Suite": f"array-api-tests {commit}",
        "Standard": f"array-api {(suite['specification_commit'] or 'unknown')[:12]}",
        "Examples": ", ".join(sorted({str(run["max_examples"]) for run in report["runs"]})),
        "Skips and xfails": (
            "no skips file; xfails file " + suite["xfails_file"]
            if suite["xfails_file"]
            else "no skips file and no xfails file were used"
        ),
        "Python": f"{environment['python']}, NumPy {packages['numpy']}, torch {packages['torch']}",
        "Created": report["created"],
    }


def _notices(report: Mapping[str, Any]) -> list[str]:
    notices = []
    if report["interrupted"]:
        notices.append("The runs were interrupted: what follows is not the whole suite.")
    keywords = {run["keyword"] for run in report["runs"] if run["keyword"]}
    notices += [f"Only the tests that match -k {keyword!r} were run." for keyword in keywords]
    if report["suite"]["modified"]:
        notices.append("The copy of the suite differs from its commit.")
    return notices


def _headline(test: Mapping[str, Any]) -> str:
    """Return the first line of a failure."""
    for failure in test.get("failures", ()):
        message = (failure["message"] or "").strip().partition("\n")[0]
        return f"{failure['type']}: {message}"
    return str(test["outcome"])


def _again(run: Mapping[str, Any], nodeid: str, suite: Mapping[str, Any]) -> str:
    """Return the command that runs the function of a failed test again."""
    command = ["python", "-m", NAME, "--version", run["version"]]
    if run["module"] not in MODULES.get(run["version"], ()):
        command += ["--module", run["module"]]
    command += ["--device", run["device"], "--seed", str(run["seed"])]
    command += ["--max-examples", str(run["max_examples"])]
    if suite.get("path"):
        command += ["--suite", suite["path"]]
    if suite["xfails_file"]:
        command += ["--xfails", suite["xfails_file"]]
    function = nodeid.rpartition(".py::")[2].partition("[")[0].replace("::", " and ")
    return shlex.join([*command, "-k", function])


def _environment(report: Mapping[str, Any]) -> dict[str, object]:
    environment = report["environment"]
    return {
        "Command": shlex.join(report["command_line"]),
        "Python": f"{environment['implementation']} {environment['python']}",
        "Platform": environment["platform"],
        "Processor": f"{environment['processor']}, {environment['cores']} cores",
        **{name: version or "not installed" for name, version in environment["packages"].items()},
        **environment["variables"],
        "Suite": f"{report['suite']['url']} at {report['suite']['commit'] or 'unknown'}",
        "Standard": report["suite"]["specification_commit"] or "unknown",
    }


def _details(run: Mapping[str, Any]) -> dict[str, object]:
    return {
        "Module's version": run["module_version"] or "unknown",
        "Device of a new array": run["default_device"] or "unknown",
        "Hardware": run["device_name"] or "unknown",
        "Examples": run["max_examples"],
        "Shrinking": "on" if run["shrink"] else "off",
        "Started": run["started"] or "never",
        "Command": shlex.join(run["command"]),
        **run["variables"],
    }
