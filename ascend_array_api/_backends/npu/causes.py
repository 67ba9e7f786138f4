"""Causes of the errors of torch_npu and CANN: how each is recognised, and what to do about it.

Both the errors of operations and the doctor take their words from here.  ``seen`` names the public
report or the document that a cause comes from: nothing here was seen on a chip.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Final, NamedTuple

from ..._torch import torch, version_of

VISIBLE: Final = "ASCEND_RT_VISIBLE_DEVICES"
INF_NAN: Final = "INF_NAN_MODE_ENABLE"
ALLOCATOR: Final = "PYTORCH_NPU_ALLOC_CONF"

PACKAGES: Final = (
    *("absl-py", "attrs", "cffi", "cython", "decorator", "pathlib2", "protobuf", "psutil"),
    *("pyyaml", "requests", "scipy", "sympy"),
)
"""The Python packages that CANN documents to need, beside NumPy."""

BINARY_KERNELS: Final = (
    "call torch.npu.set_compile_mode(jit_compile=False) at the start of the program, before the "
    "first array, so that torch_npu calls CANN's compiled kernels"
)
"""The remedy where torch_npu compiles each operation, which only the program can apply."""

SATURATES: Final = (
    "kernels give the largest number in place of an infinity, 65504 for float16 and 3.4e38 for "
    "float32, and 0 in place of NaN"
)
NUMPY: Final = "pip install 'numpy<2', or install CANN 9.0 or later, which documents no such limit"
DRIVER: Final = (
    "install the driver and firmware of the NPU, which npu-smi info then lists; in a container, "
    "mount /usr/local/Ascend/driver and pass /dev/davinci0 and its like, /dev/davinci_manager, "
    "/dev/devmm_svm and /dev/hisi_hdc; this user must be in the group HwHiAiUser"
)
VISIBLE_REMEDY: Final = (
    f"unset {VISIBLE}, or write the numbers of devices, from 0 on and as npu-smi info counts them, "
    "in ascending order with commas between them, such as 0,1"
)
LOGS: Final = "look at npu-smi info and at CANN's logs (~/ascend/log)"


def compiles() -> bool:
    """Say whether torch_npu is known to compile each operation, as before Atlas A2 by default."""
    npu = getattr(torch, "npu", None)
    if npu is None or not npu.is_initialized():
        return False
    try:
        return not npu.is_jit_compile_false()
    except RuntimeError:  # unknown: CANN fails at this question too
        return False


def _is_set(variable: str) -> Callable[[], bool]:
    return lambda: bool(os.environ.get(variable))


def _expandable() -> bool:
    return "expandable_segments:true" in os.environ.get(ALLOCATOR, "").lower()


def _always() -> bool:
    return True


class Cause(NamedTuple):
    """A cause of an error.

    Its texts may name ``{numpy}``, the version; ``{visible}``, ``{inf_nan}`` and ``{allocator}``,
    the values of variables; and the groups of `said`.
    """

    reason: str
    """The cause, as a sentence without a full stop; empty if nothing more is known."""
    remedy: str
    """One or more sentences without the last full stop."""
    seen: str
    """The evidence: public reports, documents, or the emulated CANN."""
    said: str = ""
    """A pattern of the text of the error; empty if no text tells."""
    codes: tuple[str, ...] = ()
    """The first digits of codes of ACL and aclnn."""
    holds: Callable[[], bool] = _always
    """Whether the process can have this cause."""
    alone: bool = False
    """Whether the text tells of a fault even without a code of CANN."""
    earlier: bool = False
    """Whether an earlier operation may have caused the error."""


_OWN: Final = "te|tbe|hccl|opc_tool|asc_op_compile_base|auto_tune|auto_search|schedule_search|acl"
_OF_AICPU: Final = (
    f"report it, with the data types and shapes of the call; {LOGS}. The device is lost to this "
    "process"
)
_INSTALL: Final = f"pip install {' '.join(PACKAGES)}"

CAUSES: Final = (
    Cause(
        "the Python packages of this CANN use names that NumPy {numpy} no longer has",
        NUMPY,
        "MinerU #2258; vllm-ascend #2210: CANN 8.2 with NumPy 2",
        said=r"removed in the NumPy 2\.0|module 'numpy' has no attribute|compiled using NumPy 1"
        r"|numpy\.core\.multiarray failed to import",
    ),
    Cause(
        "Python cannot import {module}, which is a part of CANN",
        "source CANN's set_env.sh in this shell, which sets PYTHONPATH",
        "CANN's set_env.sh",
        said=rf"No module named '?(?P<module>{_OWN})\b",
    ),
    Cause(
        "Python cannot import {module}, which the compiler of CANN needs",
        f"{_INSTALL}, the packages that CANN documents to need",
        "FlagGems #5708 (CANN 8.5); Ascend/pytorch #7; CANN's list of dependencies",
        said=r"No module named '?(?P<module>(?!torch)[\w.]+)",
    ),
    Cause(
        "the installed kernels of CANN may not be for this chip",
        "install CANN's kernels (ops) for the chip that npu-smi info names, of the version of the "
        "toolkit",
        "vllm-ascend #692 (the text alone: the cause is inferred), #6676; gpustack #1514",
        said=r"init runtime platform info failed|does not match the current device soc"
        r"|does not has any binary",
    ),
    Cause(
        "this torch_npu does not know the chip, {chip}",
        "install a newer torch_npu, with the torch and the CANN that belong to it",
        "RLinf #1577: torch_npu 2.6 on Ascend950PR 9579",
        said=r"Unsupported soc version: (?P<chip>[\w ]+)",
        alone=True,
    ),
    Cause(
        "a library of nnal (ATB) is there that belongs to another release of CANN or torch_npu",
        "source the set_env.sh of nnal (ATB) of the same release as CANN, and of no other",
        "vllm-ascend #117, #750",
        said=r"undefined symbol: _ZN3atb",
    ),
    Cause(
        "the C++ library of this system (libstdc++) is older than CANN's or torch_npu's needs",
        "install a newer libstdc++ (in conda: conda install -c conda-forge libstdcxx-ng), or use "
        "an image of CANN",
        "the text of the dynamic linker",
        said=r"GLIBCXX_[\d.]+' not found",
    ),
    Cause(
        "a wait for the device, or a copy, stood within the capture of a graph",
        "take waits, reads of values and copies to and from the host out of what is captured",
        "vllm-ascend #6002, #8000, #10309",
        said="current capture mode does not support",
        codes=("107027", "107030"),
        earlier=True,
    ),
    Cause(
        "the capture of a graph is broken: a stream of your own was not joined, or an earlier call "
        "of the capture failed",
        "let the stream of the capture wait for each stream of your own before the capture ends",
        "vllm-ascend #13792; sglang #14367",
        codes=("107025", "107033"),
        earlier=True,
    ),
    Cause(
        "{kernel}, a kernel of CANN for the AICPU, failed",
        _OF_AICPU,
        "Ascend/pytorch #153 (IndexPut on 310P)",
        said=r"soName=[^\n]*kernelName=(?P<kernel>\w+)",
        earlier=True,
    ),
    Cause(
        "a kernel of CANN for the AICPU failed",
        _OF_AICPU,
        "CANN's codes of ACL",
        codes=("507018",),
        earlier=True,
    ),
    Cause(
        "the streams of the device are used up",
        "use fewer streams and captured graphs at a time; memory is not what is short",
        "vllm-ascend #3869",
        codes=("207005",),
        earlier=True,
    ),
    Cause(
        f"{INF_NAN}={{inf_nan}} asks for saturation, where {SATURATES}; torch_npu refuses that on "
        "a chip with infinities",
        f"unset {INF_NAN}",
        "torch_npu 2.13 on the emulated CANN",
        said="INF_NAN_MODE_(?:ENABLE|FORCE_DISABLE)",
        alone=True,
    ),
    Cause(
        f"torch_npu cannot follow {ALLOCATOR}={{allocator}}; the process ends at its first array",
        f"unset {ALLOCATOR}, or leave out one of two: expandable_segments:True excludes "
        "max_split_size_mb and garbage_collection_threshold",
        "torch_npu 2.13 on the emulated CANN; its document of the variable",
        said="with `expandable_segments`|in NPU allocator config|CachingAllocatorConfig",
        holds=_is_set(ALLOCATOR),
        alone=True,
    ),
    Cause(
        f"{ALLOCATOR}={{allocator}} asks for expandable segments, which this driver may not have",
        f"export {ALLOCATOR}=expandable_segments:False, or install a driver of Ascend HDK 24.1 or "
        "later",
        "vllm-ascend #116; torch_npu's document of the variable",
        codes=("207000", "507001"),
        holds=_expandable,
    ),
    Cause(
        f"CANN does not find the devices that {VISIBLE}={{visible}} names",
        VISIBLE_REMEDY,
        "gpustack #2527 (207004: not in ascending order), #3352 (107001: number 4 of 2 devices)",
        said=VISIBLE,
        codes=("207004", "107001"),
        holds=_is_set(VISIBLE),
    ),
    Cause(
        "the driver of the NPU is not there, or this process cannot see it",
        DRIVER,
        "vllm-ascend #1440, accelerate #3754; 207004 and 207006 are CANN's 'no device' and 'no "
        "permission'",
        said=r"libascend_hal\.so|libdrv\w*\.so|libdcmi\.so",
        codes=("207004", "207006"),
    ),
    Cause(
        "the driver could not start the device",
        f"check that no other container or virtual machine holds it, and {VISIBLE}; {LOGS}",
        "Ascend/pytorch #67",
        codes=("507033",),
    ),
    Cause(
        "CANN failed at the older path of torch_npu (aclop), which compiles each operation and is "
        "the default on the first 910 (jit_compile is on)",
        BINARY_KERNELS,
        "the emulated CANN as Ascend910A and Ascend910ProB; torch_npu's document of the function",
        said="current working operator name is (?!aclnn)",
        codes=("100024", "5000"),
        holds=compiles,
    ),
    Cause(
        "CANN's compiler of graphs (GE) could not start",
        f"the log in ~/ascend/log says why. Three causes are common: NumPy 2 (this is {{numpy}}) "
        f"with CANN before 9.0 ({NUMPY}), missing Python packages ({_INSTALL}), and a CANN whose "
        "kernels are not for this chip",
        "vllm-ascend #564, #692, #2244; MinerU #2258",
        said="JitCompile default value failed",
        codes=("500001",),
        alone=True,
    ),
    Cause(
        "CANN has no kernel for this operation, and torch_npu took its older path (aclop)",
        "install a newer CANN, and a torch_npu of the same release",
        "the emulated CANN without a kernel",
        codes=("100024",),
        earlier=True,
    ),
    Cause(
        "CANN's kernel refuses these operands, which a route should have prevented",
        "report it, and meanwhile move them with to_device('cpu')",
        "CANN's codes of aclnn",
        codes=("161",),
        earlier=True,
    ),
    Cause(
        "the kernel could not be prepared",
        "check that CANN's kernels are those for this SoC and that torch_npu supports this "
        "version of CANN",
        "CANN's codes of aclnn",
        codes=("561",),
        earlier=True,
    ),
    Cause(
        "CANN was called in a wrong order or for a device that is not there",
        f"check {VISIBLE} and streams of your own",
        "CANN's codes of ACL",
        codes=("107",),
        earlier=True,
    ),
    Cause(
        "CANN ran short of a resource on the device",
        "free arrays, or use a smaller part of them",
        "CANN's codes of ACL",
        codes=("207001", "207002", "20700[789]", "20701", "207018"),
        earlier=True,
    ),
    Cause(
        "the chip or its driver lacks a feature that torch_npu asks for",
        "install the driver and firmware that the release of CANN names",
        "CANN's codes of ACL",
        codes=("207000",),
        earlier=True,
    ),
    Cause(
        "the device or its driver failed",
        LOGS,
        "CANN's codes of ACL",
        codes=("507",),
        earlier=True,
    ),
    Cause("", LOGS, "nothing more is known", said="", codes=("",), earlier=True),
)
"""All causes; the first that fits counts."""

_SAID: Final = [re.compile(cause.said) if cause.said else None for cause in CAUSES]
_CODES: Final = [re.compile("|".join(cause.codes)) if cause.codes else None for cause in CAUSES]

ALONE: Final = "|".join(f"(?:{cause.said})" for cause in CAUSES if cause.alone)
"""A pattern of the texts that tell of a fault although they have no code of CANN."""


_CODE: Final = re.compile(r"\berror code(?: is |: ?)(\d{6})\b")


def code_in(text: str) -> int | None:
    """Return the code of ACL or aclnn in the text of an error, or None."""
    found = _CODE.search(text)
    return int(found[1]) if found else None


def explain(text: str) -> Cause:
    """Return the cause of an error with this text, with all words in its own texts."""
    number = _CODE.search(text)
    for cause, said, codes in zip(CAUSES, _SAID, _CODES):
        found = said.search(text) if said else None
        if (found or (codes and codes.match(number[1] if number else ""))) and cause.holds():
            break
    words = {
        "numpy": version_of("numpy"),
        "visible": os.environ.get(VISIBLE, ""),
        "inf_nan": os.environ.get(INF_NAN, ""),
        "allocator": os.environ.get(ALLOCATOR, ""),
        **(found.groupdict() if found else {}),
    }
    return cause._replace(
        reason=cause.reason.format_map(words), remedy=cause.remedy.format_map(words)
    )
