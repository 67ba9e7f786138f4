"""Processes of their own: Python, for what a process does once, and git."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def python(*arguments: str, code: int | None = 0, **options: Any) -> Any:
    """Run Python with arguments, and return how it ended: with an exit status, any for None."""
    options = {"timeout": 600, **options}
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, **options
    )
    assert code is None or done.returncode == code, done.stdout[-20000:] + done.stderr[-5000:]
    return done


def git(*arguments: str, cwd: Path) -> str:
    """Run git, whatever its user has set, and return what it printed."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    done = subprocess.run(
        ["git", *identity, *arguments],
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        cwd=cwd,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()
