"""Rows for NPUs: each is needed, and what is said to be absent is absent."""

from __future__ import annotations

import json
import re

import pytest
from npu import needs_emulator, workshop

from ascend_array_api._devices import backends
from ascend_array_api._routes._operations import rows_of
from ascend_array_api._torch import torch


@needs_emulator
@pytest.mark.nightly
def test_every_row_for_npus_is_needed(tmp_path) -> None:
    """Each entry is taken out in turn, and a sample or a named case notices."""
    data = tmp_path / "rows.json"
    arguments = ("rows", "--device", "npu", "--json", str(data))
    workshop(*arguments, timeout=900, TASK_QUEUE_ENABLE="0")
    every = json.loads(data.read_text())
    # What this NPU does not need says that it was seen elsewhere.
    shared = [f for f in every if not f["own"] and f["verdict"] != "needed"]
    elsewhere = [f for f in shared if re.search("CPU|CUDA|CANN 9.0", f["evidence"])]
    assert shared == elsewhere
    found = [f for f in every if f["own"]]
    assert len(found) > 300
    missing = [f"{f['operation']} {f['dtype']}" for f in found if f["verdict"] != "needed"]
    assert missing == []


FACTS = backends.find("npu").facts
ABSENT = sorted(
    {
        name
        for row in rows_of("npu")
        if row.evidence.kind == "absent" and row.where.decide(FACTS) is not False
        for name in row.evidence.names
    }
)


@pytest.mark.parametrize("name", ABSENT)
def test_torch_npu_has_no_kernel(name: str) -> None:
    known = {n for n in torch._C._dispatch_get_all_op_names() if n.partition(".")[0] == name}
    assert known, "torch has no such operator"
    for overload in known:
        assert not torch._C._dispatch_has_kernel_for_dispatch_key(overload, "PrivateUse1"), overload
