"""What was run with this package's tests, and with what: one table, for the doctor and the pages.

``tested.csv`` has it.  ``run`` says that something was run and found right, ``never run`` that
nobody did: that it could work is no reason to say more.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final, TypedDict

FILE: Final = Path(__file__).with_name("tested.csv")
RUN, NEVER_RUN = "run", "never run"


class Row(TypedDict):
    """One line of the table."""

    processor: str
    torch: str
    torch_npu: str
    CANN: str
    Python: str
    state: str
    what: str


def rows() -> list[Row]:
    """Return the lines of the table."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return [Row(**line) for line in csv.DictReader(file)]  # type: ignore[typeddict-item]  # a test holds the columns


def said(row: Row) -> str:
    """Return what was run, in words."""
    return f"{row['state']}: {row['what']}" if row["what"] else row["state"]


def markdown() -> str:
    """Return the table as the pages have it."""
    head = ("processor or SoC", "torch", "torch_npu", "CANN", "Python", "what was run")
    lines = [head, ("---",) * len(head)]
    for row in rows():
        cells = (row["processor"], row["torch"], row["torch_npu"], row["CANN"], row["Python"])
        lines.append((*(cell or "-" for cell in cells), said(row)))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def about(torch: str, *, npu: bool) -> list[Row]:
    """Return the lines that are about a version of torch, on NPUs or elsewhere."""
    lines = [row for row in rows() if _release(torch) in row["torch"].split(", ")]
    return [row for row in lines if bool(row["torch_npu"]) == npu]


def about_pair(torch: str, torch_npu: str, cann: str | None) -> str:
    """Return a sentence on whether a torch and a torch_npu were run together, and with what."""
    pair = f"torch {torch.partition('+')[0]} with torch_npu {torch_npu}"
    lines = [row for row in about(torch, npu=True) if row["torch_npu"] == torch_npu]
    run = [row for row in lines if row["state"] == RUN]
    if not run:
        return f"{pair}: this pair was never run"
    with_cann = " and ".join(sorted({row["CANN"] for row in run}))
    known = cann is None or any(_release(row["CANN"]) == _release(cann) for row in run)
    never = "" if known else f", and never with CANN {cann}"
    return f"{pair}: this pair was run, with CANN {with_cann}{never}"


def _release(version: str) -> str:
    return ".".join(version.split(".")[:2])
