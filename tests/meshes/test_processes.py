"""Arrays over several real processes, which gloo joins; and what an import brings along."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import ranks

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
         "ascend_array_api._backends.mesh", "ascend_array_api._gathers"))]
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


@pytest.mark.nightly
def test_the_example_agrees_with_numpy():
    done = run(*LAUNCH, "2", "examples/sharded.py", "--device", "cpu")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "divided by rows, (899, 898)" in done.stdout
    assert done.stdout.count("All results agree with NumPy's.") == 1


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
