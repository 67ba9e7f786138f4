"""The examples: they run, they agree with NumPy, and they would notice if they did not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("scipy", minversion="1.17")
pytest.importorskip("sklearn", minversion="1.9")

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"

# Runs an example with one of its functions replaced wherever the arrays are not NumPy's.
REPLACE = """
import sys
import numpy as np
import scipy_signals as example

right = example.{function}

def wrong(x, *others):
    result = right(x, *others)
    return result if isinstance(x, np.ndarray) else {result}

example.{function} = wrong
sys.exit(example.main(sys.argv[1:]))
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    # The scripts switch SciPy's array API support on themselves.
    environment = {k: v for k, v in os.environ.items() if k != "SCIPY_ARRAY_API"}
    environment["PYTHONPATH"] = os.pathsep.join([str(EXAMPLES), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_demo_agrees_with_numpy(dtype):
    result = run(str(EXAMPLES / "demo.py"), "--device", "cpu", "--dtype", dtype)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stderr == ""
    assert f"ascend_array_api {dtype} on cpu" in result.stdout
    for example, count in ("sklearn_digits", 25), ("scipy_signals", 31):
        assert f"Of {count} outcomes, {count} agree with NumPy's, 0 do not." in result.stdout
        assert f"\n{example}" in result.stdout
    # What the analyses find is a property of the data, whatever computes it.
    words = " ".join(result.stdout.split())
    for finding in (
        "ridge classifier on a kernel 98.9%",
        "best template 90.7% 90.7%",
        "The most similar spectra are those of 3 and 9",
    ):
        assert finding in words
    assert "All outcomes agree" in result.stdout


def test_arrays_that_numpy_cannot_see():
    # On this device of array_api_strict, whoever lets NumPy have an array gets an error.
    pytest.importorskip("array_api_strict", minversion="2.4")
    result = run(
        *("-W", "ignore::RuntimeWarning"),  # scikit-learn silences 0 / 0 for NumPy alone.
        str(EXAMPLES / "demo.py"),
        *("--namespace", "array_api_strict", "--device", "device1"),
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "All outcomes agree" in result.stdout


@pytest.mark.parametrize(
    ("function", "wrong", "outcome"),
    [
        ("count_holes", "result + 1", "number of holes"),
        ("amplitude_spectrum", "result * 1.00003", "mean spectra"),
    ],
)
def test_wrong_outcomes_fail(function, wrong, outcome):
    result = run("-c", REPLACE.format(function=function, result=wrong), "--device", "cpu")
    assert result.returncode == 1, result.stdout + result.stderr
    assert result.stderr == ""
    failed = [line for line in result.stdout.splitlines() if line.endswith("FAILED")]
    assert any(line.startswith(f"{outcome} ") for line in failed)


@pytest.mark.parametrize(
    ("function", "wrong", "message"),
    [
        ("count_holes", "np.from_dlpack(result)", "number of holes: expected an array of"),
        (
            "mean_of_each_digit",
            "(xp := result.__array_namespace__()).astype(result, xp.float64)",
            "expected dtype",
        ),
    ],
)
def test_outcomes_from_elsewhere_are_refused(function, wrong, message):
    result = run("-c", REPLACE.format(function=function, result=wrong), "--device", "cpu")
    assert result.returncode == 1
    assert message in result.stderr
