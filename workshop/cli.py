"""The command line of the workshop."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from conformance.cli import EXIT_USAGE, Command, run_command

from . import captures, compare
from .accuracy import command as accuracy
from .calls import command as calls
from .cells import command as cells
from .faults import command as faults
from .fuzz import command as fuzz
from .meshes import command as meshes
from .op_plugin import command as op_plugin
from .rows import command as rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PROG: Final = "python -m workshop"

COMMANDS: Final[Mapping[str, Command]] = {
    name: Command(help=module.HELP, add_arguments=module.add_arguments, run=module.run)
    for name, module in {
        "cells": cells,
        "rows": rows,
        "accuracy": accuracy,
        "calls": calls,
        "captures": captures,
        "compare": compare,
        "faults": faults,
        "meshes": meshes,
        "fuzz": fuzz,
        "op-plugin": op_plugin,
    }.items()
}


def main(argv: Sequence[str]) -> int:
    """Run the command that `argv` names, and return the exit code; without one, list them."""
    if not argv or argv[0] not in COMMANDS:
        asked = list(argv) in (["-h"], ["--help"])
        print("commands:", file=sys.stdout if asked else sys.stderr)
        for name, command in COMMANDS.items():
            print(f"  {PROG} {name:<12} {command.help}", file=sys.stdout if asked else sys.stderr)
        return 0 if asked else EXIT_USAGE
    name, *rest = argv
    return run_command(COMMANDS, name, rest, argv, prog=f"{PROG} {name}", others=PROG)
