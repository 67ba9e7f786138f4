"""Computing on the host what an NPU cannot: by operations of this module's own."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from npu import EMULATOR, needs_emulator, needs_two_devices

import ascend_array_api as xp
from ascend_array_api._arrays.array import wrap
from ascend_array_api._calls.elementwise import binary, call, unary
from ascend_array_api._devices.device import spec_of
from ascend_array_api._devices.facts import on
from ascend_array_api._methods.operators import _forward, _inplace
from ascend_array_api._reports import host_work
from ascend_array_api._reports import report as _reports
from ascend_array_api._reports.report import Report
from ascend_array_api._routes._evidence import Evidence
from ascend_array_api._routes._operations import OPS, Op
from ascend_array_api._routes._rows import Host, Row
from ascend_array_api._torch import dtypes as dt
from ascend_array_api._torch import torch

REASON = "CANN has no such kernel"


def on_host(name: str, native: Any, dtypes: Any = dt.NUMERIC, **more: Any) -> Op:
    """Return an operation that NPUs cannot compute, and that the package does not know."""
    op = Op(name, native, dtypes, **more)
    op.add_row(Row(name, dtypes, Host(), REASON, Evidence("torch_npu 2.13.0"), on("npu")))
    del OPS[name]
    return op


DOUBLE = on_host("double", lambda x: x * 2)
SUM = on_host("total", lambda x, y: x + y, inplace=torch.Tensor.add_)
JOINED = on_host("joined", lambda xs, *, like: (torch.stack(xs), [like, 3]), returns="other")
MADE = on_host("made", lambda n, dtype, device: torch.ones(n, dtype=dtype, device=device))


@unary(DOUBLE)
def double(x: Any, /) -> Any: ...


@binary(SUM)
def total(x1: Any, x2: Any, /) -> Any: ...


plus = _forward(SUM, "+", "__radd__")
plus_in_place = _inplace(SUM, "+=", "__radd__")


def composed(x: xp.Array) -> xp.Array:
    """A chapter's function that comes to the host twice."""
    halfway = call(DOUBLE, x._spec, "composed", x._tensor)
    return wrap(call(SUM, x._spec, "composed", halfway, halfway))


@pytest.fixture(autouse=True, scope="module")
def _known() -> Iterator[None]:
    """Make the operations known, for as long as these tests run."""
    own = {op.name: op for op in (DOUBLE, SUM, JOINED, MADE)}
    OPS.update(own)
    yield
    for name in own:
        del OPS[name]


@pytest.fixture(autouse=True)
def _new_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_work, "_report", Report(xp.HostFallback))


@pytest.fixture
def x() -> xp.Array:
    return xp.asarray([1.0, 2.0, 3.0], device="npu:0")


def line() -> int:
    return sys._getframe(1).f_lineno


WAYS: dict[str, Any] = {
    "function": double,
    "function of two": lambda x: total(x, x),
    "function of a scalar": lambda x: total(x, 1.0),
    "operator": lambda x: plus(x, x),
    "operator of a scalar": lambda x: plus(x, 1.0),
    "in place": lambda x: plus_in_place(x, x),
    "composed": composed,
}


@pytest.mark.parametrize("way", WAYS)
def test_a_warning_once_at_the_line_of_the_user(way: str, x: xp.Array) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        places = []
        for _ in range(3):
            WAYS[way](x)
            places.append(line() - 1)
    expected = 2 if way == "composed" else 1
    assert len(caught) == expected, "once for each operation and data type"
    for warning in caught:
        assert warning.category is xp.HostFallbackWarning
        assert warning.filename == __file__
        assert f"float32 on npu:0 is computed on the host: {REASON}" in str(warning.message)
        assert "options(host_fallback='allow') silences this" in str(warning.message)
    if way == "function":  # the others are called by a line of WAYS, or of composed()
        assert caught[0].lineno == places[0]
    report = xp.fallback_report()
    assert [e.count for e in report] == [3] * expected
    assert all(p.startswith(f"{__file__}:") for e in report for p in e.where)


def test_a_warning_for_each_data_type(x: xp.Array) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            double(x)
            double(xp.astype(x, xp.int32))
    assert [str(w.message).split(" on ")[0] for w in caught] == [
        "double of float32", "double of int32"
    ]  # fmt: skip
    xp.fallback_report(clear=True)
    with pytest.warns(xp.HostFallbackWarning):
        double(x)


def test_a_filter_makes_each_an_error(x: xp.Array) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", xp.HostFallbackWarning)
        for _ in range(2):
            with pytest.raises(xp.HostFallbackWarning):
                double(x)
    assert xp.fallback_report() == []


@pytest.mark.parametrize("way", WAYS)
@needs_emulator
def test_an_error_before_anything_is_computed(way: str, x: xp.Array) -> None:
    WAYS[way]  # the scalar of an operand may be put onto the device: nothing is launched else
    tensor = xp.to_torch(x)
    with xp.options(host_fallback="error"):
        for _ in range(2):
            with EMULATOR.counting() as counts, pytest.raises(
                xp.HostFallbackError, match=r"^(double|total) of float32 on npu:0 is computed on "
                rf"the host: {REASON}.*forbids it. Move the array with to_device\('cpu'\) first"
            ):  # fmt: skip
                WAYS[way](x)
            assert counts.to_host == (0, 0)
            assert set(counts.by_kernel()) <= {"aclnnInplaceFillScalar"}
    assert xp.to_torch(x) is tensor
    assert tensor.tolist() == [1, 2, 3]
    assert xp.fallback_report() == []


def test_allowed_is_silent_and_reported(x: xp.Array) -> None:
    with xp.options(host_fallback="allow"):
        for way in WAYS.values():
            way(x)
    by_name = {e.operation: e for e in xp.fallback_report()}
    assert {n: e.count for n, e in by_name.items()} == {"double": 2, "total": 6}
    for entry in by_name.values():
        assert (entry.dtype, entry.device, entry.reason) == ("float32", "npu:0", REASON)
    assert by_name["double"].bytes == 2 * (12 + 12)
    # Two operands and a result, of which a scalar is one number.
    assert by_name["total"].bytes == 4 * 36 + 2 * (12 + 4 + 12)
    report = xp.fallback_report(clear=True)
    assert [e.bytes for e in report] == sorted((e.bytes for e in report), reverse=True)
    assert xp.fallback_report() == []


def test_results_are_right_and_back_on_the_device() -> None:
    numbers = np.asarray([[1, 2, 3], [4, 5, 250]])
    with xp.options(host_fallback="allow"):
        for dtype in sorted(dt.NUMERIC, key=str):
            a = xp.astype(xp.asarray(numbers, device="cpu"), dtype)
            for view in (a, a.T, a[1, :]):
                y = double(xp.asarray(view, device="npu:0"))
                assert y.device == "npu:0"
                assert y.dtype is dtype, "above all, float64 stays what it is"
                assert xp.all(y.to_device("cpu") == view + view)


@needs_two_devices
def test_results_are_on_the_device_of_the_operands() -> None:
    with xp.options(host_fallback="allow"):
        y = double(xp.ones(2, device="npu:1"))
        assert y.device == "npu:1"
        made = MADE.on(spec_of(torch.ones(1, device="npu:1")))
        assert made(3, torch.float32, torch.device("npu:1")).device == torch.device("npu:1")
    assert {e.device for e in xp.fallback_report()} == {"npu:1"}


def test_operands_in_lists_and_parameters(x: xp.Array) -> None:
    t = x._tensor
    with xp.options(host_fallback="allow"):
        stacked, (like, number) = JOINED.on(x._spec)([t, t], like=t)
    assert stacked.device == like.device == t.device
    assert stacked.tolist() == [[1, 2, 3]] * 2
    assert number == 3
    assert xp.fallback_report()[0].bytes == 3 * 12 + 24 + 12


def test_gradients_go_through() -> None:
    t = torch.ones(3, device="npu:0", requires_grad=True)
    with xp.options(host_fallback="allow"):
        xp.to_torch(double(xp.asarray(t))).sum().backward()
    assert t.grad is not None
    assert t.grad.tolist() == [2, 2, 2]


def test_the_report_is_bounded(x: xp.Array) -> None:
    with xp.options(host_fallback="allow"):
        for number in range(50):
            space: dict[str, Any] = {"double": double, "x": x}
            exec(compile("double(x)\n", f"user{number}.py", "exec"), space)
            exec(space and compile("double(x)\n", "user0.py", "exec"), space)
    (entry,) = xp.fallback_report()
    assert entry.count == 100
    assert entry.where == tuple(f"user{n}.py:1" for n in range(_reports._MOST_PLACES))


def test_threads_are_counted_exactly(x: xp.Array) -> None:
    def work() -> None:
        with xp.options(host_fallback="allow"):
            for _ in range(50):
                double(x)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    (entry,) = xp.fallback_report()
    assert (entry.count, entry.bytes) == (200, 200 * 24)
    assert len(entry.where) == 1


@needs_emulator
def test_waiting_for_a_value_is_no_fallback(x: xp.Array) -> None:
    with xp.options(host_fallback="error"):
        assert float(x[1]) == 2
        assert bool(xp.all(x > 0))
        assert x[x > 1].shape == (2,)
        assert xp.unique_values(x).size == 3
        x.to_device("cpu")
    assert xp.fallback_report() == []


def test_what_a_library_moves_is_told_with_its_function_and_the_users_line() -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    x = xp.ones((500, 500), device="npu:0")
    with xp.options(relaxed=True), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            ndimage.gaussian_filter(x, 1.0)
        ndimage.median(x)
        lines = line() - 2, line() - 1
        np.asarray(x)
    said = [str(w.message) for w in caught]
    assert said[0].startswith("scipy.ndimage.gaussian_filter is computed on the host: scipy/")
    assert " moves an array of float32, shape (500, 500), 1.0 MB from npu:0 to the host" in said[0]
    assert said[1].startswith("scipy.ndimage.median is computed on the host: scipy/")
    assert said[2].startswith("__array__ of float32 on npu:0 is computed on the host: ")
    assert "It moves an array of float32, shape (500, 500), 1.0 MB. fallback" in said[2]
    assert [(w.filename, w.lineno) for w in caught[:2]] == [(__file__, n) for n in lines]
    by_function = {entry.function: entry for entry in xp.fallback_report()}
    assert list(by_function) == ["scipy.ndimage.gaussian_filter", "scipy.ndimage.median", ""]
    entry = by_function["scipy.ndimage.gaussian_filter"]
    assert (entry.count, entry.bytes) == (2, 2_000_000)
    assert entry.where == (f"{__file__}:{lines[0]}",)
    assert all(place.startswith("scipy/ndimage/_") for place in entry.lines)
    assert "2.0 MB" in str(xp.fallback_report())


def test_moves_that_a_library_asks_for_are_counted_without_a_warning(
    x: xp.Array, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the user's own code, of one number, and of a helper that it calls are not."""
    code = """
def fit(x):
    for _ in range(3):
        helper(x)
    x.to_device("npu:0")
    float(x[0]), x[:1].to_device("cpu")
    return x.to_device("cpu")
"""
    for name in ("moving", "array_api_compat"):
        library = ModuleType(name)
        helper = ModuleType(f"{name}.utils._array_api")
        help = "def move_to(x): x.__dlpack__(dl_device=(1, 0))"
        exec(compile(help, f"/lib/site-packages/{name}/utils/_array_api.py", "exec"), vars(helper))
        vars(library)["helper"] = helper.move_to
        exec(compile(code, f"/lib/site-packages/{name}/_linear.py", "exec"), vars(library))
        monkeypatch.setitem(sys.modules, name, library)
        with xp.options(host_fallback="error"), warnings.catch_warnings():
            warnings.simplefilter("error")
            library.fit(x)
            x.to_device("cpu")
            x.__dlpack__(dl_device=(1, 0))
    moved = {entry.operation: entry for entry in xp.fallback_report()}
    assert {name: entry.count for name, entry in moved.items()} == {"__dlpack__": 3, "to_device": 1}
    assert moved["__dlpack__"].bytes == 3 * 12
    assert moved["__dlpack__"].lines == ("moving/_linear.py:4",)  # and no helper's
    assert {entry.function for entry in moved.values()} == {"moving.fit"}


def test_a_universal_function_that_only_numpy_has_is_computed_on_the_host() -> None:
    special = pytest.importorskip("scipy.special")
    values = np.asarray([0.5, 1.5, 2.5], dtype=np.float32)
    x = xp.asarray(values, device="npu:0")
    with xp.options(relaxed=True), pytest.warns(xp.HostFallbackWarning):
        got = special.jv(1, x)
    np.testing.assert_array_equal(got, special.jv(1, values))
    with xp.options(relaxed=False), pytest.raises(TypeError, match="^jv: the namespace has no"):
        special.jv(1, x)
