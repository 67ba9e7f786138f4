"""Processes that wait to run functions of ``ranks.py`` together, one case after the other.

A process costs two seconds before it computes anything, so that the tests of real processes share
these few.  Each case has a process group of its own, which no earlier case has left anything in.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBER = 4
"""How many processes there are; a case for fewer takes the first of them."""

GRACE = 10
"""Seconds for the others after one process has failed."""


START = 1200
"""Seconds for the processes to start, which is long where a machine has much else to do."""


def started(_group: object) -> None:
    """Do nothing: the process is there."""


class Workers:
    """The processes.  They start at the first case, and anew after one that failed."""

    def __init__(self) -> None:
        self._ends = contextlib.ExitStack()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._pipes: list[Connection] = []
        self._said: Any = None

    def run(
        self, number: int, function: Callable[..., Any], *arguments: Any, seconds: float = 300
    ) -> list[Any]:
        """Call a function of ``ranks.py`` in so many processes; return what each of them returns.

        The function is given the group of these processes, or None if they are all there are, and
        then the arguments.
        """
        if not self._processes:
            self._start()
            self._asked(NUMBER, started, (), START)
        return self._asked(number, function, arguments, seconds)

    def _asked(
        self, number: int, function: Callable[..., Any], arguments: Any, seconds: float
    ) -> list[Any]:
        for pipe in self._pipes:
            pipe.send((number, function, arguments))
        answers: dict[int, tuple[bool, Any]] = {}
        end = time.monotonic() + seconds
        while len(answers) < NUMBER and time.monotonic() < end:
            awaited = [p for r, p in enumerate(self._pipes) if r not in answers]
            for pipe in wait(awaited, max(0.0, end - time.monotonic())):
                rank = self._pipes.index(pipe)
                try:
                    answers[rank] = pipe.recv()
                except EOFError:
                    answers[rank] = False, "it has ended"
                if not answers[rank][0]:
                    end = min(end, time.monotonic() + GRACE)
        if len(answers) == NUMBER and all(right for right, _ in answers.values()):
            return [answers[rank][1] for rank in range(number)]
        told = [f"rank {r}: {answers.get(r, (False, 'no answer'))[1]}" for r in range(NUMBER)]
        raise AssertionError("\n".join([function.__name__, *told, "They printed:", self.end()]))

    def _start(self) -> None:
        from processes import neighbours

        self._said = self._ends.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        for env in self._ends.enter_context(neighbours(NUMBER)):
            own, other = Pipe()
            env["PYTHONPATH"] = os.pathsep.join([env["PYTHONPATH"], str(Path(__file__).parents[1])])
            self._processes.append(
                subprocess.Popen(
                    [sys.executable, __file__, str(other.fileno())],
                    env=env,
                    pass_fds=[other.fileno()],
                    stdout=self._said,
                    stderr=subprocess.STDOUT,
                )
            )
            other.close()
            self._pipes.append(own)

    def end(self) -> str:
        """End the processes; return what they have printed, and where they were if they hang."""
        for pipe in self._pipes:
            pipe.close()
        end = time.monotonic() + GRACE
        while time.monotonic() < end and any(p.poll() is None for p in self._processes):
            time.sleep(0.01)
        for process in self._processes:
            process.send_signal(signal.SIGABRT)  # whoever hangs prints where it is
            process.wait()
        said = ""
        if self._processes:
            self._said.seek(0)
            said = self._said.read().decode(errors="replace")
        self._ends.close()
        self._processes, self._pipes = [], []
        return said


def work(pipe: Connection) -> None:
    """Run what is asked for until nobody asks any more."""
    import torch.distributed as dist

    import ascend_array_api.distributed as xd

    xd.init("cpu", timeout=600)  # it starts the default group
    while True:
        number, function, arguments = pipe.recv()
        group = dist.new_group(range(number)) if number < NUMBER else None
        try:
            made = None
            if dist.get_rank() < number:
                made = function(group, *arguments)
            answer = True, made
        except BaseException:  # noqa: BLE001 the other side raises it
            answer = False, traceback.format_exc()
        pipe.send(answer)


if __name__ == "__main__":
    faulthandler.enable()
    with contextlib.suppress(EOFError):
        work(Connection(int(sys.argv[1])))
    os._exit(0)  # some cases leave collectives that never end
