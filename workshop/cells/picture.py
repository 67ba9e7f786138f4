"""The picture: a heat map of functions and data types, by chapter, drawn from the page's tables."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    Row = tuple[str, Sequence[str], str, Sequence[str]]

# The colours of Okabe and Ito, which colour-blind readers can tell apart; dark, middling and light,
# so that they differ without colours too.
_PLACES: Final = {
    "●": ("#0072b2", "AICore"),
    "◐": ("#7cc4ee", "AICPU"),
    "○": ("#d9d9d9", "no kernel: metadata, views"),
    "H": ("#e69f00", "host"),
    "✗": ("#000000", "wrong, or an error"),
    "-": ("#ffffff", "not in the namespace"),
}
_INK: Final = "#333333"
_ROUTED: Final = {"●+": "white", "◐+": "#222222", "○+": "#222222"}
"""The colours of the dots for other routes than torch's function."""
WIDE: Final = 11.7  # inches: three columns, whose names can be read in the page
_UNIT: Final = 0.155  # inches a row and column
_LABEL_WIDTH: Final = 11.0  # columns


def rows(page: str) -> Iterator[Row]:
    """Yield each function of the page's tables: chapter, codes of data types, name, symbols."""
    chapter, codes = "", None
    for line in page.splitlines():
        first, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("#"):
            chapter, codes = line.strip("# "), None
        elif first == "function" and cells[-1:] == ["waits"]:
            codes = cells[:-1]
        elif codes is not None and first.startswith("`"):
            yield chapter, codes, first.strip("`"), cells[:-1]


def plot(page: str, path: Path, width: float = WIDE) -> None:
    """Draw where each cell is computed; the file's name says the format."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    found = list(rows(page))
    codes = found[0][1]
    step = _LABEL_WIDTH + len(codes) + 1
    panels = _panels(found, max(1, int(width / (step * _UNIT))))
    # A single panel has a legend of several lines.
    above = 2 if len(panels) > 1 else 8
    height = max(len(panel) for panel in panels) + 2.5
    columns = len(panels) * step
    style: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "cells", "font.size": 7.5}
    style |= dict.fromkeys(("text.color", "axes.labelcolor"), _INK)
    with mpl.rc_context(style):
        figure = Figure(figsize=(columns * _UNIT, (height + above) * _UNIT))
        axes = figure.add_axes((0.005, 0.0, 0.99, height / (height + above)))
        axes.set_xlim(0, columns)
        axes.set_ylim(height, 0)
        axes.set_axis_off()
        bars: dict[str, list[tuple[float, float, float]]] = {}
        dots: dict[str, list[tuple[float, float]]] = {}
        for i, panel in enumerate(panels):
            left = i * step + _LABEL_WIDTH
            for x, code in enumerate(codes):
                axes.text(left + x + 0.5, 1.8, code, rotation=90, ha="center", va="bottom")
            for y, line in enumerate(panel, start=2):
                if isinstance(line, str):
                    axes.text(left - 0.4, y + 0.55, line, weight="bold", ha="right", va="center")
                    continue
                name, symbols = line
                axes.text(left - 0.4, y + 0.5, name, ha="right", va="center")
                for x, symbol in enumerate(symbols):
                    if symbol:
                        _lengthen(bars.setdefault(symbol[0], []), left + x, float(y))
                    if symbol in _ROUTED:
                        dots.setdefault(_ROUTED[symbol], []).append((left + x + 0.5, y + 0.5))
        for symbol, own in bars.items():
            _draw_bars(axes, own, _PLACES[symbol][0], edge=symbol == "-")
        # White lines part the bars into cells.
        for i in range(len(panels)):
            left = i * step + _LABEL_WIDTH
            edges = [left + x for x in range(len(codes) + 1)]
            axes.vlines(edges, 2, height, "white", linewidth=1.2)
        for colour, places in dots.items():
            axes.plot(*zip(*places), ".", color=colour, markersize=2.2)
        labels = {symbol: label for symbol, (_, label) in _PLACES.items() if symbol in bars}
        if "| ● device |" in page:  # no NPU
            labels["●"] = "device"
        handles: list[Any] = [
            Patch(facecolor=_PLACES[symbol][0], edgecolor=_INK, linewidth=0.5, label=label)
            for symbol, label in labels.items()
        ]
        label = "by another route than torch's function"
        handles.append(
            Line2D([], [], marker="o", linestyle="", color=_INK, markersize=3, label=label)
        )
        ncols = len(handles) if len(panels) > 1 else 1
        figure.legend(handles=handles, loc="upper center", ncols=ncols, frameon=False)
        figure.savefig(
            path, facecolor="white", metadata={"Date": None} if path.suffix == ".svg" else None
        )


def _panels(found: Iterable[Row], number: int) -> list[list[str | tuple[str, Sequence[str]]]]:
    """Share out the rows among the panels: a chapter's title, or a name and its symbols."""
    lines: list[str | tuple[str, Sequence[str]]] = []
    for chapter, own in groupby(found, lambda row: row[0]):
        lines.append(chapter)
        lines += [(name, symbols) for _, _, name, symbols in own]
    size = -(-len(lines) // number) + 1
    panels: list[list[str | tuple[str, Sequence[str]]]] = [[]]
    chapter = ""
    for line in lines:
        if isinstance(line, str):
            chapter = line
        is_full = len(panels[-1]) >= size or (isinstance(line, str) and len(panels[-1]) >= size - 3)
        if is_full and len(panels) < number:
            panels.append([] if isinstance(line, str) else [f"{chapter}, continued"])
        panels[-1].append(line)
    return panels


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
