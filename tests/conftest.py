"""What all tests share: the examples that Hypothesis draws, and the device that is tested.

Nothing here imports the namespace before a test module does: see npu.py.
"""

from __future__ import annotations

import gc
import os
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

import npus
import pytest
from hypothesis import HealthCheck, settings
from parametrize import DRAWN, DRAWN_ON_NPUS, MOST, drawn, everything

from conformance import cann_emulator

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    import ascend_array_api as xp

pytest.register_assert_rewrite("numpys")

QUIET_ON_NPUS = (
    # torch_npu says so once a process, of a memory layout that the namespace never asks for.
    "ignore:Cannot create tensor with internal format:UserWarning",
    # A test that is not marked npu may compute on the host.
    "ignore::ascend_array_api.HostFallbackWarning",
)

QUIET_ON_GPUS = (
    # It is said once a process, in whichever test is the first to hand an array to NumPy.
    "ignore:__array__ of :ascend_array_api.HostFallbackWarning",
)

# Modules that import torch before the namespace would have it import torch_npu, unguarded.
os.environ.setdefault("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")

settings.register_profile(
    "default",
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    max_examples=int(50 * float(os.environ.get("AAA_TEST_EXAMPLES", "1"))),
)
settings.load_profile("default")


NPU_MODULES = Path(__file__).parent / "backends" / "npu"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the command line name the device that is tested."""
    parser.addoption(
        "--device",
        help="the default device: cpu, cuda:0, npu (emulated ones where CANN is not set up)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Give the process its default device before a test module imports the namespace."""
    device = config.getoption("device")
    if device is None:
        return
    if on_npus(config):
        if reason := npus.problem():
            raise pytest.UsageError(f"--device {device}: {reason}")
        if cann_emulator.installed() is not None:  # it reports what ran, and what failed in it
            config.pluginmanager.import_plugin("conformance.cann_emulator.plugin")
    if device == "npu":
        os.environ.pop("ASCEND_ARRAY_API_DEVICE", None)  # the default where there are NPUs
    else:
        os.environ["ASCEND_ARRAY_API_DEVICE"] = device


def on_npus(config: pytest.Config) -> bool:
    """Whether the command line asks for NPUs."""
    return (config.getoption("device", None) or "").split(":")[0] == "npu"


TOO_MANY = pytest.StashKey[list[str]]()


def whole(config: pytest.Config) -> bool:
    """Whether every item runs: in `make nightly`, and where the command line names an item."""
    named = any("[" in argument for argument in config.args)
    return named or everything()


def for_npus(config: pytest.Config) -> bool:
    """Whether tests marked ``npu`` alone are asked for, as by `make npu-unit`."""
    return on_npus(config) and config.option.markexpr.startswith("npu")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file without a test for NPUs, where they alone are asked for."""
    if not (for_npus(config) and collection_path.name.startswith("test_")):
        return None
    if NPU_MODULES in collection_path.parents:
        return None
    return "mark.npu" not in collection_path.read_text(encoding="utf-8") or None


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Module, obj: object) -> list[Any] | None:
    """Make no items of functions that are not marked ``npu``, where these alone are asked for."""
    if not for_npus(collector.config) or NPU_MODULES in collector.path.parents:
        return None
    if not isinstance(obj, types.FunctionType) or not obj.__name__.startswith("test"):
        return None
    marks = [getattr(obj, "pytestmark", []), getattr(collector.obj, "pytestmark", [])]
    given = [m for mark in marks for m in (mark if isinstance(mark, list) else [mark])]
    return None if any(mark.name == "npu" for mark in given) else []


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None, None, None]:
    """Draw from the values of a function that has many, before an item is made of each."""
    yield
    config, calls, test = metafunc.config, metafunc._calls, metafunc.definition
    least = DRAWN_ON_NPUS if on_npus(config) else DRAWN
    if len(calls) <= least:
        return
    few = drawn(test.originalname, calls, least)
    if len(few) > MOST and test.get_closest_marker("one_each") is None:
        told = f"{test.nodeid} has {len(few)} items"
        config.stash.setdefault(TOO_MANY, []).append(told)
    if not whole(config):
        calls[:] = few


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse functions that have too many items; tell which tests run on NPUs."""
    for item in items:
        if NPU_MODULES in item.path.parents:
            item.add_marker(pytest.mark.npu)
        elif config.getoption("device", None) not in {None, "cpu"}:
            for harmless in QUIET_ON_NPUS if on_npus(config) else QUIET_ON_GPUS:
                item.add_marker(pytest.mark.filterwarnings(harmless))
    if told := config.stash.get(TOO_MANY, []):
        told.append("Draw from a product, or list what fails in one item: tests/parametrize.py")
        raise pytest.UsageError(*told)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Leave the items out of what is looked at for garbage: that takes a second each time."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what holds on the CPU alone where another device is tested."""
    if item.get_closest_marker("cpu") is not None:
        import ascend_array_api as xp

        default = xp.__array_namespace_info__().default_device()
        if default.type != "cpu":
            pytest.skip(f"holds on the CPU alone, and the default device is {default}")


@pytest.fixture(autouse=True)
def no_work_on_the_host(request: pytest.FixtureRequest) -> Iterator[None]:
    """Refuse work on the host to tests that are marked ``npu``; ``npu(host="allow")`` allows it."""
    mark = request.node.get_closest_marker("npu")
    if mark is None or not on_npus(request.config) or NPU_MODULES in request.path.parents:
        yield
        return
    import ascend_array_api as xp

    with xp.options(host_fallback=mark.kwargs.get("host", "error")):
        yield


@pytest.fixture(autouse=True)
def nothing_is_told_late() -> Iterator[None]:
    """Forget what a test made wrong on an accelerator, so that no other one is told."""
    yield
    if (late := sys.modules.get("ascend_array_api._reports.late_errors")) is not None:
        late.forget()


@pytest.fixture
def device() -> xp.Device:
    """The device on which arrays are created by default: the one under test."""
    import ascend_array_api as xp

    return xp.__array_namespace_info__().default_device()
