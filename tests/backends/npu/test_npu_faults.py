"""Faults of NPUs: what is raised, what stays intact, and that nothing is computed afterwards.

The modes are those of torch_npu's task queue: 0 is none, 1 is the default, in 2 even the checks of
a kernel's arguments are done in the queue.  Each script is a process of its own.
"""

from __future__ import annotations

import pickle

import pytest
from npu import needs_emulator, script
from processes import python
from queues import TASK_QUEUES

import ascend_array_api as xp
from ascend_array_api._devices.device import parse
from ascend_array_api._torch import torch

pytestmark = needs_emulator

HEAD = """
import re
import time
import numpy as np

def raises(function, *patterns, kind=xp.DeviceError):
    try:
        result = function()
    except Exception as error:
        assert type(error) is kind, repr(error)
        for pattern in patterns:
            assert re.search(pattern, str(error)), (pattern, str(error))
        return error
    raise SystemExit(f"no error, but {result!r}")

def wait():  # for the task queue, without a look at what it says
    try:
        torch.npu.synchronize()
    except RuntimeError:
        pass

def values(x):
    return np.asarray(x.to_device("cpu")).tolist()

x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device="npu:0")
y = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device="npu:1")
for a in (x, y):  # so that everything is known: what follows takes the fast paths
    (a + a, a - 1.0, -a, xp.sum(a), a @ a, xp.matmul(a, a), xp.sin(a), xp.where(a > 1, a, a))
    assert values(a + a) == [[2, 4], [6, 8]]
"""


@pytest.mark.parametrize("mode", [pytest.param("0", marks=pytest.mark.nightly), "1"])
def test_a_kernel_that_fails_at_its_call(mode: str) -> None:
    """The error comes at once, names the operation, and all goes on as before."""
    script(
        HEAD
        + """
for code, advice in ((161002, "report it"), (561103, "CANN's kernels are those for this SoC")):
    for kernel, name, function in (
        ("aclnnAdd", "add", lambda: xp.add(x, x)),
        ("aclnnAdd", r"\\+", lambda: x + x),
        ("aclnnAdds", r"\\+", lambda: x + 1.5),
        ("aclnnMatmul", "@|matmul", lambda: x @ x),
        ("aclnnMatmul", "matmul", lambda: xp.matmul(x, x)),
        ("aclnnSin", "sin", lambda: xp.sin(x)),
        ("aclnnNeg", "-", lambda: -x),
        ("aclnnSort", "sort", lambda: xp.sort(x)),
        ("aclnnInplaceAdd", r"\\+=", lambda: x.__iadd__(x)),
        ("aclnnArange", "arange", lambda: xp.arange(3.0)),
        ("aclnnCat", "concat", lambda: xp.concat([x, x])),
    ):
        function
        emulator.fail_kernel(kernel, at="call", code=code)
        error = raises(
            function, f"^({name}|add): a fault of npu:0 \\\\(code {code}, {kernel}\\\\) was found",
            advice, "ASCEND_LAUNCH_BLOCKING", "torch_npu: .*failed",
        )
        assert error.operation and error.device == "npu:0" and error.code == code
        assert isinstance(error.__cause__, RuntimeError)
        assert values(x) == [[1, 2], [3, 4]], kernel
assert values(x + x) == [[2, 4], [6, 8]]
""",
        TASK_QUEUE_ENABLE=mode,
    )


@pytest.mark.parametrize("mode", TASK_QUEUES)
def test_a_fault_found_at_a_synchronisation(mode: str) -> None:
    """It comes late, in whatever waits; the device goes on, and what was there before is intact."""
    script(
        HEAD
        + """
for name, function in (
    ("float", lambda: float(x[0, 0])),
    ("bool", lambda: bool(x[0, 0])),
    ("to_device", lambda: x.to_device("cpu")),
    ("to_device", lambda: x.to_device("npu:1")),
    ("repr", lambda: repr(x)),
    ("nonzero", lambda: xp.nonzero(x)),
    ("unique", lambda: xp.unique_values(x)),
    ("mask|mask_nonzero|index|nonzero", lambda: x[x > 1]),
    ("__dlpack__", lambda: x.__dlpack__(dl_device=(1, 0))),
    ("asarray", lambda: xp.asarray(x, device="cpu")),
):
    function()
    emulator.fail_kernel("aclnnAdd", at="synchronize")
    lost = x + x
    error = raises(function, f"^({name})[a-z_]*: a fault of npu:", "507015", "earlier operation")
    assert error.code == 507015
    assert values(x) == [[1, 2], [3, 4]]
    assert values(x * x) == [[1, 4], [9, 16]]
    assert values(y + y) == [[2, 4], [6, 8]]
""",
        TASK_QUEUE_ENABLE=mode,
    )


@pytest.mark.parametrize(
    ("mode", "at"),
    [
        pytest.param("1", "launch", marks=pytest.mark.nightly),
        pytest.param("2", "launch", marks=pytest.mark.nightly),
        ("2", "call"),
    ],
)
def test_after_a_fault_in_the_task_queue_nothing_is_computed(mode: str, at: str) -> None:
    """torch_npu tells the fault once and then drops all work: results would be garbage."""
    script(
        HEAD
        + f"""
z = x * 3
view = z.T[:, 1:]
wait()
emulator.fail_kernel("aclnnAdd", at={at!r})
lost = x + x
time.sleep(1)  # the queue's thread finds out; to wait for it would take the only report away
"""
        + """
error = raises(lambda: x * x, "^\\\\*: a fault of npu:0", "aclnnAdd", "earlier operation")
for function in (
    lambda: x + x, lambda: x + 1.5, lambda: 1.5 - x, lambda: -x, lambda: xp.sum(x), lambda: x @ x,
    lambda: xp.matmul(x, x), lambda: xp.sin(x), lambda: xp.tan(x), lambda: xp.where(x > 1, x, x),
    lambda: xp.zeros(3), lambda: xp.arange(3), lambda: xp.asarray([1.0]), lambda: xp.linalg.qr(x),
    lambda: y.to_device("npu:0"), lambda: x.__iadd__(x), lambda: x.__setitem__(0, 1.0),
    lambda: xp.sort(x), lambda: xp.astype(x, xp.int8), lambda: x[x > 1], lambda: xp.concat([x, x]),
    lambda: xp.asarray(x, copy=True), lambda: xp.nonzero(x), lambda: x > 1, lambda: xp.ones_like(x),
    lambda: xp.asarray(np.ones(3), device="npu:0"), lambda: xp.reshape(x.T, (4,)),
):
    for _ in range(2):
        error = raises(function, "since its fault npu:0 computes nothing in this process",
                       r"save them with to_device\\('cpu'\\), then start the process anew")
        assert error.device == "npu:0"
# What was there before is intact, also where to show it would take a kernel.
assert values(x) == [[1, 2], [3, 4]]
assert values(z) == [[3, 6], [9, 12]]
assert values(view) == [[9], [12]]
assert float(z[1, 1]) == 12
assert "12." in repr(z)
# The other device goes on.
assert values(y + y) == [[2, 4], [6, 8]]
assert values(xp.sin(y) - xp.sin(y)) == [[0, 0], [0, 0]]
assert values(xp.zeros(2, device="npu:1")) == [0, 0]
""",
        TASK_QUEUE_ENABLE=mode,
    )


@pytest.mark.parametrize("mode", ["0", "1"])
def test_a_lost_device(mode: str) -> None:
    """Only the arrays of the other device are left."""
    script(
        HEAD
        + """
wait()
with emulator.lost_device(0):
    for function in (
        lambda: float(xp.sum(x + x)), lambda: x.to_device("cpu"), lambda: x.to_device("npu:1"),
        lambda: repr(x), lambda: xp.asarray(np.ones(1 << 20), device="npu:0"),
        lambda: xp.nonzero(x), lambda: y.to_device("npu:0"), lambda: float(x[0, 0]),
    ):
        error = raises(function, "npu:0")
        assert error.device == "npu:0"
    assert values(y + y) == [[2, 4], [6, 8]]
    assert values(xp.ones(2, device="npu:1")) == [1, 1]
""",
        TASK_QUEUE_ENABLE=mode,
    )


def test_a_launch_that_fails_without_a_queue() -> None:
    """In-place operators leave the array as it was, and the next call succeeds."""
    script(
        HEAD
        + """
for kernel, function in (
    ("aclnnInplaceAdd", lambda: x.__iadd__(x)),
    ("aclnnMul", lambda: x.__imul__(x)),
    ("aclnnInplaceMul", lambda: x.__imul__(x)),
    ("aclnnIndexPutImpl", lambda: x.__setitem__((xp.asarray([0]), 0), 9.0)),
    ("aclnnInplaceCopy", lambda: x.__setitem__((0, ...), 9.0)),
):
    emulator.fail_kernel(kernel, at="launch")
    try:
        function()
    except xp.DeviceError as error:
        assert error.code == 507015, error
        assert values(x) == [[1, 2], [3, 4]], kernel
    else:  # that kernel was not asked for
        emulator.fail_kernel(kernel, at="launch", nth=1 << 30)
        x[...] = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
assert values(x + x) == [[2, 4], [6, 8]]
""",
        TASK_QUEUE_ENABLE="0",
    )


def test_short_messages_of_torch_npu_are_understood() -> None:
    script(
        HEAD
        + """
wait()
emulator.fail_kernel("aclnnAdd", at="launch")
lost = x + x
time.sleep(1)
raises(lambda: x * x, "a fault of npu:0", "aclnnAdd")
raises(lambda: x * x, "since its fault npu:0 computes nothing")
""",
        TASK_QUEUE_ENABLE="1",
        TORCH_NPU_COMPACT_ERROR_OUTPUT="1",
    )


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


def test_faults_of_what_looks_for_bad_input_and_of_fourier_transforms() -> None:
    """Each kernel of a call is one that can fail, also those beside what was asked for."""
    script(
        HEAD
        + """
import warnings
warnings.filterwarnings("ignore", "Cannot create tensor with internal format")
matrix = xp.asarray([[2.0, 1.0], [1.0, 3.0]])
signal = xp.astype(x, xp.complex64)
positions = xp.asarray([1, 0]) * 1
for name, function in (
    ("inv", lambda: xp.linalg.inv(matrix)),
    ("cholesky", lambda: xp.linalg.cholesky(matrix)),
    ("eigvalsh", lambda: xp.linalg.eigvalsh(matrix)),
    ("fft", lambda: xp.fft.fft(signal)),
    ("take", lambda: xp.take(x, positions, axis=0)),
    ("//", lambda: positions // (positions + 1)),
):
    before = values(function())
    with emulator.counting() as counts:
        function()
    for at in ("call", "launch"):
        for nth in range(1, sum(counts.kernels.values()) + 1):
            emulator.fail_kernel("*", at=at, nth=nth)
            raises(function, "a fault of npu:0")
    with xp.options(checks="off"):
        emulator.fail_kernel("*", at="launch")
        raises(function, "a fault of npu:0")
    emulator.fail_kernel("*", at="synchronize", nth=nth)
    raises(lambda: (function(), float(x[0, 0])), "a fault of npu:0", "507015")
    emulator.fail_nothing()
    wait()
    assert values(function()) == before
""",
        TASK_QUEUE_ENABLE="0",
    )


def test_a_copy_that_fails() -> None:
    script(
        HEAD
        + """
for function in (
    lambda: values(x), lambda: xp.asarray(np.ones(3), device="npu:0"), lambda: float(x[0, 0]),
    lambda: y.to_device("npu:0"), lambda: repr(x),
):
    emulator.fail_copy()
    raises(function, "a fault of npu:", "507000")
    emulator.fail_nothing()
    wait()
    function()
    assert values(x) == values(y) == [[1, 2], [3, 4]]
""",
        TASK_QUEUE_ENABLE="0",
    )


@pytest.mark.nightly
def test_faults_at_every_place_of_drawn_calls() -> None:
    done = python("-m", "conformance", "faults", "--runs", "4000", "--jobs", "2")
    assert done.stdout.endswith(" 0 problems\n")
    assert "memory in threads" in done.stdout
