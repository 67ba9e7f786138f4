"""Reductions, searching, sorting and sets on NPUs: the edges, and what is copied to the host.

The tests of tests/chapters that are named below run here again, on the NPU.
"""

from __future__ import annotations

import numpy as np
import pytest

from npu import QUIET_ORACLE, QUIET_TORCH_NPU, needs_emulator, on_device  # isort: skip

import ascend_array_api as xp
from ascend_array_api._torch import torch
from conformance.samples.strategies import ALL
from tests.chapters.test_searching_sorting_set import (  # noqa: F401
    test_searchsorted_of_halves,
    test_searchsorted_puts_nan_last,
    test_sort_of_booleans,
    test_sort_puts_nan_last_and_keeps_zeros_in_order,
    test_what_is_nonzero,
)
from tests.chapters.test_statistical_utility import (  # noqa: F401
    test_correction,
    test_deviations_of_numbers_of_every_size_and_mean,
    test_nan_propagates,
    test_no_elements_to_choose_from,
    test_nothing_to_reduce,
    test_the_derivative_of_the_deviation_of_equal_numbers_is_0,
    test_truth,
)

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
