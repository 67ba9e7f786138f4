"""The pictures of measurements, drawn from the tables in the pages and from the files beside them.

A comment ``<!-- picture NAME: what it shows -->`` in a page stands for a picture.  What follows
after a blank line in the comment comes below it.  Each picture is drawn for wide and for narrow
screens, and each of these with light and with dark colours; the style sheet shows one.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from benchmarks import chain, functions, programs, report, whole
from examples import gallery
from workshop.accuracy import picture as accuracy
from workshop.cells import picture as cells
from workshop.marks import marked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sphinx.application import Sphinx

DOCS: Final = Path(__file__).parents[1]
FOLDER: Final = "pictures"


def copy(text: str, path: Path, _width: float = 0.0) -> None:
    """Write a picture that is drawn already."""
    path.write_text(text, encoding="utf-8")


def plot_bits(text: str, path: Path, width: float = report.WIDE) -> None:
    """Draw the table of the first example: bits, and their intervals."""
    rows = re.findall(r"^(\w[\w ]*?)  +([\d.]+)  ([\d.]+) to ([\d.]+)$", text, re.MULTILINE)
    names = [name for name, *_ in rows]
    bits, ends = report.error_bars([tuple(map(float, row[1:])) for row in rows])
    with report.drawn(path, 0.25 * len(names) + 1, width) as axes:
        axes.errorbar(bits, range(len(names)), xerr=ends, fmt="o", color="#e4572e", capsize=2)
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlabel("bits that one measurement tells about the diagnosis (95 % interval)")
        axes.grid(axis="x", color=report.INK, alpha=0.25)


def plot_settings(text: str, path: Path, width: float = report.WIDE) -> None:
    """Draw the table of the pipeline: how well each of its settings reads."""
    rows = re.findall(r"^(\d+ components, C = [\d.]+)  +([\d.]+)$", text, re.MULTILINE)
    with report.drawn(path, 0.25 * len(rows) + 1, width) as axes:
        bars = axes.barh(range(len(rows)), [float(loss) for _, loss in rows], color="#1f77b4")
        axes.bar_label(bars, [loss for _, loss in rows], padding=3, color=report.INK)
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel("log loss, the mean of three folds (less is better)")
        axes.margins(x=0.12)


def plot_loss(text: str, path: Path, width: float = report.WIDE) -> None:
    """Draw the table of the fit: the loss after so many steps."""
    rows = re.findall(r"^(\d+)  +(\d\.\d{3})$", text, re.MULTILINE)
    steps, losses = ([float(row[i]) for row in rows] for i in (0, 1))
    with report.drawn(path, 2.5, width) as axes:
        axes.plot(steps, losses, marker="o", color="#e4572e")
        ticks = [0.0, 0.5, 1.0, 1.5, 2.0]
        axes.set_yticks(ticks, [f"{tick:.1f}" for tick in ticks])
        axes.set_ylim(0, None)
        axes.set_xlabel("steps taken")
        axes.set_ylabel("loss")
        axes.grid(color=report.INK, alpha=0.25)


def _show(path: Path, width: float, images: Sequence[Any], said: Sequence[str], **how: Any) -> None:
    """Draw images side by side, with words below each."""
    rows, columns = images[0].shape
    with report.drawn(path, width / len(images) * rows / columns + 0.4, width) as axes:
        axes.imshow(np.hstack(images), interpolation="none", **how)
        axes.set_xticks([columns * (i + 0.5) for i in range(len(images))], said, fontsize="small")
        axes.tick_params(length=0)
        axes.set_yticks([])
        axes.spines["bottom"].set_visible(False)


def plot_wave(_text: str, path: Path, width: float = report.WIDE) -> None:
    """Draw the pulse before the wall, and after it."""
    heights = gallery.wave(gallery.wave_step, np.asarray)
    shown = [np.where(gallery.slits(), np.nan, u / np.max(np.abs(u))) for u in heights]
    _show(path, width, shown, [f"step {n}" for n in (30, 60, 90)], cmap="RdBu", vmin=-1, vmax=1)


def plot_particles(_text: str, path: Path, width: float = report.WIDE) -> None:
    """Draw the walk, what is seen of it, and where the particles are."""
    mean, spread = gallery.particles(gallery.filter_step, np.asarray).T
    walk, seen = gallery.seen_walk()
    with report.drawn(path, 3, width) as axes:
        axes.plot(seen, ".", color="#8f8f8f", label="seen")
        axes.plot(walk, color=report.INK, label="the walk")
        axes.plot(mean, color="#e4572e", label="mean of the particles")
        low, high = mean - 2 * spread, mean + 2 * spread
        band = {"alpha": 0.2, "lw": 0, "label": "2 deviations"}
        axes.fill_between(range(len(mean)), low, high, color="#e4572e", **band)
        axes.set_yticks([-4, -2, 0, 2])
        axes.set_xlabel("step")


def plot_gibbs(_text: str, path: Path, width: float = report.WIDE) -> None:
    """Draw the coefficients that were drawn, and the true ones."""
    draws = gallery.gibbs(gallery.gibbs_step, np.asarray)
    with report.drawn(path, 3, width) as axes:
        for true, found, colour in zip(
            gallery.COEFFICIENTS, draws.T, ("#e4572e", "#3a86c8", "#4daf4a", "#8f8f8f")
        ):
            axes.plot(found, color=colour)
            axes.axhline(true, color=colour, linestyle="--", linewidth=1)
        axes.set_yticks([-2, -1, 0, 1])
        axes.set_xlabel("draws of four coefficients (dashed: the true ones)")


def plot_images(_text: str, path: Path, width: float = report.WIDE) -> None:
    """Draw the image before and after."""
    shown = list(gallery.images(gallery.image_step, np.asarray))
    _show(path, width, shown, ["before", "after 8 steps"], cmap="gray")


class Picture(NamedTuple):
    """How a picture is drawn: of which file, or of which marked part of it."""

    plot: Callable[..., None]
    file: str
    mark: str = ""


PICTURES: Final = {
    "overview": Picture(copy, "_static/overview.svg"),
    "examples-bits": Picture(plot_bits, "../examples/README.md"),
    "examples-settings": Picture(plot_settings, "../examples/README.md"),
    "examples-loss": Picture(plot_loss, "../examples/README.md"),
    "gallery-wave": Picture(plot_wave, "../examples/gallery.py"),
    "gallery-particles": Picture(plot_particles, "../examples/gallery.py"),
    "gallery-gibbs": Picture(plot_gibbs, "../examples/gallery.py"),
    "gallery-images": Picture(plot_images, "../examples/gallery.py"),
    "npu-support": Picture(cells.plot, "npu-support.md"),
    "npu-accuracy": Picture(accuracy.plot, "npu-accuracy.csv"),
    "benchmarks": Picture(report.plot, "benchmarks.md", "cpu"),
    "benchmarks-chain": Picture(chain.plot, "benchmarks.md", "chain cpu"),
    "benchmarks-chain-cuda": Picture(chain.plot, "benchmarks.md", "chain cuda"),
    "programs": Picture(programs.plot, "benchmarks.md", "programs"),
    "benchmarks-whole": Picture(whole.plot, "benchmarks.md", "whole cpu"),
    "benchmarks-functions": Picture(functions.plot, "benchmarks-functions.csv"),
    "benchmarks-functions-cuda": Picture(functions.plot, "benchmarks-functions-cuda.csv"),
}

NARROW: Final = 4.0
"""The width in inches of the pictures for narrow screens."""

DARK: Final = {
    "#333333": "#d6dde3",  # ink
    "#1b2733": "#d6dde3",
    "#ffffff": "#14181e",  # paper
    "#d9d9d9": "#5b6570",
    "#000000": "#ffffff",
    "#eef2f5": "#222b35",
    "#1f77b4": "#5aa9e6",
    "#0072b2": "#2b90d9",
}
"""What the colours of the light pictures become in the dark ones; others are for both."""

_MARK: Final = re.compile(r"<!-- picture ([\w-]+): ([^\n]+?)(?: |\n\n(.+?\n))-->", re.DOTALL)
_COLOUR: Final = re.compile("|".join(DARK))


def draw(name: str, path: Path, width: float | None = None) -> None:
    """Draw a picture, in light colours and, with ``-dark`` behind the name, in dark ones."""
    picture = PICTURES[name]
    text = (DOCS / picture.file).read_text(encoding="utf-8")
    path.parent.mkdir(exist_ok=True)
    widths = () if width is None else (width,)
    picture.plot(marked(text, picture.mark) if picture.mark else text, path, *widths)
    drawn = path.read_text(encoding="utf-8")
    dark = _COLOUR.sub(lambda match: DARK[match[0]], drawn)
    path.with_stem(f"{path.stem}-dark").write_text(dark, encoding="utf-8")


def shown(name: str, said: str) -> str:
    """Return the forms of a picture in Markdown, with the classes that the style sheet knows."""
    forms = "\n".join(
        f"```{{image}} {FOLDER}/{name}{narrow}{dark}.svg\n"
        f":class: only-{'dark' if dark else 'light'} only-{'narrow' if narrow else 'wide'}\n"
        f":alt: {said}\n:loading: lazy\n```\n"
        for narrow in ("", "-narrow")
        for dark in ("", "-dark")
    )
    return f"````{{container}} picture\n{forms}````\n"


def read(app: Sphinx, _page: str, source: list[str]) -> None:
    """Draw the pictures of a page, and show them where it has their comments."""

    def drawn(match: re.Match[str]) -> str:
        name, shows, below = match.groups()
        folder = Path(app.srcdir) / FOLDER
        draw(name, folder / f"{name}.svg")
        draw(name, folder / f"{name}-narrow.svg", NARROW)
        app.env.note_dependency(PICTURES[name].file)
        return f"{shown(name, shows)}\n{below or ''}"

    source[0] = _MARK.sub(drawn, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
