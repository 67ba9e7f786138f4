"""The modes of torch_npu's task queue, ``TASK_QUEUE_ENABLE``, for tests that start processes."""

from __future__ import annotations

import pytest

TASK_QUEUES = (
    pytest.param("0", marks=pytest.mark.nightly),
    pytest.param("1", marks=pytest.mark.nightly),
    "2",  # where most happens later, and elsewhere
)
