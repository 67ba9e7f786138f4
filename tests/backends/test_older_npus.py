"""Chips before Atlas A2: their rows, and the emulated CANN of one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from processes import python

from ascend_array_api._devices import backends
from ascend_array_api._routes._operations import OPS
from ascend_array_api._routes._rows import Compose, Host, Native
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
        ("910A", Host, Compose),
        ("910PremiumA", Host, Compose),
    ],
)
def test_rows_know_their_chip(
    soc: str, bfloat16: type, sort: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = Chip(soc=soc, cann=(9, 1, 0), torch_npu=(2, 13, 0))
    monkeypatch.setattr(backends.find("npu"), "facts", facts)

    def route(name: str, dtype: torch.dtype) -> type:
        row = OPS[name].row(dtype, backends.find("npu"))
        return Native if row is None else type(row.route)

    assert route("add", torch.bfloat16) is bfloat16
    assert route("sort", torch.float32) is sort
    assert route("add", torch.float32) is Native
    assert (route("roll", torch.int16) is Native) == (bfloat16 is Native)


PROGRAM = """
import warnings
import numpy as np
import torch, torch_npu
torch.npu.set_compile_mode(jit_compile=False)
import ascend_array_api as xp

def check(got, expected):
    got = xp.astype(got, xp.float32) if got.dtype == xp.bfloat16 else got
    np.testing.assert_array_equal(np.asarray(got.to_device("cpu")), expected)

x = xp.asarray([3, 1, 2], dtype=xp.float32, device="npu:0")
with warnings.catch_warnings():
    warnings.simplefilter("error", xp.HostFallbackWarning)
    check(xp.sort(x), [1, 2, 3])
    unordered = xp.asarray([np.nan, np.inf, 1.0001, 1, -0.0, -1e-40, -np.inf], device="npu:0")
    for descending in (False, True):
        order = xp.argsort(unordered, descending=descending)
        check(order, [*range(7)] if descending else [*range(6, -1, -1)])
        check(xp.sort(unordered, descending=descending), xp.take(unordered, order).to_device("cpu"))
    near = xp.asarray([1.0001, 1, 1.0001], device="npu:0")
    check(xp.unique_values(near), np.float32([1, 1.0001]))
    check(xp.unique_inverse(near).inverse_indices, [1, 0, 1])
    check(xp.linalg.eigvalsh(xp.eye(3, device="npu:0") * near), np.float32([1, 1.0001, 1.0001]))
    # aclnnNanToNum, without which these are made
    check(xp.floor_divide(unordered[2:5], x), [0, 1, -0.0])
    check(xp.hypot(x - x, x - x), [0, 0, 0])
    sides = (xp.asarray(pair, device="npu:0") for pair in ([3.0, np.inf], [4.0, np.nan]))
    check(xp.hypot(*sides), [5, np.inf])
    check(xp.expm1(xp.asarray([0.0, np.inf, -np.inf], device="npu:0")), [0, np.inf, -1])
    check(xp.logaddexp(*[xp.asarray([np.inf, -np.inf], device="npu:0")] * 2), [np.inf, -np.inf])
    check(xp.searchsorted(x[:1], xp.asarray([np.nan, np.inf, -np.inf], device="npu:0")), [1, 1, 0])
    check(xp.sqrt(x[:1]) ** 0.5 == x[:1] ** 0.25, [True])
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
@pytest.mark.parametrize("soc", ["Ascend310P3", "Ascend910A"])
def test_on_an_emulated_chip(soc: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "CANN_EMULATOR_SOC": soc}
    environment |= {"TORCH_NPU_FALLBACK_CPU_DISABLE": "1"}
    arguments = ("-m", "conformance.cann_emulator", str(tmp_path / "program.py"))
    done = python(*arguments, env=environment, cwd=tmp_path, timeout=300)
    assert f"2 x {soc}" in done.stderr


@pytest.mark.nightly
@pytest.mark.skipif(pair.problem() is not None, reason="needs torch_npu")
@pytest.mark.parametrize("how", ["start", "plugins"])
def test_what_runs_on_a_first_910_is_told_to_call_compiled_kernels(how: str) -> None:
    started = {
        "start": "devices.start('npu')",
        "plugins": "for name in devices.setup_for('npu').starting: importlib.import_module(name)",
    }
    lines = (
        "import importlib, os",
        "from conformance import devices",
        "os.environ.update(devices.setup_for('npu').environment)",
        started[how],
        "import ascend_array_api as xp",
        "x = xp.ones(3, device='npu')",
        "assert xp.sum(x + x) == 6",
        "xp.synchronize()",
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CANN_EMULATOR_SOC": "Ascend910A"}
    python("-c", "\n".join(lines), env=environment, timeout=300)
