"""How kernels compute: as an ideal device, as the chip, or at the edge of what is documented.

ideal
    As IEEE 754 and exact integers, by torch on the CPU.
chip
    As Atlas A2 does where a public source says so (`chip`), else ideal; as a chip of another family
    where a source says that it computes otherwise.
hostile:FAMILY, hostile:FAMILY+FAMILY, hostile:all
    As chip, moved within what documents leave open (`hostile`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

VARIABLE = "CANN_EMULATOR_MODE"
DEFAULT = "chip"

# Listed here so that a mode can be checked before torch is imported; `hostile` has what they do.
FAMILIES = (
    "accumulation",
    "casts",
    "division",
    "flush",
    "order",
    "sort",
    "sums",
    "transcendental",
)


@dataclass(frozen=True)
class Mode:
    """A mode: whether kernels compute as the chip, and the families of hostility."""

    chip: bool
    families: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.families:
            every = set(self.families) == set(FAMILIES)
            return "hostile:" + ("all" if every else "+".join(self.families))
        return "chip" if self.chip else "ideal"


def parse(text: str) -> Mode:
    """Read a mode; ValueError where there is none of that name."""
    if text in ("ideal", "chip"):
        return Mode(chip=text == "chip")
    kind, _, names = text.partition(":")
    families = FAMILIES if names == "all" else tuple(sorted(set(names.split("+"))))
    if kind != "hostile" or not set(families) <= set(FAMILIES):
        raise ValueError(
            f"no mode {text!r}: there are ideal, chip, hostile:all and hostile:FAMILY, where "
            f"FAMILY is one of {', '.join(FAMILIES)}, or several with + between them"
        )
    return Mode(chip=True, families=families)


def chosen(text: str | None = None) -> Mode:
    """Return the mode named, else that of CANN_EMULATOR_MODE, else the default."""
    return parse(text or os.environ.get(VARIABLE) or DEFAULT)


def tasks(mode: Mode, family: str = "910B") -> dict[str, Callable[..., Any]]:
    """Return what every kernel computes in a mode, on a family of chips: decided here alone."""
    from . import kernels

    if not mode.chip:
        return kernels.TASKS
    from . import hostile
    from .chip.tasks import OF_FAMILY, TASKS

    result = {**kernels.TASKS, **TASKS, **OF_FAMILY.get(family, {})}
    for family in sorted(mode.families, key=lambda name: name == "flush"):  # it wraps all others
        result |= hostile.FAMILIES[family](result)
    return result
