"""An emulated CANN: the real torch_npu on a machine that has neither CANN nor an NPU.

>>> from conformance import cann_emulator
>>> emulator = cann_emulator.install(devices=2)  # doctest: +SKIP
>>> import torch, torch_npu  # doctest: +SKIP
>>> torch.ones(3, device="npu:1") * 2  # doctest: +SKIP
"""

from ._emulator import Counts, Emulator, has_cann, install, installed
from ._native import CompilerError

__all__ = ["CompilerError", "Counts", "Emulator", "has_cann", "install", "installed"]
