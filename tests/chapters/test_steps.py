"""How much the plainest calls do, counted and not timed: the package's functions that each enters.

A call of one element takes its short way, or what it was given was looked at twice: the result is
the same, and no test of results tells.  The numbers are those of today: more is slower, and a call
that enters fewer has got faster, and gets its new number.

They are counted in a process of their own: once another test has chosen relaxed mode, every
function asks first whether it is on.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from typing import Any

import numpy as np
import torch
from parametrize import listing
from processes import python

import ascend_array_api as xp
from ascend_array_api._torch.pairs import release

PACKAGE = xp.__path__[0]

MOST = {
    1: (
        *("x + y", "x + 1", "-x", "abs(x)", "x == 1", "len(x)", "x.shape", "x.dtype", "x.device"),
        *("xp.add(x, y)", "xp.add(x, 1)", "xp.exp(x)", "xp.maximum(x, y)", "xp.logical_not(m)"),
        *("xp.sum(x)", "xp.sum(M, axis=0)", "xp.sum(M, axis=0, keepdims=True)", "xp.mean(x)"),
        *("xp.max(x)", "xp.diff(i)", "xp.expand_dims(x, axis=0)", "xp.squeeze(x, axis=0)"),
        *("xp.moveaxis(M, 0, 1)", "xp.roll(i, 1)", "xp.repeat(x, 2)", "xp.tril(M)"),
        *("xp.asarray(x)", "xp.fft.fft(c)", "xp.fft.rfft(x)", "xp.matrix_transpose(M)"),
    ),
    2: (
        *("xp.reshape(M, (4,))", "xp.reshape(M, (-1,))", "x[0]", "M.T", "M.mT"),
        *("xp.where(m, i, i)", "x @ y", "M @ M", "xp.matmul(M, M)", "xp.permute_dims(M, (1, 0))"),
        *("xp.tile(x, (2,))", "xp.broadcast_to(x, (3,))", "xp.linalg.matrix_norm(M)"),
        *("xp.astype(x, xp.float64)",),
    ),
    3: (
        *("xp.finfo(xp.float32)", "xp.iinfo(xp.int8)", "1 - x", "x < y", "x[...]", "M[0, ...]"),
        *("M[0, 1]", "M[:, 0]", "M[1:, ...]", "xp.sin(x)", "xp.isnan(x)", "xp.sign(x)"),
        *("xp.concat([x, y])", "xp.stack([x, y])", "xp.zeros_like(x)", "xp.empty_like(x)"),
        *("xp.full_like(x, 2)", "xp.linalg.vector_norm(x)", "xp.min(i)", "xp.prod(i)"),
        *("xp.any(m)", "xp.all(m)", "xp.searchsorted(i, i)"),
    ),
    4: (
        *("xp.isdtype(x.dtype, 'real floating')", "float(x[0])", "int(i[0])", "bool(m[0])"),
        *("xp.clip(x, 0, 1)", "xp.broadcast_arrays(M, y)", "xp.std(x)", "xp.var(M, axis=1)"),
        *("xp.sort(i)",),
    ),
    5: (*("np.asarray(x)", "xp.result_type(x, xp.float64)", "xp.argmax(i)", "xp.argmin(x)"),),
    6: (*("xp.flip(M)", "xp.zeros(3, device='cpu')", "xp.count_nonzero(m)"),),
    7: (
        *("i[m]", "xp.zeros((2, 3), dtype=xp.int64)", "xp.full((2,), 7, dtype=xp.float32)"),
        *("xp.arange(3, dtype=xp.float32)", "xp.astype(x, xp.float32, copy=False)"),
    ),
    8: (*("xp.linalg.qr(M)", "xp.arange(3)", "xp.arange(0, 3, 1)"),),
    9: (*("xp.zeros(3)", "xp.ones(3)", "xp.empty(3)", "xp.full(3, 1.0)", "xp.linspace(0, 1, 3)"),),
    10: (*("xp.linalg.inv(M)", "xp.nonzero(m)", "xp.unique_values(i)", "xp.cumulative_sum(i)"),),
    12: (*("xp.tensordot(M, M)",),),
    13: (*("x.__dlpack__()",),),
    14: (*("xp.vecdot(x, y)", "xp.asarray(np.ones(2))"),),
    18: (*("x += y", "i[m] = 1", "xp.where(m, i, 0)"),),
    19: (*("xp.asarray(1.0)", "xp.take(M, i[:2] - 1, axis=0)", "M[:, 0] = M[0, ...]"),),
    20: (*("xp.fft.fftfreq(3)", "xp.fft.rfftfreq(3)", "M[::2, 1]"),),
    21: (*("x += 1",),),
    24: (*("x[0] = 1", "x[...] = 2"),),
    25: (*("M[0, ...] = 1",),),
}
"""Calls by how many functions they enter at most."""
COMPARISONS = ("x == 1", "x < y")
"""Calls that enter one more function up to torch 2.11, whose compiler needs it."""


def steps(expression: str, names: dict[str, Any]) -> list[str]:
    """Return the names of the package's functions that a call enters when it is made again."""
    code = compile(expression, "a test", "exec")
    for _ in range(2):
        exec(code, names)
    seen: list[str] = []

    def note(frame: Any, event: str, called: Any) -> None:
        own = frame.f_code
        # What Python has a function for in some versions, and in others not, begins with "<".
        if event == "call" and own.co_filename.startswith(PACKAGE) and own.co_name[0] != "<":
            seen.append(own.co_name)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        exec(code, names)
    finally:
        sys.setprofile(before)
    return seen


@functools.cache
def every() -> dict[str, list[str]]:
    """Return the steps of each call."""
    names = {
        "xp": xp,
        "np": np,
        "x": xp.asarray([1.5], dtype=xp.float32),
        "y": xp.asarray([2.5], dtype=xp.float32),
        "c": xp.asarray([1 + 1j]),
        "i": xp.asarray([1, 2, 3]),
        "m": xp.asarray([True, False, True]),
        "M": xp.asarray([[1.0, 2.0], [3.0, 4.0]]),
    }
    return {text: steps(text, names) for texts in MOST.values() for text in texts}


@functools.cache
def counted() -> dict[str, list[str]]:
    """Return the steps of each call, as a process counts them that has done nothing else."""
    lines = "import json, test_steps; print(json.dumps(test_steps.every()))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = python("-c", lines, env=environment | {"ASCEND_ARRAY_API_DEVICE": "cpu"})
    found: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


@listing("expression, most", [(text, most) for most, texts in MOST.items() for text in texts])
def test_plain_calls_take_few_steps(expression: str, most: int) -> None:
    taken = counted()[expression]
    more = expression in COMPARISONS and release(torch.__version__) < (2, 12)
    assert len(taken) <= most + more, taken
