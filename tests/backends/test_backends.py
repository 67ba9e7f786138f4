"""Backends: what they decide, and one that another package brings."""

from __future__ import annotations

from pathlib import Path

import pytest
from processes import python

import ascend_array_api as xp
from ascend_array_api import _torch, distributed
from ascend_array_api._devices import backends
from ascend_array_api._devices import device as _devices
from ascend_array_api._devices.device import spec_named
from ascend_array_api._devices.facts import (
    Facts,
    Where,
    architecture,
    cann_at_least,
    cann_before,
    everywhere,
    mkl,
    numpys_vectors,
    on,
    soc,
    torch_at_least,
    torch_before,
    torch_npu_before,
    version,
    x86_vectors,
)
from ascend_array_api._routes._kernels import Kernels, kernels_of, takes_scalar
from ascend_array_api._routes._operations import OPS, Op
from ascend_array_api._routes._rows import Compose, Native, Row
from ascend_array_api._torch import dtypes as dt
from ascend_array_api._torch import torch
from ascend_array_api._torch.pairs import PairError


def run(program: str, *path: Path) -> list[str]:
    done = python("-c", f"import sys; sys.path[:0] = {[str(p) for p in path]}\n{program}")
    return done.stdout.splitlines()


def test_backends_of_this_package() -> None:
    assert next(b.type for b in backends.usable()) == backends.HOST == "cpu"
    for name in backends._OWN:
        backend = backends.find(name)
        assert backend.type == name
        assert backend is backends.find(name)
        assert backend.dlpack is not None
    assert backends.find("unheard_of").rows == ()


# --- one that another package brings --------------------------------------------------------------

TOY = """
from ascend_array_api._devices.backends import Backend, DLDeviceType, Fault
from ascend_array_api._devices.backend import Host


class Toy(Host):
    dlpack = DLDeviceType.kDLVPI
    exact_scalars = True
    rounds_scalars = frozenset({"subtract"})
    faults = True
    drops_work = "the toy sleeps"
    rows = ("toy_rows",)
    alive = True

    def describe(self, index):
        return "wooden", 8

    def fault(self, error):
        if "TOY" in str(error):
            return Fault(7, "toyAdd", "wind it up", "toy")

    def computes(self, device):
        return self.alive


BACKEND = Toy("meta")
"""
TOY_ROWS = """
import torch
from ascend_array_api._torch import dtypes as dt
from ascend_array_api._routes._rows import Compose, Row

seen = []


def add(x1, x2):
    seen.append(tuple(x1.shape))
    if x1.shape == (7,):
        raise RuntimeError("TOY broke")
    return torch.add(x1, x2)


ROWS = (Row("add", {dt.float32}, Compose(add), "toys add aloud", "torch 2"),)
"""
USE = """
import sys
import ascend_array_api as xp
assert "toy_rows" not in sys.modules and "toy" not in sys.modules
info = xp.__array_namespace_info__()
assert [str(d) for d in info.devices()][-1] == "meta", info.devices()
assert info.default_device() != "meta"
x = xp.zeros((2, 3), device="meta")
assert x.device.type == "meta" and x.__dlpack_device__() == (9, 0)
y = x + xp.ones((2, 3), device="meta:0")
import toy, toy_rows
assert toy_rows.seen == [(2, 3)] and y.shape == (2, 3) and y.device == "meta"
assert (x + 1).shape == (2, 3) and len(toy_rows.seen) == 2
zeros = xp.zeros(7, device="meta")
for _ in range(2):
    try:
        zeros + zeros
    except xp.DeviceError as error:
        print(error, "|", error.code, error.device)
assert (x + x).shape == (2, 3)
toy.Toy.alive = False
for values in (zeros, x):
    try:
        values + values
    except xp.DeviceError as error:
        print(error)
from ascend_array_api._devices.device import describe
print(describe(x.device))
"""
ENTRY = "[ascend_array_api.backends]\nmeta = toy:BACKEND\n"


def bring(folder: Path, entry: str = ENTRY) -> None:
    """Write a package, as an installer would, with a backend in it."""
    (folder / "toy.py").write_text(TOY)
    (folder / "toy_rows.py").write_text(TOY_ROWS)
    about = folder / "toy-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entry)


@pytest.mark.nightly
def test_a_backend_of_another_package(tmp_path: Path) -> None:
    bring(tmp_path)
    fault, again, last, gone, described = run(USE, tmp_path)
    assert fault == again == last + " | 7 meta"
    assert "a fault of meta (code 7, toyAdd) was found" in fault
    assert "wind it up. toy: TOY broke" in fault
    assert "since its fault meta computes nothing in this process: the toy sleeps." in gone
    assert described == str({"name": "meta", "type": "meta", "model": "wooden", "memory": 8})


@pytest.mark.nightly
def test_an_entry_point_that_names_no_backend(tmp_path: Path) -> None:
    bring(tmp_path, "[ascend_array_api.backends]\nmeta = toy:Toy\n")
    (said,) = run(
        "import ascend_array_api as xp\n"
        "try: xp.zeros(1, device='meta')\nexcept TypeError as error: print(error)",
        tmp_path,
    )
    assert said.startswith("the entry point 'meta' of ascend_array_api.backends must be a backend")


# --- facts and conditions -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("2.13.0+cpu", (2, 13, 0)),
        ("2.7.1.post4", (2, 7, 1, 4)),
        ("2.9.0.post9", (2, 9, 0, 9)),
        ("8.5.0", (8, 5, 0)),
        ("9.1.0-beta.1", (9, 1, 0)),
        ("v9.1", (9, 1)),
        ("unknown", None),
        ("", None),
        (None, None),
    ],
)
def test_versions(text: str | None, numbers: tuple[int, ...] | None) -> None:
    assert version(text) == numbers


def machine(**known: object) -> Facts:
    facts = {name.replace("_", " "): (lambda value=value: value) for name, value in known.items()}
    return Facts("npu", {"torch_npu": facts.pop("torch npu", lambda: None), **facts})  # type: ignore[arg-type]


A2 = machine(torch=(2, 13, 0), cann=(9, 1, 0), soc="910B2", architecture="aarch64", mkl=False)
UNKNOWN = machine(torch=(2, 13, 0), architecture="x86_64", mkl=True)


@pytest.mark.parametrize(
    ("where", "text", "on_a2", "where_unknown"),
    [
        (everywhere, "everywhere", True, True),
        (torch_at_least(2, 12), "torch at least 2.12", True, True),
        (torch_at_least(2, 13, 1), "torch at least 2.13.1", False, False),
        (torch_before(2, 12), "torch before 2.12", False, False),
        (cann_before(9, 2), "cann before 9.2", True, None),
        (cann_at_least(9, 2), "cann at least 9.2", False, None),
        (~cann_before(9, 2), "cann at least 9.2", False, None),
        (torch_npu_before(2, 7, 1, 4), "torch_npu before 2.7.1.4", None, None),
        (soc("910B", "910_93"), "soc 910B or 910_93", True, None),
        (soc("310P"), "soc 310P", False, None),
        (architecture("aarch64"), "architecture aarch64", True, False),
        (mkl, "mkl", False, True),
        (~mkl, "not mkl", True, False),
        (on("npu"), "device type npu", True, True),
        (mkl & soc("910B"), "(mkl and soc 910B)", False, None),
        (mkl | soc("910B"), "(mkl or soc 910B)", True, True),
        (~mkl & cann_before(9, 2), "(not mkl and cann before 9.2)", True, False),
        (~(mkl | cann_before(9, 2)), "(not mkl and cann at least 9.2)", False, False),
    ],
    ids=str,
)
def test_conditions(
    where: Where, text: str, on_a2: bool | None, where_unknown: bool | None
) -> None:
    assert str(where) == text
    assert where.decide(A2) is on_a2
    assert where.decide(UNKNOWN) is where_unknown


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("capability", ["AVX512", "AVX2", "DEFAULT"])
def test_where_numpy_has_its_own_vectors(
    platform: str, capability: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    expected = platform == "linux" and capability == "AVX512"
    assert numpys_vectors.decide(Facts("cpu", {})) is expected
    assert x86_vectors.decide(Facts("cpu", {})) is (capability != "DEFAULT")


def test_facts_are_found_once_and_only_if_asked_for() -> None:
    asked: list[str] = []
    facts = Facts("toy", {"soc": lambda: asked.append("soc") or "310P"})  # type: ignore[func-returns-value]
    assert facts["device type"] == "toy"
    assert asked == []
    assert facts["soc"] == facts["soc"] == "310P"
    assert asked == ["soc"]
    assert facts["nothing"] is None
    assert facts["torch"] == version(torch.__version__)
    common = {"torch", "architecture", "mkl", "x86 vectors", "NumPy's vectors", "device type"}
    assert set(facts.all()) == common | {"soc"}


# --- which row decides ----------------------------------------------------------------------------


CPU = backends.find("cpu")


@pytest.fixture
def op() -> Op:
    made = Op("an operation of this test", torch.add, dt.ANY)
    del OPS[made.name]
    return made


def row(where: Where = everywhere) -> Row:
    return Row("add", {dt.float32}, Compose(torch.sub), "R", "torch 2", where)


def test_the_row_that_holds_decides(op: Op) -> None:
    old, new = row(torch_before(2, 0)), row(torch_at_least(2, 0))
    op.add_row(old)
    assert op.row(dt.float32, CPU) is None
    assert op.on(spec_named(dt.float32, "cpu")) is torch.add
    op.add_row(new)
    assert op.row(dt.float32, CPU) is new
    assert op.row(dt.float64, CPU) is None
    op.clear()
    assert op.on(spec_named(dt.float32, "cpu")) is torch.sub


def test_two_rows_that_hold_are_an_error(op: Op) -> None:
    op.add_row(row())
    op.add_row(row(torch_at_least(2, 0)))
    with pytest.raises(ValueError, match=r"2 rows for an operation of this test of torch.float32"):
        op.row(dt.float32, CPU)


def test_a_row_holds_where_its_facts_are_unknown(op: Op) -> None:
    first, second = row(cann_before(9, 2)), row(cann_at_least(9, 2))
    op.add_row(first)
    op.add_row(second)
    assert op.row(dt.float32, CPU) is first  # the CPU has no CANN
    certain = row(torch_at_least(2, 0))
    op.add_row(certain)
    assert op.row(dt.float32, CPU) is certain


def test_fast_kernels_are_those_of_the_usual_row_in_compiled_code_too(
    op: Op, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Row("add", {dt.float32}, Compose(torch.sub), "R", "torch 2", fast=Native())
    op.add_row(usual)
    compiled = Row("add", {dt.float32}, Compose(torch.mul), "R", "torch 2")
    monkeypatch.setattr(Op, "compiled_row", lambda *_: compiled)
    spec = spec_named(dt.float32, "cpu")
    for of_compiler, exact in ((True, torch.mul), (False, torch.sub)):
        found = kernels_of(op, spec, compiled=of_compiler)
        assert found.bare is exact
        assert found.fast is torch.add


@pytest.mark.parametrize("dtype", [dt.float16, dt.float32, dt.uint8])
def test_numbers_go_to_the_fast_kernel_where_it_is_chosen_and_takes_them(
    dtype: torch.dtype,
) -> None:
    """Beside half precision a number is rounded to it first, so that it becomes an array."""
    op = Op("another operation of this test", torch.add, dt.REAL)
    del OPS[op.name]
    fast = Native(scalars=True)
    op.add_row(Row("add", {dtype}, Compose(torch.sub), "R", "torch 2", fast=fast))
    spec = spec_named(dtype, "cpu")
    found = kernels_of(op, spec)
    if dtype is dt.float16:
        assert found.takes(2.5) is found.takes(2) is None
        return
    assert (found.takes(2.5) is None) is (dtype is dt.uint8)
    assert found.takes(300) is None or dtype is not dt.uint8
    kernel, x = found.takes(2), torch.ones(1, dtype=dtype)
    assert kernel is not None
    assert kernel(x, 2).item() == torch.sub(x, 2).item()
    with xp.options(npu_math="fast"):
        assert kernel(x, 2).item() == found.users(x, x).item() + 1 == 3


def test_rows_of_a_backend_come_before_those_for_every_device() -> None:
    of_all = list(OPS["remainder"]._rows[dt.float32])
    decided = OPS["remainder"].row(dt.float32, CPU)
    assert decided is not None
    assert decided not in of_all
    assert OPS["remainder"].row(dt.float32, backends.find("unheard_of")) in of_all


# --- scalars --------------------------------------------------------------------------------------


def test_which_scalars_kernels_take_exactly() -> None:
    takes = [backends.find(name).takes_scalars for name in ("cpu", "cuda", "npu")]
    assert [take("add", dt.float32) for take in takes] == [True, True, True]
    assert [take("add", dt.complex64) for take in takes] == [True, True, False]
    assert [take("multiply", dt.int32) for take in takes] == [True, True, False]
    assert [take("divide", dt.float32) for take in takes] == [True, False, False]
    on_cpu = spec_named(dt.float32, "cpu")
    assert OPS["add"].takes_scalars(on_cpu)
    assert not OPS["atan2"].takes_scalars(on_cpu), "torch takes tensors there"


def test_scalars_that_stay_beside_a_data_type() -> None:
    subtract = OPS["subtract"]
    for value in (2.5, -0.0, 2.0**-130, float("inf"), 1e300):
        assert takes_scalar(subtract, spec_named(dt.float64, "cpu"), value)
        assert not takes_scalar(subtract, spec_named(dt.int64, "cpu"), value)
    for value, taken in ((127, True), (-128, True), (128, False), (-129, False), (True, False)):
        assert takes_scalar(subtract, spec_named(dt.int8, "cpu"), value) is taken


def test_no_array_is_in_doubt_where_the_kernel_itself_raises() -> None:
    for device in ("cpu", str(distributed.init("cpu", simulate=2))):
        spec = xp.zeros(2, device=device)._spec
        assert not spec.late
        assert spec.doubted is spec


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (None, ""),
        (PairError("it aborts", "take another"), " it aborts"),
        (OSError("no library"), " torch_npu could not be imported: python -m ascend_array_api "),
    ],
)
def test_why_there_is_no_npu(
    error: Exception | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_torch, "NPU_ERROR", error)
    for device_type in ("npu", "cuda", "tpu"):
        told = _torch.why_not(device_type)
        assert told.startswith(said) if said and device_type == "npu" else told == ""


def test_devices_have_numbers_where_there_may_be_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_devices, "_devices", {})
    for name, known in (("cpu:0", "cpu"), ("cpu", "cpu"), ("cuda:0", "cuda:0"), ("xpu:1", "xpu:1")):
        device = _devices.spec(dt.float32, _devices._device(torch.device(name))).device
        assert str(device) == known


def test_native_rows_serve_torchs_own_function(op: Op) -> None:
    op.add_row(Row("add", {dt.float32}, Native(), "R", "torch 2"))
    assert op.is_native(spec_named(dt.float32, "cpu"))


def test_an_operation_without_memory_names_its_operands(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y, add = xp.ones((2, 3)), xp.ones(3), OPS["add"]

    def full(*_: object) -> torch.Tensor:
        raise torch.OutOfMemoryError("none is left")

    monkeypatch.setitem(add.kernels, x._spec, Kernels(full, full, full, with_float=full))
    for second, said in ((y, r"\(2, 3\).* \(3,\)"), (2.5, r"\(2, 3\)")):
        with pytest.raises(MemoryError, match=rf"^add: .*{said}"):
            xp.add(x, second)
