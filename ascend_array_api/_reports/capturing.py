"""The capture that a thread is in: what cannot be captured is refused here.

Knows no arrays, no operation and no device type.  ``_calls/captures.py`` begins and ends captures.

While a function is captured, the device only records what it is asked to do.  A value that the
host waits for does not exist then, and neither does memory of the host that would be read later.
"""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any, final

from .._torch import Tensor, torch
from .._torch.private import memory_of
from .user_code import user_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import FrameType

    from .._devices.device import Device

__all__ = ["CaptureError"]


class CaptureError(RuntimeError):
    """A function asks for something that cannot be captured, such as a value on the host.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> issubclass(xp.CaptureError, RuntimeError)
    True
    """


@final
class Draws:
    """The draws of a captured function from one generator: each replay continues the stream.

    Kernels read the place in the stream from memory of the device.  The host writes it there before
    each replay, by kernels that fill memory: a copy from the host would wait.
    """

    def __init__(self, words: Tensor, move: Callable[[int], Sequence[int]]) -> None:
        self.words = words
        """Where kernels read the place: the integers that ``move`` returns."""
        self.blocks = 0
        """How far the function moves on in the stream."""
        self._move = move
        """Moves the generator on, and returns its place before as integers."""
        self._written: list[tuple[Tensor, int | None]] = [(word, None) for word in words.unbind()]

    def take(self, blocks: int) -> int:
        """Move on in the stream; return how far the function has moved before."""
        before = self.blocks
        self.blocks += blocks
        return before

    def end(self) -> Sequence[int]:
        """Move the generator on by what the function draws; return its place before."""
        return self._move(self.blocks)

    def begin(self) -> None:
        """Move the generator on, and write its place before for a replay."""
        for i, value in enumerate(self.end()):
            word, last = self._written[i]
            if value != last:  # most often only the lowest word changes
                word.fill_(value)
                self._written[i] = word, value


@final
class Capture:
    """A capture under way: the tensors that it sees, and its draws."""

    def __init__(self, device: Device, words: Tensor, checks: Any) -> None:
        self.device = device
        self.checks = checks  # its calls that may turn out wrong, which note themselves here
        self.seen: dict[int, tuple[Tensor, int]] = {}
        """By their memory, the tensors that were there before, and their versions then."""
        self._made: set[int] = set()
        """The memory of new tensors, which are not kept: the graph may use it again."""
        self.draws: dict[object, Draws] = {}
        """The draws from each generator."""
        self.own: set[object] = set()
        """The generators that the function itself makes.  Each call makes them alike, so they give
        the same numbers in each replay."""
        self.dropped: list[object] = []
        """Graphs that are not needed any more.  To destroy one now would end the capture."""
        self._words = words
        """Memory for the places of generators, a row for each."""

    def draws_of(self, generator: object, move: Callable[[int], Sequence[int]]) -> Draws:
        """Return the draws from a generator, which ``move`` moves on."""
        draws = self.draws.get(generator)
        if draws is None:
            row = len(self.draws)
            if row == len(self._words):
                refuse(f"it draws from more than {row} generators")
            draws = self.draws[generator] = Draws(self._words[row], move)
        return draws

    def sees(self, operands: Iterable[Any]) -> None:
        """Keep the tensors among the operands of a function, unless they were made in it."""
        for x in operands:
            if isinstance(x, torch.Tensor) and (memory := memory_of(x)) not in self._made:
                self.seen.setdefault(memory, (x, -1 if x.is_inference() else x._version))

    def made(self, results: Iterable[Any]) -> None:
        """Note the memory of results, unless they are views of what was there before."""
        for x in results:
            if isinstance(x, torch.Tensor) and (memory := memory_of(x)) not in self.seen:
                self._made.add(memory)


@final
class Interrupts:
    """A block in which Python's handlers of signals wait while they are ``held``.

    A handler may raise anywhere in the main thread, as that of Ctrl-C does.  A recording that has
    begun, and not ended, fails everything that the process asks of the device later.
    """

    def __init__(self) -> None:
        self.held = False
        self._handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
        self._came: list[tuple[int, FrameType | None]] = []

    def __enter__(self) -> Interrupts:
        self.held = True
        try:
            if threading.current_thread() is threading.main_thread():
                for number in signal.valid_signals():
                    handler = signal.getsignal(number)
                    if callable(handler):
                        self._handlers[number] = handler
                        signal.signal(number, self._handle)
        except BaseException:  # raised by a handler that is not replaced yet
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._put_back()
        finally:
            self._put_back()  # those after a handler that was put back, and raised
            self.let()

    def _put_back(self) -> None:
        for number, handler in self._handlers.items():
            if signal.getsignal(number) == self._handle:  # else the function has set another
                signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.held:
            self._came.append((number, frame))
        else:
            self._handlers[number](number, frame)

    def let(self) -> None:
        """Call the handlers of the signals that came, and no longer hold any."""
        self.held = False
        while self._came:
            number, frame = self._came.pop(0)
            self._handlers[number](number, frame)


class _Here(threading.local):
    capture: Capture | None = None
    before: bool = False


here = _Here()
"""The capture of this thread, as its attribute ``capture``; None if there is none.  ``before`` says
whether the thread calls a function that is captured next time: its kernels must be ready then."""


def refuse(reason: str, instead: str = "") -> None:
    """Raise if this thread captures a function: it cannot be captured for this reason."""
    if here.capture is not None:
        _, file, line = user_frame()
        raise refusal(reason, (file, line), instead)


def refusal(reason: str, place: tuple[str, int], instead: str = "") -> CaptureError:
    """Return the error for a call, at a line of a file, that cannot be captured."""
    return CaptureError(
        f"captured: the call at {place[0]}:{place[1]} cannot be captured, because {reason}. "
        f"{instead or 'Leave it out of the function'}, or let such functions be called as they are "
        "with captured(function, otherwise='call')."
    )
