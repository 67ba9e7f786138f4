"""Processes of their own: Python, for what a process does once, and git; and threads."""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent


def python(*arguments: str, code: int | None = 0, **options: Any) -> Any:
    """Run Python with arguments, and return how it ended: with an exit status, any for None."""
    options = {"timeout": 600, **options}
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, **options
    )
    assert code is None or done.returncode == code, done.stdout[-20000:] + done.stderr[-5000:]
    return done


def calling(function: Callable[..., None]) -> tuple[str, str]:
    """The arguments with which Python calls a function of a test module with all further ones."""
    file = Path(inspect.getfile(function))
    folders = [str(file.parent), str(HERE), str(HERE.parent)]
    called = f"{file.stem}.{function.__name__}(*sys.argv[1:])"
    return "-c", f"import sys; sys.path[1:1] = {folders!r}; import {file.stem}; {called}"


def apart(function: Callable[..., None], *arguments: str, **options: Any) -> str:
    """Call a function in a process in which nothing was called before; return what it printed."""
    printed: str = python("-W", "error", *calling(function), *arguments, **options).stdout
    return printed


def environment(*foreign: str, **more: str) -> dict[str, str]:
    """The environment without variables whose names begin so, and with more."""
    return {k: v for k, v in os.environ.items() if not k.startswith(foreign)} | more


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


MADE = re.compile(
    r"(^|/)(__pycache__|\.[^/]*_cache|\.venv[^/]*|\.hypothesis|build|dist|[^/]*\.egg-info)/"
)
"""What is no part of an sdist, where git does not say so."""


def files_of(folder: Path) -> set[str]:
    """The files of the repository, by git; in an unpacked sdist, all that are no caches."""
    if (folder / ".git").exists():
        listed = git("ls-files", "--cached", "--others", "--exclude-standard", cwd=folder)
        return {name for name in listed.splitlines() if (folder / name).is_file()}
    every = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    made = {"PKG-INFO", "setup.cfg"}
    return {name for name in every if not MADE.search(name) and name not in made}


@contextlib.contextmanager
def neighbours(number: int) -> Iterator[list[dict[str, str]]]:
    """Environments for processes that know each other, which are to start and end within."""
    with socket.socket() as taken:
        # Nobody else is given the port while this socket has it, and the first process can listen.
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 0))
        known = {
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parents[1]),
            "OMP_NUM_THREADS": "1",
            "WORLD_SIZE": str(number),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(taken.getsockname()[1]),
        }
        yield [{**known, "RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(number)]


def ranks(script: Path, number: int, *arguments: str, seconds: float) -> list[tuple[int, str]]:
    """Run a script in processes that know each other; return how each ended, and what it printed.

    Those that are there after ``seconds`` are killed.
    """
    with neighbours(number) as environments:
        several = [
            subprocess.Popen(
                [sys.executable, str(script), *arguments],
                env=env,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for env in environments
        ]
        end = time.monotonic() + seconds
        return [_ended(process, max(1.0, end - time.monotonic())) for process in several]


def _ended(process: subprocess.Popen[str], seconds: float) -> tuple[int, str]:
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        said, _ = process.communicate()
    return process.returncode, said


def in_threads(function: Callable[[int], Any], number: int) -> None:
    """Call a function in several threads at once, each with its number, and wait for them."""
    threads = [threading.Thread(target=function, args=(i,)) for i in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
