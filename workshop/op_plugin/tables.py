"""The two tables: which files of tests run, and what is to come of each test.

files.csv
    ``file``, and ``left_out_because`` where it does not run.
outcomes.csv
    ``test``; ``outcome``: passed, failed, crashed or skipped; ``in``: the mode of the emulator in
    which it is so, ``ideal`` or ``chip``, and nothing where it is so in both; ``reason``: of what
    did not pass, one of `REASONS`, a colon, and what it is there.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.terminal import in_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .running import Outcome

HERE = Path(__file__).parent
FILES, OUTCOMES = HERE / "files.csv", HERE / "outcomes.csv"

# Why a test may not pass. That an emulated kernel computes something wrong is no reason.
REASONS = {
    "needs hardware": "it asks for what only an NPU has: memory formats, a profiler",
    "kernel not emulated": "CANN has the kernel, and no route of the namespace uses it",
    "older operator": "torch_npu calls an operator of the older (GE) path; none is emulated",
    "torch_npu": "torch_npu refuses, or does, what the test does not expect",
    "precision": "the test asks for more than the chip's kernel gives",
    "the test": "the test is wrong, or hangs on what is installed",
    "other device": "the test is for another generation of NPUs",
    "skipped by the suite": "the suite does not run it either",
}
RESULTS = ("passed", "failed", "crashed", "skipped")
MODES = ("chip", "ideal")

_NOT_EMULATED = re.compile(r"(aclnn\w+) is a kernel of CANN that the emulator does not have")
_OLDER = re.compile(r"operator (\w+) of the older \(GE\) path is not emulated")


@dataclass(frozen=True)
class Expected:
    """What is to come of a test, and the reason if it does not pass."""

    outcome: str
    reason: str = ""


def files(path: Path) -> dict[str, str]:
    """Return why each file is left out, ``""`` for those that run."""
    with path.open(newline="", encoding="utf-8") as file:
        return {row["file"]: row["left_out_because"] for row in csv.DictReader(file)}


def as_recorded(mode: str) -> str:
    """Return the mode of the table that stands for `mode`: hostile ones compute as the chip."""
    return "ideal" if mode == "ideal" else "chip"


def _read(path: Path) -> dict[str, dict[str, Expected]]:
    """Return what is to come of each test, by test and mode."""
    table: dict[str, dict[str, Expected]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for mode in [row["in"]] if row["in"] else MODES:
                table.setdefault(row["test"], {})[mode] = Expected(row["outcome"], row["reason"])
    return table


def outcomes(mode: str, path: Path) -> dict[str, Expected]:
    """Return what is to come of each test in a mode."""
    wanted = as_recorded(mode)
    return {test: modes[wanted] for test, modes in _read(path).items() if wanted in modes}


def write(mode: str, found: Iterable[Outcome], path: Path) -> None:
    """Record what came of tests in a mode, with the reasons that are known."""
    table, wanted = _read(path) if path.exists() else {}, as_recorded(mode)
    for outcome in found:
        modes = table.setdefault(outcome.test, {})
        known = [old.reason for old in modes.values() if old.outcome == outcome.outcome]
        modes[wanted] = Expected(outcome.outcome, evident_reason(outcome) or "".join(known[:1]))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["test", "outcome", "in", "reason"])
        writer.writerows(row for test in sorted(table) for row in _rows(test, table[test]))


def _rows(test: str, modes: Mapping[str, Expected]) -> Iterable[tuple[str, str, str, str]]:
    if len(modes) == len(MODES) and len(set(modes.values())) == 1:
        (same,) = set(modes.values())
        return [(test, same.outcome, "", same.reason)]
    return [(test, modes[mode].outcome, mode, modes[mode].reason) for mode in sorted(modes)]


def evident_reason(outcome: Outcome) -> str:
    """Return the reason that the message itself states, ``""`` where somebody has to look."""
    if outcome.outcome == "skipped":
        kind = "other device" if "current device is" in outcome.message else "skipped by the suite"
        return f"{kind}: {in_one_line(' '.join(outcome.message.split()))}"
    if outcome.outcome == "failed" and (kernel := _NOT_EMULATED.search(outcome.message)):
        return f"kernel not emulated: {kernel[1]}"
    if outcome.outcome == "failed" and (operator := _OLDER.search(outcome.message)):
        return f"older operator: {operator[1]}"
    return ""


def problem_of(expected: Expected) -> str:
    """Say what is wrong with an entry of the table, ``""`` if nothing."""
    if expected.outcome not in RESULTS:
        return f"the outcome {expected.outcome!r} is not one of {', '.join(RESULTS)}"
    kind = expected.reason.partition(": ")[0]
    if expected.outcome == "passed":
        return "a test that passes has no reason" if expected.reason else ""
    return "" if kind in REASONS else f"the reason {kind!r} is not one of {', '.join(REASONS)}"
