"""What the namespace costs on top of torch: time, memory, and the time of its import."""

import os

os.environ.setdefault("KINETO_LOG_LEVEL", "6")  # torch's profiler logs whenever it starts and stops
