"""The policy for what a device cannot compute: options, warnings, errors and the report.

What needs an NPU runs on one (see npu.py), by operations of this module's own that have a row for
the host; so it holds whichever rows the package has.  The rest needs no device.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

import ascend_array_api as xp
from ascend_array_api._reports import user_code
from ascend_array_api._reports.report import Listing, Report
from ascend_array_api._routes._operations import OPS, ROWS, rows_of
from ascend_array_api._routes._rows import Host


def test_frames_of_torch_are_nobodys() -> None:
    level, file, line = torch.compiler.disable(user_code.user_frame)()  # type: ignore[no-untyped-call]
    assert (file, line) == (__file__, sys._getframe().f_lineno - 1)
    assert level > 1
    assert user_code.user_code(0)[0] is sys._getframe().f_code
    code, _ = torch.compiler.disable(user_code.user_code)(0)  # type: ignore[no-untyped-call]
    assert code is sys._getframe().f_code


def test_no_row_sends_an_operation_that_writes_to_the_host() -> None:
    """What the copy on the host would be changed to, the array would not."""
    writing = {"copy_to", "index_put", "mask_fill"}
    assert writing <= set(OPS)
    for row in (*ROWS, *rows_of("cpu")):
        assert not isinstance(row.route, Host), "a CPU array never falls back"
    for row in (*rows_of("npu"), *rows_of("cuda")):
        if isinstance(row.route, Host):
            assert not writing & set(row.ops.split()), row


def test_kinds_of_the_classes() -> None:
    assert issubclass(xp.HostFallbackWarning, RuntimeWarning)
    assert issubclass(xp.HostFallbackError, RuntimeError)
    entry = xp.HostFallback("eigh", "float32", "npu:0", 2, 64, "no kernel", ("a.py:1",))
    assert (entry.operation, entry.count, entry.where) == ("eigh", 2, ("a.py:1",))
    with pytest.raises(AttributeError):
        entry.count = 3  # type: ignore[misc]


LIBRARY = """
from functools import wraps

def _wrapper(function):
    @wraps(function)
    def wrapped(*args):
        return _call(function, *args)
    return wrapped

def _call(function, ask):
    return function(ask)
"""

IMPLEMENTATION = """
import math

from .array_api_extra import helper
from . import _wrappers

@_wrappers._wrapper
def smooth(ask):
    return helper(ask)

class Spline:
    def __init__(self, ask):
        self.asked = ask()

    def evaluate(self, ask):
        return ask()

class _Kernel:
    def __init__(self, function):
        self.function = function

    def wrapped(self):
        @_wrappers.wraps(self.function)
        def kernel(ask):
            return self.run(ask)
        return kernel

    def run(self, ask):
        return ask()

erf = _Kernel(math.erf).wrapped()
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A library as it is installed: public names from private modules, wrappers and helpers."""
    folder = tmp_path / "site-packages" / "splines"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("from ._impl import Spline, erf, smooth\n")
    (folder / "_wrappers.py").write_text(LIBRARY)
    (folder / "_impl.py").write_text(IMPLEMENTATION)
    (folder / "array_api_extra.py").write_text("def helper(ask):\n    return ask()\n")
    monkeypatch.syspath_prepend(str(folder.parent))
    import splines

    yield splines
    for name in [n for n in sys.modules if n.partition(".")[0] == "splines"]:
        del sys.modules[name]


def place(text: str) -> str:
    """Return where a line of the library is."""
    line = IMPLEMENTATION.split("\n").index(text) + 1
    return f"splines/_impl.py:{line}"


def test_the_function_of_a_library_and_the_users_own_line(library: Any) -> None:
    here = f"{__file__}:{sys._getframe().f_lineno + 1}"
    asked = library.smooth(user_code.caller)
    assert asked[1:] == (here, "splines.smooth", place("    return helper(ask)"))
    spline = library.Spline(user_code.caller)
    assert spline.asked[2:] == ("splines.Spline", place("        self.asked = ask()"))
    asked = spline.evaluate(user_code.caller)
    assert asked.function == "splines.Spline.evaluate"
    # No frame has the name of a function that was made by a wrapper, but the wrapper holds it.
    assert library.erf(user_code.caller).function == "splines.erf"


def test_no_library_between_the_user_and_the_package(library: Any) -> None:
    asked = user_code.caller()
    assert asked[1:] == (f"{__file__}:{sys._getframe().f_lineno - 1}", "", "")
    # Python's own library is none that one has to be told of.
    found: list[user_code.Caller] = []
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: found.append(user_code.caller()))
    assert found[0].where.startswith(__file__)
    assert found[0].function == ""
    # A thread that begins in a library has no line of the user's: the library's stands for it.
    executor = ThreadPoolExecutor(1)
    asked = executor.submit(library.smooth, user_code.caller).result()
    assert asked.where.endswith("array_api_extra.py:2")
    assert (asked.function, asked.line) == ("", "")


def test_the_level_is_that_of_the_users_line(library: Any) -> None:
    report = Report(xp.HostFallback)
    warn = partial(report.warn, ("a", "b"), "told", UserWarning)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            library.smooth(warn)
        library.Spline(warn)
        line = sys._getframe().f_lineno - 1
    assert len(caught) == 2, "once for each function"
    assert [(w.filename, w.lineno) for w in caught] == [(__file__, line - 1), (__file__, line)]
    library.Spline(partial(report.add, ("svd", "float64", "npu:0"), 2_500_000, "no <kernel>"))
    library.smooth(partial(report.add, ("svd", "float64", "npu:0"), 12, "no <kernel>"))
    first, second = entries = report.entries(clear=False)
    assert (first.function, second.function) == ("splines.Spline", "splines.smooth")
    assert first.lines == (place("        self.asked = ask()"),)
    assert first.where[0].startswith(__file__)
    assert isinstance(entries, list)
    assert entries == [first, second]


def test_a_report_is_shown_as_a_table() -> None:
    assert repr(Listing()) == "[]"
    assert Listing()._repr_html_() == "[]"
    one = xp.HostFallback("svd", "float64", "npu:0", 2, 2_500_000, "no <kernel>", ("a.py:1",))
    two = replace(one, function="scipy.linalg.f", bytes=12, where=("b.py:1", "b.py:2"))
    assert str(Listing([one])) == (
        "operation  dtype    device  count  bytes   where   reason\n"
        "svd        float64  npu:0   2      2.5 MB  a.py:1  no <kernel>"
    )
    assert str(Listing([one, two])).splitlines()[1:] == [
        "svd        float64  npu:0   2      2.5 MB    a.py:1                     no <kernel>",
        "svd        float64  npu:0   2      12 bytes  b.py:1 +1  scipy.linalg.f  no <kernel>",
    ]
    shown = Listing([one, two])._repr_html_()
    assert shown.count("<tr>") == 3
    assert "<td>no &lt;kernel&gt;</td>" in shown
    assert "<td>b.py:1<br>b.py:2</td>" in shown
