"""Long tables are folded: a line says what a table has and how many rows, and opens it.

A line ``<!-- fold tables of more than N rows -->`` in a page holds for the tables below it.  A
paragraph in bold above a table is its title, and stands in that line.  Folding needs no script.
The filter opens the tables that have what it looks for, and all are printed.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any, Final

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

MARK: Final = re.compile(r"<!-- fold tables of more than (?P<rows>\d+) rows -->")


def fold(_app: Sphinx | None, document: Any) -> None:
    """Put the long tables of a page into elements that open."""
    most = None
    for node in list(document.findall(lambda n: isinstance(n, (nodes.raw, nodes.table)))):
        if isinstance(node, nodes.raw):
            match = MARK.fullmatch(node.astext().strip())
            most = int(match["rows"]) if match else most
        elif most is not None and (count := len(_rows(node))) > most:
            _fold(node, count)


def _rows(table: nodes.table) -> list[Any]:
    return [row for body in table.findall(nodes.tbody) for row in body.children]


def _is_bold(paragraph: nodes.paragraph) -> bool:
    # The parser puts empty text on both sides.
    return [type(node) for node in paragraph if node.astext()] == [nodes.strong]


def _fold(table: nodes.table, count: int) -> None:
    head = next(iter(table.findall(nodes.entry))).astext()
    said = f"{count} {'functions' if head == 'function' else 'rows'}"
    parent = table.parent
    place = parent.index(table)
    above = parent[place - 1]
    if isinstance(above, nodes.paragraph) and _is_bold(above):
        said = f"{above.astext()} ({said})"
        parent.remove(above)
        place -= 1
    begin = f'<details class="table">\n<summary>{escape(said)}</summary>'
    parent.insert(place + 1, nodes.raw("", "</details>", format="html"))
    parent.insert(place, nodes.raw("", begin, format="html"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("doctree-read", fold)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
