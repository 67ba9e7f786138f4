"""The porting report: lines of code that relaxed mode runs and strict mode would refuse.

``relaxed="warn"`` asks for it.  The errors are those of strict mode, made where it would raise.
"""

from __future__ import annotations

import atexit
import dis
import linecache
import os
import site
import sys
import sysconfig
import threading
import warnings
from dataclasses import dataclass, replace
from itertools import groupby
from types import CodeType, FrameType
from typing import Final

from .._errors.exceptions import MisuseError
from .._errors.foreign_calls import refusing
from .._options import relaxed
from . import comparisons
from .user_code import frame_of_user, line_of

__all__ = ["PortingNote", "PortingReport", "porting_report"]


@dataclass(frozen=True)
class PortingNote:
    """One entry of the report: what strict mode would refuse in a line of code.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> for note in xp.porting_report():
    ...     print(note.file, note.line, note.function, note.message, note.count)
    """

    file: str
    """The file of the code."""
    line: int
    """The number of the line."""
    function: str
    """The function in which the line stands, or ``"<module>"``."""
    message: str
    """The error of strict mode, which says what to write instead."""
    count: int
    """How often it came."""

    @property
    def code(self) -> str:
        """The text of the line, if the file can be read."""
        return linecache.getline(self.file, self.line).strip()


class PortingReport(tuple[PortingNote, ...]):
    """The entries of a porting report, by file and line; its text is a list for people.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> isinstance(xp.porting_report(), tuple)
    True
    """

    __slots__ = ()

    def __str__(self) -> str:
        if not self:
            return "Strict mode would refuse nothing."
        shown = []
        for file, notes in groupby(self, lambda note: note.file):
            shown.append(file)
            for line, said in groupby(notes, lambda note: note.line):
                first, *others = said
                shown.append(f"  {line}, in {first.function}: {first.code}".rstrip(": "))
                for note in (first, *others):
                    times = f" ({note.count} times)" if note.count > 1 else ""
                    shown.append(f"      {note.message}{times}")
        return "\n".join(shown)

    __repr__ = __str__


# --- collecting -----------------------------------------------------------------------------------

COMPOSED: Final[set[CodeType]] = set()
"""The code of functions that compose NumPy's functions.  What they ask of other functions is no
matter of the user's."""

RENAMING: Final[set[CodeType]] = set()
"""The code of functions instead of which one function is written, with the same operands.  The form
of its call is no matter of the user's, but the data types of the operands are."""

_INSTALLED: Final = tuple(
    {
        os.path.join(folder, "")
        for folder in (
            *site.getsitepackages(),
            site.getusersitepackages(),
            *(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")),
        )
    }
)
"""The folders of Python and of installed packages, whose lines come last in the report."""


_MOST: Final = 10_000
"""The number of errors that the report keeps; beyond it, the oldest make room."""

_lock: Final = threading.Lock()
_seen: Final[dict[tuple[object, ...], PortingNote]] = {}
_unread = False


def _add(error: Exception, place: tuple[CodeType, int] | None) -> None:
    """Add an error to the report."""
    if error is relaxed.DTYPE:
        asks = _frame_that_asks().f_back
        said = asks and comparisons.of_data_type(asks)
        if not (asks and said) or asks is not frame_of_user(asks):
            return
        error = TypeError(said)
    site_of: object = None
    if place is None:
        raised = _frame_that_asks()
        user = frame_of_user(raised)
        if _is_within(raised, user, error):
            return
        if user.f_code.co_filename.startswith("<frozen importlib"):  # the line itself asks again
            return
        if str(error).startswith("size:") and raised.f_back is not user:  # a function here asks
            return
        site_of = raised.f_code, raised.f_lasti
        place = user.f_code, user.f_lasti
        line = user.f_lineno or 0
    else:
        line = line_of(*place)
    code = place[0]
    if str(error).startswith("len:") and not _calls_len(*place):
        return
    # A message may hold values.  So it is no part of the key: a loop would add to the report in
    # every round.  Equal code of two files, or cells of a notebook, is one key of a dictionary.
    key = (code, place[1], site_of, type(error), code.co_filename)
    message = str(error).removesuffix(relaxed.HINT)
    global _unread  # noqa: PLW0603  # one report a process
    with _lock:
        if key not in _seen:
            if len(_seen) >= _MOST:  # each cell of a notebook has code of its own
                del _seen[next(iter(_seen))]
            _seen[key] = PortingNote(code.co_filename, line, code.co_name, message, 0)
            _unread = True
        _seen[key] = replace(_seen[key], count=_seen[key].count + 1)


relaxed.when_noted(_add)


def _frame_that_asks() -> FrameType:
    """Return the frame of the function that asks what relaxed mode allows."""
    frame = sys._getframe(1)
    while frame.f_globals.get("__name__") in {__name__, relaxed.__name__} and frame.f_back:
        frame = frame.f_back
    return frame


def _is_within(frame: FrameType, user: FrameType, error: Exception) -> bool:
    """Say whether an error of a frame is a matter of a function that composes one of NumPy's."""
    while frame is not user and frame.f_back is not None:
        code = frame.f_code
        if code in COMPOSED or (code in RENAMING and isinstance(error, MisuseError)):
            return True
        frame = frame.f_back
    return False


_CALLS: Final = {"CALL", "CALL_FUNCTION", "PRECALL"}
"""The instructions of the versions of Python that call a function of one argument."""


def _calls_len(code: CodeType, step: int) -> bool:
    """Say whether a step calls ``len``, rather than iterates and asks for a hint of the length."""
    return "len" in code.co_names and dis.opname[code.co_code[step]] in _CALLS


# --- the report -----------------------------------------------------------------------------------


@refusing
def porting_report(*, clear: bool = False) -> PortingReport:
    """List the lines of code that ran in relaxed mode and that strict mode would refuse.

    The report is made while the option ``relaxed="warn"`` is on.  Code runs as in relaxed mode.  If
    the report was not read, a warning at the end of the process says how many lines it has.

    Parameters
    ----------
    clear : bool, default: False
        Whether to begin a new report after this one.

    Returns
    -------
    PortingReport
        A tuple with one entry for each line and error: ``file``, ``line``, ``function``,
        ``message``, ``count``, and ``code``, the text of the line.  Its ``str`` is a list by file
        and line; lines of installed packages come last.

    See Also
    --------
    options : ``relaxed="warn"`` asks for the report.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> with xp.options(relaxed="warn"):
    ...     x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    ...     total = x.sum(0)
    >>> for note in xp.porting_report(clear=True):
    ...     print(note.line, note.message.partition(". Its form")[0])
    3 an array of the standard has no attribute 'sum'. Write xp.sum(x).
    3 sum: it takes 1 positional argument, and 'axis=0' by name
    """
    global _unread  # noqa: PLW0603  # one report a process
    with _lock:
        counts: dict[PortingNote, dict[object, int]] = {}
        for key, note in _seen.items():
            steps = counts.setdefault(replace(note, count=0), {})
            # Two places may note one call alike.
            steps[key[:2]] = max(steps.get(key[:2], 0), note.count)
        _unread = False
        if clear:
            _seen.clear()
    notes = [replace(note, count=sum(steps.values())) for note, steps in counts.items()]
    return PortingReport(
        sorted(notes, key=lambda n: (n.file.startswith(_INSTALLED), n.file, n.line))
    )


@atexit.register
def _at_exit() -> None:
    """Say that there is a report, if nothing in the process has read it."""
    if not _unread:
        return
    notes = porting_report()
    lines = len({(note.file, note.line) for note in notes})
    warnings.warn_explicit(
        f"strict mode would refuse {lines} line{'s' if lines > 1 else ''} of this program. Call "
        "print(ascend_array_api.porting_report()) at its end to see them, with what to write "
        "instead.",
        UserWarning,
        notes[0].file,
        notes[0].line,
    )
