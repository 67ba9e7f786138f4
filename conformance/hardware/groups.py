"""What is asked, in groups: each gets a process of its own."""

from __future__ import annotations

from typing import Final

IN_PLACE: Final = "in_place"

TOPICS: Final = (
    *("creation", "elementwise", "fft", "indexing", "linear_algebra", "movement", "random"),
    *("reduction", IN_PLACE),
)
"""The kernels of the emulator, by module; those that write to an operand apart."""

FAULTS: Final = ("refused data type", "out of memory", "no such device")

PARTS: Final = {
    "dtypes": tuple(f"dtypes.{topic}" for topic in TOPICS),
    "values": ("values.points", "values.subnormals", "values.sweeps", "values.order"),
    "kernels": ("kernels",),
    "waits": ("waits",),
    "times": ("times",),
    "faults": tuple(f"faults.{name}" for name in FAULTS),
}
"""The groups by part."""

GROUPS: Final = tuple(group for groups in PARTS.values() for group in groups)

PATIENCE: Final = {"kernels": 6}
"""By how much longer a group may take than others: the profiler takes seconds for every call."""

IN_ORDER: Final = ("kernels", "waits", "times")
"""Groups that are asked with torch_npu's task queue, as programs run.

The others go without: an error then comes with its call.
"""
