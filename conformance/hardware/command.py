"""The command ``python -m conformance hardware``."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .. import CHECKOUT, NAME
from ..devices import require, setup_for
from ..errors import SetupError
from ..processes import environment_of
from ..terminal import Line, printable
from .groups import COST, PARTS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from .collect import Group

HELP = "Find out what a real NPU answers, beside what the emulated one does."
DONE, INCOMPLETE = 0, 1
OF_PROFILE: Final = tuple(PARTS)[:2]
"""What a profile is made from: data types, and values."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=tuple(PARTS),
        metavar="PART",
        help=f"what is asked: {', '.join(PARTS)} (default: all; for a profile the first two)",
    )
    parser.add_argument(
        "--profile",
        type=Path,
        metavar="FILE",
        help="also write a profile of this machine, which the package goes by where "
        "ASCEND_ARRAY_API_NPU_PROFILE names it",
    )
    parser.add_argument(
        *("-k", "--only"),
        nargs="+",
        default=[],
        metavar="NAME",
        help="kernels, functions alone",
    )
    parser.add_argument(
        "--anew",
        action="store_true",
        help="ask everything, also what an unfinished report in the folder has an answer to",
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=300,
        metavar="SECONDS",
        help="how long a group of questions may take (default: %(default)s)",
    )
    parser.add_argument("--suite", action="store_true", help="also the upstream suite (minutes)")
    parser.add_argument("--cells", action="store_true", help="also the cells (minutes)")
    parser.add_argument(
        "--report",
        type=Path,
        default=Path("hardware-report"),
        metavar="DIR",
        help="folder for report.json and report.html (default: %(default)s)",
    )
    parser.add_argument(
        "--apply",
        type=Path,
        metavar="REPORT",
        help="for maintainers: turn a report into entries of the tables, and ask nothing",
    )
    parser.add_argument(
        "--record",
        action="store_true",
        help="for maintainers: write answers.csv, what the emulated device takes, anew",
    )


def run(arguments: argparse.Namespace, _argv: Sequence[str]) -> int:
    """Ask, write the report, and print where the device differs; 1 if an answer is missing."""
    if (arguments.apply or arguments.record) and not CHECKOUT:
        raise SetupError("the tables that --apply and --record write are those of a checkout")
    if arguments.apply:
        return _apply(arguments.apply)
    require("npu")
    if arguments.record:
        return _record()

    from . import collect, page, profile, report, worker

    parts = arguments.parts or (OF_PROFILE if arguments.profile else tuple(PARTS))
    listed = worker.questions(
        [g for part in PARTS if part in parts for g in PARTS[part]], arguments.only
    )
    groups = [collect.Group(name, questions=names) for name, names in listed.items()]
    arguments.report.mkdir(parents=True, exist_ok=True)
    file = arguments.report / "report.json"
    there = 0 if arguments.anew else _go_on(file, groups, arguments.only)
    note = setup_for("npu").note
    print(f"npu:0{f' ({note})' if note else ''}; nothing is sent anywhere")
    if there:
        print(f"{there} answers are in {file}; --anew asks for them again")
    others: dict[str, Any] = {}

    def write() -> dict[str, Any]:
        found = report.build(groups, only=arguments.only, others=others)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        part.replace(file)
        return found

    interrupted = False
    progress = _Progress(groups, write)
    try:
        collect.collect(groups, limit=arguments.limit, progress=progress)
        progress.line.close()
        if arguments.suite:
            others["suite"] = _suite(arguments.report)
        if arguments.cells:
            others["cells"] = _cells()
    except KeyboardInterrupt:
        progress.line.close()
        interrupted = True
    found = write()
    page.write_html(found, arguments.report / "report.html")
    print(*report.summary(found), sep="\n")
    print(f"report: {arguments.report / 'report.html'}, {file}")
    if interrupted:
        return INCOMPLETE
    if arguments.profile:
        made = profile.build(found)
        arguments.profile.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
        print(*profile.summary(made, arguments.profile), sep="\n")
    return DONE if found["complete"] else INCOMPLETE


class _Progress:
    """Shows how far the questions are, and writes the report now and then."""

    def __init__(self, groups: Sequence[Group], write: Callable[[], object]) -> None:
        self._groups, self._write = groups, write
        self._written = time.monotonic()
        self._before = self._cost()[0]
        self._announced: set[str] = set()
        self.line = Line(sys.stdout)

    def __call__(self, group: Group) -> None:
        if not group.left and group.name not in self._announced:
            self._announced.add(group.name)
            lost = f", {len(group.lost)} lost" if group.lost else ""
            told = group.problem or f"{len(group.answers)} answers{lost}"
            self.line.say(f"  {group.name:<26}{told}")
            self._written = 0.0
        if time.monotonic() - self._written > _INTERVAL:
            self._write()
            self._written = time.monotonic()
        done, left = self._cost()
        elapsed, about = self.line.reached(done - self._before, left)
        asked = sum(len(g.questions) for g in self._groups)
        still = sum(len(g.left) for g in self._groups)
        self.line.show(f"[{elapsed}] questions {asked - still}/{asked}; left: {still}{about}")

    def _cost(self) -> tuple[float, float]:
        """Return what was done, and what is left, in the time of a question of the first part."""
        left = [COST.get(g.name, 1) * len(g.left) for g in self._groups]
        return sum(COST.get(g.name, 1) * len(g.questions) for g in self._groups) - sum(left), sum(
            left
        )


def _go_on(file: Path, groups: Sequence[Group], only: Sequence[str]) -> int:
    """Take the answers of an unfinished report; return how many.

    A report that is finished is none to go on with: the device is asked again.
    """
    from . import report

    try:
        old = report.check(json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return 0
    except (OSError, ValueError) as error:
        raise SetupError(f"{file} cannot be read ({error}): --anew writes over it") from error
    if old["complete"]:
        return 0
    if old["only"] != list(only) or old["asked"] != [group.name for group in groups]:
        raise SetupError(
            f"{file} is unfinished, and of other questions: repeat its command to go on, name "
            "another folder with --report, or write over it with --anew"
        )
    for group in groups:
        answers = old[group.name.partition(".")[0]]
        group.answers = {name: answers[name] for name in group.questions if name in answers}
        if group.answers:
            group.facts = old["facts"]
    return sum(len(group.answers) for group in groups)


_INTERVAL: Final = 10
"""Seconds between the times at which the report is written."""

_VERSIONS: Final = ("2023.12", "2024.12", "2025.12")


def _other(*arguments: str) -> int:
    """Run another command of this program, which prints what it has to say."""
    command = [sys.executable, "-m", NAME, *arguments]
    return subprocess.run(command, env=environment_of({}), check=False).returncode


def _suite(folder: Path) -> dict[str, Any]:
    """Return how the upstream suite went: counts, and the names of what failed."""
    target = folder / "suite"
    code = _other("--device", "npu", "--version", *_VERSIONS, "--report", str(target))
    file = target / "report.json"
    if not file.is_file():
        return {"exit code": code}
    told = json.loads(file.read_text(encoding="utf-8"))
    counts = Counter[str]()
    for each in told["runs"]:
        counts.update(each["counts"])
    bad = ("failed", "error")
    failed = {t["nodeid"] for r in told["runs"] for t in r["tests"] if t["outcome"] in bad}
    return {"exit code": code, **counts, "tests that failed": sorted(failed)}


def _cells() -> dict[str, Any]:
    """Return how many cells are where, and which are wrong or fail."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cells.json"
        code = _other("cells", "--device", "npu", "--json", str(file))
        if not file.is_file():
            return {"exit code": code}
        told = json.loads(file.read_text(encoding="utf-8"))
    counts = Counter(cell["place"] for cell in told["cells"])
    bad = [f"{c['name']} {c['dtype']}" for c in told["cells"] if c["place"] in ("wrong", "fails")]
    return {"exit code": code, **counts, "cells that are wrong or fail": bad}


def _record() -> int:
    """Write what the emulated device takes."""
    import os

    from . import worker

    os.environ["TASK_QUEUE_ENABLE"] = "0"
    if worker.start() is None:
        raise SetupError("answers.csv is of the emulated device, and here is a real one")
    from . import dtypes

    dtypes.write(dtypes.recorded(worker.DEVICE))
    print(f"written: {dtypes.ANSWERS}")
    return DONE


def _apply(path: Path) -> int:
    """Edit what the tables can hold, and print the rest."""
    from . import apply, report

    try:
        found = report.check(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise SetupError(f"--apply {path}: {error}") from error
    entries = apply.entries(found)
    if why := apply.refusal(found):
        print(f"nothing is written: {why}")
    else:
        apply.write(entries)
        print(f"kept as {apply.keep(found)}")
    for entry in entries:
        print(printable(str(entry)))  # a report is others'
    return DONE
