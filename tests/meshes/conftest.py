"""The processes that the tests of real processes share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterator


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the tests of real processes be the first, so that one process has them all."""
    items.sort(key=lambda item: "workers" not in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Processes that run functions of ``ranks.py`` together."""
    made = Workers()
    yield made
    made.end()


@pytest.fixture(params=[2, 3, 4])
def mesh(request: pytest.FixtureRequest) -> Any:
    """Several devices, which one process simulates."""
    import ascend_array_api.distributed as xd  # not before --device has its say

    return xd.init("cpu", simulate=request.param)


@pytest.fixture(autouse=True)
def _on_the_cpu() -> Iterator[None]:
    """Make arrays on the CPU, of which these meshes are, whichever device is tested."""
    import ascend_array_api as xp
    import ascend_array_api.distributed as xd

    with xp.options(device="cpu"):
        yield
    xd.gather_report(clear=True)
