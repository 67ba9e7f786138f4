"""The evidence of a row: the kind of cause, the kernels at fault, and the versions that have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal[
    "wrong",
    "fatal",
    "refused",
    "absent",
    "slow",
    "undocumented",
    "derivative",
    "host",
    "launches",
    "time",
]
"""The kinds of causes.

wrong
    Results that are not those of the standard, or errors where there should be none.
fatal
    The process ends.
refused
    The kernel does not take the data type.
absent
    There is no kernel.
slow
    The kernel takes the data type, but runs on a processor that is slow for it.
undocumented
    The documents do not say what the kernel does for some operands, so nothing may rely on it.
derivative
    The result is right, and its derivative is wrong or cannot be had.
host
    Values go to the host, or the host waits for them.
launches
    Many kernels, where few do.
time
    The result is right, and takes several times as long as it need: ``python -m benchmarks
    functions`` shows it, and nothing else does.
"""


@dataclass(frozen=True)
class Evidence:
    """Why a row exists."""

    seen: str
    """The versions in which we saw it."""
    kind: Kind = "wrong"
    names: tuple[str, ...] = ()
    """The kernels (``aclnnAdd``) or operators of torch (``aten::hypot``) at fault."""

    def __str__(self) -> str:
        of = f" ({', '.join(self.names)})" if self.names else ""
        return f"{self.kind}{of}: {self.seen}"


EVERYWHERE: Final = "torch 2.11 to 2.13, CPU and CUDA"
"""The versions of most rows for every device."""

NO_UNSIGNED: Final = "torch has no kernel for this unsigned data type, or not on every device"
"""The reason of rows for unsigned integers of more than 8 bits."""

ON_NPUS: Final = "torch_npu 2.13, NPU (emulated)"
"""The versions of faults seen on NPUs only, whose rows serve every device as well."""
