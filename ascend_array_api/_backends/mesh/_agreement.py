"""Checks that all processes compute the same: each collective carries a mark of the operation.

A collective accepts any bytes.  If one process computes a sum while another computes a maximum,
both go on with mixed numbers and no error.  Threads of one process are as dangerous, because their
collectives meet those of other processes in any order.

This module compares and reports; ``_transport`` decides when.
"""

from __future__ import annotations

import os
import threading
import time
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, TypeAlias

from ..._errors.exceptions import RanksError
from ..._reports.user_code import line_of, user_code
from ..._torch import Tensor, torch
from ..._torch.private import derives_for, store_of_processes

Doing: TypeAlias = "tuple[str, torch.dtype, tuple[Sequence[int], ...]]"

HEADER: Final = 16
"""The bytes of a mark: a checksum of the operation and shapes, then one of the user's line."""

OPERATIONS: Final = "operations"
"""The option to compare operations without the lines that ask for them."""


class Agreement:
    """The marks of what this process computes, for comparison with those of other processes.

    Parameters
    ----------
    rank, size : int
        Which process this is, and of how many.
    name : str, optional
        The name of their group, by which their reports are kept apart from those of other groups.
    """

    def __init__(self, rank: int, size: int, name: str = "") -> None:
        # All processes of a group make its meshes in the same order.
        _numbers[name] += 1
        self._rank, self._size, self._name = rank, size, f"{name}/{_numbers[name]}"
        self._count = 0
        self._owner = threading.current_thread()
        # Compared at each collective: a number is cheaper to get than a thread object.
        self._ident = threading.get_ident()
        self._known: dict[Any, tuple[Tensor, bytes]] = {}
        self._lines = True
        self._what: Any = None
        self._after = ""
        self._same = b""

    def take(self) -> None:
        """Make the calling thread the one that computes on the mesh."""
        self._owner, self._ident = threading.current_thread(), threading.get_ident()
        self._after = ""

    def compare_lines(self, *, lines: bool) -> None:
        """Compare the lines that ask for operations too, or the operations alone."""
        self._lines = lines
        self._known.clear()

    def check_thread(self) -> None:
        """Raise if the calling thread is not the one that computes on the mesh.

        Torch computes derivatives on accelerators in a thread of its own; the caller's waits.
        """
        if threading.get_ident() != self._ident and not derives_for(self._ident):
            raise RanksError(
                f"{threading.current_thread().name} computes on a mesh of processes that "
                f"{self._owner.name} computes on: in each process their operations would meet "
                "those of the others in another order. Compute on it in one thread; a thread that "
                "calls distributed.init() takes it over."
            )

    def marked(self, doing: Doing | None, kind: str, shape: Sequence[int]) -> Tensor:
        """Return the mark of the present operation, as bytes on the host."""
        # All processes count their collectives alike, so that ``_exchanged`` can name this one.
        self._count += 1
        self._what = what = (doing, kind, tuple(shape), user_code(1))
        known = self._known.get(what)
        if known is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            # Checksums, because Python's own hashes of texts differ from process to process.
            line = self._line() if self._lines else ""
            numbers = zlib.crc32(repr(what[:-1]).encode()), zlib.crc32(line.encode())
            mark = torch.tensor(numbers).view(torch.uint8)
            known = self._known[what] = mark, bytes(mark.numpy()) * self._size
        mark, self._same = known
        return mark

    def compare(self, marks: Tensor) -> None:
        """Raise if a process computed something else, or the same on another line.

        A process that is behind, say because it caught an exception, often computes the same for
        another line: each process would get a mixture of both values.
        """
        if marks.cpu().numpy().tobytes() != self._same:  # usually one comparison of bytes
            raise self._error(self._exchanged(_PATIENCE))

    def ask(self) -> None:
        """Raise if the next process says that it computes something else, or another is found to.

        The others may say nothing.
        """
        store, key = store_of_processes(), self._key()
        after, told = f"{key}{(self._rank + 1) % self._size}", f"{key}{_TOLD}"
        try:
            store.set(f"{key}{self._rank}", self._text())
            said = [self._text(), *(store.get(k).decode() for k in (after,) if store.check([k]))]
            if not (self._differ(said) or store.check([told])):
                return
        except RuntimeError:  # the process that keeps the store is gone
            return
        found = self._exchanged(_PATIENCE)
        if self._differ(found.values()):
            raise self._error(found)

    def failed(self, error: Exception) -> Exception:
        """Return the error to raise if a collective failed: a better one if the processes differ.

        If sizes differ, the library itself may fail before marks can be compared.  Gloo even ends
        the process that receives too much, which then cannot report.
        """
        said = self._exchanged(_PATIENCE)
        if self._differ(said.values()):
            return self._error(said)
        if len(said) == self._size:
            return error
        return RanksError(
            f"an exchange between the processes failed: {self._listed(said)}. A process that does "
            "not answer may have ended, on its own or because the others sent it more than it "
            "expected. Look at what it printed last, and for a branch by the rank."
        )

    def left(self) -> RanksError:
        """Return the error to raise if this process left an operation that the others compute."""
        self._after = ", after an operation that it left"
        return self._error(self._exchanged(_PATIENCE))

    def _differ(self, texts: Collection[str]) -> bool:
        return len(set(texts) if self._lines else _operations(texts)) > 1

    def _error(self, said: dict[int, str]) -> RanksError:
        listed = self._listed(said)
        if len(said) == self._size and len(_operations(said.values())) == 1:
            return RanksError(
                f"the processes compute one operation on different lines: {listed}. One of "
                "them is behind, say because it caught an exception, and the values would be "
                "mixed. If they branch by their rank and compute the same, compute it before the "
                f"branch, or leave out the lines by init(agree={OPERATIONS!r})."
            )
        return RanksError(
            f"the processes do not compute the same: {listed}. All are to make the same "
            "calls in the same order, with arrays of the same shapes. Look for a branch by the "
            "rank, an exception that one process caught, and data that differ in size."
        )

    def _listed(self, said: dict[int, str]) -> str:
        return "; ".join(f"rank {r}: {said.get(r, 'no answer')}" for r in range(self._size))

    def _line(self) -> str:
        code, step = self._what[-1]
        return f"{os.path.basename(code.co_filename)}:{line_of(code, step)}"

    def _text(self) -> str:
        doing, kind, shape, _ = self._what
        if doing is None:
            return f"{kind} of shape {shape}{self._after} at {self._line()}"
        name, dtype, shapes = doing
        of = ", ".join(map(str, map(tuple, shapes)))
        return f"{name} of {str(dtype).partition('.')[2]} {of}{self._after} at {self._line()}"

    def _key(self) -> str:
        """Return how the keys of the present collective's reports begin."""
        return f"ascend_array_api/{self._name}/{self._count}/"

    def _exchanged(self, seconds: float) -> dict[int, str]:
        """Return what each process computes, as far as they report in time.

        They report through the key-value store of the process group, because collectives no longer
        match.
        """
        store, key = store_of_processes(), self._key()
        said = {self._rank: self._text()}
        try:
            store.set(f"{key}{self._rank}", said[self._rank])
            store.set(f"{key}{_TOLD}", "")
            end = time.monotonic() + seconds
            while len(said) < self._size and time.monotonic() < end:
                time.sleep(_STEP)
                for rank in range(self._size):
                    if rank not in said and store.check([f"{key}{rank}"]):
                        said[rank] = store.get(f"{key}{rank}").decode()
            # The process that keeps the store may end after this: let all others read it before.
            store.add(f"{key}read", 1)
            while store.add(f"{key}read", 0) < self._size and time.monotonic() < end:
                time.sleep(_STEP)
        except RuntimeError:  # the process that keeps the store is gone
            pass
        return said


_numbers: Final = Counter[str]()
"""How many meshes there have been of groups, by their names."""


def _operations(texts: Iterable[str]) -> set[str]:
    return {text.rpartition(" at ")[0] for text in texts}


_TOLD: Final = "told"
"""How the key ends that is there once a process has something to compare with all others."""

_MOST: Final = 4096
"""How many marks are cached."""

_STEP: Final = 0.01
"""Seconds between two looks at the store."""

_PATIENCE: Final = 3.0
"""Seconds to wait for the reports of the other processes."""
