"""What is made of an array that a bad call spoiled is spoiled too, on NPUs."""

from __future__ import annotations

from npu import QUIET_TORCH_NPU  # isort: skip  # before the namespace

from tests.array.test_doubts import (  # noqa: F401
    test_draws_of_bad_parameters_are_spoiled,
    test_results_of_spoiled_arrays_are_spoiled,
)

pytestmark = QUIET_TORCH_NPU
