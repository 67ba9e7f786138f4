"""The errors over the range: as a table, and as the picture that is drawn of it."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from .measure import Found

WRONG: Final = 2.0**16
"""From this error on, in ulp, half of the digits are lost: such a result counts as wrong."""

BINADES: Final = 4
"""How many binades of the first operand are taken together."""

_INK: Final = "#333333"
_BOUND: Final = "#999999"
_LINES: Final = {"torch_npu": ("#e69f00", 1.6), "namespace": ("#0072b2", 1.1)}  # of Okabe and Ito
WIDE: Final = 9.6  # inches
_PANEL: Final = 1.9
_EXPONENTS: Final = range(-152, 128, BINADES)


def table(found: Sequence[Found], bounds: Mapping[str, float]) -> str:
    """Return the largest error of each function of float32 by the size of the first operand."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["function", "bound", "kernel", *_EXPONENTS])
    for one in found:
        for kernel, answer in zip(_LINES, (one.own, one.ours)):
            if one.function.dtype == "float32" and answer is not None:
                errors = [answer.by_binade.get(e) for e in _EXPONENTS]
                cells = ["" if e is None else _short(min(e, WRONG)) for e in errors]
                name = one.function.name
                writer.writerow([name, bounds.get(name, ""), kernel, *cells])
    return text.getvalue()


def _short(error: float) -> str:
    return f"{float(f'{error:.3g}'):g}"


def plot(text: str, path: Path, width: float = WIDE) -> None:
    """Draw a table, a panel for each function; the file's name says the format."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    drawn: dict[str, list[dict[str, Any]]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        drawn.setdefault(row["function"], []).append(row)
    columns = int(width / _PANEL)
    rows = math.ceil(len(drawn) / columns)
    style: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "accuracy", "font.size": 7}
    style |= dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), _INK)
    style |= {"axes.edgecolor": _BOUND, "axes.linewidth": 0.5}
    with mpl.rc_context(style):
        figure = Figure(figsize=(width, 1.35 * rows + 0.6), layout="constrained")
        panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for axes, (name, answers) in zip(panels, drawn.items()):
            for row in answers:
                colour, width = _LINES[row["kernel"]]
                axes.step(*_steps(row), where="post", color=colour, linewidth=width)
            if bound := answers[0]["bound"]:
                axes.axhline(float(bound), color=_BOUND, ls=":", linewidth=0.9)
            axes.set_title(name, fontsize=7.5, pad=2)
        for axes in panels[len(drawn) :]:
            axes.set_axis_off()
        panels[0].set_yscale("log")
        panels[0].set_ylim(0.3, WRONG)
        panels[0].set_yticks([1, 10, 100, 1000, 10000], ["1", "10", "100", "1,000", "10,000"])
        panels[0].set_xlim(-149, 128)
        panels[0].set_xticks([-100, 0, 100], ["2**-100", "1", "2**100"])
        for axes in panels[: len(drawn)]:
            axes.minorticks_off()
        figure.supylabel("largest error in ulp")
        figure.savefig(
            path, facecolor="white", metadata={"Date": None} if path.suffix == ".svg" else None
        )


def _steps(row: Mapping[str, Any]) -> tuple[list[int], list[float]]:
    """Return the points of the steps, those between the ends of the picture."""
    found = {e: float(row[str(e)]) for e in _EXPONENTS if row[str(e)]}
    heights = [min(max(error, 0.32), WRONG / 1.2) for error in found.values()]
    return [*found, max(found) + BINADES], [*heights, heights[-1]]
