"""The command ``python -m conformance faults``: calls in which the emulated NPU fails."""
