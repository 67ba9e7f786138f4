"""The picture: a heat map of functions and data types, by chapter."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from . import table
from .measure import (
    ABSENT,
    AICORE,
    AICPU,
    DEVICE,
    FAILS,
    HOST,
    NO_KERNEL,
    ON_DEVICE,
    WRONG,
)
from .page import CODES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .measure import Cell

# The colours of Okabe and Ito, which colour-blind readers can tell apart; dark, middling and light,
# so that they differ without colours too.
_COLOURS: Final = {
    AICORE: "#0072b2",
    DEVICE: "#0072b2",
    AICPU: "#7cc4ee",
    NO_KERNEL: "#d9d9d9",
    HOST: "#e69f00",
    ABSENT: "#ffffff",
    WRONG: "#000000",
    FAILS: "#000000",
}
_LABELS: Final = {
    AICORE: "AICore",
    AICPU: "AICPU",
    NO_KERNEL: "no kernel: metadata, views",
    HOST: "host",
    FAILS: "wrong, or an error",
    ABSENT: "not in the namespace",
}
_INK: Final = "#333333"
_PANELS: Final = 4
_UNIT: Final = 0.155  # inches a row and column
_LABEL_WIDTH: Final = 11.0  # columns


def plot(cells: Sequence[Cell], path: Path) -> None:
    """Draw where each cell is computed; the file's name says the format."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    panels = _panels(cells)
    height = max(len(panel) for panel in panels) + 2.5
    width = len(panels) * (_LABEL_WIDTH + len(table.DTYPES) + 1)
    style: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "cells", "font.size": 7.5}
    style |= dict.fromkeys(("text.color", "axes.labelcolor"), _INK)
    with mpl.rc_context(style):
        figure = Figure(figsize=(width * _UNIT, (height + 2) * _UNIT))
        axes = figure.add_axes((0.005, 0.0, 0.99, height / (height + 2)))
        axes.set_xlim(0, width)
        axes.set_ylim(height, 0)
        axes.set_axis_off()
        bars: dict[str, list[tuple[float, float, float]]] = {}
        routed: dict[bool, list[tuple[float, float]]] = {}
        for i, panel in enumerate(panels):
            left = i * (_LABEL_WIDTH + len(table.DTYPES) + 1) + _LABEL_WIDTH
            _column_heads(axes, left)
            for y, line in enumerate(panel, start=2):
                if isinstance(line, str):
                    axes.text(left - 0.4, y + 0.55, line, weight="bold", ha="right", va="center")
                    continue
                key = line[0].name.key
                axes.text(left - 0.4, y + 0.5, key, ha="right", va="center")
                for cell in line:
                    corner = left + table.DTYPES.index(cell.dtype), float(y)
                    _lengthen(bars.setdefault(cell.outcome.place, []), *corner)
                    if cell.outcome.routes and cell.outcome.place in ON_DEVICE:
                        dark = cell.outcome.place in {AICORE, DEVICE}
                        routed.setdefault(dark, []).append(corner)
        for place, own in bars.items():
            _draw_bars(axes, own, _COLOURS[place], edge=place == ABSENT)
        # White lines part the bars into cells.
        for i in range(len(panels)):
            left = i * (_LABEL_WIDTH + len(table.DTYPES) + 1) + _LABEL_WIDTH
            axes.vlines(
                [left + j for j in range(len(table.DTYPES) + 1)], 2, height, "white", linewidth=1.2
            )
        for dark, corners in routed.items():
            xs, ys = zip(*[(x + 0.5, y + 0.5) for x, y in corners])
            axes.plot(xs, ys, ".", color="white" if dark else _INK, markersize=2.2)
        found = [place for place in _LABELS if place in bars or (place == FAILS and WRONG in bars)]
        handles: list[Any] = [
            Patch(facecolor=_COLOURS[p], edgecolor=_INK, linewidth=0.5, label=_LABELS[p])
            for p in found
        ]
        handles.append(
            Line2D(
                [],
                [],
                marker="o",
                linestyle="",
                color=_INK,
                markersize=3,
                label="by another route than torch's function",
            )
        )
        figure.legend(handles=handles, loc="upper center", ncols=len(handles), frameon=False)
        figure.savefig(
            path, facecolor="white", metadata={"Date": None} if path.suffix == ".svg" else None
        )


def _panels(cells: Sequence[Cell]) -> list[list[str | list[Cell]]]:
    """Share out the rows among the panels: a chapter's title, or the cells of a name."""
    lines: list[str | list[Cell]] = []
    for chapter, found in groupby(cells, lambda cell: cell.name.chapter):
        lines.append(table.CHAPTERS[chapter])
        lines += [list(row) for _, row in groupby(found, lambda cell: cell.name)]
    size = -(-len(lines) // _PANELS) + 1
    panels: list[list[str | list[Cell]]] = [[]]
    chapter = ""
    for line in lines:
        if isinstance(line, str):
            chapter = line
        is_full = len(panels[-1]) >= size or (isinstance(line, str) and len(panels[-1]) >= size - 3)
        if is_full and len(panels) < _PANELS:
            panels.append([] if isinstance(line, str) else [f"{chapter}, continued"])
        panels[-1].append(line)
    return panels


def _column_heads(axes: Any, left: float) -> None:
    for i, dtype in enumerate(table.DTYPES):
        axes.text(left + i + 0.5, 1.8, CODES[dtype], rotation=90, ha="center", va="bottom")


def _lengthen(bars: list[tuple[float, float, float]], x: float, y: float) -> None:
    """Add a cell to the bars of one colour, which keeps the file small."""
    if bars and bars[-1][1:] == (x, y):
        bars[-1] = (bars[-1][0], x + 1, y)
    else:
        bars.append((x, x + 1, y))


def _draw_bars(
    axes: Any, bars: Sequence[tuple[float, float, float]], colour: str, *, edge: bool
) -> None:
    """Draw all bars of one colour as one shape."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Shape

    points, codes = [], []
    for left, right, y in bars:
        top, bottom = y + 0.06, y + 0.94
        points += [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        codes += [Shape.MOVETO, *[Shape.LINETO] * 3, Shape.CLOSEPOLY]
    line = {"edgecolor": "#aaaaaa", "linewidth": 0.5} if edge else {"linewidth": 0}
    axes.add_patch(PathPatch(Shape(points, codes), facecolor=colour, **line))
