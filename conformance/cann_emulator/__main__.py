"""Run a script or a module on NPUs: ``python -m conformance.cann_emulator script.py ...``.

On a machine without CANN it runs on the emulated one. On a machine with CANN nothing is emulated
and the script meets the real NPUs. What was counted is printed at the end.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from .. import COMMAND, pair
from ._emulator import Counts, Emulator, has_cann, install


def summary(emulator: Emulator, counts: Counts) -> str:
    """Say in a few lines what ran where."""
    units = dict.fromkeys(("AICore", "AICPU"), 0)
    for (_, _, unit), number in counts.kernels.items():
        units[unit] += number
    lines = [
        f"Emulated CANN {emulator.cann}, {emulator.devices} x {emulator.soc}:",
        f"  kernels compute as: {emulator.mode}",
        f"  kernels: {units['AICore']} on AICore, {units['AICPU']} on AICPU",
        *(
            f"  copies {words}: {number} ({size / 1e6:.1f} MB)"
            for words, (number, size) in (
                ("to the device", counts.to_device),
                ("to the host", counts.to_host),
            )
        ),
        f"  operators that torch_npu computed on the CPU by itself: {counts.fallbacks.total()}",
        *(f"    {name}: {number}" for name, number in counts.fallbacks.most_common()),
    ]
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(
        prog=f"{COMMAND}.cann_emulator",
        description="Run a Python script on NPUs, emulated ones where there is no CANN.",
    )
    parser.add_argument("--devices", type=int, default=2, help="how many (default: %(default)s)")
    parser.add_argument(
        "--memory", type=int, default=16 << 30, help="bytes of each (default: %(default)s)"
    )
    parser.add_argument(
        "--mode", help="how kernels compute: ideal, chip, hostile:FAMILY (default: chip)"
    )
    parser.add_argument("--cann", help="the release of CANN that is emulated (default: 9.1.0)")
    parser.add_argument("--soc", help="the chip, such as Ascend310P3 (default: Ascend910B2)")
    parser.add_argument("-m", action="store_true", dest="module", help="SCRIPT is a module's name")
    parser.add_argument("script", metavar="SCRIPT")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...")
    options = parser.parse_args(argv)

    if problem := pair.problem():
        parser.exit(2, f"{parser.prog}: {problem}\n")
    emulator = None
    if has_cann():
        print("CANN is set up on this machine: nothing is emulated.", file=sys.stderr)
    else:
        emulator = install(
            devices=options.devices,
            memory=options.memory,
            soc=options.soc,
            cann=options.cann,
            mode=options.mode,
        )
    sys.argv = [options.script, *options.arguments]
    try:
        if options.module:
            runpy.run_module(options.script, run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, str(Path(options.script).resolve().parent))
            runpy.run_path(options.script, run_name="__main__")
    finally:
        sys.stdout.flush()
        if emulator is not None:
            print(summary(emulator, emulator.counts()), file=sys.stderr)
            if emulator.failures:
                print("The emulator failed in", *emulator.failures, sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
