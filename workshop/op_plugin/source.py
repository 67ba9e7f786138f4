"""Get op-plugin's tests at the pinned commit: nothing runs from any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import clones
from conformance.errors import SetupError

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://github.com/Ascend/op-plugin"
COMMIT = "517f2e7d0f202f38b76310706cb977ca2388ad21"
FOLDER = "test/test_base_ops"


def fetch(cache: Path, repository: str | None = None) -> Path:
    """Return the folder of the tests, cloned into `cache` unless the clone is there already.

    Parameters
    ----------
    cache
        Keeps the clone.
    repository
        Where git finds the commit: a URL, or the folder of a repository; `URL` by default.
    """
    hint = "copy the repository here, with its .git, and name the folder with --suite PATH"
    target = clones.pinned("op-plugin", URL, COMMIT, cache, repository, hint=hint)
    folder = target / FOLDER
    if not folder.is_dir():
        raise SetupError(f"{target} has no {FOLDER}")
    return folder.resolve()
