"""The places of pages that commands write: between two comments that name what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def _marks(mark: str) -> tuple[str, str]:
    return f"<!-- begin {mark} -->\n", f"<!-- end {mark} -->\n"


def marked(page: str, mark: str) -> str:
    """Return the text of a page between the comments that mark its place."""
    begin, end = _marks(mark)
    return page.partition(begin)[2].partition(end)[0]


def insert(page: Path, mark: str, text: str) -> None:
    """Write a text to a file: between the comments that mark its place, or as a new file."""
    begin, end = _marks(mark)
    before = after = ""
    if page.exists():
        before, _, rest = page.read_text(encoding="utf-8").partition(begin)
        _, found, after = rest.partition(end)
        if not found:
            raise ValueError(f"{page} has no lines {begin.strip()} and {end.strip()}")
    page.write_text(f"{before}{begin}{text}{end}{after}", encoding="utf-8")
