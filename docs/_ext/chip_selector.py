"""The choice of a chip, of which the tables of NPU support then show the cells.

A line ``<!-- chip selector -->`` in a page stands for it.  The tables are those of Atlas A2;
``npu-chips.csv`` has what differs on other chips.  Without scripts the choice is hidden.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workshop.cells import chips

if TYPE_CHECKING:
    from sphinx.application import Sphinx

MARK: Final = "<!-- chip selector -->"


def html() -> str:
    """Return the form, and what its script puts into the tables."""
    lines = chips.read()
    every = {
        chip: [line[1:] for line in lines if line.chip == chip] for chip in chips.CHIPS.values()
    }
    buttons = "\n".join(
        f'<label><input type="radio" name="chip" value="{escape(chip)}"'
        f"{' checked' if chip == chips.A2 else ''}> {escape(chip)}</label>"
        for chip in every
    )
    data = escape(json.dumps(every, ensure_ascii=False, separators=(",", ":")))
    return (
        f'<form class="chips" hidden data-chips="{data}">\n<fieldset>\n{buttons}\n</fieldset>\n'
        "<p>Cells that differ from Atlas A2 have a frame.</p>\n</form>"
    )


def read(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Insert the choice into a page."""
    if MARK in source[0]:
        source[0] = source[0].replace(MARK, f"```{{raw}} html\n{html()}\n```")


def depend(app: Sphinx, docnames: list[str]) -> None:
    """Read a page again when the table has changed."""
    page = Path(app.srcdir) / "npu-support.md"
    if MARK in page.read_text(encoding="utf-8") and page.stem not in docnames:
        docnames.append(page.stem)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("env-before-read-docs", lambda app, _env, docnames: depend(app, docnames))
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
