"""The memory contract on NPUs: see tests/samples/test_memory_contract.py."""

from __future__ import annotations

from npu import QUIET_TORCH_NPU  # isort: skip

import pytest

import ascend_array_api as xp
from tests.parametrize import long_ones_nightly, others_nightly
from tests.samples.test_memory_contract import CALLED, DTYPES
from workshop.samples.memory import LAYOUTS, check_function

pytestmark = QUIET_TORCH_NPU


@pytest.mark.one_each
@pytest.mark.parametrize("name", others_nightly(long_ones_nightly(CALLED), 50))
def test_holds(name: str) -> None:
    with xp.options(host_fallback="allow"):
        for dtype, layout in zip(("float32", "int64", "bool", "complex64"), LAYOUTS):
            check_function(name, dtype, (layout,))


@pytest.mark.one_each
@pytest.mark.nightly
@pytest.mark.parametrize("name", CALLED)
def test_holds_in_all_layouts(name: str) -> None:
    with xp.options(host_fallback="allow"):
        for dtype in DTYPES:
            check_function(name, dtype)
