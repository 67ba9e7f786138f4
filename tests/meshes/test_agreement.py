"""Processes that do not compute the same: told, with what each of them did and where."""

from __future__ import annotations

import threading

import pytest
from processes import ranks

import ascend_array_api as xp
import ascend_array_api.distributed as xd

PROGRAM = """
import ascend_array_api as xp, ascend_array_api.distributed as xd
mesh = xd.init("cpu", timeout=200{options})
rank = xd.rank(mesh)
x = xp.asarray([1.0, 5.0, 3.0, 7.0], device=mesh)
try:
{body}
    print("made", value)
except RuntimeError as error:
    print("told", type(error).__name__, str(error))
"""


def said(tmp_path, body, *, number=2, options=""):
    script = tmp_path / "program.py"
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    script.write_text(PROGRAM.format(body=lines, options=options), encoding="utf-8")
    ended = ranks(script, number, seconds=100)  # long before the limit of the mesh
    assert [code for code, _ in ended] == [0] * number, ended
    return [
        next(line for line in text.splitlines() if line.startswith(("made", "told")))
        for _, text in ended
    ]


DIFFERENT = {
    "operation": (
        "value = float(xp.sum(x) if rank == 0 else xp.max(x))",
        "rank 0: sum of float32 (4,) at program.py:7; rank 1: max of float32 (4,)",
    ),
    "data type": (
        "value = float(xp.sum(xp.astype(x, xp.float64) if rank else x))",
        "rank 0: sum of float32 (4,) at program.py:7; rank 1: sum of float64 (4,)",
    ),
    "shape": (
        "value = float(xp.sum(xp.ones((4 + rank, 3), device=mesh)))",
        "rank 0: sum of float32 (4, 3) at program.py:7; rank 1: sum of float32 (5, 3)",
    ),
    "bytes": (
        "value = float(xp.sum(xp.sum(xp.ones((4, 3 + 40 * rank), device=mesh), axis=0)))",
        "rank 0: sum of float32 (4, 3) at program.py:7; rank 1: sum of float32 (4, 43)",
    ),
    "collective": (
        "value = xp.roll(x, 1) if rank else xd.gather(x)",
        "rank 0: a gather of shape (2,) at program.py:7; rank 1: roll of float32 (4,)",
    ),
    "large sum": (
        "value = float(xp.sum(xp.ones((4, 300_000 + rank), device=mesh), axis=0)[0])",
        "rank 0: sum of float32 (4, 300000) at program.py:7; rank 1: sum of float32 (4, 300001)",
    ),
    "product": (
        "x = xp.ones((512 + 16 * rank,) * 2, device=mesh)\nvalue = x @ x",
        "(512, 512), (512, 512) at program.py:8; rank 1: matmul of float32 (528, 528), (528, 528)",
    ),
    "large and small": (
        "y = xp.zeros((300_000, 2), device=mesh)\nvalue = xp.max(x) if rank else xd.gather(y)",
        "rank 0: a gather of shape (150000, 2) at program.py:8; rank 1: max of float32 (4,)",
    ),
    "large product and small sum": (
        "y = xp.ones((512, 512), device=mesh)\nvalue = xp.sum(x) if rank else y @ y",
        "rank 0: matmul of float32 (512, 512), (512, 512) at program.py:8; rank 1: sum of float32",
    ),
    "large": (
        "n = 300_000\nvalue = xd.gather(xp.zeros((n, 1 + rank), device=mesh))",
        "rank 0: a gather of shape (150000, 1) at program.py:8; rank 1: a gather of shape",
    ),
}


NIGHTLY = {"operation", "shape", "large", "large product and small sum"}
"""Those that take the ways of other programs of this module."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.nightly] if n in NIGHTLY else []) for n in DIFFERENT],
)
def test_what_differs_is_told_in_every_process(name, tmp_path):
    body, expected = DIFFERENT[name]
    for line in said(tmp_path, body):
        assert line.startswith("told RanksError the processes do not compute the same: "), line
        assert expected in line


@pytest.mark.nightly
def test_of_three_each_is_named(tmp_path):
    for line in said(tmp_path, "value = [xp.sum, xp.max, xp.sum][rank](x)", number=3):
        assert all(f"rank {r}: {name} of" in line for r, name in enumerate(("sum", "max", "sum")))


ENDED = {
    "swap": "y = xp.ones((600, 600), device=mesh)\nvalue = xp.roll(y, 1) if rank else xp.flip(y)",
    "gather": "value = xd.gather(xp.ones((6, 600 if rank else 6000), device=mesh))",
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", ENDED)
def test_a_process_that_gloo_ends_is_named_by_the_one_that_is_left(name, tmp_path):
    script = tmp_path / "program.py"
    body = "\n".join(f"    {line}" for line in ENDED[name].splitlines())
    script.write_text(PROGRAM.format(body=body, options=""), encoding="utf-8")
    (code, told), _ = ranks(script, 2, seconds=100)  # the second receives more than it expects
    assert code == 0, told
    assert "told RanksError " in told, told
    assert "rank 0: " in told
    assert "; rank 1: " in told


BEHIND = """
try:
    if rank == 1:
        raise KeyError
    value = xp.sum(x * 3)
except KeyError:
    value = xp.sum(x)
""".strip()


def test_a_process_that_is_behind_is_told_of_by_its_line(tmp_path):
    for line in said(tmp_path, BEHIND):
        assert line.startswith("told RanksError the processes compute one operation on different")
        assert "rank 0: sum of float32 (4,) at program.py:10; rank 1: sum" in line
        assert "at program.py:12. One of them is behind" in line


BRANCH = """
value = float(
    xp.sum(x)
    if rank else
    xp.sum(x)
)
""".strip()


@pytest.mark.nightly
def test_branches_by_the_rank_may_compute_the_same(tmp_path):
    assert all("init(agree='operations')" in line for line in said(tmp_path, BRANCH))
    options = ", agree='operations'"
    assert said(tmp_path, BRANCH, options=options) == ["made 16.0"] * 2
    body, expected = DIFFERENT["operation"]
    assert all(expected in line for line in said(tmp_path, body, options=options))


def test_programs_that_agree_are_told_nothing(tmp_path):
    body = """
for _ in range(3):
    if rank == 0:
        print(x * 2, x[1:3].shape if False else x.shape)  # nothing is asked of others
    value = xd.gather(xp.roll(x, 1)).shape, xd.gather(xp.zeros((300_000, 2), device=mesh)).shape
value = value, float(xp.std(x)), xp.sort(x).shape, float(xp.linalg.vector_norm(x))
""".strip()
    lines = said(tmp_path, body, number=3)
    assert lines[0] == lines[1] == lines[2]
    assert lines[0].startswith("made")


@pytest.mark.nightly
def test_it_is_left_out_where_it_is_not_wanted(tmp_path):
    body = DIFFERENT["operation"][0]
    assert said(tmp_path, body, options=", agree=False") == ["made 13.0", "made 7.0"]


THREADS = """
import threading
errors = []
def work():
    try:
        xp.sum(x)
    except xd.RanksError as error:
        errors.append(str(error))
threads = [threading.Thread(target=work, name=f"worker {k}") for k in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
def takes_over():
    xd.init("cpu")
    errors.append(float(xp.sum(x)))
thread = threading.Thread(target=takes_over)
thread.start()
thread.join()
try:
    xp.sum(x)
except xd.RanksError as error:
    errors.append(str(error)[:10])
xd.init("cpu")
value = sorted(map(str, errors)), float(xp.sum(x))
""".strip()


def test_one_thread_computes_on_a_mesh_of_processes(tmp_path):
    for line in said(tmp_path, THREADS):
        assert line.startswith("made (['16.0', 'MainThread', 'worker 0 computes on"), line
        assert line.count("that MainThread computes on") == 3
        assert line.endswith("16.0)")


def test_threads_may_compute_on_simulated_meshes():
    mesh = xd.init("cpu", simulate=3)
    x, found = xp.arange(7, device=mesh), []
    threads = [threading.Thread(target=lambda: found.append(int(xp.sum(x)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [21] * 4
