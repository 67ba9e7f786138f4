"""Chips before Atlas A2: their rows, and the emulated CANN of one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from processes import python

from ascend_array_api._devices import backends
from ascend_array_api._routes._operations import OPS
from ascend_array_api._routes._rows import Host, Native
from ascend_array_api._torch import torch
from conformance import pair

ROOT = Path(__file__).parents[2]


class Chip(dict[str, object]):
    """Facts of a chip: what is not there is unknown."""

    def __missing__(self, name: str) -> None:
        return None


@pytest.mark.parametrize(
    ("soc", "bfloat16", "sort"),
    [
        ("910B2", Native, Native),
        ("910_9391", Native, Native),
        ("950DT", Native, Native),
        ("310P3", Host, Native),
        ("910A", Host, Host),
        ("910PremiumA", Host, Host),
    ],
)
def test_rows_know_their_chip(
    soc: str, bfloat16: type, sort: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = Chip(soc=soc, cann=(9, 1, 0), torch_npu=(2, 13, 0))
    monkeypatch.setattr(backends.find("npu"), "facts", facts)

    def route(name: str, dtype: torch.dtype) -> type:
        row = OPS[name].row(dtype, "npu")
        return Native if row is None else type(row.route)

    assert route("add", torch.bfloat16) is bfloat16
    assert route("sort", torch.float32) is sort
    assert route("add", torch.float32) is Native
    assert (route("roll", torch.int16) is Native) == (bfloat16 is Native)


PROGRAM = """
import warnings
import numpy as np
import ascend_array_api as xp

def check(got, expected):
    got = xp.astype(got, xp.float32) if got.dtype == xp.bfloat16 else got
    np.testing.assert_array_equal(np.asarray(got.to_device("cpu")), expected)

x = xp.asarray([3, 1, 2], dtype=xp.float32, device="npu:0")
with warnings.catch_warnings():
    warnings.simplefilter("error", xp.HostFallbackWarning)
    check(xp.sort(x), [1, 2, 3])
    check(xp.roll(xp.asarray([1, 2, 3], dtype=xp.int16, device="npu:0"), 1), [3, 1, 2])
    check(xp.roll(xp.asarray([1, 2, 3], dtype=xp.uint16, device="npu:0"), 1), [3, 1, 2])
    for name in ("uint16", "uint32", "uint64", "int16"):
        largest = xp.iinfo(getattr(xp, name)).max
        check(xp.full(2, largest, dtype=getattr(xp, name), device="npu:0"), [largest] * 2)
    check(xp.abs(xp.asarray([3 + 4j, 0], device="npu:0", dtype=xp.complex64)), [5, 0])
    b = xp.asarray([3, 1, 2], dtype=xp.bfloat16, device="npu:0")
    moved = [xp.flip(b), xp.roll(b, 1), xp.where(x > 1, b, b), xp.concat([b, b])]
with warnings.catch_warnings():
    warnings.simplefilter("ignore", xp.HostFallbackWarning)
    for got, expected in zip(moved, [[2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 1, 2] * 2]):
        check(got, expected)
    check(b + b, [6, 2, 4])
    check(xp.sum(b), 6)
    check(xp.matmul(b, b), 14)
    check(xp.ones(2, dtype=xp.bfloat16, device="npu:0"), [1, 1])
"""


@pytest.mark.nightly
@pytest.mark.skipif(pair.problem() is not None, reason="needs torch_npu")
def test_on_an_emulated_310p(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "CANN_EMULATOR_SOC": "Ascend310P3",
        "TORCH_NPU_FALLBACK_CPU_DISABLE": "1",
    }
    arguments = ("-m", "conformance.cann_emulator", str(tmp_path / "program.py"))
    done = python(*arguments, env=environment, cwd=tmp_path, timeout=300)
    assert "2 x Ascend310P3" in done.stderr
