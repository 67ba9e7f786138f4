"""Every function on arrays that are divided: beside one device, and beside NumPy."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from parametrize import nightly

from workshop.meshes.command import page
from workshop.meshes.measure import LAYOUTS, Meshes
from workshop.samples import FUNCTIONS

QUICK: Final = (
    ("float32", "mixed"),
    ("int64", "last axis"),
    ("complex64", "mixed otherwise"),
    ("bool", "first axis"),
)
CALLED: Final = sorted(name for name, function in FUNCTIONS.items() if function.calls)


@functools.cache
def meshes(size: int) -> Meshes:
    return Meshes(size)


def problems(size: int, name: str, dtype: str, layout: str) -> list[str]:
    return [
        f"{dtype}, {layout}, {c.says}: {c.problem}"
        for c in meshes(size).counted(name, dtype, layout)
        if c.problem
    ]


@pytest.mark.one_each
@pytest.mark.parametrize("name", CALLED)
def test_gives_what_one_device_and_numpy_give(name):
    wrong = []
    for dtype, layout in QUICK:
        if dtype in FUNCTIONS[name].dtypes:
            wrong += problems(3, name, dtype, layout)
    assert not wrong


@pytest.mark.nightly
@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.one_each
@pytest.mark.parametrize("name", CALLED)
def test_does_so_for_all_data_types_and_layouts(name, size):
    wrong = []
    for dtype in FUNCTIONS[name].dtypes:
        if dtype != "bfloat16":
            for layout in LAYOUTS:
                wrong += problems(size, name, dtype, layout)
    assert not wrong


class Longer(Meshes):
    """Operands that repeat those of the samples along the axis that is divided."""

    times = 1
    along = 0
    bytes = 0

    def _inputs(self, call, dtype, seed, array):
        self.bytes = 0

        def longer(i, x):
            x = np.concatenate([x] * self.times, self.along) if x.ndim else x
            self.bytes += x.nbytes
            return array(i, x)

        return super()._inputs(call, dtype, seed, longer)

    def _beside_numpy(self, *_):
        return ""

    def received(self, name, dtype, layout, times):
        """Return of each call what all processes receive, of how many bytes; None if it says so."""
        self.times, self.along = times, (0 if layout == "first axis" else -1)
        return [
            (None if c.gathers or c.problem else c.bytes - c.swapped, self.bytes)
            for c in self.counted(name, dtype, layout)
        ]


# The first is asked to gather; the second gives each process the whole operand once or more often.
GATHER: Final = {"Array.to_device", "tile"}


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")  # some repeated operands make functions overflow
@pytest.mark.parametrize("layout", ["first axis", nightly("last axis")])
def test_no_gather_is_unseen(layout):
    """Unless a gather is reported, what all processes receive must not grow with the axis."""
    longer, unseen, counted = Longer(3), set(), 0
    for name in CALLED:
        dtype = next(d for d in ("float32", *FUNCTIONS[name].dtypes) if d in FUNCTIONS[name].dtypes)
        few, many = (longer.received(name, dtype, layout, times) for times in (6, 48))
        for (before, small), (after, large) in zip(few, many, strict=True):
            if before is None or after is None or small == large:
                continue
            counted += 1
            if after - before > (large - small) / 5:
                unseen.add(name)
    assert unseen <= GATHER
    assert "Array.to_device" in unseen
    assert counted > 300


def kinds(page: str) -> dict[str, tuple[str, str]]:
    """Return of each function of a page what it exchanges, and which operations gather."""
    found = re.findall(r"^\| `(.+?)` \| (.+?) \| \d+ \| \d+ \| (.*?) ?\|$", page, re.MULTILINE)
    return {name: (kind, operations) for name, kind, operations in found}


def test_the_page_says_what_is_exchanged():
    """And all calls give along the first axis what one device and NumPy give.

    To renew the page: python -m workshop meshes --markdown docs/sharded-functions.md.
    """
    written = (Path(__file__).parents[2] / "docs/sharded-functions.md").read_text(encoding="utf-8")
    assert len(kinds(written)) > 300
    counted = page()
    assert kinds(written) == kinds(counted)
    assert written.splitlines()[-1] == counted.splitlines()[-1]
