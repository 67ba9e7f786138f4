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
    "values": tuple(f"values.{t}" for t in ("wholes", "points", "order", "subnormals", "sweeps")),
    "dtypes": tuple(f"dtypes.{topic}" for topic in TOPICS),
    "times": ("times.launches", "times.functions"),
    "waits": ("waits",),
    "kernels": ("kernels",),
    "faults": tuple(f"faults.{name}" for name in FAULTS),
}
"""The groups by part, in the order in which they are asked: what settles most comes first."""

GROUPS: Final = tuple(group for groups in PARTS.values() for group in groups)

PATIENCE: Final = {"kernels": 6}
"""By how much longer a group may take than others: the profiler takes seconds for every call."""

COST: Final = {"kernels": 6, "times.launches": 6, "times.functions": 3, "waits": 3}
"""How long a question takes about, against one of the others."""

IN_ORDER: Final = ("kernels", "waits", "times.launches", "times.functions")
"""Groups that are asked with torch_npu's task queue, as programs run.

The others go without: an error then comes with its call.
"""
