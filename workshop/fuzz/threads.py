"""Steps that run two programs at a time in two threads, each right alone.

Both programs are first run alone, which is how their choices are recorded; then they are run in two
threads, hand over hand or freely.  The first may make a bad call between its steps: the error has
to come where it reads the result, and never to the other.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

import ascend_array_api as xp

from .choices import Choices, Rejected

if TYPE_CHECKING:
    from collections.abc import Callable

    from .programs import Program

_PATIENCE = 60.0
"""Seconds after which a thread counts as stuck."""


def _wrong_position() -> xp.Array:
    return xp.take(xp.asarray([1.0, 2.0, 3.0]), xp.asarray([0, 7]))


def _wrong_divisor() -> xp.Array:
    return xp.asarray([1, 2]) // xp.asarray([1, 0])


def _wrong_matrix() -> xp.Array:
    return xp.linalg.inv(xp.zeros((2, 2), dtype=xp.float32))


_WRONG: dict[str, tuple[Callable[[], xp.Array], type[Exception], str]] = {
    "position": (
        _wrong_position,
        IndexError,
        "print(xp.take(xp.asarray([1.0, 2.0, 3.0]), xp.asarray([0, 7])))",
    ),
    "divisor": (
        _wrong_divisor,
        ZeroDivisionError,
        "print(xp.asarray([1, 2]) // xp.asarray([1, 0]))",
    ),
    "matrix": (
        _wrong_matrix,
        xp.linalg.LinAlgError,
        "print(xp.linalg.inv(xp.zeros((2, 2), dtype=xp.float32)))",
    ),
}


def _threads(program: Program, choices: Choices) -> None:
    """Run two programs in two threads."""
    wrong = choices.one((*_WRONG, None))
    freely = bool(choices.below(2))
    program.what = f"threads {wrong or ''} {'free' if freely else 'in turns'}".replace("  ", " ")
    what = program.what
    recorded = [_recorded(program, choices) for _ in range(2)]
    program.what = what
    xp.synchronize()  # an error that nobody met is told before the others begin
    turns = None if freely else _Turns()
    first = _Thread(0, program, recorded[0], turns, _WRONG[wrong] if wrong else None)
    second = _Thread(1, program, recorded[1], turns, None)
    for thread in (first, second):
        thread.start()
    for thread in (first, second):
        thread.join(_PATIENCE)
        if thread.is_alive():
            raise AssertionError("a thread waits for ever")
    if program.telling:
        for lines in _told(first, second, freely=freely):
            program.outcome.told.append(lines)
    program.outcome.calls += first.calls + second.calls
    # The second made no bad call: what comes to it is not its own.
    for thread, name in ((second, "second"), (first, "first")):
        if thread.error is not None:
            raise AssertionError(
                f"in the {name} thread: {type(thread.error).__name__}: {thread.error}"
            ) from thread.error
    program.check_all()


def _recorded(program: Program, choices: Choices) -> list[list[int]]:
    """Run a program of a few steps alone, and return the choices of each."""
    from .programs import Outcome, Program, steps_of

    alone = Program(Outcome([]), tell=program.telling)
    steps = []
    for _ in range(1 + choices.below(6)):
        begin = len(choices.made)
        try:
            alone.step(choices, steps_of("right"))
        except Rejected:
            continue
        except Exception:
            program.what = alone.what
            program.outcome.told += alone.outcome.told
            program.modules |= alone.modules
            raise
        finally:
            choices.instead = {}
        steps.append(choices.made[begin:])
    program.outcome.calls += alone.outcome.calls
    return steps


class _Turns:
    """Lets two threads go on in turns."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._next = 0
        self._gone: set[int] = set()

    def wait(self, number: int) -> None:
        with self._condition:
            self._condition.wait_for(
                lambda: self._next == number or 1 - number in self._gone, timeout=_PATIENCE
            )

    def pass_on(self, number: int, *, gone: bool = False) -> None:
        with self._condition:
            self._next = 1 - number
            if gone:
                self._gone.add(number)
            self._condition.notify_all()


class _Thread(threading.Thread):
    """A thread that runs a recorded program."""

    def __init__(
        self,
        number: int,
        program: Program,
        steps: list[list[int]],
        turns: _Turns | None,
        wrong: Any,
    ) -> None:
        super().__init__(daemon=True)
        self.number = number
        self.steps = steps
        self.turns = turns
        self.wrong = wrong
        self.telling = program.telling
        self.told: list[str] = []
        self.calls = 0
        self.error: Exception | None = None
        # Each with options of its own, of those that hold here.
        self._context = contextvars.copy_context()

    def run(self) -> None:
        """Run the program; what is raised is kept."""
        try:
            with np.errstate(all="ignore"):
                self._context.run(self._run)
        except Exception as error:  # noqa: BLE001  (it is raised in the thread that waits)
            self.error = error
        finally:
            if self.turns:
                self.turns.pass_on(self.number, gone=True)

    def _run(self) -> None:
        from .programs import Outcome, Program, steps_of

        outcome = Outcome([])
        program = Program(outcome, tell=self.telling)
        self.told = outcome.told
        for number, recorded in enumerate([*self.steps, None]):
            if self.turns:
                self.turns.wait(self.number)
            if number == 0 and self.wrong:
                self._go_wrong()
            elif recorded is not None:
                with contextlib.suppress(Rejected):
                    program.step(Choices(None, recorded), steps_of("right"))
            if self.turns:
                self.turns.pass_on(self.number)
        self.calls = outcome.calls

    def _go_wrong(self) -> None:
        """Make a bad call, let the other thread go on meanwhile, and wait for the error here."""
        call, error, said = self.wrong
        if self.telling:
            self.told += [f"{said}  # expected: {error.__name__}, here"]
        raised: Exception | None = None
        try:
            made = call()
            if self.turns:
                self.turns.pass_on(self.number)
                self.turns.wait(self.number)
            made.to_device("cpu")
        except Exception as found:  # noqa: BLE001  (which one it is is what is asked)
            raised = found
        if not isinstance(raised, error):
            raise AssertionError(f"expected {error.__name__} in its thread, got {raised!r}")  # noqa: TRY004


def _told(first: _Thread, second: _Thread, *, freely: bool) -> list[str]:
    """Return the lines of both threads, as functions."""
    lines = [f"# in two threads, {'freely' if freely else 'line by line in turns'}"]
    for name, thread in (("first", first), ("second", second)):
        lines += [f"def {name}():", *(f"    {line}" for line in thread.told or ["pass"])]
    lines.append("import threading")
    lines.append("both = [threading.Thread(target=f) for f in (first, second)]")
    lines.append("[t.start() for t in both]; [t.join() for t in both]")
    return lines


STEPS: tuple[Callable[[Program, Choices], None], ...] = (_threads,)
