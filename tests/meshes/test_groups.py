"""Meshes of torch's own groups and device meshes, beside what a program does with these."""

from __future__ import annotations

import pytest
from processes import ranks

import ascend_array_api.distributed as xd

BEGIN = """
import time
from datetime import timedelta
import numpy as np, torch, torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
import ascend_array_api as xp, ascend_array_api.distributed as xd
dist.init_process_group("gloo", timeout=timedelta(seconds=60))
rank, size = dist.get_rank(), dist.get_world_size()

def raised(call):
    try:
        return f"gave {call()}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"

"""
END = """
dist.destroy_process_group()
print("ended", rank)
"""


def ended(tmp_path, number, body, *, end=END):
    script = tmp_path / "program.py"
    script.write_text(BEGIN + body + end, encoding="utf-8")
    done = ranks(script, number, seconds=120)
    assert [code for code, _ in done] == [0] * number, done
    assert all(f"ended {r}" in text for r, (_, text) in enumerate(done)), done


def test_a_group_computes_while_others_do_not(tmp_path):
    ended(
        tmp_path,
        3,
        f"""
some = dist.new_group([1, 2])
if rank == 0:
    told = raised(lambda: xd.init("cpu", group=some))
    assert "this process is not in the group" in told, told
else:
    mesh = xd.init("cpu", group=some)
    assert mesh == xd.init("cpu", group=some) != xd.init("cpu", simulate=2)
    assert xd.rank(mesh) == rank - 1
    x = xp.asarray(np.arange(6.0), device=mesh)
    assert xd.layout(x).sizes == (3, 3)
    assert float(xp.sum(x)) == 15.0
    assert np.asarray(xd.gather(xp.roll(x, 1))).tolist() == [5, 0, 1, 2, 3, 4]
    with xp.options(device=mesh):
        drawn = np.asarray(xd.gather(xp.random.default_rng().normal(size=4)))
    every = xd.from_parts(xp.asarray(drawn[None, :], device="cpu"), device=mesh)
    assert bool(xp.all(every == every[:1, :])), "another stream in each process"
    xd.save({{"x": x}}, {str(tmp_path / "saved")!r})
    y = xd.load({str(tmp_path / "saved")!r}, device=mesh)["x"]
    assert bool(xp.all(x == y))
    told = raised(lambda: xp.sum(x) if rank == 1 else xp.max(x))
    assert "rank 0: sum of float64 (6,)" in told and "rank 1: max of" in told, told
dist.barrier()
everyone = xd.init("cpu")
assert float(xp.sum(xp.ones(size, device=everyone))) == size
""",
    )


def test_a_device_mesh_says_which_processes(tmp_path):
    ended(
        tmp_path,
        4,
        """
both = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
told = raised(lambda: xd.init(both))
assert "expected a DeviceMesh of one dimension, got 2" in told and "device_mesh['dp']" in told, told
told = raised(lambda: xd.init(both["tp"], group=dist.group.WORLD))
assert "leave out the group" in told, told
for name, others in (("tp", rank // 2), ("dp", rank % 2)):
    mesh = xd.init(both[name])
    assert mesh == xd.init("cpu", group=both.get_group(name))
    own = xd.from_parts(xp.asarray([float(rank)], device="cpu"), device=mesh)
    expected = 4 * others + 1 if name == "tp" else 2 * others + 2
    assert float(xp.sum(own)) == expected
""",
    )


def test_a_time_limit_holds_within_a_group_of_longer_patience(tmp_path):
    ended(
        tmp_path,
        2,
        """
mesh = xd.init("cpu", timeout=3)
x = xp.ones(4, device=mesh)
assert float(xp.sum(x)) == 4.0
if rank == 0:
    start = time.monotonic()
    told = raised(lambda: float(xp.sum(x)))
    taken = time.monotonic() - start
    assert told.startswith(("RuntimeError", "RanksError")) and 2 < taken < 8, (taken, told)
else:
    time.sleep(10)
""",
        end='print("ended", rank, flush=True)',
    )


def test_a_default_group_may_be_ended_and_begun_again(tmp_path):
    ended(
        tmp_path,
        2,
        """
before = xd.init("cpu")
assert float(xp.sum(xp.ones(4, device=before))) == 4.0
dist.destroy_process_group()
dist.init_process_group("gloo", timeout=timedelta(seconds=60))
mesh = xd.init("cpu")
assert float(xp.sum(xp.ones(6, device=mesh))) == 6.0
""",
    )


def test_what_is_no_group_is_refused():
    with pytest.raises(ValueError, match="leave out the group"):
        xd.init("cpu", simulate=2, group=object())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="init"):
        xd.init(3.5)  # type: ignore[arg-type]
