"""What the namespace costs on top of torch: time, memory, and the time of its import."""

import os

os.environ.setdefault("KINETO_LOG_LEVEL", "6")  # torch's profiler logs whenever it starts and stops

# NumPy's threads for matrices wait in a loop, for 26 ms after every product unless told otherwise,
# on the processors that whoever comes next is timed on.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

import ascend_array_api  # noqa: F401  # before torch: it knows how to load it beside torch_npu
