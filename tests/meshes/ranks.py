"""Functions that several processes run together, by their names: see ``workers.py``.

Each is given the group of the processes, or None for all that there are.  What they return is
asserted in the tests.
"""

from __future__ import annotations

import copy
import functools
import inspect
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import programs
import torch
import torch.distributed as dist
import views
from torch.overrides import TorchFunctionMode

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from ascend_array_api._backends.mesh import products
from ascend_array_api._torch.private import store_of_processes

LONG: Final = 600
"""A time limit that no case reaches: whoever waits for it hangs, and the test ends it before."""


def begun(group, *, timeout=LONG, agree=None):
    """Return the mesh of a group; that of all processes compares again what they do."""
    agree = True if group is None and agree is None else agree
    return xd.init("cpu", timeout=timeout, agree=agree, group=group)


def raised(call):
    """Return what a call raises, or gives."""
    try:
        return f"gave {call()}"
    except Exception as error:  # noqa: BLE001 the test looks at it
        return f"{type(error).__name__}: {error}"


def last_line(function: Callable[..., Any], before: int = 0) -> str:
    """Return where the last line of a function is, or one before it, as errors tell it."""
    lines, first = inspect.getsourcelines(function)
    return f"ranks.py:{first + len(lines) - 1 - before}"


# --- test_agreement.py ----------------------------------------------------------------------------

DIFFERENT: Final[dict[str, Callable[..., Any]]] = {}
"""Programs that differ by the rank."""


def different(function):
    DIFFERENT[function.__name__] = function
    return function


@different
def sum_or_max(x, rank):
    return float(xp.sum(x) if rank == 0 else xp.max(x))


@different
def data_types(x, rank):
    return float(xp.sum(xp.astype(x, xp.float64) if rank else x))


@different
def shapes(x, rank):
    return float(xp.sum(xp.ones((4 + rank, 3), device=x.device)))


@different
def numbers_of_bytes(x, rank):
    return float(xp.sum(xp.sum(xp.ones((4, 3 + 40 * rank), device=x.device), axis=0)))


@different
def roll_or_gather(x, rank):
    return xp.roll(x, 1) if rank else xd.gather(x)


@different
def large_sums(x, rank):
    return float(xp.sum(xp.ones((4, 300_000 + rank), device=x.device), axis=0)[0])


@different
def large_products(x, rank):
    x = xp.ones((512 + 16 * rank,) * 2, device=x.device)
    return x @ x


@different
def small_max_or_large_gather(x, rank):
    y = xp.zeros((300_000, 2), device=x.device)
    return xp.max(x) if rank else xd.gather(y)


@different
def small_sum_or_large_product(x, rank):
    y = xp.ones((512, 512), device=x.device)
    return xp.sum(x) if rank else y @ y


@different
def large_gathers(x, rank):
    n = 300_000
    return xd.gather(xp.zeros((n, 1 + rank), device=x.device))


def each_another(x, rank):
    return [xp.sum, xp.max, xp.sum][rank](x)


def behind(x, rank):
    try:
        if rank == 1:
            raise KeyError  # noqa: TRY301 as a program may
        return xp.sum(x * 3)
    except KeyError:
        return xp.sum(x)


def branch(x, rank):
    if rank:
        return float(xp.sum(x))
    return float(xp.sum(x))


def alike(x, rank):
    for _ in range(3):
        if rank == 0:
            print(x * 2, x[1:3].shape if False else x.shape)  # nothing is asked of others
        large = xp.zeros((300_000, 2), device=x.device)
        shapes = xd.gather(xp.roll(x, 1)).shape, xd.gather(large).shape
    return shapes, float(xp.std(x)), xp.sort(x).shape, float(xp.linalg.vector_norm(x))


def compared(group, program, agree=None):
    """Run a program; return what it raises, or gives."""
    mesh = begun(group, agree=agree)
    x = xp.asarray([1.0, 5.0, 3.0, 7.0], device=mesh)
    return raised(lambda: program(x, xd.rank(mesh)))


def threads(group):
    """Compute in several threads, of which one takes the mesh over; return what each was told."""
    x, told = xp.asarray([1.0, 5.0, 3.0, 7.0], device=begun(group)), []

    def takes_over():
        begun(group)
        told.append(raised(lambda: float(xp.sum(x))))

    several = [
        threading.Thread(target=lambda: told.append(raised(lambda: xp.sum(x))), name=f"worker {k}")
        for k in range(3)
    ]
    for thread in (*several, threading.Thread(target=takes_over)):
        thread.start()
        thread.join()
    told.append(raised(lambda: xp.sum(x)))
    begun(group)
    return [*told, float(xp.sum(x))]


# --- test_groups.py -------------------------------------------------------------------------------


def some_compute(_, path):
    """Compute in processes 1 and 2 of all; return what each was told."""
    some = dist.new_group([1, 2])
    if dist.get_rank() not in {1, 2}:
        return raised(lambda: begun(some))
    mesh = begun(some)
    assert mesh == xd.init("cpu", group=some) != xd.init("cpu", simulate=2)
    assert xd.rank(mesh) == dist.get_rank() - 1
    x = xp.asarray(np.arange(6.0), device=mesh)
    assert xd.layout(x).sizes == (3, 3)
    assert float(xp.sum(x)) == 15.0
    assert np.asarray(xd.gather(xp.roll(x, 1))).tolist() == [5, 0, 1, 2, 3, 4]
    with xp.options(device=mesh):
        drawn = np.asarray(xd.gather(xp.random.default_rng().normal(size=4)))
    every = xd.from_parts(xp.asarray(drawn[None, :], device="cpu"), device=mesh)
    assert bool(xp.all(every == every[:1, :])), "another stream in each process"
    xd.save({"x": x}, path)
    y = xd.load(path, device=mesh)["x"]
    assert bool(xp.all(x == y))
    return raised(lambda: xp.sum(x) if dist.get_rank() == 1 else xp.max(x))


def everyone(group):
    """Return the sum of a one of each process."""
    return float(xp.sum(xp.ones(dist.get_world_size(group), device=begun(group))))


def dimensions(_):
    """Return what is raised for a DeviceMesh of two dimensions, and sums over each of these."""
    from torch.distributed.device_mesh import init_device_mesh

    both = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    told = [raised(lambda: xd.init(both))]
    told.append(raised(lambda: xd.init(both["tp"], group=dist.group.WORLD)))
    sums = []
    for name in ("dp", "tp"):
        mesh = xd.init(both[name])
        assert mesh == xd.init("cpu", group=both.get_group(name))
        own = xp.asarray([float(dist.get_rank())], device="cpu")
        sums.append(float(xp.sum(xd.from_parts(own, device=mesh))))
    return told, sums


def device_mesh(group):
    from torch.distributed.device_mesh import DeviceMesh

    return DeviceMesh.from_group(group, "cpu")


def dtensors(group):
    """Compare arrays with the DTensors whose memory they share."""
    from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

    where, size, rank = device_mesh(group), dist.get_world_size(group), dist.get_rank(group)
    values = torch.arange(35.0).reshape(7, 5)
    for axis in (0, 1):
        d = distribute_tensor(values, where, [Shard(axis)])
        x = xd.from_dtensor(d)
        assert x.device == xd.init(where)
        assert xd.layout(x).axis == axis
        assert xp.to_torch(xd.parts(x)[0]).data_ptr() == d.to_local().data_ptr()
        x += 1  # in the memory of the DTensor
        assert torch.equal(d.full_tensor(), values + 1)
        assert np.array_equal(np.asarray(xd.gather(xp.sum(x, axis=0))), (values + 1).sum(0))
        for y in (x, x.T, xp.expand_dims(x, axis=0)):
            back = xd.to_dtensor(y)
            assert type(back) is DTensor
            assert back.placements == (Shard(xd.layout(y).axis),)
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
    simulated = xp.ones(3, device=xd.init("cpu", simulate=2))
    assert "simulated" in raised(lambda: xd.to_dtensor(simulated))
    assert "expected a mesh" in raised(lambda: xd.to_dtensor(xp.ones(3, device="cpu")))


def fsdp(group):
    """Train a model of FSDP, whose loss is computed on a mesh, beside one that is alone."""
    from torch import nn
    from torch.distributed.fsdp import fully_shard

    where = device_mesh(group)
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
    own = slice(0, 5) if dist.get_rank(group) == 0 else slice(5, 9)

    def loss(made, wanted, parameters):
        off = xp.mean(xp.sum((made - wanted) ** 2, axis=1)) / xp.std(wanted) + 0.1 * xp.max(made)
        return xp.to_torch(off + 0.01 * sum(xp.sum(p**2) for p in parameters))

    for _ in range(3):
        local = model(values[own]), wanted[own]
        rows = [xd.from_parts(xp.asarray(t), device=mesh) for t in local]
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


def waits_in_vain(group, call, agree=None):
    """Let process 0 compute alone; return what it was told of its time limit of two seconds."""
    x = xp.ones((600, 600), device=begun(group, agree=agree))
    assert float(xp.sum(x)) == 360_000.0
    begun(group, timeout=2)
    store, key = store_of_processes(), f"{group.group_name} told"
    if xd.rank(x.device) == 0:
        told = raised(lambda: call(x))
        store.set(key, "")
        return told
    store.wait([key])
    return None


def total(x):
    return float(xp.sum(x))


def square(x):
    return x @ x


def broken_libraries(group):
    """Return what ``init`` raises where some of the bytes that it sends arrive as zeros."""
    own, told = dist.all_to_all_single, []
    for broken in (0, 2):

        def zeros(received, sent, *sizes, group=None, async_op=False, broken=broken):
            work = own(received, sent, *sizes, group=group, async_op=async_op)
            work.wait()
            if len(sizes) == broken:
                received.zero_()
            return work

        dist.all_to_all_single = zeros
        try:
            told.append(raised(lambda: begun(group)))
        finally:
            dist.all_to_all_single = own
    dist.barrier(group)
    time.sleep(3 * dist.get_rank(group))  # longer than others wait before they ask what it computes
    mesh = begun(group)
    return told, mesh.backend.transport.calls, float(xp.sum(xp.ones(4, device=mesh)))


# --- test_rounds.py -------------------------------------------------------------------------------


class Noted:
    """A collective, of which it is noted when it has arrived."""

    def __init__(self, work, noted):
        self.work, self.noted = work, noted

    def wait(self, *limit):
        self.work.wait(*limit)
        self.noted.append("arrived")

    def is_completed(self):
        return self.work.is_completed()


# A TorchDispatchMode would see the collectives too.
class Multiplications(TorchFunctionMode):
    """Notes each product of parts."""

    def __init__(self, noted):
        super().__init__()
        self.noted = noted

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.matmul:
            self.noted.append("product")
        return func(*args, **(kwargs or {}))


def order(group, columns, agree):
    """Return the steps of a product, and how many bytes more than needed it received."""
    mesh, noted = begun(group, agree=agree), []
    transport = mesh.backend.transport
    begin = transport._swap

    def swap(*operands, **options):
        noted.append("passed on")
        return Noted(begin(*operands, **options), noted)

    transport._swap = swap
    a = np.random.default_rng(0).normal(size=(8, columns))
    b = np.random.default_rng(1).normal(size=(columns, columns))
    x, y = xp.asarray(a, device=mesh), xp.asarray(b, device=mesh)
    before = transport.bytes
    with Multiplications(noted), xp.options(gather="error"):
        made = x @ y
    received = transport.bytes - before
    np.testing.assert_allclose(np.asarray(xd.gather(made)), a @ b, rtol=1e-9, atol=1e-9)
    most = -(-columns // transport.size)
    own = max(0, min(most, columns - xd.rank(mesh) * most))
    return noted, received - (columns - own) * b[0].nbytes


DTYPES: Final = (
    "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 complex64 complex128"
)


def products_in_groups(_, layouts):
    """Multiply in two groups of all processes, of which no rank is the next one's; list errors."""
    groups = [dist.new_group(members) for members in ([1, 3], [0, 2])]
    wrong = []
    for agree in (True, False):
        mesh = begun(groups[dist.get_rank() % 2 == 0], agree=agree)
        rng = np.random.default_rng(0)
        for name in DTYPES.split():
            for n in (1, 3, 7, 300):
                a, b = (rng.integers(0, 3, size=s).astype(name) for s in ((n + 1, n), (n, n + 2)))
                for axes in layouts:
                    x, y = (xd.shard(m, axis, device=mesh) for m, axis in zip((a, b), axes))
                    with xp.options(gather="error"):
                        made = x @ y
                    got = np.asarray(xd.gather(made))
                    if got.dtype != a.dtype or not (got == a @ b).all():
                        wrong.append((agree, name, n, axes))
    return wrong


def roll(x):
    return xp.roll(x, 1, axis=0)


def interrupted(group, instead):
    """Let one process leave a product and compute on; return what each is told."""
    mesh = begun(group)
    x, whole = xp.ones((600, 600), device=mesh), products.extents

    def fails(*operands):
        products.extents = whole
        raise MemoryError

    if xd.rank(mesh) == 1:
        products.extents = fails

    def program():
        try:
            square(x)
        except MemoryError:
            instead(x)
        return float(xp.max(x))

    try:
        return raised(program)
    finally:
        products.extents = whole


# --- test_many_ranks.py ---------------------------------------------------------------------------


def same_bits(group, agree):
    """Compare large sums of processes with NumPy's, what they receive, and the bits of each."""
    mesh = begun(group, agree=agree)
    transport = mesh.backend.transport
    values = np.random.default_rng(0).normal(size=(6, 90_001))
    for dtype in ("float32", "float64", "int64", "complex64", "int16"):
        x = xp.asarray((100 * values).astype(dtype), device=mesh)
        for call in (xp.sum, xp.max, xp.mean, xp.std):
            if (call is xp.max and dtype == "complex64") or (
                call in (xp.mean, xp.std) and not dtype.startswith("float")
            ):
                continue
            before = transport.bytes
            made = np.asarray(xd.gather(call(x, axis=0)))
            assert transport.bytes - before < 2.2 * made.nbytes * (1 + (call is xp.std)), call
            once = np.asarray(xd.gather(x)).astype(dtype if dtype != "float32" else "float64")
            expected = getattr(np, call.__name__)(once, axis=0)
            most = np.finfo(dtype).eps * 6 * np.max(np.abs(once)) if made.dtype.kind in "fc" else 0
            np.testing.assert_allclose(made, expected, rtol=0, atol=most)
            every = xd.from_parts(xp.asarray(made.view("u1")[None, :], device="cpu"), device=mesh)
            assert bool(xp.all(every == every[:1, :])), "other bits in another process"
    rows = np.random.default_rng(1).normal(size=(transport.size, 500)).astype("float32")
    x = xp.asarray(rows, device=mesh)
    several = [row[:, None] * row for row in rows]
    before = transport.swapped
    np.testing.assert_allclose(np.asarray(xd.gather(xp.matmul(x.T, x))), sum(several), atol=1e-5)
    assert transport.swapped == before, "the library was to add up"
    torch.use_deterministic_algorithms(True)
    try:
        made = np.asarray(xd.gather(xp.matmul(x.T, x)))
    finally:
        torch.use_deterministic_algorithms(False)
    assert transport.swapped > before
    assert made.tobytes() == functools.reduce(np.add, several).tobytes(), "in the order of ranks"


# --- test_mesh_gradients.py, test_views.py --------------------------------------------------------


def gradients(group):
    """Return the programs whose gradients differ from those of one device."""
    return programs.differences(begun(group))


PAGE: Final = Path(__file__).parents[2] / "docs/cookbook.md"


def cookbook_on(mesh):
    """Run the programs of the cookbook on a mesh."""
    flags = re.MULTILINE | re.DOTALL
    blocks = re.findall(r"^```python$(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags)
    first, *several = blocks
    descent = [p for p in several if "torch.autograd.grad" in p]
    assert (len(several), len(descent)) == (10, 1)
    with xp.options(device=mesh):
        for program in several:
            names = {}
            exec(first, names)
            with xp.options(gather="error" if program in descent else "allow"):
                exec(program, names)
            xd.gather_report(clear=True)
    assert xd.layout(names["values"]).axis == 0


def cookbook(group):
    """Run the programs of the cookbook on a mesh of processes."""
    cookbook_on(begun(group))


def writes(group):
    """Return the programs whose writes reach something else than NumPy's."""
    return views.differences(begun(group))


# --- test_processes.py ----------------------------------------------------------------------------


def kept(group, path, saves):
    """Save arrays if that is asked for; return whether they load as they were, and their axes."""
    mesh = begun(group)
    numbers = xp.reshape(xp.arange(35.0, device="cpu"), (7, 5))
    arrays = {
        "rows": xd.shard(numbers, device=mesh),
        "columns": xd.shard(numbers, 1, device=mesh),
        "whole": xd.replicate(numbers, device=mesh),
    }
    if saves:
        xd.save(arrays, path)
    found = xd.load(path, device=mesh)
    with xp.options(gather="allow"):
        same = [bool(xp.all(found[name] == x)) for name, x in arrays.items()]
    return same, [xd.layout(x).axis for x in found.values()]


def controlled(group):
    """Branch by values; return them, and what one process alone shows of an array."""
    mesh = begun(group)
    x, shown = xp.random.default_rng(3, device=mesh).standard_normal((101, 4)), ""
    if xd.rank(mesh) == 0:
        shown = f"{x} {x!r} {x[:, 0]}"  # one process alone: it asks no other
    steps, value = 0, xp.sum(x * x)
    while value > 1e-3:  # a branch by a value is the same in every process
        x = x * 0.5 if float(xp.max(x)) > 0.1 else x * 0.25
        value, steps = xp.sum(x * x), steps + 1
        if xp.any(x > 1.0) or int(xp.argmax(x[:, 0])) > 50:
            x = x - xp.mean(x, axis=0)
    return shown, (steps, float(value).hex(), float(xp.std(x)).hex())


def unseeded(group):
    """Return what generators without a seed draw, and the seeds that they took."""
    mesh = begun(group)
    rng = xp.random.default_rng(device=mesh)
    drawn = str(xd.gather(rng.normal(size=9))), str(rng.integers(10**9, size=1))
    native = xp.random.Native(device=mesh).seed_seq.entropy
    return drawn, rng.bit_generator.seed_seq.entropy, native
