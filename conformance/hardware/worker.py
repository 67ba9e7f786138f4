"""One group of questions, in a process of its own: ``python -m conformance.hardware.worker``.

Each answer is a line of JSON, written as soon as it is there, so that what was answered before the
device died, or the time was over, is kept. Before a question its name is written.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .. import COMMAND, devices
from ..errors import SetupError
from .groups import GROUPS, IN_ORDER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..cann_emulator import Emulator

DEVICE: Final = "npu:0"
LEFT: Final = 3
"""The exit code where the device answers no more, and another process must go on."""

Items: TypeAlias = "dict[str, Callable[[], dict[str, Any]]]"


def start() -> Emulator | None:
    """Set up what the device needs; return the emulator where there is no CANN."""
    os.environ["TORCH_NPU_COMPACT_ERROR_OUTPUT"] = "0"  # else codes and kernels are not named
    return devices.start("npu", emulated=1)


def items(group: str, emulator: Emulator | None) -> Items:
    """Return the questions of a group, by name."""
    part, _, topic = group.partition(".")
    if part == "dtypes":
        from . import dtypes

        return {
            f"{kernel}.dtypes": partial(dtypes.asked, kernel, DEVICE)
            for kernel in dtypes.kernels_of(topic)
        }
    if part == "values":
        return _values(topic)
    from . import functions

    if part == "faults":
        return {topic: partial(functions.fault, topic, DEVICE)}
    if topic == "launches":
        return {
            f"{name}.launches": partial(functions.launches, name, DEVICE)
            for name in functions.LAUNCHES
        }
    calls: Mapping[str, Callable[[str], dict[str, Any]]] = {
        "kernels": lambda name: functions.count(name, DEVICE, emulator),
        "waits": lambda name: functions.waits(name, DEVICE),
        "times": lambda name: functions.times(name, DEVICE),
    }
    return {f"{name}.{part}": partial(calls[part], name) for name in functions.FUNCTIONS}


def _values(topic: str) -> Items:
    from . import probes, values, wholes

    if topic == "wholes":
        return {
            probe.id(dtype, size): partial(values.whole, probe, dtype, size, DEVICE)
            for probe in wholes.WHOLES
            for dtype in probe.dtypes.split()
            for size in probe.sizes
        }
    if topic == "points":
        return {probe.id: partial(values.points, probe, DEVICE) for probe in probes.POINTS} | {
            f"Cast.{a}.{b}": partial(values.cast, a, b, DEVICE)
            for a in probes.CAST_DTYPES
            for b in probes.CAST_DTYPES
            if a != b
        }
    if topic == "subnormals":
        return {p.id: partial(values.subnormals, p, DEVICE) for p in probes.SUBNORMALS}
    if topic == "sweeps":
        return {probe.id: partial(values.sweep, probe, DEVICE) for probe in probes.SWEEPS}
    return {f"{name}.order": partial(values.order, name, DEVICE) for name in values.ORDERS}


def kernel_of(item: str) -> str:
    """Return the kernel, or the function, that a question is about."""
    return item.partition(".")[0].removeprefix("aclnn")


def questions(groups: Sequence[str], only: Sequence[str] = ()) -> dict[str, list[str]]:
    """Return the questions of groups about some kernels, or functions; all where none is named.

    Raises
    ------
    SetupError
        If a name is that of no question.
    """
    listed = {group: list(items(group, None)) for group in groups}
    known = {kernel_of(name) for names in listed.values() for name in names}
    wanted = {name.removeprefix("aclnn") for name in only}
    for name in sorted(wanted - known):
        lower = {each.lower(): each for each in sorted(known)}
        near = [lower[n] for n in difflib.get_close_matches(name.lower(), lower, n=5)]
        near += [each for each in sorted(known) if name.lower() in each.lower()][:5]
        named = ", ".join(dict.fromkeys(near))
        raise SetupError(f"nothing is asked about {name!r}; near are: {named or 'none'}")
    return {
        group: [name for name in names if not wanted or kernel_of(name) in wanted]
        for group, names in listed.items()
    }


def answered(ask: Callable[[], dict[str, Any]]) -> tuple[dict[str, Any], bool]:
    """Return the answer, and whether the device is to be left.

    What torch and the device raise is an answer; any other error is one of this program.
    """
    from . import facts, functions, judge

    try:
        with warnings.catch_warnings():
            functions.ignore_known()
            answer = ask()
        facts.npu().synchronize()
    except RuntimeError as error:
        found = functions.told(error)
        if found["code"] is None and "would execute" in str(error):
            absent = {**found, "error": "torch_npu has no kernel", "verdict": judge.NOT_ASKED}
            return absent, False
        return {**found, "verdict": judge.WORSE}, functions.is_dead(found["code"])
    return answer, answer.pop("left", False)


def main(argv: Sequence[str] | None = None) -> int:
    """Answer one group; 0 where all was answered."""
    parser = argparse.ArgumentParser(prog=f"{COMMAND}.hardware.worker")
    parser.add_argument("group", choices=GROUPS)
    parser.add_argument("answers", type=Path)
    parser.add_argument("questions", nargs="*", help="all of the group where none is named")
    arguments = parser.parse_args(argv)
    os.environ.setdefault("TASK_QUEUE_ENABLE", "1" if arguments.group in IN_ORDER else "0")
    emulator = start()

    from . import facts

    asked = items(arguments.group, emulator)
    names = arguments.questions or list(asked)
    with arguments.answers.open("a", encoding="utf-8") as file:

        def say(line: dict[str, Any]) -> None:
            file.write(json.dumps(line) + "\n")
            file.flush()

        say({"facts": facts.found(DEVICE, emulator)})
        for name in names:
            say({"asked": name})
            answer, left = answered(asked[name])
            say({"answer": name, **answer})
            if left:
                return LEFT
    if emulator is not None and emulator.failures:
        print(*emulator.failures, sep="\n", file=sys.stderr)
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.exit(code)
