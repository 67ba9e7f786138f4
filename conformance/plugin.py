"""The pytest plugin for processes of the upstream suite, beside the recorder.

It lays our hypothesis profile over the suite's, seeds what hypothesis does not, and says what is
judged.
"""

from __future__ import annotations

import os
import random
import sys
from typing import TYPE_CHECKING

import pytest

from . import recorder
from .devices import DEVICE_VARIABLE, device_type

if TYPE_CHECKING:
    from .recorder import Recorder

PROFILE = "ascend-array-api-conformance"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare what the runner may choose."""
    group = parser.getgroup("runner")
    group.addoption("--conformance-shrink", action="store_true", help="let hypothesis shrink")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Load our profile on top of the one that the suite's conftest.py has loaded by now."""
    from hypothesis import HealthCheck, Phase, settings

    skipped = set() if config.getoption("--conformance-shrink") else {Phase.shrink}
    settings.register_profile(
        PROFILE,
        parent=settings.default,  # the suite's: max_examples and deadline stay as they are
        phases=[phase for phase in Phase if phase not in skipped],
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    settings.load_profile(PROFILE)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Write what is judged, and refuse to judge it on another device than was asked for."""
    from array_api_tests import xp  # type: ignore[import-not-found]  # the suite's package

    known: Recorder = session.config.pluginmanager.get_plugin(recorder.PLUGIN)  # type: ignore[assignment]
    asked = os.environ[DEVICE_VARIABLE]
    top = sys.modules[xp.__name__.partition(".")[0]]
    try:
        device = str(xp.zeros(1).device)
    except AttributeError as error:  # an incomplete namespace is still to be judged
        device = f"unknown ({error})"
    else:
        if device_type(asked) not in device.lower():
            known.write(
                "problem",
                message=f"{xp.__name__} creates arrays on {device!r} by default, "
                f"not on {asked!r} as {DEVICE_VARIABLE} asks",
            )
            pytest.exit("wrong default device", returncode=pytest.ExitCode.USAGE_ERROR)
    known.write(
        "environment",
        module_version=getattr(xp, "__version__", None) or getattr(top, "__version__", None),
        default_device=device,
        device_name=_device_name(device_type(asked)),
    )


def pytest_collection_finish() -> None:
    """Make sure that it is our profile that the tests run under."""
    from hypothesis import settings

    if settings.get_current_profile_name() != PROFILE:
        raise pytest.UsageError("the suite has replaced the hypothesis profile of the runner")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Seed the global generator, which hypothesis's ``.example()`` shuffles with."""
    random.seed(f"{item.config.getoption('--hypothesis-seed')} {item.nodeid}")


def _device_name(kind: str) -> str | None:
    """Return the name of the hardware, None where nothing tells it."""
    torch = sys.modules.get("torch")
    if kind in {"cpu", "mesh"} or torch is None:
        return None
    name: str = torch.get_device_module(kind).get_device_name()
    return name
