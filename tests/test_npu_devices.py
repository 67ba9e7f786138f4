"""Devices, faults, DLPack and leaks on NPUs."""

from __future__ import annotations

import npu  # noqa: F401  # first

import ascend_array_api as xp


def test_the_default_device() -> None:
    assert xp.zeros(3).device == "npu:0"
