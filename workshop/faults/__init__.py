"""The command ``python -m workshop faults``: calls in which the emulated NPU fails."""
