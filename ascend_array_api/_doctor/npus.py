"""The doctor on NPUs: checks of what fails, or surprises, later.

It runs no operation.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .._backends.npu import BACKEND, causes, emulated
from .._backends.npu.measured import caveat, open_faults
from .._devices.facts import cann_before, soc, version
from .._torch import version_of
from .findings import Findings, problem


def look(
    findings: Findings,
    devices: Sequence[dict[str, Any]],
    cann: dict[str, Any],
    driver: str | None,
    *,
    accept_faults: bool = False,
) -> None:
    """Add what is wrong with the NPUs, or may become so, to the findings.

    Parameters
    ----------
    findings : Findings
        The findings.
    devices : sequence of dict
        The devices of the report.
    cann : dict
        The toolkit, as ``find_cann`` describes it.
    driver : str or None
        The version of the driver.
    accept_faults : bool
        Whether known faults of the chip are a note, not a problem.
    """
    listed = [d for d in devices if d["type"] == "npu"]
    parts: list[Callable[[], None]] = []
    if not listed:
        parts.append(lambda: _none_listed(findings, driver))
    parts.append(lambda: _visible(findings, len(listed)))
    if cann["path"] is not None:
        parts.append(lambda: _python_packages(findings, cann["version"]))
    if any(d["model"] is not None for d in listed):  # torch_npu was initialised
        parts += [partial(part, findings) for part in (_names, _saturation, _compilation)]
        parts.append(partial(_faults, findings, accepted=accept_faults))
    for part in parts:
        findings.ask("the NPUs cannot be examined further", part, None, "npu")


def _none_listed(findings: Findings, driver: str | None) -> None:
    """Say why torch_npu lists no device: it tells no reason unless it is initialised."""
    what = "there is no usable NPU"

    def initialise() -> bool:
        BACKEND.module.init()
        return True

    if not findings.ask(what, initialise, False, "npu"):
        return
    reason = "torch_npu was imported, but counts no devices"
    remedy = (
        "check with npu-smi info that the driver sees the devices, that this user is in the group "
        "HwHiAiUser, and that ASCEND_RT_VISIBLE_DEVICES does not hide them"
    )
    if driver is None and not emulated():
        reason += ", and there is no driver in /usr/local/Ascend/driver"
        remedy = f"{causes.DRIVER}. If the driver is elsewhere, {remedy}"
    findings.add(problem(what, reason, remedy))


def _visible(findings: Findings, number: int) -> None:
    """Check the variable that chooses devices: CANN ignores numbers that it does not know."""
    chosen = os.environ.get(causes.VISIBLE)
    if chosen is None or any(p["remedy"] == causes.VISIBLE_REMEDY for p in findings.problems):
        return
    listed = [int(n) for n in chosen.split(",") if re.fullmatch(r"\d+", n, re.ASCII)]
    if len(listed) < len(chosen.split(",")) or listed != sorted(set(listed)):
        reason = "CANN needs numbers in ascending order, and drops the rest or all of them"
    elif number < len(listed):
        reason = f"it names {len(listed)} devices, and CANN has {number} of them"
    else:
        return
    what = f"{causes.VISIBLE}={chosen} hides devices"
    findings.add(problem(what, reason, causes.VISIBLE_REMEDY))


def _python_packages(findings: Findings, cann: str | None) -> None:
    """Look at the Python packages that CANN's compiler needs, at its first use only."""
    missing = [name for name in causes.PACKAGES if version_of(name) is None]
    if missing:
        findings.note(
            f"Python packages that CANN needs are not installed: {', '.join(missing)}",
            "CANN compiles some kernels in Python; it then fails with error 500001",
            f"pip install {' '.join(missing)}",
        )
    numpy, older = version_of("numpy"), version(cann) or (9,)
    # CANN 8.5 documents NumPy before 2.0 for Python before 3.13; CANN 9.0 documents no limit.
    before = tuple(map(int, platform.python_version_tuple()[:2])) < (3, 13)
    if older < (9,) and before and (version(numpy) or (0,)) >= (2,):
        findings.note(
            f"CANN {cann} does not know NumPy {numpy}",
            "it documents NumPy before 2.0; its compiler fails with error 500001 and the text "
            "that a name was removed in the NumPy 2.0 release",
            causes.NUMPY,
        )


def _names(findings: Findings) -> None:
    """Say what the rows cannot go by, where CANN names no chip or no version."""
    names = {"soc": "the chip", "cann": "the version of CANN"}
    missing = [name for fact, name in names.items() if BACKEND.facts[fact] is None]
    if missing:
        findings.note(
            f"CANN does not name {' and '.join(missing)}",
            "rows for special chips and versions then apply everywhere, which costs time",
            f"install a CANN that torch_npu {version_of('torch-npu')} supports; {causes.LOGS}",
        )


def _faults(findings: Findings, *, accepted: bool) -> None:
    """Say which known faults of CANN's kernels on this chip no row avoids."""
    found = open_faults(BACKEND.facts)
    if found is not None:
        open_ones = problem(
            "CANN has known faults on this chip that this package does not avoid",
            f"results may be wrong, or the device lost: {found.reason}",
            f"{found.remedy}. With --accept-faults this report counts them as a note",
        )
        if accepted:
            findings.note(**open_ones)
        else:
            findings.add(open_ones)
    if (soc("910B", "910_9") & cann_before(8, 5, 1)).decide(BACKEND.facts):
        findings.note(
            "CANN 8.5.0 has faults that cost time to avoid",
            "its products of tall matrices take in stale numbers, and argmax may refuse any data "
            "type; this package takes longer ways around both",
            "install CANN 8.5.1 or later",
        )


def _saturation(findings: Findings) -> None:
    """Say whether kernels give infinities and NaN, which torch_npu decides by chip and variable."""
    known = getattr(BACKEND.module.utils, "is_support_inf_nan", None)
    what = "the treatment of infinities is unknown"
    if known is None or findings.ask(what, known, True, "npu") or caveat(BACKEND.facts):
        return
    findings.note(
        "kernels do not compute with infinities and NaN",
        f"in the saturation mode {causes.SATURATES}",
        f"unset {causes.INF_NAN} and INF_NAN_MODE_FORCE_DISABLE; if neither is set, the chip has "
        "no other mode, and results with infinities or NaN are not reliable",
    )


def _compilation(findings: Findings) -> None:
    """Say whether torch_npu compiles each operation, and what becomes of the first."""
    if not causes.compiles():
        return
    from .._backends.npu._common import FIRST

    if FIRST.decide(BACKEND.facts):
        findings.add(
            problem(
                "the first operation may fail on this chip",
                "torch_npu compiles each operation by its older path (jit_compile is on, its "
                "default on the first 910). This package never ran by that path; emulated CANN "
                "answers error 100024",
                f"{causes.BINARY_KERNELS}. This report cannot see whether a program does",
            )
        )
        return
    findings.note(
        "the first call of each function may take minutes",
        "torch_npu compiles each operation and shape (jit_compile is on), and keeps the kernels in "
        "~/atc_data, or where ACL_OP_COMPILER_CACHE_DIR says, unless ACL_OP_COMPILER_CACHE_MODE is "
        "disable",
        causes.BINARY_KERNELS,
    )
