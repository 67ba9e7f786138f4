"""The filter of long tables: by words, and by what stands in columns of few different words.

A line ``<!-- table filter COLUMN, COLUMN -->`` in a page stands for it, and holds for all tables
below that have these columns.  Without scripts it is hidden.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sphinx.application import Sphinx

MARK: Final = re.compile(r"^<!-- table filter (?P<columns>[^>]+) -->$", re.MULTILINE)


def html(columns: list[str]) -> str:
    """Return the form; its script knows the words of the columns."""
    selects = "\n".join(
        f'<label>{escape(column)} <select name="{escape(column)}"></select></label>'
        for column in columns
    )
    return (
        '<form class="filter" hidden>\n'
        '<label>Filter <input type="search" name="words" placeholder="part of a name"></label>\n'
        f"{selects}\n<output></output>\n"
        '<button type="button" hidden>Open or close all</button>\n</form>'
    )


def read(_app: Sphinx | None, _page: str, source: list[str]) -> None:
    """Insert the filter into a page."""

    def form(match: re.Match[str]) -> str:
        columns = [column.strip() for column in match["columns"].split(",")]
        return f"```{{raw}} html\n{html(columns)}\n```"

    source[0] = MARK.sub(form, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
