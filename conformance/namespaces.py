"""A pytest plugin for the tests of any library: the fixture ``xp``, a namespace on a device.

Use it as ``pytest -p conformance.namespaces --xp numpy,ascend_array_api,ascend_array_api@npu``.

Each test that asks for ``xp`` runs once for each of them.  Arrays of this package are made on the
device that is named, the CPU without one, and errors come in the line that causes them.  The NPUs
are emulated where CANN is not set up.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from . import NAME, cann_emulator, devices
from .errors import SetupError
from .plan import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Iterator

_MODULES = {"torch": "array_api_compat.torch", "cupy": "array_api_compat.cupy"}
"""The modules with the namespaces of libraries that have none of their own."""

_USUAL = ("numpy", "torch", "array_api_strict", PACKAGE)


@dataclass(frozen=True)
class Choice:
    """A namespace, by the name that the command line has, and the device, if it names one."""

    name: str
    device: str = ""

    @property
    def module(self) -> str:
        """The module to import."""
        return _MODULES.get(self.name, self.name)

    def __str__(self) -> str:
        return f"{self.name}@{self.device}" if self.device else self.name


def parse(text: str) -> list[Choice]:
    """Return what a list such as ``numpy,ascend_array_api@npu`` names, or raise SetupError."""
    found = []
    for word in filter(None, text.replace(",", " ").split()):
        name, _, device = word.partition("@")
        choice = Choice(name, device)
        for part in (choice.module.partition(".")[0], name.partition(".")[0]):
            if importlib.util.find_spec(part) is None:
                raise SetupError(f"--xp {word}: {part} is not installed")
        if name == PACKAGE and device:
            try:
                devices.parse_device(device)
            except ValueError as error:
                raise SetupError(f"--xp {word}: {error}") from error
            devices.require(device)
        found.append(choice)
    return found


def _there(name: str) -> bool:
    """Whether the packages of a namespace are installed."""
    try:
        return bool(parse(name))
    except SetupError:
        return False


_CHOICES = pytest.StashKey[list[Choice]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the command line, or the settings, name the namespaces."""
    said = (
        "the namespaces of the fixture xp, such as numpy,torch,array_api_strict,"
        f"{PACKAGE},{PACKAGE}@npu; by default those of {', '.join(_USUAL)} that are installed"
    )
    parser.getgroup("namespaces").addoption("--xp", metavar="NAME[@DEVICE],...", help=said)
    parser.addini("xp", said)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Set the process up for the devices, before anything imports the package or torch."""
    named = early_config.known_args_namespace.xp or early_config.getini("xp")
    try:
        choices = parse(named or ",".join(filter(_there, _USUAL)))
        for kind in {devices.device_type(choice.device) for choice in choices if choice.device}:
            if any(choice.name == PACKAGE for choice in choices):
                devices.start(kind)
    except SetupError as error:
        raise pytest.UsageError(str(error)) from error
    if cann_emulator.installed() is not None:  # it reports what ran, and what failed in it
        early_config.pluginmanager.import_plugin(f"{NAME}.cann_emulator.plugin")
    early_config.stash[_CHOICES] = choices


def pytest_configure(config: pytest.Config) -> None:
    """Make the fixtures, whose parameters are known by now; a suite's own ``xp`` hides this one."""
    config.pluginmanager.register(_fixtures(config.stash[_CHOICES]), f"{NAME}.namespaces.fixtures")


def pytest_report_header(config: pytest.Config) -> str:
    """Name the namespaces."""
    choices = config.stash[_CHOICES]
    return f"xp: {', '.join(map(str, choices))}"


def _fixtures(choices: list[Choice]) -> ModuleType:
    @pytest.fixture(params=choices, ids=str)
    def xp(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
        """A namespace; arrays of this package are on the chosen device."""
        module = importlib.import_module(request.param.module)
        with ExitStack() as options:
            if request.param.name == PACKAGE:
                device = request.param.device or "cpu"
                options.enter_context(module.options(device=device, checks="wait"))
                compare_on_the_host(module)
            yield module

    @pytest.fixture
    def device(xp: ModuleType, request: pytest.FixtureRequest) -> Any:
        """The device to make arrays on, as the namespace names it; None is its default."""
        choice = request.node.callspec.params["xp"]
        # array_api_strict takes objects alone.
        known = None if choice.name == PACKAGE else getattr(xp, "Device", None)
        return known(choice.device) if choice.device and known else choice.device or None

    module = ModuleType(
        f"{NAME}.namespaces.fixtures"
    )  # pytest reads fixtures of modules and classes
    vars(module).update(xp=xp, device=device)
    return module


def compare_on_the_host(namespace: ModuleType) -> None:
    """Let array-api-extra's assertions compare a namespace's arrays on any device.

    They move arrays of the libraries that they know to the host, each in its own way, and give all
    others to ``numpy.from_dlpack`` without asking it for the CPU.  Then NumPy refuses arrays on
    devices by an error that they do not expect.
    """
    testing: Any = sys.modules.get("array_api_extra.testing._testing")
    if testing is None or hasattr(testing._as_numpy_array, "moves"):
        return
    convert = testing._as_numpy_array

    def moved(array: Any, *, xp: Any) -> Any:
        return convert(array.to_device("cpu") if xp is namespace else array, xp=xp)

    moved.moves = True  # type: ignore[attr-defined]  # once is enough
    testing._as_numpy_array = moved
