"""The tests on NPUs, in a process of their own: see tests/backends/npu/npu.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from processes import python

from conformance import pair

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(
    pair.problem() is not None,
    reason=f"needs torch_npu: {pair.problem()}",
)
def test_in_a_process_of_their_own() -> None:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "TORCH"))}
    python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/backends/npu", env=kept, cwd=ROOT)
