"""Which data types each kernel takes, asked through torch on tensors of a few elements."""

from __future__ import annotations

import csv
import importlib
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ascend_array_api._torch import torch

from .. import NAME
from ..cann_emulator import _table
from . import calls, facts, functions, judge
from .groups import IN_PLACE

if TYPE_CHECKING:
    from collections.abc import Mapping

ANSWERS: Final = Path(__file__).with_name("answers.csv")

ACCEPTED, REFUSED = "accepted", "refused"


@dataclass(frozen=True)
class Answers:
    """What the emulated device answers to the call of a kernel; data types as `_table` has them.

    What stands in neither is not asked of the kernel: torch or torch_npu refuses it before, or
    takes another way.
    """

    accepted: frozenset[str]
    refused: frozenset[str]


def kernels_of(topic: str) -> list[str]:
    """Return the kernels of a module of the emulator, or all in-place ones, that have a call."""
    names = [kernel.name for kernel in _table.kernels() if kernel.name in calls.CALLS]
    if topic == IN_PLACE:
        return [name for name in names if "Inplace" in name]
    module = importlib.import_module(f"{NAME}.cann_emulator.kernels.{topic}")
    own = {_table.named(name) for name in module.TASKS}
    return [name for name in names if name in own and "Inplace" not in name]


@cache
def emulated() -> Mapping[str, Answers]:
    """Return what the emulated device answers."""
    with ANSWERS.open(newline="") as file:
        return {
            row["kernel"]: Answers(
                frozenset(row["accepted"].split()), frozenset(row["refused"].split())
            )
            for row in csv.DictReader(file)
        }


def outcome(kernel: str, dtype: str, device: str) -> tuple[str, bool]:
    """Make the call; return what came of it, and whether the device is to be left."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # torch's, of odd data types and layouts
        try:
            calls.call(kernel, getattr(torch, dtype), device)
            facts.npu().synchronize()
        except RuntimeError as error:  # it is what is asked for
            told = functions.told(error)
            code = str(told["code"] or "")
            if code.startswith("161"):
                own = told["kernel"] in (kernel, None)
                return REFUSED if own else f"{REFUSED} by {told['kernel']}", False
            if code:
                return f"error {code}", functions.is_dead(told["code"])
            if "would execute" in str(error):
                return "no kernel of torch_npu's", False
            return type(error).__name__, False
    return ACCEPTED, False


def asked(kernel: str, device: str) -> dict[str, Any]:
    """Ask for each data type; the device is left once it does not answer any more."""
    found: dict[str, str] = {}
    left = False
    for short, (_, dtype) in _table.DTYPES.items():
        found[short], left = outcome(kernel, dtype, device)
        if left:
            break
    return {"call": calls.CALLS[kernel], "dtypes": found, "left": left, **judged(kernel, found)}


def judged(kernel: str, found: Mapping[str, str]) -> dict[str, Any]:
    """Say what is taken that the emulated device refuses, and the reverse."""
    expected = emulated().get(kernel)
    if expected is None:
        return {"verdict": judge.NOT_ASKED}
    more = [d for d, how in found.items() if how == ACCEPTED and d in expected.refused]
    fewer = [d for d, how in found.items() if how != ACCEPTED and d in expected.accepted]
    settled = expected.accepted | expected.refused
    other = [d for d, how in found.items() if how == ACCEPTED and d not in settled]
    verdicts = [judge.AS_EMULATED]
    verdicts += [judge.BETTER] * bool(more) + [judge.WORSE] * bool(fewer)
    verdicts += [judge.OTHER] * bool(other)
    return {"more": more, "fewer": fewer, "other": other, "verdict": judge.worst(verdicts)}


def recorded(device: str) -> list[dict[str, str]]:
    """Return the rows of answers.csv, asked of the emulated device."""
    rows = []
    for topic_kernel in (kernel.name for kernel in _table.kernels()):
        if topic_kernel not in calls.CALLS:
            continue
        found = {
            short: outcome(topic_kernel, dtype, device)[0]
            for short, (_, dtype) in _table.DTYPES.items()
        }
        rows.append(
            {
                "kernel": topic_kernel,
                "accepted": " ".join(d for d, how in found.items() if how == ACCEPTED),
                "refused": " ".join(d for d, how in found.items() if how == REFUSED),
            }
        )
    return rows


def write(rows: list[dict[str, str]], path: Path = ANSWERS) -> None:
    """Write answers.csv."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["kernel", "accepted", "refused"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
