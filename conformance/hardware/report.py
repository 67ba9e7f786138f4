"""The report as data.

Nothing in it is private: facts are versions and the chip's name, errors are their class, code and
kernel; there are no texts of errors, paths, names of hosts or users, or variables.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

from ..cann_emulator import _table
from ..errors import SetupError
from . import judge
from .groups import PARTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .collect import Group

SCHEMA: Final = "ascend-array-api/hardware"
SCHEMA_VERSION: Final = 1
FACTS: Final = (
    *("soc", "cann", "driver", "torch", "torch_npu", "python", "numpy", "ascend_array_api"),
    *("architecture", "emulated"),
)


def build(
    groups: Sequence[Group], *, only: Sequence[str] = (), others: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the report, made of JSON types alone.

    Parameters
    ----------
    groups : sequence of Group
    only : sequence of str
        The kernels and functions that it was limited to.
    others : mapping, optional
        What the other commands said: ``suite`` and ``cells``.
    """
    facts = next((group.facts for group in groups if group.facts), {})
    parts: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for group in groups:
        part = group.name.partition(".")[0]
        for name, answer in group.answers.items():
            parts[part][name] = answer
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "created": datetime.now(timezone.utc).date().isoformat(),
        "facts": {name: facts.get(name) for name in FACTS},
        "only": list(only),
        "asked": [group.name for group in groups],
        "complete": not any(group.problem or group.lost or group.left for group in groups),
        "left": sum(len(group.left) for group in groups),
        "problems": {group.name: group.problem for group in groups if group.problem},
        "lost": {name: why for group in groups for name, why in group.lost.items()},
        "by_kernel": by_kernel(parts),
        **parts,
        **(others or {}),
    }


def check(report: Any) -> dict[str, Any]:
    """Return a report that was read, if it is one; else raise SetupError."""
    if not isinstance(report, dict) or report.get("schema") != SCHEMA:
        raise SetupError(f"this is no report of the schema {SCHEMA}")
    if report.get("schema_version") != SCHEMA_VERSION:
        raise SetupError(
            f"the report has version {report.get('schema_version')} of its schema, and this is "
            f"for {SCHEMA_VERSION}"
        )
    return report


def by_kernel(parts: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return kernel by kernel what was found: of its data types, of what it computes, of both."""
    values: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for name, answer in parts["values"].items():
        values.setdefault(_table.named(name.partition(".")[0]), []).append((name, answer))
    found = {}
    for kernel in (kernel.name for kernel in _table.kernels()):
        dtypes = parts["dtypes"].get(f"{kernel}.dtypes")
        own = values.get(kernel, [])
        if dtypes is None and not own:
            continue
        of_dtypes = judge.NOT_ASKED if dtypes is None else dtypes["verdict"]
        of_values = judge.worst(answer["verdict"] for _, answer in own)
        found[kernel] = {
            "dtypes": of_dtypes,
            "values": of_values,
            "verdict": judge.worst((of_dtypes, of_values)),
            "by": [name for name, answer in own if answer["verdict"] == of_values]
            if of_values not in (judge.NOT_ASKED, judge.AS_EMULATED)
            else [],
        }
    return found


def totals(report: Mapping[str, Any]) -> Counter[str]:
    """Count the verdicts of kernels."""
    return Counter(found["verdict"] for found in report["by_kernel"].values())


def subnormals(report: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return which probes of subnormal numbers were kept, flushed, or neither."""
    found: dict[str, list[str]] = {}
    for name, answer in report["values"].items():
        if "subnormals" in answer:
            found.setdefault(answer["subnormals"], []).append(name)
    return found


def differences(report: Mapping[str, Any]) -> list[str]:
    """Say in a line each where the device is not as the emulator says."""
    lines = []
    for name, answer in report["dtypes"].items():
        kernel = name.removesuffix(".dtypes")
        lines += [
            f"{kernel} {says} {' '.join(answer[key])}"
            for key, says in (("more", "takes"), ("fewer", "refuses"), ("other", "also takes"))
            if answer.get(key)
        ]
    for name, answer in report["values"].items():
        if answer["verdict"] in (judge.AS_EMULATED, judge.NOT_ASKED):
            continue
        lines.append(f"{name}: {answer['verdict']}: {what(answer)}")
    return lines


def what(answer: Mapping[str, Any]) -> str:
    """Return the gist of what a kernel answered."""
    if "answers" in answer:
        verdict = answer["verdict"]
        first = next(a for a in answer["answers"] if a["verdict"] == verdict)
        return (
            f"of {', '.join(first['inputs'])} it is {first['device']}; the emulator says "
            f"{first['emulator']}, ideal is {first['ideal']}"
        )
    if "unit" in answer:
        special = f", {answer['special']} special ones" if answer["special"] else ""
        return (
            f"{answer['error']:g} {answer['unit']}{special}, at {', '.join(answer['at'])}; the "
            f"emulator has {answer['error_of_emulator']:g} and {answer['special_of_emulator']}"
        )
    if "seen" in answer:
        seen, emulator = answer["seen"], answer["emulator"]
        differ = [k for k in emulator if k not in judge.TOLD and seen.get(k) != emulator[k]]
        says = f"; the emulator says {_listed(emulator, differ)}" if differ else ""
        return _listed(seen, [name for name in seen if name != judge.TREE]) + says
    return str(answer.get("what") or f"{answer.get('error')}, code {answer.get('code')}")


def _listed(seen: Mapping[str, Any], names: Iterable[str]) -> str:
    return ", ".join(f"{name}: {_yes(seen[name])}" for name in names)


def _yes(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def label(facts: Mapping[str, Any]) -> str:
    """Return the name of a machine's chip and versions, which serves for files too."""
    words = (facts["soc"], f"cann-{facts['cann']}", f"torch_npu-{facts['torch_npu']}")
    return re.sub(r"[^\w.+-]", "_", "_".join(map(str, words)))


def summary(report: Mapping[str, Any]) -> Iterable[str]:
    """Return the lines that are printed."""
    facts = report["facts"]
    emulated = f" (emulated, mode {facts['emulated']})" if facts["emulated"] else ""
    yield (
        f"{facts['soc']}, CANN {facts['cann']}, driver {facts['driver'] or 'unknown'}, "
        f"torch_npu {facts['torch_npu']}{emulated}"
    )
    counted = totals(report)
    yield "kernels: " + ", ".join(
        f"{counted[verdict]} {verdict}" for verdict in judge.VERDICTS if counted[verdict]
    )
    kept = subnormals(report)
    if kept:
        told = ", ".join(f"{how} in {len(names)}" for how, names in kept.items())
        yield f"subnormal numbers: {told} probes"
    yield from (f"  {line}" for line in differences(report))
    yield from (f"LOST {name}: {why}" for name, why in report["lost"].items())
    yield from (f"LOST {name}: {why}" for name, why in report["problems"].items())
    if report["left"]:
        yield f"{report['left']} questions are left: the same command goes on with them"
