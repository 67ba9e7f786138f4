"""The processes that the tests of real processes share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Processes that run functions of ``ranks.py`` together."""
    made = Workers()
    yield made
    made.end()
