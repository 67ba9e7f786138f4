"""The memory contract of every function: see workshop/samples/memory.py."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest
from parametrize import one_of_each, others_nightly

import ascend_array_api as xp
from ascend_array_api import distributed as xd
from ascend_array_api._devices.device import parse
from workshop.samples import FUNCTIONS
from workshop.samples.memory import (
    HALF,
    LAYOUTS,
    VIEWS,
    calls,
    check,
    check_call,
    check_function,
    check_in_place,
)

if TYPE_CHECKING:
    from collections.abc import Callable

CALLED: Final = sorted(name for name, function in FUNCTIONS.items() if function.calls)
ON_MESHES: Final = [name for name in CALLED if name != "to_torch"]  # no tensor has all parts
DTYPES: Final = sorted({dtype for f in FUNCTIONS.values() for dtype in f.dtypes} | {*HALF})
QUICK: Final[dict[str, tuple[int, str]]] = {
    **dict.fromkeys(("float32", "int64"), (3, "mixed")),
    **dict.fromkeys(("bool", "complex64"), (2, "first axis")),
}
"""On how many devices a data type is tried, and divided along which axes."""
AXES: Final[dict[str, Callable[[int, int], int | None]]] = {
    "first axis": lambda _, __: 0,
    "last axis": lambda _, ndim: ndim - 1,
    "mixed": lambda i, ndim: (0, None, ndim - 1)[i % 3],
    "whole": lambda _, __: None,
}


def kind(dtype: str) -> str:
    """Return what one data type of is drawn."""
    return (
        dtype if dtype == "float32" else "exact" if "int" in dtype or dtype == "bool" else "other"
    )


@pytest.mark.one_each
@pytest.mark.parametrize("name", others_nightly(CALLED, 180))
def test_holds(name: str) -> None:
    taken = [d for d in DTYPES if d in (*FUNCTIONS[name].dtypes, *HALF)]
    for dtype, layout in zip(one_of_each(taken, kind, name), itertools.cycle(LAYOUTS[1:])):
        check_function(name, dtype, (LAYOUTS[0], layout))


@pytest.mark.nightly
@pytest.mark.one_each
@pytest.mark.parametrize("name", CALLED)
def test_holds_in_all_layouts(name: str) -> None:
    for dtype in DTYPES:
        check_function(name, dtype)


def _check_on_a_mesh(name: str, dtypes: list[str], size: int, axes: str) -> None:
    mesh, count = xd.simulated(size, parse("cpu"), least=0), iter(range(10**6))

    def divided(x: np.ndarray[Any, Any]) -> xp.Array:
        axis = AXES[axes](next(count), x.ndim) if x.ndim else None
        if axis is None:
            return xd.replicate(x.copy(), device=mesh)
        return xd.shard(x.copy(), axis, device=mesh)

    with xp.options(device=mesh, gather="allow"):
        for dtype in dtypes:
            for call in calls(name, dtype):
                check_call(name, call, dtype, divided)


@pytest.mark.one_each
@pytest.mark.parametrize("name", others_nightly(ON_MESHES, 120))
def test_holds_on_a_mesh(name: str) -> None:
    taken = [d for d in QUICK if d in FUNCTIONS[name].dtypes]
    for dtype in one_of_each(taken, lambda _: "one", name):
        _check_on_a_mesh(name, [dtype], *QUICK[dtype])


@pytest.mark.nightly
@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.one_each
@pytest.mark.parametrize("name", ON_MESHES)
def test_holds_on_any_mesh(name: str, size: int, axes: str) -> None:
    _check_on_a_mesh(name, DTYPES, size, axes)


def test_the_guide_names_every_view() -> None:
    guide = (Path(__file__).parents[2] / "docs/guide.md").read_text(encoding="utf-8")
    said = guide.partition("## Views, copies")[2].partition("\nUnlike in NumPy")[0]
    for name in VIEWS - {"Array.__iter__"}:
        assert re.search(rf"`(x\.|linalg\.)?{name.rpartition('.')[2]}\b", said), name


_CACHED: Final = xp.ones(3)
WRONG: Final[dict[str, tuple[str, Callable[..., Any], str]]] = {
    "a view for a copy": ("positive", lambda x: x, "a copy is a view"),
    "a part of a view": ("roll", lambda x: x[1:], "a copy is a view"),
    "a copy for a view": ("squeeze", lambda x: x + 0, "a view is a copy"),
    "one array for two calls": ("ones_like", lambda x: _CACHED, "one of before"),
    "two results in one memory": ("unique_counts", lambda x: (y := x + 0, y[1:]), "results share"),
    "a broadcast copy": ("zeros_like", lambda x: xp.broadcast_to(x[:1] + 0, (3,)), "cannot be"),
    "an operand that is written to": ("abs", lambda x: x.__iadd__(1), "writes to an operand"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_finds(wrong: str) -> None:
    name, function, said = WRONG[wrong]
    with pytest.raises(AssertionError, match=said):
        check(name, function, (xp.asarray([3.0, 4.0, 5.0]),), {})


def test_finds_what_is_wrong_in_place() -> None:
    def kept(x: xp.Array, y: xp.Array) -> xp.Array:
        x._tensor = y._tensor
        return x

    for function, said in ((kept, "became a view"), (lambda x, y: x + y, "does not return")):
        with pytest.raises(AssertionError, match=said):
            check_in_place(function, (xp.asarray([3.0]), xp.asarray([4.0])), {})
