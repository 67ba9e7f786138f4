"""The command ``python -m workshop meshes``: every function on divided arrays."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from conformance.devices import require, start
from conformance.terminal import each

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from .measure import Meshes

HELP = "Compare every function on divided arrays with one device and NumPy; count what is sent."
PASSED, FAILED = 0, 1
SIZE: Final = 3
_HEAD: Final = f"""# What each function exchanges

This table shows what a call of each function exchanges on a [mesh](distributed.md) of {SIZE}
devices, whose arrays are divided along the first axis: the number of collectives, the bytes that
they bring to a process, and the operations that gather whole arrays, which `options(gather=...)`
controls. `python -m workshop meshes --markdown docs/sharded-functions.md` counts these over the
samples of this project, and takes the maximum over the calls of a function. The arrays of the
samples are small, such as 4 x 6 numbers. The second column matters most:

- **nothing**: the call exchanges nothing;
- **a little**: the exchanged data does not grow with the divided axis;
- **its part**: each device receives the elements that its own part of the result needs, and no
  device holds the whole array;
- **gathers**: all devices hold one whole array meanwhile.

| function | exchanges | collectives | bytes | gathers |
|---|---|---|---|---|
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--sizes", nargs="+", type=int, default=[2, 3, 4], metavar="N", help="numbers of devices"
    )
    parser.add_argument(
        "--processes",
        action="store_true",
        help="between the processes that torch.distributed.run started, instead of simulated",
    )
    parser.add_argument(
        "--device", default="cpu", help="what the processes have each (default: %(default)s)"
    )
    parser.add_argument("--dtypes", nargs="+", metavar="DTYPE", help="these data types alone")
    parser.add_argument("-k", dest="only", nargs="+", default=[], metavar="NAME", help="functions")
    parser.add_argument(
        "--consumers", action="store_true", help="of SciPy and scikit-learn instead"
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table alone")


def run(arguments: argparse.Namespace, _argv: Sequence[str]) -> int:
    """Compare, and print what differs; 1 if anything does."""
    require(arguments.device)
    start(arguments.device)
    from .measure import Meshes

    warnings.simplefilter("ignore")
    if arguments.markdown:
        arguments.markdown.write_text(page(), encoding="utf-8")
        return PASSED
    if arguments.consumers:
        return _consumers(arguments)
    failed = False
    for size in [0] if arguments.processes else arguments.sizes:
        calls, functions, wrong = 0, set(), []
        meshes = Meshes(size, arguments.device)
        for name, what, counted in _every(meshes, arguments.only, arguments.dtypes):
            calls += 1
            functions.add(name)
            if counted.problem:
                wrong.append(f"{name}, {what}, {counted.says}: {counted.problem}")
        parts = f"rank {meshes.rank} of {meshes.device}" if arguments.processes else f"{size} parts"
        print(f"{parts}: {calls:,} calls of {len(functions)} functions, {len(wrong)} wrong")
        print("".join(f"  {line}\n" for line in wrong), end="")
        failed |= bool(wrong) or not calls
    return FAILED if failed else PASSED


def _consumers(arguments: argparse.Namespace) -> int:
    """Compare what SciPy and scikit-learn compute; 1 if anything differs from one device."""
    os.environ["SCIPY_ARRAY_API"] = "1"  # which SciPy reads once
    from .consumers import compared
    from .measure import Meshes

    wrong = 0
    for size in [0] if arguments.processes else arguments.sizes:
        meshes = Meshes(size, arguments.device)
        for seen in compared(meshes.device, lambda e: all(k in e for k in arguments.only)):
            wrong += bool(seen.problem)
            said = f"WRONG {seen.problem}" if seen.problem else seen.one and f"no: {seen.one}"
            if meshes.rank == 0:
                gathers = f" (gathers: {', '.join(seen.gathers)})" if seen.gathers else ""
                print(f"{meshes.device}: {seen.expression}: {said or 'right'}{gathers}")
    print(f"{wrong} wrong")
    return FAILED if wrong else PASSED


def _every(
    meshes: Meshes, only: Sequence[str], dtypes: Sequence[str] | None
) -> Iterator[tuple[str, str, Any]]:
    from ..samples import FUNCTIONS
    from .measure import LAYOUTS

    for name in each(only or list(FUNCTIONS), "functions"):
        for dtype in FUNCTIONS[name].dtypes:
            if dtype != "bfloat16" and dtype in (dtypes or (dtype,)):  # which NumPy has not
                for layout in LAYOUTS:
                    for counted in meshes.counted(name, dtype, layout):
                        yield name, f"{dtype}, {layout}", counted


def page() -> str:
    """Return the table."""
    from ..samples import FUNCTIONS
    from .measure import Meshes

    meshes = Meshes(SIZE)
    rows, kinds = [], []
    for name, function in each(sorted(FUNCTIONS.items(), key=lambda f: f[0].lower()), "functions"):
        if not function.calls:
            continue
        dtype = next(d for d in ("float32", *function.dtypes) if d in function.dtypes)
        made = list(meshes.counted(name, dtype, "first axis"))
        if not made:
            continue
        if wrong := [c.problem for c in made if c.problem]:
            raise ValueError(f"{name}: {wrong}")
        gathers = sorted({operation for c in made for operation in c.gathers})
        calls, size, swapped = (
            max(getattr(c, what) for c in made) for what in ("calls", "bytes", "swapped")
        )
        few = "a little" if calls else "nothing"
        kinds.append("gathers" if gathers else "its part" if swapped else few)
        rows.append(f"| `{name}` | {kinds[-1]} | {calls} | {size} | {', '.join(gathers)} |")
    said = (
        f"\nOf {len(rows)} functions, {kinds.count('nothing')} exchange nothing, "
        f"{kinds.count('a little')} a little and {kinds.count('its part')} what each part needs; "
        f"{kinds.count('gathers')} gather an array in at least one call.\n"
    )
    return _HEAD + "\n".join(rows) + "\n" + said
