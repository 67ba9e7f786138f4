"""Two processes, each with an emulated NPU: torch_npu's collectives, meshes, and failures."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from npu import needs_emulator
from processes import python, ranks

pytestmark = needs_emulator
HERE = Path(__file__).parent


@pytest.mark.nightly
def test_collectives_carry_what_hccl_lists():
    for code, said in ranks(HERE / "hccl.py", 2, seconds=120):
        assert code == 0, said[-5000:]
        assert ": 0 wrong" in said


@pytest.mark.nightly
def test_collectives_carry_nothing_more(monkeypatch):
    monkeypatch.setenv("TASK_QUEUE_ENABLE", "0")
    for code, said in ranks(HERE / "hccl.py", 2, seconds=120):
        assert code == 0, said[-5000:]
        assert "data type int16 is not supported by operation 1" in said


def compared(*arguments: str) -> None:
    launch = ("-m", "torch.distributed.run", "--nproc-per-node", "2", "-m", "workshop")
    done = python(*launch, "meshes", "--processes", "--device", "npu", *arguments)
    for rank in range(2):
        assert f"rank {rank} of mesh(npu, 2): " in done.stdout
    assert done.stdout.count(" functions, 0 wrong") == 2


@pytest.mark.nightly
def test_every_function_between_processes():
    compared("--dtypes", "float32", "int16", "complex64", "bool")


GRADIENTS = """
import sys
sys.path.insert(0, {folder!r})
from conformance.devices import start
start("npu")
import warnings
import programs
import ascend_array_api.distributed as xd
# torch_npu's slogdet asks for the memory of what is divided.
del programs.PROGRAMS["likelihood_of_all"], programs.PROGRAMS["stacks"]
# Products of float64 gather it.  Sorts do so where torch takes the derivative in another thread.
programs.PROGRAMS["moves"] = (*programs.PROGRAMS["moves"][:2], "allow")
warnings.simplefilter("error", xd.GatherWarning)
mesh = xd.init("npu", {how})
print("wrong", programs.differences(mesh), "of", len(programs.PROGRAMS))
"""


@pytest.mark.nightly
@pytest.mark.parametrize(("number", "how"), [(1, "simulate=3"), (2, "timeout=600")])
def test_gradients_are_those_of_one_device(number, how, tmp_path):
    script = tmp_path / "gradients.py"
    folder = str(HERE.parents[1] / "meshes")
    script.write_text(GRADIENTS.format(folder=folder, how=how), encoding="utf-8")
    for code, said in ranks(script, number, seconds=900):
        assert code == 0, said[-5000:]
        assert "wrong [] of 17" in said


OTHERS = """
import threading
from conformance.devices import start
start("npu")
import torch
import ascend_array_api as xp, ascend_array_api.distributed as xd
mesh = xd.init("npu", simulate=2)
derives, goes_on = threading.Event(), threading.Event()

def divided():
    return xd.shard(xp.asarray((2 * torch.eye(4, device="npu")).requires_grad_()), device=mesh)

def hold(_):
    derives.set()
    goes_on.wait(60)

def derive():
    total = xp.to_torch(xp.sum(divided() * 2))
    total.register_hook(hold)
    total.backward()

x = divided()
other = threading.Thread(target=derive)
other.start()
assert derives.wait(60)
try:
    with xp.options(gather="error"):
        xp.linalg.svd(x)
except xd.GatherError:
    print("refused")
goes_on.set()
other.join()
"""


@pytest.mark.nightly
def test_a_thread_keeps_its_options_while_another_waits_for_derivatives(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(OTHERS, encoding="utf-8")
    ((code, said),) = ranks(script, 1, seconds=300)
    assert code == 0, said[-5000:]
    assert "refused" in said


BAD = """
import os
from conformance.devices import start
start("npu")
import numpy as np
import ascend_array_api as xp, ascend_array_api.distributed as xd
mesh = xd.init("npu", timeout=30)
x = xp.arange(8, device=mesh)
places = np.arange(8)
places[7] = 9
def written(y):
    y[xp.asarray(places, device=mesh)] = 5
    return y
for call in (
    lambda: xp.take(x, xp.asarray(places, device=mesh)),
    lambda: x // xp.asarray(places - 9, device=mesh),
    lambda: written(x + 0),
):
    with xp.options(gather="error"):
        made = call()
    try:
        print("missed", float(xp.sum(made)))
    except (IndexError, ZeroDivisionError) as error:
        print("told:", error, flush=True)
assert float(xp.sum(x)) == 28
"""


@pytest.mark.nightly
def test_bad_values_in_the_part_of_one_are_told_to_all(tmp_path):
    script = tmp_path / "bad.py"
    script.write_text(BAD, encoding="utf-8")
    for code, said in ranks(script, 2, seconds=120):
        assert code == 0, said[-5000:]
        assert "told: take: a position is out of bounds for an axis of size 8" in said
        assert "told: floor_divide: an integer was divided by zero" in said
        assert "told: index: a position is out of bounds for an axis of size 8" in said


FAILING = """
import os, time
from conformance.devices import start
start("npu")
import ascend_array_api as xp, ascend_array_api.distributed as xd
mesh = xd.init("npu", timeout=10)
x = xp.arange(8, device=mesh)
assert float(xp.sum(x)) == 28
if xd.rank(mesh) == 1:
    {wrong}
try:
    print(float(xp.sum(x)))
except RuntimeError as error:
    print("told:", error, flush=True)
    os._exit(3)
"""


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("os._exit(1)", "rank 1 is gone"),
        ("raise ValueError('this one alone')", "rank 1 is gone"),
        (
            "time.sleep(40)",
            "Watchdog caught collective operation timeout",  # torch_npu ends the process
        ),
    ],
    ids=["dies", "raises", "is late"],
)
def test_the_failure_of_one_process_ends_the_others(wrong, told, tmp_path):
    script = tmp_path / "failing.py"
    script.write_text(FAILING.format(wrong=wrong), encoding="utf-8")
    began = time.monotonic()
    code, said = ranks(script, 2, seconds=120)[0]
    assert code not in {0, 1}, said[-5000:]
    assert told in said
    assert time.monotonic() - began < 110
