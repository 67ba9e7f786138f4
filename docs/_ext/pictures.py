"""The pictures of measurements, drawn from the tables in the pages and from the files beside them.

A comment ``<!-- picture NAME: what it shows -->`` in a page stands for a picture.  What follows
after a blank line in the comment comes below it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks import chain, functions, programs, report
from conformance.accuracy import picture as accuracy
from conformance.cells import picture as cells

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

DOCS: Final = Path(__file__).parents[1]
FOLDER: Final = "pictures"


class Picture(NamedTuple):
    """How a picture is drawn: of which file, or of which marked part of it."""

    plot: Callable[[str, Path], None]
    file: str
    mark: str = ""


PICTURES: Final = {
    "npu-support": Picture(cells.plot, "npu-support.md"),
    "npu-accuracy": Picture(accuracy.plot, "npu-accuracy.csv"),
    "benchmarks": Picture(report.plot, "benchmarks.md", "cpu"),
    "benchmarks-chain": Picture(chain.plot, "benchmarks.md", "chain cpu"),
    "benchmarks-chain-cuda": Picture(chain.plot, "benchmarks.md", "chain cuda"),
    "programs": Picture(programs.plot, "captures.md", "programs"),
    "benchmarks-functions": Picture(functions.plot, "benchmarks-functions.csv"),
    "benchmarks-functions-cuda": Picture(functions.plot, "benchmarks-functions-cuda.csv"),
}

_MARK: Final = re.compile(r"<!-- picture ([\w-]+): ([^\n]+?)(?: |\n\n(.+?\n))-->", re.DOTALL)


def draw(name: str, path: Path) -> None:
    """Draw a picture."""
    picture = PICTURES[name]
    text = (DOCS / picture.file).read_text(encoding="utf-8")
    path.parent.mkdir(exist_ok=True)
    picture.plot(report.marked(text, picture.mark) if picture.mark else text, path)


def read(app: Sphinx, _page: str, source: list[str]) -> None:
    """Draw the pictures of a page, and show them where it has their comments."""

    def drawn(match: re.Match[str]) -> str:
        name, shows, below = match.groups()
        draw(name, Path(app.srcdir) / FOLDER / f"{name}.svg")
        app.env.note_dependency(PICTURES[name].file)
        return f"![{shows}]({FOLDER}/{name}.svg)\n\n{below or ''}"

    source[0] = _MARK.sub(drawn, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
