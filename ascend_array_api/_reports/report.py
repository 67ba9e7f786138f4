"""Reports of work that users may not expect: an entry for each kind of it, and one warning.

Knows neither what the work is nor what the options say of it.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import replace
from typing import Any, Final, Generic, TypeVar

from .user_code import user_frame

Entry = TypeVar("Entry")
_MOST_PLACES: Final = 16


class Report(Generic[Entry]):
    """Entries by their keys, and the keys that a warning has named.

    Parameters
    ----------
    kind : type
        A frozen dataclass: the parts of the key, then ``count``, ``bytes``, ``reason``, ``where``.
    """

    __slots__ = ("_entries", "_kind", "_lock", "_warned")

    def __init__(self, kind: type[Entry]) -> None:
        self._kind: Any = kind
        self._lock = threading.Lock()
        self._entries: dict[tuple[str, ...], Any] = {}
        self._warned: set[tuple[str, ...]] = set()

    def entries(self, *, clear: bool) -> list[Entry]:
        """Return the entries, the most bytes first, and begin a new report if asked to."""
        with self._lock:
            entries = sorted(self._entries.values(), key=lambda entry: -entry.bytes)
            if clear:
                self._entries.clear()
                self._warned.clear()
        return entries

    def add(self, key: tuple[str, ...], size: int, reason: str) -> None:
        """Add one computation, of so many bytes, and the place in the user's code that asks."""
        _, file, line = user_frame()
        where = f"{file}:{line}"
        with self._lock:
            entry = self._entries.get(key) or self._kind(*key, 0, 0, reason, ())
            places = entry.where
            if where not in places and len(places) < _MOST_PLACES:
                places = (*places, where)
            self._entries[key] = replace(
                entry, count=entry.count + 1, bytes=entry.bytes + size, where=places
            )

    def warn(self, key: tuple[str, ...], message: str, category: type[Warning]) -> None:
        """Warn at the user's code, once for each key."""
        with self._lock:
            new = key not in self._warned
            self._warned.add(key)
        if not new:
            return
        try:
            warnings.warn(message, category, stacklevel=user_frame()[0])
        except category:  # a filter turned it into an error, which must come each time
            with self._lock:
                self._warned.discard(key)
            raise
