"""What it costs on an accelerator that bad input is noticed: option ``checks``.

python -m benchmarks checks [--device cuda] [--rounds 60] [--markdown docs/devices.md]

Each call is timed with ``checks="late"`` beside ``checks="off"``, in turns, and beside torch's own:
with positions and divisors that are looked at in every call, and with those that are known again.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from timeit import Timer
from typing import TYPE_CHECKING, Any, Final, Literal

import torch

import ascend_array_api as xp
from benchmarks.cases import TORCH
from benchmarks.functions import Call, operands, peers
from benchmarks.measure import Quartiles, clock, interleaved
from benchmarks.report import Table
from conformance.terminal import each
from workshop.marks import insert

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SIZES: Final = (1, 1_000_000)
_CALLS: Final = tuple(
    Call("", expression, dtypes)
    for expression, dtypes in (
        ("xp.take(x, k)", "fl"),
        ("x[k]", "fl"),
        ("x[k] = y", "fl"),
        ("X[i, j]", "fl"),
        ("xp.take_along_axis(x, k, axis=0)", "fl"),
        ("x // y", "il"),
        ("x % y", "il"),
        ("xp.linalg.inv(A)", "f"),
        ("xp.linalg.solve(A, V)", "f"),
    )
)


class _With(Timer):
    """A timer of what is computed with a value of the option."""

    def __init__(self, checks: Literal["late", "off"], *arguments: Any) -> None:
        super().__init__(*arguments)
        self._checks = checks

    def timeit(self, number: int = 1_000_000) -> float:
        with xp.options(checks=self._checks):
            return super().timeit(number)


def measure(device: str, rounds: int) -> Iterator[list[str]]:
    """Yield a line for each call, data type and size, and for what is looked at and known again."""
    ours, raw, *_ = peers(device)
    now = clock(device, torch.get_num_threads())
    for call in each(_CALLS, "calls"):
        for code in call.dtypes:
            for size in SIZES:
                for known in (False, True):
                    yield _line(call, code, size, rounds, (ours, raw), now, known=known)


def _line(
    call: Call,
    code: str,
    size: int,
    rounds: int,
    both: Sequence[Any],
    now: Callable[[], float],
    *,
    known: bool,
) -> list[str]:
    ours, raw = both
    given = operands(code, size)
    names = compile(call.expression, "expression", "exec").co_names
    given = {name: given[name] for name in names if name in given}
    scope = ours.scope(given, size, code)
    if known:
        scope |= {name: xp.asarray(scope[name], copy=True) for name in given}
    setup = "; ".join(f"{name} = scope[{name!r}]" for name in scope)
    timers = {
        checks: _With(checks, call.expression, setup, now, {"scope": scope})
        for checks in ("off", "late")
    }
    timers[TORCH] = raw.timer(call, raw.scope(given, size, code), now)
    seconds = interleaved(timers, rounds, turn_seconds=0.005)
    ratio = Quartiles.of_ratios(seconds["late"], seconds["off"])
    medians = [Quartiles.of(seconds[name]).median * 1e6 for name in (TORCH, "off", "late")]
    dtype = next(str(a.dtype) for name, a in given.items() if name in "xXA")
    return [
        f"{call.expression}, again" if known else call.expression,
        dtype,
        f"{size:,}",
        *(f"{each:.1f}" for each in medians),
        f"{ratio.median:.2f}",
        f"{ratio.low:.2f} to {ratio.high:.2f}",
    ]


def run(argv: Sequence[str], summary: Callable[[str], str]) -> None:
    """Measure and report, as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks checks", description=__doc__)
    parser.add_argument("--device", default="cuda", help="the device, as torch names it")
    parser.add_argument("--rounds", type=int, default=60, help="the median of so many is taken")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table to a page")
    given = parser.parse_args(argv)
    head = ["", "dtype", "elements", "torch, µs", '"off", µs', '"late", µs', "late / off", "half"]
    table = Table("What noticing costs", [head, *measure(given.device, given.rounds)])
    print(summary(given.device))
    print(table.as_text())
    if given.markdown:
        text = f"{summary(given.device)}\n{table.as_markdown()}"
        insert(given.markdown, f"checks {torch.device(given.device).type}", text)
