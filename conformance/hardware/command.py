"""The command ``python -m conformance hardware``."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .. import CHECKOUT, NAME
from ..devices import require, setup_for
from ..errors import SetupError
from ..processes import environment_of
from ..terminal import printable
from .groups import PARTS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

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
        "-k", dest="only", nargs="+", default=[], metavar="NAME", help="kernels, functions alone"
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

    from . import collect, page, profile, report

    arguments.report.mkdir(parents=True, exist_ok=True)
    note = setup_for("npu").note
    print(f"npu:0{f' ({note})' if note else ''}; nothing is sent anywhere")

    def progress(group: Group) -> None:
        lost = f", {len(group.lost)} lost" if group.lost else ""
        print(f"  {group.name:<26}{group.problem or f'{len(group.answers)} answers{lost}'}")
        sys.stdout.flush()

    parts = arguments.parts or (OF_PROFILE if arguments.profile else tuple(PARTS))
    groups = collect.collect(
        [group for part in parts for group in PARTS[part]],
        only=arguments.only,
        limit=arguments.limit,
        progress=progress,
    )
    others: dict[str, Any] = {}
    if arguments.suite:
        others["suite"] = _suite(arguments.report)
    if arguments.cells:
        others["cells"] = _cells()
    found = report.build(groups, only=arguments.only, others=others)
    file = arguments.report / "report.json"
    file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    page.write_html(found, arguments.report / "report.html")
    print(*report.summary(found), sep="\n")
    print(f"report: {arguments.report / 'report.html'}, {file}")
    if arguments.profile:
        made = profile.build(found)
        arguments.profile.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
        print(*profile.summary(made, arguments.profile), sep="\n")
    return DONE if found["complete"] else INCOMPLETE


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
