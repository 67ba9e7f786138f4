"""The command ``python -m workshop rows``."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from conformance.devices import device_type, parse_device
from conformance.errors import SetupError
from conformance.pair import INSTALL

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence

    import torch

    from .measure import Finding

HELP = "Take each row out in turn, and say which are needed."
PASSED, FAILED = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--device",
        default="cpu",
        help="cpu, cuda, npu (emulated without CANN) or mesh:3 (default: cpu)",
    )
    parser.add_argument(
        "-k", dest="only", nargs="+", default=[], metavar="OPERATION", help="operations alone"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="all that was found")
    parser.add_argument(
        "--with",
        dest="others",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="what --json wrote of the same rows on other devices and machines: then each row, of "
        "every device type, must be needed somewhere",
    )
    parser.add_argument(
        "--verbose", action="store_true", help="also what noticed that an entry was out"
    )


def run(arguments: argparse.Namespace, _argv: Sequence[str]) -> int:
    """Print what was found; 1 if an entry has no witness.

    That is one of the device type's own rows or, with the findings of other runs, of any row.
    """
    try:
        parse_device(arguments.device)
    except ValueError as error:
        raise SetupError(str(error)) from error
    if importlib.util.find_spec("mpmath") is None:
        raise SetupError("the special functions are compared with mpmath; run 'pip install mpmath'")
    if device_type(arguments.device) == "npu" and importlib.util.find_spec("torch_npu") is None:
        raise SetupError(f"torch_npu is not installed; run '{INSTALL}'")

    # Importing torch comes after the checks: it takes its time, and the emulated CANN comes first.
    from .measure import Rows

    rows = Rows(arguments.device)
    from .samples import samples

    entries = [e for e in rows.entries() if not arguments.only or e.operation in arguments.only]
    findings = list(rows.findings(list(samples()), entries))
    listed = [as_json(finding, rows.device_type) for finding in findings]
    if arguments.json:
        arguments.json.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    note = f" ({rows.note})" if rows.note else ""
    print(f"{rows.device}{note}: {len(findings)} entries")
    for line in summary(findings):
        print(line)
    if arguments.verbose:
        for finding in findings:
            if finding.what:
                print(f"{finding.entry}: {finding.by}: {finding.what}")
    missing = [str(finding.entry) for finding in without_witness(findings)]
    if arguments.others:
        for path in arguments.others:
            listed += json.loads(path.read_text(encoding="utf-8"))
        wanted = [key for key in all_entries() if not arguments.only or key[1] in arguments.only]
        missing = needed_nowhere(listed, wanted)
        print(f"of {len(wanted)} entries of all rows, needed in no run: {len(missing)}")
        print(*(f"  {line}" for line in missing), sep="\n", end="\n" if missing else "")
    sys.stdout.flush()
    return FAILED if missing else PASSED


def without_witness(findings: Iterable[Finding]) -> list[Finding]:
    """Return the entries of the device type's own rows that no sample showed to be needed.

    A row for every device may be there for another one, and one without which the process would
    end has a test of its own.
    """
    return [f for f in findings if f.entry.own and f.verdict.name not in {"NEEDED", "NOT_TRIED"}]


Key: TypeAlias = tuple[str, str, str, str, str]
"""A device type, or nothing for every one; an operation, a data type, a reason, a condition."""


def all_entries() -> list[Key]:
    """Return what there is for every device, and of each device type's own."""
    from ascend_array_api._routes._operations import ROWS, rows_of

    rows = [("", row) for row in ROWS]
    rows += [(owner, row) for owner in ("cpu", "cuda", "npu") for row in rows_of(owner)]
    return [
        (owner, name, _name(dtype), row.reason, str(row.where))
        for owner, row in rows
        for name in row.ops.split()
        for dtype in sorted(row.dtypes, key=str)
    ]


def needed_nowhere(listed: Iterable[Mapping[str, Any]], wanted: Iterable[Key]) -> list[str]:
    """Return the entries that none of several runs found needed, and why each was not."""
    verdicts: dict[Key, set[str]] = {}
    for found in listed:
        owner = found["device"] if found["own"] else ""
        key = (owner, found["operation"], found["dtype"], found["reason"], found["where"])
        verdicts.setdefault(key, set()).add(found["verdict"])
    lines = []
    for key in wanted:
        if not (said := verdicts.get(key, set())) & {"needed", "not tried"}:
            owner, name, dtype, reason, _ = key
            of = f"{name} of {dtype}{owner and f' ({owner})'}"
            lines.append(f"{of}: {', '.join(sorted(said)) or 'decides in no run'}: {reason}")
    return lines


def summary(findings: Sequence[Finding]) -> list[str]:
    """Return how many entries are needed, and which ones are not."""
    lines = []
    for own, whose in ((True, "of its own rows"), (False, "of rows for every device")):
        verdicts = Counter(f.verdict for f in findings if f.entry.own is own)
        counted = ", ".join(f"{number} {verdict.value}" for verdict, number in verdicts.items())
        lines.append(f"{whose}: {counted or 'none'}")
        for finding in findings:
            if finding.entry.own is own and finding.verdict.name not in {"NEEDED", "NOT_TRIED"}:
                entry = finding.entry
                lines.append(f"  {finding.verdict.value}: {entry}: {entry.row.reason}")
    return lines


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def as_json(finding: Finding, device_type: str) -> dict[str, Any]:
    """Return a finding as data."""
    entry = finding.entry
    return {
        "device": device_type,
        "operation": entry.operation,
        "dtype": _name(entry.dtype),
        "own": entry.own,
        "reason": entry.row.reason,
        "evidence": str(entry.row.evidence),
        "where": str(entry.row.where),
        "verdict": finding.verdict.value,
        "by": finding.by,
        "what": finding.what,
    }
