"""Reports of work that users may not expect: an entry for each kind of it, and one warning.

Knows neither what the work is nor what the options say of it.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import fields, replace
from html import escape
from typing import Any, Final, Generic, TypeVar

from .user_code import caller

Entry = TypeVar("Entry")
_MOST_PLACES: Final = 16
_SIZES: Final = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3))


def in_words(size: int) -> str:
    """Return a number of bytes as people write it."""
    unit, one = next((pair for pair in _SIZES if size >= pair[1]), ("bytes", 1))
    return f"{size / one:.1f} {unit}" if one > 1 else f"{size} {unit}"


class Listing(list[Entry]):
    """The entries of a report: a list that is shown as a table, in notebooks as one of HTML."""

    __slots__ = ()

    def _cells(self) -> list[list[list[str]]]:
        """Return the lines of each cell, the names of the columns first; none without entries."""
        if not self:
            return []
        # A column that every entry leaves empty is left out.
        names = [f.name for f in fields(self[0]) if any(getattr(e, f.name) for e in self)]  # type: ignore[arg-type]
        names.sort(key=lambda name: name == "reason")  # the longest last
        return [[[name] for name in names]] + [
            [_shown(name, getattr(entry, name)) for name in names] for entry in self
        ]

    def __repr__(self) -> str:
        """Return the table as text: of several places the first, and how many more there are."""
        if not self:
            return "[]"
        rows = [
            [lines[0] + (f" +{len(lines) - 1}" if lines[1:] else "") for lines in row]
            for row in ([cell or [""] for cell in row] for row in self._cells())
        ]
        widths = [max(map(len, column)) for column in zip(*rows)]
        table = ("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows)
        return "\n".join(table)

    def _repr_html_(self) -> str:
        """Return the table as HTML."""
        if not self:
            return "[]"
        head, *rows = (["<br>".join(map(escape, cell)) for cell in row] for row in self._cells())
        lines = [
            "<table>",
            "<thead><tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr></thead>",
            "<tbody>",
            *("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows),
            "</tbody>",
            "</table>",
        ]
        return "\n".join(lines)


def _shown(name: str, value: Any) -> list[str]:
    """Return the lines of a cell."""
    if isinstance(value, tuple):
        return [str(one) for one in value]
    return [in_words(value) if name == "bytes" else str(value)]


class Report(Generic[Entry]):
    """Entries by their keys, and the keys that a warning has named.

    Parameters
    ----------
    kind : type
        A frozen dataclass: the parts of the key, then ``count``, ``bytes``, ``reason``, ``where``,
        ``function`` and ``lines``.
    """

    __slots__ = ("_entries", "_kind", "_lock", "_warned")

    def __init__(self, kind: type[Entry]) -> None:
        self._kind: Any = kind
        self._lock = threading.Lock()
        self._entries: dict[tuple[str, ...], Any] = {}
        self._warned: set[tuple[str, ...]] = set()

    def entries(self, *, clear: bool) -> Listing[Entry]:
        """Return the entries, the most bytes first, and begin a new report if asked to."""
        with self._lock:
            entries = Listing(sorted(self._entries.values(), key=lambda entry: -entry.bytes))
            if clear:
                self._entries.clear()
                self._warned.clear()
        return entries

    def add(self, key: tuple[str, ...], size: int, reason: str) -> None:
        """Add one computation, of so many bytes, and the place in the user's code that asks."""
        asked = caller()
        full = (*key, asked.function)
        with self._lock:
            entry = self._entries.get(full) or self._kind(
                *key, 0, 0, reason, (), function=asked.function
            )
            self._entries[full] = replace(
                entry,
                count=entry.count + 1,
                bytes=entry.bytes + size,
                where=_with(entry.where, asked.where),
                lines=_with(entry.lines, asked.line),
            )

    def warn(self, key: tuple[str, ...], message: str, category: type[Warning]) -> None:
        """Warn at the user's code, once for each key and function of a library that asks."""
        asked = caller()
        key = (*key, asked.function)
        with self._lock:
            new = key not in self._warned
            self._warned.add(key)
        if not new:
            return
        try:
            warnings.warn(message, category, stacklevel=asked.level)
        except category:  # a filter turned it into an error, which must come each time
            with self._lock:
                self._warned.discard(key)
            raise


def _with(places: tuple[str, ...], place: str) -> tuple[str, ...]:
    """Add a place that is new, if there is room."""
    if not place or place in places or len(places) >= _MOST_PLACES:
        return places
    return (*places, place)
