"""The command ``python -m workshop captures``: every function, captured and replayed.

Each sample call of each function is made three times with arrays of the same shapes and other
values: the first call is the function's own, the second is recorded, and both that and the third
are replayed.  All that they return, and all that they write to, has to be what the function alone
gives, to the last bit; or the capture has to be refused.  All calls of a function draw random
numbers from one generator, and the function alone draws from an equal one.
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from conformance.devices import parse_device, require, require_device, start
from conformance.errors import SetupError
from conformance.terminal import each

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from .samples import Call, Function

HELP = "Capture every function on an accelerator, replay it with other values, and compare."
PASSED, FAILED = 0, 1
CAPTURED, REFUSED, WRONG, FAILS = "captured", "refused", "wrong", "fails"
_CALLS: Final = 4
"""Calls of each sample: one that calls the function, and three that replay it."""


@dataclass(frozen=True)
class Outcome:
    """What became of a call of one function on one data type."""

    name: str
    says: str
    dtype: str
    place: str
    reason: str = ""
    expected: bool = True
    """Whether a refusal lies in the nature of the function, or of the device."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--device", default="npu", help="npu (emulated without CANN) or cuda (default: npu)"
    )
    parser.add_argument(
        "-k", dest="only", nargs="+", default=[], metavar="NAME", help="functions alone"
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the page")


def run(arguments: argparse.Namespace, _argv: Sequence[str]) -> int:
    """Capture, write what was asked for, and print the totals; 1 if a replay is wrong or fails."""
    try:
        parse_device(arguments.device)
    except ValueError as error:
        raise SetupError(str(error)) from error
    require(arguments.device)
    require_device(arguments.device)
    start(arguments.device)

    from .samples import FUNCTIONS

    unknown = set(arguments.only) - FUNCTIONS.keys()
    if unknown:
        raise SetupError(f"there is no {', '.join(sorted(unknown))}")
    chosen = [f for f in FUNCTIONS.values() if not arguments.only or f.name in arguments.only]
    outcomes = list(measured(chosen, arguments.device))
    if arguments.markdown:
        arguments.markdown.write_text(markdown(outcomes, arguments.device), encoding="utf-8")
    for place, number in Counter(o.place for o in outcomes).items():
        print(f"{place:<10} {number:>6,}")
    for reason, names, dtypes in refusals(outcomes):
        print(f"refused: {names} of {dtypes}: {reason}")
    bad = [o for o in outcomes if o.place in (WRONG, FAILS) or not o.expected]
    for o in bad:
        print(f"{o.place}: {o.name} {o.says} of {o.dtype}: {o.reason}")
    return FAILED if bad else PASSED


def measured(functions: Sequence[Function], device: str) -> Iterator[Outcome]:
    """Yield what becomes of each call of functions on a device, for each data type."""
    from .samples import Seeded

    for function in each(functions, "functions"):
        for i, call in enumerate(function.calls):
            for dtype in function.dtypes:
                seed = f"{function.name} {i}"
                if call.when(Seeded(dtype, seed)):
                    outcome = _outcome(call, dtype, seed, device)
                    if outcome is not None:
                        yield outcome


def _outcome(call: Call, dtype: str, seed: str, device: str) -> Outcome | None:
    import ascend_array_api as xp

    from .samples import Seeded, converted

    def inputs(time: int) -> list[Any]:
        drawn = call.inputs(Seeded(dtype, f"{seed} {time}" if time else seed))
        return [converted(xp, x, lambda x: xp.asarray(x, device=device)) for x in drawn]

    about = call.name, call.says, dtype
    generator, equal = (xp.random.default_rng(7, device=device) for _ in range(2))
    # The host would draw few numbers for the function alone, whose last bits may differ.
    on_device = patch.object(type(generator.device.backend), "most_uploaded", 0)
    with warnings.catch_warnings(), xp.options(device=device), on_device:
        warnings.simplefilter("ignore")
        captured, bound = xp.captured(_bound(call, generator)), _bound(call, equal)
        try:
            for time in range(_CALLS):
                given, own = inputs(time), inputs(time)
                try:
                    expected = bound(*own)
                except Exception:  # noqa: BLE001  (the device has no answer to compare with)
                    return None
                result = captured(*given)
                after, state = generator.bit_generator.state, equal.bit_generator.state
                if _bits((result, given, after)) != _bits((expected, own, state)):
                    return Outcome(*about, WRONG, f"call {time} differs")
        except xp.CaptureError as error:
            reason = str(error).partition(", because ")[2].partition(". ")[0]
            reason = reason or str(error).removeprefix("captured: ").partition(". ")[0]
            natural = call.waits or call.moves or "torch fails there" in reason
            host = "computed on the host" in reason
            return Outcome(*about, REFUSED, reason, expected=natural or host)
        except Exception as error:  # noqa: BLE001  (said, and the next function is asked)
            return Outcome(*about, FAILS, f"{type(error).__name__}: {str(error)[:300]}")
    return Outcome(*about, CAPTURED)


def _bound(call: Call, generator: Any) -> Callable[..., Any]:
    """Return a call as a function of its inputs; if it draws, it draws from a generator."""
    import ascend_array_api as xp

    if not call.name.startswith("random."):
        return call.bound(xp)
    random = SimpleNamespace(default_rng=lambda _seed: generator)
    return call.bound(SimpleNamespace(**{**vars(xp), "random": random}))


def _bits(value: Any) -> Any:
    """Return what tells results apart: types, shapes and bytes."""
    import ascend_array_api as xp

    if isinstance(value, xp.Array):
        elements = xp.to_torch(xp.asarray(value, device="cpu", copy=True)).contiguous()
        return str(value.dtype), str(value.device), elements.shape, elements.numpy().tobytes()
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *map(_bits, value)]
    return repr(value)


def refusals(outcomes: Sequence[Outcome]) -> list[tuple[str, str, str]]:
    """Return the reasons for which captures are refused: names and data types for each."""
    found: dict[str, list[Outcome]] = {}
    for o in outcomes:
        if o.place == REFUSED:
            found.setdefault(o.reason, []).append(o)
    return [
        (
            reason,
            ", ".join(dict.fromkeys(o.name for o in every)),
            " ".join(dict.fromkeys(o.dtype for o in every)),
        )
        for reason, every in found.items()
    ]


_HEAD: Final = """# Captured functions on {devices}, one by one

Each sample call of each function, for each data type, is [captured](captures.md) on {where} and
replayed three times with other values. All that it returns and all that it writes is compared with
the function itself, to the last bit. {captured:,} of {total:,} calls are captured, and {wrong} of
them differ; the others are refused at the capture, for the reason that the table names.

| function | captured | refused |
|---|---|---|
"""


def _where(device: str) -> tuple[str, str]:
    """Return a device's kind, in the plural, and which one it is, for the page."""
    if device.startswith("npu"):
        return "NPUs", "an NPU (by emulated CANN)"
    import torch

    return "GPUs", f"a GPU ({torch.cuda.get_device_name()}, torch {torch.__version__})"


def markdown(outcomes: Sequence[Outcome], device: str) -> str:
    """Return the page: for each function, its calls that are captured, and why others are not."""
    total = Counter(o.place for o in outcomes)
    devices, where = _where(device)
    wrong = total[WRONG] + total[FAILS] or "none"
    head = _HEAD.format(
        captured=total[CAPTURED],
        total=len(outcomes),
        devices=devices,
        where=where,
        wrong=wrong,
    )
    lines: list[str] = []
    for name, group in groupby(outcomes, key=lambda o: o.name):
        every = list(group)
        captured = sum(o.place == CAPTURED for o in every)
        dtypes: dict[str, set[str]] = {}
        for o in every:
            if o.place != CAPTURED:
                dtypes.setdefault(o.reason, set()).add(o.dtype)
        whole = {o.dtype for o in every}
        told = "; ".join(
            reason if of == whole else f"{' '.join(sorted(of))}: {reason}"
            for reason, of in dtypes.items()
        ).replace("|", "\\|")
        lines.append(f"| `{name}` | {captured} of {len(every)} | {told} |")
    command = f"python -m workshop captures --device {device} --markdown FILE"
    return head + "\n".join(lines) + f"\n\n`{command}` writes this page.\n"
