"""Arrays over several real processes, which gloo joins; and what an import brings along."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from processes import GLOO_THREADS, ranks

ROOT = Path(__file__).parents[2]
LAUNCH = ("-m", "torch.distributed.run", "--nproc-per-node")


def run(*arguments: str, seconds: float = 300) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT), str(ROOT / "examples")])
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def test_nobody_pays_who_has_no_mesh():
    code = """
import sys
import ascend_array_api as xp
xp.ones(3) + 1
found = [m for m in sys.modules if m.startswith(("ascend_array_api.distributed",
         "ascend_array_api._backends.mesh", "ascend_array_api._reports.gathers"))]
assert not found, found
"""
    done = run("-c", code)
    assert done.returncode == 0, done.stderr


@pytest.mark.nightly
@pytest.mark.parametrize("number", [2, 3])
def test_every_function_between_processes(number):
    command = (
        "-m",
        "conformance",
        "meshes",
        "--processes",
        "--dtypes",
        "float32",
        "int16",
        "uint64",
    )
    done = run(*LAUNCH, str(number), *command, "complex64", "bool", seconds=900)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    for rank in range(number):
        assert f"rank {rank} of mesh(cpu, {number}): " in done.stdout
    assert done.stdout.count(" functions, 0 wrong") == number


@pytest.mark.parametrize(
    "only",
    [["GaussianNB"], pytest.param([], marks=pytest.mark.nightly)],
    ids=["one", "all"],
)
def test_scipy_and_scikit_learn_on_divided_arrays(only):
    pytest.importorskip("sklearn")
    command = ("-m", "conformance", "meshes", "--consumers", "--sizes", "3")
    done = run(*command, *(["-k", *only] if only else []), seconds=900)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert done.stdout.count(": right") >= (3 if only else 80)
    assert done.stdout.count(": no: ") == (0 if only else 1)  # KMeans
    found = re.findall(r": (?:\w+\.)*(\w+)\(.*: right \(gathers: ", done.stdout)
    page = (ROOT / "docs/distributed.md").read_text(encoding="utf-8")
    said = re.search(
        r"(\d+) of its (\d+) expressions gather nothing(.*) and `make_pipeline`", page, re.DOTALL
    )
    assert said is not None
    listed = {*re.findall(r"`(\w+)`", said[3]), "make_pipeline"}
    if only:
        assert set(found) == {*only, "cross_val_score"} <= listed
        return
    assert set(found) == listed
    right = done.stdout.count(": right")
    assert (int(said[1]), int(said[2])) == (right - len(found), right)


@pytest.mark.nightly
def test_the_example_agrees_with_numpy():
    done = run(*LAUNCH, "2", "examples/sharded.py", "--device", "cpu")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "divided by rows, (899, 898)" in done.stdout
    assert done.stdout.count("All results agree with NumPy's.") == 1


@pytest.mark.nightly
def test_programs_are_timed_between_processes():
    # Where a sum is 0 but for its rounding, which differs.
    done = run("-m", "benchmarks", "meshes", "--rows", "5000", "--rounds", "2")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "standardise, gram, sum" in done.stdout
    assert done.stdout.count("x.T @ x") == 2


LEFT = f"""
import atexit
import ascend_array_api as xp, ascend_array_api.distributed as xd

def last():
{textwrap.indent(GLOO_THREADS, "    ")}
atexit.register(last)
mesh = xd.init("cpu", timeout=60)
x = xp.ones((6, 2), device=mesh)
{{torchs}}
print("sum", float(xp.sum(x)))
"""
DTENSOR = "xd.to_dtensor(x).sum().full_tensor()"
MODE = """
from torch.utils._python_dispatch import TorchDispatchMode

class Plain(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))

with Plain():
    xp.to_torch(xp.ones(2)) + 1
"""


@pytest.mark.nightly
@pytest.mark.parametrize("torchs", [DTENSOR, MODE], ids=["DTensor", "mode"])
def test_no_thread_of_gloo_outlives_the_program(torchs, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(LEFT.format(torchs=torchs), encoding="utf-8")
    for code, said in ranks(script, 2, seconds=120):
        assert code == 0, said
        assert "sum 12.0" in said, said
        assert "left False" in said, said


FAILING = """
import os, sys
import ascend_array_api as xp, ascend_array_api.distributed as xd
mesh = xd.init("cpu", timeout=10)
x = xp.arange(8, device=mesh)
if xd.rank(mesh) == 1:
    {wrong}
try:
    print(float(xp.sum(x)))
except RuntimeError as error:
    print("told:", type(error).__name__, flush=True)
    os._exit(3)
"""


@pytest.mark.nightly
@pytest.mark.parametrize(
    "wrong",
    ["raise ValueError('this one alone')", "os._exit(1)", "import time; time.sleep(40)"],
    ids=["raises", "dies", "is late"],
)
def test_the_failure_of_one_process_ends_the_others(wrong, tmp_path):
    script = tmp_path / "failing.py"
    script.write_text(FAILING.format(wrong=wrong), encoding="utf-8")
    began = time.monotonic()
    code, said = ranks(script, 2, seconds=50)[0]
    assert code == 3, said
    assert "told: " in said, said
    assert time.monotonic() - began < 60


SAVING = """
import os
import ascend_array_api as xp, ascend_array_api.distributed as xd
mesh = xd.init("cpu", timeout=60)
numbers = xp.reshape(xp.arange(35.0, device="cpu"), (7, 5))
arrays = {{
    "rows": xd.shard(numbers, device=mesh),
    "columns": xd.shard(numbers, 1, device=mesh),
    "whole": xd.replicate(numbers, device=mesh),
}}
if {saves}:
    xd.save(arrays, {path!r})
found = xd.load({path!r}, device=mesh)
with xp.options(gather="allow"):
    same = [bool(xp.all(found[name] == x)) for name, x in arrays.items()]
print("same", same, [xd.layout(x).axis for x in found.values()])
"""


@pytest.mark.nightly
def test_what_two_processes_save_three_load(tmp_path):
    for number, saves in ((2, True), (3, False)):
        script = tmp_path / "saving.py"
        path = str(tmp_path / "kept")
        script.write_text(SAVING.format(saves=saves, path=path), encoding="utf-8")
        for code, said in ranks(script, number, seconds=120):
            assert code == 0, said
            assert "same [True, True, True] [0, 1, 0]" in said


CONTROLLED = """
import ascend_array_api as xp, ascend_array_api.distributed as xd
mesh = xd.init("cpu", timeout=60)
x = xp.random.default_rng(3, device=mesh).standard_normal((101, 4))
if xd.rank(mesh) == 0:
    print(x, repr(x), str(x[:, 0]))  # one process alone: it asks no other
steps, value = 0, xp.sum(x * x)
while value > 1e-3:  # a branch by a value is the same in every process
    x = x * 0.5 if float(xp.max(x)) > 0.1 else x * 0.25
    value, steps = xp.sum(x * x), steps + 1
    if xp.any(x > 1.0) or int(xp.argmax(x[:, 0])) > 50:
        x = x - xp.mean(x, axis=0)
print("steps", steps, float(value).hex(), float(xp.std(x)).hex())
"""


def test_branches_are_the_same_in_every_process_and_one_may_print_alone(tmp_path):
    script = tmp_path / "controlled.py"
    script.write_text(CONTROLLED, encoding="utf-8")
    ended = ranks(script, 2, seconds=120)
    assert [code for code, _ in ended] == [0, 0], ended
    steps = [line for _, said in ended for line in said.splitlines() if line.startswith("steps")]
    assert len(steps) == 2
    assert len(set(steps)) == 1, steps
    assert "of 101 along axis 0" in ended[0][1]


UNSEEDED = """
import ascend_array_api as xp, ascend_array_api.distributed as xd
mesh = xd.init("cpu", timeout=60)
rng = xp.random.default_rng(device=mesh)
drawn = rng.normal(size=9)
print("drawn", xd.gather(drawn), rng.integers(10**9, size=1), rng.bit_generator.seed_seq.entropy)
print("native", xp.random.Native(device=mesh).seed_seq.entropy)
"""


@pytest.mark.nightly
def test_a_generator_without_a_seed_is_one_for_all_processes(tmp_path):
    script = tmp_path / "unseeded.py"
    script.write_text(UNSEEDED, encoding="utf-8")
    ended = ranks(script, 2, seconds=120)
    assert [code for code, _ in ended] == [0, 0], ended
    said = [[s for s in text.splitlines() if "drawn" in s or "native" in s] for _, text in ended]
    assert len(said[0]) == 2
    assert said[0] == said[1]
