"""The command ``python -m workshop calls``."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING

from conformance import install
from conformance.devices import parse_device, require, require_device
from conformance.errors import SetupError

from . import table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

HELP = "Say which calls of SciPy and scikit-learn stay on the device, cross the host or raise."
PASSED, FAILED = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--device", default="npu", help="npu (emulated without CANN) or cuda (default: npu)"
    )
    parser.add_argument(
        "-k", dest="only", nargs="+", default=[], metavar="WORD", help="names with such a part"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="all that was measured")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the page")


def run(arguments: argparse.Namespace, _argv: Sequence[str]) -> int:
    """Make the calls, write what was asked for; 1 if a way to do it instead is none."""
    try:
        parse_device(arguments.device)
    except ValueError as error:
        raise SetupError(str(error)) from error
    for package, name in (("scipy", "SciPy"), ("sklearn", "scikit-learn")):
        if importlib.util.find_spec(package) is None:
            raise SetupError(f"{name} is missing; run {install('demo')}")
    require(arguments.device)
    require_device(arguments.device)
    words = arguments.only
    chosen = [c for c in table.calls() if not words or any(word in c.name for word in words)]
    if not chosen:
        raise SetupError(f"no function's name has {' or '.join(words)}")

    # Importing torch comes after the checks: it takes its time, and the emulated CANN comes first.
    from . import page
    from .measure import MODES, Measurement

    measurement = Measurement(arguments.device, chosen)
    rows = list(measurement.rows())
    if arguments.json:
        data = json.dumps(page.as_json(rows, measurement.note), indent=1)
        arguments.json.write_text(data + "\n", encoding="utf-8")
    if arguments.markdown:
        arguments.markdown.write_text(page.markdown(rows, measurement.note), encoding="utf-8")
    note = f" ({measurement.note})" if measurement.note else ""
    print(f"{measurement.device}{note}: {len(rows)} functions")
    for mode in MODES:
        found = ", ".join(f"{n} {kind}" for kind, n in page.counts(rows, mode).most_common())
        print(f"  {mode}: {found}")
    bad = [row for row in rows if row.bad_instead]
    for row in bad:
        print(f"NOT THE SAME: {row.call.name}: {row.call.instead}: {row.bad_instead}")
    return FAILED if bad else PASSED
