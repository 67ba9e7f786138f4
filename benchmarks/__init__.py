"""What the namespace costs on top of torch: time, memory, and the time of its import."""

import os

os.environ.setdefault("KINETO_LOG_LEVEL", "6")  # torch's profiler logs whenever it starts and stops

import ascend_array_api  # noqa: F401  # before torch: it knows how to load it beside torch_npu
