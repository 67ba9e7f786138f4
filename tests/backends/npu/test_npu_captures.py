"""Captured functions on NPUs: one launch each; tests/array/test_captures.py has the rest."""

from __future__ import annotations

import pytest

from npu import EMULATOR, QUIET_TORCH_NPU, needs_emulator, script  # isort: skip  # before the namespace

import ascend_array_api as xp
from tests.array.test_captures import numbers
from tests.parametrize import nightly

pytestmark = QUIET_TORCH_NPU


@needs_emulator
def test_a_replay_is_one_launch_beside_copies() -> None:
    captured = xp.captured(lambda x: (xp.exp(-x) * 2 + xp.sum(x)) ** 2)
    for first in range(3):
        captured(numbers(first))
    with EMULATOR.counting() as counts:
        captured(numbers(9))
    assert counts.graphs == 1
    beside = ("Arange", "Adds", "InplaceCopy", "Add", "InplaceFillScalar")
    assert set(counts.by_kernel()) <= {f"aclnn{name}" for name in beside}
    assert sum(counts.in_graphs.values()) > 5


@needs_emulator
def test_draws_take_one_kernel_beside_the_graph() -> None:
    captured = xp.captured(lambda rng: rng.random(8) + rng.random(8))
    rng = xp.random.default_rng(3)
    for _ in range(3):
        captured(rng)
    with EMULATOR.counting() as counts:
        captured(rng)
    assert counts.graphs == 1
    # One fills the lowest word of the position, one copies the result.
    assert counts.by_kernel() == {"aclnnInplaceFillScalar": 1, "aclnnInplaceCopy": 1}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"TASK_QUEUE_ENABLE": "2"}, "TASK_QUEUE_ENABLE=2: set it to 1"),
        nightly({"CANN_EMULATOR_SOC": "Ascend310P3", "CANN_EMULATOR_CANN": "8.5"}, "on this chip"),
    ],
)
@needs_emulator
def test_where_nothing_can_be_captured(variables: dict[str, str], reason: str) -> None:
    program = f"""
captured = xp.captured(lambda x: x + 1)
try:
    captured(xp.ones(3))
except xp.CaptureError as error:
    assert {reason!r} in str(error), error
else:
    raise SystemExit("no error")
lenient = xp.captured(lambda x: x + 1, otherwise="call")
for _ in range(3):
    assert bool(xp.all(lenient(xp.ones(3)) == 2))
"""
    script(program, **variables)
