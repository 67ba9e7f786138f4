"""Run the groups, each in a process of its own, and keep what was answered whatever happens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from .. import NAME
from ..errors import SetupError
from ..processes import environment_of
from .groups import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COMMAND: Final = (sys.executable, "-m", f"{NAME}.hardware.worker")
LIMIT: Final = 300
"""Seconds that a group may take by default."""
RESTARTS: Final = 5
"""How often a group goes on after a question that the device did not survive."""
_POLL: Final = 0.2
"""Seconds between looks at what a process has answered."""


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
    questions: Sequence[str] = ()

    @property
    def left(self) -> list[str]:
        """Return the questions that are still to be asked."""
        gone = {*self.answers, *self.lost}
        return [name for name in self.questions if not self.problem and name not in gone]


def collect(
    groups: Sequence[Group],
    *,
    limit: float = LIMIT,
    command: Sequence[str] = COMMAND,
    progress: Callable[[Group], None] | None = None,
) -> None:
    """Ask what is left of all groups, one after the other: there is one device.

    Parameters
    ----------
    groups : sequence of Group
        They get the answers. Facts that are there already must be those of the device.
    limit : float
        Seconds for each process; some have more patience.
    command : sequence of str
        What answers a group.
    progress : callable, optional
        Is called with a group now and then, and when it is done.
    """
    show = progress or (lambda _group: None)
    for group in groups:
        if group.left:
            _ask(group, limit * PATIENCE.get(group.name, 1), command, show)
            show(group)


def _ask(
    group: Group, limit: float, command: Sequence[str], progress: Callable[[Group], None]
) -> None:
    for _ in range(1 + RESTARTS):
        before = len(group.left)
        last, ended = _asked(group, limit, command, progress)
        if ended and not last and not group.answers:
            group.problem = ended
        if last and last not in group.answers:
            group.lost[last] = ended or "no answer"
        if not group.left:
            return
        if len(group.left) == before:
            break
    group.lost |= dict.fromkeys(group.left, "not asked: the device was lost too often")


def _asked(
    group: Group, limit: float, command: Sequence[str], progress: Callable[[Group], None]
) -> tuple[str, str]:
    """Run one process; return the last question that it asked, and how it ended."""
    last = ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers"
        path.touch()
        with path.open(encoding="utf-8") as file:

            def read() -> None:
                nonlocal last
                while text := _line(file):
                    line = json.loads(text)
                    if "facts" in line:
                        if group.facts not in ({}, line["facts"]):
                            raise SetupError("the answers that are there are of another machine")
                        group.facts = line["facts"]
                    elif "asked" in line:
                        last = line["asked"]
                    else:
                        group.answers[line.pop("answer")] = line
                progress(group)

            ended = _run([*command, group.name, str(path), *group.left], limit, read)
        return last, ended


def _line(file: TextIO) -> str:
    """Return the next line; nothing where it is not yet whole, or never will be."""
    place = file.tell()
    text = file.readline()
    if text.endswith("\n"):
        return text
    file.seek(place)
    return ""


def _run(arguments: Sequence[str], limit: float, read: Callable[[], None]) -> str:
    """Run a process, and say how it ended; nothing where it ended well."""
    process = subprocess.Popen(
        arguments,
        env=environment_of({"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    end = time.monotonic() + limit
    try:
        while process.poll() is None and time.monotonic() < end:
            time.sleep(_POLL)
            read()
        code = process.poll()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)  # with those that it started
            process.wait()
    read()
    if code is None:
        return f"no answer in {limit:g} s"
    if code < 0:
        return f"ended by signal {-code}"
    return f"ended with code {code}" if code else ""
