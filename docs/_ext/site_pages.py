"""The pages that have their text from elsewhere in the repository.

A line ``<!-- insert ../conformance/README.md -->`` in a page stands for that file less its title.
Links to files outside of this folder become links to the pages that show them.  Each example has a
page with its source.
"""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT: Final = Path(__file__).parents[2]

SHOWN: Final = {
    "README.md": "index.md",
    "benchmarks": "benchmarks.md",
    "conformance": "conformance.md",
    "conformance/README.md": "conformance.md",
    "conformance/cann_emulator": "emulated-cann.md",
    "conformance/cann_emulator/README.md": "emulated-cann.md",
    "examples": "examples.md",
    "examples/README.md": "examples.md",
    "workshop": "workshop.md",
    "workshop/README.md": "workshop.md",
}
"""Which page shows a file of the repository that is not in this folder."""

_INSERT: Final = re.compile(r"^<!-- insert (?P<path>\S+) -->$", re.MULTILINE)
_LINK: Final = re.compile(
    r"(?P<before>\]\(|^\[[^\]]+\]: +)(?P<target>[^)\s#:]+)(?=[#)\s])", re.MULTILINE
)
# Blank, as doctest wants it before the fence.
_LIST: Final = "<!-- list the examples -->"
_LAST_LINE: Final = re.compile(r"(^```(?:python|pycon)\n[^`]*?)\n+(?=^```$)", re.MULTILINE)
_log: Final = logging.getLogger(__name__)


def page_of(path: str) -> str | None:
    """Return the page, in this folder, that shows a file of the repository."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if re.fullmatch(r"examples/\w+\.py", path):
        return f"{path.removesuffix('.py')}.rst"
    return SHOWN.get(path)


def relink(text: str, folder: str, page: str) -> str:
    """Point the links of a text from a folder of the repository to pages, as seen from one page."""

    def changed(match: re.Match[str]) -> str:
        path = os.path.normpath(os.path.join(folder, match["target"]))
        shown = page_of(path)
        if shown is None:  # a file to download
            if not (ROOT / path).is_file():
                _log.warning("there is no %s, nor a page that shows it", path, location=page)
            shown = f"../{path}"
        return f"{match['before']}{os.path.relpath(shown, os.path.dirname(page) or '.')}"

    return _LINK.sub(changed, text)


def read(_app: Sphinx, page: str, source: list[str]) -> None:
    """Insert what a page has from elsewhere, with links that fit."""
    docs = ROOT / "docs"
    if not (docs / f"{page}.md").exists():
        return

    def inserted(match: re.Match[str]) -> str:
        path = (docs / match["path"]).resolve()
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"\A# .*\n", "", text)
        return relink(text, str(path.parent.relative_to(ROOT)), page)

    listed = "\n".join(f"examples/{path.stem}" for path in examples())
    source[0] = source[0].replace(_LIST, f"```{{toctree}}\n{listed}\n```")
    text = _INSERT.sub(inserted, relink(source[0], "docs", page))
    source[0] = _LAST_LINE.sub(r"\1\n", text)


def examples() -> list[Path]:
    """Return the examples, in the order in which their page names them."""
    folder = ROOT / "examples"
    text = (folder / "README.md").read_text(encoding="utf-8")
    paths = sorted(folder.glob("*.py"))
    return sorted(paths, key=lambda path: text.find(path.name) % (len(text) + 1))


def write_examples(app: Sphinx) -> None:
    """Write a page for each example."""
    folder = Path(app.srcdir) / "examples"
    folder.mkdir(exist_ok=True)
    written = set()
    for path in examples():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        said = ast.get_docstring(tree) or ""
        start = (tree.body[0].end_lineno or 0) + 2 if said else 1
        said = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", said)
        page = folder / f"{path.stem}.rst"
        text = (
            f"{path.name}\n{'=' * len(path.name)}\n\n{said}\n\n"
            f".. literalinclude:: ../../examples/{path.name}\n   :language: python\n"
            f"   :lines: {start}-\n"
        )
        written.add(page)
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")
    for page in set(folder.glob("*.rst")) - written:
        page.unlink()


def depend(app: Sphinx, docnames: list[str]) -> None:
    """Read a page again when a file that it inserts has changed."""
    for docname in app.env.found_docs:
        path = ROOT / "docs" / f"{docname}.md"
        if path.exists() and docname not in docnames and _INSERT.search(path.read_text("utf-8")):
            docnames.append(docname)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("config-inited", lambda app, _config: write_examples(app))
    app.connect("env-before-read-docs", lambda app, _env, docnames: depend(app, docnames))
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
