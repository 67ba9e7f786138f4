"""The examples: they run, they agree with NumPy, and they would notice if they did not."""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from processes import python

import ascend_array_api as xp

pytestmark = pytest.mark.nightly

pytest.importorskip("scipy", minversion="1.17")
pytest.importorskip("sklearn", minversion="1.9")

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

# Runs an example with some of its functions replaced wherever the arrays are not NumPy's.
REPLACE = """
import sys
import ascend_array_api as xp
import numpy as np
import scipy_signals as example

def replace(name, change):
    right = getattr(example, name)
    def wrong(x, *others):
        result = right(x, *others)
        return result if isinstance(x, np.ndarray) else change(result)
    setattr(example, name, wrong)

{replacements}
sys.exit(example.main(["--device", "cpu"]))
"""

# The worked examples: what each finds in its data, whatever computes it.
WORKED = {
    "scipy_statistics": ["9648 curves fitted", "worst perimeter 0.670"],
    "sklearn_pipeline": [
        "40 components, C = 10.0 0.1180",
        "strict: an array of the standard has no attribute 'sum'",
        "relaxed: an array of shape (1797, 64)",
    ],
    "compiled_fit": ["the loss goes from 2.316 to 0.126", "reads 92.2% of 450 new images"],
}
# Their tables that the site draws: a row, and how many there are.
DRAWN = {
    "scipy_statistics": (r"^(\w[\w ]*?)  +([\d.]+)  [\d.]+ to", 24),
    "sklearn_pipeline": (r"^(\d+ components, C = [\d.]+)  +([\d.]+)$", 6),
    "compiled_fit": (r"^(\d+)  +(\d\.\d{3})$", 11),
}
# Importing torch's compiler warns, of what torch itself uses.
COMPILING = ("-W", "ignore:`torch.jit:DeprecationWarning")


def run(*arguments: str, **more: str) -> Any:
    # The scripts switch SciPy's array API support on themselves.
    environment = {k: v for k, v in os.environ.items() if k != "SCIPY_ARRAY_API"}
    environment["PYTHONPATH"] = os.pathsep.join([str(EXAMPLES), str(ROOT)])
    return python("-W", "error", *arguments, code=None, env=environment | more, timeout=300)


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


@pytest.mark.parametrize("name", WORKED)
def test_worked_examples_agree_with_numpy(name):
    result = run(*COMPILING, str(EXAMPLES / f"{name}.py"), "--device", "cpu")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stderr == ""
    words = " ".join(result.stdout.split())
    for finding in WORKED[name]:
        assert finding in words
    assert "results agree with NumPy's." in words
    # The site draws the tables that the page shows.
    row, count = DRAWN[name]
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    shown, found = (dict(re.findall(row, text, re.MULTILINE)) for text in (page, result.stdout))
    assert len(shown) == count
    assert shown.keys() == found.keys()
    for key, value in shown.items():
        assert float(found[key]) == pytest.approx(float(value), abs=1.1e-3)


@pytest.mark.parametrize(
    ("name", "fault", "failed"),
    [
        ("scipy_statistics", "fit", "shapes of the curves"),
        ("sklearn_pipeline", "strict_and_relaxed", "shares of ink"),
        ("compiled_fit", "loss", "loss before"),
    ],
)
def test_worked_examples_notice_wrong_results(name, fault, failed):
    # One function is wrong by a little wherever the arrays are not NumPy's.
    wrong = f"""
import sys
import ascend_array_api as xp
import {name} as example

right = example.{fault}
def wrong(x, *others):
    mine = isinstance(x[0] if isinstance(x, list) else x, xp.Array)
    return right(x, *others) * (1.003 if mine else 1)
example.{fault} = wrong
sys.exit(example.main(["--device", "cpu"]))
"""
    # Without a compiler it goes faster, and the example says that it did without.
    result = run(*COMPILING, "-c", wrong, CXX="no-such-compiler")
    assert ("no C++ compiler" in result.stdout) == (name == "compiled_fit")
    assert result.returncode == 1, result.stdout + result.stderr
    assert result.stderr == ""
    rows = [line.split("  ")[0] for line in result.stdout.splitlines() if line.endswith("FAILED")]
    assert failed in rows


@pytest.mark.parametrize(
    ("value", "error"),
    [(np.ones(3), TypeError), (xp.ones(3, device="cpu"), ValueError)],
    ids=["namespace", "device"],
)
def test_worked_examples_refuse_results_from_elsewhere(value, error, monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    agreement = importlib.import_module("agreement").Agreement(torch.device("meta"))
    with pytest.raises(error, match="^it: expected"):
        agreement.close("it", value, np.ones(3), within=1e-3)


def test_no_array_turns_into_numpy_on_the_way():
    # On a device, NumPy cannot see an array; here it is kept from it by force. What the examples
    # copy to the host they ask DLPack for.
    blind = """
import sys
import ascend_array_api as xp

def refuse(self, *args, **kwargs):
    raise TypeError("an array turned into NumPy's")

xp.Array.__array__ = refuse
import demo
sys.exit(demo.main(["--device", "cpu"]))
"""
    result = run("-c", blind)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "All outcomes agree" in result.stdout


def test_other_namespaces():
    pytest.importorskip("array_api_strict", minversion="2.4")
    result = run(
        *("-W", "ignore::RuntimeWarning"),  # scikit-learn silences 0 / 0 for NumPy alone.
        str(EXAMPLES / "scipy_signals.py"),
        # On this device as well, whoever lets NumPy have an array gets an error.
        *("--namespace", "array_api_strict", "--device", "device1"),
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Of 31 outcomes, 31 agree with NumPy's, 0 do not." in result.stdout


def test_wrong_outcomes_fail():
    faults = """
replace("count_holes", lambda holes: holes + 1)
replace("amplitude_spectrum", lambda spectrum: spectrum * 1.00003)
"""
    result = run("-c", REPLACE.format(replacements=faults))
    assert result.returncode == 1, result.stdout + result.stderr
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    failed = [line.split("  ")[0] for line in lines if line.endswith("FAILED")]
    assert {"number of holes", "mean spectra"} <= set(failed)
    assert "axes" not in failed  # nothing was wrong with those


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            "replace('count_holes', np.from_dlpack)",
            "number of holes: expected an array of <class 'ascend_array_api",
        ),
        (
            "replace('mean_of_each_digit', lambda mean: xp.astype(mean, xp.float64))",
            "expected dtype",
        ),
    ],
    ids=["namespace", "dtype"],
)
def test_outcomes_from_elsewhere_are_refused(fault, message):
    result = run("-c", REPLACE.format(replacements=fault))
    assert result.returncode == 1
    assert message in result.stderr
