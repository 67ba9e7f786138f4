"""Processes that wait to run functions of ``ranks.py`` together, one case after the other.

A process costs two seconds before it computes anything, so that the tests of real processes share
these few, which are forked from one that has imported all.  Each case has a process group of its
own, which no earlier case has left anything in.
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
        self._process: subprocess.Popen[bytes] | None = None
        self._pipes: list[Connection] = []
        self._said: Any = None

    def run(
        self, number: int, function: Callable[..., Any], *arguments: Any, seconds: float = 300
    ) -> list[Any]:
        """Call a function of ``ranks.py`` in so many processes; return what each of them returns.

        The function is given the group of these processes, or None if they are all there are, and
        then the arguments.
        """
        if self._process is None:
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
        env, *_ = self._ends.enter_context(neighbours(NUMBER))
        env["PYTHONPATH"] = os.pathsep.join([env["PYTHONPATH"], str(Path(__file__).parents[1])])
        ends = [Pipe() for _ in range(NUMBER)]
        others = [other.fileno() for _, other in ends]
        self._process = subprocess.Popen(
            [sys.executable, __file__, *map(str, others)],
            env=env,
            pass_fds=others,
            stdout=self._said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._pipes = [own for own, _ in ends]
        for _, other in ends:
            other.close()

    def end(self) -> str:
        """End the processes; return what they have printed, and where they were if they hang."""
        for pipe in self._pipes:
            pipe.close()
        said = ""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
            with contextlib.suppress(ProcessLookupError):  # all have ended
                os.killpg(self._process.pid, signal.SIGABRT)  # whoever hangs prints where it is
            self._process.wait()
            self._said.seek(0)
            said = self._said.read().decode(errors="replace")
        self._ends.close()
        self._process, self._pipes = None, []
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


def main(files: list[int]) -> None:
    """Divide into a process for each file, and wait for all of them."""
    import ascend_array_api.distributed  # noqa: F401 once, before the processes divide

    for rank, file in enumerate(files):
        if os.fork() == 0:
            os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank)}
            for other in {*files} - {file}:
                os.close(other)
            with contextlib.suppress(EOFError):
                work(Connection(file))
            os._exit(0)  # some cases leave collectives that never end
    for file in files:
        os.close(file)
    for _ in files:
        os.wait()


if __name__ == "__main__":
    faulthandler.enable()
    main([int(file) for file in sys.argv[1:]])
