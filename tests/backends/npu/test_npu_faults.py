"""Faults of NPUs: what is raised, what stays intact, and that nothing is computed afterwards.

The modes are those of torch_npu's task queue: 0 is none, 1 is the default, in 2 even the checks of
a kernel's arguments are done in the queue.  The programs are those of faults.py.  The last of a
process is the one after which nothing is computed.
"""

from __future__ import annotations

import pickle

import pytest
from npu import called, needs_emulator
from processes import python

import ascend_array_api as xp
from ascend_array_api._devices.device import parse
from ascend_array_api._torch import torch
from tests.parametrize import nightly

pytestmark = needs_emulator

EVERYWHERE = ("a_synchronisation_finds_a_fault",)
CALLED = ("a_kernel_fails_at_its_call", *EVERYWHERE)


def faulty(*programs: str, **environment: str) -> None:
    called("faults", *(f"{name}()" for name in programs), **environment)


@pytest.mark.parametrize(
    ("mode", "programs"),
    [
        nightly("0", (*CALLED, "a_launch_fails_without_a_queue", "a_device_is_lost")),
        ("1", (*CALLED, "a_device_is_lost")),
        nightly("2", (*EVERYWHERE, "nothing_after_a_call")),
        nightly("1", ("nothing_after_a_launch",)),
        nightly("2", ("nothing_after_a_launch",)),
    ],
)
def test_faults_are_told_and_nothing_wrong_is_computed(
    mode: str, programs: tuple[str, ...]
) -> None:
    faulty(*programs, TASK_QUEUE_ENABLE=mode)


@pytest.mark.nightly
def test_short_messages_of_torch_npu_are_understood() -> None:
    faulty("messages_are_short", TASK_QUEUE_ENABLE="1", TORCH_NPU_COMPACT_ERROR_OUTPUT="1")


def test_other_errors_are_no_faults() -> None:
    x = xp.ones((2, 3))
    for function, kind in (
        (lambda: x + xp.ones((2, 4)), ValueError),
        (lambda: x @ x, ValueError),
        (lambda: xp.reshape(x, (5,)), ValueError),
        (lambda: xp.concat([x, xp.ones((2, 4))]), ValueError),
    ):
        for _ in range(2):
            with pytest.raises(kind) as caught:
                function()
            assert not isinstance(caught.value, xp.DeviceError)
    fault = parse("npu:0").backend.fault
    for text in ("The size of tensor a (3) must match", "error code is unknown", "ERR01002 OPS"):
        assert fault(RuntimeError(text)) is None
    for text in (
        "The Inner error is reported as above. The process exits for this inner error, and",
        "[PID: 1] 2026-08-01 AclNN_Parameter_Error(EZ1001): Dim 1 value of x should be 2",
    ):
        assert fault(RuntimeError(text)) is not None
    known = fault(RuntimeError("ACL stream synchronize failed, error code:507015"))
    assert known is not None
    assert known[:2] == (507015, None)


def test_device_errors_are_exported_and_pickle() -> None:
    error = xp.DeviceError("add: lost", "add", "npu:1", 507899)
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, xp.DeviceError)
    assert isinstance(again, RuntimeError)
    assert str(again) == "add: lost"
    assert (again.operation, again.device, again.code) == ("add", "npu:1", 507899)
    assert torch.npu.is_available()


@pytest.mark.nightly
def test_faults_at_every_place_of_drawn_calls() -> None:
    done = python("-m", "workshop", "faults", "--runs", "4000", "--jobs", "2")
    assert done.stdout.endswith(" 0 problems\n")
    assert "memory in threads" in done.stdout
