"""What is measured: errors, wrong special values, kernels; of torch_npu's function and of ours."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import ascend_array_api as xp
from ascend_array_api._routes._operations import OPS, rows_of
from ascend_array_api._torch import torch
from conformance import cann_emulator

from .functions import Function, unit_of
from .picture import BINADES, WRONG
from .points import Array, ulps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass
class Answer:
    """How exact the answers of one implementation are.

    Attributes
    ----------
    ulp
        The largest error where the result is right in half of its digits.
    wrong
        The share of results that are not, of which infinities and NaN in the wrong place are some.
    zeros
        The share of zeros that have the wrong sign.
    by_binade
        The exponents of the first operand, and the largest error there.
    kernels
        The launches by unit, such as ``{"AICore": 3}``; None where nothing counts them.
    """

    ulp: float
    wrong: float
    zeros: float
    by_binade: dict[int, float] = field(default_factory=dict)
    kernels: dict[str, int] | None = None

    def text(self) -> str:
        """Return it in words."""
        if self.wrong:
            parts = [f"wrong for {_percent(self.wrong)}"]
        else:
            parts = ["exact" if self.ulp == 0 else _short(self.ulp)]
        if self.zeros:
            parts.append("sign of 0")
        return "; ".join(parts)


def _short(ulp: float) -> str:
    return f"{ulp:.1f}" if ulp < 10 else f"{float(f'{ulp:.2g}'):,.0f}"


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share >= 1e-4 else "a few"


@dataclass
class Found:
    """What was found of a function."""

    function: Function
    points: int
    own: Answer | None
    """None where torch_npu has no kernel."""

    ours: Answer


def measure(function: Function) -> Found:
    """Ask torch_npu's function and the namespace's at the same points."""
    operands = function.operands()
    exact = function.exact(*operands)
    tensors = [torch.from_numpy(x).to("npu:0") for x in operands]
    native = OPS[function.name].native
    assert native is not None, function.name
    named = getattr(xp, function.name, None) or getattr(xp.special, function.name)
    arrays = [xp.asarray(t) for t in tensors]

    def of(call: Callable[..., Any], given: list[Any]) -> Answer:
        got = np.asarray(xp.asarray(call(*given)).to_device("cpu"))
        answer = _judge(function, got, exact, operands)
        answer.kernels = _kernels(call, given)
        return answer

    refused = any(
        row.evidence.kind in ("absent", "refused")
        and function.name in row.ops.split()
        and tensors[0].dtype in row.dtypes
        for row in rows_of("npu")
    )
    own = None if refused else of(native, tensors)
    return Found(function, exact.size, own, of(named, arrays))


def _judge(function: Function, got: Array, exact: Array, operands: tuple[Array, ...]) -> Answer:
    if function.dtype == "float32":
        error = ulps(got, exact, unit_of(function.name, exact, *operands))
    else:  # integers are right or wrong
        error = np.where(got == exact, 0, math.inf)
    right = error < WRONG
    zeros = (exact == 0) & (got == 0) & (function.dtype == "float32")
    signs = zeros & (np.signbit(got) != np.signbit(exact))
    return Answer(
        float(error[right].max()),
        float((~right).mean()),
        float(signs.sum() / max(zeros.sum(), 1)),
        dict(_by_binade(operands[0], error)),
    )


def _by_binade(x: Array, error: Array) -> Iterator[tuple[int, float]]:
    """Yield the exponents that begin a step, and the largest error in it."""
    with np.errstate(invalid="ignore"):  # NaN of any kind
        size = np.abs(x.astype("f8"))
    usual = np.isfinite(size) & (size > 0)
    steps = np.floor(np.log2(size[usual]) / BINADES).astype(int)
    for step in np.unique(steps):
        yield int(step) * BINADES, float(error[usual][steps == step].max())


def _kernels(call: Callable[..., Any], given: list[Any]) -> dict[str, int] | None:
    """Count the launches of a call; the first one has set up what is kept."""
    emulator = cann_emulator.installed()
    if emulator is None:
        return None
    with emulator.counting() as counts:
        call(*given)
    units: dict[str, int] = {}
    for (_, _, unit), number in counts.kernels.items():
        units[unit] = units.get(unit, 0) + number
    return units
