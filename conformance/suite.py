"""Get the upstream suite at the pinned commit, or a copy of it, and say what it is."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import clones
from .errors import SetupError

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://github.com/data-apis/array-api-tests"
COMMIT = "55fcc60179efa2680ddd6cd926ddf17b83530e2b"


@dataclass(frozen=True)
class Suite:
    """A copy of the suite; what is not known of it is None.

    Attributes
    ----------
    path
        Where it lies.
    commit, specification_commit
        The commits of the suite and of its submodule, the text of the standard.
    modified
        Whether tracked files differ from these commits.
    """

    path: Path
    commit: str | None
    specification_commit: str | None
    modified: bool | None


def fetch(cache: Path) -> Suite:
    """Return the suite at :data:`COMMIT`, cloned into `cache` unless it is there already."""
    target = cache / f"array-api-tests-{COMMIT[:12]}"
    if not target.is_dir():
        hint = "copy the suite (with its submodule) here and name the folder with --suite PATH"
        clones.clone(URL, COMMIT, target, hint, submodules=True)
    suite = describe(target)
    if suite.commit == COMMIT and suite.modified is False:
        return suite
    raise SetupError(
        f"{target} is not, as far as git can tell, an unchanged copy of the suite at "
        f"{COMMIT[:12]}; delete it, or name it with --suite to use it as it is"
    )


def describe(path: Path) -> Suite:
    """Return what is known about the copy of the suite at `path`."""
    path = path.resolve()
    if not (path / "array_api_tests").is_dir() or not (path / "conftest.py").is_file():
        raise SetupError(
            f"{path} is not a copy of {URL}: it has no array_api_tests/ or no conftest.py"
        )
    if (path / ".gitmodules").is_file() and not (path / "array-api" / "src").is_dir():
        raise SetupError(
            f"{path} lacks its submodule array-api, the text of the standard; "
            f"run 'git submodule update --init' there"
        )
    known = clones.state(path)
    if known is None:
        return Suite(path, commit=None, specification_commit=None, modified=None)
    commit, modified = known
    submodule = path / "array-api"
    specification = None
    if (submodule / ".git").exists():
        try:
            specification = clones.git("rev-parse", "HEAD", cwd=submodule)
        except (OSError, subprocess.SubprocessError):
            return Suite(path, commit=None, specification_commit=None, modified=None)
    return Suite(path, commit, specification, modified)
