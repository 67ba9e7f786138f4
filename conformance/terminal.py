"""What the user sees while the suite runs and when it has ended."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING, TextIO, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .plan import RunRecord
    from .runner import Record

T = TypeVar("T")
R = TypeVar("R")

# Seconds between lines where they cannot be overwritten, as in the log of a CI service.
_LINE_INTERVAL = 30.0
_ERASE = "\r\x1b[K"


def printable(text: str) -> str:
    """Return text of others without what a terminal would obey, or show in another order."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text
    )


def in_one_line(text: str) -> str:
    """Return text of others as `printable` does, without lines of its own."""
    return printable(text).replace("\n", r"\n").replace("\t", r"\t")


def problem(said: str) -> str:
    """Return the lines about a problem; none that others say begins as ours do."""
    return "\n    | ".join(map(printable, f"  PROBLEM {said}".splitlines()))


class Line:
    """One line that is updated on a terminal; elsewhere a line now and then."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._live = stream.isatty()
        self._began = self._printed = time.monotonic()

    def show(self, text: str) -> None:
        """Show where things stand."""
        if self._live:
            width = shutil.get_terminal_size().columns - 1  # what wraps could not be erased
            self._print(_ERASE + text[:width])
        elif time.monotonic() - self._printed >= _LINE_INTERVAL:
            self._print(text + "\n")

    def say(self, text: str) -> None:
        """Print a line that stays, above that one."""
        self._print(f"{_ERASE if self._live else ''}{text}\n")

    def close(self) -> None:
        """Remove the line."""
        if self._live:
            self._print(_ERASE)

    def reached(self, done: float, left: float) -> tuple[str, str]:
        """Return the time that has gone, and about that which is left; nothing if unknown."""
        elapsed = time.monotonic() - self._began
        return _clock(elapsed), f", about {_clock(left * elapsed / done)}" if done else ""

    def count(self, done: int, total: int, what: str) -> None:
        """Show how many are done, how many are left, and about how long these will take."""
        left = total - done
        elapsed, about = self.reached(done, left)
        self.show(f"[{elapsed}] {what} {done}/{total}; left: {left}{about}")

    def _print(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
        self._printed = time.monotonic()


class OfTests(Line):
    """The line of the tests of runs, of which some may not be collected yet.

    Runs have about equally many tests: those that are not collected count as the mean of the
    others.
    """

    def __init__(self, stream: TextIO, what: str = "") -> None:
        super().__init__(stream)
        self._what = f"{what}: " if what else ""

    def __call__(self, records: Sequence[Record]) -> None:
        """Show where the runs stand."""
        self.show(self._line(records))

    def _line(self, records: Sequence[Record]) -> str:
        done = sum(len(record.tests) for record in records)
        collected = [len(record.collected) for record in records if record.collected is not None]
        failed = sum(len(record.failed) for record in records)
        # What an ended run has not run is not waited for.
        left = sum(r.counts["not_run"] for r in records if r.collected and not r.ended)
        unknown = sum(record.collected is None and not record.ended for record in records)
        total, sign = sum(collected), ""
        if unknown:
            more = round(unknown * total / len(collected)) if collected else 0
            total, left, sign = total + more, left + more, "about "
        elapsed, about = self.reached(done, left)
        tests = f"{done}/{sign}{total}" if collected else f"{done}"
        still = f"{sign}{left} tests{about}" if collected else "all tests, being collected"
        begin = f"[{elapsed}] {self._what}{self._runs(records)}"
        return f"{begin}tests {tests}, failed {failed}; left: {still}"

    def _runs(self, _records: Sequence[Record]) -> str:
        return ""


class Progress(OfTests):
    """The line of the runs, and one that stays for each that has ended."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._announced: set[int] = set()

    def __call__(self, records: Sequence[RunRecord]) -> None:  # type: ignore[override]
        """Show where the runs stand."""
        for index, record in enumerate(records):
            if index not in self._announced and record.ended:
                self._announced.add(index)
                self.say(one_line(record))
        super().__call__(records)

    def _runs(self, records: Sequence[Record]) -> str:
        return f"runs {len(self._announced)}/{len(records)}, "


def each(items: Sequence[T], what: str) -> Iterator[T]:
    """Yield items, and show on the way how many are done and how long the others will take."""
    line = Line(sys.stderr)
    try:
        for done, item in enumerate(items):
            line.count(done, len(items), what)
            yield item
    finally:
        line.close()


def of_each(function: Callable[[T], R], items: Sequence[T], what: str) -> Iterator[R]:
    """Yield what a function returns of items; between them, the caller can print."""
    line = Line(sys.stderr)
    try:
        for done, item in enumerate(items):
            line.count(done, len(items), what)
            result = function(item)
            line.close()
            yield result
    finally:
        line.close()


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def one_line(record: RunRecord) -> str:
    """Return the result of a run in a line."""
    counts = record.counts
    extra = "".join(
        f", {counts[key]} {key.replace('_', ' ')}"
        for key in ("error", "xfailed", "xpassed", "not_run")
        if counts[key]
    )
    return printable(
        f"{record.run}: {counts['passed']} passed, {counts['failed']} failed, "
        f"{counts['skipped']} skipped{extra} in {record.duration:.0f} s"
        f"{'' if record.complete else ' - INCOMPLETE'}"
    )


def summary(records: Sequence[RunRecord]) -> str:
    """Return the summary: a table of the runs, then what failed."""
    header = ("version", "module", "device", "seed", "passed", "failed", "skipped", "seconds", "")
    rows = [header]
    for record in records:
        run, counts = record.run, record.counts
        notes = [f"{counts[key]} {key}" for key in ("xfailed", "xpassed") if counts[key]]
        rows.append(
            (
                run.version,
                run.module,
                run.device,
                str(run.seed),
                str(counts["passed"]),
                str(counts["failed"] + counts["error"]),
                str(counts["skipped"]),
                f"{record.duration:.1f}",
                ", ".join([*notes, *([] if record.complete else ["INCOMPLETE"])]),
            )
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    lines = [
        "  ".join(
            cell.rjust(width) if 3 <= i <= 7 else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    ]
    for record in records:
        if record.problems or record.failed:
            lines += ["", f"{record.run}:"]
        lines += [problem("\n".join((p.message, p.detail or ""))) for p in record.problems]
        lines += [f"  {test.outcome.upper()} {in_one_line(test.nodeid)}" for test in record.failed]
    return printable("\n".join(lines))
