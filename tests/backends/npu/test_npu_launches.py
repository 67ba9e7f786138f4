"""Kernels of all calls beside torch_npu's own: what the page says of them is counted again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npu import QUIET_ORACLE, QUIET_TORCH_NPU, ROOT, needs_emulator, script  # isort: skip  # before others

from benchmarks import launches
from benchmarks.functions import CALLS

pytestmark = [QUIET_TORCH_NPU, *QUIET_ORACLE, needs_emulator]

PAGE = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
SHOWN = PAGE.partition("<!-- begin launches -->\n")[2].partition("<!-- end launches -->")[0]
MOST = 1.25
"""How many times torch_npu's kernels all calls together take, of those that it answers rightly."""


def test_the_total() -> None:
    said: Any = re.search(r"by [\d,]+ kernels, where ours take [\d,]+, ([\d.]+) times", SHOWN)
    assert float(said[1]) <= MOST


@pytest.mark.nightly
def test_the_page_is_true_of_all(tmp_path: Path) -> None:
    """In a process without a task queue, which would end where a transform is refused."""
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    script(
        f"from benchmarks import launches\nlaunches.run(['--markdown', {str(page)!r}])",
        timeout=600,
        TASK_QUEUE_ENABLE="0",
        TORCH_NPU_FALLBACK_CPU_DISABLE="0",
    )
    assert page.read_text(encoding="utf-8") == PAGE


@pytest.mark.parametrize(
    ("queue", "fallback", "said"),
    [("1", "0", "set TASK_QUEUE_ENABLE=0"), ("0", "1", "leave TORCH_NPU_FALLBACK_CPU_DISABLE out")],
)
def test_the_command_refuses_where_its_figures_would_be_wrong(
    queue: str, fallback: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TASK_QUEUE_ENABLE", queue)
    monkeypatch.setenv("TORCH_NPU_FALLBACK_CPU_DISABLE", fallback)
    with pytest.raises(SystemExit, match=said):
        launches.run(["-k", "xp.negative"])


def test_a_wrong_answer_is_no_measure() -> None:
    (call,) = (c for c in CALLS if c.expression == "xp.atan(s)")
    (row,) = launches.measured("npu", [call], "f")
    assert row.wrong
    assert launches.totals([row]) == (0, 0, 0)
    assert launches.differs(np.float32([0.0, 1.0]), np.float32([-0.0, 1.0]), "operators")
    assert not launches.differs(np.float32([np.nan, 1.0]), np.float32([np.nan, 1.0]), "operators")
