"""The report as one HTML page that needs nothing but itself.

Everything that comes from outside goes through :func:`text`, which escapes it.
"""

from __future__ import annotations

import shlex
from collections import Counter
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import NAME
from .plan import MODULES
from .processes import OUTCOMES
from .terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_HERE = Path(__file__).parent
_FAILED = ("failed", "error")


def write_html(report: Mapping[str, Any], path: Path) -> None:
    """Write the page."""
    path.write_text(render(report), encoding="utf-8", errors="backslashreplace")


def render(report: Mapping[str, Any]) -> str:
    """Return the page."""
    runs = report["runs"]
    body = "\n".join(
        (
            _header(report),
            _notices(report),
            _summary(runs),
            _problems(runs),
            _failures(report),
            _chapters(runs),
            _skips(runs),
            _tests(runs),
            _details(report),
        )
    )
    script = (_HERE / "page.js").read_text(encoding="utf-8")
    return document(f"Array API conformance: {_verdict(report)}", body, script)


def document(title: str, body: str, script: str = "") -> str:
    """Return a page with everything that it needs in it."""
    style = (_HERE / "page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{text(title)}</title>\n"
        f"<style>\n{style}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
        + (f"<script>\n{script}</script>\n" if script else "")
        + "</body>\n</html>\n"
    )


def text(value: object) -> str:
    """Return `value` as text that is safe between tags and in quoted attributes.

    What would show the text after it in another order, or not at all, is shown as its code.
    """
    return escape(printable(str(value)), quote=True)


def _verdict(report: Mapping[str, Any]) -> str:
    if report["success"]:
        selected = any(run["keyword"] for run in report["runs"])
        return "the tests that were selected pass" if selected else "all runs pass"
    failed = len({test["nodeid"] for run in report["runs"] for test in _failed(run)})
    failures = f"{failed} {'test' if failed == 1 else 'tests'} failed"
    complete = all(run["complete"] for run in report["runs"])
    return failures if complete else f"incomplete, {failures}"


def _failed(run: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [test for test in run["tests"] if test["outcome"] in _FAILED]


def _device(run: Mapping[str, Any]) -> str:
    note = run["device_note"]
    return f"{run['device']} ({note})" if note else str(run["device"])


def _label(run: Mapping[str, Any]) -> str:
    return f"{run['version']} {run['module']} {_device(run)} seed {run['seed']}"


def _cells(run: Mapping[str, Any]) -> str:
    """Return the head of a column that stands for a run."""
    parts = (run["version"], run["module"], _device(run), f"seed {run['seed']}")
    return '<th scope="col">' + "<br>".join(text(part) for part in parts) + "</th>"


def header(kicker: str, title: str, facts: Mapping[str, Any], *, passed: bool) -> str:
    """Return the head of a page: what it is about, its outcome, and facts by name."""
    listed = "".join(f"<div><dt>{text(k)}</dt><dd>{text(v)}</dd></div>" for k, v in facts.items())
    shown = f'<dl class="facts">{listed}</dl>\n' if facts else ""
    return (
        f'<header>\n<p class="kicker">{text(kicker)}</p>\n'
        f'<h1 class="{"pass" if passed else "fail"}">{text(title)}</h1>\n{shown}</header>'
    )


def _header(report: Mapping[str, Any]) -> str:
    suite, environment = report["suite"], report["environment"]
    commit = (suite["commit"] or "unknown")[:12] + (" (modified)" if suite["modified"] else "")
    packages = environment["packages"]
    facts = {
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
    verdict = _verdict(report).capitalize()
    return header("Array API conformance", verdict, facts, passed=report["success"])


def _notices(report: Mapping[str, Any]) -> str:
    notices = []
    if report["interrupted"]:
        notices.append("The runs were interrupted: what follows is not the whole suite.")
    keywords = {run["keyword"] for run in report["runs"] if run["keyword"]}
    notices += [f"Only the tests that match -k {keyword!r} were run." for keyword in keywords]
    if report["suite"]["modified"]:
        notices.append("The copy of the suite differs from its commit.")
    return "\n".join(f'<p class="notice">{text(notice)}</p>' for notice in notices)


def _summary(runs: list[Mapping[str, Any]]) -> str:
    """Return the table of versions and modules by devices."""
    devices = list(dict.fromkeys(_device(run) for run in runs))
    rows: dict[tuple[str, str], dict[str, list[Mapping[str, Any]]]] = {}
    for run in runs:
        row = rows.setdefault((run["version"], run["module"]), {})
        row.setdefault(_device(run), []).append(run)
    head = "".join(f'<th scope="col">{text(device)}</th>' for device in devices)
    body = "\n".join(
        f'<tr><th scope="row">{text(version)}</th><td><code>{text(module)}</code></td>'
        + "".join(
            f"<td>{''.join(_result(run) for run in row.get(device, []))}</td>" for device in devices
        )
        + "</tr>"
        for (version, module), row in rows.items()
    )
    return (
        '<section id="summary"><h2>Summary</h2>\n<div class="scroll"><table class="summary">'
        f'<thead><tr><th scope="col">Version</th><th scope="col">Module</th>{head}</tr></thead>'
        f"<tbody>\n{body}\n</tbody></table></div></section>"
    )


def _result(run: Mapping[str, Any]) -> str:
    """Return the cell of one run."""
    counts = run["counts"]
    failed = counts["failed"] + counts["error"]
    state = "pass" if run["success"] else "fail"
    minor = [f"{counts[key]} {key}" for key in ("skipped", "xfailed", "xpassed") if counts[key]]
    minor += [f"{counts['not_run']} not run"] if counts["not_run"] else []
    minor += [f"seed {run['seed']}", f"{run['duration']:.0f} s"]
    complete = "" if run["complete"] else "<b>incomplete</b> "
    return (
        f'<div class="result {state}">{_bar(counts)}<div>{complete}<b>{failed} failed</b> '
        f"<span>{counts['passed']} passed</span></div>"
        f"<small>{text(' · '.join(minor))}</small></div>"
    )


def _bar(counts: Mapping[str, int]) -> str:
    """Return a bar of passed, failed and other tests; skipped ones do not count."""
    passed, failed = counts["passed"], sum(counts.get(outcome, 0) for outcome in _FAILED)
    other = counts.get("xfailed", 0) + counts.get("xpassed", 0) + counts.get("not_run", 0)
    total = passed + failed + other
    if not total:
        return '<div class="bar"></div>'
    shares = (("passed", passed), ("failed", failed), ("other", other))
    # A single failure among a thousand still has to be seen.
    return (
        '<div class="bar">'
        + "".join(
            f'<i class="{name}" style="flex:{count} 0 3px"></i>' for name, count in shares if count
        )
        + "</div>"
    )


def _problems(runs: Iterable[Mapping[str, Any]]) -> str:
    entries = [
        f"<details open><summary><b>{text(_label(run))}</b>: {text(problem['message'])}</summary>"
        + (f"<pre>{text(problem['detail'])}</pre>" if problem["detail"] else "")
        + "</details>"
        for run in runs
        for problem in run["problems"]
    ]
    if not entries:
        return ""
    return (
        '<section id="problems"><h2>Problems</h2>\n<p>These runs are not complete.</p>\n'
        + "\n".join(entries)
        + "</section>"
    )


def _failures(report: Mapping[str, Any]) -> str:
    failing: dict[str, list[tuple[Mapping[str, Any], Mapping[str, Any]]]] = {}
    for run in report["runs"]:
        for test in _failed(run):
            failing.setdefault(test["nodeid"], []).append((run, test))
    if not failing:
        nothing = "<p>No test failed.</p>"
        return f'<section id="failures"><h2>Failures</h2>{nothing}</section>'
    several = len(report["runs"]) > 1
    entries = "\n".join(
        f"<details><summary><code>{text(_short(nodeid))}</code>"
        + (f' <span class="badge">{len(where)} of {len(report["runs"])} runs</span>' * several)
        + f' <span class="why">{text(_headline(where[0][1]))}</span></summary>\n'
        + "\n".join(_failure(run, test, report["suite"]) for run, test in where)
        + "</details>"
        for nodeid, where in failing.items()
    )
    return (
        f'<section id="failures"><h2>Failures <span class="count">{len(failing)}</span></h2>\n'
        f"{entries}</section>"
    )


def _short(nodeid: str) -> str:
    return nodeid.removeprefix("array_api_tests/")


def _headline(test: Mapping[str, Any]) -> str:
    """Return the first line of a failure."""
    for failure in test.get("failures", ()):
        message = (failure["message"] or "").strip().partition("\n")[0]
        return f"{failure['type']}: {message}"
    return str(test["outcome"])


def _failure(run: Mapping[str, Any], test: Mapping[str, Any], suite: Mapping[str, Any]) -> str:
    parts = [f"<h3>{text(_label(run))}</h3>"]
    for failure in test.get("failures", ()):
        parts.append(f"<p><b>{text(failure['type'])}</b></p><pre>{text(failure['message'])}</pre>")
        if failure["falsifying_example"]:
            parts.append(f'<pre class="example">{text(failure["falsifying_example"])}</pre>')
        parts.append(
            "<details><summary>Traceback</summary>"
            f"<pre>{text(failure['traceback'])}</pre></details>"
        )
    again = _again(run, test["nodeid"], suite)
    parts.append(f'<p class="again">Again: <code>{text(again)}</code></p>')
    return "\n".join(parts)


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


def _chapters(runs: list[Mapping[str, Any]]) -> str:
    chapters: dict[str, list[Counter[str]]] = {}
    for index, run in enumerate(runs):
        for test in run["tests"]:
            row = chapters.setdefault(test["chapter"], [Counter() for _ in runs])
            row[index][test["outcome"]] += 1
    body = "\n".join(
        f'<tr><th scope="row">{text(chapter)}</th>'
        + "".join(_chapter_cell(counts) for counts in row)
        + "</tr>"
        for chapter, row in chapters.items()
    )
    head = "".join(_cells(run) for run in runs)
    return (
        '<section id="chapters"><h2>Chapters of the suite</h2>\n<div class="scroll">'
        f'<table><thead><tr><th scope="col">Chapter</th>{head}</tr></thead>'
        f"<tbody>\n{body}\n</tbody></table></div></section>"
    )


def _chapter_cell(counts: Counter[str]) -> str:
    judged = sum(counts.values()) - counts["skipped"]
    if not judged:
        return f'<td class="muted">{counts["skipped"]} skipped</td>' if counts else "<td></td>"
    failed = sum(counts[outcome] for outcome in _FAILED)
    state = "fail" if failed else "pass"
    return f'<td class="{state}">{_bar(counts)}{counts["passed"]} / {judged}</td>'


def _skips(runs: list[Mapping[str, Any]]) -> str:
    reasons = list(dict.fromkeys(reason for run in runs for reason in run["skip_reasons"]))
    if not reasons:
        return ""
    body = "\n".join(
        f'<tr><th scope="row">{text(reason)}</th>'
        + "".join(f"<td>{run['skip_reasons'].get(reason, '')}</td>" for run in runs)
        + "</tr>"
        for reason in reasons
    )
    head = "".join(_cells(run) for run in runs)
    return (
        '<section id="skips"><h2>Tests that the suite skips by itself</h2>\n<div class="scroll">'
        f'<table><thead><tr><th scope="col">Reason</th>{head}</tr></thead>'
        f"<tbody>\n{body}\n</tbody></table></div></section>"
    )


def _tests(runs: list[Mapping[str, Any]]) -> str:
    rows: dict[str, list[Mapping[str, Any] | None]] = {}
    chapters: dict[str, str] = {}
    for index, run in enumerate(runs):
        for test in run["tests"]:
            rows.setdefault(test["nodeid"], [None] * len(runs))[index] = test
            chapters[test["nodeid"]] = test["chapter"]
    present = {test["outcome"] for row in rows.values() for test in row if test}
    body = "\n".join(
        f'<tr data-chapter="{text(chapters[nodeid])}" data-outcomes="'
        + text(" ".join(sorted({test["outcome"] for test in row if test})))
        + f'"><td><code>{text(_short(nodeid))}</code></td>{"".join(map(_test_cell, row))}</tr>'
        for nodeid, row in rows.items()
    )
    head = "".join(_cells(run) for run in runs)
    names = dict.fromkeys(chapters.values())
    return (
        f'<section id="tests"><h2>All tests <span class="count" id="shown">{len(rows)}</span></h2>'
        '<form class="filter">'
        '<input type="search" id="filter-text" placeholder="part of a test\'s name"'
        ' aria-label="part of a test\'s name">'
        + _select("chapter", "every chapter", names)
        + _select("outcome", "every outcome", [name for name in OUTCOMES if name in present])
        + '</form>\n<div class="scroll tall"><table class="tests" id="test-table">'
        f'<thead><tr><th scope="col">Test</th>{head}</tr></thead>'
        f"<tbody>\n{body}\n</tbody></table></div></section>"
    )


def _test_cell(test: Mapping[str, Any] | None) -> str:
    if test is None:
        return '<td class="muted">-</td>'
    outcome = text(test["outcome"])
    title = f' title="{text(test["reason"])}"' if test.get("reason") else ""
    return (
        f'<td{title}><span class="outcome {outcome}">{outcome}</span> '
        f"<small>{test['duration']:.2f} s</small></td>"
    )


def _select(name: str, everything: str, options: Iterable[str]) -> str:
    listed = "".join(f"<option>{text(option)}</option>" for option in options)
    return (
        f'<select id="filter-{name}" aria-label="{name}">'
        f'<option value="">{text(everything)}</option>{listed}</select>'
    )


def _details(report: Mapping[str, Any]) -> str:
    environment = report["environment"]
    facts = {
        "Command": shlex.join(report["command_line"]),
        "Python": f"{environment['implementation']} {environment['python']}",
        "Platform": environment["platform"],
        "Processor": f"{environment['processor']}, {environment['cores']} cores",
        **{name: version or "not installed" for name, version in environment["packages"].items()},
        **environment["variables"],
        "Suite": f"{report['suite']['url']} at {report['suite']['commit'] or 'unknown'}",
        "Standard": report["suite"]["specification_commit"] or "unknown",
    }
    rows = "".join(
        f'<tr><th scope="row">{text(name)}</th><td><code>{text(value)}</code></td></tr>'
        for name, value in facts.items()
    )
    entries = "\n".join(
        f"<details><summary>{text(_label(run))}</summary><table>"
        + "".join(
            f'<tr><th scope="row">{text(name)}</th><td><code>{text(value)}</code></td></tr>'
            for name, value in {
                "Module's version": run["module_version"] or "unknown",
                "Device of a new array": run["default_device"] or "unknown",
                "Hardware": run["device_name"] or "unknown",
                "Examples": run["max_examples"],
                "Shrinking": "on" if run["shrink"] else "off",
                "Started": run["started"] or "never",
                "Command": shlex.join(run["command"]),
                **run["variables"],
            }.items()
        )
        + "</table></details>"
        for run in report["runs"]
    )
    return (
        '<section id="environment"><h2>Environment</h2>\n'
        f'<div class="scroll"><table>{rows}</table></div>\n{entries}</section>'
    )
