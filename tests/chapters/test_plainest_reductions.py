"""Short ways to reduce, search, sort and clip: each gives what the long way gives, errors included.

What differs is what the compiler traces, which is the long way alone.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from short_ways import Call, compare, mapped, of, short_ways, taken

import ascend_array_api as xp
from ascend_array_api._chapters import searching, sorting, statistical, utility
from ascend_array_api._chapters.elementwise import _comparison
from ascend_array_api._methods import indexing
from ascend_array_api.linalg import _decompositions, _norms, _products, _systems

if TYPE_CHECKING:
    pass

SHORT = short_ways(
    *(_comparison, _decompositions, _norms, _products, _systems, indexing),
    *(searching, sorting, statistical, utility),
)


def numbers(dtype: torch.dtype, *shape: int) -> xp.Array:
    """Small integers of both signs, in any data type; of floating-point ones NaN is one."""
    values = np.random.default_rng(len(shape)).integers(-3, 4, shape).astype(float)
    if dtype in {xp.float32, xp.complex64} and len(shape) == 3:
        values[:, 1] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        return xp.astype(xp.asarray(values), dtype)


DTYPES = (
    *(xp.bool, xp.int8, xp.int32, xp.int64, xp.uint8, xp.uint16, xp.uint64),
    *(xp.float16, xp.bfloat16, xp.float32, xp.float64, xp.complex64),
)
SHAPES = ((), (0,), (1,), (5,), (2, 3), (2, 0), (0, 2), (1, 1), (3, 2, 2))
ARRAYS = [
    *(numbers(d, *shape) for d in DTYPES for shape in SHAPES),
    numbers(xp.float32, 2, 3).mT,
    numbers(xp.complex64, 4, 6)[::2, ::2],
    xp.broadcast_to(numbers(xp.float32, 3), (2, 3)),
    xp.asarray(torch.nn.Parameter(torch.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, 5.0]]))),
    *(None, 1.0, np.zeros(2), [1.0]),
]
SOME = [numbers(d, *shape) for d in (xp.int32, xp.float32, xp.float64) for shape in SHAPES]
AXES = (None, 0, 1, -1, -2, 3, -4, True, 1.0, "0", np.int64(0), (), (0,), (0, 1), (0, 0), 2**70)
FLAGS = (True, False, None, 0, np.True_)
CORRECTIONS = (
    *(0, 1, 0.5, 5, -1, 2.0, True, None, "1", 1j, float("nan"), float("inf"), np.float64(1)),
)
ORDERS = (2, 1, 0, -1, 2.0, 3, 0.5, float("inf"), -float("inf"), True, None, "fro", np.float64(2))
BOUNDS = (
    *(None, 0, 1, -2, 1.5, True, "1", 300, 2**40, 2**70, float("nan"), float("inf"), np.float64(1)),
    *(numbers(d, *shape) for d in (xp.int32, xp.float32) for shape in ((), (1,), (3,))),
)


MATRICES = [
    xp.asarray(np.eye(n) * 3 - sign, dtype=d)
    for d in (xp.float32, xp.float64, xp.complex64)
    for n, sign in ((3, 1), (3, -1), (2, 0.5), (0, 1))
]
POSITIONS = [
    *(xp.asarray(values, dtype=xp.int64) for values in ([0, -1], [1], [], [4, -7], 0, [[0]])),
    *(xp.asarray([0], dtype=xp.int32), xp.asarray([0.0]), 0, None),
]


def reduced(function: str) -> list[Call]:
    return [
        *of(function, ARRAYS),
        *of(function, SOME, axis=AXES, keepdims=FLAGS),
        *of(function, ARRAYS, axis=(0, -1), keepdims=(True, False)),
        Call(function, (), {}),
        Call(function, (SOME[3], 0), {}),
        Call(function, (SOME[3],), {"dim": 0}),
    ]


CALLS = {
    **{name: reduced(name) for name in ("max", "min", "mean", "all", "any")},
    **{
        name: [
            *reduced(name),
            *of(name, ARRAYS, dtype=(xp.float64, xp.int8, xp.int64)),
            *of(name, SOME, dtype=(None, "int8"), axis=(None, 0)),
        ]
        for name in ("sum", "prod")
    },
    **{
        name: [
            *reduced(name),
            *of(name, SOME, correction=CORRECTIONS, axis=(None, 0, -1), keepdims=(True, False)),
        ]
        for name in ("std", "var")
    },
    **{
        name: [
            *of(name, ARRAYS, axis=(None, 0, -1), include_initial=(True, False)),
            *of(name, SOME, axis=AXES, include_initial=FLAGS, dtype=(None, xp.float64, "int8")),
        ]
        for name in ("cumulative_sum", "cumulative_prod")
    },
    **{name: reduced(name) for name in ("argmax", "argmin", "count_nonzero")},
    **{
        name: [
            *of(name, ARRAYS),
            *of(name, ARRAYS, axis=AXES[1:], descending=(True, False)),
            *of(name, SOME, descending=FLAGS, stable=FLAGS),
        ]
        for name in ("sort", "argsort")
    },
    "searchsorted": [
        *of("searchsorted", SOME, SOME, side=("left", "right")),
        *of("searchsorted", SOME, (1, 2.5, True, None), side=("left", "right")),
        *of("searchsorted", SOME[2:4], SOME[2:4], side=("middle", None, 0, np.str_("left"))),
        *of("searchsorted", SOME[3:4], SOME[2:4], sorter=(xp.arange(5), xp.arange(4), 1)),
        *of("searchsorted", ARRAYS, (numbers(xp.float32, 2), numbers(xp.bool, 2))),
    ],
    "where": [
        *of("where", [numbers(xp.bool, *shape) for shape in SHAPES], SOME, SOME[:6]),
        *of("where", [numbers(xp.bool, 2, 3).mT, numbers(xp.bool, 2, 1)], ARRAYS, ARRAYS[-5:]),
        *of("where", ARRAYS, (SOME[3], 1.5, None), (SOME[3], 2, True)),
        *of("where", (numbers(xp.bool, 5), 1, None), (SOME[3], 1)),
        *of("where", (numbers(xp.bool, 5),), (SOME[3],), (SOME[3],), out=(None, SOME[3])),
    ],
    "diff": [
        *of("diff", ARRAYS),
        *of("diff", SOME, axis=AXES, n=(0, 1, 2, 7, -1, True, 1.0, None, np.int64(1))),
        *of("diff", ARRAYS, axis=(0, -1), n=(0, 1, 2)),
        *of("diff", SOME[3:5], prepend=(None, SOME[3], 1), append=(None, SOME[3])),
    ],
    "linalg.vector_norm": [
        *of("linalg.vector_norm", ARRAYS, ord=ORDERS),
        *of("linalg.vector_norm", SOME, axis=AXES, keepdims=FLAGS),
        *of("linalg.vector_norm", SOME, axis=(0, -1), keepdims=(True, False), ord=ORDERS),
    ],
    "linalg.matrix_norm": [
        *of("linalg.matrix_norm", ARRAYS, ord=ORDERS[-4:], keepdims=FLAGS),
        *of("linalg.matrix_norm", SOME, ord=("nuc", "max", np.str_("fro"), 1, 2)),
    ],
    "linalg.outer": [
        *of("linalg.outer", ARRAYS, (numbers(xp.float32, 4), numbers(xp.int64, 2), None)),
        *of("linalg.outer", SOME, SOME),
    ],
    "linalg.cholesky": [
        *of("linalg.cholesky", ARRAYS, upper=FLAGS),
        *of("linalg.cholesky", MATRICES, upper=(True, False)),
    ],
    "linalg.solve": [
        *of("linalg.solve", ARRAYS, ARRAYS[::7]),
        *of("linalg.solve", MATRICES, [*MATRICES, *(numbers(xp.float32, 3, n) for n in (0, 2))]),
        *of("linalg.solve", MATRICES, [numbers(d, 3) for d in (xp.float32, xp.complex64)]),
    ],
    "take": [
        *of("take", ARRAYS, POSITIONS, axis=(None, 0, -1)),
        *of("take", SOME, POSITIONS[:4], axis=AXES),
    ],
    "clip": [
        *of("clip", ARRAYS, BOUNDS, BOUNDS),
        *of("clip", SOME, (None, SOME[1], SOME[12], SOME[-1]), (None, SOME[1], SOME[12], SOME[-1])),
        Call("clip", (SOME[3], 0, 1, 2), {}),
        Call("clip", (SOME[3],), {"a_min": 0}),
    ],
}


@pytest.mark.parametrize("chapter", CALLS)
def test_the_short_way_gives_what_the_long_way_gives(
    chapter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare(CALLS[chapter], SHORT, monkeypatch)


def test_each_short_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    found = taken(itertools.chain(*CALLS.values()), SHORT, monkeypatch)
    # Kernels of a late device judge matrices and positions.
    judged = {"cholesky", "solve", "take"} if xp.ones(1).device.backend.asynchronous else set()
    assert found == {name for _, name in SHORT} - judged
    assert found == {n.split(".")[-1] for n in CALLS} - judged


@pytest.mark.parametrize("name", ["argmax", "argmin", "argsort"])
def test_what_is_known_of_positions(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Positions that were found need not be looked at on an accelerator."""
    function, x = getattr(xp, name), numbers(xp.float64, 2, 5)
    monkeypatch.setattr(x.device.backend, "asynchronous", True)
    for _ in range(2):
        assert function(x, axis=1)._tensor._known[:2] == (0, 4)
        assert function(x, axis=-2)._tensor._known[:2] == (0, 1)
    if function is not xp.argsort:
        assert function(x)._tensor._known[:2] == (0, 9)


test_batches_are_computed_as_one_by_one = mapped("""
    xp.sum(x,axis=0)+xp.prod(x,axis=-1) xp.var(x)+xp.std(x,axis=1,correction=1)
    xp.sort(x,axis=0,descending=True) xp.diff(x)*2 xp.clip(x,1,3)+xp.clip(x,x*0.5,x) 1.0/(3-x)
    1/x+2.0/x xp.linalg.vector_norm(x)+xp.linalg.vector_norm(x,axis=0,keepdims=True)
    xp.linalg.matrix_norm(x)*xp.linalg.outer(x[0,:],x[1,:])
    xp.linalg.matrix_power(x,5)+xp.tensordot(x,x,axes=1)
    xp.astype(xp.argmax(x,axis=1)+xp.count_nonzero(x),xp.float32)
""")
