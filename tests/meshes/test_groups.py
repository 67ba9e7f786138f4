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
# DTensor keeps the group, whose threads might need Python after its end.
DTENSORS = END.replace("rank)", "rank, flush=True)") + "import os; os._exit(0)"


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


@pytest.mark.nightly
def test_dtensors_share_their_parts(tmp_path):
    ended(
        tmp_path,
        3,
        """
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
where = init_device_mesh("cpu", (size,))
values = torch.arange(35.0).reshape(7, 5)
for axis in (0, 1):
    d = distribute_tensor(values, where, [Shard(axis)])
    x = xd.from_dtensor(d)
    assert x.device == xd.init(where) and xd.layout(x).axis == axis
    assert xp.to_torch(xd.parts(x)[0]).data_ptr() == d.to_local().data_ptr()
    x += 1  # in the memory of the DTensor
    assert torch.equal(d.full_tensor(), values + 1)
    assert np.array_equal(np.asarray(xd.gather(xp.sum(x, axis=0))), (values + 1).sum(0))
    for y in (x, x.T, xp.expand_dims(x, axis=0)):
        back = xd.to_dtensor(y)
        assert type(back) is DTensor and back.placements == (Shard(xd.layout(y).axis),)
        assert back.to_local().data_ptr() == d.to_local().data_ptr()
        assert np.array_equal(back.full_tensor(), np.asarray(xd.gather(y)))
whole = distribute_tensor(values, where, [Replicate()])
x = xd.from_dtensor(whole)
assert xd.layout(x).axis is None
assert xp.to_torch(x).data_ptr() == whole.to_local().data_ptr()
back = xd.to_dtensor(x)
assert back.placements == (Replicate(),)
assert back.to_local().data_ptr() == whole.to_local().data_ptr()
summed = xd.from_dtensor(DTensor.from_local(values, where, [Partial()], run_check=False))
assert np.array_equal(np.asarray(xd.gather(summed)), size * values)

d = distribute_tensor(values, where, [Shard(0)]).requires_grad_()
loss = xp.sum(xp.matmul(xd.from_dtensor(d).T, xd.from_dtensor(d)) ** 2)
xp.to_torch(loss).backward()
own = values.clone().requires_grad_()
((own.T @ own) ** 2).sum().backward()
torch.testing.assert_close(d.grad.full_tensor(), own.grad)
x = xd.shard(xp.asarray(values.clone().requires_grad_()), device=xd.init(where))
assert xd.to_dtensor(x).requires_grad

uneven = DTensor.from_local(
    values[: 1 + 2 * rank], where, [Shard(0)], run_check=False, shape=(9, 5), stride=(5, 1)
)
assert rank == 1 or "where torch divides so that" in raised(lambda: xd.from_dtensor(uneven))
for call in (lambda: xp.asarray(d), lambda: xp.asarray([d, d], device=x.device)):
    assert "Use distributed.from_dtensor(x)" in raised(call), raised(call)
for call in (lambda: xd.from_dtensor(values), lambda: xd.to_dtensor(values)):
    assert raised(call).startswith("TypeError"), raised(call)
assert "simulated" in raised(lambda: xd.to_dtensor(xp.ones(3, device=xd.init("cpu", simulate=2))))
assert "expected a mesh" in raised(lambda: xd.to_dtensor(xp.ones(3, device="cpu")))
""",
        end=DTENSORS,
    )


@pytest.mark.nightly
def test_a_model_of_fsdp_has_its_loss_on_a_mesh(tmp_path):
    ended(
        tmp_path,
        2,
        """
import copy
from torch import nn
from torch.distributed.fsdp import fully_shard
where = init_device_mesh("cpu", (size,))
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 7), nn.Tanh(), nn.Linear(7, 2)).double()
alone = copy.deepcopy(model)
values, wanted = torch.randn(9, 3).double(), torch.randn(9, 2).double()
for layer in (model[0], model[2]):
    fully_shard(layer, mesh=where)
    # The loss is that of all rows, so FSDP must add up the gradients, not average them.
    name = "set_gradient_divide_factor"  # from torch 2.8 on
    getattr(layer, name if hasattr(layer, name) else "set_reduce_scatter_divide_factor")(1.0)
fully_shard(model, mesh=where)
mesh = xd.init(where)
steps = [torch.optim.SGD(m.parameters(), lr=0.1) for m in (model, alone)]
own = slice(0, 5) if rank == 0 else slice(5, 9)

def loss(made, wanted, parameters):
    off = xp.mean(xp.sum((made - wanted) ** 2, axis=1)) / xp.std(wanted) + 0.1 * xp.max(made)
    return xp.to_torch(off + 0.01 * sum(xp.sum(p**2) for p in parameters))

for _ in range(3):
    rows = [xd.from_parts(xp.asarray(t), device=mesh) for t in (model(values[own]), wanted[own])]
    with xp.options(gather="error"):
        total = loss(*rows, map(xd.from_dtensor, model.parameters()))
        total.backward()
    own_rows = xp.asarray(alone(values)), xp.asarray(wanted)
    expected = loss(*own_rows, map(xp.asarray, alone.parameters()))
    expected.backward()
    torch.testing.assert_close(total, expected)
    for p, q in zip(model.parameters(), alone.parameters(), strict=True):
        torch.testing.assert_close(p.grad.full_tensor(), q.grad)
    for step in steps:
        step.step()
        step.zero_grad()
for p, q in zip(model.parameters(), alone.parameters(), strict=True):
    torch.testing.assert_close(p.full_tensor(), q)
    x = xd.from_dtensor(p.detach())
    assert xp.to_torch(xd.parts(x)[0]).data_ptr() == p.to_local().data_ptr()
""",
        end=DTENSORS,
    )


@pytest.mark.nightly
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


@pytest.mark.nightly
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


@pytest.mark.nightly
def test_bytes_that_do_not_arrive_are_found_at_once(tmp_path):
    ended(
        tmp_path,
        2,
        """
own = dist.all_to_all_single
for broken, name in ((0, "a swap of equal pieces of known"), (2, "a swap of known")):
    def zeros(received, sent, *sizes, group=None, async_op=False):
        work = own(received, sent, *sizes, group=group, async_op=async_op)
        work.wait()
        if len(sizes) == broken:
            received.zero_()
        return work
    dist.all_to_all_single = zeros
    told = raised(lambda: xd.init("cpu"))
    assert name in told and "[0, 0" in told and "instead of [" in told, told
dist.all_to_all_single = own
dist.barrier()
time.sleep(3 * rank)  # longer than others wait before they ask what this one computes
mesh = xd.init("cpu")
assert mesh.backend.transport.calls == 0
assert float(xp.sum(xp.ones(4, device=mesh))) == 4.0
""",
    )


def test_what_is_no_group_is_refused():
    with pytest.raises(ValueError, match="leave out the group"):
        xd.init("cpu", simulate=2, group=object())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="init"):
        xd.init(3.5)  # type: ignore[arg-type]
