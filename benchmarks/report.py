"""The results as data, as tables and as a picture."""

from __future__ import annotations

import re
import textwrap
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from benchmarks.cases import COMPAT, OURS, STRICT, TORCH
from benchmarks.measure import Quartiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.cases import Case

MIB: Final = 2**20


@dataclass(frozen=True)
class Row:
    """What an expression took: torch in seconds, the others as ratios to torch."""

    case: Case
    seconds: Quartiles
    ratios: Mapping[str, Quartiles]
    to_compat: float | None
    """The median of the ratios of our time to that of array_api_compat, where it has a function."""
    peaks: Mapping[str, int] | None
    """The peak memory in bytes of torch and us, for the arrays that are large enough to matter."""

    @classmethod
    def of(
        cls, case: Case, seconds: Mapping[str, Sequence[float]], peaks: Mapping[str, int] | None
    ) -> Row:
        """Return the row for the seconds of each contender in each round."""
        raw = seconds[TORCH]
        ratios = {n: Quartiles.of_ratios(s, raw) for n, s in seconds.items() if n != TORCH}
        to_compat = None
        if COMPAT in seconds:
            to_compat = Quartiles.of_ratios(seconds[OURS], seconds[COMPAT]).median
        return cls(case, Quartiles.of(raw), ratios, to_compat, peaks)

    @property
    def missed(self) -> str:
        """Which targets are not met; empty where all are."""
        missed = []
        if self.ratios[OURS].median > self.case.target:
            missed.append("target")
        if self.peaks is not None:
            if self.peaks[OURS] > self.peaks[TORCH]:
                missed.append("memory")
        elif self.to_compat is not None and self.to_compat >= 1:
            missed.append("compat")
        return ", ".join(missed)


@dataclass(frozen=True)
class Results:
    """Everything that was measured, and where."""

    environment: Mapping[str, Any]
    one_element: Sequence[Row]
    many_elements: Sequence[Row]
    imports: Mapping[str, Quartiles]
    import_target: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


# --- tables ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """A title, and cells of which the first row is the head."""

    title: str
    cells: Sequence[Sequence[str]]

    def as_text(self) -> str:
        widths = [max(map(len, column)) for column in zip(*self.cells)]
        lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in self.cells]
        lines.insert(1, "  ".join("-" * w for w in widths))
        return "\n".join([self.title, "", *lines, ""])

    def as_markdown(self) -> str:
        first = [f"`{row[0]}`" for row in self.cells[1:]]
        rows = [[name, *row[1:]] for name, row in zip(first, self.cells[1:])]
        lines = ["| " + " | ".join(row) + " |" for row in [self.cells[0], *rows]]
        lines.insert(1, "| --- |" + " ---: |" * (len(self.cells[0]) - 1))
        return "\n".join([f"**{self.title}**", "", *lines, ""])

    @classmethod
    def read(cls, text: str) -> Table:
        """Return the first table of a text in Markdown."""
        _, title, rest = text.split("**", 2)
        head, _, *rows = rest.strip().partition("\n\n")[0].splitlines()
        cells = [[cell.strip(" `") for cell in row.split("|")[1:-1]] for row in (head, *rows)]
        return cls(title, cells)

    def column(self, name: str) -> list[list[float]]:
        """Return the numbers in each cell of a column."""
        index = self.cells[0].index(name)
        return [[float(n) for n in re.findall(r"\d+\.?\d*", row[index])] for row in self.cells[1:]]


def _spread(quartiles: Quartiles, digits: int = 2, unit: float = 1.0) -> str:
    low, median, high = (
        f"{value / unit:.{digits}f}" for value in (quartiles.low, quartiles.median, quartiles.high)
    )
    return f"{median} ({low} to {high})"


def _verdict(missed: str) -> str:
    return f"not met: {missed}" if missed else "met"


def _ratio(row: Row, name: str, digits: int = 2) -> str:
    return _spread(row.ratios[name], digits) if name in row.ratios else "-"


def tables(results: Results) -> list[Table]:
    """Return the tables of the results."""
    about = results.environment
    context = [COMPAT] + [STRICT] * any(STRICT in row.ratios for row in results.one_element)
    one = [["", "torch, µs", OURS, "target", "verdict", *context]]
    for row in results.one_element:
        mine = [_ratio(row, OURS), f"{row.case.target:.2f}", _verdict(row.missed)]
        others = [_ratio(row, name) for name in context]
        one.append([row.case.expression, f"{row.seconds.median * 1e6:.2f}", *mine, *others])
    many = [["", "torch, ms", OURS, "target", "peak, MiB", "torch's peak", "verdict", COMPAT]]
    for row in results.many_elements:
        assert row.peaks is not None
        peaks = [f"{row.peaks[name] / MIB:.1f}" for name in (OURS, TORCH)]
        mine = [_ratio(row, OURS, 3), f"{row.case.target:.2f}", *peaks, _verdict(row.missed)]
        raw = f"{row.seconds.median * 1e3:.3f}"
        many.append([row.case.expression, raw, *mine, _ratio(row, COMPAT, 3)])
    imports = [["", "ms", "target", "verdict"]]
    for name, seconds in results.imports.items():
        late = seconds.median > results.import_target
        judged = [f"{results.import_target * 1e3:.0f}", _verdict("target" * late)]
        imports.append([name, _spread(seconds, 1, 1e-3), *(judged if name == OURS else ["", ""])])
    return [
        Table(f"One element on {about['device']}: time as a multiple of torch's", one),
        Table(
            f"{about['elements']:,} elements and matrices of {about['rows']:,} rows on "
            f"{about['device']}: time as a multiple of torch's, and peak memory above the operands",
            many,
        ),
        Table("Import, after that of torch", imports),
    ]


# --- picture --------------------------------------------------------------------------------------

INK: Final = "#333333"
WIDE: Final = 8.0  # inches
_STYLES: Final = {
    OURS: {"color": "#e4572e", "marker": "o"},
    COMPAT: {"color": "#3a86c8", "marker": "s"},
    STRICT: {"color": "#8f8f8f", "marker": "D"},
}


@contextmanager
def drawn(path: Path, height: float, width: float = WIDE) -> Iterator[Any]:
    """Give axes to draw on, and write them to a file, with a transparent background.

    In a picture that is not wide, words wrap, and so does the legend.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    ink = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    style: dict[Any, Any] = {
        **dict.fromkeys(ink, INK),
        "svg.fonttype": "none",
        "svg.hashsalt": "benchmarks",
    }
    with mpl.rc_context(style):
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.add_subplot()
        yield axes
        axes.spines[["top", "right", "left"]].set_visible(False)
        columns = 4
        if width < WIDE:
            columns = 2
            ticks = [textwrap.fill(label.get_text(), 22) for label in axes.get_yticklabels()]
            axes.set_yticks(axes.get_yticks(), ticks, fontsize="small")
            axes.set_xlabel(textwrap.fill(axes.get_xlabel(), 36), fontsize="small")
        if axes.get_legend_handles_labels()[1]:
            figure.legend(loc="outside lower center", ncols=columns, frameon=False)
        figure.savefig(path, transparent=True, metadata={"Date": None})


def error_bars(spreads: Sequence[Sequence[float]]) -> tuple[list[float], list[list[float]]]:
    """Return the medians, and the distances of the quartiles from them."""
    medians = [median for median, _, _ in spreads]
    below = [median - low for median, low, _ in spreads]
    return medians, [below, [high - median for median, _, high in spreads]]


def plot(text: str, path: Path, width: float = WIDE) -> None:
    """Draw the ratios for one element: the first table of what is reported."""
    from matplotlib.ticker import FixedLocator, NullLocator

    table = Table.read(text)
    expressions = [row[0] for row in table.cells[1:]]
    with drawn(path, 0.45 * len(expressions) + 1.3, width) as axes:
        for name in [name for name in _STYLES if name in table.cells[0]]:
            found = [(y, q) for y, q in enumerate(table.column(name)) if q]
            heights, spreads = zip(*found)
            medians, bars = error_bars(spreads)
            axes.errorbar(medians, heights, xerr=bars, linestyle="", label=name, **_STYLES[name])
        targets = table.column("target")
        axes.plot(targets, range(len(targets)), "|", color=INK, markersize=16, label="target")
        axes.axvline(1, color=INK, linewidth=1)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator([1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel("time as a multiple of torch's, one element (median, quartiles)")
        axes.set_yticks(range(len(expressions)), expressions)
        axes.invert_yaxis()
        axes.grid(axis="x", color=INK, alpha=0.25)
