"""What the user sees while the suite runs and when it has ended."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .plan import RunRecord

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

    def _print(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
        self._printed = time.monotonic()


class Progress(Line):
    """The line of the runs."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._announced: set[int] = set()

    def __call__(self, records: Sequence[RunRecord]) -> None:
        """Show where the runs stand."""
        for index, record in enumerate(records):
            if index not in self._announced and record.ended:
                self._announced.add(index)
                self.say(one_line(record))
        self.show(self._line(records))

    def _line(self, records: Sequence[RunRecord]) -> str:
        done = sum(len(record.tests) for record in records)
        known = sum(len(record.collected or ()) for record in records)
        more = "+" if any(record.collected is None for record in records) else ""
        failed = sum(len(record.failed) for record in records)
        elapsed, about = self.reached(done, known - done)
        line = (
            f"[{elapsed}] runs {len(self._announced)}/{len(records)}, "
            f"tests {done}/{known}{more}, failed {failed}; left: {known - done}{more} tests"
        )
        return line if more else f"{line}{about}"


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
