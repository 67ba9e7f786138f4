"""Tests of the emulator through torch_npu; see test_cann_emulator.py for how they are run."""
