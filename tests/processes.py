"""Python in a process of its own, for tests of what a process does once."""

from __future__ import annotations

import subprocess
import sys
from typing import Any


def python(*arguments: str, code: int | None = 0, **options: Any) -> Any:
    """Run Python with arguments, and return how it ended: with an exit status, any for None."""
    options = {"timeout": 600, **options}
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, **options
    )
    assert code is None or done.returncode == code, done.stdout[-20000:] + done.stderr[-5000:]
    return done
