"""The report as a page, in the style of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..html import templates
from . import judge, report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
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
    facts, counted = found["facts"], report.totals(found)
    shown = {_NAMES.get(k, k): v for k, v in facts.items() if v is not None and k != "emulated"}
    shown["Created"] = found["created"]
    totals = ", ".join(f"{counted[v]} {v}" for v in judge.VERDICTS if counted[v])
    shown["Kernels"] = totals or "none"
    return (
        templates()
        .get_template("hardware.html")
        .render(
            title=f"Hardware: {report.label(facts)}",
            kicker="What the hardware answers, kernel by kernel",
            heading=f"{facts['soc']}, CANN {facts['cann']}",
            passed=not counted[judge.WORSE] and found["complete"],
            facts=shown,
            notices=_notices(found),
            found=found,
            differences=report.differences(found),
            kept=report.subnormals(found),
            functions=list(_functions(found)),
            states=_STATES,
            what=report.what,
            by_answer=_by_answer,
        )
    )


def _notices(found: Mapping[str, Any]) -> list[str]:
    notices = []
    if mode := found["facts"]["emulated"]:
        notices.append(f"Emulated CANN, mode {mode}: this says nothing about hardware.")
    if found["only"]:
        notices.append(f"Only asked: {', '.join(found['only'])}.")
    for title in ("problems", "lost"):
        notices += [f"{name} has no answer: {why}." for name, why in found[title].items()]
    return notices


def _by_answer(answer: Mapping[str, Any]) -> dict[str, list[str]]:
    of: dict[str, list[str]] = {}
    for dtype, how in answer.get("dtypes", {}).items():
        of.setdefault(how, []).append(dtype)
    return of


def _functions(found: Mapping[str, Any]) -> Iterator[tuple[object, ...]]:
    names = [
        key.removesuffix(f".{part}")
        for part in ("kernels", "waits", "times")
        for key in found[part]
        if key.endswith(f".{part}")
    ]
    for name in dict.fromkeys(names):
        counts = found["kernels"].get(f"{name}.kernels", {})
        waits = found["waits"].get(f"{name}.waits", {})
        times = found["times"].get(f"{name}.times", {}).get("milliseconds", {})
        for who in ("ours", "torch"):
            kernels = counts.get(who, {}).get("kernels", counts.get("counted", ""))
            taken = (of[who] for of in times.values())
            yield (name, who, kernels, waits.get(who, ""), *(f"{ms:g}" for ms in taken))
