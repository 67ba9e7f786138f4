"""The user's code: which frame of a stack is neither the package's nor torch's.

Imports nothing of the package but torch.
"""

from __future__ import annotations

import os
import sys
import traceback
from types import CodeType, FrameType, FunctionType
from typing import Final, NamedTuple

import numpy as np

from .._torch import torch

_NOT_OF_USERS: Final = tuple(
    os.path.dirname(os.path.abspath(file)) + os.sep
    for file in (os.path.dirname(__file__), torch.__file__)
)
"""The folders of the package and of torch.  Frames of torch lie between ours if it transforms a
function, or calls one that the compiler leaves alone."""


_STANDARD_LIBRARY: Final = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_INSTALLED: Final = tuple(
    f"{os.sep}{folder}{os.sep}" for folder in ("site-packages", "dist-packages")
)


class Caller(NamedTuple):
    """The caller that asked the package for something."""

    level: int
    """The stack level of the user's own line."""
    where: str
    """The user's own line, as ``file:line``."""
    function: str = ""
    """The function of an installed library that the user's line called, by its public name."""
    line: str = ""
    """The library's own line, as ``file:line`` within the folder of installed packages."""


def caller() -> Caller:
    """Return the user's own line, and which installed library it called, if any."""
    frame = sys._getframe(1)
    level, libraries = 1, []
    first: Caller | None = None
    while _is_of_others(name := frame.f_code.co_filename):
        if not name.startswith(_NOT_OF_USERS):
            first = first or Caller(level, f"{name}:{frame.f_lineno}")
            libraries.append(frame)
        if frame.f_back is None:  # a program that is installed itself, or a thread's beginning
            return first or Caller(level, f"{name}:{frame.f_lineno}")
        # warnings.warn does not count the frames of an import.
        level += not ("importlib" in name and "_bootstrap" in name)
        frame = frame.f_back
    found = Caller(level, f"{name}:{frame.f_lineno}")
    libraries = [frame for frame in libraries if _installed_path(frame)]
    if not libraries:
        return found
    function = _public_name(libraries[::-1])
    top = function.partition(".")[0]
    own = [f for f in libraries if _module(f).partition(".")[0] == top and not _is_helper(f)]
    innermost = (own or libraries)[0]
    return found._replace(
        function=function, line=f"{_installed_path(innermost)}:{innermost.f_lineno}"
    )


def _is_of_others(file: str) -> bool:
    """Say whether a file is the package's, torch's, Python's or an installed library's."""
    return file.startswith((*_NOT_OF_USERS, _STANDARD_LIBRARY, "<frozen ")) or any(
        folder in file for folder in _INSTALLED
    )


def _installed_path(frame: FrameType) -> str:
    """Return the path of a frame's file within the folder of installed packages, if it is there."""
    file = frame.f_code.co_filename
    return next((file.rpartition(f)[2] for f in _INSTALLED if f in file), "")


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _is_helper(frame: FrameType) -> bool:
    """Say whether a frame is of a library of helpers for namespaces, which others bring along."""
    return not HELPERS.isdisjoint(_module(frame).split("."))


HELPERS: Final = frozenset({"array_api_compat", "array_api_extra", "_array_api"})
"""Parts of the names of such modules; SciPy and scikit-learn have their own, ``_array_api``."""


def _public_name(frames: list[FrameType]) -> str:
    """Return the first name in some frames, outermost first, that is public where it is imported.

    Libraries wrap their functions, and define them in modules of private names.
    """
    for frame in frames:
        module = _module(frame).partition("._")[0]
        public = vars(sys.modules.get(module, sys))
        code = frame.f_code
        me = frame.f_locals.get("self")
        kind = type(me)
        if callable(getattr(kind, code.co_name, None)):
            home = kind.__module__.partition("._")[0]
            if kind.__name__ in vars(sys.modules.get(home, sys)):
                method = "" if code.co_name.startswith("_") else f".{code.co_name}"
                return f"{home}.{kind.__name__}{method}"
        name = getattr(code, "co_qualname", code.co_name)
        if name.partition(".")[0] in public and not name.startswith(("_", "<")):
            return f"{module}.{name}"
        # A wrapper holds what it wraps, itself or in the object that made it.
        held = [*frame.f_locals.values(), *getattr(me, "__dict__", {}).values()]
        for wrapped in filter(callable, held):
            name = getattr(wrapped, "__name__", "")
            if getattr(public.get(name), "__wrapped__", None) is wrapped:
                return f"{module}.{name}"
    return f"{_module(frames[0])}.{frames[0].f_code.co_name}"


def is_of_user(function: FunctionType) -> bool:
    """Say whether a function is neither the package's nor torch's."""
    return not function.__code__.co_filename.startswith(_NOT_OF_USERS)


def user_frame() -> tuple[int, str, int]:
    """Return the stack level, file and line of the user's innermost frame."""
    level = 1
    frame = sys._getframe(1)
    name = frame.f_code.co_filename
    while name.startswith(_NOT_OF_USERS) and frame.f_back is not None:
        level += 1
        frame = frame.f_back
        name = frame.f_code.co_filename
    return level, name, frame.f_lineno


def user_place(error: BaseException) -> tuple[str, int]:
    """Return the file and the line of the user's innermost frame through which an error came."""
    walked = traceback.walk_tb(error.__traceback__)
    places = [(frame.f_code.co_filename, line) for frame, line in walked]
    return next((p for p in reversed(places) if not p[0].startswith(_NOT_OF_USERS)), places[-1])


def ufunc_of_user() -> str:
    """Return the name of the ufunc for which a library asks for an array; empty without one.

    SciPy's dispatch has NumPy's function in a variable of the frame that hands the operands to it.
    """
    frame = frame_of_user(sys._getframe(1))
    frames = [frame]
    if frame.f_code.co_name == "<listcomp>" and frame.f_back is not None:  # before Python 3.12
        frames.append(frame.f_back)
    values = (value for f in frames for value in f.f_locals.values())
    return next((v.__name__ for v in values if isinstance(v, np.ufunc)), "")


def user_code(inside: int) -> tuple[CodeType, int]:
    """Return the code of the user's innermost frame, and the step in it.

    It serves callers that ask at every call, so it leaves the line to ``line_of``, which is asked
    only for errors.  ``inside`` frames, the caller's first, are known to be the package's.
    """
    frame = frame_of_user(sys._getframe(inside + 1))
    return frame.f_code, frame.f_lasti


def frame_of_user(frame: FrameType) -> FrameType:
    """Return the first frame that is neither the package's nor torch's, from one on outwards."""
    while (name := frame.f_code.co_filename) in _files or name.startswith(_NOT_OF_USERS):
        _files.add(name)
        if frame.f_back is None:
            break
        frame = frame.f_back
    return frame


_files: Final[set[str]] = set()
"""Known files of the package and torch; a look-up here is faster than a comparison of prefixes."""


def line_of(code: CodeType, step: int) -> int:
    """Return the line of a step in code."""
    lines = (line for first, end, line in code.co_lines() if first <= step < end)
    return next(lines, None) or code.co_firstlineno
