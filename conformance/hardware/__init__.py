"""What a real NPU answers, beside the emulated one: ``python -m conformance hardware``."""
