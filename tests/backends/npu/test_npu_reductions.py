"""Reductions, searching, sorting and sets on NPUs: the edges, and what is copied to the host.

Tests of tests/chapters run on NPUs too.
"""

from __future__ import annotations

import numpy as np
import pytest

from npu import QUIET_ORACLE, QUIET_TORCH_NPU, needs_emulator, on_device  # isort: skip

import ascend_array_api as xp
from ascend_array_api._torch import torch
from workshop.samples.strategies import ALL

pytestmark = [QUIET_TORCH_NPU, *QUIET_ORACLE]


@needs_emulator
@pytest.mark.parametrize("name", ALL)
def test_sets_copy_only_sizes_to_the_host(name: str) -> None:
    x = xp.asarray(np.arange(1000) % 7, dtype=getattr(xp, name))
    torch.npu.synchronize()
    for function in (xp.unique_all, xp.unique_counts, xp.unique_inverse, xp.unique_values):
        with on_device(copies=8, size=64):
            function(x)


@needs_emulator
@pytest.mark.parametrize("axis", [None, 0, 8, (1, 3, 5, 7)], ids=str)
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "std", "any", "all"])
def test_reductions_of_nine_dimensions(name: str, axis: int | tuple[int, ...] | None) -> None:
    """CANN's kernels take eight: the elements are copied in parts, and rows of matrices reduced."""
    values = np.linspace(0.5, 1.5, 2**9, dtype=np.float32).reshape((2,) * 9)
    values = values > 1 if name in {"any", "all"} else values
    order = (8, 0, 7, 1, 6, 2, 5, 3, 4)
    x = xp.permute_dims(xp.asarray(values), order)
    for keepdims in (False, True):
        with on_device():
            result = getattr(xp, name)(x, axis=axis, keepdims=keepdims)
        expected = getattr(np, name)(values.transpose(order), axis=axis, keepdims=keepdims)
        assert result.shape == expected.shape
        np.testing.assert_allclose(np.asarray(result.to_device("cpu")), expected, rtol=1e-5)
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), values.transpose(order))
