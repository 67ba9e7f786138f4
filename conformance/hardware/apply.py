"""From a report to entries of the tables, for maintainers.

What the format of a table can hold is edited in place; for the rest an entry says what is to be
written where. kernels.csv and behaviours.csv are edited for one chip and one release of CANN
(`TABLES`): what is otherwise on others is said by rows with a condition.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ascend_array_api._devices.facts import version

from .. import ROOT
from ..cann_emulator import _table
from . import calls, dtypes, judge, report

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

REPORTS: Final = "conformance/hardware/reports"
MEASURED: Final = "ascend_array_api/_backends/npu/measured.py"
KERNELS: Final = "conformance/cann_emulator/kernels.csv"
BEHAVIOURS: Final = "conformance/cann_emulator/behaviours.csv"
OPERATORS: Final = "conformance/cann_emulator/chip"
ROWS: Final = "ascend_array_api/_backends/npu"

TABLES: Final = ("910B", _table.release(_table.CANN)[:2])
"""The chip, and the release of CANN, whose lines are edited."""


@dataclass(frozen=True)
class Entry:
    """Something to be written.

    Attributes
    ----------
    file : str
        Where, from the root of the repository.
    what : str
        What, in words.
    kernel : str
        The line of a table.
    columns : mapping of str to str
        What its columns become; empty where it cannot be edited in place.
    """

    file: str
    what: str
    kernel: str = ""
    columns: Mapping[str, str] | None = None

    def __str__(self) -> str:
        return f"{self.file}: {'' if self.columns else 'by hand: '}{self.what}"


def condition(facts: Mapping[str, Any]) -> str:
    """Return the condition on facts under which a row is for what was measured."""
    numbers = version(facts["cann"])
    chip = f'soc("{_table.family(facts["soc"])}")'
    if numbers is None:
        return chip
    major, minor = numbers[:2]
    return f"{chip} & cann_at_least({major}, {minor}) & cann_before({major}, {minor + 1})"


def refusal(found: Mapping[str, Any]) -> str:
    """Say why nothing may be written of a report; nothing where it may."""
    if found["facts"]["emulated"]:
        return "the device was emulated"
    if found["only"] or not found["complete"]:
        return "the report is not complete"
    return ""


def entries(found: Mapping[str, Any]) -> list[Entry]:
    """Return what a report changes."""
    facts = found["facts"]
    numbers = version(facts["cann"])
    of_tables = (_table.family(facts["soc"]), (numbers or ())[:2]) == TABLES
    listed = [entry for entry in (*_dtypes(found), *_behaviours(found)) if of_tables]
    return [*listed, *_rows(found)]


def measured(facts: Mapping[str, Any]) -> str:
    """Name what was measured, for the column of sources."""
    return f"measured: {facts['soc']}, CANN {facts['cann']}"


def _lines(path: str) -> dict[str, dict[str, str]]:
    with (ROOT / path).open(newline="") as file:
        return {row["kernel"]: row for row in csv.DictReader(file) if _table.is_of(row)}


def _dtypes(found: Mapping[str, Any]) -> list[Entry]:
    """Return the lists of data types that are otherwise."""
    lines, source = _lines(KERNELS), measured(found["facts"])
    changed = []
    for name, answer in found["dtypes"].items():
        kernel = name.removesuffix(".dtypes")
        more, fewer = answer.get("more", []), answer.get("fewer", [])
        if not more and not fewer:
            continue
        line = lines[kernel]
        inputs, outputs = line["inputs"].split(), line["outputs"].split()
        refused = [d for d in fewer if answer["dtypes"][d] == dtypes.REFUSED]
        said = [f"with {' '.join(more)}"] * bool(more) + [f"without {' '.join(fewer)}"] * bool(
            fewer
        )
        what = f"{kernel}: inputs {', '.join(said)}"
        plain = refused == fewer and set(fewer) <= set(inputs) and not set(more) & set(inputs)
        if not plain or (outputs and not set(more) <= set(outputs)):
            how = "; ".join(f"{d}: {answer['dtypes'][d]}" for d in (*more, *fewer))
            changed.append(Entry(KERNELS, f"{what} ({how})", kernel))
            continue
        kept = [d for d in _table.DTYPES if (d in inputs or d in more) and d not in fewer]
        columns = {"inputs": " ".join(kept), "source": f"{line['source']}; {source}"}
        changed.append(Entry(KERNELS, what, kernel, columns))
    return changed


def _behaviours(found: Mapping[str, Any]) -> list[Entry]:
    """Return the behaviours that are otherwise, or were unknown."""
    lines, source = _lines(BEHAVIOURS), measured(found["facts"])
    changed = []
    for kernel, of in found["by_kernel"].items():
        own = {
            name: answer
            for name, answer in found["values"].items()
            if _table.named(name.partition(".")[0]) == kernel
        }
        line = lines[kernel]
        gist = next((f"{name}: {report.what(own[name])}" for name in of["by"]), "")
        computed = [name for name in own if not name.endswith(".order")]
        if line["behaviour"] == "unknown":
            told = [f"{name}: {report.what(own[name])}" for name in own if "seen" in own[name]]
            if told and not all(_is_exact(own[name]) for name in own):
                columns = {"source": f"{source} ({'; '.join(told)})"}
                changed.append(Entry(BEHAVIOURS, f"{kernel}: measured", kernel, columns))
            elif computed and of["values"] == judge.AS_EMULATED:
                columns = {"behaviour": "ideal", "source": f"{source} ({', '.join(computed)})"}
                changed.append(Entry(BEHAVIOURS, f"{kernel}: ideal", kernel, columns))
        elif line["behaviour"] == "ideal":
            if of["values"] in (judge.WORSE, judge.OTHER):
                columns = {"behaviour": "unknown", "source": f"{source}, not ideal ({gist})"}
                changed.append(Entry(BEHAVIOURS, f"{kernel}: not ideal", kernel, columns))
        elif of["by"]:
            changed.append(
                Entry(OPERATORS, f"{kernel} computes otherwise, {of['values']}: {gist}", kernel)
            )
    return changed


def _is_exact(answer: Mapping[str, Any]) -> bool:
    """Say whether an answer allows a kernel to be ideal: of random numbers none does."""
    seen = answer.get("seen", {})
    errors = [seen.get(name, 0) for name in (judge.ERROR, judge.SPECIAL, judge.WRONG)]
    return not any(errors) and "seed(" not in answer.get("call", "")


def _rows(found: Mapping[str, Any]) -> list[Entry]:
    """Return the rows that are to be added, or need a condition."""
    from ascend_array_api._routes._operations import OPS, rows_of

    where, rows = condition(found["facts"]), rows_of("npu")
    shorts = {f"torch.{name}": short for short, (_, name) in _table.DTYPES.items()}
    changed = []

    def of_kernel(kernel: str) -> list[tuple[Any, str]]:
        return [
            (row, f"{row.ops} of {' '.join(sorted(shorts[str(d)] for d in row.dtypes))}")
            for row in rows
            if kernel in row.evidence.names
        ]

    for name, answer in found["dtypes"].items():
        kernel = name.removesuffix(".dtypes")
        for dtype in answer.get("fewer", []):
            operation = _operation(kernel, OPS)
            if operation is not None:
                what = f'{operation} of {dtype}: refused("{kernel}"), where={where}'
                changed.append(Entry(ROWS, f"add a row: {what}", kernel))
        for dtype in answer.get("more", []):
            changed += [
                Entry(ROWS, f"{named}: holds where ~({where}) for {dtype}", kernel)
                for row, named in of_kernel(kernel)
                if row.evidence.kind == "refused" and dtype in {shorts[str(d)] for d in row.dtypes}
            ]
    for kernel, of in found["by_kernel"].items():
        if of["values"] == judge.BETTER:
            changed += [
                Entry(ROWS, f"{named}: may hold where ~({where})", kernel)
                for row, named in of_kernel(kernel)
                if row.evidence.kind in ("wrong", "undocumented")
            ]
        elif of["values"] == judge.WORSE:
            operation = _operation(kernel, OPS)
            if operation is not None:
                what = f'{operation}: wrong("...", "{kernel}"), where={where}'
                changed.append(Entry(ROWS, f"see whether a row is needed: {what}", kernel))
    return changed


# Operations by what torch calls the function, where it has another name or serves for several.
_OPERATIONS: Final = {
    "mul": "multiply",
    "sub": "subtract",
    "neg": "negative",
    **dict.fromkeys(("bmm", "mm", "mv"), "matmul"),
    "dot": "vecdot",
    "cumsum": "cumulative_sum",
    "cumprod": "cumulative_prod",
    "gather": "take_along_axis",
    "masked_select": "mask",
    "inverse": "inv",
    "linalg.vector_norm": "vector_norm",
    "linalg.cholesky": "cholesky",
    "linalg.cross": "cross",
    "linalg.qr": "qr",
    "linalg.svd": "svd svdvals",
    "sort": "sort argsort",
    "unique": "unique unique_values",
}


def operations_of(kernel: str, operations: Mapping[str, Any]) -> list[str]:
    """Return the operations that call a kernel, by the name of torch's function."""
    called = re.match(r"torch\.((?:linalg\.)?\w+)\(", calls.CALLS.get(kernel, ""))
    if called is None:
        return []
    plain = {getattr(op.native, "__name__", ""): name for name, op in operations.items()}
    name = called[1] if called[1] in operations else plain.get(called[1], "")
    return _OPERATIONS.get(called[1], name).split()


def _operation(kernel: str, operations: Mapping[str, Any]) -> str | None:
    """Return the first of them."""
    return next(iter(operations_of(kernel, operations)), None)


# --- writing --------------------------------------------------------------------------------------


def write(changed: list[Entry], root: Path = ROOT) -> None:
    """Edit the tables in place, as far as they can hold it."""
    for path in (KERNELS, BEHAVIOURS):
        edits = {e.kernel: e.columns for e in changed if e.file == path and e.columns}
        if not edits:
            continue
        text = (root / path).read_text(encoding="utf-8")
        reader = csv.DictReader(io.StringIO(text))
        written = io.StringIO()
        writer = csv.DictWriter(written, reader.fieldnames or [], lineterminator="\n")
        writer.writeheader()
        for row in reader:
            columns = edits.get(row["kernel"], {}) if _table.is_of(row) else {}
            if path == BEHAVIOURS and columns:
                columns = {**columns, "dtypes": ""}
            writer.writerow({**row, **columns})
        (root / path).write_text(written.getvalue(), encoding="utf-8")


def keep(found: Mapping[str, Any], root: Path = ROOT) -> str:
    """Put a report among those of the repository, and let the doctor know of it."""
    facts = found["facts"]
    name = f"{report.label(facts)}.json"
    folder = root / REPORTS
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    machine = (facts["soc"], version(facts["cann"]), version(facts["torch_npu"]))
    file = root / MEASURED
    text = file.read_text(encoding="utf-8")
    head, tail = re.split(
        r"(?<=MEASURED: Final\[tuple\[Measured, ...\]\] = )\((?s:.*?)\n?\)\n", text
    )
    lines = re.findall(r"^    Measured\(.*\),$", text, re.MULTILINE)
    line = f"    Measured({', '.join(map(_literal, (*machine, name)))}),"
    lines = sorted({*lines, line})
    body = "\n".join(lines)
    file.write_text(f"{head}(\n{body}\n)\n{tail}", encoding="utf-8")
    return f"{REPORTS}/{name}"


def _literal(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)
