"""A process that runs pytest: its command, and an environment in which nothing foreign decides."""

from __future__ import annotations

import hashlib
import os
import site
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

from . import NAME, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

OUTCOMES: Final = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
_OUTPUT_LINES: Final = 40


def pytest_command(plugins: Iterable[str], *arguments: str) -> list[str]:
    """Return the command of a process that `runner` starts: with the plugin that it listens to.

    Plugins are named one by one: others that are installed could reorder, skip or time out tests.
    """
    return [
        *(sys.executable, "-m", "pytest"),
        *(part for plugin in (*plugins, f"{NAME}.recorder") for part in ("-p", plugin)),
        *("-p", "no:cacheprovider", "-q", "--color=no"),
        *arguments,
    ]


def environment_of(
    variables: Mapping[str, str], *, foreign: tuple[str, ...] = ("PYTEST_",)
) -> dict[str, str]:
    """Return the whole environment of a process: no variable that begins with a foreign prefix.

    The process works in another folder; what is importable here stays importable.
    """
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
    installed = {*site.getsitepackages(), site.getusersitepackages()}
    here = [] if str(ROOT) in installed else [str(ROOT)]  # which would come before Python's own
    path = [*here, str(Path.cwd()), inherited.get("PYTHONPATH", "")]
    return {
        "OMP_NUM_THREADS": "1",  # tiny arrays, and every core has a process of its own
        **inherited,
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        **variables,
    }


def claim_file(folder: Path, nodeid: str) -> Path:
    """Return the file of a claim: a test belongs to who creates it.

    Its name is hashed, since identifiers of tests are too long and too odd for names of files.
    """
    return folder / hashlib.sha256(nodeid.encode(errors="backslashreplace")).hexdigest()[:32]


def last_lines(output: str) -> str:
    """Return the end of what a process printed."""
    return "\n".join(output.splitlines()[-_OUTPUT_LINES:])


def version_of(package: str) -> str | None:
    """Return the version of a package that is installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
