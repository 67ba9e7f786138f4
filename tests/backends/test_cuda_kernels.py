"""The kernels written for GPUs, as Triton's interpreter runs them on the host."""

from __future__ import annotations

import importlib.util
import os

import pytest
from processes import python

PROGRAM = """
import itertools

import numpy as np
import torch

from ascend_array_api._backends.cuda import _divisions, _positions


class Doubt:
    def __init__(self):
        self.record = torch.zeros(8, dtype=torch.int32)

    def place(self, device):
        return self.record, 3

    def written(self, device):
        assert not self.record[[0, 1, 2, 4, 5, 6, 7]].any()


numbers = np.random.default_rng(1)
DTYPES = ["bool", "int8", "uint16", "float32", "complex64", "int64", "complex128"]


def draw(shape, dtype):
    return torch.from_numpy(numbers.integers(0, 100, shape).astype(dtype))


for dtype, (shape, dim) in itertools.product(
    DTYPES, [((5,), 0), ((4, 3), 0), ((4, 3), 1), ((2, 3, 4), 1)]
):
    x, size = draw(shape, dtype), shape[dim]
    for kind, count, beyond in itertools.product(
        [torch.int64, torch.int8], [(7,), (2, 3), (), (0,)], [0, 3]
    ):
        i = torch.from_numpy(np.asarray(numbers.integers(-size - beyond, size + beyond, count)))
        inside = np.clip(np.where(i < 0, i + size, i), 0, size - 1)
        wrong = bool(((i < -size) | (i >= size)).any())
        for doubt in (Doubt(), None):
            found = _positions.look_up(x, i.to(kind), dim, doubt)
            assert np.array_equal(found, np.take(x.numpy(), inside, dim)), (dtype, shape, i)
            assert doubt is None or bool(doubt.record[3]) == wrong
    places = torch.tensor([*numbers.permutation(size), size, -size - 1])
    values = draw((*shape[:dim], len(places), *shape[dim + 1 :]), dtype)
    wanted, doubt, version = x.numpy().copy(), Doubt(), x._version
    np.moveaxis(wanted, dim, 0)[places[:-2].numpy()] = np.moveaxis(values.numpy(), dim, 0)[:-2]
    _positions.put(x, places, values, dim, doubt)
    assert np.array_equal(x, wanted) and doubt.record[3] == 1, (dtype, shape)
    assert x._version > version
    if dtype != "complex128":
        shown = (*shape[:dim], 6, *shape[dim + 1 :])
        i = torch.from_numpy(numbers.integers(-size, size + 1, shown))
        inside = np.minimum(np.where(i < 0, i + size, i), size - 1)
        doubt = Doubt()
        found = _positions.look_up_along(x, i, dim, doubt)
        assert np.array_equal(found, np.take_along_axis(x.numpy(), inside, dim)), (dtype, shape)
        assert bool(doubt.record[3]) == bool((i == size).any())

for dtype in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]:
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    ends = [least, least + 1, most - 1, most]
    values = np.asarray([0, 1, 2, 3, 7, -7 if least else 9, *ends], dtype)
    a, b = np.repeat(values, len(values)), np.tile(values, len(values))
    for function in (np.floor_divide, np.remainder):
        how = {"remainder": function is np.remainder}
        doubt = Doubt()
        found = _divisions.divide(torch.from_numpy(a), torch.from_numpy(b), doubt, **how).numpy()
        with np.errstate(all="ignore"):
            wanted = function(a, b)
        assert np.array_equal(found[b != 0], wanted[b != 0]) and doubt.record[3] == 1, dtype
        doubt, one = Doubt(), torch.from_numpy(values[4:5])
        found = _divisions.divide(torch.from_numpy(a), one, doubt, **how).numpy()
        assert np.array_equal(found, function(a, values[4])) and not doubt.record.any(), dtype
print("agreed")
"""


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="needs triton")
def test_positions_and_divisions() -> None:
    run = python("-c", PROGRAM, code=None, env={**os.environ, "TRITON_INTERPRET": "1"})
    assert run.stdout == "agreed\n", run.stderr
