"""The command ``op-plugin``: torch_npu's own tests of its operators, over the emulated CANN.

op-plugin has the operators of torch_npu, and tests that compare them with torch on the CPU. They
were written for NPUs: what they expect is what kernels of CANN take and answer there. A test that
fails over the emulated kernels fails for a reason that is recorded, or the emulator is wrong.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from conformance import CHECKOUT, clones
from conformance.cann_emulator import _modes, has_cann
from conformance.devices import require
from conformance.errors import SetupError
from conformance.processes import version_of
from conformance.terminal import OfTests, problem

from .. import NAME
from . import running, source, tables

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence

    from .running import Outcome
    from .tables import Expected

HELP = "Run op-plugin's tests of base operators over emulated CANN, and compare with a record."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "tests",
        nargs="*",
        metavar="TEST",
        help="files such as test_add.py, or single tests as pytest names them (default: all files "
        "that matter)",
    )
    parser.add_argument(
        "--mode",
        default=None,
        help=f"how kernels compute: ideal, chip, hostile:FAMILY (default: {_modes.DEFAULT})",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument(
        "--suite",
        metavar="PATH-OR-URL",
        help=f"where git finds op-plugin (default: {source.URL}); only its commit "
        f"{source.COMMIT[:12]} is run",
    )
    clones.add_cache_argument(parser)
    parser.add_argument(
        "--report",
        type=Path,
        default=Path("conformance-report"),
        metavar="DIR",
        help="folder for op-plugin.json (default: %(default)s)",
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="record the outcomes as those to expect; reasons that no message states are to be "
        "written by hand",
    )


def run(arguments: argparse.Namespace, argv: Sequence[str]) -> int:
    """Run the tests and return 0 if what came of each is what was recorded."""
    if has_cann():
        raise SetupError(
            "CANN is set up here: the record is of emulated kernels; run it without set_env.sh"
        )
    if arguments.write and not CHECKOUT:
        raise SetupError("the table that --write writes is that of a checkout")
    if arguments.jobs < 1:
        raise SetupError(f"--jobs {arguments.jobs}: there must be one process at least")
    try:
        mode = str(_modes.chosen(arguments.mode))
    except ValueError as error:
        raise SetupError(f"--mode: {error}") from error
    require("npu")
    folder = source.fetch(arguments.cache, arguments.suite)
    table = tables.files(tables.FILES)
    targets = list(dict.fromkeys(arguments.tests)) or [f for f, why in table.items() if not why]
    for target in targets:
        if not (folder / target.partition("::")[0]).is_file():
            raise SetupError(f"op-plugin has no {target.partition('::')[0]} in {source.FOLDER}")
    if not (arguments.write or tables.outcomes(mode, tables.OUTCOMES)):
        there = " and ".join(m for m in tables.MODES if tables.outcomes(m, tables.OUTCOMES))
        raise SetupError(
            f"nothing is recorded of kernels as {mode}, but as {there or 'nothing'}: name another "
            "--mode, or --write"
        )
    arguments.report.mkdir(parents=True, exist_ok=True)

    recorded = tables.as_recorded(mode)
    beside = "" if recorded == mode else f" (beside the record of {recorded})"
    where = f"op-plugin {source.COMMIT[:12]}, kernels as {mode}{beside}"
    print(f"{where}, {len(targets)} files or tests")
    progress = OfTests(sys.stdout)
    found, problems = running.run_files(folder, targets, mode, arguments.jobs, progress)
    progress.close()
    if arguments.write:
        tables.write(mode, found, tables.OUTCOMES)
    expected = tables.outcomes(mode, tables.OUTCOMES)
    problems += [
        *unlisted(folder, table),
        *surprises(found, expected, targets),
    ]
    counts = Counter(outcome.outcome for outcome in found)
    reasons = Counter(
        expected[o.test].reason.partition(":")[0]
        for o in found
        if o.outcome in {"failed", "crashed"} and o.test in expected
    )
    report = {
        "commit": source.COMMIT,
        "mode": mode,
        "command_line": ["python", "-m", NAME, *argv],
        "packages": {name: version_of(name) for name in ("torch", "torch-npu", "numpy", "pytest")},
        "counts": dict(counts),
        "reasons_of_failures": dict(reasons.most_common()),
        "problems": problems,
        "success": bool(found) and not problems,
        "tests": [asdict(outcome) for outcome in found],
    }
    path = arguments.report / "op-plugin.json"
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")

    print(", ".join(f"{counts[name]} {name}" for name in tables.RESULTS if counts[name]))
    for reason, number in reasons.most_common():
        print(f"  {number} failed as recorded, {reason or 'no reason'}")
    for said in problems:
        print(problem(said))
    print(f"report: {path}")
    print("PASSED" if report["success"] else "FAILED")
    return 0 if report["success"] else 1


def unlisted(folder: Path, table: Mapping[str, str]) -> list[str]:
    """Say which files of tests the table does not have, and which it has in vain."""
    there = {path.name for path in folder.glob("*.py")}
    return [
        *(f"{name} is not in files.csv" for name in sorted(there - table.keys())),
        *(f"{name} is in files.csv, and not there" for name in sorted(table.keys() - there)),
    ]


def surprises(
    found: Iterable[Outcome], expected: Mapping[str, Expected], targets: Iterable[str]
) -> list[str]:
    """Say what came otherwise than recorded, and what must not be recorded."""
    said: list[str] = []
    seen: set[str] = set()
    for outcome in found:
        seen.add(outcome.test)
        lines = outcome.message.strip().splitlines()
        first = f": {lines[0]}" if lines else ""
        said += [
            f"{outcome.test}: an emulated kernel failed by itself: {failure}".partition("\n")[0]
            for failure in outcome.failures
        ]
        recorded = expected.get(outcome.test)
        if recorded is None:
            said.append(f"{outcome.test} {outcome.outcome}, and is not recorded{first}")
        elif recorded.outcome != outcome.outcome:
            said.append(
                f"{outcome.test} {outcome.outcome}, and is recorded as {recorded.outcome}{first}"
            )
        elif wrong := tables.problem_of(recorded):
            said.append(f"{outcome.test} {outcome.outcome}; {wrong}{first}")
    whole = {target for target in targets if "::" not in target}
    said += [
        f"{test} is recorded as {expected[test].outcome}, and did not run"
        for test in sorted(expected.keys() - seen)
        if test.partition("::")[0] in whole
    ]
    return said
