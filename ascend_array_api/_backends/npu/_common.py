"""Reasons, evidence and a form of rows for NPUs, and the integers with the bits of numbers."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any, Final, TypeAlias

from ..._devices.facts import Where, everywhere, soc
from ..._routes._derivatives import differentiated
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._rows import Compose, Route, Row
from ..._torch import dtypes as dt
from ..._torch import torch

FIRST: Final = soc("910A", "910P")
"""The first 910: 910A, 910ProA, 910ProB, 910PremiumA."""
BEFORE_A2: Final = soc("310P") | FIRST

SEEN: Final = "torch_npu 2.13.0, CANN 9.1.0"

Cause: TypeAlias = "tuple[str, Evidence]"
"""The reason of a row, and its evidence."""


def refused(*kernels: str) -> Cause:
    """CANN's kernels do not take the data types."""
    do = "does" if len(kernels) == 1 else "do"
    reason = f"{' and '.join(kernels)} {do} not take this data type"
    return reason, Evidence(SEEN, "refused", kernels)


def refused_by_torch_npu(what: str, *operators: str) -> Cause:
    """torch_npu itself takes fewer data types than CANN's kernel does."""
    return what, Evidence(SEEN, "refused", operators)


def slow(*kernels: str) -> Cause:
    """CANN's kernels compute the data types on the AICPU only."""
    take = "takes" if len(kernels) == 1 else "take"
    reason = f"{' and '.join(kernels)} {take} this data type on the AICPU alone"
    return reason, Evidence(SEEN, "slow", kernels)


def no_kernel(*operators: str) -> Cause:
    """torch_npu has no kernel for operators of torch."""
    reason = f"torch_npu has no kernel for {' and '.join(operators)}, and would compute on the CPU"
    return reason, Evidence(SEEN, "absent", operators)


def wrong(reason: str, *names: str) -> Cause:
    """Kernels give other results than the standard requires."""
    return reason, Evidence(SEEN, "wrong", names)


def undocumented(reason: str, *kernels: str) -> Cause:
    """CANN's documents do not say what kernels return for some operands."""
    return reason, Evidence(SEEN, "undocumented", kernels)


def derivative(reason: str, *names: str) -> Cause:
    """The derivative needs kernels that refuse the data type, or that are missing."""
    return reason, Evidence(SEEN, "derivative", names)


def on_host(reason: str, *names: str) -> Cause:
    """Values would go to the host."""
    return reason, Evidence(SEEN, "host", names)


def launches(reason: str, *names: str) -> Cause:
    """More kernels would be launched."""
    return reason, Evidence(SEEN, "launches", names)


def older_path(*operators: str) -> Cause:
    """Older builds of torch_npu call no kernel for operators, and may fail late."""
    reason = f"this torch_npu takes its older path for {' and '.join(operators)}"
    return reason, Evidence("torch_npu 2.7.1.post2 and 2.9.0, CANN 8.5", "absent", operators)


def composed(
    ops: str,
    dtypes: Set[torch.dtype],
    function: Kernel,
    partials: Callable[..., tuple[Any, ...]],
    cause: Cause,
    where: Where = everywhere,
    *,
    native: Kernel | None = None,
    fast: Route | None = None,
) -> Row:
    """Return the row of an elementwise composition with partial derivatives."""
    route = Compose(differentiated(function, partials, native=native))
    return Row(ops, dtypes, route, *cause, where, fast)


BITS: Final = {dt.float16: dt.int16, dt.bfloat16: dt.int16, dt.float32: dt.int32} | {
    dt.float64: dt.int64
}
"""The integers with the bits of each floating-point data type."""
