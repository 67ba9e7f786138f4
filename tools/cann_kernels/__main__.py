"""Compare the emulator's kernels with CANN's sources: ``python -m tools.cann_kernels --help``."""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections import Counter
from pathlib import Path

from . import sources
from .kernels import COMPARISONS, Result, compare

COLUMNS = ("source", "emulator", "dtype", "cases", "differ", "greatest", "limit", "example")


def _row(result: Result) -> tuple[object, ...]:
    comparison = result.comparison
    dtype = result.dtype + (f" -> {comparison.out}" if comparison.out else "")
    head = (comparison.file, comparison.kernel, dtype)
    if result.refused:
        return (*head, 0, "", "", "", f"refused: {result.refused}")
    tail = (result.cases, result.differing, f"{result.greatest:g}", comparison.limit)
    return (*head, *tail, result.example)


def _print(results: list[Result]) -> None:
    rows = [[str(x) for x in _row(result)] for result in results]
    widths = [max(len(row[i]) for row in [list(COLUMNS), *rows]) for i in range(7)]
    for row in [list(COLUMNS), *rows]:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        print("  ".join([*cells, row[7][:100]]).rstrip())


def used(path: Path) -> Counter[str]:
    """Return how often each kernel was launched, of what ``workshop cells --json`` wrote."""
    launches: Counter[str] = Counter()
    for cell in json.loads(path.read_text())["cells"]:
        launches.update(cell["kernels"])
    return launches


def coverage(launches: Counter[str], compared: set[str]) -> dict[str, list[str]]:
    """Share out the kernels: those compared, other forms of these, and the rest by behaviour."""
    with (Path(__file__).parents[2] / "conformance/cann_emulator/behaviours.csv").open(
        newline=""
    ) as file:
        behaviours = {row["kernel"]: row["behaviour"] for row in csv.DictReader(file)}
    groups: dict[str, list[str]] = {}
    for kernel, number in launches.most_common():
        form = re.sub(r"(Scalar|Tensor|s)$", "", kernel.replace("Inplace", ""))
        if kernel in compared:
            group = "compared with CANN's source"
        elif {form, f"{form}Tensor"} & compared:
            group = "another form of such a one"
        else:
            group = f"not compared, {behaviours.get(kernel, 'of a library beside the kernels')}"
        groups.setdefault(group, []).append(f"{kernel} {number}")
    return groups


def main(argv: list[str] | None = None) -> int:
    """Run the comparisons that the command line asks for; 1 if one is beyond its limit."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.cann_kernels",
        description="Run the kernel sources of CANN on NumPy and compare the emulator with them.",
    )
    parser.add_argument(
        "--root", help=f"the toolkit's folder, with opp in it (default: by {sources.VARIABLE})"
    )
    parser.add_argument("--cases", type=int, default=20000, help="numbers of a kind (%(default)s)")
    parser.add_argument("--csv", type=Path, help="a file for the table")
    parser.add_argument(
        "--used",
        type=Path,
        metavar="CELLS",
        help="what 'workshop cells --json CELLS' wrote: say which of its kernels are compared",
    )
    parser.add_argument("kernels", nargs="*", help="modules of impl/dynamic (default: all)")
    options = parser.parse_args(argv)
    try:
        root = sources.find(options.root)
    except sources.NotFoundError as error:
        print(f"SKIPPED, nothing was compared: {error}", file=sys.stderr)
        return 0

    wanted = [c for c in COMPARISONS if not options.kernels or c.file in options.kernels]
    with sources.opened(root):
        results = [compare(c, dtype, options.cases) for c in wanted for dtype in c.dtypes]
    _print(results)
    compared = [result for result in results if not result.refused]
    bad = [result for result in compared if not result.good]
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            writer.writerows(_row(result) for result in results)
    equal = sum(not result.differing for result in compared)
    print(
        f"\n{len({r.comparison.file for r in compared})} kernels of CANN, {len(compared)} "
        f"comparisons, {sum(r.cases for r in compared)} cases: {equal} without a difference, "
        f"{len(compared) - equal - len(bad)} within their limits, {len(bad)} beyond"
    )
    if options.used:
        launches = used(options.used)
        print(f"\nThe routes launch {len(launches)} kernels:")
        names = {result.comparison.kernel for result in compared}
        for group, members in sorted(coverage(launches, names).items()):
            share = sum(int(m.split()[1]) for m in members) / launches.total()
            print(f"{group}: {len(members)}, {share:.1%} of launches: {', '.join(members)}")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
