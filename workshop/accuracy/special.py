"""The table of special functions: how exact they are on the CPU and on NPUs, beside mpmath."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

import ascend_array_api as xp

from ..samples.special import OF_ORDER_3, REFERENCES, bound, error, references, unit

ALIASES: Final = {"digamma": "psi"}
NAMES: Final = sorted({*REFERENCES, *OF_ORDER_3, *ALIASES})
MARK: Final = "special functions"
COLUMNS: Final = [(device, dtype) for device in ("cpu", "npu") for dtype in ("float32", "float64")]
_HEAD: Final = """\
**Largest errors of special functions, and their bounds**

| function | unit | CPU, float32 | CPU, float64 | NPU, float32 | NPU, float64 |
|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Error:
    """The largest error, in the unit, and whether the host computes the function."""

    size: float
    on_host: bool


def measure(name: str, device: str, dtype: str) -> Error:
    """Ask a function at the points of its tests."""
    name = ALIASES.get(name, name)
    operands = [xp.asarray(x, device=device) for x in references(name, dtype)[0]]
    order = [3] * (name in OF_ORDER_3)

    def result() -> xp.Array:
        found: xp.Array = getattr(xp.special, name)(*operands, *order)
        return found

    try:
        with xp.options(host_fallback="error"):
            found, on_host = result(), False
    except xp.HostFallbackError:
        with xp.options(host_fallback="allow"):
            found, on_host = result(), True
    return Error(error(name, np.asarray(found.to_device("cpu")), dtype), on_host)


def line(name: str) -> tuple[str, bool]:
    """Return the row of a function, and whether all errors are within their bounds."""
    cells, right = [], True
    of = ALIASES.get(name, name)
    for device, dtype in COLUMNS:
        found, most = (
            measure(name, f"{device}:0" if device == "npu" else device, dtype),
            bound(of, dtype, device),
        )
        cells.append(
            f"{math.ceil(10 * found.size) / 10:g} of {most:g}" + ", on the host" * found.on_host
        )
        right = right and found.size <= most
    return f"| `{name}` | {unit(of)} | {' | '.join(cells)} |\n", right


def table(lines: list[str]) -> str:
    """Return the table."""
    return _HEAD + "".join(lines)
