"""The doctor: a report of versions and devices, with reason and remedy for each problem.

Runs no operation, so that it also works where devices cannot be used.  Whatever torch, torch_npu
and CANN raise goes into the report.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import numpy as np

from .. import __version__, _torch
from .._backends.npu import emulated
from .._devices import backends, device
from .._devices.device import Device
from .._options import defaults, settings
from .._torch import pairs, torch
from . import compilers, npus, tested
from .findings import Findings, explain, problem

_CANN_VARIABLES: Final = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")
"""The environment variables that CANN's ``set_env.sh`` sets to the folder of the toolkit."""

_CANN_FOLDERS: Final = (
    "/usr/local/Ascend/cann",
    "/usr/local/Ascend/ascend-toolkit/latest",
    "/usr/local/Ascend/ascend-toolkit",
    "~/Ascend/cann",
    "~/Ascend/ascend-toolkit/latest",
    "~/Ascend/ascend-toolkit",
)
"""The folders in which installers put the toolkit, for all users and for one."""

_CANN_VERSION_FILES: Final = (
    "*-linux/ascend_toolkit_install.info",
    "ascend_toolkit_install.info",
    "version.cfg",
    "compiler/version.info",
    "runtime/version.info",
)
_DRIVER_VERSION_FILE: Final = "/usr/local/Ascend/driver/version.info"

_NO_CANN: Final[dict[str, Any]] = {"path": None, "version": None, "active": False, "set_env": None}

_PREFIX: Final = "ASCEND_ARRAY_API_"
"""How the names of the package's environment variables begin."""


def _version_in(files: Iterable[Path]) -> str | None:
    """Return the version in the first file that has one, in the form of CANN's files."""
    for file in files:
        if not file.is_file():
            continue
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition("=")
            if key.strip().lower() in {"version", "runtime_running_version"} and value.strip():
                return value.strip().strip("[]").split(":")[0]
    return None


def find_cann() -> dict[str, Any]:
    """Return the folder and version of CANN's toolkit, and whether it is set up.

    Returns
    -------
    dict
        ``path`` and ``version`` (None if there is none), ``active`` (whether its ``set_env.sh``
        was sourced), and ``set_env`` (that file, if it was found).
    """
    named = [os.environ[v] for v in _CANN_VARIABLES if os.environ.get(v)]
    for folder in (*named, *_CANN_FOLDERS):
        path = Path(folder).expanduser()
        if not path.is_dir():
            continue
        scripts = (path / "set_env.sh", path.parent / "set_env.sh")
        return {
            "path": str(path),
            "version": _version_in(
                file for pattern in _CANN_VERSION_FILES for file in sorted(path.glob(pattern))
            ),
            "active": bool(named),
            "set_env": next((str(s) for s in scripts if s.is_file()), None),
        }
    return dict(_NO_CANN)


def _misnamed() -> list[dict[str, str]]:
    """Return the problems with environment variables: unknown names and wrong values."""
    options = [option.name for option in fields(settings.Options)]
    known = [_PREFIX + name.upper() for name in (*options, "npu_profile")]
    problems = [
        problem(
            f"the environment variable {name} is none of this package",
            f"there are {', '.join(known)}",
            f"unset {name}, or write the one that is meant",
        )
        for name in sorted(os.environ)
        if name.startswith(_PREFIX) and name not in known
    ]
    if settings.PROBLEM:
        name = settings.PROBLEM.partition(" ")[0]
        what = f"the environment variable {name} keeps the package from being imported"
        remedy = f"unset {name}, or set it to one of these; all options above are the defaults"
        problems.append(problem(what, settings.PROBLEM, f"{remedy} until then"))
    return problems


def _install_npu() -> str:
    """Return the command that installs the torch_npu of this torch."""
    mended = pairs.refusal(torch.__version__, torch.version.cuda, torch.__version__)
    first = "" if mended is None else f"{mended.remedy} && "
    return f"{first}{pairs.install_npu(torch.__version__)}"


def _problems(cann: dict[str, Any], driver: str | None) -> list[dict[str, str]]:
    """Return the problems that keep torch_npu from being imported, with reasons and remedies."""
    version, error = _torch.NPU_VERSION, _torch.NPU_ERROR
    source = f"source {cann['set_env'] or '<CANN>/set_env.sh'}"
    if version is None:
        if cann["path"] is None and driver is None:
            return []  # a machine without NPUs
        if cann["path"] is None:
            what = "there is an Ascend driver, but neither CANN nor torch_npu"
            reason = (
                "torch reaches NPUs by torch_npu, and that by CANN; neither uses the driver alone"
            )
            remedy = "install CANN (toolkit and kernels for the SoC) and source its set_env.sh"
            return [problem(what, reason, f"{remedy}, then {_install_npu()}")]
        what, reason = (
            "torch_npu is not installed",
            "CANN is here, but not the part of torch for it",
        )
        remedy = f"{_install_npu()}, which matches torch {torch.__version__}"
        return [problem(what, reason, remedy)]
    if isinstance(error, pairs.PairError):
        return [problem("torch_npu was not imported", error.reason, error.remedy)]
    if error is None:
        return []
    reason, known = explain(error, "npu")
    if known is not None:
        remedy = known
    elif cann["path"] is None:
        remedy = "install CANN (toolkit and kernels for the SoC), then source its set_env.sh"
    elif not cann["active"]:
        remedy = source
    else:
        remedy = (
            f"{source} in this shell, and check that CANN {cann['version'] or ''} is one that "
            f"torch_npu {version} supports"
        )
    return [problem("torch_npu could not be imported", reason, remedy)]


def _driver() -> str | None:
    """Return the version of the NPU's driver, or None if there is no driver."""
    file = Path(_DRIVER_VERSION_FILE)
    return _version_in([file]) or ("unknown version" if file.is_file() else None)


_CHECKOUT: Final = (Path(__file__).parents[2] / "conformance").is_dir()
MEASURE: Final = (
    f"python -m {'' if _CHECKOUT else 'ascend_array_api_'}conformance hardware "
    "--profile npu-profile.json"
)
"""The command that measures the kernels of a machine, in a checkout or with the wheel."""


def _measured(
    devices: Sequence[dict[str, Any]],
) -> tuple[dict[str, Any] | None, list[dict[str, str]]]:
    """Return the report or profile of this machine's NPUs, and the problems with the profile.

    The report is None if the machine has no NPUs.
    """
    if not any(d["type"] == "npu" for d in devices):
        return None, []
    from .._backends.npu import profile
    from .._backends.npu.measured import caveat, report_for

    facts = backends.find("npu").facts
    machine = {
        name: ".".join(map(str, fact)) if isinstance(fact := facts[name], tuple) else fact
        for name in ("soc", "cann", "torch_npu")
    }
    found = {**machine, "report": report_for(facts), "profile": None, "caveat": caveat(facts)}
    path = os.environ.get(profile.VARIABLE)
    if not path:
        return found, []
    try:
        of = profile.read(path)
        if of.fits(facts):
            return {**found, "profile": {"path": path, "rows": len(of.rows)}}, []
        said = f"{profile.VARIABLE}={path}: it is of {of}"
    except ValueError as error:
        said = str(error)
    what = "the profile of this machine's NPUs cannot be used"
    remedy = f"{MEASURE} makes one of this machine; or unset {profile.VARIABLE}"
    return found, [problem(what, said, remedy)]


def _devices(findings: Findings) -> list[dict[str, Any]]:
    """Return the descriptions of all devices, in parts unknown for those that cannot be used."""

    def of_type(name: str) -> list[Device]:
        what = f"devices of the type {name} cannot be listed"
        nothing: list[Device] = []
        return findings.ask(what, lambda: device.devices(name), nothing, name)

    what = "the backends of other packages cannot be listed"
    host: tuple[str, ...] = (backends.HOST,)
    types = findings.ask(what, backends.types, host)
    return [_described(found, findings) for name in types for found in of_type(name)]


def _described(of: Device, findings: Findings) -> dict[str, Any]:
    def describe() -> dict[str, Any]:
        if not of.backend.asynchronous:
            return device.describe(of)
        with of.backend.module.device(of.torch_device):  # which torch_npu asks for its memory
            of.backend.module.synchronize()
            return device.describe(of)

    unknown = {"name": str(of), "type": of.type, "model": None, "memory": None}
    return findings.ask(f"{of} cannot be used", describe, unknown, of.type)


def diagnose(*, accept_faults: bool = False) -> dict[str, Any]:
    """Return versions, devices, options, and problems with their remedies.

    Parameters
    ----------
    accept_faults : bool
        Whether known faults of a chip that no row avoids are a note, not a problem.

    Returns
    -------
    dict
        The report that ``python -m ascend_array_api --json`` prints.
    """
    findings = Findings()
    cann = findings.ask("the files of CANN cannot be read", find_cann, _NO_CANN)
    driver = findings.ask("the files of the driver cannot be read", _driver, None)
    findings.add(*_problems(cann, driver))
    devices = _devices(findings)
    unknown: tuple[dict[str, Any] | None, list[dict[str, str]]] = (None, [])
    what = "the chip and the version of CANN are unknown"
    measured, unusable = findings.ask(what, lambda: _measured(devices), unknown, "npu")
    imported = _torch.NPU_VERSION is not None and _torch.NPU_ERROR is None
    found: list[dict[str, Any]] = []
    if imported:
        npus.look(findings, devices, cann, driver, accept_faults=accept_faults)
        what = "the backends of torch.compile are unknown"
        found = findings.ask(what, lambda: compilers.look(findings, devices), found, "npu")
    findings.add(*unusable, *_misnamed())

    def default() -> str | None:
        try:
            return str(defaults.device())
        except ValueError as error:
            remedy = f"unset {_PREFIX}DEVICE, or name a device that is listed"
            findings.add(problem("the default device does not exist", str(error), remedy))
            return None

    default_device = findings.ask("the default device is unknown", default, None, "npu")
    pair = None
    if _torch.NPU_VERSION is not None and not isinstance(_torch.NPU_ERROR, pairs.PairError):
        version = cann["version"] or (measured["cann"] if measured else None)
        pair = tested.about_pair(torch.__version__, _torch.NPU_VERSION, version)
    options = vars(settings.current())
    return {
        "ascend_array_api": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "torch_npu": {"version": _torch.NPU_VERSION, "imported": imported},
        "cann": cann,
        "driver": driver,
        "emulated": emulated(),
        "devices": devices,
        "measured": measured,
        "compilers": found,
        "tested": tested.about(
            torch.__version__, npu=_torch.NPU_VERSION is not None or cann["path"] is not None
        ),
        "pair": pair,
        "default_device": default_device,
        "options": {
            **options,
            "device": None if options["device"] is None else str(options["device"]),
        },
        "problems": findings.problems,
        "notes": findings.notes,
    }


def render(report: dict[str, Any]) -> str:
    """Return a report as a text for people."""
    npu, cann = report["torch_npu"], report["cann"]
    state = "" if npu["version"] is None or npu["imported"] else " (not imported)"
    rows = [
        ("ascend_array_api", report["ascend_array_api"]),
        ("Python", report["python"]),
        ("platform", report["platform"]),
        ("NumPy", report["numpy"]),
        ("torch", report["torch"]),
        ("torch_npu", (npu["version"] or "not installed") + state),
        (
            "CANN",
            f"{cann['version'] or 'unknown version'} in {cann['path']}"
            + ("" if cann["active"] else " (its set_env.sh was not sourced)")
            if cann["path"]
            else "emulated"
            if report["emulated"]
            else "not found",
        ),
        ("driver", report["driver"] or "not found"),
        ("default device", report["default_device"] or "none"),
        ("host fallback", report["options"]["host_fallback"]),
        ("mode", "relaxed" if report["options"]["relaxed"] else "strict"),
        ("default float", report["options"]["default_float"]),
        ("npu math", report["options"]["npu_math"]),
        ("checks", report["options"]["checks"]),
    ]
    if (measured := report["measured"]) is not None:
        machine = f"{measured['soc']}, CANN {measured['cann']}, torch_npu {measured['torch_npu']}"
        known, own = measured["report"], measured["profile"]
        says = f"measured by {known}" if known else f"never measured: {MEASURE} makes a profile"
        if own is not None:
            number = own["rows"]
            says = f"{number} row{'s' if number != 1 else ''} by the profile {own['path']}"
        rows.append(("kernels", f"{machine}: {says}"))
        if measured["caveat"]:
            rows.append(("this chip", measured["caveat"]))
    lines = [f"{name:18}{value}" for name, value in rows]
    lines += ["", "devices"]
    for d in report["devices"]:
        size = "" if d["memory"] is None else f", {d['memory'] / 2**30:.1f} GiB"
        said = " (emulated)" if report["emulated"] and d["type"] == "npu" else ""
        lines.append(f"  {d['name']:16}{d['model'] or 'cannot be used'}{said}{size}")
    if report["compilers"]:
        lines += ["", "torch.compile on NPUs, by Inductor's backend"]
        for compiler in report["compilers"]:
            state = "" if compiler["usable"] else "not usable: "
            lines.append(f"  {compiler['backend']:16}{state}{compiler['says']}")
    lines += ["", f"tests of this package with torch {report['torch'].partition('+')[0]}"]
    for row in report["tested"]:
        with_npu = f", torch_npu {row['torch_npu']}, CANN {row['CANN']}" if row["torch_npu"] else ""
        python = f", Python {row['Python']}" if row["Python"] != "any" else ""
        lines.append(f"  {row['processor']}{with_npu}{python}: {tested.said(row)}")
    if not report["tested"]:
        lines.append(f"  {tested.NEVER_RUN}")
    if report["pair"]:
        lines.append(f"  {report['pair']}")
    for kind in ("problem", "note"):
        for found in report[f"{kind}s"]:
            lines += [
                "",
                f"{kind}: {found['what']}",
                f"  why:  {found['reason']}",
                f"  what to do:  {found['remedy']}",
            ]
    # The text contains messages of other libraries: escape what could control a terminal.
    text = "\n".join(lines)
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the report; return 1 if there is a problem, else 0, whatever the notes."""
    parser = argparse.ArgumentParser(
        prog="python -m ascend_array_api",
        description="Say what is usable here, and what to do about what is not.",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument(
        "--accept-faults",
        action="store_true",
        help="count known faults of CANN on this chip that the package does not avoid as a note",
    )
    arguments = parser.parse_args(argv)
    report = diagnose(accept_faults=arguments.accept_faults)
    print(json.dumps(report, indent=2) if arguments.json else render(report))
    return 1 if report["problems"] else 0
