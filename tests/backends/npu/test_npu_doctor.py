"""The doctor under every fault that the emulated CANN has: it reports, and never raises.

Each fault is injected into a process of its own, forked before torch_npu is initialised.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from npu import needs_emulator, script
from queues import TASK_QUEUES

pytestmark = needs_emulator

HEAD = """
import json, os, signal
from ascend_array_api._doctor import diagnosis

def examined(*faults, **variables):
    '''The report of a forked process with faults: functions to call, and environment variables.'''
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            os.environ.update(variables)
            for fault in faults:
                fault()
            report = diagnosis.diagnose()
            diagnosis.render(report)
            said = {name: report[name] for name in ("problems", "notes", "devices")}
        except BaseException as error:
            said = {"raised": repr(error)}
        with os.fdopen(write, "w") as file:
            json.dump(said, file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    assert os.waitpid(child, 0)[1] == 0, "the process ended"
    return json.loads(text)

def function(*order):
    return lambda: emulator.fail_function(*order)
"""


def reports(cases: dict[str, dict[str, Any]], **environment: str) -> dict[str, dict[str, Any]]:
    """The reports of cases: functions of the runtime that fail, and environment variables."""
    text = f"""
reports = {{}}
for name, case in {cases!r}.items():
    faults = [function(*order) for order in case.get("fails", ())]
    reports[name] = examined(*faults, **case.get("variables", {{}}))
print(json.dumps(reports))
"""
    return checked(script(HEAD + text, **environment))


def checked(printed: str) -> dict[str, dict[str, Any]]:
    """The reports on the last line: each is one, with a reason and a remedy for all that it has."""
    reports: dict[str, dict[str, Any]] = json.loads(printed.splitlines()[-1])
    for name, report in reports.items():
        assert "raised" not in report, (name, report)
        for found in (*report["problems"], *report["notes"]):
            assert set(found) == {"what", "reason", "remedy"}, name
            assert all(len(text) > 10 for text in found.values()), (name, found)
    return reports


# --- the causes -----------------------------------------------------------------------------------

IMPORT = (
    "EC0010: 2025-04-16-13:15:44.018.468 Failed to import Python module [{}].\n"
    "        Solution: Check that all required components are properly installed"
)
NUMPY = IMPORT.format(
    "AttributeError: `np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.."
)
MISSING = IMPORT.format("ModuleNotFoundError: No module named '{}'")
CHIP = "EH9999: [Init][PlatformInfo]init runtime platform info failed, SocVersion = Ascend910B2"
ORDER = (
    "EE1001: The argument is invalid.Reason: set ASCEND_RT_VISIBLE_DEVICES:1,0 error, it must be"
)
RANGE = "EE1001: set ASCEND_RT_VISIBLE_DEVICES:[4] error, input data rang[0-2)"
INITIALISED = {"ACL_OP_INIT_MODE": "0"}  # as torch_npu does where such reports come from
VISIBLE = "ASCEND_RT_VISIBLE_DEVICES"
INF_NAN = "INF_NAN_MODE_ENABLE"
ALLOCATOR = "PYTORCH_NPU_ALLOC_CONF"

#: What fails, and what is told: the kind of finding, and words of what is wrong, of the reason and
#: of the remedy.
CAUSES: dict[str, tuple[dict[str, Any], tuple[str, str, str, str] | None]] = {
    "nothing": ({}, None),
    "NumPy 2": (
        {"fails": [("aclSetCompileopt", 500001, NUMPY)], "variables": INITIALISED},
        ("problems", r"npu:0 .*npu:1 ", r"names that NumPy \d.* no longer has", "'numpy<2'"),
    ),
    "attrs": (
        {"fails": [("aclSetCompileopt", 500001, MISSING.format("attr"))], "variables": INITIALISED},
        ("problems", "npu:0", "cannot import attr, which the compiler", r"pip install .*\battrs\b"),
    ),
    "decorator": (
        {"fails": [("aclInit", 500001, MISSING.format("decorator"))]},
        ("problems", "npu:0", "import decorator, which", r"pip install .*\bdecorator\b"),
    ),
    "tbe": (
        {"fails": [("aclInit", 500001, MISSING.format("tbe.common"))]},
        ("problems", "npu:0", "cannot import tbe, which is a part of CANN", "set_env.sh"),
    ),
    "another chip": (
        {"fails": [("aclSetCompileopt", 500001, CHIP)], "variables": INITIALISED},
        ("problems", "npu:0", "not be for this chip", "kernels .* for the chip"),
    ),
    "500001": (
        {"fails": [("aclSetCompileopt", 500001)], "variables": INITIALISED},
        ("problems", "npu:0", "could not start.*error code is 500001", r"NumPy.*attrs.*this chip"),
    ),
    "order of devices": (
        {"fails": [("aclrtGetDeviceCount", 207004, ORDER)], "variables": {VISIBLE: "1,0"}},
        ("problems", "no usable NPU", rf"{VISIBLE}=1,0 names.*207004", "in ascending order"),
    ),
    "number of a device": (
        {"fails": [("aclrtSetDevice", 107001, RANGE)], "variables": {VISIBLE: "4"}},
        ("problems", "npu:0", rf"{VISIBLE}=4 names.*107001", f"unset {VISIBLE}"),
    ),
    "a device that is dropped": (
        {"variables": {VISIBLE: "0,1,4"}},
        ("problems", VISIBLE, "names 3 devices, and CANN has 2", "npu-smi info counts them"),
    ),
    "a word for a device": (
        {"variables": {VISIBLE: "npu:0"}},
        ("problems", "hides devices", "numbers in ascending order", f"unset {VISIBLE}"),
    ),
    "no devices": (
        {"variables": {VISIBLE: ""}},
        ("problems", "hides devices", "numbers in ascending order", f"unset {VISIBLE}"),
    ),
    "no driver": (
        {"fails": [("aclrtGetDeviceCount", 207004)]},
        ("problems", "no usable NPU", "driver .* not there", "/dev/davinci_manager"),
    ),
    "no permission": (
        {"fails": [("aclrtSetDevice", 207006)]},
        ("problems", "npu:0", "cannot see it", "HwHiAiUser"),
    ),
    "a device that does not start": (
        {"fails": [("aclrtSetDevice", 507033)]},
        ("problems", "npu:0", "driver could not start the device", "npu-smi info"),
    ),
    "saturation": (
        {"variables": {INF_NAN: "0", "INF_NAN_MODE_FORCE_DISABLE": "1"}},
        ("notes", "infinities and NaN", "65504.*3.4e38.*0 in place of NaN", f"unset {INF_NAN}"),
    ),
    "saturation that is refused": (
        {"variables": {INF_NAN: "0"}},
        ("problems", "infinities", rf"{INF_NAN}=0 asks for saturation.*65504", f"unset {INF_NAN}"),
    ),
    "two kinds of segments": (
        {"variables": {ALLOCATOR: "expandable_segments:True,max_split_size_mb:64"}},
        ("problems", "npu:0", f"cannot follow {ALLOCATOR}=.*ends at its first", "excludes"),
    ),
    "an unknown setting of memory": (
        {"variables": {ALLOCATOR: "foo:1"}},
        ("problems", "npu:0", f"cannot follow {ALLOCATOR}=foo:1", f"unset {ALLOCATOR}"),
    ),
    "expandable segments": (
        {
            "fails": [("aclrtSetDevice", 507001)],
            "variables": {ALLOCATOR: "expandable_segments:True"},
        },
        ("problems", "npu:0", "driver may not have", "expandable_segments:False"),
    ),
    "no name of the chip": (
        {"fails": [("aclrtGetSocName", 507000)]},
        ("notes", "does not name the chip", "rows", "CANN that torch_npu"),
    ),
}


def test_causes_are_told_with_a_remedy() -> None:
    found = reports({name: case for name, (case, _) in CAUSES.items()})
    for name, (_, told) in CAUSES.items():
        report = found[name]
        if told is None:
            assert not report["problems"], (name, report)
            assert not report["notes"], (name, report)
            continue
        kind, *patterns = told
        assert any(
            all(re.search(p, said) for p, said in zip(patterns, finding.values()))
            for finding in report[kind]
        ), (name, report)
        if kind == "notes":
            assert not report["problems"], name


def test_one_cause_is_told_once_for_all_devices() -> None:
    report = reports({"": {"fails": [("aclInit", 507000)]}})[""]
    (problem,) = report["problems"]
    assert problem["what"] == "npu:0 cannot be used; npu:1 cannot be used"
    assert [d["model"] for d in report["devices"]] == ["the host", None, None]


# --- every fault ----------------------------------------------------------------------------------

SWEEP = """
from conformance.cann_emulator import _modes
from ascend_array_api._backends.npu import causes

found = {}

def sweep(kind, name, *faults, **variables):
    report = found[f"{kind} {name}"] = examined(*faults, **variables)

for name in emulator.functions():
    for code in (500001, 507899):
        sweep("function", f"{name} {code}", function(name, code))
first = range(100000, 100050), range(107000, 107030), range(161001, 161005), range(207000, 207020)
last = range(361001, 361005), range(500000, 500006), range(507000, 507060), range(507899, 507910)
for codes in (*first, *last, range(561000, 561004), range(561101, 561125), (1, 999999)):
    for code in codes:
        for name in ("aclInit", "aclrtGetMemInfo"):
            sweep("code", f"{code} of {name}", function(name, code))
for mode in ("ideal", "chip", *(f"hostile:{family}" for family in (*_modes.FAMILIES, "all"))):
    sweep("mode", mode, lambda: emulator.set_mode(mode))
for device in (0, 1):
    for code in (507899, 507015, 207004, 107001):
        sweep("lost", f"{device} {code}", lambda: emulator._library.emulator_set_lost(device, code))
    sweep("memory", f"{device} limit", lambda: emulator.limit_memory(1, device))
    sweep("memory", f"{device} allocation", lambda: emulator.fail_allocation(1, 99, device))
for at in ("call", "launch", "synchronize"):
    sweep("kernel", at, lambda: emulator.fail_kernel("*", at=at))
sweep("copy", "", lambda: emulator.fail_copy())
for queue in "012x":
    sweep("variable", queue, TASK_QUEUE_ENABLE=queue)
for name, values in {
    "INF_NAN_MODE_ENABLE": "012x", "ASCEND_LAUNCH_BLOCKING": "01x", "ACL_OP_INIT_MODE": "012x",
    "TORCH_NPU_COMPACT_ERROR_OUTPUT": "01x", "INF_NAN_MODE_FORCE_DISABLE": "01x",
}.items():
    for value in values:
        sweep("variable", f"{name}={value}", **{name: value})
for value in ("", "0", "1", "0,1", "1,0", "0,0", "0,1,2,3", "4", "-1", "x", "0;1", "0, 1"):
    sweep("variable", f"visible={value}", ASCEND_RT_VISIBLE_DEVICES=value)
for value in (
    "expandable_segments:True", "expandable_segments:True,max_split_size_mb:64",
    "expandable_segments:True,garbage_collection_threshold:0.5", "max_split_size_mb:1", "foo:1",
    "garbage_collection_threshold:9", "expandable_segments", "{}", ":", "expandable_segments:maybe",
):
    sweep("variable", f"allocator={value}", PYTORCH_NPU_ALLOC_CONF=value)
print(json.dumps(found))
"""
MET = ("aclInit", "aclrtGetDeviceCount", "aclrtSetDevice", "aclrtGetMemInfo")
"""Functions that every doctor calls."""


@pytest.mark.nightly
def test_the_doctor_reports_under_every_fault_of_the_emulator() -> None:
    found = checked(script(HEAD + SWEEP, timeout=500))
    problems = {name for name, report in found.items() if report["problems"]}
    print(f"{len(found)} faults, {len(problems)} reports with problems")
    assert len(found) > 600
    for function in MET:
        assert {f"function {function} {code}" for code in (500001, 507899)} <= problems
    assert {f"lost {i} {c}" for i in (0, 1) for c in (507899, 507015, 207004, 107001)} <= problems
    for name, report in found.items():
        if name.startswith("mode"):  # no operation runs
            assert name not in problems
        if name.startswith("lost 1"):
            assert [d["model"] is None for d in report["devices"]] == [False, False, True], name
        if name.startswith("lost 0"):
            assert [d["model"] is None for d in report["devices"]] == [False, True, False], name


@pytest.mark.parametrize("mode", TASK_QUEUES)
def test_a_fault_that_an_operation_has_left(mode: str) -> None:
    """The doctor waits for the devices, and so finds it."""
    text = """
x = xp.ones(3, device="npu:0") + 1.0
for at in ("synchronize", "launch"):
    emulator.fail_kernel("aclnnAdd", at=at)
    try:
        y = x + x
    except xp.DeviceError:  # without a task queue a launch fails at once
        assert at == "launch" and MODE == "0"
        continue
    report = diagnosis.diagnose()
    assert [d["model"] is None for d in report["devices"]] == [False, True, False]
    (problem,) = report["problems"]
    assert problem["what"] == "npu:0 cannot be used", problem
    assert "the device or its driver failed" in problem["reason"] or at == "launch", problem
    assert "npu-smi info" in problem["remedy"]
"""
    script(HEAD + f"MODE = {mode!r}\n" + text, TASK_QUEUE_ENABLE=mode)


@pytest.mark.parametrize("function", ["aclrtGetDeviceCount", "aclInit", "aclrtGetSocName"])
def test_why_needs_no_npu(function: str) -> None:
    """Rows of special chips apply where the chip is unknown."""
    text = f"""
from ascend_array_api._doctor import why

emulator.fail_function({function!r}, 207004)
assert why.main(["sort", "float32", "npu"]) == 0
"""
    said = script(text)
    assert "sort of float32 on npu: " in said
    assert (
        "aclnnSort casts float32 to float16 on the first 910" in said.split("Rows for it")[0]
    ) == (function != "aclInit")


# --- the first 910 --------------------------------------------------------------------------------

MODE = "torch.npu.set_compile_mode(jit_compile=False)"


@pytest.mark.parametrize("soc", ["Ascend910A", "Ascend910ProB"])
def test_the_first_910_must_be_told_to_call_compiled_kernels(soc: str) -> None:
    (problem,) = reports({"": {}}, CANN_EMULATOR_SOC=soc)[""]["problems"]
    assert problem["what"] == "the first operation may fail on this chip"
    assert "jit_compile is on" in problem["reason"]
    assert MODE in problem["remedy"]


@pytest.mark.parametrize("mode", TASK_QUEUES)
def test_the_first_operation_of_a_first_910_says_so(mode: str) -> None:
    text = f"""
try:
    x = xp.ones(3)
    xp.synchronize()
except xp.DeviceError as error:
    assert {MODE!r} in str(error), error
    assert "older path" in str(error), error
else:
    raise SystemExit("no error")
assert not torch.npu.is_jit_compile_false()
"""
    script(text, CANN_EMULATOR_SOC="Ascend910A", TASK_QUEUE_ENABLE=mode)


def test_a_first_910_computes_with_compiled_kernels() -> None:
    text = f"""
import numpy as np

assert not torch.npu.is_jit_compile_false()
{MODE}

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
"""
    script(HEAD + text, CANN_EMULATOR_SOC="Ascend910ProB")


def test_other_chips_that_compile_are_told_of_the_time() -> None:
    text = """
torch.npu.set_compile_mode(jit_compile=True)
report = diagnosis.diagnose()
assert report["problems"] == []
(note,) = report["notes"]
assert note["what"] == "the first call of each function may take minutes"
assert "ACL_OP_COMPILER_CACHE_DIR" in note["reason"]
assert "set_compile_mode(jit_compile=False)" in note["remedy"]
assert "note: the first call" in diagnosis.render(report)
assert diagnosis.main([]) == 0
"""
    script(HEAD + text)


def test_an_operation_tells_the_cause_that_the_doctor_tells() -> None:
    text = f"""
emulator.fail_function("aclSetCompileopt", 500001, {NUMPY!r})
for _ in range(2):
    try:
        xp.ones(3)
    except xp.DeviceError as error:
        told = str(error)
assert "since its fault" in told or "numpy<2" in told
emulator.fail_nothing()
"""
    script(text, ACL_OP_INIT_MODE="0")
    script(
        f"""
try:
    xp.ones(3)
except xp.DeviceError as error:
    assert "unset {INF_NAN}" in str(error), error
else:
    raise SystemExit("no error")
""",
        INF_NAN_MODE_ENABLE="0",
    )


COMPILERS = """
import importlib, pathlib, shutil, sys, tempfile
from ascend_array_api._doctor import compilers

folder = pathlib.Path(tempfile.mkdtemp())
sys.path[:] = [str(folder), *sys.path]
real = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name in absent else real(name)
compilers.version_of = lambda name: triton if name == "triton-ascend" else None

def told():
    importlib.invalidate_caches()
    report = diagnosis.diagnose()
    diagnosis.render(report)
    assert not report["problems"], report
    names = [found["backend"] for found in report["compilers"]]
    assert names == ["dvm", "default"], names
    return [(f["usable"], f["says"]) for f in report["compilers"]] + report["notes"]

triton, absent = None, {"triton", "pybind11"}
(_, dvm), (_, default) = told()
assert dvm.startswith("Inductor asks for") and "pip install triton-ascend pybind11" in dvm
assert "triton-ascend is not installed" in default

(folder / "triton" / "language").mkdir(parents=True)
(folder / "triton" / "__init__.py").write_text("raise SystemExit('it is not imported')")
triton, absent = "3.2.0", {"pybind11"}
(_, dvm), (_, default) = told()
assert "pip install pybind11" in dvm
assert "triton-ascend 3.2.0 lacks triton.language.extra.cann" in default and "3.2.2" in default

os.environ["TORCHINDUCTOR_NPU_BACKEND"] = "dvm"
_, _, note = told()
assert "by the backend dvm" in note["what"] and note["remedy"] == "pip install pybind11"
(folder / "pybind11").mkdir()
(folder / "pybind11" / "__init__.py").touch()
absent = set()
dvm, _ = told()
assert dvm == (True, "in use, by TORCHINDUCTOR_NPU_BACKEND")
del os.environ["TORCHINDUCTOR_NPU_BACKEND"]
dvm, _ = told()
assert dvm == (True, "set TORCHINDUCTOR_NPU_BACKEND=dvm")

(folder / "triton" / "language" / "extra" / "cann").mkdir(parents=True)
triton = "3.2.2"
_, (usable, default) = told()
assert not usable and "the emulated CANN runs no kernels" in default
shutil.rmtree(folder)
"""


def test_the_doctor_knows_the_compilers() -> None:
    script(HEAD + COMPILERS)


def test_dvm_is_not_for_chips_before_atlas_a2() -> None:
    text = """
dvm, default = diagnosis.diagnose()["compilers"]
assert not dvm["usable"] and "Atlas A2" in dvm["says"], dvm
"""
    script(HEAD + text, CANN_EMULATOR_SOC="Ascend310P3")
