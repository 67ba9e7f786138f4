"""What random numbers cost: ours against torch's and NumPy's, in turns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from timeit import Timer
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch

import ascend_array_api as xp
from benchmarks.measure import Quartiles, clock, interleaved
from benchmarks.report import Table
from conformance.terminal import each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PHILOX: Final = "Philox"
NATIVE: Final = "Native"


@dataclass(frozen=True)
class Draw:
    """A draw, by which of our generators, against what, and how many times its time it may take."""

    generator: str
    name: str
    ours: Callable[[], Any]
    against: str
    theirs: Callable[[], Any]
    target: float


def draws(device: str, elements: int) -> Iterator[Draw]:
    """Return the draws: on the CPU Philox is held against NumPy's, elsewhere against torch's."""
    philox = xp.random.Generator(xp.random.Philox(1, device=device))
    native = xp.random.Generator(xp.random.Native(1, device=device))
    on: dict[str, Any] = {"generator": torch.Generator(device), "device": device}
    on["dtype"] = torch.float32
    for kind, rng, target in ((NATIVE, native, 1.1), (PHILOX, philox, 2.0)):
        if kind == NATIVE or device != "cpu":
            for name, theirs in (("random", torch.rand), ("standard_normal", torch.randn)):
                ours = partial(getattr(rng, name), elements)
                reference = partial(theirs, elements, **on)
                yield Draw(kind, name, ours, f"torch.{theirs.__name__}", reference, target)
    if device != "cpu":
        return
    numpys = np.random.Generator(np.random.Philox(1))
    single, double = {"dtype": "float32"}, {"dtype": "float64"}
    whole: dict[str, str] = {}
    some = elements // 10
    for name, size, arguments, options in (
        ("random", elements, (), single),
        ("standard_normal", elements, (), single),
        ("random", some, (), double),
        ("standard_normal", some, (), double),
        ("standard_exponential", some, (), single),
        ("standard_exponential", some, (), double),
        ("standard_gamma", some, (2.0,), single),
        ("standard_gamma", some, (2.0,), double),
        ("integers", some, (0, 1000), whole),
        ("poisson", some, (50.0,), whole),
        ("binomial", some, (1000, 0.3), whole),
    ):
        own = {key: getattr(xp, value) for key, value in options.items()}
        ours = partial(getattr(philox, name), *arguments, size=size, **own)
        reference = partial(getattr(numpys, name), *arguments, size=size, **options)
        label = f"{name}, {options.get('dtype', 'int64')}, {size:,}"
        yield Draw(PHILOX, label, ours, "numpy", reference, 2.0)


def table(device: str, elements: int, rounds: int) -> Table:
    """Time all draws; return the table."""
    now = clock(device, threads=0)
    cells = [["", "generator", "against", "ms", "ours", "target", "verdict"]]
    for draw in each(list(draws(device, elements)), "draws"):
        timers = {"theirs": Timer(draw.theirs, timer=now), "ours": Timer(draw.ours, timer=now)}
        seconds = interleaved(timers, rounds, turn_seconds=0.005)
        ratios = Quartiles.of_ratios(seconds["ours"], seconds["theirs"])
        verdict = "met" if ratios.median <= draw.target else "not met"
        cells.append(
            [
                draw.name,
                draw.generator,
                draw.against,
                f"{Quartiles.of(seconds['theirs']).median * 1e3:.3f}",
                f"{ratios.median:.2f} ({ratios.low:.2f} to {ratios.high:.2f})",
                f"{draw.target:.1f}",
                verdict,
            ]
        )
    return Table(
        f"{elements:,} random numbers on {device}: time as a multiple of torch's or NumPy's", cells
    )
