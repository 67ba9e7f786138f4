"""The user's code: which frame of a stack is neither the package's nor torch's.

Imports nothing of the package but torch.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING, Final

import numpy as np

from .._torch import torch

if TYPE_CHECKING:
    from types import CodeType, FrameType, FunctionType

_NOT_OF_USERS: Final = tuple(
    os.path.dirname(os.path.abspath(file)) + os.sep
    for file in (os.path.dirname(__file__), torch.__file__)
)
"""The folders of the package and of torch.  Frames of torch lie between ours if it transforms a
function, or calls one that the compiler leaves alone."""


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
