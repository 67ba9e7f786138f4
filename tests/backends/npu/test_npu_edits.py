"""The code that messages propose gives on NPUs too what the call gives that it replaces.

NumPy, SciPy and torch on the CPU are the oracles, for numbers of 32 bits.
"""

from __future__ import annotations

from npu import QUIET_TORCH_NPU  # isort: skip  # before the namespace

import pytest

import ascend_array_api as xp
from tests.array.test_edits import SHARES, cases, compared, samples, wrong

pytestmark = [QUIET_TORCH_NPU, pytest.mark.nightly, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize("share", range(SHARES))
def test_an_edit_gives_what_the_call_gives_that_it_replaces(share: int) -> None:
    chosen = [case for case in cases() if compared(case)][share::SHARES]
    with xp.options(device="npu:0"):
        found = wrong(chosen, samples(32), widths=False)
    assert not found, "\n".join(found)
