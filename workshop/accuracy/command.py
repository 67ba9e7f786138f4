"""The command ``python -m workshop accuracy``."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.devices import require, start
from conformance.errors import SetupError
from conformance.terminal import of_each

from ..marks import insert

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

HELP = "Say how exact functions are on an NPU, and how exact its own kernels."
PASSED, FAILED = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "-k", dest="only", nargs="+", default=[], metavar="NAME", help="functions alone"
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the page")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="what the picture shows")
    parser.add_argument(
        "--special",
        type=Path,
        metavar="FILE",
        help="the page of which special functions are a table",
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="the picture (.svg or .png)")


def run(arguments: argparse.Namespace, _argv: Sequence[str]) -> int:
    """Measure, write what was asked for, print; 1 if an error exceeds its bound."""
    needed = ["scipy", *["matplotlib"] * bool(arguments.plot)]
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        raise SetupError(f"accuracy needs {' and '.join(missing)}: pip install {' '.join(missing)}")
    require("npu")
    emulator = start("npu")
    if arguments.special:
        return _special(arguments.special)

    # Importing torch comes after the checks: it takes its time, and the emulated CANN comes first.
    from ..samples.strategies import NPU_ULPS
    from . import page, picture
    from .functions import FUNCTIONS
    from .measure import measure

    unknown = set(arguments.only) - {f.name for f in FUNCTIONS}
    if unknown:
        raise SetupError(f"nothing is measured of {', '.join(sorted(unknown))}")
    chosen = [f for f in FUNCTIONS if not arguments.only or f.name in arguments.only]
    found = []
    for one in of_each(measure, chosen, "functions"):
        found.append(one)
        function = one.function
        own, ours = one.own.text() if one.own else "no kernel", one.ours.text()
        print(f"{function.name:<13} {function.dtype:<8} own: {own:<32} ours: {ours}", flush=True)
    note = f"\nKernels are emulated, and compute in the mode `{emulator.mode}`." if emulator else ""
    table = picture.table(found, NPU_ULPS)
    if arguments.csv:
        arguments.csv.write_text(table, encoding="utf-8")
    if arguments.plot:
        picture.plot(table, arguments.plot)
    if arguments.markdown:
        arguments.markdown.write_text(page.markdown(found, note), encoding="utf-8")
    bad = [
        f.function.name
        for f in found
        if f.ours.wrong or f.ours.zeros or f.ours.ulp > NPU_ULPS.get(f.function.name, f.ours.ulp)
    ]
    print(f"{len(found)} functions at {sum(f.points for f in found):,} points", end="")
    print(f"; beyond their bounds: {', '.join(bad)}" if bad else ", all within their bounds")
    return FAILED if bad else PASSED


def _special(path: Path) -> int:
    from . import special

    found = list(of_each(special.line, special.NAMES, "functions"))
    insert(path, special.MARK, special.table([line for line, _ in found]))
    bad = [line.split("`")[1] for line, right in found if not right]
    print(f"{len(found)} functions", end="")
    print(f"; beyond their bounds: {', '.join(bad)}" if bad else ", all within their bounds")
    return FAILED if bad else PASSED
