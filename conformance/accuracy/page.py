"""The page: a table, and a picture of the errors over the range."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from ..samples.strategies import NPU_ULPS
from .measure import BINADES, WRONG

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .measure import Answer, Found

_INK: Final = "#333333"
_OWN, _OURS, _BOUND = "#e69f00", "#0072b2", "#999999"  # of Okabe and Ito
_COLUMNS: Final = 5

_HEAD: Final = """\
# Accuracy: torch_npu's kernels and this package

This command writes the page:

```console
$ python -m conformance accuracy --markdown docs/npu-accuracy.md --plot docs/npu-accuracy.svg
```

It asks each function at some {points:,} points: float32 of all binades and
signs, subnormal numbers, infinities and NaN, the neighbours of powers of two, and densely where
functions bend. Two operands are random, near each other, and all pairs of edges. It asks sines,
cosines and tangents up to 1e7. NumPy and SciPy compute the exact results in float64.{note}

Errors are in ulp of the exact result. For `logaddexp` they are in ulp of the larger operand if that
is more. A result that has lost half of its digits counts as wrong, and so does an infinity or a NaN
in the wrong place; the table gives the share of wrong results among the points. *Sign of 0* means
that some zeros have the wrong sign.

{picture}

| function | points | torch_npu's kernel | | namespace | | bound |
|---|---|---|---|---|---|---|
| | | error | kernels | error | kernels | |
"""

_PICTURE: Final = """\
![Errors over the range]({name})

The picture shows the largest error by the size of the first operand, from 2**-149 to 2**128, for
torch_npu's kernel (orange) and for the namespace (blue). The dotted line is the bound. At the upper
edge results are wrong.
"""


def markdown(found: Sequence[Found], note: str, picture: str | None) -> str:
    """Return the page."""
    head = _HEAD.format(
        points=round(sum(f.points for f in found) / len(found), -3),
        note=f" {note}" if note else "",
        picture=_PICTURE.format(name=picture) if picture else "",
    )
    return head + "".join(map(line, found))


def line(found: Found) -> str:
    """Return the row of a function."""
    function = found.function
    name = function.name if function.dtype == "float32" else f"{function.name}, {function.dtype}"
    bound = str(NPU_ULPS.get(name, ""))
    own, ours = (
        f"{a.text()} | {_launches(a)}" if a else "no kernel | " for a in (found.own, found.ours)
    )
    return f"| `{name}` | {found.points:,} | {own} | {ours} | {bound} |\n"


def _launches(answer: Answer) -> str:
    if answer.kernels is None:
        return "not counted"
    cores = answer.kernels.get("AICore", 0)
    others = [f"{n} on {unit}" for unit, n in answer.kernels.items() if unit != "AICore"]
    return ", ".join([*([str(cores)] if cores else []), *others])


def plot(found: Sequence[Found], path: Path) -> None:
    """Draw a panel for each function of float32; the file's name says the format."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    drawn = [f for f in found if f.function.dtype == "float32"]
    rows = math.ceil(len(drawn) / _COLUMNS)
    style: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "accuracy", "font.size": 7}
    style |= dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), _INK)
    style |= {"axes.edgecolor": _BOUND, "axes.linewidth": 0.5}
    with mpl.rc_context(style):
        figure = Figure(figsize=(9.6, 1.35 * rows + 0.6), layout="constrained")
        panels = figure.subplots(rows, _COLUMNS, sharex=True, sharey=True).ravel()
        for axes, one in zip(panels, drawn):
            for answer, colour, width in ((one.own, _OWN, 1.6), (one.ours, _OURS, 1.1)):
                if answer is None:
                    continue
                axes.step(*_steps(answer), where="post", color=colour, linewidth=width)
            if one.function.name in NPU_ULPS:
                axes.axhline(NPU_ULPS[one.function.name], color=_BOUND, ls=":", linewidth=0.9)
            axes.set_title(one.function.name, fontsize=7.5, pad=2)
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


def _steps(answer: Answer) -> tuple[list[int], list[float]]:
    """Return the points of the steps, those between the ends of the picture."""
    exponents = sorted(answer.by_binade)
    heights = [min(max(answer.by_binade[e], 0.32), WRONG / 1.2) for e in exponents]
    return [*exponents, exponents[-1] + BINADES], [*heights, heights[-1]]
