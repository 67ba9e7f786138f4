"""The functions that a call enters, as Python's profiler tells."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def entered(call: Callable[..., Any], *arguments: Any) -> list[tuple[str, str]]:
    """Return the file and the name of each function that a call enters; no file of those in C."""
    found: list[tuple[str, str]] = []

    def note(frame: Any, event: str, function: Any) -> None:
        if event == "call":
            found.append((frame.f_code.co_filename, frame.f_code.co_name))
        elif event == "c_call":
            found.append(("", function.__name__))

    gc.disable()  # objects of other tests call functions as they go
    sys.setprofile(note)
    try:
        call(*arguments)
    finally:
        sys.setprofile(None)
        gc.enable()
    return found
