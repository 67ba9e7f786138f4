"""Programs that look at the doctor on emulated NPUs: test_npu_doctor.py calls them by name.

The emulator is there before this module is imported.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import json
import os
import signal
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

import ascend_array_api as xp
from ascend_array_api._doctor import compilers, diagnosis, why
from conformance import cann_emulator
from conformance.cann_emulator import _modes

if TYPE_CHECKING:
    from collections.abc import Callable

emulator: Any = cann_emulator.installed()
MODE = "torch.npu.set_compile_mode(jit_compile=False)"


def forked(ask: Callable[[], Any], *faults: Callable[[], Any], **variables: str) -> Any:
    """Ask in a forked process with faults: functions to call, and environment variables.

    torch_npu is initialised there, not here.
    """
    assert not torch.npu.is_initialized()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            os.environ.update(variables)
            for fault in faults:
                fault()
            said = ask()
        except BaseException as error:  # noqa: BLE001  it is told
            said = {"raised": repr(error)}
        with os.fdopen(write, "w") as file:
            json.dump(said, file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    assert os.waitpid(child, 0)[1] == 0, "the process ended"
    return json.loads(text)


def report() -> dict[str, Any]:
    found = diagnosis.diagnose()
    diagnosis.render(found)
    return {name: found[name] for name in ("problems", "notes", "devices")}


def examined(*faults: Callable[[], Any], **variables: str) -> Any:
    return forked(report, *faults, **variables)


def function(*order: Any) -> Callable[[], None]:
    return lambda: emulator.fail_function(*order)


def reports(cases: dict[str, dict[str, Any]]) -> None:
    """Print the reports of cases: functions of the runtime that fail, and environment variables."""
    found = {}
    for name, case in cases.items():
        faults = [function(*order) for order in case.get("fails", ())]
        found[name] = examined(*faults, **case.get("variables", {}))
    print(json.dumps(found))


def told(call: Callable[[], Any]) -> str:
    """The text of the error of an operation."""
    try:
        call()
        xp.synchronize()
    except xp.DeviceError as error:
        return str(error)
    raise AssertionError("no error")


def explained() -> str:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        assert why.main(["sort", "float32", "npu"]) == 0
    return text.getvalue()


def why_needs_no_npu() -> None:
    """Rows of special chips apply where the chip is unknown."""
    for name in ("aclrtGetDeviceCount", "aclInit", "aclrtGetSocName"):
        said = forked(explained, function(name, 207004))
        assert "sort of float32 on npu: " in said, said
        applies = (
            "aclnnSort casts float32 to float16 on the first 910" in said.split("Rows for it")[0]
        )
        assert applies == (name != "aclInit"), said


def an_operation_tells_the_cause_that_the_doctor_tells(numpy: str) -> None:
    def twice() -> str:
        told(lambda: xp.ones(3))
        return told(lambda: xp.ones(3))

    said = forked(twice, function("aclSetCompileopt", 500001, numpy), ACL_OP_INIT_MODE="0")
    assert "since its fault" in said or "numpy<2" in said, said
    said = forked(lambda: told(lambda: xp.ones(3)), INF_NAN_MODE_ENABLE="0")
    assert "unset INF_NAN_MODE_ENABLE" in said, said


def an_operation_has_left_a_fault() -> None:
    mode = os.environ["TASK_QUEUE_ENABLE"]
    x = xp.ones(3, device="npu:0") + 1.0
    for at in ("synchronize", "launch"):
        emulator.fail_kernel("aclnnAdd", at=at)
        try:
            x + x
        except xp.DeviceError:  # without a task queue a launch fails at once
            assert at == "launch"
            assert mode == "0"
            continue
        report = diagnosis.diagnose()
        assert [d["model"] is None for d in report["devices"]] == [False, True, False]
        (problem,) = report["problems"]
        assert problem["what"] == "npu:0 cannot be used", problem
        assert "the device or its driver failed" in problem["reason"] or at == "launch", problem
        assert "npu-smi info" in problem["remedy"]


def the_first_operation_of_a_first_910_says_so() -> None:
    said = told(lambda: xp.ones(3))
    assert MODE in said, said
    assert "older path" in said, said
    assert not torch.npu.is_jit_compile_false()


def a_first_910_computes_with_compiled_kernels() -> None:
    assert not torch.npu.is_jit_compile_false()
    torch.npu.set_compile_mode(jit_compile=False)

    def check(x, expected):
        np.testing.assert_allclose(np.asarray(x.to_device("cpu")), expected, rtol=1e-6)

    x = xp.ones((30, 30), device="npu:0")
    check(x + 1.0, np.full((30, 30), 2))
    check(xp.sin(x), np.full((30, 30), np.sin(1)))
    check(x @ x, np.full((30, 30), 30))
    check(xp.astype(x, xp.int32) @ xp.astype(x, xp.int32), np.full((30, 30), 30))
    assert emulator.older_operators() == []
    report = diagnosis.diagnose()
    assert report["problems"] == report["notes"] == []


def other_chips_that_compile_are_told_of_the_time() -> None:
    torch.npu.set_compile_mode(jit_compile=True)
    report = diagnosis.diagnose()
    assert report["problems"] == []
    (note,) = report["notes"]
    assert note["what"] == "the first call of each function may take minutes"
    assert "ACL_OP_COMPILER_CACHE_DIR" in note["reason"]
    assert "set_compile_mode(jit_compile=False)" in note["remedy"]
    assert "note: the first call" in diagnosis.render(report)
    assert diagnosis.main([]) == 0
    torch.npu.set_compile_mode(jit_compile=False)


def dvm_is_not_for_this_chip() -> None:
    dvm, _ = diagnosis.diagnose()["compilers"]
    assert not dvm["usable"]
    assert "Atlas A2" in dvm["says"], dvm


def the_doctor_knows_the_compilers() -> None:
    with tempfile.TemporaryDirectory() as made:
        with_compilers_in(Path(made))


def with_compilers_in(folder: Path) -> None:
    sys.path[:] = [str(folder), *sys.path]
    real = importlib.util.find_spec
    importlib.util.find_spec = lambda name: None if name in absent else real(name)
    version_of = compilers.version_of
    compilers.version_of = lambda name: triton if name == "triton-ascend" else None

    def seen():
        importlib.invalidate_caches()
        report = diagnosis.diagnose()
        diagnosis.render(report)
        assert not report["problems"], report
        names = [found["backend"] for found in report["compilers"]]
        assert names == ["dvm", "default"], names
        return [(f["usable"], f["says"]) for f in report["compilers"]] + report["notes"]

    triton, absent = None, {"triton", "pybind11"}
    (_, dvm), (_, default) = seen()
    assert dvm.startswith("Inductor asks for")
    assert "pip install triton-ascend pybind11" in dvm
    assert "triton-ascend is not installed" in default

    (folder / "triton" / "language").mkdir(parents=True)
    (folder / "triton" / "__init__.py").write_text("raise SystemExit('it is not imported')")
    triton, absent = "3.2.0", {"pybind11"}
    (_, dvm), (_, default) = seen()
    assert "pip install pybind11" in dvm
    assert "triton-ascend 3.2.0 lacks triton.language.extra.cann" in default
    assert "3.2.2" in default

    os.environ["TORCHINDUCTOR_NPU_BACKEND"] = "dvm"
    _, _, note = seen()
    assert "by the backend dvm" in note["what"]
    assert note["remedy"] == "pip install pybind11"
    (folder / "pybind11").mkdir()
    (folder / "pybind11" / "__init__.py").touch()
    absent = set()
    dvm, _ = seen()
    assert dvm == (True, "in use, by TORCHINDUCTOR_NPU_BACKEND")
    del os.environ["TORCHINDUCTOR_NPU_BACKEND"]
    dvm, _ = seen()
    assert dvm == (True, "set TORCHINDUCTOR_NPU_BACKEND=dvm")

    (folder / "triton" / "language" / "extra" / "cann").mkdir(parents=True)
    triton = "3.2.2"
    _, (usable, default) = seen()
    assert not usable
    assert "the emulated CANN runs no kernels" in default
    importlib.util.find_spec = real
    compilers.version_of = version_of
    sys.path.remove(str(folder))


def sweep() -> None:
    """Print the reports under every fault that the emulator has."""

    found = {}

    def swept(kind, name, *faults, **variables):
        found[f"{kind} {name}"] = examined(*faults, **variables)

    for name in emulator.functions():
        for code in (500001, 507899):
            swept("function", f"{name} {code}", function(name, code))
    codes = [*range(100000, 100050), *range(107000, 107030), *range(161001, 161005)]
    codes += [*range(207000, 207020), *range(361001, 361005), *range(500000, 500006)]
    codes += [*range(507000, 507060), *range(507899, 507910), *range(561000, 561004)]
    for code in (*codes, *range(561101, 561125), 1, 999999):
        for name in ("aclInit", "aclrtGetMemInfo"):
            swept("code", f"{code} of {name}", function(name, code))
    for mode in ("ideal", "chip", *(f"hostile:{family}" for family in (*_modes.FAMILIES, "all"))):
        swept("mode", mode, partial(emulator.set_mode, mode))
    for device in (0, 1):
        for code in (507899, 507015, 207004, 107001):
            swept(
                "lost",
                f"{device} {code}",
                partial(emulator._library.emulator_set_lost, device, code),
            )
        swept("memory", f"{device} limit", partial(emulator.limit_memory, 1, device))
        swept("memory", f"{device} allocation", partial(emulator.fail_allocation, 1, 99, device))
    for at in ("call", "launch", "synchronize"):
        swept("kernel", at, partial(emulator.fail_kernel, "*", at=at))
    swept("copy", "", lambda: emulator.fail_copy())
    for queue in "012x":
        swept("variable", queue, TASK_QUEUE_ENABLE=queue)
    for name, values in {
        "INF_NAN_MODE_ENABLE": "012x",
        "ASCEND_LAUNCH_BLOCKING": "01x",
        "ACL_OP_INIT_MODE": "012x",
        "TORCH_NPU_COMPACT_ERROR_OUTPUT": "01x",
        "INF_NAN_MODE_FORCE_DISABLE": "01x",
    }.items():
        for value in values:
            swept("variable", f"{name}={value}", **{name: value})
    for value in ("", "0", "1", "0,1", "1,0", "0,0", "0,1,2,3", "4", "-1", "x", "0;1", "0, 1"):
        swept("variable", f"visible={value}", ASCEND_RT_VISIBLE_DEVICES=value)
    segments = "expandable_segments:True"
    allocators = f"{segments} {segments},max_split_size_mb:64 max_split_size_mb:1 foo:1 {{}} :"
    allocators += f" {segments},garbage_collection_threshold:0.5 garbage_collection_threshold:9"
    for value in f"{allocators} expandable_segments expandable_segments:maybe".split():
        swept("variable", f"allocator={value}", PYTORCH_NPU_ALLOC_CONF=value)
    print(json.dumps(found))
