"""Conditions on values: errors at the call on the host, when the options say on late devices."""

from __future__ import annotations

import operator
from typing import Any

from .._devices.device import spec_of
from .._options import settings
from .._reports import late_errors
from .._reports.late_errors import Doubt
from .._torch import Tensor, torch
from ._derivatives import judged
from ._operations import OPS


def unless(wrong: Tensor, error: type[Exception], text: str, x: Tensor) -> Tensor:
    """Raise an error if a value is true; return a tensor, which depends on that."""
    if not (spec_of(wrong).late and judged(wrong)):
        if bool(wrong):
            raise error(text)
    elif settings.current().checks != "off":
        doubt = Doubt(error, str, text)
        doubt.found((wrong,), bool)
        return late_errors.mark(x.view(x.shape), doubt, x)
    return x


def demand(conditions: list[tuple[Any, str]], values: list[Any]) -> list[Any]:
    """Raise ValueError with the text of the first violated condition.

    For arrays on a late device, the option ``checks`` says when.  If at the call, all conditions
    are fetched together, in one wait.  Return the values, whose tensors depend on all conditions.
    """
    every = [holds for holds, _ in conditions if isinstance(holds, torch.Tensor) and holds.numel()]
    late = every and spec_of(every[0]).late and judged(*every)
    checks = settings.current().checks if late else "wait"
    flags = [] if checks == "off" else [OPS["all"](holds) for holds in every]
    outcomes = torch.stack(flags).tolist() if flags and checks == "wait" else flags
    found = iter(outcomes or [True] * len(every))
    doubts = []
    for holds, text in conditions:
        if isinstance(holds, torch.Tensor):
            holds = next(found) if holds.numel() else True
        if isinstance(holds, torch.Tensor):
            doubts.append(Doubt(ValueError, str, text))
            doubts[-1].found((holds,), operator.not_)
        elif not holds:
            raise ValueError(text)
    if not doubts:
        return values
    return [
        late_errors.mark(x.view(x.shape), doubts, x) if isinstance(x, torch.Tensor) else x
        for x in values
    ]
