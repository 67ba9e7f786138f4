"""The page: a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..samples.strategies import NPU_ULPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .measure import Answer, Found

_HEAD: Final = """\
# Accuracy: torch_npu's kernels and this package

This page asks each function at some {points:,} points: float32 of all binades and
signs, subnormal numbers, infinities and NaN, the neighbours of powers of two, and densely where
functions bend. Two operands are random, near each other, and all pairs of edges. It asks sines,
cosines and tangents up to 1e7. NumPy and SciPy compute the exact results in float64.{note}

Errors are in ulp of the exact result. For `logaddexp` they are in ulp of the larger operand if that
is more. A result that has lost half of its digits counts as wrong, and so does an infinity or a NaN
in the wrong place; the table gives the share of wrong results among the points. *Sign of 0* means
that some zeros have the wrong sign.

<!-- picture npu-accuracy: Errors over the range

The picture shows the largest error by the size of the first operand, from 2**-149 to 2**128, for
torch_npu's kernel (orange) and for the namespace (blue). The dotted line is the bound. At the upper
edge results are wrong.
-->

| function | points | torch_npu's kernel | | namespace | | bound |
|---|---|---|---|---|---|---|
| | | error | kernels | error | kernels | |
"""

_FOOT: Final = """
This command writes the page:

```console
$ python -m workshop accuracy --markdown docs/npu-accuracy.md --csv docs/npu-accuracy.csv
```
"""


def markdown(found: Sequence[Found], note: str) -> str:
    """Return the page."""
    head = _HEAD.format(
        points=round(round(sum(f.points for f in found) / len(found)), -3),
        note=f" {note}" if note else "",
    )
    return head + "".join(map(line, found)) + _FOOT


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
