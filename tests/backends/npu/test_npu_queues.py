"""Functions that are made of many kernels in every mode of the task queue, and on other chips.

The programs are those of queued.py.
"""

from __future__ import annotations

import pytest
from npu import called, needs_emulator
from queues import TASK_QUEUES

from tests.parametrize import nightly

pytestmark = needs_emulator


@pytest.mark.nightly
@pytest.mark.parametrize("mode", TASK_QUEUES)
def test_every_mode_of_the_task_queue(mode: str) -> None:
    programs = "decompositions()", "products()", "moves()", "transforms()"
    called("queued", *programs, TASK_QUEUE_ENABLE=mode)


@pytest.mark.nightly
@pytest.mark.parametrize("soc", ["Ascend310P3", nightly("Ascend910A"), nightly("Ascend950PR_9589")])
def test_transforms_on_chips_without_the_library_or_a_part_of_it(soc: str) -> None:
    called("queued", "transforms()", CANN_EMULATOR_SOC=soc)


@pytest.mark.nightly
def test_transforms_without_libasdsip() -> None:
    called("queued", "transforms()", installed="devices=1, fft_library=False")
