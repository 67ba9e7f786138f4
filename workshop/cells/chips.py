"""How the cells of other chips differ from those of Atlas A2, which the page shows.

``docs/npu-chips.csv`` has a line for each chip, function and place that is another one than on
Atlas A2.  On another emulated chip ``--chips`` writes the lines of that chip anew:

    CANN_EMULATOR_SOC=Ascend310P3 python -m workshop cells --chips docs/npu-chips.csv
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from conformance import ROOT
from conformance.cann_emulator import _table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

FILE: Final = ROOT / "docs" / "npu-chips.csv"
PAGE: Final = ROOT / "docs" / "npu-support.md"
A2: Final = "Atlas A2"
CHIPS: Final = {
    "910B": A2,
    "910_93": "Atlas A3",
    "950": "Ascend 950",
    "310P": "Ascend 310P",
    "910": "first Ascend 910",
}
"""The chips of the page by their family, which the emulator knows."""

_ROW: Final = re.compile(r"(?m)^\| `(?P<function>[\w.]+)` \|(?P<symbols>(?:[^|\n]*\|)+)$")
_HEAD: Final = re.compile(r"(?m)^\| function \|(?P<codes>(?: \w+ \|)+) waits \|$")

Symbols = dict[tuple[str, str], str]
"""The symbol of each cell by function and code of the data type."""


class Line(NamedTuple):
    """A line of the file: a function, the data types, and the symbol that they have on a chip."""

    chip: str
    function: str
    symbol: str
    dtypes: str


def of_page(text: str) -> Symbols:
    """Return the symbols in the tables of a page."""
    found: Symbols = {}
    _, *tables = _HEAD.split(text)
    for head, body in zip(tables[::2], tables[1::2]):
        codes = head.replace("|", " ").split()
        for row in _ROW.finditer(body.partition("\n\n")[0]):
            symbols = [symbol.strip() for symbol in row["symbols"].split("|")]
            found |= {(row["function"], c): s for c, s in zip(codes, symbols) if s}
    return found


def compared(chip: str, here: Symbols, on_a2: Symbols) -> list[Line]:
    """Return the lines of a chip, in the order of its cells."""
    lines: dict[tuple[str, str], list[str]] = {}
    for (function, code), symbol in here.items():
        if on_a2[function, code] != symbol:
            lines.setdefault((function, symbol), []).append(code)
    return [Line(chip, *key, " ".join(codes)) for key, codes in lines.items()]


def on_chip(chip: str, on_a2: Mapping[tuple[str, str], str], lines: Iterable[Line]) -> Symbols:
    """Return the symbols of a chip's cells, given those of Atlas A2."""
    own = [line for line in lines if line.chip == chip]
    others = {(line.function, c): line.symbol for line in own for c in line.dtypes.split()}
    return {cell: others.get(cell, symbol) for cell, symbol in on_a2.items()}


def name_of(soc: str) -> str | None:
    """Return the name of a chip on the page; None if it has none there."""
    return CHIPS.get(_table.family(soc))


def read(path: Path = FILE) -> list[Line]:
    """Return the lines of a file."""
    with path.open(newline="", encoding="utf-8") as file:
        return [Line(*row) for row in csv.reader(file)][1:]


def write(path: Path, chip: str, lines: Iterable[Line]) -> None:
    """Write the lines of a chip in place of those that a file has, in the order of `CHIPS`."""
    kept = [line for line in (read(path) if path.exists() else []) if line.chip != chip]
    order = list(CHIPS.values())
    every = sorted([*kept, *lines], key=lambda line: order.index(line.chip))
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([Line._fields, *every])
