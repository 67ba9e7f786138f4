"""The table of tested versions, for the doctor and the pages.

Imports neither torch nor any module of the package.

``tested.csv`` holds the table.  ``run`` means that this package's tests ran and passed with these
versions; ``never run`` means that they never ran, although they might pass.
"""

from __future__ import annotations

import csv
from importlib import resources
from typing import TypedDict

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
    text = (resources.files(__package__) / "tested.csv").read_text(encoding="utf-8")
    return [Row(**line) for line in csv.DictReader(text.splitlines())]  # type: ignore[typeddict-item]  # a test holds the columns


def said(row: Row) -> str:
    """Return the state of a row and what was run, in words."""
    return f"{row['state']}: {row['what']}" if row["what"] else row["state"]


def markdown() -> str:
    """Return the table in Markdown, as the pages show it."""
    head = ("processor or SoC", "torch", "torch_npu", "CANN", "Python", "what was run")
    lines = [head, ("---",) * len(head)]
    for row in rows():
        cells = (row["processor"], row["torch"], row["torch_npu"], row["CANN"], row["Python"])
        lines.append((*(cell or "-" for cell in cells), said(row)))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def about(torch: str, *, npu: bool) -> list[Row]:
    """Return the lines for a version of torch, on NPUs or elsewhere."""
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
