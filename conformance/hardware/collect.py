"""Run the groups, each in a process of its own, and keep what was answered whatever happens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .. import NAME
from ..processes import environment_of
from .groups import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COMMAND: Final = (sys.executable, "-m", f"{NAME}.hardware.worker")
LIMIT: Final = 300
"""Seconds that a group may take by default."""
RESTARTS: Final = 5
"""How often a group goes on after a question that the device did not survive."""
LOST: Final = "lost"


@dataclass
class Group:
    """What came of a group."""

    name: str
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By question."""
    lost: dict[str, str] = field(default_factory=dict)
    """Questions without an answer, and why."""
    facts: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    """Why nothing was asked."""


def collect(
    groups: Sequence[str],
    *,
    only: Sequence[str] = (),
    limit: float = LIMIT,
    command: Sequence[str] = COMMAND,
    progress: Callable[[Group], None] | None = None,
) -> list[Group]:
    """Ask all groups, one after the other: there is one device.

    Parameters
    ----------
    groups : sequence of str
    only : sequence of str
        Kernels and functions; all where none is named.
    limit : float
        Seconds for each process; some have more patience.
    command : sequence of str
        What answers a group.
    progress : callable, optional
        Is called with every group when it is done.
    """
    found = []
    for name in groups:
        group = _group(name, only, limit, command)
        if progress is not None:
            progress(group)
        found.append(group)
    return found


def _group(name: str, only: Sequence[str], limit: float, command: Sequence[str]) -> Group:
    group, after = Group(name), ""
    limit *= PATIENCE.get(name, 1)
    for attempt in range(1 + RESTARTS):
        items, last, ended = _asked(group, after, only, limit, command)
        if not items and not group.answers and ended:
            group.problem = ended
            return group
        if last and last not in group.answers:
            group.lost[last] = ended or "no answer"
        rest = items[items.index(last) + 1 :] if last else items
        if not rest:
            return group
        if last == after or attempt == RESTARTS:
            group.lost |= dict.fromkeys(rest, "not asked: the device was lost too often")
            return group
        after = last
    return group


def _asked(
    group: Group, after: str, only: Sequence[str], limit: float, command: Sequence[str]
) -> tuple[list[str], str, str]:
    """Run one process; return the questions it had, the last that it asked, and how it ended."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answers"
        file.touch()
        arguments = [*command, group.name, str(file)]
        arguments += ["--after", after] if after else []
        arguments += ["--only", *only] if only else []
        ended = _run(arguments, limit)
        items: list[str] = []
        last = after
        for text in file.read_text(encoding="utf-8").splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                break  # the process ended while it wrote
            if "facts" in line:
                group.facts, items = line["facts"], line["items"]
            elif "asked" in line:
                last = line["asked"]
            else:
                group.answers[line.pop("answer")] = line
    return ([after, *items] if after else items), last, ended


def _run(arguments: Sequence[str], limit: float) -> str:
    """Run a process, and say how it ended; nothing where it ended well."""
    process = subprocess.Popen(
        arguments,
        env=environment_of({"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        code = process.wait(limit)
    except subprocess.TimeoutExpired:
        _kill(process)
        return f"no answer in {limit:g} s"
    except BaseException:
        _kill(process)
        raise
    if code < 0:
        return f"ended by signal {-code}"
    return f"ended with code {code}" if code else ""


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the process with those that it started."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
