"""What these tests share with those of the package."""

from __future__ import annotations

from tests.conftest import (  # noqa: F401
    device,
    nothing_is_told_late,
    pytest_collection_modifyitems,
    pytest_generate_tests,
)
