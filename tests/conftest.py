"""What all tests share: the examples that Hypothesis draws, and the device that is tested.

Nothing here imports the namespace before a test module does: see npu.py.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from parametrize import DRAWN, MOST, drawn, everything

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    import ascend_array_api as xp

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


TOO_MANY = pytest.StashKey[list[str]]()


def whole(config: pytest.Config) -> bool:
    """Whether every item runs: in `make nightly`, and where the command line names an item."""
    named = any("[" in argument for argument in config.args)
    return named or everything()


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(collector: pytest.Module) -> Generator[None, Any, Any]:
    """Draw the items of a function that has many."""
    made = yield
    if not isinstance(made, list) or len(made) <= DRAWN or not hasattr(made[0], "callspec"):
        return made
    items = drawn(made)
    if len(items) > MOST and made[0].get_closest_marker("one_each") is None:
        told = f"{collector.nodeid}::{made[0].originalname} has {len(items)} items"
        collector.config.stash.setdefault(TOO_MANY, []).append(told)
    return made if whole(collector.config) else items


def pytest_collection_modifyitems(config: pytest.Config) -> None:
    """Refuse functions that have too many items."""
    if told := config.stash.get(TOO_MANY, []):
        told.append("Draw from a product, or list what fails in one item: tests/parametrize.py")
        raise pytest.UsageError(*told)


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
