"""What the CPU raises at once is raised on NPUs where the host waits: see the option ``checks``."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import numpy as np
import pytest

from npu import EMULATOR, QUIET_TORCH_NPU, needs_emulator, script  # isort: skip  # before the namespace

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from ascend_array_api._torch import torch
from tests.parametrize import others_nightly

pytestmark = QUIET_TORCH_NPU


@needs_emulator
def test_an_index_costs_two_kernels_and_no_copy() -> None:
    assert EMULATOR
    x = xp.arange(9.0)
    for call in (operator.getitem, xp.take):
        counts = []
        for checks in ("off", "late"):
            with xp.options(checks=checks):
                call(x, xp.asarray([3, 1]))
                positions = xp.asarray([3, 1])
                with EMULATOR.counting() as counted:
                    call(x, positions)
            counts.append(sum(counted.kernels.values()))
        assert counts[1] - counts[0] == 1  # and one that keeps positions in bounds
        assert not counted.to_host[0]


def _laid(values: Any, axis: int | None) -> Any:
    return xd.replicate(values) if axis is None else xd.shard(values, axis)


def _put(x: Any, key: Any) -> None:
    x[key] = 7


WRONG_ON_A_MESH: dict[str, tuple[Any, Any]] = {
    "take": (IndexError, lambda x, bad: xp.take(x, bad, axis=1)),
    "index": (IndexError, lambda x, bad: x[bad, ...]),
    "index of two": (IndexError, lambda x, bad: x[bad, bad]),
    "take_along_axis": (IndexError, lambda x, bad: xp.take_along_axis(x, bad[:, None], axis=1)),
    "write": (IndexError, lambda x, bad: _put(x, (bad, ...))),
    "write to columns": (IndexError, lambda x, bad: _put(x, (..., bad))),
    "//": (ZeroDivisionError, lambda x, bad: bad // (bad - 9)),
    "%=": (ZeroDivisionError, lambda x, bad: (x + 0).__imod__(bad - 9)),
    "inv": (xp.linalg.LinAlgError, lambda x, _: xp.linalg.inv(xp.astype(x * 0, xp.float32))),
    "scale": (
        ValueError,
        lambda x, _: xp.random.default_rng(1).exponential(xp.astype(x - 1, xp.float32)),
    ),
    "cov": (
        ValueError,
        lambda x, _: xp.random.default_rng(1).multivariate_normal(
            [0.0] * 4, xp.astype(x, xp.float32)
        ),
    ),
}


READ_ON_A_MESH: tuple[Any, ...] = (
    repr,
    lambda x: x.to_device("cpu"),
    lambda x: float(xp.max(xp.abs(x + 1))),
    lambda x: repr(xd.gather(x)),
    lambda x: repr(xd.parts(x)[0] * 2),
    lambda x: repr(xd.replicate(x)),
    lambda x: repr(xd.shard(x[None, ...])),
)


@pytest.mark.parametrize("name", others_nightly(WRONG_ON_A_MESH, 5))
def test_bad_values_on_a_mesh(name: str) -> None:
    error, call = WRONG_ON_A_MESH[name]
    mesh = xd.init(xp.ones(1).device, simulate=3)
    values = np.arange(16).reshape(4, 4)
    for axis, checks in itertools.product((0, 1, None), ("late", "wait", "off")):
        with xp.options(host_fallback="allow", gather="allow", device=mesh, checks=checks):
            x = _laid(values, axis)
            bad = _laid(np.asarray([0, 1, 2, 9]), axis and 0)
            if checks == "wait":
                with pytest.raises(error):
                    call(x, bad)
            else:
                made = call(x, bad)
            if checks == "late":
                made = x if made is None else made
                for number, read in enumerate(READ_ON_A_MESH):
                    with pytest.raises(error, match="It was called at"):
                        print(read(made), name, axis, number)
                xp.synchronize()
            if checks != "late" or "write" not in name:
                assert np.asarray(x.to_device("cpu")).tolist() == values.tolist()


def test_positions_are_looked_up_on_a_mesh_without_a_gather() -> None:
    mesh = xd.init(xp.ones(1).device, simulate=3)
    values, places = np.arange(21.0, dtype=np.float32).reshape(7, 3), np.asarray([6, 0, 2, 2])
    with xp.options(device=mesh, gather="error"):
        x, positions = xp.asarray(values), xp.asarray(places)
        for found in (xp.take(x, positions, axis=0), x[positions, ...]):
            assert np.asarray(found.to_device("cpu")).tolist() == values[places].tolist()


def test_what_a_kernel_on_the_host_takes_of_a_mesh_is_whole() -> None:
    mesh = xd.init(xp.ones(1).device, simulate=3)
    matrix, sides = np.asarray([[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]]), np.asarray([2.0, 4.0, 0.0])
    with xp.options(device=mesh, host_fallback="allow", gather="allow"):
        divided = xd.shard(sides)
        on_host = divided._tensor.to("cpu")
        assert type(on_host) is torch.Tensor
        assert on_host.tolist() == sides.tolist()
        found = xp.linalg.lstsq(xd.replicate(matrix), divided).x
        assert np.asarray(found.to_device("cpu")).tolist() == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("bad", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    "key",
    [
        (np.asarray([6, 0, 2, 2]), ...),
        (..., np.asarray([1, -1])),
        (np.asarray([[3], [1]]), np.asarray([[0, 2]])),
        (slice(5, 1, -2), np.asarray([2, 0])),
        (np.asarray([4, 5]), None, slice(1, None)),
    ],
    ids=["rows", "columns", "both", "a slice and columns", "rows and a slice"],
)
def test_positions_are_written_to_on_a_mesh_without_a_gather(
    key: Any, axis: int, bad: bool
) -> None:
    mesh = xd.init(xp.ones(1).device, simulate=3)
    values = np.arange(21, dtype=np.float32).reshape(7, 3)
    written = np.arange(1.0, 1 + values[key].size, dtype=np.float32).reshape(values[key].shape)
    expected = values.copy()
    expected[key] = written
    with xp.options(device=mesh, gather="error"):
        x = xd.shard(values, axis)
        positions = [k.copy() if isinstance(k, np.ndarray) else k for k in key]
        if bad:
            next(k for k in positions if isinstance(k, np.ndarray)).flat[-1] = 7
        own = (xd.replicate(k) if isinstance(k, np.ndarray) else k for k in positions)
        x[tuple(own)] = xp.asarray(written)
        assert xd.layout(x).axis == axis
        if bad:
            with pytest.raises(IndexError, match="index: a position is out of bounds"):
                float(xp.sum(x))
        else:
            assert np.asarray(x.to_device("cpu")).tolist() == expected.tolist()


def test_sums_of_empty_parts_have_every_data_type() -> None:
    mesh = xd.init(xp.ones(1).device, simulate=3)
    x = xd.shard(xp.asarray([[1], [2]], dtype=xp.uint8), device=mesh)
    assert xd.layout(x).sizes == (1, 1, 0)
    assert int(xp.sum(x)) == 3  # as uint64, of which these devices make no zeros


@pytest.mark.nightly
@needs_emulator
def test_what_nobody_met_is_counted_as_the_process_ends() -> None:
    program = """
import sys

sys.stderr = sys.stdout
x = xp.arange(3) * 1
kept = [xp.take(x, x + 1), x // x, x[x + 3]]
try:
    print(kept[0])
except IndexError:
    print("met")
"""
    said = script(program)
    (line,) = [line for line in said.splitlines() if "late errors" in line]
    assert "2 late errors that nobody met, the first: ZeroDivisionError: floor_divide: " in line
    assert "<string>:" in line


@pytest.mark.nightly
@needs_emulator
def test_a_signal_comes_through_a_wait_and_the_device_computes_on() -> None:
    program = """
import os, signal, threading

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have it ignore
x = xp.ones((300, 300))
for _ in range(200):
    x = x @ x * 0.003
try:
    threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()
    for _ in range(1000):
        xp.synchronize()
        x = x @ x * 0.003
except KeyboardInterrupt:
    print("interrupted")
print(float(xp.sum(xp.ones(7) + 1)))
"""
    said = script(program)
    assert said.split()[-2:] == ["interrupted", "14.0"]


@pytest.mark.nightly
@needs_emulator
def test_the_process_ends_with_work_in_flight() -> None:
    program = """
import threading

def work():
    x = xp.ones((200, 200))
    for _ in range(100):
        x = x @ x * 0.005

threading.Thread(target=work).start()
x = xp.ones((200, 200))
for _ in range(100):
    x = x @ x * 0.005
print("done")
"""
    said = script(program)
    assert said.split()[-1] == "done"


@needs_emulator
def test_streams_of_copies_and_of_capsules(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[tuple[str, int]] = []
    record = torch.Tensor.record_stream

    def recorded(tensor: torch.Tensor, stream: Any) -> None:
        kept.append((str(tensor.device), stream.npu_stream))
        record(tensor, stream)

    monkeypatch.setattr(torch.Tensor, "record_stream", recorded)
    x, stream = xp.arange(4.0), torch.npu.Stream()
    own = torch.npu.current_stream().npu_stream
    for given in (stream, stream.npu_stream):
        kept.clear()
        assert np.asarray(x.to_device("cpu", stream=given)).tolist() == [0, 1, 2, 3]
        assert kept == [("npu:0", stream.npu_stream)], "its memory is not used again too soon"
        kept.clear()
        y = x.to_device("cpu").to_device("npu:0", stream=given)
        assert kept == [("npu:0", own)]
        assert np.asarray(y.to_device("cpu")).tolist() == [0, 1, 2, 3]
    for wrong in ("1", 1.5, True):
        with pytest.raises(TypeError, match="to_device: stream must be a torch.npu.Stream"):
            x.to_device("cpu", stream=wrong)
    with torch.npu.stream(stream):
        z = xp.from_dlpack(x * 2)
    assert np.asarray(z.to_device("cpu")).tolist() == [0, 2, 4, 6]
    assert x.__dlpack__(stream=stream.npu_stream) is not None
