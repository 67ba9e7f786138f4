"""The doctor under every fault that the emulated CANN has: it reports, and never raises.

Each fault is injected into a forked process, before torch_npu is initialised: see examined.py.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

import pytest
from npu import called, needs_emulator

pytestmark = needs_emulator

LAST = "an_operation_has_left_a_fault"
"""The program after which the device computes nothing."""


run = partial(called, "examined")


def checked(printed: str) -> dict[str, dict[str, Any]]:
    """The reports on the first line of JSON: each has a reason and a remedy for all that it has."""
    line = next(line for line in printed.splitlines() if line.startswith("{"))
    reports: dict[str, dict[str, Any]] = json.loads(line)
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


ONE = "one cause for all devices"


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, Any]]:
    """The reports of the causes; in the same process, all else that no other environment needs."""
    cases = {name: case for name, (case, _) in CAUSES.items()}
    cases |= {ONE: {"fails": [("aclInit", 507000)]}}
    return checked(
        run(
            f"reports({cases!r})",
            "why_needs_no_npu()",
            f"an_operation_tells_the_cause_that_the_doctor_tells({NUMPY!r})",
            "the_doctor_knows_the_compilers()",
            "other_chips_that_compile_are_told_of_the_time()",
            f"{LAST}()",
            TASK_QUEUE_ENABLE="2",
        )
    )


@pytest.mark.nightly
def test_causes_are_told_with_a_remedy(found: dict[str, dict[str, Any]]) -> None:
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


@pytest.mark.nightly
def test_one_cause_is_told_once_for_all_devices(found: dict[str, dict[str, Any]]) -> None:
    report = found[ONE]
    (problem,) = report["problems"]
    assert problem["what"] == "npu:0 cannot be used; npu:1 cannot be used"
    assert [d["model"] for d in report["devices"]] == ["the host", None, None]


@pytest.mark.nightly
@pytest.mark.parametrize("mode", ["0", "1"])
def test_a_fault_that_an_operation_has_left(mode: str) -> None:
    """The doctor waits for the devices, and so finds it."""
    run(f"{LAST}()", TASK_QUEUE_ENABLE=mode)


# --- every fault ----------------------------------------------------------------------------------

MET = ("aclInit", "aclrtGetDeviceCount", "aclrtSetDevice", "aclrtGetMemInfo")
"""Functions that every doctor calls."""


@pytest.mark.nightly
def test_the_doctor_reports_under_every_fault_of_the_emulator() -> None:
    found = checked(run("sweep()"))
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


# --- other chips ----------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("soc", "mode", "program"),
    [
        *(("Ascend910A", m, "the_first_operation_of_a_first_910_says_so") for m in "201"),
        ("Ascend910ProB", "1", "a_first_910_computes_with_compiled_kernels"),
    ],
)
def test_the_first_910_must_be_told_to_call_compiled_kernels(
    soc: str, mode: str, program: str
) -> None:
    printed = run(
        "reports({'': {}})", f"{program}()", CANN_EMULATOR_SOC=soc, TASK_QUEUE_ENABLE=mode
    )
    (problem,) = checked(printed)[""]["problems"]
    assert problem["what"] == "the first operation may fail on this chip"
    assert "jit_compile is on" in problem["reason"]
    assert "torch.npu.set_compile_mode(jit_compile=False)" in problem["remedy"]


@pytest.mark.nightly
def test_dvm_is_not_for_chips_before_atlas_a2() -> None:
    run("dvm_is_not_for_this_chip()", CANN_EMULATOR_SOC="Ascend310P3")
