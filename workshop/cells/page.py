"""The page: a support table of functions and data types, made from a measurement."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from conformance.processes import version_of

from . import chips, measure, table
from .measure import (
    ABSENT,
    AICORE,
    AICPU,
    DEVICE,
    FAILS,
    HOST,
    NO_KERNEL,
    TO_HOST,
    WRONG,
    on_device,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .measure import Cell, Measurement

CODES: Final = {
    "bool": "b",
    **{f"{sign}{bits}": f"{sign[0]}{bits}" for sign in ("int", "uint") for bits in (8, 16, 32, 64)},
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
    "complex128": "c128",
}
SYMBOLS: Final = {
    NO_KERNEL: "○",
    AICORE: "●",
    DEVICE: "●",
    AICPU: "◐",
    HOST: "H",
    ABSENT: "-",
    WRONG: "✗",
    FAILS: "✗",
}
MAIN: Final = ("float32", "int32", "int64", "bool")
"""The data types in which everything is to be computed on the device, but for ``EXCEPTED``."""
EXCEPTED: Final = frozenset(
    f"linalg.{name}" for name in ("eig", "eigh", "eigvals", "eigvalsh", "svd", "svdvals")
)
_SCOPES: Final = (
    "all cells",
    "without random functions: the standard's names and the in-place operators",
    "of these, cells about data, not metadata",
    "of these, float32, int32, int64 and bool, without eigenvalues and singular values",
)


@dataclass(frozen=True)
class Share:
    """How many cells of a selection are right and computed on the device."""

    scope: str
    right: int
    total: int

    @property
    def percent(self) -> float:
        """The share in percent."""
        return 100 * self.right / self.total if self.total else 100.0

    def __str__(self) -> str:
        return f"{self.right:,} of {self.total:,} ({_percent(self.percent)} %)"


def _percent(number: float) -> str:
    """Round down, so that only all is 100 %."""
    return f"{int(number * 10) / 10:.1f}"


def shares(cells: Sequence[Cell]) -> tuple[Share, ...]:
    """Return the shares on the device: of all cells, and of smaller and smaller selections."""
    standard = [cell for cell in cells if cell.name.chapter != "random"]
    data = [cell for cell in standard if not cell.name.is_metadata]
    main = [c for c in data if c.dtype in MAIN and c.name.key not in EXCEPTED]
    return tuple(Share(s, *on_device(c)) for s, c in zip(_SCOPES, (cells, standard, data, main)))


def lacking(cells: Iterable[Cell]) -> int:
    """Return for how many cells plain torch_npu has no right answer on the device."""
    return sum(cell.dtype in cell.name.lacking for cell in cells)


def counts(cells: Sequence[Cell]) -> dict[str, int]:
    """Return how many cells are computed in each place."""
    return {
        place: number
        for place in measure.PLACES
        if (number := sum(cell.outcome.place == place for cell in cells))
    }


def exceptions(cells: Sequence[Cell]) -> list[tuple[str, str, list[str], str]]:
    """List what is not right or not on the device: name, place, data types, reason."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for cell in cells:
        if not cell.is_on_device:
            reason = "; ".join(filter(None, _why(cell))) or "no reason is known"
            key = cell.name.key, cell.outcome.place, reason
            found.setdefault(key, []).append(cell.dtype)
    return [(key, place, dtypes, why) for (key, place, why), dtypes in found.items()]


def _why(cell: Cell) -> list[str]:
    """Return the notes; where data goes to the host by a row, its reason."""
    outcome = cell.outcome
    rows = "; ".join(f"`{operation}`: {reason}" for operation, reason in outcome.host_reasons)
    said = []
    for note, calls in outcome.notes.items():
        modes = ", ".join(dict.fromkeys(filter(None, calls)))
        text = rows if rows and note == TO_HOST else note
        said.append(f"{modes}: {text}" if modes and "" not in calls else text)
    return said or [rows]


def waits(cells: Sequence[Cell]) -> list[tuple[str, list[str], list[str]]]:
    """List where the host was seen to wait for a GPU needlessly: name, data types, how."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for cell in cells:
        if cell.outcome.waited:
            key = cell.name.key, tuple(sorted(cell.outcome.waited))
            found.setdefault(key, []).append(cell.dtype)
    return [(key, dtypes, list(how)) for (key, how), dtypes in found.items()]


# --- Markdown -------------------------------------------------------------------------------------


def markdown(cells: Sequence[Cell], measurement: Measurement) -> str:
    """Return the page."""
    where = measurement.device_type
    how = f"on {measurement.note}" if measurement.note else f"on {measurement.device}"
    emulated = measurement.emulator is not None
    parts = [
        "# NPU support by function and data type" if where == "npu" else f"# What runs on {where}",
        _intro(cells, how, emulated=emulated),
        f"<!-- picture {where}-support: Where each function is computed, for each data type -->",
        _LEGEND,
        "## Totals",
        _totals(cells),
        *_chips(cells, measurement),
        "## What is not on the device",
        _exceptions(cells),
        "## What the words mean, and what the numbers prove",
        _MEANING + (_EMULATED if emulated else ""),
        "## Where the 2,239 cells come from",
        _origin(cells),
        "## The table",
        *(["<!-- chip selector -->"] if where == "npu" else []),
        "<!-- table filter waits -->",
        "<!-- fold tables of more than 0 rows -->",
        *_tables(cells),
        "## Other routes than torch's own function",
        _ROUTES,
        _kinds(measurement),
        _routes(cells),
        _FOOT,
    ]
    return "\n\n".join(parts) + "\n"


_FOOT: Final = """\
This command writes the page:

```console
$ python -m workshop cells --device npu --markdown docs/npu-support.md
```"""


def _intro(cells: Sequence[Cell], how: str, *, emulated: bool) -> str:
    everything, standard, *_, main = shares(cells)
    versions = f"torch {_version('torch')}"
    if emulated:
        versions += f", torch_npu {_version('torch_npu')}"
    where = "; ".join(f"{SYMBOLS[place]} {n:,} {place}" for place, n in counts(cells).items())
    said = (
        f"- Of the {everything.total:,} cells (a function with a data type), "
        f"**{everything.right:,} are right and computed on the device "
        f"({_percent(everything.percent)} %)**. [A table](#what-is-not-on-the-device) has the "
        f"others, with reasons.\n- Of the cells that the standard defines, {standard} are. Of the "
        f"cells of float32, int32, int64 and bool, {main} are, eigenvalues and singular values "
        f"apart.\n- By place: {where}. [The tables](#the-table) have each function.\n"
    )
    if emulated:
        plain = everything.total - lacking(cells)
        said += (
            f"- torch's functions of the same names, on torch_npu alone, answer {plain:,} of "
            f"{everything.total:,}.\n- Nothing was measured on hardware yet: see [what the numbers "
            "prove](#what-the-words-mean-and-what-the-numbers-prove).\n"
        )
    return (
        "This page shows where each function of the standard is computed, for each data type. In "
        f"short:\n\n{said}\nIt was measured {how}{' for Atlas A2' if emulated else ''}, "
        f"{versions}."
    )


def _version(package: str) -> str:
    return (version_of(package) or "").split("+")[0]


_LEGEND: Final = """\
| symbol | where |
|---|---|
| ● | AICore: every kernel ran on the vector and matrix units |
| ◐ | AICPU: at least one kernel ran on the processor cores of the device, which are slower |
| ○ | no kernel: metadata, views, and copies of memory |
| H | host: data went to the host and back, or was computed there; visible to users |
| ✗ | wrong, or an error |
| - | the namespace has no such function |
| + | behind a symbol: by another route than torch's own function, see the end of the page |
| blank | the standard does not define the function for the data type |"""


def _totals(cells: Sequence[Cell]) -> str:
    lines = ["| | right, and on the device |", "|---|---|"]
    lines += [f"| {share.scope} | {share} |" for share in shares(cells)]
    lines += ["", "| where | cells | of these by another route |", "|---|---|---|"]
    for place, number in counts(cells).items():
        routed = sum(c.outcome.place == place and bool(c.outcome.routes) for c in cells)
        lines.append(f"| {SYMBOLS[place]} {place} | {number:,} | {routed:,} |")
    lines += [
        "",
        "<!-- fold: By data type -->",
        "",
        f"| data type | {' | '.join(SYMBOLS[p] + ' ' + p for p in counts(cells))} | share |",
    ]
    lines.append("|---" * (len(counts(cells)) + 2) + "|")
    for dtype in table.DTYPES:
        own = [cell for cell in cells if cell.dtype == dtype]
        numbers = [str(sum(c.outcome.place == place for c in own)) for place in counts(cells)]
        share = Share("", *on_device(own))
        lines.append(f"| {dtype} | {' | '.join(numbers)} | {_percent(share.percent)} % |")
    return "\n".join([*lines, "", "<!-- end fold -->"])


def symbols(cells: Sequence[Cell]) -> chips.Symbols:
    """Return the symbols of cells."""
    return {(cell.name.key, CODES[cell.dtype]): _symbol(cell.outcome) for cell in cells}


def _chips(cells: Sequence[Cell], measurement: Measurement) -> Iterator[str]:
    """Yield how many cells are where on other chips."""
    emulator = measurement.emulator
    if emulator is None or chips.name_of(emulator.soc) != chips.A2 or not chips.FILE.exists():
        return  # the table of other chips is in a checkout alone
    on_a2, lines = symbols(cells), chips.read()
    yield "## Other chips"
    yield (
        "Of other chips, the emulated CANN has what CANN's sources say of them "
        "([hardware](hardware.md#chips-other-than-atlas-a2)). [A table](npu-chips.csv) has the "
        "cells that differ from Atlas A2."
    )
    places = [place for place in counts(cells) if place in measure.ON_DEVICE]
    head = " | ".join(f"{SYMBOLS[place]} {place}" for place in places)
    rows = [f"| chip | on the device | {head} | differ from Atlas A2 |"]
    rows.append("|---" * (len(places) + 3) + "|")
    for chip in chips.CHIPS.values():
        here = chips.on_chip(chip, on_a2, lines)
        found = [[s.rstrip("+") for s in here.values()].count(SYMBOLS[p]) for p in places]
        differ = sum(here[cell] != on_a2[cell] for cell in here)
        share = Share("", sum(found), len(here))
        rows.append(f"| {chip} | {share} | {' | '.join(f'{n:,}' for n in found)} | {differ} |")
    yield "<!-- fold: Cells on each chip -->"
    yield "\n".join(rows)
    yield "<!-- end fold -->"


def _exceptions(cells: Sequence[Cell]) -> str:
    lines = ["| function | where | data types | why |", "|---|---|---|---|"]
    lines += [
        f"| `{key}` | {SYMBOLS[place]} {place} | {' '.join(dtypes)} | {_cell(reason)} |"
        for key, place, dtypes, reason in exceptions(cells)
    ]
    return "\n".join(lines) if len(lines) > 2 else "Nothing: all cells are on the device."


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


_MEANING: Final = """\
Each cell stands for one or more calls of the public function: one for each of its modes (axes,
orders of norms, masks, corrections), with the same inputs in every run. The command compares the
results with those of the same call on the CPU (data type, shape and values) and, if NumPy has the
function, with NumPy's. Integers and booleans must be equal. Floating-point numbers may differ by
1e-5 (float32, complex64) or 1e-11 (float64, complex128) of the number and of the largest number of
the result. The worst call decides the symbol of a cell: `astype` is AICPU for every data type,
because casts to float64 and complex are.

**Computed on the device** means that no data of the computation is copied to the host and back.

<!-- fold: What counts as a computation on the device -->

- A copy to the host, however small, makes the cell **host**. So does an operator that torch_npu
  computes on the CPU, and a `Host` route of the namespace. The namespace warns of these, or refuses
  them (`options(host_fallback=...)`), and `fallback_report()` lists them.
- Some functions have to **wait** for the device, on every accelerator: functions that return a
  Python number (`bool(x)`, `int(x)`, `float(x)`); functions whose result has a shape that depends
  on the values (`nonzero`, the `unique` functions, `x[mask]`, `repeat` by an array); and random
  numbers that are drawn again after a rejection, or whose parameters are arrays, which are checked.
  There the host only reads the number or the size, which does not count as computation. A copy of
  more than one element does count, and makes the cell host. The column "waits" marks functions that
  wait in such calls, and in no others.
- `asarray` of a list, `to_device` and similar functions carry data to or from the host because that
  is their purpose.
- A copy *to* the device carries a table of constants, such as the matrices of a Fourier transform.
  In a function without an array argument, a copy of the result's size carries the result itself,
  which the host computed; it makes the cell host.
- Random numbers are measured where many are made. A few come from the host, by one copy
  ([random numbers](random.md)).
- Copies between two places on the device and views do not count as kernels.

<!-- end fold -->"""

_EMULATED: Final = """

The emulated CANN ([conformance/cann_emulator](../conformance/cann_emulator/README.md)) runs the
real torch_npu. It accepts the data types that CANN's documents list for Atlas A2. The same
documents say whether a kernel runs on AICore or on AICPU.

It **proves** which kernels a call asks for, with which data types; that CANN's documents allow
them; which data stays on the device; and that the result is right if each kernel does what its
document says.

It **does not prove** how fast or how exactly an NPU computes, that CANN does what its documents
say, or what devices other than Atlas A2 accept. On a machine with CANN the same command measures
the real device. There it does not know on which unit a kernel runs, and does not count copies."""


def _origin(cells: Sequence[Cell]) -> str:
    names = table.names()
    in_place = [n for n in names if n.chapter == "array_object_in_place"]
    random = [n for n in names if n.chapter == "random"]
    standard = [n for n in names if n not in in_place and n not in random]
    metadata = [n for n in names if n.is_metadata]

    def size(selected: Iterable[table.Name]) -> int:
        return sum(len(n.dtypes) for n in selected)

    data = size(n for n in names if not n.is_metadata)
    return (
        f"{len(names)} names of [workshop/samples](../workshop/samples/__init__.py) "
        "count:\n\n"
        "| names | how many | cells |\n|---|---|---|\n"
        f"| of the standard, versions 2023.12 to 2025.12, about data | "
        f"{len(standard) - len(metadata)} | {size(standard) - size(metadata):,} |\n"
        f"| of the standard, metadata: `x.shape`, `finfo`, `pi` ..., once for each of the "
        f"13 data types | {len(metadata)} | {size(metadata):,} |\n"
        f"| in-place operators | {len(in_place)} | {size(in_place):,} |\n"
        f"| random numbers, which the standard leaves out | {len(random)} | {size(random):,} |\n"
        f"| together | {len(names)} | {size(names):,} |\n\n"
        "A function has a cell for each data type for which the standard defines it: `add` has 12 "
        f"(numeric), `bitwise_and` 9, `sin` 4. {data:,} cells are about data. For "
        f"{lacking(cells):,} of them, torch's function of the same name on torch_npu alone has "
        "no kernel, is refused by CANN, or gives the wrong data type. The documents, kernel lists "
        "and sources of torch_npu and CANN say so."
    )


def _tables(cells: Sequence[Cell]) -> list[str]:
    parts = []
    for chapter, found in groupby(cells, lambda cell: cell.name.chapter):
        head = " | ".join(CODES[dtype] for dtype in table.DTYPES)
        lines = [f"| function | {head} | waits |", "|---" * (len(table.DTYPES) + 2) + "|"]
        for name, row in groupby(found, lambda cell: cell.name):
            by_dtype = {cell.dtype: cell.outcome for cell in row}
            symbols = [_symbol(by_dtype.get(dtype)) for dtype in table.DTYPES]
            waits = "yes" if any(outcome.waits for outcome in by_dtype.values()) else ""
            lines.append(f"| `{name.key}` | {' | '.join(symbols)} | {waits} |")
        parts.append(f"### {table.CHAPTERS[chapter]}\n\n" + "\n".join(lines))
    return parts


def _symbol(outcome: measure.Outcome | None) -> str:
    if outcome is None:
        return ""
    return SYMBOLS[outcome.place] + ("+" if outcome.routes else "")


_ROUTES: Final = """\
The calls above used the following rows, each with its reason. Rows of the device type are in
`ascend_array_api/_backends/`. Rows for functions that torch lacks or gets wrong on every device are
in `ascend_array_api/_routes/`."""


def _kinds(measurement: Measurement) -> str:
    """Return what the routes do, by their own documentation."""
    listed = (f"- `{kind}`: {says}" for kind, says in sorted(measurement.kinds.items()))
    return "\n".join(["<!-- fold: What each route does -->", "", *listed, "", "<!-- end fold -->"])


def _routes(cells: Sequence[Cell]) -> str:
    found: dict[tuple[str, str, str], set[str]] = {}
    for cell in cells:
        for row in cell.outcome.rows:
            found.setdefault((row.operation, row.route, row.reason), set()).add(row.dtype)
    lines = ["| operations | route | data types | reason |", "|---|---|---|---|"]
    merged: dict[tuple[str, str, str], list[str]] = {}
    for (operation, route, reason), dtypes in sorted(found.items()):
        listed = " ".join(d for d in (*table.DTYPES, *sorted(dtypes)) if d in dtypes)
        merged.setdefault((route, " ".join(dict.fromkeys(listed.split())), reason), []).append(
            operation
        )
    lines += [
        f"| {' '.join(f'`{op}`' for op in operations)} | {route} | {dtypes} | {_cell(reason)} |"
        for (route, dtypes, reason), operations in merged.items()
    ]
    return "\n".join(lines)


# --- data -----------------------------------------------------------------------------------------


def as_json(cells: Sequence[Cell], measurement: Measurement) -> dict[str, Any]:
    """Return all that was measured."""
    return {
        "schema": "ascend-array-api/cells",
        "schema_version": 1,
        "device": str(measurement.device),
        "device_note": measurement.note,
        "torch": _version("torch"),
        "shares": [
            {"scope": s.scope, "on_device": s.right, "total": s.total} for s in shares(cells)
        ],
        "counts": counts(cells),
        "cells": [
            {
                "name": cell.name.key,
                "chapter": cell.name.chapter,
                "dtype": cell.dtype,
                "place": cell.outcome.place,
                "waits": cell.outcome.waits,
                "waited": sorted(cell.outcome.waited),
                "routes": sorted(cell.outcome.routes),
                "rows": [vars(row) for row in sorted(cell.outcome.rows)],
                "kernels": dict(sorted(cell.outcome.kernels.items())),
                "notes": cell.outcome.notes,
                "plain_torch_npu": cell.dtype not in cell.name.lacking,
            }
            for cell in cells
        ],
    }
