"""The calls of SciPy and scikit-learn: which there are, and what is said of them."""

from __future__ import annotations

import ast
import importlib
import linecache
import os
from pathlib import Path

import numpy as np
import pytest
from processes import calling, python

from ascend_array_api._torch.pairs import release
from workshop.calls import measure, page, table
from workshop.calls.measure import CROSSES, REFUSES, STAYS, Outcome, Row

CALLS = table.calls()
NAMES = {call.name for call in CALLS}


def supported() -> None:
    """Print the functions that SciPy says to support."""
    os.environ["SCIPY_ARRAY_API"] = "1"
    for module in (
        "cluster.hierarchy cluster.vq constants differentiate fft integrate interpolate linalg "
        "ndimage optimize.elementwise signal spatial.transform special stats"
    ).split():
        importlib.import_module(f"scipy.{module}")
    from scipy._lib._array_api import xp_capabilities_table

    for function, own in xp_capabilities_table.items():
        name = function.__module__.split("._")[0] + "." + function.__qualname__
        methods = own.get("method_capabilities", {})  # since SciPy 1.18; before, each stands alone
        for has, each in ((own, name), *((methods[m], name + "." + m) for m in methods)):
            if not has["out_of_scope"] and not has["np_only"]:
                print(each)


def estimators() -> None:
    """Print the estimators and metrics of scikit-learn that support arrays of others."""
    from sklearn.metrics.tests.test_common import array_api_metric_checkers
    from sklearn.utils import get_tags
    from sklearn.utils._test_common.instance_generator import _construct_instances
    from sklearn.utils.discovery import all_estimators

    for name, kind in all_estimators():
        if name != "FrozenEstimator" and any(
            get_tags(made).array_api_support for made in _construct_instances(kind)
        ):
            print(name)
    for metric in array_api_metric_checkers:
        print(getattr(metric, "func", metric).__name__)


TAKES_NUMBERS = set(
    "bessel besselap buttap buttord cheb1ap cheb1ord cheb2ap cheb2ord cheby2 ellipap ellipord "
    "iircomb iirdesign iirnotch iirpeak impulse dendrogram from_mlab_linkage leaders "
    "generic_filter1d generic_gradient_magnitude generic_laplace iterate_structure sosfreqz "
    "labeled_comprehension normalize_dual_quaternion".split()
)
"""Functions of SciPy that design filters from numbers, that take functions of arrays, or that are
as others are."""

SINCE_1_18 = set(
    "LinearOperator aslinearoperator binomtest bws_test estimated_cdf expectile findfreqs kstest "
    "quantile_test".split()
)
"""Functions that SciPy supports since 1.18: the calls are those of SciPy 1.17."""
UNTIL_1_17 = {"iirdesign", "labeled_comprehension"}
"""Functions that take numbers or functions, and that SciPy 1.18 does not name any more."""


def test_every_line_is_a_call_of_a_function_of_its_own() -> None:
    assert len(NAMES) == len(CALLS) > 500
    for call in CALLS:
        assert call.name.startswith(("scipy.", "sklearn.")), call
        assert call.module.count(".") >= 1, call
        for text in filter(None, (call.text, call.instead)):
            ast.parse(text, mode="eval")
    assert [c.module for c in CALLS if c.name.endswith("norm.pdf")] == ["scipy.stats"]


def own(name: str) -> set[str]:
    """Return the names of a function and of its class."""
    parts = name.split(".")
    return {parts[-1], *(part for part in parts if not part.islower())}


def test_what_scipy_says_to_support_is_called() -> None:
    scipy = pytest.importorskip("scipy", "1.17")
    newer = release(scipy.__version__) >= (1, 18)
    names = python("-W", "ignore", *calling(supported)).stdout.split()
    assert len(names) > 500
    called = {part for name in NAMES for part in own(name)}
    lacking = set()
    for name in names:
        parts = own(name)
        if not called & parts and ".windows." not in name and "._" not in name:
            lacking.add(name.rpartition(".")[2])
    assert lacking == (TAKES_NUMBERS - UNTIL_1_17 | SINCE_1_18 if newer else TAKES_NUMBERS)


def test_all_estimators_and_metrics_with_array_api_support_are_called() -> None:
    pytest.importorskip("sklearn", "1.9")
    called = {name.rpartition(".")[2] for name in NAMES if name.startswith("sklearn.")}
    names = set(python("-W", "ignore", *calling(estimators)).stdout.split())
    assert len(names) > 50
    assert names - called == set()


def outcome(size: float) -> Outcome:
    return Outcome(CROSSES, bytes=size)


def test_bytes_of_large_arrays_follow_from_two_small_ones() -> None:
    assert measure._extrapolated(outcome(4 * 256), outcome(4 * 1024)) == 4e6
    assert measure._extrapolated(outcome(100 + 4 * 256), outcome(100 + 4 * 1024)) == 4e6 + 100
    assert measure._extrapolated(outcome(12), outcome(12)) == 12
    pairs = measure._extrapolated(outcome(256**2), outcome(1024**2))
    assert pairs == pytest.approx(1e12)


def test_results_are_compared_with_those_of_numpys_arrays() -> None:
    x = np.asarray([1.0, 2.0, np.nan])
    assert measure._difference((x, x), (x, x)) == ""
    assert measure._difference(x * 1.001, x) == ""
    assert measure._difference(x * 1.01, x) == "2 of 3 numbers differ"
    assert measure._difference(x[:2], x) == "shape (2,) instead of (3,)"
    assert measure._difference((x,), (x, x)) == "another number of results"
    assert measure._plain([1, object()]) == (np.asarray(1), None)


def test_the_page_says_what_came_of_each_call() -> None:
    call = table.Call("scipy.linalg.inv(m)", "f(m) | g(m)")
    mended = table.Call("scipy.linalg.lu(m)", patch="lu.patch")
    other = table.Call("scipy.linalg.det(m)")
    free = table.Call("scipy.linalg.block_diag(m)")
    crossed = Outcome(CROSSES, 12e6, ("scipy/linalg/_basic.py:1", "scipy/b.py:2"))
    refused = Outcome(REFUSES, 0, ("scipy/a.py:3",), "TypeError: no *such*_thing")
    rows = [
        Row(call, {"strict": refused, "relaxed": crossed}),
        Row(other, {"strict": refused, "relaxed": Outcome(STAYS)}),
        Row(free, {"strict": Outcome(STAYS), "relaxed": Outcome(STAYS)}),
        Row(mended, {"strict": refused, "relaxed": crossed}),
    ]
    text = page.markdown(rows, "emulated CANN")
    assert "| 4 of SciPy | strict | 1 | 0 | 3 | 0 |" in text
    assert "| 4 of SciPy | relaxed | 2 | 2 | 0 | 0 |" in text
    assert "2 of 4 functions of SciPy and 0 of 0 functions of scikit-learn stay" in text
    assert "stay on the device; 2 move data" in text
    assert "In strict mode 1 stay, and 3 raise an error, 2 of them because" in text
    assert "Of the 3 functions that do not stay in both modes, 1 have an expression" in text
    assert "and 1 have a patch" in text
    assert "### scipy.linalg\n" in text
    lines = text.splitlines()
    assert (
        r"| `inv` | refuses | crosses | `f(m) \| g(m)` | 12 | `scipy/linalg/_basic.py:1` |" in lines
    )
    said = r"TypeError: no \*such\*\_thing"
    assert f"| `det` | refuses | stays | {said} |  | `scipy/a.py:3` |" in lines
    assert "| `block_diag` | stays | stays |  |  |  |" in lines
    assert any("; [patch](../patches/scipy/lu.patch) |" in x for x in lines)


def test_the_page_says_what_stands_where_an_array_is_moved(monkeypatch) -> None:
    line = "for kind in KINDS: copied = np.asarray(x) | x"
    reach = "TypeError: __array__: the array is on npu:0, where NumPy cannot reach it."
    said = {
        "workshop/calls/taker.py:2": rf"at `{line}`".replace("|", r"\|"),
        "<call>:1": "compiled code takes NumPy's arrays",
    }
    file = Path(page.__file__).with_name("taker.py")
    lines = ["\n", f"    {line}\n"]
    monkeypatch.setitem(linecache.cache, str(file), (0, None, lines, str(file)))
    for place, reason in said.items():
        outcomes = {
            "strict": Outcome(REFUSES, 0, (place,), reach),
            "relaxed": Outcome(CROSSES, 4e6, (place,)),
        }
        text = page.markdown([Row(table.Call("scipy.linalg.det(m)"), outcomes)], "")
        assert f"| `det` | refuses | crosses | {reason} | 4.0 | `{place}` |" in text


def test_each_patch_is_named() -> None:
    folder = Path(__file__).parents[2] / "patches" / "scipy"
    there = {file.name for file in folder.glob("*.patch")}
    assert {call.patch for call in CALLS if call.patch} == there


def test_the_page_has_every_call() -> None:
    text = (Path(__file__).parents[2] / "docs" / "scipy.md").read_text(encoding="utf-8")
    modules = {call.module for call in CALLS}
    assert {line.removeprefix("### ") for line in text.splitlines() if "###" in line} == modules
    for call in CALLS:
        assert f"| `{call.name.removeprefix(call.module + '.')}` | " in text
