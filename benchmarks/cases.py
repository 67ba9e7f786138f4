"""What is timed: the same expressions on the same numbers, by every contender."""

from __future__ import annotations

import re
from dataclasses import dataclass
from timeit import Timer
from typing import TYPE_CHECKING, Any, Final

import array_api_compat.torch
import array_api_strict
import torch

import ascend_array_api

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

TORCH: Final = "torch"
OURS: Final = "ascend_array_api"
COMPAT: Final = "array_api_compat.torch"
STRICT: Final = "array_api_strict"


@dataclass(frozen=True)
class Case:
    """An expression, and how many times torch's own time it may take."""

    expression: str
    target: float

    @property
    def function(self) -> str | None:
        """The function of the namespace in the expression; None where it is an operator."""
        found = re.search(r"xp\.(\w+)", self.expression)
        return found and found[1]


ONE_ELEMENT: Final = (
    Case("a + b", 1.35),
    Case("a * 2.0", 1.5),
    Case("xp.add(a, b)", 1.35),
    Case("xp.exp(a)", 1.35),
    Case("a[0]", 1.5),
    Case("xp.sum(a)", 1.5),
    Case("xp.reshape(a, (1, 1))", 1.5),
    Case("xp.where(m, a, b)", 1.5),
    Case("xp.matmul(p, q)", 1.5),
)

MANY_ELEMENTS: Final = (
    Case("a + b", 1.03),
    Case("a * 2.0", 1.03),
    Case("xp.add(a, b)", 1.03),
    Case("xp.exp(a)", 1.03),
    Case("xp.sum(a)", 1.03),
    Case("xp.where(m, a, b)", 1.03),
    Case("xp.matmul(p, q)", 1.03),
)
"""The rest of the above only makes views, however many elements there are."""


@dataclass(frozen=True)
class Contender:
    """A namespace, and the operands as its arrays."""

    name: str
    xp: ModuleType
    operands: Mapping[str, Any]

    def takes_part(self, case: Case) -> bool:
        """Say whether the expression runs other code than torch's own."""
        if self.name != COMPAT:
            return True
        name = case.function  # its arrays are tensors, and many of its functions torch's
        return name is not None and getattr(self.xp, name) is not getattr(torch, name)

    def timer(self, case: Case, clock: Callable[[], float]) -> Timer:
        """Return a timer of the expression, in which all names are local variables."""
        scope = dict(self.operands)
        if case.function:
            scope["function"] = getattr(self.xp, case.function)
        statement = re.sub(r"xp\.\w+", "function", case.expression)
        setup = "; ".join(f"{name} = scope[{name!r}]" for name in scope)
        return Timer(statement, setup, clock, {"scope": scope})


def contenders(device: str, elements: int, rows: int) -> list[Contender]:
    """Return all contenders, with vectors of so many elements and square matrices of so many rows.

    array_api_strict computes with NumPy; it is there for context, on the CPU only.
    """
    generator = torch.Generator(device).manual_seed(0)

    def random(*shape: int) -> torch.Tensor:
        return torch.rand(shape, generator=generator, dtype=torch.float32, device=device)

    tensors = {name: random(elements) for name in "ab"}
    tensors |= {name: random(rows, rows) for name in "pq"}
    tensors["m"] = tensors["a"] < tensors["b"]
    arrays = {name: ascend_array_api.asarray(t) for name, t in tensors.items()}
    everybody = [
        Contender(TORCH, torch, tensors),
        Contender(OURS, ascend_array_api, arrays),
        Contender(COMPAT, array_api_compat.torch, tensors),
    ]
    if device == "cpu":
        strict = {name: array_api_strict.asarray(t.numpy()) for name, t in tensors.items()}
        everybody.append(Contender(STRICT, array_api_strict, strict))
    return everybody
