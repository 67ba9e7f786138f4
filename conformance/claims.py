"""How the processes of a run share out its tests: a test belongs to who creates its file."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def claim(folder: Path, nodeid: str) -> bool:
    """Take a test, and return whether it was still free: creating a file exclusively is atomic."""
    try:
        _file(folder, nodeid).open("x").close()
    except FileExistsError:
        return False
    return True


def release(folder: Path, nodeid: str) -> None:
    """Give a test back to whoever claims it next."""
    _file(folder, nodeid).unlink()


def _file(folder: Path, nodeid: str) -> Path:
    # Hashed, since identifiers of tests are too long and too odd for names of files.
    return folder / hashlib.sha256(nodeid.encode(errors="backslashreplace")).hexdigest()[:32]
