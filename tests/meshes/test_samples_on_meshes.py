"""Every function on arrays that are divided: beside one device, and beside NumPy."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Final

import pytest

from conformance.meshes.command import page
from conformance.meshes.measure import LAYOUTS, Meshes
from conformance.samples import FUNCTIONS

QUICK: Final = (
    ("float32", "first axis"),
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


@pytest.mark.parametrize("name", CALLED)
def test_gives_what_one_device_and_numpy_give(name):
    wrong = []
    for dtype, layout in QUICK:
        if dtype in FUNCTIONS[name].dtypes:
            wrong += problems(3, name, dtype, layout)
    assert not wrong


@pytest.mark.nightly
@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("name", CALLED)
def test_does_so_for_all_data_types_and_layouts(name, size):
    wrong = []
    for dtype in FUNCTIONS[name].dtypes:
        if dtype != "bfloat16":
            for layout in LAYOUTS:
                wrong += problems(size, name, dtype, layout)
    assert not wrong


def kinds(page: str) -> dict[str, tuple[str, str]]:
    """Return of each function of a page what it exchanges, and which operations gather."""
    found = re.findall(r"^\| `(.+?)` \| (.+?) \| \d+ \| \d+ \| (.*?) ?\|$", page, re.MULTILINE)
    return {name: (kind, operations) for name, kind, operations in found}


def test_the_page_says_what_is_exchanged():
    """To renew it: python -m conformance meshes --markdown docs/sharded-functions.md."""
    written = (Path(__file__).parents[2] / "docs/sharded-functions.md").read_text(encoding="utf-8")
    assert len(kinds(written)) > 300
    counted = page()
    assert kinds(written) == kinds(counted)
    assert written.splitlines()[-1] == counted.splitlines()[-1]
