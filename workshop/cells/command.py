"""The command ``python -m workshop cells``."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.devices import parse_device, require, require_device
from conformance.errors import SetupError

from . import table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from .measure import Cell

HELP = "Say which functions of the standard are computed where, for which data type."
PASSED, FAILED = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--device", default="npu", help="npu (emulated without CANN), cuda or cpu (default: npu)"
    )
    parser.add_argument(
        "-k", dest="only", nargs="+", default=[], metavar="NAME", help="names alone"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="all that was measured")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the page")
    parser.add_argument(
        "--chips", type=Path, metavar="FILE", help="what differs from Atlas A2 on an emulated chip"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="the picture (.svg or .png)")


def run(arguments: argparse.Namespace, _argv: Sequence[str]) -> int:
    """Measure, write what was asked for, and print the totals; 1 if a cell is wrong or fails."""
    try:
        parse_device(arguments.device)
    except ValueError as error:
        raise SetupError(str(error)) from error
    if arguments.plot and importlib.util.find_spec("matplotlib") is None:
        raise SetupError("--plot needs matplotlib; run 'pip install matplotlib'")
    require(arguments.device)
    require_device(arguments.device)

    # Importing torch comes after the checks: it takes its time, and the emulated CANN comes first.
    from . import chips, page, picture
    from .measure import Measurement

    measurement = Measurement(arguments.device)
    names = [n for n in table.names() if not arguments.only or n.key in arguments.only]
    unknown = set(arguments.only) - {n.key for n in names}
    if unknown:
        raise SetupError(f"the standard has no {', '.join(sorted(unknown))}")
    cells = list(measurement.cells(names))
    if arguments.json:
        data = json.dumps(page.as_json(cells, measurement), indent=1)
        arguments.json.write_text(data + "\n", encoding="utf-8")
    text = page.markdown(cells, measurement)
    if arguments.markdown:
        arguments.markdown.write_text(text, encoding="utf-8")
    if arguments.chips:
        chip = chips.name_of(measurement.emulator.soc) if measurement.emulator else None
        if chip in {None, chips.A2} or arguments.only:
            raise SetupError("--chips needs all cells of another emulated chip: CANN_EMULATOR_SOC")
        on_a2 = chips.of_page(chips.PAGE.read_text(encoding="utf-8"))
        chips.write(arguments.chips, chip, chips.compared(chip, page.symbols(cells), on_a2))
    if arguments.plot:
        picture.plot(text, arguments.plot)

    note = f" ({measurement.note})" if measurement.note else ""
    print(f"{measurement.device}{note}: {len(cells):,} cells of {len(names)} names")
    for place, number in page.counts(cells).items():
        print(f"  {place:<10} {number:>6,}")
    print("right, and on the device:")
    for share in page.shares(cells):
        print(f"  {share!s:<28} {share.scope}")
    for key, place, dtypes, reason in page.exceptions(cells):
        print(f"{place}: {key} of {' '.join(dtypes)}: {reason}")
    bad = any(cell.outcome.place in {"wrong", "fails"} for cell in cells)
    if measurement.device_type == "cuda":
        bad |= _print_waits(cells)
    sys.stdout.flush()
    return FAILED if bad else PASSED


def _print_waits(cells: Sequence[Cell]) -> bool:
    """Print where the host waited for the GPU, and say whether it need not have."""
    from . import page
    from .waits import IN_LIBRARIES

    found = page.waits(cells)
    known = [wait for wait in found if wait[0] in IN_LIBRARIES]
    for key, dtypes, how in found:
        reason = IN_LIBRARIES.get(key, "IT NEED NOT")
        print(f"waits: {key} of {' '.join(dtypes)}: {', '.join(how)}: {reason}")
    print(f"waits: {len(found)} functions, {len(known)} of them in a library of NVIDIA's")
    return len(found) > len(known)
