"""Programs with faults of NPUs, each a function: test_npu_faults.py calls them.

The emulator is there before this module is imported.
"""

from __future__ import annotations

import contextlib
import re
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

import ascend_array_api as xp
from conformance import cann_emulator

if TYPE_CHECKING:
    from collections.abc import Callable

emulator: Any = cann_emulator.installed()


def raises(
    function: Callable[[], Any], *patterns: str, kind: type[Exception] = xp.DeviceError
) -> Any:
    with pytest.raises(kind) as caught:
        function()
    assert caught.type is kind, repr(caught.value)
    for pattern in patterns:
        assert re.search(pattern, str(caught.value)), (pattern, str(caught.value))
    return caught.value


def wait() -> None:
    """Wait for the task queue, without a look at what it says."""
    with contextlib.suppress(RuntimeError):
        torch.npu.synchronize()


def values(x: xp.Array) -> Any:
    return np.asarray(x.to_device("cpu")).tolist()


x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device="npu:0")
y = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device="npu:1")
for a in (x, y):  # so that everything is known: what follows takes the fast paths
    a + a, a + 1.0, a - 1.0, -a, xp.sum(a)
    a @ a, xp.matmul(a, a), xp.sin(a), xp.where(a > 1, a, a)
    assert values(a + a) == [[2, 4], [6, 8]]


def a_kernel_fails_at_its_call() -> None:
    """The error comes at once, names the operation, and all goes on as before."""
    for code, advice in ((161002, "report it"), (561103, "CANN's kernels are those for this SoC")):
        for kernel, name, function in (
            ("aclnnAdd", "add", lambda: xp.add(x, x)),
            ("aclnnAdd", r"\+", lambda: x + x),
            ("aclnnAdds", r"\+", lambda: x + 1.5),
            ("aclnnMatmul", "@|matmul", lambda: x @ x),
            ("aclnnMatmul", "matmul", lambda: xp.matmul(x, x)),
            ("aclnnSin", "sin", lambda: xp.sin(x)),
            ("aclnnNeg", "-", lambda: -x),
            ("aclnnSort", "sort", lambda: xp.sort(x)),
            ("aclnnInplaceAdd", r"\+=", lambda: x.__iadd__(x)),
            ("aclnnArange", "arange", lambda: xp.arange(3.0)),
            ("aclnnCat", "concat", lambda: xp.concat([x, x])),
        ):
            function
            emulator.fail_kernel(kernel, at="call", code=code)
            error = raises(
                function,
                f"^({name}|add): a fault of npu:0 \\(code {code}, {kernel}\\) was found",
                advice,
                "ASCEND_LAUNCH_BLOCKING",
                "torch_npu: .*failed",
            )
            assert error.operation
            assert error.device == "npu:0"
            assert error.code == code
            assert isinstance(error.__cause__, RuntimeError)
            assert values(x) == [[1, 2], [3, 4]], kernel
    assert values(x + x) == [[2, 4], [6, 8]]


def a_synchronisation_finds_a_fault() -> None:
    """It comes late, in whatever waits; the device goes on, and what was there before is intact."""
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
        x + x
        error = raises(function, f"^({name})[a-z_]*: a fault of npu:", "507015", "earlier")
        assert error.code == 507015
        assert values(x) == [[1, 2], [3, 4]]
        assert values(x * x) == [[1, 4], [9, 16]]
        assert values(y + y) == [[2, 4], [6, 8]]


def a_device_is_lost() -> None:
    """Only the arrays of the other device are left."""
    wait()
    with emulator.lost_device(0):
        for function in (
            lambda: float(xp.sum(x + x)),
            lambda: x.to_device("cpu"),
            lambda: x.to_device("npu:1"),
            lambda: repr(x),
            lambda: xp.asarray(np.ones(1 << 20), device="npu:0"),
            lambda: xp.nonzero(x),
            lambda: y.to_device("npu:0"),
            lambda: float(x[0, 0]),
        ):
            error = raises(function, "npu:0")
            assert error.device == "npu:0"
        assert values(y + y) == [[2, 4], [6, 8]]
        assert values(xp.ones(2, device="npu:1")) == [1, 1]


def a_launch_fails_without_a_queue() -> None:
    """In-place operators leave the array as it was, and the next call succeeds."""
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
            code = error.code
        else:  # that kernel was not asked for
            code = None
            emulator.fail_kernel(kernel, at="launch", nth=1 << 30)
            x[...] = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
        assert code in (None, 507015), (kernel, code)
        assert values(x) == [[1, 2], [3, 4]], kernel
    assert values(x + x) == [[2, 4], [6, 8]]


def messages_are_short() -> None:
    wait()
    emulator.fail_kernel("aclnnAdd", at="launch")
    x + x
    time.sleep(1)
    raises(lambda: x * x, "a fault of npu:0", "aclnnAdd")
    raises(lambda: x * x, "since its fault npu:0 computes nothing")


def nothing_is_computed_after_a_fault(at: str) -> None:
    """torch_npu tells the fault once and then drops all work: results would be garbage."""
    z = x * 3
    view = z.T[:, 1:]
    wait()
    emulator.fail_kernel("aclnnAdd", at=at)
    x + x
    time.sleep(1)  # the queue's thread finds out; to wait for it would take the only report away
    error = raises(lambda: x * x, "^\\*: a fault of npu:0", "aclnnAdd", "earlier operation")
    for function in (
        lambda: x + x,
        lambda: x + 1.5,
        lambda: 1.5 - x,
        lambda: -x,
        lambda: xp.sum(x),
        lambda: x @ x,
        lambda: xp.matmul(x, x),
        lambda: xp.sin(x),
        lambda: xp.tan(x),
        lambda: xp.where(x > 1, x, x),
        lambda: xp.zeros(3),
        lambda: xp.arange(3),
        lambda: xp.asarray([1.0]),
        lambda: xp.linalg.qr(x),
        lambda: y.to_device("npu:0"),
        lambda: x.__iadd__(x),
        lambda: x.__setitem__(0, 1.0),
        lambda: xp.sort(x),
        lambda: xp.astype(x, xp.int8),
        lambda: x[x > 1],
        lambda: xp.concat([x, x]),
        lambda: xp.asarray(x, copy=True),
        lambda: xp.nonzero(x),
        lambda: x > 1,
        lambda: xp.ones_like(x),
        lambda: xp.asarray(np.ones(3), device="npu:0"),
        lambda: xp.reshape(x.T, (4,)),
    ):
        for _ in range(2):
            error = raises(
                function,
                "since its fault npu:0 computes nothing in this process",
                r"save them with to_device\('cpu'\), then start the process anew",
            )
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


def nothing_after_a_launch() -> None:
    nothing_is_computed_after_a_fault("launch")


def nothing_after_a_call() -> None:
    nothing_is_computed_after_a_fault("call")
