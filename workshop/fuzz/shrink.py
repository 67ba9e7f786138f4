"""A smaller program that goes wrong in the same way."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from .programs import Outcome, run

if TYPE_CHECKING:
    from collections.abc import Callable

Steps = list[list[int]]


def shrink(found: Outcome, seconds: float = 60.0) -> Outcome:
    """Return a program of fewer steps and plainer choices that has the same problem.

    Steps are left out, then choices; then each choice is made as small as it can be: the arrays
    become smaller, and what is in them plainer.
    """
    assert found.problem is not None
    search = _Search(found, time.monotonic() + seconds)
    before: Steps = []
    while search.best.steps != before and not search.is_over():
        before = search.best.steps
        search.leave_out(lambda steps: steps, lambda _, kept: kept)
        for number in reversed(range(len(search.best.steps))):
            if number >= len(search.best.steps):
                continue

            def part(steps: Steps, number: int = number) -> list[int]:
                return steps[number] if number < len(steps) else []

            def put(steps: Steps, kept: list[int], number: int = number) -> Steps:
                return [*steps[:number], kept, *steps[number + 1 :]]

            search.leave_out(part, put)
            search.lessen(number)
    return search.best


class _Search:
    def __init__(self, found: Outcome, end: float) -> None:
        self.best = found
        self._end = end
        assert found.problem is not None
        self._key = found.problem.key
        # Replayed once, so that the choices are those that were used.
        self._fails(found.steps)

    def is_over(self) -> bool:
        return time.monotonic() > self._end

    def _fails(self, steps: Steps) -> bool:
        """Say whether a program has the problem; if so, it is the best so far."""
        outcome = run(None, steps)
        if outcome.problem is None or outcome.problem.key != self._key:
            return False
        self.best = outcome
        return True

    def leave_out(
        self,
        part: Callable[[Steps], list],  # type: ignore[type-arg]
        put: Callable[[Steps, list], Steps],  # type: ignore[type-arg]
    ) -> None:
        """Leave out what can be left out of a list, in halves, quarters and so on."""
        size = len(part(self.best.steps))
        while size and not self.is_over():
            end = len(part(self.best.steps))
            while end > 0 and not self.is_over():
                values = part(self.best.steps)
                begin = max(0, end - size)
                self._fails(put(self.best.steps, values[:begin] + values[end:]))
                end = begin
            size //= 2

    def lessen(self, number: int) -> None:
        """Make the choices of a step smaller, one by one."""
        place = 0
        while number < len(self.best.steps) and place < len(self.best.steps[number]):
            low, high = 0, self.best.steps[number][place]
            if high and not self._with(number, place, 0):
                low = 1
                while low < high and not self.is_over():  # the least that still fails, if monotonic
                    middle = (low + high) // 2
                    if self._with(number, place, middle):
                        high = middle
                    else:
                        low = middle + 1
            place += 1
            if self.is_over():
                return

    def _with(self, number: int, place: int, choice: int) -> bool:
        steps = [list(step) for step in self.best.steps]
        if number >= len(steps) or place >= len(steps[number]):
            return False
        steps[number][place] = choice
        return self._fails(steps)
