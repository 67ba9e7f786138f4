"""What a real NPU answers, beside what the emulated one does: ``python -m conformance hardware``."""
