"""torch's global state on NPUs: see tests/array/test_global_state.py."""

from __future__ import annotations

import functools

import pytest

from npu import QUIET_TORCH_NPU  # isort: skip

from states import ALONE, QUICK, TOGETHER, problems

import ascend_array_api as xp

pytestmark = QUIET_TORCH_NPU


@pytest.mark.nightly
@pytest.mark.parametrize("states", TOGETHER, ids=["some", "others"])
def test_results_are_the_same(states: tuple[str, ...]) -> None:
    with xp.options(host_fallback="allow"):
        assert not problems(states, "npu", functools.partial(xp.asarray, copy=True), QUICK)


@pytest.mark.nightly
@pytest.mark.parametrize("states", ALONE, ids=lambda states: states[0])
def test_results_are_the_same_in_any_state(states: tuple[str, ...]) -> None:
    with xp.options(host_fallback="allow"):
        assert not problems(states, "npu", functools.partial(xp.asarray, copy=True))
