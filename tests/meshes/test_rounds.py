"""Products for which the parts of one operand go around the ranks, while these multiply others."""

from __future__ import annotations

import numpy as np
import pytest
from processes import GLOO_THREADS, ranks
from torch.utils._python_dispatch import TorchDispatchMode

import ascend_array_api as xp
import ascend_array_api.distributed as xd

LAYOUTS = [(0, 0), (0, 1), (1, 1)]
"""The axes along which both operands are divided, if parts go around."""


class Multiplications(TorchDispatchMode):
    """Notes each product of parts."""

    def __init__(self, noted):
        super().__init__()
        self.noted = noted

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.name() == "aten::mm":
            self.noted.append("product")
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("axes", LAYOUTS)
@pytest.mark.parametrize("size", [2, 3, 4])
def test_simulated_parts_leave_before_the_present_ones_are_multiplied(size, axes, monkeypatch):
    mesh, noted = xd.init("cpu", simulate=size), []
    transport = mesh.backend.transport
    a, b = np.arange(35.0).reshape(5, 7), np.arange(63.0).reshape(7, 9)
    x, y = (xd.shard(m, axis, device=mesh) for m, axis in zip((a, b), axes))
    begin = transport.swap

    def swap(*operands):
        noted.append("passed on")
        return begin(*operands)

    monkeypatch.setattr(transport, "swap", swap)
    with Multiplications(noted), xp.options(gather="error"):
        made = x @ y
    np.testing.assert_array_equal(np.asarray(xd.gather(made)), a @ b)
    products = ["product"] * size
    assert noted == (["passed on", *products] * size)[: size * (size + 1) - size - 1] + products


BEGIN = """
import time
import numpy as np, torch, torch.distributed as dist
import ascend_array_api as xp, ascend_array_api.distributed as xd
dist.init_process_group("gloo")
"""
END = """
dist.destroy_process_group()  # gloo's threads would crash the process if they outlived Python
"""


def printed(tmp_path, number, body, *, seconds=120.0, after=""):
    script = tmp_path / "program.py"
    script.write_text(BEGIN + body + END + after, encoding="utf-8")
    done = ranks(script, number, seconds=seconds)
    assert [code for code, _ in done] == [0] * number, done
    return [text for _, text in done]


# A TorchDispatchMode would see the collectives too.
ORDER = """
from torch.overrides import TorchFunctionMode
mesh = xd.init("cpu", timeout=60, agree={agree})
transport, noted = mesh.backend.transport, []
begin = transport._swap

class Noted:
    def __init__(self, work):
        self.work = work
    def wait(self, *limit):
        self.work.wait(*limit)
        noted.append("arrived")
    def is_completed(self):
        return self.work.is_completed()

def swap(*operands, **options):
    noted.append("passed on")
    return Noted(begin(*operands, **options))

class Multiplications(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.matmul:
            noted.append("product")
        return func(*args, **(kwargs or {{}}))

transport._swap = swap
a = np.random.default_rng(0).normal(size=(8, {columns}))
b = np.random.default_rng(1).normal(size=({columns}, {columns}))
x, y = xp.asarray(a, device=mesh), xp.asarray(b, device=mesh)
before = transport.bytes
with Multiplications(), xp.options(gather="error"):
    made = x @ y
received = transport.bytes - before
np.testing.assert_allclose(np.asarray(xd.gather(made)), a @ b, rtol=1e-9, atol=1e-9)
most = -(-{columns} // transport.size)
own = max(0, min(most, {columns} - xd.rank(mesh) * most))
print("order", noted, received == b.nbytes - own * b[0].nbytes)
"""


@pytest.mark.nightly
@pytest.mark.parametrize("agree", [True, False])
@pytest.mark.parametrize("columns", [9, 600], ids=["small", "large"])
@pytest.mark.parametrize("number", [2, 3])
def test_parts_travel_while_processes_multiply(number, columns, agree, tmp_path):
    steps = ["passed on", "product", "arrived"] * (number - 1) + ["product"]
    program = ORDER.format(agree=agree, columns=columns)
    for text in printed(tmp_path, number, program, after=GLOO_THREADS):
        assert f"order {steps} True" in text, text
        assert "left False" in text, text


GROUPS = """
groups = [dist.new_group(members) for members in ([1, 3], [0, 2])]
group = groups[dist.get_rank() % 2 == 0]
for agree in (True, False):
    mesh = xd.init("cpu", timeout=60, agree=agree, group=group)
    rng = np.random.default_rng(0)
    for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
                 "float32", "float64", "complex64", "complex128"):
        for n in (1, 3, 7, 300):
            a, b = (rng.integers(0, 3, size=s).astype(name) for s in ((n + 1, n), (n, n + 2)))
            for axes in {layouts}:
                x, y = (xd.shard(m, axis, device=mesh) for m, axis in zip((a, b), axes))
                with xp.options(gather="error"):
                    made = x @ y
                got = np.asarray(xd.gather(made))
                assert got.dtype == a.dtype and (got == a @ b).all(), (name, n, axes)
dist.barrier()
print("ended")
"""


@pytest.mark.nightly
def test_groups_of_any_ranks_multiply_any_data_type(tmp_path):
    for text in printed(tmp_path, 4, GROUPS.format(layouts=LAYOUTS)):
        assert "ended" in text


INTERRUPTED = """
from ascend_array_api._backends.mesh import products
mesh = xd.init("cpu", timeout=100)
x = xp.ones((600, 600), device=mesh)
whole = products.extent

def fails(*operands):
    products.extent = whole
    raise MemoryError

if xd.rank(mesh) == 1:
    products.extent = fails
start = time.monotonic()
try:
    try:
        value = x @ x
    except MemoryError:
        value = {instead}
    value = float(xp.max(x))
    print("made", value)
except xd.RanksError as error:
    print("told", time.monotonic() - start < 20, error)
"""


@pytest.mark.parametrize(
    ("number", "instead"),
    [
        (2, "xp.sum(x)"),
        (3, "xp.sum(x)"),
        (3, "xp.roll(x, 1, axis=0)"),
        *(
            pytest.param(*case, marks=pytest.mark.nightly)
            for case in ((2, "x @ x"), (2, "xp.roll(x, 1, axis=0)"), (3, "x @ x"))
        ),
    ],
)
def test_a_process_that_leaves_a_product_is_told_of_at_the_next_call(number, instead, tmp_path):
    for text in printed(tmp_path, number, INTERRUPTED.format(instead=instead)):
        assert "told True the processes" in text, text
        assert "rank 0: " in text
        assert f"rank {number - 1}: " in text


LATE = """
import os
mesh = xd.init("cpu", timeout=2, agree={agree})
x = xp.ones((600, 600), device=mesh)
if xd.rank(mesh) == 1:
    time.sleep(12)
    os._exit(0)
start = time.monotonic()
try:
    x @ x
except RuntimeError as error:
    print("told", time.monotonic() - start < 10, type(error).__name__, flush=True)
    os._exit(0)
"""


@pytest.mark.parametrize("agree", [pytest.param(True, marks=pytest.mark.nightly), False])
def test_the_time_limit_holds_within_a_product(agree, tmp_path):
    first, _ = printed(tmp_path, 2, LATE.format(agree=agree), seconds=60)
    assert "told True" in first, first  # before the other process ends
