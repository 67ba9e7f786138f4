"""What a type of device needs before the suite can run on it: the only place that knows."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field, replace
from importlib import metadata
from typing import TYPE_CHECKING

from . import NAME, ROOT, cann_emulator, pair
from .cann_emulator import has_cann
from .errors import SetupError
from .processes import environment_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .cann_emulator import Emulator

# The variable that ascend_array_api reads for its default device. The suite has no device option:
# it creates every input on the default device of the namespace.
DEVICE_VARIABLE = "ASCEND_ARRAY_API_DEVICE"

MESH_OF = "CONFORMANCE_MESH_OF"
"""The variable for the device type of a mesh's parts, such as cuda; the CPU without it."""

# torch would import torch_npu by itself, unguarded, before the namespace could do it guarded.
_GUARDED = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}

_DEVICE = re.compile(r"([a-z][a-z0-9_]*)(:\d+)?")


@dataclass(frozen=True)
class DeviceSetup:
    """What the processes of the suite get on one type of device.

    Attributes
    ----------
    plugins
        Modules that pytest loads (``-p``) before anything of the suite is imported.
    arguments
        Further arguments for pytest.
    environment
        Environment variables of the process.
    note
        Words that stand next to the device in every report, such as ``"emulated"``.
    """

    plugins: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=lambda: _GUARDED)
    note: str = ""

    @property
    def starting(self) -> tuple[str, ...]:
        """The plugins that any program on the device needs, not the suite alone."""
        return tuple(plugin for plugin in self.plugins if plugin != _EXEMPTIONS)


_EXEMPTIONS = f"{NAME}.accelerators"
_COMPILED = f"{NAME}.compiled_kernels"
_NPU_ENVIRONMENT = {
    # Where torch_npu has no kernel it raises, instead of computing on the CPU.
    "TORCH_NPU_FALLBACK_CPU_DISABLE": "1",
    **_GUARDED,
}


def _npu() -> DeviceSetup:
    if has_cann():
        return DeviceSetup(plugins=(_COMPILED, _EXEMPTIONS), environment=_NPU_ENVIRONMENT)
    return DeviceSetup(
        plugins=(f"{NAME}.cann_emulator.plugin", _COMPILED, _EXEMPTIONS),
        environment=_NPU_ENVIRONMENT,
        note="emulated CANN",
    )


def _mesh() -> DeviceSetup:
    """Return what "mesh:3", of three parts, needs beside what the devices of the parts need."""
    of = setup_for(os.environ.get(MESH_OF, "cpu"))
    return replace(of, plugins=(*of.starting, f"{NAME}.meshes.plugin", _EXEMPTIONS))


# A type of device that is not listed needs nothing else.
SETUPS: Mapping[str, Callable[[], DeviceSetup]] = {
    "cuda": lambda: DeviceSetup(plugins=(_EXEMPTIONS,)),
    "mesh": _mesh,
    "npu": _npu,
}


def parse_device(text: str) -> str:
    """Return `text` if it reads like a device (``"cpu"``, ``"cuda:1"``), else raise ValueError."""
    if not _DEVICE.fullmatch(text):
        raise ValueError(f"{text!r} is not a device; write a type such as cpu, cuda or cuda:0")
    return text


def device_type(device: str) -> str:
    """Return the type of a device: ``"cuda"`` for ``"cuda:1"``."""
    return device.partition(":")[0]


def setup_for(device: str) -> DeviceSetup:
    """Return what the processes of the suite need on `device`."""
    return SETUPS.get(device_type(device), DeviceSetup)()


def start(device: str, emulated: int = 2) -> Emulator | None:
    """Set this process up for `device`, before the namespace is imported.

    Return the emulator where the device is one of the `emulated` ones, and raise SetupError if
    there can be none.
    """
    setup = setup_for(device)
    os.environ.update(setup.environment)
    emulator = None
    if setup.note:
        try:
            emulator = cann_emulator.installed() or cann_emulator.install(devices=emulated)
        except (cann_emulator.CompilerError, ImportError, OSError) as error:
            raise SetupError(f"no emulated CANN: {error}") from error
    if _COMPILED in setup.plugins:
        importlib.import_module(_COMPILED)
    return emulator


def require_device(device: str) -> None:
    """Raise SetupError where there is no such device here; torch is asked where nothing else knows.

    That the software is there is for `require` to say.
    """
    kind, _, number = device.partition(":")
    there = ""
    if kind not in (kinds := _kinds()):
        there = f"there are devices of {', '.join(kinds)}"
    elif kind == "mesh":
        there = "" if number != "0" else "a mesh has at least one part"
    elif setup_for(device).note:
        count = int(os.environ.get(_EMULATED, "2"))
        there = "" if int(number or 0) < count else f"{count} are emulated, see {_EMULATED}"
    elif kind == "cpu":
        there = "" if int(number or 0) == 0 else "there is one"
    elif kind == "cuda" and (build := pair.cpu_build()):
        there = f"torch {build} is a build for the CPU"
    elif device not in (found := _found()) and f"{device}:0" not in found:
        there = f"there are {', '.join(found) or 'none'}"
    if there:
        raise SetupError(
            f"--device {device}: there is no such device here: {there}; "
            "python -m ascend_array_api says what is usable, and why not"
        )


_EMULATED = "CANN_EMULATOR_DEVICES"


def _kinds() -> list[str]:
    """Return the types of devices that the package knows, without importing it."""
    own = (ROOT / "ascend_array_api" / "_backends").glob("*/__init__.py")
    brought = metadata.entry_points(group="ascend_array_api.backends")
    return sorted({*(file.parent.name for file in own), *(point.name for point in brought)})


def _found() -> list[str]:
    """Return the devices of this machine, as a process that imports the package sees them."""
    code = "import ascend_array_api as x; print(*x.__array_namespace_info__().devices())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment_of(_GUARDED),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split()


def require(device: str) -> None:
    """Raise SetupError where what `device` needs is not installed, or would end the process."""
    if device_type(device) == "npu" and (problem := pair.problem()):
        raise SetupError(problem)
