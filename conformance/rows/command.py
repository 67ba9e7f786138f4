"""The command ``python -m conformance rows``."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.devices import device_type, parse_device
from conformance.errors import SetupError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from conformance.rows.measure import Finding

HELP = "Take each row out in turn, and say which are needed."
PASSED, FAILED = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--device", default="cpu", help="cpu, cuda or npu (emulated without CANN) (default: cpu)"
    )
    parser.add_argument(
        "-k", dest="only", nargs="+", default=[], metavar="OPERATION", help="operations alone"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="all that was found")
    parser.add_argument(
        "--verbose", action="store_true", help="also what noticed that an entry was out"
    )


def run(arguments: argparse.Namespace, _argv: Sequence[str]) -> int:
    """Print what was found; 1 if a row of the device type's own has an entry without a witness."""
    try:
        parse_device(arguments.device)
    except ValueError as error:
        raise SetupError(str(error)) from error
    if importlib.util.find_spec("mpmath") is None:
        raise SetupError("the special functions are compared with mpmath; run 'pip install mpmath'")
    if device_type(arguments.device) == "npu" and importlib.util.find_spec("torch_npu") is None:
        raise SetupError("torch_npu is not installed; run 'pip install \"ascend-array-api[npu]\"'")

    # Importing torch comes after the checks: it takes its time, and the emulated CANN comes first.
    from conformance.rows.measure import Rows

    rows = Rows(arguments.device)
    from conformance.rows.samples import samples

    entries = [e for e in rows.entries() if not arguments.only or e.operation in arguments.only]
    findings = list(rows.findings(list(samples()), entries))
    if arguments.json:
        listed = [as_json(finding) for finding in findings]
        arguments.json.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    note = f" ({rows.note})" if rows.note else ""
    print(f"{rows.device}{note}: {len(findings)} entries")
    for line in summary(findings):
        print(line)
    if arguments.verbose:
        for finding in findings:
            if finding.what:
                print(f"{finding.entry}: {finding.by}: {finding.what}")
    sys.stdout.flush()
    return FAILED if without_witness(findings) else PASSED


def without_witness(findings: Iterable[Finding]) -> list[Finding]:
    """Return the entries of the device type's own rows that no sample showed to be needed.

    A row for every device may be there for another one.
    """
    return [f for f in findings if f.entry.own and f.verdict.name != "NEEDED"]


def summary(findings: Sequence[Finding]) -> list[str]:
    """Return how many entries are needed, and which ones are not."""
    lines = []
    for own, whose in ((True, "of its own rows"), (False, "of rows for every device")):
        verdicts = Counter(f.verdict for f in findings if f.entry.own is own)
        counted = ", ".join(f"{number} {verdict.value}" for verdict, number in verdicts.items())
        lines.append(f"{whose}: {counted or 'none'}")
        for finding in findings:
            if finding.entry.own is own and finding.verdict.name != "NEEDED":
                entry = finding.entry
                lines.append(f"  {finding.verdict.value}: {entry}: {entry.row.reason}")
    return lines


def as_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as data."""
    entry = finding.entry
    return {
        "operation": entry.operation,
        "dtype": str(entry.dtype).removeprefix("torch."),
        "own": entry.own,
        "reason": entry.row.reason,
        "evidence": str(entry.row.evidence),
        "where": str(entry.row.where),
        "verdict": finding.verdict.value,
        "by": finding.by,
        "what": finding.what,
    }
