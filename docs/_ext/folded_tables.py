"""Long tables and details are folded: a line says what they have, and opens them.

A line ``<!-- fold tables of more than N rows -->`` in a page holds for the tables below it.  A
paragraph in bold above a table is its title, and stands in that line beside the number of rows.
What stands between ``<!-- fold: TITLE -->`` and ``<!-- end fold -->``, within one section, is
folded as it is.  Folding needs no script.  The filter opens the tables that have what it looks for,
and all is printed.
"""

from __future__ import annotations

import math
import re
from html import escape
from typing import TYPE_CHECKING, Any, Final

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

MARK: Final = re.compile(r"<!-- fold tables of more than (?P<rows>\d+) rows -->")
BEGIN: Final = re.compile(r"<!-- fold: (?P<title>.+) -->")
END: Final = "<!-- end fold -->"


def fold(_app: Sphinx | None, document: Any) -> None:
    """Put the long tables and the details of a page into elements that open."""
    most, parent = math.inf, None
    for node in list(document.findall(lambda n: isinstance(n, (nodes.raw, nodes.table)))):
        text = node.astext().strip() if isinstance(node, nodes.raw) else ""
        if match := MARK.fullmatch(text):
            most = int(match["rows"])
        elif (match := BEGIN.fullmatch(text)) or text == END:
            if (parent is None) != bool(match) or parent not in {None, node.parent}:
                raise ValueError(f"{text}: a fold begins and ends in one section")
            parent = node.parent if match else None
            node.replace_self(_begin("more", match["title"]) if match else _end())
        elif isinstance(node, nodes.table) and parent is None and len(_rows(node)) > most:
            _fold(node, len(_rows(node)))
    if parent is not None:
        raise ValueError("a fold does not end")


def _begin(kind: str, title: str) -> nodes.raw:
    text = f'<details class="{kind}">\n<summary>{escape(title)}</summary>'
    return nodes.raw("", text, format="html")


def _end() -> nodes.raw:
    return nodes.raw("", "</details>", format="html")


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
    parent.insert(place + 1, _end())
    parent.insert(place, _begin("table", said))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("doctree-read", fold)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
