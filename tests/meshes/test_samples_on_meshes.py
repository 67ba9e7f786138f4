"""Every function on arrays that are divided: beside one device, and beside NumPy."""

from __future__ import annotations

import functools
from typing import Final

import pytest

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
