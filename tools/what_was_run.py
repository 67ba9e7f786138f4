"""Take what was run into the table of it, and that into its page.

    python -m conformance --device npu --max-examples 100 --report REPORT
    python -m workshop cells --device npu --json CELLS.json
    python tools/what_was_run.py REPORT/report.json --cells CELLS.json
    python tools/what_was_run.py

A run of which all tests passed becomes a line of ``ascend_array_api/tested.csv``, in place of the
one with the same processor, versions and Python; one with failures is refused.  Cells are those of
the last report.  Without a report the page alone is written anew.
"""

from __future__ import annotations

import argparse
import csv
import json
import platform
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from ascend_array_api._doctor import tested
from conformance.cann_emulator import _table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ascend_array_api._doctor.tested import Row

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = "docs/installation.md"
_KEY: Final = ("processor", "torch", "torch_npu", "CANN", "Python")
_TABLE: Final = re.compile(r"(?m)^\| processor or SoC \|.*\n(?:\|.*\n)+")
_PROCESSORS: Final = {"x86_64": "x86-64", "AMD64": "x86-64", "arm64": "aarch64"}


def row(report: Mapping[str, Any]) -> Row:
    """Return the line of the table that a report of the suite is.

    Raises
    ------
    ValueError
        If not all passed, or what was asked for is a part of the suite.
    """
    runs = report["runs"]
    if not report["success"] or not all(run["success"] for run in runs):
        failed = sum(run["counts"]["failed"] for run in runs)
        raise ValueError(f"{failed} tests failed: nothing is taken into the table")
    if any(run["keyword"] for run in runs) or report["suite"]["modified"]:
        raise ValueError("a part of the suite, or another suite, was run")
    (device,) = {run["device"].partition(":")[0] for run in runs}
    environment = report["environment"]
    packages, variables = environment["packages"], environment["variables"]
    machine = re.search(r"x86_64|AMD64|aarch64|arm64", environment["platform"])
    name = machine[0] if machine else platform.machine()
    processor, cann = _PROCESSORS.get(name, name), ""
    emulated = any(run["device_note"] for run in runs)
    if device != "cpu":
        processor = runs[0]["device_name"].replace("Ascend", "Ascend ")
    if emulated:
        processor += " (emulated)"
        numbers = _table.release(variables.get("CANN_EMULATOR_CANN") or _table.CANN)
        cann = f"{'.'.join(map(str, numbers))} (emulated)"
    versions = " and ".join(sorted({run["version"] for run in runs}))
    old = packages["numpy"].startswith("1.")
    numpy = f", NumPy {_release(packages['numpy'])}" if old else ""
    examples = min(run["max_examples"] for run in runs)
    passed = f"{sum(run['counts']['passed'] for run in runs):,} passed, {report['created'][:10]}"
    return {
        "processor": processor,
        "torch": _release(packages["torch"]),
        "torch_npu": packages["torch-npu"] if device == "npu" else "",
        "CANN": cann,
        "Python": _release(environment["python"]),
        "state": tested.RUN,
        "what": f"the suite ({versions}; {examples} examples{numpy}; {passed})",
    }


def _release(version: str) -> str:
    return ".".join(version.split(".")[:2])


def with_cells(line: Row, cells: Mapping[str, Any]) -> Row:
    """Say in a line how many cells are right and on the device."""
    everything = cells["shares"][0]
    share = f"{everything['on_device']:,} of {everything['total']:,} cells on the device"
    return {**line, "what": f"{line['what']}, {share}"}


def merged(rows: Iterable[Row], new: Row) -> list[Row]:
    """Return the lines with a new one: in place of that of the same run, or below its kind."""
    lines = list(rows)
    for i, line in enumerate(lines):
        if _key(line) == _key(new):
            if not line["what"].startswith("all tests"):
                lines[i] = new
            return lines
    kin = [i for i, line in enumerate(lines) if line["processor"] == new["processor"]]
    lines.insert(kin[-1] + 1 if kin else len(lines), new)
    return lines


def _key(line: Row) -> list[str]:
    return [value for name, value in line.items() if name in _KEY and isinstance(value, str)]


def write(rows: Sequence[Row]) -> None:
    """Write the table."""
    table = ROOT / "ascend_array_api/_doctor/tested.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(tested.Row.__annotations__), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_page(root: Path = ROOT) -> None:
    """Put the table into the page in place of the one that is there."""
    page = root / PAGE
    text, number = _TABLE.subn(lambda _: f"{tested.markdown()}\n", page.read_text("utf-8"))
    if number != 1:
        raise ValueError(f"{PAGE} has {number} tables of what was run")
    page.write_text(text, encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("report", nargs="*", type=Path, help="a report.json of the suite")
    parser.add_argument("--cells", type=Path, help="what workshop cells --json wrote")
    options = parser.parse_args(argv)
    rows = tested.rows()
    for path in options.report:
        try:
            line = row(json.loads(path.read_text("utf-8")))
        except ValueError as problem:
            print(f"{path}: {problem}", file=sys.stderr)
            return 1
        if options.cells and path == options.report[-1]:
            line = with_cells(line, json.loads(options.cells.read_text("utf-8")))
        rows = merged(rows, line)
        print(f"{path}: {', '.join(value or '-' for value in _key(line))}: {line['what']}")
    write(rows)
    write_page()
    return 0


if __name__ == "__main__":
    sys.exit(main())
