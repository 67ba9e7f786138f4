"""The report as a page, in the style of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..html import document, header, text
from . import judge, report

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

_STATES = {
    judge.AS_EMULATED: "pass",
    judge.BETTER: "pass",
    judge.OTHER: "other",
    judge.WORSE: "fail",
    judge.NOT_ASKED: "muted",
}
_NAMES = {
    "soc": "SoC",
    "cann": "CANN",
    "torch_npu": "torch_npu",
    "python": "Python",
    "numpy": "NumPy",
}


def write_html(found: Mapping[str, Any], path: Path) -> None:
    """Write the page."""
    path.write_text(render(found), encoding="utf-8")


def render(found: Mapping[str, Any]) -> str:
    """Return the page."""
    sections = (
        _header(found),
        _notices(found),
        _differences(found),
        _by_kernel(found),
        _values(found),
        _dtypes(found),
        _functions(found),
        _faults(found),
        _others(found),
    )
    return document(f"Hardware: {report.label(found['facts'])}", "\n".join(filter(None, sections)))


def _header(found: Mapping[str, Any]) -> str:
    facts = found["facts"]
    shown = {_NAMES.get(k, k): v for k, v in facts.items() if v is not None and k != "emulated"}
    shown["Created"] = found["created"]
    counted = report.totals(found)
    totals = ", ".join(f"{counted[v]} {v}" for v in judge.VERDICTS if counted[v])
    shown["Kernels"] = totals or "none"
    return header(
        "What the hardware answers, kernel by kernel",
        f"{facts['soc']}, CANN {facts['cann']}",
        shown,
        passed=not counted[judge.WORSE] and found["complete"],
    )


def _notices(found: Mapping[str, Any]) -> str:
    notices = []
    if mode := found["facts"]["emulated"]:
        notices.append(f"Emulated CANN, mode {mode}: this says nothing about hardware.")
    if found["only"]:
        notices.append(f"Only asked: {', '.join(found['only'])}.")
    for title in ("problems", "lost"):
        notices += [f"{name} has no answer: {why}." for name, why in found[title].items()]
    return "\n".join(f'<p class="notice">{text(notice)}</p>' for notice in notices)


def _section(name: str, title: str, body: str) -> str:
    return f'<section id="{name}"><h2>{text(title)}</h2>\n{body}</section>' if body else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells are HTML, the head is text."""
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    if not body:
        return ""
    heads = "".join(f'<th scope="col">{text(h)}</th>' for h in head)
    return (
        f'<div class="scroll"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _cell(value: object) -> str:
    return f"<td>{text(value)}</td>"


def _code(value: object) -> str:
    return f"<td><code>{text(value)}</code></td>"


def _verdict(verdict: str) -> str:
    return f'<td class="{_STATES[verdict]}">{text(verdict)}</td>'


def _differences(found: Mapping[str, Any]) -> str:
    lines = "".join(f"<li>{text(line)}</li>" for line in report.differences(found))
    body = f"<ul>{lines}</ul>" if lines else "<p>None was found.</p>"
    kept = report.subnormals(found)
    if kept:
        told = "; ".join(f"{how}: {', '.join(names)}" for how, names in kept.items())
        body += f"<p>Subnormal numbers: {text(told)}.</p>"
    return _section("differences", "Where the device is not as the emulator says", body)


def _by_kernel(found: Mapping[str, Any]) -> str:
    rows = (
        (_code(kernel), *(_verdict(of[key]) for key in ("verdict", "dtypes", "values")))
        for kernel, of in found["by_kernel"].items()
    )
    head = ("kernel", "verdict", "data types", "values")
    return _section("kernels", "Kernel by kernel", _table(head, rows))


def _values(found: Mapping[str, Any]) -> str:
    points, sweeps, orders = [], [], []
    for name, answer in found["values"].items():
        for told in answer.get("answers", ()):
            shown = (", ".join(told["inputs"]), told["ideal"], told["emulator"], told["device"])
            points.append((_code(name), *map(_code, shown), _verdict(told["verdict"])))
        if "unit" in answer:
            numbers = (answer["error"], answer["error_of_emulator"])
            at = _code(", ".join(answer["at"]))
            shown_numbers = (_cell(f"{n:g} {answer['unit']}") for n in numbers)
            sweeps.append((_code(name), *shown_numbers, at, _verdict(answer["verdict"])))
        if "seen" in answer:
            orders.append((_code(name), _cell(report.what(answer)), _verdict(answer["verdict"])))
    return (
        _section(
            "sweeps",
            "Errors over a range",
            _table(("kernel", "device", "emulator", "at", "verdict"), sweeps),
        )
        + _section("order", "Order", _table(("kernel", "seen", "verdict"), orders))
        + _section(
            "points",
            "Inputs that tell algorithms apart",
            _table(("probe", "inputs", "ideal", "emulator", "device", "verdict"), points),
        )
    )


def _dtypes(found: Mapping[str, Any]) -> str:
    rows = []
    for name, answer in found["dtypes"].items():
        of: dict[str, list[str]] = {}
        for dtype, how in answer.get("dtypes", {}).items():
            of.setdefault(how, []).append(dtype)
        told = "; ".join(f"{how}: {' '.join(dtypes)}" for how, dtypes in of.items())
        kernel = name.removesuffix(".dtypes")
        verdict = _verdict(answer["verdict"])
        rows.append((_code(kernel), _code(answer.get("call", "")), _cell(told), verdict))
    head = ("kernel", "asked by", "answers", "verdict")
    return _section("dtypes", "Data types", _table(head, rows))


def _functions(found: Mapping[str, Any]) -> str:
    names = [
        key.removesuffix(f".{part}")
        for part in ("kernels", "waits", "times")
        for key in found[part]
    ]
    rows = []
    for name in dict.fromkeys(names):
        counts = found["kernels"].get(f"{name}.kernels", {})
        waits = found["waits"].get(f"{name}.waits", {})
        times = found["times"].get(f"{name}.times", {}).get("milliseconds", {})
        for who in ("ours", "torch"):
            kernels = counts.get(who, {}).get("kernels", counts.get("counted", ""))
            taken = (of[who] for of in times.values())
            cells = (kernels, waits.get(who, ""), *(f"{ms:g}" for ms in taken))
            rows.append((_code(name), _cell(who), *map(_cell, cells)))
    head = ("function", "whose", "kernels", "waits", "ms, 1 element", "ms, 10^6 elements")
    return _section("functions", "Functions, beside torch's own", _table(head, rows))


def _faults(found: Mapping[str, Any]) -> str:
    rows = (
        (
            _cell(name),
            _cell(answer.get("error")),
            _cell(answer.get("code")),
            _cell({True: "yes", False: "no"}.get(answer.get("computes after it", ""), "")),
        )
        for name, answer in found["faults"].items()
    )
    return _section("faults", "Faults", _table(("fault", "error", "code", "computes after"), rows))


def _others(found: Mapping[str, Any]) -> str:
    parts = []
    for name, title in (("suite", "The upstream suite"), ("cells", "Cells")):
        if name in found:
            rows = ((_cell(k), _cell(v)) for k, v in found[name].items())
            parts.append(_section(name, title, _table(("", ""), rows)))
    return "".join(parts)
