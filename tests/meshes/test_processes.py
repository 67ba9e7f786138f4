"""Arrays over several real processes, which gloo joins; and what an import brings along."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import endings
import pytest
import ranks as programs
from parametrize import everything
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


@pytest.mark.nightly
@pytest.mark.parametrize("number", [2, 3])
def test_every_function_between_processes(number):
    command = ("-m", "workshop", "meshes", "--processes", "--dtypes", "float32", "int16", "uint64")
    done = run(*LAUNCH, str(number), *command, "complex64", "bool", seconds=900)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    for rank in range(number):
        assert f"rank {rank} of mesh(cpu, {number}): " in done.stdout
    assert done.stdout.count(" functions, 0 wrong") == number


@pytest.mark.nightly
def test_scipy_and_scikit_learn_on_divided_arrays():
    pytest.importorskip("sklearn")
    only = [] if everything() else ["GaussianNB"]
    command = ("-m", "workshop", "meshes", "--consumers", "--sizes", "3")
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


@pytest.mark.nightly
def test_no_thread_of_gloo_outlives_the_program():
    """Though DTensor and a dispatch mode import functions that keep a group."""
    for code, said in ranks(Path(endings.__file__), 2, "leaves_dtensors", seconds=300):
        assert code == 0, said
        assert "sum 12.0" in said, said
        assert "left False" in said, said


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["raises", "dies"])
def test_the_failure_of_one_process_ends_the_others(name):
    code, said = ranks(Path(endings.__file__), 2, name, seconds=300)[0]
    assert code == 3, said
    assert "told: " in said, said


def test_what_two_processes_save_three_load(tmp_path, workers):
    for number in (2, 3):
        same = workers.run(number, programs.kept, str(tmp_path / "kept"), number == 2)
        assert same == [([True] * 3, [0, 1, 0])] * number


def test_branches_are_the_same_in_every_process_and_one_may_print_alone(workers):
    (shown, steps), (_, others) = workers.run(2, programs.controlled)
    assert steps == others
    assert "of 101 along axis 0" in shown


def test_a_generator_without_a_seed_is_one_for_all_processes(workers):
    first, second = workers.run(2, programs.unseeded)
    assert first == second
